/* arithmetic.c - examples of docs/reference: Arithmetic. */
#include "reference.h"

EXAMPLE(add)
{
    a = of(STRIA_F32, "[[1, 2], [3, 4]]");
    TRY(stria_add(a, of(STRIA_F32, "[10, 20]"), &y, &err));
    IS(y, "[[11, 22], [13, 24]]");
    TRY(stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){a, a}, 2, a, &err));
    IS(a, "[[1, 4], [9, 16]]");
}

EXAMPLE(sub)
{
    TRY(stria_sub(of(STRIA_I64, "[10, 20, 30]"), of(STRIA_I64, "1"), &y, &err));
    IS(y, "[9, 19, 29]");
}

EXAMPLE(mul)
{
    TRY(stria_mul(of(STRIA_F32, "[[1], [2]]"), of(STRIA_F32, "[1, 10, 100]"), &y, &err));
    IS(y, "[[1, 10, 100], [2, 20, 200]]");
}

EXAMPLE(div)
{
    TRY(stria_div(of(STRIA_I64, "[1, 2, 3]"), of(STRIA_I64, "2"), &y, &err));
    IS(y, "[0.5, 1, 1.5]");
}

EXAMPLE(neg)
{
    TRY(stria_neg(of(STRIA_F32, "[1.5, -2, 3]"), &y, &err));
    IS(y, "[-1.5, 2, -3]");
}

EXAMPLE(abs)
{
    TRY(stria_abs(of(STRIA_I64, "[-3, 0, 3]"), &y, &err));
    IS(y, "[3, 0, 3]");
}

EXAMPLE(sign)
{
    TRY(stria_sign(of(STRIA_F32, "[-2.5, 0, 7, nan]"), &y, &err));
    IS(y, "[-1, 0, 1, nan]");
}

EXAMPLE(square)
{
    TRY(stria_square(of(STRIA_I64, "[-3, 4]"), &y, &err));
    IS(y, "[9, 16]");
}

EXAMPLE(sqrt)
{
    TRY(stria_sqrt(of(STRIA_F32, "[4, 2, -1]"), &y, &err));
    IS(y, "[2, 1.4142, nan]");
}

EXAMPLE(rsqrt)
{
    TRY(stria_rsqrt(of(STRIA_F32, "[4, 0.25, 0]"), &y, &err));
    IS(y, "[0.5, 2, inf]");
}

EXAMPLE(cbrt)
{
    TRY(stria_cbrt(of(STRIA_F32, "[27, -8, 2]"), &y, &err));
    IS(y, "[3, -2, 1.2599]");
}

EXAMPLE(reciprocal)
{
    TRY(stria_reciprocal(of(STRIA_F32, "[2, -4, 0]"), &y, &err));
    IS(y, "[0.5, -0.25, inf]");
}

EXAMPLE(pow)
{
    TRY(stria_pow(of(STRIA_F32, "[4, 9, 2]"), of(STRIA_F32, "0.5"), &y, &err));
    IS(y, "[2, 3, 1.4142]");
}

EXAMPLE(lerp)
{
    TRY(stria_lerp(of(STRIA_F32, "[0, 0, 0]"), of(STRIA_F32, "[10, 20, 30]"), of(STRIA_F32, "0.25"), &y, &err));
    IS(y, "[2.5, 5, 7.5]");
}

EXAMPLE(trunc_divide)
{
    TRY(stria_trunc_divide(of(STRIA_I64, "[7, -7, 7]"), of(STRIA_I64, "[2, 2, 0]"), &y, &err));
    IS(y, "[3, -3, 0]");
}

EXAMPLE(floor_divide)
{
    TRY(stria_floor_divide(of(STRIA_I64, "[7, -7, 8]"), of(STRIA_I64, "2"), &y, &err));
    IS(y, "[3, -4, 4]");
}

EXAMPLE(fmod)
{
    TRY(stria_fmod(of(STRIA_F32, "[7.5, -7.5]"), of(STRIA_F32, "2"), &y, &err));
    IS(y, "[1.5, -1.5]");
}

EXAMPLE(remainder)
{
    TRY(stria_remainder(of(STRIA_I64, "[23, 26, -1]"), of(STRIA_I64, "24"), &y, &err));
    IS(y, "[23, 2, 23]");
}

EXAMPLE(add_scaled)
{
    TRY(stria_add_scaled(of(STRIA_F32, "[1, 1]"), of(STRIA_F32, "[0.5, -2]"), of(STRIA_F32, "-0.1"), &y, &err));
    IS(y, "[0.95, 1.2]");
}

EXAMPLE(sub_scaled)
{
    TRY(stria_sub_scaled(of(STRIA_F32, "[10, 10]"), of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "3"), &y, &err));
    IS(y, "[7, 4]");
}

EXAMPLE(copysign)
{
    TRY(stria_copysign(of(STRIA_F32, "[1, -2, 3]"), of(STRIA_F32, "[-1, 1, -0]"), &y, &err));
    IS(y, "[-1, 2, -3]");
}

EXAMPLE(nextafter)
{
    TRY(stria_nextafter(of(STRIA_F64, "1"), of(STRIA_F64, "2"), &c, &err));
    TRY(stria_sub(c, of(STRIA_F64, "1"), &y, &err));
    IS(y, "2.22e-16");
}

EXAMPLE(heaviside)
{
    TRY(stria_heaviside(of(STRIA_F32, "[-1.5, 0, 2]"), of(STRIA_F32, "0.5"), &y, &err));
    IS(y, "[0, 0.5, 1]");
}

EXAMPLE(gcd)
{
    TRY(stria_gcd(of(STRIA_I64, "[12, 18, 0]"), of(STRIA_I64, "8"), &y, &err));
    IS(y, "[4, 2, 8]");
}

EXAMPLE(lcm)
{
    TRY(stria_lcm(of(STRIA_I64, "[4, 6]"), of(STRIA_I64, "[6, 10]"), &y, &err));
    IS(y, "[12, 30]");
}

EXAMPLE(hypot)
{
    TRY(stria_hypot(of(STRIA_F32, "[3, 5]"), of(STRIA_F32, "[4, 12]"), &y, &err));
    IS(y, "[5, 13]");
}

EXAMPLE(addcmul)
{
    TRY(stria_addcmul(of(STRIA_F32, "[1, 1]"), of(STRIA_F32, "[2, 3]"), of(STRIA_F32, "[4, 5]"), REAL(0.5), &y, &err));
    IS(y, "[5, 8.5]");
}

EXAMPLE(addcdiv)
{
    TRY(stria_addcdiv(of(STRIA_F32, "[0, 0]"), of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[4, 8]"), -1, &y, &err));
    IS(y, "[-0.25, -0.25]");
}

EXAMPLE(nan_to_num)
{
    TRY(stria_nan_to_num(of(STRIA_F32, "[1, nan, inf]"), 0, 99, -99, &y, &err));
    IS(y, "[1, 0, 99]");
}

EXAMPLE(frexp)
{
    TRY(stria_frexp(of(STRIA_F32, "[8, -0.75]"), &x, &y, &err));
    IS(x, "[0.5, -0.75]");
    IS(y, "[4, 0]");
}

EXAMPLE(clamp_min)
{
    TRY(stria_clamp_min(of(STRIA_F32, "[-1, 2]"), of(STRIA_F32, "0"), &y, &err));
    IS(y, "[0, 2]");
}

EXAMPLE(clamp_max)
{
    TRY(stria_clamp_max(of(STRIA_F32, "[-1, 2]"), of(STRIA_F32, "[5, 1]"), &y, &err));
    IS(y, "[-1, 1]");
}
