#!/usr/bin/env bash
# Installs the tools that `npm run conformance` holds this project against; fails when one cannot be had.
# Go programs are built once and kept, by version, in the user's cache folder: `tools.sh bin` prints where.
# It needs Debian's apt-get, a Go module proxy and, unless all is there already, root or sudo.
set -euo pipefail

crane=github.com/google/go-containerregistry/cmd/crane@v0.20.3
oras=oras.land/oras/cmd/oras@v1.3.1
crank=github.com/crossplane/crossplane/cmd/crank@v1.20.0
crossplane=github.com/crossplane/cli/v2/cmd/crossplane@v2.5.0
kustomize=sigs.k8s.io/kustomize/kustomize/v5@v5.8.2
# The Lua that Argo CD runs health checks in.
glua=github.com/yuin/gopher-lua/cmd/glua@v1.1.2
programs=("$crane" "$oras" "$crank" "$crossplane" "$kustomize" "$glua")
debian=(docker-registry skopeo umoci apache2-utils zstd libarchive-tools zsh fish chromium graphviz lua5.1)
go=1.26.8

kept=${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-resolve-tools
readers=$(cd "$(dirname "$0")/../conformance/readers" && pwd)
key=$(printf '%s\n' "${programs[@]}" | sha256sum | cut -c1-12)
bin=$kept/$key
if [ "${1:-}" = bin ]; then echo "$bin"; exit; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

from_debian() {
  local missing=() package
  for package in "$@"; do
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

# Since 1.21 Go fetches the release that a go.mod asks for, if it is allowed to.
fetches_releases() {
  local version
  version=$(cd "$work" && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || return 1
  printf '%s\n' go1.21 "$version" | sort -V -C
}

# An older Go, such as Debian's, can fetch a release as it does any module, and check it against the
# public checksums; what modules cannot carry, modes and the go.mod of a module inside, is put back.
fetch_go() {
  local home=$kept/go-$go
  if [ ! -x "$home/bin/go" ]; then
    command -v go >/dev/null || from_debian golang-go
    local module
    module=golang.org/toolchain@v0.0.1-go$go.$(go env GOOS)-$(go env GOARCH)
    echo "fetching Go $go"
    (cd "$work" && GOFLAGS='' go mod download "$module")
    rm -rf "$home.new"
    mkdir -p "$kept"
    cp -r "$(go env GOMODCACHE)/$module" "$home.new"
    chmod -R u+w "$home.new"
    chmod +x "$home.new"/bin/* "$home.new"/pkg/tool/*/*
    find "$home.new" -name _go.mod -execdir mv {} go.mod \;
    mv "$home.new" "$home"
  fi
  unset GOROOT
  PATH=$home/bin:$PATH
}

# The last part of a package's path, or the one before where that is a major version.
program_name() {
  local package=${1%@*}
  [[ $package =~ /v[0-9]+$ ]] && package=${package%/*}
  echo "${package##*/}"
}

# A module of its own pins the version, so that no list of a module's versions has to be had. Nobody debugs
# these, and compiling is 3/5 of the work without inlining, DWARF and C.
go_program() {
  local package=${1%@*} version=${1#*@} module name
  module=${package%%/cmd/*}
  name=$(program_name "$1")
  echo "building $name $version"
  mkdir -p "$work/$name" "$bin"
  printf 'module tools\n\ngo 1.26.0\n\nrequire %s %s\n' "$module" "$version" >"$work/$name/go.mod"
  (cd "$work/$name" && GOFLAGS=-mod=mod GOTOOLCHAIN=auto CGO_ENABLED=0 go build -trimpath \
    -gcflags='all=-l -dwarf=false' -ldflags='-s -w' -o "$bin/.$name.$$" "$package")
  mv "$bin/.$name.$$" "$bin/$name"
}

from_debian "${debian[@]}"
for program in "${programs[@]}"; do
  [ -x "$bin/$(program_name "$program")" ] && continue
  fetches_releases || fetch_go
  go_program "$program"
done
# Small, and ours: built anew whenever its sources changed.
fetches_releases || fetch_go
(cd "$readers" && GOTOOLCHAIN=auto CGO_ENABLED=0 go build -trimpath -o "$bin/readers" .)
(cd "$readers/../cel" && GOTOOLCHAIN=auto CGO_ENABLED=0 go build -trimpath -o "$bin/cel" .)
(cd "$readers/../crdify" && GOTOOLCHAIN=auto CGO_ENABLED=0 go build -trimpath -o "$bin/crdify" .)
python3 -c 'import ensurepip' 2>/dev/null || from_debian python3-venv
"$(dirname "$0")/python-tools.sh"
for tool in docker-registry skopeo umoci htpasswd zstd bsdtar chromium dot lua5.1 "$bin"/{crane,oras,crank,crossplane,kustomize,glua,readers,cel,crdify}; do
  command -v "$tool" >/dev/null || { echo "missing: $tool" >&2; exit 1; }
done
echo "tools in $bin"
