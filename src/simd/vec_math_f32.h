/* vec_math_f32.h - the f32 functions. exp, log and tanh are computed in f32 lanes; the others in w64 lanes, to about 2^-32, and
 * rounded once, so that their error is below 0.51 ULP and no cancellation, overflow or subnormal number needs care on the
 * way. Coefficients: tools/vec_math.sollya. */

/* ---------------------------------------------------------------- in f32 lanes */

#define VEC_T f32
#include "vec_math_begin.h"

#if !defined(VEC_NATIVE_SUB_EXACT)
VEC_INLINE V vec_sub_exact_f32(V a, V b, V c) { return SUB(a, MUL(b, c)); }
#endif
#if !defined(VEC_NATIVE_GROW)
VEC_INLINE V vec_grow_f32(V p, V s) { return MUL(ADD(C(1), s), p); }
#endif
#if !defined(VEC_NATIVE_FARTHER)
VEC_INLINE V vec_farther_f32(V a, V b)
{
    const vec_i32 one = vec_i32_from_u32(VEC_W(bits)(ABS(a))), other = vec_i32_from_u32(VEC_W(bits)(ABS(b)));
    return VEC_W(frombits)(vec_u32_from_i32(vec_max_i32(one, other)));
}
#endif

/* e^x = 2^k (1 + s), k = rint(x / ln 2), s = e^r - 1, r = x - k ln 2 in two parts (Cody & Waite, Software Manual for the
 * Elementary Functions, 1980). Both parts of ln 2 have 17 bits, so that their products with k are exact where |k| <= 170. The low part
 * joins after the polynomial once more, which spares its rounding. The low bits of *shifted are k + 127: those of the number 2^k. */
VEC_INLINE V vec_exp_part_f32(V x, V *shifted)
{
    *shifted = ADD(MUL(x, C(0x1.715476p0)), C(0x1.8p23 + 127));
    const V k = SUB(*shifted, C(0x1.8p23 + 127)), low = C(0x1.7f7dp-20);
    const V high = SUB_EXACT(x, k, C(0x1.62e4p-1)), r = SUB_EXACT(high, k, low);
    /* Estrin's rule: nine operations, but no more than eight of them one after another */
    const V z = MUL(r, r), a = POLY_1(r, 0x1p-1, 0x1.5554dep-3), b = POLY_1(r, 0x1.55556cp-5, 0x1.120adp-7);
    const V q = MUL(z, ADD(a, MUL(z, ADD(b, MUL(z, C(0x1.6ca9aap-10))))));
    return ADD(high, SUB_EXACT(q, k, low));
}
VEC_INLINE V vec_exp_power_f32(V shifted) { return VEC_W(frombits)(VEC_UW(shl)(VEC_W(bits)(shifted), 23)); }

/* Of any number; needed where 2^k is not a normal number. 2^k is 2^(k-1) * 2, or 2^(k+63) * 2^-63 for results
 * that may be subnormal; limits make the ends overflow and vanish. */
VEC_INLINE V vec_exp_edge_f32(V x)
{
    const V a = VEC_W(limit)(x, -104, 89);
    const M tiny = LT(a, C(-86));
    V       shifted;
    const V s = vec_exp_part_f32(a, &shifted), power = vec_exp_power_f32(ADD(shifted, SEL(tiny, C(63), C(-1))));
    return MUL(VEC_W(grow)(power, s), SEL(tiny, C(0x1p-63), C(2)));
}

/* Where |x| <= 86, or NaN. */
VEC_INLINE V vec_exp_near_f32(V x)
{
    V       shifted;
    const V s = vec_exp_part_f32(x, &shifted);
    return VEC_W(grow)(vec_exp_power_f32(shifted), s);
}

/** exp - Max error: 0.97 ULP (all numbers). */
VEC_INLINE V vec_exp_f32(V x)
{
    const M edge = VEC_W(mask_not)(LE(ABS(x), C(86)));
    const V e = vec_exp_near_f32(x);
#if defined(STRIA_IR_SHORT)
    return SEL(edge, vec_exp_edge_f32(x), e); /* src/wasm/encode.c makes a branch of it */
#else
    return VEC_W(mask_any)(edge) ? vec_exp_edge_f32(x) : e; /* the same bits where |x| <= 86 */
#endif
}

/* The same in loops over several vectors (quick.h), which look once for all of them whether *far, the largest magnitude of each
 * lane, says that vec_exp_f32 is needed. */
VEC_INLINE V vec_exp_quick_f32(V x, V *far)
{
    *far = VEC_W(farther)(*far, x);
    return vec_exp_near_f32(x);
}
VEC_INLINE int vec_exp_is_far_f32(V far) { return VEC_W(mask_any)(VEC_W(mask_not)(LE(far, C(86)))); }

/**
 * tanh - Max error: 0.93 ULP (all numbers). An odd polynomial below 3/4, above 1 - 2 / (e^(2|x|) + 1). Of the latter, what
 * the sum e^(2|x|) + 1 and the difference lose in rounding is added again. The sign of zero stays.
 */
VEC_INLINE V vec_tanh_f32(V x)
{
    const V a = ABS(x), z = MUL(x, x);
    const V near = ADD(x, MUL(x, MUL(z, POLY_5(z, -0x1.555554p-2, 0x1.11101ep-3, -0x1.b9d21p-5, 0x1.61f81ep-6,
                                               -0x1.035abap-7, 0x1.f16082p-10))));
    const M far = LE(C(0.75), a);
    V       shifted;

    if (!VEC_W(mask_any)(far)) return COPYSIGN(near, x);
    const V half = SEL(LT(a, C(9.25)), a, C(9.25)), s = vec_exp_part_f32(ADD(half, half), &shifted);
    const V power = vec_exp_power_f32(shifted), head = ADD(power, C(1)), tail = MUL(power, s), sum = ADD(head, tail),
            lost = SUB(tail, SUB(sum, head));
    const V t = DIV(C(2), sum), y = SUB(C(1), t), rest = SUB(SUB(C(1), y), t);
    const V r = ADD(y, ADD(rest, MUL(MUL(t, t), MUL(lost, C(0.5)))));
    return COPYSIGN(SEL(far, r, near), x);
}

/**
 * log - Max error: 0.9 ULP. log(x) = k ln 2 + log(1 + f), sqrt(1/2) <= 1 + f < sqrt(2). log(-0) = log(0) = -infinity,
 * NaN below zero.
 */
VEC_INLINE V vec_log_f32(V x)
{
    const M     small = LT(x, C(0x1p-126));
    const VEC_U u = VEC_W(bits)(SEL(small, MUL(x, C(0x1p23)), x)), above = VEC_UW(sub)(u, VEC_UW(set)(0x3f3504f3));
    const V     exponent = VEC_W(fromint)(vec_shr_i32(vec_i32_from_u32(above), 23));
    const V     k = ADD(exponent, SEL(small, C(-23), C(0)));
    const V     f = SUB(VEC_W(frombits)(VEC_UW(sub)(u, VEC_UW(and)(above, VEC_UW(set)(0xff800000u)))), C(1));
    const V     square = MUL(f, f);
    const V     q = MUL(MUL(f, square), POLY_8(f, 0x1.555554p-2, -0x1.fffff8p-3, 0x1.999d46p-3, -0x1.555c9p-3,
                                               0x1.23d502p-3, -0x1.fcbe8p-4, 0x1.de37bep-4, -0x1.d786ecp-4, 0x1.204a7ep-4));
    const V     rest = SUB(SUB(MUL(C(0.5), square), q), MUL(k, C(0x1.7f7d1cp-20)));
    return VEC_W(log_special)(x, ADD(MUL(k, C(0x1.62e4p-1)), SUB(f, rest)));
}

/** rsqrt - Max error: 0.86 ULP. NaN below zero. */
VEC_INLINE V vec_rsqrt_f32(V x) { return VEC_W(inverse_root)(x, 0x1p64f, 0x1p32f); }
#include "vec_math_end.h"

/* ---------------------------------------------------------------- in w64 lanes */

#define VEC_T w64
#include "vec_math_begin.h"

/* 2^z - 1 = power * rest + (power - 1), |z| < 1000; rest has the relative precision of 2^-32, also near 0. */
VEC_INLINE V VEC_W(exp2_parts)(V z, V *power)
{
    const V shifted = ADD(z, C(0x1.8p52)), f = SUB(z, SUB(shifted, C(0x1.8p52)));
    *power = VEC_W(frombits)(VEC_UW(add)(VEC_UW(shl)(VEC_W(bits)(shifted), 52), VEC_UW(set)(1023ull << 52)));
    return MUL(f, POLY_6(f, 0x1.62e42fefd33f9p-1, 0x1.ebfbe04547a9p-3, 0x1.c6b08cb12d957p-5, 0x1.3b2a1c16bd9bfp-7,
                         0x1.5d88bdd859614p-10, 0x1.443f81c50002ep-13, 0x1.ffcbdd8236ab6p-17));
}
VEC_INLINE V VEC_W(exp2)(V z)
{
    V       power;
    const V rest = VEC_W(exp2_parts)(VEC_W(limit)(z, -500, 500), &power);
    return ADD(power, MUL(power, rest));
}
VEC_INLINE V VEC_W(expm1)(V x)
{
    V       power;
    const V rest = VEC_W(exp2_parts)(VEC_W(limit)(MUL(x, C(0x1.71547652b82fep0)), -100, 500), &power);
    return COPYSIGN(ADD(MUL(power, rest), SUB(power, C(1))), x);
}
VEC_INLINE V VEC_W(exp_scaled)(V x, double scale) { return VEC_W(exp2)(MUL(x, C(scale * 0x1.71547652b82fep0))); }

/* Positive x, not subnormal, as 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2). */
VEC_INLINE V VEC_W(log_parts)(V x, V *k)
{
    const VEC_U u = VEC_W(bits)(x), above = VEC_UW(sub)(u, VEC_UW(set)(0x3fe6a09e667f3bcdull));
    const VEC_U whole = VEC_UW(and)(above, VEC_UW(set)(0xfff0000000000000ull));
    /* the biased exponent, put into the lower bits of 2^52 */
    const VEC_U biased = VEC_UW(shr)(VEC_UW(add)(whole, VEC_UW(set)(1023ull << 52)), 52);
    *k = SUB(VEC_W(frombits)(VEC_UW(or)(biased, VEC_UW(set)(0x4330000000000000ull))), C(0x1p52 + 1023));
    return SUB(VEC_W(frombits)(VEC_UW(sub)(u, whole)), C(1));
}
VEC_INLINE V VEC_W(log2_positive)(V x)
{
    V       k;
    const V f = VEC_W(log_parts)(x, &k);
    return ADD(
        k, MUL(f, POLY_11(f, 0x1.71547652efaf9p0, -0x1.7154767bd3c51p-1, 0x1.ec709c007efecp-2, -0x1.715435bbff54bp-2,
                          0x1.277732b975f22p-2, -0x1.ec8d8411168adp-3, 0x1.a615e27d1081dp-3, -0x1.6eaf2cf97c11cp-3,
                          0x1.45a067531eb84p-3, -0x1.418460118830dp-3, 0x1.3d3497939af16p-3, -0x1.61bd998fbaa3cp-4)));
}
VEC_INLINE V VEC_W(log2)(V x) { return VEC_W(log_special)(x, VEC_W(log2_positive)(x)); }
VEC_INLINE V VEC_W(log10)(V x) { return VEC_W(log_special)(x, MUL(C(0x1.34413509f79ffp-2), VEC_W(log2_positive)(x))); }

/* What 1 + x loses in rounding counts only where log(1 + x) is about x. */
VEC_INLINE V VEC_W(log1p)(V x)
{
    const V u = ADD(C(1), x), lost = SEL(LT(x, C(1)), SUB(x, SUB(u, C(1))), C(0));
    const V r = ADD(MUL(C(0x1.62e42fefa39efp-1), VEC_W(log2_positive)(u)), lost);
    return COPYSIGN(VEC_W(log_special)(u, r), x);
}

/* log2|x| to 2^-45, for y times it may be 150: 2 atanh(s) / ln 2, s = f / (2 + f). */
VEC_INLINE V VEC_W(pow)(V x, V y)
{
    V       k;
    const V f = VEC_W(log_parts)(ABS(x), &k), s = DIV(f, ADD(C(2), f)), z = MUL(s, s);
    const V l = ADD(k, MUL(s, POLY_5(z, 0x1.71547652b8251p1, 0x1.ec709dc53ce55p-1, 0x1.2776c29288583p-1,
                                     0x1.a61a2f6dde01ep-2, 0x1.4795395539679p-2, 0x1.21b2a6d45c34fp-2)));
    return VEC_W(pow_special)(x, y, VEC_W(exp2)(MUL(y, l)));
}

VEC_INLINE V VEC_W(cbrt)(V x)
{
    const V r = VEC_W(exp2)(MUL(C(1.0 / 3), VEC_W(log2_positive)(ABS(x))));
    return SEL(NE(x, x), x, COPYSIGN(r, x));
}

/* ---- sine, cosine: of an angle r in [-pi/2, pi/2] that has the sine wanted, so that one polynomial serves */

/* r with sin(r) = sin(x), or, if is_cosine, sin(r) = cos(x); x a number of f32. r = x - n pi, or x - (n + 1/2) pi, its sign
 * changed for odd n; up to 2^23 the product with the high part of pi is exact. */
VEC_INLINE V VEC_W(sine_angle)(V x, int is_cosine)
{
    const M huge = LT(C(0x1p23), ABS(x));
    const V n = MUL(x, C(0x1.45f306dc9c883p-2)), shifted = ADD(is_cosine ? ADD(n, C(0.5)) : n, C(0x1.8p52));
    const V whole = SUB(shifted, C(0x1.8p52)), half_turns = is_cosine ? SUB(whole, C(0.5)) : whole;
    V       r = SUB(SUB(x, MUL(half_turns, C(0x1.921fb54p1))), MUL(half_turns, C(0x1.10b4611a62633p-29)));

    r = VEC_W(frombits)(VEC_UW(xor)(VEC_W(bits)(r), VEC_UW(shl)(VEC_W(bits)(shifted), 63)));
    if (VEC_W(mask_any)(huge)) {
        const M finite = AND(huge, LT(ABS(x), C(INFINITY)));
        V       q;
        const V rest = VEC_W(reduce_huge)(SEL(finite, x, C(0x1p23)), &q).hi;
        const M odd = is_cosine ? OR(EQ(q, C(0)), EQ(q, C(2))) : OR(EQ(q, C(1)), EQ(q, C(3)));
        const M minus = is_cosine ? OR(EQ(q, C(1)), EQ(q, C(2))) : LE(C(2), q);
        const V y = SEL(odd, SUB(C(0x1.921fb54442d18p0), ABS(rest)), rest);
        r = SEL(finite, SEL(minus, NEG(y), y), r);
    }
    return r;
}
VEC_INLINE V VEC_W(sine)(V r)
{
    const V z = MUL(r, r);
    return MUL(r, POLY_5(z, 0x1.ffffffffd17a1p-1, -0x1.555555417492cp-3, 0x1.11110b7471701p-7, -0x1.a017a8eb4e55cp-13,
                         0x1.716ba29f325a5p-19, -0x1.9a0de3d1fd338p-26));
}
VEC_INLINE V VEC_W(sin)(V x) { return VEC_W(sine)(VEC_W(sine_angle)(x, 0)); }
VEC_INLINE V VEC_W(cos)(V x) { return VEC_W(sine)(VEC_W(sine_angle)(x, 1)); }
VEC_INLINE V VEC_W(tan)(V x) { return DIV(VEC_W(sin)(x), VEC_W(cos)(x)); }

/* Angle of the point (x, y): atan of the smaller by the larger, q, or pi/4 + atan((q - 1) / (q + 1)) for q > tan(pi/8). */
VEC_INLINE V VEC_W(atan2)(V y, V x)
{
    const V ay = VEC_W(limit)(ABS(y), 0, 0x1p300), ax = VEC_W(limit)(ABS(x), 0, 0x1p300); /* for infinities */
    const M steep = LT(ax, ay);
    const V n = SEL(steep, ax, ay), d = SEL(steep, ay, ax);
    const M wide = LT(MUL(d, C(0x1.a827999fcef32p-2)), n);
    const V below = SEL(wide, ADD(n, d), d);
    const V q = DIV(SEL(wide, SUB(n, d), n), SEL(EQ(below, C(0)), C(1), below)), z = MUL(q, q);
    V a = MUL(q, POLY_6(z, 0x1.ffffffffd1bc2p-1, -0x1.555554849e461p-2, 0x1.9998ff607a712p-3, -0x1.247ccb7fd1af6p-3,
                        0x1.c43a8a67e43aep-4, -0x1.5a68a28f43badp-4, 0x1.81c14b56d225fp-5));
    a = SEL(wide, ADD(C(0x1.921fb54442d18p-1), a), a);
    a = SEL(steep, SUB(C(0x1.921fb54442d18p0), a), a);
    a = SEL(VEC_W(is_negative)(x), SUB(C(0x1.921fb54442d18p1), a), a);
    return COPYSIGN(a, y);
}
VEC_INLINE V VEC_W(atan)(V x) { return VEC_W(atan2)(x, C(1)); }
VEC_INLINE V VEC_W(asin)(V x) { return VEC_W(atan2)(x, SQRT(SUB(C(1), MUL(x, x)))); }
VEC_INLINE V VEC_W(acos)(V x) { return VEC_W(atan2)(SQRT(SUB(C(1), MUL(x, x))), x); }

/* ---- hyperbolic functions, from t = exp - 1 */

VEC_INLINE V VEC_W(sinh)(V x)
{
    const V t = VEC_W(expm1)(VEC_W(limit)(ABS(x), 0, 100));
    return COPYSIGN(MUL(C(0.5), ADD(t, DIV(t, ADD(t, C(1))))), x);
}
VEC_INLINE V VEC_W(cosh)(V x)
{
    const V e = VEC_W(exp_scaled)(VEC_W(limit)(ABS(x), 0, 100), 1);
    return MUL(C(0.5), ADD(e, DIV(C(1), e)));
}
VEC_INLINE V VEC_W(asinh)(V x)
{
    const V a = ABS(x), square = MUL(a, a);
    const V r = VEC_W(log1p)(ADD(a, DIV(square, ADD(C(1), SQRT(ADD(C(1), square))))));
    return COPYSIGN(SEL(LT(a, C(INFINITY)), r, a), x);
}
VEC_INLINE V VEC_W(acosh)(V x)
{
    const V t = SUB(x, C(1)), r = VEC_W(log1p)(ADD(t, SQRT(MUL(t, ADD(t, C(2))))));
    return SEL(LT(x, C(1)), C(NAN), r);
}
VEC_INLINE V VEC_W(atanh)(V x)
{
    const V a = ABS(x);
    return COPYSIGN(MUL(C(0.5), VEC_W(log1p)(DIV(ADD(a, a), SUB(C(1), a)))), x);
}

/* ---- logistic and error functions */

VEC_INLINE V VEC_W(sigmoid)(V x) { return DIV(C(1), ADD(C(1), VEC_W(exp_scaled)(x, -1))); }

/* x / (1 + exp(-2 u)), u = sqrt(2/pi) (x + 0.044715 x^3). -infinity gives -0. */
VEC_INLINE V VEC_W(gelu_tanh)(V x)
{
    const V a = VEC_W(limit)(x, -20, INFINITY), b = VEC_W(limit)(a, -20, 20);
    const V u = MUL(b, POLY_1(MUL(b, b), 0x1.9884533d43651p0, 0x1.2444f2a4d8b4bp-4));
    return DIV(a, ADD(C(1), VEC_W(exp_scaled)(u, -1)));
}

/* erfc(z) for 0 <= z <= 10.5; a polynomial in (z - 4) / (z + 4): Shepherd & Laframboise, Chebyshev approximation of
 * (1 + 2x) exp(x^2) erfc x, Math. Comp. 36 (1981). */
VEC_INLINE V VEC_W(erfc_positive)(V z)
{
    const V t = DIV(C(1), ADD(z, C(4))), q = MUL(SUB(z, C(4)), t);
    const V p = POLY_12(q, 0x1.18932bf067dcbp0, -0x1.f3fe31ef7194p-1, 0x1.8be203112da9ep-1, -0x1.14eaca5dabc36p-1,
                        0x1.52cab2a5b2958p-2, -0x1.646022cdc783fp-3, 0x1.38de5edce01fcp-4, -0x1.aff12e9f2f652p-6,
                        0x1.9003da3977732p-8, -0x1.4911ac9a91a78p-12, -0x1.e4cac238fb98cp-12, 0x1.e9fe45e9d4158p-13,
                        0x1.00176d933056p-14);
    return MUL(MUL(t, p), VEC_W(exp_scaled)(MUL(z, z), -1));
}
VEC_INLINE V VEC_W(erf)(V x)
{
    const V a = VEC_W(limit)(ABS(x), 0, 5), z = MUL(x, x);
    const V near = MUL(x, POLY_5(z, 0x1.20dd75041ae87p0, -0x1.8127466e1a5a2p-2, 0x1.ce2ef197d221bp-4,
                                 -0x1.b8201381bf6c7p-6, 0x1.54ce63b6635bfp-8, -0x1.934f62c239025p-11));
    return SEL(LT(a, C(0.5)), near, COPYSIGN(SUB(C(1), VEC_W(erfc_positive)(a)), x));
}
VEC_INLINE V VEC_W(erfc)(V x)
{
    const V r = VEC_W(erfc_positive)(VEC_W(limit)(ABS(x), 0, 10.4));
    return SEL(LT(x, C(0)), SUB(C(2), r), r);
}
/* x erfc(-x / sqrt(2)) / 2. -infinity gives -0. */
VEC_INLINE V VEC_W(gelu)(V x)
{
    const V a = VEC_W(limit)(x, -14.7, INFINITY);
    const V tail = MUL(C(0.5), VEC_W(erfc_positive)(MUL(VEC_W(limit)(ABS(x), 0, 14.7), C(0x1.6a09e667f3bcdp-1))));
    return MUL(a, SEL(LT(a, C(0)), tail, SUB(C(1), tail)));
}
#include "vec_math_end.h"

#define VEC_MATH_1(name) \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a) { return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a))); }
#define VEC_MATH_2(name)                                                             \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a, vec_f32 b)                        \
    {                                                                                \
        return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a), vec_widen_f32(b))); \
    }
VEC_MATH_1(exp2)
VEC_MATH_1(expm1)
VEC_MATH_1(log2)
VEC_MATH_1(log10)
VEC_MATH_1(log1p)
VEC_MATH_2(pow)
VEC_MATH_1(cbrt)
VEC_MATH_1(sin)
VEC_MATH_1(cos)
VEC_MATH_1(tan)
VEC_MATH_1(asin)
VEC_MATH_1(acos)
VEC_MATH_1(atan)
VEC_MATH_2(atan2)
VEC_MATH_1(sinh)
VEC_MATH_1(cosh)
VEC_MATH_1(asinh)
VEC_MATH_1(acosh)
VEC_MATH_1(atanh)
VEC_MATH_1(sigmoid)
VEC_MATH_1(gelu)
VEC_MATH_1(gelu_tanh)
VEC_MATH_1(erf)
VEC_MATH_1(erfc)
#undef VEC_MATH_1
#undef VEC_MATH_2
