/* topk.c - topk and kthvalue: the first k elements of each row in order, or the last of those.
 *
 * A row is read in stretches. Once there are more than twice k items or so, the k first ones are selected, and of the stretches that follow
 * only what comes before the last of these is kept: whatever follows and is equal comes behind, by its place. Where the elements are adjacent
 * and of a lane type, the largest (smallest) of a stretch tells first whether it has any such element. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"
#include "cpu/sort_items.h"
#include "simd/kernels.h"

#define STRETCH 256 /* elements that are read at once */
#define MOST_ROOM 4096
#define GRAIN 4096 /* elements that pay a second thread */

typedef struct topk_task {
    const stria_tensor    *x;
    stria_tensor          *values, *indices;
    int                    axis;
    int64_t                length, k;
    bool                   largest, sorted;
    bool                   only_last; /* kthvalue: outputs have no such axis, or one of size 1 */
    const stria_sort_kind *kind;
    stria_key_reader       reader;
    void (*extreme)(char *result, const char *src, int64_t count); /* NULL: not adjacent, or of no lane type */
    char   *memory;                                                /* [chunks][part_bytes]: items, room, counts */
    int64_t capacity, part_bytes;
    int64_t least_room, most_room; /* for what is read between selections */
} topk_task;

/* False: no element of [begin, end) comes before `limit`. */
static bool may_have_below(const topk_task *task, const stria_sort_row *row, int64_t begin, int64_t end, uint64_t limit)
{
    char           value[8];
    stria_key_item item;
    stria_sort_row one = *row;

    if (!task->extreme) return true;
    task->extreme(value, row->data + begin * row->step_bytes, end - begin);
    if (stria_key_is_nan(&task->reader, stria_key_get(&task->reader, value)))
        return true; /* that of the others is not known */
    one.data = value;
    return task->kind->read_below(&one, 0, 1, limit, &item) > 0;
}

/* The k first elements of a row, in the order of their places. */
static void collect(const topk_task *task, const stria_sort_row *row, char *items, char *room, int64_t *counts)
{
    int64_t  n = 0, room_n = task->least_room, selected_at = 0;
    bool     is_limited = false;
    uint64_t limit = 0;

    for (int64_t begin = 0; begin < task->length; begin += STRETCH) {
        const int64_t end = task->length - begin < STRETCH ? task->length : begin + STRETCH;
        if (is_limited && !may_have_below(task, row, begin, end, limit)) continue;
        if (n + end - begin > task->k + room_n + STRETCH) {
            limit = task->kind->select(items, room, n, task->k, counts);
            /* where most come before the limit, as in a row in the other order, a new limit does not pay so soon */
            if (is_limited && begin - selected_at < 4 * room_n && room_n < task->most_room) room_n *= 2;
            selected_at = begin;
            is_limited = true;
            n = task->k;
        }
        if (is_limited)
            n += task->kind->read_below(row, begin, end, limit, items + n * task->kind->size);
        else {
            task->kind->read(row, begin, end, items + n * task->kind->size);
            n += end - begin;
        }
    }
    if (n > task->k) task->kind->select(items, room, n, task->k, counts);
}

static void write_last(const topk_task *task, const stria_sort_row *row, int64_t n, const char *items)
{
    const stria_sort_target to = {stria_row_get_data(task->values, -1, n), stria_row_get_data(task->indices, -1, n), 0,
                                  0};

    task->kind->write(row, task->kind->find_largest(items, task->k), 0, 1, &to);
}

static void write_all(const topk_task *task, const stria_sort_row *row, int64_t n, const char *items)
{
    const stria_sort_target to = stria_sort_target_get(task->values, task->indices, task->axis, n);

    task->kind->write(row, items, 0, task->k, &to);
}

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const topk_task *task = context;
    const int64_t    nbytes = task->capacity * task->kind->size;
    char            *items = task->memory + chunk * task->part_bytes, *room = items + nbytes;
    int64_t         *counts = (int64_t *)(void *)(room + nbytes);

    for (int64_t n = begin; n < end; n++) {
        const stria_sort_row row = stria_sort_row_get(task->x, task->axis, n, task->largest);
        collect(task, &row, items, room, counts);
        if (task->only_last)
            write_last(task, &row, n, items);
        else
            write_all(task, &row, n,
                      task->sorted ? task->kind->sort(items, room, task->k, counts, (stria_team){1}) : items);
    }
}

static stria_status run_rows(const stria_call *call, topk_task *task, stria_error *err)
{
    const int64_t      length = task->length, grain = GRAIN / length;
    const stria_chunks split = stria_chunks_build(stria_team_get(), 0, task->x->numel / length, grain > 1 ? grain : 1);
    const stria_dtype  dtype = task->x->dtype;
    size_t             nbytes = 0;

    task->kind = stria_sort_kind_select(dtype, length);
    task->reader = stria_key_reader_get(dtype);
    if (stria_dtype_get_compute(dtype) == dtype && stria_sort_step_get(task->x, task->axis) == stria_dtype_sizes[dtype])
        task->extreme = stria_dispatch_get()->lane[dtype]->arg[!task->largest].extreme;
    task->least_room = task->most_room = task->k > STRETCH ? task->k : STRETCH;
    while (task->most_room < MOST_ROOM) task->most_room *= 2;
    task->capacity = length;
    if (length - task->k - STRETCH > task->most_room) task->capacity = task->k + task->most_room + STRETCH;
    if (!__builtin_mul_overflow(2 * task->kind->size, task->capacity, &task->part_bytes) &&
        !__builtin_add_overflow(task->part_bytes, (int64_t)sizeof(int64_t) * STRIA_SORT_COUNTS, &task->part_bytes))
        task->memory = stria_block_new_parts(split.n_chunks, task->part_bytes, &nbytes);
    if (!task->memory)
        return stria_error_set(err, STRIA_ERR_MEMORY, stria_call_get_name(call), NULL, NULL, NULL,
                               "no memory for the keys of a row");
    stria_chunks_run(&split, rows_range, task);
    stria_block_release(task->memory, nbytes);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the rows of the table */

/* Refuses what both refuse; k is in [least, size of the axis]. */
static stria_status check(const stria_call *call, int dim, int64_t k, int64_t least, stria_call_meta *meta,
                          stria_error *err)
{
    const stria_tensor *x = call->in[0];
    char                expected[64], got[32];

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "bool, integer or float", err);
    STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    const int64_t length = x->ndim > 0 ? x->shape[meta->axis] : 1;
    if (k >= least && k <= length) return STRIA_OK;
    snprintf(expected, sizeof expected, "%lld .. %lld", (long long)least, (long long)length);
    snprintf(got, sizeof got, "%lld", (long long)k);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), "k", expected, got,
                           "k is %s, but axis %d of x has size %lld", got, meta->axis, (long long)length);
}

stria_status stria_infer_topk(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_topk_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];

    STRIA_TRY(check(call, attrs->dim, attrs->k, x->ndim > 0 ? 0 : 1, meta, err));
    for (int k = 0; k < 2; k++) {
        stria_infer_same_shape(x, k == 0 ? x->dtype : STRIA_I64, &meta->out[k]);
        if (x->ndim > 0) meta->out[k].shape[meta->axis] = attrs->k;
    }
    return STRIA_OK;
}

stria_status stria_cpu_topk(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_topk_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];
    topk_task               task = {.x = x,
                                    .values = y[0],
                                    .indices = y[1],
                                    .axis = meta->axis,
                                    .length = x->ndim > 0 ? x->shape[meta->axis] : 1,
                                    .k = attrs->k,
                                    .largest = attrs->largest,
                                    .sorted = attrs->sorted};
    return run_rows(call, &task, err);
}

stria_status stria_infer_kthvalue(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_kthvalue_attrs *attrs = call->attrs;
    const stria_tensor         *x = call->in[0];

    STRIA_TRY(check(call, attrs->dim, attrs->k, 1, meta, err));
    meta->axes = x->ndim > 0 ? UINT64_C(1) << meta->axis : 0;
    stria_infer_reduced_shape(x, attrs->keepdim, x->dtype, meta);
    meta->out[1] = meta->out[0];
    meta->out[1].dtype = STRIA_I64;
    return STRIA_OK;
}

stria_status stria_cpu_kthvalue(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    topk_task           task = {.x = x,
                                .values = y[0],
                                .indices = y[1],
                                .axis = meta->axis,
                                .length = x->ndim > 0 ? x->shape[meta->axis] : 1,
                                .k = ((const stria_kthvalue_attrs *)call->attrs)->k,
                                .only_last = true};
    return run_rows(call, &task, err);
}
