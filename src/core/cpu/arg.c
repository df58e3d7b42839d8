/* arg.c - argmax and argmin, a family of folds (fold.h).
 *
 * In the form of rows, the extreme of a block is compared with the best so far. Only if it wins is the block, which is still
 * in L1, searched for its position. */
#include <string.h>

#include "base/error.h"
#include "cpu/fold.h"
#include "call/function.h"
#include "tensor/shape.h"

typedef struct arg_state {
    int64_t index;
    char    value[8]; /* of the compute dtype */
} arg_state;

/* context: the kernels of the row */
static const stria_arg_kernels *kernels_of(const stria_fold *fold) { return fold->context; }

static void row(const stria_fold *fold, void *state, const char *block, int64_t first, int64_t n, bool begin)
{
    const stria_arg_kernels *kernels = kernels_of(fold);
    arg_state               *best = state;
    char                     value[8];

    kernels->extreme(value, block, n);
    if (!begin && !kernels->wins(value, best->value)) return;
    memcpy(best->value, value, sizeof value);
    best->index = first + kernels->find(block, value, n);
}

static void merge(const stria_fold *fold, void *state, const void *later)
{
    if (kernels_of(fold)->wins(((const arg_state *)later)->value, ((arg_state *)state)->value))
        memcpy(state, later, sizeof(arg_state));
}

static void store(const stria_fold *fold, char *out, int64_t out_stride, void *states, int64_t n)
{
    const arg_state *best = states;
    (void)fold;
    for (int64_t j = 0; j < n; j++) memcpy(out + j * out_stride, &best[j].index, sizeof(int64_t));
}

static void columns(const stria_fold *fold, void *states, const char *rows, int64_t stride_bytes, int64_t first,
                    int64_t n_rows, int64_t n)
{
    const stria_arg_kernels *kernels = kernels_of(fold);
    const int64_t            size = fold->plan->size;
    _Alignas(64) char        value[STRIA_FOLD_COLUMNS * 8];
    uint8_t                  place[STRIA_FOLD_COLUMNS];
    arg_state               *best = states;

    kernels->column(value, place, rows, stride_bytes, n_rows, n);
    for (int64_t j = 0; j < n; j++) {
        if (first > 0 && !kernels->wins(value + j * size, best[j].value)) continue;
        memcpy(best[j].value, value + j * size, (size_t)size);
        best[j].index = first + place[j];
    }
}

static const stria_fold_family family = {.state_bytes = sizeof(arg_state),
                                         .rows = STRIA_FOLD_ROWS,
                                         .row = row,
                                         .merge = merge,
                                         .store = store,
                                         .columns = columns};

static stria_status infer(const char *op, const stria_tensor *x, int axis, bool keepdim, uint64_t *reduced,
                          stria_target *target, stria_error *err)
{
    const stria_category category = stria_dtype_get_category(x->dtype);
    const bool           flat = axis == STRIA_AXIS_NONE;
    int                  wrapped = 0;

    if (category == STRIA_CATEGORY_B || category == STRIA_CATEGORY_C)
        return stria_function_refuse_dtype(op, "x", x->dtype, "integer or float", err);
    if (!flat) STRIA_TRY(stria_function_get_axis(op, x, axis, &wrapped, err));
    *reduced = 0;
    for (int d = 0; d < x->ndim; d++)
        if (flat || d == wrapped) *reduced |= UINT64_C(1) << d;
    target->dtype = STRIA_I64;
    target->ndim = stria_shape_reduce(x->ndim, x->shape, *reduced, keepdim, target->shape);
    if (flat && x->numel == 0)
        return stria_error_set(err, STRIA_ERR_EMPTY, op, "x", NULL, NULL, "x has no elements, and nothing has no %s",
                               op);
    if (!flat && x->ndim > 0 && x->shape[wrapped] == 0)
        return stria_error_set(err, STRIA_ERR_EMPTY, op, "x", NULL, NULL, "axis %d has size 0, and nothing has no %s",
                               wrapped, op);
    return STRIA_OK;
}

static stria_status arg(const char *op, bool smallest, const stria_tensor *x, int axis, bool keepdim, stria_tensor *out,
                        stria_tensor **result, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    stria_target         target;
    uint64_t             reduced = 0;
    stria_status         status = STRIA_OK;

    STRIA_TRY(stria_function_check_tensor(op, "x", x, err));
    if (!kernels) return stria_isa_get_status(err);
    STRIA_TRY(infer(op, x, axis, keepdim, &reduced, &target, err));
    STRIA_TRY(stria_target_begin(&target, op, &x, 1, false, out, err));
    if (!target.is_meta && target.y->numel > 0) {
        const stria_dtype compute = stria_dtype_get_compute(x->dtype);
        stria_fold        fold = {.family = &family,
                                  .context = &kernels->lane[compute]->arg[smallest],
                                  .kernels = kernels,
                                  .op = op,
                                  .x = x,
                                  .y = target.y,
                                  .reduced = reduced,
                                  .keepdim = keepdim,
                                  .compute = compute,
                                  .in_order = axis == STRIA_AXIS_NONE};
        status = stria_fold_run(&fold, err);
    }
    return stria_target_end(&target, status, result, err);
}

stria_status stria_argmax(const stria_tensor *x, int axis, bool keepdim, stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_function_check_result("argmax", out, err));
    return arg("argmax", false, x, axis, keepdim, NULL, out, err);
}

stria_status stria_argmin(const stria_tensor *x, int axis, bool keepdim, stria_tensor **out, stria_error *err)
{
    STRIA_TRY(stria_function_check_result("argmin", out, err));
    return arg("argmin", true, x, axis, keepdim, NULL, out, err);
}

stria_status stria_argmax_out(const stria_tensor *x, int axis, bool keepdim, stria_tensor *out, stria_error *err)
{
    STRIA_TRY(stria_function_check_tensor("argmax", "out", out, err));
    return arg("argmax", false, x, axis, keepdim, out, NULL, err);
}

stria_status stria_argmin_out(const stria_tensor *x, int axis, bool keepdim, stria_tensor *out, stria_error *err)
{
    STRIA_TRY(stria_function_check_tensor("argmin", "out", out, err));
    return arg("argmin", true, x, axis, keepdim, out, NULL, err);
}
