/* ir.h - tapes: what the lane expression of a row of ops.def computes, as a list of words. Internal.
 *
 * A tape is in SSA form: an instruction is one word of vec.h on operands that come before it; its number is the number of
 * its result. Functions of vec_math.h are recorded as the words they are made of. A tape is made by compiling the row
 * against vec_ir.h, whose words append instead of computing, so the loops and the tapes come from the same text. */
#ifndef STRIA_IR_H
#define STRIA_IR_H

#include "stria.h"

/* Words and their numbers of operands. A mask is a result of its own kind, of no dtype; the dtype of an instruction is that
 * of the lanes its word works on (STRIA_F64 for w64 too).
 *
 *   input, input_mask   input number `bits` of the op; input_mask: true where the bool is not 0
 *   set                 the constant `bits`
 *   shl, shr            by `bits`
 *   fmod                vec_divide.h, of floats
 *   widen, narrow       f32 to f64, f64 to f32 (dtype: of the operand)
 *   bits, frombits, toint, fromint   between the float dtype and the integer one of its width
 *   reinterpret         an integer of the width of dtype as dtype
 *   angle_quadrant, angle_hi, angle_lo   the three results of vec_reduce_angle.h */
/* clang-format off */
#define STRIA_IR_WORDS(WORD) \
    WORD(input, 0) WORD(input_mask, 0) WORD(set, 0) WORD(add, 2) WORD(sub, 2) WORD(mul, 2) WORD(div, 2) \
    WORD(min, 2) WORD(max, 2) WORD(copysign, 2) WORD(and, 2) WORD(or, 2) WORD(xor, 2) WORD(not, 1) WORD(shl, 1) \
    WORD(shr, 1) WORD(quot, 2) WORD(shift_left, 2) WORD(shift_right, 2) WORD(fmod, 2) \
    WORD(neg, 1) WORD(abs, 1) WORD(sign, 1) WORD(sqrt, 1) WORD(floor, 1) WORD(ceil, 1) \
    WORD(trunc, 1) WORD(rint, 1) WORD(eq, 2) WORD(ne, 2) WORD(lt, 2) WORD(le, 2) WORD(isinf, 1) \
    WORD(isfinite, 1) WORD(mask_and, 2) WORD(mask_or, 2) WORD(mask_xor, 2) WORD(mask_not, 1) WORD(select, 3) \
    WORD(bits, 1) WORD(frombits, 1) WORD(toint, 1) WORD(fromint, 1) WORD(reinterpret, 1) WORD(widen, 1) \
    WORD(narrow, 1) WORD(angle_quadrant, 1) WORD(angle_hi, 1) WORD(angle_lo, 1)
/* clang-format on */

typedef enum stria_ir_word {
#define STRIA_IR_WORD(name, arity) STRIA_IR_##name,
    STRIA_IR_WORDS(STRIA_IR_WORD)
#undef STRIA_IR_WORD
        STRIA_IR_WORD_COUNT
} stria_ir_word;

/* Instructions of the longest tape. */
#define STRIA_IR_MAX 8192

typedef struct stria_ir_instruction {
    uint8_t  word;       /* stria_ir_word */
    int8_t   dtype;      /* stria_dtype */
    uint16_t operand[3]; /* numbers of earlier instructions; 0 beyond the word's arity */
    uint64_t bits;       /* constant, in its lowest bytes; shift count; number of an input; else 0 */
} stria_ir_instruction;

/* The result is that of the last instruction. No two instructions are equal, none is without use. */
typedef struct stria_ir_tape {
    int                  count;
    stria_ir_instruction code[STRIA_IR_MAX];
} stria_ir_tape;

/* Fills tape with the row for lanes of a compute dtype. False, and an empty tape, where the row has no such loop or is too
 * long. For a reduction: the combining step of inputs 0 (so far) and 1 (next). */
bool stria_ir_record(stria_op op, stria_dtype dtype, stria_ir_tape *tape);
bool stria_ir_record_reduction(stria_reduction reduction, stria_dtype dtype, stria_ir_tape *tape);

int         stria_ir_word_get_arity(stria_ir_word word);
const char *stria_ir_word_get_name(stria_ir_word word);
/* Whether an instruction gives a mask rather than lanes. */
bool stria_ir_instruction_is_mask(const stria_ir_tape *tape, int number);

/* One instruction as text, e.g. "%3 = add.f32 %1 %2", into text; returns text. */
char *stria_ir_print(const stria_ir_tape *tape, int number, char *text, size_t size);

/* ---------------------------------------------------------------- for vec_ir.h */

/* A result on the tape being recorded by this thread. */
typedef struct stria_ir_value {
    int number;
} stria_ir_value;
stria_ir_value stria_ir_append(stria_ir_word word, stria_dtype dtype, stria_ir_value a, stria_ir_value b,
                               stria_ir_value c, uint64_t bits);

#endif
