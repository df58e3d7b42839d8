/* complex.c - composites of the parts of complex numbers. Parts are views, so that what is written to them is in the tensor. */
#include "base/error.h"
#include "call/backend.h"
#include "call/compose.h"
#include "call/meta.h"
#include "tensor/device.h"
#include "tensor/shape.h"

#define CAST(x) ((stria_tensor *)(uintptr_t)(x))

/* *out = the op of one or two tensors, in place of what it holds. */
static stria_status put(stria_op op, const stria_tensor *a, const stria_tensor *b, stria_tensor *out, stria_error *err)
{
    return stria_apply_out(op, (const stria_tensor *[]){a, b}, b != NULL ? 2 : 1, out, err);
}

/* ---------------------------------------------------------------- from two real tensors */

/* Both on one device; a 0-dim tensor of the CPU may accompany one on another. */
static stria_status infer_device(const stria_call *call, const stria_tensor *const *in, stria_device *device,
                                 stria_error *err)
{
    const int           other = in[0]->device.type == STRIA_DEVICE_CPU && in[0]->ndim == 0;
    const stria_device  apart = in[!other]->device;
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    const char *const   argument = schema->tensors[!other].name;

    *device = in[other]->device;
    if (stria_device_equals(apart, *device) || (apart.type == STRIA_DEVICE_CPU && in[!other]->ndim == 0) ||
        stria_call_is_recorded()) /* a symbol and a tensor */
        return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_DEVICE, schema->name, argument, stria_device_get_name(*device),
                           stria_device_get_name(apart), "%s is on %s but %s is on %s", argument,
                           stria_device_get_name(apart), schema->tensors[other].name, stria_device_get_name(*device));
}

/* *y = complex numbers with undefined parts, of the shape that both inputs broadcast to; *re and *im are views of them. in[] are
 * the inputs as floats. */
static stria_status make_pairs(const stria_call *call, const stria_tensor **in, stria_tensor **y, stria_tensor **re,
                               stria_tensor **im, stria_temps *temps, stria_error *err)
{
    const char  *name = stria_call_get_name(call);
    stria_dtype  result;
    int64_t      shape[STRIA_MAX_DIMS];
    int          ndim = in[0]->ndim;
    stria_device device;

    STRIA_TRY(infer_device(call, in, &device, err));
    STRIA_TRY(stria_temps_widen_operands(call, temps, in, 2, &result, err));
    for (int d = 0; d < ndim; d++) shape[d] = in[0]->shape[d];
    STRIA_TRY(stria_shape_broadcast(name, &ndim, shape, in[1]->ndim, in[1]->shape, err));
    STRIA_TRY(stria_empty(shape, ndim, stria_dtype_get_pair(result), device, y, err));
    STRIA_TRY(stria_real(*y, STRIA_TEMP, err));
    *re = STRIA_LAST;
    STRIA_TRY(stria_imag(*y, STRIA_TEMP, err));
    *im = STRIA_LAST;
    return STRIA_OK;
}

stria_status stria_compose_complex(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *in[] = {call->in[0], call->in[1]};
    stria_tensor       *re = NULL, *im = NULL;

    STRIA_TRY(make_pairs(call, in, &y[0], &re, &im, temps, err));
    STRIA_TRY(stria_tensor_set(re, in[0], err));
    return stria_tensor_set(im, in[1], err);
}

stria_status stria_compose_polar(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *in[] = {call->in[0], call->in[1]};
    stria_tensor       *re = NULL, *im = NULL;

    STRIA_TRY(make_pairs(call, in, &y[0], &re, &im, temps, err));
    STRIA_TRY(stria_cos(in[1], STRIA_TEMP, err));
    STRIA_TRY(put(STRIA_OP_mul, in[0], STRIA_LAST, re, err));
    STRIA_TRY(stria_sin(in[1], STRIA_TEMP, err));
    return put(STRIA_OP_mul, in[0], STRIA_LAST, im, err);
}

/* ---------------------------------------------------------------- of one tensor */

stria_status stria_compose_conj(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    STRIA_TRY(stria_tensor_copy(x, x->dtype, &y[0], err));
    if (!stria_dtype_is_complex(x->dtype)) return STRIA_OK;
    STRIA_TRY(stria_imag(y[0], STRIA_TEMP, err));
    return put(STRIA_OP_neg, STRIA_LAST, NULL, STRIA_LAST, err);
}

/* 0, or pi below 0; NaN of NaN. */
static stria_status find_angle(const stria_tensor *x, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    stria_tensor *zero, *pi;

    STRIA_TRY(stria_temps_number(temps, 0, &zero, err));
    STRIA_TRY(stria_temps_number(temps, 0x1.921fb54442d18p1, &pi, err));
    STRIA_TRY(stria_lt(x, zero, STRIA_TEMP, err));
    STRIA_TRY(stria_where(STRIA_LAST, pi, x, STRIA_TEMP, err));
    const stria_tensor *angle = STRIA_LAST;
    STRIA_TRY(stria_ge(x, zero, STRIA_TEMP, err));
    return stria_where(STRIA_LAST, zero, angle, y, err);
}

stria_status stria_compose_angle(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    if (!stria_dtype_is_complex(x->dtype)) return find_angle(x, y, temps, err);
    STRIA_TRY(stria_real(CAST(x), STRIA_TEMP, err));
    const stria_tensor *re = STRIA_LAST;
    STRIA_TRY(stria_imag(CAST(x), STRIA_TEMP, err));
    return stria_atan2(STRIA_LAST, re, y, err);
}

stria_status stria_compose_sgn(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    (void)temps;
    return stria_sign(call->in[0], y, err);
}

stria_status stria_compose_isreal(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_tensor       *zero;

    if (!stria_dtype_is_complex(x->dtype)) return stria_ones_like(x, STRIA_BOOL, STRIA_DEVICE_NONE, y, err);
    STRIA_TRY(stria_temps_number(temps, 0, &zero, err));
    STRIA_TRY(stria_imag(CAST(x), STRIA_TEMP, err));
    return stria_eq(STRIA_LAST, zero, y, err);
}
