/* test_mask.c - masked_select and masked_fill against nested loops: every dtype and layout of both operands, densities
 * from none to all, lengths around groups, blocks and chunks, threads, out=, refusals, failing allocations. */
#include <stdlib.h>
#include <string.h>

#include "simd/kernels.h"
#include "oom.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

/* ---------------------------------------------------------------- the oracle */

/* The shape of both together. */
static int broadcast(const stria_tensor *x, const stria_tensor *mask, int64_t *shape)
{
    const int x_ndim = stria_tensor_get_ndim(x), mask_ndim = stria_tensor_get_ndim(mask);
    const int ndim = x_ndim > mask_ndim ? x_ndim : mask_ndim;
    for (int d = 0; d < ndim; d++) {
        const int     xd = d - (ndim - x_ndim), md = d - (ndim - mask_ndim);
        const int64_t a = xd < 0 ? 1 : stria_tensor_get_shape(x)[xd], b = md < 0 ? 1 : stria_tensor_get_shape(mask)[md];
        shape[d] = a == 1 ? b : a;
    }
    return ndim;
}

static int64_t product(int ndim, const int64_t *shape)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    return n;
}

static bool is_true(const stria_tensor *mask, int ndim, const int64_t *index)
{
    return *tensor_at_broadcast(mask, ndim, index) != 0;
}

static void check_select(const stria_tensor *x, const stria_tensor *mask, const stria_tensor *y, const char *what)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    const size_t      size = stria_dtype_get_size(dtype);
    int64_t           shape[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0}, n = 0, wrong = 0;
    const int         ndim = broadcast(x, mask, shape);

    CHECK(stria_tensor_get_ndim(y) == 1 && stria_tensor_get_dtype(y) == dtype, "select %s: no %s of 1 dim", what,
          stria_dtype_get_name(dtype));
    const int64_t count = stria_tensor_get_numel(y);
    if (product(ndim, shape) > 0) {
        do {
            if (!is_true(mask, ndim, index)) continue;
            if (n < count && memcmp(tensor_at(y, &n), tensor_at_broadcast(x, ndim, index), size) != 0) wrong++;
            n++;
        } while (index_next(ndim, shape, index));
    }
    CHECK(n == count, "select %s %s: %lld elements, expected %lld", what, stria_dtype_get_name(dtype), (long long)count,
          (long long)n);
    CHECK(wrong == 0, "select %s %s: %lld of %lld elements are wrong", what, stria_dtype_get_name(dtype),
          (long long)wrong, (long long)n);
}

/* before: x as it was. */
static void check_fill(const stria_tensor *before, const stria_tensor *mask, value v, const stria_tensor *y,
                       const char *what)
{
    const stria_dtype dtype = stria_tensor_get_dtype(before);
    const size_t      size = stria_dtype_get_size(dtype);
    char              filler[16];
    int64_t           shape[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0}, wrong = 0;
    const int         ndim = broadcast(before, mask, shape);

    CHECK(stria_tensor_get_ndim(y) == ndim && stria_tensor_get_dtype(y) == dtype &&
              memcmp(stria_tensor_get_shape(y), shape, sizeof *shape * (size_t)ndim) == 0,
          "fill %s: wrong shape or dtype", what);
    if (product(ndim, shape) == 0) return;
    value_set(dtype, v, filler);
    do {
        const char *expected = is_true(mask, ndim, index) ? filler : tensor_at_broadcast(before, ndim, index);
        wrong += memcmp(tensor_at(y, index), expected, size) != 0;
    } while (index_next(ndim, shape, index));
    CHECK(wrong == 0, "fill %s %s: %lld of %lld elements are wrong", what, stria_dtype_get_name(dtype),
          (long long)wrong, (long long)product(ndim, shape));
}

/* ---------------------------------------------------------------- inputs */

/* Truth of a density; any byte but 0 is true. */
static void set_mask(random_state *random, stria_tensor *mask, double density, bool any_byte)
{
    uint8_t *at = stria_tensor_get_data(mask);
    for (int64_t k = 0; k < stria_tensor_get_numel(mask); k++) {
        const uint64_t bits = random_next(random);
        at[k] = random_unit(random) >= density ? 0 : any_byte ? (uint8_t)(bits | 1) << (bits >> 8) % 8 : 1;
        if (density == 1 && at[k] == 0) at[k] = 2;
    }
}

static void set_bits(random_state *random, void *at, size_t nbytes)
{
    for (size_t k = 0; k < nbytes; k++) ((uint8_t *)at)[k] = (uint8_t)random_next(random);
}

static stria_tensor *new_value(stria_dtype dtype, value v)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_tensor_new(dtype, 0, NULL, &y, NULL), STRIA_OK);
    if (y) value_set(dtype, v, stria_tensor_get_data(y));
    return y;
}

static void check_both(const stria_tensor *x, const stria_tensor *mask, const char *what)
{
    const value         v = value_from_whole(dtype_is_float(stria_tensor_get_dtype(x)) ? 3 : 1);
    stria_tensor *const filler = new_value(stria_tensor_get_dtype(x), v);
    stria_tensor       *y = NULL;

    CHECK_STATUS(stria_masked_select(x, mask, &y, NULL), STRIA_OK);
    if (y) check_select(x, mask, y, what);
    stria_tensor_release(y);
    CHECK_STATUS(stria_masked_fill(x, mask, filler, &y, NULL), STRIA_OK);
    if (y) check_fill(x, mask, v, y, what);
    stria_tensor_release(y), stria_tensor_release(filler);
}

/* ---------------------------------------------------------------- cases */

static void test_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t sizes[4];
    } shapes[] = {{0, {0}},        {1, {1}},     {1, {77}},          {2, {5, 9}},    {2, {30, 70}},
                  {3, {3, 4, 19}}, {2, {90, 3}}, {4, {2, 3, 2, 17}}, {3, {2, 0, 3}}, {2, {3, 600}}};
    random_state random = {31};
    for (int d = STRIA_BOOL; d < STRIA_DTYPE_COUNT; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int pair = 0; pair < LAYOUT_COUNT * LAYOUT_COUNT; pair++) {
                const layout of_x = (layout)(pair / LAYOUT_COUNT), of_mask = (layout)(pair % LAYOUT_COUNT);
                if (shapes[s].ndim == 0 && pair) continue;
                char what[64];
                snprintf(what, sizeof what, "%s, mask %s", layout_names[of_x], layout_names[of_mask]);
                stria_tensor *x = tensor_random(&random, (stria_dtype)d, of_x, shapes[s].ndim, shapes[s].sizes, -9, 9);
                stria_tensor *mask = tensor_random(&random, STRIA_BOOL, of_mask, shapes[s].ndim, shapes[s].sizes, 0, 1);
                if (x && mask) check_both(x, mask, what);
                stria_tensor_release(x), stria_tensor_release(mask);
            }
}

static bool same_bits(const stria_tensor *a, const stria_tensor *b)
{
    return stria_tensor_get_numel(a) == stria_tensor_get_numel(b) &&
           memcmp(stria_tensor_get_const_data(a), stria_tensor_get_const_data(b),
                  (size_t)stria_tensor_get_numel(a) * stria_dtype_get_size(stria_tensor_get_dtype(a))) == 0;
}

/* Every number of threads gives the first result, which is right. */
static void check_threads(const stria_tensor *x, const stria_tensor *mask, const char *what)
{
    static const int threads[] = {1, 2, 7};
    const value      v = value_from_whole(1);
    stria_tensor    *first[2] = {NULL}, *y[2] = {NULL}, *filler = new_value(stria_tensor_get_dtype(x), v);

    for (int t = 0; t < 3; t++) {
        CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
        CHECK_STATUS(stria_masked_select(x, mask, &y[0], NULL), STRIA_OK);
        CHECK_STATUS(stria_masked_fill(x, mask, filler, &y[1], NULL), STRIA_OK);
        if (t == 0 && y[0]) check_select(x, mask, y[0], what);
        if (t == 0 && y[1]) check_fill(x, mask, v, y[1], what);
        for (int k = 0; k < 2; k++) {
            if (t > 0 && first[k] && y[k]) CHECK(same_bits(first[k], y[k]), "%d threads change bits", threads[t]);
            if (t == 0)
                first[k] = y[k];
            else
                stria_tensor_release(y[k]);
        }
    }
    stria_tensor_release(first[0]), stria_tensor_release(first[1]), stria_tensor_release(filler);
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
}

static const double densities[] = {0, 0.0001, 0.01, 0.5, 0.99, 1};

/* One element and three bytes into their memory. */
static void test_lengths(void)
{
    static const int64_t     lengths[] = {0,  1,   7,   8,   9,     15,    16,    17,     63,    64,
                                          65, 511, 512, 513, 65535, 65536, 65537, 131073, 200003};
    static const stria_dtype dtypes[] = {STRIA_U8, STRIA_F16, STRIA_F32, STRIA_I64, STRIA_C128};
    random_state             random = {32};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (size_t k = 0; k < sizeof densities / sizeof *densities; k++) {
            const int64_t n = lengths[l];
            stria_tensor *bytes = NULL, *mask = NULL;
            CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 1, SHAPE(n + 3), &bytes, NULL), STRIA_OK);
            set_mask(&random, bytes, densities[k], l % 2);
            CHECK_STATUS(stria_slice(bytes, 0, 3, INT64_MAX, 1, &mask, NULL), STRIA_OK);
            for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
                stria_tensor *memory = NULL, *x = NULL;
                if (n > 1000 && (l + k + d) % 3 != 0) continue; /* each dtype meets a third of the long ones */
                CHECK_STATUS(stria_tensor_new(dtypes[d], 1, SHAPE(n + 1), &memory, NULL), STRIA_OK);
                set_bits(&random, stria_tensor_get_data(memory), (size_t)(n + 1) * stria_dtype_get_size(dtypes[d]));
                CHECK_STATUS(stria_slice(memory, 0, 1, INT64_MAX, 1, &x, NULL), STRIA_OK);
                check_threads(x, mask, "of a length");
                stria_tensor_release(memory), stria_tensor_release(x);
            }
            stria_tensor_release(bytes), stria_tensor_release(mask);
        }
}

/* More than a chunk, in every layout; chunks begin and end within rows. */
static void test_large(void)
{
    static const stria_dtype dtypes[] = {STRIA_BOOL, STRIA_BF16, STRIA_I32, STRIA_C64};
    static const int64_t     sizes[2][3] = {{40, 70, 53}, {500, 130, 3}};
    random_state             random = {33};
    for (int d = 0; d < 4; d++)
        for (int s = 0; s < 2; s++)
            for (int k = (d + s) % 2; k < LAYOUT_COUNT; k += 2) {
                stria_tensor *x = tensor_random(&random, dtypes[d], (layout)k, 3, sizes[s], -9, 9);
                stria_tensor *mask =
                    tensor_random(&random, STRIA_BOOL, (layout)((k * 4 + d) % LAYOUT_COUNT), 3, sizes[s], 0, 1);
                if (x && mask) check_threads(x, mask, layout_names[k]);
                stria_tensor_release(x), stria_tensor_release(mask);
            }
}

/* The loops themselves between unreadable pages: they touch nothing but what they are given. */
static void test_guarded(void)
{
    const stria_kernels *kernels = stria_dispatch_get();
    random_state         random = {34};
    for (int k = 0; k < STRIA_MOVE_SIZES; k++)
        for (int64_t n = 0; n < 150; n++)
            for (int round = 0; round < 8; round++) {
                const size_t  size = (size_t)1 << k;
                const bool    at_end = round % 2;
                const guarded src = guarded_new((size_t)n * size, at_end), mask = guarded_new((size_t)n, at_end);
                int64_t       wanted = 0, got = 0, wrong = 0;
                set_bits(&random, src.data, (size_t)n * size);
                for (int64_t i = 0; i < n; i++) {
                    mask.data[i] = (char)(random_unit(&random) < densities[2 + round / 2] ? 1 + i % 255 : 0);
                    wanted += mask.data[i] != 0;
                }
                const guarded dst = guarded_new((size_t)wanted * size, at_end);
                CHECK(kernels->count_true((uint8_t *)mask.data, n) == wanted, "count_true of %lld", (long long)n);
                CHECK(kernels->compress[k](dst.data, src.data, (uint8_t *)mask.data, n, wanted) == wanted,
                      "compress of %lld elements of %zu bytes", (long long)n, size);
                for (int64_t i = 0; i < n; i++)
                    if (mask.data[i])
                        wrong += memcmp(dst.data + (size_t)got++ * size, src.data + (size_t)i * size, size) != 0;
                CHECK(wrong == 0, "compress: %lld elements of %zu bytes are wrong", (long long)wrong, size);
                guarded_release(src), guarded_release(mask), guarded_release(dst);
            }
}

/* Values of every dtype, as tensors and as numbers, cast to x or are refused. */
static void test_values(int ndim)
{
    static const stria_scalar scalars[] = {{.kind = STRIA_SCALAR_BOOL, .i = 1},
                                           {.kind = STRIA_SCALAR_INT, .i = 1},
                                           {.kind = STRIA_SCALAR_FLOAT, .re = 1},
                                           {.kind = STRIA_SCALAR_COMPLEX, .re = 1}};
    random_state              random = {35};
    stria_error               err = {0};
    for (int d = STRIA_BOOL; d < STRIA_DTYPE_COUNT; d++) {
        stria_tensor *x = tensor_random(&random, (stria_dtype)d, ndim ? LAYOUT_TRANSPOSED : LAYOUT_CONTIGUOUS, ndim,
                                        SHAPE(6, 7), -9, 9);
        stria_tensor *mask = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 2, SHAPE(6, 7), 0, 1);
        for (int k = 0; k < STRIA_DTYPE_COUNT + 4; k++) {
            const value   one = value_from_whole(1);
            stria_tensor *v = NULL, *y = NULL;
            if (k < STRIA_DTYPE_COUNT)
                v = new_value((stria_dtype)k, one);
            else
                CHECK_STATUS(stria_tensor_new_scalar(scalars[k - STRIA_DTYPE_COUNT], &v, NULL), STRIA_OK);
            const bool is_one = d == STRIA_BOOL && k == STRIA_DTYPE_COUNT + 1; /* the number 1 is true */
            const bool fits = oracle_castable(stria_tensor_get_dtype(v), (stria_dtype)d) || is_one;
            CHECK_STATUS(stria_masked_fill(x, mask, v, &y, &err), fits ? STRIA_OK : STRIA_ERR_DTYPE);
            if (y) check_fill(x, mask, one, y, "values");
            if (!fits)
                CHECK(strcmp(err.argument, "value") == 0 && strstr(err.message, "does not cast to an x of"),
                      "message: %s", err.message);
            stria_tensor_release(v), stria_tensor_release(y);
        }
        stria_tensor_release(x), stria_tensor_release(mask);
    }
}

/* A new result of masked_fill has the memory order of x. */
static void test_order(void)
{
    random_state  random = {36};
    stria_tensor *x = tensor_random(&random, STRIA_F32, LAYOUT_TRANSPOSED, 2, SHAPE(6, 7), -9, 9), *y = NULL;
    stria_tensor *mask = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 2, SHAPE(6, 7), 0, 1);
    stria_tensor *v = new_value(STRIA_F32, value_from_whole(1));
    CHECK_STATUS(stria_masked_fill(x, mask, v, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_strides(y)[0] == 1 && stria_tensor_get_strides(y)[1] == 6, "memory order of x");
    stria_tensor_release(y), stria_tensor_release(mask);
    stria_tensor *part = NULL;
    CHECK_STATUS(stria_slice(x, 0, 0, 4, 1, &part, NULL), STRIA_OK); /* with gaps */
    mask = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 2, SHAPE(4, 7), 0, 1);
    CHECK_STATUS(stria_masked_fill(part, mask, v, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_strides(y)[0] == 1 && stria_tensor_get_strides(y)[1] == 4, "the same without gaps");
    stria_tensor_release(x), stria_tensor_release(mask), stria_tensor_release(v), stria_tensor_release(y);
    stria_tensor_release(part);
}

static stria_tensor *contiguous_copy(const stria_tensor *x)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_tensor_copy(x, stria_tensor_get_dtype(x), &y, NULL), STRIA_OK);
    return y;
}

static void test_select_out(void)
{
    random_state  random = {37};
    stria_tensor *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, SHAPE(50), -9, 9);
    stria_tensor *mask = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 1, SHAPE(50), 0, 1);
    stria_tensor *expected = NULL, *out = NULL, *view = NULL, *widened = NULL, *kept = contiguous_copy(x);
    stria_error   err = {0};

    CHECK_STATUS(stria_masked_select(x, mask, &expected, NULL), STRIA_OK);
    const int64_t n = stria_tensor_get_numel(expected);
    CHECK(n > 4 && n < 46, "%lld of 50", (long long)n);
    for (int64_t wrong = 0; wrong < 2; wrong++) { /* of the right size, or resized */
        CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, SHAPE(n + wrong), &out, NULL), STRIA_OK);
        CHECK_STATUS(stria_masked_select_out(x, mask, out, NULL), STRIA_OK);
        check_select(x, mask, out, "out");
        stria_tensor_release(out);
    }
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, SHAPE(2 * n), &out, NULL), STRIA_OK); /* every second, backwards */
    CHECK_STATUS(stria_slice(out, 0, INT64_MIN, INT64_MIN, -2, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_select_out(x, mask, view, NULL), STRIA_OK);
    check_select(x, mask, view, "out, backwards");
    stria_tensor_release(out), stria_tensor_release(view);

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, SHAPE(n), &out, NULL), STRIA_OK); /* of another dtype */
    CHECK_STATUS(stria_masked_select_out(x, mask, out, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(expected, STRIA_F64, &widened, NULL), STRIA_OK);
    CHECK(same_bits(out, widened), "out of f64");
    stria_tensor_release(out), stria_tensor_release(widened);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 1, SHAPE(n), &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_select_out(x, mask, out, &err), STRIA_ERR_DTYPE);
    CHECK(strcmp(err.argument, "out") == 0, "argument: %s", err.argument);
    stria_tensor_release(out);

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, SHAPE(1), &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(out, SHAPE(n), 1, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_select_out(x, mask, view, NULL), STRIA_ERR_OVERLAP);
    stria_tensor_release(out), stria_tensor_release(view);

    CHECK_STATUS(stria_slice(x, 0, 1, n + 1, 1, &view, NULL), STRIA_OK); /* within x */
    CHECK_STATUS(stria_masked_select_out(x, mask, view, NULL), STRIA_OK);
    check_select(kept, mask, view, "out within x");
    stria_tensor_release(view);
    CHECK_STATUS(stria_tensor_set(x, kept, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_select_out(x, mask, x, NULL), STRIA_OK);
    check_select(kept, mask, x, "out is x");

    stria_tensor *truth = contiguous_copy(mask);
    CHECK_STATUS(stria_masked_select_out(truth, truth, truth, NULL), STRIA_OK);
    check_select(mask, mask, truth, "x, mask and out are one");
    stria_tensor_release(truth);
    stria_tensor_release(x), stria_tensor_release(mask), stria_tensor_release(expected), stria_tensor_release(kept);
}

static void test_fill_out(stria_dtype dtype)
{
    random_state  random = {38};
    const value   v = value_from_whole(1);
    stria_tensor *x = tensor_random(&random, dtype, LAYOUT_CONTIGUOUS, 2, SHAPE(6, 20), -9, 9), *out = NULL;
    stria_tensor *mask = tensor_random(&random, STRIA_BOOL, LAYOUT_TRANSPOSED, 2, SHAPE(6, 20), 0, 1);
    stria_tensor *kept = contiguous_copy(x), *filler = new_value(dtype, v), *view = NULL, *narrow = NULL;

    CHECK_STATUS(stria_tensor_new_strided(dtype, 2, SHAPE(6, 20), SHAPE(1, 6), &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_fill_out(x, mask, filler, out, NULL), STRIA_OK);
    check_fill(x, mask, v, out, "out, column by column");
    stria_tensor_release(out);
    CHECK_STATUS(stria_tensor_new(dtype, 1, SHAPE(2), &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_fill_out(x, mask, filler, out, NULL), STRIA_OK);
    check_fill(x, mask, v, out, "out, resized");
    stria_tensor_release(out);
    CHECK_STATUS(stria_flip(x, (const int[]){1}, 1, &view, NULL), STRIA_OK); /* over x in another order */
    CHECK_STATUS(stria_masked_fill_out(x, mask, filler, view, NULL), STRIA_OK);
    check_fill(kept, mask, v, view, "out over x, reversed");
    stria_tensor_release(view);

    CHECK_STATUS(stria_tensor_set(x, kept, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_fill_out(x, mask, filler, x, NULL), STRIA_OK);
    check_fill(kept, mask, v, x, "in place");
    CHECK_STATUS(stria_tensor_set(x, kept, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(mask, 0, 2, &narrow, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_fill_out(x, narrow, filler, x, NULL), STRIA_OK);
    check_fill(kept, narrow, v, x, "in place, the mask broadcasts");
    stria_tensor_release(narrow);

    CHECK_STATUS(stria_tensor_set(x, kept, NULL), STRIA_OK); /* value is an element of x */
    CHECK_STATUS(stria_select(x, 0, 1, &narrow, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(narrow, 0, 4, &view, NULL), STRIA_OK);
    const value element = value_get(dtype, stria_tensor_get_data(view));
    CHECK_STATUS(stria_masked_fill_out(x, mask, view, x, NULL), STRIA_OK);
    check_fill(kept, mask, element, x, "in place, with an element of x");
    stria_tensor_release(narrow), stria_tensor_release(view);

    stria_tensor *truth = contiguous_copy(mask); /* x and out are the mask */
    stria_tensor *off = new_value(STRIA_BOOL, value_from_whole(0));
    CHECK_STATUS(stria_masked_fill_out(truth, truth, off, truth, NULL), STRIA_OK);
    check_fill(mask, mask, value_from_whole(0), truth, "x, mask and out are one");
    stria_tensor_release(truth), stria_tensor_release(off);
    stria_tensor_release(x), stria_tensor_release(mask), stria_tensor_release(kept), stria_tensor_release(filler);
}

static void test_meta(void)
{
    stria_tensor *x = NULL, *mask = NULL, *here = NULL, *y = NULL, *v = new_value(STRIA_F32, value_from_whole(1));
    stria_error   err = {0};

    CHECK_STATUS(stria_empty(SHAPE(3, 1), 2, STRIA_F32, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(SHAPE(4), 1, STRIA_BOOL, STRIA_META, &mask, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 1, SHAPE(4), &here, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_fill(x, mask, v, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META && stria_tensor_get_numel(y) == 12 &&
              stria_tensor_get_dtype(y) == STRIA_F32,
          "fill on meta");
    stria_tensor_release(y);
    CHECK_STATUS(stria_masked_select(x, mask, &y, &err), STRIA_ERR_DEVICE);
    CHECK(y == NULL && strcmp(err.argument, "x") == 0 && strcmp(err.expected, "cpu") == 0 &&
              strcmp(err.got, "meta") == 0 && strstr(err.message, "the shape of the result depends on"),
          "message: %s", err.message);
    CHECK_STATUS(stria_masked_select(v, mask, &y, &err), STRIA_ERR_DEVICE);
    CHECK(strcmp(err.argument, "mask") == 0, "argument: %s", err.argument);
    CHECK_STATUS(stria_masked_fill(x, here, v, &y, &err), STRIA_ERR_DEVICE);
    CHECK_STATUS(stria_masked_fill(v, mask, v, &y, &err), STRIA_ERR_DEVICE);
    stria_tensor_release(x);
    CHECK_STATUS(stria_empty(NULL, 0, STRIA_F32, STRIA_META, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_fill(v, here, x, &y, &err), STRIA_ERR_DEVICE);
    CHECK(y == NULL && strcmp(err.argument, "value") == 0, "message: %s", err.message);
    stria_tensor_release(x), stria_tensor_release(mask), stria_tensor_release(here), stria_tensor_release(v);
}

static void test_errors(void)
{
    random_state  random = {39};
    stria_tensor *x = tensor_random(&random, STRIA_I16, LAYOUT_CONTIGUOUS, 2, SHAPE(6, 1), -9, 9), *y = NULL;
    stria_tensor *mask = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 2, SHAPE(6, 7), 0, 1);
    stria_tensor *wrong = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 1, SHAPE(5), 0, 1);
    stria_tensor *v = new_value(STRIA_I16, value_from_whole(1)), *bytes = NULL;
    stria_error   err = {0};

    CHECK_STATUS(stria_tensor_copy(mask, STRIA_U8, &bytes, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_select(NULL, mask, &y, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_masked_select(x, NULL, &y, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_masked_select(x, mask, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_masked_select_out(x, mask, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_masked_fill(x, mask, NULL, &y, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.op, "masked_fill") == 0 && strcmp(err.argument, "value") == 0, "message: %s", err.message);
    CHECK_STATUS(stria_masked_fill(x, mask, v, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_masked_fill_out(x, mask, v, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_masked_select(x, bytes, &y, &err), STRIA_ERR_DTYPE);
    CHECK(strcmp(err.op, "masked_select") == 0 && strcmp(err.argument, "mask") == 0 &&
              strcmp(err.expected, "bool") == 0 && strcmp(err.got, "u8") == 0,
          "message: %s", err.message);
    CHECK_STATUS(stria_masked_select(mask, wrong, &y, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.argument, "mask") == 0 && strstr(err.message, "[6,7] and [5]"), "message: %s", err.message);
    CHECK_STATUS(stria_masked_fill(mask, wrong, v, &y, &err), STRIA_ERR_SHAPE);
    CHECK_STATUS(stria_masked_fill(x, mask, x, &y, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.argument, "value") == 0 && strcmp(err.got, "[6,1]") == 0, "message: %s", err.message);
    CHECK_STATUS(stria_masked_fill_out(x, mask, v, x, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.expected, "[6,1]") == 0 && strcmp(err.got, "[6,7]") == 0 && strstr(err.message, "in-place"),
          "message: %s", err.message);
    stria_tensor *two = NULL;
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, 2, 0, 0}, &two, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_fill(mask, mask, two, &y, &err), STRIA_ERR_DTYPE);
    CHECK(strcmp(err.argument, "value") == 0 && strstr(err.message, "does not cast to an x of bool"), "message: %s",
          err.message);
    stria_tensor_release(two);
    CHECK(y == NULL && stria_tensor_get_numel(x) == 6, "nothing is made or changed");
    stria_tensor_release(x), stria_tensor_release(mask), stria_tensor_release(wrong), stria_tensor_release(v);
    stria_tensor_release(bytes);
}

/* ---------------------------------------------------------------- failing allocations */

static stria_tensor *floats, *turned, *halves, *wide, *truth, *number;

static stria_status select_new(stria_tensor **out, stria_error *err)
{
    return stria_masked_select(turned, truth, out, err);
}
static stria_status select_wide(stria_tensor **out, stria_error *err)
{
    return stria_masked_select(wide, truth, out, err);
}
static stria_status select_target(stria_tensor **out, stria_error *err)
{
    (void)out;
    return stria_masked_select_out(floats, truth, target, err);
}
static stria_status fill_floats(stria_tensor **out, stria_error *err)
{
    return stria_masked_fill(turned, truth, number, out, err);
}
static stria_status fill_halves(stria_tensor **out, stria_error *err)
{
    return stria_masked_fill(halves, truth, number, out, err);
}
static stria_status fill_target(stria_tensor **out, stria_error *err)
{
    (void)out;
    return stria_masked_fill_out(floats, truth, number, target, err);
}

static void test_memory(void)
{
    random_state random = {40};
    floats = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, SHAPE(300, 40), -9, 9);
    turned = tensor_random(&random, STRIA_F32, LAYOUT_TRANSPOSED, 2, SHAPE(300, 40), -9, 9);
    halves = tensor_random(&random, STRIA_F16, LAYOUT_CONTIGUOUS, 2, SHAPE(300, 40), -9, 9);
    wide = tensor_random(&random, STRIA_C128, LAYOUT_CONTIGUOUS, 7, SHAPE(2, 1, 2, 1, 2, 1, 40), -9, 9);
    truth = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 2, SHAPE(300, 40), 0, 1);
    number = new_value(STRIA_F32, value_from_whole(1));
    oom_check_path("masked_select", select_new);
    oom_check_path("masked_select of many dims", select_wide);
    oom_check_path("masked_select out", select_target);
    oom_check_path("masked_fill", fill_floats);
    oom_check_path("masked_fill of halves", fill_halves);
    oom_check_path("masked_fill out", fill_target);
    stria_tensor_release(floats), stria_tensor_release(turned), stria_tensor_release(halves);
    stria_tensor_release(wide), stria_tensor_release(truth), stria_tensor_release(number);
}

SUITE(test_mask)
{
    check_isa("test_mask");
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    if (check_has_values()) test_layouts();
    test_lengths();
    test_large();
    if (check_has_values()) {
        test_guarded();
        test_values(2);
        test_values(0);
        test_order();
        test_select_out();
        test_fill_out(STRIA_F32);
        test_fill_out(STRIA_BF16);
        test_fill_out(STRIA_C64);
        test_fill_out(STRIA_C128);
        test_meta();
        test_errors();
    }
    test_memory();
    return check_finish("test_mask");
}
