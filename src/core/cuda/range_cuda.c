/* range_cuda.c - arange, linspace and logspace on CUDA, by the plans of cpu/range.c. */
#include "base/error.h"
#include "cpu/range.h"
#include "cuda/cuda_device.h"
#include "simd/kernels.h"

/* Elements of one launch. */
#define MOST_ELEMENTS (INT64_C(1) << 30)

/* `data` of element 0; call->begin and count are set here. */
static stria_status run(stria_tensor *y, stria_cuda_range_call *call, const char *op, stria_error *err)
{
    char           *data = call->data;
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, op, y->device, err));
    stria_cuda_work_use(&work, y);
    for (int64_t k = 0; k < y->numel && work.code == STRIA_CUDA_OK; k += MOST_ELEMENTS) {
        call->begin = k;
        call->count = y->numel - k < MOST_ELEMENTS ? y->numel - k : MOST_ELEMENTS;
        call->data = data + k * call->stride_bytes;
        stria_cuda_work_put(&work, work.plugin->range(work.stream, call));
    }
    return stria_cuda_work_end(&work, y->dtype, err);
}

stria_status stria_cuda_arange(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    stria_arange_plan plan;
    (void)meta;

    STRIA_TRY(stria_arange_plan_get(call, y[0]->dtype, &plan, err));
    stria_cuda_range_call to = {.data = y[0]->data,
                                .dtype = y[0]->dtype,
                                .is_whole = stria_range_is_whole(y[0]->dtype),
                                .stride_bytes = y[0]->strides[0] * stria_tensor_get_item_size(y[0])};
    if (to.is_whole) {
        to.whole[0] = plan.whole_first;
        to.whole[1] = plan.whole_step;
    } else {
        to.first = plan.first;
        to.step = plan.step;
        to.scale = plan.scale;
        to.half = y[0]->numel;
    }
    return run(y[0], &to, "arange", err);
}

/* Of one part of a number. */
static stria_status run_part(stria_tensor *y, const stria_linspace_plan *plan, int part, stria_error *err)
{
    static const stria_dtype parts[] = {[STRIA_C64] = STRIA_F32, [STRIA_C128] = STRIA_F64};
    const stria_dtype        dtype = plan->n_parts == 2 ? parts[y->dtype] : y->dtype;
    stria_cuda_range_call    to = {.data = y->data + part * (int)stria_dtype_get_size(dtype),
                                   .dtype = dtype,
                                   .stride_bytes = y->strides[0] * stria_tensor_get_item_size(y),
                                   .first = plan->start[part],
                                   .end = plan->end[part],
                                   .step = plan->step[part],
                                   .scale = 1,
                                   .half = plan->half,
                                   .last = plan->last};

    return run(y, &to, "linspace", err);
}

stria_status stria_cuda_linspace(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    const stria_linspace_attrs *a = call->attrs;
    stria_linspace_plan         plan;
    (void)meta;

    stria_linspace_plan_get(a->start, a->end, a->steps, y[0]->dtype, &plan);
    for (int part = 0; part < plan.n_parts; part++) STRIA_TRY(run_part(y[0], &plan, part, err));
    if (plan.last > 0) STRIA_TRY(stria_linspace_set_whole(y[0], plan.last, a->end, err));
    return stria_linspace_set_whole(y[0], 0, a->start, err);
}

/* A new row-major f64 becomes the powers. */
static stria_status make_powers(stria_tensor *powers, const stria_exponents *exponents, stria_error *err)
{
    const stria_cuda_logspace_call call = {(double *)(void *)powers->data, powers->numel, *exponents};
    stria_cuda_work                work;

    STRIA_TRY(stria_cuda_work_begin(&work, "logspace", powers->device, err));
    stria_cuda_work_use(&work, powers);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->logspace(work.stream, &call));
    return stria_cuda_work_end(&work, STRIA_F64, err);
}

stria_status stria_cuda_logspace(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    stria_tensor   *powers = NULL;
    stria_exponents exponents;
    (void)meta;

    if (y[0]->numel == 0) return STRIA_OK;
    if (stria_dispatch_get() == NULL) return stria_isa_get_status(err);
    stria_logspace_plan_get(call->attrs, y[0]->dtype, &exponents);
    STRIA_TRY(stria_tensor_new_on(y[0]->device, STRIA_F64, 1, y[0]->shape, NULL, &powers, err));
    stria_status status = make_powers(powers, &exponents, err);
    if (status == STRIA_OK) status = stria_backend_copy(y[0], powers, err);
    stria_tensor_release(powers);
    return status;
}
