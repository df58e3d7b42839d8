/* search_cuda.c - searchsorted, quantile and nanquantile on CUDA: kernels look in rows that are in order. */
#include "base/error.h"
#include "cpu/search.h"
#include "cuda/cuda_index.h"
#include "cuda/made_cuda.h"

/* ---------------------------------------------------------------- searchsorted */

static stria_status search(const stria_cuda_search_call *call, const stria_tensor *sorted, const stria_tensor *values,
                           const stria_tensor *out, stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, "searchsorted", out->device, err));
    stria_cuda_work_use(&work, sorted);
    stria_cuda_work_use(&work, values);
    stria_cuda_work_use(&work, out);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->search(work.stream, call));
    return stria_cuda_work_end(&work, call->dtype, err);
}

static stria_status make_searchsorted(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0], *sorter = call->in[2];
    const stria_dtype   dtype = stria_search_get_dtype(x, call->in[1]);
    stria_tensor       *sorted, *values, *out;
    (void)meta;

    if (sorter != NULL) {
        STRIA_TRY(stria_cuda_index_check(call, "sorter", sorter, x->shape[x->ndim - 1], false, "the last axis", err));
        STRIA_TRY(stria_gather(x, sorter, -1, STRIA_TEMP, err));
        x = STRIA_LAST;
    }
    STRIA_TRY(stria_cuda_make_packed(temps, x, dtype, y[0]->device, &sorted, err));
    STRIA_TRY(stria_cuda_make_packed(temps, call->in[1], dtype, y[0]->device, &values, err));
    STRIA_TRY(stria_tensor_new_on(y[0]->device, STRIA_I64, values->ndim, values->shape, NULL, STRIA_TEMP, err));
    out = STRIA_LAST;
    const stria_cuda_search_call to = {.sorted = sorted->data,
                                       .values = values->data,
                                       .dtype = dtype,
                                       .is_right = stria_search_is_right(call->attrs),
                                       .length = sorted->shape[sorted->ndim - 1],
                                       .n_values = values->numel,
                                       .per_row = sorted->ndim > 1 ? values->shape[values->ndim - 1] : 0,
                                       .out = (int64_t *)(void *)out->data};
    STRIA_TRY(search(&to, sorted, values, out, err));
    return stria_backend_copy(y[0], out, err);
}

stria_status stria_cuda_searchsorted(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_error *err)
{
    return stria_cuda_make(make_searchsorted, call, meta, y, err);
}

/* ---------------------------------------------------------------- quantile */

/* ERR_ARGUMENT: a number of q, which lie on the host, is none of 0 .. 1. */
static stria_status check_q(const stria_call *call, const stria_tensor *q, stria_error *err)
{
    stria_tensor *host = NULL;

    STRIA_TRY(stria_tensor_new(STRIA_F64, q->ndim, q->shape, &host, err));
    stria_status status = stria_backend_copy(host, q, err);
    for (int64_t k = 0; status == STRIA_OK && k < host->numel; k++)
        status = stria_quantile_check(call, ((const double *)(const void *)host->data)[k], err);
    stria_tensor_release(host);
    return status;
}

static stria_status compute(const char *name, const stria_cuda_quantile_call *call, const stria_tensor *sorted,
                            const stria_tensor *q, const stria_tensor *out, stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, name, out->device, err));
    stria_cuda_work_use(&work, sorted);
    stria_cuda_work_use(&work, q);
    stria_cuda_work_use(&work, out);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->quantile(work.stream, call));
    return stria_cuda_work_end(&work, call->dtype, err);
}

static stria_status set_quantiles(const stria_call *call, bool skips_nan, int interpolation, int axis, stria_tensor *y,
                                  stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const stria_dtype   dtype = stria_dtype_get_compute(x->dtype);
    stria_tensor       *rows, *sorted, *places, *q;

    STRIA_TRY(check_q(call, call->in[1], err));
    if (y->numel == 0) return STRIA_OK;
    STRIA_TRY(stria_cuda_make_packed(temps, call->in[1], STRIA_F64, y->device, &q, err));
    STRIA_TRY(stria_cuda_make_rows(temps, x, axis, dtype, &rows, err));
    STRIA_TRY(stria_cuda_make_sorted(temps, rows, &sorted, &places, err));
    STRIA_TRY(stria_tensor_new_on(y->device, STRIA_F64, y->ndim, y->shape, NULL, STRIA_TEMP, err));
    stria_tensor *const            out = STRIA_LAST;
    const stria_cuda_quantile_call to = {.sorted = sorted->data,
                                         .q = (const double *)(const void *)q->data,
                                         .out = (double *)(void *)out->data,
                                         .dtype = dtype,
                                         .interpolation = interpolation,
                                         .skips_nan = skips_nan,
                                         .is_wide = x->dtype == STRIA_F64,
                                         .length = sorted->shape[1],
                                         .n_rows = sorted->shape[0],
                                         .n_q = q->numel};
    STRIA_TRY(compute(stria_call_get_name(call), &to, sorted, q, out, err));
    return stria_backend_copy(y, out, err);
}

static stria_status make_quantile(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_temps *temps, stria_error *err)
{
    const stria_quantile_attrs *attrs = call->attrs;
    return set_quantiles(call, false, attrs->interpolation, meta->axis, y[0], temps, err);
}

static stria_status make_nanquantile(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_temps *temps, stria_error *err)
{
    const stria_nanquantile_attrs *attrs = call->attrs;
    return set_quantiles(call, true, attrs->interpolation, meta->axis, y[0], temps, err);
}

stria_status stria_cuda_quantile(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    return stria_cuda_make(make_quantile, call, meta, y, err);
}

stria_status stria_cuda_nanquantile(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    return stria_cuda_make(make_nanquantile, call, meta, y, err);
}
