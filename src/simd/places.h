/* places.h - where a number lies: among elements in order (quantile), in bins (histc), in a sequence of exponents (logspace). The CPU and CUDA
 * compile it; STRIA_PLACES_FN says how. C and C++. Internal. */
#ifndef STRIA_PLACES_H
#define STRIA_PLACES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef STRIA_PLACES_FN
#define STRIA_PLACES_FN static inline
#endif

/* ---------------------------------------------------------------- quantile */

/* In the order of the words of the rows. */
enum {
    STRIA_QUANTILE_LINEAR,
    STRIA_QUANTILE_LOWER,
    STRIA_QUANTILE_HIGHER,
    STRIA_QUANTILE_MIDPOINT,
    STRIA_QUANTILE_NEAREST
};

/* Where q lies among n elements: in f32, as q is, where x is no f64 and that holds whole numbers. */
STRIA_PLACES_FN double stria_quantile_get_place(double q, int64_t n, bool is_f64)
{
    if (is_f64 || n > 1 << 24) return q * (double)(n - 1);
    return (double)((float)q * (float)(n - 1));
}

/* The elements on both sides of the place, and how far it is from the first one. The result is that one where the weight is 0. */
STRIA_PLACES_FN void stria_quantile_choose(int interpolation, double place, int64_t *low, int64_t *high, double *weight)
{
    const double below = floor(place);

    *low = (int64_t)below;
    *high = (int64_t)ceil(place);
    *weight = 0;
    switch (interpolation) {
    case STRIA_QUANTILE_LOWER: break;
    case STRIA_QUANTILE_HIGHER: *low = *high; break;
    case STRIA_QUANTILE_NEAREST: *low = (int64_t)nearbyint(place); break;
    case STRIA_QUANTILE_MIDPOINT: *weight = 0.5; break;
    default: *weight = place - below;
    }
}

STRIA_PLACES_FN double stria_quantile_get_between(double a, double b, double weight)
{
    if (a == b || weight == 0) return a;
    if (isinf(a) || isinf(b)) return a + b; /* the infinity; NaN between two of them */
    return weight < 0.5 ? a + weight * (b - a) : b - (b - a) * (1 - weight);
}

/* ---------------------------------------------------------------- histc */

typedef struct stria_bins {
    double  least, most;
    int64_t n;
    bool    is_narrow; /* places are computed in f32, as those of other libraries are */
} stria_bins;

/* The place of x in bins; of halves where distances overflow. */
STRIA_PLACES_FN double stria_bins_get_place(const stria_bins *b, double x)
{
    const double width = b->most - b->least, place = (x - b->least) * (double)b->n;
    const float  narrow = (float)(x - b->least) * (float)b->n;

    if (b->is_narrow && isfinite(narrow) && isfinite((float)width)) return (double)(narrow / (float)width);
    if (isfinite(place) && isfinite(width)) return place / width;
    return (x / 2 - b->least / 2) / (b->most / 2 - b->least / 2) * (double)b->n;
}

/* The number of the bin that x lies in; -1: it lies in none. */
STRIA_PLACES_FN int64_t stria_bins_find(const stria_bins *b, double x)
{
    if (!(x >= b->least && x <= b->most)) return -1;
    const double place = stria_bins_get_place(b, x);
    return place < (double)b->n ? (int64_t)place : b->n - 1;
}

/* ---------------------------------------------------------------- logspace */

/* Exponents as linspace has them, but in the sum of two doubles: rounded to one they would be wrong by some hundred units of a large
 * result. step + step_low is the step; log_base is 0 where the low part can be left out. */
typedef struct stria_exponents {
    double  start, end, step, step_low, base, log_base;
    int64_t half, last;
} stria_exponents;

/* a * b, and what is missing of it in *low (Dekker). */
STRIA_PLACES_FN double stria_mul_exact(double a, double b, double *low)
{
    const double split = 134217729, p = a * b; /* 2^27 + 1 */
    const double a_high = split * a - (split * a - a), b_high = split * b - (split * b - b);
    const double a_low = a - a_high, b_low = b - b_high;

    *low = a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return p;
}

/* a + b, and what is missing of it in *low (Knuth). */
STRIA_PLACES_FN double stria_add_exact(double a, double b, double *low)
{
    const double sum = a + b, b_in_sum = sum - a;

    *low = (a - (sum - b_in_sum)) + (b - b_in_sum);
    return sum;
}

/* Exponent k; *low: what is missing of it. */
STRIA_PLACES_FN double stria_exponents_get(const stria_exponents *e, int64_t k, double *low)
{
    const double n = k < e->half ? (double)k : (double)(k - e->last), from = k < e->half ? e->start : e->end;
    double       product_low, sum_low;
    const double product = stria_mul_exact(n, e->step, &product_low);
    const double sum = stria_add_exact(from, product, &sum_low);

    *low = sum_low + (product_low + n * e->step_low);
    return sum;
}

/* base^(high + low) = base^high * (1 + low * log(base)), as low is tiny; power: base^high. */
STRIA_PLACES_FN double stria_exponents_finish(const stria_exponents *e, double power, double low)
{
    return e->log_base != 0 && isfinite(power) ? power + power * (low * e->log_base) : power;
}

#endif
