/* nonzero.c - positions of the elements that are not 0.
 *
 * The elements become truth values in memory of the call; in chunks, first those of each are counted, then written to where the
 * counts before it say. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "call/call.h"
#include "simd/kernels.h"

#define CHUNK 65536

typedef struct find_task {
    const stria_tensor *x;
    const uint8_t      *mask;   /* [numel], row-major */
    int64_t            *starts; /* [n_chunks + 1]: first how many each chunk has, then where they go */
    int64_t            *out;    /* [found][ndim] */
} find_task;

static int64_t get_end(const find_task *task, int64_t chunk)
{
    return (chunk + 1) * CHUNK < task->x->numel ? (chunk + 1) * CHUNK : task->x->numel;
}

static void count_chunks(void *context, int thread, int64_t begin, int64_t end)
{
    const find_task *task = context;

    (void)thread;
    for (int64_t c = begin; c < end; c++)
        task->starts[c] = stria_dispatch_get()->count_true(task->mask + c * CHUNK, get_end(task, c) - c * CHUNK);
}

/* The position of element k, all but its last entry. */
static void unravel(const stria_tensor *x, int64_t k, int64_t *position)
{
    k /= x->shape[x->ndim - 1];
    for (int d = x->ndim - 2; d >= 0; d--) {
        position[d] = k % x->shape[d];
        k /= x->shape[d];
    }
}

static void write_chunks(void *context, int thread, int64_t begin, int64_t end)
{
    const find_task    *task = context;
    const stria_tensor *x = task->x;
    const int64_t       ndim = x->ndim, width = x->shape[ndim - 1];
    int64_t             position[STRIA_MAX_DIMS];

    (void)thread;
    for (int64_t c = begin; c < end; c++) {
        int64_t *out = task->out + task->starts[c] * ndim;
        int64_t  row = -1; /* the one that position is of */
        for (int64_t k = c * CHUNK; k < get_end(task, c); k++) {
            if (!task->mask[k]) continue;
            if (row < 0 || k - row >= width) {
                unravel(x, k, position);
                row = k - k % width;
            }
            position[ndim - 1] = k - row;
            memcpy(out, position, (size_t)ndim * sizeof *out);
            out += ndim;
        }
    }
}

/* Counts, then writes into a new tensor. */
static stria_status find(find_task *task, int64_t n_chunks, stria_tensor **y, stria_error *err)
{
    const stria_team team = stria_team_get();
    int64_t          shape[] = {0, task->x->ndim}, total = 0;

    stria_parallel_for(team, 0, n_chunks, 1, count_chunks, task);
    for (int64_t c = 0; c < n_chunks; c++) {
        const int64_t n = task->starts[c];
        task->starts[c] = total;
        total += n;
    }
    shape[0] = total;
    STRIA_TRY(stria_tensor_new(STRIA_I64, 2, shape, y, err));
    if ((*y)->numel == 0) return STRIA_OK;
    task->out = (int64_t *)(void *)(*y)->data;
    stria_parallel_for(team, 0, n_chunks, 1, write_chunks, task);
    return STRIA_OK;
}

stria_status stria_infer_nonzero(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    (void)call, (void)err;
    meta->out[0].dtype = STRIA_I64;
    meta->out[0].order = STRIA_ORDER_UNKNOWN;
    meta->out[0].ndim = 2;
    return STRIA_OK;
}

stria_status stria_cpu_nonzero(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const int64_t       n_chunks = (x->numel + CHUNK - 1) / CHUNK;
    stria_tensor       *mask = NULL;
    size_t              nbytes = 0;
    find_task           task = {.x = x};

    (void)meta;
    STRIA_TRY(stria_tensor_new_shaped(STRIA_BOOL, x, &mask, err));
    stria_status status = stria_tensor_set(mask, x, err);
    task.mask = (const uint8_t *)mask->data;
    task.starts = stria_block_new_parts(n_chunks + 1, sizeof *task.starts, &nbytes);
    if (status == STRIA_OK && !task.starts)
        status = stria_error_set(err, STRIA_ERR_MEMORY, "nonzero", NULL, NULL, NULL, "no memory for counts");
    if (status == STRIA_OK) status = find(&task, n_chunks, y, err);
    if (task.starts) stria_block_release(task.starts, nbytes);
    stria_tensor_release(mask);
    return status;
}
