/* median.c - median, nanmedian and mode: of each row the value that is in the middle, or most often there, and where it is. */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/keys.h"

#define GRAIN 8192 /* elements that pay a second thread */

typedef struct median_task median_task;
/* The number of the element of a row that is looked for. scratch: two items for each element of a row. */
typedef int64_t find_fn(const median_task *task, const char *row, void *scratch);

struct median_task {
    stria_key_rows  rows;
    stria_tensor   *values, *indices;
    bool            skips_nan;
    find_fn        *find;
    stria_key_item *scratch; /* [chunks][2][length] */
};

/* ---------------------------------------------------------------- one row */

/* The last element where the key is no more: another thread may have written there since the keys were read. */
static int64_t find_key(const median_task *task, const char *row, uint64_t key)
{
    const int64_t last = task->rows.length - 1;
    int64_t       k = 0;

    while (k < last && stria_key_get(&task->rows.reader, row + k * task->rows.step) != key) k++;
    return k;
}

/* The lower of the two in the middle, the first of equals; the first NaN if it counts. */
static int64_t find_median(const median_task *task, const char *row, void *scratch)
{
    uint64_t *keys = scratch;
    int64_t   n_nan = 0;

    for (int64_t k = 0; k < task->rows.length; k++) {
        keys[k] = stria_key_get(&task->rows.reader, row + k * task->rows.step);
        n_nan += stria_key_is_nan(&task->rows.reader, keys[k]);
    }
    if (n_nan > 0 && (!task->skips_nan || n_nan == task->rows.length)) return find_key(task, row, UINT64_MAX);
    return find_key(
        task, row,
        stria_keys_select(keys, task->rows.length, (task->rows.length - n_nan - 1) / 2, task->rows.reader.size));
}

/* The last of those that are there most often; of several such values the smallest. One NaN is not the other. */
static int64_t find_mode(const median_task *task, const char *row, void *scratch)
{
    stria_key_item       *items = scratch;
    const stria_key_item *sorted;
    int64_t               most = 0, best = 0;

    for (int64_t k = 0; k < task->rows.length; k++)
        items[k] = (stria_key_item){stria_key_get(&task->rows.reader, row + k * task->rows.step), k};
    sorted = stria_items_sort(items, items + task->rows.length, task->rows.length);
    for (int64_t k = 0, begin = 0; k < task->rows.length; k++) {
        const bool ends = k + 1 == task->rows.length || sorted[k + 1].key != sorted[k].key;
        if (!ends && !stria_key_is_nan(&task->rows.reader, sorted[k].key)) continue;
        if (k + 1 - begin > most) {
            most = k + 1 - begin;
            best = sorted[k].index;
        }
        begin = k + 1;
    }
    return best;
}

/* ---------------------------------------------------------------- rows */

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const median_task *task = context;
    void              *scratch = task->scratch + 2 * chunk * task->rows.length;

    for (int64_t k = begin; k < end; k++) {
        const char   *row = stria_key_rows_get(&task->rows, k);
        const int64_t index = task->find(task, row, scratch);
        memcpy(stria_element_get_data(task->values, k), row + index * task->rows.step, (size_t)task->rows.reader.size);
        memcpy(stria_element_get_data(task->indices, k), &index, sizeof index);
    }
}

static stria_status run(median_task *task, const char *op, stria_error *err)
{
    const int64_t      n_rows = task->values->numel, grain = GRAIN / task->rows.length;
    const stria_chunks split = stria_chunks_build(stria_team_get(), 0, n_rows, grain > 1 ? grain : 1);
    size_t             nbytes = 0;

    task->scratch =
        stria_block_new_parts(2 * split.n_chunks * task->rows.length, (int64_t)sizeof(stria_key_item), &nbytes);
    if (!task->scratch)
        return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for the keys of a row");
    stria_chunks_run(&split, rows_range, task);
    stria_block_release(task->scratch, nbytes);
    return STRIA_OK;
}

/* The middle of no floats is NaN. */
static stria_status set_none(stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_backend_fill(y[0], stria_scalar_get((double)NAN), err));
    return stria_backend_fill(y[1], stria_scalar_get(0), err);
}

static stria_status compute(const stria_call *call, const stria_call_meta *meta, bool skips_nan, find_fn *find,
                            stria_tensor **y, stria_error *err)
{
    median_task task = {.values = y[0], .indices = y[1], .skips_nan = skips_nan, .find = find};

    if (call->in[0]->numel == 0) return set_none(y, err);
    STRIA_TRY(stria_key_rows_init(&task.rows, call->in[0], meta->axis, err));
    const stria_status status = run(&task, stria_call_get_name(call), err);
    stria_key_rows_release(&task.rows);
    return status;
}

/* ---------------------------------------------------------------- the rows of the table */

static stria_status infer(const stria_call *call, int dim, bool keepdim, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const char         *name = stria_call_get_name(call);
    const bool is_one = dim == STRIA_AXIS_NONE, is_float = stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_F;

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "bool, integer or float", err);
    meta->axis = -1;
    if (!is_one) STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    STRIA_TRY(stria_infer_axes(name, "dim", x, &meta->axis, is_one ? 0 : 1, &meta->axes, err));
    if (is_one ? x->numel == 0 && !is_float : x->ndim > 0 && x->shape[meta->axis] == 0)
        return stria_error_set(err, STRIA_ERR_EMPTY, name, "x", "elements in every row", NULL,
                               "x has no elements there, and nothing has no %s", name);
    stria_infer_reduced_shape(x, keepdim, x->dtype, meta);
    meta->out[1] = meta->out[0];
    meta->out[1].dtype = STRIA_I64;
    return STRIA_OK;
}

stria_status stria_infer_median(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_median_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->keepdim, meta, err);
}

stria_status stria_cpu_median(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return compute(call, meta, false, find_median, y, err);
}

stria_status stria_infer_nanmedian(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_nanmedian_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->keepdim, meta, err);
}

stria_status stria_cpu_nanmedian(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    return compute(call, meta, true, find_median, y, err);
}

stria_status stria_infer_mode(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_mode_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->keepdim, meta, err);
}

stria_status stria_cpu_mode(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return compute(call, meta, false, find_mode, y, err);
}
