/* copy.c - copies and fills: the entries of stria.h, which the device carries out. */
#include "base/error.h"
#include "call/backend.h"

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

stria_status stria_tensor_set(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    const stria_backend *backend;

    if (!out || !x)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "copy", out ? "x" : "out", "a tensor", "NULL", "%s is NULL",
                               out ? "x" : "out");
    if (out == x) return STRIA_OK;
    STRIA_TRY(choose_backend(out, x, &backend, err));
    STRIA_TRY(backend->copy(out, x, err));
    stria_tensor_touch(out);
    return STRIA_OK;
}

stria_status stria_tensor_copy(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    stria_tensor *y = NULL;
    stria_status  status;

    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "copy", "out", "a place for the result", "NULL", "out is NULL");
    *out = NULL;
    if (!x) return stria_error_set(err, STRIA_ERR_ARGUMENT, "copy", "x", "a tensor", "NULL", "x is NULL");
    status = stria_tensor_new_like(x, dtype, &y, err);
    if (status == STRIA_OK && x->device.type != STRIA_DEVICE_META) status = stria_tensor_set(y, x, err);
    if (status != STRIA_OK) {
        stria_tensor_release(y);
        return stria_error_set_op(err, status, "copy");
    }
    *out = y;
    return STRIA_OK;
}

stria_status stria_tensor_new_full(stria_dtype dtype, int ndim, const int64_t *shape, stria_scalar value,
                                   stria_tensor **out, stria_error *err)
{
    stria_tensor *y = NULL, *scalar = NULL;
    stria_status  status;

    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "full", "out", "a place for the result", "NULL", "out is NULL");
    *out = NULL;
    STRIA_TRY(stria_tensor_new_scalar(value, &scalar, err));
    status = stria_tensor_new(dtype, ndim, shape, &y, err);
    if (status == STRIA_OK) status = stria_tensor_set(y, scalar, err);
    stria_tensor_release(scalar);
    if (status != STRIA_OK) {
        stria_tensor_release(y);
        return stria_error_set_op(err, status, "full");
    }
    *out = y;
    return STRIA_OK;
}

stria_status stria_tensor_fill(stria_tensor *y, double value, stria_error *err)
{
    const stria_scalar number = {STRIA_SCALAR_FLOAT, 0, value, 0.0};
    stria_tensor      *scalar = NULL;
    stria_status       status;

    STRIA_TRY(stria_tensor_new_scalar(number, &scalar, err));
    status = stria_tensor_set(y, scalar, err);
    stria_tensor_release(scalar);
    return status;
}
