/* test_row.c - softmax, log_softmax and layer_norm against long double: float dtypes, axes, layouts, lengths, special
 * values, threads, out=, in place, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---------------------------------------------------------------- checking */

static const long double ulps[] = {
    [STRIA_F16] = 0x1.02p-11L, [STRIA_BF16] = 0x1.02p-8L, [STRIA_F32] = 0x1p-24L, [STRIA_F64] = 0x1p-53L};
static const long double leasts[] = {
    [STRIA_F16] = 0x1p-24L, [STRIA_BF16] = 0x1p-133L, [STRIA_F32] = 0x1p-149L, [STRIA_F64] = 0x1p-1074L};

/* units: of the dtype that is computed in, relative to `scale` */
static bool is_close(stria_dtype dtype, double got, long double exact, long double scale, double units)
{
    const long double unit = dtype == STRIA_F64 ? 0x1p-53L : 0x1p-24L;
    if (isnan(exact)) return isnan(got);
    if (isinf(exact)) return got == exact;
    return fabsl((long double)got - exact) <= units * unit * scale + fabsl(exact) * ulps[dtype] + leasts[dtype] * 4;
}

static long double at_value(const stria_tensor *x, const int64_t *index)
{
    const value v = value_get(stria_tensor_get_dtype(x), tensor_at(x, index));
    return v.is_float ? v.real : (long double)v.whole;
}

/* Row by row along the axis. */
static void check_softmax(const stria_tensor *x, int axis, bool is_log, const stria_tensor *y, const char *what)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const int64_t    *shape = stria_tensor_get_shape(x), length = ndim ? shape[axis] : 1;
    const stria_dtype result = stria_tensor_get_dtype(y);
    int64_t           outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0};

    CHECK(stria_tensor_get_ndim(y) == ndim &&
              memcmp(stria_tensor_get_shape(y), shape, sizeof *shape * (size_t)ndim) == 0,
          "%s: shape", what);
    if (stria_tensor_get_numel(x) == 0) return;
    for (int d = 0; d < ndim; d++) outer[d] = d == axis ? 1 : shape[d];
    do {
        long double most = -INFINITY, sum = 0, spread = 0;
        bool        nan = false;
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t k = 0; k < length; k++) {
                if (ndim) index[axis] = k;
                const long double v = at_value(x, index);
                if (pass == 0 && v > most) most = v;
                nan |= isnan(v);
                if (pass == 1) sum += expl(v - most);
            }
        }
        for (int64_t k = 0; k < length; k++) {
            if (ndim) index[axis] = k;
            const long double v = at_value(x, index), exact = nan      ? (long double)NAN
                                                              : is_log ? v - most - logl(sum)
                                                                       : expl(v - most) / sum;
            const double      got = value_get(result, tensor_at(y, index)).real;
            /* x - most is rounded: that much relative error in its exponential; log: of the terms */
            spread = isfinite((double)(v - most)) ? fabsl(v - most) : 0;
            const double scale_units = is_log ? 4 : 8 + (double)spread;
            CHECK(is_close(result, got, exact, is_log ? spread + logl(sum) + 1 : fabsl(exact), scale_units),
                  "%ssoftmax %s %s axis %d: %a, expected %La", is_log ? "log_" : "", what,
                  stria_dtype_get_name(stria_tensor_get_dtype(x)), axis, got, exact);
        }
        if (ndim) index[axis] = 0;
    } while (index_next(ndim, outer, index));
}

typedef stria_status row_fn(const stria_tensor *x, int axis, stria_dtype dtype, stria_tensor **out, stria_error *err);
typedef stria_status row_out_fn(const stria_tensor *x, int axis, stria_dtype dtype, stria_tensor *out,
                                stria_error *err);
static row_fn *const functions[] = {stria_softmax, stria_log_softmax};
static row_out_fn *const out_functions[] = {stria_softmax_out, stria_log_softmax_out};

/* The last n axes of x. y: the result; weight, bias may be NULL. */
static void check_norm(const stria_tensor *x, int n, const stria_tensor *weight, const stria_tensor *bias, double eps,
                       const stria_tensor *y, const char *what)
{
    const int         ndim = stria_tensor_get_ndim(x), skip = ndim - n;
    const int64_t    *shape = stria_tensor_get_shape(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           index[STRIA_MAX_DIMS] = {0};

    CHECK(stria_tensor_get_dtype(y) == dtype && stria_tensor_get_ndim(y) == ndim &&
              memcmp(stria_tensor_get_shape(y), shape, sizeof *shape * (size_t)ndim) == 0,
          "%s: shape", what);
    if (stria_tensor_get_numel(x) == 0) return;
    do {
        long double sum = 0, squares = 0, count = 0;
        for (int pass = 0; pass < 2; pass++) {
            memset(index + skip, 0, sizeof *index * (size_t)n);
            do {
                const long double v = at_value(x, index);
                if (pass == 0) sum += v, count++;
                if (pass == 1) squares += (v - sum / count) * (v - sum / count);
            } while (index_next(n, shape + skip, index + skip));
        }
        const long double mean = sum / count, factor = 1 / sqrtl(squares / count + eps);
        memset(index + skip, 0, sizeof *index * (size_t)n);
        do {
            const long double w = weight ? at_value(weight, index + skip) : 1,
                              b = bias ? at_value(bias, index + skip) : 0;
            const long double v = (at_value(x, index) - mean) * factor, exact = v * w + b;
            const double      got = value_get(dtype, tensor_at(y, index)).real;
            CHECK(is_close(dtype, got, exact, fabsl(v * w) + fabsl(b) + fabsl(w), 16),
                  "layer_norm %s %s, %d axes: %a, expected %La", what, stria_dtype_get_name(dtype), n, got, exact);
        } while (index_next(n, shape + skip, index + skip));
    } while (index_next(skip, shape, index));
}

/* ---------------------------------------------------------------- cases */

static const struct {
    int     ndim;
    int64_t sizes[4];
} shapes[] = {{0, {0}},        {1, {1}},           {1, {77}},      {2, {5, 9}},    {2, {70, 33}}, {2, {3, 700}},
              {3, {3, 4, 19}}, {4, {2, 3, 2, 17}}, {2, {2, 5000}}, {2, {5000, 3}}, {3, {2, 0, 3}}};

static void test_layouts(void)
{
    random_state random = {31};
    for (int d = STRIA_F16; d <= STRIA_F64; d++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const int ndim = shapes[s].ndim;
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (ndim == 0 && kind)) continue;
                stria_tensor *x = tensor_random(&random, (stria_dtype)d, (layout)kind, ndim, shapes[s].sizes, -9, 9);
                if (!x) continue;
                tensor_fill_random(&random, x, kind, d == STRIA_F16 ? 6 : 40);
                for (int is_log = 0; is_log < 2; is_log++) {
                    for (int axis = 0; axis < (ndim ? ndim : 1); axis++) {
                        stria_tensor *y = NULL;
                        CHECK_STATUS(
                            functions[is_log](x, ndim && axis % 2 ? axis - ndim : axis, STRIA_DTYPE_NONE, &y, NULL),
                            STRIA_OK);
                        if (y) check_softmax(x, axis, is_log, y, layout_names[kind]);
                        stria_tensor_release(y);
                    }
                }
                for (int n = 1; n <= ndim; n++) {
                    const int64_t *shape = stria_tensor_get_shape(x) + ndim - n;
                    stria_tensor  *y = NULL, *weight = NULL, *bias = NULL;
                    if (kind % 2) weight = tensor_random(&random, (stria_dtype)d, LAYOUT_FLIPPED, n, shape, -2, 2);
                    if (weight) tensor_fill_random(&random, weight, 1, 1);
                    if (kind % 3) CHECK_STATUS(stria_tensor_new(STRIA_F32, n, shape, &bias, NULL), STRIA_OK);
                    if (bias) tensor_fill_random(&random, bias, 0, 1);
                    CHECK_STATUS(stria_layer_norm(x, weight, bias, shape, n, 1e-5, &y, NULL), STRIA_OK);
                    if (y) check_norm(x, n, weight, bias, 1e-5, y, layout_names[kind]);
                    stria_tensor_release(y), stria_tensor_release(weight), stria_tensor_release(bias);
                }
                stria_tensor_release(x);
            }
        }
    }
}

/* Lengths around vectors, groups and blocks, in place; the softmax of one row sums to 1. */
static void test_lengths(void)
{
    random_state random = {32};
    for (int64_t n = 1; n < 20000; n = n < 150 ? n + 1 : n * 3 / 2) {
        for (int d = STRIA_F32; d <= STRIA_F64; d++) {
            stria_tensor *x = NULL, *y = NULL;
            CHECK_STATUS(stria_tensor_new((stria_dtype)d, 1, &n, &x, NULL), STRIA_OK);
            if (!x) continue;
            tensor_fill_random(&random, x, 100, 3);
            CHECK_STATUS(stria_log_softmax(x, 0, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
            if (y) check_softmax(x, 0, true, y, "length");
            stria_tensor_release(y);
            CHECK_STATUS(stria_layer_norm(x, NULL, NULL, &n, 1, 1e-3, &y, NULL), STRIA_OK);
            if (y) check_norm(x, 1, NULL, NULL, 1e-3, y, "length");
            stria_tensor_release(y);
            CHECK_STATUS(stria_tensor_copy(x, (stria_dtype)d, &y, NULL), STRIA_OK);
            CHECK_STATUS(stria_softmax_out(y, 0, STRIA_DTYPE_NONE, y, NULL), STRIA_OK); /* in place */
            if (y) check_softmax(x, 0, false, y, "in place");
            stria_tensor_release(x), stria_tensor_release(y);
        }
    }
}

static void test_special(void)
{
    static const int64_t four = 4;
    static const float   rows[][4] = {{1, NAN, 2, 3},
                                      {1, INFINITY, 2, 3},
                                      {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
                                      {-INFINITY, 0, 0, -INFINITY},
                                      {1e38f, -1e38f, 0, 1},
                                      {-0.0f, 0.0f, -0.0f, 0.0f},
                                      {1000, 1000, 1000, 1000}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (int is_log = 0; is_log < 2; is_log++) {
            stria_tensor *x = NULL, *y = NULL;
            CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, &four, rows[r], 16, &x, NULL), STRIA_OK);
            CHECK_STATUS(functions[is_log](x, 0, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
            if (r < 3) {
                for (int64_t k = 0; y && k < 4; k++)
                    CHECK(isnan(value_get(STRIA_F32, tensor_at(y, &k)).real), "row %d is not NaN", (int)r);
            } else if (y) {
                check_softmax(x, 0, is_log, y, "special");
            }
            stria_tensor_release(x), stria_tensor_release(y);
        }
    }
}

static void test_threads(void)
{
    static const int64_t sizes[] = {130, 70, 21};
    static const int     threads[] = {1, 2, 7};
    random_state         random = {33};
    stria_tensor        *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 3, sizes, -9, 9);
    tensor_fill_random(&random, x, 0, 5);
    for (int axis = 0; axis < 4; axis++) { /* 3: layer_norm */
        stria_tensor *first = NULL;
        for (int t = 0; t < 3; t++) {
            stria_tensor *y = NULL;
            CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
            if (axis < 3)
                CHECK_STATUS(stria_softmax(x, axis, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
            else
                CHECK_STATUS(stria_layer_norm(x, NULL, NULL, sizes + 1, 2, 0, &y, NULL), STRIA_OK);
            if (first && y)
                CHECK(memcmp(stria_tensor_get_data(first), stria_tensor_get_data(y),
                             4 * (size_t)stria_tensor_get_numel(y)) == 0,
                      "%d threads change the bits", threads[t]);
            if (t == 0)
                first = y;
            else
                stria_tensor_release(y);
        }
        stria_tensor_release(first);
    }
    stria_tensor_release(x);
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

static void test_out(void)
{
    static const int64_t sizes[] = {6, 20}, other[] = {2, 3};
    random_state         random = {34};
    stria_tensor        *x = NULL, *y = NULL, *whole = NULL, *meta = NULL, *z = NULL;
    stria_error          err = {0};

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, sizes, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I16, 2, sizes, &whole, NULL), STRIA_OK);
    tensor_fill_random(&random, x, 0, 3), tensor_fill_random(&random, whole, 0, 8);
    for (int is_log = 0; is_log < 2; is_log++) {
        CHECK_STATUS(stria_tensor_new(STRIA_F64, 2, other, &y, NULL), STRIA_OK);
        CHECK_STATUS(out_functions[is_log](x, 1, STRIA_DTYPE_NONE, y, NULL), STRIA_OK); /* resized; in f64 */
        check_softmax(x, 1, is_log, y, "out of f64");
        stria_tensor_release(y), y = NULL;
        CHECK_STATUS(functions[is_log](whole, 0, STRIA_F32, &y, NULL), STRIA_OK);
        if (y) check_softmax(whole, 0, is_log, y, "integers with dtype");
        CHECK_STATUS(out_functions[is_log](whole, 0, STRIA_DTYPE_NONE, y, &err), STRIA_ERR_DTYPE);
        stria_tensor_release(y), y = NULL;
    }
    CHECK(strcmp(err.op, "log_softmax") == 0 && strstr(err.message, "x is i16"), "message: %s", err.message);
    CHECK_STATUS(stria_softmax(x, 2, STRIA_DTYPE_NONE, &y, &err), STRIA_ERR_AXIS);
    CHECK_STATUS(stria_softmax(x, 0, STRIA_I32, &y, &err), STRIA_ERR_DTYPE);
    CHECK(strstr(err.message, "dtype is i32"), "message: %s", err.message);
    CHECK_STATUS(stria_softmax_out(x, 0, STRIA_DTYPE_NONE, whole, &err), STRIA_ERR_DTYPE);
    CHECK_STATUS(stria_softmax(NULL, 0, STRIA_DTYPE_NONE, &y, &err), STRIA_ERR_ARGUMENT);

    CHECK_STATUS(stria_layer_norm(x, NULL, NULL, sizes, 1, 0, &y, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.argument, "x") == 0 && strstr(err.message, "x has shape [6,20], but must end in [6]"),
          "message: %s", err.message);
    CHECK_STATUS(stria_layer_norm(x, x, whole, sizes, 2, 0, &y, NULL), STRIA_OK); /* integers as bias */
    if (y) check_norm(x, 2, x, whole, 0, y, "weight is x");
    stria_tensor_release(y), y = NULL;
    CHECK_STATUS(stria_layer_norm(x, NULL, x, sizes + 1, 1, 0, &y, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.argument, "bias") == 0 && strstr(err.message, "must have [20]"), "message: %s", err.message);
    CHECK_STATUS(stria_layer_norm(x, NULL, NULL, NULL, 0, 0, &y, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_layer_norm(whole, NULL, NULL, sizes, 2, 0, &y, &err), STRIA_ERR_DTYPE);
    CHECK(y == NULL, "result in spite of an error");
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 2, sizes, (const int64_t[]){1, 6}, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_layer_norm_out(x, NULL, NULL, sizes + 1, 1, 1e-5, y, NULL), STRIA_OK);
    if (y) check_norm(x, 1, NULL, NULL, 1e-5, y, "out, column by column");
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_F32, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_layer_norm_out(y, NULL, NULL, sizes + 1, 1, 1e-5, y, NULL), STRIA_OK);
    if (y) check_norm(x, 1, NULL, NULL, 1e-5, y, "in place");
    stria_tensor_release(y), y = NULL;
    CHECK_STATUS(stria_empty(sizes, 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_softmax(meta, 0, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META, "meta");
    CHECK_STATUS(stria_layer_norm(x, meta, NULL, sizes, 2, 0, &z, &err), STRIA_ERR_DEVICE);
    stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(meta), stria_tensor_release(whole);
}

SUITE(test_row)
{
    check_isa("test_row");
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) {
        test_layouts();
        test_lengths();
        test_special();
    }
    test_threads();
    if (check_has_values()) test_out();
    return check_finish("test_row");
}
