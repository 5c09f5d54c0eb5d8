#!/usr/bin/env bash
# Builds the programs that `npm run peers` holds this project against, from the Go module proxy; fails when one cannot
# be had. Each takes minutes, once: they are kept, by version, in the user's cache folder. `build.sh bin` prints where.
set -euo pipefail

# Name of the program, its package and version. Releases 2 and 3 of cosign store signatures differently.
programs=(
  helm=helm.sh/helm/v3/cmd/helm@v3.22.0
  cosign2=github.com/sigstore/cosign/v2/cmd/cosign@v2.6.5
  cosign3=github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3
)

kept=${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-peers
bin=$kept/$(printf '%s\n' "${programs[@]}" | sha256sum | cut -c1-12)
if [ "${1:-}" = bin ]; then echo "$bin"; exit; fi

command -v go >/dev/null || { echo 'missing: go (1.26 or newer)' >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$bin"
for program in "${programs[@]}"; do
  name=${program%%=*}
  package=${program#*=}
  package=${package%@*}
  [ ! -x "$bin/$name" ] || continue
  echo "building $name ${program#*@}"
  mkdir "$work/$name"
  # A module of its own pins the version, so that no list of a module's versions has to be had.
  printf 'module peers\n\ngo 1.26.0\n\nrequire %s %s\n' "${package%%/cmd/*}" "${program#*@}" >"$work/$name/go.mod"
  (cd "$work/$name" && GOFLAGS=-mod=mod GOTOOLCHAIN=auto CGO_ENABLED=0 nice go build -trimpath \
    -gcflags='all=-l -dwarf=false' -ldflags='-s -w' -o "$bin/.$name.$$" "$package")
  mv "$bin/.$name.$$" "$bin/$name"
done
echo "peers in $bin"
