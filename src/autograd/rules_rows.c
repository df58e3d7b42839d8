/* rules_rows.c - derivatives of functions of rows: softmax and its logarithm, norms. Their gradients are rows, each computed in the cache, which have
 * derivatives themselves. */
#include "autograd/rules_values.h"
#include "cpu/moments.h"

static stria_term sum_along(int dim, stria_term x) { return r_sum(x, &dim, 1, true); }

RULE_FN(softmax) { GRAD(0, r_softmax_backward(G(0), Y(0), attrs->dim)); }
RULE_FN(log_softmax) { GRAD(0, r_log_softmax_backward(G(0), Y(0), attrs->dim)); }

/* y (g - sum of g y), of g and y: with h the gradient of that, y (h - sum of h y) and h (g - sum of g y) - g (sum of h y). */
RULE_FN(softmax_backward)
{
    const int dim = attrs->dim;

    GRAD(0, r_softmax_backward(G(0), X(1), dim));
    if (!WANTS(1)) return;
    stria_term g = stria_rule_widen(X(0)), y = stria_rule_widen(X(1)), h = stria_rule_widen(G(0));
    stria_term inner = sum_along(dim, r_mul(g, y)), outer = sum_along(dim, r_mul(h, y));
    GRAD(1, r_sub(r_mul(h, r_sub(g, inner)), r_mul(g, outer)));
}

/* g - exp(y) (sum of g). */
RULE_FN(log_softmax_backward)
{
    const int dim = attrs->dim;

    if (!WANTS(0) && !WANTS(1)) return;
    stria_term share = r_exp(stria_rule_widen(X(1))), h = stria_rule_widen(G(0)), turned = r_mul(h, share);
    GRAD(0, r_sub(h, sum_along(dim, turned)));
    GRAD(1, r_neg(r_mul(turned, sum_along(dim, stria_rule_widen(X(0))))));
}

/* ---------------------------------------------------------------- layer_norm, rms_norm */

/* The last axes of x. */
typedef struct norm_axes {
    int  at[STRIA_MAX_DIMS], n;
    bool keeps_mean;
} norm_axes;

static norm_axes get_axes(int n, bool keeps_mean)
{
    norm_axes axes = {.n = n, .keeps_mean = keeps_mean};

    for (int k = 0; k < n; k++) axes.at[k] = k - n;
    return axes;
}

static stria_term mean_over(const norm_axes *axes, stria_term x) { return r_mean(x, axes->at, axes->n, true); }

RULE_FN(layer_norm)
{
    const stria_sizes shape = attrs->normalized_shape;
    stria_term        of_x, of_weight, of_bias;

    if (!WANTS(0) && !WANTS(1)) {
        GRAD(2, G(0)); /* added up to the shape of bias */
        return;
    }
    r_layer_norm_backward(G(0), X(0), X(1), shape.at, shape.n, attrs->eps, &of_x, &of_weight, &of_bias);
    GRAD(0, of_x);
    GRAD(1, of_weight);
    GRAD(2, of_bias);
}

RULE_FN(rms_norm)
{
    const stria_sizes shape = attrs->normalized_shape;
    stria_term        of_x, of_weight;

    if (!WANTS(0) && !WANTS(1)) return;
    r_rms_norm_backward(G(0), X(0), X(1), shape.at, shape.n, attrs->eps, &of_x, &of_weight);
    GRAD(0, of_x);
    GRAD(1, of_weight);
}

/* g - mean(g) - z mean(g z): the part of g that standardising lets through; dividing alone lets the mean through. */
static stria_term project(const norm_axes *axes, stria_term g, stria_term z)
{
    stria_term part = axes->keeps_mean ? g : r_sub(g, mean_over(axes, g));

    return r_sub(part, r_mul(z, mean_over(axes, r_mul(g, z))));
}

/* With z = (x - mean) r, r = 1 / sqrt(variance + eps), or z = x r, r = 1 / sqrt(mean of x^2 + eps), h = g weight, the outputs are r project(h), the
 * sum of g z and that of g; a, b, c are their gradients. A change of r, whose derivative by x is -r^2 z / n, meets a project(h); one of z
 * meets b g - r (a mean(h z) + h mean(a z)). */
static void norm_backward(stria_rule_run *run, const norm_axes *axes, double eps)
{
    if (!WANTS(0) && !WANTS(1) && !WANTS(2)) return;
    stria_term g = stria_rule_widen(X(0)), x = stria_rule_widen(X(1)), weight = X(2);
    stria_term a = stria_rule_widen(G(0)), b = stria_rule_widen(G(1));
    stria_term square = axes->keeps_mean ? mean_over(axes, r_square(x)) : r_var(x, axes->at, axes->n, 0, true);
    stria_term r = r_rsqrt(r_add(square, N(eps))), z = r_mul(axes->keeps_mean ? x : r_sub(x, mean_over(axes, x)), r);
    stria_term h = stria_term_is_nothing(weight) ? g : r_mul(g, weight), through = r_mul(r, project(axes, a, z));
    stria_term of_g = r_add(stria_term_is_nothing(weight) ? through : r_mul(through, weight), r_mul(b, z));
    GRAD(0, axes->keeps_mean ? of_g : r_add(of_g, stria_rule_widen(G(2))));
    GRAD(2, r_mul(g, through));
    if (!WANTS(1)) return;
    stria_term of_r = mean_over(axes, r_mul(a, project(axes, h, z)));
    stria_term of_z = r_add(r_mul(a, mean_over(axes, r_mul(h, z))), r_mul(h, mean_over(axes, r_mul(a, z))));
    of_z = r_sub(r_mul(b, g), r_mul(r, of_z));
    GRAD(1, r_mul(r, r_sub(project(axes, of_z, z), r_mul(r_mul(r, z), of_r))));
}

RULE_FN(layer_norm_backward)
{
    const norm_axes axes = get_axes(attrs->normalized_shape.n, false);

    norm_backward(run, &axes, attrs->eps);
}

RULE_FN(rms_norm_backward)
{
    const norm_axes axes = get_axes(attrs->normalized_shape.n, true);

    norm_backward(run, &axes, stria_rms_get_eps(attrs->eps, stria_rule_get_input_meta(run, 1)->dtype));
}
