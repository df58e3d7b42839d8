/* function.c - what the functions of functions.def share (function.h). */
#include "call/function.h"

#include <string.h>

#include "base/error.h"
#include "tensor/overlap.h"
#include "tensor/shape.h"

static bool has_shape(const stria_tensor *x, const stria_target *target)
{
    return x->ndim == target->ndim && memcmp(x->shape, target->shape, sizeof *x->shape * (size_t)x->ndim) == 0;
}

static const char *device_name(stria_device device)
{
    return device == STRIA_DEVICE_CPU ? "cpu" : device == STRIA_DEVICE_META ? "meta" : "cuda";
}

static stria_status check_out(const stria_target *target, stria_device device, const stria_tensor *out,
                              stria_error *err)
{
    if (out->device != device)
        return stria_error_set(err, STRIA_ERR_DEVICE, target->op, "out", device_name(device), device_name(out->device),
                               "out is on %s but the operands are on %s", device_name(out->device),
                               device_name(device));
    if (!stria_dtype_get_castable(target->dtype, out->dtype)) {
        const char *expected = stria_dtype_get_name(target->dtype), *got = stria_dtype_get_name(out->dtype);
        return stria_error_set(err, STRIA_ERR_DTYPE, target->op, "out", expected, got,
                               "a result of %s does not cast to an out of %s", expected, got);
    }
    return has_shape(out, target) ? stria_overlap_check_out(target->op, out, err) : STRIA_OK;
}

stria_status stria_target_begin(stria_target *target, const char *op, const stria_tensor *const *in, int n_in,
                                bool in_place, stria_tensor *out, stria_error *err)
{
    bool direct;

    target->op = op;
    target->out = out;
    target->y = NULL;
    for (int k = 1; k < n_in; k++)
        if (in[k] != NULL && in[k]->device != in[0]->device)
            return stria_error_set(err, STRIA_ERR_DEVICE, op, NULL, device_name(in[0]->device),
                                   device_name(in[k]->device), "operands are on %s and on %s",
                                   device_name(in[0]->device), device_name(in[k]->device));
    target->is_meta = in[0]->device == STRIA_DEVICE_META;
    if (in[0]->device == STRIA_DEVICE_CUDA)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, op, "x", "cpu", "cuda", "there is no %s on cuda yet", op);
    if (out != NULL) STRIA_TRY(check_out(target, in[0]->device, out, err));
    direct = out != NULL && out->dtype == target->dtype && has_shape(out, target);
    for (int k = 0; direct && k < n_in; k++) {
        const stria_overlap found = in[k] != NULL ? stria_overlap_find(out, in[k]) : STRIA_OVERLAP_NONE;
        direct = found == STRIA_OVERLAP_NONE ||
                 (found == STRIA_OVERLAP_SAME && k == 0 && in_place && has_shape(in[k], target));
    }
    if (direct || (out != NULL && target->is_meta)) {
        target->y = stria_tensor_retain(out);
        return STRIA_OK;
    }
    stria_status status = target->is_meta
                              ? stria_tensor_new_meta(target->dtype, target->ndim, target->shape, &target->y, err)
                              : stria_tensor_new(target->dtype, target->ndim, target->shape, &target->y, err);
    return stria_error_set_op(err, status, op);
}

stria_status stria_target_end(stria_target *target, stria_status status, stria_tensor **result, stria_error *err)
{
    int64_t strides[STRIA_MAX_DIMS];

    if (status == STRIA_OK && target->out == NULL) {
        *result = target->y;
        return STRIA_OK;
    }
    if (status == STRIA_OK && !has_shape(target->out, target)) {
        stria_shape_get_strides(target->ndim, target->shape, strides);
        status = stria_tensor_resize(target->out, target->ndim, target->shape, strides, err);
    }
    if (status == STRIA_OK && target->y != target->out) status = stria_tensor_set(target->out, target->y, err);
    stria_tensor_release(target->y);
    return stria_error_set_op(err, status, target->op);
}

stria_status stria_function_get_axis(const char *op, const stria_tensor *x, int axis, int *wrapped, stria_error *err)
{
    const int range = x->ndim > 0 ? x->ndim : 1; /* a 0-dim tensor takes axes -1 and 0 */

    *wrapped = axis < 0 ? axis + range : axis;
    if (axis >= -range && axis < range) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_AXIS, op, "axis", NULL, NULL, "axis %d is out of range for %d dims", axis,
                           x->ndim);
}

stria_status stria_function_check_tensor(const char *op, const char *argument, const stria_tensor *x, stria_error *err)
{
    if (x != NULL) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, op, argument, "a tensor", "NULL", "%s is NULL", argument);
}

stria_status stria_function_check_result(const char *op, stria_tensor **result, stria_error *err)
{
    if (result == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, op, "out", "a place for the result", "NULL", "out is NULL");
    *result = NULL;
    return STRIA_OK;
}

stria_status stria_function_refuse_dtype(const char *op, const char *argument, stria_dtype dtype, const char *expected,
                                         stria_error *err)
{
    const char *got = stria_dtype_get_name(dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, op, argument, expected, got, "%s is %s, but must be %s", argument, got,
                           expected);
}

stria_status stria_function_get_dtype(const char *op, stria_dtype dtype, const stria_tensor *out, stria_dtype own,
                                      stria_dtype *result, stria_error *err)
{
    if (dtype != STRIA_DTYPE_NONE && stria_dtype_get_size(dtype) == 0)
        return stria_error_set(err, STRIA_ERR_DTYPE, op, "dtype", NULL, NULL, "there is no dtype %d", (int)dtype);
    *result = dtype != STRIA_DTYPE_NONE ? dtype : out != NULL ? out->dtype : own;
    if (out == NULL || out->dtype == *result) return STRIA_OK;
    const char *expected = stria_dtype_get_name(*result), *got = stria_dtype_get_name(out->dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, op, "out", expected, got, "out is %s but dtype asks for %s", got,
                           expected);
}

stria_status stria_function_infer_float_reduction(const char *op, const stria_tensor *x, const int *axes, int n_axes,
                                                  bool keepdim, uint64_t *reduced, stria_target *target,
                                                  stria_error *err)
{
    STRIA_TRY(stria_function_check_tensor(op, "x", x, err));
    if (n_axes < 0) return stria_error_set(err, STRIA_ERR_ARGUMENT, op, "axes", NULL, NULL, "n_axes is negative");
    if (stria_dtype_get_category(x->dtype) != STRIA_CATEGORY_F)
        return stria_function_refuse_dtype(op, "x", x->dtype, "a float", err);
    STRIA_TRY(stria_meta_get_axes(op, x, axes, n_axes, reduced, err));
    target->dtype = x->dtype;
    target->ndim = stria_shape_reduce(x->ndim, x->shape, *reduced, keepdim, target->shape);
    return STRIA_OK;
}

stria_status stria_function_fill(stria_tensor *y, double value, stria_error *err)
{
    const stria_scalar number = {STRIA_SCALAR_FLOAT, 0, value, 0.0};
    stria_tensor      *scalar = NULL;
    stria_status       status;

    STRIA_TRY(stria_tensor_new_scalar(number, &scalar, err));
    status = stria_tensor_set(y, scalar, err);
    stria_tensor_release(scalar);
    return status;
}
