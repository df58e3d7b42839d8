/* complex_program.c - from the rows of complex.def to steps.
 *
 * A row is a C expression whose words (complex_words.h) append instructions to a program, each once. The program becomes an expression of
 * two results, or one, and is lowered as any other (expression_lower.c). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cpu/complex.h"
#include "table/rows.h"

#define NONE (-1)
#define REAL (-1) /* in place of an imaginary part */
#define MOST_CODE 320
#define MOST_NUMBERS 64
#define PARTS (2 * STRIA_MAX_INPUTS)
/* Values are numbered inputs, numbers, instructions; while they are recorded, from these on. */
#define FIRST_NUMBER PARTS
#define FIRST_CODE (FIRST_NUMBER + MOST_NUMBERS)

/* A complex value: the values of its parts. */
typedef struct z {
    int re, im;
} z;

/* What depends on the range of the parts. */
typedef struct limits {
    double large, small, up, up_root,
        log_up; /* 4 large overflows; small: where squares lose digits, up: what mends that, its root and logarithm */
    double root_small, root_up;    /* the same where quotients lose digits */
    double normal, tiny_square;    /* the smallest normal number; a square that may have lost digits */
    double exp_top, tanh_top, far; /* exp overflows beyond; tanh is 1; 1 + z^2 is z^2 */
    double near_least, near_most;  /* stria_complex_kernels */
} limits;
static const limits limits_of[] = {
    {0x1p124, 0x1p-100, 0x1p48, 0x1p24, 0x1.0a2b23f3bab73p5, 0x1p-64, 0x1p64, 0x1p-126, 0x1p-100, 88, 11, 0x1p30,
     STRIA_NEAR_LEAST(4), STRIA_NEAR_MOST(4)},
    {0x1p1020, 0x1p-1000, 0x1p108, 0x1p54, 0x1.2b708872320e2p6, 0x1p-500, 0x1p512, 0x1p-1022, 0x1p-1000, 709, 22,
     0x1p60, STRIA_NEAR_LEAST(8), STRIA_NEAR_MOST(8)},
};

typedef struct program {
    const limits     *limits;
    int               n_numbers, n_code;
    double            number[MOST_NUMBERS];
    stria_instruction code[MOST_CODE];
} program;

static int record_number(program *p, double number)
{
    for (int k = 0; k < p->n_numbers; k++)
        if (memcmp(&p->number[k], &number, sizeof number) == 0) return FIRST_NUMBER + k;
    p->number[p->n_numbers] = number;
    return FIRST_NUMBER + p->n_numbers++;
}

/* The rows are fixed, and test_complex runs each: there is room. */
static int record(program *p, stria_op op, int a, int b, int c)
{
    const int in[STRIA_MAX_INPUTS] = {a, b, c};

    for (int i = 0; i < p->n_code; i++)
        if (p->code[i].op == op && memcmp(p->code[i].in, in, sizeof in) == 0) return FIRST_CODE + i;
    p->code[p->n_code].op = op;
    memcpy(p->code[p->n_code].in, in, sizeof in);
    return FIRST_CODE + p->n_code++;
}

#include "cpu/complex_words.h"

/* ---------------------------------------------------------------- rows */

static z as_pair(z value) { return value; }
static z as_value(int value) { return (z){value, REAL}; }
#define RESULT_PAIR as_pair
#define RESULT_PART as_value
#define RESULT_TRUTH as_value

/* A function for each row, so that the parts of the operands have their names. */
#define COMPLEX(name, result, arity, expression)   \
    static z row_##name(program *p, z a, z b, z c) \
    {                                              \
        (void)p, (void)a, (void)b, (void)c;        \
        return RESULT_##result(expression);        \
    }
#include "table/complex.def"

static z (*const rows[STRIA_OP_COUNT])(program *p, z a, z b, z c) = {
#define COMPLEX(name, result, arity, expression) [STRIA_OP_##name] = row_##name,
#include "table/complex.def"
};

/* A result that is an instruction of its own: what is an input, a number or the other result is multiplied by 1, which keeps every bit. */
static int record_result(program *p, int value, int other)
{
    return value >= FIRST_CODE && value != other ? value : record(p, STRIA_OP_mul, value, record_number(p, 1), NONE);
}

/* ---------------------------------------------------------------- expressions */

/* The number of a value when all are known: `parts` inputs. */
static int get_value(const program *p, int parts, int value)
{
    if (value < FIRST_NUMBER) return value;
    return value < FIRST_CODE ? value - FIRST_NUMBER + parts : value - FIRST_CODE + parts + p->n_numbers;
}

static stria_status lower(program *p, int parts, z result, const bool *is_truth, stria_dtype part,
                          stria_lowering **lowering, stria_error *err)
{
    stria_scalar        numbers[MOST_NUMBERS];
    int64_t             one = 1;
    stria_tensor        plane[PARTS];
    const stria_tensor *in[PARTS];
    stria_expression    e = {.n_in = parts,
                             .n_constants = p->n_numbers,
                             .n_code = p->n_code,
                             .constants = numbers,
                             .code = p->code,
                             .number_dtype = part,
                             .n_out = result.im == REAL ? 1 : 2};

    for (int k = 0; k < p->n_numbers; k++) numbers[k] = (stria_scalar){STRIA_SCALAR_FLOAT, 0, p->number[k], 0};
    for (int i = 0; i < p->n_code; i++)
        for (int k = 0; k < STRIA_MAX_INPUTS; k++) p->code[i].in[k] = get_value(p, parts, p->code[i].in[k]);
    e.out[0] = get_value(p, parts, result.re);
    e.out[1] = get_value(p, parts, result.im);
    memset(plane, 0, sizeof plane);
    for (int k = 0; k < parts; k++) {
        plane[k].dtype = is_truth[k] ? STRIA_BOOL : part;
        plane[k].device = STRIA_CPU;
        plane[k].ndim = 1;
        plane[k].numel = 1;
        plane[k].shape = plane[k].strides = &one;
        in[k] = &plane[k];
    }
    return stria_lowering_new(&e, in, NULL, lowering, err);
}

static stria_status new_lowering(stria_op op, unsigned reals, stria_dtype part, stria_lowering **lowering,
                                 stria_error *err)
{
    program p;
    z       operand[STRIA_MAX_INPUTS] = {{NONE, NONE}, {NONE, NONE}, {NONE, NONE}};
    bool    is_truth[PARTS] = {false};
    int     parts = 0;

    p.limits = &limits_of[part == STRIA_F64];
    p.n_numbers = p.n_code = 0;
    for (int k = 0; k < stria_op_infos[op].arity; k++) {
        const bool is_real = reals >> k & 1;
        is_truth[parts] = k == 0 && stria_op_infos[op].result == STRIA_RESULT_SELECT;
        operand[k] = (z){parts, is_real ? REAL : parts + 1};
        parts += is_real ? 1 : 2;
    }
    z result = rows[op](&p, operand[0], operand[1], operand[2]);
    result.re = record_result(&p, result.re, NONE);
    if (result.im != REAL) result.im = record_result(&p, result.im, result.re);
    return lower(&p, parts, result, is_truth, part, lowering, err);
}

/* ---------------------------------------------------------------- those that were made */

static _Atomic(stria_lowering *) made[STRIA_OP_COUNT][2][1 << STRIA_MAX_INPUTS];

stria_status stria_complex_get_lowering(stria_op op, unsigned reals, stria_dtype part, const stria_lowering **lowering,
                                        stria_error *err)
{
    _Atomic(stria_lowering *) *place = &made[op][part == STRIA_F64][reals];
    stria_lowering            *found = atomic_load_explicit(place, memory_order_acquire), *own;

    if (found == NULL) {
        const stria_status status = new_lowering(op, reals, part, &own, err);
        if (status != STRIA_OK) return stria_error_set_op(err, status, stria_op_infos[op].name);
        if (atomic_compare_exchange_strong(place, &found, own))
            found = own;
        else
            stria_lowering_release(own); /* another thread was faster */
    }
    *lowering = found;
    return STRIA_OK;
}
