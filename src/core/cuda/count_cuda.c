/* count_cuda.c - bincount and histc on CUDA. What decides the number of counts, or the bins, is waited for. */
#include <math.h>

#include "base/error.h"
#include "cpu/counts.h"
#include "cuda/made_cuda.h"

/* counts = of these numbers, i64 or f64, row-major. */
static stria_status count(const char *name, const stria_tensor *numbers, const stria_bins *bins, stria_tensor *counts,
                          stria_error *err)
{
    const bool                  is_whole = numbers->dtype == STRIA_I64;
    const stria_cuda_count_call call = {.numbers = is_whole ? (const int64_t *)(void *)numbers->data : NULL,
                                        .values = is_whole ? NULL : (const double *)(void *)numbers->data,
                                        .bins = *bins,
                                        .n = numbers->numel,
                                        .counts = (int64_t *)(void *)counts->data};
    stria_cuda_work             work;

    STRIA_TRY(stria_cuda_work_begin(&work, name, counts->device, err));
    stria_cuda_work_use(&work, numbers);
    stria_cuda_work_use(&work, counts);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->count(work.stream, &call));
    return stria_cuda_work_end(&work, numbers->dtype, err);
}

static stria_status make_zeros(stria_temps *temps, stria_device device, stria_dtype dtype, int64_t n,
                               stria_tensor **zeros, stria_error *err)
{
    STRIA_TRY(stria_zeros(&n, 1, dtype, device, STRIA_TEMP, err));
    *zeros = STRIA_LAST;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- bincount */

/* One after another, in f64, as the CPU does. */
static stria_status add_weights(stria_temps *temps, const stria_tensor *numbers, const stria_tensor *weights,
                                stria_tensor *sums, stria_error *err)
{
    stria_tensor *wide;

    STRIA_TRY(stria_cuda_make_packed(temps, weights, STRIA_F64, sums->device, &wide, err));
    return stria_scatter_add_out(sums, numbers, wide, 0, sums, err);
}

static stria_status make_bincount(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0], *weights = call->in[1];
    stria_bins          bins = {0};
    stria_tensor       *numbers, *counts;

    STRIA_TRY(stria_bincount_get_length(x, ((const stria_bincount_attrs *)call->attrs)->minlength, &bins.n, err));
    STRIA_TRY(make_zeros(temps, x->device, weights != NULL ? STRIA_F64 : STRIA_I64, bins.n, &counts, err));
    if (x->numel > 0) {
        STRIA_TRY(stria_cuda_make_packed(temps, x, STRIA_I64, x->device, &numbers, err));
        if (weights == NULL)
            STRIA_TRY(count("bincount", numbers, &bins, counts, err));
        else
            STRIA_TRY(add_weights(temps, numbers, weights, counts, err));
    }
    return stria_backend_new_copy(counts, meta->out[0].dtype, &y[0], err);
}

stria_status stria_cuda_bincount(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    return stria_cuda_make(make_bincount, call, meta, y, err);
}

/* ---------------------------------------------------------------- histc */

static stria_status read_extreme(stria_temps *temps, stria_reduction op, const stria_tensor *x, double *value,
                                 stria_error *err)
{
    STRIA_TRY(stria_reduce(op, x, NULL, 0, false, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    return stria_cuda_read(STRIA_LAST, STRIA_F64, value, err);
}

static stria_status make_histc(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                               stria_temps *temps, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_bins          bins;
    stria_tensor       *numbers, *counts;
    (void)meta;

    if (stria_bins_begin(x, call->attrs, &bins)) {
        STRIA_TRY(read_extreme(temps, STRIA_RED_amin, x, &bins.least, err));
        STRIA_TRY(read_extreme(temps, STRIA_RED_amax, x, &bins.most, err));
    }
    STRIA_TRY(stria_bins_finish(&bins, err));
    STRIA_TRY(make_zeros(temps, x->device, STRIA_I64, bins.n, &counts, err));
    STRIA_TRY(stria_cuda_make_packed(temps, x, STRIA_F64, x->device, &numbers, err));
    STRIA_TRY(count("histc", numbers, &bins, counts, err));
    return stria_backend_copy(y[0], counts, err);
}

stria_status stria_cuda_histc(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return stria_cuda_make(make_histc, call, meta, y, err);
}
