/* comparisons.c - examples of docs/reference: Comparisons. */
#include "reference.h"

EXAMPLE(eq)
{
    TRY(stria_eq(of(STRIA_I64, "[1, 0, 2, 2]"), of(STRIA_I64, "[1, 1, 2, 0]"), &y, &err));
    IS(y, "[true, false, true, false]");
}

EXAMPLE(ne)
{
    TRY(stria_ne(of(STRIA_F32, "[1, nan]"), of(STRIA_F32, "[1, nan]"), &y, &err));
    IS(y, "[false, true]");
}

EXAMPLE(lt)
{
    TRY(stria_lt(of(STRIA_F32, "[1, 2, 3]"), of(STRIA_F32, "2"), &y, &err));
    IS(y, "[true, false, false]");
}

EXAMPLE(le)
{
    TRY(stria_le(of(STRIA_F32, "[1, 2, 3]"), of(STRIA_F32, "2"), &y, &err));
    IS(y, "[true, true, false]");
}

EXAMPLE(gt)
{
    TRY(stria_gt(of(STRIA_F32, "[-1, 2, -3]"), of(STRIA_F32, "0"), &y, &err));
    IS(y, "[false, true, false]");
}

EXAMPLE(ge)
{
    TRY(stria_ge(of(STRIA_F32, "[1, 2, nan]"), of(STRIA_F32, "2"), &y, &err));
    IS(y, "[false, true, false]");
}

EXAMPLE(isnan)
{
    TRY(stria_isnan(of(STRIA_F32, "[1, nan, inf]"), &y, &err));
    IS(y, "[false, true, false]");
}

EXAMPLE(isinf)
{
    TRY(stria_isinf(of(STRIA_F32, "[1, nan, -inf]"), &y, &err));
    IS(y, "[false, false, true]");
}

EXAMPLE(isfinite)
{
    TRY(stria_isfinite(of(STRIA_F32, "[1, nan, inf]"), &y, &err));
    IS(y, "[true, false, false]");
}

EXAMPLE(signbit)
{
    TRY(stria_signbit(of(STRIA_F32, "[-1, 1, -0.0, 0]"), &y, &err));
    IS(y, "[true, false, true, false]");
}

EXAMPLE(isclose)
{
    TRY(stria_isclose(of(STRIA_F32, "[1, 1, nan]"), of(STRIA_F32, "[1.000001, 1.1, nan]"), 1e-5, 1e-8, true, &y, &err));
    IS(y, "[true, false, true]");
}

EXAMPLE(allclose)
{
    TRY(stria_allclose(of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[1, 2.00001]"), 1e-5, 1e-8, false, &y, &err));
    IS(y, "true");
}

EXAMPLE(equal)
{
    TRY(stria_equal(of(STRIA_F32, "[1, 2]"), of(STRIA_I32, "[1, 3]"), &y, &err));
    IS(y, "false");
}
