/* pad.c - elements before and behind a tensor, along its last axes.
 *
 * Element i of an axis of the result stands for element i - before of x. Where there is none, the mode says which one it is.
 *
 *   constant   the result is filled, and x copied into its middle
 *   others     a table for each axis has the offsets of the elements of x; rows along the last axis are gathered by them */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "call/call.h"

static const char name[] = "pad";

/* In the order of the row's words. */
enum { CONSTANT, REFLECT, REPLICATE, CIRCULAR };

/* What is added along an axis; negative: left out. pad has pairs from the last axis backwards. */
static void get_pads(const stria_pad_attrs *attrs, int ndim, int axis, int64_t *before, int64_t *after)
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

    if (attrs->mode != CONSTANT && !is_zero(attrs->value))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "value", "0", NULL,
                               "value is for the mode 'constant' alone");
    if (is_castable(attrs->value, x->dtype)) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DTYPE, name, "value", dtype, NULL, "value does not cast to an x of %s",
                           dtype);
}

/* Most elements that a mode has for a side of an axis. */
static int64_t get_limit(int mode, int64_t size)
{
    if (mode == REFLECT) return size - 1;
    if (mode == CIRCULAR) return size;
    return mode == CONSTANT || size > 0 ? INT64_MAX : 0;
}

static stria_status infer_size(const stria_pad_attrs *attrs, const stria_tensor *x, int axis, int64_t *size,
                               stria_error *err)
{
    const int64_t limit = get_limit(attrs->mode, x->shape[axis]);
    int64_t       before, after;
    char          got[64];

    get_pads(attrs, x->ndim, axis, &before, &after);
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
        get_pads(attrs, x->ndim, d, &before, &after);
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

/* ---------------------------------------------------------------- elements of x */

typedef struct gather_task {
    const stria_tensor *x;
    stria_tensor       *y;
    int64_t            *offsets; /* [sum of y's shape] bytes, axis by axis */
} gather_task;

/* The element that stands at i, which may be outside of [0, size). */
static int64_t get_source(int mode, int64_t i, int64_t size)
{
    if (mode == CIRCULAR) return i < 0 ? i + size : i >= size ? i - size : i;
    if (mode == REFLECT) return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

static void fill_offsets(const stria_pad_attrs *attrs, const gather_task *task)
{
    const stria_tensor *x = task->x;
    int64_t            *at = task->offsets;

    for (int d = 0; d < x->ndim; d++) {
        int64_t before, after;
        get_pads(attrs, x->ndim, d, &before, &after);
        for (int64_t k = 0; k < task->y->shape[d]; k++)
            *at++ = get_source(attrs->mode, k - before, x->shape[d]) * x->strides[d] * stria_tensor_get_item_size(x);
    }
}

static void rows_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const gather_task  *task = context;
    const stria_tensor *x = task->x;
    const int           last = x->ndim - 1;
    const size_t        size = (size_t)stria_tensor_get_item_size(x);
    const int64_t       length = task->y->shape[last], step = task->y->strides[last] * (int64_t)size;
    int64_t             total = 0;
    (void)chunk;

    for (int d = 0; d < last; d++) total += task->y->shape[d];
    for (int64_t row = begin; row < end; row++) {
        const int64_t *table = task->offsets + total, *columns = table;
        const char    *from = x->data;
        char          *to = task->y->data;
        for (int64_t d = last - 1, rest = row; d >= 0; d--) {
            const int64_t index = rest % task->y->shape[d];
            rest /= task->y->shape[d];
            table -= task->y->shape[d];
            from += table[index];
            to += index * task->y->strides[d] * (int64_t)size;
        }
        for (int64_t k = 0; k < length; k++) memcpy(to + k * step, from + columns[k], size);
    }
}

static stria_status gather(const stria_pad_attrs *attrs, const stria_tensor *x, stria_tensor *y, stria_error *err)
{
    gather_task   task = {x, y, NULL};
    const int64_t length = y->shape[y->ndim - 1], grain = STRIA_GRAIN / length;
    int64_t       total = 0;
    size_t        nbytes = 0;

    for (int d = 0; d < y->ndim; d++) total += y->shape[d];
    task.offsets = stria_block_new_parts(total, (int64_t)sizeof *task.offsets, &nbytes);
    if (!task.offsets) return stria_error_set(err, STRIA_ERR_MEMORY, name, NULL, NULL, NULL, "no memory for offsets");
    fill_offsets(attrs, &task);
    stria_parallel_for(stria_team_get(), 0, y->numel / length, grain > 1 ? grain : 1, rows_range, &task);
    stria_block_release(task.offsets, nbytes);
    return STRIA_OK;
}

stria_status stria_cpu_pad(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_pad_attrs *attrs = call->attrs;
    const stria_tensor    *x = call->in[0];
    (void)meta;

    if (attrs->mode != CONSTANT && x->ndim > 0) return gather(attrs, x, y[0], err);
    STRIA_TRY(stria_backend_fill(y[0], attrs->value, err));
    return copy_middle(attrs, x, y[0], err);
}
