/* sort.c - the elements of each row in order, and where they were.
 *
 * An element becomes a key (keys.h). A descending order is that of the inverted keys. The sort of keys is stable for every dtype, so
 * equal elements keep their order both ways. Results are copied from x, bit for bit. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/call.h"
#include "cpu/keys.h"

#define GRAIN 4096 /* elements that pay a second thread */

typedef struct sort_task {
    const stria_tensor *x;
    stria_tensor       *values, *indices;
    int                 axis;
    int64_t             length; /* of a row */
    bool                descending;
    stria_key_item     *items; /* [chunks][2][length] */
} sort_task;

/* ---------------------------------------------------------------- rows */

static void read_row(const sort_task *task, const char *at, stria_key_item *items)
{
    const stria_key_reader reader = stria_key_reader_get(task->x->dtype);
    const int64_t          step = task->x->ndim > 0 ? task->x->strides[task->axis] * reader.size : 0;
    const uint64_t         inverted = task->descending ? UINT64_MAX : 0;

    for (int64_t k = 0; k < task->length; k++, at += step)
        items[k] = (stria_key_item){stria_key_get(&reader, at) ^ inverted, k};
}

static void copy_element(char *to, const char *from, int64_t size)
{
    switch (size) {
    case 1: *to = *from; break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    default: memcpy(to, from, 8);
    }
}

static void write_row(const sort_task *task, int64_t row, const stria_key_item *items)
{
    const int     axis = task->axis, ndim = task->x->ndim;
    const int64_t size = stria_tensor_get_item_size(task->x), step = ndim > 0 ? task->x->strides[axis] * size : 0;
    const int64_t value_step = ndim > 0 ? task->values->strides[axis] * size : 0;
    const int64_t index_step = ndim > 0 ? task->indices->strides[axis] * 8 : 0;
    const char   *source = stria_row_get_data(task->x, axis, row);
    char *value = stria_row_get_data(task->values, axis, row), *index = stria_row_get_data(task->indices, axis, row);

    for (int64_t k = 0; k < task->length; k++) {
        copy_element(value + k * value_step, source + items[k].index * step, size);
        memcpy(index + k * index_step, &items[k].index, 8);
    }
}

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const sort_task *task = context;
    stria_key_item  *items = task->items + 2 * chunk * task->length, *room = items + task->length;

    for (int64_t row = begin; row < end; row++) {
        read_row(task, stria_row_get_data(task->x, task->axis, row), items);
        write_row(task, row, stria_items_sort(items, room, task->length));
    }
}

/* ---------------------------------------------------------------- the row of the table */

stria_status stria_infer_sort(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_sort_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "bool, integer or float", err);
    STRIA_TRY(stria_infer_axis(call, x, attrs->dim, meta, err));
    stria_infer_same_shape(x, x->dtype, &meta->out[0]);
    stria_infer_same_shape(x, STRIA_I64, &meta->out[1]);
    meta->out[0].order = meta->out[1].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_cpu_sort(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_sort_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];
    const int64_t           length = x->ndim > 0 ? x->shape[meta->axis] : 1, grain = GRAIN / length;
    const stria_chunks      split = stria_chunks_build(stria_team_get(), 0, x->numel / length, grain > 1 ? grain : 1);
    sort_task               task = {x, y[0], y[1], meta->axis, length, attrs->descending, NULL};
    size_t                  nbytes = 0;

    task.items = stria_block_new_parts(2 * split.n_chunks * length, (int64_t)sizeof(stria_key_item), &nbytes);
    if (!task.items)
        return stria_error_set(err, STRIA_ERR_MEMORY, "sort", NULL, NULL, NULL, "no memory for the keys of a row");
    stria_chunks_run(&split, rows_range, &task);
    stria_block_release(task.items, nbytes);
    return STRIA_OK;
}
