/* row_cuda.c - softmax, log_softmax, layer_norm, rms_norm and their gradients on CUDA. */
#include "base/error.h"
#include "cpu/axis_rows.h"
#include "cpu/moments.h"
#include "cpu/packed_rows.h"
#include "cuda/cuda_device.h"

static stria_status put_row(const char *op, const stria_tensor *const *in, int n_in, stria_tensor *y,
                            const stria_cuda_row_call *call, stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, op, y->device, err));
    for (int k = 0; k < n_in; k++) stria_cuda_work_use(&work, in[k]);
    stria_cuda_work_use(&work, y);
    stria_cuda_work_put(&work, work.plugin->row(work.stream, call));
    return stria_cuda_work_end(&work, y->dtype, err);
}

static stria_cuda_vector vector_of(const stria_tensor *x)
{
    if (x == NULL) return (stria_cuda_vector){.dtype = STRIA_F32};
    return (stria_cuda_vector){x->data, x->dtype, (int32_t)stria_dtype_get_size(x->dtype)};
}

/* ---------------------------------------------------------------- softmax, log_softmax */

static stria_status run_softmax(const stria_call *call, stria_cuda_row_kind kind, const stria_call_meta *meta,
                                stria_tensor *y, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const char          *name = stria_call_get_name(call);
    const stria_tensor  *x = call->in[0];
    stria_axis_rows      rows;

    if (kernels == NULL) return stria_isa_get_status(err);
    stria_cuda_row_call to = {.kind = kind, .compute = stria_dtype_get_compute(y->dtype)};
    STRIA_TRY(stria_axis_rows_init(&rows, name, kernels, x, y, meta->axis, to.compute, err));
    if (rows.ndim > STRIA_CUDA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, name, "x", NULL, NULL, "x has too many dims for %s",
                               stria_device_get_name(y->device));
    to.in = rows.source;
    to.out = rows.out;
    to.in_dtype = x->dtype;
    to.out_dtype = y->dtype;
    to.length = rows.length;
    to.n_rows = rows.n_rows;
    to.in_step = rows.in_step;
    to.out_step = rows.out_step;
    to.ndim = rows.ndim;
    for (int d = 0; d < rows.ndim; d++) {
        to.shape[d] = rows.shape[d];
        to.in_stride[d] = rows.in_stride[d];
        to.out_stride[d] = rows.out_stride[d];
    }
    return put_row(name, call->in, 1, y, &to, err);
}

stria_status stria_cuda_softmax(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return run_softmax(call, STRIA_CUDA_SOFTMAX, meta, y[0], err);
}

stria_status stria_cuda_log_softmax(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    return run_softmax(call, STRIA_CUDA_LOG_SOFTMAX, meta, y[0], err);
}

static int64_t get_length(stria_sizes shape)
{
    int64_t length = 1;

    for (int d = 0; d < shape.n; d++) length *= shape.at[d];
    return length;
}

/* ---------------------------------------------------------------- layer_norm, rms_norm */

static stria_status run_norm(const stria_call *call, stria_cuda_row_kind kind, int n_in, stria_sizes shape, double eps,
                             stria_tensor *y, stria_error *err)
{
    stria_tensor *packed[3] = {NULL}, *place = NULL;
    const int     last = y->ndim - 1;
    stria_status  status = STRIA_OK;

    for (int k = 0; k < n_in && status == STRIA_OK; k++)
        status = stria_packed_rows_new(call->in[k], -1, STRIA_DTYPE_NONE, &packed[k], err);
    if (status == STRIA_OK) status = stria_packed_rows_new_place(y, last, y->dtype, &place, err);
    if (status == STRIA_OK) {
        const int64_t       length = get_length(shape);
        stria_cuda_row_call to = {.kind = kind,
                                  .compute = stria_dtype_get_compute(y->dtype),
                                  .eps = eps,
                                  .in = packed[0]->data,
                                  .out = place->data,
                                  .in_dtype = packed[0]->dtype,
                                  .out_dtype = place->dtype,
                                  .length = length,
                                  .n_rows = y->numel / length,
                                  .in_step = stria_tensor_get_item_size(packed[0]),
                                  .out_step = stria_tensor_get_item_size(place),
                                  .ndim = 1,
                                  .weight = vector_of(packed[1]),
                                  .bias = vector_of(packed[2])};
        to.shape[0] = to.n_rows;
        to.in_stride[0] = length * to.in_step;
        to.out_stride[0] = length * to.out_step;
        status = put_row(stria_call_get_name(call), (const stria_tensor *const *)packed, 3, place, &to, err);
    }
    if (status == STRIA_OK) status = stria_packed_rows_put(y, last, place, err);
    for (int k = 0; k < 3; k++) stria_tensor_release(packed[k]);
    stria_tensor_release(place);
    return status;
}

stria_status stria_cuda_layer_norm(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    const stria_layer_norm_attrs *attrs = call->attrs;
    (void)meta;

    return run_norm(call, STRIA_CUDA_LAYER_NORM, 3, attrs->normalized_shape, attrs->eps, y[0], err);
}

stria_status stria_cuda_rms_norm(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    const stria_rms_norm_attrs *attrs = call->attrs;
    (void)meta;

    return run_norm(call, STRIA_CUDA_RMS_NORM, 2, attrs->normalized_shape,
                    stria_rms_get_eps(attrs->eps, call->in[0]->dtype), y[0], err);
}

/* ---------------------------------------------------------------- gradients */

/* What a gradient reads and writes, packed: gradient, other, weight; those of x, weight, bias. */
typedef struct backward {
    stria_tensor *in[3], *out[3];
} backward;

static stria_status pack_all(const stria_call *call, int n_in, int n_out, int axis, stria_tensor **y, backward *b,
                             stria_error *err)
{
    stria_status status = STRIA_OK;

    for (int k = 0; k < n_in && status == STRIA_OK; k++) {
        const int own = k < 2 || call->in[k] == NULL ? axis : call->in[k]->ndim - 1;
        status = stria_packed_rows_new(call->in[k], own, STRIA_DTYPE_NONE, &b->in[k], err);
    }
    for (int k = 0; k < n_out && status == STRIA_OK; k++)
        status = stria_packed_rows_new_place(y[k], k == 0 ? axis : y[k]->ndim - 1, y[k]->dtype, &b->out[k], err);
    return status;
}

static stria_status put_backward(const char *op, const backward *b, stria_cuda_row_backward_call *to, stria_error *err)
{
    stria_cuda_work work;

    to->gradient = vector_of(b->in[0]);
    to->other = vector_of(b->in[1]);
    to->weight = vector_of(b->in[2]);
    to->out = vector_of(b->out[0]);
    to->weight_gradient = vector_of(b->out[1]);
    to->bias_gradient = vector_of(b->out[2]);
    to->compute = stria_dtype_get_compute(to->out.dtype);
    to->n_rows = b->out[0]->numel / to->length;
    STRIA_TRY(stria_cuda_work_begin(&work, op, b->out[0]->device, err));
    for (int k = 0; k < 3; k++) {
        stria_cuda_work_use(&work, b->in[k]);
        stria_cuda_work_use(&work, b->out[k]);
    }
    stria_cuda_work_put(&work, work.plugin->row_backward(work.stream, to));
    return stria_cuda_work_end(&work, to->out.dtype, err);
}

static stria_status run_backward(const stria_call *call, int n_in, int n_out, int axis,
                                 stria_cuda_row_backward_call *to, stria_tensor **y, stria_error *err)
{
    backward     b = {{NULL}, {NULL}};
    stria_status status = pack_all(call, n_in, n_out, axis, y, &b, err);

    if (status == STRIA_OK) status = put_backward(stria_call_get_name(call), &b, to, err);
    for (int k = 0; k < n_out && status == STRIA_OK; k++)
        status = stria_packed_rows_put(y[k], k == 0 ? axis : y[k]->ndim - 1, b.out[k], err);
    for (int k = 0; k < 3; k++) {
        stria_tensor_release(b.in[k]);
        stria_tensor_release(b.out[k]);
    }
    return status;
}

static stria_status run_softmax_backward(const stria_call *call, stria_cuda_row_kind kind, const stria_call_meta *meta,
                                         stria_tensor **y, stria_error *err)
{
    stria_cuda_row_backward_call to = {.kind = kind, .length = y[0]->ndim > 0 ? y[0]->shape[meta->axis] : 1};

    return run_backward(call, 2, 1, meta->axis, &to, y, err);
}

stria_status stria_cuda_softmax_backward(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                         stria_error *err)
{
    return run_softmax_backward(call, STRIA_CUDA_SOFTMAX, meta, y, err);
}

stria_status stria_cuda_log_softmax_backward(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                             stria_error *err)
{
    return run_softmax_backward(call, STRIA_CUDA_LOG_SOFTMAX, meta, y, err);
}

stria_status stria_cuda_layer_norm_backward(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                            stria_error *err)
{
    const stria_layer_norm_backward_attrs *attrs = call->attrs;
    stria_cuda_row_backward_call           to = {
                  .kind = STRIA_CUDA_LAYER_NORM, .length = get_length(attrs->normalized_shape), .eps = attrs->eps};
    (void)meta;

    return to.length > 0 ? run_backward(call, 3, 3, y[0]->ndim - 1, &to, y, err) : STRIA_OK;
}

stria_status stria_cuda_rms_norm_backward(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                          stria_error *err)
{
    const stria_rms_norm_backward_attrs *attrs = call->attrs;
    stria_cuda_row_backward_call         to = {.kind = STRIA_CUDA_RMS_NORM,
                                               .length = get_length(attrs->normalized_shape),
                                               .eps = stria_rms_get_eps(attrs->eps, call->in[1]->dtype)};
    (void)meta;

    return to.length > 0 ? run_backward(call, 3, 2, y[0]->ndim - 1, &to, y, err) : STRIA_OK;
}
