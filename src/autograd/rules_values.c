/* rules_values.c - derivatives that depend on dtypes or elements (rules_values.h), and those of composites that are element-wise. */
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

/* ---------------------------------------------------------------- elements */

stria_term stria_rule_widen(stria_term x)
{
    const stria_tensor *tensor = stria_term_get_tensor(x);

    if (tensor == NULL || (tensor->dtype != STRIA_F16 && tensor->dtype != STRIA_BF16)) return x;
    return r_to(x, STRIA_F32);
}

bool stria_rule_may_have_zero(stria_term x)
{
    const stria_tensor *any = stria_term_get_tensor(r_any(r_eq(x, N(0)), NULL, 0, false));

    return any == NULL || any->device.type != STRIA_DEVICE_CPU || *any->data != 0;
}
