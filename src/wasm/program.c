/* program.c - from the steps of a lowering to words, and from these to those that WebAssembly has instructions for. */
#include "wasm/program.h"

#include <string.h>

#include "base/alloc.h"
#include "table/rows.h"

typedef stria_ir_value value;

typedef struct maker {
    stria_program       *p;
    stria_ir_recorder    recorder;
    bool                 failed;
    value                result[STRIA_EXPRESSION_MAX_OUTPUTS];
    stria_ir_instruction words[PROGRAM_MOST]; /* of the rows */
    uint16_t             bucket[2][STRIA_IR_BUCKETS(PROGRAM_MOST)];
} maker;

static value append(maker *m, stria_ir_word word, stria_dtype dtype, value a, value b, value c, uint64_t bits)
{
    const value v = stria_ir_append(word, dtype, a, b, c, bits);

    m->failed |= m->recorder.overflow;
    return v;
}

static const value nothing = {0};

/* ---------------------------------------------------------------- the words of the rows */

static bool is_lane(stria_dtype dtype)
{
    return dtype == STRIA_F32 || dtype == STRIA_F64 || dtype == STRIA_I32 || dtype == STRIA_BOOL;
}

/* How many lanes; 0: a dtype has no code, or all are bool. */
static int choose_lanes(const stria_lowering *l)
{
    bool has[STRIA_DTYPE_COUNT] = {false};

    for (int k = 0; k < l->n_operands; k++) has[l->operands[k].lane] = true;
    for (int i = 0; i < l->n_steps; i++) has[l->steps[i].dtype] = has[l->steps[i].compute] = true;
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        if (has[d] && !is_lane((stria_dtype)d)) return 0;
    return has[STRIA_F32] || has[STRIA_I32] ? 4 : has[STRIA_F64] ? 2 : 0;
}

static uint64_t get_one(stria_dtype dtype)
{
    return dtype == STRIA_F32 ? 0x3f800000u : dtype == STRIA_F64 ? 0x3ff0000000000000u : 1;
}

static value set(maker *m, stria_dtype dtype, uint64_t bits)
{
    return append(m, STRIA_IR_set, dtype, nothing, nothing, nothing, bits);
}

static value cast(maker *m, stria_dtype from, stria_dtype to, value x)
{
    if (from == to) return x;
    if (to == STRIA_BOOL) return append(m, STRIA_IR_ne, from, x, set(m, from, 0), nothing, 0);
    if (from == STRIA_BOOL) return append(m, STRIA_IR_select, to, x, set(m, to, get_one(to)), set(m, to, 0), 0);
    if (to == STRIA_F64) return append(m, STRIA_IR_widen, from, x, nothing, nothing, 0);
    if (to == STRIA_F32)
        return append(m, from == STRIA_F64 ? STRIA_IR_narrow : STRIA_IR_fromint, from == STRIA_F64 ? from : to, x,
                      nothing, nothing, 0);
    m->failed |= from != STRIA_F32;
    return append(m, STRIA_IR_saturate, from, x, nothing, nothing, 0);
}

static value get_input(maker *m, const stria_step *s, int k, const value *operands, const value *slots)
{
    const bool is_mask = s->loop != NULL && k == 0 && stria_op_infos[s->op].result == STRIA_RESULT_SELECT;
    uint64_t   bits = 0;

    if (s->in[k].kind == STRIA_PLACE_OPERAND) return operands[s->in[k].index];
    if (s->in[k].kind == STRIA_PLACE_SLOT) return slots[s->in[k].index];
    const stria_dtype dtype = is_mask ? STRIA_BOOL : s->compute;
    memcpy(&bits, s->constant[s->in[k].index], stria_dtype_sizes[dtype]);
    return set(m, dtype, bits);
}

static void append_steps(maker *m, const stria_lowering *l, value *operands, value *slots)
{
    for (int i = 0; i < l->n_steps && !m->failed; i++) {
        const stria_step *s = &l->steps[i];
        value             in[STRIA_MAX_INPUTS] = {{0}}, out = {0};
        for (int k = 0; k < s->n_in; k++) in[k] = get_input(m, s, k, operands, slots);
        if (s->cast != NULL)
            out = cast(m, s->compute, s->dtype, in[0]);
        else if (!stria_ir_append_row(s->op, s->compute, in, &out))
            m->failed = true;
        m->failed |= m->recorder.overflow;
        *(s->out.kind == STRIA_PLACE_SLOT ? &slots[s->out.index] : &operands[s->out.index]) = out;
    }
}

static void begin(maker *m, stria_ir_instruction *code, int which)
{
    m->recorder = (stria_ir_recorder){.code = code, .bucket = m->bucket[which], .most = PROGRAM_MOST};
    stria_ir_begin(&m->recorder);
}

static int record(maker *m, const stria_lowering *l)
{
    value operands[STRIA_CODE_OPERANDS] = {{0}}, slots[PROGRAM_MOST] = {{0}};

    begin(m, m->words, 0);
    for (int k = l->n_out; k < l->n_operands; k++)
        operands[k] = append(m, STRIA_IR_input, l->operands[k].lane, nothing, nothing, nothing, (uint64_t)k);
    append_steps(m, l, operands, slots);
    for (int k = 0; k < l->n_out; k++) m->result[k] = operands[k];
    m->failed |= !stria_ir_end();
    return m->recorder.count;
}

/* ---------------------------------------------------------------- the words of WebAssembly */

static bool is_float(int dtype) { return dtype == STRIA_F32 || dtype == STRIA_F64; }

static value put(maker *m, stria_ir_word word, stria_dtype dtype, value a, value b, value c, uint64_t bits,
                 bool is_wide)
{
    const value v = append(m, word, dtype, a, b, c, bits);

    if (m->failed) return nothing;
    m->p->is_wide[v.number] = is_wide;
    m->p->is_mask[v.number] = dtype == STRIA_BOOL || stria_ir_word_is_mask(word);
    return v;
}

/* The instruction being put: its dtype, and whether that takes two vectors. */
typedef struct place {
    maker      *m;
    stria_dtype dtype;
    bool        is_wide;
} place;

static value put_set(const place *at, uint64_t bits)
{
    return put(at->m, STRIA_IR_set, at->dtype, nothing, nothing, nothing, bits, at->is_wide);
}

static value put_1(const place *at, stria_ir_word word, value a)
{
    return put(at->m, word, at->dtype, a, nothing, nothing, 0, at->is_wide);
}

static value put_2(const place *at, stria_ir_word word, value a, value b)
{
    return put(at->m, word, at->dtype, a, b, nothing, 0, at->is_wide);
}

/* A mask as wide as the lanes that it is for. */
static value fit(const place *at, value mask)
{
    const stria_program *p = at->m->p;

    if (at->m->failed || !p->is_mask[mask.number] || p->is_wide[mask.number] == at->is_wide) return mask;
    return put(at->m, at->is_wide ? STRIA_IR_widen_mask : STRIA_IR_narrow_mask, STRIA_BOOL, mask, nothing, nothing, 0,
               at->is_wide);
}

static value put_select(const place *at, value mask, value a, value b)
{
    const stria_ir_instruction *m = &at->m->p->code[mask.number];

    if (m->word == STRIA_IR_lt && m->dtype == at->dtype && is_float(at->dtype)) {
        if (m->operand[0] == b.number && m->operand[1] == a.number) return put_2(at, STRIA_IR_pmax, b, a);
        if (m->operand[0] == a.number && m->operand[1] == b.number) return put_2(at, STRIA_IR_pmin, b, a);
    }
    return put(at->m, STRIA_IR_select, at->dtype, fit(at, mask), a, b, 0, at->is_wide);
}

/* bool lanes, which are masks. */
static value put_bool(const place *at, const stria_ir_instruction *i, value a, value b, value c)
{
    static const uint8_t same[STRIA_IR_WORD_COUNT] = {
        [STRIA_IR_add] = STRIA_IR_mask_or,      [STRIA_IR_or] = STRIA_IR_mask_or,
        [STRIA_IR_max] = STRIA_IR_mask_or,      [STRIA_IR_mul] = STRIA_IR_mask_and,
        [STRIA_IR_and] = STRIA_IR_mask_and,     [STRIA_IR_min] = STRIA_IR_mask_and,
        [STRIA_IR_xor] = STRIA_IR_mask_xor,     [STRIA_IR_ne] = STRIA_IR_mask_xor,
        [STRIA_IR_mask_or] = STRIA_IR_mask_or,  [STRIA_IR_mask_and] = STRIA_IR_mask_and,
        [STRIA_IR_mask_xor] = STRIA_IR_mask_xor};

    a = fit(at, a);
    b = fit(at, b);
    if (same[i->word]) return put_2(at, (stria_ir_word)same[i->word], a, b);
    switch (i->word) {
    case STRIA_IR_input: return put(at->m, STRIA_IR_input_mask, at->dtype, nothing, nothing, nothing, i->bits, false);
    case STRIA_IR_set: return put_set(at, i->bits ? ~(uint64_t)0 : 0);
    case STRIA_IR_sign: return a;
    case STRIA_IR_not:
    case STRIA_IR_mask_not: return put_1(at, STRIA_IR_mask_not, a);
    case STRIA_IR_isinf: return put_set(at, 0);
    case STRIA_IR_isfinite: return put_set(at, ~(uint64_t)0);
    case STRIA_IR_eq: return put_1(at, STRIA_IR_mask_not, put_2(at, STRIA_IR_mask_xor, a, b));
    case STRIA_IR_lt: return put_2(at, STRIA_IR_mask_and, put_1(at, STRIA_IR_mask_not, a), b);
    case STRIA_IR_le: return put_2(at, STRIA_IR_mask_or, put_1(at, STRIA_IR_mask_not, a), b);
    case STRIA_IR_select: return put(at->m, STRIA_IR_select, at->dtype, a, b, fit(at, c), 0, false);
    default: at->m->failed = true; return nothing;
    }
}

static uint64_t get_top(stria_dtype dtype) { return dtype == STRIA_F32 ? (uint64_t)1 << 31 : (uint64_t)1 << 63; }

/* By a constant: engines make one for their own instruction each time. */
static value put_abs(const place *at, value a)
{
    return put_2(&(place){at->m, STRIA_I64, at->is_wide}, STRIA_IR_and, a, put_set(at, get_top(at->dtype) - 1));
}

/* Floats: words without an instruction. */
static value put_float(const place *at, const stria_ir_instruction *i, value a, value b)
{
    const place    integers = {at->m, STRIA_I64, at->is_wide};
    const uint64_t infinity = at->dtype == STRIA_F32 ? 0x7f800000u : 0x7ff0000000000000u;
    const uint64_t magic = 0x4338000000000000u; /* 1.5 * 2^52, vec_generic.h */

    switch (i->word) {
    case STRIA_IR_neg: return put_2(&integers, STRIA_IR_xor, a, put_set(at, get_top(at->dtype)));
    case STRIA_IR_abs: return put_abs(at, a);
    case STRIA_IR_isinf: return put_2(at, STRIA_IR_eq, put_abs(at, a), put_set(at, infinity));
    case STRIA_IR_isfinite: return put_2(at, STRIA_IR_lt, put_abs(at, a), put_set(at, infinity));
    case STRIA_IR_copysign: return put_select(at, put_set(at, get_top(at->dtype)), b, a);
    case STRIA_IR_sign:
        return put_select(at, put_2(at, STRIA_IR_lt, put_set(at, 0), put_abs(at, a)),
                          put_select(at, put_set(at, get_top(at->dtype)), a, put_set(at, get_one(at->dtype))), a);
    case STRIA_IR_toint:
        if (at->dtype == STRIA_F32) return put_1(at, STRIA_IR_toint, a);
        return put_2(&integers, STRIA_IR_sub, put_2(at, STRIA_IR_add, a, put_set(at, magic)), put_set(at, magic));
    case STRIA_IR_fromint:
        if (at->dtype == STRIA_F32) return put_1(at, STRIA_IR_fromint, a);
        return put_2(at, STRIA_IR_sub, put_2(&integers, STRIA_IR_add, a, put_set(at, magic)), put_set(at, magic));
    default: return put(at->m, (stria_ir_word)i->word, at->dtype, a, b, nothing, i->bits, at->is_wide);
    }
}

static value put_integer(const place *at, const stria_ir_instruction *i, value a, value b)
{
    switch (i->word) {
    case STRIA_IR_floor:
    case STRIA_IR_ceil:
    case STRIA_IR_trunc:
    case STRIA_IR_rint: return a;
    case STRIA_IR_sign:
        return put_2(at, STRIA_IR_max, put_2(at, STRIA_IR_min, a, put_set(at, 1)), put_set(at, ~(uint64_t)0));
    case STRIA_IR_isinf: return put_2(at, STRIA_IR_ne, a, a);
    case STRIA_IR_isfinite: return put_2(at, STRIA_IR_eq, a, a);
    default: return put(at->m, (stria_ir_word)i->word, at->dtype, a, b, nothing, i->bits, at->is_wide);
    }
}

static value put_instruction(maker *m, const stria_ir_instruction *i, value a, value b, value c)
{
    const place at = {m, (stria_dtype)i->dtype, m->p->lanes == 4 && stria_dtype_sizes[i->dtype] == 8};

    if (m->p->lanes == 2 && stria_dtype_sizes[i->dtype] == 4) m->failed = true;
    if (m->failed) return nothing;
    switch (i->word) {
    case STRIA_IR_bits:
    case STRIA_IR_frombits:
    case STRIA_IR_reinterpret: return a;
    case STRIA_IR_widen: return put(m, STRIA_IR_widen, at.dtype, a, nothing, nothing, 0, true);
    case STRIA_IR_narrow: return put(m, STRIA_IR_narrow, at.dtype, a, nothing, nothing, 0, false);
    }
    if (i->dtype == STRIA_BOOL) return put_bool(&at, i, a, b, c);
    if (i->word == STRIA_IR_select) return put_select(&at, a, b, c);
    if (i->word >= STRIA_IR_mask_and && i->word <= STRIA_IR_mask_not) {
        a = fit(&at, a);
        b = fit(&at, b);
    }
    return is_float(i->dtype) ? put_float(&at, i, a, b) : put_integer(&at, i, a, b);
}

static void translate(maker *m, int n_words)
{
    value now[PROGRAM_MOST];

    now[0] = nothing; /* operands beyond the arity of the first word */
    begin(m, m->p->code, 1);
    for (int n = 0; n < n_words && !m->failed; n++) {
        const stria_ir_instruction *i = &m->words[n];
        now[n] = put_instruction(m, i, now[i->operand[0]], now[i->operand[1]], now[i->operand[2]]);
    }
    for (int k = 0; k < m->p->n_out && !m->failed; k++) {
        const place bytes = {m, STRIA_BOOL, false}; /* masks in memory */
        m->p->out[k] = fit(&bytes, now[m->result[k].number]).number;
    }
    m->failed |= !stria_ir_end();
    m->p->count = m->recorder.count;
}

bool stria_program_make(const stria_lowering *l, stria_program *program)
{
    program->lanes = choose_lanes(l);
    program->n_operands = l->n_operands;
    program->n_out = l->n_out;
    if (program->lanes == 0 || l->n_operands > STRIA_CODE_OPERANDS || l->n_slots > PROGRAM_MOST) return false;
    maker *m = stria_object_new(sizeof *m);
    if (m == NULL) return false;
    m->p = program;
    const int n_words = record(m, l);
    if (!m->failed) translate(m, n_words);
    const bool made = !m->failed;
    stria_object_release(m);
    return made;
}
