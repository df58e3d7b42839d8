/* test_complex.c - the rows of complex.def against long double complex: every row, dtype, layout, real operand; special values; refusals.
 *
 * Where long double is double (WebAssembly, some ARM), functions of long double complex are no better than what is tested: accuracy is
 * not looked at there, and hashes.txt holds the bits to those of other targets.
 *
 *     test_complex --table N     measures N inputs of each row instead, as lines of JSON for docs/accuracy.md (tools/accuracy.mjs)
 */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refused.h"
#include "table/rows.h"
#include "tensor/tensor.h"

typedef long double complex wide;

/* musl's functions of long double, and those of complex numbers, are of double or less: there the bits say that they are those of
 * the targets that are held to an oracle. */
#ifdef __wasm__
#define HAS_ORACLE 0
#else
#define HAS_ORACLE (LDBL_MANT_DIG > DBL_MANT_DIG)
#endif
#define COUNT 1999         /* longer than a block, and no multiple of a vector */
static int64_t n_measured; /* of --table; 0: a test */

static wide make(long double re, long double im)
{
    union {
        wide        z;
        long double part[2];
    } made;
    made.part[0] = re;
    made.part[1] = im;
    return made.z;
}

/* As C's product without its recovery of infinities. */
static wide times(wide a, wide b)
{
    return make(creall(a) * creall(b) - cimagl(a) * cimagl(b), creall(a) * cimagl(b) + cimagl(a) * creall(b));
}
static wide expm1_of(wide x)
{
    const long double half = sinl(cimagl(x) / 2);
    return make(expm1l(creall(x)) * cosl(cimagl(x)) - 2 * half * half, expl(creall(x)) * sinl(cimagl(x)));
}
static wide log1p_of(wide x)
{
    const long double re = creall(x), im = cimagl(x);
    const long double s = re * (re + 2) + im * im;
    return make(s > -0.5L && s < 2 ? log1pl(s) / 2 : logl(hypotl(1 + re, im)), atan2l(im, 1 + re));
}

typedef struct sample {
    const char *name;
    double      low, high, bound;
    wide (*oracle)(wide x, wide y, wide w);
} sample;

#define SAMPLE(row, low, high, bound, oracle)        \
    static wide oracle_##row(wide x, wide y, wide w) \
    {                                                \
        (void)x, (void)y, (void)w;                   \
        return oracle;                               \
    }
#include "complex_samples.def"
static const sample samples[STRIA_OP_COUNT] = {
#define SAMPLE(row, low, high, bound, oracle) [STRIA_OP_##row] = {#row, low, high, bound, oracle_##row},
#include "complex_samples.def"
};

/* ---------------------------------------------------------------- values */

static double get_part(stria_dtype part, const char *at)
{
    float  narrow;
    double whole;

    if (part == STRIA_F32) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}
static void set_part(stria_dtype part, char *at, double value)
{
    const float narrow = (float)value;

    if (part == STRIA_F32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

/* Element k of a contiguous tensor, of any dtype that the rows give or take. */
static wide get(const stria_tensor *x, int64_t k)
{
    const stria_dtype part = x->dtype == STRIA_C64 ? STRIA_F32 : x->dtype == STRIA_C128 ? STRIA_F64 : x->dtype;
    const size_t      size = stria_dtype_get_size(x->dtype);
    const char       *at = (const char *)stria_tensor_get_const_data(x) + (size_t)k * size;

    if (part == STRIA_BOOL) return *at;
    if (part == x->dtype) return get_part(part, at);
    return make(get_part(part, at), get_part(part, at + size / 2));
}

static double draw(random_state *random, const sample *s, stria_dtype part)
{
    static const double marks[] = {0, 1, -1, 0.5, 2, -0.0};
    const double        unit = random_unit(random);

    if (random_next(random) % 16 == 0) return marks[random_next(random) % 6];
    if (random_next(random) % 8 == 0)
        return ldexp(2 * unit - 1, -(int)(random_next(random) % (part == STRIA_F32 ? 20 : 50)));
    return s->low + unit * (s->high - s->low);
}

static stria_tensor *make_input(random_state *random, const sample *s, stria_dtype dtype, int64_t n)
{
    const stria_dtype part = dtype == STRIA_C64 ? STRIA_F32 : dtype == STRIA_C128 ? STRIA_F64 : dtype;
    const int64_t     size = (int64_t)stria_dtype_get_size(part), parts = n * (part == dtype ? 1 : 2);
    stria_tensor     *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < parts; k++)
        set_part(part, (char *)stria_tensor_get_data(x) + k * size, draw(random, s, part));
    return x;
}

/* ---------------------------------------------------------------- accuracy */

/* |got - want| / |want| in units in the last place of parts; 0 where want is not finite, or a part is too small or large to tell. */
static long double get_error(wide got, wide want, stria_dtype part)
{
    const int         digits = part == STRIA_F32 ? 24 : 53;
    const long double most = part == STRIA_F32 ? FLT_MAX : DBL_MAX, least = part == STRIA_F32 ? FLT_MIN : DBL_MIN;
    const long double size = hypotl(creall(want), cimagl(want));

    if (!(size < most / 4) || size < least * 0x1p30L) return 0;
    return hypotl(creall(got) - creall(want), cimagl(got) - cimagl(want)) / size * ldexpl(1, digits);
}

/* What inputs that are wrong by half a unit do to the results of three rows, in which an exponential follows a product, and a quotient a sum. */
static long double get_condition(stria_op op, wide x, wide y, wide want)
{
    if (op == STRIA_OP_pow) return x == 0 ? 1 : 1 + cabsl(y) * cabsl(clogl(x));
    if (op == STRIA_OP_exp2) return 1 + fabsl(cimagl(x));
    return op == STRIA_OP_sigmoid ? 1 + cabsl(want) : 1;
}
static const char *describe_condition(stria_op op)
{
    if (op == STRIA_OP_pow) return "1 + |b log a|";
    if (op == STRIA_OP_exp2) return "1 + |imaginary part|";
    return op == STRIA_OP_sigmoid ? "1 + |result|" : "";
}

/* Sums of products may cancel: the error is one of what is added. */
static bool may_cancel(stria_op op)
{
    return op == STRIA_OP_add_scaled || op == STRIA_OP_sub_scaled || op == STRIA_OP_lerp;
}

static bool is_same(wide a, wide b)
{
    return creall(a) == creall(b) && cimagl(a) == cimagl(b) && !signbit(creall(a)) == !signbit(creall(b)) &&
           !signbit(cimagl(a)) == !signbit(cimagl(b));
}

/* The largest error that was found. */
typedef struct worst {
    long double error;
    int64_t     at;
} worst;

static void print_worst(stria_op op, stria_dtype dtype, const worst *w, stria_tensor *const *in, int n_in)
{
    printf("{\"row\": \"%s\", \"part\": \"\", \"dtype\": \"%s\", \"mode\": \"%s\", \"count\": %lld, \"ulp\": %.4f, "
           "\"bound\": %g, \"scale\": \"%s\", \"at\": [",
           samples[op].name, stria_dtype_get_name(dtype), n_measured < 100000 ? "quick" : "dense",
           (long long)n_measured, (double)w->error, samples[op].bound, describe_condition(op));
    for (int k = 0; k < n_in; k++)
        printf("%s\"%a\", \"%a\"", k > 0 ? ", " : "", (double)creall(get(in[k], w->at)),
               (double)cimagl(get(in[k], w->at)));
    printf("]}\n");
}

/* A row, of whose inputs bit k of reals says whether input k is real. */
static void check_row(stria_op op, stria_dtype dtype, unsigned reals, random_state *random)
{
    const int64_t     count = n_measured > 0 ? n_measured : COUNT;
    const sample     *s = &samples[op];
    const stria_dtype part = dtype == STRIA_C64 ? STRIA_F32 : STRIA_F64;
    const int         n_in = stria_op_infos[op].arity;
    stria_tensor     *in[STRIA_MAX_INPUTS] = {NULL}, *y = NULL;
    worst             w = {0, 0};

    for (int k = 0; k < n_in; k++) in[k] = make_input(random, s, reals >> k & 1 ? part : dtype, count);
    CHECK_STATUS(stria_apply(op, (const stria_tensor *const *)in, n_in, &y, NULL), STRIA_OK);
    for (int64_t k = 0; y != NULL && k < count; k++) {
        const wide        x[] = {get(in[0], k), n_in > 1 ? get(in[1], k) : 0, n_in > 2 ? get(in[2], k) : 0};
        const wide        want = s->oracle(x[0], x[1], x[2]), got = get(y, k);
        const wide        scale = may_cancel(op) ? hypotl(creall(want), cimagl(want)) + 100 : want;
        const long double error = get_error(got - want + scale, scale, part) / get_condition(op, x[0], x[1], want);
        if (s->bound == 0 && stria_complex_rules[op] == STRIA_COMPLEX_TRUTH)
            CHECK(creall(got) == creall(want), "%s: element %d", s->name, (int)k);
        else if (s->bound == 0)
            CHECK(is_same(got, want), "%s: element %d", s->name, (int)k);
        if (error > w.error) w = (worst){error, k};
    }
    if (n_measured > 0 && s->bound > 0 && !may_cancel(op)) print_worst(op, dtype, &w, in, n_in);
    if (HAS_ORACLE && s->bound > 0)
        CHECK(w.error <= s->bound,
              "%s, dtype %d, reals %u: %.2f units in the last place at %lld: f(%Lg %Lg, %Lg %Lg) = %Lg %Lg", s->name,
              dtype, reals, (double)w.error, (long long)w.at, creall(get(in[0], w.at)), cimagl(get(in[0], w.at)),
              n_in > 1 ? creall(get(in[1], w.at)) : 0, n_in > 1 ? cimagl(get(in[1], w.at)) : 0, creall(get(y, w.at)),
              cimagl(get(y, w.at)));
    for (int k = 0; k < n_in; k++) stria_tensor_release(in[k]);
    stria_tensor_release(y);
}

static void test_rows(void)
{
    random_state random = {20};

    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        if (stria_complex_rules[op] == STRIA_COMPLEX_NONE || op == STRIA_OP_where) continue;
        CHECK(samples[op].name != NULL, "%s has no sample", stria_op_infos[op].name);
        if (samples[op].name == NULL) continue;
        const unsigned all = (1u << stria_op_infos[op].arity) - 1;
        for (unsigned reals = 0; reals < (n_measured > 0 ? 1 : all); reals++) {
            check_row((stria_op)op, STRIA_C64, reals, &random);
            check_row((stria_op)op, STRIA_C128, reals, &random);
        }
    }
}

/* ---------------------------------------------------------------- special values */

/* Functions of C that Annex G defines for zeros, infinities and NaN. */
static const struct {
    stria_op op;
    double   complex (*c)(double complex);
} specials[] = {{STRIA_OP_sqrt, csqrt},   {STRIA_OP_exp, cexp},     {STRIA_OP_log, clog},    {STRIA_OP_sinh, csinh},
                {STRIA_OP_cosh, ccosh},   {STRIA_OP_tanh, ctanh},   {STRIA_OP_sin, csin},    {STRIA_OP_cos, ccos},
                {STRIA_OP_tan, ctan},     {STRIA_OP_asin, casin},   {STRIA_OP_acos, cacos},  {STRIA_OP_atan, catan},
                {STRIA_OP_asinh, casinh}, {STRIA_OP_acosh, cacosh}, {STRIA_OP_atanh, catanh}};

/* NaN with NaN, infinities and zeros with their signs unless these are open, others within rounding of the larger part. */
static bool agrees(double got, double want, double size, double eps, bool is_open)
{
    if (isnan(want)) return isnan(got);
    if (is_open && (isinf(want) || want == 0)) return fabs(got) == fabs(want);
    if (isinf(want) || want == 0) return got == want && !signbit(got) == !signbit(want);
    return fabs(got - want) <= 8 * eps * (isfinite(size) ? size : fabs(want));
}

static void check_special(int row, stria_dtype dtype, double re, double im)
{
    const stria_dtype part = dtype == STRIA_C64 ? STRIA_F32 : STRIA_F64;
    const int64_t     n = 37; /* vectors and what is left */
    const size_t      size = stria_dtype_get_size(part);
    stria_tensor     *x = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < 2 * n; k++)
        set_part(part, (char *)stria_tensor_get_data(x) + (size_t)k * size, k % 2 == 0 ? re : im);
    const wide           z = get(x, 0);
    const double complex want = specials[row].c((double complex)z);
    CHECK_STATUS(stria_apply(specials[row].op, (const stria_tensor *const *)&x, 1, &y, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k += n - 1) {
        const wide   got = get(y, k);
        const double eps = part == STRIA_F32 ? FLT_EPSILON : DBL_EPSILON, whole = cabs(want);
        /* C leaves signs open beside NaN, and where an angle is not finite */
        const bool is_open =
            isnan(creal(want)) || isnan(cimag(want)) || (isinf(creall(z)) && !isfinite(cimagl(z)) && whole == 0);
        if (part == STRIA_F32 && (fabs(creal(want)) > FLT_MAX || fabs(cimag(want)) > FLT_MAX) && isfinite(whole))
            continue;
        CHECK(agrees((double)creall(got), creal(want), whole, eps, is_open) &&
                  agrees((double)cimagl(got), cimag(want), whole, eps, is_open),
              "%s, dtype %d: f(%g, %g) = %g, %g; C says %g, %g", stria_op_infos[specials[row].op].name, dtype, re, im,
              (double)creall(got), (double)cimagl(got), creal(want), cimag(want));
    }
    stria_tensor_release(x);
    stria_tensor_release(y);
}

static void test_specials(void)
{
    static const double values[] = {
        0,  1,    0.5, 2,       1e-300, 1e300,     INFINITY, NAN, -0.0,
        -1, -0.5, -2,  -1e-300, -1e300, -INFINITY, 0x1p-140, 1e38}; /* of f32: near its ends */
    const int n = sizeof values / sizeof *values;

    for (int row = 0; row < (int)(sizeof specials / sizeof *specials); row++)
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) {
                check_special(row, STRIA_C128, values[a], values[b]);
                check_special(row, STRIA_C64, values[a], values[b]); /* 1e300 is infinite */
            }
}

/* ---------------------------------------------------------------- layouts, operands, outputs */

static stria_tensor *make_pairs(int64_t rows, int64_t columns, stria_dtype dtype)
{
    const stria_dtype part = dtype == STRIA_C64 ? STRIA_F32 : STRIA_F64;
    stria_tensor     *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 2, (const int64_t[]){rows, columns}, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < 2 * rows * columns; k++)
        set_part(part, (char *)stria_tensor_get_data(x) + (size_t)k * stria_dtype_get_size(part), (double)(k % 17) - 8);
    return x;
}

/* A row-major copy, so that elements can be compared; x is released. */
static stria_tensor *pack(stria_tensor *x)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_contiguous(x, &y, NULL), STRIA_OK);
    stria_tensor_release(x);
    return y;
}

static void check_equal(const char *what, stria_tensor *a, stria_tensor *b)
{
    CHECK(a->numel == b->numel && a->dtype == b->dtype, "%s: shape, dtype", what);
    for (int64_t k = 0; k < a->numel && a->numel == b->numel; k++)
        CHECK(get(a, k) == get(b, k), "%s: element %d", what, (int)k);
}

/* x y + x of strided operands is that of packed ones; in place and into an out of another dtype, too. */
static void test_layouts(stria_dtype dtype)
{
    stria_tensor *x = make_pairs(9, 70, dtype), *every = NULL, *turned = NULL, *a = NULL, *b = NULL, *column = NULL;
    stria_tensor *got = NULL, *want = NULL, *out = NULL;

    CHECK_STATUS(stria_slice(x, 1, STRIA_INT_NONE, STRIA_INT_NONE, -2, &every, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(every, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(turned, 1, 3, 4, 1, &column, NULL), STRIA_OK);
    CHECK_STATUS(stria_mul(turned, column, &got, NULL), STRIA_OK);
    a = pack(stria_tensor_retain(turned));
    b = pack(stria_tensor_retain(column));
    CHECK_STATUS(stria_mul(a, b, &want, NULL), STRIA_OK);
    got = pack(got);
    check_equal("strided, broadcast", got, want);
    CHECK_STATUS(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){turned, column}, 2, turned, NULL),
                 STRIA_ERR_OVERLAP);
    CHECK_STATUS(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){turned, b}, 2, turned, NULL), STRIA_OK);
    stria_tensor_release(got);
    got = pack(stria_tensor_retain(turned));
    check_equal("in place", got, want);
    CHECK_STATUS(
        stria_zeros((const int64_t[]){35, 9}, 2, dtype == STRIA_C64 ? STRIA_C128 : STRIA_C64, STRIA_CPU, &out, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){a, b}, 2, out, NULL), STRIA_OK);
    for (int64_t k = 0; k < out->numel; k++)
        CHECK(get(out, k) == get(want, k), "out of another dtype: element %d", (int)k);
    stria_tensor_release(out);
    CHECK_STATUS(stria_zeros((const int64_t[]){35, 9}, 2, STRIA_F64, STRIA_CPU, &out, NULL), STRIA_OK);
    REFUSED(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){a, b}, 2, out, &err), STRIA_ERR_DTYPE, "mul", "out",
            "does not cast");
    CHECK_STATUS(stria_apply_out(STRIA_OP_abs, (const stria_tensor *const *)&a, 1, out, NULL), STRIA_OK);
    for (int64_t k = 0; k < out->numel; k++)
        CHECK(cabsl(get(out, k) - cabsl(get(a, k))) < 1e-5, "abs into f64: element %d", (int)k);
    for (stria_tensor **each = (stria_tensor *[]){x, every, turned, a, b, column, got, want, out, NULL}; *each != NULL;
         each++)
        stria_tensor_release(*each);
}

static stria_tensor *make_one(stria_dtype dtype, double re, double im)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_full(NULL, 0, (stria_scalar){STRIA_SCALAR_COMPLEX, 0, re, im}, dtype, STRIA_CPU, &y, NULL),
                 STRIA_OK);
    return y;
}

/* What a row gives for two operands, which are released. */
static wide two(stria_op op, stria_tensor *a, stria_tensor *b, stria_dtype dtype)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_apply(op, (const stria_tensor *[]){a, b}, 2, &y, NULL), STRIA_OK);
    CHECK(y->dtype == dtype, "%s: dtype %d", stria_op_infos[op].name, y->dtype);
    const wide z = get(y, 0);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
    return z;
}
static stria_tensor *number(stria_scalar value)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_tensor_new_scalar(value, &y, NULL), STRIA_OK);
    return y;
}
#define FLOAT(x) number((stria_scalar){STRIA_SCALAR_FLOAT, 0, x, 0})

static void test_operands(void)
{
    const stria_scalar i = {STRIA_SCALAR_COMPLEX, 0, 0, 1};
    wide               z;

    z = two(STRIA_OP_mul, make_one(STRIA_C64, INFINITY, 1), FLOAT(2), STRIA_C64);
    CHECK(isinf(creall(z)) && cimagl(z) == 2, "a real number is real: %Lg %Lg", creall(z), cimagl(z));
    z = two(STRIA_OP_add, make_one(STRIA_C64, 1, -0.0), FLOAT(2), STRIA_C64);
    CHECK(creall(z) == 3 && cimagl(z) == 0 && signbit(cimagl(z)), "the sign of a zero stays");
    z = two(STRIA_OP_sub, FLOAT(2), make_one(STRIA_C128, 1, 3), STRIA_C128);
    CHECK(creall(z) == 1 && cimagl(z) == -3, "2 - (1 + 3i)");
    z = two(STRIA_OP_div, make_one(STRIA_C128, 2, 4), FLOAT(0), STRIA_C128);
    CHECK(isinf(creall(z)) && isinf(cimagl(z)), "divided by 0");
    z = two(STRIA_OP_div, make_one(STRIA_C128, 2, 0), make_one(STRIA_C128, 0, 0), STRIA_C128);
    CHECK(isinf(creall(z)) && isnan(cimagl(z)), "divided by 0 + 0i, as in NumPy");
    z = two(STRIA_OP_div, make_one(STRIA_C128, 2, 3), make_one(STRIA_C128, INFINITY, -INFINITY), STRIA_C128);
    CHECK(z == 0, "divided by an infinity");
    z = two(STRIA_OP_div, make_one(STRIA_C128, 1e307, 1e-307), make_one(STRIA_C128, 1e204, 1e-204), STRIA_C128);
    CHECK(fabsl(creall(z) - 1e103L) < 1e90L && fabsl(cimagl(z) / -1e-305L - 1) < 1e-10L, "hard quotient 1: %Lg %Lg",
          creall(z), cimagl(z));
    z = two(STRIA_OP_div, make_one(STRIA_C128, 1e308, 1e308), make_one(STRIA_C128, 1e308, 1e308), STRIA_C128);
    CHECK(z == 1, "hard quotient 2: %Lg %Lg", creall(z), cimagl(z));
    z = two(STRIA_OP_div, make_one(STRIA_C128, 5e-324, 5e-324), make_one(STRIA_C128, 5e-324, 5e-324), STRIA_C128);
    CHECK(z == 1, "hard quotient 3: %Lg %Lg", creall(z), cimagl(z));
    z = two(STRIA_OP_div, make_one(STRIA_C64, 1e38, 1e38), make_one(STRIA_C64, 1e-38, 1e38), STRIA_C64);
    CHECK(fabsl(creall(z) - 1) < 1e-6 && fabsl(cimagl(z) + 1) < 1e-6, "hard quotient 4: %Lg %Lg", creall(z), cimagl(z));
    z = two(STRIA_OP_pow, make_one(STRIA_C128, 1, 2), FLOAT(2), STRIA_C128);
    CHECK(z == make(-3, 4), "(1 + 2i)^2 is exact");
    z = two(STRIA_OP_pow, make_one(STRIA_C128, -4, 0), FLOAT(0.5), STRIA_C128);
    CHECK(z == make(0, 2), "a root");
    z = two(STRIA_OP_pow, make_one(STRIA_C128, 0, 0), make_one(STRIA_C128, 0, 0), STRIA_C128);
    CHECK(z == 1, "0 to the power 0");
    z = two(STRIA_OP_pow, make_one(STRIA_C128, 0, 0), make_one(STRIA_C128, 2, 1), STRIA_C128);
    CHECK(z == 0, "0 to the power 2 + i");
    /* promotion: numbers by their category alone */
    stria_tensor *x = NULL, *y = NULL;
    CHECK_STATUS(stria_ones((const int64_t[]){3}, 1, STRIA_I64, STRIA_CPU, &x, NULL), STRIA_OK);
    z = two(STRIA_OP_mul, x, number(i), STRIA_C64);
    CHECK(z == make(0, 1), "i64 by i");
    CHECK_STATUS(stria_ones((const int64_t[]){3}, 1, STRIA_F64, STRIA_CPU, &x, NULL), STRIA_OK);
    z = two(STRIA_OP_add, x, number(i), STRIA_C128);
    CHECK(z == make(1, 1), "f64 and i");
    CHECK_STATUS(stria_ones((const int64_t[]){0, 3}, 2, STRIA_C64, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_exp(x, &y, NULL), STRIA_OK);
    CHECK(y->numel == 0 && y->dtype == STRIA_C64, "nothing");
    stria_tensor_release(x);
    stria_tensor_release(y);
}

static void test_where(void)
{
    const uint8_t masks[] = {1, 0, 2};
    stria_tensor *mask = NULL, *x = make_pairs(1, 3, STRIA_C64), *one = FLOAT(1), *y = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_U8, 1, (const int64_t[]){3}, masks, 3, &mask, NULL), STRIA_OK);
    CHECK_STATUS(stria_where(mask, x, one, &y, NULL), STRIA_OK);
    for (int64_t k = 0; k < 3; k++) CHECK(get(y, k) == (masks[k] ? get(x, k) : 1), "where: element %d", (int)k);
    stria_tensor_release(y);
    y = NULL;
    REFUSED(stria_where(x, x, one, &y, &err), STRIA_ERR_DTYPE, "where", "a", "must be bool");
    stria_tensor_release(mask);
    stria_tensor_release(one);
    stria_tensor_release(x);
}

/* (a b + (1 + 2i)) / |a|, with an op that nothing depends on and one that is used twice; b may be real. */
static void test_expression(stria_dtype dtype, stria_dtype other)
{
    const stria_scalar      number = {.kind = STRIA_SCALAR_COMPLEX, .re = 1, .im = 2};
    const stria_instruction code[] = {{STRIA_OP_mul, {0, 1}},
                                      {STRIA_OP_exp, {0}},
                                      {STRIA_OP_add, {3, 2}},
                                      {STRIA_OP_abs, {0}},
                                      {STRIA_OP_div, {5, 6}}};
    stria_tensor           *a = make_pairs(9, 70, dtype), *row = NULL, *b = NULL, *turned = NULL, *meta = NULL;
    stria_tensor           *c = NULL, *t[3] = {NULL}, *want = NULL, *got = NULL, *out = NULL;
    stria_expression       *e = NULL;

    CHECK_STATUS(stria_rand((const int64_t[]){1, 70}, 2, STRIA_F64, STRIA_CPU, NULL, &row, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(row, other, &b, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar(number, &c, NULL), STRIA_OK);
    CHECK_STATUS(stria_mul(a, b, &t[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_add(t[0], c, &t[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_abs(a, &t[2], NULL), STRIA_OK);
    CHECK_STATUS(stria_div(t[1], t[2], &want, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_new(2, &number, 1, code, 5, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){a, b}, 2, &got, NULL), STRIA_OK);
    check_equal("an expression", got, want);
    stria_tensor_release(got);
    CHECK_STATUS(stria_tensor_new(dtype, 2, (const int64_t[]){70, 9}, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(out, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply_out(e, (const stria_tensor *[]){a, b}, 2, turned, NULL), STRIA_OK);
    check_equal("an expression into an out", got = pack(turned), want);
    stria_tensor_release(got);
    CHECK_STATUS(stria_zeros((const int64_t[]){9, 70}, 2, dtype, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){meta, c}, 2, &got, NULL), STRIA_OK);
    CHECK(got->numel == 630 && got->dtype == dtype && got->device.type == STRIA_DEVICE_META, "an expression on meta");
    CHECK_STATUS(stria_expression_apply_out(e, (const stria_tensor *[]){a, b}, 2, a, NULL), STRIA_OK);
    check_equal("an expression in place", a, want);
    stria_tensor *const all[] = {a, row, b, meta, c, t[0], t[1], t[2], want, got, out};
    for (int k = 0; k < (int)(sizeof all / sizeof *all); k++) stria_tensor_release(all[k]);
    stria_expression_release(e);
}

/* A complex number makes an expression of real tensors complex; the inputs stay the caller's where ops are refused. */
static void test_expression_numbers(void)
{
    const stria_scalar      number = {.kind = STRIA_SCALAR_COMPLEX, .re = 0, .im = 1};
    const stria_instruction code[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_lt, {2, 0}}};
    const stria_instruction again[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_add, {2, 2}}, {STRIA_OP_sub, {3, 2}}};
    const float             numbers[] = {1, -2};
    stria_expression       *e = NULL;
    stria_tensor           *x = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, (const int64_t[]){2}, numbers, sizeof numbers, &x, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_expression_new(1, &number, 1, code, 1, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *const *)&x, 1, &y, NULL), STRIA_OK);
    CHECK(y->dtype == STRIA_C64 && get(y, 0) == make(0, 1) && get(y, 1) == make(0, -2), "x times i");
    stria_expression_release(e);
    stria_tensor_release(y);
    y = NULL;
    CHECK_STATUS(stria_expression_new(1, &number, 1, again, 3, &e, NULL),
                 STRIA_OK); /* a value that is needed again later */
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *const *)&x, 1, &y, NULL), STRIA_OK);
    CHECK(get(y, 0) == make(0, 1) && get(y, 1) == make(0, -2), "x i + x i - x i");
    stria_expression_release(e);
    stria_tensor_release(y);
    y = NULL;
    CHECK_STATUS(stria_expression_new(1, &number, 1, code, 2, &e, NULL), STRIA_OK);
    REFUSED(stria_expression_apply(e, (const stria_tensor *const *)&x, 1, &y, &err), STRIA_ERR_DTYPE, "lt", "a",
            "complex numbers have no order");
    REFUSED(stria_expression_apply_out(e, (const stria_tensor *const *)&x, 1, x, &err), STRIA_ERR_DTYPE, "lt", "a",
            "complex numbers have no order");
    CHECK(((const float *)stria_tensor_get_const_data(x))[1] == -2, "a refused expression has written");
    stria_expression_release(e);
    stria_tensor_release(x);
}

static void test_refusals(void)
{
    stria_tensor *x = make_pairs(1, 3, STRIA_C64), *y = NULL;

    REFUSED(stria_lt(x, x, &y, &err), STRIA_ERR_DTYPE, "lt", "a",
            "c64 is not supported; complex numbers have no order");
    REFUSED(stria_maximum(x, x, &y, &err), STRIA_ERR_DTYPE, "maximum", "a", "complex numbers have no order");
    REFUSED(stria_floor(x, &y, &err), STRIA_ERR_DTYPE, "floor", "a", "c64 is not supported");
    REFUSED(stria_atan2(x, x, &y, &err), STRIA_ERR_DTYPE, "atan2", "a", "c64 is not supported");
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- near and far */

/* Exponents of parts at and beyond both ends of what kernels of mul, div and abs take (stria_complex_kernels). */
static double draw_size(random_state *random, stria_dtype part, bool is_near)
{
    static const int narrow[] = {-149, -120, -51, 59, 61, 127}, wide_ends[] = {-1070, -600, -451, 499, 501, 1023};
    const double     unit = 1 + random_unit(random);
    const uint64_t   way = random_next(random) % 12;

    if (is_near || way > 7) return way % 2 ? unit : -unit;
    return way == 6 ? 0 : way == 7 ? INFINITY : ldexp(unit, (part == STRIA_F32 ? narrow : wide_ends)[way]);
}

/* Elements among others, of which one in `rarity` may be far, are what they are alone: where kernels stop is seen in no bit. */
static void check_among_others(stria_op op, stria_dtype dtype, uint64_t rarity, int64_t step)
{
    const stria_dtype part = dtype == STRIA_C64 ? STRIA_F32 : STRIA_F64;
    const int64_t     n = 611 * step, one = 1, size = (int64_t)stria_dtype_get_size(part);
    const int         n_in = stria_op_infos[op].arity;
    random_state      random = {rarity};
    stria_tensor     *in[2] = {NULL}, *view[2] = {NULL}, *y = NULL;

    for (int k = 0; k < n_in; k++) {
        CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &in[k], NULL), STRIA_OK);
        char *at = stria_tensor_get_data(in[k]);
        for (int64_t i = 0; i < n; i++) {
            const bool is_near = random_next(&random) % rarity != 0;
            set_part(part, at + 2 * i * size, draw_size(&random, part, is_near));
            set_part(part, at + (2 * i + 1) * size, draw_size(&random, part, is_near));
        }
        CHECK_STATUS(stria_slice(in[k], 0, 0, n, step, &view[k], NULL), STRIA_OK);
    }
    CHECK_STATUS(stria_apply(op, (const stria_tensor *const *)view, n_in, &y, NULL), STRIA_OK);
    for (int64_t i = 0; y != NULL && i < y->numel; i++) {
        stria_tensor *alone[2] = {NULL}, *got = NULL;
        for (int k = 0; k < n_in; k++) {
            CHECK_STATUS(stria_tensor_new(dtype, 1, &one, &alone[k], NULL), STRIA_OK);
            memcpy(stria_tensor_get_data(alone[k]),
                   (const char *)stria_tensor_get_const_data(in[k]) + 2 * i * step * size, (size_t)(2 * size));
        }
        CHECK_STATUS(stria_apply(op, (const stria_tensor *const *)alone, n_in, &got, NULL), STRIA_OK);
        const wide a = get(y, i), b = get(got, 0);
        CHECK((isnan(creall(b)) ? isnan(creall(a)) : is_same(creall(a), creall(b))) &&
                  (isnan(cimagl(b)) ? isnan(cimagl(a)) : is_same(cimagl(a), cimagl(b))),
              "%s, dtype %d, one in %d: element %d is %Lg %Lg, alone %Lg %Lg", stria_op_infos[op].name, dtype,
              (int)rarity, (int)i, creall(a), cimagl(a), creall(b), cimagl(b));
        for (int k = 0; k < n_in; k++) stria_tensor_release(alone[k]);
        stria_tensor_release(got);
    }
    /* in place */
    if (op == STRIA_OP_div || op == STRIA_OP_mul) {
        CHECK_STATUS(stria_apply_out(op, (const stria_tensor *const *)view, n_in, view[0], NULL), STRIA_OK);
        stria_tensor *packed = NULL;
        CHECK_STATUS(stria_contiguous(view[0], &packed, NULL), STRIA_OK);
        CHECK(memcmp(stria_tensor_get_const_data(packed), stria_tensor_get_const_data(y),
                     (size_t)(2 * size * y->numel)) == 0,
              "%s, dtype %d, one in %d: in place", stria_op_infos[op].name, dtype, (int)rarity);
        stria_tensor_release(packed);
    }
    for (int k = 0; k < n_in; k++) {
        stria_tensor_release(in[k]);
        stria_tensor_release(view[k]);
    }
    stria_tensor_release(y);
}

/* What is divided and multiplied by one value, and the value by what there is, is what it is by a tensor of them. */
static void check_values(stria_op op, stria_dtype dtype)
{
    stria_tensor *x = make_pairs(1, 133, dtype), *one = make_one(dtype, 2, -3), *all = NULL;

    CHECK_STATUS(stria_full((const int64_t[]){1, 133}, 2, (stria_scalar){STRIA_SCALAR_COMPLEX, 0, 2, -3}, dtype,
                            STRIA_CPU, &all, NULL),
                 STRIA_OK);
    for (int order = 0; order < 2; order++) {
        stria_tensor       *y = NULL, *want = NULL;
        const stria_tensor *by_one[] = {order ? one : x, order ? x : one},
                           *by_all[] = {order ? all : x, order ? x : all};
        CHECK_STATUS(stria_apply(op, by_one, 2, &y, NULL), STRIA_OK);
        CHECK_STATUS(stria_apply(op, by_all, 2, &want, NULL), STRIA_OK);
        for (int64_t k = 0; k < 133; k++) {
            const wide a = get(y, k), b = get(want, k);
            CHECK(a == b || (a != a && b != b), "%s by a value: element %d", stria_op_infos[op].name, (int)k);
        }
        stria_tensor_release(y);
        stria_tensor_release(want);
    }
    stria_tensor_release(x);
    stria_tensor_release(one);
    stria_tensor_release(all);
}

static void test_near_and_far(void)
{
    static const stria_op ops[] = {STRIA_OP_mul, STRIA_OP_div, STRIA_OP_reciprocal, STRIA_OP_abs};

    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (stria_dtype dtype = STRIA_C64; dtype <= STRIA_C128; dtype++)
            for (uint64_t rarity = 2; rarity <= 200; rarity *= 10) {
                check_among_others(ops[k], dtype, rarity, 1);
                check_among_others(ops[k], dtype, rarity, 3);
            }
    for (stria_dtype dtype = STRIA_C64; dtype <= STRIA_C128; dtype++) {
        check_values(STRIA_OP_mul, dtype);
        check_values(STRIA_OP_div, dtype);
    }
}

SUITE(test_complex)
{
    check_isa("test_complex");
    if (argc == 3 && strcmp(argv[1], "--table") == 0 && HAS_ORACLE) n_measured = atoll(argv[2]);
    test_rows();
    if (n_measured > 0) return check_finish("test_complex");
    test_layouts(STRIA_C64);
    test_layouts(STRIA_C128);
    test_operands();
    test_near_and_far();
    test_where();
    test_expression(STRIA_C64, STRIA_C64);
    test_expression(STRIA_C128, STRIA_F32);
    test_expression_numbers();
    test_refusals();
    if (HAS_ORACLE) test_specials();
    return check_finish("test_complex");
}
