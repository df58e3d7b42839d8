/* convolution.c - the rows of convolutions on the CPU: tensors become plans (convolution.h). One that is transposed has as many plans as
 * positions of a stride: results that lie a stride apart meet the same taps. */
#include "cpu/convolution.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "call/compose.h"
#include "call/meta.h"
#include "tensor/layout.h"

static stria_tensor *unconst(const stria_tensor *x) { return (stria_tensor *)(uintptr_t)x; }

/* ---------------------------------------------------------------- tensors as plans */

/* What elements are computed as: f32 and f64, and integers that wrap. */
static stria_dtype get_lane(stria_dtype dtype)
{
    const stria_dtype compute = stria_dtype_get_compute(dtype);

    if (stria_dtype_get_category(dtype) == STRIA_CATEGORY_F) return compute;
    return stria_dtype_get_size(dtype) < 8 ? STRIA_I32 : STRIA_I64;
}

/* *lane = x in the dtype; x itself where it is that, and, if asked for, row-major. */
static stria_status take(const stria_tensor *x, stria_dtype lane, bool is_packed, stria_temps *temps,
                         const stria_tensor **result, stria_error *err)
{
    *result = x;
    if (x == NULL || (x->dtype == lane && (!is_packed || stria_tensor_is_contiguous(x)))) return STRIA_OK;
    if (x->dtype != lane) {
        STRIA_TRY(stria_tensor_copy(x, lane, STRIA_TEMP, err));
        *result = STRIA_LAST;
    }
    if (!is_packed) return STRIA_OK;
    STRIA_TRY(stria_contiguous(unconst(*result), STRIA_TEMP, err));
    *result = STRIA_LAST;
    return STRIA_OK;
}

/* *lane = y, or a new tensor of its shape, row-major and of the dtype. */
static stria_status take_result(stria_tensor *y, stria_dtype lane, stria_temps *temps, stria_tensor **result,
                                stria_error *err)
{
    *result = y;
    if (y->dtype == lane && stria_tensor_is_contiguous(y)) return STRIA_OK;
    STRIA_TRY(stria_tensor_new(lane, y->ndim, y->shape, STRIA_TEMP, err));
    *result = STRIA_LAST;
    return STRIA_OK;
}

static void set_kernels(stria_conv_plan *plan, stria_dtype lane)
{
    const stria_gemm_kernels *gemm = stria_dispatch_get()->gemm;
    const int                 log_size = stria_dtype_get_size(lane) == 4 ? 2 : 3;

    plan->kernels = stria_dispatch_get();
    plan->gemm = lane == STRIA_F32   ? &gemm->f32
                 : lane == STRIA_F64 ? &gemm->f64
                 : lane == STRIA_I32 ? &gemm->u32
                                     : &gemm->u64;
    plan->item = (int64_t)stria_dtype_get_size(lane);
    plan->gather = plan->kernels->gather[log_size];
    plan->scatter = plan->kernels->scatter[log_size];
    plan->transpose = plan->kernels->transpose[log_size];
}

/* Sizes and places of x and of the result, whose channels are `channels`. */
static void set_plan(stria_conv_plan *plan, const stria_tensor *x, int64_t channels, int64_t groups)
{
    set_kernels(plan, x->dtype);
    plan->batch = x->shape[0];
    plan->groups = groups;
    plan->channels = x->shape[1] / groups;
    plan->m = channels / groups;
    plan->x = x->data;
    plan->x_batch = x->strides[0];
    plan->x_channel = x->strides[1];
    plan->bias = NULL;
    for (int d = 0; d < STRIA_CONV_DIMS; d++) {
        plan->axis[d].in = x->shape[d + 2];
        plan->axis[d].x_stride = x->strides[d + 2];
    }
}

static void set_result(stria_conv_plan *plan, stria_tensor *y)
{
    plan->y = y->data;
    plan->y_batch = y->strides[0];
    plan->y_channel = y->strides[1];
}

static void set_windows(stria_conv_plan *plan, const int64_t *out, const int64_t *taps, const int64_t *stride,
                        const int64_t *padding, const int64_t *dilation)
{
    for (int d = 0; d < STRIA_CONV_DIMS; d++) {
        stria_conv_axis *axis = &plan->axis[d];
        axis->out = out[d];
        axis->taps = taps[d];
        axis->step = stride[d];
        axis->tap_step = dilation[d];
        axis->first = -padding[d];
    }
    stria_conv_plan_end(plan);
}

/* ---------------------------------------------------------------- transposed */

/* One phase along an axis: results r, r + stride .. meet taps first_tap, first_tap + tap_stride .. */
typedef struct phase {
    int64_t first_tap[STRIA_CONV_DIMS], tap_stride[STRIA_CONV_DIMS];
} phase;

static void set_phase(const stria_convolution_attrs *attrs, const stria_tensor *weight, const stria_tensor *y, int d,
                      int64_t r, stria_conv_plan *plan, phase *at)
{
    const int64_t stride = attrs->stride[d], dilation = attrs->dilation[d], taps = weight->shape[d + 2];
    const int64_t divisor = (int64_t)stria_common_divisor((uint64_t)stride, (uint64_t)dilation),
                  period = stride / divisor, rest = r + attrs->padding[d];
    stria_conv_axis *axis = &plan->axis[d];
    int64_t          t = 0;

    while (t < period && t < taps && (rest - t * dilation) % stride != 0) t++;
    at->first_tap[d] = t;
    at->tap_stride[d] = period;
    axis->out = (y->shape[d + 2] - 1 - r) / stride + 1;
    axis->taps = t < period && t < taps ? (taps - 1 - t) / period + 1 : 0;
    axis->step = 1;
    axis->tap_step = -(dilation / divisor);
    axis->first = (rest - t * dilation) / stride;
    axis->y_stride = stride * y->strides[d + 2];
    plan->y += r * y->strides[d + 2] * plan->item;
}

/* to [groups][m][channels][taps of the phase] = weight [groups][channels][m][taps] */
static void take_taps(const stria_conv_plan *plan, const stria_tensor *weight, const phase *at, char *to)
{
    const stria_conv_axis *axis = plan->axis;
    const int64_t         *taps = weight->shape + 2;
    const size_t           item = (size_t)plan->item;

    for (int64_t row = 0; row < plan->groups * plan->m; row++)
        for (int64_t c = 0; c < plan->channels; c++) {
            const int64_t channel = row / plan->m * plan->channels + c;
            const char   *from =
                weight->data + (channel * plan->m + row % plan->m) * taps[0] * taps[1] * taps[2] * plan->item;
            for (int64_t i = 0; i < axis[0].taps; i++)
                for (int64_t j = 0; j < axis[1].taps; j++) {
                    const int64_t a = at->first_tap[0] + i * at->tap_stride[0];
                    const int64_t b = at->first_tap[1] + j * at->tap_stride[1];
                    const int64_t line = (a * taps[1] + b) * taps[2] + at->first_tap[2];
                    plan->gather(to, from + line * plan->item, at->tap_stride[2] * plan->item, axis[2].taps);
                    to += (size_t)axis[2].taps * item;
                }
        }
}

static stria_status run_transposed(const stria_convolution_attrs *attrs, const stria_tensor *weight, stria_tensor *y,
                                   stria_conv_plan *plan, char *taps, stria_error *err)
{
    int64_t n[STRIA_CONV_DIMS];

    for (int d = 0; d < STRIA_CONV_DIMS; d++)
        n[d] = attrs->stride[d] < y->shape[d + 2] ? attrs->stride[d] : y->shape[d + 2];
    for (int64_t a = 0; a < n[0]; a++)
        for (int64_t b = 0; b < n[1]; b++)
            for (int64_t c = 0; c < n[2]; c++) {
                const int64_t r[] = {a, b, c};
                phase         at;
                set_result(plan, y);
                for (int d = 0; d < STRIA_CONV_DIMS; d++) set_phase(attrs, weight, y, d, r[d], plan, &at);
                stria_conv_plan_end(plan);
                take_taps(plan, weight, &at, taps);
                STRIA_TRY(stria_conv_plan_run(plan, "convolution", err));
            }
    return STRIA_OK;
}

/* ---------------------------------------------------------------- one tap: a product of matrices */

static bool is_product(const stria_convolution_attrs *attrs, const stria_tensor *weight)
{
    for (int d = 0; d < STRIA_CONV_DIMS; d++)
        if (weight->shape[d + 2] != 1 || attrs->stride[d] != 1 || attrs->padding[d] != 0 ||
            (attrs->transposed && attrs->output_padding[d] != 0))
            return false;
    return true;
}

/* y [batch, groups, m, positions] = weight [groups, m, channels] x [batch, groups, channels, positions] */
static stria_status run_product(const stria_convolution_attrs *attrs, const stria_tensor *x, const stria_tensor *weight,
                                const stria_tensor *bias, stria_tensor *y, stria_temps *temps, stria_error *err)
{
    const int64_t       groups = attrs->groups, channels = x->shape[1] / groups, m = y->shape[1] / groups;
    const int64_t       positions = y->shape[2] * y->shape[3] * y->shape[4];
    const int64_t       turned[] = {groups, channels, m}, plain[] = {groups, m, channels};
    const int64_t       from[] = {x->shape[0], groups, channels, positions}, to[] = {y->shape[0], groups, m, positions};
    const stria_tensor *a, *b;

    STRIA_TRY(stria_reshape(unconst(weight), attrs->transposed ? turned : plain, 3, STRIA_TEMP, err));
    if (attrs->transposed) {
        a = STRIA_LAST;
        STRIA_TRY(stria_transpose(unconst(a), 1, 2, STRIA_TEMP, err));
    }
    a = STRIA_LAST;
    STRIA_TRY(stria_reshape(unconst(x), from, 4, STRIA_TEMP, err));
    b = STRIA_LAST;
    STRIA_TRY(stria_view(y, to, 4, STRIA_TEMP, err));
    STRIA_TRY(stria_matmul_out(a, b, STRIA_LAST, err));
    if (bias == NULL) return STRIA_OK;
    STRIA_TRY(stria_view(unconst(bias), (const int64_t[]){bias->numel, 1, 1, 1}, 4, STRIA_TEMP, err));
    return stria_apply_out(STRIA_OP_add, (const stria_tensor *const[]){y, STRIA_LAST}, 2, y, err);
}

/* ---------------------------------------------------------------- the rows */

static stria_status run_plans(const stria_convolution_attrs *attrs, const stria_tensor *x, const stria_tensor *weight,
                              const stria_tensor *bias, stria_tensor *y, stria_error *err)
{
    stria_conv_plan plan;
    size_t          nbytes = 0;

    set_plan(&plan, x, y->shape[1], attrs->groups);
    if (bias != NULL) plan.bias = bias->data;
    if (!attrs->transposed) {
        set_result(&plan, y);
        set_windows(&plan, y->shape + 2, weight->shape + 2, attrs->stride, attrs->padding, attrs->dilation);
        for (int d = 0; d < STRIA_CONV_DIMS; d++) plan.axis[d].y_stride = y->strides[d + 2];
        plan.weights = weight->data;
        return stria_conv_plan_run(&plan, "convolution", err);
    }
    char *taps = stria_block_new_parts(weight->numel, plan.item, &nbytes);
    if (taps == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, "convolution", NULL, NULL, NULL, "no memory for weights");
    plan.weights = taps;
    const stria_status status = run_transposed(attrs, weight, y, &plan, taps, err);
    stria_block_release(taps, nbytes);
    return status;
}

static stria_status convolve(const stria_call *call, stria_tensor *out, stria_temps *temps, stria_error *err)
{
    const stria_convolution_attrs *attrs = call->attrs;
    const stria_dtype              lane = get_lane(out->dtype);
    const stria_tensor            *x, *weight, *bias;
    stria_tensor                  *y;

    STRIA_TRY(take(call->in[0], lane, false, temps, &x, err));
    STRIA_TRY(take(call->in[1], lane, true, temps, &weight, err));
    STRIA_TRY(take(call->in[2], lane, true, temps, &bias, err));
    STRIA_TRY(take_result(out, lane, temps, &y, err));
    if (is_product(attrs, weight))
        STRIA_TRY(run_product(attrs, x, weight, bias, y, temps, err));
    else
        STRIA_TRY(run_plans(attrs, x, weight, bias, y, err));
    return y == out ? STRIA_OK : stria_backend_copy(out, y, err);
}

static stria_status convolve_weights(const stria_call *call, stria_tensor *out, stria_temps *temps, stria_error *err)
{
    const stria_convolution_weight_attrs *attrs = call->attrs;
    const stria_dtype                     lane = get_lane(out->dtype);
    const stria_tensor                   *gradient, *x;
    stria_tensor                         *y;
    stria_conv_plan                       plan;

    if (call->in[0]->numel == 0) return stria_backend_fill(out, stria_scalar_get(0), err);
    STRIA_TRY(take(call->in[0], lane, true, temps, &gradient, err));
    STRIA_TRY(take(call->in[1], lane, false, temps, &x, err));
    STRIA_TRY(take_result(out, lane, temps, &y, err));
    set_plan(&plan, x, gradient->shape[1], attrs->groups);
    set_windows(&plan, gradient->shape + 2, attrs->kernel_size, attrs->stride, attrs->padding, attrs->dilation);
    STRIA_TRY(stria_conv_plan_run_weights(&plan, gradient->data, y->data, "convolution_weight", err));
    return y == out ? STRIA_OK : stria_backend_copy(out, y, err);
}

stria_status stria_cpu_convolution(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    stria_temps  temps = {{NULL}, 0};
    stria_status status;

    if (meta->device.type != STRIA_DEVICE_CPU)
        return stria_conv_by_calls(call->attrs, call->in[0], call->in[1], call->in[2], y[0], err);
    status = convolve(call, y[0], &temps, err);
    stria_temps_release(&temps);
    return status;
}

stria_status stria_cpu_convolution_weight(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                          stria_error *err)
{
    stria_temps  temps = {{NULL}, 0};
    stria_status status;

    if (meta->device.type != STRIA_DEVICE_CPU)
        return stria_conv_weight_by_calls(call->attrs, call->in[0], call->in[1], y[0], err);
    status = convolve_weights(call, y[0], &temps, err);
    stria_temps_release(&temps);
    return status;
}
