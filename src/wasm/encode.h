/* encode.h - a lowered expression as a WebAssembly module: its words (src/simd/ir.h), then their bytes. Internal.
 *
 * The module imports a memory, "m" "m", and exports one function, "f", of the address of stria_code_operand[n_operands] and of a
 * number of groups, at least 1. It computes `lanes` elements of each operand for each group. All inputs of a group are read before
 * its results are written. */
#ifndef STRIA_WASM_ENCODE_H
#define STRIA_WASM_ENCODE_H

#include "cpu/expression.h"

/* What every browser compiles at once, on a page's own thread. */
#define STRIA_CODE_BYTES 4096
#define STRIA_CODE_OPERANDS 16

typedef struct stria_code_operand {
    uint32_t at;   /* address of the first element */
    uint32_t step; /* bytes from a group to the next */
} stria_code_operand;

typedef struct stria_module {
    int     lanes;
    int     nbytes;
    uint8_t bytes[STRIA_CODE_BYTES];
} stria_module;

/* Whether there is such a module: not where a step has a dtype or a word that is not encoded, nor where the bytes do not suffice, or
 * memory. */
bool stria_module_encode(const stria_lowering *lowering, bool is_shared, stria_module *module);

#endif
