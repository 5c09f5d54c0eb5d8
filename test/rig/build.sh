#!/usr/bin/env bash
# Builds what a cluster without containers is made of, from the Go module proxy: etcd, kube-apiserver,
# kube-controller-manager, kubectl if there is none, and the core controllers of some Crossplane releases. Needs Go 1.25
# or newer. Minutes for each of them once; what is there is kept.
#   test/rig/build.sh [RELEASE..]
# Without names: those of XPKG_RIG_RELEASES, or all that are in the file beside this one.
set -euo pipefail
work=${XPKG_RIG:-${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-rig}
kubernetes=1.35.4
etcd=v3.6.5
[ $# -gt 0 ] || set -- $(echo "${XPKG_RIG_RELEASES:-$(cat "$(dirname "$0")/releases")}" | tr , ' ')
mkdir -p "$work/bin" "$work/src" "$work/crds"
export GOFLAGS='-mod=mod -buildvcs=false -trimpath' GOWORK=off CGO_ENABLED=0

# NAME FOLDER PACKAGE LDFLAGS
build() {
  echo "building $1"
  (cd "$2" && nice go build -gcflags=all=-dwarf=false -ldflags "-s -w $4" -o "$work/bin/$1.new" "$3")
  mv "$work/bin/$1.new" "$work/bin/$1"
}

# k8s.io/kubernetes replaces its staging modules by folders that are not in the module. A module of our own requires it,
# and replaces each by what was published of it.
kube() {
  local src=$work/src/kube dir module program version=k8s.io/component-base/version
  rm -rf "$src" && mkdir -p "$src" && cd "$src"
  go mod init rig
  go mod download "k8s.io/kubernetes@v$kubernetes"
  dir=$(go env GOMODCACHE)/k8s.io/kubernetes@v$kubernetes
  for module in $(sed -n 's|^\t\(k8s.io/[^ ]*\) => ./staging.*|\1|p' "$dir/go.mod"); do
    go mod edit -replace "$module=$module@v0.${kubernetes#1.}"
  done
  go mod edit -require "k8s.io/kubernetes@v$kubernetes" -require "go.etcd.io/etcd/server/v3@$etcd"
  [ -x "$work/bin/etcd" ] || build etcd "$src" go.etcd.io/etcd/server/v3 ''
  for program in $kube_programs; do
    [ -x "$work/bin/$program" ] || build "$program" "$src" "k8s.io/kubernetes/cmd/$program" \
      "-X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=$(echo "$kubernetes" | cut -d. -f2)"
  done
}

# The one change to Crossplane: no flag can bind its metrics and health ports to loopback. Releases before v1.18 have no
# flags for these ports at all, and are made to read the variables that later ones read.
loopback() {
  sed -i 's|fmt.Sprintf(":%d", c\.|fmt.Sprintf("127.0.0.1:%d", c.|' "$1"
  if grep -q 'HealthProbeBindAddress: ":8081"' "$1"; then
    sed -i -e 's|HealthProbeBindAddress: ":8081"|HealthProbeBindAddress: "127.0.0.1:" + os.Getenv("HEALTH_PROBE_PORT")|' \
      -e 's|^import (|import (\n\tmetricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"|' \
      -e 's|^\t\tPprofBindAddress: |\t\tMetrics: metricsserver.Options{BindAddress: "127.0.0.1:" + os.Getenv("METRICS_PORT")},\n&|' "$1"
  fi
}

# A copy of the module with its own go.mod, so that its dependencies are those of the release.
crossplane() {
  local release=$1 path=github.com/crossplane/crossplane src=$work/src/crossplane-$1 dir version
  case $release in v1.*) ;; *) path=$path/v2 ;; esac
  dir=$(cd / && go mod download -json "$path@$release" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  [ ! -d "$src" ] || { chmod -R u+w "$src" && rm -rf "$src"; }
  cp -r "$dir" "$src" && chmod -R u+w "$src"
  # Since v2.3 the API types are a module of their own, which the release replaces by a folder that the module lacks.
  if grep -q '^replace .*/apis/v2 => ./apis' "$src/go.mod"; then
    (cd "$src" && go mod edit -dropreplace=github.com/crossplane/crossplane/apis/v2 \
      -require="github.com/crossplane/crossplane/apis/v2@$release")
  fi
  loopback "$src/cmd/crossplane/core/core.go"
  version=$path/internal/version.version
  [ -d "$src/internal/version" ] || version=github.com/crossplane/crossplane-runtime/v2/pkg/version.version
  build "crossplane-$release" "$src" ./cmd/crossplane "-X $version=$release"
  rm -rf "$work/crds/$release" && cp -r "$src/cluster" "$work/crds/$release"
}

kube_programs='kube-apiserver kube-controller-manager'
command -v kubectl >/dev/null || kube_programs="$kube_programs kubectl"
missing=
for program in etcd $kube_programs; do
  [ -x "$work/bin/$program" ] || missing=yes
done
[ -z "$missing" ] || (kube)
for release in "$@"; do
  [ -x "$work/bin/crossplane-$release" ] || (crossplane "$release")
done
