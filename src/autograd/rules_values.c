/* rules_values.c - derivatives that depend on dtypes (rules_values.h), and those of composites that are element-wise. */
#include "autograd/rules_values.h"

#include "tensor/tensor.h"

/* ---------------------------------------------------------------- bounds: x within them gets the gradient, equal to them too; NaN gets none */

RULE_FN(clamp_min)
{
    (void)attrs;
    GRAD(0, r_where(r_ge(X(0), X(1)), G(0), N(0)));
    GRAD(1, r_where(r_lt(X(0), X(1)), G(0), N(0)));
}

RULE_FN(clamp_max)
{
    (void)attrs;
    GRAD(0, r_where(r_le(X(0), X(1)), G(0), N(0)));
    GRAD(1, r_where(r_gt(X(0), X(1)), G(0), N(0)));
}

/* ---------------------------------------------------------------- dtypes */

stria_term stria_rule_widen(stria_term x)
{
    const stria_tensor *tensor = stria_term_get_tensor(x);

    if (tensor == NULL || stria_dtype_get_compute(tensor->dtype) == tensor->dtype) return x;
    return r_to(x, stria_dtype_get_compute(tensor->dtype));
}
