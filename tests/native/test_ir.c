/* test_ir.c - every row of ops.def, recorded (ir.h) and then evaluated by a small interpreter in plain C, gives the bits of
 * the loops in the kernel tables: what a compiler is fed with is what the loops compute. The interpreter shares no code
 * with the vocabulary but the reduction of huge angles, which is a word of its own. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ir.h"
#include "kernels.h"
#include "test.h"
#include "vec_reduce_angle.h"

/* ---------------------------------------------------------------- values: bits in the lowest bytes of a uint64_t */

static float get_f32(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float          x;
    memcpy(&x, &low, sizeof x);
    return x;
}
static uint64_t put_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double get_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static uint64_t put_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool is_float(int dtype) { return dtype == STRIA_F32 || dtype == STRIA_F64; }
static bool is_signed(int dtype)
{
    return dtype == STRIA_I8 || dtype == STRIA_I16 || dtype == STRIA_I32 || dtype == STRIA_I64;
}
static int get_width(int dtype) { return 8 * (int)stria_dtype_get_size((stria_dtype)dtype); }

static uint64_t cut(uint64_t bits, int width) { return width == 64 ? bits : bits & (((uint64_t)1 << width) - 1); }
static int64_t  extend(uint64_t bits, int width) { return (int64_t)(bits << (64 - width)) >> (64 - width); }

/* ---------------------------------------------------------------- words
 *
 * f32 is computed in f32 where it is one IEEE operation; what is exact in double is computed there for both. */

static uint64_t put_float(int dtype, double x) { return dtype == STRIA_F32 ? put_f32((float)x) : put_f64(x); }
static double get_float(int dtype, uint64_t bits) { return dtype == STRIA_F32 ? (double)get_f32(bits) : get_f64(bits); }

static uint64_t eval_arithmetic(int word, int dtype, uint64_t a, uint64_t b)
{
    if (dtype == STRIA_F32) {
        const float x = get_f32(a), y = get_f32(b);
        return put_f32(word == STRIA_IR_add   ? x + y
                       : word == STRIA_IR_sub ? x - y
                       : word == STRIA_IR_mul ? x * y
                       : word == STRIA_IR_div ? x / y
                                              : sqrtf(x));
    }
    const double x = get_f64(a), y = get_f64(b);
    return put_f64(word == STRIA_IR_add   ? x + y
                   : word == STRIA_IR_sub ? x - y
                   : word == STRIA_IR_mul ? x * y
                   : word == STRIA_IR_div ? x / y
                                          : sqrt(x));
}

static uint64_t eval_float(const stria_ir_instruction *i, uint64_t a, uint64_t b)
{
    const int      dtype = i->dtype, width = get_width(dtype);
    const double   x = get_float(dtype, a), y = get_float(dtype, b);
    const uint64_t top = (uint64_t)1 << (width - 1);

    switch (i->word) {
    case STRIA_IR_neg: return a ^ top;
    case STRIA_IR_abs: return a & ~top;
    case STRIA_IR_copysign: return (a & ~top) | (b & top);
    case STRIA_IR_sign: return x > 0 ? put_float(dtype, 1) : x < 0 ? put_float(dtype, -1) : a;
    case STRIA_IR_min: return x != x ? a : y != y ? b : x < y ? a : y < x ? b : a & top ? a : b;
    case STRIA_IR_max: return x != x ? a : y != y ? b : x > y ? a : y > x ? b : a & top ? b : a;
    case STRIA_IR_floor: return put_float(dtype, floor(x));
    case STRIA_IR_ceil: return put_float(dtype, ceil(x));
    case STRIA_IR_trunc: return put_float(dtype, trunc(x));
    case STRIA_IR_rint: return put_float(dtype, nearbyint(x));
    case STRIA_IR_isinf: return isinf(x) != 0;
    case STRIA_IR_isfinite: return isfinite(x) != 0;
    case STRIA_IR_eq: return x == y;
    case STRIA_IR_ne: return x != y;
    case STRIA_IR_lt: return x < y;
    case STRIA_IR_le: return x <= y;
    case STRIA_IR_fmod: return put_float(dtype, fmod(x, y)); /* exact, so the same in double */
    case STRIA_IR_toint: return fabs(x) < 0x1p62 ? cut((uint64_t)(int64_t)x, width) : 0;
    case STRIA_IR_fromint: return dtype == STRIA_F32 ? put_f32((float)extend(a, 32)) : put_f64((double)(int64_t)a);
    default: return eval_arithmetic(i->word, dtype, a, b);
    }
}

/* The definition, made faster: what divides two numbers divides their difference; twos are taken out first. */
static uint64_t eval_gcd(uint64_t a, uint64_t b)
{
    int twos = 0;
    if (a == 0 || b == 0) return a | b;
    for (; ((a | b) & 1) == 0; twos++) a >>= 1, b >>= 1;
    while (b != 0) {
        while ((a & 1) == 0) a >>= 1;
        while ((b & 1) == 0) b >>= 1;
        if (a > b) {
            const uint64_t larger = a;
            a = b;
            b = larger;
        }
        b -= a;
    }
    return a << twos;
}

static uint64_t eval_integer(const stria_ir_instruction *i, uint64_t a, uint64_t b)
{
    const int     dtype = i->dtype, width = get_width(dtype);
    const bool    sign = is_signed(dtype);
    const int64_t x = extend(a, width), y = extend(b, width);
    const bool    below = sign ? x < y : a < b;

    switch (i->word) {
    case STRIA_IR_add: return dtype == STRIA_BOOL ? a | b : cut(a + b, width);
    case STRIA_IR_sub: return cut(a - b, width);
    case STRIA_IR_mul: return cut(a * b, width);
    case STRIA_IR_neg: return cut(0 - a, width);
    case STRIA_IR_abs: return sign && x < 0 ? cut(0 - a, width) : a;
    case STRIA_IR_sign: return a == 0 ? 0 : sign && x < 0 ? cut(~(uint64_t)0, width) : 1;
    case STRIA_IR_min: return below ? a : b;
    case STRIA_IR_max: return below ? b : a;
    case STRIA_IR_and: return a & b;
    case STRIA_IR_or: return a | b;
    case STRIA_IR_xor: return a ^ b;
    case STRIA_IR_not: return dtype == STRIA_BOOL ? !a : cut(~a, width);
    case STRIA_IR_shl: return cut(a << i->bits, width);
    case STRIA_IR_shr: return sign ? cut((uint64_t)(x >> i->bits), width) : a >> i->bits;
    case STRIA_IR_quot: return b == 0 ? 0 : a / b;
    case STRIA_IR_gcd: return eval_gcd(a, b);
    case STRIA_IR_shift_left: return b < (uint64_t)width ? cut(a << b, width) : 0;
    case STRIA_IR_shift_right: return b < (uint64_t)width ? a >> b : 0;
    case STRIA_IR_eq: return a == b;
    case STRIA_IR_ne: return a != b;
    case STRIA_IR_lt: return below;
    case STRIA_IR_le: return below || a == b;
    case STRIA_IR_isfinite: return 1;
    case STRIA_IR_isinf: return 0;
    default: return a; /* floor, ceil, trunc, rint */
    }
}

static uint64_t eval_angle(int word, uint64_t a)
{
    double    hi, lo;
    const int quadrant = vec_reduce_angle(get_f64(a), &hi, &lo);
    return put_f64(word == STRIA_IR_angle_quadrant ? quadrant : word == STRIA_IR_angle_hi ? hi : lo);
}

/* The last result of a tape for one element. */
static uint64_t eval(const stria_ir_tape *tape, const uint64_t *input)
{
    static uint64_t value[STRIA_IR_MAX];

    for (int n = 0; n < tape->count; n++) {
        const stria_ir_instruction *i = &tape->code[n];
        const uint64_t              a = value[i->operand[0]], b = value[i->operand[1]], c = value[i->operand[2]];
        switch (i->word) {
        case STRIA_IR_input: value[n] = input[i->bits]; break;
        case STRIA_IR_input_mask: value[n] = input[i->bits] != 0; break;
        case STRIA_IR_set: value[n] = i->bits; break;
        case STRIA_IR_select: value[n] = a ? b : c; break;
        case STRIA_IR_mask_and: value[n] = a && b; break;
        case STRIA_IR_mask_or: value[n] = a || b; break;
        case STRIA_IR_mask_xor: value[n] = a != b; break;
        case STRIA_IR_mask_not: value[n] = !a; break;
        case STRIA_IR_widen: value[n] = put_f64((double)get_f32(a)); break;
        case STRIA_IR_narrow: value[n] = put_f32((float)get_f64(a)); break;
        case STRIA_IR_bits:
        case STRIA_IR_frombits:
        case STRIA_IR_reinterpret: value[n] = a; break;
        case STRIA_IR_angle_quadrant:
        case STRIA_IR_angle_hi:
        case STRIA_IR_angle_lo: value[n] = eval_angle(i->word, a); break;
        default: value[n] = is_float(i->dtype) ? eval_float(i, a, b) : eval_integer(i, a, b);
        }
    }
    return value[tape->count - 1];
}

/* ---------------------------------------------------------------- inputs */

#define SAMPLES 400
static uint64_t random_seed = 2024;

/* Special values first, then random ones of every size and of ordinary size. */
static uint64_t get_sample(int dtype, int input, int n)
{
    static const double special[] = {0,       -0.0,  1,     -1,     0.5,      -0.5,      1.5,       2,      -2,
                                     2.5,     3,     -3,    10,     100,      -100,      1e6,       -1e6,   1e10,
                                     1e30,    1e300, 1e-10, -1e-30, 1e-300,   0x1p-149,  0x1p-1074, 4e-320, FLT_MAX,
                                     DBL_MAX, 88.7,  709.7, -745,   INFINITY, -INFINITY, NAN};
    const int           n_special = (int)(sizeof special / sizeof *special), width = get_width(dtype);
    const uint64_t      bits = test_random(&random_seed);

    /* inputs run through the values at different speeds */
    const int at = input == 0 ? n % n_special : input == 1 ? n / 3 % n_special : n / 7 % n_special;
    if (dtype == STRIA_BOOL) return bits >> 20 & 1;
    if (is_float(dtype)) {
        if (n < SAMPLES / 2) return put_float(dtype, special[at]);
        if (n % 3 == 0) return cut(bits, width);
        return put_float(dtype, (double)(int64_t)bits * (n % 3 == 1 ? 0x1p-60 : 0x1p-57));
    }
    static const uint64_t corner[] = {0, 1, 2, 3, 10, ~(uint64_t)0, ~(uint64_t)1};
    if (n % 3 == 0) return cut(corner[bits % 7], width);
    if (n % 9 == 1) return (uint64_t)1 << (width - 1);
    return cut(n % 3 == 1 ? bits % 21 - 10 : bits, width);
}

static bool same(int dtype, uint64_t a, uint64_t b)
{
    if (a == b) return true;
    if (dtype == STRIA_F32) return isnan(get_f32(a)) && isnan(get_f32(b));
    return dtype == STRIA_F64 && isnan(get_f64(a)) && isnan(get_f64(b));
}

/* ---------------------------------------------------------------- rows against loops */

typedef struct row {
    const char *name;
    int         arity;
    bool        truth, select; /* gives a mask; input 0 is a mask */
} row;

#define BOOL_RULE(result) (sizeof(#result) == 5 && #result[0] == 'B')
#define SELECT_RULE(result) (#result[0] == 'S')
static const row rows[STRIA_OP_COUNT] = {
#define STRIA_OP(set, name, arity, result, lanes, summary) {#name, arity, BOOL_RULE(result), SELECT_RULE(result)},
#include "table/ops.def"
};
static const char *const reduction_names[STRIA_RED_COUNT] = {
#define STRIA_RED(set, name, result, identity, combine, finish, summary) #name,
#include "table/ops.def"
};

/* Elements of a run as bytes, from the lowest bytes of the samples (little endian). */
static void pack(char *bytes, const uint64_t *samples, size_t size)
{
    for (int n = 0; n < SAMPLES; n++) memcpy(bytes + (size_t)n * size, &samples[n], size);
}

static void compare(const char *isa, const char *name, int dtype, int result, const stria_ir_tape *tape,
                    uint64_t inputs[][SAMPLES], const char *bytes)
{
    const size_t size = stria_dtype_get_size((stria_dtype)result);
    for (int n = 0; n < SAMPLES; n++) {
        const uint64_t in[3] = {inputs[0][n], inputs[1][n], inputs[2][n]};
        const uint64_t want = eval(tape, in);
        uint64_t       got = 0;
        memcpy(&got, bytes + (size_t)n * size, size);
        CHECK(same(result, got, want), "%s.%s of 0x%llx 0x%llx 0x%llx: the %s loop gives 0x%llx, the tape 0x%llx", name,
              stria_dtype_get_name((stria_dtype)dtype), (unsigned long long)in[0], (unsigned long long)in[1],
              (unsigned long long)in[2], isa, (unsigned long long)got, (unsigned long long)want);
    }
}

/* Operands are earlier instructions, none without use, no two equal; printing works. */
static void check_form(const stria_ir_tape *tape, const char *name, int dtype)
{
    static uint8_t used[STRIA_IR_MAX];
    char           text[96];
    bool           ok = true;

    memset(used, 0, sizeof used);
    used[tape->count - 1] = 1;
    for (int n = tape->count - 1; n >= 0; n--) {
        const stria_ir_instruction *i = &tape->code[n];
        ok = ok && i->word < STRIA_IR_WORD_COUNT && used[n];
        for (int k = 0; k < stria_ir_word_get_arity((stria_ir_word)i->word); k++) {
            ok = ok && i->operand[k] < n;
            used[i->operand[k]] = 1;
        }
        for (int m = 0; m < n && tape->count < 400; m++) ok = ok && memcmp(&tape->code[m], i, sizeof *i) != 0;
    }
    CHECK(ok, "the tape of %s.%s is malformed", name, stria_dtype_get_name((stria_dtype)dtype));
    stria_ir_print(tape, tape->count - 1, text, sizeof text);
    CHECK(strstr(text, stria_ir_word_get_name((stria_ir_word)tape->code[tape->count - 1].word)) != NULL, "%s", text);
}

static void check_op(const stria_kernels *const *tables, int n_tables, int op, int dtype)
{
    static stria_ir_tape tape;
    static uint64_t      inputs[3][SAMPLES];
    static char          bytes[3][SAMPLES * 8], out[SAMPLES * 8];
    const row           *r = &rows[op];
    const int            result = r->truth ? STRIA_BOOL : dtype;
    const bool           has_loop = tables[0]->lane[dtype]->loop[op] != NULL;

    CHECK(stria_ir_record((stria_op)op, (stria_dtype)dtype, &tape) == has_loop, "%s.%s: a tape or a loop, not both",
          r->name, stria_dtype_get_name((stria_dtype)dtype));
    if (!has_loop || tape.count == 0) return;
    check_form(&tape, r->name, dtype);
    CHECK(stria_ir_instruction_is_mask(&tape, tape.count - 1) == r->truth, "%s: mask or lanes", r->name);
    char   *data[4] = {out, bytes[0], bytes[1], bytes[2]};
    int64_t stride[4] = {(int64_t)stria_dtype_get_size((stria_dtype)result), 0, 0, 0};
    for (int k = 0; k < r->arity; k++) {
        const int input = r->select && k == 0 ? STRIA_BOOL : dtype;
        for (int n = 0; n < SAMPLES; n++) inputs[k][n] = get_sample(input, k, n);
        stride[k + 1] = (int64_t)stria_dtype_get_size((stria_dtype)input);
        pack(bytes[k], inputs[k], (size_t)stride[k + 1]);
    }
    for (int t = 0; t < n_tables; t++) {
        tables[t]->lane[dtype]->loop[op](data, stride, SAMPLES);
        compare(tables[t]->isa, r->name, dtype, result, &tape, inputs, out);
    }
}

/* A column reduction of one row is one combining step per column. */
static void check_reduction(const stria_kernels *const *tables, int n_tables, int reduction, int dtype)
{
    static stria_ir_tape tape;
    static uint64_t      inputs[3][SAMPLES];
    static char          acc[SAMPLES * 8], src[SAMPLES * 8];
    const char          *name = reduction_names[reduction];
    const bool           has_loop = tables[0]->lane[dtype]->columns[reduction] != NULL;

    CHECK(stria_ir_record_reduction((stria_reduction)reduction, (stria_dtype)dtype, &tape) == has_loop,
          "%s.%s: a tape or a loop, not both", name, stria_dtype_get_name((stria_dtype)dtype));
    if (!has_loop || tape.count == 0) return;
    check_form(&tape, name, dtype);
    const size_t size = stria_dtype_get_size((stria_dtype)dtype);
    for (int n = 0; n < SAMPLES; n++) {
        inputs[0][n] = get_sample(dtype, 0, n);
        inputs[1][n] = get_sample(dtype, 1, n);
    }
    for (int t = 0; t < n_tables; t++) {
        pack(acc, inputs[0], size);
        pack(src, inputs[1], size);
        tables[t]->lane[dtype]->columns[reduction](acc, 0, 0, false, src, (int64_t)(size * SAMPLES), 1, SAMPLES);
        compare(tables[t]->isa, name, dtype, dtype, &tape, inputs, acc);
    }
}

static const char *const isas[] = {
#define STRIA_ISA(isa, processor, features) #isa,
#include "table/isa.def"
};
enum { N_ISAS = sizeof isas / sizeof *isas };

SUITE(test_ir)
{
    const stria_kernels *tables[N_ISAS];
    int                  n_tables = 0;
    stria_ir_tape       *tape = malloc(sizeof *tape);

    for (int k = 0; k < N_ISAS; k++) {
        const stria_kernels *table = stria_dispatch_get_isa(isas[k]);
        if (table) {
            tables[n_tables++] = table;
            printf("test_ir: %s\n", isas[k]);
        }
    }
    CHECK(n_tables > 0, "no kernel table");
    for (int op = 0; op < STRIA_OP_COUNT && n_tables > 0; op++)
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) check_op(tables, n_tables, op, d);
    for (int r = 0; r < STRIA_RED_COUNT && n_tables > 0; r++)
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) check_reduction(tables, n_tables, r, d);
    CHECK(tape && !stria_ir_record(STRIA_OP_COUNT, STRIA_F32, tape) && tape->count == 0, "an op that is none");
    CHECK(tape && !stria_ir_record(STRIA_OP_add, STRIA_DTYPE_NONE, tape), "a dtype that is none");
    free(tape);
    return test_finish();
}
