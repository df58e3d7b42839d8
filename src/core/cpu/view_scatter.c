/* view_scatter.c - a copy of a tensor in which a view has other elements: select_scatter, slice_scatter, diagonal_scatter; and
 * masked_scatter, where a mask says which. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/call.h"
#include "simd/kernels.h"
#include "tensor/shape.h"

/* Takes the same view of a tensor. */
typedef stria_status take_view(const stria_call *call, stria_tensor *x, stria_tensor **view, stria_error *err);

static stria_status take_select(const stria_call *call, stria_tensor *x, stria_tensor **view, stria_error *err)
{
    const stria_select_scatter_attrs *attrs = call->attrs;
    return stria_select(x, attrs->dim, attrs->index, view, err);
}

static stria_status take_slice(const stria_call *call, stria_tensor *x, stria_tensor **view, stria_error *err)
{
    const stria_slice_scatter_attrs *attrs = call->attrs;
    return stria_slice(x, attrs->dim, attrs->start, attrs->stop, attrs->step, view, err);
}

static stria_status take_diagonal(const stria_call *call, stria_tensor *x, stria_tensor **view, stria_error *err)
{
    const stria_diagonal_scatter_attrs *attrs = call->attrs;
    return stria_diagonal(x, attrs->offset, attrs->dim1, attrs->dim2, view, err);
}

/* src has the shape of the view, and a dtype that casts to that of x. */
static stria_status infer(const stria_call *call, take_view *take, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *src = call->in[1];
    const char         *name = stria_call_get_name(call);
    stria_tensor       *view = NULL;
    stria_status        status = STRIA_OK;
    char                expected[96], got[96];

    stria_infer_same_shape(x, x->dtype, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    STRIA_TRY(stria_error_set_op(err, take(call, (stria_tensor *)(uintptr_t)x, &view, err), name));
    if (!stria_tensor_has_shape(src, view->ndim, view->shape)) {
        stria_shape_print(expected, sizeof expected, view->ndim, view->shape);
        stria_shape_print(got, sizeof got, src->ndim, src->shape);
        status = stria_error_set(err, STRIA_ERR_SHAPE, name, "src", expected, got,
                                 "src has shape %s, but its place in x has shape %s", got, expected);
    } else if (!stria_dtype_get_castable(src->dtype, x->dtype)) {
        status = stria_infer_refuse_dtype(call, "src", src->dtype, stria_dtype_get_name(x->dtype), err);
    }
    stria_tensor_release(view);
    return status;
}

static stria_status run(const stria_call *call, take_view *take, stria_tensor *y, stria_error *err)
{
    stria_tensor *view = NULL;

    STRIA_TRY(stria_tensor_set(y, call->in[0], err));
    STRIA_TRY(take(call, y, &view, err));
    const stria_status status = stria_tensor_set(view, call->in[1], err);
    stria_tensor_release(view);
    return status;
}

stria_status stria_infer_select_scatter(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer(call, take_select, meta, err);
}
stria_status stria_cpu_select_scatter(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_error *err)
{
    (void)meta;
    return run(call, take_select, y[0], err);
}

stria_status stria_infer_slice_scatter(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer(call, take_slice, meta, err);
}
stria_status stria_cpu_slice_scatter(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_error *err)
{
    (void)meta;
    return run(call, take_slice, y[0], err);
}

stria_status stria_infer_diagonal_scatter(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer(call, take_diagonal, meta, err);
}
stria_status stria_cpu_diagonal_scatter(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                        stria_error *err)
{
    (void)meta;
    return run(call, take_diagonal, y[0], err);
}

/* ---------------------------------------------------------------- masked_scatter */

stria_status stria_infer_masked_scatter(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *mask = call->in[1], *source = call->in[2];
    const char         *name = stria_call_get_name(call);
    stria_output_meta  *out = &meta->out[0];
    int64_t             numel;

    if (mask->dtype != STRIA_BOOL) return stria_infer_refuse_dtype(call, "mask", mask->dtype, "bool", err);
    if (source->dtype != x->dtype)
        return stria_infer_refuse_dtype(call, "source", source->dtype, stria_dtype_get_name(x->dtype), err);
    stria_infer_same_shape(x, x->dtype, out);
    out->order = STRIA_ORDER_LIKE_FIRST;
    const stria_status status = stria_shape_broadcast(name, &out->ndim, out->shape, mask->ndim, mask->shape, err);
    if (status != STRIA_OK) return stria_error_set_argument(err, status, "mask");
    return stria_shape_get_product(name, out->ndim, out->shape, &numel, err);
}

/* Elements of a row-major result one after another. */
static void scatter_masked(char *y, const uint8_t *mask, const char *source, int64_t n, size_t size)
{
    for (int64_t k = 0; k < n; k++) {
        if (!mask[k]) continue;
        memcpy(y + (size_t)k * size, source, size);
        source += size;
    }
}

stria_status stria_masked_scatter_check(int64_t n, const stria_tensor *source, stria_error *err)
{
    char expected[40], got[32];

    if (n <= source->numel) return STRIA_OK;
    snprintf(expected, sizeof expected, "%lld elements or more", (long long)n);
    snprintf(got, sizeof got, "%lld", (long long)source->numel);
    return stria_error_set(err, STRIA_ERR_SHAPE, "masked_scatter", "source", expected, got,
                           "source has %s elements, but mask is true %lld times", got, (long long)n);
}

/* The copies hold mask and source as nobody else can change them. */
static stria_status run_masked(const stria_call *call, stria_tensor *mask, stria_tensor *source, stria_tensor *flat,
                               stria_tensor *y, stria_error *err)
{
    STRIA_TRY(stria_tensor_set(mask, call->in[1], err));
    const int64_t n = stria_dispatch_get()->count_true((const uint8_t *)mask->data, mask->numel);
    STRIA_TRY(stria_masked_scatter_check(n, source, err));
    STRIA_TRY(stria_tensor_set(source, call->in[2], err));
    STRIA_TRY(stria_tensor_set(flat, call->in[0], err));
    scatter_masked(flat->data, (const uint8_t *)mask->data, source->data, flat->numel,
                   stria_dtype_get_size(flat->dtype));
    return stria_tensor_set(y, flat, err);
}

stria_status stria_cpu_masked_scatter(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_error *err)
{
    stria_tensor *mask = NULL, *source = NULL, *flat = NULL;

    (void)meta;
    stria_status status = stria_tensor_new_shaped(STRIA_BOOL, y[0], &mask, err);
    if (status == STRIA_OK) status = stria_tensor_new_shaped(y[0]->dtype, call->in[2], &source, err);
    if (status == STRIA_OK) status = stria_tensor_new_shaped(y[0]->dtype, y[0], &flat, err);
    if (status == STRIA_OK) status = run_masked(call, mask, source, flat, y[0], err);
    stria_tensor_release(flat);
    stria_tensor_release(source);
    stria_tensor_release(mask);
    return status;
}
