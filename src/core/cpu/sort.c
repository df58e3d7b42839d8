/* sort.c - the elements of each row in order, and where they were.
 *
 * An element becomes a key: a whole number without sign, in the order of the elements. Zeros of either sign have one key, NaN has
 * the largest. A descending order is that of the inverted keys. The sort of keys is stable for every dtype, so equal elements keep
 * their order both ways. Results are copied from x, bit for bit. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/call.h"

#define RUN 16     /* elements that are sorted by insertion */
#define GRAIN 4096 /* elements that pay a second thread */

typedef struct item {
    uint64_t key;
    int64_t  index;
} item;

typedef struct sort_task {
    const stria_tensor *x;
    stria_tensor       *values, *indices;
    int                 axis;
    int64_t             length; /* of a row */
    bool                descending;
    item               *items; /* [chunks][2][length] */
} sort_task;

/* ---------------------------------------------------------------- keys */

static uint64_t get_bits(const char *at, int64_t size)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (size) {
    case 1: return (unsigned char)*at;
    case 2: return memcpy(&two, at, 2), two;
    case 4: return memcpy(&four, at, 4), four;
    default: return memcpy(&eight, at, 8), eight;
    }
}

static uint64_t get_infinity(stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_F16: return 0x7c00;
    case STRIA_BF16: return 0x7f80;
    case STRIA_F32: return 0x7f800000;
    default: return UINT64_C(0x7ff0000000000000);
    }
}

static uint64_t get_float_key(uint64_t bits, uint64_t sign, uint64_t infinity)
{
    const uint64_t size = bits & (sign - 1);

    if (size > infinity) return UINT64_MAX;
    return bits & sign ? sign - size : sign + size;
}

static void read_row(const sort_task *task, const char *at, item *items)
{
    const stria_tensor  *x = task->x;
    const stria_category category = stria_dtype_get_category(x->dtype);
    const int64_t        size = stria_tensor_get_item_size(x), step = x->ndim > 0 ? x->strides[task->axis] * size : 0;
    const uint64_t       sign = UINT64_C(1) << (8 * size - 1), infinity = get_infinity(x->dtype);
    const uint64_t       inverted = task->descending ? UINT64_MAX : 0;

    for (int64_t k = 0; k < task->length; k++, at += step) {
        uint64_t key = get_bits(at, size);
        if (category == STRIA_CATEGORY_F) key = get_float_key(key, sign, infinity);
        if (category == STRIA_CATEGORY_I) key ^= sign;
        if (category == STRIA_CATEGORY_B) key = key != 0;
        items[k] = (item){key ^ inverted, k};
    }
}

/* ---------------------------------------------------------------- sorting */

static void insert(item *items, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const item one = items[k];
        int64_t    at = k;
        for (; at > 0 && items[at - 1].key > one.key; at--) items[at] = items[at - 1];
        items[at] = one;
    }
}

/* Two sorted runs, [0, middle) and [middle, n), into `to`. */
static void merge(item *to, const item *from, int64_t middle, int64_t n)
{
    int64_t a = 0, b = middle, k = 0;

    if (middle >= n || from[middle - 1].key <= from[middle].key) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    while (a < middle && b < n) {
        const bool takes_b = from[b].key < from[a].key; /* the first of equals is that of the first run */
        to[k++] = from[takes_b ? b : a];
        b += takes_b;
        a += !takes_b;
    }
    memcpy(to + k, from + a, (size_t)(middle - a) * sizeof *to);
    memcpy(to + k + (middle - a), from + b, (size_t)(n - b) * sizeof *to);
}

/* Sorts n items, with room for as many; returns which of the two holds them. */
static const item *sort_items(item *items, item *room, int64_t n)
{
    for (int64_t at = 0; at < n; at += RUN) insert(items + at, n - at < RUN ? n - at : RUN);
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            const int64_t left = n - at;
            merge(room + at, items + at, width < left ? width : left, 2 * width < left ? 2 * width : left);
        }
        item *other = items;
        items = room;
        room = other;
    }
    return items;
}

/* ---------------------------------------------------------------- rows */

/* The first element of a row; rows count in row-major order of the other axes. */
static char *row_at(const stria_tensor *x, int axis, int64_t row)
{
    int64_t offset = 0;

    for (int d = x->ndim - 1; d >= 0; d--) {
        if (d == axis) continue;
        offset += row % x->shape[d] * x->strides[d];
        row /= x->shape[d];
    }
    return x->data + offset * stria_tensor_get_item_size(x);
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

static void write_row(const sort_task *task, int64_t row, const item *items)
{
    const int     axis = task->axis, ndim = task->x->ndim;
    const int64_t size = stria_tensor_get_item_size(task->x), step = ndim > 0 ? task->x->strides[axis] * size : 0;
    const int64_t value_step = ndim > 0 ? task->values->strides[axis] * size : 0;
    const int64_t index_step = ndim > 0 ? task->indices->strides[axis] * 8 : 0;
    const char   *source = row_at(task->x, axis, row);
    char         *value = row_at(task->values, axis, row), *index = row_at(task->indices, axis, row);

    for (int64_t k = 0; k < task->length; k++) {
        copy_element(value + k * value_step, source + items[k].index * step, size);
        memcpy(index + k * index_step, &items[k].index, 8);
    }
}

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const sort_task *task = context;
    item            *items = task->items + 2 * chunk * task->length, *room = items + task->length;

    for (int64_t row = begin; row < end; row++) {
        read_row(task, row_at(task->x, task->axis, row), items);
        write_row(task, row, sort_items(items, room, task->length));
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

    task.items = stria_block_new_parts(2 * split.n_chunks * length, (int64_t)sizeof(item), &nbytes);
    if (!task.items)
        return stria_error_set(err, STRIA_ERR_MEMORY, "sort", NULL, NULL, NULL, "no memory for the keys of a row");
    stria_chunks_run(&split, rows_range, &task);
    stria_block_release(task.items, nbytes);
    return STRIA_OK;
}
