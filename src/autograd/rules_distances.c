/* rules_distances.c - derivatives of the distances of all pairs of rows; 0 where a distance is 0, as in PyTorch. */
#include "autograd/rules_parts.h"

#include <math.h>

#include "table/dtype.h"

/* Rows beyond which a product takes the place of differences, as in cdist. */
#define MOST_EXACT_ROWS 25

typedef struct distances {
    double     p;
    stria_term a, b, y, g; /* [.., P, M], [.., R, M], [.., P, R], [.., P, R] */
} distances;

/* 1 / y^n, and 0 where y is 0. */
static stria_term divide(stria_term g, stria_term y, double n)
{
    stria_term is_zero = r_eq(y, N(0)), divisor = r_where(is_zero, N(1), y);

    return r_where(is_zero, N(0), r_div(g, n == 1 ? divisor : r_pow(divisor, N(n))));
}

/* g d y / d (a - b), [.., P, R, M]. */
static stria_term slopes(const distances *d)
{
    stria_term difference = r_sub(r_unsqueeze(d->a, -2), r_unsqueeze(d->b, -3));
    stria_term y = r_unsqueeze(d->y, -1), g = r_unsqueeze(d->g, -1);
    stria_term size = r_abs(difference), is_zero = r_eq(size, N(0));

    if (d->p == 0) return r_zeros_like(r_mul(difference, g), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE);
    if (d->p == 1) return r_mul(r_sign(difference), g);
    if (d->p == 2) return r_mul(difference, divide(g, y, 1));
    if (isinf(d->p)) return r_mul(r_sign(difference), r_where(r_eq(size, y), g, N(0)));
    stria_term power = r_where(is_zero, N(0), r_pow(r_where(is_zero, N(1), size), N(d->p - 1)));
    return r_mul(r_mul(r_sign(difference), power), divide(g, y, d->p - 1));
}

/* Whether distances were found from products, which hold no tensor of all differences. */
static bool has_products(stria_rule_run *run, const stria_cdist_attrs *attrs)
{
    const stria_rule_meta *y = stria_rule_get_output_meta(run, 0);

    if (attrs->p != 2 || attrs->compute_mode == 2) return false;
    return attrs->compute_mode == 1 || y->shape[y->ndim - 2] > MOST_EXACT_ROWS ||
           y->shape[y->ndim - 1] > MOST_EXACT_ROWS;
}

RULE_FN(cdist)
{
    const stria_dtype dtype = stria_dtype_get_compute(stria_rule_get_output_meta(run, 0)->dtype);
    const distances   d = {attrs->p, r_to(X(0), dtype), r_to(X(1), dtype), r_to(Y(0), dtype), r_to(G(0), dtype)};
    const int         rows = -2, columns = -1, others = -3;

    if (has_products(run, attrs)) {
        stria_term w = divide(d.g, d.y, 1), turned = r_transpose(w, -2, -1);
        GRAD(0, r_sub(r_mul(d.a, r_sum(w, &columns, 1, true)), r_matmul(w, d.b)));
        GRAD(1, r_sub(r_mul(d.b, r_sum(turned, &columns, 1, true)), r_matmul(turned, d.a)));
        return;
    }
    stria_term slope = slopes(&d);
    GRAD(0, r_sum(slope, &rows, 1, false));
    GRAD(1, r_neg(r_sum(slope, &others, 1, false)));
}
