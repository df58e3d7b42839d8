/* range.h - what arange, linspace and logspace are made of: element k from k alone, by the same formulas on every device. Internal. */
#ifndef STRIA_RANGE_H
#define STRIA_RANGE_H

#include "call/call.h"
#include "simd/places.h"

/* Whether the elements of an arange of dtype are whole numbers, made modulo 2^64; others are made in double. */
bool stria_range_is_whole(stria_dtype dtype);

/* Element k is first + k * step: of integers modulo 2^64, else in double, times scale, so that nothing overflows on the way. */
typedef struct stria_arange_plan {
    uint64_t whole_first, whole_step;
    double   first, step, scale;
    int64_t  count;
} stria_arange_plan;

/* ERR_ARGUMENT, ERR_OVERFLOW: there is no such range of dtype. */
stria_status stria_arange_plan_get(const stria_call *call, stria_dtype dtype, stria_arange_plan *plan,
                                   stria_error *err);

/* Element k is start + k * step in the first half, else end - (last - k) * step, of each of 1 or 2 parts of a number. */
typedef struct stria_linspace_plan {
    int     n_parts;
    double  start[2], end[2], step[2];
    int64_t last, half;
} stria_linspace_plan;

void stria_linspace_plan_get(stria_scalar start, stria_scalar end, int64_t steps, stria_dtype dtype,
                             stria_linspace_plan *plan);
/* Element k becomes value, an end that a double may not hold exactly. Others stay. */
stria_status stria_linspace_set_whole(stria_tensor *y, int64_t k, stria_scalar value, stria_error *err);

/* Element k is the power of the base with exponent k. The kernels are there. */
void stria_logspace_plan_get(const stria_logspace_attrs *attrs, stria_dtype dtype, stria_exponents *exponents);

#endif
