/* pad.c - elements before and behind a tensor, along its last axes.
 *
 * Element i of an axis of the result stands for element i - before of x. Where there is none, the mode says which one it is. Rows
 * are copied run by run; a constant around an x that lies otherwise than the result is filled in, and x copied into its middle. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/pad.h"

static const char name[] = "pad";

void stria_pad_get(const stria_pad_attrs *attrs, int ndim, int axis, int64_t *before, int64_t *after)
{
    const int pair = 2 * (ndim - 1 - axis);

    *before = pair < attrs->pad.n ? attrs->pad.at[pair] : 0;
    *after = pair < attrs->pad.n ? attrs->pad.at[pair + 1] : 0;
}

/* ---------------------------------------------------------------- meta */

static bool is_zero(stria_scalar value)
{
    if (value.kind == STRIA_SCALAR_FLOAT) return value.re == 0;
    if (value.kind == STRIA_SCALAR_COMPLEX) return value.re == 0 && value.im == 0;
    return value.i == 0;
}

/* As for the value of masked_fill: a dtype takes numbers of its category or a lower one; bool 0 and 1, too. */
static bool is_castable(stria_scalar value, stria_dtype dtype)
{
    const stria_category category = stria_dtype_get_category(dtype);

    if (value.kind == STRIA_SCALAR_COMPLEX) return category == STRIA_CATEGORY_C;
    if (value.kind == STRIA_SCALAR_FLOAT) return category >= STRIA_CATEGORY_F;
    return category != STRIA_CATEGORY_B || value.i == 0 || value.i == 1;
}

static stria_status check_value(const stria_pad_attrs *attrs, const stria_tensor *x, stria_error *err)
{
    const char *dtype = stria_dtype_get_name(x->dtype);

    if (attrs->mode != STRIA_PAD_CONSTANT && !is_zero(attrs->value))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "value", "0", NULL,
                               "value is for the mode 'constant' alone");
    if (is_castable(attrs->value, x->dtype)) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DTYPE, name, "value", dtype, NULL, "value does not cast to an x of %s",
                           dtype);
}

/* Most elements that a mode has for a side of an axis. */
static int64_t get_limit(int mode, int64_t size)
{
    if (mode == STRIA_PAD_REFLECT) return size - 1;
    if (mode == STRIA_PAD_CIRCULAR) return size;
    return mode == STRIA_PAD_CONSTANT || size > 0 ? INT64_MAX : 0;
}

static stria_status infer_size(const stria_pad_attrs *attrs, const stria_tensor *x, int axis, int64_t *size,
                               stria_error *err)
{
    const int64_t limit = get_limit(attrs->mode, x->shape[axis]);
    int64_t       before, after;
    char          got[64];

    stria_pad_get(attrs, x->ndim, axis, &before, &after);
    snprintf(got, sizeof got, "%lld and %lld", (long long)before, (long long)after);
    if ((before > 0 && before > limit) || (after > 0 && after > limit))
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "pad", NULL, got,
                               "axis %d of size %lld has not enough elements for %s more in this mode", axis,
                               (long long)x->shape[axis], got);
    if (__builtin_add_overflow(x->shape[axis], before, size) || __builtin_add_overflow(*size, after, size))
        return stria_error_set(err, STRIA_ERR_OVERFLOW, name, "pad", "fewer than 2^63 elements", got,
                               "axis %d of the result is too long", axis);
    if (*size < 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "pad", NULL, got,
                               "%s leave nothing of axis %d, which has size %lld", got, axis,
                               (long long)x->shape[axis]);
    return STRIA_OK;
}

stria_status stria_infer_pad(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_pad_attrs *attrs = call->attrs;
    const stria_tensor    *x = call->in[0];
    char                   expected[48], got[32];

    if (attrs->pad.n % 2 != 0 || attrs->pad.n / 2 > x->ndim) {
        snprintf(expected, sizeof expected, "pairs, at most %d", x->ndim);
        snprintf(got, sizeof got, "%d numbers", attrs->pad.n);
        return stria_error_set(err, STRIA_ERR_SHAPE, name, "pad", expected, got,
                               "pad must be pairs for the last axes, at most %d, not %s", x->ndim, got);
    }
    STRIA_TRY(check_value(attrs, x, err));
    stria_infer_same_shape(x, x->dtype, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    for (int d = 0; d < x->ndim; d++) STRIA_TRY(infer_size(attrs, x, d, &meta->out[0].shape[d], err));
    return STRIA_OK;
}

/* ---------------------------------------------------------------- constant */

/* What is left of x into its place. */
static stria_status copy_middle(const stria_pad_attrs *attrs, const stria_tensor *x, stria_tensor *y, stria_error *err)
{
    int64_t       shape[STRIA_MAX_DIMS], from = 0, to = 0;
    stria_tensor *source = NULL, *middle = NULL;

    for (int d = 0; d < x->ndim; d++) {
        int64_t before, after;
        stria_pad_get(attrs, x->ndim, d, &before, &after);
        if (before <= -x->shape[d]) return STRIA_OK;
        const int64_t first = before < 0 ? -before : 0, end = x->shape[d] + (after < 0 ? after : 0);
        if (end <= first) return STRIA_OK;
        shape[d] = end - first;
        from += first * x->strides[d];
        to += (first + before) * y->strides[d];
    }
    STRIA_TRY(stria_tensor_view((stria_tensor *)(uintptr_t)x, x->ndim, shape, x->strides, from, &source, err));
    stria_status status = stria_tensor_view(y, y->ndim, shape, y->strides, to, &middle, err);
    if (status == STRIA_OK) status = stria_backend_copy(middle, source, err);
    stria_tensor_release(source);
    stria_tensor_release(middle);
    return status;
}

/* ---------------------------------------------------------------- rows
 *
 * A row lies along the dim that is fastest in memory: elements before x, a run of x, elements behind it. The other dims say which
 * row of x it is, by a table for each of them; none, where the whole row is the constant. */

#define OUTSIDE INT64_MIN

typedef struct row_task {
    int            mode, ndim;                                     /* ndim: of the dims beside the row */
    int64_t        shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS]; /* of y, slowest first; bytes */
    const int64_t *table[STRIA_MAX_DIMS];                          /* [shape[d]] offsets of x in bytes, or OUTSIDE */
    int64_t        length, before, size;                           /* of a row of y; before x; of x */
    int64_t        to_step, from_step;                             /* bytes */
    size_t         item;
    const char    *x, *value;
    char          *y;
} row_task;

/* The element that stands at i, which may be outside of [0, size); -1: none does. */
static int64_t get_source(int mode, int64_t i, int64_t size)
{
    if (i >= 0 && i < size) return i;
    if (mode == STRIA_PAD_CONSTANT) return -1;
    if (mode == STRIA_PAD_CIRCULAR) return i < 0 ? i + size : i - size;
    if (mode == STRIA_PAD_REFLECT) return i < 0 ? -i : 2 * (size - 1) - i;
    return i < 0 ? 0 : size - 1;
}

/* n elements, each of a constant number of bytes. */
static inline __attribute__((always_inline)) void copy_items(char *to, int64_t to_step, const char *from,
                                                             int64_t from_step, int64_t n, size_t item)
{
    for (int64_t k = 0; k < n; k++) memcpy(to + k * to_step, from + k * from_step, item);
}

static void copy_run(const row_task *task, char *to, const char *from, int64_t from_step, int64_t n)
{
    const size_t  item = task->item;
    const int64_t step = task->to_step;

    if (n <= 0) return;
    if (step == (int64_t)item && from_step == step)
        memcpy(to, from, (size_t)n * item);
    else if (item == 1)
        copy_items(to, step, from, from_step, n, 1);
    else if (item == 2)
        copy_items(to, step, from, from_step, n, 2);
    else if (item == 4)
        copy_items(to, step, from, from_step, n, 4);
    else if (item == 8)
        copy_items(to, step, from, from_step, n, 8);
    else
        copy_items(to, step, from, from_step, n, 16);
}

/* Elements begin .. end of a row, which are none of x itself. */
static void copy_edge(const row_task *task, char *to, const char *from, int64_t begin, int64_t end)
{
    if (end <= begin) return;
    char *const at = to + begin * task->to_step;

    if (task->mode == STRIA_PAD_CONSTANT) {
        copy_run(task, at, task->value, 0, end - begin);
        return;
    }
    const int64_t first = begin - task->before, size = task->size, step = task->from_step;
    const int64_t source = get_source(task->mode, first, size);
    copy_run(task, at, from + source * step,
             task->mode == STRIA_PAD_REFLECT    ? -step
             : task->mode == STRIA_PAD_CIRCULAR ? step
                                                : 0,
             end - begin);
}

static void copy_row(const row_task *task, char *to, const char *from)
{
    const int64_t length = task->length, before = task->before;
    int64_t       first = before < 0 ? 0 : before, last = before + task->size; /* the run of x, of y's elements */

    if (from == NULL) {
        copy_run(task, to, task->value, 0, length);
        return;
    }
    if (first > length) first = length;
    if (last > length) last = length;
    if (last < first) last = first; /* all of x is cropped */
    copy_edge(task, to, from, 0, first);
    if (last > first)
        copy_run(task, to + first * task->to_step, from + (first - before) * task->from_step, task->from_step,
                 last - first);
    copy_edge(task, to, from, last, length);
}

/* Where dims [0, n) lead to at this index, in y and in x; NULL: outside of x. */
static void get_places(const row_task *task, const int64_t *index, int n, char **to, const char **from)
{
    *from = task->x;
    *to = task->y;
    for (int d = 0; d < n; d++) {
        const int64_t offset = task->table[d][index[d]];
        *to += index[d] * task->strides[d];
        if (offset == OUTSIDE)
            *from = NULL;
        else if (*from != NULL)
            *from += offset;
    }
}

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const row_task *task = context;
    const int       last = task->ndim - 1;
    int64_t         index[STRIA_MAX_DIMS], n;
    const char     *from;
    char           *to;
    (void)chunk;

    for (int64_t d = last, rest = begin; d >= 0; d--) {
        index[d] = rest % task->shape[d];
        rest /= task->shape[d];
    }
    if (last < 0) {
        copy_row(task, task->y, task->x);
        return;
    }
    for (int64_t row = begin; row < end; row += n) {
        const int64_t first = index[last], *table = task->table[last] + first;
        const int64_t step = task->strides[last];
        const int64_t rest = task->shape[last] - first;
        n = rest < end - row ? rest : end - row;
        get_places(task, index, last, &to, &from);
        to += first * step;
        for (int64_t k = 0; k < n; k++)
            copy_row(task, to + k * step, from && table[k] != OUTSIDE ? from + table[k] : NULL);
        index[last] += n;
        for (int d = last; d >= 0 && index[d] == task->shape[d]; d--) {
            index[d] = 0;
            if (d > 0) index[d - 1]++;
        }
    }
}

/* What the rows need of axis d of y; `at` has room for its table. */
static void add_axis(const stria_pad_attrs *attrs, const stria_tensor *x, const stria_tensor *y, int d, int64_t *at,
                     row_task *task)
{
    const int k = task->ndim++;
    int64_t   before, after;

    stria_pad_get(attrs, x->ndim, d, &before, &after);
    task->shape[k] = y->shape[d];
    task->strides[k] = y->strides[d] * (int64_t)task->item;
    task->table[k] = at;
    for (int64_t i = 0; i < y->shape[d]; i++) {
        const int64_t source = get_source(attrs->mode, i - before, x->shape[d]);
        at[i] = source < 0 ? OUTSIDE : source * x->strides[d] * (int64_t)task->item;
    }
}

static stria_status copy_rows(const stria_pad_attrs *attrs, const stria_tensor *x, stria_tensor *y, const char *value,
                              stria_error *err)
{
    const stria_layout layout = {y->shape, y->strides};
    row_task           task = {.mode = attrs->mode, .item = (size_t)stria_tensor_get_item_size(x), .value = value};
    int                order[STRIA_MAX_DIMS];
    int64_t            total = 1, after;
    size_t             nbytes = 0;

    stria_layout_sort_dims(y->ndim, order, stria_layout_compare_dims, &layout);
    const int fast = order[0];
    for (int i = 1; i < y->ndim; i++) total += y->shape[order[i]];
    int64_t *tables = stria_block_new_parts(total, (int64_t)sizeof *tables, &nbytes);
    if (!tables) return stria_error_set(err, STRIA_ERR_MEMORY, name, NULL, NULL, NULL, "no memory for offsets");
    int64_t *at = tables;
    for (int i = y->ndim - 1; i > 0; i--) {
        add_axis(attrs, x, y, order[i], at, &task);
        at += y->shape[order[i]];
    }
    stria_pad_get(attrs, x->ndim, fast, &task.before, &after);
    task.length = y->shape[fast];
    task.size = x->shape[fast];
    task.to_step = y->strides[fast] * (int64_t)task.item;
    task.from_step = x->strides[fast] * (int64_t)task.item;
    task.x = x->data;
    task.y = y->data;
    const int64_t grain = STRIA_GRAIN / task.length;
    stria_parallel_for(stria_team_get(), 0, y->numel / task.length, grain > 1 ? grain : 1, rows_range, &task);
    stria_block_release(tables, nbytes);
    return STRIA_OK;
}

/* Whether a copy of x to y goes along the memory of both. */
static bool are_alike(const stria_tensor *x, const stria_tensor *y)
{
    const stria_layout layout = {y->shape, y->strides};
    int                order[STRIA_MAX_DIMS];

    stria_layout_sort_dims(y->ndim, order, stria_layout_compare_dims, &layout);
    return x->shape[order[0]] <= 1 || x->strides[order[0]] == 1;
}

stria_status stria_cpu_pad(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_pad_attrs *attrs = call->attrs;
    const stria_tensor    *x = call->in[0];
    stria_tensor          *value = NULL;
    (void)meta;

    const bool is_on_cpu = x->device.type == STRIA_DEVICE_CPU;
    if (x->ndim > 0 && attrs->mode != STRIA_PAD_CONSTANT) return copy_rows(attrs, x, y[0], NULL, err);
    if (x->ndim == 0 || x->numel == 0 || !is_on_cpu || !are_alike(x, y[0])) {
        STRIA_TRY(stria_backend_fill(y[0], attrs->value, err));
        return x->numel > 0 ? copy_middle(attrs, x, y[0], err) : STRIA_OK;
    }
    STRIA_TRY(stria_tensor_new(x->dtype, 0, NULL, &value, err));
    stria_status status = stria_backend_fill(value, attrs->value, err);
    if (status == STRIA_OK) status = copy_rows(attrs, x, y[0], value->data, err);
    stria_tensor_release(value);
    return status;
}
