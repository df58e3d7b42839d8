/* calls_count.h - the argument of counts. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_COUNT_H
#define STRIA_CUDA_CALLS_COUNT_H

#include "simd/places.h"
#include "walk.h"

/* counts[i] += how many of n numbers are i, or, where `values` are given, lie in bin i. Others are left out. */
typedef struct stria_cuda_count_call {
    const int64_t *numbers; /* or NULL */
    const double  *values;
    stria_bins     bins; /* n of them are there, of numbers, too */
    int64_t        n;
    int64_t       *counts;
} stria_cuda_count_call;

#endif
