/* diagonal.c - matrices that are 0 on one side of a diagonal, or but for diagonals. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"
#include "call/meta.h"
#include "tensor/shape.h"

static const stria_scalar zero = {.kind = STRIA_SCALAR_INT};

/* ---------------------------------------------------------------- tril, triu */

static stria_status infer_triangle(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    char                got[32];

    snprintf(got, sizeof got, "%d dims", x->ndim);
    if (x->ndim < 2)
        return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), "x", "2 dims or more", got,
                               "x has %s, but must have 2 or more", got);
    stria_infer_same_shape(x, x->dtype, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_infer_tril(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_triangle(call, meta, err);
}

stria_status stria_infer_triu(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_triangle(call, meta, err);
}

typedef struct triangle {
    stria_tensor *y;
    int64_t       diagonal;
    bool          is_upper;
} triangle;

static int64_t limit(int64_t value, int64_t high) { return value < 0 ? 0 : value > high ? high : value; }

/* Rows begin .. end of all matrices: the columns that are not of the triangle become 0. */
static void clear_rows(void *context, int chunk, int64_t begin, int64_t end)
{
    const triangle     *task = context;
    const stria_tensor *y = task->y;
    const int64_t rows = y->shape[y->ndim - 2], columns = y->shape[y->ndim - 1], item = stria_tensor_get_item_size(y);
    const int64_t step = y->strides[y->ndim - 1] * item;
    (void)chunk;

    for (int64_t row = begin; row < end; row++) {
        const int64_t i = row % rows, edge = limit(i + task->diagonal + !task->is_upper, columns);
        const int64_t first = task->is_upper ? 0 : edge, last = task->is_upper ? edge : columns;
        char         *at = y->data + i * y->strides[y->ndim - 2] * item;
        int64_t       rest = row / rows;
        for (int d = y->ndim - 3; d >= 0; d--) {
            at += rest % y->shape[d] * y->strides[d] * item;
            rest /= y->shape[d];
        }
        if (step == item)
            memset(at + first * item, 0, (size_t)((last - first) * item));
        else
            for (int64_t k = first; k < last; k++) memset(at + k * step, 0, (size_t)item);
    }
}

static stria_status run_triangle(const stria_tensor *x, int64_t diagonal, bool is_upper, stria_tensor *y,
                                 stria_error *err)
{
    /* beyond the size of the matrix all diagonals are alike */
    const int64_t columns = y->shape[y->ndim - 1], most = columns + y->shape[y->ndim - 2];
    triangle      task = {y, diagonal > most ? most : diagonal < -most ? -most : diagonal, is_upper};
    const int64_t grain = STRIA_GRAIN / columns;

    if (y != x) STRIA_TRY(stria_backend_copy(y, x, err));
    stria_parallel_for(stria_team_get(), 0, y->numel / columns, grain > 1 ? grain : 1, clear_rows, &task);
    return STRIA_OK;
}

stria_status stria_cpu_tril(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return run_triangle(call->in[0], ((const stria_tril_attrs *)call->attrs)->diagonal, false, y[0], err);
}

stria_status stria_cpu_triu(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return run_triangle(call->in[0], ((const stria_triu_attrs *)call->attrs)->diagonal, true, y[0], err);
}

/* ---------------------------------------------------------------- diag_embed */

stria_status stria_infer_diag_embed(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_diag_embed_attrs *attrs = call->attrs;
    const stria_tensor           *x = call->in[0];
    stria_output_meta            *out = &meta->out[0];
    const int                     ndim = x->ndim + 1;
    int64_t                       size;
    int                           axis1, axis2;

    if (x->ndim == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, "diag_embed", "x", "1 dim or more", "0 dims", "x has no dims");
    if (x->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "diag_embed", "x", NULL, NULL, "the tensor already has %d dims",
                               STRIA_MAX_DIMS);
    STRIA_TRY(stria_infer_wrap_axis(call, "dim1", ndim, attrs->dim1, &axis1, err));
    STRIA_TRY(stria_infer_wrap_axis(call, "dim2", ndim, attrs->dim2, &axis2, err));
    if (axis1 == axis2)
        return stria_error_set(err, STRIA_ERR_AXIS, "diag_embed", "dim2", "two axes", NULL, "both axes are axis %d",
                               axis1);
    if (attrs->offset == INT64_MIN ||
        __builtin_add_overflow(x->shape[x->ndim - 1], attrs->offset < 0 ? -attrs->offset : attrs->offset, &size))
        return stria_error_set(err, STRIA_ERR_OVERFLOW, "diag_embed", "offset", "fewer than 2^63 elements", NULL,
                               "the matrices are too large");
    out->dtype = x->dtype;
    out->order = STRIA_ORDER_ROW_MAJOR;
    out->ndim = ndim;
    for (int d = 0, from = 0; d < ndim; d++) out->shape[d] = d == axis1 || d == axis2 ? size : x->shape[from++];
    int64_t numel;
    return stria_shape_get_numel("diag_embed", "offset", x->dtype, ndim, out->shape, &numel, NULL, err);
}

stria_status stria_cpu_diag_embed(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    const stria_diag_embed_attrs *attrs = call->attrs;
    stria_tensor                 *diagonal = NULL;
    (void)meta;

    STRIA_TRY(stria_backend_fill(y[0], zero, err));
    STRIA_TRY(stria_diagonal(y[0], attrs->offset, attrs->dim1, attrs->dim2, &diagonal, err));
    const stria_status status = stria_backend_copy(diagonal, call->in[0], err);
    stria_tensor_release(diagonal);
    return status;
}

/* ---------------------------------------------------------------- block_diag */

/* Rows and columns of a part: one dim is a row, a number a matrix of one element. */
static int64_t get_rows(const stria_tensor *x) { return x->ndim == 2 ? x->shape[0] : 1; }
static int64_t get_columns(const stria_tensor *x) { return x->ndim > 0 ? x->shape[x->ndim - 1] : 1; }

stria_status stria_infer_block_diag(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    stria_output_meta *out = &meta->out[0];
    char               argument[32], got[32];

    if (call->n_list == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "block_diag", "tensors", "at least one tensor", "none",
                               "tensors is empty");
    out->dtype = stria_promote_result(call->list, call->n_list);
    out->order = STRIA_ORDER_ROW_MAJOR;
    out->ndim = 2;
    out->shape[0] = out->shape[1] = 0;
    for (int k = 0; k < call->n_list; k++) {
        const stria_tensor *x = call->list[k];
        snprintf(argument, sizeof argument, "tensors[%d]", k);
        snprintf(got, sizeof got, "%d dims", x->ndim);
        if (x->ndim > 2)
            return stria_error_set(err, STRIA_ERR_SHAPE, "block_diag", argument, "2 dims or fewer", got,
                                   "%s has %s, but must have 2 or fewer", argument, got);
        if (__builtin_add_overflow(out->shape[0], get_rows(x), &out->shape[0]) ||
            __builtin_add_overflow(out->shape[1], get_columns(x), &out->shape[1]))
            return stria_error_set(err, STRIA_ERR_OVERFLOW, "block_diag", argument, "fewer than 2^63 elements", NULL,
                                   "the matrix is too large");
    }
    int64_t numel;
    return stria_shape_get_numel("block_diag", "tensors", out->dtype, 2, out->shape, &numel, NULL, err);
}

stria_status stria_cpu_block_diag(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    int64_t row = 0, column = 0;
    (void)meta;

    STRIA_TRY(stria_backend_fill(y[0], zero, err));
    for (int k = 0; k < call->n_list; k++) {
        const stria_tensor *x = call->list[k];
        const int64_t       shape[] = {get_rows(x), get_columns(x)};
        stria_tensor       *block = NULL;
        if (x->numel > 0) {
            const int64_t offset = row * y[0]->strides[0] + column * y[0]->strides[1];
            STRIA_TRY(stria_tensor_view(y[0], 2, shape, y[0]->strides, offset, &block, err));
            const stria_status status = stria_backend_copy(block, x, err);
            stria_tensor_release(block);
            STRIA_TRY(status);
        }
        row += shape[0];
        column += shape[1];
    }
    return STRIA_OK;
}
