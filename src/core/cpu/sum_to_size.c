/* sum_to_size.c - the adjoint of broadcasting: the reduction `sum` over the axes that a size was broadcast along. */
#include "base/error.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/fold_rows.h"
#include "table/rows.h"

/* The axes of x to be added up, as bits: those that `size` lacks at the left, and those where it has 1. */
static stria_status find_axes(const stria_call *call, stria_sizes size, uint64_t *set, stria_error *err)
{
    const stria_tensor *x = call->in[0];
    const int           missing = x->ndim - size.n;
    bool                fits = missing >= 0;

    *set = 0;
    for (int d = 0; d < x->ndim && fits; d++) {
        const bool is_added = d < missing || (size.at[d - missing] == 1 && x->shape[d] != 1);
        if (is_added) *set |= UINT64_C(1) << d;
        fits = is_added || size.at[d - missing] == x->shape[d];
    }
    if (fits) return STRIA_OK;
    char expected[96], got[96];
    stria_shape_print(expected, sizeof expected, x->ndim, x->shape);
    stria_shape_print(got, sizeof got, size.n, size.at);
    return stria_error_set(err, STRIA_ERR_SHAPE, "sum_to_size", "size", expected, got,
                           "size %s does not broadcast to the shape of x, %s", got, expected);
}

stria_status stria_infer_sum_to_size(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_sum_to_size_attrs *attrs = call->attrs;
    const stria_tensor            *x = call->in[0];
    const stria_category           category = stria_dtype_get_category(x->dtype);

    if (category == STRIA_CATEGORY_B)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "integer, float or complex", err);
    STRIA_TRY(find_axes(call, attrs->size, &meta->axes, err));
    meta->out[0].dtype = x->dtype;
    meta->out[0].order = STRIA_ORDER_ROW_MAJOR;
    meta->out[0].ndim = attrs->size.n;
    for (int d = 0; d < attrs->size.n; d++) meta->out[0].shape[d] = attrs->size.at[d];
    return STRIA_OK;
}

stria_status stria_sum_to_size_by(stria_impl_fn *reduce, const stria_call *call, const stria_call_meta *meta,
                                  stria_tensor **y, stria_error *err)
{
    const stria_tensor      *x = call->in[0];
    const stria_reduce_attrs attrs = {{NULL, 0}, true, x->dtype};
    const stria_call sum = {.row = STRIA_ROW_OF_REDUCTION(STRIA_RED_sum), .n_in = 1, .in = call->in, .attrs = &attrs};
    stria_call_meta  sum_meta = *meta;
    int64_t          shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS];
    stria_tensor    *view = NULL;
    stria_status     status;

    /* y with the axes that it lacks */
    for (int d = 0; d < x->ndim; d++) {
        const int at = d - (x->ndim - y[0]->ndim);
        shape[d] = at < 0 ? 1 : y[0]->shape[at];
        strides[d] = at < 0 ? 0 : y[0]->strides[at];
    }
    STRIA_TRY(stria_tensor_view(y[0], x->ndim, shape, strides, 0, &view, err));
    sum_meta.compute = stria_dtype_get_wide(stria_dtype_get_compute(x->dtype));
    status = reduce(&sum, &sum_meta, &view, err);
    stria_tensor_release(view);
    return status;
}

stria_status stria_cpu_sum_to_size(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    return stria_sum_to_size_by(stria_backend_cpu.reduce, call, meta, y, err);
}
