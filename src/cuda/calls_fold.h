/* calls_fold.h - the arguments of reductions: elements of x along some dims become one element of y. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_FOLD_H
#define STRIA_CUDA_CALLS_FOLD_H

#include "walk.h"

/* Dims of x, the fastest first, strides in bytes, of any sign. Outputs are counted along the dims that are kept, elements along those that are
 * reduced. There are both. */
typedef struct stria_cuda_fold_walk {
    const char *in;
    char       *out;
    stria_dtype in_dtype, out_dtype; /* in memory; converted on load and store */
    int64_t     count, n_outputs;    /* elements of an output, outputs; >= 1 */
    int32_t     in_size;             /* bytes of an element of x */
    int32_t     n_kept, n_reduced;
    int64_t     kept_shape[STRIA_CUDA_MAX_DIMS], kept_in[STRIA_CUDA_MAX_DIMS], kept_out[STRIA_CUDA_MAX_DIMS];
    int64_t     reduced_shape[STRIA_CUDA_MAX_DIMS], reduced_in[STRIA_CUDA_MAX_DIMS];
} stria_cuda_fold_walk;

/* A plain reduction of ops.def. Where that adds or multiplies floats, compute is f64, whatever the dtype of x. */
typedef struct stria_cuda_reduce_call {
    stria_reduction      op;
    stria_dtype          compute; /* lane type of the row */
    stria_cuda_fold_walk walk;
} stria_cuda_reduce_call;

/* The number of the largest or smallest element, the first of equals or the first NaN. out is i64. */
typedef struct stria_cuda_arg_call {
    bool                 is_smallest;
    stria_cuda_fold_walk walk;
} stria_cuda_arg_call;

typedef enum stria_cuda_statistic {
    STRIA_CUDA_VAR,  /* number: the correction */
    STRIA_CUDA_STD,  /* the same */
    STRIA_CUDA_NORM, /* number: the order, p */
    STRIA_CUDA_LOGSUMEXP
} stria_cuda_statistic;

/* In f64. */
typedef struct stria_cuda_statistic_call {
    stria_cuda_statistic kind;
    double               number;
    stria_cuda_fold_walk walk;
} stria_cuda_statistic_call;

#endif
