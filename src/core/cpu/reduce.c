/* reduce.c - the reductions of ops.def, a family of folds (fold.h).
 *
 * The elements of an output are cut into blocks, and the kernels combine each block into one value: STRIA_REDUCE_BLOCK elements
 * in the form of rows, STRIA_REDUCE_ROWS in the form of columns. The values are combined as a balanced binary tree, so that
 * the error of a sum grows with the logarithm of the count. Source: Higham, The Accuracy of Floating Point Summation, SIAM J.
 * Sci. Comput. 14 (1993).
 *
 * An element of a complex dtype is two parts side by side; each is combined with its like, so that a sum is that of the parts. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "call/backend.h"
#include "call/call.h"
#include "iter/iter_internal.h"
#include "tensor/overlap.h"
#include "call/meta.h"
#include "cpu/complex_parts.h"
#include "cpu/fold.h"
#include "cpu/fold_rows.h"

#define T float
#define NAME(word) word##_f32
#include "cpu/pairs_template.h"
#define T double
#define NAME(word) word##_f64
#include "cpu/pairs_template.h"

typedef struct reduce_task {
    int                   parts; /* of an element */
    stria_reduce_columns *columns;
    stria_loop           *divide; /* by the count; NULL: results are what was combined */
    stria_cast_loop      *store;  /* compute dtype -> output dtype */
} reduce_task;

/* Bytes of a slot of a state. */
#define SLOT(task) (8 * (int64_t)(task)->parts)

static const reduce_task *task_of(const stria_fold *fold) { return fold->context; }

/* ---------------------------------------------------------------- the tree */

/* While it grows, it is a row of slots, one for each bit that is set in the number of blocks so far: that of bit i holds the
 * value of 2^i blocks, the highest first. Behind them is room for the next block. */
static char *next_slot(char *slots, int64_t slot_bytes, int64_t n_blocks)
{
    for (; n_blocks != 0; n_blocks &= n_blocks - 1) slots += slot_bytes;
    return slots;
}

/* How many slots the next block is combined with, the last first: as many as its number has bits set at its end, or, if it is the last one, all. */
static int get_merges(int64_t n_blocks, bool is_last)
{
    int n = 0;
    for (; n_blocks != 0 && (is_last || (n_blocks & 1)); n_blocks >>= 1) n += n_blocks & 1;
    return n;
}

/* ---------------------------------------------------------------- rows */

/* The state: slots, at last the value of the chunk. */
static void row(const stria_fold *fold, void *state, const char *block, int64_t first, int64_t n, bool begin)
{
    const int64_t n_blocks = (int64_t)((uint64_t)first % STRIA_FOLD_CHUNK / STRIA_REDUCE_BLOCK);
    const int64_t slot = SLOT(task_of(fold));
    char         *next = next_slot(state, slot, n_blocks);

    (void)begin;
    fold->block(next, block, n);
    const int merges = get_merges(n_blocks, first + n == fold->plan->count);
    if (merges > 0) task_of(fold)->columns(next - slot * merges, merges, slot, true, next, 0, 1, task_of(fold)->parts);
}

/* The kernel combines the values of sixteen blocks as the tree does, halves first, if block b is at b with its four bits
 * reversed; what it fills up with changes nothing. */
static void chunk(const stria_fold *fold, void *state, const char *elements)
{
    static const int8_t reversed[STRIA_FOLD_BLOCKS] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    const int64_t       size = fold->plan->size;
    _Alignas(8) char    values[STRIA_FOLD_BLOCKS * 16];

    for (int b = 0; b < STRIA_FOLD_BLOCKS; b++)
        fold->block(values + reversed[b] * size, elements + b * STRIA_REDUCE_BLOCK * size, STRIA_REDUCE_BLOCK);
    fold->block(state, values, STRIA_FOLD_BLOCKS);
}

static void merge(const stria_fold *fold, void *state, const void *later)
{
    task_of(fold)->columns(state, 0, 0, false, later, 0, 1, task_of(fold)->parts);
}

/* ---------------------------------------------------------------- columns */

static int64_t slots(const stria_fold *fold)
{
    int64_t n = 1;
    for (int64_t last = (fold->plan->count - 1) / STRIA_REDUCE_ROWS; last != 0; last >>= 1) n++;
    return n;
}

/* The states: slots of n values. */
static void columns(const stria_fold *fold, void *states, const char *rows, int64_t stride_bytes, int64_t first,
                    int64_t n_rows, int64_t n)
{
    const int64_t slot_bytes = n * fold->plan->size, end = first + n_rows, n_parts = n * task_of(fold)->parts;

    for (int64_t at = first, take; at < end; at += take, rows += take * stride_bytes) {
        const int64_t n_blocks = at / STRIA_REDUCE_ROWS, place = at % STRIA_REDUCE_ROWS;
        char         *acc = next_slot(states, slot_bytes, n_blocks);

        take = STRIA_REDUCE_ROWS - place < end - at ? STRIA_REDUCE_ROWS - place : end - at;
        const bool ends = place + take == STRIA_REDUCE_ROWS, is_last = at + take == fold->plan->count;
        const int  merges = ends || is_last ? get_merges(n_blocks, is_last) : 0;
        task_of(fold)->columns(acc - merges * slot_bytes, merges, slot_bytes, place == 0, rows, stride_bytes, take,
                               n_parts);
    }
}

/* ---------------------------------------------------------------- results */

/* Divides n values, or parts of them, by the number of elements. Where that is a float, one division of floats rounds to what division in
 * double does (Figueroa, When is double rounding innocuous?, SIGNUM Newsletter 30, 1995). */
static void divide(const stria_fold *fold, char *values, int64_t n)
{
    const int64_t size = fold->plan->size / task_of(fold)->parts, strides[] = {size, size, 0};
    const double  count = (double)fold->plan->count;
    const float   count_f32 = (float)count;
    char *const   data[] = {values, values, size == 8 ? (char *)&count : (char *)&count_f32};

    if (size == 8 || fold->plan->count <= 1 << 24) {
        task_of(fold)->divide(data, strides, n);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        float *x = (float *)values + k;
        *x = (float)((double)*x / count);
    }
}

static void store(const stria_fold *fold, char *out, int64_t out_stride, void *states, int64_t n)
{
    const reduce_task *task = task_of(fold);
    const int64_t      size = fold->plan->size;

    if (task->divide) divide(fold, states, n * task->parts);
    task->store(out, out_stride, states, size, n);
}

static const stria_fold_family family = {.in_pairs = true,
                                         .rows = STRIA_REDUCE_ROWS,
                                         .takes_all = true,
                                         .row = row,
                                         .merge = merge,
                                         .store = store,
                                         .columns = columns,
                                         .slots = slots,
                                         .chunk = chunk};

/* ---------------------------------------------------------------- one call */

stria_status stria_reduce_fill_identity(stria_reduction op, stria_tensor *y, stria_error *err)
{
    const stria_reduction_info *info = &stria_reduction_infos[op];
    const bool                  is_mean = info->finish == STRIA_FINISH_DIVIDE_BY_COUNT;

    const double value = is_mean ? (double)NAN : info->identity == STRIA_IDENTITY_ONE ? 1 : 0;

    return stria_backend_fill(y, stria_scalar_get(value), err);
}

/* Whether x is one block of the compute dtype, and y one value: no geometry is needed. */
static inline bool is_block(const stria_tensor *x, const stria_tensor *y, stria_dtype compute)
{
    return y->numel == 1 && x->numel <= STRIA_REDUCE_BLOCK && x->dtype == compute && stria_tensor_is_contiguous(x);
}

static stria_status run(const stria_call *call, uint64_t axes, stria_dtype compute, stria_tensor *y,
                        const stria_fold_source *source, stria_error *err)
{
    const stria_kernels        *kernels = stria_dispatch_get();
    const stria_reduction       op = (stria_reduction)(call->row - STRIA_ROW_OF_REDUCTION(0));
    const stria_reduction_info *info = &stria_reduction_infos[op];
    const stria_reduce_attrs   *attrs = call->attrs;
    const stria_tensor         *x = call->in[0];
    const bool                  is_complex = stria_dtype_is_complex(compute);

    if (!kernels) return stria_isa_get_status(err);
    if (is_complex && op == STRIA_RED_prod) return stria_complex_product(x, axes, y, err);
    if (x->numel == 0) return stria_reduce_fill_identity(op, y, err);
    const stria_lane_kernels *lane = kernels->lane[is_complex ? stria_dtype_get_part(compute) : compute];
    stria_reduce_row         *block = is_complex ? lane->pairs : lane->row[op];
    const bool is_mean = info->finish == STRIA_FINISH_DIVIDE_BY_COUNT, as_is = !is_mean && y->dtype == compute;
    if (as_is && source == NULL && is_block(x, y, compute)) { /* what the driver does with it, sooner */
        block(y->data, x->data, x->numel);
        return STRIA_OK;
    }
    const reduce_task task = {is_complex ? 2 : 1, lane->columns[op], is_mean ? lane->loop[STRIA_OP_div] : NULL,
                              kernels->cast[compute][y->dtype]};
    stria_fold        fold = {.family = &family,
                              .context = &task,
                              .kernels = kernels,
                              .op = info->name,
                              .x = x,
                              .source = source,
                              .y = y,
                              .reduced = axes,
                              .keepdim = attrs->keepdim,
                              .compute = compute,
                              .block = block,
                              .few = !is_complex            ? lane->few[op]
                                     : compute == STRIA_C64 ? few_pairs_f32
                                                            : few_pairs_f64,
                              .as_is = as_is};
    return stria_fold_run(&fold, err);
}

stria_status stria_cpu_reduce(const stria_call *call, const stria_call_meta *meta, stria_tensor **out, stria_error *err)
{
    return run(call, meta->axes, meta->compute, out[0], NULL, err);
}

stria_status stria_reduce_made(const stria_call *call, const stria_fold_source *source, stria_error *err)
{
    const stria_reduce_attrs *attrs = call->attrs;
    stria_reduce_meta         meta;

    STRIA_TRY(stria_meta_infer_reduce((stria_reduction)(call->row - STRIA_ROW_OF_REDUCTION(0)), call->in[0],
                                      attrs->axes.at, attrs->axes.n, attrs->keepdim, attrs->dtype, call->out[0], &meta,
                                      err));
    return run(call, meta.reduced, meta.compute, call->out[0], source, err);
}
