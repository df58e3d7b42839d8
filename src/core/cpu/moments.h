/* moments.h - merging mean and m2 of two parts; what norms of rows divide by. Internal.
 * Source: Chan, Golub & LeVeque, Algorithms for Computing the Sample Variance, The American Statistician 37 (1983). */
#ifndef STRIA_MOMENTS_H
#define STRIA_MOMENTS_H

#include <float.h>
#include <math.h>

#include "simd/kernels.h"
#include "table/dtype.h"

/* The elements of `later` join: share is their part of all, weight their part times the count before. */
static inline void stria_moments_join(stria_moments *m, const stria_moments *later, double share, double weight)
{
    const double delta = (later->pivot - m->pivot) + (later->offset - m->offset);
    m->offset += delta * share;
    m->m2 += later->m2 + delta * delta * weight;
}

/* Of a row of length >= 1 adjacent elements, in blocks. */
static inline stria_moments stria_moments_of_row(const stria_lane_kernels *lane, const char *src, int64_t length,
                                                 int64_t size)
{
    stria_moments all, part;

    for (int64_t at = 0; at < length; at += STRIA_REDUCE_BLOCK) {
        const int64_t n = length - at < STRIA_REDUCE_BLOCK ? length - at : STRIA_REDUCE_BLOCK;
        const double  share = (double)n / (double)(at + n);
        lane->moment.row(at == 0 ? &all : &part, src + at * size, n);
        if (at > 0) stria_moments_join(&all, &part, share, (double)at * share);
    }
    return all;
}

/* eps of rms_norm, NaN: that of the dtype of x. */
static inline double stria_rms_get_eps(double eps, stria_dtype dtype)
{
    if (!isnan(eps)) return eps;
    if (dtype == STRIA_F64) return DBL_EPSILON;
    return dtype == STRIA_F16 ? 0x1p-10 : dtype == STRIA_BF16 ? 0x1p-7 : FLT_EPSILON;
}

/* What layer_norm multiplies x - mean by, the mean in *m; or rms_norm x, the mean in *m is 0. Squares are those of f64. */
static inline double stria_moments_get_factor(stria_moments *m, const stria_lane_kernels *lane, const char *src,
                                              int64_t length, int64_t size, double eps, bool is_rms)
{
    *m = stria_moments_of_row(lane, src, length, size);
    double mean = m->pivot + m->offset, square = m->m2 / (double)length + (is_rms ? mean * mean : 0);

    if (is_rms) m->pivot = m->offset = 0;
    if (is_rms && !isfinite(square)) { /* infinities among finite elements divide them to 0 */
        square = 0;
        for (int64_t k = 0; k < length; k++) {
            mean = size == 8 ? ((const double *)(const void *)src)[k] : ((const float *)(const void *)src)[k];
            square += mean * mean / (double)length;
        }
    }
    return 1 / sqrt(square + eps);
}

#endif
