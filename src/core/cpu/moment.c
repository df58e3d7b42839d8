/* moment.c - var and std, a family of folds (fold.h). The kernels give mean and m2 of a block (moment_template.h); blocks are
 * merged by the formula of Chan, Golub & LeVeque (moments.h). */
#include <math.h>

#include "base/error.h"
#include "cpu/complex_parts.h"
#include "cpu/fold.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/moments.h"

typedef struct moment_state {
    stria_moments m;
    int64_t       count;
} moment_state;

typedef struct moment_task {
    const stria_moment_kernels *kernels;
    stria_cast_loop            *store; /* f64 -> the result */
    double                      correction;
    bool                        root;
} moment_task;

static const moment_task *task_of(const stria_fold *fold) { return fold->context; }

static void combine(moment_state *state, const stria_moments *later, int64_t count)
{
    const double share = (double)count / (double)(state->count + count);
    stria_moments_join(&state->m, later, share, (double)state->count * share);
    state->count += count;
}

static void row(const stria_fold *fold, void *state, const char *block, int64_t first, int64_t n, bool begin)
{
    stria_moments later;
    (void)first;
    task_of(fold)->kernels->row(&later, block, n);
    if (begin)
        *(moment_state *)state = (moment_state){later, n};
    else
        combine(state, &later, n);
}

static void merge(const stria_fold *fold, void *state, const void *later)
{
    (void)fold;
    combine(state, &((const moment_state *)later)->m, ((const moment_state *)later)->count);
}

static void store(const stria_fold *fold, char *out, int64_t out_stride, void *states, int64_t n)
{
    const moment_task  *task = task_of(fold);
    const moment_state *s = states;
    const double        divisor = (double)fold->plan->count - task->correction;

    for (int64_t j = 0; j < n; j++) {
        double value = s[j].m.m2 / (divisor < 0 ? 0 : divisor);
        if (task->root) value = sqrt(value);
        task->store(out + j * out_stride, 0, (const char *)&value, 0, 1);
    }
}

static void columns(const stria_fold *fold, void *states, const char *rows, int64_t stride_bytes, int64_t first,
                    int64_t n_rows, int64_t n)
{
    const double  share = (double)n_rows / (double)(first + n_rows), weight = (double)first * share;
    stria_moments later[STRIA_FOLD_COLUMNS];
    moment_state *s = states;

    task_of(fold)->kernels->column(later, rows, stride_bytes, n_rows, n);
    for (int64_t j = 0; j < n; j++) {
        if (first == 0)
            s[j].m = later[j];
        else
            stria_moments_join(&s[j].m, &later[j], share, weight);
        s[j].count = first + n_rows;
    }
}

static const stria_fold_family family = {.state_bytes = sizeof(moment_state),
                                         .rows = STRIA_FOLD_ROWS,
                                         .row = row,
                                         .merge = merge,
                                         .store = store,
                                         .columns = columns};

static stria_status compute(const stria_call *call, bool root, double correction, bool keepdim,
                            const stria_call_meta *meta, stria_tensor *y, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const stria_tensor  *x = call->in[0];
    const stria_dtype    compute = stria_dtype_get_compute(x->dtype);
    const moment_task    task = {&kernels->lane[compute]->moment, kernels->cast[STRIA_F64][y->dtype], correction, root};
    if (stria_dtype_is_complex(x->dtype)) return stria_complex_moment(x, meta->axes, correction, keepdim, root, y, err);
    stria_fold fold = {.family = &family,
                       .context = &task,
                       .kernels = kernels,
                       .op = stria_call_get_name(call),
                       .x = x,
                       .y = y,
                       .reduced = meta->axes,
                       .keepdim = keepdim,
                       .compute = compute};

    return x->numel == 0 ? stria_backend_fill(y, stria_scalar_get((double)NAN), err) : stria_fold_run(&fold, err);
}

stria_status stria_infer_var(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_var_attrs *attrs = call->attrs;
    return stria_infer_float_reduction(call, attrs->dim, attrs->keepdim, STRIA_DTYPE_NONE, meta, err);
}

stria_status stria_cpu_var(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_var_attrs *attrs = call->attrs;
    return compute(call, false, attrs->correction, attrs->keepdim, meta, y[0], err);
}

stria_status stria_infer_std(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_std_attrs *attrs = call->attrs;
    return stria_infer_float_reduction(call, attrs->dim, attrs->keepdim, STRIA_DTYPE_NONE, meta, err);
}

stria_status stria_cpu_std(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_std_attrs *attrs = call->attrs;
    return compute(call, true, attrs->correction, attrs->keepdim, meta, y[0], err);
}
