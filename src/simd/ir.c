/* ir.c - recording of tapes (ir.h): the rows of ops.def compiled against vec_ir.h, and a recorder behind its words that
 * keeps one instruction of equal ones and drops those without use. */
#include "ir.h"

#include <stdio.h>

#if defined(STRIA_IR_SHORT)
#include "ir_short.h"
#define IR_ROW static inline
#else
#define STRIA_IR_HAS(name) true
#define IR_ROW static __attribute__((noinline))
#endif
static _Thread_local stria_ir_value ir_asked; /* the mask of the last question whether a lane is true */
#include "vec_ir.h"
#include "vec_math.h"
#include "quick.h"

#define STRIA_PER_LANE_TYPE "ir_lanes.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

enum { LANES, MASK };
static const struct {
    uint8_t arity, gives;
} ir_words[STRIA_IR_WORD_COUNT] = {
#define WORD(name, arity, gives, summary) {arity, gives},
#include "table/words.def"
};

/* ---------------------------------------------------------------- the recorder */

static _Thread_local stria_ir_recorder *ir_current;

static uint32_t ir_hash(const stria_ir_instruction *i)
{
    uint64_t h = i->bits;
    h = (h ^ i->word) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ (uint8_t)i->dtype) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; k++) h = (h ^ (h >> 31) ^ i->operand[k]) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 40);
}

static bool ir_equal(const stria_ir_instruction *a, const stria_ir_instruction *b)
{
    return a->word == b->word && a->dtype == b->dtype && a->bits == b->bits && a->operand[0] == b->operand[0] &&
           a->operand[1] == b->operand[1] && a->operand[2] == b->operand[2];
}

stria_ir_value stria_ir_append(stria_ir_word word, stria_dtype dtype, stria_ir_value a, stria_ir_value b,
                               stria_ir_value c, uint64_t bits)
{
    stria_ir_recorder   *r = ir_current;
    const uint32_t       last = (uint32_t)STRIA_IR_BUCKETS(r->most) - 1;
    const stria_ir_value operands[3] = {a, b, c};
    stria_ir_instruction i = {(uint8_t)word, (int8_t)dtype, {0, 0, 0}, bits};
    stria_ir_value       value = {0};

    for (int k = 0; k < ir_words[word].arity; k++) i.operand[k] = (uint16_t)operands[k].number;
    uint32_t at = ir_hash(&i) & last;
    for (; r->bucket[at] != 0; at = (at + 1) & last) {
        value.number = r->bucket[at] - 1;
        if (ir_equal(&r->code[value.number], &i)) return value;
    }
    if (r->count == r->most) {
        r->overflow = true;
        value.number = 0;
        return value;
    }
    value.number = r->count++;
    r->code[value.number] = i;
    r->bucket[at] = (uint16_t)(value.number + 1);
    return value;
}

void stria_ir_begin(stria_ir_recorder *recorder) { ir_current = recorder; }

bool stria_ir_end(void)
{
    const stria_ir_recorder *r = ir_current;

    ir_current = NULL;
    return !r->overflow;
}

/* Keeps what the result needs, in order; the result becomes the last instruction. */
static void ir_drop_unused(stria_ir_tape *tape, int result)
{
    uint16_t *moved = tape->room; /* first 1 if used, then the new number */
    int       count = 0;

    memset(moved, 0, sizeof tape->room);
    moved[result] = 1;
    for (int n = result; n >= 0; n--) {
        const stria_ir_instruction *i = &tape->code[n];
        for (int k = 0; moved[n] && k < ir_words[i->word].arity; k++) moved[i->operand[k]] = 1;
    }
    for (int n = 0; n <= result; n++) {
        if (!moved[n]) continue;
        stria_ir_instruction i = tape->code[n];
        for (int k = 0; k < ir_words[i.word].arity; k++) i.operand[k] = moved[i.operand[k]];
        moved[n] = (uint16_t)count;
        tape->code[count++] = i;
    }
    tape->count = count;
}

/* Appends a row to the recorder's instructions; false if there is none for the dtype. */
typedef bool ir_append(int row, stria_dtype dtype, const stria_ir_value in[STRIA_MAX_INPUTS], stria_ir_value *out);

static bool ir_append_row(int row, stria_dtype dtype, const stria_ir_value in[STRIA_MAX_INPUTS], stria_ir_value *out)
{
    switch (dtype) {
#define IR_CASE(dtype, type) \
    case dtype:              \
        return STRIA_CAT3(append_row, _, type)(row, in[0], in[1], in[2], out);
#define STRIA_PER_LANE_TYPE "ir_table.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
#undef IR_CASE
    default: return false;
    }
}

static bool ir_record(ir_append *append, int row, int n_inputs, bool first_is_mask, stria_dtype dtype,
                      stria_ir_tape *tape)
{
    stria_ir_recorder recorder = {.code = tape->code, .bucket = tape->room, .most = STRIA_IR_MAX};
    stria_ir_value    input[STRIA_MAX_INPUTS] = {{0}}, none = {0}, result = {0};

    tape->count = 0;
    memset(tape->room, 0, sizeof tape->room);
    stria_ir_begin(&recorder);
    for (int k = 0; k < n_inputs; k++) {
        const bool is_mask = first_is_mask && k == 0;
        input[k] = stria_ir_append(is_mask ? STRIA_IR_input_mask : STRIA_IR_input, is_mask ? STRIA_BOOL : dtype, none,
                                   none, none, (uint64_t)k);
    }
    const bool made = append(row, dtype, input, &result);
    if (!stria_ir_end() || !made) return false;
    tape->count = recorder.count;
    ir_drop_unused(tape, result.number);
    return true;
}

/* ---------------------------------------------------------------- public */

bool stria_ir_record(stria_op op, stria_dtype dtype, stria_ir_tape *tape)
{
    enum { COMMON, FLOAT, BOOL, SELECT };
    static const struct {
        uint8_t arity, result;
    } rows[STRIA_OP_COUNT] = {
#define STRIA_OP(set, name, arity, result, lanes, summary) {arity, result},
#include "table/ops.def"
    };
    tape->count = 0;
    if (op < 0 || op >= STRIA_OP_COUNT) return false;
    return ir_record(ir_append_row, (int)op, rows[op].arity, rows[op].result == SELECT, dtype, tape);
}

bool stria_ir_append_row(stria_op op, stria_dtype dtype, const stria_ir_value in[STRIA_MAX_INPUTS], stria_ir_value *out)
{
    return ir_append_row((int)op, dtype, in, out);
}

#if !defined(STRIA_IR_SHORT)
static bool ir_append_combine(int row, stria_dtype dtype, const stria_ir_value in[STRIA_MAX_INPUTS],
                              stria_ir_value *out)
{
    switch (dtype) {
#define IR_CASE(dtype, type) \
    case dtype:              \
        return STRIA_CAT3(append_combine, _, type)(row, in[0], in[1], in[2], out);
#define STRIA_PER_LANE_TYPE "ir_table.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
#undef IR_CASE
    default: return false;
    }
}

static bool ir_append_either(int row, stria_dtype dtype, stria_ir_value in, bool is_far, stria_ir_value *out)
{
    switch (dtype) {
#define IR_CASE(dtype, type) \
    case dtype:              \
        return STRIA_CAT3(append_quick, _, type)(row, in, is_far, out);
#define STRIA_PER_LANE_TYPE "ir_table.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
#undef IR_CASE
    default: return false;
    }
}

static bool ir_append_quick(int row, stria_dtype dtype, const stria_ir_value in[STRIA_MAX_INPUTS], stria_ir_value *out)
{
    return ir_append_either(row, dtype, in[0], false, out);
}

static bool ir_append_far(int row, stria_dtype dtype, const stria_ir_value in[STRIA_MAX_INPUTS], stria_ir_value *out)
{
    return ir_append_either(row, dtype, in[0], true, out);
}

bool stria_ir_record_quick(stria_op op, stria_dtype dtype, stria_ir_tape *tape)
{
    return ir_record(ir_append_quick, (int)op, 1, false, dtype, tape);
}

bool stria_ir_record_far(stria_op op, stria_dtype dtype, stria_ir_tape *tape)
{
    return ir_record(ir_append_far, (int)op, 1, false, dtype, tape);
}

bool stria_ir_record_reduction(stria_reduction reduction, stria_dtype dtype, stria_ir_tape *tape)
{
    return ir_record(ir_append_combine, (int)reduction, 2, false, dtype, tape);
}
#endif

int stria_ir_word_get_arity(stria_ir_word word) { return ir_words[word].arity; }

const char *stria_ir_word_get_name(stria_ir_word word)
{
    static const char *const names[STRIA_IR_WORD_COUNT] = {
#define WORD(name, arity, gives, summary) #name,
#include "table/words.def"
    };
    return names[word];
}

bool stria_ir_word_is_mask(stria_ir_word word) { return ir_words[word].gives == MASK; }

bool stria_ir_instruction_is_mask(const stria_ir_tape *tape, int number)
{
    return stria_ir_word_is_mask((stria_ir_word)tape->code[number].word);
}

char *stria_ir_print(const stria_ir_tape *tape, int number, char *text, size_t size)
{
    const stria_ir_instruction *i = &tape->code[number];
    const stria_ir_word         word = (stria_ir_word)i->word;
    int                         at = snprintf(text, size, "%%%d = %s.%s", number, stria_ir_word_get_name(word),
                                              stria_dtype_get_name((stria_dtype)i->dtype));
    for (int k = 0; k < ir_words[word].arity && at >= 0 && (size_t)at < size; k++)
        at += snprintf(text + at, size - (size_t)at, " %%%d", i->operand[k]);
    if ((ir_words[word].arity == 0 || i->bits) && at >= 0 && (size_t)at < size)
        snprintf(text + at, size - (size_t)at, " 0x%llx", (unsigned long long)i->bits);
    return text;
}
