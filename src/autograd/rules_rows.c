/* rules_rows.c - derivatives of functions of rows: softmax and its logarithm, layer norm. */
#include "autograd/rules_values.h"

static stria_term sum_along(int dim, stria_term x) { return r_sum(x, &dim, 1, true); }

RULE_FN(softmax)
{
    if (!WANTS(0)) return;
    stria_term y = stria_rule_widen(Y(0)), g = stria_rule_widen(G(0));
    GRAD(0, r_mul(y, r_sub(g, sum_along(attrs->dim, r_mul(g, y)))));
}

RULE_FN(log_softmax)
{
    if (!WANTS(0)) return;
    stria_term y = stria_rule_widen(Y(0)), g = stria_rule_widen(G(0));
    GRAD(0, r_sub(g, r_mul(r_exp(y), sum_along(attrs->dim, g))));
}

/* ---------------------------------------------------------------- layer_norm */

/* The last axes of x. */
typedef struct norm_axes {
    int at[STRIA_MAX_DIMS], n;
} norm_axes;

static norm_axes get_axes(int n)
{
    norm_axes axes = {.n = n};

    for (int k = 0; k < n; k++) axes.at[k] = k - n;
    return axes;
}

static stria_term mean_over(const norm_axes *axes, stria_term x) { return r_mean(x, axes->at, axes->n, true); }

/* g - mean(g) - z mean(g z): the part of g that standardising lets through. */
static stria_term project(const norm_axes *axes, stria_term g, stria_term z)
{
    return r_sub(r_sub(g, mean_over(axes, g)), r_mul(z, mean_over(axes, r_mul(g, z))));
}

RULE_FN(layer_norm)
{
    const norm_axes axes = get_axes(attrs->normalized_shape.n);

    GRAD(2, G(0)); /* added up to the shape of bias */
    if (!WANTS(0) && !WANTS(1)) return;
    stria_term x = stria_rule_widen(X(0)), g = stria_rule_widen(G(0));
    stria_term r = r_rsqrt(r_add(r_var(x, axes.at, axes.n, 0, true), N(attrs->eps)));
    stria_term z = r_mul(r_sub(x, mean_over(&axes, x)), r);
    GRAD(1, r_mul(g, z));
    if (!WANTS(0)) return;
    stria_term weight = X(1), h = weight.is_nothing ? g : r_mul(g, weight);
    GRAD(0, r_mul(r, project(&axes, h, z)));
}
