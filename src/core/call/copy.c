/* copy.c - copies and fills: the entries of stria.h, the rows that copy, and what the library moves on its own account. */
#include "base/error.h"
#include "call/backend.h"
#include "tensor/device.h"
#include "tensor/layout.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- what is no call */

/* The backend that can reach both: that of the device which is not the CPU. Two other types cannot reach each other. */
static stria_status choose_backend(const stria_tensor *out, const stria_tensor *x, const stria_backend **backend,
                                   stria_error *err)
{
    const stria_device device = out->device.type != STRIA_DEVICE_CPU ? out->device : x->device;

    if (x->device.type != device.type && x->device.type != STRIA_DEVICE_CPU) {
        const char *expected = stria_device_get_name(device), *got = stria_device_get_name(x->device);
        return stria_error_set(err, STRIA_ERR_DEVICE, "copy", "x", expected, got, "x is on %s but out is on %s", got,
                               expected);
    }
    *backend = stria_backend_get(device);
    return *backend != NULL ? STRIA_OK : stria_backend_refuse("copy", "x", device, err);
}

stria_status stria_backend_copy(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    const stria_backend *backend;

    if (out == x) return STRIA_OK;
    STRIA_TRY(choose_backend(out, x, &backend, err));
    return backend->copy(out, x, err);
}

stria_status stria_backend_new_copy(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    stria_tensor *y = NULL;
    stria_status  status = stria_tensor_new_like(x, dtype, &y, err);

    *out = NULL;
    if (status == STRIA_OK) status = stria_backend_copy(y, x, err);
    if (status == STRIA_OK)
        *out = y;
    else
        stria_tensor_release(y);
    return status;
}

stria_status stria_backend_fill(stria_tensor *y, stria_scalar value, stria_error *err)
{
    stria_tensor *scalar = NULL;

    STRIA_TRY(stria_tensor_new_scalar(value, &scalar, err));
    const stria_status status = stria_backend_copy(y, scalar, err);
    stria_tensor_release(scalar);
    return status;
}

/* ---------------------------------------------------------------- the rows */

stria_status stria_infer_to(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_to_attrs *attrs = call->attrs;
    stria_dtype           dtype;

    STRIA_TRY(stria_infer_dtype(call, attrs->dtype, call->in[0]->dtype, &dtype, err));
    stria_infer_same_shape(call->in[0], dtype, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_infer_fill(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_fill_attrs *attrs = call->attrs;

    if ((unsigned)attrs->value.kind > STRIA_SCALAR_UINT)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "fill", "value", "a kind of scalar", NULL,
                               "value has no such kind");
    stria_infer_same_shape(call->in[0], call->in[0]->dtype, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

static stria_status check_source(const stria_tensor *x, const stria_tensor *source, stria_error *err)
{
    int     ndim = x->ndim;
    int64_t shape[STRIA_MAX_DIMS];
    char    expected[96], got[96];

    for (int d = 0; d < ndim; d++) shape[d] = x->shape[d];
    if (stria_shape_broadcast("copy", &ndim, shape, source->ndim, source->shape, NULL) == STRIA_OK &&
        stria_tensor_has_shape(x, ndim, shape))
        return STRIA_OK;
    stria_shape_print(expected, sizeof expected, x->ndim, x->shape);
    stria_shape_print(got, sizeof got, source->ndim, source->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, "copy", "source", expected, got,
                           "a source of shape %s does not broadcast to shape %s", got, expected);
}

/* Between devices of one type, the CPU and another that has elements; a number goes anywhere. */
static bool can_reach(const stria_tensor *x, const stria_tensor *source)
{
    const stria_device_type from = source->device.type, to = x->device.type;

    if (from == to || (from == STRIA_DEVICE_CPU && source->ndim == 0)) return true;
    return (from == STRIA_DEVICE_CPU || to == STRIA_DEVICE_CPU) && from != STRIA_DEVICE_META && to != STRIA_DEVICE_META;
}

stria_status stria_infer_copy(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *source = call->in[1];

    STRIA_TRY(check_source(x, source, err));
    if (!can_reach(x, source)) {
        const char *expected = stria_device_get_name(x->device), *got = stria_device_get_name(source->device);
        return stria_error_set(err, STRIA_ERR_DEVICE, "copy", "source", expected, got, "source is on %s but x is on %s",
                               got, expected);
    }
    stria_infer_same_shape(x, x->dtype, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    meta->device = x->device;
    meta->has_device = true;
    return STRIA_OK;
}

stria_status stria_call_copy_in_place(const stria_call *call, stria_error *err)
{
    STRIA_TRY(stria_backend_copy(call->out[0], call->in[1], err));
    stria_tensor_touch(call->out[0]);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the entries of stria.h */

stria_status stria_tensor_set(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    const stria_tensor *in[] = {out, x};
    const stria_call    call = {STRIA_ROW_OF_FUNCTION(STRIA_FN_copy), 0, in, NULL, 0, NULL, &out, NULL};

    if (!out || !x)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "copy", out ? "x" : "out", "a tensor", "NULL", "%s is NULL",
                               out ? "x" : "out");
    return stria_call_run(&call, err);
}

stria_status stria_tensor_copy(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    return stria_to(x, dtype, out, err);
}

stria_status stria_tensor_copy_to(const stria_tensor *x, stria_dtype dtype, stria_device device, stria_tensor **out,
                                  stria_error *err)
{
    int64_t       strides[STRIA_MAX_DIMS];
    stria_tensor *y = NULL;

    if (x == NULL || stria_device_equals(x->device, device)) return stria_to(x, dtype, out, err);
    *out = NULL;
    STRIA_TRY(stria_device_check("to", "device", device, err));
    if (x->device.type == STRIA_DEVICE_META)
        return stria_error_set(err, STRIA_ERR_DEVICE, "to", "x", "a tensor with elements", "meta",
                               "x is on meta, and has no elements to copy to %s", stria_device_get_name(device));
    stria_layout_get_dense_strides(x->ndim, x->shape, x->strides, strides);
    stria_status status =
        stria_tensor_new_on(device, dtype == STRIA_DTYPE_NONE ? x->dtype : dtype, x->ndim, x->shape, strides, &y, err);
    if (status == STRIA_OK && device.type != STRIA_DEVICE_META) status = stria_tensor_set(y, x, err);
    if (status == STRIA_OK)
        *out = y;
    else
        stria_tensor_release(y);
    return stria_error_set_op(err, status, "to");
}
