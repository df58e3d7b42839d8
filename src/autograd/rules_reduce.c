/* rules_reduce.c - derivatives of plain reductions, moments and norms. */
#include <math.h>

#include "autograd/rules_parts.h"
#include "autograd/rules_values.h"

/* ---------------------------------------------------------------- axes */

stria_term stria_rule_keep_axes(stria_rule_run *run, int k, stria_term gradient, stria_axes axes, bool keepdim)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, k);
    int64_t                shape[STRIA_MAX_DIMS];

    if (keepdim || stria_term_get_tensor(gradient) == NULL || x->ndim == 0) return gradient;
    for (int d = 0; d < x->ndim; d++) shape[d] = axes.n > 0 ? x->shape[d] : 1;
    for (int i = 0; i < axes.n; i++) shape[stria_part_wrap_axis(axes.at[i], x->ndim)] = 1;
    return r_reshape(gradient, shape, x->ndim);
}

stria_term stria_rule_spread(stria_rule_run *run, int k, stria_term gradient, stria_axes axes, bool keepdim)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, k);

    return r_expand(stria_rule_keep_axes(run, k, gradient, axes, keepdim), x->shape, x->ndim);
}

/* Sum and mean along the axes, which stay with size 1. */
static stria_term sum_along(stria_axes axes, stria_term x) { return r_sum(x, axes.at, axes.n, true); }
static stria_term mean_along(stria_axes axes, stria_term x) { return r_mean(x, axes.at, axes.n, true); }

/* How many elements became one. */
static double get_count(stria_rule_run *run)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *y = stria_rule_get_output_meta(run, 0);

    return y->numel > 0 ? (double)(x->numel / y->numel) : 1;
}

/* ---------------------------------------------------------------- sums */

RULE_FN(sum) { GRAD(0, stria_rule_spread(run, 0, G(0), attrs->axes, attrs->keepdim)); }

RULE_FN(mean) { GRAD(0, stria_rule_spread(run, 0, r_div(G(0), N(get_count(run))), attrs->axes, attrs->keepdim)); }

/* ---------------------------------------------------------------- products */

/* The axes of x in another order, those that were reduced last, and the sizes with these as one. */
typedef struct gathered {
    int     order[STRIA_MAX_DIMS], ndim;
    int64_t shape[STRIA_MAX_DIMS], n;
} gathered;

static gathered gather_axes(const stria_rule_meta *x, stria_axes axes)
{
    gathered g = {.n = 1};
    bool     is_reduced[STRIA_MAX_DIMS];
    int      n = 0;

    for (int d = 0; d < x->ndim; d++) is_reduced[d] = axes.n == 0;
    for (int k = 0; k < axes.n; k++) is_reduced[stria_part_wrap_axis(axes.at[k], x->ndim)] = true;
    for (int d = 0; d < x->ndim; d++) {
        if (is_reduced[d]) continue;
        g.order[n++] = d;
        g.shape[g.ndim++] = x->shape[d];
    }
    for (int d = 0; d < x->ndim; d++) {
        if (!is_reduced[d]) continue;
        g.order[n++] = d;
        g.n *= x->shape[d];
    }
    g.shape[g.ndim++] = g.n;
    return g;
}

/* The products, in dtype, of all elements along the last axis, of size n, but the one in each place. */
static stria_term multiply_others(stria_term x, int64_t n, stria_dtype dtype)
{
    const int          last = -1;
    const int64_t      before[] = {1, 0}, behind[] = {0, 1};
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1};
    stria_term         low = r_cumprod(r_slice(x, last, 0, n - 1, 1), last, dtype);
    stria_term         high = r_cumprod(r_flip(r_slice(x, last, 1, n, 1), &last, 1), last, dtype);

    return r_mul(r_pad(low, before, 2, "constant", one), r_pad(r_flip(high, &last, 1), behind, 2, "constant", one));
}

/* The products of the other elements that were reduced with each. */
static stria_term get_others(stria_rule_run *run, stria_axes axes, stria_term x, stria_dtype dtype)
{
    const stria_rule_meta *meta = stria_rule_get_input_meta(run, 0);
    const gathered         g = gather_axes(meta, axes);
    int64_t                turned[STRIA_MAX_DIMS];
    int                    back[STRIA_MAX_DIMS];

    for (int d = 0; d < meta->ndim; d++) {
        turned[d] = meta->shape[g.order[d]];
        back[g.order[d]] = d;
    }
    stria_term others = multiply_others(r_reshape(r_permute(x, g.order, meta->ndim), g.shape, g.ndim), g.n, dtype);
    return r_permute(r_reshape(others, turned, meta->ndim), back, meta->ndim);
}

/* Not y / x, which holds for no zeros: what is there may not be looked at, as it differs when a recording runs. */
RULE_FN(prod)
{
    if (!WANTS(0)) return;
    const stria_rule_meta *meta = stria_rule_get_input_meta(run, 0);
    stria_term             g = stria_rule_widen(stria_rule_keep_axes(run, 0, G(0), attrs->axes, attrs->keepdim));
    const stria_tensor    *wide = stria_term_get_tensor(g);
    if (meta->ndim == 0)
        GRAD(0, g);
    else if (meta->numel == 0)
        GRAD(0, N(0));
    else if (wide != NULL)
        GRAD(0, r_mul(g, r_conj(get_others(run, attrs->axes, X(0), wide->dtype))));
}

/* ---------------------------------------------------------------- extremes: equal ones have equal shares */

static void share_extreme(stria_rule_run *run, stria_axes axes, bool keepdim)
{
    if (!WANTS(0)) return;
    stria_term is_it = r_eq(X(0), stria_rule_keep_axes(run, 0, Y(0), axes, keepdim));
    if (axes.n == 0) is_it = r_logical_or(is_it, r_isnan(X(0))); /* as torch.max of all elements */
    stria_term g = stria_rule_keep_axes(run, 0, G(0), axes, keepdim);
    GRAD(0, r_mul(is_it, r_div(g, sum_along(axes, is_it))));
}

RULE_FN(amax) { share_extreme(run, attrs->axes, attrs->keepdim); }
RULE_FN(amin) { share_extreme(run, attrs->axes, attrs->keepdim); }

/* ---------------------------------------------------------------- moments */

/* 2 g (x - mean) / (count - correction); g has the axes. */
static stria_term get_spread(stria_rule_run *run, stria_axes axes, double correction, stria_term g)
{
    const double free = fmax(get_count(run) - correction, 0);
    stria_term   x = stria_rule_widen(X(0));

    return r_mul(r_mul(N(2 / free), stria_rule_widen(g)), r_sub(x, mean_along(axes, x)));
}

RULE_FN(var)
{
    if (!WANTS(0)) return;
    stria_term g = stria_rule_keep_axes(run, 0, G(0), attrs->dim, attrs->keepdim);
    GRAD(0, get_spread(run, attrs->dim, attrs->correction, g));
}

RULE_FN(std)
{
    if (!WANTS(0)) return;
    stria_term y = Y(0), is_zero = r_eq(y, N(0));
    stria_term g = r_where(is_zero, N(0), r_div(G(0), r_mul(N(2), r_where(is_zero, N(1), y))));
    g = stria_rule_keep_axes(run, 0, g, attrs->dim, attrs->keepdim);
    GRAD(0, get_spread(run, attrs->dim, attrs->correction, g));
}

/* ---------------------------------------------------------------- norms */

/* The elements of the largest or smallest magnitude, in equal shares; NaN counts. */
static stria_term share_largest(stria_axes axes, stria_term x, stria_term y, stria_term g)
{
    stria_term magnitude = r_abs(x);
    stria_term is_it = r_logical_or(r_eq(magnitude, y), r_isnan(magnitude));

    return r_mul(r_sign(x), r_mul(is_it, r_div(g, sum_along(axes, is_it))));
}

/* g sign(x) (|x| / y)^(p - 1): neither power overflows. 0 where y is, and for p < 2 where x is: the derivatives of that are infinite. */
static stria_term get_norm_slope(double p, stria_term x, stria_term y, stria_term g)
{
    stria_term is_zero = r_eq(y, N(0));

    if (p == 1) return r_mul(g, r_sign(x));
    if (p == 2) return r_mul(x, r_where(is_zero, N(0), r_div(g, r_where(is_zero, N(1), y))));
    stria_term share = r_div(r_abs(x), r_where(is_zero, N(1), y));
    g = r_mul(r_sign(x), r_where(is_zero, N(0), g));
    if (p > 2) return r_mul(g, r_pow(share, N(p - 1)));
    stria_term is_none = r_eq(share, N(0));
    return r_mul(g, r_where(is_none, N(0), r_pow(r_where(is_none, N(1), share), N(p - 1))));
}

RULE_FN(norm)
{
    if (!WANTS(0)) return;
    stria_term x = X(0), y = stria_rule_keep_axes(run, 0, Y(0), attrs->dim, attrs->keepdim);
    stria_term g = stria_rule_keep_axes(run, 0, G(0), attrs->dim, attrs->keepdim);
    if (attrs->p == 0)
        GRAD(0, N(0));
    else if (isinf(attrs->p))
        GRAD(0, share_largest(attrs->dim, x, y, g));
    else
        GRAD(0, get_norm_slope(attrs->p, x, y, g));
}

/* The shares of softmax. */
RULE_FN(logsumexp)
{
    if (!WANTS(0)) return;
    stria_term y = stria_rule_keep_axes(run, 0, Y(0), attrs->dim, attrs->keepdim);
    stria_term g = stria_rule_keep_axes(run, 0, G(0), attrs->dim, attrs->keepdim);
    GRAD(0, r_mul(g, r_exp(r_sub(X(0), y))));
}
