#!/usr/bin/env bash
# Builds the oracle (program/) against the packages of some Crossplane releases: a copy of each release's module, with
# its own go.mod, and our main in it. Needs Go 1.25 or newer. What is there is kept, unless the program has changed.
#   test/rig/oracle/build.sh [RELEASE..]
# Without names: all that are in the file beside this one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${XPKG_RIG:-${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-rig}
[ $# -gt 0 ] || set -- $(cat "$here/releases")
export GOFLAGS='-mod=mod -buildvcs=false -trimpath' GOWORK=off CGO_ENABLED=0
mkdir -p "$work/bin" "$work/src"
program=$(cat "$here/build.sh" "$here"/program/*.go | sha256sum | cut -c1-12)

oracle() {
  local release=$1 core=github.com/crossplane/crossplane src=$work/src/oracle-$1 tags='' from dir
  local runtime semver=github.com/Masterminds/semver apis function=v1 xpkg parser version
  case $release in v1.*) ;; *) core=$core/v2 ;; esac
  dir=$(cd / && go mod download -json "$core@$release" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  [ ! -d "$src" ] || { chmod -R u+w "$src" && rm -rf "$src"; }
  cp -r "$dir" "$src" && chmod -R u+w "$src"
  runtime=${core/crossplane\/crossplane/crossplane/crossplane-runtime}
  apis=$core/apis xpkg=$core/internal/xpkg parser=$runtime/pkg/parser version=$core/internal/version
  case $release in v1.14.* | v1.15.* | v1.16.*) function=v1beta1 ;; esac
  [ ! -f "$src/internal/xpkg/validate.go" ] || tags=validators
  # Since v2.3 the API types are a module of their own, which the release replaces by a folder that the module lacks, and
  # what reads packages is in the runtime.
  if grep -q '^replace .*/apis/v2 => ./apis' "$src/go.mod"; then
    (cd "$src" && go mod edit -dropreplace=github.com/crossplane/crossplane/apis/v2 \
      -require="github.com/crossplane/crossplane/apis/v2@$release")
    apis=github.com/crossplane/crossplane/apis/v2 xpkg=$runtime/pkg/xpkg parser=$runtime/pkg/xpkg/parser
    version=$runtime/pkg/version semver=$semver/v3 tags=validators
  fi
  mkdir "$src/cmd/oracle" && cp "$here"/program/*.go "$src/cmd/oracle"
  from=$src/cmd/oracle/*.go
  sed -i -e "s|\"release/xpkg\"|\"$xpkg\"|" -e "s|\"release/parser\"|\"$parser\"|" -e "s|\"release/version\"|\"$version\"|" \
    -e "s|\"release/semver\"|\"$semver\"|" -e "s|\"release/pkgmeta\"|\"$apis/pkg/meta/v1\"|" \
    -e "s|\"release/functionmeta\"|\"$apis/pkg/meta/$function\"|" $from
  echo "building oracle-$release"
  (cd "$src" && nice go build -tags "$tags" -ldflags "-s -w -X $version.version=$release" -o "$work/bin/oracle.new" ./cmd/oracle)
  mv "$work/bin/oracle.new" "$work/bin/oracle-$release"
  echo "$program" >"$work/bin/oracle-$release.of"
}

for release in "$@"; do
  [ "$(cat "$work/bin/oracle-$release.of" 2>/dev/null)" = "$program" ] || (oracle "$release")
done
