/* views_parts.c - views of the parts of complex numbers, and of pairs as complex numbers: other dtypes over the same storage. */
#include <stdio.h>

#include "base/error.h"
#include "call/call.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

typedef stria_output_meta plan; /* what a view is going to be */

/* Elements of x as `dtype`, of which each has `factor`; factor 1: they are what they are. Strides of views without gaps are
 * small enough to be doubled: they span memory that there is. Those of stride 0 or of one element mean nothing. */
static void start_plan(const stria_tensor *x, stria_dtype dtype, int64_t factor, plan *p)
{
    p->dtype = dtype;
    p->order = STRIA_ORDER_VIEW;
    p->ndim = x->ndim;
    p->offset = 0;
    for (int d = 0; d < x->ndim; d++) {
        p->shape[d] = x->shape[d];
        if (__builtin_mul_overflow(x->strides[d], factor, &p->strides[d])) p->strides[d] = x->strides[d];
    }
}

static stria_status infer_part(const stria_call *call, int part, stria_call_meta *meta)
{
    const stria_tensor *x = call->in[0];
    const stria_dtype   dtype = stria_dtype_get_part(x->dtype);

    start_plan(x, dtype, dtype == x->dtype ? 1 : 2, &meta->out[0]);
    if (x->numel > 0) meta->out[0].offset = part;
    return STRIA_OK;
}

stria_status stria_infer_real(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    (void)err;
    return infer_part(call, 0, meta);
}

static stria_status check_complex(const stria_call *call, stria_error *err)
{
    if (stria_dtype_is_complex(call->in[0]->dtype)) return STRIA_OK;
    return stria_infer_refuse_dtype(call, "x", call->in[0]->dtype, "complex", err);
}

stria_status stria_infer_imag(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(check_complex(call, err));
    return infer_part(call, 1, meta);
}

stria_status stria_infer_view_as_real(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    plan               *p = &meta->out[0];

    STRIA_TRY(check_complex(call, err));
    if (x->ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "view_as_real", "x", NULL, NULL, "the tensor already has %d dims",
                               STRIA_MAX_DIMS);
    start_plan(x, stria_dtype_get_part(x->dtype), 2, p);
    p->shape[p->ndim] = 2;
    p->strides[p->ndim++] = 1;
    return STRIA_OK;
}

static stria_status refuse_pairs(const stria_tensor *x, const char *expected, stria_error *err)
{
    char got[96];

    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, "view_as_complex", "x", expected, got, "x of shape %s must have %s",
                           got, expected);
}

/* Elements between the beginning of the memory and the first one. */
static bool is_odd(const stria_tensor *x)
{
    return x->data != NULL && (x->data - x->storage->data) / stria_tensor_get_item_size(x) % 2 != 0;
}

stria_status stria_infer_view_as_complex(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const int           last = x->ndim - 1;
    plan               *p = &meta->out[0];

    if (x->dtype != STRIA_F32 && x->dtype != STRIA_F64)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "f32 or f64", err);
    if (last < 0 || x->shape[last] != 2) return refuse_pairs(x, "a last axis of size 2", err);
    start_plan(x, stria_dtype_get_pair(x->dtype), 1, p);
    p->ndim = last;
    if (x->numel == 0) return STRIA_OK;
    if (x->strides[last] != 1) return refuse_pairs(x, "a last axis of stride 1", err);
    bool odd = is_odd(x);
    for (int d = 0; d < last; d++) {
        odd |= x->shape[d] > 1 && x->strides[d] % 2 != 0;
        p->strides[d] /= 2;
    }
    return odd ? refuse_pairs(x, "even strides, and an even offset", err) : STRIA_OK;
}
