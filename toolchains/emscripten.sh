#!/usr/bin/env bash
# emscripten.sh - makes Emscripten of at least 3.1.58 available (older ones lack relaxed SIMD as it was standardised).
#
# An emcc on PATH that is new enough is used as it is. Otherwise, on Debian 12, Emscripten and Binaryen of the next Debian
# release are unpacked into the cache (nothing of that release is installed) and run on Debian 12's own LLVM 19.
# Prints the setting that activates it, for `env $(toolchains/emscripten.sh) command`.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$here/common.sh"

readonly WANTED=3.1.58
readonly RECIPE=1 # raise it to have existing installations made anew
readonly ROOT="$STRIA_CACHE/emscripten"
readonly EMSCRIPTEN="$ROOT/root/usr/share/emscripten"

if have emcc && [ "$(command -v emcc)" != "$ROOT/bin/emcc" ] &&
    at_least "$WANTED" "$(emcc --version | sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p')"; then
    echo "PATH=$PATH"
    exit 0
fi
exit_if_ready() {
    [ -e "$ROOT/ready" ] && [ "$(cat "$ROOT/ready")" = "$RECIPE" ] && have clang-19 || return 0
    echo "PATH=$ROOT/bin:${PATH//"$ROOT/bin:"/}"
    exit 0
}
exit_if_ready
is_debian_12 || fail "Emscripten $WANTED or newer is needed for WebAssembly. Install the emsdk and activate it: its emcc on PATH is used."

need_packages "LLVM 19, the compiler under Emscripten" clang-19 lld-19 llvm-19 python3
mkdir -p "$STRIA_CACHE"
exec 9> "$STRIA_CACHE/emscripten.lock"
flock 9
exit_if_ready

say "unpacking Emscripten into $ROOT (WebAssembly; about 400 MB, a minute)"
rm -rf "$ROOT"
mkdir -p "$ROOT"/{apt/lists/partial,apt/cache/archives/partial,apt/sources.list.d,apt/trusted,root,bin,binaryen/bin}

# apt sources of the next release: the system's own, suite replaced. One-line and deb822 forms; entries of the Debian
# archive only, which are those with exactly the suite bookworm.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$list" ] || continue
    sed -n 's/^\(deb .*\) bookworm \(.*\)$/\1 trixie \2/p' "$list"
done > "$ROOT/apt/sources.list.d/next.list"
for list in /etc/apt/sources.list.d/*.sources; do
    [ -e "$list" ] || continue
    awk 'BEGIN { RS = ""; FS = "\n" }
         /(^|\n)Suites:([^\n]*[ \t])?bookworm([ \t\n]|$)/ {
             for (i = 1; i <= NF; i++)
                 if ($i ~ /^Suites:/) print "Suites: trixie"
                 else if ($i ~ /^Components:/) print "Components: main"
                 else if ($i !~ /^#/) print $i
             print ""
         }' "$list"
done > "$ROOT/apt/sources.list.d/next.sources"
[ -s "$ROOT/apt/sources.list.d/next.list" ] || [ -s "$ROOT/apt/sources.list.d/next.sources" ] ||
    fail "found no entry for bookworm in /etc/apt to take the next release's from; or install the emsdk"

apt_next() {
    apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$ROOT/apt/sources.list.d" \
        -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
        -o Dir::State::Lists="$ROOT/apt/lists" -o Dir::Cache="$ROOT/apt/cache" -o APT::Sandbox::User=root "$@"
}
quietly "reading the next release's package lists" apt_next update
cd "$ROOT/apt/cache"
quietly "downloading Emscripten" apt_next download emscripten binaryen libc6 libstdc++6 libgcc-s1
for archive in ./*.deb; do dpkg -x "$archive" "$ROOT/root"; done
rm -rf "$EMSCRIPTEN"/cache/sysroot/lib/wasm32-emscripten/{lto,lto-pic,pic,*-emu*,libwasmfs*,*-asan*} # 1.2 GB unused here
cd "$ROOT"

# Binaryen's programs run on the C library that they were built for
loader="$(find "$ROOT/root" -name 'ld-linux-*.so.*' | head -n 1)"
libraries="$(dirname "$(find "$ROOT/root" -name libc.so.6 | head -n 1)"):$(dirname "$(find "$ROOT/root" -name libstdc++.so.6 | head -n 1)")"
for program in "$ROOT"/root/usr/bin/wasm*; do
    [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
    name="$(basename "$program")"
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$libraries" "$program" > "binaryen/bin/$name"
    chmod +x "binaryen/bin/$name"
done

# emcc finds this file beside itself, so no environment variable is needed. The package brings the system libraries.
cat > "$EMSCRIPTEN/.emscripten" << CONFIG
LLVM_ROOT = '/usr/lib/llvm-19/bin'
BINARYEN_ROOT = '$ROOT/binaryen'
NODE_JS = '$(command -v node)'
CACHE = '$EMSCRIPTEN/cache'
FROZEN_CACHE = True
CONFIG
(cd "$EMSCRIPTEN" && quietly "installing the JavaScript parser that emcc uses" \
    npm install --no-save --no-audit --no-fund --omit=dev --ignore-scripts acorn)
for tool in emcc em++ emar emranlib emcmake emnm emstrip em-config; do
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$EMSCRIPTEN/$tool" > "bin/$tool"
    chmod +x "bin/$tool"
done

# Programs that use what stria uses
mkdir try
cat > try/try.c << 'TRY'
#include <pthread.h>
#include <stdio.h>
#include <wasm_simd128.h>
static void *seven(void *x)
{
    v128_t v = wasm_i32x4_splat(6);
#ifdef __wasm_relaxed_simd__
    v = wasm_i32x4_relaxed_laneselect(v, wasm_i32x4_splat(0), wasm_i32x4_splat(-1));
#endif
    *(int *)x = wasm_i32x4_extract_lane(v, 3) + 1;
    return x;
}
int main(void)
{
    int x = 0;
#ifdef __EMSCRIPTEN_PTHREADS__
    pthread_t thread;
    if (pthread_create(&thread, NULL, seven, &x) || pthread_join(thread, NULL)) return 1;
#else
    seven(&x);
#endif
    printf("%d\n", x);
    return 0;
}
TRY
try() { # what, node option or '', flags ..
    local what="$1" option="$2"
    shift 2
    quietly "compiling with Emscripten: $what" "$ROOT/bin/emcc" -O2 "$@" try/try.c -o try/try.js
    # shellcheck disable=SC2086
    [ "$(node $option try/try.js)" = 7 ] || fail "Emscripten compiled a wrong program: $what"
}
relaxed=
node --experimental-wasm-relaxed-simd -e 0 2> /dev/null && relaxed=--experimental-wasm-relaxed-simd
try "SIMD" "" -msimd128
try "SIMD and threads" "" -msimd128 -pthread -sPTHREAD_POOL_SIZE=2
try "relaxed SIMD and threads" "$relaxed" -msimd128 -mrelaxed-simd -pthread -sPTHREAD_POOL_SIZE=2
rm -rf apt try
echo "$RECIPE" > ready
exit_if_ready
