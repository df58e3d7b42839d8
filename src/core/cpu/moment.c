/* moment.c - var and std, a family of folds (fold.h). The kernels give mean and m2 of a block (moment_template.h); blocks are
 * merged by the formula of Chan, Golub & LeVeque (moments.h). */
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
        stria_fold        fold = {.family = &family,
                                  .context = &task,
                                  .kernels = kernels,
                                  .op = op,
                                  .x = x,
                                  .y = target.y,
                                  .reduced = reduced,
                                  .keepdim = keepdim,
                                  .compute = compute};
        status = x->numel == 0 ? stria_function_fill(target.y, (double)NAN, err) : stria_fold_run(&fold, err);
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
