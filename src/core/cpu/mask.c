/* mask.c - masked_select and masked_fill.
 *
 *   masked_select   positions in chunks of CHUNK, each taken by one thread: first the true ones of each are counted,
 *                   then each is packed to where the counts before it say. Threads do not change the result
 *   masked_fill     where(mask, value, x) in the dtype of x. Dtypes without a loop of their own move as unsigned
 *                   integers of their size, so that no bit of a NaN changes */
#include <string.h>

#include "simd/kernels.h"
#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "call/call.h"
#include "iter/iter_internal.h"
#include "base/parallel.h"
#include "tensor/shape.h"

#define CHUNK 65536
#define BLOCK 512    /* elements that are gathered at once where they do not lie side by side */
#define SHORT_ROW 64 /* rows below are gathered several at once */

/* mask is bool, x and mask broadcast to the shape of `out`, which has the dtype of x. */
static stria_status infer(const stria_call *call, stria_output_meta *out, stria_error *err)
{
    const stria_tensor *x = call->in[0], *mask = call->in[1];
    const char         *name = stria_call_get_name(call);
    int64_t             numel;
    stria_status        status;

    if (mask->dtype != STRIA_BOOL) return stria_infer_refuse_dtype(call, "mask", mask->dtype, "bool", err);
    stria_infer_same_shape(x, x->dtype, out);
    status = stria_shape_broadcast(name, &out->ndim, out->shape, mask->ndim, mask->shape, err);
    if (status != STRIA_OK) return stria_error_set_argument(err, status, "mask");
    return stria_shape_get_product(name, out->ndim, out->shape, &numel, err);
}

/* ---------------------------------------------------------------- masked_select */

typedef struct select_task {
    const stria_iter    *iter; /* mask, x; row-major */
    const stria_kernels *kernels;
    int                  shift; /* log2 of the bytes of an element */
    int64_t              size;  /* the bytes */
    int64_t              numel, n_chunks;
    int64_t             *starts; /* [n_chunks + 1]: first how many elements each chunk gives, then where they go */
    char                *out;    /* NULL: they are only counted */
    stria_chunks         split;  /* of the chunks, for both passes */
} select_task;

/* Where the elements of one chunk go. */
typedef struct select_cursor {
    const select_task *task;
    char              *out; /* as of the task */
    int64_t            n, room;
} select_cursor;

/* Elements side by side under a mask side by side; x is not looked at where they are only counted. */
static void select_packed(select_cursor *cursor, const char *mask, const char *x, int64_t n)
{
    const select_task *task = cursor->task;
    if (!cursor->out)
        cursor->n += task->kernels->count_true((const uint8_t *)mask, n);
    else
        cursor->n += task->kernels->compress[task->shift](cursor->out + cursor->n * task->size, x,
                                                          (const uint8_t *)mask, n, cursor->room - cursor->n);
}

/* Rows of n elements of 2^shift bytes, packed one after another. */
static void gather_rows(const stria_kernels *kernels, int shift, char *dst, const char *src, int64_t stride,
                        int64_t row_stride, int64_t n, int64_t n_rows)
{
    const int64_t size = (int64_t)1 << shift, row = n * size;

    if (n_rows > 1 && row_stride == size) { /* columns lie side by side; stride 0 makes them one */
        kernels->transpose[shift](dst, row, src, stride, n, n_rows);
        return;
    }
    for (int64_t j = 0; j < n_rows; j++) kernels->gather[shift](dst + j * row, src + j * row_stride, stride, n);
}

/* n_rows rows of n elements; at most BLOCK elements, or what needs no gathering. */
static void select_block(select_cursor *cursor, char *const *data, const int64_t *strides, int64_t n, int64_t n_rows)
{
    const select_task *task = cursor->task;
    const char        *mask = data[0], *x = data[1];
    char               bytes[BLOCK];
    _Alignas(64) char  elements[BLOCK * 16];

    if (strides[0] != 1 || (n_rows > 1 && strides[2] != n)) {
        gather_rows(task->kernels, 0, bytes, mask, strides[0], strides[2], n, n_rows);
        mask = bytes;
    }
    if (cursor->out && (strides[1] != task->size || (n_rows > 1 && strides[3] != n * task->size))) {
        gather_rows(task->kernels, task->shift, elements, x, strides[1], strides[3], n, n_rows);
        x = elements;
    }
    select_packed(cursor, mask, x, n * n_rows);
}

/* Rows under one truth value each. */
static void select_rows(select_cursor *cursor, char *const *data, const int64_t *strides, int64_t n, int64_t n_rows)
{
    const select_task *task = cursor->task;

    for (int64_t j = 0; j < n_rows; j++) {
        if (!data[0][j * strides[2]]) continue;
        if (cursor->out) {
            if (cursor->room - cursor->n < n) return; /* only if somebody has changed the mask since it was counted */
            task->kernels->gather[task->shift](cursor->out + cursor->n * task->size, data[1] + j * strides[3],
                                               strides[1], n);
        }
        cursor->n += n;
    }
}

static void select_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    select_cursor *cursor = context;
    const bool     packed = strides[0] == 1 && (!cursor->out || strides[1] == cursor->task->size);
    const int64_t  n = packed || n0 < BLOCK ? n0 : BLOCK, n_rows = n < SHORT_ROW && n > 0 ? BLOCK / n : 1;

    if (strides[0] == 0 && n0 >= SHORT_ROW) {
        select_rows(cursor, data, strides, n0, n1);
        return;
    }
    for (int64_t j = 0; j < n1; j += n_rows)
        for (int64_t at = 0; at < n0; at += n) {
            char *const block[] = {data[0] + j * strides[2] + at * strides[0],
                                   data[1] + j * strides[3] + at * strides[1]};
            select_block(cursor, block, strides, n0 - at < n ? n0 - at : n, n1 - j < n_rows ? n1 - j : n_rows);
        }
}

static void select_chunks(void *context, int thread, int64_t begin, int64_t end)
{
    const select_task *task = context;
    (void)thread;
    for (int64_t c = begin; c < end; c++) {
        const int64_t last = (c + 1) * CHUNK < task->numel ? (c + 1) * CHUNK : task->numel;
        select_cursor cursor = {task, NULL, 0, 0};
        if (task->out) {
            cursor.out = task->out + task->starts[c] * task->size;
            cursor.room = task->starts[c + 1] - task->starts[c];
            if (cursor.room == 0) continue;
        }
        stria_iter_walk_range(task->iter, select_loop, &cursor, c * CHUNK, last);
        if (!task->out) task->starts[c] = cursor.n;
    }
}

/* Returns the number of all, and leaves in `starts` where those of each chunk go. */
static int64_t count_chunks(select_task *task)
{
    int64_t total = 0;

    stria_chunks_run(&task->split, select_chunks, task);
    for (int64_t c = 0; c < task->n_chunks; c++) {
        const int64_t n = task->starts[c];
        task->starts[c] = total;
        total += n;
    }
    task->starts[task->n_chunks] = total;
    return total;
}

static stria_status select_all(select_task *task, stria_dtype dtype, stria_tensor **y, stria_error *err)
{
    size_t       nbytes = 0;
    int64_t      length;
    stria_status status;

    task->starts = stria_block_new_parts(task->n_chunks + 1, sizeof *task->starts, &nbytes);
    if (!task->starts)
        return stria_error_set(err, STRIA_ERR_MEMORY, "masked_select", NULL, NULL, NULL, "no memory for counts");
    length = count_chunks(task);
    status = stria_tensor_new(dtype, 1, &length, y, err);
    if (status == STRIA_OK && length > 0) {
        task->out = (*y)->data;
        stria_chunks_run(&task->split, select_chunks, task);
    }
    stria_block_release(task->starts, nbytes);
    return status;
}

/* Row-major over the shape that mask and x broadcast to. */
static stria_status select_iterate(stria_iter *iter, const stria_tensor *x, const stria_tensor *mask, stria_error *err)
{
    stria_iter_config config;
    stria_status      status;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "masked_select");
    stria_iter_config_set_check_all_same_dtype(&config, false);
    stria_iter_config_set_enforce_linear_iteration(&config, true);
    stria_iter_config_add_input(&config, mask);
    stria_iter_config_add_input(&config, x);
    status = stria_iter_build(iter, &config, err);
    stria_iter_config_release(&config);
    return status;
}

stria_status stria_infer_masked_select(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(infer(call, &meta->out[0], err));
    meta->out[0].order = STRIA_ORDER_UNKNOWN;
    meta->out[0].ndim = 1;
    return STRIA_OK;
}

stria_status stria_cpu_masked_select(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_iter          iter;
    stria_status        status;

    (void)meta;
    STRIA_TRY(select_iterate(&iter, x, call->in[1], err));
    select_task task = {.iter = &iter, .kernels = stria_dispatch_get(), .size = stria_tensor_get_item_size(x)};
    while ((int64_t)1 << task.shift < task.size) task.shift++;
    task.numel = stria_iter_get_numel(&iter);
    task.n_chunks = (task.numel + CHUNK - 1) / CHUNK;
    task.split = stria_chunks_build(stria_team_get(), 0, task.n_chunks, 1);
    status = select_all(&task, x->dtype, y, err);
    stria_iter_release(&iter);
    return status;
}

/* ---------------------------------------------------------------- masked_fill */

stria_status stria_infer_masked_fill(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *value = call->in[2];

    STRIA_TRY(infer(call, &meta->out[0], err));
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return stria_infer_value(call, "value", value, x, err);
}

/* One of the integers that an element consists of, for `where`: the one at byte part * size. */
static stria_status view_part(const stria_tensor *x, stria_dtype dtype, int part, stria_tensor **view, stria_error *err)
{
    const int64_t size = (int64_t)stria_dtype_get_size(dtype), n = (int64_t)stria_dtype_get_size(x->dtype) / size;

    STRIA_TRY(stria_tensor_view((stria_tensor *)(uintptr_t)x, x->ndim, x->shape, x->strides, 0, view, err));
    (*view)->dtype = dtype;
    (*view)->data += part * size;
    for (int d = 0; d < x->ndim; d++) (*view)->strides[d] *= n;
    return STRIA_OK;
}

/* y = where(mask, value, x), all of one dtype, in integers of its bits. */
static stria_status fill_bits(const stria_tensor *x, const stria_tensor *mask, const stria_tensor *value,
                              stria_tensor *y, stria_error *err)
{
    const size_t      size = stria_dtype_get_size(x->dtype);
    const stria_dtype dtype = size == 2 ? STRIA_U16 : STRIA_U64;
    const int         n = (int)(size / stria_dtype_get_size(dtype));
    stria_status      status = STRIA_OK;

    for (int part = 0; part < n && status == STRIA_OK; part++) {
        stria_tensor *views[3] = {NULL};
        status = view_part(x, dtype, part, &views[0], err);
        if (status == STRIA_OK) status = view_part(value, dtype, part, &views[1], err);
        if (status == STRIA_OK) status = view_part(y, dtype, part, &views[2], err);
        if (status == STRIA_OK) {
            const stria_tensor *const in[] = {mask, views[1], views[0]};
            status = stria_apply_out(STRIA_OP_where, in, 3, views[2], err);
        }
        for (int k = 0; k < 3; k++) stria_tensor_release(views[k]);
    }
    return status;
}

stria_status stria_cpu_masked_fill(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    const stria_tensor *x = call->in[0], *mask = call->in[1], *value = call->in[2];
    const bool          has_loop =
        stria_dtype_get_compute(x->dtype) == x->dtype && stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_C;
    stria_tensor *filler = NULL;
    stria_status  status;

    (void)meta;
    /* where converts value as it goes, to the dtype of an x of some dims; but value may be an element of y */
    if (has_loop && (value->dtype == x->dtype || (x->ndim > 0 && x->dtype != STRIA_BOOL)) &&
        !stria_tensor_get_aliased(value, y[0]))
        filler = stria_tensor_retain((stria_tensor *)(uintptr_t)value);
    else
        STRIA_TRY(stria_backend_new_copy(value, x->dtype, &filler, err));
    const stria_tensor *const operands[] = {mask, filler, x};
    status = has_loop ? stria_apply_out(STRIA_OP_where, operands, 3, y[0], err) : fill_bits(x, mask, filler, y[0], err);
    stria_tensor_release(filler);
    return status;
}
