/* exp_sum.cuh - log(sum of exp(x)) without overflow, in f64: the largest element, the pivot, and the sum of exp(x - pivot). An infinite pivot
 * counts as 0: then exp gives 0 or an infinity, and NaN only where an element is NaN. A sum of 0 has no pivot of its own. */
#ifndef STRIA_CUDA_EXP_SUM_CUH
#define STRIA_CUDA_EXP_SUM_CUH

#include "vocabulary.cuh"

struct exp_sum {
    double pivot, sum;
};

static __device__ __forceinline__ exp_sum exp_sum_of(double x)
{
    return isfinite(x) ? exp_sum{x, 1} : exp_sum{0, vec_exp_f64(x)};
}

static __device__ __forceinline__ void exp_sum_join(exp_sum *s, const exp_sum &later)
{
    if (later.sum == 0) return;
    if (s->sum == 0)
        *s = later;
    else if (!isfinite(s->sum) || !isfinite(later.sum) || later.pivot == s->pivot)
        s->sum += later.sum;
    else if (later.pivot < s->pivot)
        s->sum += later.sum * vec_exp_f64(later.pivot - s->pivot);
    else
        *s = exp_sum{later.pivot, s->sum * vec_exp_f64(s->pivot - later.pivot) + later.sum};
}

static __device__ __forceinline__ double exp_sum_log(const exp_sum &s) { return vec_log_f64(s.sum) + s.pivot; }

#endif
