#!/usr/bin/env bash
# coverage.sh - which lines and branches of src/ and of the addon the tests reach, by clang's counters: every C suite as
# `make test-all` runs it natively, but for what only repeats (the default instruction set, overlaps by the million), then the
# JavaScript tests on the addon.
#
#     toolchains/coverage.sh [regex]      the suites whose CTest names match, ^(test|fuzz)_ if not given
#
# Prints a table of files and the total, then the functions that are never reached. build/coverage/lines.txt lists the lines
# that are never reached, build/coverage/lcov.info is for other tools. The addon's tests run in a copy of the sources, so that
# bindings/js/dist stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

toolchains/setup.sh native node sanitize
. toolchains/env.sh
suites="${1:-^(test|fuzz)_}"
jobs="$(nproc 2> /dev/null || echo 2)"
out="$PWD/build/coverage"
profiles="$out/profiles"
tree="$out/tree"

cmake --preset coverage > /dev/null
cmake --build --preset coverage -j "$jobs" --target stria_tests stria_napi > "$out/build.log" 2>&1 || {
    tail -n 50 "$out/build.log"
    exit 1
}

rm -rf "$profiles"
mkdir -p "$profiles"
# programs of one binary add their counters to one file
export LLVM_PROFILE_FILE="$profiles/%m.profraw"
ctest --preset coverage -j "$jobs" -R "$suites" -E '\.million$' -LE '^check$' > "$out/ctest.log" 2>&1 || {
    grep -vE 'Passed +[0-9.]+ sec$|^ +Start +[0-9]+:' "$out/ctest.log"
    exit 1
}

toolchains/package_tree.sh "$tree" "$out/stria.node"
(cd "$tree/bindings/js" && node scripts/build.mjs && node scripts/test.mjs native) > "$out/javascript.log" 2>&1 || {
    tail -n 100 "$out/javascript.log"
    exit 1
}

llvm-profdata merge -sparse -o "$out/merged.profdata" "$profiles"/*.profraw

objects=(-instr-profile "$out/merged.profdata" "$out/stria_tests" -object "$out/stria.node"
    -ignore-filename-regex='/tests/|/bench/|node_modules|\.def$')
llvm-cov report "${objects[@]}" --show-branch-summary --show-region-summary=false 2> /dev/null
llvm-cov export "${objects[@]}" -format=lcov 2> /dev/null | sed "s|^SF:.*/\\.\\./|SF:|; s|^SF:$PWD/|SF:|" > "$out/lcov.info"
# lines of the preprocessor between the parts of a function are no code
awk -F'[:,]' '/^SF:/ { file = $2; n = 0; while ((getline text < file) > 0) line[++n] = text; close(file) }
    /^DA:/ && $3 == 0 && line[$2] !~ /^[ \t]*#/ { print file ":" $2 }' "$out/lcov.info" > "$out/lines.txt"

# A function of a header is reached if it is in one of the objects that have it, one that a macro makes if any at its place is; static
# ones are named with their file.
echo
echo 'Functions that are never reached:'
awk -F'[:,]' '/^SF:/ { file = $2 } /^FN:/ { place[file ": " $NF] = file ":" $2 } /^FNDA:/ { count[place[file ": " $NF]] += $2 }
    END { for (k in place) if (count[place[k]] == 0) print "  " k }' "$out/lcov.info" | sort
echo
echo "$(wc -l < "$out/lines.txt") lines are never reached: build/coverage/lines.txt"
