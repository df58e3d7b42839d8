/* moment.c - var and std: mean and m2 of blocks (moment_template.h), merged by the formula of Chan, Golub & LeVeque. */
#include <math.h>

#include "base/error.h"
#include "cpu/fold.h"
#include "call/function.h"
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

static void store(const stria_fold *fold, char *out, const void *state)
{
    const moment_task  *task = task_of(fold);
    const moment_state *s = state;
    double              divisor = (double)s->count - task->correction, value;

    if (divisor < 0) divisor = 0;
    value = s->m.m2 / divisor;
    if (task->root) value = sqrt(value);
    task->store(out, 0, (const char *)&value, 0, 1);
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

static const stria_fold_family family = {sizeof(moment_state), row, merge, store, columns};

static stria_status moment(const char *op, bool root, const stria_tensor *x, const int *axes, int n_axes,
                           double correction, bool keepdim, stria_tensor *out, stria_tensor **result, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    stria_target         target;
    uint64_t             reduced = 0;
    stria_status         status = STRIA_OK;

    if (!kernels) return stria_isa_get_status(err);
    STRIA_TRY(stria_function_infer_float_reduction(op, x, axes, n_axes, keepdim, &reduced, &target, err));
    STRIA_TRY(stria_target_begin(&target, op, &x, 1, false, out, err));
    if (!target.is_meta && target.y->numel > 0) {
        const stria_dtype compute = stria_dtype_get_compute(x->dtype);
        const moment_task task = {&kernels->lane[compute]->moment, kernels->cast[STRIA_F64][target.dtype], correction,
                                  root};
        stria_fold        fold = {&family, kernels, &task, {0}};
        status = x->numel == 0 ? stria_function_fill(target.y, (double)NAN, err)
                               : stria_fold_run(&fold, op, x, reduced, keepdim, compute, false, target.y, err);
    }
    return stria_target_end(&target, status, result, err);
}

stria_status stria_var(const stria_tensor *x, const int *axes, int n_axes, double correction, bool keepdim,
                       stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_function_check_result("var", out, err));
    return moment("var", false, x, axes, n_axes, correction, keepdim, NULL, out, err);
}

stria_status stria_std(const stria_tensor *x, const int *axes, int n_axes, double correction, bool keepdim,
                       stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_function_check_result("std", out, err));
    return moment("std", true, x, axes, n_axes, correction, keepdim, NULL, out, err);
}

stria_status stria_var_out(const stria_tensor *x, const int *axes, int n_axes, double correction, bool keepdim,
                           stria_tensor *out, stria_error *err)
{
    STRIA_TRY(stria_function_check_tensor("var", "out", out, err));
    return moment("var", false, x, axes, n_axes, correction, keepdim, out, NULL, err);
}

stria_status stria_std_out(const stria_tensor *x, const int *axes, int n_axes, double correction, bool keepdim,
                           stria_tensor *out, stria_error *err)
{
    STRIA_TRY(stria_function_check_tensor("std", "out", out, err));
    return moment("std", true, x, axes, n_axes, correction, keepdim, out, NULL, err);
}
