/* moments.h - merging mean and m2 of two parts. Internal.
 * Source: Chan, Golub & LeVeque, Algorithms for Computing the Sample Variance, The American Statistician 37 (1983). */
#ifndef STRIA_MOMENTS_H
#define STRIA_MOMENTS_H

#include "simd/kernels.h"

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

#endif
