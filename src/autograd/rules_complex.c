/* rules_complex.c - derivatives of the parts of complex numbers: a gradient u + iv says that of the real part, u, and of the imaginary
 * part, v. */
#include "autograd/rules_parts.h"

RULE_FN(real) /* a gradient that is real becomes complex where the input is */
{
    (void)attrs;
    GRAD(0, G(0));
}

RULE_FN(imag)
{
    (void)attrs;
    GRAD(0, r_complex(r_zeros_like(G(0), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE), G(0)));
}

RULE_FN(view_as_real)
{
    (void)attrs;
    GRAD(0, r_view_as_complex(r_contiguous(G(0))));
}

RULE_FN(view_as_complex)
{
    (void)attrs;
    GRAD(0, r_view_as_real(G(0)));
}

RULE_FN(conj)
{
    (void)attrs;
    GRAD(0, r_conj(G(0)));
}

RULE_FN(complex)
{
    (void)attrs;
    GRAD(0, r_real(G(0)));
    GRAD(1, r_imag(G(0)));
}

/* Along (cos, sin) of the angle, and across it. */
RULE_FN(polar)
{
    (void)attrs;
    GRAD(0, r_add(r_mul(r_real(G(0)), r_cos(X(1))), r_mul(r_imag(G(0)), r_sin(X(1)))));
    GRAD(1, r_sub(r_mul(r_imag(G(0)), r_real(Y(0))), r_mul(r_real(G(0)), r_imag(Y(0)))));
}

/* g i x / |x|^2, and 0 where x is 0. */
static stria_term along_circle(stria_rule_run *run)
{
    stria_term re = r_real(X(0)), im = r_imag(X(0)), square = r_add(r_square(re), r_square(im));
    stria_term is_zero = r_eq(square, N(0));

    return r_mul(r_where(is_zero, N(0), r_div(G(0), r_where(is_zero, N(1), square))), r_complex(r_neg(im), re));
}

RULE_FN(angle) /* of real numbers it is constant */
{
    const bool is_real = stria_rule_get_input_meta(run, 0)->dtype == stria_rule_get_output_meta(run, 0)->dtype;

    (void)attrs;
    GRAD(0, is_real ? N(0) : along_circle(run));
}
