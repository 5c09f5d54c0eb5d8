#!/usr/bin/env bash
# Installs the tools that `npm run conformance` holds this project against; fails when one cannot be had.
# Go programs are built once and kept, by version, in the user's cache folder: `tools.sh bin` prints where.
set -euo pipefail

crane=github.com/google/go-containerregistry/cmd/crane@v0.20.3
oras=oras.land/oras/cmd/oras@v1.3.1
crank=github.com/crossplane/crossplane/cmd/crank@v1.20.0
crossplane=github.com/crossplane/cli/v2/cmd/crossplane@v2.5.0
programs=("$crane" "$oras" "$crank" "$crossplane")
debian=(docker-registry skopeo umoci apache2-utils zstd)

key=$(printf '%s\n' "${programs[@]}" | sha256sum | cut -c1-12)
bin=${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-resolve-tools/$key
if [ "${1:-}" = bin ]; then echo "$bin"; exit; fi

from_debian() {
  local missing=() package
  for package in "${debian[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ "${#missing[@]}" = 0 ] && return
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update -q
  # The registry is started by the tests; the service that its package brings is not wanted.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# A module of its own pins the version, so that no list of a module's versions has to be had.
go_program() {
  local package=${1%@*} version=${1#*@} module=${1%%/cmd/*} name
  name=${package##*/}
  [ -x "$bin/$name" ] && return
  echo "building $name $version"
  local work
  work=$(mktemp -d)
  printf 'module tools\n\ngo 1.24\n\nrequire %s %s\n' "$module" "$version" >"$work/go.mod"
  (cd "$work" && GOFLAGS=-mod=mod go build -trimpath -o "$work/$name" "$package")
  mkdir -p "$bin"
  mv "$work/$name" "$bin/$name"
  rm -rf "$work"
}

from_debian
for program in "${programs[@]}"; do go_program "$program"; done
for tool in docker-registry skopeo umoci htpasswd zstd "$bin"/{crane,oras,crank,crossplane}; do
  command -v "$tool" >/dev/null || { echo "missing: $tool" >&2; exit 1; }
done
echo "tools in $bin"
