/* reduce_plan.h - a reduction as geometry: what reduce.c hands to reduce_run.c. Internal. */
#ifndef STRIA_REDUCE_PLAN_H
#define STRIA_REDUCE_PLAN_H

#include "simd/kernels.h"
#include "call/meta.h"

typedef struct stria_reduce_plan {
    stria_reduce_row     *row;
    stria_reduce_column  *column;
    stria_reduce_few     *few;       /* or NULL */
    stria_cast_loop      *load;      /* input dtype -> compute dtype */
    stria_cast_loop      *store;     /* compute dtype -> output dtype */
    stria_move_transpose *transpose; /* of elements of the input's size */
    stria_loop           *divide;    /* of the compute dtype, where finish needs it */
    stria_red_finish      finish;
    stria_dtype           compute;
    bool                  same, same_out;    /* the input's, the output's dtype is the compute dtype */
    int64_t               size, source_size; /* bytes of an element of the compute, the input dtype */
    int64_t               count;             /* elements combined into one, >= 1 */
    int64_t               n_outputs;         /* >= 1 */
    const char           *source;
    char                 *out;
    int                   n_red, n_keep;                                         /* dims > 1, fastest first */
    int64_t               red_shape[STRIA_MAX_DIMS], red_stride[STRIA_MAX_DIMS]; /* input, bytes */
    int64_t               keep_shape[STRIA_MAX_DIMS], keep_stride[STRIA_MAX_DIMS], keep_out[STRIA_MAX_DIMS];
} stria_reduce_plan;

/* The geometry of combining the axes of `reduced` (bit k: axis k) of x into y, which has the shape of the result (keepdim:
 * with these axes), both with elements; and the ways from their dtypes to `compute` and back. In the order of memory, or, with
 * in_order, of the axes. row and column are NULL, finish is NONE. */
stria_status stria_reduce_plan_build(stria_reduce_plan *plan, const stria_kernels *kernels, stria_dtype compute,
                                     const char *op, stria_tensor *y, const stria_tensor *x, uint64_t reduced,
                                     bool keepdim, bool in_order, stria_error *err);

/* Runs a plan; the output must not overlap the input. ERR_MEMORY only. */
stria_status stria_reduce_plan_run(const stria_reduce_plan *plan, const char *op, stria_error *err);

#endif
