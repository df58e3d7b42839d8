/* formulas.h - parts of the formulas of rules.def that are too long for a line. Internal; for the file that reads rules.def. */
#ifndef STRIA_FORMULAS_H
#define STRIA_FORMULAS_H

#include "autograd/rule.h"

/* c[0] + c[1] x + .. + c[n - 1] x^(n - 1) */
static inline stria_term stria_formula_polynomial(const double *c, int n, stria_term x)
{
    stria_term sum = N(c[n - 1]);

    for (int k = n - 2; k >= 0; k--) sum = r_add(r_mul(sum, x), N(c[k]));
    return sum;
}

/* x, but 0 where it is above: what a formula takes the exponential of where it then chooses another value. */
static inline stria_term stria_formula_below(stria_term x) { return r_where(r_le(x, N(0)), x, N(0)); }

/* The normal distribution at x. */
static inline stria_term stria_formula_normal(stria_term x)
{
    return r_mul(N(0.39894228040143268), r_exp(r_mul(N(-0.5), r_square(x))));
}

/* d gelu_tanh: a sigmoid(2 u), u = k (a + c a^3), has the derivative s (1 + 2 a u' (1 - s)). */
static inline stria_term stria_formula_gelu_tanh(stria_term a)
{
    const double k = 0.79788456080286536, c = 0.044715;
    stria_term   square = r_square(a);
    stria_term   s = r_sigmoid(r_mul(r_mul(N(2 * k), a), r_add(N(1), r_mul(N(c), square))));
    stria_term   rise = r_mul(r_mul(N(2 * k), a), r_add(N(1), r_mul(N(3 * c), square)));

    return r_mul(s, r_add(N(1), r_mul(rise, r_sub(N(1), s))));
}

static inline stria_term stria_formula_silu(stria_term a)
{
    stria_term s = r_sigmoid(a);

    return r_mul(s, r_add(N(1), r_mul(a, r_sub(N(1), s))));
}

static inline stria_term stria_formula_mish(stria_term a)
{
    stria_term t = r_tanh(r_neg(r_logsigmoid(r_neg(a)))); /* of softplus */

    return r_add(t, r_mul(r_mul(a, r_sigmoid(a)), r_sub(N(1), r_square(t))));
}

/* d sinc = (cos(t) - sin(t) / t) / a, t = pi a. Near 0, where that cancels, its series: pi times the sum of (-1)^k 2k t^(2k - 1) / (2k + 1)!. */
static inline stria_term stria_formula_sinc(stria_term a)
{
    static const double series[] = {-1.0 / 3,       1.0 / 30,        -1.0 / 840,         1.0 / 45360,
                                    -1.0 / 3991680, 1.0 / 518918400, -1.0 / 93405312000, 1.0 / 22230464256000};
    stria_term          t = r_mul(N(3.1415926535897932), a);
    stria_term          is_near = r_lt(r_abs(a), N(0.25)), away = r_where(is_near, N(1), a);
    stria_term          near = r_mul(r_mul(N(3.1415926535897932), t), stria_formula_polynomial(series, 8, r_square(t)));

    return r_where(is_near, near, r_div(r_sub(r_cos(t), r_sinc(a)), away));
}

/* I1, the derivative of I0: up to 8 its power series, then exp(x) / sqrt(x) times a polynomial in 16 / x - 1 (tools/vec_special.py). */
static inline stria_term stria_formula_i1(stria_term a)
{
    static const double above[] = {
        0x1.8ebe783a84030p-2,   -0x1.3f796198ee628p-7,  -0x1.cbc54df1ece76p-13, -0x1.f89c23066d278p-17,
        -0x1.ec8e101744487p-20, -0x1.76137e6905189p-22, -0x1.ad8db6e1fecbbp-24, -0x1.727a73a8063a8p-25,
        -0x1.9180f82a1d429p-26, -0x1.21895bb7ba33fp-27, 0x1.cd81846fb3ff1p-28,  0x1.e20e7d69649cap-27,
        0x1.9f203cf2783b7p-28,  -0x1.0630cddd4e099p-27, -0x1.1465ce7d29637p-27, 0x1.d4345a69bfc30p-29,
        0x1.bdc8daed57db9p-28,  -0x1.858c7591014bdp-30, -0x1.162964d5f91dbp-28, 0x1.1aee882806184p-31,
        0x1.fce6b32270b52p-30,  -0x1.272ae05110368p-33, -0x1.2839623e2341cp-31, 0x1.33e83e12ca3b4p-36,
        0x1.432b0a4121172p-34};
    enum { N_NEAR = 23, N_ABOVE = sizeof above / sizeof *above };
    double near[N_NEAR];

    near[0] = 0.5;
    for (int k = 1; k < N_NEAR; k++) near[k] = near[k - 1] / (4.0 * k * (k + 1)); /* 1 / (2 4^k k! (k + 1)!) */
    stria_term x = r_abs(a), is_near = r_le(x, N(8));
    stria_term low = r_where(is_near, a, N(0)), high = r_where(is_near, N(8), x);
    stria_term half = r_exp(r_mul(N(0.5), high)); /* exp(x) overflows before I1 does */
    stria_term curve = stria_formula_polynomial(above, N_ABOVE, r_sub(r_div(N(16), high), N(1)));
    stria_term value = r_mul(half, r_mul(half, r_div(curve, r_sqrt(high))));

    return r_where(is_near, r_mul(low, stria_formula_polynomial(near, N_NEAR, r_square(low))), r_mul(r_sign(a), value));
}

/* The derivative of digamma: the sum of 1 / (x + k)^2 for k < 8, then the asymptotic series at x + 8; below 1/2 by the reflection
 * pi^2 / sin(pi a)^2 - trigamma(1 - a). */
static inline stria_term stria_formula_trigamma(stria_term a)
{
    static const double series[] = {1.0 / 6,         -1.0 / 30, 1.0 / 42,      -1.0 / 30,    5.0 / 66,
                                    -691.0 / 2730.0, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798}; /* Bernoulli's numbers */
    enum { N_SERIES = sizeof series / sizeof *series };
    stria_term is_low = r_lt(a, N(0.5)), x = r_where(is_low, r_sub(N(1), a), a), sum = N(0);

    for (int k = 0; k < 8; k++) sum = r_add(sum, r_reciprocal(r_square(r_add(x, N(k)))));
    stria_term z = r_reciprocal(r_add(x, N(8)));
    stria_term tail =
        r_add(N(1), r_mul(z, r_add(N(0.5), r_mul(z, stria_formula_polynomial(series, N_SERIES, r_square(z))))));
    stria_term value = r_add(sum, r_mul(z, tail));
    stria_term low = r_where(is_low, a, N(0.5));
    stria_term sine = r_sin(r_mul(N(3.1415926535897932), r_sub(low, r_round(low))));

    return r_where(is_low, r_sub(r_square(r_div(N(3.1415926535897932), sine)), value), value);
}

/* 1 - eps would be a number made of numbers, which is an f32. g / (a (1 - a)), NaN beyond [0, 1]; with eps 0 where a is beyond [eps, 1 - eps]. */
static inline stria_term stria_formula_logit(stria_term a, stria_term eps, stria_term g)
{
    stria_term product = r_mul(a, r_sub(N(1), a));
    stria_term slope = r_div(g, r_where(r_lt(product, N(0)), N(NAN), product));

    return r_where(r_logical_or(r_lt(a, eps), r_gt(r_add(a, eps), N(1))), N(0), slope);
}

/* The derivative of x / |x|: (g - y^2 conj(g)) / (2 |a|), which is 0 of real numbers. */
static inline stria_term stria_formula_sign(stria_term a, stria_term g)
{
    stria_term turned = r_sub(g, r_mul(r_square(r_sign(a)), r_conj(g))), is_zero = r_eq(a, N(0));

    return r_where(is_zero, N(0), r_div(turned, r_mul(N(2), r_where(is_zero, N(1), r_abs(a)))));
}

/* g a^(b - 1) b; 0 where b is. */
static inline stria_term stria_formula_pow_base(stria_term a, stria_term b, stria_term g)
{
    stria_term is_flat = r_eq(b, N(0)), base = r_where(is_flat, N(1), a);
    stria_term slope = r_mul(b, r_pow(base, r_sub(b, N(1))));

    return r_where(is_flat, N(0), r_mul(g, r_conj(slope)));
}

/* a^b log(a); 0 where a is 0 and the power is finite. */
static inline stria_term stria_formula_pow_exponent(stria_term a, stria_term y, stria_term g)
{
    stria_term is_flat = r_logical_and(r_eq(a, N(0)), r_isfinite(y));

    return r_where(is_flat, N(0), r_mul(g, r_conj(r_mul(y, r_log(a)))));
}

/* g where the choice between a and b took a, half of it where they are equal; is_other: b was taken. */
static inline stria_term stria_formula_shared(stria_term a, stria_term b, stria_term is_other, stria_term g)
{
    return r_where(r_eq(a, b), r_mul(g, N(0.5)), r_where(is_other, N(0), g));
}

#endif
