/* create.c - tensors whose elements are one value: empty, zeros, ones, full, the same like another tensor, and eye. */
#include <stdio.h>

#include "base/error.h"
#include "call/backend.h"

static const stria_scalar zero = {STRIA_SCALAR_INT, 0, 0, 0}, one = {STRIA_SCALAR_INT, 1, 0, 0};

/* ---------------------------------------------------------------- meta */

/* The output has these sizes; dtype is what the call asks for, own what it is otherwise. */
static stria_status infer_sizes(const stria_call *call, const int64_t *shape, int ndim, stria_dtype dtype,
                                stria_dtype own, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(stria_infer_dtype(call, dtype, own, &dtype, err));
    return stria_infer_shape(call, "shape", shape, ndim, dtype, &meta->out[0], err);
}

stria_status stria_infer_empty(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_empty_attrs *a = call->attrs;
    return infer_sizes(call, a->shape.at, a->shape.n, a->dtype, STRIA_F32, meta, err);
}

stria_status stria_infer_empty_strided(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_empty_strided_attrs *a = call->attrs;
    stria_output_meta               *out = &meta->out[0];
    int64_t                          nbytes = 0, reach;
    bool                             fits = true, is_empty = false;
    stria_dtype                      dtype;
    char                             expected[48], got[96];

    STRIA_TRY(stria_infer_dtype(call, a->dtype, STRIA_F32, &dtype, err));
    STRIA_TRY(stria_infer_shape(call, "size", a->size.at, a->size.n, dtype, out, err));
    snprintf(expected, sizeof expected, "%d numbers", a->size.n);
    snprintf(got, sizeof got, "%d", a->stride.n);
    if (a->stride.n != a->size.n)
        return stria_error_set(err, STRIA_ERR_SHAPE, "empty_strided", "stride", expected, got,
                               "stride must be %s, one for each size, got %s", expected, got);
    stria_shape_print(got, sizeof got, a->stride.n, a->stride.at);
    for (int d = 0; d < out->ndim; d++) {
        out->strides[d] = a->stride.at[d];
        is_empty |= out->shape[d] == 0;
        if (out->strides[d] < 0)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, "empty_strided", "stride", "0 or more", got,
                                   "stride %s has a negative one at axis %d", got, d);
        fits &= !__builtin_mul_overflow(out->shape[d] - 1, out->strides[d], &reach) &&
                !__builtin_add_overflow(nbytes, reach, &nbytes);
    }
    out->order = STRIA_ORDER_STRIDED;
    fits &= !__builtin_add_overflow(nbytes, 1, &nbytes) &&
            !__builtin_mul_overflow(nbytes, (int64_t)stria_dtype_get_size(out->dtype), &nbytes) &&
            (uint64_t)nbytes <= (uint64_t)PTRDIFF_MAX;
    if (fits || is_empty) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_OVERFLOW, "empty_strided", "stride", "fewer bytes", got,
                           "stride %s reaches beyond the address space", got);
}

stria_status stria_infer_zeros(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_zeros_attrs *a = call->attrs;
    return infer_sizes(call, a->shape.at, a->shape.n, a->dtype, STRIA_F32, meta, err);
}

stria_status stria_infer_ones(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_ones_attrs *a = call->attrs;
    return infer_sizes(call, a->shape.at, a->shape.n, a->dtype, STRIA_F32, meta, err);
}

stria_status stria_infer_full(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_full_attrs *a = call->attrs;
    return infer_sizes(call, a->shape.at, a->shape.n, a->dtype, stria_scalar_get_dtype(a->value), meta, err);
}

stria_status stria_infer_eye(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_eye_attrs *a = call->attrs;
    const int64_t          shape[2] = {a->n, a->m == STRIA_INT_NONE ? a->n : a->m};
    const char            *argument = a->m == STRIA_INT_NONE || a->n < 0 ? "n" : "m";
    stria_dtype            dtype;

    STRIA_TRY(stria_infer_dtype(call, a->dtype, STRIA_F32, &dtype, err));
    return stria_infer_shape(call, argument, shape, 2, dtype, &meta->out[0], err);
}

/* In the memory order of x, as copies have it. */
static stria_status infer_like(const stria_call *call, stria_dtype dtype, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    STRIA_TRY(stria_infer_dtype(call, dtype, x->dtype, &dtype, err));
    STRIA_TRY(stria_infer_shape(call, "x", x->shape, x->ndim, dtype, &meta->out[0], err));
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_infer_empty_like(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_like(call, ((const stria_empty_like_attrs *)call->attrs)->dtype, meta, err);
}

stria_status stria_infer_zeros_like(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_like(call, ((const stria_zeros_like_attrs *)call->attrs)->dtype, meta, err);
}

stria_status stria_infer_ones_like(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_like(call, ((const stria_ones_like_attrs *)call->attrs)->dtype, meta, err);
}

stria_status stria_infer_full_like(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_like(call, ((const stria_full_like_attrs *)call->attrs)->dtype, meta, err);
}

/* ---------------------------------------------------------------- elements */

stria_status stria_cpu_empty(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)call, (void)meta, (void)y, (void)err;
    return STRIA_OK;
}

stria_status stria_cpu_empty_strided(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_error *err)
{
    return stria_cpu_empty(call, meta, y, err);
}

stria_status stria_cpu_empty_like(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    return stria_cpu_empty(call, meta, y, err);
}

stria_status stria_cpu_zeros(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)call, (void)meta;
    return stria_backend_fill(y[0], zero, err);
}

stria_status stria_cpu_zeros_like(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    return stria_cpu_zeros(call, meta, y, err);
}

stria_status stria_cpu_ones(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)call, (void)meta;
    return stria_backend_fill(y[0], one, err);
}

stria_status stria_cpu_ones_like(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    return stria_cpu_ones(call, meta, y, err);
}

stria_status stria_cpu_full(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return stria_backend_fill(y[0], ((const stria_full_attrs *)call->attrs)->value, err);
}

stria_status stria_cpu_full_like(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    (void)meta;
    return stria_backend_fill(y[0], ((const stria_full_like_attrs *)call->attrs)->value, err);
}

stria_status stria_cpu_eye(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const int64_t *shape = y[0]->shape, stride = y[0]->strides[0] + y[0]->strides[1];
    const int64_t  length = shape[0] < shape[1] ? shape[0] : shape[1];
    stria_tensor  *diagonal = NULL;
    (void)call, (void)meta;

    STRIA_TRY(stria_backend_fill(y[0], zero, err));
    STRIA_TRY(stria_tensor_view(y[0], 1, &length, &stride, 0, &diagonal, err));
    const stria_status status = stria_backend_fill(diagonal, one, err);
    stria_tensor_release(diagonal);
    return status;
}
