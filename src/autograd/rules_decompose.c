/* rules_decompose.c - derivatives of determinants, inverses and singular values. */
#include "autograd/rules_parts.h"
#include "autograd/rules_values.h"

static stria_term transposed(stria_term x) { return r_transpose(x, -2, -1); }
/* x of one number for each matrix. */
static stria_term twice(stria_term x) { return r_unsqueeze(r_unsqueeze(x, -1), -1); }

/* ---------------------------------------------------------------- inverse */

RULE_FN(inverse)
{
    (void)attrs;
    GRAD(0, r_neg(r_matmul(transposed(Y(0)), r_matmul(G(0), transposed(Y(0))))));
}

/* ---------------------------------------------------------------- singular values */

/* u diag(g) v^T */
static stria_term spread(stria_term u, stria_term g, stria_term v)
{
    return r_matmul(r_mul(u, r_unsqueeze(g, -2)), transposed(v));
}

RULE_FN(svdvals)
{
    stria_term u, s, v;

    (void)attrs;
    if (!WANTS(0)) return;
    r_svd(X(0), true, true, &u, &s, &v);
    GRAD(0, spread(u, G(0), v));
}

typedef struct parts {
    stria_term u, s, v;
} parts;

/* (w - w^T) / (s_j^2 - s_i^2) of w = a^T g, and 0 on the diagonal: how vectors turn into one another. */
static stria_term mix(const parts *p, stria_term a, stria_term g)
{
    stria_term w = r_matmul(transposed(a), g), squares = r_square(p->s);
    stria_term gaps = r_sub(r_unsqueeze(squares, -2), r_unsqueeze(squares, -1));

    gaps = r_add(gaps, r_diag_embed(r_ones_like(p->s, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE), 0, -2, -1));
    return r_div(r_sub(w, transposed(w)), gaps);
}

/* What of g lies outside of the space of the columns of a. */
static stria_term outside(stria_term a, stria_term g) { return r_sub(g, r_matmul(a, r_matmul(transposed(a), g))); }

/* The first n columns. */
static stria_term first(stria_term a, int64_t n) { return r_slice(a, -1, 0, n, 1); }

/* u ((mix of u) s + diag(g of s) + s (mix of v)) v^T, and what vectors outside of both spaces add. */
RULE_FN(svd)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    const int64_t          rows = x->ndim > 1 ? x->shape[x->ndim - 2] : 0, columns = x->shape[x->ndim - 1];

    if (!WANTS(0)) return;
    if (!attrs->compute_uv) {
        stria_part_refuse(run, "svd", "use svdvals in place of compute_uv");
        return;
    }
    const int64_t n = rows < columns ? rows : columns; /* vectors that belong to values; the others have no say */
    const parts   p = {first(Y(0), n), Y(1), first(Y(2), n)};
    if (!HAS_G(0) && !HAS_G(2)) {
        GRAD(0, spread(p.u, G(1), p.v));
        return;
    }
    stria_term gu = first(G(0), n), gv = first(G(2), n);
    stria_term row = r_unsqueeze(p.s, -2), column = r_unsqueeze(p.s, -1);
    stria_term middle = r_diag_embed(G(1), 0, -2, -1);
    middle = r_add(middle, r_mul(mix(&p, p.u, gu), row));
    middle = r_add(middle, r_mul(mix(&p, p.v, gv), column));
    stria_term sum = r_matmul(r_matmul(p.u, middle), transposed(p.v));
    if (rows > columns) sum = r_add(sum, r_matmul(r_div(outside(p.u, gu), row), transposed(p.v)));
    if (columns > rows) sum = r_add(sum, r_matmul(r_div(p.u, row), transposed(outside(p.v, gv))));
    GRAD(0, sum);
}

/* ---------------------------------------------------------------- determinants */

/* The product of all elements but one along the last axis, for each: from those before and those behind it. */
static stria_term products_of_others(stria_term s)
{
    stria_term one = r_ones_like(r_slice(s, -1, 0, 1, 1), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE);
    const int  last = -1;
    stria_term before = r_cumprod(r_cat((stria_term[]){one, r_slice(s, -1, 0, -1, 1)}, 2, -1), -1, STRIA_DTYPE_NONE);
    stria_term behind = r_flip(s, &last, 1);

    behind = r_cumprod(r_cat((stria_term[]){one, r_slice(behind, -1, 0, -1, 1)}, 2, -1), -1, STRIA_DTYPE_NONE);
    return r_mul(before, r_flip(behind, &last, 1));
}

/* The cofactors of x, also where it is singular: x = u diag(s) v^T has those of its parts, products of all s but one. To be differentiated, h = x - x, 0,
 * brings the terms that are linear in it: with p the products of all s but two and b = u^T h v, sums of p_ij b_jj on the diagonal, and -p_ij b_ji
 * elsewhere. The power, 0, makes what is not there, a derivative by h of higher order, NaN. */
static stria_term cofactors(stria_term x, stria_term is_regular)
{
    stria_term u, s, v, still = r_detach(x);

    r_svd(still, true, true, &u, &s, &v);
    stria_term sign = r_mul(r_det(u), r_det(v)), middle = r_diag_embed(products_of_others(s), 0, -2, -1);
    if (stria_formula_creates_graph()) {
        stria_term h = r_where(is_regular, N(1), r_sub(x, still));
        stria_term b = r_matmul(r_matmul(transposed(u), r_add(h, r_mul(N(0), r_pow(h, N(1.5))))), v);
        stria_term same = r_diag_embed(r_ones_like(s, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE), 0, -2, -1),
                   others = r_sub(N(1), same);
        stria_term p = r_mul(products_of_others(r_add(r_mul(r_unsqueeze(s, -2), others), same)), others);
        stria_term inner = r_matmul(p, r_unsqueeze(r_diagonal(b, 0, -2, -1), -1));
        middle = r_add(middle, r_sub(r_mul(same, inner), r_mul(p, transposed(b))));
    }
    return r_mul(r_matmul(r_matmul(u, middle), transposed(v)), twice(sign));
}

/* Whether all are true; false where they cannot be looked at, as on another device. */
static bool are_true(stria_term x)
{
    const stria_tensor *all = stria_term_get_tensor(r_all(x, NULL, 0, false));

    return all != NULL && all->device.type == STRIA_DEVICE_CPU && *all->data != 0;
}

/* Cofactors: y times the inverse. A singular matrix is replaced by the identity there, and has its cofactors from singular values; so has one that is
 * nearly singular, where they are differentiated, since the inverse of an inverse loses its digits.
 * Where none is singular, what would be replaced is left out; the bits are the same. */
RULE_FN(det)
{
    const stria_rule_meta *meta = stria_rule_get_input_meta(run, 0);
    const bool             again = stria_formula_creates_graph();

    (void)attrs;
    if (!WANTS(0)) return;
    stria_term a = again ? r_to(X(0), STRIA_F64) : X(0), y = again ? r_det(a) : Y(0), is_regular = r_ne(y, N(0));
    if (again && meta->numel > 0) {
        stria_term s = r_svdvals(r_detach(a));
        is_regular = r_gt(r_select(s, -1, -1), r_mul(r_select(s, -1, 0), N(0x1p-17)));
    }
    stria_term g = twice(G(0)), inverse;
    if (meta->numel == 0 || are_true(is_regular)) {
        inverse = r_mul(twice(y), transposed(r_inverse(a)));
    } else {
        stria_term ones = r_ones_like(r_select(a, -1, 0), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE);
        is_regular = twice(is_regular);
        inverse = r_mul(twice(y), transposed(r_inverse(r_where(is_regular, a, r_diag_embed(ones, 0, -2, -1)))));
        inverse = r_where(is_regular, inverse, cofactors(a, is_regular));
    }
    GRAD(0, r_mul(g, inverse));
}
