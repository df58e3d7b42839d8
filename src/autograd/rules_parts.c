/* rules_parts.c - what rules of functions share (rules_parts.h). */
#include "autograd/rules_parts.h"

#include "base/error.h"
#include "table/dtype.h"

stria_term stria_part_keep(stria_rule_run *run, stria_status status, stria_tensor *x)
{
    if (status == STRIA_OK) return stria_rule_own(run, x);
    stria_rule_fail(run, status);
    return NOTHING;
}

stria_term stria_part_full(stria_rule_run *run, stria_term like, stria_dtype dtype, int ndim, const int64_t *shape,
                           int64_t number)
{
    const stria_tensor *x = stria_term_get_tensor(like);
    stria_tensor       *y = NULL;

    if (x == NULL) return NOTHING;
    const stria_status status =
        stria_full(shape, ndim, stria_part_integer(number), dtype, x->device, &y, stria_rule_get_error(run));
    return stria_part_keep(run, status, y);
}

stria_term stria_part_zeros(stria_rule_run *run, int k, stria_term like)
{
    const stria_rule_meta *meta = stria_rule_get_input_meta(run, k);
    const stria_tensor    *x = stria_term_get_tensor(like);

    return stria_part_full(run, like, x != NULL ? x->dtype : meta->dtype, meta->ndim, meta->shape, 0);
}

stria_term stria_part_range(stria_rule_run *run, stria_term like, int64_t n)
{
    const stria_tensor *x = stria_term_get_tensor(like);
    stria_tensor       *y = NULL;

    if (x == NULL) return NOTHING;
    const stria_status status = stria_arange(stria_part_integer(0), stria_part_integer(n), stria_part_integer(1),
                                             STRIA_I64, x->device, &y, stria_rule_get_error(run));
    return stria_part_keep(run, status, y);
}

stria_term stria_part_reshape(stria_term x, const stria_rule_meta *meta)
{
    return r_reshape(x, meta->shape, meta->ndim);
}

stria_term stria_part_shape_as_input(stria_rule_run *run, int k, stria_term x)
{
    return stria_part_reshape(x, stria_rule_get_input_meta(run, k));
}

stria_term stria_part_flatten(stria_term x, int64_t n) { return r_reshape(x, &n, 1); }

stria_term stria_part_scale(stria_rule_run *run, stria_term x, stria_scalar number)
{
    stria_tensor *factor = NULL;

    if (number.kind <= STRIA_SCALAR_INT && number.i == 1) return x;
    if (number.kind == STRIA_SCALAR_FLOAT && number.re == 1) return x;
    number.im = -number.im;
    const stria_status status = stria_tensor_new_scalar(number, &factor, stria_rule_get_error(run));
    return r_mul(x, stria_part_keep(run, status, factor));
}

stria_term stria_part_move_axis(stria_term x, int ndim, int from, int to)
{
    int dims[STRIA_MAX_DIMS];

    if (from == to) return x;
    for (int d = 0, next = 0; d < ndim; d++) {
        if (d == to) {
            dims[d] = from;
            continue;
        }
        if (next == from) next++;
        dims[d] = next++;
    }
    return r_permute(x, dims, ndim);
}

stria_term stria_part_pad_axis(stria_term x, int ndim, int axis, int64_t before, int64_t after)
{
    int64_t   pad[STRIA_MAX_INTS] = {0};
    const int n = 2 * (ndim - axis); /* pairs, from the last axis backwards */

    if (before == 0 && after == 0) return x;
    pad[n - 2] = before;
    pad[n - 1] = after;
    return r_pad(x, pad, n, "constant", stria_part_integer(0));
}

/* Tensors of terms, to write to the first one; false after an error. */
static bool get_tensors(const stria_rule_run *run, const stria_term *terms, const stria_tensor **x, stria_tensor **y)
{
    for (int k = 0; k < 3; k++) {
        x[k] = stria_term_get_tensor(terms[k]);
        if (x[k] == NULL) return false;
    }
    *y = (stria_tensor *)(uintptr_t)x[0];
    return !stria_rule_failed(run);
}

#define WRITE(call)                                                                     \
    const stria_tensor *x[3];                                                           \
    stria_tensor       *y;                                                              \
    stria_error        *err = stria_rule_get_error(run);                                \
    if (!get_tensors(run, (stria_term[]){zeros, index, source}, x, &y)) return NOTHING; \
    stria_rule_fail(run, call);                                                         \
    return zeros

stria_term stria_part_add_slices(stria_rule_run *run, stria_term zeros, stria_term index, stria_term source, int dim)
{
    WRITE(stria_index_add_out(x[0], x[1], x[2], dim, stria_part_integer(1), y, err));
}

stria_term stria_part_add_along(stria_rule_run *run, stria_term zeros, stria_term index, stria_term source, int dim)
{
    WRITE(stria_scatter_add_out(x[0], x[1], x[2], dim, y, err));
}

stria_term stria_part_put_along(stria_rule_run *run, stria_term zeros, stria_term index, stria_term source, int dim)
{
    WRITE(stria_scatter_out(x[0], x[1], x[2], dim, "none", y, err));
}

stria_term stria_part_add_flat(stria_rule_run *run, stria_term zeros, stria_term index, stria_term source)
{
    WRITE(stria_put_out(x[0], x[1], x[2], true, y, err));
}
#undef WRITE

void stria_part_refuse(stria_rule_run *run, const char *name, const char *why)
{
    stria_rule_fail(run, stria_error_set(stria_rule_get_error(run), STRIA_ERR_UNSUPPORTED, name, NULL, NULL, NULL,
                                         "%s has no derivative: %s", name, why));
}
