/* decompose_cuda.c - det, inverse, svdvals and svd on CUDA, in f64 as on the CPU (cpu/decompose.c). */
#include "cpu/decompose.h"

#include "base/error.h"
#include "cuda/made_cuda.h"

/* ---------------------------------------------------------------- det, inverse */

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

/* ---------------------------------------------------------------- svdvals, svd */

/* A new f64 tensor of the batch of x and one or two more sizes, row-major. */
static stria_status new_part(stria_temps *temps, const stria_tensor *x, int n_sizes, int64_t rows, int64_t columns,
                             double **data, stria_tensor **part, stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS];

    for (int d = 0; d < x->ndim - 2; d++) shape[d] = x->shape[d];
    shape[x->ndim - 2] = rows;
    shape[x->ndim - 1] = columns;
    STRIA_TRY(stria_tensor_new_on(x->device, STRIA_F64, x->ndim - 2 + n_sizes, shape, NULL, STRIA_TEMP, err));
    *part = STRIA_LAST;
    *data = (double *)(void *)(*part)->data;
    return STRIA_OK;
}

static stria_status launch_svd(const char *name, const stria_cuda_svd_call *call, stria_tensor *const *parts,
                               stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, name, parts[0]->device, err));
    for (int k = 0; k < 4; k++) stria_cuda_work_use(&work, parts[k]);
    stria_cuda_work_put(&work, work.plugin->svd(work.stream, call));
    return stria_cuda_work_end(&work, STRIA_F64, err);
}

/* y = the vectors, which are rows, as columns. */
static stria_status copy_turned(stria_temps *temps, stria_tensor *y, stria_tensor *rows, stria_error *err)
{
    STRIA_TRY(stria_transpose(rows, -2, -1, STRIA_TEMP, err));
    return stria_backend_copy(y, STRIA_LAST, err);
}

/* s and, unless they are NULL, u and v of x, which has elements. */
static stria_status make_parts(const stria_call *call, stria_tensor *u, stria_tensor *s, stria_tensor *v,
                               stria_temps *temps, stria_error *err)
{
    stria_tensor *x = (stria_tensor *)(uintptr_t)call->in[0], *parts[4] = {NULL}; /* matrices, values, left, right */

    if (x->shape[x->ndim - 2] > x->shape[x->ndim - 1]) {
        stria_tensor *const tall = u;
        STRIA_TRY(stria_transpose(x, -2, -1, STRIA_TEMP, err));
        x = STRIA_LAST, u = v, v = tall;
    }
    stria_cuda_svd_call to = {.most_sweeps = STRIA_SVD_SWEEPS,
                              .n = x->shape[x->ndim - 2],
                              .columns = x->shape[x->ndim - 1],
                              .n_matrices = x->numel / (x->shape[x->ndim - 2] * x->shape[x->ndim - 1])};
    STRIA_TRY(stria_cuda_new_row_major(x, STRIA_F64, &parts[0], err));
    STRIA_TRY(stria_temps_keep(temps, parts[0], err));
    to.matrices = (double *)(void *)parts[0]->data;
    STRIA_TRY(new_part(temps, x, 1, to.n, 0, &to.values, &parts[1], err));
    if (u != NULL) {
        to.n_right = v->shape[v->ndim - 1];
        STRIA_TRY(new_part(temps, x, 2, to.n, to.n, &to.left, &parts[2], err));
        STRIA_TRY(new_part(temps, x, 2, to.n_right, to.columns, &to.right, &parts[3], err));
    }
    STRIA_TRY(launch_svd(stria_call_get_name(call), &to, parts, err));
    if (u != NULL) {
        STRIA_TRY(copy_turned(temps, u, parts[2], err));
        STRIA_TRY(copy_turned(temps, v, parts[3], err));
    }
    return stria_backend_copy(s, parts[1], err);
}

static stria_status make_svdvals(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_temps *temps, stria_error *err)
{
    (void)meta;
    return y[0]->numel == 0 ? STRIA_OK : make_parts(call, NULL, y[0], NULL, temps, err);
}

static stria_status make_svd(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_temps *temps,
                             stria_error *err)
{
    const bool has_vectors = ((const stria_svd_attrs *)call->attrs)->compute_uv, is_empty = call->in[0]->numel == 0;

    (void)meta;
    if (has_vectors && !is_empty) return make_parts(call, y[0], y[1], y[2], temps, err);
    STRIA_TRY(stria_svd_fill(y[0], has_vectors, err));
    STRIA_TRY(stria_svd_fill(y[2], has_vectors, err));
    return is_empty ? STRIA_OK : make_parts(call, NULL, y[1], NULL, temps, err);
}

stria_status stria_cuda_svdvals(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return stria_cuda_make(make_svdvals, call, meta, y, err);
}

stria_status stria_cuda_svd(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return stria_cuda_make(make_svd, call, meta, y, err);
}
