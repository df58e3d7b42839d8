/* reduce_walk.h - going over the elements of a reduction, for reduce_run.c and fold.c. Internal. */
#ifndef STRIA_REDUCE_WALK_H
#define STRIA_REDUCE_WALK_H

#include "cpu/reduce_plan.h"

/* Splits a linear index over the dims of `shape`, and returns the byte offset it has in `stride`. */
static inline int64_t stria_decompose(int n, const int64_t *shape, const int64_t *stride, int64_t linear,
                                      int64_t *index)
{
    int64_t offset = 0;
    for (int d = 0; d < n; d++) {
        const bool is_last = d == n - 1;
        index[d] = is_last ? linear : linear % shape[d];
        if (!is_last) linear /= shape[d];
        offset += index[d] * stride[d];
    }
    return offset;
}

/* A walk over the reduced elements of one output, run by run along the fastest reduced dim. */
typedef struct stria_walk {
    const stria_reduce_plan *plan;
    const char              *at; /* next element */
    int64_t                  index[STRIA_MAX_DIMS];
} stria_walk;

static inline void stria_walk_init(stria_walk *w, const stria_reduce_plan *plan, const char *base, int64_t start)
{
    w->plan = plan;
    w->at = base + stria_decompose(plan->n_red, plan->red_shape, plan->red_stride, start, w->index);
}

static inline int64_t stria_walk_run_length(const stria_walk *w, int64_t limit)
{
    const int64_t rest = w->plan->n_red > 0 ? w->plan->red_shape[0] - w->index[0] : 1;
    return rest < limit ? rest : limit;
}

static inline void stria_walk_advance(stria_walk *w, int64_t n)
{
    const stria_reduce_plan *plan = w->plan;
    if (plan->n_red == 0) return;
    w->index[0] += n;
    w->at += n * plan->red_stride[0];
    for (int d = 0; d < plan->n_red && w->index[d] == plan->red_shape[d]; d++) {
        w->at -= plan->red_shape[d] * plan->red_stride[d];
        w->index[d] = 0;
        if (d + 1 < plan->n_red) {
            w->index[d + 1]++;
            w->at += plan->red_stride[d + 1];
        }
    }
}

static inline int64_t stria_red_step(const stria_reduce_plan *plan)
{
    return plan->n_red > 0 ? plan->red_stride[0] : 0;
}

/* Where the elements of output number `output` begin, and the output itself, in bytes from the first. */
static inline void stria_output_offsets(const stria_reduce_plan *plan, int64_t output, int64_t *in, int64_t *out)
{
    int64_t index[STRIA_MAX_DIMS];
    *in = stria_decompose(plan->n_keep, plan->keep_shape, plan->keep_stride, output, index);
    *out = 0;
    for (int d = 0; d < plan->n_keep; d++) *out += index[d] * plan->keep_out[d];
}

#endif
