/* complex.c - examples of docs/reference: Complex numbers. */
#include "reference.h"

EXAMPLE(real)
{
    TRY(stria_real(of(STRIA_C64, "[1+2i, 3-4i]"), &y, &err));
    IS(y, "[1, 3]");
}

EXAMPLE(imag)
{
    TRY(stria_imag(of(STRIA_C64, "[1+2i, 3-4i]"), &y, &err));
    IS(y, "[2, -4]");
}

EXAMPLE(view_as_real)
{
    TRY(stria_view_as_real(of(STRIA_C64, "[1+2i, 3-4i]"), &y, &err));
    IS(y, "[[1, 2], [3, -4]]");
}

EXAMPLE(view_as_complex)
{
    TRY(stria_view_as_complex(of(STRIA_F32, "[[1, 2], [3, -4]]"), &y, &err));
    IS(y, "[1+2i, 3-4i]");
}

EXAMPLE(complex)
{
    TRY(stria_complex(of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[0, -1]"), &y, &err));
    IS(y, "[1+0i, 2-1i]");
}

EXAMPLE(polar)
{
    TRY(stria_polar(of(STRIA_F32, "[2, 3]"), of(STRIA_F32, "[0, 0]"), &y, &err));
    IS(y, "[2+0i, 3+0i]");
}

EXAMPLE(conj)
{
    TRY(stria_conj(of(STRIA_C64, "[1+2i, 3-4i]"), &y, &err));
    IS(y, "[1-2i, 3+4i]");
}

EXAMPLE(angle)
{
    TRY(stria_angle(of(STRIA_C64, "[1+1i, -1+0i]"), &y, &err));
    IS(y, "[0.7854, 3.1416]");
}

EXAMPLE(sgn)
{
    TRY(stria_sgn(of(STRIA_F32, "[-2.5, 0, 7]"), &y, &err));
    IS(y, "[-1, 0, 1]");
}

EXAMPLE(isreal)
{
    TRY(stria_isreal(of(STRIA_C64, "[1+0i, 2+3i]"), &y, &err));
    IS(y, "[true, false]");
}
