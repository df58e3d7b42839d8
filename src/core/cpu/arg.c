/* arg.c - argmax and argmin, a family of folds (fold.h).
 *
 * In the form of rows, the extreme of a block is compared with the best so far. Only if it wins is the block, which is still
 * in L1, searched for its position. */
#include <string.h>

#include "base/error.h"
#include "cpu/fold.h"
#include "call/call.h"
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

static stria_status infer(const stria_call *call, int dim, bool keepdim, stria_call_meta *meta, stria_error *err)
{
    const char          *name = stria_call_get_name(call);
    const stria_tensor  *x = call->in[0];
    const stria_category category = stria_dtype_get_category(x->dtype);
    const bool           flat = dim == STRIA_AXIS_NONE;

    if (category == STRIA_CATEGORY_B || category == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "integer or float", err);
    meta->axis = -1;
    if (!flat) STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    meta->axes = 0;
    for (int d = 0; d < x->ndim; d++)
        if (flat || d == meta->axis) meta->axes |= UINT64_C(1) << d;
    stria_infer_reduced_shape(x, keepdim, STRIA_I64, meta);
    if (flat && x->numel == 0)
        return stria_error_set(err, STRIA_ERR_EMPTY, name, "x", NULL, NULL, "x has no elements, and nothing has no %s",
                               name);
    if (!flat && x->ndim > 0 && x->shape[meta->axis] == 0)
        return stria_error_set(err, STRIA_ERR_EMPTY, name, "x", NULL, NULL, "axis %d has size 0, and nothing has no %s",
                               meta->axis, name);
    return STRIA_OK;
}

static stria_status compute(const stria_call *call, bool smallest, bool keepdim, const stria_call_meta *meta,
                            stria_tensor *y, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const stria_tensor  *x = call->in[0];
    const stria_dtype    compute = stria_dtype_get_compute(x->dtype);
    stria_fold           fold = {.family = &family,
                                 .context = &kernels->lane[compute]->arg[smallest],
                                 .kernels = kernels,
                                 .op = stria_call_get_name(call),
                                 .x = x,
                                 .y = y,
                                 .reduced = meta->axes,
                                 .keepdim = keepdim,
                                 .compute = compute,
                                 .in_order = meta->axis < 0};

    return stria_fold_run(&fold, err);
}

stria_status stria_infer_argmax(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_argmax_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->keepdim, meta, err);
}

stria_status stria_cpu_argmax(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_argmax_attrs *attrs = call->attrs;
    return compute(call, false, attrs->keepdim, meta, y[0], err);
}

stria_status stria_infer_argmin(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_argmin_attrs *attrs = call->attrs;
    return infer(call, attrs->dim, attrs->keepdim, meta, err);
}

stria_status stria_cpu_argmin(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_argmin_attrs *attrs = call->attrs;
    return compute(call, true, attrs->keepdim, meta, y[0], err);
}
