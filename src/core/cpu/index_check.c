/* index_check.c - what the functions of the index family refuse: dtypes and shapes of an index, and its values. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "cpu/index_plan.h"
#include "simd/kernels.h"

/* ---------------------------------------------------------------- values */

static int64_t get_value(const stria_tensor *index, const char *at)
{
    int32_t narrow;
    int64_t wide;

    if (index->dtype == STRIA_I32) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* The first index out of range, in row-major order; false: there is none. */
static bool find_first(const stria_tensor *index, int64_t size, bool wraps, int64_t *position, int64_t *value)
{
    const int64_t item_size = stria_tensor_get_item_size(index);

    memset(position, 0, sizeof *position * STRIA_MAX_DIMS);
    for (int64_t k = 0; k < index->numel; k++) {
        int64_t at = 0;
        for (int d = 0; d < index->ndim; d++) at += position[d] * index->strides[d];
        *value = get_value(index, index->data + at * item_size);
        if (*value >= size || *value < (wraps ? -size : 0)) return true;
        for (int d = index->ndim - 1; d >= 0; d--) {
            if (++position[d] < index->shape[d]) break;
            position[d] = 0;
        }
    }
    return false;
}

stria_status stria_index_refuse(const stria_call *call, const char *argument, const stria_tensor *index, int64_t size,
                                bool wraps, const char *what, stria_error *err)
{
    const char *name = stria_call_get_name(call);
    int64_t     position[STRIA_MAX_DIMS], value;
    char        expected[64], got[32], at[96];

    if (!find_first(index, size, wraps, position, &value))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, argument, NULL, NULL, "%s changed while it was read",
                               argument);
    snprintf(expected, sizeof expected, "%" PRId64 " .. %" PRId64, wraps ? -size : 0, size - 1);
    snprintf(got, sizeof got, "%" PRId64, value);
    if (index->ndim == 0)
        at[0] = 0;
    else
        stria_shape_print(at, sizeof at, index->ndim, position);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, name, argument, expected, got,
                           "%s%s is %s, out of range for %s of size %" PRId64, argument, at, got, what, size);
}

typedef struct range_task {
    const int64_t *at;
    int64_t        size;
    atomic_bool    is_out;
} range_task;

static void check_range(void *context, int thread, int64_t begin, int64_t end)
{
    range_task       *task = context;
    uint64_t          largest = 0, of_block; /* a negative index counts as 2^63 and more */
    stria_reduce_row *find = stria_dispatch_get()->lane[STRIA_U64]->row[STRIA_RED_amax];

    (void)thread;
    for (int64_t k = begin; k < end; k += STRIA_REDUCE_BLOCK) {
        find((char *)&of_block, (const char *)(task->at + k),
             end - k < STRIA_REDUCE_BLOCK ? end - k : STRIA_REDUCE_BLOCK);
        if (of_block > largest) largest = of_block;
    }
    if (largest >= (uint64_t)task->size) atomic_store_explicit(&task->is_out, true, memory_order_relaxed);
}

/* Whether the index is packed, of i64, and all of it in [0, size). Where that fails nothing is known. */
static bool is_plainly_in(const stria_tensor *index, int64_t size)
{
    range_task task = {(const int64_t *)(const void *)index->data, size, false};

    if (index->dtype != STRIA_I64 || !stria_tensor_get_contiguous(index)) return false;
    stria_parallel_for(stria_team_get(), 0, index->numel, STRIA_GRAIN, check_range, &task);
    return !atomic_load_explicit(&task.is_out, memory_order_relaxed);
}

static void ignore(const void *context, char *table, int64_t table_stride, const int64_t *offsets, char *other,
                   int64_t other_stride, int64_t n)
{
    (void)context, (void)table, (void)table_stride, (void)offsets, (void)other, (void)other_stride, (void)n;
}

stria_status stria_index_check(const stria_call *call, const char *argument, const stria_tensor *index, int64_t size,
                               bool wraps, const char *what, stria_error *err)
{
    stria_index_plan plan;

    if (is_plainly_in(index, size)) return STRIA_OK;
    stria_index_plan_init(&plan, index->ndim, index->shape);
    stria_index_plan_set_index(&plan, index, 0);
    plan.size = size;
    plan.wraps = wraps;
    plan.reads = true;
    for (int d = 0; d < index->ndim; d++)
        if (index->strides[d] == 0 && index->shape[d] > 0) plan.shape[d] = 1; /* the same indices again */
    if (stria_index_run(&plan, ignore, NULL)) return STRIA_OK;
    return stria_index_refuse(call, argument, index, size, wraps, what, err);
}

/* ---------------------------------------------------------------- dtypes and shapes */

stria_status stria_index_infer_dtype(const stria_call *call, const char *argument, const stria_tensor *index,
                                     stria_error *err)
{
    if (index->dtype == STRIA_I32 || index->dtype == STRIA_I64) return STRIA_OK;
    return stria_infer_refuse_dtype(call, argument, index->dtype, "i32 or i64", err);
}

stria_status stria_index_infer_size(const stria_call *call, const char *argument, const stria_tensor *index,
                                    int64_t size, const char *what, stria_error *err)
{
    if (size > 0 || index->numel == 0) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), argument, "no elements", NULL,
                           "%s has elements, but %s has size 0", argument, what);
}

stria_status stria_index_infer_same_dtype(const stria_call *call, const char *argument, const stria_tensor *source,
                                          const stria_tensor *x, stria_error *err)
{
    if (source->dtype == x->dtype) return STRIA_OK;
    return stria_infer_refuse_dtype(call, argument, source->dtype, stria_dtype_get_name(x->dtype), err);
}

stria_status stria_index_infer_along(const stria_call *call, int dim, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *index = call->in[1];
    const char         *name = stria_call_get_name(call);
    char                expected[96], got[96], what[32];

    STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    STRIA_TRY(stria_index_infer_dtype(call, "index", index, err));
    if (index->numel == 0) return STRIA_OK;
    bool fits = (index->ndim > 0 ? index->ndim : 1) == (x->ndim > 0 ? x->ndim : 1);
    for (int d = 0; d < x->ndim && d < index->ndim && fits; d++)
        fits = d == meta->axis || index->shape[d] <= x->shape[d];
    if (!fits)
        return stria_error_set(
            err, STRIA_ERR_SHAPE, name, "index", stria_shape_print(expected, sizeof expected, x->ndim, x->shape),
            stria_shape_print(got, sizeof got, index->ndim, index->shape),
            "index has shape %s, but must have the dims of x, %s, and be no longer but along axis %d", got, expected,
            meta->axis);
    snprintf(what, sizeof what, "axis %d", meta->axis);
    return stria_index_infer_size(call, "index", index, stria_index_get_size(x, meta->axis), what, err);
}

stria_status stria_index_infer_list(const stria_call *call, const char *argument, int dim, stria_call_meta *meta,
                                    stria_error *err)
{
    const stria_tensor *x = call->in[0], *index = call->in[1];
    char                got[96], what[32];

    STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    STRIA_TRY(stria_index_infer_dtype(call, argument, index, err));
    if (index->ndim > 1)
        return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), argument, "1 dim or none",
                               stria_shape_print(got, sizeof got, index->ndim, index->shape),
                               "%s has shape %s, but must have one dim or none", argument, got);
    snprintf(what, sizeof what, "axis %d", meta->axis);
    return stria_index_infer_size(call, argument, index, stria_index_get_size(x, meta->axis), what, err);
}
