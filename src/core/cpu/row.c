/* row.c - softmax, log_softmax, layer_norm, rms_norm: each maps every row along an axis to another row, in the cache. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/axis_rows.h"
#include "cpu/moments.h"
#include "base/parallel.h"

#define STACK_BYTES 16384 /* of a row that is converted or gathered; longer ones are on the heap */
#define TOGETHER 16       /* adjacent rows: the elements of one cache line, or two */

typedef struct row_task {
    const stria_axis_rows *rows;
    const stria_kernels   *kernels;
    stria_dtype            compute;
    stria_move_transpose  *transpose;
    char                  *buffers; /* [chunks][row_bytes], or [chunks][TOGETHER][row_bytes], or NULL */
    int64_t                row_bytes;
    void (*map)(char *dst, const char *src, int64_t count); /* softmax; NULL: a norm */
    const char *name, *weight, *bias;                       /* [length] of the compute dtype, or NULL */
    double      eps;
    bool        is_rms;
} row_task;

static void normalise(const row_task *task, char *dst, const char *src)
{
    const int64_t             length = task->rows->length;
    const stria_lane_kernels *lane = task->kernels->lane[task->compute];
    stria_moments             m;
    const double factor = stria_moments_get_factor(&m, lane, src, length, task->rows->size, task->eps, task->is_rms);

    lane->row_map.normalise(dst, src, length, m.pivot, m.offset, factor, task->weight, task->bias);
}

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const row_task        *task = context;
    const stria_axis_rows *rows = task->rows;
    _Alignas(64) char      stack[STACK_BYTES];
    char                  *buffer = task->buffers ? task->buffers + chunk * task->row_bytes : stack;

    for (int64_t k = begin; k < end; k++) {
        int64_t     in, out;
        const char *src;
        char       *dst;
        stria_axis_rows_get_offsets(rows, k, &in, &out);
        src = rows->in_packed ? rows->source + in : buffer;
        dst = rows->out_packed ? rows->out + out : buffer;
        if (!rows->in_packed) rows->load(buffer, rows->size, rows->source + in, rows->in_step, rows->length);
        if (task->map)
            task->map(dst, src, rows->length);
        else
            normalise(task, dst, src);
        if (!rows->out_packed) rows->store(rows->out + out, rows->out_step, buffer, rows->size, rows->length);
    }
}

/* Adjacent rows: TOGETHER of them at once are transposed into a buffer, where each is contiguous, and back. */
static void groups_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const row_task        *task = context;
    const stria_axis_rows *rows = task->rows;
    char                  *buffer = task->buffers + chunk * TOGETHER * task->row_bytes;

    for (int64_t k = begin; k < end; k++) {
        int64_t n, in, out;
        stria_axis_rows_get_offsets(rows, stria_tiles_get(rows->shape[0], TOGETHER, k, &n), &in, &out);
        task->transpose(buffer, task->row_bytes, rows->source + in, rows->in_step, rows->length, n);
        for (int64_t j = 0; j < n; j++)
            task->map(buffer + j * task->row_bytes, buffer + j * task->row_bytes, rows->length);
        task->transpose(rows->out + out, rows->out_step, buffer, task->row_bytes, n, rows->length);
    }
}

static stria_status run(row_task *task, const char *op, stria_error *err)
{
    const stria_axis_rows *rows = task->rows;
    const bool             packed = rows->in_packed && rows->out_packed;
    const bool             side_by_side = !packed && task->map && rows->in_same && rows->out_same && rows->ndim > 0 &&
                              rows->in_stride[0] == rows->size && rows->out_stride[0] == rows->size;
    const int64_t together = side_by_side ? TOGETHER : 1, grain = STRIA_GRAIN / 4 / (rows->length * together);
    const int64_t n_items = side_by_side ? stria_tiles_get_count(rows->shape[0], TOGETHER, rows->n_rows) : rows->n_rows;
    const stria_chunks split = stria_chunks_build(stria_team_get(), 0, n_items, grain > 1 ? grain : 1);
    size_t             nbytes = 0;

    task->row_bytes = rows->length * rows->size;
    task->transpose = task->kernels->transpose[rows->size == 4 ? 2 : 3];
    if (side_by_side || (task->row_bytes > STACK_BYTES && !packed)) {
        task->buffers = stria_block_new_parts(split.n_chunks, together * task->row_bytes, &nbytes);
        if (!task->buffers) return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for rows");
    }
    stria_chunks_run(&split, side_by_side ? groups_range : rows_range, task);
    if (task->buffers) stria_block_release(task->buffers, nbytes);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- softmax, log_softmax */

static stria_status infer_softmax(const stria_call *call, int dim, stria_dtype dtype, stria_call_meta *meta,
                                  stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_dtype         result;

    STRIA_TRY(stria_infer_dtype(call, dtype, x->dtype, &result, err));
    STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    if (dtype == STRIA_DTYPE_NONE && stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a float, or a float dtype be given", err);
    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "real", err);
    if (stria_dtype_get_category(result) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, dtype == STRIA_DTYPE_NONE ? "out" : "dtype", result, "a float", err);
    stria_infer_same_shape(x, result, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

static stria_status compute_softmax(const stria_call *call, bool is_log, const stria_call_meta *meta, stria_tensor *y,
                                    stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const stria_dtype    compute = stria_dtype_get_compute(y->dtype);
    const char          *name = stria_call_get_name(call);
    stria_axis_rows      rows;
    row_task             task = {
                    .rows = &rows, .kernels = kernels, .compute = compute, .map = kernels->lane[compute]->row_map.softmax};

    if (is_log) task.map = kernels->lane[compute]->row_map.log_softmax;
    STRIA_TRY(stria_axis_rows_init(&rows, name, kernels, call->in[0], y, meta->axis, compute, err));
    return run(&task, name, err);
}

stria_status stria_infer_softmax(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_softmax_attrs *attrs = call->attrs;
    return infer_softmax(call, attrs->dim, attrs->dtype, meta, err);
}

stria_status stria_cpu_softmax(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return compute_softmax(call, false, meta, y[0], err);
}

stria_status stria_infer_log_softmax(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_log_softmax_attrs *attrs = call->attrs;
    return infer_softmax(call, attrs->dim, attrs->dtype, meta, err);
}

stria_status stria_cpu_log_softmax(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    return compute_softmax(call, true, meta, y[0], err);
}

/* ---------------------------------------------------------------- layer_norm, rms_norm */

/* x, weight and bias have `shape` [n_shape] as their last axes, weight and bias no others. */
static stria_status check_norm_shape(const char *op, const char *argument, const stria_tensor *x, const int64_t *shape,
                                     int n_shape, bool is_x, stria_error *err)
{
    const int skip = x->ndim - n_shape;
    char      expected[96], got[96];

    if ((is_x ? skip >= 0 : skip == 0) && memcmp(x->shape + skip, shape, sizeof *shape * (size_t)n_shape) == 0)
        return STRIA_OK;
    stria_shape_print(expected, sizeof expected, n_shape <= STRIA_MAX_DIMS ? n_shape : STRIA_MAX_DIMS, shape);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, op, argument, expected, got, "%s has shape %s, but must %s %s",
                           argument, got, is_x ? "end in" : "have", expected);
}

/* n: inputs. */
static stria_status infer_norm(const stria_call *call, int n, stria_sizes sizes, stria_call_meta *meta,
                               stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const int64_t      *shape = sizes.at;
    const char         *op = stria_call_get_name(call);
    stria_dtype         dtype = x->dtype;
    int                 n_shape = sizes.n;

    if (n_shape < 1 || shape == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, op, "normalized_shape", "at least one size", "none",
                               "the shape to normalise over is empty");
    if (n == 2 && call->in[1] != NULL) dtype = stria_dtype_get_promoted(dtype, call->in[1]->dtype);
    if (stria_dtype_get_category(dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a float", err);
    if (n_shape > STRIA_MAX_DIMS) n_shape = STRIA_MAX_DIMS + 1;
    STRIA_TRY(check_norm_shape(op, "x", x, shape, n_shape, true, err));
    for (int k = 1; k < n; k++) {
        const char *name = k == 1 ? "weight" : "bias";
        if (call->in[k] == NULL) continue;
        if (stria_dtype_get_category(call->in[k]->dtype) == STRIA_CATEGORY_C)
            return stria_infer_refuse_dtype(call, name, call->in[k]->dtype, "real", err);
        STRIA_TRY(check_norm_shape(op, name, call->in[k], shape, n_shape, false, err));
    }
    stria_infer_same_shape(x, dtype, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_infer_layer_norm(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_norm(call, 3, ((const stria_layer_norm_attrs *)call->attrs)->normalized_shape, meta, err);
}

stria_status stria_infer_rms_norm(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_norm(call, 2, ((const stria_rms_norm_attrs *)call->attrs)->normalized_shape, meta, err);
}

/* A row-major copy of a parameter in the compute dtype; NULL stays NULL. */
static stria_status copy_parameter(const stria_tensor *x, stria_dtype compute, stria_tensor **copy, stria_error *err)
{
    stria_status status;

    *copy = NULL;
    if (x == NULL) return STRIA_OK;
    STRIA_TRY(stria_tensor_new(compute, x->ndim, x->shape, copy, err));
    status = stria_backend_copy(*copy, x, err);
    if (status == STRIA_OK) return STRIA_OK;
    stria_tensor_release(*copy);
    *copy = NULL;
    return status;
}

/* x and y are row-major; rows of `length` elements. */
static stria_status norm_rows(row_task *task, const stria_tensor *x, stria_tensor *y, int64_t length, stria_error *err)
{
    const int64_t   shape[] = {x->numel / length, length};
    stria_tensor   *from = NULL, *to = NULL;
    stria_axis_rows rows;
    stria_status    status;

    /* views of the same elements; `from` is only read */
    STRIA_TRY(stria_view((stria_tensor *)(uintptr_t)x, shape, 2, &from, err));
    status = stria_view(y, shape, 2, &to, err);
    if (status == STRIA_OK)
        status = stria_axis_rows_init(&rows, task->name, task->kernels, from, to, 1, task->compute, err);
    task->rows = &rows;
    if (status == STRIA_OK) status = run(task, task->name, err);
    stria_tensor_release(from);
    stria_tensor_release(to);
    return status;
}

static stria_status run_norm(const stria_call *call, row_task *task, const stria_tensor *bias, stria_sizes shape,
                             stria_tensor *y, stria_error *err)
{
    stria_tensor *w = NULL, *b = NULL, *from = NULL, *to = NULL, *x = (stria_tensor *)(uintptr_t)call->in[0];
    int64_t       length = 1;

    for (int d = 0; d < shape.n; d++) length *= shape.at[d];
    task->name = stria_call_get_name(call);
    task->kernels = stria_dispatch_get();
    task->compute = stria_dtype_get_compute(y->dtype);
    stria_status status = copy_parameter(call->in[1], task->compute, &w, err);
    if (status == STRIA_OK) status = copy_parameter(bias, task->compute, &b, err);
    if (status == STRIA_OK) status = stria_contiguous(x, &from, err);
    if (status == STRIA_OK && stria_tensor_get_contiguous(y))
        to = stria_tensor_retain(y);
    else if (status == STRIA_OK)
        status = stria_tensor_new(y->dtype, y->ndim, y->shape, &to, err);
    if (status == STRIA_OK) {
        task->weight = w ? w->data : NULL;
        task->bias = b ? b->data : NULL;
        status = norm_rows(task, from, to, length, err);
    }
    if (status == STRIA_OK && to != y) status = stria_backend_copy(y, to, err);
    stria_tensor_release(w);
    stria_tensor_release(b);
    stria_tensor_release(from);
    stria_tensor_release(to);
    return status;
}

stria_status stria_cpu_layer_norm(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    const stria_layer_norm_attrs *attrs = call->attrs;
    row_task                      task = {.eps = attrs->eps};

    (void)meta;
    return run_norm(call, &task, call->in[2], attrs->normalized_shape, y[0], err);
}

stria_status stria_cpu_rms_norm(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_rms_norm_attrs *attrs = call->attrs;
    row_task                    task = {.eps = stria_rms_get_eps(attrs->eps, call->in[0]->dtype), .is_rms = true};

    (void)meta;
    return run_norm(call, &task, NULL, attrs->normalized_shape, y[0], err);
}
