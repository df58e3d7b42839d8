/* test_norm.c - norms of every kind of order against sums in long double: float dtypes, axes, layouts, elements whose
 * powers leave the range, threads, out=, refusals. */
#include <math.h>
#include <string.h>

#include "oracle.h"

/* ---------------------------------------------------------------- the oracle */

/* Of wasm's C library, powl and sqrtl work in double: squares and their root are made of operations here. */
static long double root(long double x)
{
    int exponent;
    if (x == 0 || !isfinite(x)) return x;
    x = frexpl(x, &exponent);
    if (exponent % 2 != 0) x *= 2, exponent--;
    const long double near = (long double)sqrt((double)x);
    return ldexpl((near + x / near) / 2, exponent / 2);
}

static long double combine(long double acc, long double v, double p)
{
    v = fabsl(v);
    if (p == 0) return acc + (v != 0);
    if (isinf(p)) return isnan(acc) || isnan(v) ? NAN : (p > 0 ? v > acc : v < acc) ? v : acc;
    return acc + (p == 2 ? v * v : powl(v, p));
}

/* Norm of the elements of x that belong to the output at index (its reduced entries are free). */
static long double expected_at(const stria_tensor *x, unsigned axes, double p, const int64_t *index)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    long double       acc = isinf(p) && p < 0 ? INFINITY : 0;
    int64_t           shape[STRIA_MAX_DIMS], at[STRIA_MAX_DIMS] = {0}, where[STRIA_MAX_DIMS];

    for (int d = 0; d < ndim; d++) shape[d] = is_reduced(axes, d) ? stria_tensor_get_shape(x)[d] : 1;
    do {
        for (int d = 0; d < ndim; d++) where[d] = is_reduced(axes, d) ? at[d] : index[d];
        acc = combine(acc, value_get(dtype, tensor_at(x, where)).real, p);
    } while (index_next(ndim, shape, at));
    if (p == 2) return root(acc);
    return p == 0 || p == 1 || isinf(p) ? acc : powl(acc, 1 / (long double)p);
}

/* Powers, sums and roots in f64, then rounded to the dtype. */
static bool is_close(stria_dtype dtype, double got, long double exact)
{
    static const long double ulp[] = {
        [STRIA_F16] = 0x1p-11L, [STRIA_BF16] = 0x1p-8L, [STRIA_F32] = 0x1p-24L, [STRIA_F64] = 0x1p-53L};
    static const long double least[] = {
        [STRIA_F16] = 0x1p-24L, [STRIA_BF16] = 0x1p-133L, [STRIA_F32] = 0x1p-149L, [STRIA_F64] = 0x1p-1074L};
    char rounded[8];
    value_set(dtype, value_from_real((double)exact), rounded);
    const double nearest = value_get(dtype, rounded).real;
    if (isnan(exact)) return isnan(got);
    if (isinf(nearest)) return got == nearest;
    return fabsl((long double)got - exact) <= fabsl(exact) * (16 * 0x1p-53L + ulp[dtype]) + least[dtype];
}

static void check_result(const stria_tensor *x, unsigned axes, double p, bool keepdim, const stria_tensor *y,
                         const char *what)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0};

    if (!check_reduced_shape(x, axes, keepdim, y, outer, what)) return;
    do {
        const double      got = value_get(dtype, reduced_at(y, ndim, axes, keepdim, index)).real;
        const long double exact = expected_at(x, axes, p, index);
        CHECK(is_close(dtype, got, exact), "norm %s %s axes %x p %g: %a, expected %La", what,
              stria_dtype_get_name(dtype), axes, p, got, exact);
    } while (index_next(ndim, outer, index));
}

static void check_norm(const stria_tensor *x, unsigned axes, double p, bool keepdim, const char *what)
{
    const int     ndim = stria_tensor_get_ndim(x);
    const bool    all = axes == (1u << ndim) - 1;
    int           list[STRIA_MAX_DIMS], n = 0;
    stria_tensor *y = NULL;

    for (int d = 0; d < ndim; d++)
        if (is_reduced(axes, d)) list[n++] = keepdim ? d - ndim : d;
    CHECK_STATUS(stria_norm(x, p, all ? NULL : list, all ? 0 : n, keepdim, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    if (y) check_result(x, axes, p, keepdim, y, what);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- cases */

static const double orders[] = {2, 1, 0, INFINITY, -INFINITY, 3, 0.5, -1, -2.5, 7};
enum { ORDERS = sizeof orders / sizeof *orders };

static void fill(random_state *random, stria_tensor *x, double scale)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           index[STRIA_MAX_DIMS] = {0};
    do {
        double v = scale * (2 * random_unit(random) - 1);
        if (random_next(random) % 16 == 0) v = 0;
        value_set(dtype, value_from_real(v), tensor_at(x, index));
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
}

static void test_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t sizes[4];
    } shapes[] = {{0, {0}},      {1, {1}},        {1, {77}},          {2, {5, 9}},   {2, {70, 33}},
                  {2, {3, 700}}, {3, {3, 4, 19}}, {4, {2, 3, 2, 17}}, {2, {150, 40}}};
    random_state random = {21};
    int          round = 0;

    for (int d = STRIA_F16; d <= STRIA_F64; d++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (shapes[s].ndim == 0 && kind)) continue;
                stria_tensor *x =
                    tensor_random(&random, (stria_dtype)d, (layout)kind, shapes[s].ndim, shapes[s].sizes, -9, 9);
                if (!x) continue;
                fill(&random, x, 2);
                for (unsigned axes = 0; axes < 1u << shapes[s].ndim; axes++, round++) {
                    if (axes == 0 && shapes[s].ndim > 0) continue; /* that is all of them */
                    for (int k = round % 3; k < ORDERS; k += 3)
                        check_norm(x, axes, orders[k], round % 2, layout_names[kind]);
                }
                stria_tensor_release(x);
            }
        }
    }
}

/* Elements whose squares overflow and vanish, in rows and in columns; in f64 beside those of other sizes. */
static void test_range(void)
{
    static const struct {
        stria_dtype dtype;
        double      scale, other;
    } cases[] = {{STRIA_F32, 3e38, 3e38},     {STRIA_F32, 1e-40, 1e-40},   {STRIA_F32, 1e30, 1e-30},
                 {STRIA_BF16, 1e38, 1e38},    {STRIA_F16, 6e4, 6e4},       {STRIA_F64, 1e306, 1e306},
                 {STRIA_F64, 1e-300, 1e-300}, {STRIA_F64, 1e-320, 1e-320}, {STRIA_F64, 1e200, 1e-200},
                 {STRIA_F64, 1e200, 1},       {STRIA_F64, 1, 1e-200},      {STRIA_F64, 1e150, 1e160}};
    static const int64_t shapes[][2] = {{1, 3}, {1, 66000}, {5, 1500}, {1500, 37}, {40, 20}};
    random_state         random = {22};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            stria_tensor *x = NULL, *half = NULL;
            CHECK_STATUS(stria_tensor_new(cases[c].dtype, 2, shapes[s], &x, NULL), STRIA_OK);
            if (!x) continue;
            fill(&random, x, cases[c].scale);
            CHECK_STATUS(stria_slice(x, 1, 0, shapes[s][1] / 2, 1, &half, NULL), STRIA_OK);
            fill(&random, half, cases[c].other);
            for (unsigned axes = 1; axes < 4; axes++) {
                check_norm(x, axes, 2, false, "range");
                check_norm(x, axes, INFINITY, false, "range");
            }
            stria_tensor_release(x), stria_tensor_release(half);
        }
    }
}

static double norm_of(int64_t n, const double *values, double p)
{
    stria_tensor *x = NULL, *y = NULL;
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 1, &n, values, (size_t)n * 8, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_norm(x, p, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    const double got = y ? value_get(STRIA_F64, stria_tensor_get_const_data(y)).real : -1;
    stria_tensor_release(x), stria_tensor_release(y);
    return got;
}

static void test_values(void)
{
    const double v[] = {3, -4, 0};
    CHECK(norm_of(3, v, 2) == 5 && norm_of(3, v, 1) == 7 && norm_of(3, v, 0) == 2, "3, -4, 0");
    CHECK(norm_of(3, v, INFINITY) == 4 && norm_of(3, v, -INFINITY) == 0 && norm_of(3, v, -1) == 0, "3, -4, 0");
    CHECK(fabs(norm_of(3, v, 3) - 4.497941445275415) < 1e-15, "order 3");
    for (int k = 0; k < ORDERS; k++) {
        const double p = orders[k], nan = norm_of(3, (const double[]){1, NAN, 2}, p);
        CHECK(p == 0 ? nan == 3 : isnan(nan), "NaN, order %g: %g", p, nan);
        const double infinite = norm_of(3, (const double[]){1, -INFINITY, 1}, p);
        CHECK(infinite == (p == 0              ? 3
                           : p > 0             ? INFINITY
                           : p < 0 && isinf(p) ? 1
                                               : pow(2, 1 / p)),
              "infinity, order %g", p);
        if (p >= 0 && !isinf(p)) CHECK(norm_of(0, v, p) == 0, "empty, order %g", p);
        CHECK(norm_of(2, (const double[]){0, -0.0}, p) == 0, "zeros, order %g", p);
    }
    CHECK(norm_of(2, (const double[]){3e300, 4e300}, 2) == 5e300, "large");
    CHECK(norm_of(2, (const double[]){0x1.8p-1072, 0x1p-1071}, 2) == 0x1.4p-1071, "small");
    CHECK(isnan(norm_of(2, (const double[]){INFINITY, NAN}, 2)), "infinity and NaN");
}

static void test_threads(void)
{
    static const int64_t sizes[3][2] = {{300, 700}, {3, 140000}, {100000, 3}};
    static const int     threads[] = {1, 2, 7};
    random_state         random = {23};
    for (int s = 0; s < 3; s++) {
        for (int round = 0; round < 6; round++) {
            const int     axis = round % 2;
            stria_tensor *x = tensor_random(&random, round < 4 ? STRIA_F32 : STRIA_F64,
                                            round / 2 ? LAYOUT_TRANSPOSED : LAYOUT_CONTIGUOUS, 2, sizes[s], -9, 9);
            stria_tensor *first = NULL;
            if (!x) continue;
            fill(&random, x, 3);
            for (int t = 0; t < 3; t++) {
                stria_tensor *y = NULL;
                CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
                CHECK_STATUS(
                    stria_norm(x, 2 + round / 3, s ? NULL : &axis, s ? 0 : 1, false, STRIA_DTYPE_NONE, &y, NULL),
                    STRIA_OK);
                if (first && y)
                    CHECK(memcmp(stria_tensor_get_data(first), stria_tensor_get_data(y),
                                 stria_dtype_get_size(stria_tensor_get_dtype(y)) * (size_t)stria_tensor_get_numel(y)) ==
                              0,
                          "%d threads change the bits", threads[t]);
                if (t == 0)
                    first = y;
                else
                    stria_tensor_release(y);
            }
            stria_tensor_release(first), stria_tensor_release(x);
        }
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

static void check_refused(stria_dtype dtype, double p, int n_axes, const int *axes, stria_dtype out_dtype,
                          stria_status status, const char *text)
{
    static const int64_t sizes[] = {2, 0}, three = 3;
    stria_tensor        *x = NULL, *out = NULL;
    stria_error          err = {0};

    CHECK_STATUS(stria_tensor_new(dtype, 2, sizes, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(out_dtype, 1, &three, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_norm_out(x, p, axes, n_axes, false, STRIA_DTYPE_NONE, out, &err), status);
    CHECK(strcmp(err.op, "norm") == 0 && strstr(err.message, text), "message: %s", err.message);
    CHECK(stria_tensor_get_shape(out)[0] == 3, "out changed");
    stria_tensor_release(x), stria_tensor_release(out);
}

static void test_out_and_refusals(void)
{
    static const int64_t sizes[] = {4, 6}, empty[] = {3, 0};
    random_state         random = {24};
    stria_tensor        *x = NULL, *y = NULL, *row = NULL, *apart = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, sizes, &x, NULL), STRIA_OK);
    fill(&random, x, 1);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 0, NULL, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_norm_out(x, 2, (const int[]){1}, 1, false, STRIA_DTYPE_NONE, y, NULL),
                 STRIA_OK); /* resized, of another dtype */
    CHECK(stria_tensor_get_dtype(y) == STRIA_F64 && stria_tensor_get_shape(y)[0] == 4, "out is resized");
    CHECK_STATUS(stria_norm(x, 1, (const int[]){0}, 1, false, STRIA_DTYPE_NONE, &apart, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(x, 0, 1, &row, NULL), STRIA_OK); /* within x: computed apart */
    CHECK_STATUS(stria_norm_out(x, 1, (const int[]){0}, 1, false, STRIA_DTYPE_NONE, row, NULL), STRIA_OK);
    for (int64_t k = 0; apart && k < 6; k++)
        CHECK(value_same(STRIA_F32, tensor_at(apart, &k), tensor_at(row, &k)), "out within x");
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(row), stria_tensor_release(apart);

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, empty, &x, NULL), STRIA_OK);
    y = NULL;
    CHECK_STATUS(stria_norm(x, 2, (const int[]){1}, 1, true, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    for (int64_t k = 0; y && k < 3; k++)
        CHECK(value_get(STRIA_F32, tensor_at(y, (const int64_t[]){k, 0})).real == 0, "empty");
    stria_tensor_release(y);
    y = NULL;
    CHECK_STATUS(stria_norm(x, -1, (const int[]){0}, 1, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0, "empty result");
    stria_tensor_release(x), stria_tensor_release(y);

    check_refused(STRIA_I32, 2, 0, NULL, STRIA_F32, STRIA_ERR_DTYPE, "x is i32, but must be a float");
    check_refused(STRIA_BOOL, 2, 0, NULL, STRIA_F32, STRIA_ERR_DTYPE, "bool");
    check_refused(STRIA_F32, 2, 0, NULL, STRIA_I32, STRIA_ERR_DTYPE, "f32 does not cast to an out of i32");
    check_refused(STRIA_F32, 2, 1, (const int[]){2}, STRIA_F32, STRIA_ERR_AXIS, "axis 2");
    check_refused(STRIA_F32, 2, -1, NULL, STRIA_F32, STRIA_ERR_ARGUMENT, "dim must have 0 or more axes, not -1");
    check_refused(STRIA_F32, 2, 2, (const int[]){1, -1}, STRIA_F32, STRIA_ERR_AXIS, "twice");
    check_refused(STRIA_F32, NAN, 0, NULL, STRIA_F32, STRIA_ERR_ARGUMENT, "p is NaN");
    check_refused(STRIA_F32, INFINITY, 0, NULL, STRIA_F32, STRIA_ERR_EMPTY, "no norm of order inf");
    check_refused(STRIA_F32, -2, 1, (const int[]){1}, STRIA_F32, STRIA_ERR_EMPTY, "no norm of order -2");
    y = NULL;
    CHECK_STATUS(stria_norm(NULL, 2, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_ERR_ARGUMENT);
}

SUITE(test_norm)
{
    check_isa("test_norm");
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) {
        test_layouts();
        test_range();
        test_values();
    }
    test_threads();
    if (check_has_values()) test_out_and_refusals();
    return check_finish("test_norm");
}
