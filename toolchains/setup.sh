#!/usr/bin/env bash
# setup.sh - makes the tools of the named components available; silent where nothing is missing.
#
#     toolchains/setup.sh native node wasm
#
#   native      C and C++ compilers, CMake 3.25, Ninja           the library and its tests
#   node        Node.js 20 or newer, npm packages of bindings/js the JavaScript binding, wasm tests
#   wasm        Emscripten 3.1.58 or newer                       the three WebAssembly modules
#   browser     Chromium                                         browser tests
#   demo        the chart library of the demo from npm           make demo, browser tests
#   bundlers    five bundlers from npm                           the package as they build it
#   runtimes    Node 20, 22 and 24, Deno and Bun from npm        the package in each
#   arm64       cross compiler and emulator                      the NEON build and its tests
#   sanitize    clang and its run-time libraries                 ASan, UBSan, TSan
#   mlir        MLIR and LLVM 19: programs, libraries            graphs as machine code: toolchains/mlir.sh, libstria_mlir
#   wabt        wasm2wat                                     docs/compiler.md, tested
#   mpfr        MPFR                                             accuracy tests
#   simde       portable AVX-512 intrinsics                      the AVX-512 vocabulary on machines without AVX-512
#   format      clang-format 14                                  make format, the format check
#   bench       native and JavaScript peers, as far as they come make bench
#   cuda-check  says whether nvcc is there; never installs it    the CUDA plug-in
#
# What is on PATH comes first. Otherwise Debian 12's packages are installed (as root or by sudo); other downloads go to
# ~/.cache/stria, or to STRIA_TOOLCHAIN_DIR. `. toolchains/env.sh` then puts those on PATH.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$here/common.sh"
. "$here/env.sh"

compiles() { # compiler, program text, option ..
    local compiler="$1" text="$2"
    shift 2
    have "$compiler" && printf '%s\n' "$text" | "$compiler" -x c - -o /dev/null "$@" > /dev/null 2>&1
}

setup_native() {
    need_programs "a C compiler" "cc nm" gcc libc6-dev binutils
    compiles cc '#include <stdio.h>
                 int main(void) { return 0; }' || need_packages "the C library's headers" libc6-dev
    need_programs "CUDA's sources on the host, tested" c++ g++
    need_programs "the build system" "cmake ninja" cmake ninja-build
    at_least 3.25 "$(cmake --version | sed -n '1s/[^0-9]*//p')" || fail "CMake 3.25 or newer is needed on PATH"
    need_programs "compiled objects, kept" ccache ccache
    need_programs "how C programs find the library, tested" pkg-config pkg-config
}

setup_node() {
    "$here/node.sh"
    . "$here/env.sh"
    npm_packages bindings/js
}

npm_packages() { # folder with a package-lock.json
    local folder="$here/../$1" stamp="$here/../$1/node_modules/.stria-lock.json"
    [ -e "$folder/package-lock.json" ] || return 0
    cmp -s "$folder/package-lock.json" "$stamp" && return
    say "installing the npm packages of $1"
    # not `npm ci`, which refuses a lock without the optional binaries of every other platform
    (cd "$folder" && quietly "npm install in $1" npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$folder/package-lock.json" "$stamp"
}

setup_wasm() {
    setup_node
    "$here/emscripten.sh" > /dev/null
}

setup_browser() {
    local program
    for program in chromium chromium-browser google-chrome; do have "$program" && return; done
    need_packages "browser tests" chromium
}

setup_demo() {
    setup_node
    npm_packages web
}

setup_bundlers() {
    setup_node
    npm_packages tests/bundlers
}

setup_runtimes() {
    setup_node
    npm_packages tests/bundlers/runtimes
}

setup_arm64() {
    need_programs "the arm64 cross compiler" aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    need_programs "the arm64 emulator" qemu-aarch64-static qemu-user-static
}

setup_sanitize() {
    compiles clang 'int main(void) { return 0; }' -fsanitize=address,undefined ||
        need_packages "sanitizers" clang libclang-rt-14-dev llvm
}

# a quarter of a minute, 50 MB; the libraries 34 MB more, 424 MB on disk
setup_mlir() {
    [ "$("$here/mlir.sh" --find 2> /dev/null)" != "" ] || need_packages "MLIR" mlir-19-tools clang-19
    if is_debian_12; then need_packages "MLIR's libraries" libmlir-19-dev; fi
}

setup_wabt() { need_programs "WebAssembly as text" wasm2wat wabt; }

setup_mpfr() {
    compiles cc '#include <stdio.h>
                 #include <mpfr.h>
                 int main(void) { return 0; }' -lmpfr -lgmp ||
        need_packages "reference values of the accuracy tests" libmpfr-dev libgmp-dev
}

setup_simde() {
    compiles cc '#include <simde/simde-common.h>
                 int main(void) { return 0; }' ||
        need_packages "AVX-512 intrinsics for machines without AVX-512" libsimde-dev
}

setup_format() { need_programs "formatting of C" clang-format-14 clang-format-14; }

# A peer that cannot be had is no failure: the benchmark names it as absent.
setup_bench() {
    local package why="native peers of the benchmark"
    local peers=(g++ python3-numpy python3-torch libtorch-dev libeigen3-dev libxtensor-dev libxsimd-dev libdnnl-dev libopenblas-dev)
    setup_native
    setup_node
    (need_packages "$why" "${peers[@]}") || for package in "${peers[@]}"; do
        (need_packages "$why" "$package") || say "the benchmark does without $package"
    done
    (npm_packages bench) || say "the benchmark does without its npm packages"
}

setup_cuda_check() {
    if have nvcc; then
        need_programs "the host compiler of nvcc" g++ g++
        say "CUDA: $(command -v nvcc)"
    else
        say "CUDA: no nvcc on PATH or in /usr/local/cuda/bin, so the plug-in is left out"
    fi
}

if [ $# = 0 ]; then
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
    exit 2
fi
for component in "$@"; do
    declare -F "setup_${component//-/_}" > /dev/null || fail "no component '$component'; without arguments this lists them"
    "setup_${component//-/_}"
done
