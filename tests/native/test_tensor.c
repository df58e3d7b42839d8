/* test_tensor.c - creation, ownership, layout predicates, resizing, copies where a view cannot be, borrowed memory. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "oracle.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

/* ---------------------------------------------------------------- creation and ownership */

static void check_new(void)
{
    const int64_t shape[] = {2, 3, 4}, strides[] = {1, 2, 8}, wide[] = {1, 2, 1, 2, 1, 2, 1, 3};
    stria_tensor *x = NULL, *y = NULL;

    for (int dtype = 0; dtype < STRIA_DTYPE_COUNT; dtype++) {
        CHECK_STATUS(stria_tensor_new((stria_dtype)dtype, 3, shape, &x, NULL), STRIA_OK);
        CHECK(stria_tensor_get_dtype(x) == (stria_dtype)dtype && stria_tensor_get_ndim(x) == 3 &&
                  stria_tensor_get_numel(x) == 24 && stria_tensor_get_contiguous(x),
              "properties of a %s tensor", stria_dtype_get_name((stria_dtype)dtype));
        CHECK((uintptr_t)stria_tensor_get_data(x) % 64 == 0, "alignment");
        CHECK(stria_tensor_get_storage_nbytes(x) == 24 * stria_dtype_get_size((stria_dtype)dtype), "bytes");
        CHECK(stria_tensor_get_strides(x)[0] == 12 && stria_tensor_get_strides(x)[2] == 1, "strides");
        CHECK(stria_tensor_get_device(x).type == STRIA_DEVICE_CPU, "device");
        stria_tensor_release(x);
    }
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 3, shape, strides, &x, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_contiguous(x) && stria_tensor_get_storage_nbytes(x) == 4 * (1 + 1 + 4 + 24), "strided");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 8, wide, &x, NULL), STRIA_OK); /* more dims than the handle holds */
    CHECK(stria_tensor_get_numel(x) == 24 && stria_tensor_get_strides(x)[0] == 24, "eight dims");
    CHECK_STATUS(stria_transpose(x, 1, 7, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_shape(y)[1] == 3 && stria_tensor_get_strides(y)[1] == 1, "a view of eight dims");
    CHECK(stria_tensor_get_aliased(x, y), "a view shares the storage");
    stria_tensor_release(x);
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &x, NULL), STRIA_OK);
    CHECK(stria_tensor_get_numel(x) == 1 && stria_tensor_get_contiguous(x), "0-dim");
    stria_tensor_release(x);
    CHECK_STATUS(stria_empty((int64_t[]){1 << 30, 1 << 20}, 2, STRIA_F32, STRIA_META, &x, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(x) == NULL && stria_tensor_get_numel(x) == (int64_t)1 << 50, "meta");
    CHECK_STATUS(stria_slice(x, 0, 5, INT64_MIN, 2, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(y) == NULL && stria_tensor_get_device(y).type == STRIA_DEVICE_META &&
              stria_tensor_get_shape(y)[0] == (1 << 29) - 2,
          "a view of a meta tensor");
    stria_tensor_release(x);
    stria_tensor_release(y);
}

static void check_values(void)
{
    const float   data[] = {1, 2, 3, 4, 5, 6};
    char          bytes[25];
    double        c[2];
    int64_t       i;
    stria_tensor *x = NULL;

    memcpy(bytes + 1, data, sizeof data); /* not aligned */
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, (int64_t[]){2, 3}, bytes + 1, 24, &x, NULL), STRIA_OK);
    CHECK(memcmp(stria_tensor_get_data(x), data, 24) == 0, "copied elements");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_COMPLEX, 0, 1.5, -2}, &x, NULL), STRIA_OK);
    memcpy(c, stria_tensor_get_data(x), sizeof c);
    CHECK(stria_tensor_get_dtype(x) == STRIA_C128 && c[0] == 1.5 && c[1] == -2 && x->is_wrapped_number,
          "complex scalar");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, INT64_MIN, 0, 0}, &x, NULL), STRIA_OK);
    memcpy(&i, stria_tensor_get_data(x), sizeof i);
    CHECK(stria_tensor_get_dtype(x) == STRIA_I64 && i == INT64_MIN, "integer scalar");
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_BOOL, 7, 0, 0}, &x, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(x) == STRIA_BOOL && *(char *)stria_tensor_get_data(x) == 1, "bool scalar");
    stria_tensor_release(x);
}

static void count_release(void *context) { ++*(int *)context; }

static void check_external(void)
{
    double        data[12] = {0};
    int           released = 0;
    stria_tensor *x = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new_external(STRIA_F64, 2, (int64_t[]){3, 4}, (int64_t[]){-4, 1}, data + 8, count_release,
                                           &released, &x, NULL),
                 STRIA_OK);
    CHECK(stria_tensor_get_storage_nbytes(x) == 96 && x->storage->data == (char *)data, "extent of negative strides");
    CHECK_STATUS(stria_select(x, 0, -1, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(y) == data, "the last row lies first");
    CHECK(stria_tensor_retain(y) == y, "retain");
    stria_tensor_release(x);
    stria_tensor_release(y);
    CHECK(released == 0, "released while a view is alive");
    stria_tensor_release(y);
    CHECK(released == 1, "released %d times", released);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F64, 1, (int64_t[]){0}, NULL, NULL, NULL, NULL, &x, NULL), STRIA_OK);
    stria_tensor_release(x);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F64, 1, (int64_t[]){1}, NULL, (char *)data + 1, NULL, NULL, &x, NULL),
                 STRIA_ERR_ARGUMENT);
    stria_tensor_release(NULL);
    CHECK(stria_tensor_retain(NULL) == NULL, "retain of NULL");
}

/* One value fills an expanded tensor; several are refused. */
static void check_set_expanded(void)
{
    const stria_scalar seven = {STRIA_SCALAR_INT, 7, 0, 0};
    stria_tensor      *x = NULL, *wide = NULL, *value = NULL, *row = NULL;
    stria_error        err;

    CHECK_STATUS(
        stria_full((int64_t[]){3, 1}, 2, (stria_scalar){STRIA_SCALAR_INT, 1, 0, 0}, STRIA_F32, STRIA_CPU, &x, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_expand(x, (int64_t[]){2, 3, 100000}, 3, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar(seven, &value, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(wide, value, &err), STRIA_OK);
    for (int k = 0; k < 3; k++) CHECK(((const float *)stria_tensor_get_data(x))[k] == 7, "element %d", k);
    CHECK_STATUS(stria_full((int64_t[]){100000}, 1, seven, STRIA_F32, STRIA_CPU, &row, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(wide, row, &err), STRIA_ERR_OVERLAP);
    CHECK(strcmp(err.op, "copy") == 0 && err.argument[0], "names op and argument: %s, %s", err.op, err.argument);
    stria_tensor_release(row);
    stria_tensor_release(value);
    stria_tensor_release(wide);
    stria_tensor_release(x);
}

static void check_resize(void)
{
    const int64_t small[] = {4}, large[] = {30, 40}, seven[] = {1, 1, 1, 1, 1, 2, 2}, ones[] = {1, 1, 1, 1, 1, 1, 1};
    int64_t       strides[8];
    stria_tensor *x = NULL, *view = NULL;
    char         *before;

    CHECK_STATUS(stria_tensor_new(STRIA_U8, 1, (int64_t[]){100}, &x, NULL), STRIA_OK);
    before = stria_tensor_get_data(x);
    memset(before, 7, 100);
    stria_shape_get_strides(1, small, strides);
    CHECK_STATUS(stria_tensor_resize(x, 1, small, strides, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(x) == before && stria_tensor_get_numel(x) == 4, "memory that suffices is kept");
    CHECK_STATUS(stria_slice(x, 0, 1, 3, 1, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_resize(x, 7, seven, ones, NULL), STRIA_OK);
    CHECK(stria_tensor_get_data(x) != before && stria_tensor_get_ndim(x) == 7,
          "memory that a view shares is left alone");
    CHECK(!stria_tensor_get_aliased(x, view) && *(char *)stria_tensor_get_data(view) == 7,
          "the view keeps the old memory");
    stria_shape_get_strides(2, large, strides);
    CHECK_STATUS(stria_tensor_resize(x, 2, large, strides, NULL), STRIA_OK);
    CHECK(stria_tensor_get_storage_nbytes(x) == 1200 && stria_tensor_get_contiguous(x), "grown");
    memset(stria_tensor_get_data(x), 1, 1200);
    CHECK(*(char *)stria_tensor_get_data(view) == 7, "the view keeps its elements");
    stria_tensor_release(view);
    CHECK_STATUS(stria_tensor_resize(x, 1, (int64_t[]){-1}, strides, NULL), STRIA_ERR_SHAPE);
    stria_error err;
    stria_alloc_set_failure(1); /* shape and strides of seven dims: 14 numbers */
    CHECK_STATUS(stria_tensor_resize(x, 7, seven, ones, &err), STRIA_ERR_MEMORY);
    stria_alloc_set_failure(0);
    CHECK(strcmp(err.message, "tensor: no memory for 112 bytes") == 0 && strcmp(err.op, "tensor") == 0, "%s",
          err.message);
    CHECK(stria_tensor_get_ndim(x) == 2, "a refused resize changes nothing");
    CHECK(stria_memory_get_stats().live_tensors == 1 && stria_memory_get_stats().live_storages <= 2,
          "one tensor, and perhaps the memory it started with, where its handle lies");
    stria_tensor_release(x);
    CHECK(stria_memory_get_stats().live_storages == 0, "every storage is gone");
}

/* Copies have no gaps and the memory order of what they copy, whether that has gaps or not; without memory, too. */
static void check_memory_order(void)
{
    static const struct {
        int     ndim;
        int64_t shape[4], strides[4], offset, expected[4];
    } rows[] = {
        {2, {4, 6}, {6, 1}, 0, {6, 1}},                        /* row-major */
        {2, {4, 6}, {1, 4}, 0, {1, 4}},                        /* transposed */
        {2, {4, 6}, {12, 1}, 0, {6, 1}},                       /* with gaps */
        {2, {4, 6}, {1, 8}, 0, {1, 4}},                        /* transposed, with gaps */
        {2, {4, 6}, {2, 16}, 1, {1, 4}},                       /* the same, every other element */
        {3, {2, 3, 4}, {4, 60, 10}, 0, {1, 8, 2}},             /* permuted, with gaps */
        {4, {2, 3, 4, 5}, {120, 1, 30, 6}, 0, {60, 1, 15, 3}}, /* channels-last, of more channels */
        {4, {2, 3, 4, 5}, {60, 1, 15, 3}, 0, {60, 1, 15, 3}},  /* channels-last */
        {2, {4, 6}, {-1, 4}, 3, {1, 4}},                       /* transposed and flipped */
        {2, {4, 3}, {0, 1}, 0, {3, 1}},                        /* expanded */
        {3, {2, 3, 4}, {1, 0, 2}, 0, {1, 2, 6}},               /* expanded between transposed dims */
        {1, {5}, {-2}, 8, {1}},                                /* backwards */
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        stria_tensor *base = NULL, *x = NULL, *copy = NULL, *meta = NULL, *meta_copy = NULL;
        const size_t  nbytes = (size_t)rows[k].ndim * sizeof(int64_t);
        CHECK_STATUS(stria_tensor_new(STRIA_I32, 1, (int64_t[]){400}, &base, NULL), STRIA_OK);
        for (int i = 0; i < 400; i++) ((int32_t *)base->data)[i] = i;
        CHECK_STATUS(stria_tensor_view(base, rows[k].ndim, rows[k].shape, rows[k].strides, rows[k].offset, &x, NULL),
                     STRIA_OK);
        CHECK_STATUS(stria_tensor_copy(x, STRIA_I64, &copy, NULL), STRIA_OK);
        CHECK(memcmp(copy->strides, rows[k].expected, nbytes) == 0, "row %zu: strides of the copy", k);
        int64_t index[4] = {0}, wrong = 0;
        do {
            int64_t from = 0, to = 0;
            for (int d = 0; d < rows[k].ndim; d++) {
                from += index[d] * x->strides[d];
                to += index[d] * copy->strides[d];
            }
            wrong += ((int64_t *)copy->data)[to] != ((int32_t *)x->data)[from];
        } while (index_next(rows[k].ndim, rows[k].shape, index));
        CHECK(wrong == 0, "row %zu: %lld wrong elements", k, (long long)wrong);
        CHECK_STATUS(stria_empty(rows[k].shape, rows[k].ndim, STRIA_I32, STRIA_META, &meta, NULL), STRIA_OK);
        memcpy(meta->strides, rows[k].strides, nbytes);
        CHECK_STATUS(stria_tensor_copy(meta, STRIA_F32, &meta_copy, NULL), STRIA_OK);
        CHECK(stria_tensor_get_device(meta_copy).type == STRIA_DEVICE_META && meta_copy->dtype == STRIA_F32 &&
                  memcmp(meta_copy->strides, rows[k].expected, nbytes) == 0,
              "row %zu: a copy without memory", k);
        stria_tensor *all[] = {base, x, copy, meta, meta_copy};
        for (int i = 0; i < 5; i++) stria_tensor_release(all[i]);
    }
}

/* A new axis has the stride of what lies behind it: its size times its stride. */
static void check_unsqueezed_strides(void)
{
    static const int64_t shape[] = {2, 3}, expected[3][3] = {{6, 3, 1}, {3, 3, 1}, {3, 1, 1}};
    stria_tensor        *x = NULL, *turned = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, shape, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    for (int axis = 0; axis < 3; axis++) {
        CHECK_STATUS(stria_unsqueeze(x, axis, &y, NULL), STRIA_OK);
        CHECK(memcmp(stria_tensor_get_strides(y), expected[axis], sizeof expected[axis]) == 0, "unsqueeze at axis %d",
              axis);
        stria_tensor_release(y);
    }
    CHECK_STATUS(stria_unsqueeze(turned, 1, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_strides(y)[1] == 6, "unsqueeze before 2 elements that are 3 apart");
    stria_tensor_release(y);
    stria_tensor_release(turned);
    stria_tensor_release(x);
}

static void check_layouts(void)
{
    static const struct {
        int     ndim;
        int64_t shape[4], strides[4];
        bool    contiguous, channels_last, dense;
    } rows[] = {
        {0, {0}, {0}, true, false, true},
        {1, {5}, {1}, true, false, true},
        {1, {5}, {2}, false, false, false},
        {1, {1}, {9}, true, false, true},
        {2, {3, 0}, {7, 7}, true, false, true},
        {2, {2, 3}, {1, 2}, false, false, true},
        {2, {2, 3}, {1, 3}, false, false, false},
        {2, {2, 3}, {0, 1}, false, false, false},
        {2, {3, 2}, {1, 1}, false, false, false},
        {3, {2, 1, 3}, {3, 99, 1}, true, false, true},
        {4, {2, 3, 4, 5}, {60, 1, 15, 3}, false, true, true},
        {4, {2, 3, 4, 5}, {60, 20, 5, 1}, true, false, true},
        {4, {2, 1, 4, 5}, {20, 7, 5, 1}, true, true, true},
        {3, {2, 3, 4}, {4, 8, 1}, false, false, true},
        {3, {2, 2, 2}, {2, 2, 1}, false, false, false},
        {2, {2, 3}, {-3, 1}, false, false, false},
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const int      n = rows[k].ndim;
        const int64_t *shape = rows[k].shape, *strides = rows[k].strides;
        CHECK(stria_layout_is_contiguous(n, shape, strides) == rows[k].contiguous, "row %zu: contiguous", k);
        CHECK(stria_layout_is_channels_last(n, shape, strides) == rows[k].channels_last, "row %zu: channels-last", k);
        CHECK(stria_layout_is_dense(n, shape, strides) == rows[k].dense, "row %zu: dense", k);
    }
}

/* ---------------------------------------------------------------- copies and borrowed memory */

/* contiguous and reshape copy where they must. */
static void check_copies(void)
{
    const int32_t data[] = {0, 1, 2, 3, 4, 5}, transposed[] = {0, 3, 1, 4, 2, 5};
    stria_tensor *x = NULL, *t = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_I32, 2, (int64_t[]){2, 3}, data, sizeof data, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_contiguous(x, &y, NULL), STRIA_OK);
    CHECK(y == x, "a contiguous tensor is its own contiguous form");
    stria_tensor_release(y);
    CHECK_STATUS(stria_reshape(x, (int64_t[]){-1}, 1, &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_aliased(x, y) && stria_tensor_get_numel(y) == 6, "reshape views where it can");
    stria_tensor_release(y);
    CHECK_STATUS(stria_transpose(x, 0, 1, &t, NULL), STRIA_OK);
    CHECK_STATUS(stria_contiguous(t, &y, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_aliased(x, y) && stria_tensor_get_contiguous(y) && stria_tensor_get_shape(y)[0] == 3 &&
              memcmp(stria_tensor_get_data(y), transposed, sizeof transposed) == 0,
          "contiguous copies in row-major order");
    stria_tensor_release(y);
    CHECK_STATUS(stria_reshape(t, (int64_t[]){2, -1}, 2, &y, NULL), STRIA_OK);
    CHECK(!stria_tensor_get_aliased(x, y) && stria_tensor_get_shape(y)[1] == 3 &&
              memcmp(stria_tensor_get_data(y), transposed, sizeof transposed) == 0,
          "reshape copies where it must");
    stria_tensor_release(y);
    stria_tensor_release(t);
    stria_tensor_release(x);
}

/* Memory that is lent keeps its place and its size. */
static void check_borrow(void)
{
    stria_tensor *x = NULL, *y = NULL, *big = NULL, *held = NULL, *again = NULL;
    stria_error   err;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, (int64_t[]){3}, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, (int64_t[]){100}, &big, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(x, 0, 0, 3, 1, &y, NULL), STRIA_OK);
    memcpy(stria_tensor_get_data(x), (float[]){1, 2, 3}, 12);
    memset(stria_tensor_get_data(big), 0, 400);
    const float *data = stria_tensor_get_const_data(x);
    CHECK_STATUS(stria_tensor_borrow(x, &held, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_borrow(y, &again, NULL), STRIA_OK);
    CHECK(stria_tensor_get_const_data(held) == data, "the same memory");
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *const[]){big}, 1, k ? y : x, &err),
                     STRIA_ERR_ARGUMENT);
        CHECK(strcmp(err.op, "neg") == 0 && strcmp(err.argument, "out") == 0, "%s %s", err.op, err.argument);
        CHECK(strcmp(err.message, "neg: out cannot be given another shape while its memory is borrowed") == 0, "%s",
              err.message);
        CHECK_STATUS(stria_cumsum_out(big, 0, STRIA_DTYPE_NONE, x, &err), STRIA_ERR_ARGUMENT);
        CHECK(strcmp(err.op, "cumsum") == 0, "%s", err.op);
        CHECK(stria_tensor_get_numel(x) == 3 && stria_tensor_get_const_data(x) == data, "x is as it was");
        stria_tensor_give_back(k ? held : again, true);
    }
    CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *const[]){big}, 1, x, NULL), STRIA_OK);
    CHECK(stria_tensor_get_numel(x) == 100, "resized afterwards");

    for (int is_written = 0; is_written < 2; is_written++) {
        const unsigned before = atomic_load(&y->storage->version);
        CHECK_STATUS(stria_tensor_borrow(y, &held, NULL), STRIA_OK);
        stria_tensor_give_back(held, is_written != 0);
        CHECK((atomic_load(&y->storage->version) != before) == (is_written != 0), "a new version where it was written");
    }
    CHECK_STATUS(stria_tensor_borrow(y, &held, NULL), STRIA_OK);
    stria_tensor_release(y);
    CHECK(stria_tensor_get_const_data(held) == data && data[2] == 3, "it outlives its tensors");
    stria_tensor_give_back(held, true);
    CHECK_STATUS(stria_tensor_new_strided(STRIA_F32, 1, (int64_t[]){3}, (int64_t[]){2}, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_borrow(y, &held, &err), STRIA_ERR_ARGUMENT);
    CHECK(held == NULL && strcmp(err.op, "borrow") == 0, "refused: gaps");
    stria_tensor_release(y);
    CHECK_STATUS(stria_empty((int64_t[]){3}, 1, STRIA_F32, STRIA_META, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_borrow(y, &held, &err), STRIA_ERR_DEVICE);
    stria_tensor_release(y);
    stria_tensor_release(x);
    stria_tensor_release(big);
}

SUITE(test_tensor)
{
    check_new();
    check_values();
    check_external();
    check_set_expanded();
    check_resize();
    check_memory_order();
    check_unsqueezed_strides();
    check_layouts();
    check_copies();
    check_borrow();
    CHECK(stria_memory_get_stats().live_storages == 0 && stria_memory_get_stats().live_bytes == 0, "memory is left");
    return check_finish("test_tensor");
}
