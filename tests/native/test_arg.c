/* test_arg.c - argmax and argmin against a plain loop: every dtype, axis, layout and thread count, ties, NaN, empties,
 * out=, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

typedef stria_status     arg_fn(const stria_tensor *x, int axis, bool keepdim, stria_tensor **out, stria_error *err);
typedef stria_status     arg_out_fn(const stria_tensor *x, int axis, bool keepdim, stria_tensor *out, stria_error *err);
static arg_fn *const     functions[] = {stria_argmax, stria_argmin};
static arg_out_fn *const out_functions[] = {stria_argmax_out, stria_argmin_out};

/* ---------------------------------------------------------------- the oracle */

static bool is_nan(value v) { return v.is_float && isnan(v.real); }

/* Whether v, which comes later, is the better one. */
static bool is_better(value v, value best, bool smallest)
{
    if (is_nan(v) || is_nan(best)) return is_nan(v) && !is_nan(best);
    if (v.is_float) return smallest ? v.real < best.real : v.real > best.real;
    return smallest ? v.whole < best.whole : v.whole > best.whole;
}

/* Position along axis (axis < 0: in row-major order) for the output at `index`, whose entry `axis` is free. */
static int64_t expected_at(const stria_tensor *x, int axis, bool smallest, int64_t *index)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const int64_t    *shape = stria_tensor_get_shape(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           n = 0, found = 0, all[STRIA_MAX_DIMS] = {0};
    value             best = {0};

    if (axis < 0) {
        do {
            const value v = value_get(dtype, tensor_at(x, all));
            if (n == 0 || is_better(v, best, smallest)) best = v, found = n;
            n++;
        } while (index_next(ndim, shape, all));
        return found;
    }
    for (index[axis] = 0; index[axis] < (ndim ? shape[axis] : 1); index[axis]++) {
        const value v = value_get(dtype, tensor_at(x, index));
        if (index[axis] == 0 || is_better(v, best, smallest)) best = v, found = index[axis];
    }
    index[axis] = 0;
    return found;
}

static void check_result(const stria_tensor *x, int axis, bool smallest, bool keepdim, const stria_tensor *y,
                         const char *what)
{
    const int      ndim = stria_tensor_get_ndim(x);
    const int64_t *shape = stria_tensor_get_shape(x);
    int64_t        outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0}, expected_shape[STRIA_MAX_DIMS];
    int            n = 0;

    for (int d = 0; d < ndim; d++) {
        const bool is_reduced = axis < 0 || d == axis;
        outer[d] = is_reduced ? 1 : shape[d];
        if (!is_reduced || keepdim) expected_shape[n++] = outer[d];
    }
    CHECK(stria_tensor_get_dtype(y) == STRIA_I64 && stria_tensor_get_ndim(y) == n &&
              memcmp(stria_tensor_get_shape(y), expected_shape, sizeof *outer * (size_t)n) == 0,
          "%s: wrong shape or dtype", what);
    do {
        int64_t at[STRIA_MAX_DIMS], got, k = 0, free_index[STRIA_MAX_DIMS];
        for (int d = 0; d < ndim; d++)
            if (keepdim || (axis >= 0 && d != axis)) at[k++] = index[d];
        memcpy(&got, tensor_at(y, at), sizeof got);
        memcpy(free_index, index, sizeof index);
        const int64_t expected = expected_at(x, axis, smallest, free_index);
        CHECK(got == expected, "arg%s %s %s axis %d: %lld, expected %lld", smallest ? "min" : "max", what,
              stria_dtype_get_name(stria_tensor_get_dtype(x)), axis, (long long)got, (long long)expected);
    } while (index_next(ndim, outer, index));
}

/* ---------------------------------------------------------------- cases */

static void check_all_axes(const stria_tensor *x, const char *what)
{
    const int ndim = stria_tensor_get_ndim(x);
    for (int smallest = 0; smallest < 2; smallest++) {
        for (int axis = -1; axis < (ndim ? ndim : 1); axis++) {
            for (int keepdim = 0; keepdim < 2; keepdim++) {
                stria_tensor *y = NULL;
                const int     given = axis < 0 ? STRIA_AXIS_NONE : keepdim ? axis - (ndim ? ndim : 1) : axis;
                CHECK_STATUS(functions[smallest](x, given, keepdim, &y, NULL), STRIA_OK);
                if (y) check_result(x, axis, smallest, keepdim, y, what);
                stria_tensor_release(y);
            }
        }
    }
}

/* Numbers without NaN from few different ones, so that there are ties; sometimes one NaN or two. */
static void make_tied(random_state *random, stria_tensor *x, bool with_nan)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    const int64_t     numel = stria_tensor_get_numel(x);
    int64_t           index[STRIA_MAX_DIMS] = {0};
    if (numel == 0) return;
    do {
        const bool nan = with_nan && dtype_is_float(dtype) && random_next(random) % (uint64_t)numel < 2;
        const int  small = (int)(random_next(random) % 7);
        value_set(dtype,
                  dtype_is_float(dtype) ? value_from_real(nan          ? NAN
                                                          : small == 6 ? -0.0
                                                                       : small - 3)
                                        : value_from_whole(small),
                  tensor_at(x, index));
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
}

static void test_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t sizes[4];
    } shapes[] = {{0, {0}},        {1, {1}},           {1, {37}},     {2, {5, 9}},   {2, {70, 33}},
                  {3, {3, 4, 19}}, {4, {2, 3, 2, 17}}, {2, {3, 300}}, {2, {2, 1100}}};
    random_state random = {4};
    for (int d = STRIA_U8; d <= STRIA_F64; d++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (shapes[s].ndim == 0 && kind)) continue;
                stria_tensor *x =
                    tensor_random(&random, (stria_dtype)d, (layout)kind, shapes[s].ndim, shapes[s].sizes, -100, 100);
                if (!x) continue;
                check_all_axes(x, layout_names[kind]);
                make_tied(&random, x, kind % 2);
                check_all_axes(x, "ties");
                stria_tensor_release(x);
            }
        }
    }
}

/* Lengths around vectors, blocks and chunks; the extreme at every kind of place. */
static void test_long(void)
{
    static const int64_t     lengths[] = {2,   3,    15,   16,   31,   64,   65,    127,   129,   255,
                                          511, 1025, 4095, 4096, 4097, 8192, 65536, 65537, 200003};
    static const stria_dtype dtypes[] = {STRIA_U8, STRIA_I16, STRIA_I32, STRIA_I64, STRIA_F16, STRIA_F32, STRIA_F64};
    random_state             random = {5};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const int64_t n = lengths[l];
            stria_tensor *x = NULL;
            CHECK_STATUS(stria_tensor_new(dtypes[d], 1, &n, &x, NULL), STRIA_OK);
            if (!x) continue;
            for (int round = 0; round < 4; round++) {
                make_tied(&random, x, round == 1);
                const int64_t at = round == 2 ? n - 1 : (int64_t)(random_next(&random) % (uint64_t)n);
                if (round >= 2) value_set(dtypes[d], value_from_real(100), tensor_at(x, &at));
                for (int smallest = 0; smallest < 2; smallest++) {
                    stria_tensor *y = NULL;
                    CHECK_STATUS(functions[smallest](x, round % 2 ? 0 : STRIA_AXIS_NONE, false, &y, NULL), STRIA_OK);
                    if (y) check_result(x, round % 2 ? 0 : -1, smallest, false, y, "long");
                    stria_tensor_release(y);
                }
            }
            stria_tensor_release(x);
        }
    }
}

/* More than one thread's worth of elements: the same with any number of threads. */
static void test_threads(void)
{
    static const int64_t sizes[3][2] = {{300, 700}, {3, 140000}, {100000, 3}};
    static const int     threads[] = {1, 2, 7};
    random_state         random = {6};
    for (int s = 0; s < 3; s++) {
        for (int kind = 0; kind < 2; kind++) {
            stria_tensor *x =
                tensor_random(&random, STRIA_F32, kind ? LAYOUT_TRANSPOSED : LAYOUT_CONTIGUOUS, 2, sizes[s], -9, 9);
            if (!x) continue;
            make_tied(&random, x, false);
            for (int t = 0; t < 3; t++) {
                CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
                check_all_axes(x, "threads");
            }
            stria_tensor_release(x);
        }
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

static void test_out(void)
{
    static const int64_t sizes[] = {4, 6}, four = 4, other[] = {2, 3};
    random_state         random = {7};
    stria_tensor        *x = tensor_random(&random, STRIA_I64, LAYOUT_CONTIGUOUS, 2, sizes, -9, 9);
    stria_tensor        *y = NULL, *wide = NULL, *small = NULL, *step = NULL, *row = NULL, *broadcast = NULL;
    stria_error          err = {0};

    CHECK_STATUS(stria_tensor_new(STRIA_I64, 1, &four, &y, NULL), STRIA_OK);
    CHECK_STATUS(out_functions[0](x, 1, false, y, NULL), STRIA_OK);
    check_result(x, 1, false, false, y, "out");
    CHECK_STATUS(out_functions[1](x, STRIA_AXIS_NONE, true, y, NULL), STRIA_OK); /* resized */
    check_result(x, -1, true, true, y, "out resized");
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, other, &wide, NULL), STRIA_OK);
    CHECK_STATUS(out_functions[0](x, 0, false, wide, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(wide) == 1 && stria_tensor_get_shape(wide)[0] == 6, "out of f32 is resized");
    for (int64_t k = 0; k < 6; k++) {
        int64_t index[2] = {0, k};
        float   got;
        memcpy(&got, tensor_at(wide, &k), sizeof got);
        CHECK(got == (float)expected_at(x, 0, false, index), "out of f32: %g", (double)got);
    }
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 1, &four, &small, NULL), STRIA_OK);
    CHECK_STATUS(out_functions[0](x, 1, false, small, &err), STRIA_ERR_DTYPE);
    CHECK(strstr(err.message, "argmax") && strcmp(err.argument, "out") == 0, "message: %s", err.message);

    /* out within x: computed apart */
    CHECK_STATUS(stria_select(x, 1, 0, &row, NULL), STRIA_OK);
    int64_t expected[4];
    for (int64_t k = 0; k < 4; k++) {
        int64_t index[2] = {k, 0};
        expected[k] = expected_at(x, 1, false, index);
    }
    CHECK_STATUS(out_functions[0](x, 1, false, row, NULL), STRIA_OK);
    for (int64_t k = 0; k < 4; k++) {
        int64_t got;
        memcpy(&got, tensor_at(row, &k), sizeof got);
        CHECK(got == expected[k], "out within x: %lld", (long long)got);
    }
    CHECK_STATUS(stria_tensor_new(STRIA_I64, 0, NULL, &step, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(step, &four, 1, &broadcast, NULL), STRIA_OK);
    CHECK_STATUS(out_functions[0](x, 1, false, broadcast, &err), STRIA_ERR_OVERLAP);
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(wide), stria_tensor_release(small);
    stria_tensor_release(step), stria_tensor_release(row), stria_tensor_release(broadcast);
}

static void check_refused(stria_dtype dtype, int ndim, const int64_t *shape, int axis, stria_status status,
                          const char *text)
{
    stria_tensor *x = NULL, *y = NULL, *out = NULL;
    stria_error   err = {0};
    const int64_t three = 3;

    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I64, 1, &three, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_argmin(x, axis, false, &y, &err), status);
    CHECK(y == NULL && strcmp(err.op, "argmin") == 0 && strstr(err.message, text), "message: %s", err.message);
    CHECK_STATUS(stria_argmin_out(x, axis, false, out, NULL), status);
    CHECK(stria_tensor_get_shape(out)[0] == 3, "out changed");
    stria_tensor_release(x);
    stria_tensor_release(out);
}

static void test_edges(void)
{
    static const int64_t empty[] = {2, 0, 3}, sizes[] = {2, 3};
    stria_tensor        *x = NULL, *y = NULL;
    stria_error          err = {0};

    check_refused(STRIA_BOOL, 2, sizes, 0, STRIA_ERR_DTYPE, "bool");
    check_refused(STRIA_C64, 2, sizes, 0, STRIA_ERR_DTYPE, "c64");
    check_refused(STRIA_F32, 2, sizes, 2, STRIA_ERR_AXIS, "axis 2 is out of range for 2 dims");
    check_refused(STRIA_F32, 2, sizes, -3, STRIA_ERR_AXIS, "axis -3");
    check_refused(STRIA_F32, 0, NULL, 1, STRIA_ERR_AXIS, "axis 1");
    check_refused(STRIA_F32, 3, empty, 1, STRIA_ERR_EMPTY, "axis 1 has size 0");
    check_refused(STRIA_F32, 3, empty, STRIA_AXIS_NONE, STRIA_ERR_EMPTY, "no elements");
    CHECK_STATUS(stria_argmax(NULL, 0, false, &y, &err), STRIA_ERR_ARGUMENT);

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 3, empty, &x, NULL), STRIA_OK); /* another axis: an empty result */
    CHECK_STATUS(stria_argmax(x, 0, false, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0 && stria_tensor_get_ndim(y) == 2, "empty result");
    CHECK_STATUS(stria_argmax(x, 0, false, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_argmax_out(x, 0, false, NULL, &err), STRIA_ERR_ARGUMENT);
    stria_tensor_release(x), stria_tensor_release(y);

    CHECK_STATUS(stria_empty(sizes, 2, STRIA_F32, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_argmax(x, 1, true, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META && stria_tensor_get_shape(y)[1] == 1, "meta");
    stria_tensor_release(x), stria_tensor_release(y);
}

SUITE(test_arg)
{
    check_isa("test_arg");
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) {
        test_layouts();
        test_long();
    }
    test_threads();
    if (check_has_values()) {
        test_out();
        test_edges();
    }
    return check_finish("test_arg");
}
