/* rules_views.c - derivatives of views and copies. */
#include "autograd/rule.h"

RULE_FN(transpose) { GRAD(0, r_transpose(G(0), attrs->dim0, attrs->dim1)); }

/* Other shapes of the same elements in the same order. */
static stria_term shape_back(stria_rule_run *run)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    return r_reshape(G(0), x->shape, x->ndim);
}
RULE_FN(view)
{
    (void)attrs;
    GRAD(0, shape_back(run));
}
RULE_FN(reshape)
{
    (void)attrs;
    GRAD(0, shape_back(run));
}
RULE_FN(contiguous)
{
    (void)attrs;
    GRAD(0, G(0));
}

RULE_FN(expand)
{
    (void)attrs;
    GRAD(0, G(0));
}

/* Dtypes are brought back by whoever runs the rule. */
RULE_FN(to)
{
    (void)attrs;
    GRAD(0, G(0));
}

/* Nothing of x is left. */
RULE_FN(copy)
{
    (void)attrs;
    GRAD(0, N(0));
    GRAD(1, G(0));
}
