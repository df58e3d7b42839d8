/* running.c - examples of docs/reference: Running results. */
#include "reference.h"

EXAMPLE(cummax)
{
    TRY(stria_cummax(of(STRIA_F32, "[1, 3, 2, 5, 4]"), 0, &values, &indices, &err));
    IS(values, "[1, 3, 3, 5, 5]");
    IS(indices, "[0, 1, 1, 3, 3]");
}

EXAMPLE(cummin)
{
    TRY(stria_cummin(of(STRIA_F32, "[3, 1, 2, 0]"), 0, &values, &indices, &err));
    IS(values, "[3, 1, 1, 0]");
    IS(indices, "[0, 1, 1, 3]");
}

EXAMPLE(logcumsumexp)
{
    TRY(stria_logcumsumexp(of(STRIA_F32, "[0, 0, 1000]"), 0, &y, &err));
    IS(y, "[0, 0.6931, 1000]");
}

EXAMPLE(diff)
{
    TRY(stria_diff(of(STRIA_F32, "[0, 1, 4, 9, 16]"), NULL, NULL, 1, 0, &y, &err));
    IS(y, "[1, 3, 5, 7]");
}

EXAMPLE(trapezoid)
{
    TRY(stria_trapezoid(of(STRIA_F32, "[0, 1, 4, 9]"), NULL, 1, -1, &y, &err));
    IS(y, "9.5");
}

EXAMPLE(cumulative_trapezoid)
{
    TRY(stria_cumulative_trapezoid(of(STRIA_F32, "[0, 1, 4, 9]"), of(STRIA_F32, "[0, 1, 2, 4]"), 1, -1, &y, &err));
    IS(y, "[0.5, 3, 16]");
}

EXAMPLE(cumsum)
{
    x = of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]");
    TRY(stria_cumsum(x, 1, STRIA_DTYPE_NONE, &y, &err));
    IS(y, "[[1, 3, 6], [4, 9, 15]]");
    TRY(stria_cumsum_out(x, 0, STRIA_DTYPE_NONE, x, &err));
    IS(x, "[[1, 2, 3], [5, 7, 9]]");
}

EXAMPLE(cumprod)
{
    TRY(stria_cumprod(of(STRIA_I64, "[1, 2, 3, 4]"), 0, STRIA_DTYPE_NONE, &y, &err));
    IS(y, "[1, 2, 6, 24]");
}
