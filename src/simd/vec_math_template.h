/* vec_math_template.h - the algorithms of vec_math.h for 64-bit float lanes VEC_T (f64 or w64).
 *
 * Polynomials without a source in their comment are Taylor series, cut where the rest is below 2^-60 of the result. In all
 * of them the first terms are double-double and the plain tail is at most a few per cent of the value, so the last
 * rounding decides.
 */
#include "vec_lane_begin.h"

#define V VEC_V
#define M VEC_M
#define C(x) VEC_W(set)(x)
#define ADD VEC_W(add)
#define SUB VEC_W(sub)
#define MUL VEC_W(mul)
#define DIV VEC_W(div)
#define NEG VEC_W(neg)
#define ABS VEC_W(abs)
#define SEL VEC_W(select)
#define LT VEC_W(lt)
#define LE VEC_W(le)
#define EQ VEC_W(eq)
#define NE VEC_W(ne)
#define AND VEC_W(mask_and)
#define OR VEC_W(mask_or)
#define DD VEC_W(dd)

/* ---------------------------------------------------------------- double-double */

typedef struct DD {
    V hi, lo;
} DD;

VEC_INLINE DD VEC_W(dd_of)(V hi, V lo)
{
    DD r;
    r.hi = hi;
    r.lo = lo;
    return r;
}

/* a + b exactly, for |a| >= |b| (Dekker), and for any a, b (Knuth, TAOCP 2). */
VEC_INLINE DD VEC_W(dd_fast_sum)(V a, V b)
{
    const V s = ADD(a, b);
    return VEC_W(dd_of)(s, SUB(b, SUB(s, a)));
}
VEC_INLINE DD VEC_W(dd_sum)(V a, V b)
{
    const V s = ADD(a, b), bb = SUB(s, a);
    return VEC_W(dd_of)(s, ADD(SUB(a, SUB(s, bb)), SUB(b, bb)));
}

/* a * b exactly (Veltkamp's splitting), for |a|, |b| < 2^996 and a product above 2^-960. */
VEC_INLINE DD VEC_W(dd_product)(V a, V b)
{
    const V s = C(0x1.0000002p27), as = MUL(a, s), bs = MUL(b, s), p = MUL(a, b);
    const V a1 = SUB(as, SUB(as, a)), a2 = SUB(a, a1), b1 = SUB(bs, SUB(bs, b)), b2 = SUB(b, b1);
    V       e = SUB(MUL(a1, b1), p);
    e = ADD(e, MUL(a1, b2));
    e = ADD(e, MUL(a2, b1));
    return VEC_W(dd_of)(p, ADD(e, MUL(a2, b2)));
}

VEC_INLINE DD VEC_W(dd_add)(DD a, DD b)
{
    const DD s = VEC_W(dd_sum)(a.hi, b.hi);
    return VEC_W(dd_fast_sum)(s.hi, ADD(s.lo, ADD(a.lo, b.lo)));
}
VEC_INLINE DD VEC_W(dd_mul)(DD a, DD b)
{
    const DD p = VEC_W(dd_product)(a.hi, b.hi);
    return VEC_W(dd_fast_sum)(p.hi, ADD(p.lo, ADD(MUL(a.hi, b.lo), MUL(a.lo, b.hi))));
}
VEC_INLINE DD VEC_W(dd_div)(DD a, DD b)
{
    const V  q = DIV(a.hi, b.hi);
    const DD p = VEC_W(dd_product)(q, b.hi);
    const V  rest = SUB(ADD(SUB(SUB(a.hi, p.hi), p.lo), a.lo), MUL(q, b.lo));
    return VEC_W(dd_fast_sum)(q, DIV(rest, b.hi));
}
VEC_INLINE DD VEC_W(dd_const)(double hi, double lo) { return VEC_W(dd_of)(C(hi), C(lo)); }
VEC_INLINE DD VEC_W(dd_neg)(DD a) { return VEC_W(dd_of)(NEG(a.hi), NEG(a.lo)); }
VEC_INLINE DD VEC_W(dd_select)(M m, DD a, DD b)
{
    return VEC_W(dd_of)(SEL(m, a.hi, b.hi), SEL(m, a.lo, b.lo));
}

/* 2^k for an integral k in [-1022, 1023]. */
VEC_INLINE V VEC_W(power_of_two)(V k)
{
    const VEC_S i = STRIA_CAT(vec_add_, VEC_SIGNED)(VEC_W(toint)(k), STRIA_CAT(vec_set_, VEC_SIGNED)(1023));
    const VEC_U u = STRIA_CAT(STRIA_CAT3(vec_, VEC_UNSIGNED, _from_), VEC_SIGNED)(i);
    return VEC_W(frombits)(VEC_UW(shl)(u, 52));
}
/* x * 2^k, |k| < 2000, in two steps, so that only the last can leave the range of normal numbers. */
VEC_INLINE V VEC_W(scale)(V x, V k)
{
    const V half = VEC_W(floor)(MUL(k, C(0.5)));
    return MUL(MUL(x, VEC_W(power_of_two)(half)), VEC_W(power_of_two)(SUB(k, half)));
}

/* ---------------------------------------------------------------- exponential */

typedef struct VEC_W(exponent) {
    V  k; /* integral */
    DD p;
} VEC_W(exponent);

/* exp(x.hi + x.lo) = 2^k * (1 + p), |p| < 0.42, for |x.hi| < 1000. Cody & Waite's reduction: ln 2 = its first 33 bits and
 * the rest. */
VEC_INLINE VEC_W(exponent) VEC_W(exp_parts)(DD x)
{
    VEC_W(exponent) e;
    const V k = VEC_W(rint)(MUL(x.hi, C(0x1.71547652b82fep0)));
    const V a = SUB(x.hi, MUL(k, C(0x1.62e42ffp-1)));
    DD      r = VEC_W(dd_sum)(a, MUL(k, C(0x1.718432a1b0e26p-35)));
    DD      square, sum;
    V       q;

    r = VEC_W(dd_fast_sum)(r.hi, ADD(r.lo, x.lo));
    square = VEC_W(dd_product)(r.hi, r.hi);
    q = C(1.0 / 355687428096000.0);
    q = ADD(MUL(q, r.hi), C(1.0 / 20922789888000.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 1307674368000.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 87178291200.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 6227020800.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 479001600.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 39916800.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 3628800.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 362880.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 40320.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 5040.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 720.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 120.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 24.0));
    q = ADD(MUL(q, r.hi), C(1.0 / 6.0));
    q = MUL(MUL(square.hi, r.hi), q);
    square.lo = ADD(square.lo, MUL(C(2), MUL(r.hi, r.lo)));
    sum = VEC_W(dd_fast_sum)(r.hi, MUL(C(0.5), square.hi));
    e.k = k;
    e.p = VEC_W(dd_fast_sum)(sum.hi, ADD(ADD(sum.lo, ADD(r.lo, MUL(C(0.5), square.lo))), q));
    return e;
}

VEC_INLINE V VEC_W(clamp)(V x, double lowest, double highest)
{
    return VEC_W(min)(VEC_W(max)(x, C(lowest)), C(highest));
}

/* 1 + p, rounded. */
VEC_INLINE V VEC_W(one_plus)(DD p)
{
    const DD s = VEC_W(dd_fast_sum)(C(1), p.hi);
    return ADD(s.hi, ADD(s.lo, p.lo));
}
VEC_INLINE DD VEC_W(dd_one_plus)(DD p)
{
    const DD s = VEC_W(dd_fast_sum)(C(1), p.hi);
    return VEC_W(dd_fast_sum)(s.hi, ADD(s.lo, p.lo));
}

VEC_INLINE V VEC_W(exp)(V x)
{
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_of)(VEC_W(clamp)(x, -760, 720), C(0)));
    return SEL(NE(x, x), x, VEC_W(scale)(VEC_W(one_plus)(e.p), e.k));
}

/* exp(x) - 1 for -60 < x < 60 */
VEC_INLINE DD VEC_W(dd_expm1)(V x)
{
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_of)(x, C(0)));
    const V  s = VEC_W(power_of_two)(e.k);
    const DD rest = VEC_W(dd_sum)(s, C(-1));
    return VEC_W(dd_add)(rest, VEC_W(dd_of)(MUL(s, e.p.hi), MUL(s, e.p.lo)));
}

VEC_INLINE V VEC_W(expm1)(V x)
{
    const DD small = VEC_W(dd_expm1)(VEC_W(clamp)(x, -50, 50));
    V        r = SEL(LT(C(50), x), VEC_W(exp)(x), small.hi);
    r = SEL(LT(x, C(-50)), C(-1), r);
    r = SEL(LT(ABS(x), C(0x1p-54)), x, r); /* also keeps the sign of zero */
    return SEL(NE(x, x), x, r);
}

/* ---------------------------------------------------------------- logarithm */

typedef struct VEC_W(logarithm) {
    V  k; /* integral */
    DD m;
} VEC_W(logarithm);

/* log(x.hi + x.lo) = k * ln 2 + m with x = 2^k * y, sqrt(1/2) <= y < sqrt(2), for normal positive x.hi:
 * log y = 2 atanh(s), s = (y - 1) / (y + 1). */
VEC_INLINE VEC_W(logarithm) VEC_W(log_parts)(DD x)
{
    VEC_W(logarithm) r;
    const VEC_U ix = VEC_W(bits)(x.hi), above = VEC_UW(sub)(ix, VEC_UW(set)(0x3fe6a09e667f3bcdull));
    const VEC_S k = STRIA_CAT(vec_shr_, VEC_SIGNED)(
        STRIA_CAT(STRIA_CAT3(vec_, VEC_SIGNED, _from_), VEC_UNSIGNED)(above), 52);
    const VEC_U high = VEC_UW(and)(above, VEC_UW(set)(0xfff0000000000000ull));
    const V     y = VEC_W(frombits)(VEC_UW(sub)(ix, high));
    DD          s, z, cubic, numerator;
    V           q, lo;

    r.k = VEC_W(fromint)(k);
    lo = VEC_W(scale)(x.lo, NEG(r.k));
    numerator = VEC_W(dd_sum)(SUB(y, C(1)), lo);
    s = VEC_W(dd_sum)(y, C(1));
    s = VEC_W(dd_div)(numerator, VEC_W(dd_of)(s.hi, ADD(s.lo, lo)));
    z = VEC_W(dd_mul)(s, s);
    q = C(2.0 / 29);
    q = ADD(MUL(q, z.hi), C(2.0 / 27));
    q = ADD(MUL(q, z.hi), C(2.0 / 25));
    q = ADD(MUL(q, z.hi), C(2.0 / 23));
    q = ADD(MUL(q, z.hi), C(2.0 / 21));
    q = ADD(MUL(q, z.hi), C(2.0 / 19));
    q = ADD(MUL(q, z.hi), C(2.0 / 17));
    q = ADD(MUL(q, z.hi), C(2.0 / 15));
    q = ADD(MUL(q, z.hi), C(2.0 / 13));
    q = ADD(MUL(q, z.hi), C(2.0 / 11));
    q = ADD(MUL(q, z.hi), C(2.0 / 9));
    q = ADD(MUL(q, z.hi), C(2.0 / 7));
    q = ADD(MUL(q, z.hi), C(2.0 / 5));
    cubic = VEC_W(dd_fast_sum)(C(0x1.5555555555555p-1), MUL(q, z.hi));
    cubic.lo = ADD(cubic.lo, C(0x1.5555555555555p-55));
    cubic = VEC_W(dd_mul)(VEC_W(dd_mul)(s, z), cubic);
    r.m = VEC_W(dd_fast_sum)(MUL(C(2), s.hi), cubic.hi);
    r.m = VEC_W(dd_fast_sum)(r.m.hi, ADD(r.m.lo, ADD(MUL(C(2), s.lo), cubic.lo)));
    return r;
}

/* Subnormal numbers are scaled to normal ones first; k_shift is what that adds to k. */
VEC_INLINE V VEC_W(make_normal)(V x, V *k_shift)
{
    const M small = LT(x, C(0x1p-1022));
    *k_shift = SEL(small, C(-54), C(0));
    return SEL(small, MUL(x, C(0x1p54)), x);
}

VEC_INLINE DD VEC_W(dd_log_sum)(VEC_W(logarithm) l)
{
    const DD k_ln2 = VEC_W(dd_add)(VEC_W(dd_of)(MUL(l.k, C(0x1.62e42ffp-1)), C(0)),
                                   VEC_W(dd_neg)(VEC_W(dd_product)(l.k, C(0x1.718432a1b0e26p-35))));
    return VEC_W(dd_select)(EQ(l.k, C(0)), l.m, VEC_W(dd_add)(k_ln2, l.m));
}

/* r, but what logarithms give for zero, negative numbers, infinity and NaN. */
VEC_INLINE V VEC_W(log_special)(V x, V r)
{
    r = SEL(EQ(x, C(INFINITY)), x, r);
    r = SEL(EQ(x, C(0)), C(-INFINITY), r);
    r = SEL(LT(x, C(0)), C(NAN), r);
    return SEL(NE(x, x), x, r);
}

/* log(x) for positive finite x */
VEC_INLINE DD VEC_W(dd_log)(V x)
{
    V                k_shift;
    const V          normal = VEC_W(make_normal)(x, &k_shift);
    VEC_W(logarithm) l = VEC_W(log_parts)(VEC_W(dd_of)(normal, C(0)));
    l.k = ADD(l.k, k_shift);
    return VEC_W(dd_log_sum)(l);
}

VEC_INLINE V VEC_W(log)(V x) { return VEC_W(log_special)(x, VEC_W(dd_log)(x).hi); }

VEC_INLINE V VEC_W(log2)(V x)
{
    V                k_shift;
    const V          normal = VEC_W(make_normal)(x, &k_shift);
    VEC_W(logarithm) l = VEC_W(log_parts)(VEC_W(dd_of)(normal, C(0)));
    const DD         m = VEC_W(dd_mul)(l.m, VEC_W(dd_const)(0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56));
    const DD         s = VEC_W(dd_sum)(ADD(l.k, k_shift), m.hi);
    return VEC_W(log_special)(x, ADD(s.hi, ADD(s.lo, m.lo)));
}

VEC_INLINE V VEC_W(log1p)(V x)
{
    const DD               one_more = VEC_W(dd_sum)(C(1), x);
    const VEC_W(logarithm) l = VEC_W(log_parts)(one_more);
    V                      r = VEC_W(dd_log_sum)(l).hi;
    r = SEL(LT(ABS(x), C(0x1p-54)), x, r);
    r = SEL(EQ(x, C(-1)), C(-INFINITY), r);
    r = SEL(LT(x, C(-1)), C(NAN), r);
    r = SEL(EQ(x, C(INFINITY)), x, r);
    return SEL(NE(x, x), x, r);
}

/* ---------------------------------------------------------------- power */

VEC_INLINE V VEC_W(pow)(V x, V y)
{
    const V  ax = ABS(x), yc = VEC_W(clamp)(y, -0x1p64, 0x1p64);
    const M  whole = EQ(VEC_W(rint)(y), y);
    const V  half = MUL(C(0.5), y);
    const M  odd = AND(whole, AND(NE(VEC_W(rint)(half), half), LT(ABS(y), C(0x1p53))));
    const M  edge = OR(EQ(ax, C(0)), EQ(ax, C(INFINITY)));
    const DD l = VEC_W(dd_log)(SEL(edge, C(1), ax));
    DD       t = VEC_W(dd_product)(l.hi, yc);
    V        r;

    t = VEC_W(dd_fast_sum)(t.hi, ADD(t.lo, MUL(l.lo, yc)));
    t = VEC_W(dd_select)(LT(C(760), ABS(t.hi)), VEC_W(dd_of)(VEC_W(clamp)(t.hi, -760, 760), C(0)), t);
    {
        const VEC_W(exponent) e = VEC_W(exp_parts)(t);
        r = VEC_W(scale)(VEC_W(one_plus)(e.p), e.k);
    }
    /* x is 0 or infinite: 0 or infinity */
    {
        const V up = SEL(LT(C(0), y), C(INFINITY), C(0)), down = SEL(LT(C(0), y), C(0), C(INFINITY));
        r = SEL(edge, SEL(EQ(ax, C(0)), down, up), r);
    }
    /* negative base: the sign of an odd power; no value at a fraction */
    r = SEL(AND(odd, NE(VEC_W(copysign)(C(1), x), C(1))), NEG(r), r);
    r = SEL(AND(AND(LT(x, C(0)), VEC_W(mask_not)(whole)), NE(x, C(-INFINITY))), C(NAN), r);
    r = SEL(OR(NE(x, x), NE(y, y)), ADD(x, y), r);
    return SEL(OR(EQ(y, C(0)), EQ(x, C(1))), C(1), r);
}

/* ---------------------------------------------------------------- sine, cosine */

/* x = (q + a multiple of 4) * pi/2 + r, |r| about pi/4 at most; q in {0, 1, 2, 3} as a float. Up to 2^19 by Cody & Waite's
 * method with pi/2 in four parts; above, vec_reduce_angle.h lane by lane. */
#ifndef VEC_NATIVE_REDUCE_HUGE
VEC_INLINE DD VEC_W(reduce_huge)(V x, V *q)
{
    double at[VEC_LANES], hi[VEC_LANES], lo[VEC_LANES], quadrant[VEC_LANES];
    VEC_W(store)(at, x);
    for (int i = 0; i < VEC_LANES; i++) quadrant[i] = vec_reduce_angle(at[i], &hi[i], &lo[i]);
    *q = VEC_W(load)(quadrant);
    return VEC_W(dd_of)(VEC_W(load)(hi), VEC_W(load)(lo));
}
#endif

VEC_INLINE DD VEC_W(reduce_angle)(V x, V *q)
{
    const M  huge = LT(C(0x1p19), ABS(x));
    const V  xs = SEL(huge, C(0), x);
    const V  k = VEC_W(rint)(MUL(xs, C(0x1.45f306dc9c883p-1)));
    const V  a = SUB(xs, MUL(k, C(0x1.921fb544p0)));
    const DD b = VEC_W(dd_sum)(a, NEG(MUL(k, C(0x1.0b4611a6p-34))));
    const DD c = VEC_W(dd_sum)(b.hi, NEG(MUL(k, C(0x1.3198a2ep-69))));
    DD       r = VEC_W(dd_fast_sum)(c.hi, SUB(ADD(b.lo, c.lo), MUL(k, C(0x1.b839a252049c1p-104))));

    *q = SUB(k, MUL(C(4), VEC_W(floor)(MUL(k, C(0.25)))));
    if (VEC_W(mask_any)(huge)) {
        V        q_huge;
        const DD r_huge = VEC_W(reduce_huge)(SEL(LT(ABS(x), C(INFINITY)), SEL(huge, x, C(0x1p20)), C(0x1p20)), &q_huge);
        r = VEC_W(dd_select)(huge, r_huge, r);
        *q = SEL(huge, q_huge, *q);
    }
    return r;
}

VEC_INLINE V VEC_W(sin_reduced)(DD r)
{
    const DD z = VEC_W(dd_product)(r.hi, r.hi);
    V        q;
    q = C(1.0 / 51090942171709440000.0);
    q = ADD(MUL(q, z.hi), C(-1.0 / 121645100408832000.0));
    q = ADD(MUL(q, z.hi), C(1.0 / 355687428096000.0));
    q = ADD(MUL(q, z.hi), C(-1.0 / 1307674368000.0));
    q = ADD(MUL(q, z.hi), C(1.0 / 6227020800.0));
    q = ADD(MUL(q, z.hi), C(-1.0 / 39916800.0));
    q = ADD(MUL(q, z.hi), C(1.0 / 362880.0));
    q = ADD(MUL(q, z.hi), C(-1.0 / 5040.0));
    q = ADD(MUL(q, z.hi), C(1.0 / 120.0));
    q = ADD(MUL(q, z.hi), C(-1.0 / 6.0));
    q = MUL(MUL(q, z.hi), r.hi);
    q = ADD(q, SUB(r.lo, MUL(MUL(C(0.5), z.hi), r.lo)));
    return ADD(r.hi, q);
}

VEC_INLINE V VEC_W(cos_reduced)(DD r)
{
    const DD z = VEC_W(dd_product)(r.hi, r.hi);
    const DD s = VEC_W(dd_fast_sum)(C(1), MUL(C(-0.5), z.hi));
    V        q;
    q = C(-1.0 / 1124000727777607680000.0);
    q = ADD(MUL(q, z.hi), C(1.0 / 2432902008176640000.0));
    q = ADD(MUL(q, z.hi), C(-1.0 / 6402373705728000.0));
    q = ADD(MUL(q, z.hi), C(1.0 / 20922789888000.0));
    q = ADD(MUL(q, z.hi), C(-1.0 / 87178291200.0));
    q = ADD(MUL(q, z.hi), C(1.0 / 479001600.0));
    q = ADD(MUL(q, z.hi), C(-1.0 / 3628800.0));
    q = ADD(MUL(q, z.hi), C(1.0 / 40320.0));
    q = ADD(MUL(q, z.hi), C(-1.0 / 720.0));
    q = ADD(MUL(q, z.hi), C(1.0 / 24.0));
    q = MUL(MUL(q, z.hi), z.hi);
    q = SUB(q, ADD(MUL(C(0.5), z.lo), MUL(r.hi, r.lo)));
    return ADD(s.hi, ADD(s.lo, q));
}

VEC_INLINE V VEC_W(sin)(V x)
{
    V        q;
    const DD r = VEC_W(reduce_angle)(x, &q);
    const M  swap = OR(EQ(q, C(1)), EQ(q, C(3)));
    V        y = SEL(swap, VEC_W(cos_reduced)(r), VEC_W(sin_reduced)(r));
    y = SEL(LE(C(2), q), NEG(y), y);
    y = SEL(LT(ABS(x), C(0x1p-27)), x, y);
    return SEL(VEC_W(isfinite)(x), y, SUB(x, x));
}

VEC_INLINE V VEC_W(cos)(V x)
{
    V        q;
    const DD r = VEC_W(reduce_angle)(x, &q);
    const M  swap = OR(EQ(q, C(1)), EQ(q, C(3)));
    V        y = SEL(swap, VEC_W(sin_reduced)(r), VEC_W(cos_reduced)(r));
    y = SEL(OR(EQ(q, C(1)), EQ(q, C(2))), NEG(y), y);
    return SEL(VEC_W(isfinite)(x), y, SUB(x, x));
}

/* ---------------------------------------------------------------- angle of a point */

/* atan of t = n / d in [0, 1]: the nearest c of 0, 1/2, 1 is split off,
 * atan(n/d) = atan(c) + atan((n - c d) / (d + c n)). */
VEC_INLINE DD VEC_W(dd_atan_ratio)(V n, V d)
{
    const M  to_half = LT(MUL(C(0.25), d), n), to_one = LT(MUL(C(0.75), d), n);
    const V  c = SEL(to_one, C(1), SEL(to_half, C(0.5), C(0)));
    const DD at = VEC_W(dd_of)(SEL(to_one, C(0x1.921fb54442d18p-1), SEL(to_half, C(0x1.dac670561bb4fp-2), C(0))),
                               SEL(to_one, C(0x1.1a62633145c07p-55), SEL(to_half, C(0x1.a2b7f222f65e2p-56), C(0))));
    const DD t = VEC_W(dd_div)(VEC_W(dd_sum)(n, NEG(MUL(c, d))), VEC_W(dd_sum)(d, MUL(c, n)));
    const DD z = VEC_W(dd_product)(t.hi, t.hi);
    V        q;
    q = C(1.0 / 37);
    q = ADD(MUL(q, z.hi), C(-1.0 / 35));
    q = ADD(MUL(q, z.hi), C(1.0 / 33));
    q = ADD(MUL(q, z.hi), C(-1.0 / 31));
    q = ADD(MUL(q, z.hi), C(1.0 / 29));
    q = ADD(MUL(q, z.hi), C(-1.0 / 27));
    q = ADD(MUL(q, z.hi), C(1.0 / 25));
    q = ADD(MUL(q, z.hi), C(-1.0 / 23));
    q = ADD(MUL(q, z.hi), C(1.0 / 21));
    q = ADD(MUL(q, z.hi), C(-1.0 / 19));
    q = ADD(MUL(q, z.hi), C(1.0 / 17));
    q = ADD(MUL(q, z.hi), C(-1.0 / 15));
    q = ADD(MUL(q, z.hi), C(1.0 / 13));
    q = ADD(MUL(q, z.hi), C(-1.0 / 11));
    q = ADD(MUL(q, z.hi), C(1.0 / 9));
    q = ADD(MUL(q, z.hi), C(-1.0 / 7));
    q = ADD(MUL(q, z.hi), C(1.0 / 5));
    q = ADD(MUL(q, z.hi), C(-1.0 / 3));
    q = MUL(MUL(q, z.hi), t.hi);
    return VEC_W(dd_add)(at, VEC_W(dd_fast_sum)(t.hi, ADD(t.lo, q)));
}

VEC_INLINE V VEC_W(atan2)(V y, V x)
{
    const M both_inf = AND(VEC_W(isinf)(x), VEC_W(isinf)(y));
    /* infinities become the points (+-1 or 0) that have their direction */
    const V ux = SEL(both_inf, C(1), SEL(VEC_W(isinf)(x), C(1), SEL(VEC_W(isinf)(y), C(0), ABS(x))));
    const V uy = SEL(both_inf, C(1), SEL(VEC_W(isinf)(y), C(1), SEL(VEC_W(isinf)(x), C(0), ABS(y))));
    const M steep = LT(ux, uy), left = NE(VEC_W(copysign)(C(1), x), C(1));
    const V larger = SEL(steep, uy, ux), smaller = SEL(steep, ux, uy);
    const V scale = SEL(LT(C(0x1p500), larger), C(0x1p-600), SEL(LT(larger, C(0x1p-400)), C(0x1p600), C(1)));
    const V n = MUL(smaller, scale), d0 = MUL(larger, scale), d = SEL(EQ(d0, C(0)), C(1), d0);
    const M flat = LT(n, MUL(d, C(0x1p-70))); /* the ratio is the angle, or does not count */
    DD      a = VEC_W(dd_select)(flat, VEC_W(dd_of)(C(0), C(0)), VEC_W(dd_atan_ratio)(SEL(flat, C(0), n), d));
    V       r;

    a = VEC_W(dd_select)(steep, VEC_W(dd_add)(VEC_W(dd_const)(0x1.921fb54442d18p0, 0x1.1a62633145c07p-54),
                                              VEC_W(dd_neg)(a)), a);
    a = VEC_W(dd_select)(left, VEC_W(dd_add)(VEC_W(dd_const)(0x1.921fb54442d18p1, 0x1.1a62633145c07p-53),
                                             VEC_W(dd_neg)(a)), a);
    r = ADD(a.hi, a.lo);
    r = SEL(AND(flat, AND(VEC_W(mask_not)(steep), VEC_W(mask_not)(left))), DIV(uy, SEL(EQ(ux, C(0)), C(1), ux)), r);
    r = VEC_W(copysign)(r, y);
    return SEL(OR(NE(x, x), NE(y, y)), ADD(x, y), r);
}

/* ---------------------------------------------------------------- hyperbolic tangent, logistic function */

/* tanh(a) = -t / (2 + t), t = exp(-2a) - 1 */
VEC_INLINE V VEC_W(tanh)(V x)
{
    const V  a = VEC_W(min)(ABS(x), C(22));
    const DD t = VEC_W(dd_expm1)(MUL(C(-2), a));
    DD       below = VEC_W(dd_sum)(C(2), t.hi);
    V        r;
    below.lo = ADD(below.lo, t.lo);
    r = VEC_W(dd_div)(VEC_W(dd_neg)(t), below).hi;
    r = SEL(LT(ABS(x), C(0x1p-28)), x, VEC_W(copysign)(r, x));
    return SEL(NE(x, x), x, r);
}

/* x / (1 + exp(-w)), or with x = 1 the logistic function of w; |w.hi| < 1000:
 * for w >= 0 x / (1 + e), for w < 0 x e / (1 + e), e = exp(-|w|) = 2^k (1 + p). */
VEC_INLINE V VEC_W(times_logistic)(V x, DD w)
{
    const M               negative = LT(w.hi, C(0));
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_select)(negative, w, VEC_W(dd_neg)(w)));
    const DD              n = VEC_W(dd_one_plus)(e.p);
    const V               s = VEC_W(power_of_two)(VEC_W(max)(e.k, C(-1000)));
    DD                    d = VEC_W(dd_fast_sum)(C(1), MUL(s, n.hi)), q;
    d.lo = ADD(d.lo, MUL(s, n.lo));
    q = VEC_W(dd_div)(VEC_W(dd_select)(negative, n, VEC_W(dd_const)(1, 0)), d);
    q = VEC_W(dd_mul)(q, VEC_W(dd_of)(x, C(0)));
    return VEC_W(scale)(q.hi, SEL(negative, e.k, C(0)));
}

VEC_INLINE V VEC_W(sigmoid)(V x)
{
    const V r = VEC_W(times_logistic)(C(1), VEC_W(dd_of)(VEC_W(clamp)(x, -800, 800), C(0)));
    return SEL(NE(x, x), x, r);
}

/* x times the logistic function of 2 sqrt(2/pi) (x + 0.044715 x^3): Hendrycks & Gimpel, Gaussian Error Linear Units,
 * arXiv:1606.08415. -infinity gives -0. */
VEC_INLINE V VEC_W(gelu_tanh)(V x)
{
    const V  c = SEL(LT(ABS(x), C(0x1p-400)), C(0), VEC_W(clamp)(x, -24, 24));
    const DD cc = VEC_W(dd_of)(c, C(0)), square = VEC_W(dd_mul)(cc, cc);
    const DD inner = VEC_W(dd_add)(VEC_W(dd_const)(0x1.9884533d43651p0, -0x1.cbc0d30ebfd15p-54),
                                   VEC_W(dd_mul)(square, VEC_W(dd_const)(0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c7p-61)));
    V r = VEC_W(times_logistic)(c, VEC_W(dd_mul)(cc, inner));
    r = SEL(LT(ABS(x), C(0x1p-400)), MUL(C(0.5), x), r);
    r = SEL(LE(C(24), x), x, r);
    r = SEL(LT(x, C(-24)), C(-0.0), r);
    return SEL(NE(x, x), x, r);
}

/* ---------------------------------------------------------------- error function */

#define DD_HORNER(r, t, hi, lo) VEC_W(dd_add)(VEC_W(dd_mul)(r, t), VEC_W(dd_const)(hi, lo))

/* (1 + 2z) exp(z^2) erfc(z) for 0 <= z <= 28: a polynomial in t = (z - 4) / (z + 4). Source of the form: Shepherd &
 * Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x, Math. Comp. 36 (1981); coefficients by
 * tools/erfcx.sollya, error below 2^-68. */
VEC_INLINE DD VEC_W(dd_erfcx)(DD z)
{
    DD above = VEC_W(dd_sum)(z.hi, C(-4)), below = VEC_W(dd_sum)(z.hi, C(4)), t, r;
    above.lo = ADD(above.lo, z.lo);
    below.lo = ADD(below.lo, z.lo);
    t = VEC_W(dd_div)(above, below);
    r = VEC_W(dd_const)(0x1.582fa234c6ed5p-37, -0x1.d1da268f50a63p-92);
    r = DD_HORNER(r, t, 0x1.f90585ea54251p-35, -0x1.80c9eb253b81ap-89);
    r = DD_HORNER(r, t, 0x1.12f050387b024p-35, 0x1.61aa5fc543759p-91);
    r = DD_HORNER(r, t, -0x1.e7f1f90603c09p-32, 0x1.0d0c0850b8e79p-87);
    r = DD_HORNER(r, t, -0x1.499df45afdc77p-31, 0x1.b1f6a9b8da33bp-85);
    r = DD_HORNER(r, t, 0x1.5fa6d0bd5dd15p-29, -0x1.17a081ad40b1p-86);
    r = DD_HORNER(r, t, 0x1.1d6cd6c96986dp-28, 0x1.74d527762d911p-82);
    r = DD_HORNER(r, t, -0x1.1109c91e6b10dp-26, 0x1.bfb813c9005d3p-80);
    r = DD_HORNER(r, t, -0x1.7cc6bec85ba8fp-26, 0x1.f3b920119db42p-80);
    r = DD_HORNER(r, t, 0x1.de24567d089d2p-24, 0x1.1f5595613d732p-78);
    r = DD_HORNER(r, t, 0x1.53ecff16030ap-24, -0x1.750751c00e6f3p-78);
    r = DD_HORNER(r, t, -0x1.bb5ad43557311p-21, -0x1.f6dbe78584056p-76);
    r = DD_HORNER(r, t, 0x1.383b2fd47ac89p-22, 0x1.d78f5fd7e389dp-80);
    r = DD_HORNER(r, t, 0x1.7f2b4d31de264p-18, -0x1.676371c0b9831p-72);
    r = DD_HORNER(r, t, -0x1.788126c4d7aa1p-17, -0x1.8795e7d0a3b3dp-71);
    r = DD_HORNER(r, t, -0x1.9959620c2a104p-16, 0x1.f6c2096e36072p-71);
    r = DD_HORNER(r, t, 0x1.3be03146a5e8bp-13, -0x1.ddc1eb8e80a6dp-69);
    r = DD_HORNER(r, t, -0x1.a1df250510177p-13, 0x1.448cf6fe3a741p-68);
    r = DD_HORNER(r, t, -0x1.8d4a997f819ap-11, -0x1.c9bcc188746d9p-65);
    r = DD_HORNER(r, t, 0x1.49c67285f3e57p-8, -0x1.8035ec8b495c2p-64);
    r = DD_HORNER(r, t, -0x1.09623885576afp-6, 0x1.361bbce46969cp-62);
    r = DD_HORNER(r, t, 0x1.3079edf682f5ap-5, -0x1.985ebb9b2d61fp-59);
    r = DD_HORNER(r, t, -0x1.0fb06dfe48797p-4, 0x1.6299c1d9cc90fp-58);
    r = DD_HORNER(r, t, 0x1.7fee004e12534p-4, 0x1.2e89645b135c4p-58);
    r = DD_HORNER(r, t, -0x1.9ddb23c3e911ep-4, -0x1.95c58eecd008fp-58);
    r = DD_HORNER(r, t, 0x1.16ecefcfa5396p-4, -0x1.c3ddd73fc6c21p-59);
    r = DD_HORNER(r, t, 0x1.f7f5df66fd7bfp-7, 0x1.bb0dcb071ade4p-61);
    r = DD_HORNER(r, t, -0x1.1df1ad154a28ep-3, -0x1.2487a67b62fc7p-57);
    r = DD_HORNER(r, t, 0x1.3ba5916e9fd7fp0, -0x1.aa9ca2fd82fb3p-55);
    above = VEC_W(dd_fast_sum)(C(1), C(0));
    below = VEC_W(dd_sum)(C(1), MUL(C(2), z.hi));
    below.lo = ADD(below.lo, MUL(C(2), z.lo));
    return VEC_W(dd_div)(r, below);
}
#undef DD_HORNER

VEC_INLINE V VEC_W(erf)(V x)
{
    const V               z = VEC_W(clamp)(ABS(x), 0x1p-300, 7);
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_neg)(VEC_W(dd_product)(z, z)));
    const V               s = VEC_W(power_of_two)(e.k);
    DD                    c = VEC_W(dd_mul)(VEC_W(dd_one_plus)(e.p), VEC_W(dd_erfcx)(VEC_W(dd_of)(z, C(0)))), q;
    V                     small = C(0), r;
    const V               square = MUL(x, x);

    /* 1 - erfc */
    c = VEC_W(dd_of)(MUL(s, c.hi), MUL(s, c.lo));
    r = VEC_W(dd_add)(VEC_W(dd_const)(1, 0), VEC_W(dd_neg)(c)).hi;
    /* near zero: 2/sqrt(pi) (x - x^3/3 + x^5/10 - ..) */
    small = C(1.0 / 11975040000.0);
    small = ADD(MUL(small, square), C(-1.0 / 918086400.0));
    small = ADD(MUL(small, square), C(1.0 / 76204800.0));
    small = ADD(MUL(small, square), C(-1.0 / 6894720.0));
    small = ADD(MUL(small, square), C(1.0 / 685440.0));
    small = ADD(MUL(small, square), C(-1.0 / 75600.0));
    small = ADD(MUL(small, square), C(1.0 / 9360.0));
    small = ADD(MUL(small, square), C(-1.0 / 1320.0));
    small = ADD(MUL(small, square), C(1.0 / 216.0));
    small = ADD(MUL(small, square), C(-1.0 / 42.0));
    small = ADD(MUL(small, square), C(1.0 / 10.0));
    small = ADD(MUL(small, square), C(-1.0 / 3.0));
    q = VEC_W(dd_mul)(VEC_W(dd_const)(0x1.20dd750429b6dp0, 0x1.1ae3a914fed80p-56), VEC_W(dd_fast_sum)(C(1), MUL(small, square)));
    small = MUL(C(0x1p-60), VEC_W(dd_mul)(q, VEC_W(dd_of)(MUL(C(0x1p60), SEL(LT(ABS(x), C(0.25)), x, C(0))), C(0))).hi);
    r = VEC_W(copysign)(SEL(LT(ABS(x), C(0.25)), small, r), x);
    return SEL(NE(x, x), x, r);
}

/* x Phi(x) = x erfc(-x / sqrt(2)) / 2. -infinity gives -0. */
VEC_INLINE V VEC_W(gelu)(V x)
{
    const V               c = SEL(LT(ABS(x), C(0x1p-400)), C(0x1p-400), VEC_W(clamp)(x, -39, 39));
    const V               a = ABS(c);
    const DD              z = VEC_W(dd_mul)(VEC_W(dd_of)(a, C(0)), VEC_W(dd_const)(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55));
    const DD              square = VEC_W(dd_product)(a, a);
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_of)(MUL(C(-0.5), square.hi), MUL(C(-0.5), square.lo)));
    const DD              tail = VEC_W(dd_mul)(VEC_W(dd_one_plus)(e.p), VEC_W(dd_erfcx)(z)); /* times 2^k: erfc(z) */
    const V               s = VEC_W(power_of_two)(VEC_W(max)(e.k, C(-1000)));
    const DD              upper = VEC_W(dd_add)(VEC_W(dd_const)(2, 0), VEC_W(dd_of)(NEG(MUL(s, tail.hi)), NEG(MUL(s, tail.lo))));
    const M               negative = LT(c, C(0));
    const DD              q = VEC_W(dd_mul)(VEC_W(dd_select)(negative, tail, upper), VEC_W(dd_of)(MUL(C(0.5), c), C(0)));
    V                     r = VEC_W(scale)(q.hi, SEL(negative, e.k, C(0)));
    r = SEL(LT(ABS(x), C(0x1p-400)), MUL(C(0.5), x), r);
    r = SEL(LE(C(39), x), x, r);
    r = SEL(LT(x, C(-39)), C(-0.0), r);
    return SEL(NE(x, x), x, r);
}

#undef V
#undef M
#undef C
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef NEG
#undef ABS
#undef SEL
#undef LT
#undef LE
#undef EQ
#undef NE
#undef AND
#undef OR
#undef DD
#include "vec_lane_end.h"
