/* ir.c - recording of tapes (ir.h): the rows of ops.def compiled against vec_ir.h, and a recorder behind its words that
 * keeps one instruction of equal ones and drops those without use. */
#include "ir.h"

#include <stdio.h>

#include "vec_ir.h"
#include "vec_math.h"

#define STRIA_PER_LANE_TYPE "ir_lanes.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

typedef stria_ir_value stria_ir_row(stria_ir_value a, stria_ir_value b, stria_ir_value c);

static const struct {
    stria_ir_row *op[STRIA_OP_COUNT][STRIA_DTYPE_COUNT];
    stria_ir_row *reduction[STRIA_RED_COUNT][STRIA_DTYPE_COUNT];
} ir_rows = {
#define STRIA_PER_LANE_TYPE "ir_table.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
};

enum { LANES, MASK };
static const struct {
    const char *name;
    int         arity, gives;
} ir_words[STRIA_IR_WORD_COUNT] = {
#define WORD(name, arity, gives, summary) {#name, arity, gives},
#include "table/words.def"
};

/* ---------------------------------------------------------------- the recorder */

#define IR_BUCKETS (2 * STRIA_IR_MAX) /* a power of two */

typedef struct ir_recorder {
    stria_ir_tape *tape;
    bool           overflow;
    uint16_t      *bucket; /* [IR_BUCKETS] 1 + number of an instruction, by hash; 0: empty */
} ir_recorder;

static _Thread_local ir_recorder *ir_current;

static uint32_t ir_hash(const stria_ir_instruction *i)
{
    uint64_t h = i->bits;
    h = (h ^ i->word) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ (uint8_t)i->dtype) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; k++) h = (h ^ (h >> 31) ^ i->operand[k]) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 40) & (IR_BUCKETS - 1);
}

static bool ir_equal(const stria_ir_instruction *a, const stria_ir_instruction *b)
{
    return a->word == b->word && a->dtype == b->dtype && a->bits == b->bits && a->operand[0] == b->operand[0] &&
           a->operand[1] == b->operand[1] && a->operand[2] == b->operand[2];
}

stria_ir_value stria_ir_append(stria_ir_word word, stria_dtype dtype, stria_ir_value a, stria_ir_value b,
                               stria_ir_value c, uint64_t bits)
{
    ir_recorder         *r = ir_current;
    const stria_ir_value operands[3] = {a, b, c};
    stria_ir_instruction i = {(uint8_t)word, (int8_t)dtype, {0, 0, 0}, bits};
    stria_ir_value       value = {0};

    for (int k = 0; k < ir_words[word].arity; k++) i.operand[k] = (uint16_t)operands[k].number;
    uint32_t at = ir_hash(&i);
    for (; r->bucket[at] != 0; at = (at + 1) & (IR_BUCKETS - 1)) {
        value.number = r->bucket[at] - 1;
        if (ir_equal(&r->tape->code[value.number], &i)) return value;
    }
    if (r->tape->count == STRIA_IR_MAX) {
        r->overflow = true;
        value.number = 0;
        return value;
    }
    value.number = r->tape->count++;
    r->tape->code[value.number] = i;
    r->bucket[at] = (uint16_t)(value.number + 1);
    return value;
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

static bool ir_record(stria_ir_row *row, int n_inputs, bool first_is_mask, stria_dtype dtype, stria_ir_tape *tape)
{
    ir_recorder    recorder = {.tape = tape, .bucket = tape->room};
    stria_ir_value input[STRIA_MAX_INPUTS] = {{0}}, none = {0}, result;

    tape->count = 0;
    if (!row) return false;
    memset(tape->room, 0, sizeof tape->room);
    ir_current = &recorder;
    for (int k = 0; k < n_inputs; k++) {
        const bool is_mask = first_is_mask && k == 0;
        input[k] = stria_ir_append(is_mask ? STRIA_IR_input_mask : STRIA_IR_input, is_mask ? STRIA_BOOL : dtype, none,
                                   none, none, (uint64_t)k);
    }
    result = row(input[0], input[1], input[2]);
    ir_current = NULL;
    if (recorder.overflow) {
        tape->count = 0;
        return false;
    }
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
    if (op < 0 || op >= STRIA_OP_COUNT || dtype < 0 || dtype >= STRIA_DTYPE_COUNT) return false;
    return ir_record(ir_rows.op[op][dtype], rows[op].arity, rows[op].result == SELECT, dtype, tape);
}

bool stria_ir_record_reduction(stria_reduction reduction, stria_dtype dtype, stria_ir_tape *tape)
{
    tape->count = 0;
    if (reduction < 0 || reduction >= STRIA_RED_COUNT || dtype < 0 || dtype >= STRIA_DTYPE_COUNT) return false;
    return ir_record(ir_rows.reduction[reduction][dtype], 2, false, dtype, tape);
}

int stria_ir_word_get_arity(stria_ir_word word) { return ir_words[word].arity; }

const char *stria_ir_word_get_name(stria_ir_word word) { return ir_words[word].name; }

bool stria_ir_instruction_is_mask(const stria_ir_tape *tape, int number)
{
    return ir_words[tape->code[number].word].gives == MASK;
}

char *stria_ir_print(const stria_ir_tape *tape, int number, char *text, size_t size)
{
    const stria_ir_instruction *i = &tape->code[number];
    const stria_ir_word         word = (stria_ir_word)i->word;
    int                         at =
        snprintf(text, size, "%%%d = %s.%s", number, ir_words[word].name, stria_dtype_get_name((stria_dtype)i->dtype));
    for (int k = 0; k < ir_words[word].arity && at >= 0 && (size_t)at < size; k++)
        at += snprintf(text + at, size - (size_t)at, " %%%d", i->operand[k]);
    if ((ir_words[word].arity == 0 || i->bits) && at >= 0 && (size_t)at < size)
        snprintf(text + at, size - (size_t)at, " 0x%llx", (unsigned long long)i->bits);
    return text;
}
