#!/usr/bin/env bash
# Installs Renovate from npm, with the Node.js that it wants, into the user's cache folder, once; prints where.
set -euo pipefail
renovate=44.121.2
node=24
dir=${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-resolve-tools/renovate-$renovate
if [ ! -f "$dir/complete" ]; then
  mkdir -p "$dir"
  npm install --prefix "$dir/node" --no-audit --no-fund "node@$node" >&2
  # Its native parts would be compiled; it does without.
  npm install --prefix "$dir/app" --no-audit --no-fund --ignore-scripts --engine-strict=false "renovate@$renovate" >&2
  touch "$dir/complete"
fi
echo "$dir"
