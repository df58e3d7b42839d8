/* rules_joining.c - derivatives of joining, padding, parts and copies: every element of the gradient goes back where it came from. */
#include "autograd/rules_parts.h"

#include "table/schema.h"

/* ---------------------------------------------------------------- joining */

RULE_FN(cat)
{
    const int n = stria_rule_count_inputs(run);
    int64_t   at = 0;

    for (int k = 0; k < n; k++) {
        const stria_rule_meta *x = stria_rule_get_input_meta(run, k);
        const int64_t          end = at + x->shape[stria_part_wrap_axis(attrs->dim, x->ndim)];
        GRAD(k, r_slice(G(0), attrs->dim, at, end, 1));
        at = end;
    }
}

RULE_FN(block_diag)
{
    const int n = stria_rule_count_inputs(run);
    int64_t   row = 0, column = 0;

    (void)attrs;
    for (int k = 0; k < n; k++) {
        const stria_rule_meta *x = stria_rule_get_input_meta(run, k);
        const int64_t          rows = x->ndim == 2 ? x->shape[0] : 1, columns = x->ndim > 0 ? x->shape[x->ndim - 1] : 1;
        GRAD(k, stria_part_reshape(r_slice(r_slice(G(0), 0, row, row + rows, 1), 1, column, column + columns, 1), x));
        row += rows;
        column += columns;
    }
}

RULE_FN(combinations)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0), *y = stria_rule_get_output_meta(run, 0);

    if (!WANTS(0)) return;
    stria_term chosen = r_combinations(stria_part_range(run, G(0), x->numel), attrs->r, attrs->with_replacement);
    GRAD(0, stria_part_add_slices(run, stria_part_zeros(run, 0, G(0)), stria_part_flatten(chosen, y->numel),
                                  stria_part_flatten(G(0), y->numel), 0));
}

/* ---------------------------------------------------------------- padding */

/* What an axis was filled with is added where it came from: the places are those of 0, 1, 2 .. padded in the same way. */
static stria_term fold_axis(stria_rule_run *run, stria_term g, int axis, const int64_t *pair, const char *mode)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    const stria_tensor    *tensor = stria_term_get_tensor(g);
    int64_t                shape[STRIA_MAX_DIMS];

    if ((pair[0] == 0 && pair[1] == 0) || tensor == NULL) return g;
    for (int d = 0; d < x->ndim; d++) shape[d] = d == axis ? x->shape[d] : tensor->shape[d];
    stria_term places = r_pad(stria_part_range(run, g, x->shape[axis]), pair, 2, mode, stria_part_integer(0));
    stria_term zeros = stria_part_full(run, g, tensor->dtype, x->ndim, shape, 0);
    return stria_part_add_slices(run, zeros, places, g, axis);
}

/* The words of pad's mode. */
static const char *get_pad_modes(void)
{
    const stria_schema *schema = stria_schema_get(STRIA_FN_pad);
    int                 k = 0;

    while (schema->attributes[k].kind != STRIA_KIND_WORD) k++;
    return schema->attributes[k].words;
}

RULE_FN(pad)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);
    int64_t                pad[STRIA_MAX_INTS];
    char                   mode[16];

    if (!WANTS(0)) return;
    stria_words_get(get_pad_modes(), attrs->mode, mode, sizeof mode);
    stria_term g = G(0);
    if (attrs->mode == 0) {
        for (int k = 0; k < attrs->pad.n; k++) pad[k] = -attrs->pad.at[k];
        g = r_pad(g, pad, attrs->pad.n, mode, stria_part_integer(0));
    } else {
        for (int k = 0; 2 * k < attrs->pad.n; k++) g = fold_axis(run, g, x->ndim - 1 - k, attrs->pad.at + 2 * k, mode);
    }
    GRAD(0, g);
}

/* ---------------------------------------------------------------- parts */

RULE_FN(tril) { GRAD(0, r_tril(G(0), attrs->diagonal)); }
RULE_FN(triu) { GRAD(0, r_triu(G(0), attrs->diagonal)); }
RULE_FN(diag_embed) { GRAD(0, r_diagonal(G(0), attrs->offset, attrs->dim1, attrs->dim2)); }

/* ---------------------------------------------------------------- copies, sums; dtypes are converted by whoever runs the rule */

RULE_FN(to)
{
    (void)attrs;
    GRAD(0, G(0));
}
RULE_FN(sum_to_size)
{
    const stria_rule_meta *x = stria_rule_get_input_meta(run, 0);

    (void)attrs;
    GRAD(0, r_expand(G(0), x->shape, x->ndim));
}

/* Nothing of x is left. */
RULE_FN(copy)
{
    (void)attrs;
    GRAD(0, N(0));
    GRAD(1, G(0));
}
