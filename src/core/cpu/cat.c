/* cat.c - tensors one behind another along an axis, copied block by block where they lie as the result does. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"
#include "call/meta.h"

static const char name[] = "cat";

/* Adds tensor k to the shape of the result, which is that of those before it. */
static stria_status add_shape(const stria_call *call, int k, int axis, stria_output_meta *out, stria_error *err)
{
    const stria_tensor *x = call->list[k];
    char                argument[32], expected[96], got[96];

    snprintf(argument, sizeof argument, "tensors[%d]", k);
    if (x->ndim == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, "1 dim or more", "0 dims", "%s has no dims",
                               argument);
    bool fits = x->ndim == out->ndim;
    for (int d = 0; d < x->ndim && fits; d++) fits = d == axis || x->shape[d] == out->shape[d];
    if (!fits) {
        stria_shape_print(expected, sizeof expected, call->list[0]->ndim, call->list[0]->shape);
        stria_shape_print(got, sizeof got, x->ndim, x->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, expected, got,
                               "%s has shape %s, which differs from %s in more than axis %d", argument, got, expected,
                               axis);
    }
    if (__builtin_add_overflow(out->shape[axis], x->shape[axis], &out->shape[axis]))
        return stria_error_set(err, STRIA_ERR_OVERFLOW, name, argument, "fewer than 2^63 elements", NULL,
                               "axis %d of the result is too long", axis);
    return STRIA_OK;
}

stria_status stria_infer_cat(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_cat_attrs *attrs = call->attrs;
    stria_output_meta     *out = &meta->out[0];

    if (call->n_list == 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "tensors", "at least one tensor", "none",
                               "tensors is empty");
    STRIA_TRY(stria_infer_axis(call, call->list[0], attrs->dim, meta, err));
    stria_infer_same_shape(call->list[0], stria_promote_result(call->list, call->n_list), out);
    if (out->ndim > 0) out->shape[meta->axis] = 0;
    out->order = STRIA_ORDER_LIKE_FIRST;
    for (int k = 0; k < call->n_list; k++) STRIA_TRY(add_shape(call, k, meta->axis, out, err));
    return STRIA_OK;
}

/* ---------------------------------------------------------------- blocks
 *
 * A result without gaps is rows: for each index of the dims that lie outside of the axis, in the order of memory, one block of each
 * tensor, one behind another. */

typedef struct part {
    const char *data;          /* of the first block; NULL: this tensor is copied by itself */
    int64_t     step;          /* from its block of a row to that of the next one, in bytes */
    int64_t     first, nbytes; /* where its block lies in a row */
} part;

typedef struct cat_task {
    const part *parts; /* [n] */
    int         n;
    char       *y;
    int64_t     row_bytes;
} cat_task;

/* Bytes below which a block is not worth a call of its own, where there are more than a few rows. */
#define SMALL_BLOCK 64
#define FEW_ROWS 16
/* Bytes of rows that are filled by one part after another. */
#define BAND_BYTES 16384

/* The last part that begins at `at` or before. */
static int find_part(const cat_task *task, int64_t at)
{
    int low = 0, high = task->n - 1;

    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (task->parts[middle].first <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Bytes begin .. end of the result. */
static void copy_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const cat_task *task = context;
    int64_t         row = begin / task->row_bytes, at = begin % task->row_bytes;
    (void)chunk;

    for (int k = find_part(task, at); begin < end; k++) {
        if (k == task->n) {
            k = 0;
            at = 0;
            row++;
        }
        const part   *p = &task->parts[k];
        const int64_t from = at - p->first, left = end - begin;
        const int64_t nbytes = p->nbytes - from < left ? p->nbytes - from : left;
        if (p->data != NULL) memcpy(task->y + begin, p->data + row * p->step + from, (size_t)nbytes);
        begin += nbytes;
        at += nbytes;
    }
}

/* Blocks of a constant number of bytes, one in each of n rows. */
static inline __attribute__((always_inline)) void copy_blocks(char *to, int64_t row_bytes, const char *from,
                                                              int64_t step, int64_t n, size_t nbytes)
{
    for (int64_t row = 0; row < n; row++) memcpy(to + row * row_bytes, from + row * step, nbytes);
}

/* Rows begin .. end of the result, of small blocks. */
static void copy_rows(void *context, int chunk, int64_t begin, int64_t end)
{
    const cat_task *task = context;
    const int64_t   stride = task->row_bytes, most = BAND_BYTES / stride + 1;
    (void)chunk;

    for (int64_t row = begin; row < end; row += most)
        for (int k = 0; k < task->n; k++) {
            const part   *p = &task->parts[k];
            const int64_t n = end - row < most ? end - row : most;
            char *const   to = task->y + row * stride + p->first;
            if (p->data == NULL) continue;
            const char *const from = p->data + row * p->step;
            if (p->nbytes == 4)
                copy_blocks(to, stride, from, p->step, n, 4);
            else if (p->nbytes == 8)
                copy_blocks(to, stride, from, p->step, n, 8);
            else if (p->nbytes == 16)
                copy_blocks(to, stride, from, p->step, n, 16);
            else if (p->nbytes == 1)
                copy_blocks(to, stride, from, p->step, n, 1);
            else
                copy_blocks(to, stride, from, p->step, n, (size_t)p->nbytes);
        }
}

static void copy_parts(const cat_task *task, int64_t n_rows)
{
    const stria_team team = stria_team_get();
    const int64_t    grain = STRIA_GRAIN * (int64_t)4; /* bytes */

    if (n_rows < FEW_ROWS || task->row_bytes / task->n >= SMALL_BLOCK)
        stria_parallel_for(team, 0, n_rows * task->row_bytes, grain, copy_range, (void *)(uintptr_t)task);
    else
        stria_parallel_for(team, 0, n_rows, grain / task->row_bytes + 1, copy_rows, (void *)(uintptr_t)task);
}

/* The strides of x along the first n dims in `order`, fastest first, are those of a block without gaps. */
static bool is_packed(const stria_tensor *x, const int *order, int n)
{
    int64_t wanted = 1;

    for (int i = 0; i < n; i++) {
        const int d = order[i];
        if (x->shape[d] != 1 && x->strides[d] != wanted) return false;
        wanted *= x->shape[d];
    }
    return true;
}

/* Whether x is blocks of its first n dims in `order` without gaps, one step apart along all of the others. */
static bool has_blocks(const stria_tensor *x, const int *order, int n, int64_t *step)
{
    int64_t wanted = 0;
    bool    is_first = true;

    *step = 0;
    for (int i = n; i < x->ndim; i++) {
        const int d = order[i];
        if (x->shape[d] == 1) continue;
        if (is_first) *step = x->strides[d];
        if (!is_first && x->strides[d] != wanted) return false;
        wanted = x->strides[d] * x->shape[d];
        is_first = false;
    }
    return is_packed(x, order, n);
}

/* Tensor k by itself, into its place. */
static stria_status copy_part(const stria_tensor *x, stria_tensor *y, int axis, int64_t at, stria_error *err)
{
    stria_tensor *place = NULL;

    STRIA_TRY(stria_tensor_view(y, x->ndim, x->shape, y->strides, at * y->strides[axis], &place, err));
    const stria_status status = stria_backend_copy(place, x, err);
    stria_tensor_release(place);
    return status;
}

/* Blocks of the tensors that have them; *is_left: there are others. */
static void set_parts(const stria_call *call, const stria_tensor *y, const int *order, int n_inner, int64_t n_rows,
                      part *parts, cat_task *task, bool *is_left)
{
    const int64_t item = stria_tensor_get_item_size(y);
    int64_t       step;

    task->row_bytes = 0;
    for (int k = 0; k < call->n_list; k++) {
        const stria_tensor *x = call->list[k];
        part               *p = &parts[task->n];
        if (x->numel == 0) continue;
        p->first = task->row_bytes;
        p->nbytes = x->numel / n_rows * item;
        p->data = x->dtype == y->dtype && has_blocks(x, order, n_inner, &step) ? x->data : NULL;
        p->step = p->data ? step * item : 0;
        *is_left |= p->data == NULL;
        task->row_bytes += p->nbytes;
        task->n++;
    }
}

stria_status stria_cpu_cat(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *result = y[0];
    const stria_layout  layout = {result->shape, result->strides};
    const int           axis = meta->axis;
    int                 order[STRIA_MAX_DIMS];
    size_t              nbytes = 0;
    int64_t             n_rows = 1, at = 0;
    bool                is_left = false;
    cat_task            task = {NULL, 0, result->data, 0};
    part               *parts = stria_block_new_parts(call->n_list, (int64_t)sizeof *parts, &nbytes);

    if (!parts)
        return stria_error_set(err, STRIA_ERR_MEMORY, name, "tensors", NULL, NULL, "no memory for %d parts",
                               call->n_list);
    stria_layout_sort_dims(result->ndim, order, stria_layout_compare_dims, &layout);
    int n_inner = result->ndim; /* dims of a block */
    for (; order[n_inner - 1] != axis; n_inner--) n_rows *= result->shape[order[n_inner - 1]];
    const bool is_rows = is_packed(result, order, result->ndim);
    if (is_rows) set_parts(call, result, order, n_inner, n_rows, parts, &task, &is_left);
    task.parts = parts;
    if (is_rows) copy_parts(&task, n_rows);
    stria_status status = STRIA_OK;
    for (int k = 0, used = 0; k < call->n_list && status == STRIA_OK && (is_left || !is_rows); k++) {
        const stria_tensor *x = call->list[k];
        if (x->numel == 0) continue;
        if (!is_rows || parts[used].data == NULL) status = copy_part(x, y[0], axis, at, err);
        used++;
        at += x->shape[axis];
    }
    stria_block_release(parts, nbytes);
    return status;
}
