/* overlap.h - whether two tensors have memory in common, and in which way. Internal.
 *
 * The one place that decides it: the iterator, the reductions, the functions and matrix products ask here. The
 * question is a linear equation in bounded integers: out.data + sum(out.stride[d] * p[d]) = in.data +
 * sum(in.stride[d] * q[d]). It is NP-hard in the number of dims. So the search ends after a number of steps, which
 * the layouts alone fix, and the answer is then UNKNOWN. Views of few dims need far fewer steps. */
#ifndef STRIA_OVERLAP_H
#define STRIA_OVERLAP_H

#include "tensor/tensor.h"

typedef enum stria_overlap {
    STRIA_OVERLAP_NONE,    /* no byte in common */
    STRIA_OVERLAP_SAME,    /* position by position the same elements, of one dtype */
    STRIA_OVERLAP_ALIGNED, /* bytes in common, but only of elements at equal positions */
    STRIA_OVERLAP_PARTIAL, /* an element of one has bytes in common with one of the other at another position */
    STRIA_OVERLAP_UNKNOWN  /* too expensive to decide */
} stria_overlap;

/* Whether memory of two storages may be the same: one storage, or external memory that lies over the other's. */
static inline bool stria_storage_meets(const stria_storage *s, const stria_storage *t)
{
    if (s == t) return true;
    if (s->origin != STRIA_ORIGIN_EXTERNAL && t->origin != STRIA_ORIGIN_EXTERNAL) return false;
    return (uintptr_t)s->data < (uintptr_t)t->data + t->nbytes && (uintptr_t)t->data < (uintptr_t)s->data + s->nbytes;
}

/**
 * stria_overlap_find - how `in`, broadcast to the shape of out, lies to out.
 *
 * An `in` that does not broadcast to that shape has no positions in it: any byte in common is PARTIAL then. Of an out
 * with several elements at one address only SAME and NONE mean anything.
 */
stria_overlap stria_overlap_find(const stria_tensor *out, const stria_tensor *in);

/* The same of x and x, positions being different: NONE, PARTIAL (several elements at one address) or UNKNOWN. Strides
 * alone count, so that tensors without memory have an answer, too. */
stria_overlap stria_overlap_find_itself(const stria_tensor *x);

/* ERR_OVERLAP unless every element of out has an address of its own. `op` goes into the error, its argument is "out". */
stria_status stria_overlap_check_out(const char *op, const stria_tensor *out, stria_error *err);

#endif
