#!/usr/bin/env bash
# package_tree.sh - a copy of the sources with another addon and the WebAssembly modules of build/, in which
# bindings/js/scripts/build.mjs makes a package of its own: bindings/js/dist stays as it is.
#
#     toolchains/package_tree.sh FOLDER ADDON      FOLDER is replaced
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree="$1" addon="$2"

# the package needs its WebAssembly modules beside the addon
[ -e build/wasm-simd/stria-simd.mjs ] && [ -e build/wasm-threads/stria-threads.mjs ] || make --no-print-directory js

rm -rf "$tree"
mkdir -p "$tree/build/native"
git ls-files --cached --others --exclude-standard |
    while read -r file; do [ ! -e "$file" ] || printf '%s\n' "$file"; done | tar -cf - -T - | tar -xf - -C "$tree"
ln -s "$PWD/bindings/js/node_modules" "$tree/bindings/js/node_modules"
cp "$addon" "$tree/build/native/"
for variant in simd threads; do
    mkdir -p "$tree/build/wasm-$variant"
    cp "build/wasm-$variant/stria-$variant".* "$tree/build/wasm-$variant/"
done
