/* rules_decompose.c - derivatives of determinants, inverses and singular values. */
#include "autograd/rules_parts.h"

static stria_term turn(stria_term x) { return r_transpose(x, -2, -1); }

/* ---------------------------------------------------------------- inverse */

RULE_FN(inverse)
{
    (void)attrs;
    GRAD(0, r_neg(r_matmul(turn(Y(0)), r_matmul(G(0), turn(Y(0))))));
}

/* ---------------------------------------------------------------- singular values */

/* u diag(g) v^T */
static stria_term spread(stria_term u, stria_term g, stria_term v)
{
    return r_matmul(r_mul(u, r_unsqueeze(g, -2)), turn(v));
}

RULE_FN(svdvals)
{
    stria_term u, s, v;

    (void)attrs;
    if (!WANTS(0)) return;
    r_svd(X(0), &u, &s, &v);
    GRAD(0, spread(u, G(0), v));
}

typedef struct parts {
    stria_term u, s, v;
} parts;

/* (w - w^T) / (s_j^2 - s_i^2) of w = a^T g, and 0 on the diagonal: how vectors turn into one another. */
static stria_term mix(const parts *p, stria_term a, stria_term g)
{
    stria_term w = r_matmul(turn(a), g), squares = r_square(p->s);
    stria_term gaps = r_sub(r_unsqueeze(squares, -2), r_unsqueeze(squares, -1));

    gaps = r_add(gaps, r_diag_embed(r_ones_like(p->s, STRIA_DTYPE_NONE), 0, -2, -1));
    return r_div(r_sub(w, turn(w)), gaps);
}

/* What of g lies outside of the space of the columns of a. */
static stria_term outside(stria_term a, stria_term g) { return r_sub(g, r_matmul(a, r_matmul(turn(a), g))); }

/* u ((mix of u) s + diag(g of s) + s (mix of v)) v^T, and what vectors outside of both spaces add. */
RULE_FN(svd)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    const int64_t          rows = x->ndim > 1 ? x->shape[x->ndim - 2] : 0, columns = x->shape[x->ndim - 1];

    (void)attrs;
    if (!WANTS(0)) return;
    const parts p = {Y(0), Y(1), Y(2)};
    if (!HAS_G(0) && !HAS_G(2)) {
        GRAD(0, spread(p.u, G(1), p.v));
        return;
    }
    stria_term row = r_unsqueeze(p.s, -2), column = r_unsqueeze(p.s, -1);
    stria_term middle = r_diag_embed(G(1), 0, -2, -1);
    middle = r_add(middle, r_mul(mix(&p, p.u, G(0)), row));
    middle = r_add(middle, r_mul(mix(&p, p.v, G(2)), column));
    stria_term sum = r_matmul(r_matmul(p.u, middle), turn(p.v));
    if (rows > columns) sum = r_add(sum, r_matmul(r_div(outside(p.u, G(0)), row), turn(p.v)));
    if (columns > rows) sum = r_add(sum, r_matmul(r_div(p.u, row), turn(outside(p.v, G(2)))));
    GRAD(0, sum);
}

/* ---------------------------------------------------------------- determinants */

/* Whether a determinant is 0; its matrix has no inverse. */
static bool has_zero(stria_rule_run *run, stria_term y)
{
    stria_term          any = r_any(r_eq(y, N(0)), NULL, 0, false);
    const stria_tensor *x = stria_term_get_tensor(any);

    if (x == NULL || x->device.type != STRIA_DEVICE_CPU || stria_rule_failed(run)) return false;
    return *(const bool *)x->data;
}

/* The product of all elements but one along the last axis, for each: from those before and those behind it. */
static stria_term products_of_others(stria_term s)
{
    stria_term one = r_ones_like(r_slice(s, -1, 0, 1, 1), STRIA_DTYPE_NONE);
    const int  last = -1;
    stria_term before = r_cumprod(r_cat((stria_term[]){one, r_slice(s, -1, 0, -1, 1)}, 2, -1), -1, STRIA_DTYPE_NONE);
    stria_term behind = r_flip(s, &last, 1);

    behind = r_cumprod(r_cat((stria_term[]){one, r_slice(behind, -1, 0, -1, 1)}, 2, -1), -1, STRIA_DTYPE_NONE);
    return r_mul(before, r_flip(behind, &last, 1));
}

/* The cofactors of x, also where it is singular: x = u diag(s) v^T has those of its parts. */
static stria_term cofactors(stria_term x)
{
    stria_term u, s, v;

    r_svd(x, &u, &s, &v);
    stria_term sign = r_mul(r_det(u), r_det(v));
    return r_mul(spread(u, products_of_others(s), v), r_unsqueeze(r_unsqueeze(sign, -1), -1));
}

/* Cofactors: y times the inverse. A singular matrix is replaced by the identity there, and has its cofactors from singular values. */
RULE_FN(det)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);

    (void)attrs;
    if (!WANTS(0)) return;
    stria_term g = r_unsqueeze(r_unsqueeze(G(0), -1), -1), y = r_unsqueeze(r_unsqueeze(Y(0), -1), -1), a = X(0);
    if (x->numel == 0 || !has_zero(run, Y(0))) {
        GRAD(0, r_mul(r_mul(g, y), turn(r_inverse(a))));
        return;
    }
    stria_term is_zero = r_eq(y, N(0)), ones = r_ones_like(r_select(a, -1, 0), STRIA_DTYPE_NONE);
    stria_term regular = r_where(is_zero, r_diag_embed(ones, 0, -2, -1), a);
    stria_term both = r_where(is_zero, cofactors(a), r_mul(y, turn(r_inverse(regular))));
    GRAD(0, r_mul(g, both));
}
