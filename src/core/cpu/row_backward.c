/* row_backward.c - softmax_backward, log_softmax_backward, layer_norm_backward, rms_norm_backward: the gradients of the functions of row.c, each row in the cache. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/moments.h"
#include "cpu/packed_rows.h"

#define ROWS_TOGETHER \
    64 /* whose weight and bias gradients are added up one after another; such sums are then added in f64 */

typedef struct backward_task {
    const stria_lane_kernels *lane;
    void (*map)(char *dst, const char *g, const char *y, int64_t count); /* softmax; NULL: a norm */
    const char *gradient, *other, *weight; /* rows one after another; weight: one, or NULL */
    char       *out, *sums;                /* sums: two rows for ROWS_TOGETHER */
    int64_t     length, n_rows, size;
    double      eps;
    bool        is_rms;
} backward_task;

/* ---------------------------------------------------------------- rows */

static void norm_row(const backward_task *task, int64_t row, char *sums)
{
    const int64_t at = row * task->length * task->size;
    const char   *x = task->other + at;
    stria_moments m;
    const double  factor =
        stria_moments_get_factor(&m, task->lane, x, task->length, task->size, task->eps, task->is_rms);

    task->lane->row_map.normalise_backward(task->out + at, task->gradient + at, x, task->length, m.pivot, m.offset,
                                           factor, task->weight, sums, sums + task->length * task->size, task->is_rms);
}

/* Groups of ROWS_TOGETHER rows. */
static void run_groups(void *context, int chunk, int64_t begin, int64_t end)
{
    const backward_task *task = context;
    const int64_t        row_bytes = task->length * task->size;

    (void)chunk;
    for (int64_t group = begin; group < end; group++) {
        const int64_t first = group * ROWS_TOGETHER;
        const int64_t last = first + ROWS_TOGETHER < task->n_rows ? first + ROWS_TOGETHER : task->n_rows;
        char         *sums = task->map == NULL ? task->sums + 2 * group * row_bytes : NULL;
        if (sums != NULL) memset(sums, 0, (size_t)(2 * row_bytes));
        for (int64_t row = first; row < last; row++) {
            const int64_t at = row * row_bytes;
            if (task->map != NULL)
                task->map(task->out + at, task->gradient + at, task->other + at, task->length);
            else
                norm_row(task, row, sums);
        }
    }
}

static int64_t count_groups(const backward_task *task) { return (task->n_rows + ROWS_TOGETHER - 1) / ROWS_TOGETHER; }

static void run_rows(backward_task *task)
{
    const int64_t      grain = STRIA_GRAIN / 4 / (task->length * ROWS_TOGETHER);
    const stria_chunks split = stria_chunks_build(stria_team_get(), 0, count_groups(task), grain > 1 ? grain : 1);

    stria_chunks_run(&split, run_groups, task);
}

static stria_status infer_same(const stria_call *call, const char *other, stria_error *err)
{
    const stria_tensor *g = call->in[0], *y = call->in[1];
    char                expected[96], got[96];

    for (int k = 0; k < 2; k++)
        if (stria_dtype_get_category(call->in[k]->dtype) != STRIA_CATEGORY_F)
            return stria_infer_refuse_dtype(call, k == 0 ? "gradient" : other, call->in[k]->dtype, "a float", err);
    if (stria_tensor_has_shape(g, y->ndim, y->shape)) return STRIA_OK;
    stria_shape_print(expected, sizeof expected, y->ndim, y->shape);
    stria_shape_print(got, sizeof got, g->ndim, g->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), "gradient", expected, got,
                           "gradient has shape %s, but %s has %s", got, other, expected);
}

/* ---------------------------------------------------------------- softmax, log_softmax */

static stria_status infer_softmax(const stria_call *call, int dim, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(infer_same(call, "y", err));
    STRIA_TRY(stria_infer_axis(call, call->in[1], dim, meta, err));
    stria_infer_same_shape(call->in[1], call->in[0]->dtype, &meta->out[0]);
    return STRIA_OK;
}

static stria_status run_softmax(const stria_call *call, const stria_call_meta *meta, bool is_log, stria_tensor *out,
                                stria_error *err)
{
    const stria_dtype compute = stria_dtype_get_compute(out->dtype);
    stria_tensor     *g = NULL, *y = NULL, *place = NULL;
    backward_task     task = {.lane = stria_dispatch_get()->lane[compute],
                              .size = (int64_t)stria_dtype_get_size(compute),
                              .length = out->ndim > 0 ? out->shape[meta->axis] : 1};

    task.map = is_log ? task.lane->row_map.log_softmax_backward : task.lane->row_map.softmax_backward;
    task.n_rows = out->numel / task.length;
    stria_status status = stria_packed_rows_new(call->in[0], meta->axis, compute, &g, err);
    if (status == STRIA_OK) status = stria_packed_rows_new(call->in[1], meta->axis, compute, &y, err);
    if (status == STRIA_OK) status = stria_packed_rows_new_place(out, meta->axis, compute, &place, err);
    if (status == STRIA_OK) {
        task.gradient = g->data;
        task.other = y->data;
        task.out = place->data;
        run_rows(&task);
        status = stria_packed_rows_put(out, meta->axis, place, err);
    }
    stria_tensor_release(g);
    stria_tensor_release(y);
    stria_tensor_release(place);
    return status;
}

stria_status stria_infer_softmax_backward(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_softmax(call, ((const stria_softmax_backward_attrs *)call->attrs)->dim, meta, err);
}

stria_status stria_cpu_softmax_backward(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                        stria_error *err)
{
    return run_softmax(call, meta, false, y[0], err);
}

stria_status stria_infer_log_softmax_backward(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_softmax(call, ((const stria_log_softmax_backward_attrs *)call->attrs)->dim, meta, err);
}

stria_status stria_cpu_log_softmax_backward(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                            stria_error *err)
{
    return run_softmax(call, meta, true, y[0], err);
}

/* ---------------------------------------------------------------- layer_norm, rms_norm */

/* tensor has `shape` as its last axes, or as all of them. */
static stria_status check_shape(const stria_call *call, const char *argument, const stria_tensor *x, stria_sizes shape,
                                bool is_all, stria_error *err)
{
    const int skip = x->ndim - shape.n;
    char      expected[96], got[96];

    if ((is_all ? skip == 0 : skip >= 0) && memcmp(x->shape + skip, shape.at, sizeof *shape.at * (size_t)shape.n) == 0)
        return STRIA_OK;
    stria_shape_print(expected, sizeof expected, shape.n <= STRIA_MAX_DIMS ? shape.n : STRIA_MAX_DIMS, shape.at);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), argument, expected, got,
                           "%s has shape %s, but must %s %s", argument, got, is_all ? "have" : "end in", expected);
}

/* n: outputs. */
static stria_status infer_norm(const stria_call *call, int n, stria_sizes shape, stria_call_meta *meta,
                               stria_error *err)
{
    const stria_tensor *x = call->in[1], *weight = call->in[2];

    if (shape.n < 1 || shape.at == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), "normalized_shape",
                               "at least one size", "none", "the shape to normalise over is empty");
    STRIA_TRY(infer_same(call, "x", err));
    STRIA_TRY(check_shape(call, "x", x, shape, false, err));
    if (weight != NULL && stria_dtype_get_category(weight->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "weight", weight->dtype, "a float", err);
    if (weight != NULL) STRIA_TRY(check_shape(call, "weight", weight, shape, true, err));
    const stria_dtype dtype = call->in[0]->dtype;
    stria_infer_same_shape(x, dtype, &meta->out[0]);
    for (int k = 1; k < n; k++)
        STRIA_TRY(stria_infer_shape(call, "normalized_shape", shape.at, shape.n, dtype, &meta->out[k], err));
    return STRIA_OK;
}

stria_status stria_infer_layer_norm_backward(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_norm(call, 3, ((const stria_layer_norm_backward_attrs *)call->attrs)->normalized_shape, meta, err);
}

stria_status stria_infer_rms_norm_backward(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_norm(call, 2, ((const stria_rms_norm_backward_attrs *)call->attrs)->normalized_shape, meta, err);
}

/* The sums of all groups, in f64, to the gradient of weight (0) or bias (1). */
static stria_status add_groups(const backward_task *task, int which, stria_tensor *y, stria_error *err)
{
    stria_tensor *total = NULL;

    STRIA_TRY(stria_tensor_new(STRIA_F64, y->ndim, y->shape, &total, err));
    double *to = (double *)(void *)total->data;
    memset(to, 0, (size_t)task->length * sizeof *to);
    for (int64_t group = 0; group < count_groups(task); group++) {
        const char *from = task->sums + (2 * group + which) * task->length * task->size;
        for (int64_t k = 0; task->size == 4 && k < task->length; k++)
            to[k] += (double)((const float *)(const void *)from)[k];
        for (int64_t k = 0; task->size == 8 && k < task->length; k++) to[k] += ((const double *)(const void *)from)[k];
    }
    const stria_status status = stria_backend_copy(y, total, err);
    stria_tensor_release(total);
    return status;
}

static stria_status run_sums(const char *op, backward_task *task, stria_tensor *place, stria_tensor **y,
                             stria_error *err)
{
    const size_t nbytes = (size_t)(2 * (count_groups(task) + 1) * task->length * task->size);

    task->out = place->data;
    task->sums = stria_block_new(nbytes);
    if (task->sums == NULL) return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for sums");
    run_rows(task);
    stria_status status = stria_packed_rows_put(y[0], y[0]->ndim - 1, place, err);
    if (status == STRIA_OK) status = add_groups(task, 0, y[1], err);
    if (status == STRIA_OK && !task->is_rms) status = add_groups(task, 1, y[2], err);
    stria_block_release(task->sums, nbytes);
    return status;
}

static stria_status run_norm(const stria_call *call, stria_sizes shape, double eps, bool is_rms, stria_tensor **y,
                             stria_error *err)
{
    const stria_dtype compute = stria_dtype_get_compute(y[0]->dtype);
    stria_tensor     *packed[3] = {NULL}, *place = NULL;
    backward_task     task = {.lane = stria_dispatch_get()->lane[compute],
                              .size = (int64_t)stria_dtype_get_size(compute),
                              .length = 1,
                              .eps = eps,
                              .is_rms = is_rms};
    stria_status      status = STRIA_OK;

    for (int d = 0; d < shape.n; d++) task.length *= shape.at[d];
    if (task.length == 0) return STRIA_OK; /* nothing has elements */
    task.n_rows = y[0]->numel / task.length;
    for (int k = 0; k < 3 && status == STRIA_OK; k++)
        status = stria_packed_rows_new(call->in[k], -1, compute, &packed[k], err);
    if (status == STRIA_OK) status = stria_packed_rows_new_place(y[0], y[0]->ndim - 1, compute, &place, err);
    if (status == STRIA_OK) {
        task.gradient = packed[0]->data;
        task.other = packed[1]->data;
        task.weight = packed[2] != NULL ? packed[2]->data : NULL;
        status = run_sums(stria_call_get_name(call), &task, place, y, err);
    }
    for (int k = 0; k < 3; k++) stria_tensor_release(packed[k]);
    stria_tensor_release(place);
    return status;
}

stria_status stria_cpu_layer_norm_backward(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                           stria_error *err)
{
    const stria_layer_norm_backward_attrs *attrs = call->attrs;

    (void)meta;
    return run_norm(call, attrs->normalized_shape, attrs->eps, false, y, err);
}

stria_status stria_cpu_rms_norm_backward(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                         stria_error *err)
{
    const stria_rms_norm_backward_attrs *attrs = call->attrs;

    (void)meta;
    return run_norm(call, attrs->normalized_shape, stria_rms_get_eps(attrs->eps, call->in[1]->dtype), true, y, err);
}
