/* fold_cuda.c - the geometry of reductions, that of the CPU (cpu/fold_plan.c), as the plug-in takes it. */
#include "cuda/fold_cuda.h"

#include <string.h>

#include "base/error.h"
#include "cpu/fold.h"

static stria_status refuse_dims(const char *op, const stria_tensor *x, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, op, "x", NULL, NULL,
                           "x has more than %d dims that do not merge, which is too much for %s", STRIA_CUDA_MAX_DIMS,
                           stria_device_get_name(x->device));
}

stria_status stria_cuda_fold_walk_split(stria_cuda_fold_walk *walk, const char *op, const stria_tensor *x,
                                        stria_error *err)
{
    const int64_t n = walk->n_kept;

    if (n == STRIA_CUDA_MAX_DIMS) return refuse_dims(op, x, err);
    memmove(walk->kept_shape + 1, walk->kept_shape, sizeof *walk->kept_shape * (size_t)n);
    memmove(walk->kept_in + 1, walk->kept_in, sizeof *walk->kept_in * (size_t)n);
    memmove(walk->kept_out + 1, walk->kept_out, sizeof *walk->kept_out * (size_t)n);
    walk->in_dtype = stria_dtype_get_part(walk->in_dtype);
    walk->out_dtype = stria_dtype_get_part(walk->out_dtype);
    walk->in_size /= 2;
    walk->kept_shape[0] = 2;
    walk->kept_in[0] = walk->in_size;
    walk->kept_out[0] = (int64_t)stria_dtype_get_size(walk->out_dtype);
    walk->n_kept++;
    walk->n_outputs *= 2;
    return STRIA_OK;
}

stria_status stria_cuda_fold_walk_build(stria_cuda_fold_walk *walk, const char *op, const stria_tensor *x,
                                        stria_tensor *y, uint64_t reduced, bool keepdim, bool in_order,
                                        stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    stria_fold_plan      plan;

    if (kernels == NULL) return stria_isa_get_status(err);
    const stria_fold fold = {.kernels = kernels,
                             .op = op,
                             .x = x,
                             .y = y,
                             .reduced = reduced,
                             .keepdim = keepdim,
                             .in_order = in_order,
                             .compute = x->dtype};
    STRIA_TRY(stria_fold_plan_build(&plan, &fold, err));
    if (plan.n_red > STRIA_CUDA_MAX_DIMS || plan.n_keep > STRIA_CUDA_MAX_DIMS) return refuse_dims(op, x, err);
    *walk = (stria_cuda_fold_walk){.in = plan.source,
                                   .out = plan.out,
                                   .in_dtype = x->dtype,
                                   .out_dtype = y->dtype,
                                   .count = plan.count,
                                   .n_outputs = plan.n_outputs,
                                   .in_size = (int32_t)plan.source_size,
                                   .n_kept = plan.n_keep,
                                   .n_reduced = plan.n_red};
    for (int d = 0; d < plan.n_keep; d++) {
        walk->kept_shape[d] = plan.keep_shape[d];
        walk->kept_in[d] = plan.keep_stride[d];
        walk->kept_out[d] = plan.keep_out[d];
    }
    for (int d = 0; d < plan.n_red; d++) {
        walk->reduced_shape[d] = plan.red_shape[d];
        walk->reduced_in[d] = plan.red_stride[d];
    }
    return STRIA_OK;
}
