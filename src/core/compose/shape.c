/* shape.c - composites that give a tensor another shape: views where possible. */
#include "base/error.h"
#include "call/compose.h"

stria_status stria_compose_flatten(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_flatten_attrs *attrs = call->attrs;
    const stria_tensor        *x = call->in[0];
    int64_t                    shape[STRIA_MAX_DIMS];
    int                        first, last, ndim = 0;
    (void)temps;

    STRIA_TRY(stria_infer_wrap_axis(call, "start_dim", x->ndim, attrs->start_dim, &first, err));
    STRIA_TRY(stria_infer_wrap_axis(call, "end_dim", x->ndim, attrs->end_dim, &last, err));
    if (first > last)
        return stria_error_set(err, STRIA_ERR_AXIS, "flatten", "end_dim", "start_dim or behind", NULL,
                               "end_dim %d lies before start_dim %d", attrs->end_dim, attrs->start_dim);
    for (int d = 0; d < first; d++) shape[ndim++] = x->shape[d];
    shape[ndim] = 1;
    for (int d = first; d <= last && d < x->ndim; d++)
        if (__builtin_mul_overflow(shape[ndim], x->shape[d], &shape[ndim]))
            return stria_error_set(err, STRIA_ERR_OVERFLOW, "flatten", "x", NULL, NULL, "the joined axis is too long");
    ndim++;
    for (int d = last + 1; d < x->ndim; d++) shape[ndim++] = x->shape[d];
    return stria_reshape((stria_tensor *)(uintptr_t)x, shape, ndim, &y[0], err);
}
