/* test_median.c - median, nanmedian, mode, quantile, nanquantile, histc, cov and corrcoef, cummax, cummin, logcumsumexp, diff and
 * trapezoid against plain loops: dtypes, layouts, special values, long rows, threads, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "refused.h"

#define MOST 30000 /* elements of a row */

static long double real_of(value v) { return v.is_float ? (long double)v.real : (long double)v.whole; }

/* The elements of a row along the axis, from index on; axis -1: all, in row-major order. */
static int64_t gather(const stria_tensor *x, int axis, const int64_t *index, long double *v)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           at[STRIA_MAX_DIMS] = {0}, n = 0;

    if (axis < 0) {
        do v[n++] = real_of(value_get(dtype, tensor_at(x, at)));
        while (index_next(ndim, stria_tensor_get_shape(x), at));
        return n;
    }
    memcpy(at, index, sizeof at);
    for (at[axis] = 0; ndim == 0 ? n < 1 : at[axis] < stria_tensor_get_shape(x)[axis]; at[axis]++)
        v[n++] = real_of(value_get(dtype, tensor_at(x, at)));
    return n;
}

static int compare(const void *a, const void *b)
{
    const long double x = *(const long double *)a, y = *(const long double *)b;
    if (x < y) return -1;
    if (x > y) return 1;
    return x == y ? 0 : isnan(x) - isnan(y);
}

/* Sorted copy, how many are numbers. */
static int64_t sorted_of(const long double *v, int64_t n, long double *sorted)
{
    int64_t numbers = 0;
    memcpy(sorted, v, (size_t)n * sizeof *v);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    while (numbers < n && !isnan(sorted[numbers])) numbers++;
    return numbers;
}

static int64_t first_of(const long double *v, long double what)
{
    int64_t k = 0;
    while (isnan(what) ? !isnan(v[k]) : v[k] != what) k++;
    return k;
}

typedef enum kind { MEDIAN, NANMEDIAN, MODE } kind;

static int64_t expected_index(kind what, const long double *v, int64_t n)
{
    long double  *sorted = malloc((size_t)n * sizeof *sorted);
    const int64_t numbers = sorted_of(v, n, sorted);
    int64_t       index = 0, most = 0;

    if (what != MODE) {
        const bool is_nan = numbers == 0 || (numbers < n && what == MEDIAN);
        index = first_of(v, is_nan ? NAN : sorted[(numbers - 1) / 2]);
    } else if (numbers == 0) {
        index = 0;
    } else {
        long double best = 0;
        for (int64_t k = 0, run = 0; k < numbers; k++) {
            run = k > 0 && sorted[k] == sorted[k - 1] ? run + 1 : 1;
            if (run > most) most = run, best = sorted[k];
        }
        for (int64_t k = 0; k < n; k++)
            if (v[k] == best) index = k;
    }
    free(sorted);
    return index;
}

static stria_status run(kind what, const stria_tensor *x, int dim, bool keepdim, stria_tensor **y, stria_tensor **z)
{
    switch (what) {
    case MEDIAN: return stria_median(x, dim, keepdim, y, z, NULL);
    case NANMEDIAN: return stria_nanmedian(x, dim, keepdim, y, z, NULL);
    default: return stria_mode(x, dim, keepdim, y, z, NULL);
    }
}

static void check_row(kind what, const stria_tensor *x, int axis, const int64_t *index, const stria_tensor *y,
                      const stria_tensor *z, bool keepdim, const char *name)
{
    static long double v[MOST];
    const int          ndim = stria_tensor_get_ndim(x);
    const unsigned     axes = axis < 0 ? (1u << ndim) - 1 : ndim > 0 ? 1u << axis : 0;
    const int64_t      n = gather(x, axis, index, v), at = expected_index(what, v, n);
    const stria_dtype  dtype = stria_tensor_get_dtype(x);
    const int64_t      got = (int64_t)value_get(STRIA_I64, reduced_at(z, ndim, axes, keepdim, index)).whole;
    const long double  one = real_of(value_get(dtype, reduced_at(y, ndim, axes, keepdim, index)));

    CHECK(got == at, "%s %s of %s, axis %d: index %lld, expected %lld", name, what == MODE ? "mode" : "median",
          stria_dtype_get_name(dtype), axis, (long long)got, (long long)at);
    CHECK(isnan(v[at]) ? isnan(one) : one == v[at], "%s value %Lg, expected %Lg", name, one, v[at]);
}

static void check_median(kind what, const stria_tensor *x, int axis, bool keepdim, const char *name)
{
    const int     ndim = stria_tensor_get_ndim(x);
    stria_tensor *y = NULL, *z = NULL;
    int64_t       outer[STRIA_MAX_DIMS] = {0}, index[STRIA_MAX_DIMS] = {0};

    CHECK_STATUS(run(what, x, axis < 0 ? STRIA_AXIS_NONE : axis % 2 ? axis - ndim : axis, keepdim, &y, &z), STRIA_OK);
    if (!y || !z) return;
    for (int d = 0; d < ndim; d++) outer[d] = axis < 0 || d == axis ? 1 : stria_tensor_get_shape(x)[d];
    CHECK(stria_tensor_get_ndim(y) == (keepdim ? ndim : axis < 0 || ndim == 0 ? 0 : ndim - 1), "dims");
    do check_row(what, x, axis, index, y, z, keepdim, name);
    while (index_next(ndim, outer, index));
    stria_tensor_release(y), stria_tensor_release(z);
}

static const struct {
    int     ndim;
    int64_t sizes[3];
} shapes[] = {{0, {0}}, {1, {1}}, {1, {77}}, {2, {5, 9}}, {2, {70, 33}}, {3, {3, 4, 60}}, {2, {4, 300}}};

/* ---------------------------------------------------------------- running results */

static void check_running(const stria_tensor *x, int axis, bool smallest, const char *name)
{
    static long double v[MOST];
    const int          ndim = stria_tensor_get_ndim(x);
    const stria_dtype  dtype = stria_tensor_get_dtype(x);
    stria_tensor      *y = NULL, *z = NULL;
    int64_t            outer[STRIA_MAX_DIMS] = {0}, index[STRIA_MAX_DIMS] = {0};

    if (smallest)
        CHECK_STATUS(stria_cummin(x, axis, &y, &z, NULL), STRIA_OK);
    else
        CHECK_STATUS(stria_cummax(x, axis, &y, &z, NULL), STRIA_OK);
    for (int d = 0; d < ndim; d++) outer[d] = d == axis ? 1 : stria_tensor_get_shape(x)[d];
    do {
        const int64_t n = gather(x, axis, index, v);
        int64_t       at[STRIA_MAX_DIMS], best = 0;
        memcpy(at, index, sizeof at);
        for (int64_t k = 0; k < n; k++) {
            if (isnan(v[k]) || (!isnan(v[best]) && (smallest ? v[k] <= v[best] : v[k] >= v[best]))) best = k;
            at[axis] = k;
            const long double one = real_of(value_get(dtype, tensor_at(y, at)));
            CHECK(isnan(v[best]) ? isnan(one) : one == v[best], "%s running extreme of %s at %lld", name,
                  stria_dtype_get_name(dtype), (long long)k);
            CHECK((int64_t)value_get(STRIA_I64, tensor_at(z, at)).whole == best, "%s index at %lld", name,
                  (long long)k);
        }
    } while (index_next(ndim, outer, index));
    stria_tensor_release(y), stria_tensor_release(z);
}

static bool is_near(stria_dtype dtype, long double got, long double exact, double slack)
{
    static const double eps[] = {
        [STRIA_F16] = 0x1p-11, [STRIA_BF16] = 0x1p-8, [STRIA_F32] = 0x1p-24, [STRIA_F64] = 0x1p-53};
    if (isnan(exact) || isinf(exact)) return isnan(exact) ? isnan(got) : got == exact;
    return fabsl(got - exact) <=
           fabsl(exact) * (eps[dtype] * 1.01L + slack) + slack + (dtype == STRIA_F16 ? 0x1p-25L : 0);
}

static void check_logcumsumexp(const stria_tensor *x, int axis, double slack, const char *name)
{
    static long double v[MOST];
    const int          ndim = stria_tensor_get_ndim(x);
    stria_tensor      *y = NULL;
    int64_t            outer[STRIA_MAX_DIMS] = {0}, index[STRIA_MAX_DIMS] = {0};

    CHECK_STATUS(stria_logcumsumexp(x, axis, &y, NULL), STRIA_OK);
    const stria_dtype dtype = stria_tensor_get_dtype(y);
    for (int d = 0; d < ndim; d++) outer[d] = d == axis ? 1 : stria_tensor_get_shape(x)[d];
    do {
        const int64_t n = gather(x, axis, index, v);
        int64_t       at[STRIA_MAX_DIMS];
        long double   sofar = -INFINITY;
        memcpy(at, index, sizeof at);
        for (int64_t k = 0; k < n; k++) {
            const long double most = v[k] > sofar ? v[k] : sofar, least = v[k] > sofar ? sofar : v[k];
            if (isnan(v[k]) || isnan(sofar))
                sofar = NAN;
            else if (!(isinf(most) && most == least))
                sofar = most + log1pl(expl(least - most));
            at[axis] = k;
            const long double got = real_of(value_get(dtype, tensor_at(y, at)));
            CHECK(is_near(dtype, got, sofar, slack), "%s logcumsumexp of %s at %lld: %La, expected %La", name,
                  stria_dtype_get_name(stria_tensor_get_dtype(x)), (long long)k, got, sofar);
        }
    } while (index_next(ndim, outer, index));
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- quantiles */

static const char *const words[] = {"linear", "lower", "higher", "midpoint", "nearest"};

static long double expected_quantile(const long double *sorted, int64_t n, stria_dtype dtype, double q, int word)
{
    const double      place = dtype == STRIA_F64 ? q * (double)(n - 1) : (double)((float)q * (float)(n - 1));
    const int64_t     low = (int64_t)floor(place), high = (int64_t)ceil(place);
    const long double weight = place - (double)low, a = sorted[low], b = sorted[high];

    if (word == 1) return a;
    if (word == 2) return b;
    if ((word == 0 || word == 3) && a != b && weight != 0 && (isinf(a) || isinf(b))) return a + b;
    if (word == 3) return a == b ? a : (a + b) / 2;
    if (word == 4) return weight == 0.5L ? sorted[low % 2 ? high : low] : weight < 0.5L ? a : b;
    return a == b || weight == 0 ? a : a + weight * (b - a);
}

static void check_quantile(const stria_tensor *x, int axis, bool skips, int word, const char *name)
{
    static long double   v[MOST], sorted[MOST];
    static const double  qs[] = {0, 0.5, 0.25, 1, 0.9};
    static const int64_t n_q = 5;
    const int            ndim = stria_tensor_get_ndim(x), dim = axis < 0 ? STRIA_AXIS_NONE : axis;
    const stria_dtype    dtype = stria_tensor_get_dtype(x);
    int64_t              outer[STRIA_MAX_DIMS] = {0}, index[STRIA_MAX_DIMS] = {0};
    stria_tensor        *q = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 1, &n_q, qs, sizeof qs, &q, NULL), STRIA_OK);
    CHECK_STATUS(skips ? stria_nanquantile(x, q, dim, true, words[word], &y, NULL)
                       : stria_quantile(x, q, dim, true, words[word], &y, NULL),
                 STRIA_OK);
    stria_tensor_release(q);
    if (!y) return;
    CHECK(stria_tensor_get_ndim(y) == ndim + 1 && stria_tensor_get_shape(y)[0] == 5, "the first axis is that of q");
    for (int d = 0; d < ndim; d++) outer[d] = axis < 0 || d == axis ? 1 : stria_tensor_get_shape(x)[d];
    do {
        const int64_t n = gather(x, axis, index, v), numbers = sorted_of(v, n, sorted);
        for (int k = 0; k < 5; k++) {
            int64_t at[STRIA_MAX_DIMS] = {k};
            for (int d = 0; d < ndim; d++) at[d + 1] = index[d];
            const long double exact = numbers == 0 || (numbers < n && !skips)
                                          ? (long double)NAN
                                          : expected_quantile(sorted, numbers, dtype, qs[k], word);
            const long double got = real_of(value_get(dtype, tensor_at(y, at)));
            CHECK(is_near(dtype, got, exact, 0x1p-45), "%s %s quantile %g of %s: %Lg, expected %Lg", name, words[word],
                  qs[k], stria_dtype_get_name(dtype), got, exact);
        }
    } while (index_next(ndim, outer, index));
    stria_tensor_release(y);
}

static void check_all(const stria_tensor *x, const char *name)
{
    const int  ndim = stria_tensor_get_ndim(x);
    const bool is_float = dtype_is_float(stria_tensor_get_dtype(x));
    static int round;

    for (int axis = -1; axis < (ndim > 0 ? ndim : 1); axis++, round++) {
        check_median(MEDIAN, x, axis, round % 2, name);
        check_median(NANMEDIAN, x, axis, round % 2, name);
        if (axis >= 0) {
            check_median(MODE, x, axis, round % 2, name);
            check_running(x, axis, round % 2, name);
        }
        if (is_float) check_quantile(x, axis, round % 2, round % 5, name);
    }
}

static void test_layouts(void)
{
    random_state random = {61};

    for (int d = STRIA_BOOL; d <= STRIA_F64; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (shapes[s].ndim == 0 && kind)) continue;
                stria_tensor *x =
                    tensor_random(&random, (stria_dtype)d, (layout)kind, shapes[s].ndim, shapes[s].sizes, -4, 4);
                check_all(x, layout_names[kind]);
                if (dtype_is_float((stria_dtype)d) && kind == LAYOUT_TRANSPOSED)
                    for (int axis = 0; axis < shapes[s].ndim; axis++) check_logcumsumexp(x, axis, 1e-12, "random");
                stria_tensor_release(x);
            }
}

/* Rows beyond those that are sorted by insertion, with few and with many different elements, some NaN; threads. */
static void test_long(void)
{
    static const int64_t sizes[][2] = {{3, 49}, {4, 300}, {2, 5000}, {400, 64}, {1, 20000}};
    random_state         random = {62};

    for (int d = STRIA_I8; d <= STRIA_F64; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int few = 0; few < 2; few++) {
                stria_tensor *x = NULL;
                CHECK_STATUS(stria_threads_set(1 + (int)(s % 3), NULL), STRIA_OK);
                CHECK_STATUS(stria_tensor_new((stria_dtype)d, 2, sizes[s], &x, NULL), STRIA_OK);
                for (int64_t k = 0; x && k < sizes[s][0] * sizes[s][1]; k++) {
                    const int64_t at[] = {k / sizes[s][1], k % sizes[s][1]};
                    const double  v = few ? (double)(random_next(&random) % 5) : 200 * random_unit(&random) - 100;
                    value_set((stria_dtype)d, value_from_real(random_next(&random) % 4000 == 0 ? NAN : v),
                              tensor_at(x, at));
                }
                if (x) check_all(x, few ? "few" : "long");
                stria_tensor_release(x);
            }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

static stria_tensor *vector_of(int64_t n, const double *values, stria_dtype dtype)
{
    stria_tensor *wide = NULL, *x = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F64, 1, &n, values, (size_t)n * 8, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(wide, dtype, &x, NULL), STRIA_OK);
    stria_tensor_release(wide);
    return x;
}

static void check_list(stria_tensor *y, int64_t n, const double *expected, const char *what)
{
    CHECK(y && stria_tensor_get_numel(y) == n, "%s: size", what);
    stria_tensor *flat = NULL;
    if (y && stria_tensor_get_numel(y) == n) CHECK_STATUS(stria_reshape(y, &n, 1, &flat, NULL), STRIA_OK);
    for (int64_t k = 0; flat && k < n; k++) {
        const double got = (double)real_of(value_get(stria_tensor_get_dtype(y), tensor_at(flat, &k)));
        CHECK(isnan(expected[k]) ? isnan(got) : fabs(got - expected[k]) < 1e-6, "%s[%lld] is %g, expected %g", what,
              (long long)k, got, expected[k]);
    }
    stria_tensor_release(flat);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- values */

/* As many differences as there are elements are nothing; to take them one after another would last hours. */
static void test_diff_long(void)
{
    const int64_t million = 1000000;
    stria_tensor *one = vector_of(1, (const double[]){1}, STRIA_F32), *x = NULL, *y = NULL;

    CHECK_STATUS(stria_expand(one, &million, 1, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_diff(x, NULL, NULL, INT64_C(1) << 40, 0, &y, NULL), STRIA_OK);
    check_list(y, 0, NULL, "diff 2^40");
    stria_tensor_release(x), stria_tensor_release(one);
}

static void test_logcumsumexp(void)
{
    static const int64_t n = 5000;
    static double        v[5000];
    random_state         random = {63};

    for (int form = 0; form < 6; form++) {
        for (int64_t k = 0; k < n; k++) v[k] = 4 * random_unit(&random);
        if (form == 1) /* too far apart to be added up in one block */
            for (int64_t k = 0; k < n; k++) v[k] += k < 1500 ? -2000 : k < 3000 ? 0 : 2000;
        if (form == 2) /* leading -infinities; more than a block of them */
            for (int64_t k = 0; k < 1500; k++) v[k] = -INFINITY;
        if (form == 3) v[2000] = NAN;
        if (form == 4) v[2000] = INFINITY;
        if (form == 5) /* rises by what one block can just hold */
            for (int64_t k = 0; k < n; k++) v[k] = (double)k * 0.58;
        for (int d = STRIA_F32; d <= STRIA_F64; d++) {
            stria_tensor *x = vector_of(n, v, (stria_dtype)d);
            check_logcumsumexp(x, 0, 2e-13, "forms");
            stria_tensor_release(x);
        }
    }
}

static void test_values(void)
{
    static const double  square[] = {1, 4, 9, 16, 25};
    static const int64_t shape[] = {2, 3};
    stria_tensor        *x = vector_of(5, square, STRIA_F32), *b = NULL, *y = NULL, *z = NULL, *more = NULL;

    CHECK_STATUS(stria_diff(x, NULL, NULL, 1, -1, &y, NULL), STRIA_OK);
    check_list(y, 4, (const double[]){3, 5, 7, 9}, "diff");
    CHECK_STATUS(stria_diff(x, NULL, NULL, 3, 0, &y, NULL), STRIA_OK);
    check_list(y, 2, (const double[]){0, 0}, "diff 3");
    CHECK_STATUS(stria_diff(x, NULL, NULL, 60, 0, &y, NULL), STRIA_OK);
    check_list(y, 0, NULL, "diff 60");
    CHECK_STATUS(stria_diff(x, NULL, NULL, 0, 0, &y, NULL), STRIA_OK);
    check_list(y, 5, square, "diff 0");
    more = vector_of(2, (const double[]){-1, 0}, STRIA_F64);
    CHECK_STATUS(stria_diff(x, more, x, 0, 0, &y, NULL), STRIA_OK);
    check_list(y, 5, square, "diff 0 with ends");
    CHECK_STATUS(stria_diff(x, more, NULL, 6, 0, &y, NULL), STRIA_OK);
    check_list(y, 1, (const double[]){-2}, "diff 6 with ends");
    CHECK_STATUS(stria_diff(x, more, NULL, 7, 0, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F64, "the common dtype");
    check_list(y, 0, NULL, "diff 7 with ends");
    CHECK_STATUS(stria_diff(x, more, x, 1, 0, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F64, "the common dtype");
    check_list(y, 11, (const double[]){1, 1, 3, 5, 7, 9, -24, 3, 5, 7, 9}, "diff with ends");
    b = vector_of(4, (const double[]){1, 1, 0, 1}, STRIA_BOOL);
    CHECK_STATUS(stria_diff(b, NULL, NULL, 1, 0, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_BOOL, "bool");
    check_list(y, 3, (const double[]){0, 1, 1}, "diff of bool");
    stria_tensor_release(b), stria_tensor_release(more);

    CHECK_STATUS(stria_trapezoid(x, NULL, 2, -1, &y, NULL), STRIA_OK);
    check_list(y, 1, (const double[]){84}, "trapezoid");
    more = vector_of(5, (const double[]){0, 1, 3, 6, 10}, STRIA_I32);
    CHECK_STATUS(stria_trapezoid(x, more, 1, 0, &y, NULL), STRIA_OK);
    check_list(y, 1, (const double[]){2.5 + 13 + 37.5 + 82}, "trapezoid at x");
    CHECK_STATUS(stria_cumulative_trapezoid(x, more, 1, 0, &y, NULL), STRIA_OK);
    check_list(y, 4, (const double[]){2.5, 15.5, 53, 135}, "cumulative_trapezoid at x");
    stria_tensor_release(more);
    more = vector_of(3, (const double[]){100, 101, 102}, STRIA_I8);
    CHECK_STATUS(stria_trapezoid(more, NULL, 1, 0, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_F32, "whole numbers give f32");
    check_list(y, 1, (const double[]){202}, "trapezoid of i8 does not wrap");
    stria_tensor_release(more), stria_tensor_release(x);

    x = vector_of(6, (const double[]){0, 2, 1, 1, 2, 0}, STRIA_F64);
    CHECK_STATUS(stria_reshape(x, shape, 2, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_trapezoid(y, NULL, 1, 0, &z, NULL), STRIA_OK);
    check_list(z, 3, (const double[]){0.5, 2, 0.5}, "trapezoid along axis 0");
    CHECK_STATUS(stria_cov(y, NULL, NULL, 1, &z, NULL), STRIA_OK);
    check_list(z, 4, (const double[]){1, 0.5, 0.5, 1}, "cov");
    CHECK_STATUS(stria_corrcoef(y, &z, NULL), STRIA_OK);
    check_list(z, 4, (const double[]){1, 0.5, 0.5, 1}, "corrcoef");
    stria_tensor *often = vector_of(3, (const double[]){1, 2, 1}, STRIA_I64);
    stria_tensor *shares = vector_of(3, (const double[]){0.5, 1, 0.25}, STRIA_F64);
    CHECK_STATUS(stria_cov(y, often, NULL, 1, &z, NULL), STRIA_OK);
    /* observations 0, 2, 2, 1 and 1, 2, 2, 0: means 1.25, products 2.75, 1.75 of 4 - 1 */
    check_list(z, 4, (const double[]){2.75 / 3, 1.75 / 3, 1.75 / 3, 2.75 / 3}, "cov with counts");
    CHECK_STATUS(stria_cov(y, often, shares, 1, &z, NULL), STRIA_OK);
    /* w = .5 2 .25, sum 2.75, sum of w a 2.3125 */
    const double w = 2.75, a = 4.25 / w;
    double s00 = 0, s01 = 0, s11 = 0, weight[] = {0.5, 2, 0.25}, one[] = {0, 2, 1}, two[] = {1, 2, 0}, m = 4.5 / w;
    for (int k = 0; k < 3; k++) {
        s00 += weight[k] * (one[k] - a) * (one[k] - a);
        s01 += weight[k] * (one[k] - a) * (two[k] - m);
        s11 += weight[k] * (two[k] - m) * (two[k] - m);
    }
    const double divisor = w - 2.3125 / w;
    check_list(z, 4, (const double[]){s00 / divisor, s01 / divisor, s01 / divisor, s11 / divisor}, "cov with both");
    CHECK_STATUS(stria_cov(x, NULL, NULL, 0, &z, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(z) == 0, "one variable");
    check_list(z, 1, (const double[]){2.0 / 3}, "cov of one variable");
    CHECK_STATUS(stria_corrcoef(x, &z, NULL), STRIA_OK);
    check_list(z, 1, (const double[]){1}, "corrcoef of one variable");
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(often), stria_tensor_release(shares);
}

static void test_histc(void)
{
    stria_tensor *x = vector_of(9, (const double[]){0, 1, 1.5, 2, 4, -1, 5, NAN, INFINITY}, STRIA_F32), *y = NULL,
                 *part = NULL;

    CHECK_STATUS(stria_histc(x, 4, 0, 4, &y, NULL), STRIA_OK);
    check_list(y, 4, (const double[]){1, 2, 1, 1}, "histc; the last bin holds its upper bound");
    CHECK_STATUS(stria_histc(x, 4, 0, 0, &y, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_slice(x, 0, 0, 7, 2, &part, NULL), STRIA_OK); /* 0 1.5 4 5 */
    CHECK_STATUS(stria_histc(part, 5, 0, 0, &y, NULL), STRIA_OK);
    check_list(y, 5, (const double[]){1, 1, 0, 0, 2}, "histc of the range of the elements");
    stria_tensor_release(part), stria_tensor_release(x);
    x = vector_of(3, (const double[]){7, 7, 7}, STRIA_F64);
    CHECK_STATUS(stria_histc(x, 2, 0, 0, &y, NULL), STRIA_OK);
    check_list(y, 2, (const double[]){0, 3}, "histc of one value: 6 to 8");
    stria_tensor_release(x);
    x = vector_of(0, (const double[]){0}, STRIA_F16);
    CHECK_STATUS(stria_histc(x, 3, 0, 0, &y, NULL), STRIA_OK);
    check_list(y, 3, (const double[]){0, 0, 0}, "histc of nothing");
    stria_tensor_release(x);
    x = vector_of(4, (const double[]){-0.1, -0.06, 0.06, 0.1}, STRIA_F32);
    CHECK_STATUS(stria_histc(x, 4, -0.1, 0.1, &y, NULL), STRIA_OK);
    check_list(y, 4, (const double[]){2, 0, 0, 2}, "histc of elements at bounds that float32 rounds");
    stria_tensor_release(x);
    x = vector_of(4, (const double[]){-3e38, -1e38, 1e38, 3e38}, STRIA_F32);
    CHECK_STATUS(stria_histc(x, 4, -3e38, 3e38, &y, NULL), STRIA_OK);
    check_list(y, 4, (const double[]){1, 1, 1, 1}, "histc of bins whose distance is no f32");
    y = NULL;
    REFUSED(stria_histc(x, 4, 0, 1e39, &y, &err), STRIA_ERR_ARGUMENT, "histc", "max",
            "bins from 0 to 1e+39: both must be finite numbers of f32");
    REFUSED(stria_histc(x, 4, -1e39, 0, &y, &err), STRIA_ERR_ARGUMENT, "histc", "min", "numbers of f32");
    stria_tensor_release(x);
    x = vector_of(4, (const double[]){-1.7e308, -1e308, 1e308, 1.7e308}, STRIA_F64);
    CHECK_STATUS(stria_histc(x, 4, 0, 0, &y, NULL), STRIA_OK);
    check_list(y, 4, (const double[]){2, 0, 0, 2}, "histc of bins whose distance is no f64");
    stria_tensor_release(x);
}

static void test_infinities(void)
{
    stria_tensor *x = vector_of(4, (const double[]){-INFINITY, -INFINITY, 3, INFINITY}, STRIA_F32), *y = NULL,
                 *q = NULL;
    static const struct {
        double q, expected;
    } cases[] = {{0, -INFINITY}, {0.2, -INFINITY}, {1.0 / 3, -INFINITY}, {0.5, -INFINITY},
                 {2.0 / 3, 3},   {0.9, INFINITY},  {1, INFINITY}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = cases[c].q}, &q, NULL),
                     STRIA_OK);
        CHECK_STATUS(stria_quantile(x, q, 0, false, "linear", &y, NULL), STRIA_OK);
        const double got = y ? (double)real_of(value_get(STRIA_F32, stria_tensor_get_const_data(y))) : 0;
        CHECK(got == cases[c].expected, "quantile %g: %g", cases[c].q, got);
        stria_tensor_release(q), stria_tensor_release(y);
    }
    stria_tensor_release(x);
}

static void test_refusals(void)
{
    static const int64_t sizes[] = {2, 3}, none[] = {2, 0};
    stria_tensor *x = NULL, *i = NULL, *c = NULL, *e = NULL, *q = NULL, *s = NULL, *y = NULL, *z = NULL, *meta = NULL;

    CHECK_STATUS(stria_full(sizes, 2, (stria_scalar){.kind = STRIA_SCALAR_INT}, STRIA_F32, STRIA_CPU, &x, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 2, sizes, &i, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 2, sizes, &c, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, none, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &s, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(sizes, 2, STRIA_F16, STRIA_META, &meta, NULL), STRIA_OK);
    q = vector_of(2, (const double[]){0.5, 1.5}, STRIA_F32);
    REFUSED(stria_median(c, 0, false, &y, &z, &err), STRIA_ERR_DTYPE, "median", "x", "x is c64");
    REFUSED(stria_median(x, 2, false, &y, &z, &err), STRIA_ERR_AXIS, "median", "dim", "axis 2");
    REFUSED(stria_median(e, 1, false, &y, &z, &err), STRIA_ERR_EMPTY, "median", "x", "nothing has no median");
    REFUSED(stria_mode(e, -1, false, &y, &z, &err), STRIA_ERR_EMPTY, "mode", "x", "nothing has no mode");
    REFUSED(stria_quantile(i, q, 0, false, "linear", &y, &err), STRIA_ERR_DTYPE, "quantile", "x", "x is i32");
    REFUSED(stria_quantile(x, c, 0, false, "linear", &y, &err), STRIA_ERR_DTYPE, "quantile", "q", "q is c64");
    REFUSED(stria_quantile(x, x, 0, false, "linear", &y, &err), STRIA_ERR_SHAPE, "quantile", "q", "q has 2 dims");
    REFUSED(stria_quantile(x, q, 0, false, "linear", &y, &err), STRIA_ERR_ARGUMENT, "quantile", "q", "q has 1.5");
    REFUSED(stria_nanquantile(e, s, 1, false, "linear", &y, &err), STRIA_ERR_EMPTY, "nanquantile", "x",
            "no nanquantile");
    REFUSED(stria_nanquantile(x, s, 1, false, "cubic", &y, &err), STRIA_ERR_ARGUMENT, "nanquantile", "interpolation",
            "inter");
    REFUSED(stria_histc(i, 3, 0, 0, &y, &err), STRIA_ERR_DTYPE, "histc", "x", "x is i32");
    REFUSED(stria_histc(x, 0, 0, 0, &y, &err), STRIA_ERR_ARGUMENT, "histc", "bins", "bins must be 1 or more, not 0");
    REFUSED(stria_histc(x, 3, 2, 1, &y, &err), STRIA_ERR_ARGUMENT, "histc", "max", "max 1 lies below min 2");
    REFUSED(stria_histc(x, 3, 2, INFINITY, &y, &err), STRIA_ERR_ARGUMENT, "histc", "max", "finite");
    REFUSED(stria_cummax(c, 0, &y, &z, &err), STRIA_ERR_DTYPE, "cummax", "x", "x is c64");
    REFUSED(stria_cummin(x, -3, &y, &z, &err), STRIA_ERR_AXIS, "cummin", "dim", "axis -3");
    REFUSED(stria_logcumsumexp(c, 0, &y, &err), STRIA_ERR_DTYPE, "logcumsumexp", "x", "x is c64");
    REFUSED(stria_diff(s, NULL, NULL, 1, 0, &y, &err), STRIA_ERR_SHAPE, "diff", "x", "x has no dims");
    REFUSED(stria_diff(x, NULL, NULL, -1, 0, &y, &err), STRIA_ERR_ARGUMENT, "diff", "n", "n must be 0 or more, not -1");
    REFUSED(stria_diff(x, q, NULL, 1, 0, &y, &err), STRIA_ERR_SHAPE, "diff", "prepend", "prepend has shape [2]");
    REFUSED(stria_diff(x, NULL, e, 1, 0, &y, &err), STRIA_ERR_SHAPE, "diff", "append", "append has shape [2,0]");
    REFUSED(stria_trapezoid(s, NULL, 1, 0, &y, &err), STRIA_ERR_SHAPE, "trapezoid", "y", "y has no dims");
    REFUSED(stria_trapezoid(x, q, 1, 1, &y, &err), STRIA_ERR_SHAPE, "trapezoid", "x", "x has shape [2], but must");
    REFUSED(stria_cov(c, NULL, NULL, 1, &y, &err), STRIA_ERR_DTYPE, "cov", "x", "x is c64");
    REFUSED(stria_cov(x, x, NULL, 1, &y, &err), STRIA_ERR_DTYPE, "cov", "fweights", "fweights is f32");
    REFUSED(stria_cov(x, NULL, q, 1, &y, &err), STRIA_ERR_SHAPE, "cov", "aweights", "there are 3 observations");
    CHECK(y == NULL && z == NULL, "outputs of refused calls");
    /* of nothing, on meta */
    CHECK_STATUS(stria_median(e, STRIA_AXIS_NONE, false, &y, &z, NULL), STRIA_OK);
    check_list(y, 1, (const double[]){NAN}, "the median of nothing"),
        check_list(z, 1, (const double[]){0}, "its index");
    CHECK_STATUS(stria_cummax(e, 1, &y, &z, NULL), STRIA_OK);
    check_list(y, 0, NULL, "cummax of nothing"), check_list(z, 0, NULL, "cummax of nothing");
    CHECK_STATUS(stria_quantile(meta, q, 1, true, "linear", &y, NULL), STRIA_ERR_DEVICE);
    CHECK_STATUS(stria_median(meta, 1, true, &y, &z, NULL), STRIA_OK);
    CHECK(y && z && stria_tensor_get_shape(z)[1] == 1 && stria_tensor_get_device(z).type == STRIA_DEVICE_META, "meta");
    stria_tensor_release(y), stria_tensor_release(z);
    CHECK_STATUS(stria_diff(meta, NULL, NULL, 2, 1, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_shape(y)[1] == 1, "diff on meta");
    stria_tensor_release(y);
    stria_tensor_release(x), stria_tensor_release(i), stria_tensor_release(c), stria_tensor_release(e);
    stria_tensor_release(q), stria_tensor_release(s), stria_tensor_release(meta);
}

/* Of complex numbers both parts are what they are of real ones: the elements are small whole numbers, so that sums are exact. */
static void test_complex(void)
{
    static const int64_t shape[] = {3, 7};
    random_state         numbers = {77};
    stria_tensor        *x = tensor_random(&numbers, STRIA_F64, LAYOUT_CONTIGUOUS, 2, shape, -9, 9), *c = NULL;
    stria_tensor        *whole = NULL, *turned = NULL, *z[4] = {NULL}, *re[4] = {NULL}, *im[4] = {NULL};

    tensor_fill_random(&numbers, x, -9, 9);
    CHECK_STATUS(stria_round(x, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_flip(whole, (int[]){1}, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_complex(whole, turned, &c, NULL), STRIA_OK);
    stria_tensor *const from[] = {c, whole, turned}, **const to[] = {z, re, im};
    for (int k = 0; k < 3; k++) {
        const stria_tensor *end =
            k == 2 ? NULL : whole; /* imaginary parts of real numbers are 0, and so are their ends */
        stria_tensor *zeros = NULL;
        CHECK_STATUS(stria_zeros_like(whole, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, &zeros, NULL), STRIA_OK);
        CHECK_STATUS(stria_diff(from[k], end != NULL ? end : zeros, NULL, 2, 1, &to[k][0], NULL), STRIA_OK);
        CHECK_STATUS(stria_trapezoid(from[k], NULL, 2, 1, &to[k][1], NULL), STRIA_OK);
        CHECK_STATUS(stria_cumulative_trapezoid(from[k], whole, 1, 0, &to[k][2], NULL), STRIA_OK);
        CHECK_STATUS(stria_diff(from[k], NULL, NULL, 9, 0, &to[k][3], NULL), STRIA_OK);
        stria_tensor_release(zeros);
    }
    for (int k = 0; k < 4; k++) {
        stria_tensor *wanted = NULL, *same = NULL;
        CHECK_STATUS(stria_complex(re[k], im[k], &wanted, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(z[k]) == STRIA_C128, "dtype of %d", k);
        CHECK_STATUS(stria_equal(z[k], wanted, &same, NULL), STRIA_OK);
        CHECK(*(const bool *)stria_tensor_get_const_data(same), "parts of %d", k);
        stria_tensor_release(wanted), stria_tensor_release(same);
        stria_tensor_release(z[k]), stria_tensor_release(re[k]), stria_tensor_release(im[k]);
    }
    stria_tensor_release(x), stria_tensor_release(c), stria_tensor_release(whole), stria_tensor_release(turned);
}

SUITE(test_median)
{
    if (check_has_values()) test_complex();
    check_isa("test_median");
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) test_layouts();
    test_long();
    if (check_has_values()) {
        test_logcumsumexp();
        test_values();
    }
    test_diff_long();
    test_histc();
    if (check_has_values()) {
        test_infinities();
        test_refusals();
    }
    return check_finish("test_median");
}
