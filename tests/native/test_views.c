/* test_views.c - views beside those of test_tensor: each element of the view is that of x where plain arithmetic says it is. */
#include <string.h>

#include "call/call.h"
#include "oracle.h"

#define REFUSED(call, status, name, place, text)                                                          \
    do {                                                                                                  \
        stria_error err = {0};                                                                            \
        CHECK_STATUS(call, status);                                                                       \
        CHECK(y == NULL, "an output of a refused call");                                                  \
        CHECK(strcmp(err.op, name) == 0 && strcmp(err.argument, place) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                       \
    } while (0)
#define INTS(...) ((const int64_t[]){__VA_ARGS__}), (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define AXES(...) ((const int[]){__VA_ARGS__}), (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static stria_tensor *x, *turned, *line, *single, *none, *y;
static const layout  kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_OFFSET};

static bool has_shape(const int64_t *shape, int ndim) { return stria_tensor_has_shape(y, ndim, shape); }

static void release(void)
{
    stria_tensor_release(y);
    y = NULL;
}

/* y has the shape, and its elements are those of `of` in row-major order, at the same addresses. */
static void check_same(const stria_tensor *of, const char *what, const int64_t *shape, int ndim)
{
    CHECK(y && has_shape(shape, ndim) && y->storage == of->storage && y->dtype == of->dtype, "%s: a view", what);
    if (!y || !has_shape(shape, ndim) || y->numel == 0) {
        release();
        return;
    }
    int64_t a[STRIA_MAX_DIMS] = {0}, b[STRIA_MAX_DIMS] = {0};
    do CHECK(tensor_at(y, a) == tensor_at(of, b), "%s: an element", what);
    while ((index_next(of->ndim, of->shape, b), index_next(ndim, shape, a)));
    release();
}

/* ---------------------------------------------------------------- as_strided */

static void test_as_strided(void)
{
    stria_tensor *base = NULL, *part = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_I16, 1, (const int64_t[]){12}, &base, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(base, 0, 5, STRIA_INT_NONE, 1, &part, NULL), STRIA_OK);
    const char *const data = (const char *)stria_tensor_get_const_data(base);
    CHECK_STATUS(stria_as_strided(part, INTS(3, 2), INTS(-2, 3), 4, &y, NULL), STRIA_OK);
    CHECK(y && has_shape((const int64_t[]){3, 2}, 2), "as_strided: shape");
    for (int64_t i = 0; y && i < 3; i++)
        for (int64_t k = 0; k < 2; k++)
            CHECK(tensor_at(y, (const int64_t[]){i, k}) == data + 2 * (4 - 2 * i + 3 * k), "as_strided: an element");
    release();
    CHECK_STATUS(stria_as_strided(part, INTS(7), INTS(1), STRIA_INT_NONE, &y, NULL), STRIA_OK);
    check_same(part, "as_strided: the offset of x", INTS(7));
    CHECK_STATUS(stria_as_strided(part, INTS(12), INTS(1), 0, &y, NULL), STRIA_OK);
    check_same(base, "as_strided: all of the memory", INTS(12));
    CHECK_STATUS(stria_as_strided(part, NULL, 0, NULL, 0, 11, &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 0 && (const char *)y->data == data + 22, "as_strided: one element");
    release();
    /* an axis of size 1 reaches nothing by its stride; neither does what is empty */
    CHECK_STATUS(stria_as_strided(part, INTS(1, 12), INTS(INT64_MAX, 1), 0, &y, NULL), STRIA_OK);
    release();
    CHECK_STATUS(stria_as_strided(part, INTS(0, 5), INTS(99, 99), 1000, &y, NULL), STRIA_OK);
    CHECK(y && y->numel == 0, "as_strided: empty");
    release();
    const char *const size = "size", *const op = "as_strided";
    REFUSED(stria_as_strided(part, INTS(13), INTS(1), 0, &y, &err), STRIA_ERR_ARGUMENT, op, size,
            "reach the elements 0 .. 12 of a memory of 12");
    REFUSED(stria_as_strided(part, INTS(8), INTS(1), STRIA_INT_NONE, &y, &err), STRIA_ERR_ARGUMENT, op, size,
            "5 .. 12");
    REFUSED(stria_as_strided(part, INTS(2), INTS(-1), 0, &y, &err), STRIA_ERR_ARGUMENT, op, size, "-1 .. 0");
    REFUSED(stria_as_strided(part, INTS(2, 2), INTS(-6, 6), 5, &y, &err), STRIA_ERR_ARGUMENT, op, size, "-1 .. 11");
    REFUSED(stria_as_strided(part, INTS(1), INTS(1), INT64_MAX, &y, &err), STRIA_ERR_ARGUMENT, op, size,
            "of a memory of 12");
    REFUSED(stria_as_strided(part, INTS(3), INTS(INT64_MAX), 0, &y, &err), STRIA_ERR_ARGUMENT, op, size,
            "more than 2^63");
    REFUSED(stria_as_strided(part, INTS(2, 2), INTS(INT64_MAX, 1), 1, &y, &err), STRIA_ERR_ARGUMENT, op, size,
            "more than 2^63");
    REFUSED(stria_as_strided(part, INTS(3), INTS(INT64_MIN), 0, &y, &err), STRIA_ERR_ARGUMENT, op, size,
            "more than 2^63");
    REFUSED(stria_as_strided(part, INTS(1), INTS(1), -1, &y, &err), STRIA_ERR_ARGUMENT, op, "storage_offset", "not -1");
    REFUSED(stria_as_strided(part, INTS(1, 2), INTS(1), 0, &y, &err), STRIA_ERR_ARGUMENT, op, "stride",
            "each size, not 1");
    REFUSED(stria_as_strided(part, INTS(-1), INTS(1), 0, &y, &err), STRIA_ERR_SHAPE, op, size, "");
    REFUSED(stria_as_strided(none, INTS(1), INTS(1), 0, &y, &err), STRIA_ERR_ARGUMENT, op, size, "of a memory of 0");
    stria_tensor_release(base), stria_tensor_release(part);
}

/* ---------------------------------------------------------------- unfold */

static void test_unfold(void)
{
    random_state random = {3};

    for (size_t l = 0; l < sizeof kinds / sizeof *kinds; l++) {
        stria_tensor *v = tensor_random(&random, STRIA_C64, kinds[l], 3, (const int64_t[]){4, 7, 3}, -9, 9);
        for (int axis = -3; axis < 3; axis++)
            for (int64_t size = 0; size <= 4; size++)
                for (int64_t step = 1; step < 5; step++) {
                    const int     at = axis < 0 ? axis + 3 : axis;
                    const int64_t length = v->shape[at], n = length < size ? 0 : (length - size) / step + 1;
                    int64_t       index[4] = {0};
                    if (length < size) continue;
                    CHECK_STATUS(stria_unfold(v, axis, size, step, &y, NULL), STRIA_OK);
                    CHECK(y && y->ndim == 4 && y->shape[3] == size && y->shape[at] == n, "windows");
                    if (y && y->numel > 0) do {
                            int64_t source[3] = {index[0], index[1], index[2]};
                            source[at] = index[at] * step + index[3];
                            CHECK(tensor_at(y, index) == tensor_at(v, source), "unfold: an element");
                        } while (index_next(4, y->shape, index));
                    release();
                }
        stria_tensor_release(v);
    }
    CHECK_STATUS(stria_unfold(single, -1, 1, 3, &y, NULL), STRIA_OK);
    check_same(single, "unfold of 0 dims", INTS(1));
    CHECK_STATUS(stria_unfold(x, 0, 2, INT64_MAX, &y, NULL), STRIA_OK);
    CHECK(y && y->shape[0] == 1, "one window");
    release();
    REFUSED(stria_unfold(x, 3, 1, 1, &y, &err), STRIA_ERR_AXIS, "unfold", "dimension", "axis 3");
    REFUSED(stria_unfold(x, 1, 4, 1, &y, &err), STRIA_ERR_ARGUMENT, "unfold", "size", "size 4 is not in 0 .. 3");
    REFUSED(stria_unfold(x, 1, -1, 1, &y, &err), STRIA_ERR_ARGUMENT, "unfold", "size", "size -1");
    REFUSED(stria_unfold(x, 1, 1, 0, &y, &err), STRIA_ERR_ARGUMENT, "unfold", "step", "not 0");
    const int64_t huge = INT64_C(1) << 62;
    stria_tensor *wide = NULL;
    CHECK_STATUS(stria_empty(&huge, 1, STRIA_U8, STRIA_META, &wide, NULL), STRIA_OK);
    REFUSED(stria_unfold(wide, 0, huge / 2, 1, &y, &err), STRIA_ERR_OVERFLOW, "unfold", "size", "");
    stria_tensor_release(wide);
}

/* ---------------------------------------------------------------- axes */

static void test_axes(void)
{
    static const int moves[][4] = {{0, 2, 1, 0}, {-1, 0, 0, -1}, {1, 1, 2, 0}, {2, -3, 0, 1}};

    for (size_t m = 0; m < sizeof moves / sizeof *moves; m++)
        for (int n = 0; n <= 2; n++)
            for (int form = 0; form < 2; form++) {
                int from[2] = {moves[m][0], moves[m][2]}, to[2] = {moves[m][1], moves[m][3]}, order[3], used[3] = {0};
                CHECK_STATUS(form ? stria_moveaxis(x, from, n, to, n, &y, NULL)
                                  : stria_movedim(x, from, n, to, n, &y, NULL),
                             STRIA_OK);
                for (int d = 0; d < 3; d++) order[d] = -1;
                for (int k = 0; k < n; k++) order[(to[k] + 3) % 3] = (from[k] + 3) % 3, used[(from[k] + 3) % 3] = 1;
                for (int d = 0, next = 0; d < 3; d++)
                    if (order[d] < 0) {
                        while (used[next]) next++;
                        order[d] = next++;
                    }
                for (int d = 0; d < 3 && y; d++)
                    CHECK(y->shape[d] == x->shape[order[d]] && y->strides[d] == x->strides[order[d]] &&
                              y->data == x->data,
                          "movedim %d: axis %d", (int)m, d);
                release();
            }
    REFUSED(stria_movedim(x, AXES(0, -3), AXES(0, 1), &y, &err), STRIA_ERR_AXIS, "movedim", "source", "given twice");
    REFUSED(stria_movedim(x, AXES(0, 1), AXES(0, 3), &y, &err), STRIA_ERR_AXIS, "movedim", "destination", "axis 3");
    REFUSED(stria_moveaxis(x, AXES(0, 1), AXES(2), &y, &err), STRIA_ERR_ARGUMENT, "moveaxis", "destination",
            "destination has 1 axes, but source has 2");
    for (int a = -3; a < 3; a++)
        for (int b = -3; b < 3; b++) {
            stria_tensor *expected = NULL;
            CHECK_STATUS(stria_transpose(x, a, b, &expected, NULL), STRIA_OK);
            CHECK_STATUS(stria_swapaxes(x, a, b, &y, NULL), STRIA_OK);
            CHECK(y && expected && memcmp(y->strides, expected->strides, 24) == 0 && has_shape(expected->shape, 3),
                  "swapaxes");
            release();
            CHECK_STATUS(stria_swapdims(x, a, b, &y, NULL), STRIA_OK);
            CHECK(y && expected && memcmp(y->strides, expected->strides, 24) == 0 && has_shape(expected->shape, 3),
                  "swapdims");
            release();
            stria_tensor_release(expected);
        }
    REFUSED(stria_swapaxes(x, 3, 0, &y, &err), STRIA_ERR_AXIS, "swapaxes", "axis0", "axis 3");
    REFUSED(stria_swapdims(x, 0, -4, &y, &err), STRIA_ERR_AXIS, "swapdims", "dim1", "axis -4");
    CHECK_STATUS(stria_t(turned, &y, NULL), STRIA_OK);
    CHECK(y && y->shape[0] == turned->shape[1] && y->strides[0] == turned->strides[1], "t of a matrix");
    release();
    CHECK_STATUS(stria_t(line, &y, NULL), STRIA_OK);
    check_same(line, "t of a line", INTS(6));
    CHECK_STATUS(stria_t(single, &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 0, "t of a number");
    release();
    REFUSED(stria_t(x, &y, &err), STRIA_ERR_SHAPE, "t", "x", "x has 3 dims");
}

/* ---------------------------------------------------------------- shapes */

static void test_shapes(void)
{
    stria_tensor *out = NULL;

    CHECK_STATUS(stria_ravel(x, &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 1 && y->numel == x->numel && y->storage != x->storage && y->strides[0] == 1, "ravel copies");
    for (int64_t k = 0, index[3] = {0}; y && k < x->numel; k++, index_next(3, x->shape, index))
        CHECK(memcmp(tensor_at(y, &k), tensor_at(x, index), 4) == 0, "ravel: element %d", (int)k);
    release();
    CHECK_STATUS(stria_ravel(line, &y, NULL), STRIA_OK);
    check_same(line, "ravel of a line", INTS(6));
    CHECK_STATUS(stria_ravel(single, &y, NULL), STRIA_OK);
    check_same(single, "ravel of a number", INTS(1));
    CHECK_STATUS(stria_ravel(none, &y, NULL), STRIA_OK);
    CHECK(y && y->ndim == 1 && y->numel == 0, "ravel of nothing");
    release();
    /* a composite's view into a given tensor: its elements are copied */
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, (const int64_t[]){2}, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_swapdims_out(turned, 0, 1, out, NULL), STRIA_OK);
    CHECK(out->ndim == 2 && out->shape[0] == turned->shape[1] && out->storage != turned->storage, "swapdims_out");
    stria_tensor_release(out);

    CHECK_STATUS(stria_unflatten(x, 0, INTS(2, -1, 1), &y, NULL), STRIA_OK);
    check_same(x, "unflatten", INTS(2, 2, 1, 3, 5));
    CHECK_STATUS(stria_unflatten(turned, -1, INTS(2, 2), &y, NULL), STRIA_OK);
    check_same(turned, "unflatten of strides", INTS(6, 2, 2));
    CHECK_STATUS(stria_unflatten(none, 1, INTS(0, 3), &y, NULL), STRIA_OK);
    check_same(none, "unflatten of nothing", INTS(3, 0, 3));
    CHECK_STATUS(stria_unflatten(single, 0, INTS(1, 1), &y, NULL), STRIA_OK);
    check_same(single, "unflatten of a number", INTS(1, 1));
    REFUSED(stria_unflatten(x, 1, INTS(2, -1), &y, &err), STRIA_ERR_SHAPE, "unflatten", "sizes",
            "sizes [2,-1] do not divide axis 1 of size 3");
    REFUSED(stria_unflatten(x, 1, INTS(-1, -1), &y, &err), STRIA_ERR_SHAPE, "unflatten", "sizes", "do not divide");
    REFUSED(stria_unflatten(x, 1, INTS(-3), &y, &err), STRIA_ERR_SHAPE, "unflatten", "sizes", "do not divide");
    REFUSED(stria_unflatten(x, 1, NULL, 0, &y, &err), STRIA_ERR_SHAPE, "unflatten", "sizes", "do not divide");
    REFUSED(stria_unflatten(none, 1, INTS(0, -1), &y, &err), STRIA_ERR_SHAPE, "unflatten", "sizes", "do not divide");
    REFUSED(stria_unflatten(x, 3, INTS(1), &y, &err), STRIA_ERR_AXIS, "unflatten", "dim", "axis 3");

    CHECK_STATUS(stria_broadcast_to(line, INTS(2, 6), &y, NULL), STRIA_OK);
    CHECK(y && has_shape((const int64_t[]){2, 6}, 2) && y->strides[0] == 0 && y->data == line->data, "broadcast_to");
    release();
    REFUSED(stria_broadcast_to(line, INTS(6, 2), &y, &err), STRIA_ERR_SHAPE, "broadcast_to", "shape", "does not fit");

    CHECK_STATUS(stria_atleast_1d(single, &y, NULL), STRIA_OK);
    check_same(single, "atleast_1d", INTS(1));
    CHECK_STATUS(stria_atleast_2d(line, &y, NULL), STRIA_OK);
    check_same(line, "atleast_2d", INTS(1, 6));
    CHECK_STATUS(stria_atleast_3d(single, &y, NULL), STRIA_OK);
    check_same(single, "atleast_3d of a number", INTS(1, 1, 1));
    CHECK_STATUS(stria_atleast_3d(line, &y, NULL), STRIA_OK);
    check_same(line, "atleast_3d of a line", INTS(1, 6, 1));
    CHECK_STATUS(stria_atleast_3d(turned, &y, NULL), STRIA_OK);
    check_same(turned, "atleast_3d of a matrix", INTS(6, 4, 1));
    CHECK_STATUS(stria_atleast_3d(x, &y, NULL), STRIA_OK);
    check_same(x, "atleast_3d of more", INTS(4, 3, 5));
    CHECK_STATUS(stria_atleast_1d(x, &y, NULL), STRIA_OK);
    check_same(x, "atleast_1d of more", INTS(4, 3, 5));
}

static void test_narrow(void)
{
    for (int axis = -3; axis < 3; axis++)
        for (int64_t start = -3; start <= 3; start++)
            for (int64_t length = 0; length <= 3; length++) {
                const int     at = axis < 0 ? axis + 3 : axis;
                const int64_t size = x->shape[at], first = start < 0 ? start + size : start;
                int64_t       index[3] = {0};
                if (first < 0 || first + length > size) continue;
                CHECK_STATUS(stria_narrow(x, axis, start, length, &y, NULL), STRIA_OK);
                CHECK(y && y->ndim == 3 && y->shape[at] == length, "narrow");
                if (y && length > 0) do {
                        int64_t source[3] = {index[0], index[1], index[2]};
                        source[at] += first;
                        CHECK(tensor_at(y, index) == tensor_at(x, source), "narrow: an element");
                    } while (index_next(3, y->shape, index));
                release();
            }
    REFUSED(stria_narrow(x, 1, 4, 0, &y, &err), STRIA_ERR_ARGUMENT, "narrow", "start", "start 4 is not in -3 .. 3");
    REFUSED(stria_narrow(x, 1, -4, 0, &y, &err), STRIA_ERR_ARGUMENT, "narrow", "start", "start -4");
    REFUSED(stria_narrow(x, 1, INT64_MIN, 1, &y, &err), STRIA_ERR_ARGUMENT, "narrow", "start", "is not in");
    REFUSED(stria_narrow(x, 1, 2, 2, &y, &err), STRIA_ERR_ARGUMENT, "narrow", "length", "length 2 is not in 0 .. 1");
    REFUSED(stria_narrow(x, 1, 2, INT64_MAX, &y, &err), STRIA_ERR_ARGUMENT, "narrow", "length", "is not in 0 .. 1");
    REFUSED(stria_narrow(x, 1, 2, -1, &y, &err), STRIA_ERR_ARGUMENT, "narrow", "length", "length -1");
    REFUSED(stria_narrow(x, 9, 2, 1, &y, &err), STRIA_ERR_AXIS, "narrow", "dim", "axis 9");
    REFUSED(stria_narrow(single, 0, 0, 1, &y, &err), STRIA_ERR_SHAPE, "narrow", "x", "no dims");
}

SUITE(test_views)
{
    const int64_t before = stria_memory_get_stats().live_tensors;
    random_state  random = {7};

    x = tensor_random(&random, STRIA_F32, LAYOUT_FLIPPED, 3, (const int64_t[]){4, 3, 5}, -9, 9);
    turned = tensor_random(&random, STRIA_F64, LAYOUT_TRANSPOSED, 2, (const int64_t[]){6, 4}, -9, 9);
    line = tensor_random(&random, STRIA_I64, LAYOUT_OFFSET, 1, (const int64_t[]){6}, -9, 9);
    single = tensor_random(&random, STRIA_C128, LAYOUT_CONTIGUOUS, 0, NULL, -9, 9);
    none = tensor_random(&random, STRIA_BOOL, LAYOUT_CONTIGUOUS, 2, (const int64_t[]){3, 0}, 0, 1);
    test_as_strided();
    test_unfold();
    test_axes();
    test_shapes();
    test_narrow();
    stria_tensor_release(x), stria_tensor_release(turned), stria_tensor_release(line), stria_tensor_release(single);
    stria_tensor_release(none);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_views");
}
