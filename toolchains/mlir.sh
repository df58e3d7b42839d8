#!/usr/bin/env bash
# mlir.sh - machine code from the text of a graph (stria_mlir.h), or the check that MLIR accepts it.
#
#     toolchains/mlir.sh graph.mlir               mlir-opt reads and verifies the module
#     toolchains/mlir.sh graph.mlir graph.so      and a shared library is made of it
#     toolchains/mlir.sh graph.mlir graph.ll      or LLVM's text
#     toolchains/mlir.sh --find                   the folder of the programs
#
# mlir-opt, mlir-translate and clang of one LLVM: those of STRIA_LLVM (a folder of programs), of PATH, or Debian's
# llvm-19. Exit status 77 where they are absent. STRIA_MLIR_CFLAGS are options of clang in place of -O3 -march=native.
set -euo pipefail

find_llvm() {
    local folder
    for folder in "${STRIA_LLVM:-}" "$(dirname "$(command -v mlir-opt || echo /)")" /usr/lib/llvm-19/bin; do
        [ -x "$folder/mlir-opt" ] && [ -x "$folder/mlir-translate" ] && [ -x "$folder/clang" ] || continue
        echo "$folder"
        return
    done
    echo "mlir-opt, mlir-translate and clang are not here; toolchains/setup.sh mlir installs them" >&2
    exit 77
}

# From linalg, affine and memref down to llvm, level by level. Pointers are passed bare: one argument for a buffer.
sources="$(dirname "${BASH_SOURCE[0]}")/../src/mlir"
products="transform-preload-library{transform-library-paths=$sources/products.mlir},transform-interpreter"
passes="builtin.module($products,$(paste -sd, "$sources/passes.txt"))"

llvm="$(find_llvm)"
text="$1"
if [ "$text" = --find ]; then
    echo "$llvm"
    exit
fi
if [ $# = 1 ]; then
    "$llvm/mlir-opt" "$text" -o /dev/null
    exit
fi
out="$2"
ll="${out%.*}.ll"
"$llvm/mlir-opt" --pass-pipeline="$passes" "$text" -o - | "$llvm/mlir-translate" --mlir-to-llvmir -o "$ll"
[ "$ll" = "$out" ] && exit
read -ra flags <<< "${STRIA_MLIR_CFLAGS:--O3 -march=native}"
# nothing is contracted: products of matrices say themselves what they fuse
"$llvm/clang" "${flags[@]}" -ffp-contract=off -Wno-override-module -shared -fPIC "$ll" -lm -o "$out"
