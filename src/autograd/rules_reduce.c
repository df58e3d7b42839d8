/* rules_reduce.c - derivatives of reductions. */
#include "autograd/rule.h"

stria_term stria_rule_keep_axes(stria_rule_run *run, int k, stria_term gradient, stria_axes axes, bool keepdim)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, k);
    int64_t                shape[STRIA_MAX_DIMS];

    if (keepdim || gradient.x == NULL) return gradient;
    for (int d = 0; d < x->ndim; d++) shape[d] = axes.n > 0 ? x->shape[d] : 1;
    for (int i = 0; i < axes.n; i++) shape[axes.at[i] < 0 ? axes.at[i] + x->ndim : axes.at[i]] = 1;
    return r_reshape(gradient, shape, x->ndim);
}

stria_term stria_rule_spread(stria_rule_run *run, int k, stria_term gradient, stria_axes axes, bool keepdim)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, k);

    return r_expand(stria_rule_keep_axes(run, k, gradient, axes, keepdim), x->shape, x->ndim);
}

RULE_FN(sum) { GRAD(0, stria_rule_spread(run, 0, G(0), attrs->axes, attrs->keepdim)); }

RULE_FN(mean)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *y = stria_rule_get_output_meta(run, 0);
    const double           count = y->numel > 0 ? (double)(x->numel / y->numel) : 1;

    GRAD(0, stria_rule_spread(run, 0, r_div(G(0), N(count)), attrs->axes, attrs->keepdim));
}
