/* sort.c - sort and argsort: the elements of each row in order, and where they were.
 *
 * Rows are sorted by several threads at once where there are enough of them, else one after another, each by all threads. */
#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"
#include "cpu/sort_items.h"

#define GRAIN 4096 /* elements that pay a second thread, where rows are sorted at once */

typedef struct sort_task {
    const stria_tensor    *x;
    stria_tensor          *values, *indices; /* values may be NULL */
    int                    axis;
    int64_t                length; /* of a row */
    bool                   descending;
    const stria_sort_kind *kind;
    stria_team             team;   /* for one row */
    char                  *memory; /* [chunks][part_bytes]: items, room, counts */
    int64_t                part_bytes;
} sort_task;

/* One row, while it is sorted. */
typedef struct row_task {
    const sort_task  *task;
    stria_sort_row    row;
    char             *items;
    stria_sort_target to;
} row_task;

static void read_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const row_task *one = context;

    (void)chunk;
    one->task->kind->read(&one->row, begin, end, one->items + begin * one->task->kind->size);
}

static void write_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const row_task *one = context;

    (void)chunk;
    one->task->kind->write(&one->row, one->items, begin, end, &one->to);
}

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const sort_task *task = context;
    const int64_t    nbytes = task->length * task->kind->size;
    char            *items = task->memory + chunk * task->part_bytes, *room = items + nbytes;
    int64_t         *counts = (int64_t *)(void *)(room + nbytes);

    for (int64_t row = begin; row < end; row++) {
        row_task one = {task, stria_sort_row_get(task->x, task->axis, row, task->descending), items,
                        stria_sort_target_get(task->values, task->indices, task->axis, row)};
        if (task->team.n_threads == 1) {
            task->kind->run(&one.row, items, counts, &one.to);
            continue;
        }
        stria_parallel_for(task->team, 0, task->length, STRIA_GRAIN, read_range, &one);
        one.items = task->kind->sort(items, room, task->length, counts, task->team);
        stria_parallel_for(task->team, 0, task->length, STRIA_GRAIN, write_range, &one);
    }
}

static stria_status sort_rows(const stria_call *call, int axis, bool descending, stria_tensor *values,
                              stria_tensor *indices, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const stria_team    all = stria_team_get(), alone = {1};
    const int64_t       length = x->ndim > 0 ? x->shape[axis] : 1, n_rows = x->numel / length;
    const bool          at_once = n_rows >= all.n_threads || length < 2 * STRIA_GRAIN;
    const int64_t       grain = GRAIN / length;
    const stria_chunks  split = stria_chunks_build(at_once ? all : alone, 0, n_rows, grain > 1 ? grain : 1);
    sort_task           task = {x,
                                values,
                                indices,
                                axis,
                                length,
                                descending,
                                stria_sort_kind_select(x->dtype, length),
                      at_once ? alone : all,
                                NULL,
                                0};
    size_t              nbytes = 0;

    task.part_bytes = 2 * length * task.kind->size + (int64_t)sizeof(int64_t) * STRIA_SORT_COUNTS * task.team.n_threads;
    task.memory = stria_block_new_parts(split.n_chunks, task.part_bytes, &nbytes);
    if (!task.memory)
        return stria_error_set(err, STRIA_ERR_MEMORY, stria_call_get_name(call), NULL, NULL, NULL,
                               "no memory for the keys of a row");
    stria_chunks_run(&split, rows_range, &task);
    stria_block_release(task.memory, nbytes);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the rows of the table */

static stria_status check(const stria_call *call, int dim, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "bool, integer or float", err);
    return stria_infer_axis(call, x, dim, meta, err);
}

stria_status stria_infer_sort(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(check(call, ((const stria_sort_attrs *)call->attrs)->dim, meta, err));
    stria_infer_same_shape(call->in[0], call->in[0]->dtype, &meta->out[0]);
    stria_infer_same_shape(call->in[0], STRIA_I64, &meta->out[1]);
    meta->out[0].order = meta->out[1].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_cpu_sort(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return sort_rows(call, meta->axis, ((const stria_sort_attrs *)call->attrs)->descending, y[0], y[1], err);
}

stria_status stria_infer_argsort(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(check(call, ((const stria_argsort_attrs *)call->attrs)->dim, meta, err));
    stria_infer_same_shape(call->in[0], STRIA_I64, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_cpu_argsort(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return sort_rows(call, meta->axis, ((const stria_argsort_attrs *)call->attrs)->descending, NULL, y[0], err);
}
