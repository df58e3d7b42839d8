/* test_join.c - cat and pad, element by element against where each comes from: dtypes, axes, layouts, empty tensors, out=, refusals. */
#include <string.h>

#include "oracle.h"
#include "refused.h"

enum { CONSTANT, REFLECT, REPLICATE, CIRCULAR, MODES };
static const char *const modes[MODES] = {"constant", "reflect", "replicate", "circular"};

static const stria_scalar zero = {.kind = STRIA_SCALAR_INT};

/* ---------------------------------------------------------------- cat */

/* Element `index` of the result, converted to its dtype. */
static void check_joined(const stria_tensor *const *parts, int n, int axis, const stria_tensor *y, const char *what)
{
    const stria_dtype dtype = stria_tensor_get_dtype(y);
    const int         ndim = stria_tensor_get_ndim(y);
    int64_t           index[STRIA_MAX_DIMS] = {0}, source[STRIA_MAX_DIMS], total = 0;
    char              expected[16], text[48];

    for (int k = 0; k < n; k++) total += stria_tensor_get_shape(parts[k])[axis];
    CHECK(stria_tensor_get_shape(y)[axis] == total, "%s: size %lld", what, (long long)stria_tensor_get_shape(y)[axis]);
    if (stria_tensor_get_numel(y) == 0 || stria_tensor_get_shape(y)[axis] != total) return;
    do {
        int k = 0;
        memcpy(source, index, sizeof source);
        while (source[axis] >= stria_tensor_get_shape(parts[k])[axis])
            source[axis] -= stria_tensor_get_shape(parts[k++])[axis];
        const stria_dtype from = stria_tensor_get_dtype(parts[k]);
        value_set(dtype, value_get(from, tensor_at(parts[k], source)), expected);
        if (from == dtype) memcpy(expected, tensor_at(parts[k], source), stria_dtype_get_size(dtype));
        CHECK(value_same(dtype, expected, tensor_at(y, index)), "%s: %s of part %d is %s", what,
              stria_dtype_get_name(from), k, value_print(dtype, tensor_at(y, index), text, sizeof text));
    } while (index_next(ndim, stria_tensor_get_shape(y), index));
}

/* Three tensors of sizes 4, 0 and 7 along the axis, in three layouts, of all pairs of dtypes. */
static void test_cat(void)
{
    static const int64_t lengths[] = {4, 0, 7};
    static const layout  kinds[] = {LAYOUT_TRANSPOSED, LAYOUT_CONTIGUOUS, LAYOUT_FLIPPED, LAYOUT_STEPPED};
    random_state         random = {41};

    for (int a = STRIA_BOOL; a <= STRIA_C128; a++)
        for (int b = STRIA_BOOL; b <= STRIA_C128; b++)
            for (int axis = 0; axis < 3; axis++) {
                stria_tensor *parts[3] = {NULL}, *y = NULL;
                for (int k = 0; k < 3; k++) {
                    int64_t shape[] = {3, 2, 5};
                    shape[axis] = lengths[k];
                    parts[k] = tensor_random(&random, (stria_dtype)(k == 2 ? b : a), kinds[(k + a + axis) % 4], 3,
                                             shape, -9, 9);
                }
                if (!parts[0] || !parts[1] || !parts[2]) continue;
                const stria_tensor *const list[] = {parts[0], parts[1], parts[2]};
                CHECK_STATUS(stria_cat(list, 3, axis == 2 ? -1 : axis, &y, NULL), STRIA_OK);
                if (y) CHECK(stria_tensor_get_dtype(y) == oracle_promote((stria_dtype)a, (stria_dtype)b), "dtype");
                if (y) check_joined(list, 3, axis, y, "cat");
                stria_tensor_release(y);
                for (int k = 0; k < 3; k++) stria_tensor_release(parts[k]);
            }
}

/* Blocks of 1 .. 48 bytes in many rows, and of a few large ones, of tensors that lie as the result and of one that does not; on
 * several threads. */
static void test_cat_blocks(void)
{
    static const int64_t widths[] = {1, 2, 3, 4, 5, 12};
    random_state         random = {44};
    const int            before = stria_threads_get();

    CHECK_STATUS(stria_threads_set(3, NULL), STRIA_OK);
    for (int dtype = STRIA_BOOL; dtype <= STRIA_C128; dtype++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int64_t rows = 15; rows < 6000 && (dtype + w) % 3 == 0; rows *= 19) {
                const int64_t a[] = {rows, widths[w]}, b[] = {rows, 3}, c[] = {rows, 70};
                stria_tensor *parts[3], *y = NULL;
                parts[0] = tensor_random(&random, (stria_dtype)dtype, LAYOUT_CONTIGUOUS, 2, a, -9, 9);
                parts[1] = tensor_random(&random, (stria_dtype)dtype, w % 2 ? LAYOUT_CONTIGUOUS : LAYOUT_TRANSPOSED, 2,
                                         b, -9, 9);
                parts[2] = tensor_random(&random, (stria_dtype)dtype, LAYOUT_CONTIGUOUS, 2, c, -9, 9);
                const stria_tensor *const list[] = {parts[0], parts[1], parts[2]};
                const int                 n = w % 3 == 2 ? 3 : 2;
                CHECK_STATUS(stria_cat(list, n, 1, &y, NULL), STRIA_OK);
                if (y) check_joined(list, n, 1, y, "cat of blocks");
                stria_tensor_release(y);
                for (int k = 0; k < 3; k++) stria_tensor_release(parts[k]);
            }
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
}

/* So many small blocks that one row of the result is longer than the band that is written at a time. */
static void test_cat_long_rows(void)
{
    enum { PARTS = 400 };
    const stria_tensor *list[PARTS];
    stria_tensor       *x, *y = NULL;
    random_state        random = {45};

    x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, (const int64_t[]){20, 15}, -9, 9);
    if (x == NULL) return;
    for (int k = 0; k < PARTS; k++) list[k] = x;
    CHECK_STATUS(stria_cat(list, PARTS, 1, &y, NULL), STRIA_OK);
    if (y) check_joined(list, PARTS, 1, y, "cat of many blocks");
    stria_tensor_release(y);
    stria_tensor_release(x);
}

/* Parts of larger tensors, whose blocks lie a step apart: one step along two outer dims, none (expanded), a negative one, and two dims
 * that have no step in common. */
static void test_cat_steps(void)
{
    static const int64_t whole[] = {4, 5, 70};
    random_state         random = {45};

    for (int dtype = STRIA_U8; dtype <= STRIA_F64; dtype += 3)
        for (int axis = 0; axis < 3; axis++)
            for (int64_t begin = 0; begin < 3; begin++) {
                stria_tensor *x = tensor_random(&random, (stria_dtype)dtype, LAYOUT_CONTIGUOUS, 3, whole, -9, 9);
                stria_tensor *part[4] = {NULL}, *y = NULL;
                const int64_t last = whole[axis];
                CHECK_STATUS(stria_slice(x, axis, begin, begin + 1, 1, &part[0], NULL), STRIA_OK);
                CHECK_STATUS(stria_slice(x, axis, begin, last - 1, 1, &part[1], NULL), STRIA_OK);
                CHECK_STATUS(stria_flip(part[1], (const int[]){(axis + 1) % 3}, 1, &part[2], NULL), STRIA_OK);
                CHECK_STATUS(stria_expand(part[0], whole, 3, &part[3], NULL), STRIA_OK);
                const stria_tensor *const list[] = {part[1], part[0], part[3], part[2]};
                for (int join = 0; join < 3; join++) {
                    const int n = join == axis ? 4 : 1;
                    CHECK_STATUS(stria_cat(list, n, join, &y, NULL), STRIA_OK);
                    if (y) check_joined(list, n, join, y, "cat of parts");
                    stria_tensor_release(y);
                }
                for (int k = 0; k < 4; k++) stria_tensor_release(part[k]);
                stria_tensor_release(x);
            }
}

static void test_cat_out(void)
{
    static const int64_t sizes[] = {2, 3}, both[] = {4, 3}, turned[] = {1, 4}, none[] = {0, 3};
    random_state         random = {42};
    stria_tensor *x = tensor_random(&random, STRIA_I32, LAYOUT_CONTIGUOUS, 2, sizes, -9, 9), *y = NULL, *upper = NULL,
                 *kept = NULL, *empty = NULL;

    const stria_tensor *const twice[] = {x, x};
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F64, 2, both, turned, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_cat_out(twice, 2, 0, y, NULL), STRIA_OK);
    check_joined(twice, 2, 0, y, "out of f64, column by column");
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 2, sizes, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_cat_out(twice, 2, 1, y, NULL), STRIA_OK);
    check_joined(twice, 2, 1, y, "out of another shape");
    /* out over an input: rows of y, exchanged */
    CHECK_STATUS(stria_slice(y, 0, 1, 2, 1, &upper, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(y, 0, 0, 1, 1, &kept, NULL), STRIA_OK);
    stria_tensor *copies[2] = {NULL};
    CHECK_STATUS(stria_tensor_copy(upper, STRIA_I32, &copies[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(kept, STRIA_I32, &copies[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_cat_out((const stria_tensor *const[]){upper, kept}, 2, 0, y, NULL), STRIA_OK);
    check_joined((const stria_tensor *const[]){copies[0], copies[1]}, 2, 0, y, "out over the inputs");
    stria_tensor_release(copies[0]), stria_tensor_release(copies[1]);
    stria_tensor_release(upper), stria_tensor_release(kept), stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, none, &empty, NULL), STRIA_OK);
    CHECK_STATUS(stria_cat((const stria_tensor *const[]){empty, empty}, 2, 0, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_numel(y) == 0 && stria_tensor_get_shape(y)[1] == 3, "cat of empty tensors");
    stria_tensor_release(y), stria_tensor_release(empty), stria_tensor_release(x);
}

static void test_cat_refusals(void)
{
    static const int64_t sizes[] = {2, 3}, longer[] = {2, 4}, half[] = {INT64_MAX / 2 + 1};
    stria_tensor        *x = NULL, *other = NULL, *single = NULL, *meta = NULL, *large = NULL, *y = NULL, *one = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, sizes, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, longer, &other, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &single, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_U8, 1, (const int64_t[]){1}, &one, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(sizes, 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(one, half, 1, &large, NULL), STRIA_OK);
#define CAT(...)                                          \
    stria_cat((const stria_tensor *const[]){__VA_ARGS__}, \
              (int)(sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)), 0, &y, &err)
    REFUSED(stria_cat(NULL, 0, 0, &y, &err), STRIA_ERR_ARGUMENT, "cat", "tensors", "tensors is empty");
    REFUSED(stria_cat(NULL, 2, 0, &y, &err), STRIA_ERR_ARGUMENT, "cat", "tensors", "no list of tensors");
    REFUSED(CAT(x, NULL), STRIA_ERR_ARGUMENT, "cat", "tensors[1]", "tensors[1] is NULL");
    REFUSED(CAT(x, x, other), STRIA_ERR_SHAPE, "cat", "tensors[2]", "tensors[2] has shape [2,4]");
    REFUSED(CAT(x, large), STRIA_ERR_SHAPE, "cat", "tensors[1]", "which differs from [2,3]");
    REFUSED(CAT(single, single), STRIA_ERR_SHAPE, "cat", "tensors[0]", "has no dims");
    REFUSED(CAT(x, meta), STRIA_ERR_DEVICE, "cat", "tensors[1]", "tensors[1] is on meta");
    REFUSED(CAT(large, large), STRIA_ERR_OVERFLOW, "cat", "tensors[1]", "too long");
    REFUSED(stria_cat((const stria_tensor *const[]){x}, 1, 2, &y, &err), STRIA_ERR_AXIS, "cat", "dim", "axis 2");
    REFUSED(stria_cat((const stria_tensor *const[]){x}, 1, 0, NULL, &err), STRIA_ERR_ARGUMENT, "cat", "y", "y is NULL");
    REFUSED(stria_cat_out((const stria_tensor *const[]){x}, 1, 0, one, &err), STRIA_ERR_DTYPE, "cat", "out",
            "out of u8");
    CHECK(y == NULL, "the output of a refused call");
    CHECK_STATUS(stria_cat((const stria_tensor *const[]){meta, meta}, 2, 1, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META && stria_tensor_get_shape(y)[1] == 6, "meta");
    stria_tensor_release(y), stria_tensor_release(x), stria_tensor_release(other), stria_tensor_release(single);
    stria_tensor_release(meta), stria_tensor_release(large), stria_tensor_release(one);
}

/* ---------------------------------------------------------------- pad */

/* Where element i of the padded axis comes from; -1: the value. */
static int64_t find_source(int mode, int64_t i, int64_t size)
{
    if (mode == CONSTANT) return i < 0 || i >= size ? -1 : i;
    if (mode == CIRCULAR) return (i % size + size) % size;
    while (i < 0 || i >= size) {
        if (mode == REPLICATE) return i < 0 ? 0 : size - 1;
        i = i < 0 ? -i : 2 * (size - 1) - i;
    }
    return i;
}

static void check_padded(const stria_tensor *x, const int64_t *pad, int n, int mode, int fill, const stria_tensor *y)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    const int         ndim = stria_tensor_get_ndim(x);
    int64_t           index[STRIA_MAX_DIMS] = {0}, source[STRIA_MAX_DIMS] = {0};
    char              expected[16], text[48];

    for (int d = 0; d < ndim; d++) {
        const int     pair = 2 * (ndim - 1 - d);
        const int64_t added = pair < n ? pad[pair] + pad[pair + 1] : 0;
        CHECK(stria_tensor_get_shape(y)[d] == stria_tensor_get_shape(x)[d] + added, "size %d", d);
    }
    CHECK(stria_tensor_get_dtype(y) == dtype, "dtype of pad");
    if (stria_tensor_get_numel(y) == 0) return;
    do {
        bool is_filled = false;
        for (int d = 0; d < ndim; d++) {
            const int pair = 2 * (ndim - 1 - d);
            source[d] = find_source(mode, index[d] - (pair < n ? pad[pair] : 0), stria_tensor_get_shape(x)[d]);
            is_filled |= source[d] < 0;
        }
        value_set(dtype,
                  dtype_is_float(dtype) || dtype_is_complex(dtype) ? value_from_real(fill) : value_from_whole(fill),
                  expected);
        if (!is_filled) memcpy(expected, tensor_at(x, source), stria_dtype_get_size(dtype));
        CHECK(memcmp(expected, tensor_at(y, index), stria_dtype_get_size(dtype)) == 0, "%s of %s: %s", modes[mode],
              stria_dtype_get_name(dtype), value_print(dtype, tensor_at(y, index), text, sizeof text));
    } while (index_next(ndim, stria_tensor_get_shape(y), index));
}

static void test_pad(void)
{
    static const struct {
        int     n;
        int64_t pad[6];
    } pads[] = {{0, {0}},
                {2, {2, 1}},
                {2, {0, 3}},
                {4, {1, 0, 2, 2}},
                {6, {1, 2, 0, 0, 1, 1}},
                {6, {-1, 3, 2, -2, -1, 0}},
                {2, {-4, 0}},
                {2, {-1, -2}},
                {4, {3, -4, 0, 1}}};
    static const int64_t sizes[] = {2, 3, 5};
    static const layout  kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_EXPANDED};
    random_state         random = {43};

    for (int d = STRIA_BOOL; d <= STRIA_C128; d++)
        for (int kind = 0; kind < 4; kind++)
            for (size_t p = 0; p < sizeof pads / sizeof *pads; p++)
                for (int mode = 0; mode < MODES; mode++) {
                    const int     fill = mode == CONSTANT && p % 2;
                    stria_tensor *y = NULL, *x = tensor_random(&random, (stria_dtype)d, kinds[kind], 3, sizes, -9, 9);
                    if (!x) continue;
                    CHECK_STATUS(stria_pad(x, pads[p].pad, pads[p].n, modes[mode],
                                           (stria_scalar){.kind = STRIA_SCALAR_INT, .i = fill}, &y, NULL),
                                 STRIA_OK);
                    if (y) check_padded(x, pads[p].pad, pads[p].n, mode, fill, y);
                    stria_tensor_release(x), stria_tensor_release(y);
                }
}

/* Many rows, over threads; a result into a tensor with columns first; no dims; no elements. */
static void test_pad_forms(void)
{
    static const int64_t sizes[] = {700, 90}, padded[] = {702, 95}, turned[] = {1, 702}, none[] = {0, 3};
    static const int64_t pad[] = {2, 3, 1, 1}, less[] = {1, 2, 1, 1};
    random_state         random = {44};
    stria_tensor        *x = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, sizes, -9, 9);

    for (int t = 1; t < 4; t += 2)
        for (int mode = 0; mode < MODES; mode++) {
            stria_tensor *y = NULL;
            CHECK_STATUS(stria_threads_set(t, NULL), STRIA_OK);
            CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 2, padded, turned, &y, NULL), STRIA_OK);
            CHECK_STATUS(stria_pad_out(x, pad, 4, modes[mode], zero, y, NULL), STRIA_OK);
            check_padded(x, pad, 4, mode, 0, y);
            stria_tensor_release(y);
        }
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    stria_tensor *single = tensor_random(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 0, NULL, -9, 9), *empty = NULL;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, none, &empty, NULL), STRIA_OK);
    for (int mode = 0; mode < MODES; mode++) {
        stria_tensor *y = NULL;
        CHECK_STATUS(stria_pad(single, NULL, 0, modes[mode], zero, &y, NULL), STRIA_OK);
        if (y) check_padded(single, NULL, 0, mode, 0, y);
        stria_tensor_release(y);
        y = NULL;
        CHECK_STATUS(stria_pad(empty, less, 2, modes[mode], zero, &y, NULL), STRIA_OK);
        if (y) check_padded(empty, less, 2, mode, 0, y);
        stria_tensor_release(y);
        y = NULL;
        CHECK_STATUS(stria_pad(empty, less, 4, modes[mode], zero, &y, NULL),
                     mode == CONSTANT ? STRIA_OK : STRIA_ERR_SHAPE);
        if (y) check_padded(empty, less, 4, mode, 0, y);
        stria_tensor_release(y);
    }
    /* nothing of x is left, and a pair whose sum is a size */
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_pad(x, (const int64_t[]){-95, 10}, 2, "constant", zero, &y, NULL), STRIA_OK);
    if (y) check_padded(x, (const int64_t[]){-95, 10}, 2, CONSTANT, 0, y);
    stria_tensor_release(y);
    y = NULL;
    CHECK_STATUS(stria_pad(x, (const int64_t[]){INT64_MIN, INT64_MAX}, 2, "constant", zero, &y, NULL), STRIA_OK);
    if (y) CHECK(stria_tensor_get_shape(y)[1] == 89 && *(float *)stria_tensor_get_data(y) == 0, "huge pads");
    stria_tensor_release(y), stria_tensor_release(x), stria_tensor_release(single), stria_tensor_release(empty);
}

static void test_pad_refusals(void)
{
    static const int64_t sizes[] = {2, 3}, pad[] = {1, 1, 1, 1, 1, 1}, many[200] = {0};
    const stria_scalar   half = {.kind = STRIA_SCALAR_FLOAT, .re = 0.5}, two = {.kind = STRIA_SCALAR_INT, .i = 2},
                       imaginary = {.kind = STRIA_SCALAR_COMPLEX, .im = 1};
    stria_tensor *x = NULL, *whole = NULL, *truth = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, sizes, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 2, sizes, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 2, sizes, &truth, NULL), STRIA_OK);
#define PAD(x, pad, n, mode, value) stria_pad(x, pad, n, mode, value, &y, &err)
#define PAIR(before, after) ((const int64_t[]){before, after})
    REFUSED(PAD(NULL, pad, 2, "constant", zero), STRIA_ERR_ARGUMENT, "pad", "x", "x is NULL");
    REFUSED(PAD(x, NULL, 2, "constant", zero), STRIA_ERR_ARGUMENT, "pad", "pad", "pad is NULL");
    REFUSED(PAD(x, pad, -1, "constant", zero), STRIA_ERR_ARGUMENT, "pad", "pad", "0 .. 128 whole numbers");
    REFUSED(PAD(x, many, 129, "constant", zero), STRIA_ERR_ARGUMENT, "pad", "pad", "not 129");
    REFUSED(PAD(x, pad, 3, "constant", zero), STRIA_ERR_SHAPE, "pad", "pad", "not 3 numbers");
    REFUSED(PAD(x, pad, 6, "constant", zero), STRIA_ERR_SHAPE, "pad", "pad", "at most 2, not 6 numbers");
    REFUSED(PAD(x, pad, 2, "mirror", zero), STRIA_ERR_ARGUMENT, "pad", "mode", "one of constant|reflect");
    REFUSED(PAD(x, pad, 2, NULL, zero), STRIA_ERR_ARGUMENT, "pad", "mode", "one of constant|reflect");
    REFUSED(PAD(x, PAIR(0, 3), 2, "reflect", zero), STRIA_ERR_SHAPE, "pad", "pad", "not enough elements for 0 and 3");
    REFUSED(PAD(x, PAIR(4, 0), 2, "circular", zero), STRIA_ERR_SHAPE, "pad", "pad", "not enough elements for 4 and 0");
    REFUSED(PAD(x, PAIR(-2, -2), 2, "constant", zero), STRIA_ERR_SHAPE, "pad", "pad", "leave nothing of axis 1");
    REFUSED(PAD(x, PAIR(INT64_MAX, 0), 2, "constant", zero), STRIA_ERR_OVERFLOW, "pad", "pad", "too long");
    REFUSED(PAD(x, pad, 2, "replicate", two), STRIA_ERR_ARGUMENT, "pad", "value", "'constant' alone");
    REFUSED(PAD(x, pad, 2, "reflect", half), STRIA_ERR_ARGUMENT, "pad", "value", "'constant' alone");
    REFUSED(PAD(whole, pad, 2, "constant", half), STRIA_ERR_DTYPE, "pad", "value", "x of i32");
    REFUSED(PAD(truth, pad, 2, "constant", two), STRIA_ERR_DTYPE, "pad", "value", "x of bool");
    REFUSED(PAD(x, pad, 2, "constant", imaginary), STRIA_ERR_DTYPE, "pad", "value", "x of f32");
    REFUSED(stria_pad(x, pad, 2, "constant", zero, NULL, &err), STRIA_ERR_ARGUMENT, "pad", "y", "y is NULL");
    REFUSED(stria_pad_out(x, pad, 2, "constant", zero, whole, &err), STRIA_ERR_DTYPE, "pad", "out", "out of i32");
    CHECK(y == NULL, "the output of a refused call");
    CHECK_STATUS(stria_pad(x, PAIR(3, 3), 2, "circular", zero, &y, NULL), STRIA_OK);
    stria_tensor_release(y);
    CHECK_STATUS(stria_pad(x, PAIR(2, 2), 2, "reflect", zero, &y, NULL), STRIA_OK);
    stria_tensor_release(y), stria_tensor_release(x), stria_tensor_release(whole), stria_tensor_release(truth);
}

SUITE(test_join)
{
    test_cat_blocks();
    test_cat_long_rows();
    test_cat_steps();
    test_cat();
    if (check_has_values()) {
        test_cat_out();
        test_cat_refusals();
        test_pad();
    }
    test_pad_forms();
    if (check_has_values()) test_pad_refusals();
    return check_finish("test_join");
}
