/* vec_activation_f64.h - activations of neural networks, of f64: on double-double arithmetic, rounded
 * once. The words of vec_math_f64.h are there. */
#define VEC_T f64
#include "vec_math_begin.h"
#define DD VEC_W(dd)

/* ---------------------------------------------------------------- without exponentials */

/** softsign - Max error: 0.51 ULP. x / (1 + |x|). NaN of infinities; the sign of zero stays. */
VEC_INLINE V VEC_W(softsign)(V x)
{
    const V  a = ABS(x);
    const M  plain = AND(LT(C(0x1p-60), a), LT(a, C(0x1p60)));
    const V  b = SEL(plain, x, C(1));
    const DD r = VEC_W(dd_div)(VEC_W(dd_of)(b, C(0)), VEC_W(dd_sum)(C(1), ABS(b)));
    return SEL(plain, r.hi, DIV(x, ADD(C(1), a)));
}

/* Where |x| < 3: (x + 3) / 6. */
VEC_INLINE DD VEC_W(slope)(V x)
{
    return VEC_W(dd_mul)(VEC_W(dd_fast_sum)(C(3), x), VEC_W(dd_set)(0x1.5555555555555p-3, 0x1.5555555555555p-57));
}

/** hardsigmoid - Max error: 0.51 ULP. (x + 3) / 6, limited to [0, 1]. */
VEC_INLINE V VEC_W(hardsigmoid)(V x)
{
    const M inside = LT(ABS(x), C(3));
    return SEL(inside, VEC_W(slope)(SEL(inside, x, C(0))).hi, VEC_W(limit)(x, 0, 1));
}

/** hardswish - Max error: 0.51 ULP. x hardsigmoid(x). NaN of -infinity; the sign of zero stays. */
VEC_INLINE V VEC_W(hardswish)(V x)
{
    const V  a = ABS(x);
    const M  inside = AND(LT(C(0x1p-60), a), LT(a, C(3)));
    const V  b = SEL(inside, x, C(1));
    const DD r = VEC_W(dd_mul)(VEC_W(slope)(b), VEC_W(dd_of)(b, C(0)));
    return SEL(inside, r.hi, MUL(x, SEL(LT(a, C(1)), C(0.5), VEC_W(limit)(x, 0, 1))));
}

/* ---------------------------------------------------------------- log(1 + e^t) */

/* log(1 + exp(t)) for -690 < t.hi <= 0; *rounded is the same for -750 < t.hi < -60. */
VEC_INLINE DD VEC_W(dd_log1pexp)(DD t, V *rounded)
{
    const VEC_W(exponent) e = VEC_W(exp_parts)(t);
    const DD m = VEC_W(dd_one_plus)(e.p), x = VEC_W(dd_scale)(m, VEC_W(power_of_two)(VEC_W(limit)(e.k, -1000, 1)));
    DD       u = VEC_W(dd_sum)(C(1), x.hi);
    const DD small = VEC_W(dd_of)(x.hi, SUB(x.lo, MUL(MUL(C(0.5), x.hi), x.hi)));

    u.lo = ADD(u.lo, x.lo);
    *rounded = VEC_W(scale)(m.hi, e.k);
    return VEC_W(dd_select)(LT(x.hi, C(0x1p-40)), small, VEC_W(dd_log_sum)(VEC_W(log_parts)(u)));
}

/* log(1 + exp(w)) / divisor; `linear` where w is above 60. NaN stays. */
VEC_INLINE V VEC_W(log1pexp_ratio)(DD w, V divisor, V linear)
{
    const M positive = LT(C(0), w.hi), far = LT(w.hi, C(-60));
    const M limited = LT(C(745), ABS(w.hi)), plain = OR(LT(ABS(divisor), C(0x1p-300)), LT(C(0x1p300), ABS(divisor)));
    DD      t = VEC_W(dd_select)(positive, VEC_W(dd_neg)(w), w), sum;
    V       rounded;

    t = VEC_W(dd_of)(VEC_W(limit)(t.hi, -746, 0), SEL(limited, C(0), t.lo));
    const DD l = VEC_W(dd_log1pexp)(t, &rounded);
    sum = VEC_W(dd_select)(positive, VEC_W(dd_add)(VEC_W(dd_neg)(t), l), l);
    const V r = SEL(plain, DIV(sum.hi, divisor), VEC_W(dd_div)(sum, VEC_W(dd_of)(divisor, C(0))).hi);
    return SEL(LT(C(60), w.hi), linear, SEL(far, DIV(rounded, divisor), r));
}

/** logsigmoid - Max error: 0.8 ULP. -log(1 + exp(-x)). -infinity stays; infinity gives -0. */
VEC_INLINE V VEC_W(logsigmoid)(V x) { return VEC_W(log1pexp_ratio)(VEC_W(dd_of)(NEG(x), C(0)), C(-1), x); }

/* log(1 + e^(b x)) / b; x where b x is above the threshold. */
VEC_INLINE V VEC_W(softplus)(V x, V b, V threshold)
{
    const V  p = MUL(x, b), larger = SEL(LT(ABS(x), ABS(b)), ABS(b), ABS(x));
    const M  exact = AND(LT(larger, C(0x1p900)), LT(C(0x1p-900), ABS(p)));
    const DD w = VEC_W(dd_select)(exact, VEC_W(dd_product)(x, b), VEC_W(dd_of)(p, C(0)));
    return SEL(LT(threshold, p), x, VEC_W(log1pexp_ratio)(w, b, SEL(VEC_W(isinf)(b), DIV(p, b), x)));
}

/* ---------------------------------------------------------------- x times something below 1 */

/** silu - Max error: 0.75 ULP. x times the logistic function of x. -infinity gives -0. */
VEC_INLINE V VEC_W(silu)(V x)
{
    const M small = LT(ABS(x), C(0x1p-400));
    const V c = SEL(small, C(0), VEC_W(limit)(x, -760, 40));
    const V r = SEL(small, MUL(C(0.5), x), VEC_W(times_logistic)(c, VEC_W(dd_of)(c, C(0))));
    return SEL(LT(x, C(-760)), C(-0.0), SEL(LE(C(40), x), x, r));
}

/**
 * mish - Max error: 0.81 ULP. x tanh(log(1 + e)) = x n / (n + 2), n = e (e + 2), e = e^x: Misra, Mish: A Self Regularized
 * Non-Monotonic Activation Function, arXiv:1908.08681. -infinity gives -0.
 */
VEC_INLINE V VEC_W(mish)(V x)
{
    const M  small = LT(ABS(x), C(0x1p-400)), far = LT(x, C(-40));
    const V  c = SEL(small, C(0), VEC_W(limit)(x, -760, 40));
    const DD two = VEC_W(dd_set)(2, 0), dc = VEC_W(dd_of)(c, C(0));
    const VEC_W(exponent) exponent = VEC_W(exp_parts)(dc);
    const DD m = VEC_W(dd_one_plus)(exponent.p);
    const DD e = VEC_W(dd_scale)(m, VEC_W(power_of_two)(VEC_W(limit)(exponent.k, -100, 100)));
    const DD n = VEC_W(dd_mul)(e, VEC_W(dd_add)(e, two)), q = VEC_W(dd_div)(n, VEC_W(dd_add)(n, two));
    const V  near = VEC_W(dd_mul)(q, dc).hi, tail = VEC_W(scale)(VEC_W(dd_mul)(m, dc).hi, exponent.k);
    const V  r = SEL(small, MUL(C(0.6), x), SEL(far, tail, near));
    return SEL(LT(x, C(-760)), C(-0.0), SEL(LE(C(40), x), x, r));
}

/* ---------------------------------------------------------------- exponential below 0 */

/*
 * alpha (exp(w) - 1), w below 710; `small`, the value where |w| is below 2^-100. Factors are powers of two, which keep products from
 * 2^-960 to 2^1000 that are: alpha where its magnitude is below 2^-300 or above 2^100, exp(w) - 1 where w is above 500. A product that is not
 * below 2^1000 then is no finite number without them.
 */
VEC_INLINE V VEC_W(alpha_expm1)(DD w, DD alpha, V small)
{
    const V limited = VEC_W(limit)(w.hi, -60, 710), a = ABS(alpha.hi);
    const M is_tiny = LT(a, C(0x1p-300)), is_huge = LT(C(0x1p100), a), is_far = LT(C(500), limited);
    const V factor = SEL(is_tiny, C(0x1p400), SEL(is_huge, C(0x1p-400), C(1)));
    const V rest = SEL(is_tiny, C(0x1p-399), SEL(is_huge, C(0x1p401), C(2))), down = SEL(is_far, C(0x1p-300), C(1));
    const VEC_W(exponent) e = VEC_W(exp_parts)(VEC_W(dd_of)(limited, SEL(EQ(limited, w.hi), w.lo, C(0))));
    const V  s = MUL(VEC_W(power_of_two)(SUB(e.k, C(1))), down); /* 2^1024 has no power of two */
    const DD half = VEC_W(dd_add)(VEC_W(dd_sum)(s, MUL(C(-0.5), down)), VEC_W(dd_scale)(e.p, s));
    const DD scaled = VEC_W(dd_scale)(alpha, factor), product = VEC_W(dd_mul)(half, scaled);
    const V  plain = MUL(half.hi, scaled.hi);
    const M  exact = AND(LT(C(0), ABS(plain)), LT(ABS(plain), C(0x1p1000)));
    const V  r = MUL(MUL(SEL(exact, product.hi, plain), rest), SEL(is_far, C(0x1p300), C(1)));
    const V  all = SEL(LT(C(0x1.62e42fefa39efp9), w.hi), MUL(alpha.hi, C(INFINITY)), r);
    return SEL(LT(ABS(w.hi), C(0x1p-100)), small, all);
}

/** elu - Max error: 0.75 ULP. x, or alpha (e^x - 1) below 0. */
VEC_INLINE V VEC_W(elu)(V x, V alpha)
{
    const V r = VEC_W(alpha_expm1)(VEC_W(dd_of)(x, C(0)), VEC_W(dd_of)(alpha, C(0)), MUL(alpha, x));
    return SEL(LT(C(0), x), x, r);
}
/** celu - Max error: 0.75 ULP. x, or alpha (e^(x / alpha) - 1) below 0. */
VEC_INLINE V VEC_W(celu)(V x, V alpha)
{
    const V q = DIV(x, alpha), a = ABS(alpha);
    const M exact =
        AND(LT(C(0x1p-100), ABS(q)), LT(ABS(q), C(800))); /* x is not far from alpha: one factor scales both */
    const V  s = SEL(exact, SEL(LT(a, C(0x1p-300)), C(0x1p400), SEL(LT(C(0x1p300), a), C(0x1p-400), C(1))), C(1));
    const DD n = VEC_W(dd_of)(MUL(SEL(exact, x, C(1)), s), C(0)),
             d = VEC_W(dd_of)(MUL(SEL(exact, alpha, C(1)), s), C(0));
    const DD w = VEC_W(dd_select)(exact, VEC_W(dd_div)(n, d), VEC_W(dd_of)(q, C(0)));
    return SEL(LT(C(0), x), x,
               VEC_W(alpha_expm1)(w, VEC_W(dd_of)(alpha, C(0)), SEL(VEC_W(isinf)(alpha), MUL(alpha, q), x)));
}

/**
 * selu - Max error: 0.9 ULP. scale x, or scale alpha (e^x - 1) below 0: Klambauer et al., Self-Normalizing Neural Networks,
 * arXiv:1706.02515.
 */
VEC_INLINE V VEC_W(selu)(V x)
{
    const DD factor = VEC_W(dd_set)(0x1.c212cc640f031p0, 0x1.05161b045a1fep-56);
    const V  r = VEC_W(alpha_expm1)(VEC_W(dd_of)(x, C(0)), factor, MUL(C(0x1.c212cc640f031p0), x));
    return SEL(LT(C(0), x), MUL(C(0x1.0cfabd6a91132p0), x), r);
}

/**
 * tanhshrink - Max error: 1.1 ULP, 0.6 where the result is a normal number. x - tanh(x): below 1/2 an odd polynomial from x^3 / 3 on, above x - 1 + 2 / (e^(2x) + 1). Polynomial:
 * tools/vec_special.py. The sign of zero stays.
 */
VEC_INLINE V VEC_W(tanhshrink)(V x)
{
    const V  a = ABS(x);
    const M  tiny = LT(a, C(0x1p-200)), near = LT(a, C(0.5));
    const V  b = SEL(near, SEL(tiny, MUL(a, C(0x1p200)), a), C(0.5));
    const DD square = VEC_W(dd_product)(b, b);
    const V rest = MUL(square.hi, POLY_10(square.hi, -0x1.1111111111111p-3, 0x1.ba1ba1ba1b96dp-5, -0x1.664f4882b4d9ap-6,
                                          0x1.226e355915717p-7, -0x1.d6d3ce7af98cep-9, 0x1.7da31382454dcp-10,
                                          -0x1.35517c28d22f7p-11, 0x1.f4c7d3a3f60e2p-13, -0x1.9032787c9a3d0p-14,
                                          0x1.25f1869680128p-15, -0x1.25668cf1267fbp-17));
    DD      third = VEC_W(dd_fast_sum)(C(0x1.5555555555555p-2), SEL(tiny, C(0), rest));
    third.lo = ADD(third.lo, C(0x1.5555555555555p-56));
    const V  below = VEC_W(dd_mul)(VEC_W(dd_mul)(square, VEC_W(dd_of)(b, C(0))), third).hi;
    const V  c = VEC_W(limit)(a, 0.5, 40);
    const DD t = VEC_W(dd_half_expm1)(ADD(c, c));
    DD       one_more = VEC_W(dd_sum)(t.hi, C(1)); /* half of e^(2x) + 1 */
    one_more.lo = ADD(one_more.lo, t.lo);
    const DD above = VEC_W(dd_add)(VEC_W(dd_sum)(c, C(-1)), VEC_W(dd_div)(VEC_W(dd_set)(1, 0), one_more));
    const V  r = SEL(near, SEL(tiny, MUL(below, C(0x1p-600)), below), SEL(LT(a, C(40)), above.hi, SUB(a, C(1))));
    return COPYSIGN(r, x);
}

#undef DD
#include "vec_math_end.h"
