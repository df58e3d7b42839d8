/* scan_cuda.c - cumsum, cumprod, cummax, cummin, logcumsumexp on CUDA. */
#include "base/error.h"
#include "cpu/complex_parts.h"
#include "cuda/cuda_device.h"

static int64_t step_of(const stria_tensor *x, int d) { return x->strides[d] * stria_tensor_get_item_size(x); }

/* Axis d, slower than those so far: one dim with the last of them if all operands go on there as one. */
static void add_dim(stria_cuda_scan_call *to, stria_cuda_scanned *const *operands, const stria_tensor *const *tensors,
                    int n, int d)
{
    const int last = to->ndim - 1;
    bool      merges = last >= 0;

    if (tensors[0]->shape[d] == 1 || to->ndim > STRIA_CUDA_MAX_DIMS) return; /* more are refused */
    for (int k = 0; k < n && merges; k++)
        merges = step_of(tensors[k], d) == operands[k]->stride[last] * to->shape[last];
    to->n_rows *= tensors[0]->shape[d];
    if (merges) {
        to->shape[last] *= tensors[0]->shape[d];
        return;
    }
    if (to->ndim < STRIA_CUDA_MAX_DIMS) {
        to->shape[to->ndim] = tensors[0]->shape[d];
        for (int k = 0; k < n; k++) operands[k]->stride[to->ndim] = step_of(tensors[k], d);
    }
    to->ndim++;
}

/* places NULL: there are none. */
static stria_status run(const stria_call *call, stria_cuda_scan_call *to, int axis, stria_tensor *y,
                        stria_tensor *places, stria_error *err)
{
    const char         *name = stria_call_get_name(call);
    const stria_tensor *x = call->in[0], *tensors[] = {x, y, places};
    stria_cuda_scanned *operands[] = {&to->x, &to->out, &to->places};
    const int           n = places != NULL ? 3 : 2;
    stria_cuda_work     work;

    to->n_rows = 1;
    to->length = x->ndim > 0 ? x->shape[axis] : 1;
    for (int k = 0; k < n; k++) {
        operands[k]->data = tensors[k]->data;
        operands[k]->dtype = tensors[k]->dtype;
        operands[k]->step = x->ndim > 0 ? step_of(tensors[k], axis) : 0;
    }
    for (int d = x->ndim - 1; d >= 0; d--)
        if (d != axis) add_dim(to, operands, tensors, n, d);
    if (to->ndim > STRIA_CUDA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, name, "x", NULL, NULL, "x has too many dims for %s",
                               stria_device_get_name(y->device));
    STRIA_TRY(stria_cuda_work_begin(&work, name, y->device, err));
    for (int k = 0; k < n; k++) stria_cuda_work_use(&work, tensors[k]);
    stria_cuda_work_put(&work, work.plugin->scan(work.stream, to));
    return stria_cuda_work_end(&work, y->dtype, err);
}

/* ---------------------------------------------------------------- the rows */

static stria_status run_sums(const stria_call *call, stria_cuda_scan_kind kind, const stria_call_meta *meta,
                             stria_tensor *y, stria_error *err)
{
    const stria_dtype    compute = stria_dtype_get_wide(stria_dtype_get_compute(y->dtype));
    stria_cuda_scan_call to = {.kind = kind, .compute = compute == STRIA_F32 ? STRIA_F64 : compute};

    if (stria_dtype_is_complex(y->dtype)) {
        if (kind == STRIA_CUDA_CUMSUM) /* that of the parts */
            return stria_error_set_op(err, stria_complex_scan(call->in[0], meta->axis, false, y, err),
                                      stria_call_get_name(call));
        to.compute = STRIA_C128;
    }
    return run(call, &to, meta->axis, y, NULL, err);
}

stria_status stria_cuda_cumsum(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return run_sums(call, STRIA_CUDA_CUMSUM, meta, y[0], err);
}

stria_status stria_cuda_cumprod(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return run_sums(call, STRIA_CUDA_CUMPROD, meta, y[0], err);
}

stria_status stria_cuda_logcumsumexp(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_error *err)
{
    stria_cuda_scan_call to = {.kind = STRIA_CUDA_LOGCUMSUMEXP, .compute = STRIA_F64};
    return run(call, &to, meta->axis, y[0], NULL, err);
}

stria_status stria_cuda_cummax(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_cuda_scan_call to = {.kind = STRIA_CUDA_CUMMAX, .compute = y[0]->dtype};
    return run(call, &to, meta->axis, y[0], y[1], err);
}

stria_status stria_cuda_cummin(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_cuda_scan_call to = {.kind = STRIA_CUDA_CUMMIN, .compute = y[0]->dtype};
    return run(call, &to, meta->axis, y[0], y[1], err);
}
