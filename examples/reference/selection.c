/* selection.c - examples of docs/reference: Selection. */
#include "reference.h"

EXAMPLE(minimum)
{
    TRY(stria_minimum(of(STRIA_F32, "[1, 5, nan]"), of(STRIA_F32, "[4, 2, 3]"), &y, &err));
    IS(y, "[1, 2, nan]");
}

EXAMPLE(maximum)
{
    TRY(stria_maximum(of(STRIA_F32, "[1, 5, nan]"), of(STRIA_F32, "3"), &y, &err));
    IS(y, "[3, 5, nan]");
}

EXAMPLE(clamp)
{
    TRY(stria_clamp(of(STRIA_F32, "[-1, 0.5, 7]"), of(STRIA_F32, "0"), of(STRIA_F32, "1"), &y, &err));
    IS(y, "[0, 0.5, 1]");
}

EXAMPLE(where)
{
    x = of(STRIA_F32, "[-2, 3, -1]");
    TRY(stria_lt(x, of(STRIA_F32, "0"), &c, &err));
    TRY(stria_where(c, of(STRIA_F32, "0"), x, &y, &err));
    IS(y, "[0, 3, 0]");
}

EXAMPLE(fmin)
{
    TRY(stria_fmin(of(STRIA_F32, "[1, nan]"), of(STRIA_F32, "[4, 2]"), &y, &err));
    IS(y, "[1, 2]");
}

EXAMPLE(fmax)
{
    TRY(stria_fmax(of(STRIA_F32, "[1, nan]"), of(STRIA_F32, "[4, 2]"), &y, &err));
    IS(y, "[4, 2]");
}
