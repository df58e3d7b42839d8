/* test_search.c - searchsorted, bucketize, isin, one_hot, masked_scatter, select_scatter, slice_scatter, diagonal_scatter against plain
 * loops, and what they refuse. */
#include <math.h>

#include "index_case.h"

static random_state random_numbers = {71};

static int pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

static layout pick_layout(int ndim)
{
    static const layout kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_STEPPED};
    return ndim == 0 ? LAYOUT_CONTIGUOUS : kinds[pick(4)];
}

static stria_tensor *pick_tensor(stria_dtype dtype, int ndim, const int64_t *shape)
{
    return tensor_random(&random_numbers, dtype, pick_layout(ndim), ndim, shape, -9, 9);
}

/* ---------------------------------------------------------------- search */

static bool is_below(value a, value b)
{
    if (!a.is_float) return a.whole < b.whole;
    return isnan(b.real) ? !isnan(a.real) : a.real < b.real;
}

static void check_search(void)
{
    const stria_dtype dtype = (stria_dtype)pick(STRIA_F64 + 1);
    const int         ndim = 1 + pick(3), is_one = pick(2);
    int64_t           shape[3], own[3], at[3] = {0}, from[3];
    const bool        is_right = pick(2), has_sorter = pick(2), is_narrow = pick(2);

    for (int d = 0; d < ndim; d++) own[d] = shape[d] = 1 + pick(5);
    const int64_t length = pick(12);
    own[ndim - 1] = length;
    stria_tensor *x = is_one ? pick_tensor(dtype, 1, &length) : pick_tensor(dtype, ndim, own);
    stria_tensor *values = pick_tensor(dtype, ndim, shape), *sorted = NULL, *order = NULL, *y = NULL;

    CHECK_STATUS(stria_sort(x, -1, false, false, &sorted, &order, NULL), STRIA_OK);
    CHECK_STATUS(has_sorter ? stria_searchsorted(x, values, order, is_right, "none", is_narrow, &y, NULL)
                            : stria_searchsorted(sorted, values, NULL, is_right && pick(2), is_right ? "right" : "left",
                                                 is_narrow, &y, NULL),
                 STRIA_OK);
    if (index_check_shape(y, is_narrow ? STRIA_I32 : STRIA_I64, ndim, shape, "searchsorted")) do {
            const value v = value_get(dtype, tensor_at(values, at));
            int64_t     n = 0;
            memcpy(from, at, sizeof from);
            for (int64_t k = 0; k < length; k++) {
                from[ndim - 1] = k;
                const value s = value_get(dtype, tensor_at(sorted, is_one ? &k : from));
                n += is_right ? !is_below(v, s) : is_below(s, v);
            }
            CHECK(index_at(y, at) == n, "searchsorted %s: %lld instead of %lld", stria_dtype_get_name(dtype),
                  (long long)index_at(y, at), (long long)n);
        } while (index_next(ndim, shape, at));
    if (is_one) {
        stria_tensor *same = NULL;
        CHECK_STATUS(stria_bucketize(values, sorted, is_right, is_narrow, &same, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(same) == stria_tensor_get_dtype(y), "dtype of bucketize");
        memset(at, 0, sizeof at);
        do CHECK(index_at(same, at) == index_at(y, at), "bucketize");
        while (index_next(ndim, shape, at));
        stria_tensor_release(same);
    }
    stria_tensor_release(x), stria_tensor_release(values), stria_tensor_release(sorted), stria_tensor_release(order);
    stria_tensor_release(y);
}

static void check_isin(void)
{
    const stria_dtype dtype = (stria_dtype)pick(STRIA_F64 + 1);
    int64_t           shape[2] = {1 + pick(5), 1 + pick(5)}, own[2] = {pick(4), 1 + pick(4)}, at[2] = {0};
    const int         ndim = pick(3), own_ndim = 1 + pick(2);
    const bool        invert = pick(2);
    stria_tensor     *x = pick_tensor(dtype, ndim, shape), *test = pick_tensor(dtype, own_ndim, own), *y = NULL;

    CHECK_STATUS(stria_isin(x, test, invert, &y, NULL), STRIA_OK);
    if (index_check_shape(y, STRIA_BOOL, ndim, shape, "isin")) do {
            const value v = value_get(dtype, tensor_at(x, at));
            int64_t     from[2] = {0};
            bool        is_in = false;
            if (stria_tensor_get_numel(test) > 0) do {
                    const value t = value_get(dtype, tensor_at(test, from));
                    is_in |= v.is_float ? v.real == t.real : v.whole == t.whole;
                } while (index_next(own_ndim, own, from));
            CHECK((*(const uint8_t *)tensor_at(y, at) != 0) == (is_in != invert), "isin %s",
                  stria_dtype_get_name(dtype));
        } while (index_next(ndim, shape, at));
    stria_tensor_release(x), stria_tensor_release(test), stria_tensor_release(y);
}

static void check_one_hot(void)
{
    int64_t       shape[3] = {1 + pick(5), 1 + pick(5), 0}, at[3] = {0}, largest = 0;
    const int     ndim = pick(3);
    const int64_t n = pick(2) ? -1 : 7;
    stria_tensor *y = NULL, *x = index_random(&random_numbers, pick(2) ? STRIA_I32 : STRIA_I64, pick_layout(ndim), ndim,
                                              shape, 0, 7);

    do
        if (index_at(x, at) > largest) largest = index_at(x, at);
    while (index_next(ndim, shape, at));
    shape[ndim] = n == -1 ? largest + 1 : n;
    CHECK_STATUS(stria_one_hot(x, n, &y, NULL), STRIA_OK);
    memset(at, 0, sizeof at);
    if (index_check_shape(y, STRIA_I64, ndim + 1, shape, "one_hot")) do
            CHECK(index_at(y, at) == (index_at(x, at) == at[ndim]), "one_hot");
        while (index_next(ndim + 1, shape, at));
    stria_tensor_release(x), stria_tensor_release(y);
}

/* ---------------------------------------------------------------- parts of a tensor */

static void check_masked_scatter(void)
{
    const stria_dtype dtype = (stria_dtype)pick(STRIA_DTYPE_COUNT);
    int64_t           shape[] = {1 + pick(5), 1 + pick(5)}, at[2] = {0}, n = 30, next = 0;
    const int         less = pick(2);
    stria_tensor *x = pick_tensor(dtype, 2, shape), *mask = pick_tensor(STRIA_BOOL, 2 - less, shape + less), *y = NULL;
    stria_tensor *source = pick_tensor(dtype, 1, &n);

    CHECK_STATUS(stria_masked_scatter(x, mask, source, &y, NULL), STRIA_OK);
    do {
        const bool is_met = *(const uint8_t *)tensor_at_broadcast(mask, 2, at) != 0;
        if (is_met)
            index_check_bits(source, &next, y, at, "masked_scatter, source");
        else
            index_check_bits(x, at, y, at, "masked_scatter, x");
        next += is_met;
    } while (index_next(2, shape, at));
    stria_tensor_release(x), stria_tensor_release(mask), stria_tensor_release(source), stria_tensor_release(y);
}

/* The view of the result is src; a copy of x that gets src by the view is the result. */
static void check_view_scatter(void)
{
    const stria_dtype dtype = (stria_dtype)pick(STRIA_DTYPE_COUNT);
    const int64_t     shape[] = {2 + pick(4), 2 + pick(4), 2 + pick(4)}, stop = pick(5), step = 1 + pick(2);
    const int         axis = pick(3), what = pick(3);
    stria_tensor     *x = pick_tensor(dtype, 3, shape), *kept = NULL, *view = NULL, *src = NULL, *y = NULL;
    int64_t           at[3] = {0};

    CHECK_STATUS(stria_tensor_copy(x, dtype, &kept, NULL), STRIA_OK);
    CHECK_STATUS(what == 0   ? stria_select(kept, axis, -1, &view, NULL)
                 : what == 1 ? stria_slice(kept, axis, STRIA_INT_NONE, stop, step, &view, NULL)
                             : stria_diagonal(kept, 1, axis, (axis + 1) % 3, &view, NULL),
                 STRIA_OK);
    src = pick_tensor(dtype, stria_tensor_get_ndim(view), stria_tensor_get_shape(view));
    CHECK_STATUS(stria_tensor_set(view, src, NULL), STRIA_OK);
    CHECK_STATUS(what == 0   ? stria_select_scatter(x, src, axis, -1, &y, NULL)
                 : what == 1 ? stria_slice_scatter(x, src, axis, STRIA_INT_NONE, stop, step, &y, NULL)
                             : stria_diagonal_scatter(x, src, 1, axis, (axis + 1) % 3, &y, NULL),
                 STRIA_OK);
    if (index_check_shape(y, dtype, 3, shape, "view_scatter")) do
            index_check_bits(kept, at, y, at, "view_scatter");
        while (index_next(3, shape, at));
    stria_tensor_release(x), stria_tensor_release(kept), stria_tensor_release(view), stria_tensor_release(src);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void)
{
    static const int64_t sizes[] = {2, 3}, two = 2, long_row = INT64_C(1) << 31;
    stria_tensor        *x = tensor_random(&random_numbers, STRIA_F32, LAYOUT_CONTIGUOUS, 2, sizes, 0, 1), *y = NULL;
    stria_tensor        *one = NULL, *far = NULL, *c = NULL, *mask = NULL, *few = NULL, *row = NULL, *index = NULL,
                 *wide = NULL;
    const int where = 0;

    CHECK_STATUS(stria_tensor_copy(x, STRIA_C64, &c, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_F64, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(sizes, 2, (stria_scalar){.i = 1}, STRIA_BOOL, STRIA_CPU, &mask, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(&two, 1, (stria_scalar){.i = 1}, STRIA_F32, STRIA_CPU, &few, NULL), STRIA_OK);
    CHECK_STATUS(
        stria_full(&two, 1, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = -1}, STRIA_I64, STRIA_CPU, &index, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_select(x, where, 0, &row, NULL), STRIA_OK);
    REFUSED(stria_masked_scatter_out(x, mask, few, x, &err), STRIA_ERR_SHAPE, "masked_scatter", "source",
            "source has 2 elements, but mask is true 6 times");
    REFUSED(stria_masked_scatter(x, x, few, &y, &err), STRIA_ERR_DTYPE, "masked_scatter", "mask", "must be bool");
    REFUSED(stria_masked_scatter(wide, mask, few, &y, &err), STRIA_ERR_DTYPE, "masked_scatter", "source", "is f32");
    REFUSED(stria_select_scatter(x, few, 0, 0, &y, &err), STRIA_ERR_SHAPE, "select_scatter", "src",
            "src has shape [2], but its place in x has shape [3]");
    REFUSED(stria_select_scatter(x, row, 0, 2, &y, &err), STRIA_ERR_ARGUMENT, "select_scatter", "index", "2");
    REFUSED(stria_slice_scatter(x, row, 0, 0, 1, 0, &y, &err), STRIA_ERR_ARGUMENT, "slice_scatter", "step",
            "step is 0");
    REFUSED(stria_diagonal_scatter(x, c, 0, 0, 1, &y, &err), STRIA_ERR_SHAPE, "diagonal_scatter", "src", "shape [2]");
    REFUSED(stria_one_hot(x, 3, &y, &err), STRIA_ERR_DTYPE, "one_hot", "x", "x is f32");
    REFUSED(stria_one_hot(index, 3, &y, &err), STRIA_ERR_ARGUMENT, "one_hot", "x", "x[0] is -1");
    REFUSED(stria_one_hot(index, 0, &y, &err), STRIA_ERR_ARGUMENT, "one_hot", "num_classes", "num_classes is 0");
    REFUSED(stria_searchsorted(c, x, NULL, false, "left", false, &y, &err), STRIA_ERR_DTYPE, "searchsorted",
            "sorted_sequence", "is c64");
    REFUSED(stria_searchsorted(x, few, NULL, false, "left", false, &y, &err), STRIA_ERR_SHAPE, "searchsorted", "values",
            "values has shape [2]");
    REFUSED(stria_searchsorted(few, x, x, false, "left", false, &y, &err), STRIA_ERR_DTYPE, "searchsorted", "sorter",
            "is f32");
    REFUSED(stria_searchsorted(few, x, index, false, "left", false, &y, &err), STRIA_ERR_ARGUMENT, "searchsorted",
            "sorter", "sorter[0] is -1, out of range for the last axis of size 2");
    REFUSED(stria_searchsorted(few, x, NULL, false, "middle", false, &y, &err), STRIA_ERR_ARGUMENT, "searchsorted",
            "side", "none|left|right");
    REFUSED(stria_searchsorted(few, x, NULL, true, "left", false, &y, &err), STRIA_ERR_ARGUMENT, "searchsorted", "side",
            "side is left, but right is true");
    CHECK_STATUS(stria_slice(few, 0, 0, 1, 1, &one, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(one, &long_row, 1, &far, NULL), STRIA_OK);
    REFUSED(stria_searchsorted(far, far, NULL, false, "none", true, &y, &err), STRIA_ERR_ARGUMENT, "searchsorted",
            "out_int32", "more than 2^31 - 1 elements");
    REFUSED(stria_bucketize(far, far, false, true, &y, &err), STRIA_ERR_ARGUMENT, "bucketize", "out_int32",
            "more than 2^31 - 1 elements");
    stria_tensor_release(far), stria_tensor_release(one);
    REFUSED(stria_bucketize(few, x, false, false, &y, &err), STRIA_ERR_SHAPE, "bucketize", "boundaries",
            "must have one dim");
    REFUSED(stria_isin(c, x, false, &y, &err), STRIA_ERR_DTYPE, "isin", "elements", "is c64");
    CHECK(y == NULL, "an output of a refused call");
    stria_tensor_release(x), stria_tensor_release(c), stria_tensor_release(mask), stria_tensor_release(few);
    stria_tensor_release(row), stria_tensor_release(index), stria_tensor_release(wide);
}

SUITE(test_search)
{
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    for (int k = 0; k < 3000; k++) {
        check_search();
        check_isin();
        check_one_hot();
        check_masked_scatter();
        check_view_scatter();
    }
    test_refusals();
    return check_finish("test_search");
}
