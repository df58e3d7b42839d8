/* program.h - the words of a lowered expression, first as its rows have them, then as WebAssembly has them. Internal. */
#ifndef STRIA_WASM_PROGRAM_H
#define STRIA_WASM_PROGRAM_H

#include "cpu/expression.h"
#include "ir.h"
#include "wasm/encode.h"

#define PROGRAM_MOST 512

/* Instructions in SSA form, words of words.def. A value is `lanes` elements: lanes of a dtype, or a mask, which is as wide as the
 * lanes that it was made of. bool lanes are masks. Four lanes of 64 bits take two vectors. */
typedef struct stria_program {
    int                  lanes; /* 4, or 2 where all dtypes have 64 bits */
    int                  n_operands, n_out, count;
    int                  out[STRIA_EXPRESSION_MAX_OUTPUTS];
    stria_ir_instruction code[PROGRAM_MOST];
    bool                 is_mask[PROGRAM_MOST], is_wide[PROGRAM_MOST]; /* two vectors, lower lanes first */
} stria_program;

/* False: it has a dtype or a word without a counterpart, or too many. program.c */
bool stria_program_make(const stria_lowering *lowering, stria_program *program);

#endif
