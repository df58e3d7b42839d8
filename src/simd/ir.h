/* ir.h - tapes: what the lane expression of a row of ops.def computes, as a list of words. Internal.
 *
 * A tape is in SSA form: an instruction is one word of words.def on operands that come before it; its number is the number of
 * its result. Functions of vec_math.h are recorded as the words they are made of. A tape is made by compiling the row
 * against vec_ir.h, whose words append instead of computing, so the loops and the tapes come from the same text. */
#ifndef STRIA_IR_H
#define STRIA_IR_H

#include "stria.h"

typedef enum stria_ir_word {
#define WORD(name, arity, gives, summary) STRIA_IR_##name,
#include "table/words.def"
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
    uint16_t             room[2 * STRIA_IR_MAX]; /* buckets of the recorder */
} stria_ir_tape;

/* Fills tape with the row for lanes of a compute dtype. False, and an empty tape, where the row has no such loop or is too
 * long. For a reduction: the combining step of inputs 0 (so far) and 1 (next). */
bool stria_ir_record(stria_op op, stria_dtype dtype, stria_ir_tape *tape);
bool stria_ir_record_reduction(stria_reduction reduction, stria_dtype dtype, stria_ir_tape *tape);
/* The quick form of a row (quick.h), which is right where no lane of input 0 is far, and the mask of those that are. False: there is none. */
bool stria_ir_record_quick(stria_op op, stria_dtype dtype, stria_ir_tape *tape);
bool stria_ir_record_far(stria_op op, stria_dtype dtype, stria_ir_tape *tape);

int         stria_ir_word_get_arity(stria_ir_word word);
const char *stria_ir_word_get_name(stria_ir_word word);
/* Whether a word, or an instruction, gives a mask rather than lanes. */
bool stria_ir_word_is_mask(stria_ir_word word);
bool stria_ir_instruction_is_mask(const stria_ir_tape *tape, int number);

/* One instruction as text, e.g. "%3 = add.f32 %1 %2", into text; returns text. */
char *stria_ir_print(const stria_ir_tape *tape, int number, char *text, size_t size);

/* ---------------------------------------------------------------- tapes of several rows
 *
 * Between begin and end, what this thread appends goes to the recorder's instructions; an instruction that is there already is not
 * repeated. Once there is no room for another one, results mean nothing and end gives false. */

#define STRIA_IR_BUCKETS(most) (2 * (most))

typedef struct stria_ir_recorder {
    stria_ir_instruction *code;   /* [most] */
    uint16_t             *bucket; /* [STRIA_IR_BUCKETS(most)], all 0 */
    int                   most;   /* a power of two, at most STRIA_IR_MAX */
    int                   count;
    bool                  overflow;
} stria_ir_recorder;

/* A result on the tape being recorded by this thread. */
typedef struct stria_ir_value {
    int number;
} stria_ir_value;

void           stria_ir_begin(stria_ir_recorder *recorder);
bool           stria_ir_end(void);
stria_ir_value stria_ir_append(stria_ir_word word, stria_dtype dtype, stria_ir_value a, stria_ir_value b,
                               stria_ir_value c, uint64_t bits);
/* The words of a row for lanes of a compute dtype. False where it has no such loop. */
bool stria_ir_append_row(stria_op op, stria_dtype dtype, const stria_ir_value in[STRIA_MAX_INPUTS],
                         stria_ir_value *out);

#endif
