/* test_scan.c - cumsum and cumprod against running results in long double and 128-bit integers: every dtype, axis, layout
 * and thread count, lengths around groups and chunks, in place, out=, dtype=, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

typedef stria_status  scan_fn(const stria_tensor *x, int axis, stria_dtype dtype, stria_tensor **out, stria_error *err);
typedef stria_status  scan_out_fn(const stria_tensor *x, int axis, stria_dtype dtype, stria_tensor *out,
                                  stria_error *err);
static scan_fn *const functions[] = {stria_cumsum, stria_cumprod};
static scan_out_fn *const out_functions[] = {stria_cumsum_out, stria_cumprod_out};

/* ---------------------------------------------------------------- the oracle */

/* A running result: floats with a bound of the error that accumulating in f64 may make. */
typedef struct running {
    long double real, bound;
    whole_int   whole;
} running;

static void run_on(running *r, bool product, value v)
{
    const long double x = v.real;
    if (v.is_float) {
        r->bound = product ? fabsl(r->real * x) * 64 * 0x1p-53L + fabsl(x) * r->bound + 0x1p-1074L
                           : r->bound + fabsl(x) * 64 * 0x1p-53L;
        r->real = product ? r->real * x : r->real + x;
    } else {
        /* modulo 2^64, which narrower dtypes agree with */
        r->whole = (whole_int)(uint64_t)(product ? (uint64_t)r->whole * (uint64_t)v.whole
                                                 : (uint64_t)r->whole + (uint64_t)v.whole);
    }
}

static bool matches(const running *r, stria_dtype result, const void *got)
{
    static const long double ulp[] = {
        [STRIA_F16] = 0x1.01p-11L, [STRIA_BF16] = 0x1.01p-8L, [STRIA_F32] = 0x1p-24L, [STRIA_F64] = 0x1p-53L};
    static const long double least[] = {
        [STRIA_F16] = 0x1p-24L, [STRIA_BF16] = 0x1p-133L, [STRIA_F32] = 0x1p-149L, [STRIA_F64] = 0x1p-1074L};
    char expected[16];
    if (!dtype_is_float(result)) {
        value_set(result, value_from_whole(r->whole), expected);
        return value_same(result, got, expected);
    }
    const double reached = value_get(result, got).real;
    value_set(result, value_from_real((double)r->real), expected);
    if (value_same(result, got, expected) || (r->real == 0 && reached == 0)) return true;
    if (isnan(r->real) || isinf(r->real) || isinf(value_get(result, expected).real))
        return isnan(reached) == isnan(r->real);
    return fabsl((long double)reached - r->real) <= r->bound + fabsl(r->real) * ulp[result] + least[result];
}

/* Elements of x are taken as dtype `in`. */
static void check_result(const stria_tensor *x, int axis, bool product, stria_dtype in, const stria_tensor *y,
                         const char *what)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const int64_t    *shape = stria_tensor_get_shape(x);
    const stria_dtype result = stria_tensor_get_dtype(y);
    int64_t           outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0};

    CHECK(stria_tensor_get_ndim(y) == ndim &&
              memcmp(stria_tensor_get_shape(y), shape, sizeof *shape * (size_t)ndim) == 0,
          "%s: wrong shape", what);
    if (stria_tensor_get_numel(x) == 0) return;
    for (int d = 0; d < ndim; d++) outer[d] = d == axis ? 1 : shape[d];
    do {
        running       r = {product, 0, product};
        const int64_t length = ndim ? shape[axis] : 1;
        for (int64_t k = 0; k < length; k++) {
            if (ndim) index[axis] = k;
            run_on(&r, product, value_convert(value_get(stria_tensor_get_dtype(x), tensor_at(x, index)), in));
            char text[48];
            CHECK(matches(&r, result, tensor_at(y, index)), "cum%s %s %s -> %s axis %d at %lld: %s, expected %La",
                  product ? "prod" : "sum", what, stria_dtype_get_name(stria_tensor_get_dtype(x)),
                  stria_dtype_get_name(result), axis, (long long)k,
                  value_print(result, tensor_at(y, index), text, sizeof text),
                  dtype_is_float(result) ? r.real : (long double)r.whole);
        }
        if (ndim) index[axis] = 0;
    } while (index_next(ndim, outer, index));
}

static stria_dtype wide(stria_dtype dtype) { return dtype_is_float(dtype) || dtype == STRIA_U64 ? dtype : STRIA_I64; }

/* ---------------------------------------------------------------- cases */

/* Numbers whose sums and products stay finite; for products near 1 in size. */
static void fill(random_state *random, stria_tensor *x, bool product)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           index[STRIA_MAX_DIMS] = {0};
    if (stria_tensor_get_numel(x) == 0) return;
    do {
        const double u = random_unit(random);
        value_set(dtype,
                  dtype_is_float(dtype) ? value_from_real(product ? (u < 0.5 ? -1 - u / 64 : 1.5 - u) : 3 * u - 1)
                                        : value_from_whole((whole_int)(u * 9) - 4),
                  tensor_at(x, index));
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
}

static void check_all_axes(const stria_tensor *x, bool product, const char *what)
{
    const int         ndim = stria_tensor_get_ndim(x);
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    for (int axis = 0; axis < (ndim ? ndim : 1); axis++) {
        stria_tensor *y = NULL;
        CHECK_STATUS(functions[product](x, ndim && axis % 2 ? axis - ndim : axis, STRIA_DTYPE_NONE, &y, NULL),
                     STRIA_OK);
        if (y) CHECK(stria_tensor_get_dtype(y) == wide(dtype), "dtype of cumsum");
        if (y) check_result(x, axis, product, wide(dtype), y, what);
        stria_tensor_release(y);
    }
}

static void test_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t sizes[4];
    } shapes[] = {{0, {0}},      {1, {1}},        {1, {77}},          {2, {5, 9}},   {2, {70, 33}},
                  {2, {3, 700}}, {3, {3, 4, 19}}, {4, {2, 3, 2, 17}}, {2, {9, 600}}, {3, {2, 0, 3}}};
    random_state random = {21};
    for (int d = STRIA_BOOL; d <= STRIA_F64; d++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            for (int kind = 0; kind <= LAYOUT_EXPANDED; kind++) {
                if (kind == LAYOUT_ROW || kind == LAYOUT_COLUMN || (shapes[s].ndim == 0 && kind)) continue;
                stria_tensor *x =
                    tensor_random(&random, (stria_dtype)d, (layout)kind, shapes[s].ndim, shapes[s].sizes, -9, 9);
                if (!x) continue;
                for (int product = 0; product < 2; product++) {
                    if (!dtype_is_float((stria_dtype)d))
                        check_all_axes(x, product, layout_names[kind]); /* any bits: wraps */
                    fill(&random, x, product);
                    check_all_axes(x, product, layout_names[kind]);
                }
                stria_tensor_release(x);
            }
        }
    }
}

static bool same_bits(const stria_tensor *a, const stria_tensor *b)
{
    return memcmp(stria_tensor_get_const_data(a), stria_tensor_get_const_data(b),
                  (size_t)stria_tensor_get_numel(a) * stria_dtype_get_size(stria_tensor_get_dtype(a))) == 0;
}

/* Lengths around groups, blocks and chunks, with any number of threads, in place. From LONG on there are several chunks. */
#define LONG 11
static void test_long(void)
{
    static const int64_t     lengths[] = {2, 15, 16, 17, 31, 33, 2047, 2048, 2049, 4095, 65535, 65536, 65537, 200003};
    static const stria_dtype dtypes[] = {STRIA_I16, STRIA_I64, STRIA_BF16, STRIA_F32, STRIA_F64};
    static const int         threads[] = {1, 2, 7};
    random_state             random = {22};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (size_t l = check_has_values() ? 0 : LONG; l < sizeof lengths / sizeof *lengths; l++) {
            for (int product = 0; product < (check_has_values() ? 2 : 1); product++) {
                stria_tensor *x = NULL, *first = NULL;
                CHECK_STATUS(stria_tensor_new(dtypes[d], 1, &lengths[l], &x, NULL), STRIA_OK);
                if (!x) continue;
                fill(&random, x, product);
                for (int t = 0; t < 3; t++) {
                    stria_tensor *y = NULL;
                    CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
                    CHECK_STATUS(functions[product](x, 0, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
                    if (t == 0 && y) check_result(x, 0, product, wide(dtypes[d]), y, "long");
                    if (first && y) CHECK(same_bits(first, y), "%d threads change the bits", threads[t]);
                    if (t == 0)
                        first = y;
                    else
                        stria_tensor_release(y);
                }
                if (first && wide(dtypes[d]) == dtypes[d]) {
                    CHECK_STATUS(out_functions[product](x, 0, STRIA_DTYPE_NONE, x, NULL), STRIA_OK);
                    CHECK(same_bits(first, x), "in place gives other bits");
                }
                stria_tensor_release(x), stria_tensor_release(first);
            }
        }
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

static void test_threads(void)
{
    static const int64_t sizes[3][3] = {{300, 40, 17}, {3, 7000, 9}, {70, 5, 600}};
    static const int     threads[] = {1, 2, 7};
    random_state         random = {23};
    for (int s = 0; s < 3; s++) {
        stria_tensor *x =
            tensor_random(&random, STRIA_F32, s % 2 ? LAYOUT_TRANSPOSED : LAYOUT_CONTIGUOUS, 3, sizes[s], -9, 9);
        if (!x) continue;
        fill(&random, x, false);
        for (int axis = 0; axis < 3; axis++) {
            stria_tensor *first = NULL;
            for (int t = 0; t < 3; t++) {
                stria_tensor *y = NULL;
                CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
                CHECK_STATUS(stria_cumsum(x, axis, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
                if (t == 0 && y) check_result(x, axis, false, STRIA_F32, y, "threads");
                if (first && y) CHECK(same_bits(first, y), "%d threads change the bits", threads[t]);
                if (t == 0)
                    first = y;
                else
                    stria_tensor_release(y);
            }
            stria_tensor_release(first);
        }
        stria_tensor_release(x);
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

/* Accumulating in f32 would lose the 1. */
static void test_values(void)
{
    static const int64_t four = 4;
    static const float   values[] = {1e8f, 1, -1e8f, 1}, expected[] = {1e8f, 1e8f, 1, 2};
    stria_tensor        *x = NULL, *y = NULL;
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, &four, values, sizeof values, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum(x, 0, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(y && memcmp(stria_tensor_get_data(y), expected, sizeof expected) == 0, "accumulates in f64");
    stria_tensor_release(x), stria_tensor_release(y);
}

static void test_out(void)
{
    static const int64_t sizes[] = {6, 20}, other[] = {2, 3};
    random_state         random = {24};
    stria_tensor *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, sizes, -9, 9), *y = NULL, *turned = NULL,
                 *z = NULL;
    stria_error err = {0};

    fill(&random, x, false);
    for (int axis = 0; axis < 2; axis++) {
        CHECK_STATUS(stria_tensor_new(STRIA_I16, 2, other, &y, NULL), STRIA_OK); /* resized; x becomes integer first */
        CHECK_STATUS(stria_cumsum_out(x, axis, STRIA_DTYPE_NONE, y, NULL), STRIA_OK);
        check_result(x, axis, false, STRIA_I16, y, "out of i16");
        stria_tensor_release(y);
        CHECK_STATUS(stria_tensor_new_strided(STRIA_F64, 2, sizes, (const int64_t[]){1, 6}, &y, NULL), STRIA_OK);
        CHECK_STATUS(stria_cumsum_out(x, axis, STRIA_F64, y, NULL), STRIA_OK);
        check_result(x, axis, false, STRIA_F64, y, "out of f64, column by column");
        stria_tensor_release(y);
        CHECK_STATUS(stria_cumsum(x, axis, STRIA_U8, &y, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(y) == STRIA_U8, "dtype=");
        stria_tensor_release(y);
    }
    /* out over x in another order: computed apart */
    CHECK_STATUS(stria_flip(x, (const int[]){1}, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum(x, 1, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum_out(x, 1, STRIA_DTYPE_NONE, turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_contiguous(turned, &z, NULL), STRIA_OK);
    CHECK(same_bits(y, z), "out over x, reversed");
    stria_tensor_release(y), stria_tensor_release(z), stria_tensor_release(turned);
    y = NULL;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, other, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum_out(x, 2, STRIA_DTYPE_NONE, y, &err), STRIA_ERR_AXIS);
    CHECK(strcmp(err.op, "cumsum") == 0 && strstr(err.message, "axis 2"), "message: %s", err.message);
    CHECK_STATUS(stria_cumsum_out(x, 1, STRIA_F64, y, &err), STRIA_ERR_DTYPE);
    CHECK(strstr(err.message, "out is f32 but dtype asks for f64"), "message: %s", err.message);
    CHECK(stria_tensor_get_shape(y)[0] == 2, "out changed");
    CHECK_STATUS(stria_cumprod_out(x, 1, STRIA_BOOL, y, &err), STRIA_ERR_DTYPE);
    CHECK_STATUS(stria_cumprod_out(x, 1, (stria_dtype)99, y, &err), STRIA_ERR_DTYPE);
    CHECK_STATUS(stria_cumprod_out(NULL, 1, STRIA_DTYPE_NONE, y, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_cumprod_out(x, 1, STRIA_DTYPE_NONE, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_cumprod(x, 1, STRIA_DTYPE_NONE, NULL, &err), STRIA_ERR_ARGUMENT);
    stria_tensor_release(y), stria_tensor_release(x);
    y = NULL;
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 2, sizes, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumprod(x, 1, STRIA_F32, &y, &err), STRIA_ERR_DTYPE);
    CHECK(y == NULL && strstr(err.message, "dtype is f32"), "message: %s", err.message);
    stria_tensor_release(x);
    CHECK_STATUS(stria_empty(sizes, 2, STRIA_I8, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum(x, 0, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META && stria_tensor_get_dtype(y) == STRIA_I64, "meta");
    stria_tensor_release(x), stria_tensor_release(y);
}

/* The bits depend on the shape alone: whichever axis lies innermost in memory, with steps, gaps and in other dtypes. */
static void check_order(stria_dtype dtype, const int64_t *shape, int axis, bool product)
{
    static const int perms[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    random_state     random = {97};
    stria_tensor    *x = tensor_random(&random, dtype, LAYOUT_CONTIGUOUS, 3, shape, 0, 1), *first = NULL;
    const size_t     nbytes = (size_t)stria_tensor_get_numel(x) * (size_t)stria_dtype_get_size(dtype);

    tensor_fill_random(&random, x, product ? 1 : 0, product ? 0.01 : 3);
    CHECK_STATUS(functions[product](x, axis, STRIA_DTYPE_NONE, &first, NULL), STRIA_OK);
    for (int k = 0; k < 18; k++) {
        int           back[3];
        stria_tensor *turned = NULL, *copy = NULL, *view = NULL, *y = NULL, *packed = NULL, *stepped = NULL;
        const int    *perm = perms[k % 6];
        for (int d = 0; d < 3; d++) back[perm[d]] = d;
        CHECK_STATUS(stria_permute(x, perm, 3, &turned, NULL), STRIA_OK);
        CHECK_STATUS(stria_contiguous(turned, &copy, NULL), STRIA_OK);
        if (k >= 6) { /* gaps, or backwards, along the innermost axis of memory */
            CHECK_STATUS(stria_stack((const stria_tensor *const[]){copy, copy}, 2, 3, &packed, NULL), STRIA_OK);
            CHECK_STATUS(stria_select(packed, 3, k % 2, &stepped, NULL), STRIA_OK);
            stria_tensor_release(copy);
            copy = stepped;
        }
        CHECK_STATUS(stria_permute(copy, back, 3, &view, NULL), STRIA_OK);
        if (k >= 12) {
            stria_tensor *wide = NULL; /* elements that are converted on the way */
            CHECK_STATUS(stria_tensor_copy(view, STRIA_F64, &wide, NULL), STRIA_OK);
            stria_tensor_release(view);
            view = wide;
        }
        CHECK_STATUS(stria_threads_set(1 + k % 3, NULL), STRIA_OK);
        CHECK_STATUS(functions[product](view, axis, k >= 12 ? dtype : STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
        stria_tensor_release(copy);
        CHECK_STATUS(stria_contiguous(y, &copy, NULL), STRIA_OK);
        CHECK(memcmp(stria_tensor_get_const_data(copy), stria_tensor_get_const_data(first), nbytes) == 0,
              "cum%s of %s, [%d,%d,%d], axis %d: memory order %d changes the bits", product ? "prod" : "sum",
              stria_dtype_get_name(dtype), (int)shape[0], (int)shape[1], (int)shape[2], axis, k);
        stria_tensor_release(turned), stria_tensor_release(copy), stria_tensor_release(view), stria_tensor_release(y);
        stria_tensor_release(packed);
    }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    stria_tensor_release(x), stria_tensor_release(first);
}

static void test_order(void)
{
    static const int64_t     shapes[][3] = {{37, 45, 19}, {8, 131, 9}, {70000, 2, 9}, {3, 17, 530}};
    static const stria_dtype floats[] = {STRIA_F32, STRIA_F64};

    for (int s = 0; s < 4; s++)
        for (int axis = 0; axis < (s == 2 ? 1 : 3); axis++)
            for (int k = 0; k < (check_has_values() ? 4 : 1); k++) check_order(floats[k / 2], shapes[s], axis, k % 2);
    check_order(STRIA_F16, shapes[0], 1, false);
    check_order(STRIA_BF16, shapes[1], 1, true);
}

SUITE(test_scan)
{
    check_isa("test_scan");
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) test_layouts();
    test_order();
    test_long();
    test_threads();
    if (check_has_values()) {
        test_values();
        test_out();
    }
    return check_finish("test_scan");
}
