/* search.c - positions of values in rows in order. Integers are compared as i64 or u64, f16 and bf16 as f32. */
#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/meta.h"
#include "cpu/index_plan.h"
#include "cpu/search.h"

#define T int64_t
#define NAME(word) word##_i64
#define IS_NAN(a) ((void)(a), false)
#include "cpu/search_template.h"
#define T uint64_t
#define NAME(word) word##_u64
#define IS_NAN(a) ((void)(a), false)
#include "cpu/search_template.h"
#define T float
#define NAME(word) word##_f32
#define IS_NAN(a) isnan(a)
#include "cpu/search_template.h"
#define T double
#define NAME(word) word##_f64
#define IS_NAN(a) isnan(a)
#include "cpu/search_template.h"

/* ---------------------------------------------------------------- infer */

static stria_status refuse_shape(const char *argument, const stria_tensor *x, const stria_tensor *sorted,
                                 const char *format, stria_error *err)
{
    char expected[96], got[96];

    stria_shape_print(expected, sizeof expected, sorted->ndim, sorted->shape);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, "searchsorted", argument, expected, got, "%s has shape %s, %s %s",
                           argument, got, format, expected);
}

enum { SIDE_NONE, SIDE_LEFT, SIDE_RIGHT }; /* the words of side; none: as `right` says */

stria_status stria_infer_searchsorted(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_searchsorted_attrs *attrs = call->attrs;
    const stria_tensor             *sorted = call->in[0], *values = call->in[1], *sorter = call->in[2];

    if (attrs->right && attrs->side == SIDE_LEFT)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "searchsorted", "side", "right, or none", "left",
                               "side is left, but right is true");
    if (stria_dtype_get_category(sorted->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "sorted_sequence", sorted->dtype, "real", err);
    if (stria_dtype_get_category(values->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "values", values->dtype, "real", err);
    if (sorted->ndim == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, "searchsorted", "sorted_sequence", "1 dim or more", "[]",
                               "sorted_sequence has no dims");
    bool fits = sorted->ndim == 1 || values->ndim == sorted->ndim;
    for (int d = 0; d < sorted->ndim - 1 && fits; d++) fits = values->shape[d] == sorted->shape[d];
    if (!fits) return refuse_shape("values", values, sorted, "but must have the first axes of", err);
    if (attrs->out_int32 && sorted->shape[sorted->ndim - 1] > INT32_MAX)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "searchsorted", "out_int32", "false", "true",
                               "positions in rows of more than 2^31 - 1 elements are no int32");
    stria_infer_same_shape(values, attrs->out_int32 ? STRIA_I32 : STRIA_I64, &meta->out[0]);
    if (!sorter) return STRIA_OK;
    STRIA_TRY(stria_index_infer_dtype(call, "sorter", sorter, err));
    return stria_tensor_has_shape(sorter, sorted->ndim, sorted->shape)
               ? STRIA_OK
               : refuse_shape("sorter", sorter, sorted, "but must have the shape", err);
}

/* ---------------------------------------------------------------- implementation */

stria_dtype stria_search_get_dtype(const stria_tensor *sorted, const stria_tensor *values)
{
    const stria_tensor *const both[] = {sorted, values};
    const stria_dtype         dtype = stria_dtype_get_compute(stria_promote_result(both, 2));

    if (stria_dtype_get_category(dtype) == STRIA_CATEGORY_F) return dtype;
    return dtype == STRIA_U64 ? STRIA_U64 : STRIA_I64;
}

bool stria_search_is_right(const stria_searchsorted_attrs *attrs) { return attrs->right || attrs->side == SIDE_RIGHT; }

typedef struct search_task {
    const stria_tensor *sorted, *values; /* of one dtype, row-major */
    int64_t            *out;
    int64_t             length, per_row; /* of a row; values that are looked for in it */
    bool                is_right;
} search_task;

static void search_some(const search_task *task, int64_t *out, const char *row, const char *values, int64_t n)
{
    switch (task->sorted->dtype) {
    case STRIA_I64: search_i64(out, row, task->length, values, n, task->is_right); break;
    case STRIA_U64: search_u64(out, row, task->length, values, n, task->is_right); break;
    case STRIA_F32: search_f32(out, row, task->length, values, n, task->is_right); break;
    default: search_f64(out, row, task->length, values, n, task->is_right); break;
    }
}

/* Values begin .. end of all. */
static void search_range(void *context, int thread, int64_t begin, int64_t end)
{
    const search_task *task = context;
    const int64_t      size = stria_tensor_get_item_size(task->sorted);
    const bool         is_one = task->sorted->ndim == 1;

    (void)thread;
    for (int64_t at = begin; at < end;) {
        const int64_t row = is_one ? 0 : at / task->per_row, last = is_one ? end : (row + 1) * task->per_row;
        const int64_t n = (last < end ? last : end) - at;
        search_some(task, task->out + at, task->sorted->data + row * task->length * size,
                    task->values->data + at * size, n);
        at += n;
    }
}

/* Row-major, of a dtype. */
static stria_status pack(const stria_tensor *x, stria_dtype dtype, stria_tensor **packed, stria_error *err)
{
    if (x->dtype == dtype && stria_tensor_is_contiguous(x)) {
        *packed = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
        return STRIA_OK;
    }
    STRIA_TRY(stria_tensor_new_shaped(dtype, x, packed, err));
    return stria_tensor_set(*packed, x, err);
}

/* The rows in their order. */
static stria_status new_sorted(const stria_call *call, stria_tensor **sorted, stria_error *err)
{
    const stria_tensor *x = call->in[0], *sorter = call->in[2];

    *sorted = NULL;
    if (!sorter) {
        *sorted = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
        return STRIA_OK;
    }
    STRIA_TRY(stria_index_check(call, "sorter", sorter, x->shape[x->ndim - 1], false, "the last axis", err));
    return stria_gather(x, sorter, -1, sorted, err);
}

stria_status stria_cpu_searchsorted(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    const stria_searchsorted_attrs *attrs = call->attrs;
    const stria_tensor             *values = call->in[1];
    const stria_dtype               dtype = stria_search_get_dtype(call->in[0], values);
    stria_tensor                   *own = NULL, *sorted = NULL, *packed = NULL, *out = NULL;

    (void)meta;
    stria_status status = new_sorted(call, &own, err);
    if (status == STRIA_OK) status = pack(own, dtype, &sorted, err);
    if (status == STRIA_OK) status = pack(values, dtype, &packed, err);
    if (status == STRIA_OK) status = stria_tensor_new_shaped(STRIA_I64, y[0], &out, err);
    if (status == STRIA_OK) {
        search_task task = {sorted,
                            packed,
                            (int64_t *)(void *)out->data,
                            sorted->shape[sorted->ndim - 1],
                            1,
                            stria_search_is_right(attrs)};
        if (packed->ndim > 0) task.per_row = packed->shape[packed->ndim - 1];
        stria_parallel_for(stria_team_get(), 0, packed->numel, STRIA_GRAIN / 8, search_range, &task);
        status = stria_tensor_set(y[0], out, err);
    }
    stria_tensor_release(out);
    stria_tensor_release(packed);
    stria_tensor_release(sorted);
    stria_tensor_release(own);
    return status;
}
