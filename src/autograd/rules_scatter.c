/* rules_scatter.c - derivatives of scatter and of what combines a source into x at positions.
 *
 * A source that lost its place to a later one has the gradient 0. Largest and smallest elements share a gradient in equal parts. */
#include "autograd/rules.h"
#include "autograd/rules_parts.h"

/* ---------------------------------------------------------------- along an axis
 *
 * The index is no longer than the source; what it does not reach of that has the gradient 0. */

typedef struct along {
    stria_rule_run *run;
    int             dim;
    stria_term      index; /* of the shape of what is taken and put */
} along;

static stria_term take(const along *a, stria_term x) { return r_gather(x, a->index, a->dim); }

/* x with 0 where the index meets it. */
static stria_term without_met(const along *a, stria_term x) { return r_scatter(x, a->index, N(0), a->dim, "none"); }

/* Input 2 as far as the index reaches. */
static stria_term get_source(stria_rule_run *run, const stria_rule_meta *index)
{
    const stria_rule_meta *source = stria_rule_get_input_meta(run, 2);
    stria_term             x = X(2);

    for (int d = 0; d < source->ndim && d < index->ndim; d++)
        if (source->shape[d] != index->shape[d]) x = r_slice(x, d, 0, index->shape[d], 1);
    return x;
}

/* The gradient of what get_source says as that of input 2. */
static stria_term spread_source(stria_rule_run *run, const stria_rule_meta *index, stria_term g)
{
    const stria_rule_meta *source = stria_rule_get_input_meta(run, 2);

    if (index->numel == 0) return stria_part_zeros(run, 2, G(0));
    for (int d = 0; d < source->ndim && d < index->ndim; d++)
        g = stria_part_pad_axis(g, source->ndim, d, 0, source->shape[d] - index->shape[d]);
    return g;
}

/* ---------------------------------------------------------------- scatter, scatter_add */

enum { WRITE, ADD, MULTIPLY }; /* the words of scatter */

/* Every element of the source has a number, and of those at one place the last is found there. */
static stria_term take_written(const along *a, const stria_rule_meta *index)
{
    stria_rule_run        *run = a->run;
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    stria_term             number = stria_part_reshape(stria_part_range(run, G(0), index->numel), index);
    stria_term             written = stria_part_full(run, G(0), STRIA_I64, x->ndim, x->shape, -1);

    written = r_scatter(written, a->index, number, a->dim, "none");
    return r_where(r_eq(take(a, written), number), take(a, G(0)), N(0));
}

RULE_FN(scatter)
{
    const stria_rule_meta *index = stria_rule_get_input_meta(run, 1);
    const along            a = {run, attrs->dim, X(1)};

    if (attrs->reduce == MULTIPLY) {
        stria_part_refuse(run, "scatter", "use scatter_reduce with 'prod' in place of 'multiply'");
    } else if (index->numel == 0) {
        GRAD(0, G(0));
        GRAD(2, N(0));
    } else {
        GRAD(0, attrs->reduce == ADD ? G(0) : without_met(&a, G(0)));
        GRAD(2, spread_source(run, index, attrs->reduce == ADD ? take(&a, G(0)) : take_written(&a, index)));
    }
}

RULE_FN(scatter_add)
{
    const stria_rule_meta *index = stria_rule_get_input_meta(run, 1);
    const along            a = {run, attrs->dim, X(1)};

    GRAD(0, G(0));
    if (WANTS(2)) GRAD(2, spread_source(run, index, index->numel > 0 ? take(&a, G(0)) : G(0)));
}

/* ---------------------------------------------------------------- combining */

typedef enum kind { SUM, PROD, MEAN, AMAX, AMIN } kind;

typedef struct combining {
    along      a;
    bool       include_self;
    stria_term g, x, source, y; /* source: of the shape of the index; sums and means have no x, source and y */
    stria_term own, met;        /* gradients of x and source */
} combining;

static stria_term ones_like(stria_term x) { return r_ones_like(x, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE); }

/* Elements that the result is the mean of share it. */
static void share_mean(combining *c)
{
    const along *a = &c->a;
    stria_term   ones = ones_like(take(a, c->g)),
               counts = c->include_self ? ones_like(c->g) : r_zeros_like(c->g, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE);

    counts = r_maximum(r_scatter_add(counts, a->index, ones, a->dim), N(1));
    c->own = r_div(c->g, counts);
    c->met = take(a, c->own);
}

/* Elements that are the result share it. */
static void share_extreme(combining *c)
{
    const along      *a = &c->a;
    const stria_dtype dtype = stria_rule_get_output_meta(a->run, 0)->dtype;
    stria_term        own = r_to(r_eq(c->x, c->y), dtype), met = r_to(r_eq(c->source, take(a, c->y)), dtype);

    if (!c->include_self) own = without_met(a, own);
    stria_term counts = r_scatter_add(own, a->index, met, a->dim);
    stria_term shares = r_where(r_eq(counts, N(0)), N(0), r_div(c->g, counts));
    c->own = r_mul(own, shares);
    c->met = r_mul(met, take(a, shares));
}

/* The product of the others. One element that is 0 gets the product without it; where there are two, both get 0. Derivatives of that see the
 * zeros: others get their product, and each of two zeros the other one, which is what is left of their sum. */
static void share_product(combining *c)
{
    const along      *a = &c->a;
    const stria_dtype dtype = stria_rule_get_output_meta(a->run, 0)->dtype;
    stria_term        own_zero = r_eq(c->x, N(0)), met_zero = r_eq(c->source, N(0));
    stria_term        x = r_where(own_zero, N(1), c->x), source = r_where(met_zero, N(1), c->source);
    stria_term        zeros = r_to(own_zero, dtype);

    if (!c->include_self) {
        x = r_scatter(x, a->index, N(1), a->dim, "none");
        zeros = without_met(a, zeros);
    }
    /* products of what is not 0, and how many zeros there are */
    stria_term product = r_scatter_reduce(x, a->index, source, a->dim, "prod", true);
    stria_term n_zeros = r_scatter_add(zeros, a->index, r_to(met_zero, dtype), a->dim);
    stria_term g = r_mul(c->g, r_conj(product));
    stria_term of_none = r_where(r_eq(n_zeros, N(0)), g, N(0)), of_one = r_where(r_eq(n_zeros, N(1)), g, N(0));
    if (!stria_formula_creates_graph()) {
        c->own = r_div(r_where(own_zero, of_one, of_none), r_conj(x));
        c->met = r_div(r_where(met_zero, take(a, of_one), take(a, of_none)), r_conj(source));
        return;
    }
    stria_term zero = r_where(own_zero, c->x, N(1)), zero_source = r_where(met_zero, c->source, N(1));
    stria_term sum = r_where(own_zero, c->x, N(0)), sum_source = r_where(met_zero, c->source, N(0));
    if (!c->include_self) {
        zero = r_scatter(zero, a->index, N(1), a->dim, "none");
        sum = without_met(a, sum);
    }
    stria_term of_two = r_where(r_eq(n_zeros, N(2)), g, N(0));
    stria_term zeros_alone = r_conj(r_scatter_reduce(zero, a->index, zero_source, a->dim, "prod", true));
    /* beyond two only 0 is left; what is not finite is no factor of 0 */
    stria_term is_apart = r_logical_and(r_ne(n_zeros, N(0)), r_logical_not(r_isfinite(g)));
    of_none = r_where(is_apart, N(0), r_mul(r_where(is_apart, N(0), g), zeros_alone));
    stria_term both = r_scatter_add(sum, a->index, sum_source, a->dim);
    c->own = r_where(own_zero, r_add(of_one, r_mul(of_two, r_conj(r_sub(both, c->x)))), r_div(of_none, r_conj(x)));
    c->met = r_where(met_zero, r_add(take(a, of_one), r_mul(take(a, of_two), r_conj(r_sub(take(a, both), c->source)))),
                     r_div(take(a, of_none), r_conj(source)));
}

static void combine(combining *c, kind k)
{
    if (k == MEAN)
        share_mean(c);
    else if (k == PROD)
        share_product(c);
    else if (k == AMAX || k == AMIN)
        share_extreme(c);
    else
        c->own = c->g, c->met = take(&c->a, c->g);
    if (!c->include_self) c->own = without_met(&c->a, c->own);
}

RULE_FN(scatter_reduce)
{
    const stria_rule_meta *index = stria_rule_get_input_meta(run, 1);
    combining              c = {.a = {run, attrs->dim, X(1)}, .include_self = attrs->include_self};

    if (index->numel == 0) {
        GRAD(0, G(0));
        GRAD(2, N(0));
        return;
    }
    c.g = G(0);
    if (stria_rule_is_of_values(STRIA_ROW_OF_FUNCTION(STRIA_FN_scatter_reduce), attrs))
        c.x = X(0), c.y = Y(0), c.source = get_source(run, index);
    combine(&c, (kind)attrs->reduce);
    GRAD(0, c.own);
    GRAD(2, spread_source(run, index, c.met));
}

/* As scatter_reduce, with an index for each element of the source; a tensor without dims is one of size 1. */
RULE_FN(index_reduce)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *source = stria_rule_get_input_meta(run, 2);
    const int              ndim = source->ndim > 0 ? source->ndim : 1;
    const int64_t          one = 1;
    int64_t                shape[STRIA_MAX_DIMS], full[STRIA_MAX_DIMS];
    combining              c = {.a = {.run = run}, .include_self = attrs->include_self};

    if (source->numel == 0) {
        GRAD(0, G(0));
        GRAD(2, N(0));
        return;
    }
    c.a.dim = stria_part_wrap_axis(attrs->dim, x->ndim);
    for (int d = 0; d < ndim; d++) full[d] = source->ndim > 0 ? source->shape[d] : 1;
    for (int d = 0; d < ndim; d++) shape[d] = d == c.a.dim ? full[d] : 1;
    c.a.index = r_expand(r_reshape(X(1), shape, ndim), full, ndim);
    const kind k = (kind)(attrs->reduce + 1); /* it has no sum */
    c.g = G(0);
    if (x->ndim == 0) c.g = r_reshape(c.g, &one, 1);
    if (stria_rule_is_of_values(STRIA_ROW_OF_FUNCTION(STRIA_FN_index_reduce), attrs)) {
        c.x = X(0), c.y = Y(0), c.source = r_reshape(X(2), full, ndim);
        if (x->ndim == 0) c.x = r_reshape(c.x, &one, 1), c.y = r_reshape(c.y, &one, 1);
    }
    combine(&c, k);
    GRAD(0, stria_part_shape_as_input(run, 0, c.own));
    GRAD(2, stria_part_shape_as_input(run, 2, c.met));
}
