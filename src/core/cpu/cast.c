/* cast.c - copies with conversion: stria_tensor_copy, stria_tensor_set, stria_tensor_new_full. */
#include "simd/kernels.h"
#include "base/error.h"
#include "call/call.h"
#include "cpu/exec.h"
#include "iter/iter_internal.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "tensor/tensor.h"

/* Whether positions of x lie at one address because an axis was expanded. */
static bool is_expanded(const stria_tensor *x)
{
    for (int d = 0; d < x->ndim; d++)
        if (x->strides[d] == 0 && x->shape[d] > 1) return true;
    return false;
}

/* One value into an expanded tensor: into one position of each expanded axis. */
static stria_status set_expanded(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    int64_t       shape[STRIA_MAX_DIMS];
    stria_tensor *view;
    stria_status  status;

    for (int d = 0; d < out->ndim; d++) shape[d] = out->strides[d] == 0 && out->shape[d] > 1 ? 1 : out->shape[d];
    STRIA_TRY(stria_tensor_view(out, out->ndim, shape, out->strides, 0, &view, err));
    status = stria_tensor_set(view, x, err);
    stria_tensor_release(view);
    return status;
}

stria_status stria_tensor_set(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    stria_iter_config    config;
    stria_iter           iter;
    stria_exec           exec;
    stria_status         status;

    if (!out || !x)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "copy", out ? "x" : "out", "a tensor", "NULL", "%s is NULL",
                               out ? "x" : "out");
    if (out == x) return STRIA_OK;
    if (x->numel == 1 && is_expanded(out)) return set_expanded(out, x, err);
    if (!kernels) return stria_isa_get_status(err);
    STRIA_TRY(stria_scratch_reserve("copy", err));
    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "copy");
    stria_iter_config_set_check_all_same_dtype(&config, false);
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_add_output(&config, out);
    stria_iter_config_add_input(&config, x);
    status = stria_iter_build(&iter, &config, err);
    stria_iter_config_release(&config);
    if (status != STRIA_OK) return status;
    if (out->device == STRIA_DEVICE_CPU && stria_iter_get_numel(&iter) > 0) {
        const stria_dtype memory[2] = {out->dtype, x->dtype}, lanes[2] = {out->dtype, out->dtype};
        stria_exec_init(&exec, kernels, 2, 1, memory, lanes);
        stria_iter_for_each(&iter, stria_exec_loop2d, &exec, STRIA_GRAIN);
    }
    stria_iter_release(&iter);
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
    if (status == STRIA_OK && x->device != STRIA_DEVICE_META) status = stria_tensor_set(y, x, err);
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

/* x in row-major order, under the shape of y. */
static stria_status copy_row_major(const stria_tensor *x, stria_tensor *y, stria_error *err)
{
    stria_tensor *view = NULL;
    stria_status  status;

    STRIA_TRY(stria_view(y, x->shape, x->ndim, &view, err));
    status = stria_tensor_set(view, x, err);
    stria_tensor_release(view);
    return status;
}

stria_status stria_cpu_reshape(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return copy_row_major(call->in[0], y[0], err);
}

stria_status stria_cpu_contiguous(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    (void)meta;
    return stria_tensor_set(y[0], call->in[0], err);
}
