/* rounding.c - examples of docs/reference: Rounding. */
#include "reference.h"

EXAMPLE(floor)
{
    TRY(stria_floor(of(STRIA_F32, "[1.7, -1.2]"), &y, &err));
    IS(y, "[1, -2]");
}

EXAMPLE(ceil)
{
    TRY(stria_ceil(of(STRIA_F32, "[1.2, -1.7]"), &y, &err));
    IS(y, "[2, -1]");
}

EXAMPLE(round)
{
    TRY(stria_round(of(STRIA_F32, "[0.5, 1.5, 2.4, -2.6]"), &y, &err));
    IS(y, "[0, 2, 2, -3]");
}

EXAMPLE(trunc)
{
    TRY(stria_trunc(of(STRIA_F32, "[1.7, -1.7]"), &y, &err));
    IS(y, "[1, -1]");
}

EXAMPLE(round_to)
{
    TRY(stria_round_to(of(STRIA_F32, "[3.14159, 2.71828]"), of(STRIA_F32, "1"), of(STRIA_F32, "100"), &y, &err));
    IS(y, "[3.14, 2.72]");
}

EXAMPLE(frac)
{
    TRY(stria_frac(of(STRIA_F32, "[1.25, -1.25]"), &y, &err));
    IS(y, "[0.25, -0.25]");
}
