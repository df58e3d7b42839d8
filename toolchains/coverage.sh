#!/usr/bin/env bash
# coverage.sh - which lines and branches of src/ and of the addon the tests reach, by clang's counters: every C suite as
# `make test-all` runs it natively, then the JavaScript tests on the addon.
#
#     toolchains/coverage.sh          prints a table of files and the total, then the functions that are never reached
#
# build/coverage/lines.txt lists the lines that are never reached, build/coverage/lcov.info is for other tools. The addon's
# tests run in a copy of the sources, so that bindings/js/dist stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

toolchains/setup.sh native node sanitize
. toolchains/env.sh
jobs="$(nproc 2> /dev/null || echo 2)"
out="$PWD/build/coverage"
profiles="$out/profiles"
tree="$out/tree"

cmake --preset coverage > /dev/null
cmake --build --preset coverage -j "$jobs" --target stria_tests stria_napi > "$out/build.log" 2>&1 || {
    tail -n 50 "$out/build.log"
    exit 1
}

rm -rf "$profiles" "$tree"
mkdir -p "$profiles" "$tree/bindings/js/build/coverage"
# programs of one binary add their counters to one file
export LLVM_PROFILE_FILE="$profiles/%m.profraw"
ctest --preset coverage -j "$jobs" -R '^(test|fuzz)_' > "$out/ctest.log" 2>&1 || {
    grep -vE 'Passed +[0-9.]+ sec$|^ +Start +[0-9]+:' "$out/ctest.log"
    exit 1
}

git ls-files --cached --others --exclude-standard bindings tests/js examples docs README.md |
    while read -r file; do [ ! -e "$file" ] || printf '%s\n' "$file"; done | tar -cf - -T - | tar -xf - -C "$tree"
ln -s "$PWD/bindings/js/node_modules" "$tree/bindings/js/node_modules"
mkdir -p "$tree/build/native"
cp "$out/stria.node" "$tree/build/native/"
(cd "$tree/bindings/js" && node scripts/build.mjs && node scripts/test.mjs native) > "$out/javascript.log" 2>&1 || {
    tail -n 100 "$out/javascript.log"
    exit 1
}

llvm-profdata merge -sparse -o "$out/merged.profdata" "$profiles"/*.profraw
sources=(-instr-profile "$out/merged.profdata" "$out/stria_tests" -object "$out/stria.node" src bindings/js/native)
llvm-cov report "${sources[@]}" --show-branch-summary --show-region-summary=false 2> /dev/null
llvm-cov export "${sources[@]}" -format=lcov 2> /dev/null > "$out/lcov.info"
awk -F'[:,]' '/^SF:/ { file = $2 } /^DA:/ && $3 == 0 { print file ":" $2 }' "$out/lcov.info" |
    sed "s|^$PWD/||" > "$out/lines.txt"

# A function of a header is reached if it is in one of the objects that have it; FNDA counts each, by mangled names.
echo
echo 'Functions that are never reached:'
awk -F'[:,]' '/^SF:/ { file = $2 } /^FNDA:/ { name = $3; sub(/^.*:/, "", name); count[file ": " name] += $2 }
    END { for (k in count) if (count[k] == 0) print "  " k }' "$out/lcov.info" | sed "s|$PWD/||" | sort
echo
echo "$(wc -l < "$out/lines.txt") lines are never reached: build/coverage/lines.txt"
