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

#endif
