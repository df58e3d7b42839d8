/* vec_math.h - the transcendental functions, written once on the vocabulary (vec.h), so that every instruction set computes
 * the same bits and a recorder sees through them.
 *
 * vec_math_template.h holds the algorithms for 64-bit lanes; it is instantiated for f64, and for w64, in which the f32
 * functions are computed before they are rounded once. In it a value that needs more than 53 bits is a sum hi + lo of two
 * floats (double-double), exact to about 2^-100: Dekker, A floating-point technique for extending the available precision,
 * Numer. Math. 18 (1971). There is no FMA, no table look-up by lane, and no branch on lanes but one: the reduction of
 * huge angles.
 *
 * Largest error, in units of the last place of the correctly rounded result (tests/native/accuracy.c measures it):
 * below 1 for every function of f32 and f64, pow included.
 */
#ifndef STRIA_VEC_MATH_H
#define STRIA_VEC_MATH_H

#include "vec_reduce_angle.h"

#define VEC_T f64
#include "vec_math_template.h"

#define VEC_T w64
#include "vec_math_template.h"

/* f32: computed wide, rounded once. */
#define VEC_MATH_1(name)                                                                                               \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a) { return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a))); }
#define VEC_MATH_2(name)                                                                                               \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a, vec_f32 b)                                                          \
    {                                                                                                                  \
        return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a), vec_widen_f32(b)));                                   \
    }
VEC_MATH_1(exp)
VEC_MATH_1(expm1)
VEC_MATH_1(log)
VEC_MATH_1(log1p)
VEC_MATH_1(log2)
VEC_MATH_1(sin)
VEC_MATH_1(cos)
VEC_MATH_1(tanh)
VEC_MATH_1(sigmoid)
VEC_MATH_1(gelu)
VEC_MATH_1(gelu_tanh)
VEC_MATH_1(erf)
VEC_MATH_2(pow)
VEC_MATH_2(atan2)
#undef VEC_MATH_1
#undef VEC_MATH_2

#endif
