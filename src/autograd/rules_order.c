/* rules_order.c - derivatives of order statistics: the gradient goes to the elements that were chosen; that of one of all elements, without
 * an axis, to every element of that value, in equal shares, as in PyTorch. */
#include "autograd/rules_parts.h"

#include "call/call.h"
#include "table/dtype.h"

/* ---------------------------------------------------------------- chosen along an axis */

/* g where the positions say, each once. */
static stria_term put_back(stria_rule_run *run, stria_term g, stria_term positions, int dim)
{
    return stria_part_put_along(run, stria_part_zeros(run, 0, g), positions, g, dim);
}

/* The same where the axis has vanished. */
static stria_term put_back_one(stria_rule_run *run, int dim, bool keepdim)
{
    const int ndim = stria_rule_get_input_meta(run, 0)->ndim;

    if (ndim == 0) return G(0);
    if (keepdim) return put_back(run, G(0), Y(1), dim);
    dim = stria_part_wrap_axis(dim, ndim);
    return put_back(run, r_unsqueeze(G(0), dim), r_unsqueeze(Y(1), dim), dim);
}

RULE_FN(sort) { GRAD(0, put_back(run, G(0), Y(1), attrs->dim)); }
RULE_FN(topk) { GRAD(0, put_back(run, G(0), Y(1), attrs->dim)); }
RULE_FN(kthvalue) { GRAD(0, put_back_one(run, attrs->dim, attrs->keepdim)); }
RULE_FN(mode) { GRAD(0, put_back_one(run, attrs->dim, attrs->keepdim)); }

/* ---------------------------------------------------------------- one of all */

static stria_term share_evenly(stria_rule_run *run)
{
    stria_term x = X(0), y = Y(0);
    stria_term is_it = r_logical_or(r_eq(x, y), r_logical_and(r_isnan(x), r_isnan(y)));

    return r_where(is_it, r_div(G(0), r_sum(is_it, NULL, 0, false)), N(0));
}

static stria_term chosen_gradient(stria_rule_run *run, int dim, bool keepdim)
{
    return dim == STRIA_AXIS_NONE ? share_evenly(run) : put_back_one(run, dim, keepdim);
}

RULE_FN(median) { GRAD(0, chosen_gradient(run, attrs->dim, attrs->keepdim)); }
RULE_FN(nanmedian) { GRAD(0, chosen_gradient(run, attrs->dim, attrs->keepdim)); }

/* Largest and smallest elements with their places: one of equals along an axis, all of them without. */
RULE_FN(max) { GRAD(0, chosen_gradient(run, attrs->dim, attrs->keepdim)); }
RULE_FN(min) { GRAD(0, chosen_gradient(run, attrs->dim, attrs->keepdim)); }

/* ---------------------------------------------------------------- quantiles
 *
 * Rows along the last axis, in order: quantile q is (1 - w) of the element at floor(r) and w of that at ceil(r), r = q (n - 1). */

enum { LINEAR, LOWER, HIGHER, MIDPOINT, NEAREST }; /* the words of the rows */
#define MOST_EXACT (1 << 24)                       /* floats are the whole numbers below, as quantile.c has it */

typedef struct rows {
    stria_rule_run *run;
    int             ndim, axis; /* of x; 1 dim of all elements where there is no axis */
    int64_t         shape[STRIA_MAX_DIMS], n, n_q;
    stria_term      x, order, g; /* [.., n], [.., n], [.., n_q] */
    stria_term      last;        /* n - 1, of each row: a number, or [.., 1] */
    stria_term      is_nan;      /* of each row, [.., 1]; nothing where NaN is passed over */
    stria_term      below, above, weight;
} rows;

/* x as rows, and the gradient as as many; the result has a number of quantiles as its first axis. */
static void lay_out(rows *r, int dim)
{
    stria_rule_run        *run = r->run;
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    const stria_rule_meta *q = stria_rule_get_input_meta(run, 1);
    int64_t                sizes[STRIA_MAX_DIMS + 1];

    const bool is_flat = dim == STRIA_AXIS_NONE || x->ndim == 0;
    r->ndim = is_flat ? 1 : x->ndim;
    r->axis = is_flat ? 0 : stria_part_wrap_axis(dim, x->ndim);
    for (int d = 0; d < r->ndim; d++) r->shape[d] = is_flat ? x->numel : x->shape[d];
    r->n = r->shape[r->axis];
    r->n_q = q->numel;
    r->x = stria_part_move_axis(r_reshape(X(0), r->shape, r->ndim), r->ndim, r->axis, r->ndim - 1);
    sizes[0] = r->n_q;
    for (int d = 0, to = 1; d < r->ndim; d++)
        if (d != r->axis) sizes[to++] = r->shape[d];
    r->g = stria_part_move_axis(r_reshape(G(0), sizes, r->ndim), r->ndim, 0, r->ndim - 1);
}

/* Where quantiles lie, in the dtype that quantile.c finds it in; a row with NaN is its last element, unless NaN is passed over. */
static void find_places(rows *r, bool skips_nan, int interpolation)
{
    stria_rule_run   *run = r->run;
    const stria_dtype dtype = stria_rule_get_input_meta(run, 0)->dtype;
    const stria_dtype places = dtype == STRIA_F64 || r->n > MOST_EXACT ? STRIA_F64 : STRIA_F32;
    const int         last = r->ndim - 1;
    stria_term        is_nan = r_isnan(r->x);

    r->order = r_argsort(r->x, -1, false, true);
    if (skips_nan)
        r->last = r_maximum(r_sub(r_sum(r_to(r_logical_not(is_nan), places), &last, 1, true), N(1)), N(0));
    else
        r->last = N((double)(r->n - 1));
    stria_term place = r_mul(r_to(r_reshape(X(1), &r->n_q, 1), places), r->last);
    r->is_nan = skips_nan ? NOTHING : r_any(is_nan, &last, 1, true);
    if (!skips_nan) place = r_where(r->is_nan, r->last, place);
    if (interpolation == NEAREST) place = r_round(place);
    r->below = interpolation == HIGHER ? r_ceil(place) : r_floor(place);
    r->above = interpolation == LOWER ? r->below : r_ceil(place);
    r->weight = interpolation == MIDPOINT ? N(0.5) : r_sub(place, r->below);
}

/* [.., n_q]: positions in order become positions in x. */
static stria_term find_elements(const rows *r, stria_term places)
{
    int64_t shape[STRIA_MAX_DIMS];
    int     n = 0;

    for (int d = 0; d < r->ndim; d++)
        if (d != r->axis) shape[n++] = r->shape[d];
    shape[n] = r->n_q;
    return r_gather(r->order, r_expand(r_to(places, STRIA_I64), shape, r->ndim), -1);
}

static stria_term add_shares(const rows *r, stria_term below, stria_term above)
{
    stria_rule_run   *run = r->run;
    const stria_dtype dtype = stria_rule_get_output_meta(run, 0)->dtype;
    int64_t           shape[STRIA_MAX_DIMS];
    int               n = 0;

    for (int d = 0; d < r->ndim; d++)
        if (d != r->axis) shape[n++] = r->shape[d];
    shape[n] = r->n;
    stria_term upper = r_to(r_mul(r->g, r->weight), dtype);
    stria_term sum = stria_part_full(run, r->g, dtype, r->ndim, shape, 0);
    sum = stria_part_add_along(run, sum, below, r_sub(r->g, upper), -1);
    sum = stria_part_add_along(run, sum, above, upper, -1);
    return stria_part_shape_as_input(run, 0, stria_part_move_axis(sum, r->ndim, r->ndim - 1, r->axis));
}

/* The distance of both elements, once for each of n - 1. */
static stria_term rise(const rows *r, stria_term below, stria_term above)
{
    int       rest[STRIA_MAX_DIMS];
    const int n_rest = r->ndim - 1;

    for (int d = 0; d < n_rest; d++) rest[d] = d;
    stria_term slopes = r_mul(r_mul(r->g, r_sub(r_gather(r->x, above, -1), r_gather(r->x, below, -1))), r->last);
    if (!stria_term_is_nothing(r->is_nan)) slopes = r_where(r->is_nan, N(0), slopes);
    return n_rest > 0 ? r_sum(slopes, rest, n_rest, false) : slopes;
}

static void set_quantile(stria_rule_run *run, int dim, int interpolation, bool skips_nan)
{
    rows r = {.run = run};

    if (!WANTS(0) && !WANTS(1)) return;
    if (stria_rule_get_output_meta(run, 0)->numel == 0) {
        GRAD(0, N(0));
        GRAD(1, N(0));
        return;
    }
    lay_out(&r, dim);
    find_places(&r, skips_nan, interpolation);
    stria_term below = find_elements(&r, r.below), above = find_elements(&r, r.above);
    GRAD(0, add_shares(&r, below, above));
    if (interpolation == LINEAR)
        GRAD(1, stria_part_shape_as_input(run, 1, rise(&r, below, above)));
    else
        GRAD(1, N(0));
}

RULE_FN(quantile) { set_quantile(run, attrs->dim, attrs->interpolation, false); }
RULE_FN(nanquantile) { set_quantile(run, attrs->dim, attrs->interpolation, true); }

/* ---------------------------------------------------------------- refused, as in PyTorch: one element stands for several */

RULE_FN(unique)
{
    (void)attrs;
    if (WANTS(0)) stria_part_refuse(run, "unique", "an element of the result is several of x");
}

RULE_FN(unique_consecutive)
{
    (void)attrs;
    if (WANTS(0)) stria_part_refuse(run, "unique_consecutive", "an element of the result is several of x");
}
