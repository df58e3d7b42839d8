/* calls_row.h - the arguments of functions that map every row along an axis to another row, and of their gradients. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_ROW_H
#define STRIA_CUDA_CALLS_ROW_H

#include "walk.h"

typedef enum stria_cuda_row_kind {
    STRIA_CUDA_SOFTMAX,
    STRIA_CUDA_LOG_SOFTMAX,
    STRIA_CUDA_LAYER_NORM,
    STRIA_CUDA_RMS_NORM
} stria_cuda_row_kind;

/* Elements side by side; data NULL: there are none. */
typedef struct stria_cuda_vector {
    char       *data;
    stria_dtype dtype;
    int32_t     size; /* bytes of an element */
} stria_cuda_vector;

/* Rows of `length` elements, in_step and out_step bytes apart; in and out may be one memory. The other dims, the fastest first, lead from row to
 * row. There are rows, and they have elements. */
typedef struct stria_cuda_row_call {
    stria_cuda_row_kind kind;
    stria_dtype         compute; /* f32 or f64 */
    double              eps;
    const char         *in;
    char               *out;
    stria_dtype         in_dtype, out_dtype;
    int64_t             length, n_rows, in_step, out_step;
    int32_t             ndim;
    int64_t             shape[STRIA_CUDA_MAX_DIMS], in_stride[STRIA_CUDA_MAX_DIMS], out_stride[STRIA_CUDA_MAX_DIMS];
    stria_cuda_vector   weight, bias; /* [length], of norms */
} stria_cuda_row_call;

/* gradient, other and out are [n_rows, length], row-major. other: the result of a softmax, the input of a norm. Those of weight and bias
 * are [length], sums over all rows. length >= 1, n_rows >= 0. */
typedef struct stria_cuda_row_backward_call {
    stria_cuda_row_kind kind;
    stria_dtype         compute;
    double              eps;
    int64_t             length, n_rows;
    stria_cuda_vector   gradient, other, weight, out;
    stria_cuda_vector   weight_gradient, bias_gradient; /* of norms; bias NULL: not wanted */
} stria_cuda_row_backward_call;

#endif
