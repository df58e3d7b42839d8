/* complex_program.c - from the rows of complex.def to steps.
 *
 * A row is a C expression whose words (complex_words.h) append instructions to a program, each once. The program becomes an expression of
 * two results, or one, and is lowered as any other (expression_lower.c). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cpu/complex.h"
#include "cpu/complex_limits.h"
#include "table/rows.h"

#define NONE (-1)
#define REAL (-1) /* in place of an imaginary part */
#define MOST_CODE 320
#define MOST_NUMBERS 64
#define PARTS (2 * STRIA_MAX_INPUTS)
/* Values are numbered inputs, numbers, instructions; while they are recorded, from these on. */
#define FIRST_NUMBER PARTS
#define FIRST_CODE (FIRST_NUMBER + MOST_NUMBERS)

/* A value: its number. */
typedef int value;
typedef struct z {
    value re, im;
} z;
#define Z_FN static
#define Z(re, im) ((z){re, im})

static const stria_complex_limits limits_of[] = {STRIA_COMPLEX_LIMITS_F32, STRIA_COMPLEX_LIMITS_F64};

typedef struct program {
    const stria_complex_limits *limits;
    int                         n_numbers, n_code;
    double                      number[MOST_NUMBERS];
    stria_instruction           code[MOST_CODE];
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

/* ---------------------------------------------------------------- words */

#define v_set(number) record_number(p, number)
#define v_add(a, b) record(p, STRIA_OP_add, a, b, NONE)
#define v_sub(a, b) record(p, STRIA_OP_sub, a, b, NONE)
#define v_mul(a, b) record(p, STRIA_OP_mul, a, b, NONE)
#define v_div(a, b) record(p, STRIA_OP_div, a, b, NONE)
#define v_neg(a) record(p, STRIA_OP_neg, a, NONE, NONE)
#define v_abs(a) record(p, STRIA_OP_abs, a, NONE, NONE)
#define v_sqrt(a) record(p, STRIA_OP_sqrt, a, NONE, NONE)
#define v_pow(a, b) record(p, STRIA_OP_pow, a, b, NONE)
#define v_hypot(a, b) record(p, STRIA_OP_hypot, a, b, NONE)
#define v_exp(a) record(p, STRIA_OP_exp, a, NONE, NONE)
#define v_exp2(a) record(p, STRIA_OP_exp2, a, NONE, NONE)
#define v_expm1(a) record(p, STRIA_OP_expm1, a, NONE, NONE)
#define v_log(a) record(p, STRIA_OP_log, a, NONE, NONE)
#define v_log1p(a) record(p, STRIA_OP_log1p, a, NONE, NONE)
#define v_sin(a) record(p, STRIA_OP_sin, a, NONE, NONE)
#define v_cos(a) record(p, STRIA_OP_cos, a, NONE, NONE)
#define v_tan(a) record(p, STRIA_OP_tan, a, NONE, NONE)
#define v_sinh(a) record(p, STRIA_OP_sinh, a, NONE, NONE)
#define v_cosh(a) record(p, STRIA_OP_cosh, a, NONE, NONE)
#define v_atan(a) record(p, STRIA_OP_atan, a, NONE, NONE)
#define v_atan2(a, b) record(p, STRIA_OP_atan2, a, b, NONE)
#define v_asinh(a) record(p, STRIA_OP_asinh, a, NONE, NONE)
#define v_atanh(a) record(p, STRIA_OP_atanh, a, NONE, NONE)
#define v_copysign(a, b) record(p, STRIA_OP_copysign, a, b, NONE)
#define v_min(a, b) record(p, STRIA_OP_minimum, a, b, NONE)
#define v_max(a, b) record(p, STRIA_OP_maximum, a, b, NONE)
#define v_eq(a, b) record(p, STRIA_OP_eq, a, b, NONE)
#define v_ne(a, b) record(p, STRIA_OP_ne, a, b, NONE)
#define v_lt(a, b) record(p, STRIA_OP_lt, a, b, NONE)
#define v_le(a, b) record(p, STRIA_OP_le, a, b, NONE)
#define v_isinf(a) record(p, STRIA_OP_isinf, a, NONE, NONE)
#define v_isfinite(a) record(p, STRIA_OP_isfinite, a, NONE, NONE)
#define v_mask_and(a, b) record(p, STRIA_OP_logical_and, a, b, NONE)
#define v_mask_or(a, b) record(p, STRIA_OP_logical_or, a, b, NONE)
#define v_mask_not(a) record(p, STRIA_OP_logical_not, a, NONE, NONE)
#define v_select(mask, a, b) record(p, STRIA_OP_where, mask, a, b)

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
