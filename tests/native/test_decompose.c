/* test_decompose.c - det, svdvals and the norms made of singular values: matrices of known singular values, expansions in long
 * double, every layout and float dtype, batches, matrices that are singular, large, small or not finite, refusals. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "refused.h"

#define MOST 12

static random_state random_numbers = {83};

static double pick_unit(void) { return 2 * random_unit(&random_numbers) - 1; }
static int    pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

static stria_tensor *new_matrix(int64_t rows, int64_t columns, const double *elements)
{
    const int64_t shape[] = {rows, columns};
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 2, shape, &x, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), elements, (size_t)(rows * columns) * sizeof *elements);
    return x;
}

static double get(const stria_tensor *x, int64_t k)
{
    return value_get(stria_tensor_get_dtype(x), tensor_at(x, &k)).real;
}

/* ---------------------------------------------------------------- singular values */

/* a -= 2 v (v^T a), for a unit vector v: rows, or, with other steps, columns. */
static void reflect(long double *a, int n, int row_step, int m, int column_step)
{
    long double v[MOST], length = 0;

    for (int k = 0; k < n; k++) {
        v[k] = pick_unit();
        length += v[k] * v[k];
    }
    for (int j = 0; j < m; j++) {
        long double product = 0;
        for (int k = 0; k < n; k++) product += v[k] * a[k * row_step + j * column_step];
        for (int k = 0; k < n; k++) a[k * row_step + j * column_step] -= 2 * v[k] * product / length;
    }
}

/* A matrix with these singular values: their diagonal, reflected from both sides. */
static stria_tensor *new_known(int rows, int columns, const double *values)
{
    static long double a[MOST * MOST];
    double             rounded[MOST * MOST];

    for (int k = 0; k < rows * columns; k++) a[k] = 0;
    for (int k = 0; k < rows && k < columns; k++) a[k * columns + k] = values[k];
    for (int k = 0; k < 3; k++) {
        reflect(a, rows, columns, columns, 1);
        reflect(a, columns, 1, rows, columns);
    }
    for (int k = 0; k < rows * columns; k++) rounded[k] = (double)a[k];
    return new_matrix(rows, columns, rounded);
}

static int compare_down(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

static double norm_of(const stria_tensor *x, const char *ord)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_matrix_norm(x, ord, NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    const double value = value_get(stria_tensor_get_dtype(y), stria_tensor_get_const_data(y)).real;
    stria_tensor_release(y);
    return value;
}

/* Within rows + columns units of 2^-52 of the largest one. */
static void test_known(void)
{
    for (int round = 0; round < 300; round++) {
        const int     rows = 1 + pick(MOST), columns = 1 + pick(MOST), n = rows < columns ? rows : columns;
        double        values[MOST], sum = 0;
        stria_tensor *y = NULL;

        for (int k = 0; k < n; k++) {
            values[k] = pick(6) ? ldexp(1 + random_unit(&random_numbers), -pick(40)) : 0;
            if (k > 0 && pick(5) == 0) values[k] = values[k - 1]; /* equal ones */
            sum += values[k];
        }
        stria_tensor *x = new_known(rows, columns, values);
        qsort(values, (size_t)n, sizeof *values, compare_down);
        CHECK_STATUS(stria_svdvals(x, &y, NULL), STRIA_OK);
        CHECK(stria_tensor_get_ndim(y) == 1 && stria_tensor_get_numel(y) == n, "shape of %d x %d", rows, columns);
        const double bound = (rows + columns) * DBL_EPSILON * values[0];
        for (int k = 0; k < n; k++)
            CHECK(fabs(get(y, k) - values[k]) <= bound, "%d x %d, value %d: %a, not %a, off by %g of %g", rows, columns,
                  k, get(y, k), values[k], fabs(get(y, k) - values[k]), bound);
        CHECK(fabs(norm_of(x, "2") - values[0]) <= bound, "2: %a, not %a", norm_of(x, "2"), values[0]);
        CHECK(fabs(norm_of(x, "-2") - values[n - 1]) <= bound, "-2: %a, not %a", norm_of(x, "-2"), values[n - 1]);
        CHECK(fabs(norm_of(x, "nuc") - sum) <= n * bound, "nuc: %a, not %a", norm_of(x, "nuc"), sum);
        stria_tensor_release(x), stria_tensor_release(y);
    }
}

/* Other dtypes and layouts: the values of the same elements in f64, rounded; batches: of each matrix; powers of two: the same bits. */
static void test_layouts(void)
{
    static const stria_dtype floats[] = {STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64};
    static const int64_t     shape[] = {3, 5, 4};
    static const layout kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_OFFSET, LAYOUT_STEPPED};

    for (int d = 0; d < 4; d++)
        for (int l = 0; l < 5; l++) {
            stria_tensor *x = tensor_random(&random_numbers, floats[d], kinds[l], 3, shape, 0, 1), *y = NULL,
                         *wide = NULL;
            tensor_fill_random(&random_numbers, x, 0, 4);
            CHECK_STATUS(stria_svdvals(x, &y, NULL), STRIA_OK);
            CHECK(stria_tensor_get_dtype(y) == floats[d] && stria_tensor_get_ndim(y) == 2, "dtype and dims");
            CHECK_STATUS(stria_tensor_copy(x, STRIA_F64, &wide, NULL), STRIA_OK);
            for (int64_t batch = 0; batch < 3; batch++) {
                stria_tensor *one = NULL, *own = NULL;
                CHECK_STATUS(stria_select(wide, 0, batch, &one, NULL), STRIA_OK);
                CHECK_STATUS(stria_svdvals(one, &own, NULL), STRIA_OK);
                for (int64_t k = 0; k < 4; k++) {
                    char          want[16];
                    const int64_t at[] = {batch, k};
                    value_set(floats[d], value_from_real(get(own, k)), want);
                    CHECK(value_same(floats[d], want, tensor_at(y, at)), "%s, layout %d, value %d",
                          stria_dtype_get_name(floats[d]), l, (int)k);
                }
                stria_tensor_release(one), stria_tensor_release(own);
            }
            stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(wide);
        }
}

static void test_scales(void)
{
    static const double values[] = {3, 1, 0.25, 0x1p-20};
    static const int    powers[] = {-1000, -600, 0, 600, 1000};
    double              scaled[20], first[4];
    stria_tensor       *x = new_known(4, 5, values);

    for (int p = 0; p < 5; p++) {
        const int     power = p == 0 ? 0 : powers[p < 3 ? p - 1 : p];
        const double *from = stria_tensor_get_const_data(x);
        stria_tensor *y = NULL;
        for (int k = 0; k < 20; k++) scaled[k] = ldexp(from[k], power);
        stria_tensor *z = new_matrix(4, 5, scaled);
        CHECK_STATUS(stria_svdvals(z, &y, NULL), STRIA_OK);
        for (int k = 0; k < 4; k++) {
            if (p == 0) first[k] = get(y, k);
            CHECK(get(y, k) == ldexp(first[k], power) || power < -900, "2^%d: %a, not %a", power, get(y, k), first[k]);
            CHECK(fabs(get(y, k) - ldexp(first[k], power)) <= ldexp(1, power - 50), "2^%d: %a", power, get(y, k));
        }
        stria_tensor_release(y), stria_tensor_release(z);
    }
    stria_tensor_release(x);
}

static void test_singular_specials(void)
{
    static const double  not_finite[][4] = {{1, 2, NAN, 4}, {1, INFINITY, 3, 4}, {NAN, NAN, NAN, NAN}};
    static const double  zeros[4] = {0, 0, -0.0, 0};
    static const int64_t empty[] = {2, 3, 0};
    stria_tensor        *x, *y = NULL;

    for (int k = 0; k < 3; k++) {
        x = new_matrix(2, 2, not_finite[k]);
        CHECK_STATUS(stria_svdvals(x, &y, NULL), STRIA_OK);
        CHECK(isnan(get(y, 0)) && isnan(get(y, 1)), "%g, %g", get(y, 0), get(y, 1));
        CHECK(isnan(norm_of(x, "nuc")) && isnan(norm_of(x, "-2")), "norms of NaN");
        stria_tensor_release(x), stria_tensor_release(y);
    }
    x = new_matrix(2, 2, zeros);
    CHECK(norm_of(x, "nuc") == 0 && norm_of(x, "2") == 0, "zeros");
    stria_tensor_release(x);
    CHECK_STATUS(stria_zeros(empty, 3, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_svdvals(x, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(y) == 2 && stria_tensor_get_shape(y)[0] == 2 && stria_tensor_get_shape(y)[1] == 0,
          "empty");
    stria_tensor_release(y);
    CHECK_STATUS(stria_matrix_norm(x, "nuc", NULL, 0, true, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(y) == 3 && stria_tensor_get_shape(y)[2] == 1, "dims that are kept");
    CHECK(value_get(STRIA_F32, stria_tensor_get_const_data(y)).real == 0, "nuc of nothing");
    stria_tensor_release(y);
    REFUSED(stria_matrix_norm(x, "2", NULL, 0, true, STRIA_DTYPE_NONE, &y, &err), STRIA_ERR_EMPTY, "matrix_norm", "x",
            "");
    stria_tensor_release(x);
}

/* Axes that are not the last, dims that are kept, another dtype, into a given tensor. */
static void test_norm_axes(void)
{
    static const int64_t     shape[] = {4, 2, 3};
    static const int         axes[] = {2, 0};
    static const char *const orders[] = {"nuc", "2", "-2"};
    stria_tensor            *x = NULL, *y = NULL, *turned = NULL, *want = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 3, shape, &x, NULL), STRIA_OK);
    tensor_fill_random(&random_numbers, x, 0, 2);
    CHECK_STATUS(stria_permute(x, (const int[]){1, 2, 0}, 3, &turned, NULL), STRIA_OK);
    for (int o = 0; o < 3; o++)
        for (int keepdim = 0; keepdim < 2; keepdim++) {
            CHECK_STATUS(stria_matrix_norm(x, orders[o], axes, 2, keepdim, STRIA_F64, &y, NULL), STRIA_OK);
            CHECK_STATUS(stria_matrix_norm(turned, orders[o], NULL, 0, false, STRIA_F64, &want, NULL), STRIA_OK);
            CHECK(stria_tensor_get_dtype(y) == STRIA_F64 && stria_tensor_get_ndim(y) == (keepdim ? 3 : 1), "dims");
            for (int64_t k = 0; k < 2; k++) {
                const int64_t at[] = {0, k, 0};
                const double  got = value_get(STRIA_F64, tensor_at(y, keepdim ? at : &k)).real;
                CHECK(got == get(want, k), "%s: %a, not %a", orders[o], got, get(want, k));
            }
            stria_tensor_release(y), stria_tensor_release(want);
        }
    CHECK_STATUS(stria_zeros(NULL, 0, STRIA_F32, STRIA_CPU, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_matrix_norm_out(turned, "2", NULL, 0, false, STRIA_DTYPE_NONE, y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_numel(y) == 2, "a given tensor");
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(turned);
}

/* ---------------------------------------------------------------- determinants */

/* By the first row; *magnitude: the same of magnitudes. */
static long double expand(const double *a, int n, int row, unsigned used, long double *magnitude)
{
    long double sum = 0;
    int         sign = 1;

    *magnitude = row == n ? 1 : 0;
    if (row == n) return 1;
    for (int j = 0; j < n; j++) {
        long double rest;
        if (used >> j & 1) continue;
        sum += sign * (long double)a[row * n + j] * expand(a, n, row + 1, used | 1u << j, &rest);
        *magnitude += fabsl((long double)a[row * n + j]) * rest;
        sign = -sign;
    }
    return sum;
}

static double det_of(int n, const double *elements)
{
    stria_tensor *x = new_matrix(n, n, elements), *y = NULL;

    CHECK_STATUS(stria_det(x, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(y) == 0, "dims");
    const double value = *(const double *)stria_tensor_get_const_data(y);
    stria_tensor_release(x), stria_tensor_release(y);
    return value;
}

/* Within n^2 units of 2^-53 of the sum of the magnitudes of all products. */
static void test_det(void)
{
    double a[36];

    for (int round = 0; round < 1500; round++) {
        const int   n = 1 + pick(6);
        long double magnitude;
        for (int k = 0; k < n * n; k++) a[k] = pick(4) == 0 ? 0 : round % 2 ? floor(9 * pick_unit()) : pick_unit();
        if (n > 1 && pick(4) == 0) memcpy(a + n, a, (size_t)n * sizeof *a); /* two equal rows */
        const long double want = expand(a, n, 0, 0, &magnitude);
        const double      got = det_of(n, a);
        CHECK(fabsl((long double)got - want) <= n * n * 0x1p-53L * magnitude, "%d x %d: %a, not %La", n, n, got, want);
    }
}

static void test_det_specials(void)
{
    static const double far[16] = {1e300, 0, 0, 0, 0, 1e300, 0, 0, 0, 0, 1e-300, 0, 0, 0, 0, 3e-300};
    static const double swapped[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, once[4] = {0, 2, 3, 0};
    static const double hidden[4] = {0, 1, NAN, 2}, infinite[4] = {INFINITY, 0, 0, -2}, large[4] = {1e200, 0, 0, 1e200};
    static const double singular[4] = {1, 2, -2, -4};
    static const int64_t none[] = {2, 0, 0};
    stria_tensor        *x = NULL, *y = NULL;

    CHECK(fabs(det_of(4, far) - 3) < 1e-14, "%a", det_of(4, far));
    CHECK(det_of(3, swapped) == 1 && det_of(2, once) == -6, "%g, %g", det_of(3, swapped), det_of(2, once));
    CHECK(isnan(det_of(2, hidden)), "%g", det_of(2, hidden));
    CHECK(det_of(2, infinite) == -INFINITY && det_of(2, large) == INFINITY, "%g", det_of(2, infinite));
    CHECK(det_of(2, singular) == 0 && !signbit(det_of(2, singular)), "%g", det_of(2, singular));
    CHECK_STATUS(stria_zeros(none, 3, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_det(x, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(y) == 1 && value_get(STRIA_F32, stria_tensor_get_const_data(y)).real == 1,
          "of nothing");
    stria_tensor_release(x), stria_tensor_release(y);
}

/* Batches over threads, in every layout and float dtype: the determinant of each matrix in f64, rounded. */
static void test_det_batches(void)
{
    static const stria_dtype floats[] = {STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64};
    static const int64_t     shape[] = {2, 300, 3, 3};

    for (int threads = 1; threads <= 7; threads += 3)
        for (int d = 0; d < 4; d++) {
            stria_tensor *x =
                tensor_random(&random_numbers, floats[d], d % 2 ? LAYOUT_TRANSPOSED : LAYOUT_FLIPPED, 4, shape, 0, 1);
            stria_tensor *y = NULL;
            int64_t       at[4] = {0};
            tensor_fill_random(&random_numbers, x, 0, 2);
            CHECK_STATUS(stria_threads_set(threads, NULL), STRIA_OK);
            CHECK_STATUS(stria_det(x, &y, NULL), STRIA_OK);
            do {
                double a[9];
                char   want[16];
                for (int k = 0; k < 9; k++)
                    a[k] = value_get(floats[d], tensor_at(x, (const int64_t[]){at[0], at[1], k / 3, k % 3})).real;
                value_set(floats[d], value_from_real(det_of(3, a)), want);
                CHECK(value_same(floats[d], want, tensor_at(y, at)), "%s", stria_dtype_get_name(floats[d]));
            } while (index_next(2, shape, at));
            stria_tensor_release(x), stria_tensor_release(y);
        }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

/* ---------------------------------------------------------------- refusals, the meta device */

static void test_refusals(void)
{
    static const int64_t wide[] = {2, 3}, five[] = {4, 3, 2};
    stria_tensor        *x = NULL, *whole = NULL, *flat = NULL, *meta = NULL, *y = NULL;

    CHECK_STATUS(stria_zeros(wide, 2, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(wide, 2, STRIA_I32, STRIA_CPU, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(wide, 1, STRIA_F32, STRIA_CPU, &flat, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(five, 3, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    REFUSED(stria_det(x, &y, &err), STRIA_ERR_SHAPE, "det", "x", "x has shape [2,3], whose matrices are not square");
    REFUSED(stria_det(flat, &y, &err), STRIA_ERR_SHAPE, "det", "x", "a matrix has 2 dims");
    REFUSED(stria_det(whole, &y, &err), STRIA_ERR_DTYPE, "det", "x", "x is i32, but must be a float");
    REFUSED(stria_svdvals(flat, &y, &err), STRIA_ERR_SHAPE, "svdvals", "x", "x has shape [2]");
    REFUSED(stria_svdvals(whole, &y, &err), STRIA_ERR_DTYPE, "svdvals", "x", "i32");
    CHECK(y == NULL, "an output of a refused call");
    CHECK_STATUS(stria_svdvals(meta, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(y) == 2 && stria_tensor_get_shape(y)[1] == 2, "the meta device");
    stria_tensor_release(y);
    stria_tensor_release(x), stria_tensor_release(whole), stria_tensor_release(flat), stria_tensor_release(meta);
}

SUITE(test_decompose)
{
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    test_known();
    test_layouts();
    test_scales();
    test_singular_specials();
    test_norm_axes();
    test_det();
    test_det_specials();
    test_det_batches();
    test_refusals();
    return check_finish("test_decompose");
}
