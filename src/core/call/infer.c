/* infer.c - what the infer functions of the rows share (call.h). */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/call.h"
#include "tensor/shape.h"

stria_status stria_infer_refuse_dtype(const stria_call *call, const char *argument, stria_dtype dtype,
                                      const char *expected, stria_error *err)
{
    const char *got = stria_dtype_get_name(dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, stria_call_get_name(call), argument, expected, got,
                           "%s is %s, but must be %s", argument, got, expected);
}

stria_status stria_infer_refuse_number(const stria_call *call, const char *argument, const char *expected,
                                       double number, stria_error *err)
{
    char got[32];

    snprintf(got, sizeof got, "%g", number);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, stria_call_get_name(call), argument, expected, got,
                           "%s is %s, but must be %s", argument, got, expected);
}

stria_status stria_infer_wrap_axis(const stria_call *call, const char *argument, int ndim, int axis, int *wrapped,
                                   stria_error *err)
{
    const int range = ndim > 0 ? ndim : 1; /* a 0-dim tensor takes axes -1 and 0 */
    char      expected[32], got[16];

    *wrapped = axis < 0 ? axis + range : axis;
    if (axis >= -range && axis < range) return STRIA_OK;
    snprintf(expected, sizeof expected, "%d .. %d", -range, range - 1);
    snprintf(got, sizeof got, "%d", axis);
    return stria_error_set(err, STRIA_ERR_AXIS, stria_call_get_name(call), argument, expected, got,
                           "axis %d is out of range for %d dims", axis, ndim);
}

stria_status stria_infer_axis(const stria_call *call, const stria_tensor *x, int axis, stria_call_meta *meta,
                              stria_error *err)
{
    return stria_infer_wrap_axis(call, "dim", x->ndim, axis, &meta->axis, err);
}

stria_status stria_infer_listed_axes(const char *name, const char *argument, const stria_tensor *x, const int *axes,
                                     int n_axes, uint64_t *set, stria_error *err)
{
    const int range = x->ndim > 0 ? x->ndim : 1; /* a 0-dim tensor takes axes -1 and 0 */
    uint64_t  seen = 0;

    for (int i = 0; i < n_axes; i++) {
        int axis = axes[i] < 0 ? axes[i] + range : axes[i];
        if (axis < 0 || axis >= range) {
            char expected[32], got[16];
            snprintf(expected, sizeof expected, "%d .. %d", -range, range - 1);
            snprintf(got, sizeof got, "%d", axes[i]);
            return stria_error_set(err, STRIA_ERR_AXIS, name, argument, expected, got,
                                   "axis %d is out of range for %d dims", axes[i], x->ndim);
        }
        if ((seen >> axis) & 1) {
            char got[16];
            snprintf(got, sizeof got, "%d", axes[i]);
            return stria_error_set(err, STRIA_ERR_AXIS, name, argument, "each axis once", got, "axis %d is given twice",
                                   axes[i]);
        }
        seen |= UINT64_C(1) << axis;
    }
    *set = x->ndim > 0 ? seen : 0;
    return STRIA_OK;
}

void stria_infer_same_shape(const stria_tensor *x, stria_dtype dtype, stria_output_meta *out)
{
    out->dtype = dtype;
    out->order = STRIA_ORDER_ROW_MAJOR;
    out->ndim = x->ndim;
    for (int d = 0; d < x->ndim; d++) out->shape[d] = x->shape[d];
}

void stria_infer_reduced_shape(const stria_tensor *x, bool keepdim, stria_dtype dtype, stria_call_meta *meta)
{
    meta->out[0].dtype = dtype;
    meta->out[0].order = STRIA_ORDER_ROW_MAJOR;
    meta->out[0].ndim = stria_shape_reduce(x->ndim, x->shape, meta->axes, keepdim, meta->out[0].shape);
}

stria_status stria_infer_float_reduction(const stria_call *call, stria_axes axes, bool keepdim, stria_dtype dtype,
                                         stria_call_meta *meta, stria_error *err)
{
    const stria_tensor  *x = call->in[0];
    const stria_category category = stria_dtype_get_category(x->dtype);
    const bool           is_given = dtype != STRIA_DTYPE_NONE;

    if (is_given) STRIA_TRY(stria_infer_dtype(call, dtype, dtype, &dtype, err));
    if (is_given && stria_dtype_get_category(dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "dtype", dtype, "a float", err);
    if (category < STRIA_CATEGORY_F && !is_given)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "a float or complex", err);
    STRIA_TRY(stria_infer_axes(stria_call_get_name(call), "dim", x, axes.at, axes.n, &meta->axes, err));
    stria_infer_reduced_shape(x, keepdim, is_given ? dtype : stria_dtype_get_part(x->dtype), meta);
    return STRIA_OK;
}

stria_status stria_infer_dtype(const stria_call *call, stria_dtype dtype, stria_dtype own, stria_dtype *result,
                               stria_error *err)
{
    const stria_tensor *out = call->out[0];
    const char         *name = stria_call_get_name(call);

    if (dtype != STRIA_DTYPE_NONE && !stria_is_dtype(dtype))
        return stria_error_set(err, STRIA_ERR_DTYPE, name, "dtype", NULL, NULL, "there is no dtype %d", (int)dtype);
    *result = dtype != STRIA_DTYPE_NONE ? dtype : out != NULL ? out->dtype : own;
    if (out == NULL || out->dtype == *result) return STRIA_OK;
    const char *expected = stria_dtype_get_name(*result), *got = stria_dtype_get_name(out->dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, name, "out", expected, got, "out is %s but dtype asks for %s", got,
                           expected);
}

/* Of integers, bool takes the numbers 0 and 1. */
static bool is_truth(const stria_tensor *value)
{
    if (!value->is_wrapped_number || value->dtype != STRIA_I64 || value->device.type != STRIA_DEVICE_CPU) return false;
    const int64_t number = *(const int64_t *)(const void *)value->data;
    return number == 0 || number == 1;
}

stria_status stria_infer_value(const stria_call *call, const char *argument, const stria_tensor *value,
                               const stria_tensor *x, stria_error *err)
{
    const char *name = stria_call_get_name(call);
    char        got[96];

    if (value->ndim != 0)
        return stria_error_set(err, STRIA_ERR_SHAPE, name, argument, "[]",
                               stria_shape_print(got, sizeof got, value->ndim, value->shape),
                               "%s has shape %s, but must be a 0-dim tensor or a number", argument, got);
    if (stria_dtype_get_castable(value->dtype, x->dtype) || (x->dtype == STRIA_BOOL && is_truth(value)))
        return STRIA_OK;
    const char *from = stria_dtype_get_name(value->dtype), *to = stria_dtype_get_name(x->dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, name, argument, to, from, "a %s of %s does not cast to an x of %s",
                           argument, from, to);
}

stria_status stria_infer_shape(const stria_call *call, const char *argument, const int64_t *shape, int ndim,
                               stria_dtype dtype, stria_output_meta *out, stria_error *err)
{
    int64_t numel;

    STRIA_TRY(stria_shape_get_numel(stria_call_get_name(call), argument, dtype, ndim, shape, &numel, NULL, err));
    out->dtype = dtype;
    out->order = STRIA_ORDER_ROW_MAJOR;
    out->ndim = ndim;
    for (int d = 0; d < ndim; d++) out->shape[d] = shape[d];
    return STRIA_OK;
}

stria_dtype stria_scalar_get_dtype(stria_scalar value)
{
    static const stria_dtype dtypes[] = {STRIA_BOOL, STRIA_I64, STRIA_F32, STRIA_C64, STRIA_U64};
    return dtypes[value.kind];
}
