#!/usr/bin/env bash
# test.sh - `make test`: builds and tests every target, one section each; goes on after a failure, and ends with one line
# per section: seconds, and those of all cores together. Each runner's own summary lines stand in its section, which is printed
# whole when it ends: sections that leave cores idle run beside those that do not.
#
#     toolchains/test.sh [section ..]
#
# STRIA_FULL=1 is `make test-all`: every suite on every target, and sections that take long. CONTRIBUTING.md has the plan.
# STRIA_REQUIRE=1 turns a section that cannot run here (no nvcc) into a failure, and so a suite that is skipped for want of an
# instruction set that the machine has (tests/native/isa.h).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs="$(nproc 2> /dev/null || echo 2)"
known=() names=() beside=()
declare -A titles
# what the sections that run beside others need (setup.sh)
declare -A components=([format]="format node" [wasm]="native wasm" [arm64]="native arm64" [sanitize]="native sanitize" [threads]="native sanitize")
log_dir="$PWD/build/test"
rm -rf "$log_dir"
mkdir -p "$log_dir"

# One section at a time installs, as package managers do
setup() {
    flock "$log_dir/setup.lock" toolchains/setup.sh "$@" || return 1
    . toolchains/env.sh
}

# Configures and builds a preset, silent if all goes well.
build() { # preset, cmake --build argument ..
    local preset="$1" log="$log_dir/$1.log" all=()
    shift
    # under an emulator tests look at NEON's loops: native runs have seen what the rest computes
    [ "$preset" != arm64 ] || all=(-DSTRIA_CORE_UNTIMED=ON)
    # in the full product ThreadSanitizer sees the threads of kernels, too
    [ "$preset" != tsan ] || all=(-DSTRIA_BUILD_CUDA_HOST="${STRIA_CUDA_THREADS:-OFF}")
    [ -z "${STRIA_FULL:-}" ] || all=(-DSTRIA_ONLY_ISAS= -DSTRIA_TEST_PLAN=full -DSTRIA_CORE_UNTIMED=OFF)
    { cmake --preset "$preset" "${all[@]}" && cmake --build --preset "$preset" -j "$jobs" "$@" -- -k 0; } > "$log" 2>&1 || {
        sed -n '/^FAILED:\|^CMake Error\|^ninja: error\|: fatal\|^stria:/,$p' "$log" | head -n 100
        return 1
    }
}

# Every test of a preset: its summary and what was skipped; if one fails, all that the failing ones said.
run_ctest() { # preset, ctest argument ..
    local preset="$1" log="$log_dir/$1.ctest.log" left_out='^(check|all)$'
    shift
    [ -z "${STRIA_FULL:-}" ] || left_out='^check$'
    if ctest --preset "$preset" --no-tests=error -j "$jobs" -LE "$left_out" "$@" > "$log" 2>&1; then
        sed -n '/tests passed,/,$p' "$log" | grep -v '^$'
    else
        grep -vE 'Passed +[0-9.]+ sec$|^ +Start +[0-9]+:' "$log"
        return 1
    fi
}

test_native() {
    setup native node mpfr simde mlir wabt && build native && run_ctest native
}
test_sanitize() {
    setup ${components[sanitize]} && build asan && run_ctest asan
}
# in full mode, too: where nothing shares memory, ThreadSanitizer sees nothing
test_threads() {
    setup ${components[threads]} && STRIA_CUDA_THREADS="${STRIA_FULL:+ON}" STRIA_FULL= build tsan && STRIA_FULL= run_ctest tsan
}
test_arm64() {
    setup ${components[arm64]} && build arm64 && run_ctest arm64
}
test_wasm() {
    local variant builds=() failed=0
    setup ${components[wasm]} || return 1
    # side by side, as the end of each is one program on one core; of the third, ccache has most objects from the second
    for variant in simd threads; do
        build "wasm-$variant" &
        builds+=($!)
    done
    wait "${builds[-1]}" && build wasm-relaxed || failed=1
    for variant in "${builds[@]}"; do wait "$variant" || failed=1; done
    [ $failed = 0 ] || return 1
    for variant in simd threads relaxed; do
        echo "-- wasm-$variant"
        run_ctest "wasm-$variant" || return 1
    done
}
test_javascript() {
    local files
    setup native wasm && make --no-print-directory js && (cd bindings/js && npm run --silent test) || return 1
    # whole programs against the package
    mapfile -t files < <(ls tests/js/*.test.mjs 2> /dev/null | grep -v browser)
    [ ${#files[@]} = 0 ] || node --test --test-concurrency="$jobs" "${files[@]}"
}
test_browser() {
    local files
    mapfile -t files < <(ls tests/js/*browser*.test.mjs tests/browser/*.test.mjs 2> /dev/null)
    [ ${#files[@]} -gt 0 ] || return 77
    setup native wasm browser demo && make --no-print-directory js && node web/setup.mjs && node --test --test-concurrency="$jobs" "${files[@]}"
}
test_bundlers() {
    setup native wasm browser bundlers || return 1
    [ -z "${STRIA_FULL:-}" ] || setup runtimes || return 1
    make --no-print-directory js && node --test --test-concurrency=1 tests/bundlers/*.test.mjs
}
test_cuda() {
    local preset=cuda device=""
    . toolchains/env.sh
    ls src/cuda/*.cu > /dev/null 2>&1 || return 77
    command -v nvcc > /dev/null || return 77
    ! nvidia-smi -L > /dev/null 2>&1 || device=1
    # machine code takes ten times as long as PTX, and finds nothing that PTX does not where nothing runs it
    [ -n "${STRIA_FULL:-}$device" ] || preset=cuda-check
    # of all architectures, whatever was asked for before
    setup native cuda-check && { [ $preset != cuda ] || cmake --preset cuda -USTRIA_CUDA_ARCHITECTURES > /dev/null; } &&
        build $preset --target stria_cuda bench_cuda_peers && ls -l build/$preset/libstria_cuda.so || return 1
    if [ -z "$device" ]; then
        echo "skipped: no device, so the plug-in was compiled and not run"
        return 0
    fi
    build cuda --target stria_tests && ctest --preset cuda -R '^test_cuda' && cuda_sanitizer && cuda_javascript
}
# The suites once more under compute-sanitizer, a fourth of their cases.
cuda_sanitizer() {
    local tool suite sanitizer
    sanitizer="$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2> /dev/null)" || {
        echo "skipped: no compute-sanitizer"
        return 0
    }
    for suite in $(build/cuda/stria_tests | grep '^test_cuda' | grep -v '^test_cuda_host$'); do
        for tool in memcheck racecheck synccheck; do
            STRIA_CUDA_CASES=4 STRIA_CUDA_PLUGIN="$PWD/build/cuda/libstria_cuda.so" "$sanitizer" --tool $tool --error-exitcode 9 \
                build/cuda/stria_tests "$suite" > "$log_dir/$suite.$tool.log" 2>&1 || {
                tail -n 60 "$log_dir/$suite.$tool.log"
                return 1
            }
        done
    done
    echo "compute-sanitizer: clean"
}
# Tensors on the device from Node, and the example server.
cuda_javascript() {
    export STRIA_CUDA_PLUGIN="$PWD/build/cuda/libstria_cuda.so"
    setup node && build native --target stria_napi && (cd bindings/js && npm run --silent build &&
        node node_modules/typescript/bin/tsc -p ../../tests/js && STRIA_TEST_BACKEND=native node --expose-gc --test build/tests/cuda.test.js) &&
        node --test tests/js/server.test.mjs
}
test_generated() {
    setup native node && build native --target stria_opdump && build/native/stria_opdump > build/native/ops.json &&
        (cd bindings/js && npm run --silent generate -- ../../build/native/ops.json --check) && echo "generated files are up to date"
}
test_format() {
    setup ${components[format]} && toolchains/format.sh --check
}

test_openmp() {
    local way
    setup native || return 1
    for way in openmp serial; do
        echo "-- $way"
        build "$way" --target stria_tests && run_ctest "$way" -L '^threads$' || return 1
    done
}
test_fuzz() {
    make --no-print-directory fuzz COUNT=1000000 VALUES=1000000 TIME=120
}
test_addon-asan() {
    toolchains/addon_asan.sh
}
test_coverage() {
    toolchains/coverage.sh
}
test_mutations() {
    setup native node && make --no-print-directory js && build native && node tools/mutate.mjs --count=100 --require=90 --resume
}

section() { # name, title
    known+=("$1")
    [ ${#wanted[@]} = 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]] || return 0
    names+=("$1")
    titles[$1]="$2"
}

# Sets core_seconds to those that the programs run by this shell have taken on all cores.
count_core_seconds() { # name of a file
    local time own
    core_seconds=0
    times > "$log_dir/$1.times"
    { read -r own && read -r -a own; } < "$log_dir/$1.times"
    for time in "${own[@]}"; do
        time=${time%[.,]*}
        core_seconds=$((core_seconds + 60 * ${time%m*} + ${time#*m}))
    done
}

# Runs one section and prints it; in a shell of its own, whose programs are those of the section.
run_section() ( # name
    begin=$SECONDS
    "test_$1" > "$log_dir/$1.txt" 2>&1
    case $? in
    0) result=passed ;;
    77) result='skipped (not possible here)' ;;
    *) result=FAILED ;;
    esac
    if [ -n "${STRIA_REQUIRE:-}" ] && [[ $result == skipped* ]]; then
        result='FAILED (not possible here, but required)'
    fi
    seconds=$((SECONDS - begin))
    count_core_seconds "$1"
    echo "$seconds $core_seconds $result" > "$log_dir/$1.result"
    exec 9> "$log_dir/print.lock"
    flock 9
    printf '\n=== %s: %s\n' "$1" "${titles[$1]}"
    cat "$log_dir/$1.txt"
    printf -- '--- %s: %s, %d s (%d core seconds)\n' "$1" "$result" "$seconds" "$core_seconds"
)

# Runs those of the sections that are wanted, one after another.
run_sections() { # name ..
    local name
    for name in "$@"; do
        [ -z "${titles[$name]:-}" ] || run_section "$name"
    done
}

# Runs a function beside what follows, in a process group of its own, which ends with this program.
run_beside() { # function
    set -m
    "$1" &
    beside+=($!)
    set +m
}
end_beside() {
    local group
    for group in "${beside[@]}"; do kill -- "-$group" 2> /dev/null; done
}
trap end_beside EXIT
trap 'exit 130' INT TERM

wanted=("$@")
section format "formatting of all sources"
section native "C on this machine, each instruction set forced in turn"
section sanitize "the same under AddressSanitizer and UndefinedBehaviorSanitizer"
section threads "the same under ThreadSanitizer"
section arm64 "C on arm64 under emulation"
section wasm "C as WebAssembly in Node: simd, threads, relaxed"
section generated "generated files are as the op table makes them"
section javascript "the JavaScript package on the native addon and on WebAssembly"
section browser "the package and the demo in Chromium"
section bundlers "the packed package as bundlers build it, in Chromium; in full mode in other runtimes too"
section cuda "the CUDA plug-in compiles"
if [ -n "${STRIA_FULL:-}" ]; then
    section fuzz "random iterators and ops by the million, bytes under libFuzzer"
    section openmp "suites that use threads, on those of OpenMP, and without threads of the library"
    section addon-asan "the JavaScript tests on the addon under AddressSanitizer and UndefinedBehaviorSanitizer"
    section coverage "lines and branches of src/ that the tests reach"
    section mutations "a hundred small slips in the sources, nine of ten noticed"
fi

for name in "${wanted[@]}"; do
    [ -n "${titles[$name]:-}" ] || {
        echo "stria: no section '$name'; there are: ${known[*]}" >&2
        exit 2
    }
done

# Two rows of sections side by side, so that no core waits for the last program of one: a linker, the longest suite. What builds in the
# same directories is in one row, but for WebAssembly's, which JavaScript waits for.
run_row_beside() {
    run_sections format wasm arm64 sanitize threads
}
wait_for() { # name
    while [ -n "${titles[$1]:-}" ] && [ ! -e "$log_dir/$1.result" ] && kill -0 "${beside[@]}" 2> /dev/null; do sleep 1; done
}
# Whoever installs may have to ask for a password, which what runs beside cannot. Sections report what fails
beside_needs=()
for name in "${names[@]}"; do beside_needs+=(${components[$name]:-}); done
[ ${#beside_needs[@]} = 0 ] || setup "${beside_needs[@]}" || true
run_beside run_row_beside
run_sections native generated
wait_for wasm
run_sections javascript browser bundlers cuda
wait "${beside[@]}"
beside=()
run_sections fuzz openmp addon-asan coverage mutations

passed=0 failed=0 skipped=0
printf '\n=== summary: passed, failed and skipped targets\n'
for name in "${names[@]}"; do
    read -r seconds core_seconds result < "$log_dir/$name.result" || seconds=0 core_seconds=0 result='FAILED (has no result)'
    case $result in
    passed) passed=$((passed + 1)) ;;
    skipped*) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
    printf '%-12s %4d s %5d core s  %s\n' "$name" "$seconds" "$core_seconds" "$result"
done
printf '\n%d passed, %d failed, %d skipped\n' $passed $failed $skipped
[ $failed = 0 ] && [ $passed -gt 0 ]
