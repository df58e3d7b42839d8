/* vec_special_f64.h - further functions of f64: on double-double arithmetic, rounded once. The words of vec_math_f64.h and
 * vec_activation_f64.h are there. */
#define VEC_T f64
#include "vec_math_begin.h"
#define DD VEC_W(dd)

/* ---------------------------------------------------------------- exponentials and logarithms */

/** exp10 - Max error: 0.8 ULP. */
VEC_INLINE V VEC_W(exp10)(V x)
{
    const DD a = VEC_W(dd_of)(VEC_W(limit)(x, -330, 310), C(0));
    const VEC_W(exponent) e =
        VEC_W(exp_parts)(VEC_W(dd_mul)(a, VEC_W(dd_set)(0x1.26bb1bbb55516p1, -0x1.f48ad494ea3e9p-53)));
    return VEC_W(scale)(VEC_W(one_plus)(e.p), e.k);
}

/* x 2^n, rounded once where n is integral: the first factors leave the range of normal numbers only where the result is 0 or
 * infinite. */
VEC_INLINE V VEC_W(scale_part)(V x, V *n)
{
    const V part = SEL(LT(*n, C(-1022)), C(-969), SEL(LT(C(1023), *n), C(1023), *n));
    *n = SUB(*n, part);
    return MUL(x, VEC_W(power_of_two)(part));
}
/* The fraction's factor is below 1 for negative n, and comes first then; it is above 1 for positive ones, and comes last. */
VEC_INLINE V VEC_W(ldexp)(V x, V n)
{
    const V whole = VEC_W(trunc)(n), fraction = SUB(n, whole);
    const V factor = SEL(EQ(fraction, C(0)), C(1), VEC_W(exp2)(fraction));
    const M down = LT(n, C(0));
    V       rest = VEC_W(limit)(whole, -2200, 2200), y = SEL(down, MUL(x, factor), x);
    y = VEC_W(scale_part)(y, &rest);
    y = VEC_W(scale_part)(y, &rest);
    y = VEC_W(scale_part)(y, &rest);
    y = SEL(down, y, MUL(y, factor));
    return SEL(VEC_W(isinf)(n), MUL(x, SEL(LT(C(0), n), C(INFINITY), C(0))), SEL(NE(n, n), ADD(x, n), y));
}

/** xlogy - Max error: 0.60 ULP. x log(y), 0 for x = 0; NaN where y is. */
VEC_INLINE V VEC_W(xlogy)(V x, V y)
{
    const DD l = VEC_W(dd_log)(y);
    const M  small = LT(ABS(x), C(0x1p-600)), large = LT(C(0x1p600), ABS(x));
    const V  scale = SEL(small, C(0x1p400), SEL(large, C(0x1p-400), C(1)));
    const V  back = SEL(small, C(0x1p-400), SEL(large, C(0x1p400), C(1)));
    const M  plain = AND(AND(LT(C(0), y), LT(y, C(INFINITY))), AND(LT(ABS(x), C(INFINITY)), NE(y, C(1))));
    const V  r = MUL(VEC_W(dd_mul)(l, VEC_W(dd_of)(MUL(x, scale), C(0))).hi, back);
    return SEL(NE(y, y), y, SEL(EQ(x, C(0)), C(0), SEL(plain, r, MUL(x, VEC_W(log_special)(y, l.hi)))));
}

/* larger + log(1 + exp(t)) factor, t <= 0. Where the sum is near 0, what cancels was exact to about 2^-58. */
VEC_INLINE V VEC_W(add_log1pexp)(V larger, DD t, DD factor)
{
    const M  limited = LT(t.hi, C(-746));
    V        rounded;
    const DD l = VEC_W(dd_log1pexp)(VEC_W(dd_of)(SEL(limited, C(-746), t.hi), SEL(limited, C(0), t.lo)), &rounded);
    const V  sum = VEC_W(dd_add)(VEC_W(dd_of)(larger, C(0)), VEC_W(dd_mul)(l, factor)).hi;
    const V  far = ADD(larger, MUL(rounded, factor.hi));
    return SEL(VEC_W(isinf)(larger), larger, SEL(LT(t.hi, C(-600)), far, sum));
}
/* -|x - y| exactly; 0 for infinities of one sign */
VEC_INLINE DD VEC_W(dd_minus_distance)(V x, V y)
{
    const M  less = LT(x, y), same = OR(EQ(x, y), VEC_W(isinf)(SUB(x, y)));
    const V  far = SEL(EQ(x, y), C(0), C(-INFINITY));
    const DD d = VEC_W(dd_sum)(SEL(less, x, y), NEG(SEL(less, y, x)));
    return VEC_W(dd_select)(same, VEC_W(dd_of)(far, C(0)), d);
}
/** logaddexp - Max error: 0.6 ULP of the result, or of 1/16 where it is smaller. log(e^x + e^y). */
VEC_INLINE V VEC_W(logaddexp)(V x, V y)
{
    const V larger = SEL(LT(x, y), y, x);
    const V r = VEC_W(add_log1pexp)(larger, VEC_W(dd_minus_distance)(x, y), VEC_W(dd_set)(1, 0));
    return SEL(OR(NE(x, x), NE(y, y)), ADD(x, y), r);
}
/** logaddexp2 - Max error: 0.6 ULP of the result, or of 1/16 where it is smaller. log2(2^x + 2^y). */
VEC_INLINE V VEC_W(logaddexp2)(V x, V y)
{
    const DD ln2 = VEC_W(dd_set)(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
    const DD log2e = VEC_W(dd_set)(0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56), d = VEC_W(dd_minus_distance)(x, y);
    const M  limited = LT(d.hi, C(-1100));
    DD       t = VEC_W(dd_mul)(VEC_W(dd_of)(SEL(limited, C(-1100), d.hi), SEL(limited, C(0), d.lo)), ln2);
    const V  r = VEC_W(add_log1pexp)(SEL(LT(x, y), y, x), t, log2e);
    return SEL(OR(NE(x, x), NE(y, y)), ADD(x, y), SEL(EQ(x, y), ADD(x, C(1)), r));
}

/* log(x / (1 - x)), x limited to [eps, 1 - eps] first, if eps is not NaN. */
VEC_INLINE V VEC_W(logit)(V x, V eps)
{
    const V  most = SUB(C(1), eps), p = SEL(LT(x, eps), eps, SEL(LT(most, x), most, x));
    const M  inside = AND(LT(C(0), p), LT(p, C(1))), tiny = LT(p, C(0x1p-900));
    const V  a = SEL(inside, p, C(0.5));
    const DD q = VEC_W(dd_div)(VEC_W(dd_of)(SEL(tiny, MUL(a, C(0x1p200)), a), C(0)), VEC_W(dd_sum)(C(1), NEG(a)));
    VEC_W(logarithm) l = VEC_W(log_parts)(q);
    l.k = SEL(tiny, SUB(l.k, C(200)), l.k);
    return SEL(inside, VEC_W(dd_log_sum)(l).hi,
               VEC_W(log_special)(SEL(EQ(p, C(1)), C(INFINITY), SEL(LT(C(1), p), C(-1), p)), p));
}

/* ---------------------------------------------------------------- geometry */

/** hypot - Max error: 0.52 ULP. An infinite operand gives infinity, whatever the other is. */
VEC_INLINE V VEC_W(hypot)(V x, V y)
{
    const V  ax = ABS(x), ay = ABS(y), larger = SEL(LT(ax, ay), ay, ax);
    const V  scale = SEL(LT(C(0x1p400), larger), C(0x1p-600), SEL(LT(larger, C(0x1p-400)), C(0x1p600), C(1)));
    const V  back = SEL(LT(C(0x1p400), larger), C(0x1p600), SEL(LT(larger, C(0x1p-400)), C(0x1p-600), C(1)));
    const V  sx = MUL(ax, scale), sy = MUL(ay, scale);
    const DD s = VEC_W(dd_add)(VEC_W(dd_product)(sx, sx), VEC_W(dd_product)(sy, sy));
    const V  r = MUL(VEC_W(dd_sqrt)(s).hi, back);
    return SEL(OR(VEC_W(isinf)(x), VEC_W(isinf)(y)), C(INFINITY), r);
}

/** sinc - Max error: 0.8 ULP. sin(pi x) / (pi x): x is split at multiples of 1/2, exactly. NaN of infinities. */
VEC_INLINE V VEC_W(sinc)(V x)
{
    const M huge = LE(C(0x1p53), ABS(x)); /* even numbers */
    const V a = SEL(huge, C(0), x), k = VEC_W(rint)(ADD(a, a)), f = SUB(a, MUL(C(0.5), k)),
            q = SUB(k, MUL(C(4), VEC_W(floor)(MUL(k, C(0.25)))));
    const DD pi = VEC_W(dd_set)(0x1.921fb54442d18p1, 0x1.1a62633145c07p-53);
    const DD r = VEC_W(dd_mul)(VEC_W(dd_of)(f, C(0)), pi), c = VEC_W(dd_cos)(r);
    const DD s = VEC_W(dd_select)(OR(EQ(q, C(1)), EQ(q, C(3))), c, VEC_W(dd_fast_sum)(r.hi, VEC_W(sin_rest)(r)));
    const M  near = LT(ABS(a), C(0x1p-28)), whole = AND(EQ(f, C(0)), OR(EQ(q, C(0)), EQ(q, C(2))));
    const DD below = VEC_W(dd_mul)(VEC_W(dd_of)(SEL(OR(near, whole), C(1), a), C(0)), pi);
    const V  y = VEC_W(dd_div)(s, below).hi, far = SEL(whole, C(0), SEL(LE(C(2), q), NEG(y), y));
    return SEL(huge, SEL(VEC_W(isinf)(x), C(NAN), C(0)), SEL(near, C(1), SEL(NE(x, x), x, far)));
}

/* ---------------------------------------------------------------- normal distribution */

/** ndtr - Max error: 0.8 ULP. erfc(-x / sqrt(2)) / 2. */
VEC_INLINE V VEC_W(ndtr)(V x)
{
    const V  c = VEC_W(limit)(x, -39, 39), a = SEL(LT(ABS(c), C(0x1p-300)), C(0x1p-300), ABS(c));
    const DD z = VEC_W(dd_mul)(VEC_W(dd_of)(a, C(0)), VEC_W(dd_set)(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55));
    V        k;
    const DD tail = VEC_W(dd_erfc)(z, VEC_W(dd_scale)(VEC_W(dd_product)(a, a), C(0.5)), &k);
    const DD near = VEC_W(dd_scale)(tail, VEC_W(power_of_two)(VEC_W(limit)(k, -1000, 0)));
    const DD upper = VEC_W(dd_add)(VEC_W(dd_set)(2, 0), VEC_W(dd_neg)(near));
    return SEL(NE(x, x), x, SEL(LT(c, C(0)), VEC_W(scale)(tail.hi, SUB(k, C(1))), MUL(C(0.5), upper.hi)));
}

/* ---------------------------------------------------------------- inverse error function
 *
 * Polynomials here and below: tools/vec_special.py. */

/* erf(y) - x for 0 <= y, x < 1/2; and the same from erfc for larger ones. */
VEC_INLINE V VEC_W(erf_excess)(V y, V x)
{
    const V  square = MUL(y, y);
    const DD first = VEC_W(dd_mul)(VEC_W(dd_of)(y, C(0)), VEC_W(dd_set)(0x1.20dd750429b6dp0, 0x1.1ae3a914fed8p-56));
    const V  rest =
        MUL(MUL(square, y), POLY_8(square, -0x1.812746b0379e7p-2, 0x1.ce2f21a042c8cp-4, -0x1.b82ce3129106ap-6,
                                   0x1.565bcd112de5p-8, -0x1.c02db4dd28bd4p-11, 0x1.f9a341369f216p-14,
                                   -0x1.f4d0122eee421p-17, 0x1.b8e6a3ff8f231p-20, -0x1.44afc3835e6f9p-23));
    V        k;
    const DD tail = VEC_W(dd_erfc)(VEC_W(dd_of)(y, C(0)), VEC_W(dd_product)(y, y), &k);
    const DD erfc = VEC_W(dd_scale)(tail, VEC_W(power_of_two)(k)), left = VEC_W(dd_sum)(C(1), NEG(x));
    const V  near = ADD(SUB(first.hi, x), ADD(first.lo, rest)), far = VEC_W(dd_add)(left, VEC_W(dd_neg)(erfc)).hi;
    return SEL(LT(x, C(0.5)), near, far);
}

/**
 * erfinv - Max error: 0.90 ULP. x times a function of l = -log2(1 - x^2), from l = 8 on of its root, to about 2^-27; then one step of
 * Halley's method. +-1 give infinities, NaN beyond.
 */
VEC_INLINE V VEC_W(erfinv)(V x)
{
    const V a = ABS(x), b = SEL(LT(a, C(1)), SEL(LT(a, C(0x1p-300)), C(0x1p-300), a), C(0.5));
    const V l = MUL(C(-0x1.71547652b82fep0), VEC_W(log)(MUL(SUB(C(1), b), ADD(C(1), b))));
    const V t = SUB(l, C(4)), s = SUB(SQRT(SEL(LT(l, C(0)), C(0), l)), C(5));
    const V near = POLY_14(t, 0x1.917c82d51b45dp+0, 0x1.5a847fdc6b722p-3, -0x1.4186f254e1060p-9, -0x1.64185523de97ep-12,
                           0x1.92b872be4054cp-15, -0x1.a62e3f15b68c9p-20, -0x1.28d3e15bb37a3p-22, 0x1.3e0542f9e29e3p-25,
                           -0x1.2162e3d5ce28bp-31, -0x1.49fa73c1ed611p-32, 0x1.f943c429f0ef0p-36, 0x1.af576507f4e38p-41,
                           -0x1.5c8ae2440d7cap-42, 0x1.ce9b2277af81bp-48, 0x1.bc224b7495fd0p-50);
    const V far = POLY_14(s, 0x1.0043b2a325baep+2, 0x1.ae7652df3f03dp-1, 0x1.407f89ddf66d8p-11, -0x1.9f97dfc34b889p-12,
                          0x1.e9cef9117ff84p-14, -0x1.089be2315b43ap-15, 0x1.4f28cec96ee83p-17, -0x1.02491d7a4a20ep-18,
                          0x1.f7c6d09ad606dp-20, -0x1.1dde560cce53cp-20, 0x1.cad1c592066e7p-22, -0x1.ea30cdbb18835p-25,
                          -0x1.9190742217630p-26, 0x1.52a61fb51939dp-27, -0x1.264010586dc12p-30);
    const V y = MUL(b, SEL(LT(l, C(8)), near, far));
    const V slope = MUL(C(0x1.20dd750429b6dp0), VEC_W(exp)(NEG(MUL(y, y))));
    const V c = DIV(VEC_W(erf_excess)(y, b), slope);
    const V r = SUB(y, DIV(c, ADD(C(1), MUL(y, c))));
    const V whole = SEL(LT(a, C(0x1p-300)), MUL(a, C(0x1.c5bf891b4ef6bp-1)), r);
    return SEL(LT(a, C(1)), COPYSIGN(whole, x), SEL(EQ(a, C(1)), COPYSIGN(C(INFINITY), x), SEL(NE(x, x), x, C(NAN))));
}

/* ---------------------------------------------------------------- Bessel function */

/**
 * i0 - Max error: 1.5 ULP. The modified Bessel function of order 0: a polynomial up to 2, above exp(x) times one, divided by sqrt(x)
 * from 8 on.
 */
VEC_INLINE V VEC_W(i0)(V x)
{
    const V  a = ABS(x), b = SEL(LT(a, C(715)), a, C(715)), z = MUL(b, b);
    const M  high = LE(C(8), b);
    const V  near = POLY_12(z, 0x1.0000000000000p+0, 0x1.0000000000000p-2, 0x1.0000000000000p-6, 0x1.c71c71c71c71cp-12,
                            0x1.c71c71c71c71cp-18, 0x1.23456789abcddp-24, 0x1.02e85c0898c79p-31, 0x1.522a43f64872ap-39,
                            0x1.522a43fc5d478p-47, 0x1.0b3130784b701p-55, 0x1.56027d266a5f8p-64, 0x1.6981b786b57c3p-73,
                            0x1.4e315e7f283dfp-82);
    V        t = SUB(b, C(5));
    const DD middle = VEC_W(dd_fast_sum)(
        C(0x1.77e43edd1b4cap-3),
        MUL(t, POLY_24(t, -0x1.409c6dea46430p-6, 0x1.9fabce868862bp-9, -0x1.303135273a00bp-11, 0x1.d957dc986d074p-14,
                       -0x1.7ae5f1f352b45p-16, 0x1.2f6310210ccd4p-18, -0x1.da6c834c7ffacp-21, 0x1.63c634f83d2aep-23,
                       -0x1.f9e99402627b6p-26, 0x1.52e534984e055p-28, -0x1.aa9d39f5207dcp-31, 0x1.f867d8b0534c7p-34,
                       -0x1.1856b94d34065p-36, 0x1.2574a762a473bp-39, -0x1.21e440ad914c1p-42, 0x1.0ede5f33b96cap-45,
                       -0x1.dfcacaf64b4efp-49, 0x1.93589ff4818e2p-52, -0x1.4331ca3299a19p-55, 0x1.f2c3957c2600cp-59,
                       -0x1.6b922d30669cep-62, 0x1.d3cf3637df149p-66, -0x1.3d9e63eb9b936p-69, 0x1.317ef66a65fa6p-72,
                       -0x1.71ed0a5b10ae3p-76)));
    t = SUB(DIV(C(8), SEL(high, b, C(8))), C(0.5));
    const DD above = VEC_W(dd_fast_sum)(
        C(0x1.9bd428ad249a5p-2),
        MUL(t, POLY_25(t, 0x1.b87969bb93bbbp-8, 0x1.1daa72b5e70bcp-11, 0x1.75e5ee703dcf4p-14, 0x1.8e5139f8568cdp-16,
                       0x1.3f49acfec4881p-17, 0x1.7d0fbb49edc6ep-18, 0x1.51cc22adc3b2ap-18, 0x1.72156593b3b92p-18,
                       0x1.03ddcc42e5eaep-18, -0x1.cc94ae6dbe8c1p-18, -0x1.ce28cd4f04d9ep-16, -0x1.80fb51360df0ep-16,
                       0x1.0823baef33ba1p-14, 0x1.131c3faafadddp-13, -0x1.0514f4714df86p-13, -0x1.e83a336ee24afp-12,
                       0x1.0c425fe6853eep-12, 0x1.66709e2f1de6fp-10, -0x1.11d420282498fp-11, -0x1.a732f8fd49952p-9,
                       0x1.cdb2c58c885a6p-11, 0x1.6d5db466faba9p-8, -0x1.0251ae550cb47p-10, -0x1.8fb64c52c2aabp-8,
                       0x1.11cf1a9200420p-11, 0x1.99840c2b2767bp-9)));
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_of)(b, C(0)));
    const DD root = VEC_W(dd_sqrt)(VEC_W(dd_of)(SEL(high, b, C(1)), C(0)));
    const DD factor = VEC_W(dd_div)(VEC_W(dd_select)(high, above, middle), root);
    const V  far = VEC_W(scale)(VEC_W(dd_mul)(VEC_W(dd_one_plus)(e.p), factor).hi, e.k);
    return SEL(NE(x, x), x, SEL(LE(b, C(2)), near, far));
}

/* ---------------------------------------------------------------- gamma functions */

/* log|gamma(x)|, x >= 0: (x - 1) (x - 2) / (x + 1) times a polynomial in log(x), from 8 on Stirling's series. */
VEC_INLINE DD VEC_W(lgamma_positive)(V x)
{
    const M  low = LT(x, C(0.5)), high = LE(C(8), x), finite = LT(x, C(0x1p900));
    const V  y = SEL(finite, SEL(low, ADD(x, C(1)), x), C(8)), t = SUB(VEC_W(log)(SEL(high, C(2), y)), C(0.6875));
    const DD ratio = VEC_W(dd_fast_sum)(
        C(0x1.4458d8b1e43bbp+0),
        MUL(t, POLY_24(t, 0x1.f056e465ff86fp-3, 0x1.db9f6f3186961p-4, 0x1.7e2521b8d90ecp-10, -0x1.aa390d5e09f80p-10,
                       -0x1.ec292fbcb5aefp-14, 0x1.2306fa8fce727p-15, 0x1.da5c96f7f9ae6p-18, -0x1.339cc29b6fe86p-20,
                       -0x1.7d4b9e706bad0p-22, 0x1.17453cda69710p-24, 0x1.028c0434e8dfcp-26, -0x1.376d46e18cfafp-28,
                       -0x1.11fa328a49db9p-31, 0x1.6014be146c7ebp-32, 0x1.3998c0fb44c13p-37, -0x1.9886e40e5fc2cp-36,
                       0x1.00e49ae90b3dcp-42, 0x1.072baf3f9197dp-39, -0x1.241b08232f3bap-46, -0x1.784c8cda5a0acp-43,
                       -0x1.2265715a4ecd5p-50, 0x1.e820dc90b3af8p-47, 0x1.4145431c4b5f7p-53, -0x1.7564a352e442ap-51,
                       -0x1.6380e5db07689p-59)));
    const DD zeros = VEC_W(dd_mul)(VEC_W(dd_sum)(y, C(-1)), VEC_W(dd_sum)(y, C(-2)));
    const DD p = VEC_W(dd_div)(VEC_W(dd_mul)(zeros, ratio), VEC_W(dd_sum)(y, C(1)));
    const DD l = VEC_W(dd_log)(SEL(EQ(x, C(0)), C(1), SEL(finite, x, C(8))));
    const V  z = DIV(C(1), y), w = MUL(z, z);
    const DD rest = VEC_W(dd_of)(
        MUL(z, POLY_10(w, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a019f94p-11, -0x1.38138137f28f1p-11,
                       0x1.b951e26eeab37p-11, -0x1.f6aae610647d4p-10, 0x1.a412e36ddc09cp-8, -0x1.e343dd7bb1f60p-6,
                       0x1.66d221796db7ep-3, -0x1.286e52ea7694ap+0, 0x1.681e9c4fc2ba5p+2)),
        C(0));
    DD far = VEC_W(dd_add)(VEC_W(dd_mul)(VEC_W(dd_sum)(y, C(-0.5)), l), VEC_W(dd_of)(NEG(y), C(0)));
    far = VEC_W(dd_add)(far, VEC_W(dd_add)(VEC_W(dd_set)(0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55), rest));
    const DD near = VEC_W(dd_select)(low, VEC_W(dd_add)(p, VEC_W(dd_neg)(l)), p);
    const DD r = VEC_W(dd_select)(high, far, near);
    const V  huge = MUL(x, SUB(VEC_W(log)(x), C(1)));
    const V  plain = SEL(EQ(x, C(0)), C(INFINITY), SEL(LT(x, C(INFINITY)), huge, x));
    return VEC_W(dd_select)(AND(finite, NE(x, C(0))), r, VEC_W(dd_of)(plain, C(0)));
}

/* The sine and cosine of pi times what x is beyond a whole number, |f| <= 1/2: both of the smaller of two angles. */
typedef struct VEC_W(turn) {
    DD sine, cosine; /* of |f| */
} VEC_W(turn);
VEC_INLINE VEC_W(turn) VEC_W(turn_of)(V f)
{
    const V  g = ABS(f);
    const M  far = LT(C(0.25), g);
    const DD angle = VEC_W(dd_mul)(VEC_W(dd_of)(SEL(far, SUB(C(0.5), g), g), C(0)),
                                   VEC_W(dd_set)(0x1.921fb54442d18p1, 0x1.1a62633145c07p-53));
    const DD cos = VEC_W(dd_cos)(angle), c = VEC_W(dd_fast_sum)(cos.hi, cos.lo);
    const DD s = VEC_W(dd_fast_sum)(angle.hi, VEC_W(sin_rest)(angle));
    VEC_W(turn) t;
    t.sine = VEC_W(dd_select)(far, c, s);
    t.cosine = VEC_W(dd_select)(far, s, c);
    return t;
}

/**
 * lgamma - Max error: 1.5 ULP above 0. Below, where it is log(pi / |x sin(pi x)|) - lgamma(|x|), 1 ULP of the larger of the result and
 * lgamma(|x|). Infinite at 0, -1, -2 ..
 */
VEC_INLINE V VEC_W(lgamma)(V x)
{
    const V  a = ABS(x), f = SUB(x, VEC_W(rint)(x));
    const DD positive = VEC_W(lgamma_positive)(a), pi = VEC_W(dd_set)(0x1.921fb54442d18p1, 0x1.1a62633145c07p-53);
    /* pi / (x sin(pi x)) overflows for tiny x, where lgamma(x) is lgamma(-x); beyond 2^52 there are whole numbers only */
    const M  ordinary = AND(AND(LE(C(0x1p-60), a), LT(a, C(0x1p53))), NE(f, C(0)));
    const DD sine = VEC_W(turn_of)(SEL(ordinary, f, C(0.5))).sine;
    const DD below = VEC_W(dd_mul)(VEC_W(dd_of)(SEL(ordinary, a, C(1)), C(0)), sine);
    const DD log_ratio = VEC_W(dd_log_sum)(VEC_W(log_parts)(VEC_W(dd_div)(pi, below)));
    const V  reflected = VEC_W(dd_add)(log_ratio, VEC_W(dd_neg)(positive)).hi;
    const V  negative = SEL(ordinary, reflected, SEL(LT(a, C(0x1p-60)), positive.hi, SEL(NE(x, x), x, C(INFINITY))));
    return SEL(LT(x, C(0)), negative, positive.hi);
}

/* x >= 0: x - root of digamma, divided by x + 1/2, times a polynomial in log(x), from 16 on the asymptotic series. */
VEC_INLINE DD VEC_W(digamma_positive)(V x)
{
    const M  low = LT(x, C(0.5)), high = LE(C(16), x), ordinary = LT(x, C(INFINITY));
    const V  y = SEL(ordinary, SEL(low, ADD(x, C(1)), x), C(16)), t = SUB(SEL(high, C(2), VEC_W(log)(y)), C(1.0625));
    const DD ratio = VEC_W(dd_fast_sum)(
        C(0x1.0ae73f0acd99ap+1),
        MUL(t, POLY_27(t, 0x1.8f46c30a72c4bp-2, 0x1.3a8e41c8c2adfp-3, -0x1.61b6b4210685dp-6, 0x1.8fb722cb14a23p-9,
                       -0x1.c14f293e08d84p-11, 0x1.b3a2ef3637d02p-13, -0x1.c6b343a25aa2fp-16, 0x1.9109aa25911d8p-20,
                       -0x1.96151559d877cp-22, 0x1.cbf6130a4cb19p-23, -0x1.606cd84130991p-26, -0x1.5973fcdaa35bfp-26,
                       0x1.f16fe9407e107p-28, 0x1.af0801b01baa5p-31, -0x1.33ac79777cf8bp-30, 0x1.7f955574fa5aep-33,
                       0x1.b80a3e9e6fde4p-34, -0x1.87b7945f3abafp-35, -0x1.c1d23b5c286f2p-39, 0x1.ae34094f9f234p-38,
                       -0x1.556dd49b7bd3bp-41, -0x1.54abe1e26f551p-41, 0x1.0e888eaad3be2p-43, 0x1.94d338a24420dp-45,
                       -0x1.770d9974466b6p-47, -0x1.53d9dfd9152f0p-49, 0x1.c7028819059ecp-52, 0x1.36bc9a73e430cp-54)));
    DD zero = VEC_W(dd_sum)(SEL(high, C(1), y), C(-0x1.762d86356be3fp+0));
    zero = VEC_W(dd_fast_sum)(zero.hi, SUB(zero.lo, C(0x1.b86a722197829p-54)));
    const DD p = VEC_W(dd_div)(VEC_W(dd_mul)(zero, ratio), VEC_W(dd_sum)(SEL(high, C(1), y), C(0.5)));
    const V  z = DIV(C(1), y), w = MUL(z, z);
    const V  rest =
        ADD(MUL(C(0.5), z),
            MUL(w, POLY_7(w, 0x1.5555555555555p-4, -0x1.1111111111111p-7, 0x1.041041041008bp-8, -0x1.1111110f4d527p-8,
                          0x1.f07c181176016p-8, -0x1.5991dc0bcdc88p-6, 0x1.5436ef82afd22p-4, -0x1.98aee51bbfb99p-2)));
    const DD far = VEC_W(dd_add)(VEC_W(dd_log)(y), VEC_W(dd_of)(NEG(rest), C(0)));
    const DD r = VEC_W(dd_select)(high, far, p);
    return VEC_W(dd_select)(LE(C(0.5), SEL(ordinary, x, C(0))), r,
                            VEC_W(dd_of)(SEL(low, SUB(p.hi, DIV(C(1), x)), x), C(0)));
}

/**
 * digamma - Max error: 1.9 ULP above 0. Below, where it is digamma(1 - x) - pi / tan(pi x), 1 ULP of the larger of the result and
 * digamma(1 - x). The derivative of lgamma. Of 0 the infinity that has not its sign, NaN at -1, -2 ..
 */
VEC_INLINE V VEC_W(digamma)(V x)
{
    const M  negative = LT(x, C(0)), tiny = LT(ABS(x), C(0x1p-60));
    const V  f = SUB(x, VEC_W(rint)(x));
    const M  ordinary = AND(LT(C(-0x1p53), x), NE(f, C(0)));
    const DD y = VEC_W(dd_sum)(C(1), NEG(SEL(ordinary, x, C(-0.5))));
    const DD positive = VEC_W(digamma_positive)(SEL(negative, y.hi, x));
    /* what rounding took from 1 - x counts by the derivative, about 1/y + 1/(2 y^2) + 1/(6 y^3) */
    const V z = DIV(C(1), y.hi), slope = MUL(z, ADD(C(1), MUL(z, ADD(C(0.5), MUL(z, C(0x1.5555555555555p-3))))));
    const VEC_W(turn) t = VEC_W(turn_of)(SEL(AND(ordinary, LE(C(0x1p-60), ABS(x))), f, C(0.5)));
    DD term = VEC_W(dd_div)(VEC_W(dd_mul)(t.cosine, VEC_W(dd_set)(0x1.921fb54442d18p1, 0x1.1a62633145c07p-53)), t.sine);
    term = VEC_W(dd_select)(LT(f, C(0)), VEC_W(dd_neg)(term), term);
    const DD right = VEC_W(dd_add)(positive, VEC_W(dd_of)(MUL(slope, y.lo), C(0)));
    const V  reflected = VEC_W(dd_add)(right, VEC_W(dd_neg)(term)).hi;
    const V  below = SEL(tiny, NEG(DIV(C(1), x)), SEL(ordinary, reflected, C(NAN)));
    return SEL(EQ(x, C(0)), COPYSIGN(C(INFINITY), NEG(x)), SEL(negative, below, positive.hi));
}

#undef DD
#include "vec_math_end.h"
