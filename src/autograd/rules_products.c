/* rules_products.c - derivatives of matrix products. */
#include "autograd/rule.h"

/* The conjugate transpose of matrices. */
static stria_term adjoint(stria_term x) { return r_conj(r_transpose(x, -2, -1)); }

RULE_FN(mm)
{
    (void)attrs;
    GRAD(0, r_mm(G(0), adjoint(X(1))));
    GRAD(1, r_mm(adjoint(X(0)), G(0)));
}

/* Vectors are matrices with an axis of size 1, which the gradient loses again; batches that were broadcast are summed. */
RULE_FN(matmul)
{
    const bool a_is_vector = stria_rule_get_input_meta(run, 0)->ndim == 1;
    const bool b_is_vector = stria_rule_get_input_meta(run, 1)->ndim == 1;
    stria_term g = G(0);

    (void)attrs;
    if (b_is_vector) g = r_unsqueeze(g, -1);
    if (a_is_vector) g = r_unsqueeze(g, -2);
    if (WANTS(0)) {
        stria_term b = b_is_vector ? r_unsqueeze(X(1), -1) : X(1), a = r_matmul(g, adjoint(b));
        GRAD(0, a_is_vector ? r_select(a, -2, 0) : a);
    }
    if (WANTS(1)) {
        stria_term a = a_is_vector ? r_unsqueeze(X(0), -2) : X(0), b = r_matmul(adjoint(a), g);
        GRAD(1, b_is_vector ? r_select(b, -1, 0) : b);
    }
}
