#!/usr/bin/env bash
# Installs what `npm run conformance` runs from PyPI, into the user's cache folder, once: `python-tools.sh dir` prints where.
# It needs Python 3 with venv, and a package index.
set -euo pipefail

packages=(check-jsonschema==0.39.0 pre-commit==4.7.0 xmlschema==4.3.2 spdx-tools==0.8.5)
# The schema of JUnit's results as Jenkins reads them is part of pytest's sources.
schema_source=pytest==9.2.0
schema=junit-10.xsd

kept=${XDG_CACHE_HOME:-$HOME/.cache}/xpkg-resolve-tools
key=$(printf '%s\n' "${packages[@]}" "$schema_source" | sha256sum | cut -c1-12)
dir=$kept/python-$key
if [ "${1:-}" = dir ]; then echo "$dir"; exit; fi
if [ -f "$dir/$schema" ]; then echo "Python tools in $dir"; exit; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$dir"
mkdir -p "$kept"
python3 -m venv "$dir"
"$dir/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
"$dir/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest "$work" "$schema_source"
tar -xzf "$work"/*.tar.gz -C "$work" --wildcards "*/$schema"
# Last: its presence says that all the rest is there.
cp "$work"/*/testing/example_scripts/"$schema" "$dir/$schema"
echo "Python tools in $dir"
