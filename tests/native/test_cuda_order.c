/* test_cuda_order.c - what is found in rows in order on CUDA devices, against the CPU: median, mode, quantile, unique, searchsorted; and counts. */
#include <math.h>
#include <string.h>

#include "call/backend.h"
#include "cuda_pair.h"
#include "refused.h"
#include "tensor/tensor.h"

/* Few numbers, so that many are equal; every fifth element of floats is NaN, or a zero below 0, or infinite, where `has_nan`. */
static cuda_pair new_numbers(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, bool has_nan,
                             uint64_t seed)
{
    cuda_pair    x = cuda_pair_new(dtype, order, ndim, shape, -6, 6, seed), hits = {{NULL}}, y = {{NULL}};
    const double special[] = {NAN, -0.0, INFINITY};

    if (!dtype_is_float(dtype) || !has_nan) return x;
    for (int k = 0; k < 3; k++) {
        stria_tensor *value = NULL, *hit = NULL;
        CHECK_STATUS(stria_tensor_new_scalar(stria_scalar_get(special[k]), &value, NULL), STRIA_OK);
        CHECK_STATUS(stria_tensor_new_scalar(stria_scalar_get(k - 4), &hit, NULL), STRIA_OK);
        ON_BOTH(stria_eq(x.on[s], hit, &hits.on[s], &err));
        ON_BOTH(stria_masked_fill(x.on[s], hits.on[s], value, &y.on[s], &err));
        cuda_pair_release(&hits);
        cuda_pair_release(&x);
        x = y;
        y = (cuda_pair){{NULL, NULL}};
        stria_tensor_release(value), stria_tensor_release(hit);
    }
    return x;
}

/* ---------------------------------------------------------------- medians, modes, quantiles */

typedef stria_status middle_fn(const stria_tensor *x, int dim, bool keepdim, stria_tensor **y, stria_tensor **at,
                               stria_error *err);

static void test_middles(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, int dim, bool has_nan)
{
    static middle_fn *const  fns[] = {stria_median, stria_nanmedian, stria_mode};
    static const char *const names[] = {"median", "nanmedian", "mode"};
    cuda_pair                x = new_numbers(dtype, order, ndim, shape, has_nan, (uint64_t)ndim + 5), y = {{NULL}};
    cuda_pair                at = {{NULL}};
    char                     what[96];

    for (int k = 0; k < 3; k++) {
        snprintf(what, sizeof what, "%s of %s, order %d, dim %d", names[k], stria_dtype_get_name(dtype), order, dim);
        ON_BOTH(fns[k](x.on[s], dim, k == 1, &y.on[s], &at.on[s], &err));
        cuda_pair_check(what, &y);
        cuda_pair_check(what, &at);
    }
    cuda_pair_release(&x);
}

static const char *const interpolations[] = {"linear", "lower", "higher", "midpoint", "nearest"};

static void test_quantiles(stria_dtype dtype, pair_order order, int dim, bool has_nan)
{
    cuda_pair           x = new_numbers(dtype, order, 2, SHAPE(7, 9), has_nan, 11), y = {{NULL}}, q = {{NULL}};
    static const double places[] = {0, 0.1, 0.25, 0.5, 0.77, 1};
    stria_tensor       *half = NULL;
    char                what[96];

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, SHAPE(6), &q.on[0], NULL), STRIA_OK);
    memcpy(q.on[0]->data, places, sizeof places);
    q.on[1] = cuda_case_to_device(q.on[0], CUDA);
    CHECK_STATUS(stria_tensor_new_scalar(stria_scalar_get(0.5), &half, NULL), STRIA_OK);
    for (int k = 0; k < 5; k++) {
        snprintf(what, sizeof what, "quantile, %s, of %s, dim %d", interpolations[k], stria_dtype_get_name(dtype), dim);
        ON_BOTH(stria_quantile(x.on[s], q.on[s], dim, k == 2, interpolations[k], &y.on[s], &err));
        cuda_pair_check(what, &y);
        ON_BOTH(stria_nanquantile(x.on[s], q.on[s], dim, false, interpolations[k], &y.on[s], &err));
        cuda_pair_check(what, &y);
    }
    ON_BOTH(stria_quantile(x.on[s], half, dim, false, "linear", &y.on[s], &err));
    cuda_pair_check("quantile of a number", &y);
    stria_tensor_release(half);
    cuda_pair_release(&x), cuda_pair_release(&q);
}

/* ---------------------------------------------------------------- unique */

static void test_unique(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, int dim, bool has_nan)
{
    cuda_pair x = new_numbers(dtype, order, ndim, shape, has_nan, 21), y = {{NULL}}, inverse = {{NULL}};
    cuda_pair counts = {{NULL}};
    char      what[96];

    for (int wants = 0; wants < 4; wants++) {
        snprintf(what, sizeof what, "unique of %s, order %d, dim %d, %d dims", stria_dtype_get_name(dtype), order, dim,
                 ndim);
        ON_BOTH(stria_unique(x.on[s], true, wants & 1, wants & 2, dim, &y.on[s], &inverse.on[s], &counts.on[s], &err));
        cuda_pair_check(what, &y);
        cuda_pair_check("unique, inverse", &inverse);
        cuda_pair_check("unique, counts", &counts);
        ON_BOTH(stria_unique_consecutive(x.on[s], wants & 1, wants & 2, dim, &y.on[s], &inverse.on[s], &counts.on[s],
                                         &err));
        cuda_pair_check(what, &y);
        cuda_pair_check("unique_consecutive, inverse", &inverse);
        cuda_pair_check("unique_consecutive, counts", &counts);
    }
    cuda_pair_release(&x);
}

/* Slices of which several are equal. */
static void test_slices(stria_dtype dtype, bool has_nan)
{
    const int64_t at[] = {0, 2, 2, 1, 0, 0, 3, 2};
    cuda_pair     x = new_numbers(dtype, PAIR_PACKED, 3, SHAPE(4, 4, 3), has_nan, 22), y = {{NULL}};
    cuda_pair     index = cuda_pair_new_list(STRIA_I64, 8, at), inverse = {{NULL}}, counts = {{NULL}};

    for (int dim = 0; dim < 2; dim++) {
        cuda_pair many = {{NULL}};
        ON_BOTH(stria_index_select(x.on[s], index.on[s], dim, &many.on[s], &err));
        ON_BOTH(stria_unique(many.on[s], true, true, true, dim, &y.on[s], &inverse.on[s], &counts.on[s], &err));
        cuda_pair_check("unique slices", &y);
        cuda_pair_check("unique slices, inverse", &inverse);
        cuda_pair_check("unique slices, counts", &counts);
        ON_BOTH(stria_unique_consecutive(many.on[s], true, true, dim, &y.on[s], &inverse.on[s], &counts.on[s], &err));
        cuda_pair_check("consecutive slices", &y);
        cuda_pair_check("consecutive slices, inverse", &inverse);
        cuda_pair_check("consecutive slices, counts", &counts);
        cuda_pair_release(&many);
    }
    cuda_pair_release(&x), cuda_pair_release(&index);
}

/* ---------------------------------------------------------------- searchsorted */

static void test_search(stria_dtype dtype, stria_dtype of, pair_order order, bool has_nan)
{
    cuda_pair     rows = new_numbers(dtype, order, 2, SHAPE(3, 33), has_nan, 31), sorted = {{NULL}}, at = {{NULL}};
    cuda_pair     values = new_numbers(of, PAIR_TURNED, 2, SHAPE(3, 14), has_nan, 32), y = {{NULL}}, row = {{NULL}};
    stria_tensor *number = NULL;
    char          what[96];

    ON_BOTH(stria_sort(rows.on[s], 1, false, true, &sorted.on[s], &at.on[s], &err));
    ON_BOTH(stria_select(sorted.on[s], 0, 1, &row.on[s], &err));
    CHECK_STATUS(stria_tensor_new_scalar(stria_scalar_get(2), &number, NULL), STRIA_OK);
    for (int right = 0; right < 2; right++) {
        snprintf(what, sizeof what, "searchsorted of %s in %s, right %d", stria_dtype_get_name(of),
                 stria_dtype_get_name(dtype), right);
        ON_BOTH(stria_searchsorted(sorted.on[s], values.on[s], NULL, right, "none", right, &y.on[s], &err));
        cuda_pair_check(what, &y);
        ON_BOTH(stria_searchsorted(rows.on[s], values.on[s], at.on[s], false, right ? "right" : "left", false, &y.on[s],
                                   &err));
        cuda_pair_check("searchsorted by a sorter", &y);
        ON_BOTH(stria_searchsorted(row.on[s], values.on[s], NULL, right, "none", false, &y.on[s], &err));
        cuda_pair_check("searchsorted in one row", &y);
        ON_BOTH(stria_bucketize(values.on[s], row.on[s], right, false, &y.on[s], &err));
        cuda_pair_check("bucketize", &y);
        ON_BOTH(stria_searchsorted(row.on[s], number, NULL, right, "none", false, &y.on[s], &err));
        cuda_pair_check("searchsorted of a number", &y);
    }
    ON_BOTH(stria_isin(values.on[s], rows.on[s], false, &y.on[s], &err));
    cuda_pair_check("isin", &y);
    stria_tensor_release(number);
    cuda_pair_release(&rows), cuda_pair_release(&sorted), cuda_pair_release(&at), cuda_pair_release(&values);
    cuda_pair_release(&row);
}

/* ---------------------------------------------------------------- counts */

static void test_bincount(stria_dtype dtype, pair_order order, int64_t n)
{
    cuda_pair x = cuda_pair_new(dtype, order, 1, &n, 0, 40, 41), y = {{NULL}};

    for (int weighs = 0; weighs < 3; weighs++) {
        cuda_pair w = cuda_pair_new_any(weighs == 1 ? STRIA_F32 : STRIA_F64, PAIR_FLIPPED, 1, &n, 42);
        ON_BOTH(stria_bincount(x.on[s], weighs > 0 ? w.on[s] : NULL, weighs == 2 ? 60 : 3, &y.on[s], &err));
        cuda_pair_check("bincount", &y);
        cuda_pair_release(&w);
    }
    cuda_pair_release(&x);
}

static void test_histc(stria_dtype dtype, pair_order order)
{
    cuda_pair x = cuda_pair_new(dtype, order, 2, SHAPE(30, 41), -90, 100, 43), y = {{NULL}}, one = {{NULL}};
    cuda_pair nan = new_numbers(dtype, order, 2, SHAPE(5, 6), true, 44);

    ON_BOTH(stria_histc(x.on[s], 10, 0, 0, &y.on[s], &err));
    cuda_pair_check("histc", &y);
    ON_BOTH(stria_histc(x.on[s], 7, -30, 43.3, &y.on[s], &err));
    cuda_pair_check("histc between", &y);
    ON_BOTH(stria_histc(nan.on[s], 5, -3, 3, &y.on[s], &err));
    cuda_pair_check("histc with NaN", &y);
    REFUSED_ON_BOTH(stria_histc(nan.on[s], 5, 0, 0, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    ON_BOTH(stria_slice(x.on[s], 0, 3, 3, 1, &one.on[s], &err));
    ON_BOTH(stria_histc(one.on[s], 5, 0, 0, &y.on[s], &err));
    cuda_pair_check("histc of nothing", &y);
    cuda_pair_release(&x), cuda_pair_release(&nan), cuda_pair_release(&one);
}

static void test_refusals(void)
{
    const int64_t below[] = {3, -1, 2}, at[] = {0, 1, 2, 9};
    cuda_pair     x = cuda_pair_new_list(STRIA_I32, 3, below), y = {{NULL}}, i = {{NULL}}, q = {{NULL}};
    cuda_pair     f = cuda_pair_new(STRIA_F32, PAIR_PACKED, 1, SHAPE(4), 0, 3, 1), none = {{NULL}};
    cuda_pair     sorter = cuda_pair_new_list(STRIA_I64, 4, at);

    REFUSED_ON_BOTH(stria_bincount(x.on[s], NULL, 0, &y.on[s], &err), STRIA_ERR_ARGUMENT);
    q = cuda_pair_new_list(STRIA_F32, 4, at);
    REFUSED_ON_BOTH(stria_quantile(f.on[s], q.on[s], 0, false, "linear", &y.on[s], &err), STRIA_ERR_ARGUMENT);
    REFUSED_ON_BOTH(stria_searchsorted(f.on[s], f.on[s], sorter.on[s], false, "none", false, &y.on[s], &err),
                    STRIA_ERR_ARGUMENT);
    ON_BOTH(stria_slice(f.on[s], 0, 1, 1, 1, &none.on[s], &err));
    ON_BOTH(stria_median(none.on[s], STRIA_AXIS_NONE, false, &y.on[s], &i.on[s], &err));
    cuda_pair_check("the median of nothing", &y);
    cuda_pair_check("the place of the median of nothing", &i);
    ON_BOTH(stria_quantile(f.on[s], none.on[s], 0, false, "linear", &y.on[s], &err));
    cuda_pair_check("no quantiles", &y);
    cuda_pair_release(&x), cuda_pair_release(&f), cuda_pair_release(&q), cuda_pair_release(&none);
    cuda_pair_release(&sorter);
}

/* ---------------------------------------------------------------- all */

static void test_dtype(stria_dtype dtype)
{
    const bool is_float = dtype_is_float(dtype), is_whole = !is_float && dtype != STRIA_BOOL;

    for (int k = 0; k < (is_float ? 2 : 1); k++) {
        const pair_order order = (pair_order)((int)(dtype + k) % N_PAIR_ORDERS);
        if (dtype != STRIA_F32 && !cuda_case_is_drawn()) continue;
        for (int dim = 0; dim < 2; dim++) test_middles(dtype, order, 2, SHAPE(7, 5), dim, k);
        test_middles(dtype, order, 3, SHAPE(2, 3, 6), 1, k);
        test_middles(dtype, order, 2, SHAPE(9, 13), STRIA_AXIS_NONE, k);
        test_middles(dtype, PAIR_PACKED, 0, SHAPE(0), STRIA_AXIS_NONE, k);
        if (is_float)
            for (int dim = 0; dim < 3; dim++) test_quantiles(dtype, order, dim < 2 ? dim : STRIA_AXIS_NONE, k);
        test_unique(dtype, order, 2, SHAPE(6, 11), STRIA_AXIS_NONE, k);
        test_unique(dtype, order, 1, SHAPE(300), STRIA_AXIS_NONE, k);
        test_unique(dtype, order, 2, SHAPE(9, 2), 0, k);
        test_unique(dtype, PAIR_PACKED, 1, SHAPE(0), STRIA_AXIS_NONE, k);
        test_unique(dtype, PAIR_PACKED, 0, SHAPE(0), STRIA_AXIS_NONE, k);
        test_unique(dtype, PAIR_PACKED, 2, SHAPE(0, 2), 0, k);
        test_slices(dtype, k);
        test_search(dtype, dtype, order, k);
        test_search(dtype, STRIA_F32, order, k);
        if (is_float) test_histc(dtype, order);
    }
    for (int64_t n = 0; is_whole && n < 1200; n = n * 3 + 1)
        if (dtype == STRIA_I32 || cuda_case_is_drawn()) test_bincount(dtype, (pair_order)(dtype % 4), n);
}

SUITE(test_cuda_order)
{
    check_isa("test_cuda_order");
    if (!cuda_case_begin("test_cuda_order")) return 77;
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++)
        if (!stria_dtype_is_complex((stria_dtype)d)) test_dtype((stria_dtype)d);
    test_refusals();
    return cuda_case_finish("test_cuda_order");
}
