#!/usr/bin/env bash
# Gets Mermaid from npm, as the one script that browsers load, into the user's cache folder, once; prints where it is.
set -euo pipefail
mermaid=12.3.0
dir=${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-resolve-tools/mermaid-$mermaid
if [ ! -f "$dir/mermaid.min.js" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && npm pack --silent "mermaid@$mermaid" >&2 && tar xzf "mermaid-$mermaid.tgz" package/dist/mermaid.min.js)
  mkdir -p "$dir"
  mv "$work/package/dist/mermaid.min.js" "$dir/mermaid.min.js"
fi
echo "$dir/mermaid.min.js"
