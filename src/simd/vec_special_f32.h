/* vec_special_f32.h - further functions of f32: in w64 lanes, rounded once. The words of vec_math_f32.h and vec_activation_f32.h
 * are there. */
#define VEC_T w64
#include "vec_math_begin.h"

VEC_INLINE V VEC_W(log)(V x) { return VEC_W(log_special)(x, MUL(C(0x1.62e42fefa39efp-1), VEC_W(log2_positive)(x))); }

VEC_INLINE V VEC_W(exp10)(V x) { return VEC_W(exp2)(MUL(x, C(0x1.a934f0979a371p1))); }

/* x 2^n; n may have a fraction. */
VEC_INLINE V VEC_W(ldexp)(V x, V n)
{
    const V power = SEL(VEC_W(isinf)(n), SEL(LT(C(0), n), C(INFINITY), C(0)), VEC_W(exp2)(n));
    return MUL(x, power);
}

VEC_INLINE V VEC_W(hypot)(V x, V y)
{
    const V r = SQRT(ADD(MUL(x, x), MUL(y, y)));
    return SEL(OR(VEC_W(isinf)(x), VEC_W(isinf)(y)), C(INFINITY), r);
}

/* sin(pi x) / (pi x): the angle is pi times what x is beyond a whole number, whose parity gives the sign. */
VEC_INLINE V VEC_W(sinc)(V x)
{
    const V f = SUB(x, VEC_W(rint)(x));
    const V parity = VEC_W(frombits)(VEC_UW(shl)(VEC_W(bits)(ADD(x, C(0x1.8p52))), 63));
    const V s = VEC_W(sine)(MUL(f, C(0x1.921fb54442d18p1)));
    const V y = VEC_W(frombits)(VEC_UW(xor)(VEC_W(bits)(s), VEC_W(bits)(parity)));
    const V r = DIV(y, SEL(EQ(x, C(0)), C(1), MUL(x, C(0x1.921fb54442d18p1))));
    return SEL(EQ(x, C(0)), C(1), SEL(EQ(f, C(0)), C(0), r));
}

/* x log(y), 0 for x = 0; NaN where y is. */
VEC_INLINE V VEC_W(xlogy)(V x, V y) { return SEL(NE(y, y), y, SEL(EQ(x, C(0)), C(0), MUL(x, VEC_W(log)(y)))); }

/* The larger plus log(1 + exp(-|x - y|)), and the same with base 2. */
VEC_INLINE V VEC_W(distance)(V x, V y) { return SEL(EQ(x, y), C(0), ABS(SUB(x, y))); }
VEC_INLINE V VEC_W(logaddexp)(V x, V y)
{
    return ADD(SEL(LT(x, y), y, x), VEC_W(log1p)(VEC_W(exp_scaled)(VEC_W(distance)(x, y), -1)));
}
VEC_INLINE V VEC_W(logaddexp2)(V x, V y)
{
    const V l = VEC_W(log1p)(VEC_W(exp2)(NEG(VEC_W(distance)(x, y))));
    return SEL(EQ(x, y), ADD(x, C(1)), ADD(SEL(LT(x, y), y, x), MUL(l, C(0x1.71547652b82fep0))));
}

/* log(x / (1 - x)), x limited to [eps, 1 - eps] first, if eps is not NaN. */
VEC_INLINE V VEC_W(logit)(V x, V eps)
{
    const V most = SUB(C(1), eps), p = SEL(LT(x, eps), eps, SEL(LT(most, x), most, x));
    return VEC_W(log)(DIV(p, SUB(C(1), p)));
}

/* erfc(-x / sqrt(2)) / 2 */
VEC_INLINE V VEC_W(ndtr)(V x)
{
    const V tail = MUL(C(0.5), VEC_W(erfc_positive)(MUL(VEC_W(limit)(ABS(x), 0, 14.7), C(0x1.6a09e667f3bcdp-1))));
    return SEL(LT(x, C(0)), tail, SUB(C(1), tail));
}

/* ---------------------------------------------------------------- inverse error function, Bessel function, gamma functions
 *
 * Polynomials: tools/vec_special.py. */

/** erfinv - Max error: 0.7 ULP. x times a function of l = -log2(1 - x^2), from l = 8 on of its root. */
VEC_INLINE V VEC_W(erfinv)(V x)
{
    const V a = ABS(x), rest = MUL(SUB(C(1), a), ADD(C(1), a));
    const V l = NEG(VEC_W(log2_positive)(SEL(LT(C(0), rest), rest, C(1)))), t = SUB(l, C(4)), s = SUB(SQRT(l), C(5));
    const V near = POLY_14(t, 0x1.917c82d51b45dp+0, 0x1.5a847fdc6b722p-3, -0x1.4186f254e1060p-9, -0x1.64185523de97ep-12,
                           0x1.92b872be4054cp-15, -0x1.a62e3f15b68c9p-20, -0x1.28d3e15bb37a3p-22, 0x1.3e0542f9e29e3p-25,
                           -0x1.2162e3d5ce28bp-31, -0x1.49fa73c1ed611p-32, 0x1.f943c429f0ef0p-36, 0x1.af576507f4e38p-41,
                           -0x1.5c8ae2440d7cap-42, 0x1.ce9b2277af81bp-48, 0x1.bc224b7495fd0p-50);
    const V far = POLY_14(s, 0x1.0043b2a325baep+2, 0x1.ae7652df3f03dp-1, 0x1.407f89ddf66d8p-11, -0x1.9f97dfc34b889p-12,
                          0x1.e9cef9117ff84p-14, -0x1.089be2315b43ap-15, 0x1.4f28cec96ee83p-17, -0x1.02491d7a4a20ep-18,
                          0x1.f7c6d09ad606dp-20, -0x1.1dde560cce53cp-20, 0x1.cad1c592066e7p-22, -0x1.ea30cdbb18835p-25,
                          -0x1.9190742217630p-26, 0x1.52a61fb51939dp-27, -0x1.264010586dc12p-30);
    const V r = MUL(x, SEL(LT(l, C(8)), near, far));
    return SEL(EQ(a, C(1)), COPYSIGN(C(INFINITY), x), SEL(LT(C(1), a), C(NAN), r));
}

VEC_INLINE V VEC_W(i0)(V x)
{
    const V a = ABS(x), b = SEL(LT(a, C(100)), a, C(100)), t = SUB(MUL(MUL(b, b), C(0.0625)), C(2));
    const V u = DIV(C(1), SEL(LT(b, C(8)), C(8), b));
    const V near = POLY_15(t, 0x1.89ab1e79fc6a7p+5, 0x1.f8c62327da1e1p+5, 0x1.0b7995b005e2fp+5, 0x1.3c6611f51af97p+3,
                           0x1.dd563dcb7921dp+0, 0x1.f17946c8c2984p-3, 0x1.7a643dd8057a5p-6, 0x1.b5892bf238a28p-10,
                           0x1.8cd44af22f0a7p-14, 0x1.21780717615ebp-18, 0x1.5aaf0628904dap-23, 0x1.5ab6520016516p-28,
                           0x1.25bbf18f81859p-33, 0x1.aada804d0a8b4p-39, 0x1.0df85ae4e9745p-44, 0x1.294193ed78270p-50);
    const V far = MUL(MUL(VEC_W(exp_scaled)(b, 1), SQRT(u)),
                      POLY_7(u, 0x1.9884533c5b2d0p-2, 0x1.9884703d9d977p-5, 0x1.cb6efb3b38706p-6, 0x1.e8183aee4cb84p-6,
                             0x1.be3d123ddf20fp-6, 0x1.7dca9a040000ap-2, -0x1.0f54b47679631p+1, 0x1.20ede94d34bdep+3));
    return SEL(NE(x, x), x, SEL(LT(b, C(8)), near, far));
}

/* log|gamma(x)|, x >= 0, x = 0 as infinity. */
VEC_INLINE V VEC_W(lgamma_positive)(V x)
{
    const M low = LT(x, C(0.5)), high = LE(C(8), x);
    const V y = SEL(low, ADD(x, C(1)), x), l = VEC_W(log)(y), t = SUB(SEL(high, C(1), l), C(0.6875));
    const V ratio =
        POLY_14(t, 0x1.4458d8b1e43a7p+0, 0x1.f056e46606834p-3, 0x1.db9f6f3175cccp-4, 0x1.7e252173e24e4p-10,
                -0x1.aa390d009ec64p-10, -0x1.ec291726c8f0ap-14, 0x1.2306b55b79b33p-15, 0x1.da58bb2460171p-18,
                -0x1.3386714a7b0b2p-20, -0x1.7cfc3577ce2ecp-22, 0x1.156a63b19a5e1p-24, 0x1.fe493717e389bp-27,
                -0x1.21e254571dc98p-28, -0x1.d8c1dece0e1a5p-32, 0x1.b3579c8f9c644p-33);
    const V p = DIV(MUL(MUL(SUB(y, C(1)), SUB(y, C(2))), ratio), ADD(y, C(1)));
    const V z = DIV(C(1), y), w = MUL(z, z);
    const V rest = MUL(z, POLY_5(w, 0x1.5555555555553p-4, -0x1.6c16c16bb630dp-9, 0x1.a019fd3406f01p-11,
                                 -0x1.380ebd7243e93p-11, 0x1.b6fa4852c5f70p-11, -0x1.b1382377d788ap-10));
    const V far = ADD(SUB(MUL(SUB(y, C(0.5)), l), y), ADD(C(0x1.d67f1c864beb5p-1), rest));
    const V r = SEL(high, far, SEL(low, SUB(p, VEC_W(log)(x)), ADD(p, C(0))));
    return SEL(LT(x, C(INFINITY)), r, x);
}

/* log|gamma(x)|. Below 0 by reflection: log(pi / |x sin(pi x)|) - lgamma(|x|). Infinite at 0, -1, -2 .. */
VEC_INLINE V VEC_W(lgamma)(V x)
{
    const V a = ABS(x), f = SUB(x, VEC_W(rint)(x)), sine = VEC_W(sine)(MUL(ABS(f), C(0x1.921fb54442d18p1)));
    const V positive = VEC_W(lgamma_positive)(a), below = MUL(a, sine);
    const V reflected = SUB(VEC_W(log)(DIV(C(0x1.921fb54442d18p1), SEL(EQ(below, C(0)), C(1), below))), positive);
    const V negative = SEL(EQ(f, C(0)), C(INFINITY), SEL(VEC_W(isinf)(x), C(INFINITY), reflected));
    return SEL(LT(x, C(0)), negative, positive);
}

/** digamma - Max error: 1.9 ULP, more near the zeros below 0. The infinity at 0 has not its sign; NaN at -1, -2 .. */
VEC_INLINE V VEC_W(digamma_positive)(V x)
{
    const M low = LT(x, C(0.5)), high = LE(C(16), x);
    const V y = SEL(low, ADD(x, C(1)), x), l = VEC_W(log)(y), t = SUB(SEL(high, C(1), l), C(1.0625));
    const V ratio =
        POLY_17(t, 0x1.0ae73f0acd62bp+1, 0x1.8f46c30a7430ap-2, 0x1.3a8e41c98c332p-3, -0x1.61b6b41c36dbap-6,
                0x1.8fb720d753976p-9, -0x1.c14f30bb9c661p-11, 0x1.b3a3696d40c7ap-13, -0x1.c6afa586acc03p-16,
                0x1.908e947c05aeep-20, -0x1.97be8b31336ecp-22, 0x1.d079eb9a9946dp-23, -0x1.45758738d1455p-26,
                -0x1.73cfc73b06890p-26, 0x1.b18e16aa866cap-28, 0x1.9d4c4b5f78af0p-30, -0x1.b76d009eed319p-31,
                -0x1.9349ffa84a099p-35, 0x1.70c7fb31315ffp-35);
    const V p = DIV(MUL(SUB(SUB(y, C(0x1.762d86356be3fp+0)), C(0x1.b86a722197829p-54)), ratio), ADD(y, C(0.5)));
    const V z = DIV(C(1), y), w = MUL(z, z);
    const V far = SUB(SUB(l, MUL(C(0.5), z)), MUL(w, POLY_3(w, 0x1.555555555518ap-4, -0x1.111110d44ebd6p-7,
                                                            0x1.040de051cc7ebp-8, -0x1.0d3eae73a5ae5p-8)));
    const V r = SEL(high, far, SEL(low, SUB(p, DIV(C(1), x)), p));
    return SEL(VEC_W(isinf)(x), x, r);
}
VEC_INLINE V VEC_W(digamma)(V x)
{
    const M negative = LT(x, C(0));
    const V f = SUB(x, VEC_W(rint)(x)), angle = MUL(ABS(f), C(0x1.921fb54442d18p1));
    const V cosine = VEC_W(sine)(SUB(C(0x1.921fb54442d18p0), angle));
    const V cotangent = COPYSIGN(DIV(cosine, SEL(EQ(f, C(0)), C(1), VEC_W(sine)(angle))), f);
    const V positive = VEC_W(digamma_positive)(SEL(negative, SUB(C(1), x), x));
    const V reflected = SUB(positive, MUL(C(0x1.921fb54442d18p1), cotangent));
    const V below = SEL(OR(EQ(f, C(0)), VEC_W(isinf)(x)), C(NAN), reflected);
    return SEL(EQ(x, C(0)), COPYSIGN(C(INFINITY), NEG(x)), SEL(negative, below, positive));
}
#include "vec_math_end.h"

#define VEC_MATH_1(name) \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a) { return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a))); }
#define VEC_MATH_2(name)                                                             \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a, vec_f32 b)                        \
    {                                                                                \
        return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a), vec_widen_f32(b))); \
    }
VEC_MATH_1(exp10)
VEC_MATH_2(ldexp)
VEC_MATH_2(hypot)
VEC_MATH_1(sinc)
VEC_MATH_2(xlogy)
VEC_MATH_2(logaddexp)
VEC_MATH_2(logaddexp2)
VEC_MATH_2(logit)
VEC_MATH_1(ndtr)
VEC_MATH_1(erfinv)
VEC_MATH_1(i0)
VEC_MATH_1(lgamma)
VEC_MATH_1(digamma)
#undef VEC_MATH_1
#undef VEC_MATH_2
