/* normalize.c - composites of products and norms along axes: rows of length one, similarity, linear layers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/compose.h"
#include "tensor/shape.h"

/* max(norm of x along dim, least), with the axis kept or not. */
static stria_status get_bounded_norm(const stria_tensor *x, double p, int dim, bool keepdim, double least,
                                     stria_temps *temps, stria_tensor **norm, stria_error *err)
{
    stria_tensor *bound;

    STRIA_TRY(stria_norm(x, p, &dim, 1, keepdim, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    *norm = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, least, &bound, err));
    STRIA_TRY(stria_maximum(*norm, bound, STRIA_TEMP, err));
    *norm = STRIA_LAST;
    return STRIA_OK;
}

stria_status stria_compose_normalize(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_normalize_attrs *attrs = call->attrs;
    const stria_tensor          *in[] = {call->in[0]};
    stria_tensor                *norm;
    stria_dtype                  result;
    int                          dim;

    STRIA_TRY(stria_infer_wrap_axis(call, "dim", in[0]->ndim, attrs->dim, &dim, err));
    STRIA_TRY(stria_temps_widen(call, temps, in, 1, &result, err));
    STRIA_TRY(get_bounded_norm(in[0], attrs->p, dim, true, attrs->eps, temps, &norm, err));
    STRIA_TRY(stria_div(in[0], norm, STRIA_TEMP, err));
    return stria_temps_narrow(STRIA_LAST, result, y, err);
}

stria_status stria_compose_cosine_similarity(const stria_call *call, stria_tensor **y, stria_temps *temps,
                                             stria_error *err)
{
    const stria_cosine_similarity_attrs *attrs = call->attrs;
    const stria_tensor                  *in[] = {call->in[0], call->in[1]};
    stria_tensor                        *norm, *rows[2];
    int64_t                              shape[STRIA_MAX_DIMS];
    stria_dtype                          result;
    int                                  ndim = in[0]->ndim, dim;

    STRIA_TRY(stria_temps_widen_operands(call, temps, in, 2, &result, err));
    for (int d = 0; d < ndim; d++) shape[d] = in[0]->shape[d];
    STRIA_TRY(stria_shape_broadcast(stria_call_get_name(call), &ndim, shape, in[1]->ndim, in[1]->shape, err));
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", ndim, attrs->dim, &dim, err));
    for (int k = 0; k < 2; k++) { /* of length 1 first: their products do not overflow */
        STRIA_TRY(stria_expand((stria_tensor *)(uintptr_t)in[k], shape, ndim, STRIA_TEMP, err));
        rows[k] = STRIA_LAST;
        STRIA_TRY(get_bounded_norm(rows[k], 2, dim, true, attrs->eps, temps, &norm, err));
        STRIA_TRY(stria_div(rows[k], norm, STRIA_TEMP, err));
        rows[k] = STRIA_LAST;
    }
    STRIA_TRY(stria_mul(rows[0], rows[1], STRIA_TEMP, err));
    STRIA_TRY(stria_sum(STRIA_LAST, &dim, 1, false, STRIA_TEMP, err));
    return stria_temps_narrow(STRIA_LAST, result, y, err);
}

/* ---------------------------------------------------------------- local response norm */

/* The mean of the squares of `size` neighbours along axis 1. */
static stria_status get_local_mean(const stria_tensor *x, int64_t size, stria_temps *temps, stria_error *err)
{
    const int64_t      before = size / 2;
    const int          window = x->ndim;
    const stria_scalar zero = {.kind = STRIA_SCALAR_INT};
    int64_t            pad[2 * STRIA_MAX_DIMS] = {0};

    pad[2 * (x->ndim - 2)] = before;
    pad[2 * (x->ndim - 2) + 1] = size - 1 - before;
    STRIA_TRY(stria_square(x, STRIA_TEMP, err));
    STRIA_TRY(stria_pad(STRIA_LAST, pad, 2 * (x->ndim - 1), "constant", zero, STRIA_TEMP, err));
    STRIA_TRY(stria_unfold(STRIA_LAST, 1, size, 1, STRIA_TEMP, err));
    return stria_mean(STRIA_LAST, &window, 1, false, STRIA_TEMP, err);
}

stria_status stria_compose_local_response_norm(const stria_call *call, stria_tensor **y, stria_temps *temps,
                                               stria_error *err)
{
    const stria_local_response_norm_attrs *attrs = call->attrs;
    const stria_tensor                    *x = call->in[0], *sum;
    stria_tensor                          *number;
    stria_dtype                            result;
    char                                   got[96];

    STRIA_TRY(stria_temps_widen(call, temps, &x, 1, &result, err));
    if (x->ndim < 3 || x->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "local_response_norm", "x", "3 to 63 dims",
                               stria_shape_print(got, sizeof got, x->ndim, x->shape),
                               "x has shape %s, but must have 3 to 63 dims: batch, channels and others", got);
    snprintf(got, sizeof got, "%lld", (long long)attrs->size);
    if (attrs->size < 1)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "local_response_norm", "size", "1 or more", got,
                               "size is %s, but must be 1 or more", got);
    if (x->numel == 0) return stria_tensor_copy(x, result, &y[0], err);
    STRIA_TRY(get_local_mean(x, attrs->size, temps, err));
    const stria_tensor *mean = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, attrs->k, &number, err));
    sum = number;
    STRIA_TRY(stria_temps_number(temps, attrs->alpha, &number, err));
    STRIA_TRY(stria_add_scaled(sum, mean, number, STRIA_TEMP, err));
    sum = STRIA_LAST;
    STRIA_TRY(stria_temps_number(temps, attrs->beta, &number, err));
    STRIA_TRY(stria_pow(sum, number, STRIA_TEMP, err));
    if (x->dtype == result) return stria_div(x, STRIA_LAST, &y[0], err);
    STRIA_TRY(stria_div(x, STRIA_LAST, STRIA_TEMP, err));
    return stria_tensor_copy(STRIA_LAST, result, &y[0], err);
}

/* ---------------------------------------------------------------- linear layers */

stria_status stria_compose_linear(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0], *weight = call->in[1], *bias = call->in[2];
    const stria_tensor *turned = weight;
    char                got[96];

    if (weight->ndim < 1 || weight->ndim > 2) {
        stria_shape_print(got, sizeof got, weight->ndim, weight->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, "linear", "weight", "[out, in] or [in]", got,
                               "weight has shape %s, but must have 1 or 2 dims", got);
    }
    if (weight->ndim == 2) {
        STRIA_TRY(stria_transpose((stria_tensor *)(uintptr_t)weight, 0, 1, STRIA_TEMP, err));
        turned = STRIA_LAST;
    }
    if (bias == NULL) return stria_matmul(x, turned, &y[0], err);
    STRIA_TRY(stria_matmul(x, turned, STRIA_TEMP, err));
    return stria_add(STRIA_LAST, bias, &y[0], err);
}
