/* vec_math_common.h - what the functions of every lane type VEC_T of vec_math.h share. */
#include "vec_math_begin.h"

/* x within [lowest, highest]; NaN stays. */
VEC_INLINE V VEC_W(limit)(V x, VEC_C lowest, VEC_C highest)
{
    return SEL(LT(x, C(lowest)), C(lowest), SEL(LT(C(highest), x), C(highest), x));
}

/* Whether the sign bit is set, of zeros and NaN too. */
VEC_INLINE M VEC_W(is_negative)(V x) { return LT(COPYSIGN(C(1), x), C(0)); }

/* r, but what logarithms give for zero, negative numbers, infinity and NaN. */
VEC_INLINE V VEC_W(log_special)(V x, V r)
{
    const V other = SEL(EQ(x, C(0)), C(-INFINITY), SEL(LT(x, C(0)), C(NAN), x));
    return SEL(AND(LT(C(0), x), LT(x, C(INFINITY))), r, other);
}

/* r = |x|^y, but with its sign, and what pow gives for zeros, infinities, NaN and fractional powers of negative numbers:
 * C99 Annex F 9.4.4. r may be anything where |x| is 0, infinite or NaN. */
VEC_INLINE V VEC_W(pow_special)(V x, V y, V r)
{
    const V ax = ABS(x), half = MUL(C(0.5), y);
    const M whole = EQ(VEC_W(rint)(y), y), odd = AND(whole, NE(VEC_W(rint)(half), half));
    const M zero = EQ(ax, C(0)), edge = OR(zero, EQ(ax, C(INFINITY)));

    r = SEL(edge, SEL(VEC_W(mask_xor)(zero, LT(y, C(0))), C(0), C(INFINITY)), r);
    r = SEL(AND(odd, VEC_W(is_negative)(x)), NEG(r), r);
    r = SEL(AND(AND(LT(x, C(0)), LT(C(-INFINITY), x)), VEC_W(mask_not)(whole)), C(NAN), r);
    r = SEL(OR(NE(x, x), NE(y, y)), ADD(x, y), r);
    r = SEL(AND(EQ(x, C(-1)), EQ(ABS(y), C(INFINITY))), C(1), r);
    return SEL(OR(EQ(y, C(0)), EQ(x, C(1))), C(1), r);
}

/* The root of 1 / x, whose error a root halves: with the root's own, less than 1 ULP. Scaled, so that 1 / x is a normal number: by
 * `scale`, a power of two, where x < 1, else by its reciprocal; `root` is its root. Zeros give infinities with
 * their sign. */
VEC_INLINE V VEC_W(inverse_root)(V x, VEC_C scale, VEC_C root)
{
    const M small = LT(x, C(1));
    const V q = DIV(C(1), MUL(x, SEL(small, C(scale), C(1 / scale))));
    return SEL(LT(C(0), x), MUL(SQRT(q), SEL(small, C(root), C(1 / root))), SEL(EQ(x, C(0)), q, C(NAN)));
}

/* ---- 64-bit lanes: angles too large for exact products */
#if VEC_BITS == 64
typedef struct VEC_W(dd) {
    V hi, lo; /* their sum is meant */
} VEC_W(dd);

VEC_INLINE VEC_W(dd) VEC_W(dd_of)(V hi, V lo)
{
    VEC_W(dd) r;
    r.hi = hi;
    r.lo = lo;
    return r;
}

/* vec_reduce_angle.h lane by lane; a recorder takes this for one word. */
#ifndef VEC_NATIVE_REDUCE_HUGE
VEC_INLINE VEC_W(dd) VEC_W(reduce_huge)(V x, V *q)
{
    double at[VEC_LANES], hi[VEC_LANES], lo[VEC_LANES], quadrant[VEC_LANES];
    VEC_W(store)(at, x);
    for (int i = 0; i < VEC_LANES; i++) quadrant[i] = vec_reduce_angle(at[i], &hi[i], &lo[i]);
    *q = VEC_W(load)(quadrant);
    return VEC_W(dd_of)(VEC_W(load)(hi), VEC_W(load)(lo));
}
#endif
#endif

#include "vec_math_end.h"
