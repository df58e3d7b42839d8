/* iter_run.c - handing the elements of an iterator to a loop (sections 4.1 to 4.3). */
#include "iter/iter_internal.h"
#include "base/parallel.h"

/* Where an iteration stands: a counter and, per operand, the address that belongs to it. `scratch` is what the loop
 * gets and may spoil. */
typedef struct cursor {
    const stria_iter *it;
    stria_loop2d     *loop;
    void             *context;
    char            **base;    /* [n_operands] */
    char            **scratch; /* [n_operands] */
    int64_t           counter[STRIA_MAX_DIMS];
} cursor;

static void move(cursor *at, int dim, int64_t steps)
{
    const int64_t *row = stria_iter_row(at->it, dim);

    at->counter[dim] += steps;
    for (int k = 0; k < at->it->n_operands; k++) at->base[k] += steps * row[k];
}

static void start(cursor *at, int64_t begin)
{
    const stria_iter *it = at->it;

    for (int k = 0; k < it->n_operands; k++) at->base[k] = it->operands[k].data;
    for (int d = 0; d < it->ndim; d++) {
        at->counter[d] = 0;
        if (begin == 0) continue;
        move(at, d, begin % it->shape[d]);
        begin /= it->shape[d];
    }
}

static void call(cursor *at, int64_t n0, int64_t n1)
{
    for (int k = 0; k < at->it->n_operands; k++) at->scratch[k] = at->base[k];
    at->loop(at->context, at->scratch, at->it->strides, n0, n1);
}

/* Positions `steps` further along dim, carrying into the outer ones. */
static void step(cursor *at, int dim, int64_t steps)
{
    const stria_iter *it = at->it;

    move(at, dim, steps);
    while (at->counter[dim] >= it->shape[dim] && dim + 1 < it->ndim) {
        move(at, dim, -it->shape[dim]);
        dim++;
        move(at, dim, 1);
    }
}

static void run_range(cursor *at, int64_t begin, int64_t end)
{
    const int64_t *shape = at->it->shape;
    int64_t        left = end - begin;

    start(at, begin);
    if (at->it->ndim < 2) {
        call(at, left, 1);
        return;
    }
    while (left > 0) {
        int64_t n0 = shape[0] - at->counter[0], n1 = 1;
        if (n0 > left) n0 = left;
        if (n0 == shape[0]) {
            n1 = shape[1] - at->counter[1];
            if (n1 > left / n0) n1 = left / n0;
        }
        call(at, n0, n1);
        left -= n0 * n1;
        if (left == 0) break;
        if (n1 == 1)
            step(at, 0, n0);
        else
            step(at, 1, n1);
    }
}

/* The rare case, apart so that the common one needs no variable-length arrays. */
static void run_range_wide(cursor *at, int64_t begin, int64_t end)
{
    char *addresses[2 * at->it->n_operands];

    at->base = addresses;
    at->scratch = addresses + at->it->n_operands;
    run_range(at, begin, end);
}

void stria_iter_walk_range(const stria_iter *it, stria_loop2d *loop, void *context, int64_t begin, int64_t end)
{
    char  *addresses[2 * STRIA_ITER_INLINE_OPERANDS];
    cursor at;

    if (begin >= end) return;
    at.it = it;
    at.loop = loop;
    at.context = context;
    at.base = addresses;
    at.scratch = addresses + STRIA_ITER_INLINE_OPERANDS;
    if (it->n_operands > STRIA_ITER_INLINE_OPERANDS)
        run_range_wide(&at, begin, end);
    else
        run_range(&at, begin, end);
}

typedef struct job {
    const stria_iter *it;
    stria_loop2d     *loop;
    void             *context;
} job;

static void run_chunk(void *context, int thread, int64_t begin, int64_t end)
{
    const job *work = context;

    (void)thread;
    stria_iter_walk_range(work->it, work->loop, work->context, begin, end);
}

void stria_iter_walk(const stria_iter *it, stria_loop2d *loop, void *context, int64_t grain)
{
    const int64_t numel = stria_iter_get_numel(it);
    job           work = {it, loop, context};

    if (grain <= 0) grain = STRIA_GRAIN;
    if (numel == 0) return;
    if (numel < grain)
        stria_iter_walk_range(it, loop, context, 0, numel);
    else
        stria_parallel_for(stria_team_get(), 0, numel, grain, run_chunk, &work);
}

/* ---------------------------------------------------------------- runs of a program */

void stria_iter_count_writes(const stria_iter *it)
{
    if (it->is_counted) return;
    for (int k = 0; k < it->n_outputs; k++) stria_tensor_touch_by(it->operands[k].tensor, STRIA_WRITER_ITERATOR);
}

void stria_iter_run_range(const stria_iter *it, stria_loop2d *loop, void *context, int64_t begin, int64_t end)
{
    if (begin >= end) return;
    stria_iter_walk_range(it, loop, context, begin, end);
    stria_iter_count_writes(it);
}

void stria_iter_for_each(const stria_iter *it, stria_loop2d *loop, void *context, int64_t grain)
{
    stria_iter_walk(it, loop, context, grain);
    if (stria_iter_get_numel(it) > 0) stria_iter_count_writes(it);
}
