/* exponentials.c - examples of docs/reference: Exponentials and logarithms. */
#include "reference.h"

EXAMPLE(exp)
{
    TRY(stria_exp(of(STRIA_F32, "[0, 1, -inf]"), &y, &err));
    IS(y, "[1, 2.7183, 0]");
}

EXAMPLE(exp2)
{
    TRY(stria_exp2(of(STRIA_F32, "[-1, 0, 10]"), &y, &err));
    IS(y, "[0.5, 1, 1024]");
}

EXAMPLE(expm1)
{
    TRY(stria_expm1(of(STRIA_F32, "[1e-6, 1]"), &y, &err));
    IS(y, "[1e-06, 1.7183]");
}

EXAMPLE(log)
{
    TRY(stria_log(of(STRIA_F32, "[1, 2, 0, -1]"), &y, &err));
    IS(y, "[0, 0.6931, -inf, nan]");
}

EXAMPLE(log1p)
{
    TRY(stria_log1p(of(STRIA_F32, "[1e-6, 1]"), &y, &err));
    IS(y, "[1e-06, 0.6931]");
}

EXAMPLE(log2)
{
    TRY(stria_log2(of(STRIA_I64, "[1, 8, 10]"), &y, &err));
    IS(y, "[0, 3, 3.3219]");
}

EXAMPLE(log10)
{
    TRY(stria_log10(of(STRIA_F32, "[1000, 0.01]"), &y, &err));
    IS(y, "[3, -2]");
}

EXAMPLE(exp10)
{
    TRY(stria_exp10(of(STRIA_F32, "[-2, 3]"), &y, &err));
    IS(y, "[0.01, 1000]");
}

EXAMPLE(ldexp)
{
    TRY(stria_ldexp(of(STRIA_F32, "[0.75, -3]"), of(STRIA_I64, "[3, 1]"), &y, &err));
    IS(y, "[6, -6]");
}

EXAMPLE(xlogy)
{
    a = of(STRIA_F32, "[0, 0.5, 1]");
    TRY(stria_xlogy(a, a, &y, &err));
    IS(y, "[0, -0.3466, 0]");
}

EXAMPLE(logaddexp)
{
    TRY(stria_logaddexp(of(STRIA_F32, "[0, 1000]"), of(STRIA_F32, "[0, 1000]"), &y, &err));
    IS(y, "[0.6931, 1000.6932]");
}

EXAMPLE(logaddexp2)
{
    TRY(stria_logaddexp2(of(STRIA_F32, "[3, 100]"), of(STRIA_F32, "[3, 99]"), &y, &err));
    IS(y, "[4, 100.585]");
}
