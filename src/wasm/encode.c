/* encode.c - from the words of an expression to the bytes of a module.
 *
 * A value that is used once is computed where it is used, on the stack of WebAssembly; others have locals, constants from before the
 * loop on. What only a select takes for where its mask is true stands in a branch, if it is long: it is skipped for groups
 * without such a lane, as the functions of vec_math.h skip what is rare.
 *
 * Binary format: WebAssembly Core Specification 2.0, chapter 5. */
#include "wasm/encode.h"

#include <string.h>

#include "base/alloc.h"
#include "wasm/program.h"

/* instructions */
enum {
    OP_BLOCK_EMPTY = 0x40,
    OP_LOOP = 0x03,
    OP_IF = 0x04,
    OP_END = 0x0b,
    OP_BR_IF = 0x0d,
    OP_GET = 0x20,
    OP_SET = 0x21,
    OP_TEE = 0x22,
    OP_I32_LOAD = 0x28,
    OP_I32_CONST = 0x41,
    OP_F32_CONST = 0x43,
    OP_F64_CONST = 0x44,
    OP_I32_ADD = 0x6a,
    OP_VECTOR = 0xfd
};
/* of those after OP_VECTOR */
enum {
    V_LOAD = 0x00,
    V_LOAD16_SPLAT = 0x08,
    V_STORE = 0x0b,
    V_SHUFFLE = 0x0d,
    V_SPLAT8 = 0x0f,
    V_SPLAT32 = 0x11,
    V_SPLAT_F32 = 0x13,
    V_SPLAT_F64 = 0x14,
    V_NE32 = 0x38,
    V_AND = 0x4e,
    V_OR = 0x50,
    V_SELECT = 0x52,
    V_ANY = 0x53,
    V_STORE16_LANE = 0x59,
    V_STORE32_LANE = 0x5a,
    V_LOAD32_ZERO = 0x5c,
    V_NARROW = 0x5e,
    V_WIDEN = 0x5f,
    V_NARROW_16 = 0x65,
    V_NARROW_32 = 0x85,
    V_EXTEND_8 = 0x89,
    V_EXTEND_16 = 0xa9,
    V_EXTEND_MASK = 0xc7, /* lower lanes; + 1: upper ones */
    V_EXTEND_32 = 0xc9,
    V_NE64 = 0xd7,
    V_WIDEN_I32 = 0xfe
};

/* The instruction of a word by the kind of its lanes; 0: none. Unsigned lanes have their own where it differs. */
enum { F32, F64, I32, I64, U32, U64, KIND_COUNT };
static const uint8_t instructions[STRIA_IR_WORD_COUNT][KIND_COUNT] = {
    [STRIA_IR_add] = {0xe4, 0xf0, 0xae, 0xce, 0xae, 0xce},
    [STRIA_IR_sub] = {0xe5, 0xf1, 0xb1, 0xd1, 0xb1, 0xd1},
    [STRIA_IR_mul] = {0xe6, 0xf2, 0xb5, 0xd5, 0xb5, 0xd5},
    [STRIA_IR_div] = {0xe7, 0xf3},
    [STRIA_IR_min] = {0xe8, 0xf4, 0xb6, 0, 0xb7, 0},
    [STRIA_IR_max] = {0xe9, 0xf5, 0xb8, 0, 0xb9, 0},
    [STRIA_IR_pmin] = {0xea, 0xf6},
    [STRIA_IR_pmax] = {0xeb, 0xf7},
    [STRIA_IR_neg] = {0, 0, 0xa1, 0xc1, 0xa1, 0xc1},
    [STRIA_IR_abs] = {0, 0, 0xa0, 0xc0},
    [STRIA_IR_sqrt] = {0xe3, 0xef},
    [STRIA_IR_floor] = {0x68, 0x75},
    [STRIA_IR_ceil] = {0x67, 0x74},
    [STRIA_IR_trunc] = {0x69, 0x7a},
    [STRIA_IR_rint] = {0x6a, 0x94},
    [STRIA_IR_and] = {0, 0, V_AND, V_AND, V_AND, V_AND},
    [STRIA_IR_or] = {0, 0, V_OR, V_OR, V_OR, V_OR},
    [STRIA_IR_xor] = {0, 0, 0x51, 0x51, 0x51, 0x51},
    [STRIA_IR_not] = {0, 0, 0x4d, 0x4d, 0x4d, 0x4d},
    [STRIA_IR_shl] = {0, 0, 0xab, 0xcb, 0xab, 0xcb},
    [STRIA_IR_shr] = {0, 0, 0xac, 0xcc, 0xad, 0xcd},
    [STRIA_IR_eq] = {0x41, 0x47, 0x37, 0xd6, 0x37, 0xd6},
    [STRIA_IR_ne] = {0x42, 0x48, V_NE32, V_NE64, V_NE32, V_NE64},
    [STRIA_IR_lt] = {0x43, 0x49, 0x39, 0xd8, 0x3a, 0},
    [STRIA_IR_le] = {0x45, 0x4b, 0x3d, 0xda, 0x3e, 0},
    [STRIA_IR_toint] = {0xf8},
    [STRIA_IR_saturate] = {0xf8},
    [STRIA_IR_fromint] = {0xfa},
};

static int get_kind(int dtype)
{
    switch (dtype) {
    case STRIA_F32: return F32;
    case STRIA_F64: return F64;
    case STRIA_I64: return I64;
    case STRIA_U32: return U32;
    case STRIA_U64: return U64;
    default: return I32;
    }
}

/* Words on masks, which have no lanes; 0: it is none. */
static uint8_t get_instruction(const stria_ir_instruction *i)
{
    switch (i->word) {
    case STRIA_IR_mask_and: return V_AND;
    case STRIA_IR_mask_or: return V_OR;
    case STRIA_IR_mask_xor: return 0x51;
    case STRIA_IR_mask_not: return 0x4d;
    default: return instructions[i->word][get_kind(i->dtype)];
    }
}

#define ROOT PROGRAM_MOST
/* Instructions that pay a branch */
#define LONG_BRANCH 12

typedef struct encoder {
    const stria_program *p;
    stria_module        *module;
    bool                 failed;
    int                  n_locals;               /* of vectors */
    uint16_t             branch[PROGRAM_MOST];   /* the select that it is in the branch of, or ROOT */
    bool                 branches[PROGRAM_MOST]; /* of a select: its first operand has a branch */
    uint16_t             uses[PROGRAM_MOST], cost[PROGRAM_MOST];
    int16_t              local[PROGRAM_MOST]; /* the first, or -1: computed where it is used, or not at all */
} encoder;

static const stria_ir_instruction *get(const encoder *e, int n) { return &e->p->code[n]; }
static int get_arity(const encoder *e, int n) { return stria_ir_word_get_arity((stria_ir_word)get(e, n)->word); }
static int get_parts(const encoder *e, int n) { return e->p->is_wide[n] ? 2 : 1; }

/* ---------------------------------------------------------------- what is computed where */

static bool is_leaf(const encoder *e, int n) { return get_arity(e, n) == 0; }

/* The innermost branch around both. A branch around another one is that of a later select. */
static int join(const encoder *e, int a, int b)
{
    while (a != b)
        if (a < b)
            a = e->branch[a];
        else
            b = e->branch[b];
    return a;
}

/* From the results back: uses, and the branch of each value, every select with one at first. */
static void find_branches(encoder *e)
{
    for (int k = 0; k < e->p->n_out; k++) {
        e->uses[e->p->out[k]]++;
        e->branch[e->p->out[k]] = ROOT;
    }
    for (int n = e->p->count - 1; n >= 0; n--) {
        const stria_ir_instruction *i = get(e, n);
        if (e->uses[n] == 0) continue;
        for (int k = 0; k < get_arity(e, n); k++) {
            const int a = i->operand[k], where = i->word == STRIA_IR_select && k == 1 ? n : e->branch[n];
            e->branch[a] = (uint16_t)(e->uses[a]++ == 0 ? where : join(e, e->branch[a], where));
        }
    }
}

/* Short branches are dissolved; inner ones first. */
static void choose_branches(encoder *e)
{
    for (int n = 0; n < e->p->count; n++) {
        if (e->uses[n] == 0 || is_leaf(e, n)) continue;
        if (get(e, n)->word == STRIA_IR_select && e->p->is_mask[get(e, n)->operand[0]]) {
            e->branches[n] = e->cost[n] >= LONG_BRANCH;
            if (e->branch[n] != ROOT) e->cost[e->branch[n]] = (uint16_t)(e->cost[e->branch[n]] + e->cost[n]);
        }
        if (e->branch[n] != ROOT) e->cost[e->branch[n]] = (uint16_t)(e->cost[e->branch[n]] + get_parts(e, n));
    }
    for (int n = e->p->count - 1; n >= 0; n--) {
        if (is_leaf(e, n)) e->branch[n] = ROOT; /* inputs are read first: a result may be written over one */
        while (e->uses[n] > 0 && e->branch[n] != ROOT && !e->branches[e->branch[n]])
            e->branch[n] = e->branch[e->branch[n]];
    }
}

/* Whether operand a of n is computed in its place there: once, and nowhere else. */
static bool is_nested(const encoder *e, int n, int k)
{
    const int a = get(e, n)->operand[k];

    if (e->uses[a] != 1 || is_leaf(e, a) || e->branches[a] || (e->branches[n] && k == 0)) return false;
    if (e->branch[a] != e->branch[n] && !(e->branches[n] && k == 1)) return false;
    return get_parts(e, a) >= get_parts(e, n);
}

static void assign_locals(encoder *e)
{
    for (int n = 0; n < e->p->count; n++) e->local[n] = (int16_t)(e->uses[n] > 0 ? 0 : -1);
    for (int n = 0; n < e->p->count; n++)
        for (int k = 0; k < get_arity(e, n) && e->uses[n] > 0; k++)
            if (is_nested(e, n, k)) e->local[get(e, n)->operand[k]] = -1;
    for (int n = 0; n < e->p->count; n++) {
        if (e->local[n] < 0) continue;
        e->local[n] = (int16_t)e->n_locals;
        e->n_locals += get_parts(e, n);
    }
}

/* ---------------------------------------------------------------- bytes */

static void put(encoder *e, int byte)
{
    if (e->module->nbytes < STRIA_CODE_BYTES)
        e->module->bytes[e->module->nbytes++] = (uint8_t)byte;
    else
        e->failed = true;
}

static void put_number(encoder *e, int x)
{
    for (; x > 0x7f; x >>= 7) put(e, x | 0x80);
    put(e, x);
}

static void put_bytes(encoder *e, const void *bytes, int n)
{
    for (int k = 0; k < n; k++) put(e, ((const uint8_t *)bytes)[k]);
}

static void put_vector(encoder *e, int instruction)
{
    put(e, OP_VECTOR);
    put_number(e, instruction);
}

static void put_local(encoder *e, int op, int local)
{
    put(e, op);
    put_number(e, local);
}

static void put_zero(encoder *e)
{
    put(e, OP_I32_CONST);
    put(e, 0);
    put_vector(e, V_SPLAT32);
}

/* A size of two bytes, known later. */
static int begin_size(encoder *e)
{
    put(e, 0);
    put(e, 0);
    return e->module->nbytes;
}

static void end_size(encoder *e, int begin)
{
    const int n = e->module->nbytes - begin;

    if (e->failed) return;
    e->module->bytes[begin - 2] = (uint8_t)(n & 0x7f) | 0x80;
    e->module->bytes[begin - 1] = (uint8_t)(n >> 7);
}

/* ---------------------------------------------------------------- values */

/* Locals: the two parameters, address and step of each operand, vectors. */
static int get_at(int operand) { return 2 + 2 * operand; }
static int get_vector(const encoder *e, int n, int part) { return 2 + 2 * e->p->n_operands + e->local[n] + part; }

static void put_instruction(encoder *e, int n, int part);

static void put_value(encoder *e, int n, int part)
{
    if (e->local[n] >= 0)
        put_local(e, OP_GET, get_vector(e, n, part));
    else
        put_instruction(e, n, part);
}

/* Bytes of two vectors in runs of four from the places given. */
static void put_shuffle(encoder *e, const uint8_t places[4])
{
    put_vector(e, V_SHUFFLE);
    for (int k = 0; k < 16; k++) put(e, places[k / 4] + k % 4);
}

static void put_narrow(encoder *e, int a, bool is_mask)
{
    for (int part = 0; part < 2; part++) {
        put_value(e, a, part);
        if (!is_mask) put_vector(e, V_NARROW);
    }
    put_shuffle(e, is_mask ? (const uint8_t[4]){0, 8, 16, 24} : (const uint8_t[4]){0, 4, 16, 20});
}

static void put_widen(encoder *e, const stria_ir_instruction *i, int part)
{
    put_value(e, i->operand[0], 0);
    if (part == 1) {
        put_zero(e);
        put_shuffle(e, (const uint8_t[4]){8, 12, 8, 12});
    }
    put_vector(e, i->dtype == STRIA_I32 ? V_WIDEN_I32 : V_WIDEN);
}

static void put_select(encoder *e, int n, int part)
{
    const stria_ir_instruction *i = get(e, n);

    put_value(e, i->operand[1], part);
    if (e->branches[n])
        put_local(e, OP_GET, get_vector(e, n, part));
    else
        put_value(e, i->operand[2], part);
    put_value(e, i->operand[0], e->p->is_wide[i->operand[0]] ? part : 0);
    put_vector(e, V_SELECT);
}

/* One vector of a value onto the stack. */
static void put_instruction(encoder *e, int n, int part)
{
    const stria_ir_instruction *i = get(e, n);
    const uint8_t               instruction = get_instruction(i);

    switch (i->word) {
    case STRIA_IR_select: put_select(e, n, part); return;
    case STRIA_IR_widen: put_widen(e, i, part); return;
    case STRIA_IR_narrow: put_narrow(e, i->operand[0], false); return;
    case STRIA_IR_narrow_mask: put_narrow(e, i->operand[0], true); return;
    case STRIA_IR_widen_mask:
        put_value(e, i->operand[0], 0);
        put_vector(e, V_EXTEND_MASK + part);
        return;
    }
    for (int k = 0; k < get_arity(e, n); k++) put_value(e, i->operand[k], part);
    if (i->word == STRIA_IR_shl || i->word == STRIA_IR_shr) {
        put(e, OP_I32_CONST);
        put(e, (int)i->bits); /* below 64 */
    }
    put_vector(e, instruction);
    e->failed |= instruction == 0;
}

/* A constant's lanes, before the loop. */
static void put_constant(encoder *e, int n)
{
    const stria_ir_instruction *i = get(e, n);
    const bool                  has_64 = e->p->is_mask[n] ? false : stria_dtype_sizes[i->dtype] == 8;

    put(e, has_64 ? OP_F64_CONST : OP_F32_CONST);
    put_bytes(e, &i->bits, has_64 ? 8 : 4); /* little endian */
    put_vector(e, has_64 ? V_SPLAT_F64 : V_SPLAT_F32);
    if (get_parts(e, n) == 2) put_local(e, OP_TEE, get_vector(e, n, 1));
    put_local(e, OP_SET, get_vector(e, n, 0));
}

/* ---------------------------------------------------------------- memory */

static void put_access(encoder *e, int instruction, int align, int offset)
{
    put_vector(e, instruction);
    put(e, align);
    put(e, offset);
}

static void put_load_mask(encoder *e)
{
    const bool is_4 = e->p->lanes == 4;

    put_access(e, is_4 ? V_LOAD32_ZERO : V_LOAD16_SPLAT, 0, 0);
    put_vector(e, V_EXTEND_8);
    put_vector(e, V_EXTEND_16);
    if (!is_4) put_vector(e, V_EXTEND_32);
    put_zero(e);
    put_vector(e, is_4 ? V_NE32 : V_NE64);
}

static void put_load(encoder *e, int n)
{
    const stria_ir_instruction *i = get(e, n);

    for (int part = 0; part < get_parts(e, n); part++) {
        put_local(e, OP_GET, get_at((int)i->bits));
        if (i->word == STRIA_IR_input_mask)
            put_load_mask(e);
        else
            put_access(e, V_LOAD, 0, 16 * part);
        put_local(e, OP_SET, get_vector(e, n, part));
    }
}

/* The lanes of a mask as bytes 0 and 1. Two lanes of 64 bits are brought together as halves of theirs first. */
static void put_store_mask(encoder *e, int n)
{
    const bool is_4 = e->p->lanes == 4;

    put_value(e, n, 0);
    for (int k = is_4 ? 1 : 0; k < 3; k++) {
        put_zero(e);
        put_vector(e, k < 2 ? V_NARROW_32 : V_NARROW_16);
    }
    put(e, OP_I32_CONST);
    put(e, 1);
    put_vector(e, V_SPLAT8);
    put_vector(e, V_AND);
    put_access(e, is_4 ? V_STORE32_LANE : V_STORE16_LANE, 0, 0);
    put(e, 0);
}

static void put_store(encoder *e, int operand)
{
    const int n = e->p->out[operand];

    for (int part = 0; part < get_parts(e, n); part++) {
        put_local(e, OP_GET, get_at(operand));
        if (e->p->is_mask[n]) {
            put_store_mask(e, n);
        } else {
            put_value(e, n, part);
            put_access(e, V_STORE, 0, 16 * part);
        }
    }
}

/* ---------------------------------------------------------------- the function */

static void put_branch(encoder *e, int select);

/* What has locals in a branch, in order. */
static void put_statements(encoder *e, int branch, int end)
{
    for (int n = 0; n < end; n++) {
        if (e->local[n] < 0 || e->branch[n] != branch || get(e, n)->word == STRIA_IR_set) continue;
        if (is_leaf(e, n)) {
            put_load(e, n);
        } else if (e->branches[n]) {
            put_branch(e, n);
        } else {
            for (int part = 0; part < get_parts(e, n); part++) {
                put_instruction(e, n, part);
                put_local(e, OP_SET, get_vector(e, n, part));
            }
        }
    }
}

static void put_branch(encoder *e, int n)
{
    const stria_ir_instruction *i = get(e, n);
    const int                   mask = i->operand[0];

    for (int part = 0; part < get_parts(e, n); part++) {
        put_value(e, i->operand[2], part);
        put_local(e, OP_SET, get_vector(e, n, part));
    }
    for (int part = 0; part < get_parts(e, mask); part++) put_value(e, mask, part);
    if (get_parts(e, mask) == 2) put_vector(e, V_OR);
    put_vector(e, V_ANY);
    put(e, OP_IF);
    put(e, OP_BLOCK_EMPTY);
    put_statements(e, n, n);
    for (int part = 0; part < get_parts(e, n); part++) {
        put_select(e, n, part);
        put_local(e, OP_SET, get_vector(e, n, part));
    }
    put(e, OP_END);
}

static void put_loop(encoder *e)
{
    put(e, OP_LOOP);
    put(e, OP_BLOCK_EMPTY);
    put_statements(e, ROOT, e->p->count);
    for (int k = 0; k < e->p->n_out; k++) put_store(e, k);
    for (int k = 0; k < e->p->n_operands; k++) {
        put_local(e, OP_GET, get_at(k));
        put_local(e, OP_GET, get_at(k) + 1);
        put(e, OP_I32_ADD);
        put_local(e, OP_SET, get_at(k));
    }
    put_local(e, OP_GET, 1);
    put(e, OP_I32_CONST);
    put(e, 0x7f); /* -1 */
    put(e, OP_I32_ADD);
    put_local(e, OP_TEE, 1);
    put(e, OP_BR_IF);
    put(e, 0);
    put(e, OP_END);
}

static void put_function(encoder *e)
{
    const uint8_t i32 = 0x7f, v128 = 0x7b;

    put(e, 2); /* groups of locals */
    put_number(e, 2 * e->p->n_operands);
    put(e, i32);
    put_number(e, e->n_locals);
    put(e, v128);
    for (int k = 0; k < 2 * e->p->n_operands; k++) {
        put_local(e, OP_GET, 0);
        put(e, OP_I32_LOAD);
        put(e, 2);
        put_number(e, 4 * k);
        put_local(e, OP_SET, 2 + k);
    }
    for (int n = 0; n < e->p->count; n++)
        if (e->local[n] >= 0 && get(e, n)->word == STRIA_IR_set) put_constant(e, n);
    put_loop(e);
    put(e, OP_END);
}

static void put_module(encoder *e, bool is_shared)
{
    static const uint8_t head[] = {
        0,  'a', 's',  'm',  1,   0,    0,    0, /* version 1 */
        1,  6,   1,    0x60, 2,   0x7f, 0x7f, 0, /* types: one, of two i32 */
        2,  11,  1,    1,    'm', 1,    'm',  2,
        3,  0,   0x80, 0x80, 4,            /* imports: a shared memory of at most 65536 pages */
        3,  2,   1,    0,                  /* functions */
        7,  5,   1,    1,    'f', 0,    0, /* exports */
        10,                                /* code */
    };
    static const uint8_t own[] = {2, 8, 1, 1, 'm', 1, 'm', 2, 0, 0};
    const int            imports = 16, after = 29;

    put_bytes(e, head, imports);
    if (is_shared)
        put_bytes(e, head + imports, after - imports);
    else
        put_bytes(e, own, (int)sizeof own);
    put_bytes(e, head + after, (int)sizeof head - after);
    const int section = begin_size(e);
    put(e, 1);
    const int body = begin_size(e);
    put_function(e);
    end_size(e, body);
    end_size(e, section);
}

bool stria_module_encode(const stria_lowering *lowering, bool is_shared, stria_module *module)
{
    struct room {
        stria_program program;
        encoder       encoder;
    } *room = stria_object_new(sizeof *room);

    if (room == NULL) return false;
    encoder *e = &room->encoder;
    e->p = &room->program;
    e->module = module;
    module->nbytes = 0;
    bool made = stria_program_make(lowering, &room->program);
    if (made) {
        module->lanes = room->program.lanes;
        find_branches(e);
        choose_branches(e);
        assign_locals(e);
        put_module(e, is_shared);
        made = !e->failed;
    }
    stria_object_release(room);
    return made;
}
