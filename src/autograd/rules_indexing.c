/* rules_indexing.c - derivatives of masks and positions: what was taken is added where it came from, and what was put is taken from
 * where it went. rules_scatter.c has those that combine. */
#include "autograd/rules_parts.h"

#define ZEROS(k) stria_part_zeros(run, k, G(0))

/* ---------------------------------------------------------------- masks */

RULE_FN(masked_select)
{
    (void)attrs;
    GRAD(0, r_masked_scatter(ZEROS(0), X(1), G(0)));
}

RULE_FN(masked_fill)
{
    (void)attrs;
    GRAD(0, r_masked_fill(G(0), X(1), N(0)));
    GRAD(2, r_sum(r_where(X(1), G(0), N(0)), NULL, 0, false));
}

/* Elements of source that were not needed have the gradient 0. */
static stria_term take_masked(stria_rule_run *run)
{
    const stria_rule_meta *source = stria_rule_get_input_meta(run, 2);
    stria_term             taken = r_masked_select(G(0), X(1));
    const stria_tensor    *tensor = stria_term_get_tensor(taken);

    if (tensor == NULL) return taken;
    return stria_part_reshape(stria_part_pad_axis(taken, 1, 0, 0, source->numel - tensor->numel), source);
}

RULE_FN(masked_scatter)
{
    (void)attrs;
    GRAD(0, r_masked_fill(G(0), X(1), N(0)));
    GRAD(2, take_masked(run));
}

/* ---------------------------------------------------------------- taken by positions */

RULE_FN(gather) { GRAD(0, stria_part_add_along(run, ZEROS(0), X(1), G(0), attrs->dim)); }
RULE_FN(take)
{
    (void)attrs;
    GRAD(0, stria_part_add_flat(run, ZEROS(0), X(1), G(0)));
}
RULE_FN(index_select) { GRAD(0, stria_part_add_slices(run, ZEROS(0), X(1), G(0), attrs->dim)); }

/* Where x and the positions broadcast, x is as large as the result but for the axis. */
static stria_term add_along(stria_rule_run *run, int dim)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *y = stria_rule_get_output_meta(run, 0);
    const int              axis = stria_part_wrap_axis(dim, x->ndim);
    int64_t                shape[STRIA_MAX_DIMS];

    for (int d = 0; d < x->ndim; d++) shape[d] = d == axis ? x->shape[d] : y->shape[d];
    stria_term zeros = stria_part_full(run, G(0), y->dtype, x->ndim, shape, 0);
    return stria_part_add_along(run, zeros, r_expand(X(1), y->shape, y->ndim), G(0), axis);
}

RULE_FN(take_along_dim)
{
    if (attrs->dim == STRIA_AXIS_NONE)
        GRAD(0, stria_part_add_flat(run, ZEROS(0), X(1), stria_part_shape_as_input(run, 1, G(0))));
    else
        GRAD(0, add_along(run, attrs->dim));
}

static stria_term add_rows(stria_rule_run *run, int64_t padding)
{
    const stria_rule_meta *weight = stria_rule_get_input_meta(run, 0);
    const int64_t          n = stria_rule_get_input_meta(run, 1)->numel, one = 1;
    stria_term             rows = r_reshape(G(0), (int64_t[]){n, weight->shape[1]}, 2);

    rows = stria_part_add_slices(run, ZEROS(0), stria_part_flatten(X(1), n), rows, 0);
    if (padding == STRIA_INT_NONE) return rows;
    return r_index_fill(rows, stria_part_full(run, rows, STRIA_I64, 1, &one, padding), N(0), 0);
}

RULE_FN(embedding) { GRAD(0, add_rows(run, attrs->padding_idx)); }

/* ---------------------------------------------------------------- several indices, masks among them */

#define MOST_INDICES STRIA_MAX_DIMS

/* The list, which begins at input `first`. */
static int get_indices(stria_rule_run *run, int first, stria_term *indices)
{
    const int n = stria_rule_count_inputs(run) - first;

    for (int k = 0; k < n && k < MOST_INDICES; k++) indices[k] = X(first + k);
    return n < MOST_INDICES ? n : MOST_INDICES;
}

/* Into zeros that are nobody else's, as stria_part_add_slices does. */
static stria_term put_indexed(stria_rule_run *run)
{
    stria_term          indices[MOST_INDICES];
    const stria_tensor *at[MOST_INDICES];
    const int           n = get_indices(run, 1, indices);
    stria_term          zeros = ZEROS(0);

    for (int k = 0; k < n; k++) at[k] = stria_term_get_tensor(indices[k]);
    stria_tensor *y = (stria_tensor *)(uintptr_t)stria_term_get_tensor(zeros);
    if (stria_rule_failed(run) || y == NULL) return zeros;
    const stria_tensor *g = stria_term_get_tensor(G(0));
    stria_rule_fail(run, stria_index_put_out(y, g, at, n, true, y, stria_rule_get_error(run)));
    return zeros;
}

RULE_FN(index)
{
    (void)attrs;
    GRAD(0, put_indexed(run));
}

/* 0, 1, 2 .. n - 1 in the shape of `like`. */
static stria_term number_elements(stria_rule_run *run, stria_term like)
{
    const stria_tensor *x = stria_term_get_tensor(like);

    if (x == NULL) return like;
    return r_reshape(stria_part_range(run, like, x->numel), x->shape, x->ndim);
}

/* i64, of the shape of x, that is nowhere a number of an element. */
static stria_term no_numbers(stria_rule_run *run, stria_term like)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);

    return stria_part_full(run, like, STRIA_I64, x->ndim, x->shape, -1);
}

/* What elements of a source get: nothing where another one was written over them. Both are taken from where the elements went. */
static stria_term take_last(stria_term taken, stria_term number_taken, stria_term number)
{
    return r_where(r_eq(number_taken, number), taken, N(0));
}

static stria_term take_indexed(stria_rule_run *run, bool accumulate)
{
    stria_term indices[MOST_INDICES];
    const int  n = get_indices(run, 2, indices);
    stria_term taken = r_index(G(0), indices, n);

    if (accumulate) return taken;
    stria_term number = number_elements(run, taken);
    stria_term written = r_index_put(no_numbers(run, G(0)), number, indices, n, false);
    return take_last(taken, r_index(written, indices, n), number);
}

static stria_term without_indexed(stria_rule_run *run)
{
    stria_term indices[MOST_INDICES];
    const int  n = get_indices(run, 2, indices);

    return r_index_put(G(0), N(0), indices, n, false);
}

RULE_FN(index_put)
{
    GRAD(0, attrs->accumulate ? G(0) : without_indexed(run));
    GRAD(1, take_indexed(run, attrs->accumulate));
}

/* ---------------------------------------------------------------- put by positions */

static stria_term take_put(stria_rule_run *run, bool accumulate)
{
    const stria_rule_meta *index = stria_rule_get_input_meta(run, 1);
    stria_term             taken = r_take(G(0), X(1));

    if (!accumulate) {
        stria_term number = stria_part_reshape(stria_part_range(run, G(0), index->numel), index);
        taken = take_last(taken, r_take(r_put(no_numbers(run, G(0)), X(1), number, false), X(1)), number);
    }
    return stria_part_shape_as_input(run, 2, taken);
}

RULE_FN(put)
{
    GRAD(0, attrs->accumulate ? G(0) : r_put(G(0), X(1), stria_part_zeros(run, 2, G(0)), false));
    GRAD(2, take_put(run, attrs->accumulate));
}

/* ---------------------------------------------------------------- slices by positions along an axis */

/* The slices of a tensor like x that the index meets, as the source has them; a tensor without dims is met as a whole by each. */
static stria_term take_slices(stria_rule_run *run, stria_term x, int dim)
{
    const stria_rule_meta *source = stria_rule_get_input_meta(run, 2);

    if (stria_rule_get_input_meta(run, 0)->ndim == 0) return r_expand(x, source->shape, source->ndim);
    return r_index_select(x, X(1), dim);
}

RULE_FN(index_add)
{
    GRAD(0, G(0));
    GRAD(2, stria_part_scale(run, take_slices(run, G(0), attrs->dim), attrs->alpha));
}

static stria_term take_copied(stria_rule_run *run, int dim)
{
    const stria_rule_meta *source = stria_rule_get_input_meta(run, 2);
    stria_term             number = stria_part_reshape(stria_part_range(run, G(0), source->numel), source);
    stria_term             written = r_index_copy(no_numbers(run, G(0)), X(1), number, dim);

    return take_last(take_slices(run, G(0), dim), take_slices(run, written, dim), number);
}

RULE_FN(index_copy)
{
    GRAD(0, r_index_fill(G(0), X(1), N(0), attrs->dim));
    GRAD(2, take_copied(run, attrs->dim));
}

/* What one value gets that went to all the slices. */
static stria_term add_filled(stria_rule_run *run, int dim)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    stria_term             no = stria_part_full(run, G(0), STRIA_BOOL, x->ndim, x->shape, 0);
    stria_term             yes = stria_part_full(run, G(0), STRIA_BOOL, 0, NULL, 1);

    return r_sum(r_where(r_index_fill(no, X(1), yes, dim), G(0), N(0)), NULL, 0, false);
}

RULE_FN(index_fill)
{
    GRAD(0, r_index_fill(G(0), X(1), N(0), attrs->dim));
    GRAD(2, add_filled(run, attrs->dim));
}

/* ---------------------------------------------------------------- in place of views */

RULE_FN(select_scatter)
{
    GRAD(0, r_select_scatter(G(0), stria_part_zeros(run, 1, G(0)), attrs->dim, attrs->index));
    GRAD(1, r_select(G(0), attrs->dim, attrs->index));
}

RULE_FN(slice_scatter)
{
    GRAD(0, r_slice_scatter(G(0), stria_part_zeros(run, 1, G(0)), attrs->dim, attrs->start, attrs->stop, attrs->step));
    GRAD(1, r_slice(G(0), attrs->dim, attrs->start, attrs->stop, attrs->step));
}

RULE_FN(diagonal_scatter)
{
    GRAD(0, r_diagonal_scatter(G(0), stria_part_zeros(run, 1, G(0)), attrs->offset, attrs->dim1, attrs->dim2));
    GRAD(1, r_diagonal(G(0), attrs->offset, attrs->dim1, attrs->dim2));
}
#undef ZEROS
