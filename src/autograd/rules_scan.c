/* rules_scan.c - derivatives of running results along an axis. */
#include "autograd/rules_parts.h"
#include "autograd/rules_values.h"

/* Of a 0-dim input, which is its own running result. */
static bool is_single(stria_rule_run *run) { return stria_rule_get_input_meta(run, 0)->ndim == 0; }

static int64_t get_size(stria_rule_run *run, int dim)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);

    return x->shape[stria_part_wrap_axis(dim, x->ndim)];
}

/* The running sum from the end. */
static stria_term sum_from_end(stria_term x, int dim)
{
    return r_flip(r_cumsum(r_flip(x, &dim, 1), dim, STRIA_DTYPE_NONE), &dim, 1);
}

RULE_FN(cumsum) { GRAD(0, is_single(run) ? G(0) : sum_from_end(G(0), attrs->dim)); }

/* ---------------------------------------------------------------- products
 *
 * d/dx[k] of the sum of g[i] x[0] .. x[i] is p[k] s[k]: p the product of those before k, and s[k] = g[k] + x[k + 1] s[k + 1]. That is the running sum
 * of g y from the end, divided by x, but where a product first is 0 or infinite. Which formula is taken does not depend on elements, as these
 * are others when a recording runs. */

/* x along an axis, with a number before and behind it so many times; negative: as many elements less. */
static stria_term extend(stria_rule_run *run, stria_term x, int dim, int64_t before, int64_t behind, int64_t number)
{
    const int          ndim = stria_rule_get_input_meta(run, 0)->ndim, axis = stria_part_wrap_axis(dim, ndim);
    const stria_scalar value = {.kind = STRIA_SCALAR_INT, .i = number};
    int64_t            pad[2 * STRIA_MAX_DIMS] = {0};

    pad[2 * (ndim - 1 - axis)] = before;
    pad[2 * (ndim - 1 - axis) + 1] = behind;
    return r_pad(x, pad, 2 * (ndim - axis), "constant", value);
}

/* x moved `by` places towards the beginning of the axis. */
static stria_term shift(stria_rule_run *run, stria_term x, int dim, int64_t by, int64_t number)
{
    return extend(run, x, dim, -by, by, number);
}

/* s[k] = g[k] + factor[k] s[k + 1] of all places, in steps that double how far each place has looked. */
static stria_term run_recurrence(stria_rule_run *run, stria_term factor, stria_term g, int dim, int64_t n)
{
    stria_term sum = g;

    for (int64_t step = 1; step < n; step *= 2) {
        sum = r_add(sum, r_mul(factor, shift(run, sum, dim, step, 0)));
        if (2 * step < n) factor = r_mul(factor, shift(run, factor, dim, step, 1));
    }
    return sum;
}

/* Where a product first is 0 or not finite, its factor is taken out of those that follow; behind zeros the sum is 0. This holds where it is, but
 * has no derivatives there. */
static stria_term divide_products(stria_rule_run *run, stria_term x, stria_term y, stria_term g, int dim)
{
    stria_term works = r_isfinite(r_div(y, y)), is_first = r_gt(shift(run, works, dim, -1, 1), works);
    stria_term without = r_cumprod(r_where(is_first, N(1), x), dim, STRIA_DTYPE_NONE);
    stria_term divided = r_div(sum_from_end(r_mul(g, y), dim), r_where(r_eq(x, N(0)), N(1), x));

    return r_where(is_first, sum_from_end(r_mul(g, without), dim), divided);
}

static void derive_cumprod(stria_rule_run *run, int dim)
{
    const int64_t n = get_size(run, dim);
    stria_term    x = r_conj(stria_rule_widen(X(0))), y = r_conj(stria_rule_widen(Y(0))), g = stria_rule_widen(G(0));

    if (n == 0)
        GRAD(0, g);
    else if (!stria_formula_creates_graph())
        GRAD(0, divide_products(run, x, y, g, dim));
    else
        GRAD(0, r_mul(shift(run, y, dim, -1, 1), run_recurrence(run, shift(run, x, dim, 1, 1), g, dim, n)));
}

RULE_FN(cumprod)
{
    if (is_single(run))
        GRAD(0, G(0));
    else if (WANTS(0))
        derive_cumprod(run, attrs->dim);
}

/* ---------------------------------------------------------------- extremes, logarithms of sums */

static void give_to_extreme(stria_rule_run *run, int dim)
{
    if (!WANTS(0)) return;
    stria_term g = G(0);
    GRAD(0, is_single(run) ? g : r_scatter_add(r_zeros_like(g, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE), Y(1), g, dim));
}

RULE_FN(cummax) { give_to_extreme(run, attrs->dim); }
RULE_FN(cummin) { give_to_extreme(run, attrs->dim); }

/* exp(a - b), 1 where they are equal: infinities, too. */
static stria_term get_ratio(stria_term a, stria_term b) { return r_exp(r_where(r_eq(a, b), N(0), r_sub(a, b))); }

/* d/dx[k] of the sum of g[i] y[i] is exp(x[k] - y[k]) s[k], s[k] = g[k] + exp(y[k] - y[k + 1]) s[k + 1]: y never falls, so that no exponential is above 1. */
RULE_FN(logcumsumexp)
{
    const int dim = attrs->dim;

    if (is_single(run)) GRAD(0, G(0));
    if (is_single(run) || !WANTS(0)) return;
    const int64_t n = get_size(run, dim);
    if (n == 0) {
        GRAD(0, G(0));
        return;
    }
    stria_term y = stria_rule_widen(Y(0)), g = stria_rule_widen(G(0));
    stria_term fall = get_ratio(r_slice(y, dim, 0, n - 1, 1), r_slice(y, dim, 1, n, 1));
    GRAD(0,
         r_mul(get_ratio(stria_rule_widen(X(0)), y), run_recurrence(run, extend(run, fall, dim, 0, 1, 1), g, dim, n)));
}
