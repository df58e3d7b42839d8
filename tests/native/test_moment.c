/* test_moment.c - var and std against two passes in long double: float dtypes, axes, layouts, corrections, offsets and
 * scales that plain sums of squares do not survive, threads, out=, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---------------------------------------------------------------- the oracle */

/* Variance of the elements of x that belong to the output at index (its reduced entries are free). */
static long double expected_at(const stria_tensor *x, unsigned axes, double correction, int64_t *index)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    long double       sum = 0, squares = 0, rest = 0;
    int64_t           shape[STRIA_MAX_DIMS], at[STRIA_MAX_DIMS] = {0}, where[STRIA_MAX_DIMS], n = 0;

    for (int d = 0; d < ndim; d++) shape[d] = is_reduced(axes, d) ? stria_tensor_get_shape(x)[d] : 1;
    for (int pass = 0; pass < 2; pass++) {
        const long double mean = pass ? sum / (long double)n : 0;
        n = 0;
        do {
            for (int d = 0; d < ndim; d++) where[d] = is_reduced(axes, d) ? at[d] : index[d];
            const long double v = value_get(dtype, tensor_at(x, where)).real;
            if (pass == 0) sum += v;
            squares += pass ? (v - mean) * (v - mean) : 0;
            rest += pass ? v - mean : 0;
            n++;
        } while (index_next(ndim, shape, at));
        memset(at, 0, sizeof at);
    }
    const long double divisor = (long double)n - correction;
    return (squares - rest * rest / (long double)n) / (divisor > 0 ? divisor : 0);
}

/* The bound of kernels.h, and the rounding of the result. */
static bool is_close(stria_dtype dtype, double got, long double exact)
{
    static const long double ulp[] = {
        [STRIA_F16] = 0x1p-11L, [STRIA_BF16] = 0x1p-8L, [STRIA_F32] = 0x1p-24L, [STRIA_F64] = 0x1p-53L};
    static const long double least[] = {
        [STRIA_F16] = 0x1p-24L, [STRIA_BF16] = 0x1p-133L, [STRIA_F32] = 0x1p-149L, [STRIA_F64] = 0x1p-1074L};
    char              rounded[8];
    const long double bound = (dtype == STRIA_F64 ? 32 * 0x1p-53L : 1.2e-6L) + ulp[dtype];
    value_set(dtype, value_from_real((double)exact), rounded);
    const double nearest = value_get(dtype, rounded).real;
    if (isnan(exact)) return isnan(got);
    if (isinf(nearest) || isinf(exact))
        return got == nearest || (isinf(nearest) && !isinf(exact) && got > 0 && fabsl(got / exact - 1) < 0.01L);
    return fabsl((long double)got - exact) <= fabsl(exact) * bound + least[dtype];
}

static void check_result(const stria_tensor *x, unsigned axes, double correction, bool root, bool keepdim,
                         const stria_tensor *y, const char *what)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0};

    if (!check_reduced_shape(x, axes, keepdim, y, outer, what)) return;
    do {
        const double      got = value_get(dtype, reduced_at(y, ndim, axes, keepdim, index)).real;
        const long double variance = expected_at(x, axes, correction, index), exact = root ? sqrtl(variance) : variance;
        CHECK(is_close(dtype, got, exact), "%s %s %s axes %x correction %g: %a, expected %La", root ? "std" : "var",
              what, stria_dtype_get_name(dtype), axes, correction, got, exact);
    } while (index_next(ndim, outer, index));
}

/* ---------------------------------------------------------------- cases */

typedef stria_status    moment_fn(const stria_tensor *x, const int *axes, int n_axes, double correction, bool keepdim,
                                  stria_tensor **out, stria_error *err);
static moment_fn *const functions[] = {stria_var, stria_std};

static void check_moment(const stria_tensor *x, unsigned axes, double correction, bool root, bool keepdim,
                         const char *what)
{
    const int     ndim = stria_tensor_get_ndim(x);
    int           list[STRIA_MAX_DIMS], n = 0;
    stria_tensor *y = NULL;
    const bool    all = axes == (1u << ndim) - 1;

    for (int d = 0; d < ndim; d++)
        if (is_reduced(axes, d)) list[n++] = keepdim ? d - ndim : d;
    CHECK_STATUS(functions[root](x, all ? NULL : list, all ? 0 : n, correction, keepdim, &y, NULL), STRIA_OK);
    if (y) check_result(x, axes, correction, root, keepdim, y, what);
    stria_tensor_release(y);
}

static void test_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t sizes[4];
    } shapes[] = {{0, {0}},      {1, {1}},        {1, {77}},          {2, {5, 9}},   {2, {70, 33}},
                  {2, {3, 700}}, {3, {3, 4, 19}}, {4, {2, 3, 2, 17}}, {2, {150, 40}}};
    static const double corrections[] = {1, 0, 2.5, 1000};
    random_state        random = {11};
    int                 round = 0;

    for (int d = STRIA_F16; d <= STRIA_F64; d++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (shapes[s].ndim == 0 && kind)) continue;
                stria_tensor *x =
                    tensor_random(&random, (stria_dtype)d, (layout)kind, shapes[s].ndim, shapes[s].sizes, -9, 9);
                if (!x) continue;
                tensor_fill_random(&random, x, round % 3, 1);
                for (unsigned axes = 0; axes < 1u << shapes[s].ndim; axes++, round++) {
                    if (axes == 0 && shapes[s].ndim > 0) continue; /* that is all of them */
                    check_moment(x, axes, corrections[round % 4], round % 2, round / 2 % 2, layout_names[kind]);
                }
                stria_tensor_release(x);
            }
        }
    }
}

/* Where sums of squares in the lane type overflow, vanish or cancel. */
static void test_hard(void)
{
    static const struct {
        stria_dtype dtype;
        double      offset, scale;
    } cases[] = {{STRIA_F32, 1e8, 32},   {STRIA_F32, -3e7, 8},    {STRIA_F32, 0, 1e25},    {STRIA_F32, 0, 1e-30},
                 {STRIA_F32, 0, 1e-42},  {STRIA_F32, 1e30, 1e24}, {STRIA_F32, 2.5, 0},     {STRIA_F32, 0, 0},
                 {STRIA_F32, 1e-42, 0},  {STRIA_F32, 3e38, 1e37}, {STRIA_F64, 1e15, 3},    {STRIA_F64, 0, 1e-140},
                 {STRIA_F64, 1e9, 1e-3}, {STRIA_F16, 1000, 2},    {STRIA_BF16, 1e20, 1e19}};
    static const int64_t lengths[] = {2, 7, 63, 64, 65, 300, 4096, 4097, 70000};
    random_state         random = {12};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            stria_tensor *x = NULL;
            CHECK_STATUS(stria_tensor_new(cases[c].dtype, 1, &lengths[l], &x, NULL), STRIA_OK);
            if (!x) continue;
            tensor_fill_random(&random, x, cases[c].offset, cases[c].scale);
            check_moment(x, 1, 1, false, false, "hard");
            check_moment(x, 1, 0, true, false, "hard");
            for (int64_t k = 0; k < lengths[l] && cases[c].scale > 0;
                 k++) /* a ramp: no block's start is like its mean */
                value_set(cases[c].dtype,
                          value_from_real(cases[c].offset + cases[c].scale * ((double)k / (double)lengths[l])),
                          tensor_at(x, &k));
            check_moment(x, 1, 1, false, false, "ramp");
            stria_tensor_release(x);

            const int64_t sizes[] = {lengths[l] > 300 ? 300 : lengths[l], 37}; /* the same in columns */
            CHECK_STATUS(stria_tensor_new(cases[c].dtype, 2, sizes, &x, NULL), STRIA_OK);
            if (!x) continue;
            tensor_fill_random(&random, x, cases[c].offset, cases[c].scale);
            check_moment(x, 1, 1, l % 2, false, "hard columns");
            stria_tensor_release(x);
        }
    }
}

static double item(const stria_tensor *x)
{
    return value_get(stria_tensor_get_dtype(x), stria_tensor_get_const_data(x)).real;
}

static double var_of(int64_t n, const float *values, double correction)
{
    stria_tensor *x = NULL, *y = NULL;
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, &n, values, (size_t)n * 4, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_var(x, NULL, 0, correction, false, &y, NULL), STRIA_OK);
    const double got = y ? item(y) : -1;
    stria_tensor_release(x), stria_tensor_release(y);
    return got;
}

static void test_values(void)
{
    CHECK(var_of(3, (const float[]){1e8f, 1e8f + 8, 1e8f + 16}, 1) == 64, "far from zero");
    CHECK(isnan(var_of(1, (const float[]){3}, 1)), "one element, correction 1");
    CHECK(var_of(1, (const float[]){3}, 0) == 0, "one element, correction 0");
    CHECK(isinf(var_of(2, (const float[]){3, 4}, 2)) && isinf(var_of(2, (const float[]){3, 4}, 7)), "too few elements");
    CHECK(isnan(var_of(3, (const float[]){1, INFINITY, 2}, 1)) && isnan(var_of(3, (const float[]){1, 2, NAN}, 0)),
          "infinity and NaN");
    CHECK(isnan(var_of(0, (const float[]){0}, 0)), "empty");
    CHECK(var_of(4, (const float[]){1, 2, 3, 4}, -1) == 1, "negative correction");

    const double  far[] = {1e200, -1e200, 1e200, 3e200};
    const int64_t n = 4;
    stria_tensor *x = NULL, *y = NULL;
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 1, &n, far, sizeof far, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_var(x, NULL, 0, 1, false, &y, NULL), STRIA_OK);
    CHECK(y != NULL && item(y) == INFINITY, "squares that overflow");
    stria_tensor_release(x), stria_tensor_release(y);
}

static void test_threads(void)
{
    static const int64_t sizes[3][2] = {{300, 700}, {3, 140000}, {100000, 3}};
    static const int     threads[] = {1, 2, 7};
    random_state         random = {13};
    for (int s = 0; s < 3; s++) {
        for (int kind = 0; kind < 2; kind++) {
            stria_tensor *x =
                tensor_random(&random, STRIA_F32, kind ? LAYOUT_TRANSPOSED : LAYOUT_CONTIGUOUS, 2, sizes[s], -9, 9);
            if (!x) continue;
            tensor_fill_random(&random, x, 1, 2);
            for (unsigned axes = 1; axes < 4; axes++) {
                stria_tensor *first = NULL;
                int           list[2], n = 0;
                for (int d = 0; d < 2; d++)
                    if (is_reduced(axes, d)) list[n++] = d;
                for (int t = 0; t < 3; t++) {
                    stria_tensor *y = NULL;
                    CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
                    CHECK_STATUS(stria_var(x, list, n, 1, false, &y, NULL), STRIA_OK);
                    if (first && y)
                        CHECK(memcmp(stria_tensor_get_data(first), stria_tensor_get_data(y),
                                     4 * (size_t)stria_tensor_get_numel(y)) == 0,
                              "%d threads change the bits", threads[t]);
                    if (t == 0)
                        first = y;
                    else
                        stria_tensor_release(y);
                }
                if (first && axes == 3) check_result(x, axes, 1, false, false, first, "threads");
                stria_tensor_release(first);
            }
            stria_tensor_release(x);
        }
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

static void check_refused(stria_dtype dtype, int n_axes, const int *axes, stria_dtype out_dtype, stria_status status,
                          const char *text)
{
    static const int64_t sizes[] = {2, 3}, three = 3;
    stria_tensor        *x = NULL, *y = NULL, *out = NULL;
    stria_error          err = {0};

    CHECK_STATUS(stria_tensor_new(dtype, 2, sizes, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(out_dtype, 1, &three, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_std_out(x, axes, n_axes, 1, false, out, &err), status);
    CHECK(strcmp(err.op, "std") == 0 && strstr(err.message, text), "message: %s", err.message);
    CHECK(stria_tensor_get_shape(out)[0] == 3, "out changed");
    if (out_dtype == STRIA_F32) CHECK_STATUS(stria_std(x, axes, n_axes, 1, false, &y, NULL), status);
    CHECK(y == NULL, "result in spite of an error");
    stria_tensor_release(x), stria_tensor_release(out);
}

static void test_out_and_refusals(void)
{
    static const int64_t sizes[] = {4, 6}, empty[] = {3, 0};
    random_state         random = {14};
    stria_tensor        *x = NULL, *y = NULL, *row = NULL, *apart = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, sizes, &x, NULL), STRIA_OK);
    tensor_fill_random(&random, x, 0, 1);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 0, NULL, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_var_out(x, (const int[]){1}, 1, 1, false, y, NULL), STRIA_OK); /* resized, of another dtype */
    CHECK(stria_tensor_get_dtype(y) == STRIA_F64 && stria_tensor_get_shape(y)[0] == 4, "out is resized");
    CHECK_STATUS(stria_var(x, (const int[]){0}, 1, 1, false, &apart, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(x, 0, 1, &row, NULL), STRIA_OK); /* within x: computed apart */
    CHECK_STATUS(stria_var_out(x, (const int[]){0}, 1, 1, false, row, NULL), STRIA_OK);
    for (int64_t k = 0; apart && k < 6; k++)
        CHECK(value_same(STRIA_F32, tensor_at(apart, &k), tensor_at(row, &k)), "out within x");
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(row), stria_tensor_release(apart);

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, empty, &x, NULL), STRIA_OK);
    y = NULL;
    CHECK_STATUS(stria_var(x, (const int[]){1}, 1, 1, true, &y, NULL), STRIA_OK);
    for (int64_t k = 0; y && k < 3; k++)
        CHECK(isnan(value_get(STRIA_F32, tensor_at(y, (const int64_t[]){k, 0})).real), "empty");
    stria_tensor_release(y);
    y = NULL;
    CHECK_STATUS(stria_var(x, (const int[]){0}, 1, 1, false, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0, "empty result");
    stria_tensor_release(x), stria_tensor_release(y);

    check_refused(STRIA_I32, 0, NULL, STRIA_F32, STRIA_ERR_DTYPE, "x is i32, but must be a float");
    check_refused(STRIA_BOOL, 0, NULL, STRIA_F32, STRIA_ERR_DTYPE, "bool");
    check_refused(STRIA_F32, 0, NULL, STRIA_I32, STRIA_ERR_DTYPE, "f32 does not cast to an out of i32");
    check_refused(STRIA_F32, 1, (const int[]){2}, STRIA_F32, STRIA_ERR_AXIS, "axis 2");
    check_refused(STRIA_F32, 2, (const int[]){1, -1}, STRIA_F32, STRIA_ERR_AXIS, "twice");
    check_refused(STRIA_F32, -1, NULL, STRIA_F32, STRIA_ERR_ARGUMENT, "dim must have 0 or more axes, not -1");
    CHECK_STATUS(stria_var(NULL, NULL, 0, 1, false, &y, NULL), STRIA_ERR_ARGUMENT);
}

SUITE(test_moment)
{
    check_isa("test_moment");
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) {
        test_layouts();
        test_hard();
        test_values();
    }
    test_threads();
    if (check_has_values()) test_out_and_refusals();
    return check_finish("test_moment");
}
