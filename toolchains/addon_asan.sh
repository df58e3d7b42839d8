#!/usr/bin/env bash
# addon_asan.sh - the JavaScript tests on the Node addon under AddressSanitizer and UndefinedBehaviorSanitizer.
#
#     toolchains/addon_asan.sh
#
# Node itself is not instrumented: the sanitizers' run-time library is preloaded, so its allocations are watched, its own
# accesses are not. Leaks are not looked for: Node itself frees little at its end, and memory() counts tensors.
# STRIA_SEED and STRIA_CALLS choose the run of hostile.test.ts. Any report is printed and is a failure, also one from a
# process that a test started. The tests run in a copy of the sources, so that bindings/js/dist stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

toolchains/setup.sh native node sanitize
. toolchains/env.sh
. toolchains/common.sh
jobs="$(nproc 2> /dev/null || echo 2)"
out="$PWD/build/asan-napi"
tree="$out/tree"
reports="$out/reports"

mkdir -p "$out"
{ cmake --preset asan-napi && cmake --build --preset asan-napi -j "$jobs" --target stria_napi; } > "$out/build.log" 2>&1 || {
    tail -n 50 "$out/build.log"
    exit 1
}
runtime="$(clang -print-file-name="libclang_rt.asan-$(uname -m).so")"
[ -e "$runtime" ] || fail "missing: clang's run-time library $runtime"

rm -rf "$reports"
mkdir -p "$reports"
toolchains/package_tree.sh "$tree" "$out/stria.node"
(cd "$tree/bindings/js" && node scripts/build.mjs --require=native) > "$out/package.log" 2>&1 || {
    tail -n 50 "$out/package.log"
    exit 1
}

# a request for more memory than there is must fail as it does without sanitizers
common="allocator_may_return_null=1:log_path=$reports/report"
status=0
(
    cd "$tree/bindings/js"
    export ASAN_OPTIONS="detect_leaks=0:$common" UBSAN_OPTIONS="print_stacktrace=1:$common"
    export STRIA_TEST_SANITIZED=1 # tests/js/support.ts
    LD_PRELOAD="$runtime" node scripts/test.mjs native
) || status=1
# memory that was refused is no error: the tests ask for it
found=0
for report in "$reports"/*; do
    [ -e "$report" ] && grep -qv 'WARNING: AddressSanitizer failed to allocate' "$report" || continue
    status=1 found=$((found + 1))
    [ $found -gt 5 ] || head -n 60 "$report"
done
[ $found = 0 ] || echo "$found processes ended with a report: build/asan-napi/reports"
exit $status
