/* test_reductions.c - logsumexp, sums and counts that pass over elements, pairs of results, norms of matrices, sum_to_size: against
 * plain loops in long double; axes, layouts, dtypes, special values, threads, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "refused.h"

#define MOST 250000 /* elements of one output */

/* ---------------------------------------------------------------- the oracle */

typedef enum kind { LOGSUMEXP, COUNT, NANSUM, NANMEAN, SUM, LEAST, MOST_OF, VAR, MEAN } kind;

static long double least_or_most(const long double *v, int64_t n, bool least)
{
    long double best = v[0];
    for (int64_t k = 0; k < n; k++)
        if (isnan(v[k]) || (least ? v[k] < best : v[k] > best)) best = isnan(best) ? best : v[k];
    return best;
}

static long double logsumexp(const long double *v, int64_t n)
{
    const long double most = n > 0 ? least_or_most(v, n, false) : -INFINITY;
    long double       sum = 0;

    if (isnan(most) || isinf(most)) return most;
    for (int64_t k = 0; k < n; k++) sum += expl(v[k] - most);
    return most + logl(sum);
}

static long double expected(kind what, const long double *v, int64_t n)
{
    long double sum = 0, count = 0, nonzero = 0, all = 0, m2 = 0;

    if (what == LOGSUMEXP) return logsumexp(v, n);
    if (what == LEAST || what == MOST_OF) return least_or_most(v, n, what == LEAST);
    for (int64_t k = 0; k < n; k++) {
        all += v[k];
        nonzero += v[k] != 0;
        if (isnan(v[k])) continue;
        sum += v[k];
        count++;
    }
    for (int64_t k = 0; k < n; k++) m2 += (v[k] - all / n) * (v[k] - all / n);
    if (what == VAR) return m2 / (n - 1);
    if (what == MEAN) return all / n;
    return what == COUNT ? nonzero : what == NANSUM ? sum : what == SUM ? all : sum / count;
}

/* Elements of x that belong to the output at index, in row-major order. */
static int64_t gather(const stria_tensor *x, unsigned axes, const int64_t *index, long double *v)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           shape[STRIA_MAX_DIMS], at[STRIA_MAX_DIMS] = {0}, where[STRIA_MAX_DIMS], n = 0;

    for (int d = 0; d < ndim; d++) shape[d] = is_reduced(axes, d) ? stria_tensor_get_shape(x)[d] : 1;
    do {
        for (int d = 0; d < ndim; d++) where[d] = is_reduced(axes, d) ? at[d] : index[d];
        const value one = value_get(dtype, tensor_at(x, where));
        v[n++] = one.is_float ? (long double)one.real : (long double)one.whole;
    } while (index_next(ndim, shape, at));
    return n;
}

/* `slack` in units in the last place at the result, and of the dtype at 1. */
static bool is_near(stria_dtype dtype, value got, long double exact, double slack)
{
    static const double eps[] = {
        [STRIA_F16] = 0x1p-11, [STRIA_BF16] = 0x1p-8, [STRIA_F32] = 0x1p-24, [STRIA_F64] = 0x1p-53};
    const double working = dtype == STRIA_F64 ? 0x1p-53 : 0x1p-24;
    char         rounded[8];

    if (!got.is_float) return (long double)got.whole == exact;
    value_set(dtype, value_from_real((double)exact), rounded);
    if (isnan(exact) || isinf(value_get(dtype, rounded).real))
        return isnan(exact) ? isnan(got.real) : got.real == value_get(dtype, rounded).real;
    return fabsl((long double)got.real - exact) <=
           fabsl(exact) * (eps[dtype] * 1.01L + slack * working) + slack * working;
}

static void check_result(kind what, const stria_tensor *x, unsigned axes, bool keepdim, const stria_tensor *y,
                         double slack, const char *name)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const stria_dtype dtype = stria_tensor_get_dtype(y);
    long double      *v = malloc(MOST * sizeof *v);
    int64_t           outer[STRIA_MAX_DIMS], shape[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0};
    int               n = 0;

    for (int d = 0; d < ndim; d++) {
        outer[d] = is_reduced(axes, d) ? 1 : stria_tensor_get_shape(x)[d];
        if (!is_reduced(axes, d) || keepdim) shape[n++] = outer[d];
    }
    CHECK(stria_tensor_get_ndim(y) == n && memcmp(stria_tensor_get_shape(y), shape, (size_t)n * sizeof *shape) == 0,
          "%s: shape", name);
    do {
        const int64_t     count = gather(x, axes, index, v);
        const long double exact = expected(what, v, count);
        const value       got = value_get(dtype, reduced_at(y, ndim, axes, keepdim, index));
        CHECK(is_near(dtype, got, exact, slack), "%s of %s, axes %x, %lld elements: %a, expected %La", name,
              stria_dtype_get_name(stria_tensor_get_dtype(x)), axes, (long long)count,
              got.is_float ? got.real : (double)got.whole, exact);
    } while (index_next(ndim, outer, index));
    free(v);
}

/* ---------------------------------------------------------------- every function along every set of axes */

static int list_axes(unsigned axes, int ndim, int *list)
{
    int n = 0;
    for (int d = 0; d < ndim; d++)
        if (is_reduced(axes, d)) list[n++] = d % 2 ? d - ndim : d;
    return n;
}

static void check_floats(const stria_tensor *x, unsigned axes, const int *list, int n, bool keepdim, const char *name)
{
    stria_tensor *y = NULL, *z = NULL;

    CHECK_STATUS(stria_nanmean(x, list, n, keepdim, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    check_result(NANMEAN, x, axes, keepdim, y, 64, name);
    stria_tensor_release(y);
    CHECK_STATUS(stria_var_mean(x, list, n, 1, keepdim, &y, &z, NULL), STRIA_OK);
    check_result(MEAN, x, axes, keepdim, z, 64, name);
    stria_tensor *same = NULL, *other = NULL;
    CHECK_STATUS(stria_std_mean(x, list, n, 0.5, keepdim, &same, &other, NULL), STRIA_OK);
    check_result(MEAN, x, axes, keepdim, other, 64, name);
    stria_tensor_release(other);
    CHECK_STATUS(stria_std(x, list, n, 0.5, keepdim, &other, NULL), STRIA_OK);
    CHECK(memcmp(stria_tensor_get_const_data(same), stria_tensor_get_const_data(other),
                 (size_t)stria_tensor_get_numel(same) * stria_dtype_get_size(stria_tensor_get_dtype(x))) == 0,
          "std_mean has std");
    stria_tensor_release(y), stria_tensor_release(z), stria_tensor_release(same), stria_tensor_release(other);
}

static void check_all(const stria_tensor *x, unsigned axes, bool keepdim, const char *name)
{
    const int     ndim = stria_tensor_get_ndim(x);
    const bool    is_float = dtype_is_float(stria_tensor_get_dtype(x));
    const bool    all = axes == (1u << ndim) - 1;
    int           list[STRIA_MAX_DIMS];
    const int     n = all ? 0 : list_axes(axes, ndim, list);
    stria_tensor *y = NULL, *z = NULL;

    CHECK_STATUS(stria_logsumexp(x, list, n, keepdim, &y, NULL), STRIA_OK);
    CHECK(is_float || stria_tensor_get_dtype(y) == STRIA_F32, "logsumexp of whole numbers is f32");
    check_result(LOGSUMEXP, x, axes, keepdim, y, 8, name);
    stria_tensor_release(y);
    CHECK_STATUS(stria_count_nonzero(x, list, n, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_I64, "counts are i64");
    check_result(COUNT, x, axes, false, y, 0, name);
    stria_tensor_release(y);
    CHECK_STATUS(stria_nansum(x, list, n, keepdim, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    if (stria_dtype_get_size(stria_tensor_get_dtype(x)) < 8 || is_float) /* others wrap */
        check_result(NANSUM, x, axes, keepdim, y, 512, name);
    stria_tensor_release(y);
    if (n <= 1) {
        CHECK_STATUS(stria_aminmax(x, n ? list[0] : STRIA_AXIS_NONE, keepdim, &y, &z, NULL), STRIA_OK);
        check_result(LEAST, x, axes, keepdim, y, 0, name);
        check_result(MOST_OF, x, axes, keepdim, z, 0, name);
        stria_tensor_release(y), stria_tensor_release(z);
    }
    if (is_float) check_floats(x, axes, list, n, keepdim, name);
}

static const struct {
    int     ndim;
    int64_t sizes[4];
} shapes[] = {{0, {0}}, {1, {1}}, {1, {77}}, {2, {5, 9}}, {2, {70, 33}}, {3, {3, 4, 19}}, {4, {2, 3, 2, 17}}};

static void test_layouts(void)
{
    random_state random = {51};

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (shapes[s].ndim == 0 && kind)) continue;
                stria_tensor *x =
                    tensor_random(&random, (stria_dtype)d, (layout)kind, shapes[s].ndim, shapes[s].sizes, -9, 9);
                if (!x) continue;
                if (dtype_is_float((stria_dtype)d)) tensor_fill_random(&random, x, 0.25, 8);
                for (unsigned axes = shapes[s].ndim > 0; axes < 1u << shapes[s].ndim; axes++)
                    check_all(x, axes, (axes + (unsigned)kind) % 2, layout_names[kind]);
                stria_tensor_release(x);
            }
}

/* ---------------------------------------------------------------- logsumexp */

/* Long rows and columns: several blocks and chunks, whose largest elements lie in any of them. */
static void test_long(void)
{
    static const int64_t sizes[][2] = {{1, 150000}, {3, 70000}, {5000, 20}, {70000, 2}, {40, 600}};
    random_state         random = {52};

    for (int dtype = STRIA_F32; dtype <= STRIA_F64; dtype++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int slope = -1; slope <= 1; slope++) {
                stria_tensor *x = NULL;
                CHECK_STATUS(stria_tensor_new((stria_dtype)dtype, 2, sizes[s], &x, NULL), STRIA_OK);
                for (int64_t k = 0; x && k < stria_tensor_get_numel(x); k++) {
                    const double v =
                        3 * random_unit(&random) + slope * 900.0 * (double)k / (double)stria_tensor_get_numel(x);
                    const int64_t at[] = {k / sizes[s][1], k % sizes[s][1]};
                    value_set((stria_dtype)dtype, value_from_real(v), tensor_at(x, at));
                }
                for (unsigned axes = 1; x && axes < 4; axes++) {
                    int           list[2];
                    stria_tensor *y = NULL;
                    CHECK_STATUS(stria_logsumexp(x, list, list_axes(axes, 2, list), false, &y, NULL), STRIA_OK);
                    if (y) check_result(LOGSUMEXP, x, axes, false, y, 8, "long");
                    stria_tensor_release(y);
                }
                stria_tensor_release(x);
            }
}

static double of_values(int64_t n, const double *values, bool in_columns)
{
    const int64_t shape[] = {n, 20};
    stria_tensor *x = NULL, *wide = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 1, &n, values, (size_t)n * 8, &x, NULL), STRIA_OK);
    if (in_columns) {
        stria_tensor *column = NULL, *view = NULL;
        CHECK_STATUS(stria_unsqueeze(x, 1, &column, NULL), STRIA_OK);
        CHECK_STATUS(stria_expand(column, shape, 2, &view, NULL), STRIA_OK);
        CHECK_STATUS(stria_contiguous(view, &wide, NULL), STRIA_OK);
        stria_tensor_release(column), stria_tensor_release(view);
    }
    CHECK_STATUS(stria_logsumexp(in_columns ? wide : x, (const int[]){0}, 1, false, &y, NULL), STRIA_OK);
    const double got = value_get(STRIA_F64, stria_tensor_get_const_data(y)).real;
    stria_tensor_release(x), stria_tensor_release(wide), stria_tensor_release(y);
    return got;
}

static void test_specials(void)
{
    static double many[6000];

    for (int c = 0; c < 2; c++) {
        CHECK(of_values(2, (const double[]){1000, 1000}, c) == 1000 + log(2), "large");
        CHECK(of_values(2, (const double[]){-1000, -INFINITY}, c) == -1000, "small");
        CHECK(of_values(2, (const double[]){-INFINITY, -INFINITY}, c) == -INFINITY, "nothing but -infinity");
        CHECK(of_values(3, (const double[]){-INFINITY, INFINITY, 3}, c) == INFINITY, "infinity");
        CHECK(isnan(of_values(3, (const double[]){NAN, INFINITY, 3}, c)), "infinity and NaN");
        CHECK(isnan(of_values(3, (const double[]){1, NAN, -INFINITY}, c)), "NaN");
        CHECK(of_values(0, many, false) == -INFINITY, "nothing");
        /* blocks of -infinity, of an infinity, of NaN before and behind others */
        for (int k = 0; k < 6000; k++) many[k] = k < 4096 ? -INFINITY : 1000;
        CHECK(fabs(of_values(6000, many, c) - (1000 + log(1904))) < 1e-12, "-infinity first");
        for (int k = 0; k < 6000; k++) many[k] = k < 4096 ? 1000 : -INFINITY;
        CHECK(fabs(of_values(6000, many, c) - (1000 + log(4096))) < 1e-12, "-infinity last");
        for (int at = 0; at < 2; at++) {
            for (int k = 0; k < 6000; k++) many[k] = 2000.0 * ((k < 4096) == at);
            many[at * 5000 + 3] = INFINITY;
            CHECK(of_values(6000, many, c) == INFINITY, "an infinity beside a larger pivot");
            many[at * 5000 + 3] = NAN;
            CHECK(isnan(of_values(6000, many, c)), "NaN beside a larger pivot");
        }
    }
}

static void test_threads(void)
{
    static const int64_t sizes[3][2] = {{300, 700}, {3, 140000}, {100000, 3}};
    static const int     threads[] = {1, 2, 7};
    random_state         random = {53};

    for (int s = 0; s < 6; s++) {
        const int     axis = s / 3;
        stria_tensor *x = NULL, *first = NULL;
        CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, sizes[s % 3], &x, NULL), STRIA_OK);
        tensor_fill_random(&random, x, 0, 9);
        for (int t = 0; t < 3; t++) {
            stria_tensor *y = NULL;
            CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
            CHECK_STATUS(stria_logsumexp(x, &axis, 1, false, &y, NULL), STRIA_OK);
            if (first)
                CHECK(memcmp(stria_tensor_get_const_data(first), stria_tensor_get_const_data(y),
                             4 * (size_t)stria_tensor_get_numel(y)) == 0,
                      "%d threads change the bits", threads[t]);
            if (t == 0)
                first = y;
            else
                stria_tensor_release(y);
        }
        stria_tensor_release(x), stria_tensor_release(first);
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- NaN, pairs */

static stria_tensor *vector_of(int64_t n, const double *values, stria_dtype dtype)
{
    stria_tensor *wide = NULL, *x = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 1, &n, values, (size_t)n * 8, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(wide, dtype, &x, NULL), STRIA_OK);
    stria_tensor_release(wide);
    return x;
}

/* The number in y, which is released. */
static double take(stria_tensor *y)
{
    const value v = y ? value_get(stria_tensor_get_dtype(y), stria_tensor_get_const_data(y)) : value_from_real(-77);
    stria_tensor_release(y);
    return v.is_float ? v.real : (double)v.whole;
}

static void test_nan(void)
{
    static const double v[] = {1, NAN, 0, -4, NAN, 6}, none[] = {NAN, NAN};
    stria_tensor       *y = NULL, *z = NULL;

    for (int d = STRIA_F16; d <= STRIA_F64; d++) {
        stria_tensor *x = vector_of(6, v, (stria_dtype)d), *nothing = vector_of(2, none, (stria_dtype)d);
        CHECK_STATUS(stria_nansum(x, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(y) == (stria_dtype)d && take(y) == 3, "nansum");
        CHECK_STATUS(stria_nansum(x, NULL, 0, false, STRIA_F64, &y, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(y) == STRIA_F64 && take(y) == 3, "nansum in f64");
        CHECK_STATUS(stria_nanmean(x, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(y) == (stria_dtype)d && take(y) == 0.75, "nanmean");
        CHECK_STATUS(stria_nanmean(nothing, NULL, 0, false, STRIA_F32, &y, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(y) == STRIA_F32 && isnan(take(y)), "nanmean of nothing");
        CHECK_STATUS(stria_nansum(nothing, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
        CHECK(take(y) == 0, "nansum of nothing");
        CHECK_STATUS(stria_count_nonzero(x, NULL, 0, &y, NULL), STRIA_OK);
        CHECK(take(y) == 5, "NaN is not 0");
        CHECK_STATUS(stria_max(x, 0, false, &y, &z, NULL), STRIA_OK);
        CHECK(isnan(take(y)) && take(z) == 1, "the first NaN is the largest");
        CHECK_STATUS(stria_min(x, -1, true, &y, &z, NULL), STRIA_OK);
        CHECK(stria_tensor_get_ndim(y) == 1 && isnan(take(y)) && take(z) == 1, "and the smallest");
        stria_tensor_release(x), stria_tensor_release(nothing);
    }
    /* a mean of halves beyond their range on the way */
    stria_tensor *x = vector_of(3, (const double[]){60000, 60000, NAN}, STRIA_F16);
    CHECK_STATUS(stria_nanmean(x, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(take(y) == 60000, "sums of halves in f32");
    stria_tensor_release(x);
}

static void test_extremes(void)
{
    static const int64_t sizes[] = {4, 5};
    random_state         random = {54};

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++)
        for (int axis = -2; axis < 2; axis++)
            for (int smallest = 0; smallest < 2; smallest++) {
                const int     a = axis < 0 ? axis + 2 : axis;
                stria_tensor *x = tensor_random(&random, (stria_dtype)d, LAYOUT_TRANSPOSED, 2, sizes, -2, 2);
                stria_tensor *y = NULL, *z = NULL;
                if (smallest)
                    CHECK_STATUS(stria_min(x, axis, false, &y, &z, NULL), STRIA_OK);
                else
                    CHECK_STATUS(stria_max(x, axis, false, &y, &z, NULL), STRIA_OK);
                for (int64_t k = 0; y && z && k < sizes[!a]; k++) {
                    long double v[8], best;
                    int64_t     at[2], first = 0;
                    at[!a] = k;
                    gather(x, 1u << a, at, v);
                    best = least_or_most(v, sizes[a], smallest);
                    while (isnan(best) ? !isnan(v[first]) : v[first] != best) first++;
                    const value got = value_get((stria_dtype)d, tensor_at(y, &k));
                    CHECK(is_near((stria_dtype)d, got, best, 0), "value of %s", stria_dtype_get_name((stria_dtype)d));
                    CHECK(value_get(STRIA_I64, tensor_at(z, &k)).whole == first, "index");
                }
                stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(z);
            }
}

/* ---------------------------------------------------------------- norms of matrices, dist, norm with dtype */

static void test_matrix_norms(void)
{
    static const int64_t sizes[] = {2, 2, 3}, numbers[] = {2, 6};
    static const double  v[] = {1, -2, 3, -4, 5, -6, 7, -8, 9, 0, 1, 0};
    static const struct {
        const char *ord;
        double      first, second;
    } cases[] = {{"1", 9, 9}, {"-1", 5, 7}, {"inf", 15, 24}, {"-inf", 6, 1}};
    stria_tensor *flat = vector_of(12, v, STRIA_F32), *x = NULL, *turned = NULL, *y = NULL, *z = NULL;

    CHECK_STATUS(stria_reshape(flat, sizes, 3, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 2, &turned, NULL), STRIA_OK); /* [3, 2, 2]: matrices along axes 1 and 0 */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int form = 0; form < 3; form++) {
            const int axes[] = {1, form == 2 ? -3 : 2};
            CHECK_STATUS(stria_matrix_norm(form == 2 ? turned : x, cases[c].ord, form ? axes : NULL, form ? 2 : 0,
                                           form == 1, STRIA_DTYPE_NONE, &y, NULL),
                         STRIA_OK);
            CHECK(y && stria_tensor_get_ndim(y) == (form == 1 ? 3 : 1), "dims");
            const float *got = y ? stria_tensor_get_const_data(y) : NULL;
            CHECK(got && got[0] == cases[c].first && got[1] == cases[c].second, "norm %s: %g, %g", cases[c].ord,
                  got ? (double)got[0] : 0, got ? (double)got[1] : 0);
            stria_tensor_release(y);
        }
    stria_tensor *rows = NULL;
    CHECK_STATUS(stria_matrix_norm(x, "fro", NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_reshape(x, numbers, 2, &rows, NULL), STRIA_OK);
    CHECK_STATUS(stria_norm(rows, 2, (const int[]){1}, 1, false, STRIA_DTYPE_NONE, &z, NULL), STRIA_OK);
    CHECK(memcmp(stria_tensor_get_const_data(y), stria_tensor_get_const_data(z), 8) == 0,
          "fro is the norm of the elements");
    stria_tensor_release(y), stria_tensor_release(z), stria_tensor_release(rows);
    /* whole numbers, by a dtype */
    stria_tensor *whole = NULL;
    CHECK_STATUS(stria_tensor_copy(x, STRIA_I16, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_matrix_norm(whole, "inf", NULL, 0, false, STRIA_F64, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F64 && take(y) == 15, "in f64");
    CHECK_STATUS(stria_norm(whole, 1, NULL, 0, false, STRIA_F64, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F64 && take(y) == 46, "norm in f64");
    CHECK_STATUS(stria_dist(x, flat, 2, &y, NULL), STRIA_ERR_SHAPE);
    CHECK_STATUS(stria_dist(rows ? x : x, whole, 2, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F32 && take(y) == 0, "dist of equal tensors");
    stria_tensor_release(flat), stria_tensor_release(x), stria_tensor_release(turned), stria_tensor_release(whole);
    flat = vector_of(2, (const double[]){3, 1}, STRIA_F64);
    x = vector_of(2, (const double[]){0, -3}, STRIA_F64);
    CHECK_STATUS(stria_dist(flat, x, 2, &y, NULL), STRIA_OK);
    CHECK(take(y) == 5, "3, 4");
    CHECK_STATUS(stria_dist(flat, x, INFINITY, &y, NULL), STRIA_OK);
    CHECK(take(y) == 4, "order infinity");
    stria_tensor_release(flat), stria_tensor_release(x);
}

/* ---------------------------------------------------------------- sum_to_size */

static void test_sum_to_size(void)
{
    static const int64_t sizes[] = {3, 4, 5};
    static const struct {
        int     n;
        int64_t size[3];
    } cases[] = {{0, {0}},       {1, {1}},       {1, {5}},       {2, {4, 5}},    {2, {1, 5}},   {2, {4, 1}},
                 {3, {3, 4, 5}}, {3, {1, 4, 5}}, {3, {3, 1, 5}}, {3, {3, 4, 1}}, {3, {1, 1, 1}}};
    random_state random = {55};

    for (int d = STRIA_U8; d <= STRIA_F64; d++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int kind = LAYOUT_CONTIGUOUS; kind <= LAYOUT_FLIPPED; kind++) {
                const int     missing = 3 - cases[c].n;
                unsigned      axes = 0;
                stria_tensor *x = tensor_random(&random, (stria_dtype)d, (layout)kind, 3, sizes, -9, 9), *y = NULL,
                             *wide = NULL;
                if (dtype_is_float((stria_dtype)d)) tensor_fill_random(&random, x, 0, 4);
                for (int k = 0; k < 3; k++)
                    if (k < missing || cases[c].size[k - missing] != sizes[k]) axes |= 1u << k;
                CHECK_STATUS(stria_sum_to_size(x, cases[c].size, cases[c].n, &y, NULL), STRIA_OK);
                CHECK(y && stria_tensor_get_dtype(y) == (stria_dtype)d && stria_tensor_get_ndim(y) == cases[c].n,
                      "dtype, dims");
                const int64_t *padded = (const int64_t[]){axes & 1 ? 1 : 3, axes & 2 ? 1 : 4, axes & 4 ? 1 : 5};
                CHECK_STATUS(stria_reshape(y, padded, 3, &wide, NULL), STRIA_OK);
                if (dtype_is_float((stria_dtype)d)) {
                    check_result(SUM, x, axes, true, wide, 64, "sum_to_size");
                } else { /* wraps as the sum does */
                    int           list[3], n = 0;
                    stria_tensor *sum = NULL, *narrow = NULL;
                    for (int k = 0; k < 3; k++)
                        if (axes >> k & 1) list[n++] = k;
                    CHECK_STATUS(n ? stria_reduce(STRIA_RED_sum, x, list, n, true, STRIA_DTYPE_NONE, &sum, NULL)
                                   : stria_contiguous(x, &sum, NULL),
                                 STRIA_OK);
                    CHECK_STATUS(stria_tensor_copy(sum, (stria_dtype)d, &narrow, NULL), STRIA_OK);
                    int64_t at[3] = {0};
                    do CHECK(value_same((stria_dtype)d, tensor_at(narrow, at), tensor_at(wide, at)), "whole numbers");
                    while (index_next(3, padded, at));
                    stria_tensor_release(sum), stria_tensor_release(narrow);
                }
                stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(wide);
            }
}

/* ---------------------------------------------------------------- refusals, out, meta */

static void test_refusals(void)
{
    static const int64_t sizes[] = {2, 3}, none[] = {2, 0}, wrong[] = {2, 2, 3}, other[] = {2};
    const stria_dtype    no = STRIA_DTYPE_NONE;
    const int            axis = 1, far = 5;
    stria_tensor        *x = NULL, *i = NULL, *c = NULL, *e = NULL, *y = NULL, *z = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, sizes, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 2, sizes, &i, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 2, sizes, &c, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, none, &e, NULL), STRIA_OK);
    REFUSED(stria_logsumexp(x, &far, 1, false, &y, &err), STRIA_ERR_AXIS, "logsumexp", "dim", "axis 5");
    REFUSED(stria_logsumexp(c, &axis, 1, false, &y, &err), STRIA_ERR_DTYPE, "logsumexp", "x", "x is c64");
    REFUSED(stria_count_nonzero(x, &far, 1, &y, &err), STRIA_ERR_AXIS, "count_nonzero", "dim", "axis 5");
    REFUSED(stria_nansum(c, NULL, 0, false, no, &y, &err), STRIA_ERR_DTYPE, "nansum", "x", "x is c64");
    REFUSED(stria_nansum(x, &far, 1, false, no, &y, &err), STRIA_ERR_AXIS, "nansum", "dim", "axis 5");
    REFUSED(stria_nanmean(i, NULL, 0, false, no, &y, &err), STRIA_ERR_DTYPE, "nanmean", "x",
            "x is i32, but must be a float");
    REFUSED(stria_nanmean(x, NULL, 0, false, STRIA_I32, &y, &err), STRIA_ERR_DTYPE, "nanmean", "dtype", "dtype is i32");
    REFUSED(stria_nanmean(x, &far, 1, false, no, &y, &err), STRIA_ERR_AXIS, "nanmean", "dim", "axis 5");
    REFUSED(stria_var_mean(i, NULL, 0, 1, false, &y, &z, &err), STRIA_ERR_DTYPE, "var_mean", "x", "x is i32");
    REFUSED(stria_std_mean(x, &far, 1, 1, false, &y, &z, &err), STRIA_ERR_AXIS, "std_mean", "dim", "axis 5");
    REFUSED(stria_aminmax(e, 1, false, &y, &z, &err), STRIA_ERR_EMPTY, "aminmax", "x", "axis 1 of x has size 0");
    REFUSED(stria_aminmax(e, STRIA_AXIS_NONE, false, &y, &z, &err), STRIA_ERR_EMPTY, "aminmax", "x", "size 0");
    REFUSED(stria_max(c, 0, false, &y, &z, &err), STRIA_ERR_DTYPE, "max", "x", "x is c64");
    REFUSED(stria_max(e, 1, false, &y, &z, &err), STRIA_ERR_EMPTY, "max", "x", "axis 1 of x has size 0");
    REFUSED(stria_min(x, 2, false, &y, &z, &err), STRIA_ERR_AXIS, "min", "dim", "axis 2");
    REFUSED(stria_dist(i, i, 2, &y, &err), STRIA_ERR_DTYPE, "dist", "a", "must be a float");
    REFUSED(stria_dist(x, c, 2, &y, &err), STRIA_ERR_DTYPE, "dist", "b", "must be a float");
    REFUSED(stria_dist(x, x, NAN, &y, &err), STRIA_ERR_ARGUMENT, "dist", "p", "p is NaN");
    REFUSED(stria_matrix_norm(x, "3", NULL, 0, false, no, &y, &err), STRIA_ERR_ARGUMENT, "matrix_norm", "ord", "ord");
    REFUSED(stria_matrix_norm(x, "1", &axis, 1, false, no, &y, &err), STRIA_ERR_AXIS, "matrix_norm", "dim",
            "dim has 1 axes");
    REFUSED(stria_matrix_norm(x, "1", (const int[]){1, -1}, 2, false, no, &y, &err), STRIA_ERR_AXIS, "matrix_norm",
            "dim", "twice");
    REFUSED(stria_matrix_norm(i, "1", NULL, 0, false, no, &y, &err), STRIA_ERR_DTYPE, "matrix_norm", "x", "x is i32");
    REFUSED(stria_matrix_norm(i, "1", NULL, 0, false, STRIA_U8, &y, &err), STRIA_ERR_DTYPE, "matrix_norm", "dtype",
            "u8");
    REFUSED(stria_norm(x, 2, NULL, 0, false, STRIA_I32, &y, &err), STRIA_ERR_DTYPE, "norm", "dtype", "dtype is i32");
    REFUSED(stria_sum_to_size(x, wrong, 3, &y, &err), STRIA_ERR_SHAPE, "sum_to_size", "size",
            "size [2,2,3] does not broadcast to the shape of x, [2,3]");
    REFUSED(stria_sum_to_size(x, other, 1, &y, &err), STRIA_ERR_SHAPE, "sum_to_size", "size", "size [2] does not");
    stria_tensor *truth = NULL;
    CHECK_STATUS(stria_isnan(x, &truth, NULL), STRIA_OK);
    REFUSED(stria_sum_to_size(truth, sizes, 2, &y, &err), STRIA_ERR_DTYPE, "sum_to_size", "x", "x is bool");
    stria_tensor_release(truth);
    CHECK(y == NULL && z == NULL, "outputs of refused calls");
    /* complex counts, empty sums */
    CHECK_STATUS(stria_count_nonzero(e, NULL, 0, &y, NULL), STRIA_OK);
    CHECK(take(y) == 0, "nothing");
    CHECK_STATUS(stria_sum_to_size(e, NULL, 0, &y, NULL), STRIA_OK);
    CHECK(take(y) == 0, "the sum of nothing");
    memset(stria_tensor_get_data(c), 0, 48);
    ((float *)stria_tensor_get_data(c))[3] = 1;
    CHECK_STATUS(stria_count_nonzero(c, NULL, 0, &y, NULL), STRIA_OK);
    CHECK(take(y) == 1, "an imaginary part");
    stria_tensor_release(x), stria_tensor_release(i), stria_tensor_release(c), stria_tensor_release(e);
}

static void test_out_and_meta(void)
{
    static const int64_t sizes[] = {2, 3}, two = 2;
    const int            axis = 0;
    stria_tensor        *x = NULL, *m = NULL, *y = NULL, *z = NULL;

    CHECK_STATUS(stria_full(sizes, 2, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1}, STRIA_F32, STRIA_CPU, &x, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, &two, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 1, &two, &z, NULL), STRIA_OK);
    CHECK_STATUS(stria_logsumexp_out(x, &axis, 1, false, y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_shape(y)[0] == 3 && fabs(((double *)stria_tensor_get_data(y))[2] - (1 + log(2))) < 1e-7,
          "out");
    CHECK_STATUS(stria_max_out(x, 1, false, y, z, NULL), STRIA_OK);
    CHECK(stria_tensor_get_shape(y)[0] == 2 && ((double *)stria_tensor_get_data(y))[1] == 1, "values");
    CHECK(stria_tensor_get_dtype(z) == STRIA_I32 && ((int32_t *)stria_tensor_get_data(z))[1] == 0, "indices");
    CHECK_STATUS(stria_sum_to_size_out(x, &two, 0, x, NULL), STRIA_OK); /* over x itself */
    CHECK(stria_tensor_get_ndim(x) == 0 && ((float *)stria_tensor_get_data(x))[0] == 6, "over x");
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(z);
    CHECK_STATUS(stria_empty(sizes, 2, STRIA_F16, STRIA_META, &m, NULL), STRIA_OK);
    CHECK_STATUS(stria_logsumexp(m, &axis, 1, true, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META && stria_tensor_get_shape(y)[0] == 1, "meta");
    stria_tensor_release(y);
    CHECK_STATUS(stria_nanmean(m, &axis, 1, true, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_dtype(y) == STRIA_F16 && stria_tensor_get_shape(y)[1] == 3, "a composite on meta");
    stria_tensor_release(y);
    CHECK_STATUS(stria_max(m, 1, false, &y, &z, NULL), STRIA_OK);
    CHECK(y && z && stria_tensor_get_dtype(z) == STRIA_I64 && stria_tensor_get_device(z).type == STRIA_DEVICE_META,
          "pairs");
    stria_tensor_release(m), stria_tensor_release(y), stria_tensor_release(z);
}

/* Of complex numbers var_mean and std_mean are var, std and mean, of which the first two are real. */
static void test_complex_pairs(void)
{
    static const int64_t shape[] = {4, 5};
    random_state         numbers = {78};
    stria_tensor        *x = tensor_random(&numbers, STRIA_C64, LAYOUT_TRANSPOSED, 2, shape, 0, 1);
    stria_tensor        *pairs[4] = {NULL}, *single[3] = {NULL}, *same = NULL;
    const int            axis = 1;

    tensor_fill_random(&numbers, x, 0, 1);
    CHECK_STATUS(stria_var_mean(x, &axis, 1, 1, false, &pairs[0], &pairs[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_std_mean(x, &axis, 1, 1, false, &pairs[2], &pairs[3], NULL), STRIA_OK);
    CHECK_STATUS(stria_var(x, &axis, 1, 1, false, &single[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_mean(x, &axis, 1, false, &single[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_std(x, &axis, 1, 1, false, &single[2], NULL), STRIA_OK);
    for (int k = 0; k < 4; k++) {
        const stria_tensor *wanted = single[k == 3 ? 1 : k];
        CHECK(stria_tensor_get_dtype(pairs[k]) == (k % 2 == 0 ? STRIA_F32 : STRIA_C64), "dtype of %d", k);
        CHECK_STATUS(stria_equal(pairs[k], wanted, &same, NULL), STRIA_OK);
        CHECK(*(const bool *)stria_tensor_get_const_data(same), "pair %d", k);
        stria_tensor_release(same), same = NULL;
    }
    for (int k = 0; k < 4; k++) stria_tensor_release(pairs[k]);
    for (int k = 0; k < 3; k++) stria_tensor_release(single[k]);
    stria_tensor_release(x);
}

SUITE(test_reductions)
{
    test_complex_pairs();
    check_isa("test_reductions");
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) {
        test_layouts();
        test_long();
        test_specials();
    }
    test_threads();
    if (check_has_values()) {
        test_nan();
        test_extremes();
        test_matrix_norms();
        test_sum_to_size();
        test_refusals();
        test_out_and_meta();
    }
    return check_finish("test_reductions");
}
