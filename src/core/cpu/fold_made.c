/* fold_made.c - reductions over the first axes, of elements that are made on the way (fold.h).
 *
 * Rows are made a few at a time, in the scratch of a thread. A part of them is a power of two of blocks of STRIA_REDUCE_ROWS, so that what
 * comes of it is a node of the tree by which the blocks of all rows are combined: threads take parts, and the nodes are combined at last. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "cpu/fold.h"

#define PART ((int64_t)1 << 18) /* elements of a part, at least */
#define LEAST_ROWS 4            /* made at once, of as many columns as there is room for */

typedef struct parts {
    const stria_fold *fold;
    int64_t           rows, width; /* of a part */
    int64_t           tile;        /* columns that are combined together */
    char             *states;      /* [parts][width] */
} parts;

/* Rows at, at + 1 .. of n columns, one behind the other. */
static void make_rows(const parts *p, char *to, int64_t at, int64_t n_rows, int64_t column, int64_t n)
{
    const stria_fold_source *source = p->fold->source;

    if (n == p->width) {
        source->make(source->context, to, at * n, n_rows * n);
        return;
    }
    for (int64_t r = 0; r < n_rows; r++)
        source->make(source->context, to + r * n * p->fold->plan->size, (at + r) * p->width + column, n);
}

/* n columns of a part. */
static void fold_tile(const parts *p, int64_t part, int64_t column, int64_t n, char *scratch)
{
    const int64_t   first = part * p->rows, size = p->fold->plan->size;
    stria_fold_plan plan = *p->fold->plan;
    stria_fold      fold = *p->fold;

    if (plan.count - first < p->rows)
        plan.count -= first;
    else
        plan.count = p->rows;
    fold.plan = &plan;
    const int64_t together = STRIA_FOLD_SCRATCH_BYTES / (n * size) - fold.family->slots(&fold);
    char         *states = scratch + together * n * size;
    for (int64_t at = 0, run; at < plan.count; at += run) {
        run = plan.count - at < together ? plan.count - at : together;
        make_rows(p, scratch, first + at, run, column, n);
        fold.family->columns(&fold, states, scratch, n * size, at, run, n);
    }
    memcpy(p->states + (part * p->width + column) * size, states, (size_t)(n * size));
}

static void parts_range(void *context, int thread, int64_t begin, int64_t end)
{
    const parts *p = context;
    char        *scratch = stria_scratch_take(STRIA_FOLD_SCRATCH_BYTES);

    (void)thread;
    for (int64_t k = begin; k < end; k++)
        for (int64_t column = 0; column < p->width; column += p->tile)
            fold_tile(p, k, column, p->width - column < p->tile ? p->width - column : p->tile, scratch);
    stria_scratch_give(scratch);
}

stria_status stria_fold_run_made_columns(const stria_fold *fold, stria_error *err)
{
    const stria_fold_plan *plan = fold->plan;
    const int64_t          width = plan->n_outputs;
    parts                  p = {.fold = fold, .rows = STRIA_REDUCE_ROWS, .width = width};
    stria_fold_plan        three = *plan; /* rows, of which one is taken, and another one: no block ends there */
    stria_fold             pair = *fold;
    size_t                 nbytes = 0;

    while (p.rows < plan->count && p.rows < PART / width) p.rows *= 2;
    three.count = p.rows;
    pair.plan = &three;
    p.tile = STRIA_FOLD_SCRATCH_BYTES / plan->size / (fold->family->slots(&pair) + LEAST_ROWS);
    const int64_t n = (plan->count + p.rows - 1) / p.rows;
    p.states = stria_block_new_parts(n, width * plan->size, &nbytes);
    if (p.states == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, fold->op, NULL, NULL, NULL, "no memory for partial results");
    stria_parallel_for(stria_team_get(), 0, n, 1, parts_range, &p);
    three.count = 3;
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t k = 0; k + half < n; k += 2 * half)
            fold->family->columns(&pair, p.states + k * width * plan->size, p.states + (k + half) * width * plan->size,
                                  0, 1, 1, width);
    fold->family->store(fold, plan->out, plan->keep_out[0], p.states, width);
    stria_block_release(p.states, nbytes);
    return STRIA_OK;
}
