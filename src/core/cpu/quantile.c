/* quantile.c - quantile and nanquantile: each row is sorted by keys (keys.h), and what lies between two of its elements is
 * interpolated in f64. */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/keys.h"
#include "cpu/search.h"
#include "simd/kernels.h"
#include "simd/places.h"

#define GRAIN 4096 /* elements that pay a second thread */

typedef struct quantile_task {
    stria_key_rows   rows;
    stria_tensor    *y; /* quantiles are its first axis, if q has one */
    int64_t          n_rows, n_q;
    const double    *q;
    stria_cast_loop *load, *store; /* of x to f64, f64 to y */
    bool             skips_nan;
    int              interpolation;
    uint64_t        *scratch; /* [chunks][2][length] */
} quantile_task;

/* ---------------------------------------------------------------- one row */

static double number_of(const quantile_task *task, uint64_t key)
{
    const uint64_t bits = stria_key_get_bits(&task->rows.reader, key);
    const uint32_t four = (uint32_t)bits;
    const uint16_t two = (uint16_t)bits;
    double         value;

    task->load((char *)&value, 0,
               task->rows.reader.size == 8   ? (const char *)&bits
               : task->rows.reader.size == 4 ? (const char *)&four
                                             : (const char *)&two,
               0, 1);
    return value;
}

/* Of n sorted keys, none of NaN. */
static double quantile_of(const quantile_task *task, const uint64_t *keys, int64_t n, double q)
{
    int64_t low, high;
    double  weight;

    stria_quantile_choose(task->interpolation, stria_quantile_get_place(q, n, task->rows.reader.size == 8), &low, &high,
                          &weight);
    const double value = number_of(task, keys[low]);
    return weight == 0 ? value : stria_quantile_get_between(value, number_of(task, keys[high]), weight);
}

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const quantile_task *task = context;
    uint64_t            *keys = task->scratch + 2 * chunk * task->rows.length, *room = keys + task->rows.length;

    for (int64_t row = begin; row < end; row++) {
        const char     *at = stria_key_rows_get(&task->rows, row);
        const uint64_t *sorted;
        int64_t         n = task->rows.length;
        for (int64_t k = 0; k < n; k++) keys[k] = stria_key_get(&task->rows.reader, at + k * task->rows.step);
        sorted = stria_keys_sort(keys, room, n, task->rows.reader.size);
        while (n > 0 && stria_key_is_nan(&task->rows.reader, sorted[n - 1])) n--;
        for (int64_t k = 0; k < task->n_q; k++) {
            const bool   is_nan = n == 0 || (n < task->rows.length && !task->skips_nan);
            const double value = is_nan ? (double)NAN : quantile_of(task, sorted, n, task->q[k]);
            task->store(stria_element_get_data(task->y, k * task->n_rows + row), 0, (const char *)&value, 0, 1);
        }
    }
}

/* ---------------------------------------------------------------- rows */

static stria_status run(quantile_task *task, const char *op, stria_error *err)
{
    const int64_t      grain = GRAIN / task->rows.length;
    const stria_chunks split = stria_chunks_build(stria_team_get(), 0, task->n_rows, grain > 1 ? grain : 1);
    size_t             nbytes = 0;

    task->scratch = stria_block_new_parts(2 * split.n_chunks * task->rows.length, 8, &nbytes);
    if (!task->scratch)
        return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for the keys of a row");
    stria_chunks_run(&split, rows_range, task);
    stria_block_release(task->scratch, nbytes);
    return STRIA_OK;
}

/* The numbers of q. */
static void read_q(const stria_tensor *q, double *numbers)
{
    stria_cast_loop *load = stria_dispatch_get()->cast[q->dtype][STRIA_F64];
    const int64_t    step = q->ndim > 0 ? q->strides[0] * stria_tensor_get_item_size(q) : 0;

    if (q->numel > 0) load((char *)numbers, 8, q->data, step, q->numel);
}

stria_status stria_quantile_check(const stria_call *call, double q, stria_error *err)
{
    if (q >= 0 && q <= 1) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), "q", "0 .. 1", NULL,
                           "q has %g, but must be from 0 to 1", q);
}

static stria_status run_with_q(quantile_task *task, const stria_call *call, stria_error *err)
{
    const char  *name = stria_call_get_name(call);
    size_t       nbytes = 0;
    double      *q = stria_block_new_parts(task->n_q, 8, &nbytes);
    stria_status status = STRIA_OK;

    if (!q) return stria_error_set(err, STRIA_ERR_MEMORY, name, NULL, NULL, NULL, "no memory for q");
    read_q(call->in[1], q);
    task->q = q;
    for (int64_t k = 0; k < task->n_q && status == STRIA_OK; k++) status = stria_quantile_check(call, q[k], err);
    if (status == STRIA_OK) status = run(task, name, err);
    stria_block_release(q, nbytes);
    return status;
}

static stria_status compute(const stria_call *call, const stria_call_meta *meta, bool skips_nan, int interpolation,
                            stria_tensor *y, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const stria_tensor  *x = call->in[0];
    quantile_task        task = {.y = y,
                                 .n_q = call->in[1]->numel,
                                 .load = kernels->cast[x->dtype][STRIA_F64],
                                 .store = kernels->cast[STRIA_F64][y->dtype],
                                 .skips_nan = skips_nan,
                                 .interpolation = interpolation};

    STRIA_TRY(stria_key_rows_init(&task.rows, x, meta->axis, err));
    task.n_rows = y->numel / task.n_q;
    const stria_status status = run_with_q(&task, call, err);
    stria_key_rows_release(&task.rows);
    return status;
}

/* ---------------------------------------------------------------- the rows of the table */

static stria_status infer(const stria_call *call, int dim, bool keepdim, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *q = call->in[1];
    const char         *name = stria_call_get_name(call);
    const bool          is_one = dim == STRIA_AXIS_NONE;
    stria_output_meta  *out = &meta->out[0];

    if (stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a float", err);
    meta->axis = -1;
    if (!is_one) STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    STRIA_TRY(stria_infer_axes(name, "dim", x, &meta->axis, is_one ? 0 : 1, &meta->axes, err));
    if (stria_dtype_get_category(q->dtype) == STRIA_CATEGORY_C || q->dtype == STRIA_BOOL)
        return stria_infer_refuse_dtype(call, "q", q->dtype, "a float", err);
    if (q->ndim > 1)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "q", "a number or 1 dim", NULL,
                               "q has %d dims, but must be a number or have one", q->ndim);
    if (is_one ? x->numel == 0 : x->ndim > 0 && x->shape[meta->axis] == 0)
        return stria_error_set(err, STRIA_ERR_EMPTY, name, "x", "elements in every row", NULL,
                               "x has no elements there, and nothing has no %s", name);
    stria_infer_reduced_shape(x, keepdim, x->dtype, meta);
    if (q->ndim == 0) return STRIA_OK;
    if (out->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "q", "a number", NULL, "the result would have %d dims",
                               out->ndim + 1);
    for (int d = out->ndim++; d > 0; d--) out->shape[d] = out->shape[d - 1];
    out->shape[0] = q->shape[0];
    return STRIA_OK;
}

stria_status stria_infer_quantile(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_quantile_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->keepdim, meta, err);
}

stria_status stria_cpu_quantile(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_quantile_attrs *attrs = call->attrs;
    return compute(call, meta, false, attrs->interpolation, y[0], err);
}

stria_status stria_infer_nanquantile(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_nanquantile_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->keepdim, meta, err);
}

stria_status stria_cpu_nanquantile(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    const stria_nanquantile_attrs *attrs = call->attrs;
    return compute(call, meta, true, attrs->interpolation, y[0], err);
}
