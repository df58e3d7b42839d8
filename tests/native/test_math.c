/* test_math.c - the functions of vec_math.h: special values, exact results, and the points of public test suites.
 *
 * The suites are read from the folder STRIA_TESTDATA, by default ../shared/testdata beside the sources; a file that is not
 * there is counted as skipped. Their outputs are correctly rounded or nearly so: one ULP is allowed. The scalar vocabulary
 * is tested: test_hash and test_ops hold the other instruction sets to the same bits.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "json.h"
#include "test.h"
#include "vec_scalar.h"

#include "vec_math.h"

typedef struct function {
    const char *name;
    float (*f32_1)(float);
    double (*f64_1)(double);
    float (*f32_2)(float, float);
    double (*f64_2)(double, double);
} function;

#define MATH_1(name, ...)                                             \
    static float  name##_f32(float x) { return vec_##name##_f32(x); } \
    static double name##_f64(double x) { return vec_##name##_f64(x); }
#define MATH_2(name, ...)                                                         \
    static float  name##_f32(float x, float y) { return vec_##name##_f32(x, y); } \
    static double name##_f64(double x, double y) { return vec_##name##_f64(x, y); }
#include "math_functions.def"

static const function functions[] = {
#define MATH_1(name, ...) {#name, name##_f32, name##_f64, NULL, NULL},
#define MATH_2(name, ...) {#name, NULL, NULL, name##_f32, name##_f64},
#include "math_functions.def"
};

static const function *get_function(const char *name)
{
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++)
        if (strcmp(functions[k].name, name) == 0) return &functions[k];
    return NULL;
}

/* ---------------------------------------------------------------- special values */

/* Equal, the sign of zero included; or both NaN. */
static bool is_same(double a, double b)
{
    if (a != a || b != b) return a != a && b != b;
    return a == b && !signbit(a) == !signbit(b);
}

static void check_1(const char *name, double x, double expected)
{
    const function *f = get_function(name);
    const double    wide = f->f64_1(x), narrow = (double)f->f32_1((float)x);
    CHECK(is_same(wide, expected), "%s f64 (%a) = %a, expected %a", name, x, wide, expected);
    CHECK(is_same(narrow, expected), "%s f32 (%a) = %a, expected %a", name, x, narrow, expected);
}

static void check_2(const char *name, double x, double y, double expected)
{
    const function *f = get_function(name);
    const double    wide = f->f64_2(x, y), narrow = (double)f->f32_2((float)x, (float)y);
    CHECK(is_same(wide, expected), "%s f64 (%a, %a) = %a, expected %a", name, x, y, wide, expected);
    CHECK(is_same(narrow, (double)(float)expected), "%s f32 (%a, %a) = %a, expected %a", name, x, y, narrow, expected);
}

static void test_special_1(void)
{
    static const struct {
        const char *name;
        double      at_zero, at_minus_zero, at_inf, at_minus_inf;
    } specials[] = {
        {"exp", 1, 1, INFINITY, 0},
        {"exp2", 1, 1, INFINITY, 0},
        {"expm1", 0, -0.0, INFINITY, -1},
        {"log", -INFINITY, -INFINITY, INFINITY, NAN},
        {"log2", -INFINITY, -INFINITY, INFINITY, NAN},
        {"log10", -INFINITY, -INFINITY, INFINITY, NAN},
        {"log1p", 0, -0.0, INFINITY, NAN},
        {"cbrt", 0, -0.0, INFINITY, -INFINITY},
        {"sin", 0, -0.0, NAN, NAN},
        {"cos", 1, 1, NAN, NAN},
        {"tan", 0, -0.0, NAN, NAN},
        {"asin", 0, -0.0, NAN, NAN},
        {"sinh", 0, -0.0, INFINITY, -INFINITY},
        {"cosh", 1, 1, INFINITY, INFINITY},
        {"tanh", 0, -0.0, 1, -1},
        {"asinh", 0, -0.0, INFINITY, -INFINITY},
        {"acosh", NAN, NAN, INFINITY, NAN},
        {"atanh", 0, -0.0, NAN, NAN},
        {"sigmoid", 0.5, 0.5, 1, 0},
        {"gelu", 0, -0.0, INFINITY, -0.0},
        {"gelu_tanh", 0, -0.0, INFINITY, -0.0},
        {"erf", 0, -0.0, 1, -1},
        {"erfc", 1, 1, 0, 2},
        {"rsqrt", INFINITY, -INFINITY, 0, NAN},
        {"softsign", 0, -0.0, NAN, NAN},
        {"hardsigmoid", 0.5, 0.5, 1, 0},
        {"hardswish", 0, -0.0, INFINITY, NAN},
    };
    for (size_t k = 0; k < sizeof specials / sizeof specials[0]; k++) {
        check_1(specials[k].name, 0, specials[k].at_zero);
        check_1(specials[k].name, -0.0, specials[k].at_minus_zero);
        check_1(specials[k].name, INFINITY, specials[k].at_inf);
        check_1(specials[k].name, -INFINITY, specials[k].at_minus_inf);
    }
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++)
        if (functions[k].f64_1) {
            check_1(functions[k].name, NAN, NAN);
            check_1(functions[k].name, -NAN, NAN);
        }
    check_1("atan", 0, 0);
    check_1("atan", -0.0, -0.0);
    check_1("acos", INFINITY, NAN);
}

static void test_exact(void)
{
    static const char *const domain[] = {"log", "log2", "log10"};
    for (int k = 0; k < 3; k++) {
        check_1(domain[k], 1, 0);
        check_1(domain[k], -1, NAN);
        check_1(domain[k], -0x1p-149, NAN);
    }
    for (int k = -149; k <= 127; k++) {
        check_1("log2", ldexp(1, k), k);
        check_1("exp2", k, ldexp(1, k));
    }
    for (int k = 1; k <= 10; k++) check_1("log10", pow(10, k), k);
    for (int k = -200; k <= 200; k++) check_1("cbrt", (double)k * k * k, k);
    for (int k = -74; k <= 63; k++) check_1("rsqrt", ldexp(1, 2 * k), ldexp(1, -k));
    check_1("rsqrt", -0x1p-149, NAN);
    check_1("rsqrt", -0x1p127, NAN);
    check_1("softsign", 1, 0.5);
    check_1("softsign", -0x1p127, -1);
    check_1("softsign", 0x1p-149, 0x1p-149);
    check_1("hardsigmoid", -3, 0);
    check_1("hardsigmoid", 3, 1);
    check_1("hardswish", -3, -0.0);
    check_1("hardswish", 3, 3);
    check_1("hardswish", 0x1p127, 0x1p127);
    check_1("hardswish", 0x1p-148, 0x1p-149);
    check_1("exp", 1000, INFINITY);
    check_1("exp", -1000, 0);
    check_1("expm1", 1000, INFINITY);
    check_1("expm1", -1000, -1);
    check_1("exp2", 1024, INFINITY);
    check_1("exp2", -1080, 0);
    check_1("log1p", -1, -INFINITY);
    check_1("log1p", -1.5, NAN);
    check_1("asin", 1.5, NAN);
    check_1("acos", 1, 0);
    check_1("acos", -1.5, NAN);
    check_1("acosh", 1, 0);
    check_1("acosh", 0.5, NAN);
    check_1("acosh", -2, NAN);
    check_1("acosh", -100000, NAN);
    check_1("atanh", 1, INFINITY);
    check_1("atanh", -1, -INFINITY);
    check_1("atanh", 2, NAN);
    check_1("sinh", -1000, -INFINITY);
    check_1("cosh", 1000, INFINITY);
    check_1("tanh", 1000, 1);
    check_1("sigmoid", 1000, 1);
    check_1("sigmoid", -1000, 0);
    check_1("gelu", 1000, 1000);
    check_1("gelu", -1000, -0.0);
    check_1("gelu_tanh", 1000, 1000);
    check_1("gelu_tanh", -1000, -0.0);
    check_1("erfc", 1000, 0);
    check_1("erfc", -1000, 2);
    /* subnormal numbers */
    check_1("exp", -0x1p-149, 1);
    check_1("sin", 0x1p-149, 0x1p-149);
    check_1("tanh", -0x1p-149, -0x1p-149);
    check_1("expm1", 0x1p-149, 0x1p-149);
    check_1("log1p", 0x1p-149, 0x1p-149);
    CHECK(exp_f64(-745) == 0x1p-1074, "exp(-745) = %a", exp_f64(-745));
    CHECK(exp_f32(-103) == 0x1p-149f, "exp(-103) = %a", (double)exp_f32(-103));
    CHECK(sin_f64(0x1p-1074) == 0x1p-1074, "sin loses a subnormal number");
    CHECK(log2_f64(0x1p-1074) == -1074, "log2 of a subnormal number");
}

/* C99 Annex F 9.4.4 */
static void test_pow(void)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const double zero = sign < 0 ? -0.0 : 0, inf = sign < 0 ? -INFINITY : INFINITY;
        check_2("pow", zero, -3, sign < 0 ? -INFINITY : INFINITY);
        check_2("pow", zero, -2, INFINITY);
        check_2("pow", zero, -2.5, INFINITY);
        check_2("pow", zero, -INFINITY, INFINITY);
        check_2("pow", zero, 3, zero);
        check_2("pow", zero, 2, 0);
        check_2("pow", zero, 0.25, 0);
        check_2("pow", zero, INFINITY, 0);
        check_2("pow", inf, -3, zero);
        check_2("pow", inf, -2, 0);
        check_2("pow", inf, -0.5, 0);
        check_2("pow", inf, 3, inf);
        check_2("pow", inf, 2, INFINITY);
        check_2("pow", inf, 0.5, INFINITY);
        check_2("pow", inf, INFINITY, INFINITY);
        check_2("pow", inf, -INFINITY, 0);
        check_2("pow", sign * 0.5, -INFINITY, INFINITY);
        check_2("pow", sign * 2.0, -INFINITY, 0);
        check_2("pow", sign * 0.5, INFINITY, 0);
        check_2("pow", sign * 2.0, INFINITY, INFINITY);
        check_2("pow", sign * 1.0, INFINITY, 1);
        check_2("pow", sign * 1.0, -INFINITY, 1);
        check_2("pow", sign * 2.0, zero, 1);
        check_2("pow", NAN, zero, 1);
        check_2("pow", sign * 2.0, 10, 1024);
        check_2("pow", sign * 3.0, 5, sign * 243.0);
        check_2("pow", sign * 10.0, -1, sign * 0.1);
        check_2("pow", sign * 1e30, 20, INFINITY);
        check_2("pow", sign * 1e30, 21, sign * INFINITY);
        check_2("pow", sign * 1e30, -21, zero);
    }
    check_2("pow", 1, NAN, 1);
    check_2("pow", NAN, 1, NAN);
    check_2("pow", 2, NAN, NAN);
    check_2("pow", -2, 0.5, NAN);
    check_2("pow", -0.5, -1.5, NAN);
    check_2("pow", -1, 0x1p100, 1);
    check_2("pow", -1, 0x1p23 + 1, -1);
    CHECK(pow_f64(-1, 0x1p53 - 1) == -1, "odd powers up to 2^53");
    CHECK(pow_f64(-1, 0x1p53) == 1, "above, all are even");
}

/* C99 Annex F 9.1.4 */
static void test_atan2(void)
{
    const double pi = 0x1.921fb54442d18p1;
    for (int sign = -1; sign <= 1; sign += 2) {
        const double zero = sign < 0 ? -0.0 : 0, inf = sign < 0 ? -INFINITY : INFINITY;
        check_2("atan2", zero, -0.0, sign * pi);
        check_2("atan2", zero, 0, zero);
        check_2("atan2", zero, -1, sign * pi);
        check_2("atan2", zero, 1, zero);
        check_2("atan2", sign, 0, sign * pi / 2);
        check_2("atan2", sign, -0.0, sign * pi / 2);
        check_2("atan2", sign, -INFINITY, sign * pi);
        check_2("atan2", sign, INFINITY, zero);
        check_2("atan2", sign * 1e38, INFINITY, zero);
        check_2("atan2", inf, 1, sign * pi / 2);
        check_2("atan2", inf, -1, sign * pi / 2);
        check_2("atan2", inf, -INFINITY, sign * 0x1.2d97c7f3321d2p1);
        check_2("atan2", inf, INFINITY, sign * pi / 4);
        check_2("atan2", sign, 1, sign * pi / 4);
        check_2("atan2", NAN, sign, NAN);
        check_2("atan2", sign, NAN, NAN);
    }
    check_2("atan2", 0x1p-149, 1, 0x1p-149);
}

/* ---------------------------------------------------------------- suites */

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Element i of `count` of a tensor of a suite, given as base64 or as a list. */
typedef struct column {
    const json *tensor, *next;
    bool        is_f32;
    unsigned    bits, n_bits;
    const char *text;
} column;

static column column_of(const json *tensor)
{
    column      c = {tensor, NULL, false, 0, 0, NULL};
    const json *data = json_get(tensor, "data");
    c.is_f32 = strcmp(json_get_string(tensor, "dtype", ""), "float32") == 0;
    c.text = json_get_string(tensor, "b64", NULL);
    c.next = data ? data->first : NULL;
    return c;
}

static double column_next(column *c)
{
    uint64_t word = 0;
    double   x = NAN;
    float    narrow;

    if (!c->text) {
        const json *v = c->next;
        if (!v) return NAN;
        c->next = v->next;
        if (v->type == JSON_NUMBER) return v->number;
        return v->string && v->string[0] == 'I' ? INFINITY : v->string && v->string[0] == '-' ? -INFINITY : NAN;
    }
    for (int k = 0; k < (c->is_f32 ? 4 : 8); k++) {
        while (c->n_bits < 8 && base64_value(*c->text) >= 0) {
            c->bits = c->bits << 6 | (unsigned)base64_value(*c->text++);
            c->n_bits += 6;
        }
        if (c->n_bits < 8) return NAN;
        c->n_bits -= 8;
        word |= (uint64_t)(c->bits >> c->n_bits & 255) << 8 * k;
    }
    memcpy(&x, &word, 8);
    memcpy(&narrow, &word, 4); /* little-endian machines, like the data */
    return c->is_f32 ? (double)narrow : x;
}

/* Numbers of a format in order, as integers. */
static int64_t ordinal(double x, bool is_f32)
{
    float   narrow = (float)x;
    int64_t wide_bits;
    int32_t narrow_bits;
    memcpy(&wide_bits, &x, 8);
    memcpy(&narrow_bits, &narrow, 4);
    if (is_f32) return narrow_bits < 0 ? -(int64_t)(narrow_bits & 0x7fffffff) : narrow_bits;
    return wide_bits < 0 ? -(wide_bits & INT64_MAX) : wide_bits;
}

static void check_row(const json *row)
{
    const function *f = get_function(json_get_string(row, "op", ""));
    const json     *inputs = json_get(row, "inputs");
    const char     *name = json_get_string(row, "name", "?"), *dtype = json_get_string(json_at(inputs, 0), "dtype", "");
    const bool      is_f32 = strcmp(dtype, "float32") == 0;
    const int64_t   points = json_get_int(row, "points", 0);
    column          x = column_of(json_at(inputs, 0)), y = column_of(json_at(inputs, 1));
    column          out = column_of(json_at(json_get(row, "outputs"), 0));

    if (!f || (!is_f32 && strcmp(dtype, "float64") != 0)) return;
    for (int64_t k = 0; k < points; k++) {
        const double a = column_next(&x), b = f->f64_2 ? column_next(&y) : 0, expected = column_next(&out);
        double       got;
        int64_t      off;
        if (is_f32)
            got = (double)(f->f32_1 ? f->f32_1((float)a) : f->f32_2((float)a, (float)b));
        else
            got = f->f64_1 ? f->f64_1(a) : f->f64_2(a, b);
        off = (int64_t)((uint64_t)ordinal(got, is_f32) - (uint64_t)ordinal(expected, is_f32)); /* NaN may wrap */
        if (got != got || expected != expected) off = got != got && expected != expected ? 0 : INT64_MAX;
        CHECK(off >= -1 && off <= 1, "%s: (%a, %a) = %a, expected %a", name, a, b, got, expected);
    }
}

static void test_suite(const char *folder, const char *file_name)
{
    char   path[1024], *line = NULL;
    size_t capacity = 0;
    FILE  *file;

    snprintf(path, sizeof path, "%s/%s", folder, file_name);
    file = fopen(path, "rb");
    if (!file) {
        test_skip(path);
        return;
    }
    for (;;) {
        size_t n = 0;
        int    c;
        json  *row;
        while ((c = getc(file)) != EOF && c != '\n') {
            if (n == capacity) {
                char *grown = realloc(line, capacity = 2 * capacity + 4096);
                CHECK(grown != NULL, "out of memory");
                if (!grown) goto done;
                line = grown;
            }
            line[n++] = (char)c;
        }
        row = n > 0 ? json_parse(line, n) : NULL;
        if (n > 0) CHECK(row != NULL, "%s: a line is not JSON", file_name);
        if (row) check_row(row);
        json_free(row);
        if (c == EOF) break;
    }
done:
    free(line);
    fclose(file);
}

/* ---------------------------------------------------------------- factors of every size */

static double ulp_of(long double x) { return x == 0 ? 0x1p-1074 : fmax(0x1p-1074, ldexp(1, ilogbl(x) - 52)); }

/* elu and celu of f64, whose alpha goes in and out of the products: against long double, which has the range. */
static void test_alpha(void)
{
    static const int    exponents[] = {-1074, -1000, -400, -301, -300, -299, -1,  0,
                                       99,    100,   101,  250,  300,  301,  700, 1022};
    static const double ratios[] = {-700, -40, -1,    -0.0078125, -0x1p-90, 0x1p-90, 1,
                                    90,   400, 499.5, 500.5,      599,      601,     709};
    const function     *celu = get_function("celu"), *elu = get_function("elu");
    int                 n_finite = 0;

    if (LDBL_MANT_DIG != 64) { /* expm1l of musl is expm1 then; test_hash holds the bits to those of other targets */
        test_skip("factors of every size: no long double of 64 bits");
        return;
    }
    for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++)
        for (size_t k = 0; k < sizeof ratios / sizeof ratios[0]; k++) {
            const double      alpha = ldexp(ratios[k] < 0 ? 1.7 : -1.7, exponents[e]), x = ratios[k] * alpha;
            const long double far = (long double)alpha * expm1l((long double)x / alpha);
            const long double near = (long double)alpha * expm1l(-fabs(ratios[k]));
            const double      got = celu->f64_2(x, alpha), got_near = elu->f64_2(-fabs(ratios[k]), alpha);
            CHECK(fabsl(got_near - near) <= 0.75 * ulp_of(near), "elu(%a, %a) = %a", -fabs(ratios[k]), alpha, got_near);
            if (!isfinite(x)) continue;
            if (fabsl(far) > DBL_MAX)
                CHECK(got == -INFINITY, "celu(%a, %a) = %a, expected -infinity", x, alpha, got);
            else if (fabs(x / alpha) < 709.5)
                CHECK(fabsl(got - far) <= 0.75 * ulp_of(far), "celu(%a, %a) = %a", x, alpha, got);
            n_finite += fabsl(far) <= DBL_MAX;
        }
    CHECK(n_finite > 150, "%d", n_finite);
}

SUITE(test_math)
{
    const char *folder = getenv("STRIA_TESTDATA");
    if (!folder) folder = "../shared/testdata";
    test_special_1();
    test_exact();
    test_pow();
    test_atan2();
    test_alpha();
    test_suite(folder, "core-math.jsonl");
    test_suite(folder, "numpy-umath.jsonl");
    test_suite(folder, "stablehlo-math.jsonl");
    return test_finish();
}
