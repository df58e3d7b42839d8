/* rules_views.c - derivatives of views: the gradient is looked at the other way round, or put where the view looks at.
 *
 * view_dtype stops gradients, as in PyTorch. expand needs nothing: a gradient is added up to the shape of its input. */
#include "autograd/rules_parts.h"

/* Rows whose gradient has the elements of that of y, in the same order; and those where it is the same. */
#define RESHAPES(row)                                     \
    RULE_FN(row)                                          \
    {                                                     \
        (void)attrs;                                      \
        GRAD(0, stria_part_shape_as_input(run, 0, G(0))); \
    }
#define PASSES(row)    \
    RULE_FN(row)       \
    {                  \
        (void)attrs;   \
        GRAD(0, G(0)); \
    }

/* ---------------------------------------------------------------- shapes */

RESHAPES(view)
RESHAPES(reshape)
RESHAPES(squeeze)
RESHAPES(unsqueeze)
PASSES(contiguous)
PASSES(expand)
#undef RESHAPES
#undef PASSES

/* ---------------------------------------------------------------- order of axes and elements */

RULE_FN(transpose) { GRAD(0, r_transpose(G(0), attrs->dim0, attrs->dim1)); }

RULE_FN(permute)
{
    int inverse[STRIA_MAX_DIMS];

    for (int d = 0; d < attrs->dims.n; d++) inverse[stria_part_wrap_axis(attrs->dims.at[d], attrs->dims.n)] = d;
    GRAD(0, r_permute(G(0), inverse, attrs->dims.n));
}

RULE_FN(flip) { GRAD(0, r_flip(G(0), attrs->dims.at, attrs->dims.n)); }

/* ---------------------------------------------------------------- parts */

/* Where x[start:..] begins: by Python's rules, for steps above 0. */
static int64_t get_first(int64_t start, int64_t size)
{
    if (start == STRIA_INT_NONE) return 0;
    if (start < 0) start += size;
    return start < 0 ? 0 : start > size ? size : start;
}

RULE_FN(slice)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    const int              axis = stria_part_wrap_axis(attrs->dim, x->ndim);
    const int64_t          first = get_first(attrs->start, x->shape[axis]);
    const int64_t          end = first + stria_rule_get_output_meta(run, 0)->shape[axis];

    if (attrs->step == 1)
        GRAD(0, stria_part_pad_axis(G(0), x->ndim, axis, first, x->shape[axis] - end));
    else
        GRAD(0, r_slice_scatter(stria_part_zeros(run, 0, G(0)), G(0), axis, attrs->start, attrs->stop, attrs->step));
}

RULE_FN(select)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    const int              axis = stria_part_wrap_axis(attrs->dim, x->ndim);
    const int64_t          size = x->shape[axis], first = attrs->index < 0 ? attrs->index + size : attrs->index;

    GRAD(0, stria_part_pad_axis(r_unsqueeze(G(0), axis), x->ndim, axis, first, size - first - 1));
}

RULE_FN(diagonal)
{
    GRAD(0, r_diagonal_scatter(stria_part_zeros(run, 0, G(0)), G(0), attrs->offset, attrs->dim1, attrs->dim2));
}

/* ---------------------------------------------------------------- windows */

/* Every window is added where it was taken: windows as one axis, and of their elements the places along the axis. */
static stria_term add_windows(stria_rule_run *run, const stria_unfold_attrs *attrs, int axis)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *y = stria_rule_get_output_meta(run, 0);
    const int64_t          n = y->shape[axis] * attrs->size;
    stria_term             places = r_unfold(stria_part_range(run, G(0), x->shape[axis]), 0, attrs->size, attrs->step);
    stria_term             windows = stria_part_move_axis(G(0), y->ndim, x->ndim, axis + 1);
    int64_t                shape[STRIA_MAX_DIMS];

    for (int d = 0; d < x->ndim; d++) shape[d] = d == axis ? n : x->shape[d];
    return stria_part_add_slices(run, stria_part_zeros(run, 0, G(0)), stria_part_flatten(places, n),
                                 r_reshape(windows, shape, x->ndim), axis);
}

RULE_FN(unfold)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);

    if (x->ndim == 0)
        GRAD(0, r_sum(G(0), NULL, 0, false)); /* one window, of one element or none */
    else
        GRAD(0, add_windows(run, attrs, stria_part_wrap_axis(attrs->dimension, x->ndim)));
}
