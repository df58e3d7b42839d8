/* unique.c - unique and unique_consecutive: groups of equal elements, or of equal slices along an axis.
 *
 * The members are put in order by sort, or stay in theirs; slices are compared key by key. A member that differs from the one before it
 * begins a group. Values are the first members of the groups: elements that are in order already are packed under a mask. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"
#include "cpu/sort_items.h"

typedef struct unique_task {
    const char         *name;
    const stria_tensor *x;
    int                 axis; /* of slices; -1: elements */
    bool                in_order, wants_inverse, wants_counts;
    int64_t             n;      /* members */
    int64_t             width;  /* keys of a slice */
    const uint64_t     *keys;   /* [n][width], of slices */
    stria_key_reader    reader; /* of slices */
    const int64_t      *order;  /* [n], or NULL: they are in order as they are */
    stria_tensor       *mask;   /* [n], bool: whether member order[k] begins a group */
    uint8_t            *begins; /* its elements */
    int64_t             n_groups;
} unique_task;

static int64_t get_member(const unique_task *task, int64_t k) { return task->order ? task->order[k] : k; }

/* ---------------------------------------------------------------- elements */

/* x: the elements in order. Those that differ from their neighbour on the left begin groups, so that each NaN is one. */
static stria_status find_groups(const unique_task *task, const stria_tensor *x, stria_error *err)
{
    stria_tensor *left = NULL, *right = NULL, *begins = NULL;

    if (task->n > 0) task->begins[0] = 1;
    if (task->n < 2) return STRIA_OK;
    stria_status status = stria_slice((stria_tensor *)(uintptr_t)x, 0, 0, task->n - 1, 1, &left, err);
    if (status == STRIA_OK) status = stria_slice((stria_tensor *)(uintptr_t)x, 0, 1, task->n, 1, &right, err);
    if (status == STRIA_OK) status = stria_slice(task->mask, 0, 1, task->n, 1, &begins, err);
    if (status == STRIA_OK)
        status = stria_apply_out(STRIA_OP_ne, (const stria_tensor *[]){left, right}, 2, begins, err);
    stria_tensor_release(left), stria_tensor_release(right), stria_tensor_release(begins);
    return status;
}

/* ---------------------------------------------------------------- slices */

static int compare(const unique_task *task, int64_t a, int64_t b)
{
    const uint64_t *one = task->keys + a * task->width, *other = task->keys + b * task->width;

    for (int64_t k = 0; k < task->width; k++)
        if (one[k] != other[k]) return one[k] < other[k] ? -1 : 1;
    return 0;
}

static bool has_nan(const unique_task *task, int64_t member)
{
    const uint64_t *keys = task->keys + member * task->width;

    for (int64_t k = 0; k < task->width; k++)
        if (stria_key_is_nan(&task->reader, keys[k])) return true;
    return false;
}

/* Stable, by merging; the result is in `order`. */
static void sort_slices(const unique_task *task, int64_t *order, int64_t *room)
{
    const int64_t n = task->n;

    for (int64_t k = 0; k < n; k++) order[k] = k;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            const int64_t middle = n - begin < width ? n : begin + width;
            const int64_t end = n - begin < 2 * width ? n : begin + 2 * width;
            int64_t       a = begin, b = middle;
            for (int64_t k = begin; k < end; k++)
                room[k] = b == end || (a < middle && compare(task, order[a], order[b]) <= 0) ? order[a++] : order[b++];
        }
        memcpy(order, room, (size_t)n * sizeof *order);
    }
}

static void find_slice_groups(unique_task *task)
{
    for (int64_t k = 0; k < task->n; k++) {
        const int64_t member = get_member(task, k);
        task->begins[k] = k == 0 || has_nan(task, member) || compare(task, get_member(task, k - 1), member) != 0;
        task->n_groups += task->begins[k];
    }
}

/* ---------------------------------------------------------------- results */

static stria_status new_indices(const unique_task *task, bool is_wanted, bool like_members, stria_tensor **y,
                                stria_error *err)
{
    const int64_t       none = 0;
    const bool          has_shape = like_members && task->axis < 0;
    const stria_tensor *x = task->x;

    if (!is_wanted) return stria_tensor_new(STRIA_I64, 1, &none, y, err);
    if (has_shape) return stria_tensor_new(STRIA_I64, x->ndim, x->shape, y, err);
    return stria_tensor_new(STRIA_I64, 1, like_members ? &task->n : &task->n_groups, y, err);
}

/* firsts: the first member of each group. Each of the three may be NULL. */
static void write_results(const unique_task *task, int64_t *firsts, int64_t *inverse, int64_t *counts)
{
    int64_t group = -1, start = 0;

    for (int64_t k = 0; k < task->n; k++) {
        const int64_t member = get_member(task, k);
        if (task->begins[k]) {
            if (counts && group >= 0) counts[group] = k - start;
            start = k;
            group++;
            if (firsts) firsts[group] = member;
        }
        if (inverse) inverse[member] = group;
    }
    if (counts && group >= 0) counts[group] = task->n - start;
}

static int64_t *data_if(bool is_wanted, stria_tensor *x) { return is_wanted ? (int64_t *)(void *)x->data : NULL; }

/* elements: those in order, or NULL of slices. */
static stria_status make_results(unique_task *task, const stria_tensor *elements, stria_tensor **y, stria_error *err)
{
    stria_tensor *firsts = NULL;
    stria_status  status = STRIA_OK;

    if (elements) {
        status = stria_masked_select(elements, task->mask, &y[0], err);
        if (status == STRIA_OK) task->n_groups = y[0]->numel;
    } else
        status = stria_tensor_new(STRIA_I64, 1, &task->n_groups, &firsts, err);
    if (status == STRIA_OK) status = new_indices(task, task->wants_inverse, true, &y[1], err);
    if (status == STRIA_OK) status = new_indices(task, task->wants_counts, false, &y[2], err);
    if (status == STRIA_OK && (firsts || task->wants_inverse || task->wants_counts))
        write_results(task, firsts ? (int64_t *)(void *)firsts->data : NULL, data_if(task->wants_inverse, y[1]),
                      data_if(task->wants_counts, y[2]));
    if (status == STRIA_OK && firsts) status = stria_index_select(task->x, firsts, task->axis, &y[0], err);
    stria_tensor_release(firsts);
    return status;
}

/* ---------------------------------------------------------------- both forms */

static stria_status run_elements(unique_task *task, stria_tensor **y, stria_error *err)
{
    const int64_t flat = -1;
    stria_tensor *members = NULL, *values = NULL, *order = NULL;
    stria_status  status = stria_reshape((stria_tensor *)(uintptr_t)task->x, &flat, 1, &members, err);

    if (status == STRIA_OK && !task->in_order) {
        status = stria_sort(members, 0, false, true, &values, &order, err);
        if (status == STRIA_OK) task->order = (const int64_t *)(const void *)order->data;
    }
    const stria_tensor *in_order = task->in_order ? members : values;
    if (status == STRIA_OK) status = find_groups(task, in_order, err);
    if (status == STRIA_OK) status = make_results(task, in_order, y, err);
    stria_tensor_release(members), stria_tensor_release(values), stria_tensor_release(order);
    return status;
}

/* The keys of all slices, one behind another. */
static void get_keys(const unique_task *task, uint64_t *keys)
{
    const stria_tensor *x = task->x;

    for (int64_t k = 0; k < task->width; k++) {
        const stria_sort_row row = stria_sort_row_get(x, task->axis, k, false);
        for (int64_t member = 0; member < task->n; member++)
            stria_sort_keys_get(&row, member, member + 1, &keys[member * task->width + k]);
    }
}

static stria_status run_slices(unique_task *task, stria_tensor **y, stria_error *err)
{
    size_t       key_bytes = 0, order_bytes = 0;
    uint64_t    *keys = stria_block_new_parts(task->x->numel, sizeof *keys, &key_bytes);
    int64_t     *order = stria_block_new_parts(2 * task->n, sizeof *order, &order_bytes);
    stria_status status;

    if (keys && order) {
        get_keys(task, keys);
        task->keys = keys;
        if (!task->in_order) {
            sort_slices(task, order, order + task->n);
            task->order = order;
        }
        find_slice_groups(task);
        status = make_results(task, NULL, y, err);
    } else
        status =
            stria_error_set(err, STRIA_ERR_MEMORY, task->name, NULL, NULL, NULL, "no memory for the keys of slices");
    if (keys) stria_block_release(keys, key_bytes);
    if (order) stria_block_release(order, order_bytes);
    return status;
}

static stria_status run(unique_task *task, stria_tensor **y, stria_error *err)
{
    task->n = task->axis < 0 ? task->x->numel : task->x->shape[task->axis];
    task->width = task->n > 0 ? task->x->numel / task->n : 0;
    task->reader = stria_key_reader_get(task->x->dtype);
    STRIA_TRY(stria_tensor_new(STRIA_BOOL, 1, &task->n, &task->mask, err));
    task->begins = (uint8_t *)task->mask->data;
    const stria_status status = task->axis < 0 ? run_elements(task, y, err) : run_slices(task, y, err);
    stria_tensor_release(task->mask);
    return status;
}

/* ---------------------------------------------------------------- the rows of the table */

static stria_status infer(const stria_call *call, int dim, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const bool          is_flat = dim == STRIA_AXIS_NONE || x->ndim == 0;

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "bool, integer or float", err);
    if (dim != STRIA_AXIS_NONE) STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    if (is_flat) meta->axis = -1;
    for (int d = 0; !is_flat && d < x->ndim; d++)
        if (d != meta->axis && x->shape[d] == 0)
            return stria_error_set(err, STRIA_ERR_EMPTY, stria_call_get_name(call), "x", NULL, NULL,
                                   "axis %d of x has size 0, and slices along axis %d have no elements", d, meta->axis);
    meta->out[0].dtype = x->dtype;
    meta->out[0].ndim = is_flat ? 1 : x->ndim;
    for (int k = 0; k < 3; k++) {
        meta->out[k].order = STRIA_ORDER_UNKNOWN;
        if (k > 0) meta->out[k].dtype = STRIA_I64;
        if (k > 0) meta->out[k].ndim = k == 1 && is_flat ? x->ndim : 1;
    }
    return STRIA_OK;
}

stria_status stria_infer_unique(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer(call, ((const stria_unique_attrs *)call->attrs)->dim, meta, err);
}

stria_status stria_cpu_unique(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_unique_attrs *attrs = call->attrs;
    unique_task               task = {.name = "unique",
                                      .x = call->in[0],
                                      .axis = meta->axis,
                                      .wants_inverse = attrs->return_inverse,
                                      .wants_counts = attrs->return_counts};
    return run(&task, y, err);
}

stria_status stria_infer_unique_consecutive(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer(call, ((const stria_unique_consecutive_attrs *)call->attrs)->dim, meta, err);
}

stria_status stria_cpu_unique_consecutive(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                          stria_error *err)
{
    const stria_unique_consecutive_attrs *attrs = call->attrs;
    unique_task                           task = {.name = "unique_consecutive",
                                                  .x = call->in[0],
                                                  .axis = meta->axis,
                                                  .in_order = true,
                                                  .wants_inverse = attrs->return_inverse,
                                                  .wants_counts = attrs->return_counts};
    return run(&task, y, err);
}
