/* trigonometry.c - examples of docs/reference: Trigonometry. */
#include "reference.h"

EXAMPLE(sin)
{
    TRY(stria_sin(of(STRIA_F32, "[0, 0.5235988, 1.5707963]"), &y, &err));
    IS(y, "[0, 0.5, 1]");
}

EXAMPLE(cos)
{
    TRY(stria_cos(of(STRIA_F32, "[0, 1.0471976, 3.1415927]"), &y, &err));
    IS(y, "[1, 0.5, -1]");
}

EXAMPLE(tan)
{
    TRY(stria_tan(of(STRIA_F32, "[0, 0.7853982, -1]"), &y, &err));
    IS(y, "[0, 1, -1.5574]");
}

EXAMPLE(asin)
{
    TRY(stria_asin(of(STRIA_F32, "[0, 0.5, 1, 2]"), &y, &err));
    IS(y, "[0, 0.5236, 1.5708, nan]");
}

EXAMPLE(acos)
{
    TRY(stria_acos(of(STRIA_F32, "[1, 0.5, -1]"), &y, &err));
    IS(y, "[0, 1.0472, 3.1416]");
}

EXAMPLE(atan)
{
    TRY(stria_atan(of(STRIA_F32, "[0, 1, inf]"), &y, &err));
    IS(y, "[0, 0.7854, 1.5708]");
}

EXAMPLE(atan2)
{
    TRY(stria_atan2(of(STRIA_F32, "[1, 1, -2]"), of(STRIA_F32, "[1, -1, 0]"), &c, &err));
    TRY(stria_rad2deg(c, &y, &err));
    IS(y, "[45, 135, -90]");
}

EXAMPLE(tanh)
{
    TRY(stria_tanh(of(STRIA_F32, "[-inf, 0, 0.5]"), &y, &err));
    IS(y, "[-1, 0, 0.4621]");
}

EXAMPLE(sinh)
{
    TRY(stria_sinh(of(STRIA_F32, "[0, 1, -2]"), &y, &err));
    IS(y, "[0, 1.1752, -3.6269]");
}

EXAMPLE(cosh)
{
    TRY(stria_cosh(of(STRIA_F32, "[0, 1, -2]"), &y, &err));
    IS(y, "[1, 1.5431, 3.7622]");
}

EXAMPLE(asinh)
{
    TRY(stria_asinh(of(STRIA_F32, "[0, 1, 1e10]"), &y, &err));
    IS(y, "[0, 0.8814, 23.719]");
}

EXAMPLE(acosh)
{
    TRY(stria_acosh(of(STRIA_F32, "[1, 2, 0.5]"), &y, &err));
    IS(y, "[0, 1.317, nan]");
}

EXAMPLE(atanh)
{
    TRY(stria_atanh(of(STRIA_F32, "[0, 0.5, 1]"), &y, &err));
    IS(y, "[0, 0.5493, inf]");
}

EXAMPLE(deg2rad)
{
    TRY(stria_deg2rad(of(STRIA_F32, "[180, 90, -45]"), &y, &err));
    IS(y, "[3.1416, 1.5708, -0.7854]");
}

EXAMPLE(rad2deg)
{
    TRY(stria_rad2deg(of(STRIA_F32, "[3.1415927, 1]"), &y, &err));
    IS(y, "[180, 57.2958]");
}
