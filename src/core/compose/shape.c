/* shape.c - composites that give a tensor another shape: views where possible. */
#include <stdio.h>

#include "base/error.h"
#include "call/compose.h"
#include "tensor/shape.h"

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

static stria_tensor *get_base(const stria_call *call) { return (stria_tensor *)(uintptr_t)call->in[0]; }

stria_status stria_compose_ravel(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    STRIA_TRY(stria_contiguous(get_base(call), STRIA_TEMP, err));
    return stria_view(STRIA_LAST, &call->in[0]->numel, 1, &y[0], err);
}

stria_status stria_compose_unflatten(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_unflatten_attrs *attrs = call->attrs;
    const stria_tensor          *x = call->in[0];
    const int64_t               *sizes = attrs->sizes.at;
    const int                    n = attrs->sizes.n;
    int64_t                      shape[2 * STRIA_MAX_DIMS], known = 1;
    int                          axis, unknown = -1, ndim = 0;
    char                         expected[48], got[96];
    bool                         fits = n > 0;
    (void)temps;

    STRIA_TRY(stria_infer_wrap_axis(call, "dim", x->ndim, attrs->dim, &axis, err));
    const int64_t length = x->ndim > 0 ? x->shape[axis] : 1;
    for (int d = 0; d < axis; d++) shape[ndim++] = x->shape[d];
    for (int k = 0; k < n && fits; k++) {
        fits = sizes[k] == -1 ? unknown < 0 : sizes[k] >= 0 && !__builtin_mul_overflow(known, sizes[k], &known);
        if (sizes[k] == -1) unknown = ndim;
        shape[ndim++] = sizes[k];
    }
    if (fits && unknown >= 0) {
        fits = known > 0 && length % known == 0;
        if (fits) shape[unknown] = length / known;
    } else if (fits) {
        fits = known == length;
    }
    if (!fits || n + x->ndim > STRIA_MAX_DIMS + 1) {
        snprintf(expected, sizeof expected, "sizes of %lld elements", (long long)length);
        stria_shape_print(got, sizeof got, n, sizes);
        return stria_error_set(err, STRIA_ERR_SHAPE, "unflatten", "sizes", expected, got,
                               "sizes %s do not divide axis %d of size %lld", got, axis, (long long)length);
    }
    for (int d = axis + 1; d < x->ndim; d++) shape[ndim++] = x->shape[d];
    return stria_view(get_base(call), shape, ndim, &y[0], err);
}

stria_status stria_compose_broadcast_to(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_broadcast_to_attrs *attrs = call->attrs;
    (void)temps;

    return stria_expand(get_base(call), attrs->shape.at, attrs->shape.n, &y[0], err);
}

stria_status stria_compose_narrow(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_narrow_attrs *attrs = call->attrs;
    const stria_tensor       *x = call->in[0];
    int                       axis;
    char                      expected[64], got[32];
    (void)temps;

    if (x->ndim == 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, "narrow", "x", "1 dim or more", "0 dims", "x has no dims");
    STRIA_TRY(stria_infer_wrap_axis(call, "dim", x->ndim, attrs->dim, &axis, err));
    const int64_t size = x->shape[axis], start = attrs->start < 0 ? attrs->start + size : attrs->start;
    if (start < 0 || start > size) {
        snprintf(expected, sizeof expected, "%lld .. %lld", (long long)-size, (long long)size);
        snprintf(got, sizeof got, "%lld", (long long)attrs->start);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "narrow", "start", expected, got,
                               "start %s is not in %s, the size of axis %d", got, expected, axis);
    }
    if (attrs->length < 0 || attrs->length > size - start) {
        snprintf(expected, sizeof expected, "0 .. %lld", (long long)(size - start));
        snprintf(got, sizeof got, "%lld", (long long)attrs->length);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "narrow", "length", expected, got,
                               "length %s is not in %s, what is left of axis %d", got, expected, axis);
    }
    return stria_slice(get_base(call), axis, start, start + attrs->length, 1, &y[0], err);
}

/* ---------------------------------------------------------------- at least so many dims */

/* x with the sizes 1 that are missing: before is how many of them come first. */
static stria_status add_dims(const stria_call *call, int ndim, int before, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    int64_t             shape[3] = {1, 1, 1};

    if (x->ndim >= ndim) return stria_expand(get_base(call), x->shape, x->ndim, &y[0], err); /* the same */
    for (int d = 0; d < x->ndim; d++) shape[before + d] = x->shape[d];
    return stria_view(get_base(call), shape, ndim, &y[0], err);
}

stria_status stria_compose_atleast_1d(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return add_dims(call, 1, 0, y, err);
}

stria_status stria_compose_atleast_2d(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return add_dims(call, 2, 1, y, err);
}

stria_status stria_compose_atleast_3d(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return add_dims(call, 3, call->in[0]->ndim == 1, y, err);
}
