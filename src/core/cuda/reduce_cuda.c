/* reduce_cuda.c - the plain reductions, sum_to_size, argmax and argmin, var, std, norm and logsumexp on CUDA. */
#include <math.h>

#include "base/error.h"
#include "cpu/complex_parts.h"
#include "cpu/fold_rows.h"
#include "cuda/fold_cuda.h"

/* One kernel; `run` puts it. */
typedef int run_fn(const stria_cuda_work *work, const void *call);

static stria_status run(const char *op, const stria_tensor *x, stria_tensor *y, run_fn *fn, const void *call,
                        stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, op, y->device, err));
    stria_cuda_work_use(&work, x);
    stria_cuda_work_use(&work, y);
    stria_cuda_work_put(&work, fn(&work, call));
    return stria_cuda_work_end(&work, x->dtype, err);
}

static int run_reduce(const stria_cuda_work *work, const void *call)
{
    return work->plugin->reduce(work->stream, call);
}
static int run_arg(const stria_cuda_work *work, const void *call) { return work->plugin->arg(work->stream, call); }
static int run_statistic(const stria_cuda_work *work, const void *call)
{
    return work->plugin->statistic(work->stream, call);
}

/* ---------------------------------------------------------------- plain reductions */

/* What the kernels compute in: sums and products of floats in f64. */
static stria_dtype get_lanes(stria_reduction op, stria_dtype compute)
{
    const bool is_float = stria_dtype_get_category(compute) == STRIA_CATEGORY_F || stria_dtype_is_complex(compute);

    return is_float && stria_reduction_infos[op].identity <= STRIA_IDENTITY_ONE ? STRIA_F64 : compute;
}

static stria_status reduce(const stria_call *call, const stria_tensor *x, const stria_call_meta *meta, stria_tensor *y,
                           stria_error *err)
{
    const stria_reduction  op = (stria_reduction)(call->row - STRIA_ROW_OF_REDUCTION(0));
    const char            *name = stria_call_get_name(call);
    stria_cuda_reduce_call to = {.op = op, .compute = get_lanes(op, meta->compute)};
    const bool             keepdim = ((const stria_reduce_attrs *)call->attrs)->keepdim;

    STRIA_TRY(stria_cuda_fold_walk_build(&to.walk, name, x, y, meta->axes, keepdim, false, err));
    if (stria_dtype_is_complex(meta->compute)) STRIA_TRY(stria_cuda_fold_walk_split(&to.walk, name, x, err));
    return run(name, x, y, run_reduce, &to, err);
}

/* Sums of complex numbers are those of their parts; products are made of products. */
stria_status stria_cuda_reduce(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_reduction op = (stria_reduction)(call->row - STRIA_ROW_OF_REDUCTION(0));
    const stria_tensor   *x = call->in[0];
    stria_tensor         *wide = NULL;

    if (x->numel == 0) return stria_reduce_fill_identity(op, y[0], err);
    if (!stria_dtype_is_complex(meta->compute)) return reduce(call, x, meta, y[0], err);
    if (op == STRIA_RED_prod)
        return stria_error_set_op(err, stria_complex_product(x, meta->axes, y[0], err), stria_call_get_name(call));
    if (stria_dtype_is_complex(x->dtype)) return reduce(call, x, meta, y[0], err);
    STRIA_TRY(stria_cuda_new_row_major(x, meta->compute, &wide, err));
    const stria_status status = reduce(call, wide, meta, y[0], err);
    stria_tensor_release(wide);
    return status;
}

stria_status stria_cuda_sum_to_size(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    return stria_sum_to_size_by(stria_cuda_reduce, call, meta, y, err);
}

/* ---------------------------------------------------------------- argmax, argmin */

static stria_status find(const stria_call *call, bool is_smallest, bool keepdim, const stria_call_meta *meta,
                         stria_tensor *y, stria_error *err)
{
    const char         *name = stria_call_get_name(call);
    stria_cuda_arg_call to = {.is_smallest = is_smallest};

    STRIA_TRY(stria_cuda_fold_walk_build(&to.walk, name, call->in[0], y, meta->axes, keepdim, meta->axis < 0, err));
    return run(name, call->in[0], y, run_arg, &to, err);
}

stria_status stria_cuda_argmax(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return find(call, false, ((const stria_argmax_attrs *)call->attrs)->keepdim, meta, y[0], err);
}

stria_status stria_cuda_argmin(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return find(call, true, ((const stria_argmin_attrs *)call->attrs)->keepdim, meta, y[0], err);
}

/* ---------------------------------------------------------------- var, std, norm, logsumexp */

/* Of complex numbers: made of those of real ones. */
static stria_status compute_complex(const stria_tensor *x, const stria_cuda_statistic_call *what, bool keepdim,
                                    uint64_t axes, stria_tensor *y, stria_error *err)
{
    if (what->kind == STRIA_CUDA_NORM) return stria_complex_norm(x, what->number, axes, y, err);
    return stria_complex_moment(x, axes, what->number, keepdim, what->kind == STRIA_CUDA_STD, y, err);
}

/* empty: what they give of no elements. */
static stria_status compute(const stria_call *call, stria_cuda_statistic kind, double number, bool keepdim,
                            double empty, const stria_call_meta *meta, stria_tensor *y, stria_error *err)
{
    const char               *name = stria_call_get_name(call);
    const stria_tensor       *x = call->in[0];
    stria_cuda_statistic_call to = {.kind = kind, .number = number};

    if (x->numel == 0) return stria_backend_fill(y, stria_scalar_get(empty), err);
    if (stria_dtype_is_complex(x->dtype))
        return stria_error_set_op(err, compute_complex(x, &to, keepdim, meta->axes, y, err), name);
    STRIA_TRY(stria_cuda_fold_walk_build(&to.walk, name, x, y, meta->axes, keepdim, false, err));
    return run(name, x, y, run_statistic, &to, err);
}

stria_status stria_cuda_var(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_var_attrs *attrs = call->attrs;
    return compute(call, STRIA_CUDA_VAR, attrs->correction, attrs->keepdim, NAN, meta, y[0], err);
}

stria_status stria_cuda_std(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_std_attrs *attrs = call->attrs;
    return compute(call, STRIA_CUDA_STD, attrs->correction, attrs->keepdim, NAN, meta, y[0], err);
}

stria_status stria_cuda_norm(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_norm_attrs *attrs = call->attrs;
    return compute(call, STRIA_CUDA_NORM, attrs->p, attrs->keepdim, 0, meta, y[0], err);
}

stria_status stria_cuda_logsumexp(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    const stria_logsumexp_attrs *attrs = call->attrs;
    return compute(call, STRIA_CUDA_LOGSUMEXP, 0, attrs->keepdim, -INFINITY, meta, y[0], err);
}
