/* decompose_cuda.c - det and inverse on CUDA, in f64 as on the CPU (cpu/decompose.c). */
#include "cpu/decompose.h"

#include "base/error.h"
#include "cuda/made_cuda.h"

/* is_singular: waited for, unless NULL. */
static stria_status run(const char *name, stria_cuda_decompose_call *call, const stria_tensor *matrices,
                        const stria_tensor *results, int32_t *is_singular, stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, name, matrices->device, err));
    stria_cuda_work_use(&work, matrices);
    stria_cuda_work_use(&work, results);
    if (is_singular != NULL) {
        call->is_singular = stria_cuda_work_allocate(&work, sizeof *is_singular);
        if (work.code == STRIA_CUDA_OK)
            stria_cuda_work_put(&work,
                                work.plugin->copy_in(work.stream, call->is_singular, is_singular, sizeof *is_singular));
    }
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->decompose(work.stream, call));
    if (is_singular != NULL && work.code == STRIA_CUDA_OK)
        stria_cuda_work_put(&work,
                            work.plugin->copy_out(work.stream, is_singular, call->is_singular, sizeof *is_singular));
    stria_cuda_work_release(&work, call->is_singular);
    return stria_cuda_work_end(&work, STRIA_F64, err);
}

static stria_status decompose(const stria_call *call, bool is_det, stria_tensor *y, stria_temps *temps,
                              stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const int64_t       n = x->shape[x->ndim - 1];
    stria_tensor       *matrices = NULL;
    int32_t             is_singular = 0;

    if (y->numel == 0) return STRIA_OK;
    if (n == 0) return stria_backend_fill(y, stria_scalar_get(1), err);
    STRIA_TRY(stria_cuda_new_row_major(x, STRIA_F64, &matrices, err));
    STRIA_TRY(stria_temps_keep(temps, matrices, err));
    STRIA_TRY(stria_tensor_new_on(x->device, STRIA_F64, y->ndim, y->shape, NULL, STRIA_TEMP, err));
    stria_tensor             *results = STRIA_LAST;
    stria_cuda_decompose_call to = {.is_det = is_det,
                                    .n_matrices = x->numel / (n * n),
                                    .n = n,
                                    .matrices = (double *)(void *)matrices->data,
                                    .results = (double *)(void *)results->data};
    STRIA_TRY(run(stria_call_get_name(call), &to, matrices, results, is_det ? NULL : &is_singular, err));
    if (is_singular) return stria_inverse_refuse(x, err);
    return stria_backend_copy(y, results, err);
}

static stria_status make_det(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_temps *temps,
                             stria_error *err)
{
    (void)meta;
    return decompose(call, true, y[0], temps, err);
}

static stria_status make_inverse(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_temps *temps, stria_error *err)
{
    (void)meta;
    return decompose(call, false, y[0], temps, err);
}

stria_status stria_cuda_det(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return stria_cuda_make(make_det, call, meta, y, err);
}

stria_status stria_cuda_inverse(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return stria_cuda_make(make_inverse, call, meta, y, err);
}
