/* special.c - examples of docs/reference: Special functions. */
#include "reference.h"

EXAMPLE(erf)
{
    TRY(stria_erf(of(STRIA_F32, "[0, 0.5, 3]"), &y, &err));
    IS(y, "[0, 0.5205, 1]");
}

EXAMPLE(erfc)
{
    TRY(stria_erfc(of(STRIA_F32, "[0, 0.5, 5]"), &y, &err));
    IS(y, "[1, 0.4795, 1.537e-12]");
}

EXAMPLE(sinc)
{
    TRY(stria_sinc(of(STRIA_F32, "[0, 0.5, 1]"), &y, &err));
    IS(y, "[1, 0.6366, 0]");
}

EXAMPLE(ndtr)
{
    TRY(stria_ndtr(of(STRIA_F32, "[-1.96, 0, 1.96]"), &y, &err));
    IS(y, "[0.025, 0.5, 0.975]");
}

EXAMPLE(erfinv)
{
    TRY(stria_erfinv(of(STRIA_F32, "[0, 0.5, -1]"), &y, &err));
    IS(y, "[0, 0.4769, -inf]");
}

EXAMPLE(i0)
{
    TRY(stria_i0(of(STRIA_F32, "[0, 1, 2]"), &y, &err));
    IS(y, "[1, 1.2661, 2.2796]");
}

EXAMPLE(lgamma)
{
    TRY(stria_lgamma(of(STRIA_F32, "[1, 5, 0.5]"), &y, &err));
    IS(y, "[0, 3.1781, 0.5724]");
}

EXAMPLE(digamma)
{
    TRY(stria_digamma(of(STRIA_F32, "[1, 2, 10]"), &y, &err));
    IS(y, "[-0.5772, 0.4228, 2.2518]");
}

EXAMPLE(logit)
{
    TRY(stria_logit(of(STRIA_F32, "[0, 0.75, 1]"), 0.01, &y, &err));
    IS(y, "[-4.5951, 1.0986, 4.5951]");
}
