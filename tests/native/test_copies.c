/* test_copies.c - the rows that copy, `to`, `copy` and `fill`, against plain loops; that recorders see each of them once, and
 * expressions, and nothing of what a row moves to do its work; that given tensors change together or not at all. */
#include <string.h>

#include "call/call.h"
#include "oracle.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

static stria_tensor *new_f32(int ndim, const int64_t *shape, const float *values)
{
    stria_tensor *x;
    int64_t       n = 1;

    for (int d = 0; d < ndim; d++) n *= shape[d];
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, ndim, shape, values, (size_t)n * 4, &x, NULL), STRIA_OK);
    return x;
}

static double get(const stria_tensor *x, int64_t i, int64_t j)
{
    const char *at = x->data + (i * x->strides[0] + j * x->strides[1]) * stria_tensor_get_item_size(x);

    return x->dtype == STRIA_F32   ? (double)*(const float *)(const void *)at
           : x->dtype == STRIA_I16 ? (double)*(const int16_t *)(const void *)at
                                   : (double)*(const uint8_t *)at;
}

static void check_refused(stria_status status, stria_status wanted, const stria_error *err, const char *op,
                          const char *argument, const char *words)
{
    CHECK(status == wanted && strcmp(err->op, op) == 0 && strcmp(err->argument, argument) == 0 &&
              strstr(err->message, words) != NULL,
          "%s: '%s' of '%s': %s", stria_status_get_name(status), err->argument, err->op, err->message);
}

static const float grid[6] = {1, -2.5F, 3, 0, 300, -0.75F};

/* ---------------------------------------------------------------- values */

static void check_to(void)
{
    stria_tensor *x = new_f32(2, SHAPE(2, 3), grid), *turned, *y, *given;
    stria_error   err = {0};

    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_to(turned, STRIA_I16, &y, NULL), STRIA_OK);
    CHECK(y->strides[0] == 1 && y->strides[1] == 3, "not in the memory order of x");
    for (int k = 0; k < 6; k++) CHECK(get(y, k % 3, k / 3) == (double)(int16_t)grid[k], "element %d", k);
    stria_tensor_release(y);
    CHECK_STATUS(stria_to(turned, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(y->dtype == STRIA_F32 && y->storage != x->storage, "a copy of another dtype, or none");
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 1, SHAPE(1), &given, NULL), STRIA_OK);
    CHECK_STATUS(stria_to_out(x, STRIA_DTYPE_NONE, given, NULL), STRIA_OK); /* its dtype, and it gets the shape */
    CHECK(stria_tensor_has_shape(given, 2, SHAPE(2, 3)) && given->storage->version == 1, "not written, or twice");
    for (int k = 0; k < 6; k++) CHECK(get(given, k / 3, k % 3) == (grid[k] != 0), "element %d", k);
    check_refused(stria_to_out(x, STRIA_F32, given, &err), STRIA_ERR_DTYPE, &err, "to", "out", "f32");
    stria_tensor_release(given);
    stria_tensor_release(turned);
    stria_tensor_release(x);
}

static void check_copy(void)
{
    static const float zeros[6] = {0};
    stria_tensor      *x = new_f32(2, SHAPE(2, 3), zeros), *row = new_f32(1, SHAPE(3), grid), *y, *other, *rows;
    stria_error        err = {0};

    CHECK_STATUS(stria_copy(x, row, &y, NULL), STRIA_OK);
    for (int k = 0; k < 6; k++) CHECK(get(y, k / 3, k % 3) == grid[k % 3], "element %d", k);
    CHECK(memcmp(x->data, zeros, sizeof zeros) == 0 && x->storage->version == 0, "x was written to");
    stria_tensor_release(y);
    CHECK_STATUS(stria_copy_out(x, row, x, NULL), STRIA_OK);
    for (int k = 0; k < 6; k++) CHECK(get(x, k / 3, k % 3) == grid[k % 3], "in place: element %d", k);
    CHECK(x->storage->version == 1, "counted %u times", (unsigned)x->storage->version);
    CHECK_STATUS(stria_tensor_new(STRIA_I16, 0, NULL, &other, NULL), STRIA_OK);
    check_refused(stria_copy_out(x, row, other, &err), STRIA_ERR_DTYPE, &err, "copy", "out", "does not cast");
    stria_tensor_release(other);
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 0, NULL, &other, NULL), STRIA_OK);
    CHECK_STATUS(stria_copy_out(x, row, other, NULL), STRIA_OK);
    for (int k = 0; k < 6; k++) CHECK(get(other, k / 3, k % 3) == grid[k % 3], "apart: element %d", k);
    stria_tensor_release(other);
    /* source must broadcast to x, not both to a third shape */
    CHECK_STATUS(stria_view(x, SHAPE(2, 1, 3), 3, &rows, NULL), STRIA_OK);
    check_refused(stria_copy(row, x, &y, &err), STRIA_ERR_SHAPE, &err, "copy", "source", "[2,3]");
    check_refused(stria_copy(x, rows, &y, &err), STRIA_ERR_SHAPE, &err, "copy", "source", "[2,1,3]");
    check_refused(stria_copy(x, NULL, &y, &err), STRIA_ERR_ARGUMENT, &err, "copy", "source", "NULL");
    stria_tensor_release(rows);
    /* a single value into an expanded tensor */
    CHECK_STATUS(stria_expand(row, SHAPE(4, 3), 2, &rows, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, 7, 0, 0}, &other, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(rows, other, NULL), STRIA_OK);
    CHECK(get(rows, 3, 2) == 7, "%g", get(rows, 3, 2));
    check_refused(stria_tensor_set(rows, row, &err), STRIA_ERR_OVERLAP, &err, "copy", "out", "several elements");
    stria_tensor_release(other);
    stria_tensor_release(rows);
    stria_tensor_release(row);
    stria_tensor_release(x);
}

static void check_devices(void)
{
    stria_tensor *x = new_f32(2, SHAPE(2, 3), grid), *meta, *y;
    stria_error   err = {0};

    CHECK_STATUS(stria_empty(SHAPE(2, 3), 2, STRIA_I16, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_copy(meta, meta, &y, NULL), STRIA_OK);
    CHECK(y->device.type == STRIA_DEVICE_META && y->dtype == STRIA_I16, "of another device or dtype");
    stria_tensor_release(y);
    check_refused(stria_copy(x, meta, &y, &err), STRIA_ERR_DEVICE, &err, "copy", "source", "meta");
    check_refused(stria_copy(meta, x, &y, &err), STRIA_ERR_DEVICE, &err, "copy", "source", "meta");
    check_refused(stria_tensor_set(x, meta, &err), STRIA_ERR_DEVICE, &err, "copy", "out", "meta");
    stria_tensor_release(meta);
    stria_tensor_release(x);
}

static void check_fill(void)
{
    static const struct {
        stria_scalar value;
        double       f32, i16, truth;
    } cases[] = {{{STRIA_SCALAR_BOOL, 1, 0, 0}, 1, 1, 1},
                 {{STRIA_SCALAR_INT, -70000, 0, 0}, -70000, -4464, 1},
                 {{STRIA_SCALAR_FLOAT, 0, 2.75, 0}, 2.75, 2, 1},
                 {{STRIA_SCALAR_UINT, 0, 0, 0}, 0, 0, 0},
                 {{STRIA_SCALAR_COMPLEX, 0, 1.5, 3}, 1.5, 1, 1}};
    const stria_dtype dtypes[] = {STRIA_F32, STRIA_I16, STRIA_BOOL};
    stria_tensor     *x, *y, *turned;
    stria_error       err = {0};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int t = 0; t < 3; t++) {
            const double expected = t == 0 ? cases[c].f32 : t == 1 ? cases[c].i16 : cases[c].truth;
            CHECK_STATUS(stria_tensor_new(dtypes[t], 2, SHAPE(2, 3), &x, NULL), STRIA_OK);
            memset(x->data, 0, x->storage->nbytes);
            CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
            CHECK_STATUS(stria_fill(turned, cases[c].value, &y, NULL), STRIA_OK);
            CHECK(get(x, 1, 2) == 0 && x->storage->version == 0, "x was written to");
            CHECK_STATUS(stria_fill_out(turned, cases[c].value, turned, NULL), STRIA_OK);
            CHECK(x->storage->version == 1, "counted %u times", (unsigned)x->storage->version);
            for (int k = 0; k < 6; k++)
                CHECK(get(y, k % 3, k / 3) == expected && get(x, k / 3, k % 3) == expected, "case %d, dtype %d: %g",
                      (int)c, t, get(y, k % 3, k / 3));
            stria_tensor_release(turned);
            stria_tensor_release(y);
            stria_tensor_release(x);
        }
    x = new_f32(2, SHAPE(2, 3), grid);
    check_refused(stria_fill(x, (stria_scalar){.kind = (stria_scalar_kind)9}, &y, &err), STRIA_ERR_ARGUMENT, &err,
                  "fill", "value", "kind");
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- recorders */

typedef struct log {
    int       n;
    stria_row rows[32];
} log;

static stria_status write_down(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    log *l = context;

    (void)is_taken, (void)err;
    if (l->n < 32) l->rows[l->n++] = call->row;
    return STRIA_OK;
}

/* Each row once, though most of these make views, copies and other calls to do their work. */
static void check_recorder(void)
{
    static const stria_instruction code[] = {{STRIA_OP_mul, {0, 1, 0}}, {STRIA_OP_add, {2, 0, 0}}};
    static const float             weights[3] = {1, 2, 3};
    const stria_scalar             seven = {STRIA_SCALAR_INT, 7, 0, 0};
    const stria_row                expected[] = {STRIA_ROW_OF_FUNCTION(STRIA_FN_copy),
                                                 STRIA_ROW_OF_FUNCTION(STRIA_FN_to),
                                                 STRIA_ROW_OF_FUNCTION(STRIA_FN_to),
                                                 STRIA_ROW_OF_FUNCTION(STRIA_FN_fill),
                                                 STRIA_ROW_OF_FUNCTION(STRIA_FN_fill),
                                                 STRIA_ROW_EXPRESSION,
                                                 STRIA_ROW_EXPRESSION,
                                                 STRIA_ROW_OF_REDUCTION(STRIA_RED_sum),
                                                 STRIA_ROW_OF_FUNCTION(STRIA_FN_reshape),
                                                 STRIA_ROW_OF_FUNCTION(STRIA_FN_layer_norm),
                                                 STRIA_ROW_OF_FUNCTION(STRIA_FN_masked_fill)};
    const int                      n_expected = (int)(sizeof expected / sizeof *expected);
    log                            l = {0};
    stria_tensor *x = new_f32(2, SHAPE(2, 3), grid), *w = new_f32(1, SHAPE(3), weights), *y[12], *turned, *small, *mask;
    stria_expression *e = NULL;
    int               n = 0;

    CHECK_STATUS(stria_expression_new(2, NULL, 0, code, 2, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, SHAPE(1), &small, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(SHAPE(3), 1, seven, STRIA_BOOL, STRIA_CPU, &mask, NULL), STRIA_OK);
    const stria_tensor *const in[] = {x, w};
    stria_call_set_recorder(write_down, &l);
    CHECK_STATUS(stria_tensor_set(x, w, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_I64, &y[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_to_out(x, STRIA_DTYPE_NONE, small, NULL), STRIA_OK);
    CHECK_STATUS(stria_fill(x, seven, &y[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_fill_out(x, seven, x, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, in, 2, &y[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply_out(e, in, 2, x, NULL), STRIA_OK);
    const unsigned before = small->storage->version;
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, x, NULL, 0, false, STRIA_DTYPE_NONE, small, NULL), STRIA_OK);
    CHECK(small->ndim == 0 && small->storage->version == before + 1, "counted %u times",
          (unsigned)small->storage->version - before);
    CHECK_STATUS(stria_reshape(turned, SHAPE(6), 1, &y[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_layer_norm(x, w, NULL, SHAPE(3), 1, 1e-5, &y[n++], NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_fill(x, mask, small, &y[n++], NULL), STRIA_OK);
    stria_call_set_recorder(NULL, NULL);
    CHECK(l.n == n_expected, "%d calls were recorded, not %d", l.n, n_expected);
    for (int k = 0; k < l.n && k < n_expected; k++)
        CHECK(l.rows[k] == expected[k], "call %d: %s, not %s", k, stria_row_get_name(l.rows[k]),
              stria_row_get_name(expected[k]));
    for (int k = 0; k < n; k++) stria_tensor_release(y[k]);
    stria_tensor_release(mask), stria_tensor_release(small), stria_tensor_release(turned);
    stria_tensor_release(w), stria_tensor_release(x);
    stria_expression_release(e);
}

/* A recorder that takes a call answers it. */
static stria_status take(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    (void)err;
    *is_taken = true;
    if (call->out[0] == NULL) call->out[0] = stria_tensor_retain(context);
    return STRIA_OK;
}

static void check_taken(void)
{
    static const stria_instruction code[] = {{STRIA_OP_neg, {0, 0, 0}}};
    stria_tensor                  *x = new_f32(2, SHAPE(2, 3), grid), *w = new_f32(1, SHAPE(3), grid + 3), *y;
    stria_expression              *e = NULL;
    const stria_tensor *const      in[] = {x};

    CHECK_STATUS(stria_expression_new(1, NULL, 0, code, 1, &e, NULL), STRIA_OK);
    stria_call_set_recorder(take, w);
    CHECK_STATUS(stria_expression_apply(e, in, 1, &y, NULL), STRIA_OK);
    CHECK(y == w, "computed, though taken");
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_I16, &y, NULL), STRIA_OK);
    CHECK(y == w, "copied, though taken");
    stria_tensor_release(y);
    CHECK_STATUS(stria_tensor_set(x, w, NULL), STRIA_OK);
    CHECK(memcmp(x->data, grid, sizeof grid) == 0, "written, though taken");
    stria_call_set_recorder(NULL, NULL);
    stria_expression_release(e);
    stria_tensor_release(w);
    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- given tensors */

/* One of two outputs cannot have another shape: the other stays as it is, too. */
static void check_all_or_none(void)
{
    static const int64_t numbers[2] = {8, 9};
    stria_tensor        *x = new_f32(2, SHAPE(2, 3), grid), *values = new_f32(2, SHAPE(2, 3), grid), *indices, *held;
    stria_error          err = {0};

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_I64, 1, SHAPE(2), numbers, sizeof numbers, &indices, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_borrow(indices, &held, NULL), STRIA_OK);
    check_refused(stria_sort_out(x, 1, false, false, values, indices, &err), STRIA_ERR_ARGUMENT, &err, "sort", "out",
                  "borrowed");
    CHECK(memcmp(values->data, grid, sizeof grid) == 0 && values->storage->version == 0, "values were written to");
    stria_tensor_give_back(held, true);
    CHECK_STATUS(stria_sort_out(x, 1, false, false, values, indices, NULL), STRIA_OK);
    CHECK(get(values, 0, 0) == -2.5 && indices->ndim == 2 && ((int64_t *)(void *)indices->data)[0] == 1, "not sorted");
    stria_tensor_release(indices), stria_tensor_release(values), stria_tensor_release(x);
}

/* Another shape, of few and of many dims, again and again: views of the memory of before keep it, versions go on. */
static void check_shapes(void)
{
    static const int64_t flat[1] = {6}, deep[8] = {1, 1, 2, 1, 1, 3, 1, 1};
    stria_tensor        *x = new_f32(1, flat, grid), *y = new_f32(1, SHAPE(2), grid), *view, *turned;

    CHECK_STATUS(stria_view(y, SHAPE(2), 1, &view, NULL), STRIA_OK);
    for (int round = 0; round < 5; round++) {
        const int64_t *shape = round % 2 ? flat : deep;
        CHECK_STATUS(stria_view(x, shape, round % 2 ? 1 : 8, &turned, NULL), STRIA_OK);
        CHECK_STATUS(stria_cumsum_out(turned, 0, STRIA_DTYPE_NONE, y, NULL), STRIA_OK);
        CHECK(stria_tensor_has_shape(y, turned->ndim, shape) && stria_tensor_is_contiguous(y), "round %d", round);
        CHECK(((float *)(void *)y->data)[5] == (round % 2 ? 300.75F : -0.75F), "round %d: %g", round,
              (double)((float *)(void *)y->data)[5]);
        CHECK(y->storage->version == (unsigned)round + 1, "round %d: version %u", round, (unsigned)y->storage->version);
        stria_tensor_release(turned);
    }
    CHECK(memcmp(view->data, grid, 8) == 0, "a view of the memory of before has changed");
    stria_tensor_release(view), stria_tensor_release(y), stria_tensor_release(x);
}

/* ---------------------------------------------------------------- transposed */

/* dst[j][i][..] = src[i][j][..] of n elements of `size` bytes: the last axis of the view first. Rows of dst are `gap` elements apart. */
static void check_transposed(stria_dtype dtype, int64_t rows, int64_t columns, int64_t gap)
{
    const size_t  size = stria_dtype_get_size(dtype);
    stria_tensor *x, *turned, *whole, *y;
    bool          same = true;

    CHECK_STATUS(stria_tensor_new(dtype, 2, SHAPE(rows, columns), &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(dtype, 2, SHAPE(columns, rows + gap), &whole, NULL), STRIA_OK);
    for (size_t k = 0; k < (size_t)(rows * columns) * size; k++) ((uint8_t *)x->data)[k] = (uint8_t)(k * 7 + k / 251);
    memset(whole->data, 90, (size_t)(columns * (rows + gap)) * size);
    CHECK_STATUS(stria_slice(whole, 1, gap / 2, gap / 2 + rows, 1, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(y, turned, NULL), STRIA_OK);
    for (int64_t j = 0; j < columns; j++) {
        const char *row = whole->data + (size_t)(j * (rows + gap)) * size, *at = row + (size_t)(gap / 2) * size;
        for (int64_t i = 0; i < rows; i++)
            same &= memcmp(at + (size_t)i * size, x->data + (size_t)(i * columns + j) * size, size) == 0;
        for (size_t k = 0; k < (size_t)gap * size; k++)
            same &= row[k < (size_t)(gap / 2) * size ? k : k + (size_t)rows * size] == 90;
    }
    CHECK(same, "dtype %d, %lld x %lld, %lld elements between rows", dtype, (long long)rows, (long long)columns,
          (long long)gap);
    stria_tensor_release(turned), stria_tensor_release(x), stria_tensor_release(y), stria_tensor_release(whole);
}

/* Blocks of every shape: few rows, rows that meet in the caches, results that are stored past the caches, and rows that begin
 * anywhere. */
static void check_all_transposed(void)
{
    static const stria_dtype dtypes[] = {STRIA_U8, STRIA_BF16, STRIA_F32, STRIA_F64, STRIA_C128};
    static const int64_t shapes[][2] = {{3, 700}, {700, 3}, {35, 600}, {131, 97}, {512, 512}, {1024, 260}, {700, 70}};

    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int64_t gap = 0; gap < 4; gap += 3) check_transposed(dtypes[d], shapes[k][0], shapes[k][1], gap);
    check_transposed(STRIA_F32, 2051, 2053, 0);
    check_transposed(STRIA_F32, 2052, 2053, 3);
    check_transposed(STRIA_F32, 2048, 2048, 0);
    check_transposed(STRIA_U8, 4100, 4099, 1);
    check_transposed(STRIA_F32, 3, 1400003, 0);
    check_transposed(STRIA_F32, 1400003, 3, 0);
}

SUITE(test_copies)
{
    const uint64_t before = stria_memory_get_stats().live_bytes;

    check_isa("test_copies");
    check_to();
    check_copy();
    check_devices();
    check_fill();
    check_recorder();
    check_taken();
    check_all_or_none();
    check_shapes();
    check_all_transposed();
    CHECK(stria_memory_get_stats().live_bytes == before, "memory is left over");
    return check_finish("test_copies");
}
