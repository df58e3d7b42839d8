/* vec_math.h - the transcendental functions, written once on the vocabulary (vec.h), so that every instruction set
 * computes the same bits and a recorder sees through them. No FMA, no libm, no table look-up by lane, and no branch on lanes but
 * one: whether the reduction of huge angles (vec_reduce_angle.h) is needed. vec_<name>_<type>(x), f32 and f64:
 *
 *     exp exp2 exp10 expm1   log log2 log10 log1p   pow(x, y) cbrt rsqrt   sin cos tan   asin acos atan atan2(y, x)   sinc   hypot(x, y)
 *     sinh cosh tanh   asinh acosh atanh   sigmoid gelu gelu_tanh silu mish selu logsigmoid tanhshrink softsign hardsigmoid hardswish   erf erfc erfinv ndtr   ldexp(x, n)
 *     logaddexp(x, y) logaddexp2 xlogy   elu(x, alpha) celu softplus(x, beta, threshold) logit(x, eps)   i0 lgamma digamma
 * Max error: below 1 ULP, over all numbers, for all but the last three; each says its own. tests/native/accuracy.c measures it
 * against MPFR. f32 functions that do not say theirs: 0.51.
 *
 *
 * Special values: those of C99 Annex F, where it has the function. Subnormal numbers are kept, in and out. NaN gives NaN.
 *
 *   vec_math_common.h   special values, reduction of huge angles
 *   vec_math_f32.h      the f32 functions, in f32 lanes or in w64 lanes; and vec_activation_f32.h, vec_special_f32.h
 *   vec_math_f64.h      the f64 functions, on double-double arithmetic (vec_math_dd.h) where it takes that; and the same two
 *   vec_divide.h        quotients as whole numbers and remainders, of integers too: exact
 *   vec_numbers.h       signs, neighbours, common divisors and multiples, counts of bits: exact
 */
#ifndef STRIA_VEC_MATH_H
#define STRIA_VEC_MATH_H

#include "vec.h"
#include "vec_reduce_angle.h"

#define VEC_T f32
#include "vec_math_common.h"
#define VEC_T w64
#include "vec_math_common.h"
#define VEC_T f64
#include "vec_math_common.h"

#include "vec_math_f32.h"
#include "vec_math_f64.h"

#include "vec_activation_f32.h"
#include "vec_special_f32.h"
#include "vec_activation_f64.h"
#include "vec_special_f64.h"

#include "vec_divide.h"
#include "vec_numbers.h"

#endif
