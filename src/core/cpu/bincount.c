/* bincount.c - how often each whole number occurs, or the sum of the weights where it does.
 *
 *   counts    x in at most MAX_PARTS parts, each counted apart where the counts are few: whole numbers add up to the same in
 *             any order. Bytes in LANES tables in turn, so that equal neighbours do not wait for each other
 *   weights   one after another, in f64, on one thread
 *
 * Elements are compared with the length before they are counted: another thread may have changed them since they were looked
 * at first. */
#include <string.h>

#include "simd/kernels.h"
#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/counts.h"
#include "base/parallel.h"
#include "tensor/shape.h"

#define BLOCK 512  /* elements that are converted at once */
#define PART 65536 /* elements of a part, at least */
#define MAX_PARTS 64
#define FEW 4096 /* counts that each part may have a table of */
#define LANES 4

static const char name[] = "bincount";

typedef struct count_task {
    const stria_kernels *kernels;
    const stria_tensor  *x, *weights;
    int64_t              length, part, n_parts;
    int64_t             *tables; /* [n_parts, length] */
} count_task;

/* ---------------------------------------------------------------- what the result is */

static stria_status refuse_shape(const char *argument, const char *expected, const stria_tensor *x, stria_error *err)
{
    char got[96];
    return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, expected,
                           stria_shape_print(got, sizeof got, x->ndim, x->shape), "%s has shape %s, but must have %s",
                           argument, got, expected);
}

static bool is_integer(stria_dtype dtype)
{
    const stria_category category = stria_dtype_get_category(dtype);
    return category == STRIA_CATEGORY_U || category == STRIA_CATEGORY_I;
}

stria_status stria_infer_bincount(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_bincount_attrs *attrs = call->attrs;
    const stria_tensor         *x = call->in[0], *weights = call->in[1];
    char                        got[32];

    if (!is_integer(x->dtype)) return stria_infer_refuse_dtype(call, "x", x->dtype, "an integer dtype", err);
    if (x->ndim != 1) return refuse_shape("x", "one dim", x, err);
    if (weights != NULL) {
        if (stria_dtype_get_category(weights->dtype) == STRIA_CATEGORY_C)
            return stria_infer_refuse_dtype(call, "weights", weights->dtype, "a real dtype", err);
        if (weights->ndim != 1 || weights->shape[0] != x->shape[0])
            return refuse_shape("weights", "the shape of x", weights, err);
    }
    meta->out[0].dtype = !weights ? STRIA_I64 : weights->dtype == STRIA_F32 ? STRIA_F32 : STRIA_F64;
    meta->out[0].order = STRIA_ORDER_UNKNOWN;
    meta->out[0].ndim = 1;
    if (attrs->minlength >= 0) return STRIA_OK;
    stria_shape_print(got, sizeof got, 1, &attrs->minlength);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "minlength", ">= 0", got,
                           "minlength is %lld, but must be >= 0", (long long)attrs->minlength);
}

/* The smallest or largest element of x, which is not empty, as i64; one of u64 that does not fit becomes negative. */
static stria_status get_extreme(stria_reduction red, const stria_tensor *x, int64_t *value, stria_error *err)
{
    stria_tensor *y = NULL, *host = NULL;

    STRIA_TRY(stria_error_set_op(err, stria_reduce(red, x, NULL, 0, false, STRIA_DTYPE_NONE, &y, err), name));
    stria_status status = stria_tensor_new(STRIA_I64, 0, NULL, &host, err);
    if (status == STRIA_OK) status = stria_backend_copy(host, y, err);
    if (status == STRIA_OK) memcpy(value, host->data, sizeof *value);
    stria_tensor_release(host);
    stria_tensor_release(y);
    return status;
}

stria_status stria_bincount_get_length(const stria_tensor *x, int64_t minlength, int64_t *length, stria_error *err)
{
    int64_t least, most;

    *length = minlength;
    if (x->numel == 0) return STRIA_OK;
    STRIA_TRY(get_extreme(STRIA_RED_amin, x, &least, err));
    STRIA_TRY(get_extreme(STRIA_RED_amax, x, &most, err));
    if (x->dtype != STRIA_U64 && least < 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "x", ">= 0", NULL,
                               "x has an element %lld, but must not have negative ones", (long long)least);
    if (most < 0 || most == INT64_MAX)
        return stria_error_set(err, STRIA_ERR_OVERFLOW, name, "x", NULL, NULL,
                               "x has an element %llu: more counts than there are sizes", (unsigned long long)most);
    if (most >= minlength) *length = most + 1;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- counting */

static const char *get_element(const stria_tensor *x, int64_t k)
{
    return x->data + k * x->strides[0] * (int64_t)stria_dtype_get_size(x->dtype);
}

/* Elements first .. last of a dtype of one byte, none negative. */
static void count_bytes(const count_task *task, int64_t first, int64_t last, int64_t *counts)
{
    uint32_t lanes[LANES][256] = {{0}};
    uint8_t  block[BLOCK];

    for (int64_t at = first; at < last; at += BLOCK) {
        const int64_t n = last - at < BLOCK ? last - at : BLOCK;
        int64_t       k = 0;
        task->kernels->gather[0]((char *)block, get_element(task->x, at), task->x->strides[0], n);
        for (; k + LANES <= n; k += LANES)
            for (int lane = 0; lane < LANES; lane++) lanes[lane][block[k + lane]]++;
        for (; k < n; k++) lanes[0][block[k]]++;
    }
    for (int64_t value = 0; value < 256 && value < task->length; value++)
        for (int lane = 0; lane < LANES; lane++) counts[value] += lanes[lane][value];
}

static void count_others(const count_task *task, int64_t first, int64_t last, int64_t *counts)
{
    const int64_t stride = task->x->strides[0] * (int64_t)stria_dtype_get_size(task->x->dtype);
    int64_t       block[BLOCK];

    for (int64_t at = first; at < last; at += BLOCK) {
        const int64_t n = last - at < BLOCK ? last - at : BLOCK;
        task->kernels->cast[task->x->dtype][STRIA_I64]((char *)block, sizeof *block, get_element(task->x, at), stride,
                                                       n);
        for (int64_t k = 0; k < n; k++)
            if ((uint64_t)block[k] < (uint64_t)task->length) counts[block[k]]++;
    }
}

static void count_parts(void *context, int chunk, int64_t begin, int64_t end)
{
    const count_task *task = context;

    (void)chunk;
    for (int64_t p = begin; p < end; p++) {
        const int64_t first = p * task->part, left = task->x->numel - first;
        const int64_t last = first + (task->part < left ? task->part : left);
        int64_t      *counts = task->tables + p * task->length;
        /* a table of bytes counts in 32 bits */
        if (stria_dtype_get_size(task->x->dtype) == 1 && last - first <= UINT32_MAX)
            count_bytes(task, first, last, counts);
        else
            count_others(task, first, last, counts);
    }
}

/* counts is [length]; zero. */
static stria_status count(count_task *task, int64_t *counts, stria_error *err)
{
    int64_t numel = task->x->numel, n_parts = (numel + PART - 1) / PART;

    if (n_parts > MAX_PARTS) n_parts = MAX_PARTS;
    if (n_parts < 1 || task->length > FEW) n_parts = 1;
    task->part = (numel + n_parts - 1) / n_parts;
    task->n_parts = n_parts;
    size_t nbytes = 0;
    task->tables = n_parts == 1 ? counts : stria_block_new_parts(n_parts * task->length, sizeof *counts, &nbytes);
    if (!task->tables) return stria_error_set(err, STRIA_ERR_MEMORY, name, NULL, NULL, NULL, "no memory for counts");
    if (n_parts > 1) memset(task->tables, 0, nbytes);
    stria_parallel_for(stria_team_get(), 0, n_parts, 1, count_parts, task);
    if (n_parts == 1) return STRIA_OK;
    for (int64_t p = 0; p < n_parts; p++)
        for (int64_t k = 0; k < task->length; k++) counts[k] += task->tables[p * task->length + k];
    stria_block_release(task->tables, nbytes);
    return STRIA_OK;
}

/* sums is [length]; zero. */
static void add_weights(const count_task *task, double *sums)
{
    const stria_tensor *x = task->x, *w = task->weights;
    int64_t             bins[BLOCK];
    double              weights[BLOCK];

    for (int64_t at = 0; at < x->numel; at += BLOCK) {
        const int64_t n = x->numel - at < BLOCK ? x->numel - at : BLOCK;
        task->kernels->cast[x->dtype][STRIA_I64]((char *)bins, sizeof *bins, get_element(x, at),
                                                 x->strides[0] * (int64_t)stria_dtype_get_size(x->dtype), n);
        task->kernels->cast[w->dtype][STRIA_F64]((char *)weights, sizeof *weights, get_element(w, at),
                                                 w->strides[0] * (int64_t)stria_dtype_get_size(w->dtype), n);
        for (int64_t k = 0; k < n; k++)
            if ((uint64_t)bins[k] < (uint64_t)task->length) sums[bins[k]] += weights[k];
    }
}

/* A new tensor, i64 or f64. */
static stria_status compute(count_task *task, stria_tensor **y, stria_error *err)
{
    stria_tensor *bins = NULL;
    stria_status  status = STRIA_OK;

    STRIA_TRY(stria_tensor_new(task->weights ? STRIA_F64 : STRIA_I64, 1, &task->length, &bins, err));
    memset(bins->data, 0, (size_t)task->length * 8);
    if (task->weights)
        add_weights(task, (double *)(void *)bins->data);
    else
        status = count(task, (int64_t *)(void *)bins->data, err);
    if (status == STRIA_OK)
        *y = bins;
    else
        stria_tensor_release(bins);
    return status;
}

stria_status stria_cpu_bincount(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_bincount_attrs *attrs = call->attrs;
    count_task                  task = {.kernels = stria_dispatch_get(), .x = call->in[0], .weights = call->in[1]};
    stria_tensor               *bins = NULL;
    stria_status                status;

    STRIA_TRY(stria_bincount_get_length(task.x, attrs->minlength, &task.length, err));
    STRIA_TRY(compute(&task, &bins, err));
    if (bins->dtype == meta->out[0].dtype) {
        *y = bins;
        return STRIA_OK;
    }
    status = stria_backend_new_copy(bins, meta->out[0].dtype, y, err);
    stria_tensor_release(bins);
    return status;
}
