/* calls_search.h - the arguments of searches in rows that are in order, NaN last. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_SEARCH_H
#define STRIA_CUDA_CALLS_SEARCH_H

#include "walk.h"

/* out[k] = how many elements of its row are smaller than values[k], or with is_right not larger. Rows of `length` elements side by side; per_row
 * values for each, or, where per_row is 0, all for the only one. dtype: i64, u64, f32, f64. */
typedef struct stria_cuda_search_call {
    const char *sorted, *values;
    stria_dtype dtype;
    bool        is_right;
    int64_t     length, n_values, per_row;
    int64_t    *out;
} stria_cuda_search_call;

/* out[k][r] = quantile q[k] of row r (simd/places.h), of f32 or f64. is_wide: places are found in f64. */
typedef struct stria_cuda_quantile_call {
    const char   *sorted;
    const double *q;
    double       *out;
    stria_dtype   dtype;
    int32_t       interpolation;
    bool          skips_nan, is_wide;
    int64_t       length, n_rows, n_q;
} stria_cuda_quantile_call;

#endif
