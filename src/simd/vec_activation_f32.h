/* vec_activation_f32.h - activations of neural networks, of f32: in w64 lanes, rounded once. The
 * words of vec_math_f32.h are there. */
#define VEC_T w64
#include "vec_math_begin.h"

VEC_INLINE V VEC_W(softsign)(V x) { return DIV(x, ADD(C(1), ABS(x))); }
/* six times the slope of hardswish */
VEC_INLINE V VEC_W(slope_6)(V x) { return VEC_W(limit)(ADD(x, C(3)), 0, 6); }
VEC_INLINE V VEC_W(hardsigmoid)(V x) { return MUL(VEC_W(slope_6)(x), C(0x1.5555555555555p-3)); }
VEC_INLINE V VEC_W(hardswish)(V x) { return MUL(MUL(x, VEC_W(slope_6)(x)), C(0x1.5555555555555p-3)); }

/* log(1 + e^x). -infinity gives 0, or what is below every f32. */
VEC_INLINE V VEC_W(log1pexp)(V x)
{
    return ADD(SEL(LT(C(0), x), x, SEL(NE(x, x), x, C(0))), VEC_W(log1p)(VEC_W(exp_scaled)(ABS(x), -1)));
}
VEC_INLINE V VEC_W(logsigmoid)(V x) { return NEG(VEC_W(log1pexp)(NEG(x))); }
/* log(1 + e^(b x)) / b; x where b x is above the threshold. */
VEC_INLINE V VEC_W(softplus)(V x, V b, V threshold)
{
    const V w = MUL(x, b);
    return SEL(LT(threshold, w), x, DIV(VEC_W(log1pexp)(w), b));
}

/* -infinity gives -0, as gelu's. */
VEC_INLINE V VEC_W(silu)(V x)
{
    const V a = VEC_W(limit)(x, -120, INFINITY);
    return DIV(a, ADD(C(1), VEC_W(exp_scaled)(a, -1)));
}
/* x tanh(log(1 + e)) = x n / (n + 2), n = e (e + 2), e = e^x. */
VEC_INLINE V VEC_W(mish)(V x)
{
    const V a = VEC_W(limit)(x, -120, INFINITY), e = VEC_W(exp_scaled)(VEC_W(limit)(a, -120, 60), 1);
    const V n = MUL(e, ADD(e, C(2)));
    return MUL(a, DIV(n, ADD(n, C(2))));
}

VEC_INLINE V VEC_W(elu)(V x, V alpha) { return SEL(LT(C(0), x), x, MUL(alpha, VEC_W(expm1)(x))); }
VEC_INLINE V VEC_W(celu)(V x, V alpha)
{
    const V q = DIV(x, alpha), e = SEL(LT(C(1000), q), C(INFINITY), VEC_W(expm1)(q));
    return SEL(LT(C(0), x), x, MUL(alpha, e));
}
/* scale x, or scale alpha (e^x - 1): Klambauer et al., Self-Normalizing Neural Networks, arXiv:1706.02515. */
VEC_INLINE V VEC_W(selu)(V x)
{
    return SEL(LT(C(0), x), MUL(C(0x1.0cfabd6a91132p0), x), MUL(C(0x1.c212cc640f031p0), VEC_W(expm1)(x)));
}
/* x - tanh(x): below 1/2 an odd polynomial from x^3 / 3 on (tools/vec_special.py), above x - 1 + 2 / (e^(2x) + 1). */
VEC_INLINE V VEC_W(tanhshrink)(V x)
{
    const V a = ABS(x), square = MUL(a, a);
    const V near = MUL(MUL(a, square), POLY_6(square, 0x1.5555555555555p-2, -0x1.1111110da0518p-3, 0x1.ba1b93e1cf39cp-5,
                                              -0x1.664abd5c6ebb9p-6, 0x1.21e164320cfa2p-7, -0x1.c72d5821195e2p-9,
                                              0x1.133f601a392b2p-10));
    const V e = VEC_W(exp_scaled)(SEL(LT(a, C(40)), a, C(40)), 2), far = ADD(SUB(a, C(1)), DIV(C(2), ADD(e, C(1))));
    return COPYSIGN(SEL(LT(a, C(0.5)), near, far), x);
}
#include "vec_math_end.h"

#define VEC_MATH_1(name) \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a) { return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a))); }
#define VEC_MATH_2(name)                                                             \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a, vec_f32 b)                        \
    {                                                                                \
        return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a), vec_widen_f32(b))); \
    }
#define VEC_MATH_3(name)                                                                               \
    VEC_INLINE vec_f32 vec_##name##_f32(vec_f32 a, vec_f32 b, vec_f32 c)                               \
    {                                                                                                  \
        return vec_narrow_w64(vec_##name##_w64(vec_widen_f32(a), vec_widen_f32(b), vec_widen_f32(c))); \
    }
VEC_MATH_1(softsign)
VEC_MATH_1(hardsigmoid)
VEC_MATH_1(hardswish)
VEC_MATH_1(logsigmoid)
VEC_MATH_3(softplus)
VEC_MATH_1(silu)
VEC_MATH_1(mish)
VEC_MATH_2(elu)
VEC_MATH_2(celu)
VEC_MATH_1(selu)
VEC_MATH_1(tanhshrink)
#undef VEC_MATH_1
#undef VEC_MATH_2
#undef VEC_MATH_3
