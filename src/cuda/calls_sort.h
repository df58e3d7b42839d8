/* calls_sort.h - the argument of sorts. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_SORT_H
#define STRIA_CUDA_CALLS_SORT_H

#include "walk.h"

/* places[r][k] = which element of row r comes at place k in order, of n_rows rows of `length` elements, side by side. Equal elements keep their
 * order both ways; zeros of either sign are equal, NaN is the largest (src/core/cpu/keys.h). Complex numbers have no order. */
typedef struct stria_cuda_sort_call {
    const char *x;
    stria_dtype dtype;
    bool        descending;
    int64_t     n_rows, length;
    int64_t    *places;
} stria_cuda_sort_call;

#endif
