/* vec_math_f64.h - the f64 functions.
 *
 * A value that needs more than 53 bits is a double-double (vec_math_dd.h). The first terms of a series are double-double
 * and the plain tail is at most a few per cent of the value, so the last rounding decides. Coefficients:
 * tools/vec_math.sollya.
 */
#define VEC_T f64
#include "vec_math_begin.h"
#define DD VEC_W(dd)

#include "vec_math_dd.h"

/* ---------------------------------------------------------------- exponential */

/**
 * exp - Max error: 0.90 ULP. As vec_exp_f32.
 */
VEC_INLINE V VEC_W(exp)(V x)
{
    const V a = VEC_W(limit)(x, -746, 710);
    const M tiny = LT(a, C(-700));
    const V shifted = ADD(MUL(a, C(0x1.71547652b82fep0)), C(0x1.8p52)), k = SUB(shifted, C(0x1.8p52));
    const V high = SUB(a, MUL(k, C(0x1.62e42fefap-1))), low = MUL(k, C(0x1.cf79abc9e3b3ap-40)), r = SUB(high, low);
    const V q =
        MUL(MUL(r, r), POLY_9(r, 0x1.0000000000001p-1, 0x1.555555555554dp-3, 0x1.5555555553cdcp-5, 0x1.11111111144d1p-7,
                              0x1.6c16c178ab20bp-10, 0x1.a01a018c3894fp-13, 0x1.a019b8b55cc94p-16,
                              0x1.71de59e3071c1p-19, 0x1.2891d894a59d6p-22, 0x1.aeabfd5741bf8p-26));
    const V     y = ADD(C(1), ADD(high, SUB(q, low)));
    const VEC_U bias = VEC_W(bits)(SEL(tiny, C(0x1p63), C(0x1p-1)));
    const V     power = VEC_W(frombits)(VEC_UW(add)(VEC_UW(shl)(VEC_W(bits)(shifted), 52), bias));
    return MUL(MUL(y, power), SEL(tiny, C(0x1p-63), C(2)));
}

typedef struct VEC_W(exponent) {
    V  k; /* integral */
    DD p;
} VEC_W(exponent);

/* exp(x.hi + x.lo) = 2^k * (1 + p), |p| < 0.42, for |x.hi| < 1000. Cody & Waite's reduction, the rest a double-double. */
VEC_INLINE VEC_W(exponent) VEC_W(exp_parts)(DD x)
{
    VEC_W(exponent) e;
    const V k = VEC_W(rint)(MUL(x.hi, C(0x1.71547652b82fep0)));
    const V a = SUB(x.hi, MUL(k, C(0x1.62e42fefap-1)));
    DD      r = VEC_W(dd_sum)(a, MUL(k, C(-0x1.cf79abc9e3b3ap-40)));
    DD      square, sum;
    V       q;

    r = VEC_W(dd_fast_sum)(r.hi, ADD(r.lo, x.lo));
    square = VEC_W(dd_product)(r.hi, r.hi);
    q = MUL(MUL(square.hi, r.hi),
            POLY_9(r.hi, 0x1.5555555555556p-3, 0x1.5555555555554p-5, 0x1.1111111110709p-7, 0x1.6c16c16c179fep-10,
                   0x1.a01a01a90438dp-13, 0x1.a01a019c4e291p-16, 0x1.71de0a3401c0dp-19, 0x1.27e4f8293cc7p-22,
                   0x1.af3f1d16349ddp-26, 0x1.1f3e5ee3fd48ap-29));
    sum = VEC_W(dd_fast_sum)(r.hi, MUL(C(0.5), square.hi));
    e.k = k;
    e.p = VEC_W(dd_fast_sum)(sum.hi, ADD(ADD(sum.lo, ADD(r.lo, ADD(MUL(C(0.5), square.lo), MUL(r.hi, r.lo)))), q));
    return e;
}

/* 1 + p, rounded, and as a double-double. */
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

/** exp2 - Max error: 0.8 ULP. */
VEC_INLINE V VEC_W(exp2)(V x)
{
    const V  a = VEC_W(limit)(x, -1080, 1025), k = VEC_W(rint)(a), f = SUB(a, k);
    const DD ln2 = VEC_W(dd_set)(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_mul)(VEC_W(dd_of)(f, C(0)), ln2));
    return VEC_W(scale)(VEC_W(one_plus)(e.p), ADD(k, e.k));
}

/* exp(x) - 1 for -60 < x < 711, halved: 2^1024 has no power of two. */
VEC_INLINE DD VEC_W(dd_half_expm1)(V x)
{
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_of)(x, C(0)));
    const V s = VEC_W(power_of_two)(SUB(e.k, C(1)));
    return VEC_W(dd_add)(VEC_W(dd_sum)(s, C(-0.5)), VEC_W(dd_scale)(e.p, s));
}

/** expm1 - Max error: 0.6 ULP. The sign of zero stays. */
VEC_INLINE V VEC_W(expm1)(V x)
{
    const V r = MUL(C(2), VEC_W(dd_half_expm1)(VEC_W(limit)(x, -50, 710)).hi);
    return SEL(LT(ABS(x), C(0x1p-54)), x, r);
}

/* ---------------------------------------------------------------- logarithm */

/* Positive x, not subnormal, as 2^k y, sqrt(1/2) <= y < sqrt(2). */
VEC_INLINE V VEC_W(log_reduce)(V x, V *k)
{
    const VEC_U u = VEC_W(bits)(x), above = VEC_UW(sub)(u, VEC_UW(set)(0x3fe6a09e667f3bcdull));
    const VEC_U whole = VEC_UW(and)(above, VEC_UW(set)(0xfff0000000000000ull));
    /* the biased exponent, put into the lower bits of 2^52 */
    const VEC_U biased = VEC_UW(shr)(VEC_UW(add)(whole, VEC_UW(set)(1023ull << 52)), 52);
    *k = SUB(VEC_W(frombits)(VEC_UW(or)(biased, VEC_UW(set)(0x4330000000000000ull))), C(0x1p52 + 1023));
    return VEC_W(frombits)(VEC_UW(sub)(u, whole));
}

/* Subnormal numbers are scaled to normal ones first; k_shift is what that adds to k. */
VEC_INLINE V VEC_W(make_normal)(V x, V *k_shift)
{
    const M small = LT(x, C(0x1p-1022));
    *k_shift = SEL(small, C(-54), C(0));
    return SEL(small, MUL(x, C(0x1p54)), x);
}

/**
 * log - Max error: 0.9 ULP. log(1 + f) = f - f^2/2 + s (f^2/2 + z R(z)), s = f / (2 + f), z = s^2, the form of Tang,
 * Table-driven implementation of the logarithm function, ACM TOMS 16 (1990), without the table.
 */
VEC_INLINE V VEC_W(log)(V x)
{
    V       k, k_shift;
    const V y = VEC_W(log_reduce)(VEC_W(make_normal)(x, &k_shift), &k);
    const V f = SUB(y, C(1)), s = DIV(f, ADD(C(2), f)), z = MUL(s, s), half = MUL(C(0.5), MUL(f, f));
    const V r = MUL(z, POLY_6(z, 0x1.5555555555558p-1, 0x1.9999999995303p-2, 0x1.2492492df3035p-2, 0x1.c71c62e0b72ccp-3,
                              0x1.7462b661a65ccp-3, 0x1.39fe212aec14dp-3, 0x1.2b5b8533a0b48p-3));
    k = ADD(k, k_shift);
    return VEC_W(log_special)(x, ADD(MUL(k, C(0x1.62e42fefap-1)),
                                     SUB(f, SUB(half, ADD(MUL(s, ADD(half, r)), MUL(k, C(0x1.cf79abc9e3b3ap-40)))))));
}

typedef struct VEC_W(logarithm) {
    V  k; /* integral */
    DD m;
} VEC_W(logarithm);

/* log(x.hi + x.lo) = k * ln 2 + m for normal positive x.hi: log y = 2 atanh(s), s = (y - 1) / (y + 1). */
VEC_INLINE VEC_W(logarithm) VEC_W(log_parts)(DD x)
{
    VEC_W(logarithm) r;
    const V  y = VEC_W(log_reduce)(x.hi, &r.k), lo = VEC_W(scale)(x.lo, NEG(r.k));
    const DD numerator = VEC_W(dd_sum)(SUB(y, C(1)), lo);
    DD       s, z, cubic;
    V        q;

    s = VEC_W(dd_sum)(y, C(1));
    s = VEC_W(dd_div)(numerator, VEC_W(dd_of)(s.hi, ADD(s.lo, lo)));
    z = VEC_W(dd_mul)(s, s);
    q = POLY_7(z.hi, 0x1.999999999999ap-2, 0x1.24924924922fcp-2, 0x1.c71c71c74d1cp-3, 0x1.745d173c57417p-3,
               0x1.3b13aa0342a95p-3, 0x1.11154601f4aa7p-3, 0x1.e01b9e2a1db6bp-4, 0x1.da90000717951p-4);
    cubic = VEC_W(dd_fast_sum)(C(0x1.5555555555555p-1), MUL(q, z.hi));
    cubic.lo = ADD(cubic.lo, C(0x1.5555555555555p-55));
    cubic = VEC_W(dd_mul)(VEC_W(dd_mul)(s, z), cubic);
    r.m = VEC_W(dd_fast_sum)(MUL(C(2), s.hi), cubic.hi);
    r.m = VEC_W(dd_fast_sum)(r.m.hi, ADD(r.m.lo, ADD(MUL(C(2), s.lo), cubic.lo)));
    return r;
}

VEC_INLINE DD VEC_W(dd_log_sum)(VEC_W(logarithm) l)
{
    const DD k_ln2 = VEC_W(dd_fast_sum)(MUL(l.k, C(0x1.62e42fefap-1)), MUL(l.k, C(0x1.cf79abc9e3b3ap-40)));
    return VEC_W(dd_select)(EQ(l.k, C(0)), l.m, VEC_W(dd_add)(k_ln2, l.m));
}

/* log(x) for positive finite x */
VEC_INLINE DD VEC_W(dd_log)(V x)
{
    V       k_shift;
    const V normal = VEC_W(make_normal)(x, &k_shift);
    VEC_W(logarithm) l = VEC_W(log_parts)(VEC_W(dd_of)(normal, C(0)));
    l.k = ADD(l.k, k_shift);
    return VEC_W(dd_log_sum)(l);
}

/** log2 - Max error: 0.51 ULP. Powers of two are exact. */
VEC_INLINE V VEC_W(log2)(V x)
{
    V       k_shift;
    const V normal = VEC_W(make_normal)(x, &k_shift);
    VEC_W(logarithm) l = VEC_W(log_parts)(VEC_W(dd_of)(normal, C(0)));
    const DD m = VEC_W(dd_mul)(l.m, VEC_W(dd_set)(0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56));
    const DD s = VEC_W(dd_sum)(ADD(l.k, k_shift), m.hi);
    return VEC_W(log_special)(x, ADD(s.hi, ADD(s.lo, m.lo)));
}

/** log10 - Max error: 0.51 ULP. Powers of ten are exact. */
VEC_INLINE V VEC_W(log10)(V x)
{
    const DD r = VEC_W(dd_mul)(VEC_W(dd_log)(x), VEC_W(dd_set)(0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
    return VEC_W(log_special)(x, r.hi);
}

/** log1p - Max error: 0.51 ULP. log1p(-1) = -infinity, NaN below; the sign of zero stays. */
VEC_INLINE V VEC_W(log1p)(V x)
{
    const DD u = VEC_W(dd_sum)(C(1), x);
    const V  r = VEC_W(log_special)(u.hi, VEC_W(dd_log_sum)(VEC_W(log_parts)(u)).hi);
    return SEL(LT(ABS(x), C(0x1p-54)), x, r);
}

/* ---------------------------------------------------------------- power */

/** pow - Max error: 0.8 ULP. exp(y log|x|), logarithm and product double-double. Special values: C99 Annex F 9.4.4. */
VEC_INLINE V VEC_W(pow)(V x, V y)
{
    const DD l = VEC_W(dd_log)(ABS(x));
    DD       t = VEC_W(dd_mul)(l, VEC_W(dd_of)(VEC_W(limit)(y, -0x1p64, 0x1p64), C(0)));
    VEC_W(exponent) e;

    t.lo = SEL(LT(ABS(t.hi), C(760)), t.lo, C(0));
    t.hi = VEC_W(limit)(t.hi, -760, 760);
    e = VEC_W(exp_parts)(t);
    return VEC_W(pow_special)(x, y, VEC_W(scale)(VEC_W(one_plus)(e.p), e.k));
}

/** cbrt - Max error: 0.53 ULP. exp(log|x| / 3). Cubes are exact. */
VEC_INLINE V VEC_W(cbrt)(V x)
{
    const V  a = ABS(x);
    const M  plain = AND(LT(C(0), a), LT(a, C(INFINITY)));
    const DD third = VEC_W(dd_set)(0x1.5555555555555p-2, 0x1.5555555555555p-56);
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_mul)(VEC_W(dd_log)(a), third));
    return SEL(plain, COPYSIGN(VEC_W(scale)(VEC_W(one_plus)(e.p), e.k), x), x);
}

/** rsqrt - Max error: 0.86 ULP. NaN below zero. */
VEC_INLINE V VEC_W(rsqrt)(V x) { return VEC_W(inverse_root)(x, 0x1p512, 0x1p256); }

/* ---------------------------------------------------------------- sine, cosine, tangent */

/* x = (q + a multiple of 4) * pi/2 + r, |r| about pi/4 at most; q in {0, 1, 2, 3} as a float. Up to 2^19 by Cody & Waite's
 * method with pi/2 in four parts; above, vec_reduce_angle.h lane by lane. NaN for infinities. */
VEC_INLINE DD VEC_W(reduce_angle)(V x, V *q)
{
    const M  huge = LT(C(0x1p19), ABS(x));
    const V  k = VEC_W(rint)(MUL(x, C(0x1.45f306dc9c883p-1)));
    const V  a = SUB(x, MUL(k, C(0x1.921fb544p0)));
    const DD b = VEC_W(dd_sum)(a, MUL(k, C(-0x1.0b4611a6p-34)));
    const DD c = VEC_W(dd_sum)(b.hi, MUL(k, C(-0x1.3198a2ep-69)));
    DD       r = VEC_W(dd_fast_sum)(c.hi, SUB(ADD(b.lo, c.lo), MUL(k, C(0x1.b839a252049c1p-104))));

    *q = SUB(k, MUL(C(4), VEC_W(floor)(MUL(k, C(0.25)))));
    if (VEC_W(mask_any)(huge)) {
        const M  finite = AND(huge, LT(ABS(x), C(INFINITY)));
        V        q_huge;
        const DD r_huge = VEC_W(reduce_huge)(SEL(finite, x, C(0x1p20)), &q_huge);
        r = VEC_W(dd_select)(finite, r_huge, r);
        *q = SEL(finite, q_huge, *q);
    }
    return r;
}

/* sin(r) - r.hi, and cos(r) = hi + lo, |r| <= pi/4. */
VEC_INLINE V VEC_W(sin_rest)(DD r)
{
    const V z = MUL(r.hi, r.hi);
    const V q = MUL(MUL(z, r.hi), POLY_5(z, -0x1.5555555555555p-3, 0x1.1111111110c7ap-7, -0x1.a01a019e9f08cp-13,
                                         0x1.71de37af35646p-19, -0x1.ae601e913750cp-26, 0x1.5e10c280dcf7cp-33));
    return ADD(q, SUB(r.lo, MUL(MUL(C(0.5), z), r.lo)));
}
VEC_INLINE DD VEC_W(dd_cos)(DD r)
{
    const DD z = VEC_W(dd_product)(r.hi, r.hi), s = VEC_W(dd_fast_sum)(C(1), MUL(C(-0.5), z.hi));
    const V  q = MUL(MUL(z.hi, z.hi), POLY_5(z.hi, 0x1.5555555555555p-5, -0x1.6c16c16c168cap-10, 0x1.a01a019f38357p-16,
                                             -0x1.27e4fa02dc336p-22, 0x1.1eeb57c9019b6p-29, -0x1.90737ce5676afp-37));
    return VEC_W(dd_of)(s.hi, ADD(s.lo, SUB(q, ADD(MUL(C(0.5), z.lo), MUL(r.hi, r.lo)))));
}
VEC_INLINE V VEC_W(sine)(DD r, M cosine, M minus)
{
    const DD c = VEC_W(dd_cos)(r);
    const V  y = ADD(SEL(cosine, c.hi, r.hi), SEL(cosine, c.lo, VEC_W(sin_rest)(r)));
    return SEL(minus, NEG(y), y);
}

VEC_INLINE V VEC_W(sin_of)(V x, DD r, V q)
{
    const V y = VEC_W(sine)(r, OR(EQ(q, C(1)), EQ(q, C(3))), LE(C(2), q));
    return SEL(LT(ABS(x), C(0x1p-27)), x, y);
}
VEC_INLINE V VEC_W(cos_of)(DD r, V q)
{
    return VEC_W(sine)(r, OR(EQ(q, C(0)), EQ(q, C(2))), OR(EQ(q, C(1)), EQ(q, C(2))));
}

/** sin - Max error: 0.8 ULP, for every angle. NaN for infinities; the sign of zero stays. */
VEC_INLINE V VEC_W(sin)(V x)
{
    V        q;
    const DD r = VEC_W(reduce_angle)(x, &q);
    return VEC_W(sin_of)(x, r, q);
}

/** cos - Max error: 0.8 ULP, for every angle. NaN for infinities. */
VEC_INLINE V VEC_W(cos)(V x)
{
    V        q;
    const DD r = VEC_W(reduce_angle)(x, &q);
    return VEC_W(cos_of)(r, q);
}

/** sin_cos - both, with their bits: sin(x), and cos(x) in *cosine. */
VEC_INLINE V VEC_W(sin_cos)(V x, V *cosine)
{
    V        q;
    const DD r = VEC_W(reduce_angle)(x, &q);
    *cosine = VEC_W(cos_of)(r, q);
    return VEC_W(sin_of)(x, r, q);
}

/** tan - Max error: 0.95 ULP, for every angle. NaN for infinities; the sign of zero stays. */
VEC_INLINE V VEC_W(tan)(V x)
{
    V        q;
    const DD r = VEC_W(reduce_angle)(x, &q);
    const DD s = VEC_W(dd_fast_sum)(r.hi, VEC_W(sin_rest)(r)), t = VEC_W(dd_cos)(r);
    const DD c = VEC_W(dd_fast_sum)(t.hi, t.lo);
    const M  odd = OR(EQ(q, C(1)), EQ(q, C(3)));
    const V  y = VEC_W(dd_div)(VEC_W(dd_select)(odd, VEC_W(dd_neg)(c), s), VEC_W(dd_select)(odd, s, c)).hi;
    return SEL(LT(ABS(x), C(0x1p-27)), x, y);
}

/* ---------------------------------------------------------------- angle of a point */

/* atan of t = n / d in [0, 1]: the nearest c of 0, 1/2, 1 is split off,
 * atan(n/d) = atan(c) + atan((n - c d) / (d + c n)). */
VEC_INLINE DD VEC_W(dd_atan_ratio)(DD n, DD d)
{
    const M  to_half = LT(MUL(C(0.25), d.hi), n.hi), to_one = LT(MUL(C(0.75), d.hi), n.hi);
    const V  c = SEL(to_one, C(1), SEL(to_half, C(0.5), C(0)));
    const DD at = VEC_W(dd_of)(SEL(to_one, C(0x1.921fb54442d18p-1), SEL(to_half, C(0x1.dac670561bb4fp-2), C(0))),
                               SEL(to_one, C(0x1.1a62633145c07p-55), SEL(to_half, C(0x1.a2b7f222f65e2p-56), C(0))));
    DD       above = VEC_W(dd_sum)(n.hi, NEG(MUL(c, d.hi))), below = VEC_W(dd_sum)(d.hi, MUL(c, n.hi)), t;
    V        z, q;

    above.lo = ADD(above.lo, SUB(n.lo, MUL(c, d.lo)));
    below.lo = ADD(below.lo, ADD(d.lo, MUL(c, n.lo)));
    t = VEC_W(dd_div)(above, below);
    z = MUL(t.hi, t.hi);
    q = MUL(MUL(z, t.hi), POLY_8(z, -0x1.5555555555555p-2, 0x1.9999999999689p-3, -0x1.2492492454267p-3,
                                 0x1.c71c7182082c3p-4, -0x1.745d02eb93271p-4, 0x1.3b103758346c5p-4,
                                 -0x1.10b5cba476e1cp-4, 0x1.d6bcb23c7ae8dp-5, -0x1.4e11a3d7e9bcp-5));
    return VEC_W(dd_add)(at, VEC_W(dd_fast_sum)(t.hi, ADD(t.lo, q)));
}

/* The angle of the point (x, y) for y >= 0, neither infinite; y and x between 2^-500 and 2^500 or with lo = 0. */
VEC_INLINE V VEC_W(upper_angle)(DD y, DD x)
{
    const M  left = VEC_W(is_negative)(x.hi);
    const DD ux = VEC_W(dd_select)(left, VEC_W(dd_neg)(x), x);
    const M  steep = LT(ux.hi, y.hi);
    const DD large = VEC_W(dd_select)(steep, y, ux), small = VEC_W(dd_select)(steep, ux, y);
    const V  scale = SEL(LT(C(0x1p500), large.hi), C(0x1p-600), SEL(LT(large.hi, C(0x1p-400)), C(0x1p600), C(1)));
    const DD d = VEC_W(dd_scale)(large, scale), n = VEC_W(dd_scale)(small, scale);
    const M  flat = LE(n.hi, MUL(d.hi, C(0x1p-70))); /* the ratio is the angle, or does not count */
    DD       a = VEC_W(dd_atan_ratio)(VEC_W(dd_of)(SEL(flat, C(0), n.hi), SEL(flat, C(0), n.lo)),
                                VEC_W(dd_of)(SEL(EQ(d.hi, C(0)), C(1), d.hi), d.lo));
    const V  ratio = DIV(y.hi, SEL(EQ(ux.hi, C(0)), C(1), ux.hi));

    a = VEC_W(dd_select)(flat, VEC_W(dd_set)(0, 0), a);
    a = VEC_W(dd_select)(steep,
                         VEC_W(dd_add)(VEC_W(dd_set)(0x1.921fb54442d18p0, 0x1.1a62633145c07p-54), VEC_W(dd_neg)(a)), a);
    a = VEC_W(dd_select)(left,
                         VEC_W(dd_add)(VEC_W(dd_set)(0x1.921fb54442d18p1, 0x1.1a62633145c07p-53), VEC_W(dd_neg)(a)), a);
    return SEL(AND(flat, VEC_W(mask_not)(OR(steep, left))), ratio, a.hi);
}

/** atan2 - Max error: 0.56 ULP. Special values: C99 Annex F 9.1.4. */
VEC_INLINE V VEC_W(atan2)(V y, V x)
{
    /* infinities become the points (+-1 or 0) that have their direction */
    const M x_inf = VEC_W(isinf)(x), y_inf = VEC_W(isinf)(y);
    const V px = SEL(x_inf, COPYSIGN(C(1), x), SEL(y_inf, COPYSIGN(C(0), x), x));
    const V py = SEL(y_inf, C(1), SEL(x_inf, C(0), ABS(y)));
    const V r = VEC_W(upper_angle)(VEC_W(dd_of)(py, C(0)), VEC_W(dd_of)(px, C(0)));
    return SEL(OR(NE(x, x), NE(y, y)), ADD(x, y), COPYSIGN(r, y));
}

/** atan - Max error: 0.53 ULP. The sign of zero stays. */
VEC_INLINE V VEC_W(atan)(V x) { return VEC_W(atan2)(x, C(1)); }

/* sqrt(1 - x^2) */
VEC_INLINE DD VEC_W(dd_circle)(V x)
{
    const DD square = VEC_W(dd_product)(x, x);
    return VEC_W(dd_sqrt)(VEC_W(dd_add)(VEC_W(dd_set)(1, 0), VEC_W(dd_neg)(square)));
}
/** asin - Max error: 0.57 ULP. NaN outside [-1, 1]; the sign of zero stays. */
VEC_INLINE V VEC_W(asin)(V x)
{
    const V r = COPYSIGN(VEC_W(upper_angle)(VEC_W(dd_of)(ABS(x), C(0)), VEC_W(dd_circle)(x)), x);
    return SEL(LT(ABS(x), C(0x1p-27)), x, SEL(LE(ABS(x), C(1)), r, C(NAN)));
}
/** acos - Max error: 0.52 ULP. NaN outside [-1, 1]. */
VEC_INLINE V VEC_W(acos)(V x)
{
    const V r = VEC_W(upper_angle)(VEC_W(dd_circle)(x), VEC_W(dd_of)(x, C(0)));
    return SEL(LE(ABS(x), C(1)), r, C(NAN));
}

/* ---------------------------------------------------------------- hyperbolic functions */

/** tanh - Max error: 0.54 ULP. t / (t + 2), t = exp(2|x|) - 1. The sign of zero stays. */
VEC_INLINE V VEC_W(tanh)(V x)
{
    const DD t = VEC_W(dd_half_expm1)(MUL(C(2), VEC_W(limit)(ABS(x), 0, 22)));
    DD       below = VEC_W(dd_sum)(t.hi, C(1));
    below.lo = ADD(below.lo, t.lo);
    return SEL(LT(ABS(x), C(0x1p-28)), x, COPYSIGN(VEC_W(dd_div)(t, below).hi, x));
}

/* exp(a) / 2 + sign exp(-a) / 2 for a >= 0, without cancellation only for sign > 0; overflows beyond 710.4758. */
VEC_INLINE V VEC_W(half_exp_sum)(V a, DD *near, double sign)
{
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_of)(VEC_W(limit)(a, 0, 711), C(0)));
    const DD m = VEC_W(dd_one_plus)(e.p);
    const V  s = VEC_W(power_of_two)(SUB(VEC_W(limit)(e.k, 0, 100), C(1)));
    const DD up = VEC_W(dd_scale)(m, s);
    const DD down = VEC_W(dd_div)(VEC_W(dd_set)(0.25 * sign, 0), up);
    *near = VEC_W(dd_add)(up, down);
    return VEC_W(scale)(m.hi, SUB(e.k, C(1)));
}
/** cosh - Max error: 0.52 ULP. */
VEC_INLINE V VEC_W(cosh)(V x)
{
    DD      near;
    const V far = VEC_W(half_exp_sum)(ABS(x), &near, 1);
    return SEL(LT(ABS(x), C(40)), near.hi, far);
}
/** sinh - Max error: 0.6 ULP. Below 1/2, t / 2 + t / (2 t + 2) with t = exp - 1. The sign of zero stays. */
VEC_INLINE V VEC_W(sinh)(V x)
{
    const V  a = ABS(x);
    const DD t = VEC_W(dd_half_expm1)(VEC_W(limit)(a, 0, 40));
    const DD below = VEC_W(dd_add)(t, VEC_W(dd_set)(0.5, 0));
    const DD near = VEC_W(dd_add)(t, VEC_W(dd_scale)(VEC_W(dd_div)(t, below), C(0.5)));
    DD       unused;
    const V  far = VEC_W(half_exp_sum)(a, &unused, 1);
    return SEL(LT(a, C(0x1p-28)), x, COPYSIGN(SEL(LT(a, C(40)), near.hi, far), x));
}

/* log(a + sqrt(a^2 + c)), a >= 0, c = 1 or -1; log(2a) where c does not count. */
VEC_INLINE V VEC_W(log_area)(V a, double c)
{
    const M  big = LT(C(0x1p40), a);
    const V  b = SEL(big, C(2), a);
    const DD root = VEC_W(dd_sqrt)(VEC_W(dd_add)(VEC_W(dd_product)(b, b), VEC_W(dd_set)(c, 0)));
    const DD u = VEC_W(dd_add)(root, VEC_W(dd_of)(b, C(0)));
    VEC_W(logarithm) l = VEC_W(log_parts)(VEC_W(dd_select)(big, VEC_W(dd_of)(a, C(0)), u));
    l.k = SEL(big, ADD(l.k, C(1)), l.k);
    return SEL(LT(a, C(INFINITY)), VEC_W(dd_log_sum)(l).hi, a);
}
/** asinh - Max error: 0.51 ULP. The sign of zero stays. */
VEC_INLINE V VEC_W(asinh)(V x)
{
    const V cube = MUL(MUL(x, x), MUL(x, C(-1.0 / 6)));
    const V a = ABS(x);
    return SEL(LT(a, C(0x1p-26)), SEL(LT(a, C(0x1p-60)), x, ADD(x, cube)), COPYSIGN(VEC_W(log_area)(a, 1), x));
}
/** acosh - Max error: 0.51 ULP. NaN below 1. */
VEC_INLINE V VEC_W(acosh)(V x) { return SEL(LT(x, C(1)), C(NAN), VEC_W(log_area)(x, -1)); }

/** atanh - Max error: 0.51 ULP. log((1 + x) / (1 - x)) / 2. +-1 give infinities, NaN beyond; the sign of zero stays. */
VEC_INLINE V VEC_W(atanh)(V x)
{
    const V  a = ABS(x), cube = MUL(MUL(x, x), MUL(x, C(1.0 / 3)));
    const M  inside = LT(a, C(1));
    const V  b = SEL(inside, a, C(0));
    const DD u = VEC_W(dd_div)(VEC_W(dd_sum)(C(1), b), VEC_W(dd_sum)(C(1), NEG(b)));
    const V  r = MUL(C(0.5), VEC_W(dd_log_sum)(VEC_W(log_parts)(u)).hi);
    const V  edge = SEL(EQ(a, C(1)), C(INFINITY), SEL(LT(C(1), a), C(NAN), a));
    return SEL(LT(a, C(0x1p-26)), SEL(LT(a, C(0x1p-60)), x, ADD(x, cube)), COPYSIGN(SEL(inside, r, edge), x));
}

/* ---------------------------------------------------------------- logistic function */

/* x / (1 + exp(-w)), |w.hi| < 1000: for w >= 0 x / (1 + e), for w < 0 x e / (1 + e), e = exp(-|w|) = 2^k (1 + p). */
VEC_INLINE V VEC_W(times_logistic)(V x, DD w)
{
    const M negative = LT(w.hi, C(0));
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_select)(negative, w, VEC_W(dd_neg)(w)));
    const DD n = VEC_W(dd_one_plus)(e.p);
    const V  s = VEC_W(power_of_two)(VEC_W(limit)(e.k, -1000, 0));
    DD       d = VEC_W(dd_fast_sum)(C(1), MUL(s, n.hi)), q;
    d.lo = ADD(d.lo, MUL(s, n.lo));
    q = VEC_W(dd_div)(VEC_W(dd_select)(negative, n, VEC_W(dd_set)(1, 0)), d);
    q = VEC_W(dd_mul)(q, VEC_W(dd_of)(x, C(0)));
    return VEC_W(scale)(q.hi, SEL(negative, e.k, C(0)));
}

/** sigmoid - Max error: 0.8 ULP. sigmoid(-infinity) = 0. */
VEC_INLINE V VEC_W(sigmoid)(V x) { return VEC_W(times_logistic)(C(1), VEC_W(dd_of)(VEC_W(limit)(x, -800, 800), C(0))); }

/**
 * gelu_tanh - Max error: 0.8 ULP. x times the logistic function of 2 sqrt(2/pi) (x + 0.044715 x^3): Hendrycks & Gimpel,
 * Gaussian Error Linear Units, arXiv:1606.08415. -infinity gives -0.
 */
VEC_INLINE V VEC_W(gelu_tanh)(V x)
{
    const M  small = LT(ABS(x), C(0x1p-400));
    const V  c = SEL(small, C(0), VEC_W(limit)(x, -24, 24));
    const DD cc = VEC_W(dd_of)(c, C(0)), square = VEC_W(dd_product)(c, c);
    const DD inner = VEC_W(dd_add)(VEC_W(dd_set)(0x1.9884533d43651p0, -0x1.cbc0d30ebfd15p-54),
                                   VEC_W(dd_mul)(square, VEC_W(dd_set)(0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c7p-61)));
    V        r = VEC_W(times_logistic)(c, VEC_W(dd_mul)(cc, inner));
    r = SEL(small, MUL(C(0.5), x), r);
    return SEL(LT(x, C(-24)), C(-0.0), SEL(LE(C(24), x), x, r));
}

/* ---------------------------------------------------------------- error function */

/* exp(z^2) erfc(z), 0 <= z <= 28: t times a polynomial in q = 1 - 8 t, t = 1 / (z + 4). Source of the form: Shepherd &
 * Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x, Math. Comp. 36 (1981). */
#define DD_HORNER(r, hi, lo) VEC_W(dd_add)(VEC_W(dd_mul)(r, q), VEC_W(dd_set)(hi, lo))
VEC_INLINE DD VEC_W(dd_erfcx)(DD z)
{
    DD below = VEC_W(dd_sum)(z.hi, C(4)), t, q, r;
    below.lo = ADD(below.lo, z.lo);
    t = VEC_W(dd_div)(VEC_W(dd_set)(1, 0), below);
    q = VEC_W(dd_add)(VEC_W(dd_set)(1, 0), VEC_W(dd_scale)(t, C(-8)));
    r = VEC_W(dd_of)(POLY_20(q.hi, 0x1.52cac23710155p-2, -0x1.645fd8a4bbb91p-3, 0x1.38dbd2c8e3222p-4,
                             -0x1.b00c052c67faap-6, 0x1.908f47225d877p-8, -0x1.269b51a426112p-12,
                             -0x1.dd28438b22bddp-12, 0x1.72cda17483443p-13, -0x1.e7ef889337365p-19,
                             -0x1.3c6e02ed342ddp-16, 0x1.3b18266b79447p-18, 0x1.7e2b9ed8f68f6p-20,
                             -0x1.c768ee7f8b9aep-21, -0x1.413833729e77dp-24, 0x1.11791e6bfd0ep-23,
                             0x1.2cdcd45319e4dp-32, -0x1.3bb9a4bb1b249p-26, 0x1.3bbac687beba5p-32,
                             0x1.39f6a01d00e7ap-29, 0x1.f9fd2db1f516cp-35, -0x1.308d5d6850a5bp-33),
                     C(0));
    r = DD_HORNER(r, -0x1.14eacb1ad0345p-1, 0x1.cffd2e1c97eaep-55);
    r = DD_HORNER(r, 0x1.8be202d26c705p-1, 0x1.eb62ea713fe4bp-55);
    r = DD_HORNER(r, -0x1.f3fe31ecb49bfp-1, -0x1.506f78d089e58p-56);
    r = DD_HORNER(r, 0x1.18932bf08e154p0, 0x1.099b857922245p-54);
    return VEC_W(dd_mul)(t, r);
}
#undef DD_HORNER

/* erfc(z) = 2^k * the result, 0 <= z <= 28; z^2 is given, which the caller may know better. */
VEC_INLINE DD VEC_W(dd_erfc)(DD z, DD square, V *k)
{
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_neg)(square));
    *k = e.k;
    return VEC_W(dd_mul)(VEC_W(dd_one_plus)(e.p), VEC_W(dd_erfcx)(z));
}

/** erf - Max error: 0.7 ULP. 1 - erfc, from 1/2 down a polynomial. The sign of zero stays. */
VEC_INLINE V VEC_W(erf)(V x)
{
    const V  z = VEC_W(limit)(ABS(x), 0x1p-300, 7), square = MUL(x, x);
    V        k;
    const DD tail = VEC_W(dd_erfc)(VEC_W(dd_of)(z, C(0)), VEC_W(dd_product)(z, z), &k);
    const DD far = VEC_W(dd_add)(VEC_W(dd_set)(1, 0), VEC_W(dd_neg)(VEC_W(dd_scale)(tail, VEC_W(power_of_two)(k))));
    const M  near = LT(ABS(x), C(0.5)), small = LT(ABS(x), C(0x1p-400));
    const V  s = SEL(near, MUL(x, SEL(small, C(0x1p500), C(1))), C(1));
    const DD first = VEC_W(dd_mul)(VEC_W(dd_of)(s, C(0)), VEC_W(dd_set)(0x1.20dd750429b6dp0, 0x1.1ae3a914fed8p-56));
    const V  rest =
        MUL(MUL(square, s), POLY_8(square, -0x1.812746b0379e7p-2, 0x1.ce2f21a042c8cp-4, -0x1.b82ce3129106ap-6,
                                   0x1.565bcd112de5p-8, -0x1.c02db4dd28bd4p-11, 0x1.f9a341369f216p-14,
                                   -0x1.f4d0122eee421p-17, 0x1.b8e6a3ff8f231p-20, -0x1.44afc3835e6f9p-23));
    const V r = MUL(ADD(first.hi, ADD(first.lo, rest)), SEL(small, C(0x1p-500), C(1)));
    return COPYSIGN(SEL(near, r, far.hi), x);
}

/** erfc - Max error: 0.8 ULP. */
VEC_INLINE V VEC_W(erfc)(V x)
{
    const V  z = VEC_W(limit)(ABS(x), 0x1p-300, 27.9);
    V        k;
    const DD r = VEC_W(dd_erfc)(VEC_W(dd_of)(z, C(0)), VEC_W(dd_product)(z, z), &k);
    const DD near = VEC_W(dd_scale)(r, VEC_W(power_of_two)(VEC_W(limit)(k, -1000, 0)));
    const DD left = VEC_W(dd_add)(VEC_W(dd_set)(2, 0), VEC_W(dd_neg)(near));
    return SEL(LT(x, C(0)), left.hi, VEC_W(scale)(r.hi, k));
}

/** gelu - Max error: 0.8 ULP. x Phi(x) = x erfc(-x / sqrt(2)) / 2. -infinity gives -0. */
VEC_INLINE V VEC_W(gelu)(V x)
{
    const M  small = LT(ABS(x), C(0x1p-400));
    const V  c = SEL(small, C(0x1p-400), VEC_W(limit)(x, -39, 39)), a = ABS(c);
    const DD z = VEC_W(dd_mul)(VEC_W(dd_of)(a, C(0)), VEC_W(dd_set)(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55));
    V        k;
    const DD tail = VEC_W(dd_erfc)(z, VEC_W(dd_scale)(VEC_W(dd_product)(a, a), C(0.5)), &k);
    const V  s = VEC_W(power_of_two)(VEC_W(limit)(k, -1000, 0));
    const DD upper = VEC_W(dd_add)(VEC_W(dd_set)(2, 0), VEC_W(dd_neg)(VEC_W(dd_scale)(tail, s)));
    const M  negative = LT(c, C(0));
    const DD q = VEC_W(dd_mul)(VEC_W(dd_select)(negative, tail, upper), VEC_W(dd_of)(MUL(C(0.5), c), C(0)));
    V        r = VEC_W(scale)(q.hi, SEL(negative, k, C(0)));
    r = SEL(small, MUL(C(0.5), x), r);
    return SEL(LT(x, C(-39)), C(-0.0), SEL(LE(C(39), x), x, r));
}

#undef DD
#include "vec_math_end.h"
