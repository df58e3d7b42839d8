/* vec_divide_lanes.h - the functions of vec_divide.h for one lane type VEC_T. */
#include "vec_math_begin.h"

#if VEC_KIND == VEC_UINT
VEC_INLINE V VEC_W(trunc_divide)(V a, V b) { return VEC_W(quot)(a, b); }
VEC_INLINE V VEC_W(floor_divide)(V a, V b) { return VEC_W(quot)(a, b); }
VEC_INLINE V VEC_W(fmod)(V a, V b) { return SEL(EQ(b, C(0)), C(0), SUB(a, MUL(VEC_W(quot)(a, b), b))); }
VEC_INLINE V VEC_W(remainder)(V a, V b) { return VEC_W(fmod)(a, b); }
#endif

#if VEC_KIND == VEC_SINT
/* The same bits as unsigned lanes. */
#define TO_U(a) STRIA_CAT(STRIA_CAT3(vec_, VEC_UNSIGNED, _from_), VEC_T)(a)
#define OF_U(a) STRIA_CAT(STRIA_CAT3(vec_, VEC_T, _from_), VEC_UNSIGNED)(a)
/* -1 where x is negative, else 0 */
#define SIGN_FILL(x) VEC_W(shr)(x, VEC_BITS - 1)

/* The quotient of the magnitudes, negated where the signs differ; the magnitude of the smallest number is right as an
 * unsigned one. */
VEC_INLINE V VEC_W(trunc_divide)(V a, V b)
{
    const V s = SIGN_FILL(VEC_W(xor)(a, b)), q = OF_U(VEC_UW(quot)(TO_U(ABS(a)), TO_U(ABS(b))));
    return SUB(VEC_W(xor)(q, s), s);
}
VEC_INLINE V VEC_W(rest_of)(V a, V b, V q) { return SEL(EQ(b, C(0)), C(0), SUB(a, MUL(q, b))); }
/* Whether the remainder r is not 0 and has another sign than the divisor. */
VEC_INLINE M VEC_W(is_rest_across)(V r, V b) { return AND(NE(r, C(0)), LT(VEC_W(xor)(r, b), C(0))); }
VEC_INLINE V VEC_W(fmod)(V a, V b) { return VEC_W(rest_of)(a, b, VEC_W(trunc_divide)(a, b)); }
VEC_INLINE V VEC_W(remainder)(V a, V b)
{
    const V r = VEC_W(fmod)(a, b);
    return SEL(VEC_W(is_rest_across)(r, b), ADD(r, b), r);
}
VEC_INLINE V VEC_W(floor_divide)(V a, V b)
{
    const V q = VEC_W(trunc_divide)(a, b), r = VEC_W(rest_of)(a, b, q);
    return SEL(VEC_W(is_rest_across)(r, b), SUB(q, C(1)), q);
}

VEC_INLINE V VEC_W(shift_left)(V a, V n) { return OF_U(VEC_UW(shift_left)(TO_U(a), TO_U(n))); }
/* Negative numbers are inverted before and after the shift, so that a count out of range gives all sign bits. */
VEC_INLINE V VEC_W(shift_right)(V a, V n)
{
    const V s = SIGN_FILL(a);
    return VEC_W(xor)(OF_U(VEC_UW(shift_right)(TO_U(VEC_W(xor)(a, s)), TO_U(n))), s);
}
#undef TO_U
#undef OF_U
#undef SIGN_FILL
#endif

#if VEC_KIND == VEC_FLOAT
VEC_INLINE V VEC_W(trunc_divide)(V a, V b) { return VEC_W(trunc)(DIV(a, b)); }
/* Whether the remainder m is not 0 and has another sign than the divisor. */
VEC_INLINE M VEC_W(is_rest_across)(V m, V b) { return AND(NE(m, C(0)), VEC_W(mask_xor)(LT(b, C(0)), LT(m, C(0)))); }
VEC_INLINE V VEC_W(remainder)(V a, V b)
{
    const V m = VEC_W(fmod)(a, b);
    return SEL(VEC_W(is_rest_across)(m, b), ADD(m, b), m);
}
/* Up to rounding, a - m is a multiple of b. So the quotient is near a whole number, which may lie above it. A zero has the
 * sign of a / b. */
VEC_INLINE V VEC_W(floor_divide)(V a, V b)
{
    const V m = VEC_W(fmod)(a, b), near = DIV(SUB(a, m), b), ratio = DIV(a, b);
    const V q = SEL(VEC_W(is_rest_across)(m, b), SUB(near, C(1)), near), down = VEC_W(floor)(q);
    const V whole = SEL(LT(C(0.5), SUB(q, down)), ADD(down, C(1)), down);
    return SEL(EQ(b, C(0)), ratio, SEL(EQ(q, C(0)), COPYSIGN(C(0), ratio), whole));
}
#endif
#include "vec_math_end.h"
