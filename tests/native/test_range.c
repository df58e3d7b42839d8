/* test_range.c - arange, linspace, logspace and the positions of triangles: elements against loops that count, sizes, thread counts,
 * dtypes, devices, out=, refusals. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "refused.h"

#define INT(value) ((stria_scalar){.kind = STRIA_SCALAR_INT, .i = value})
#define UINT(value) ((stria_scalar){.kind = STRIA_SCALAR_UINT, .i = (int64_t)(value)})
#define FLOAT(value) ((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = value})
#define COMPLEX(real, imaginary) ((stria_scalar){.kind = STRIA_SCALAR_COMPLEX, .re = real, .im = imaginary})
#define NONE STRIA_DTYPE_NONE

static double f64_at(const stria_tensor *y, int64_t k)
{
    double value;
    memcpy(&value, tensor_at((stria_tensor *)(uintptr_t)y, &k), sizeof value);
    return value;
}

/* Element k of y is `value` converted to the dtype of y. */
static bool holds(stria_tensor *y, int64_t k, stria_dtype from, const void *value)
{
    char expected[16];

    value_set(stria_tensor_get_dtype(y), value_get(from, value), expected);
    return value_same(stria_tensor_get_dtype(y), expected, tensor_at(y, &k));
}

/* ---------------------------------------------------------------- arange */

/* Whole numbers, of every integer dtype, wrapped; counted one by one. */
static void test_arange_whole(void)
{
    static const int64_t cases[][3] = {{0, 7, 1},     {5, 0, -2},   {-3, 4, 2}, {0, 0, 1},        {4, 4, -3},
                                       {0, 70001, 1}, {250, 0, -7}, {-1, 3, 4}, {100, -1000, -3}, {0, 513, 1}};

    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            const int64_t start = cases[c][0], end = cases[c][1], step = cases[c][2];
            stria_tensor *y = NULL;
            int64_t       k = 0;
            if (d == STRIA_BOOL || d == STRIA_C64 || d == STRIA_C128 || (d == STRIA_U64 && (start < 0 || end < -1)))
                continue;
            CHECK_STATUS(stria_arange(INT(start), INT(end), INT(step), (stria_dtype)d, STRIA_CPU, &y, NULL), STRIA_OK);
            if (!y) continue;
            for (int64_t value = start; step > 0 ? value < end : value > end; value += step, k++) {
                if (k >= stria_tensor_get_numel(y)) break;
                CHECK(holds(y, k, STRIA_I64, &value), "%s, case %d: element %lld", stria_dtype_get_name((stria_dtype)d),
                      (int)c, (long long)k);
            }
            CHECK(stria_tensor_get_numel(y) == k && (step > 0 ? start + k * step >= end : start + k * step <= end),
                  "case %d: %lld elements", (int)c, (long long)stria_tensor_get_numel(y));
            stria_tensor_release(y);
        }
}

/* Whole numbers that no double holds, at the bounds of 64 bits. */
static void test_arange_exact(void)
{
    static const struct {
        stria_scalar start, end, step;
        stria_dtype  dtype;
        int64_t      count;
        uint64_t     first, last;
    } cases[] = {
        {INT(INT64_MAX - 3), INT(INT64_MAX), INT(1), STRIA_I64, 3, INT64_MAX - 3, INT64_MAX - 1},
        {INT(INT64_MAX - 3), UINT(UINT64_C(1) << 63), INT(1), NONE, 4, INT64_MAX - 3, INT64_MAX},
        {INT(INT64_MIN), INT(INT64_MAX), INT(INT64_MAX), STRIA_I64, 3, (uint64_t)INT64_MIN, INT64_MAX - 1},
        {INT(INT64_MAX), INT(INT64_MIN), INT(INT64_MIN), STRIA_I64, 2, INT64_MAX, UINT64_MAX},
        {INT(INT64_MIN + 2), INT(INT64_MIN), INT(-1), NONE, 2, (uint64_t)INT64_MIN + 2, (uint64_t)INT64_MIN + 1},
        {UINT(UINT64_MAX - 2), UINT(UINT64_MAX), INT(1), NONE, 2, UINT64_MAX - 2, UINT64_MAX - 1},
        {INT(0), UINT(UINT64_MAX), UINT(UINT64_MAX - 1), NONE, 2, 0, UINT64_MAX - 1},
        {UINT(UINT64_MAX), INT(-1), INT(INT64_MIN), STRIA_U64, 2, UINT64_MAX, INT64_MAX},
        {INT(3), INT(-1), INT(-1), STRIA_U64, 4, 3, 0},
        {INT(5), INT(-100), INT(-200), STRIA_U64, 1, 5, 5},
        {INT((INT64_C(1) << 53) + 1), INT((INT64_C(1) << 53) + 4), INT(2), STRIA_I64, 2, (UINT64_C(1) << 53) + 1,
         (UINT64_C(1) << 53) + 3},
        {FLOAT(2.9), FLOAT(-1.9), FLOAT(-1.5), STRIA_I64, 3, 2, 0},
        {FLOAT(0x1p63), FLOAT(0x1p64 - 4096), FLOAT(0x1p62), STRIA_U64, 2, UINT64_C(1) << 63, UINT64_C(3) << 62},
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t last = cases[c].count - 1, zero = 0;
        stria_tensor *y = NULL;
        CHECK_STATUS(stria_arange(cases[c].start, cases[c].end, cases[c].step, cases[c].dtype, STRIA_CPU, &y, NULL),
                     STRIA_OK);
        CHECK(y && stria_tensor_get_numel(y) == cases[c].count, "case %d: size", (int)c);
        if (!y || stria_tensor_get_numel(y) != cases[c].count) continue;
        const uint64_t got[] = {*(uint64_t *)(void *)tensor_at(y, &zero), *(uint64_t *)(void *)tensor_at(y, &last)};
        CHECK(got[0] == cases[c].first && got[1] == cases[c].last, "case %d: %llu .. %llu", (int)c,
              (unsigned long long)got[0], (unsigned long long)got[1]);
        if (cases[c].dtype == NONE)
            CHECK(stria_tensor_get_dtype(y) == (c == 1 || c == 5 || c == 6 ? STRIA_U64 : STRIA_I64), "case %d: dtype",
                  (int)c);
        stria_tensor_release(y);
    }
}

static void test_arange_floats(void)
{
    static const double cases[][3] = {
        {0, 1, 0.1}, {0.5, -3, -0.25}, {-1.7e308, 1.7e308, 1e308}, {1, 1, 1}, {0, 100, 1.0 / 1024}};
    static const stria_dtype dtypes[] = {STRIA_F64, STRIA_F32, STRIA_F16, STRIA_BF16};
    stria_tensor            *y = NULL;

    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            const double start = cases[c][0], end = cases[c][1], step = cases[c][2];
            int64_t      k = 0;
            CHECK_STATUS(stria_arange(FLOAT(start), FLOAT(end), FLOAT(step), dtypes[d], STRIA_CPU, &y, NULL), STRIA_OK);
            const double half =
                isfinite(end - start) ? 1 : 0.5; /* a multiple of step may be beyond the range, and the sum not */
            for (;; k++) {
                const double value = (half * start + (double)k * (half * step)) / half;
                if (step > 0 ? value >= end : value <= end) break;
                CHECK(k < stria_tensor_get_numel(y) && holds(y, k, STRIA_F64, &value), "case %d: element %lld", (int)c,
                      (long long)k);
            }
            CHECK(stria_tensor_get_numel(y) == k, "case %d: size", (int)c);
            stria_tensor_release(y);
        }
    CHECK_STATUS(stria_arange(INT(0), FLOAT(2), INT(1), NONE, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_dtype(y) == STRIA_F32, "a float makes floats");
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- linspace */

static void test_linspace(void)
{
    static const double  ends[][2] = {{0, 1}, {-3.7, 12.25},    {1, -1},    {-1e308, 1.1e308},
                                      {5, 5}, {1e-320, 3e-310}, {-0.1, 0.1}};
    static const int64_t steps[] = {1, 2, 3, 4, 5, 10, 511, 512, 513, 70000};

    for (size_t c = 0; c < sizeof ends / sizeof *ends; c++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            const double  start = ends[c][0], end = ends[c][1];
            const int64_t n = steps[s], last = n - 1;
            stria_tensor *y = NULL, *mirrored = NULL;
            CHECK_STATUS(stria_linspace(FLOAT(start), FLOAT(end), n, STRIA_F64, STRIA_CPU, &y, NULL), STRIA_OK);
            CHECK_STATUS(stria_linspace(FLOAT(end), FLOAT(start), n, STRIA_F64, STRIA_CPU, &mirrored, NULL), STRIA_OK);
            CHECK(stria_tensor_get_numel(y) == n && f64_at(y, 0) == start && (n == 1 || f64_at(y, last) == end),
                  "%g .. %g in %lld: ends", start, end, (long long)n);
            const double unit = fmax(fabs(start), fabs(end)) * DBL_EPSILON + (double)n * DBL_TRUE_MIN;
            for (int64_t k = 1; k < n; k++) {
                const long double exact = (long double)start + ((long double)end - start) * k / last;
                CHECK(fabsl(f64_at(y, k) - exact) <= 2 * unit, "%g .. %g in %lld: element %lld is %.17g", start, end,
                      (long long)n, (long long)k, f64_at(y, k));
                CHECK(2 * k == last || f64_at(mirrored, last - k) == f64_at(y, k), "%lld steps: symmetry at %lld",
                      (long long)n, (long long)k);
            }
            stria_tensor_release(y), stria_tensor_release(mirrored);
        }
}

static void test_linspace_dtypes(void)
{
    static const int64_t eighths[] = {0, 2, 5, 7, 10};
    stria_tensor        *y = NULL;

    for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
        if (d == STRIA_BOOL) continue;
        CHECK_STATUS(stria_linspace(FLOAT(0.75), FLOAT(10.5), 5, (stria_dtype)d, STRIA_CPU, &y, NULL), STRIA_OK);
        for (int64_t k = 0; k < 5; k++) {
            const double value = 0.75 + 2.4375 * (double)k;
            const bool   is_whole = !dtype_is_float((stria_dtype)d) && !dtype_is_complex((stria_dtype)d);
            CHECK(y && (is_whole ? holds(y, k, STRIA_I64, &eighths[k]) : holds(y, k, STRIA_F64, &value)),
                  "%s: element %d", stria_dtype_get_name((stria_dtype)d), (int)k);
        }
        stria_tensor_release(y);
    }
    /* ends that no double holds */
    CHECK_STATUS(stria_linspace(INT(INT64_MIN + 1), INT(INT64_MAX - 1), 3, STRIA_I64, STRIA_CPU, &y, NULL), STRIA_OK);
    const int64_t *at = stria_tensor_get_data(y);
    CHECK(at[0] == INT64_MIN + 1 && at[2] == INT64_MAX - 1, "%lld .. %lld", (long long)at[0], (long long)at[2]);
    stria_tensor_release(y);
    CHECK_STATUS(stria_linspace(INT(3), UINT(UINT64_MAX - 1), 2, STRIA_U64, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(((const uint64_t *)stria_tensor_get_data(y))[1] == UINT64_MAX - 1, "u64");
    stria_tensor_release(y);
    /* complex: each part by itself */
    CHECK_STATUS(stria_linspace(COMPLEX(0, 4), INT(2), 5, NONE, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_dtype(y) == STRIA_C64, "dtype of complex numbers");
    for (int k = 0; y && k < 5; k++) {
        const float *z = (const float *)stria_tensor_get_data(y) + 2 * k;
        CHECK(z[0] == 0.5f * (float)k && z[1] == 4 - (float)k, "complex, element %d", k);
    }
    stria_tensor_release(y);
    CHECK_STATUS(stria_linspace(INT(1), INT(2), 0, NONE, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0 && stria_tensor_get_dtype(y) == STRIA_F32, "no steps");
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- logspace */

/* Within 2 units of the exact power, where a long double holds enough of it; musl's powl is that of double. */
#ifdef __wasm__
#define HAS_ORACLE 0
#else
#define HAS_ORACLE (LDBL_MANT_DIG > 60)
#endif
static void test_logspace(void)
{
    static const double cases[][3] = {
        {0, 3, 10},       {-300, 300, 10}, {-1000, 1000, 2},      {0.1, 0.7, 2.718281828459045},
        {700, -700, 2.5}, {-3, 5, 0.3},    {1e9, 2e9, 1.0000001}, {5, 5, 7}};
    stria_tensor *y = NULL;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int64_t n = 2; n < 2000; n = 3 * n + 1) {
            const double start = cases[c][0], end = cases[c][1], base = cases[c][2];
            CHECK_STATUS(stria_logspace(FLOAT(start), FLOAT(end), n, base, STRIA_F64, STRIA_CPU, &y, NULL), STRIA_OK);
            for (int64_t k = 0; k < n && HAS_ORACLE; k++) {
                /* the exponent in two parts, whose powers are exact enough */
                const long double at = ((long double)end - start) * k / (n - 1), whole = (long double)start;
                const long double exact = powl(base, floorl(at)) * powl(base, at - floorl(at)) * powl(base, whole);
                const double      got = f64_at(y, k), unit = exp2(fmax(ilogb((double)exact) - 52, -1074));
                if (exact > (long double)DBL_MAX || exact < (long double)DBL_MIN) continue;
                CHECK(fabsl(got - exact) <= 2.2L * unit, "%g^(%g .. %g) in %lld: element %lld is %.17g, %Lg units off",
                      base, start, end, (long long)n, (long long)k, got, fabsl(got - exact) / unit);
            }
            stria_tensor_release(y);
        }
    /* whole powers; f32 by default; bases without a logarithm; infinite powers */
    CHECK_STATUS(stria_logspace(INT(0), INT(3), 4, 10, NONE, STRIA_CPU, &y, NULL), STRIA_OK);
    const float *at = stria_tensor_get_data(y);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F32 && at[0] == 1 && at[1] == 10 && at[2] == 100 && at[3] == 1000,
          "powers of 10");
    stria_tensor_release(y);
    CHECK_STATUS(stria_logspace(INT(0), INT(4), 5, -2, STRIA_I32, STRIA_CPU, &y, NULL), STRIA_OK);
    const int32_t *whole = stria_tensor_get_data(y);
    CHECK(whole[0] == 1 && whole[1] == -2 && whole[2] == 4 && whole[3] == -8 && whole[4] == 16, "powers of -2");
    stria_tensor_release(y);
    CHECK_STATUS(stria_logspace(INT(-400), INT(400), 3, 10, STRIA_F64, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(f64_at(y, 0) == 0 && f64_at(y, 1) == 1 && isinf(f64_at(y, 2)), "beyond the range");
    stria_tensor_release(y);
    CHECK_STATUS(stria_logspace(FLOAT(2.5), INT(7), 1, 4, STRIA_F64, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK(f64_at(y, 0) == 32, "one step");
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- triangles */

static void check_triangle(bool is_upper, int64_t row, int64_t col, int64_t offset, stria_dtype dtype)
{
    stria_tensor *y = NULL;
    int64_t       n = 0;

    CHECK_STATUS(is_upper ? stria_triu_indices(row, col, offset, dtype, STRIA_CPU, &y, NULL)
                          : stria_tril_indices(row, col, offset, dtype, STRIA_CPU, &y, NULL),
                 STRIA_OK);
    if (!y) return;
    for (int64_t i = 0; i < row; i++)
        for (int64_t k = 0; k < col; k++) {
            /* k - i is small, the offset may be anything */
            if (is_upper ? k - i < offset : k - i > offset) continue;
            CHECK(n < stria_tensor_get_shape(y)[1], "too few positions");
            if (n >= stria_tensor_get_shape(y)[1]) break;
            const int64_t places[2][2] = {{0, n}, {1, n}}, position[2] = {i, k};
            char          expected[16];
            for (int part = 0; part < 2; part++) {
                value_set(stria_tensor_get_dtype(y), value_get(STRIA_I64, &position[part]), expected);
                CHECK(value_same(stria_tensor_get_dtype(y), expected, tensor_at(y, places[part])),
                      "%lld x %lld, offset %lld: position %lld", (long long)row, (long long)col, (long long)offset,
                      (long long)n);
            }
            n++;
        }
    CHECK(stria_tensor_get_shape(y)[0] == 2 && stria_tensor_get_shape(y)[1] == n,
          "%lld x %lld, offset %lld: %lld positions", (long long)row, (long long)col, (long long)offset,
          (long long)stria_tensor_get_shape(y)[1]);
    stria_tensor_release(y);
}

static void test_triangles(void)
{
    static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, -100, 100};
    stria_tensor        *y = NULL;

    for (int is_upper = 0; is_upper < 2; is_upper++) {
        for (int64_t row = 0; row < 7; row++)
            for (int64_t col = 0; col < 7; col++) {
                for (int64_t offset = -8; offset <= 8; offset++) check_triangle(is_upper, row, col, offset, NONE);
                for (size_t k = 0; k < sizeof far / sizeof *far; k++) check_triangle(is_upper, row, col, far[k], NONE);
            }
        check_triangle(is_upper, 300, 250, 3, NONE);
        check_triangle(is_upper, 40, 90, -5, STRIA_I32);
        check_triangle(is_upper, 20, 20, 0, STRIA_F16);
    }
    /* sizes whose product is beyond 64 bits, but not their corner */
    const int64_t huge = INT64_C(1) << 61;
    for (int is_upper = 0; is_upper < 2; is_upper++) {
        CHECK_STATUS(is_upper ? stria_triu_indices(huge, huge, huge - 2, NONE, STRIA_CPU, &y, NULL)
                              : stria_tril_indices(huge, huge, 2 - huge, NONE, STRIA_CPU, &y, NULL),
                     STRIA_OK);
        const int64_t *at = stria_tensor_get_data(y);
        CHECK(stria_tensor_get_shape(y)[1] == 3, "a corner");
        for (int part = 0; part < 2; part++)
            for (int k = 0; k < 3; k++) {
                const int64_t lower_rows[] = {huge - 2, huge - 1, huge - 1};
                const int64_t lower_columns[] = {0, 0, 1}, upper_rows[] = {0, 0, 1},
                              upper_columns[] = {huge - 2, huge - 1, huge - 1};
                const int64_t *wanted = is_upper ? (part ? upper_columns : upper_rows)
                                        : part   ? lower_columns
                                                 : lower_rows;
                CHECK(at[3 * part + k] == wanted[k], "a corner: %lld", (long long)at[3 * part + k]);
            }
        stria_tensor_release(y);
    }
}

/* ---------------------------------------------------------------- threads, out, META */

static stria_tensor *make_large(int which)
{
    stria_tensor *y = NULL;

    if (which == 0)
        CHECK_STATUS(stria_arange(FLOAT(0.1), FLOAT(90000), FLOAT(0.3), STRIA_F32, STRIA_CPU, &y, NULL), STRIA_OK);
    if (which == 1) CHECK_STATUS(stria_arange(INT(-7), INT(900000), INT(3), STRIA_I64, STRIA_CPU, &y, NULL), STRIA_OK);
    if (which == 2)
        CHECK_STATUS(stria_linspace(FLOAT(-0.7), FLOAT(1e9), 300001, STRIA_F64, STRIA_CPU, &y, NULL), STRIA_OK);
    if (which == 3)
        CHECK_STATUS(stria_logspace(FLOAT(-30), FLOAT(20), 200003, 10, STRIA_F64, STRIA_CPU, &y, NULL), STRIA_OK);
    if (which == 4) CHECK_STATUS(stria_triu_indices(900, 500, -20, NONE, STRIA_CPU, &y, NULL), STRIA_OK);
    return y;
}

static void test_threads(void)
{
    const int before = stria_threads_get();

    for (int which = 0; which < 5; which++) {
        stria_tensor *wanted;
        CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
        wanted = make_large(which);
        for (int n = 2; n < 8; n += 2) {
            CHECK_STATUS(stria_threads_set(n, NULL), STRIA_OK);
            stria_tensor *y = make_large(which);
            const size_t  nbytes =
                (size_t)stria_tensor_get_numel(wanted) * stria_dtype_get_size(stria_tensor_get_dtype(wanted));
            CHECK(y && stria_tensor_get_numel(y) == stria_tensor_get_numel(wanted) &&
                      memcmp(stria_tensor_get_data(y), stria_tensor_get_data(wanted), nbytes) == 0,
                  "sequence %d with %d threads", which, n);
            stria_tensor_release(y);
        }
        stria_tensor_release(wanted);
    }
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
}

static void test_given(void)
{
    const int64_t shape[2] = {3, 2}, one = 1, huge = INT64_C(1) << 40;
    stria_tensor *x = NULL, *column = NULL, *turned = NULL, *y = NULL;

    CHECK_STATUS(stria_zeros(shape, 2, STRIA_I16, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(x, 1, 1, &column, NULL), STRIA_OK);
    CHECK_STATUS(stria_arange_out(INT(4), INT(10), INT(2), NONE, STRIA_CPU, column, NULL), STRIA_OK);
    const int16_t *at = stria_tensor_get_data(x);
    CHECK(at[0] == 0 && at[1] == 4 && at[3] == 6 && at[5] == 8, "arange into a column, in its dtype");
    CHECK_STATUS(stria_linspace_out(INT(1), INT(3), 3, NONE, STRIA_CPU, column, NULL), STRIA_OK);
    CHECK(at[1] == 1 && at[3] == 2 && at[5] == 3 && at[4] == 0, "linspace into a column");
    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_tril_indices_out(2, 2, 0, NONE, STRIA_CPU, turned, NULL), STRIA_OK);
    CHECK(at[0] == 0 && at[1] == 0 && at[2] == 1 && at[3] == 0 && at[4] == 1 && at[5] == 1,
          "positions into a turned tensor");
    stria_tensor_release(turned), stria_tensor_release(column), stria_tensor_release(x);
    /* META: as many as there may be, without memory */
    CHECK_STATUS(stria_arange(INT(0), INT(huge), INT(1), STRIA_U8, STRIA_META, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == huge && stria_tensor_get_data(y) == NULL, "arange on meta");
    stria_tensor_release(y);
    CHECK_STATUS(stria_triu_indices(huge, huge, huge - 9, STRIA_I32, STRIA_META, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_shape(y)[1] == 45, "triu_indices on meta");
    stria_tensor_release(y);
    CHECK_STATUS(stria_logspace(INT(0), INT(1), huge, 10, NONE, STRIA_META, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == huge && stria_tensor_get_ndim(y) == one, "logspace on meta");
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- refusals */

#define MADE(call, status, at, text)                       \
    do {                                                   \
        y = NULL;                                          \
        REFUSED(call, STRIA_ERR_##status, name, at, text); \
        CHECK(y == NULL, "a result of a refused call");    \
    } while (0)
#define ARANGE(start, end, step, dtype) stria_arange(start, end, step, dtype, STRIA_META, &y, &err)
#define LINSPACE(start, end, steps, dtype) stria_linspace(start, end, steps, dtype, STRIA_META, &y, &err)
#define LOGSPACE(start, end, steps, dtype) stria_logspace(start, end, steps, 10, dtype, STRIA_META, &y, &err)

static void test_refused_arange(void)
{
    const char   *name = "arange";
    const double  inf = INFINITY;
    stria_tensor *y = NULL;

    MADE(ARANGE(FLOAT(NAN), INT(3), INT(1), NONE), ARGUMENT, "start", "start is nan, but must be finite");
    MADE(ARANGE(FLOAT(-NAN), INT(3), INT(1), STRIA_I32), ARGUMENT, "start", "start is nan, but must be finite");
    MADE(ARANGE(INT(0), FLOAT(inf), INT(1), NONE), ARGUMENT, "end", "end is inf, but must be finite");
    MADE(ARANGE(INT(0), INT(1), FLOAT(-inf), NONE), ARGUMENT, "step", "step is -inf, but must be finite");
    MADE(ARANGE(INT(0), INT(1), INT(0), NONE), ARGUMENT, "step", "step is 0");
    MADE(ARANGE(INT(0), INT(1), FLOAT(-0.0), STRIA_F32), ARGUMENT, "step", "step is 0");
    MADE(ARANGE(INT(0), INT(3), FLOAT(0.5), STRIA_I32), ARGUMENT, "step", "step is 0.5, which is cut to 0 for i32");
    MADE(ARANGE(INT(0), INT(3), INT(-1), STRIA_I32), ARGUMENT, "step", "step -1 does not lead from 0 to 3");
    MADE(ARANGE(FLOAT(0.5), FLOAT(-3), FLOAT(0.25), NONE), ARGUMENT, "step", "step 0.25 does not lead from 0.5 to -3");
    MADE(ARANGE(INT(5), UINT(UINT64_MAX), INT(-1), NONE), ARGUMENT, "step", "from 5 to 18446744073709551615");
    MADE(ARANGE(INT(0), FLOAT(1e300), FLOAT(1e-300), NONE), OVERFLOW, "end", "more than 2^63 - 1 elements");
    MADE(ARANGE(INT(INT64_MIN), INT(INT64_MAX), INT(1), STRIA_I8), OVERFLOW, "end", "more than 2^63 - 1 elements");
    MADE(ARANGE(INT(0), INT(INT64_MAX), INT(1), STRIA_I64), OVERFLOW, "end", "2^63 - 1");
    MADE(ARANGE(INT(INT64_MAX), UINT((UINT64_C(1) << 63) + 1), INT(1), STRIA_I64), ARGUMENT, "end",
         "end is 9223372036854775809, but the elements must be within i64");
    MADE(ARANGE(UINT(UINT64_MAX), INT(0), INT(-9), STRIA_I32), ARGUMENT, "start", "must be within i64");
    MADE(ARANGE(INT(-1), INT(3), INT(1), STRIA_U64), ARGUMENT, "start",
         "start is -1, but the elements must be within u64");
    MADE(ARANGE(INT(5), INT(-4), INT(-4), STRIA_U64), ARGUMENT, "end",
         "end is -4, but the elements must be within u64");
    MADE(ARANGE(INT(INT64_MIN + 1), INT(INT64_MIN), INT(INT64_MIN), STRIA_U64), ARGUMENT, "start", "within u64");
    MADE(ARANGE(INT(INT64_MIN), UINT(UINT64_MAX), INT(INT64_MAX), STRIA_I64), ARGUMENT, "end", "within i64");
    MADE(ARANGE(FLOAT(1e30), FLOAT(2e30), FLOAT(1e29), STRIA_I64), ARGUMENT, "start", "start is 1e+30");
    MADE(ARANGE(INT(0), FLOAT(-2e30), INT(-1), STRIA_I64), ARGUMENT, "end", "end is -2e+30");
    MADE(ARANGE(INT(0), INT(3), FLOAT(0x1p64), STRIA_I64), ARGUMENT, "step", "step is 1.84467e+19");
    MADE(ARANGE(COMPLEX(0, 1), INT(3), INT(1), NONE), DTYPE, "start", "start is complex, but must be real");
    MADE(ARANGE(INT(0), COMPLEX(3, 0), INT(1), NONE), DTYPE, "end", "end is complex");
    MADE(ARANGE(INT(0), INT(3), COMPLEX(1, 0), NONE), DTYPE, "step", "step is complex");
    MADE(ARANGE(INT(0), INT(2), INT(1), STRIA_BOOL), DTYPE, "dtype",
         "dtype is bool, but must be an integer or a float");
    MADE(ARANGE(INT(0), INT(2), INT(1), STRIA_C64), DTYPE, "dtype", "dtype is c64");
    MADE(ARANGE(INT(0), INT(2), INT(1), (stria_dtype)99), DTYPE, "dtype", "99");
    MADE(ARANGE(INT(0), ((stria_scalar){.kind = (stria_scalar_kind)9}), INT(1), NONE), ARGUMENT, "end",
         "kind of scalar");
}

static void test_refused_others(void)
{
    const char   *name = "linspace";
    const int64_t huge = INT64_C(1) << 62;
    stria_tensor *y = NULL;

    MADE(LINSPACE(FLOAT(NAN), INT(1), 3, NONE), ARGUMENT, "start", "start is nan, but must be finite");
    MADE(LINSPACE(INT(0), COMPLEX(1, -INFINITY), 3, NONE), ARGUMENT, "end", "end is -inf, but must be finite");
    MADE(LINSPACE(INT(0), INT(1), -1, NONE), SHAPE, "steps", "negative size -1");
    MADE(LINSPACE(INT(0), INT(1), INT64_MAX, NONE), OVERFLOW, "steps", "2^63 - 1");
    MADE(LINSPACE(INT(0), COMPLEX(1, 1), 3, STRIA_F32), DTYPE, "end", "end is complex, but must be real");
    MADE(LINSPACE(INT(0), INT(1), 3, STRIA_BOOL), DTYPE, "dtype", "dtype is bool");
    name = "logspace";
    MADE(LOGSPACE(INT(0), FLOAT(INFINITY), 3, NONE), ARGUMENT, "end", "end is inf");
    MADE(LOGSPACE(INT(0), INT(1), INT64_MIN, NONE), SHAPE, "steps", "negative size");
    MADE(LOGSPACE(COMPLEX(0, 1), INT(1), 3, STRIA_C64), DTYPE, "start", "start is complex");
    MADE(LOGSPACE(INT(0), INT(1), 3, STRIA_C64), DTYPE, "dtype", "dtype is c64");
    name = "tril_indices";
    MADE(stria_tril_indices(-1, 3, 0, NONE, STRIA_CPU, &y, &err), SHAPE, "row", "row is -1, but must not be negative");
    MADE(stria_tril_indices(3, INT64_MIN, 0, NONE, STRIA_CPU, &y, &err), SHAPE, "col", "must not be negative");
    MADE(stria_tril_indices(huge, 3, 0, NONE, STRIA_CPU, &y, &err), OVERFLOW, "row", "must be less than 2^62");
    MADE(stria_tril_indices(huge - 1, huge - 1, 0, NONE, STRIA_CPU, &y, &err), OVERFLOW, "row", "too many positions");
    name = "triu_indices";
    MADE(stria_triu_indices(3, INT64_MAX, 0, NONE, STRIA_CPU, &y, &err), OVERFLOW, "col", "must be less than 2^62");
    MADE(stria_triu_indices(2, huge - 1, 0, NONE, STRIA_META, &y, &err), OVERFLOW, "row", "");
    MADE(stria_triu_indices(2, 2, 0, (stria_dtype)-5, STRIA_META, &y, &err), DTYPE, "dtype", "-5");
}

SUITE(test_range)
{
    check_isa("test_range");
    test_arange_whole();
    test_arange_exact();
    test_arange_floats();
    test_linspace();
    test_linspace_dtypes();
    test_logspace();
    test_triangles();
    test_threads();
    test_given();
    test_refused_arange();
    test_refused_others();
    return check_finish("test_range");
}
