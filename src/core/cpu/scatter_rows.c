/* scatter_rows.c - the functions that write where an index says: what each refuses, and how it is a scatter (scatter.h). */
#include <string.h>

#include "base/error.h"
#include "cpu/scatter.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- what they share */

/* The result has shape, dtype and memory order of x. */
static stria_status infer_like_x(const stria_call *call, stria_call_meta *meta)
{
    stria_infer_same_shape(call->in[0], call->in[0]->dtype, &meta->out[0]);
    meta->out[0].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

static stria_status refuse_shape(const stria_call *call, const char *argument, const stria_tensor *source, int ndim,
                                 const int64_t *shape, stria_error *err)
{
    char expected[96], got[96];

    stria_shape_print(expected, sizeof expected, ndim, shape);
    stria_shape_print(got, sizeof got, source->ndim, source->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), argument, expected, got,
                           "%s has shape %s, which does not fit %s", argument, got, expected);
}

/* A source of the dtype of x with the dims of the index, and no shorter than it. */
static stria_status infer_along(const stria_call *call, int dim, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *index = call->in[1], *source = call->in[2];

    STRIA_TRY(stria_index_infer_along(call, dim, meta, err));
    STRIA_TRY(stria_index_infer_same_dtype(call, "src", source, call->in[0], err));
    infer_like_x(call, meta);
    if (index->numel == 0) return STRIA_OK;
    bool fits = source->ndim == index->ndim;
    for (int d = 0; d < index->ndim && fits; d++) fits = index->shape[d] <= source->shape[d];
    return fits ? STRIA_OK : refuse_shape(call, "src", source, index->ndim, index->shape, err);
}

/* A source of the dtype of x and of its shape, but for the axis: there it is as long as the index. */
static stria_status infer_list(const stria_call *call, int dim, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *index = call->in[1], *source = call->in[2];
    int64_t             shape[STRIA_MAX_DIMS];
    int                 ndim = x->ndim;

    STRIA_TRY(stria_index_infer_list(call, "index", dim, meta, err));
    STRIA_TRY(stria_index_infer_same_dtype(call, "source", source, x, err));
    for (int d = 0; d < ndim; d++) shape[d] = x->shape[d];
    if (ndim > 0)
        shape[meta->axis] = index->numel;
    else if (index->numel != 1)
        shape[ndim++] = index->numel;
    infer_like_x(call, meta);
    return stria_tensor_has_shape(source, ndim, shape) ? STRIA_OK
                                                       : refuse_shape(call, "source", source, ndim, shape, err);
}

/* Reductions that there are for the dtype of x: no mean of bool; of complex numbers sums and products. */
static stria_status infer_kind(const stria_call *call, stria_scatter_kind kind, stria_error *err)
{
    const stria_dtype    dtype = call->in[0]->dtype;
    const stria_category category = stria_dtype_get_category(dtype);

    if (category == STRIA_CATEGORY_C && kind != STRIA_SCATTER_SUM && kind != STRIA_SCATTER_PROD)
        return stria_infer_refuse_dtype(call, "x", dtype, "real for this reduction", err);
    if (category == STRIA_CATEGORY_B && kind == STRIA_SCATTER_MEAN)
        return stria_infer_refuse_dtype(call, "x", dtype, "a number for a mean", err);
    return STRIA_OK;
}

static stria_status run(const stria_call *call, stria_scatter_form form, stria_scatter_kind kind, bool include_self,
                        const stria_call_meta *meta, stria_tensor *y, stria_error *err)
{
    const stria_scattering s = {.call = call,
                                .form = form,
                                .kind = kind,
                                .source = call->in[2],
                                .axis = meta->axis,
                                .include_self = include_self};
    return stria_scatter_run(&s, y, err);
}

/* Runs with one value, in the dtype of x. */
static stria_status run_value(stria_scattering s, const stria_tensor *value, stria_tensor *y, stria_error *err)
{
    stria_tensor *source = NULL;

    STRIA_TRY(stria_tensor_copy(value, y->dtype, &source, err));
    s.source = source;
    const stria_status status = stria_scatter_run(&s, y, err);
    stria_tensor_release(source);
    return status;
}

/* ---------------------------------------------------------------- scatter */

stria_status stria_infer_scatter(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_scatter_attrs *attrs = call->attrs;

    if (!call->in[2]->is_wrapped_number) return infer_along(call, attrs->dim, meta, err);
    STRIA_TRY(stria_index_infer_along(call, attrs->dim, meta, err));
    STRIA_TRY(stria_infer_value(call, "src", call->in[2], call->in[0], err));
    return infer_like_x(call, meta);
}

stria_status stria_cpu_scatter(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    static const stria_scatter_kind kinds[] = {STRIA_SCATTER_WRITE, STRIA_SCATTER_SUM, STRIA_SCATTER_PROD};
    const stria_scatter_kind        kind = kinds[((const stria_scatter_attrs *)call->attrs)->reduce];
    const stria_scattering          s = {
                 .call = call, .form = STRIA_SCATTER_ALONG, .kind = kind, .axis = meta->axis, .include_self = true};

    if (call->in[2]->is_wrapped_number) return run_value(s, call->in[2], y[0], err);
    return run(call, STRIA_SCATTER_ALONG, kind, true, meta, y[0], err);
}

stria_status stria_infer_scatter_add(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_along(call, ((const stria_scatter_add_attrs *)call->attrs)->dim, meta, err);
}

stria_status stria_cpu_scatter_add(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_error *err)
{
    return run(call, STRIA_SCATTER_ALONG, STRIA_SCATTER_SUM, true, meta, y[0], err);
}

static stria_scatter_kind get_scatter_kind(const stria_call *call)
{
    return (stria_scatter_kind)(STRIA_SCATTER_SUM + ((const stria_scatter_reduce_attrs *)call->attrs)->reduce);
}

stria_status stria_infer_scatter_reduce(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(infer_along(call, ((const stria_scatter_reduce_attrs *)call->attrs)->dim, meta, err));
    return infer_kind(call, get_scatter_kind(call), err);
}

stria_status stria_cpu_scatter_reduce(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_error *err)
{
    const bool include_self = ((const stria_scatter_reduce_attrs *)call->attrs)->include_self;
    return run(call, STRIA_SCATTER_ALONG, get_scatter_kind(call), include_self, meta, y[0], err);
}

/* ---------------------------------------------------------------- slices of an axis */

/* alpha as a 0-dim tensor: of integers and bool in the dtype of x; NULL where it is 1. */
static stria_status new_alpha(const stria_call *call, stria_tensor **alpha, stria_error *err)
{
    const stria_scalar   value = ((const stria_index_add_attrs *)call->attrs)->alpha;
    const stria_tensor  *x = call->in[0];
    const stria_category category = stria_dtype_get_category(x->dtype);
    stria_tensor        *number = NULL;

    *alpha = NULL;
    if (value.kind == STRIA_SCALAR_FLOAT || value.kind == STRIA_SCALAR_COMPLEX
            ? value.re == 1 && (value.kind == STRIA_SCALAR_FLOAT || value.im == 0)
            : value.i == 1)
        return STRIA_OK;
    STRIA_TRY(stria_tensor_new_scalar(value, &number, err));
    if (category >= STRIA_CATEGORY_F) {
        *alpha = number;
        return STRIA_OK;
    }
    const stria_status status = stria_tensor_copy(number, x->dtype, alpha, err);
    stria_tensor_release(number);
    return status;
}

stria_status stria_infer_index_add(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_index_add_attrs *attrs = call->attrs;
    const stria_category         category = stria_dtype_get_category(call->in[0]->dtype);
    const stria_scalar_kind      kind = attrs->alpha.kind;

    STRIA_TRY(infer_list(call, attrs->dim, meta, err));
    if ((kind != STRIA_SCALAR_FLOAT || category >= STRIA_CATEGORY_F) &&
        (kind != STRIA_SCALAR_COMPLEX || category == STRIA_CATEGORY_C))
        return STRIA_OK;
    const char *dtype = stria_dtype_get_name(call->in[0]->dtype);
    return stria_error_set(err, STRIA_ERR_DTYPE, "index_add", "alpha", dtype, NULL, "alpha does not cast to an x of %s",
                           dtype);
}

stria_status stria_cpu_index_add(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    stria_scattering s = {.call = call,
                          .form = STRIA_SCATTER_LIST,
                          .kind = STRIA_SCATTER_SUM,
                          .source = call->in[2],
                          .axis = meta->axis,
                          .include_self = true};
    stria_tensor    *alpha = NULL, *scaled = NULL;
    stria_status     status = new_alpha(call, &alpha, err);

    if (status == STRIA_OK && alpha) {
        status = stria_mul(call->in[2], alpha, &scaled, err);
        s.source = scaled;
    }
    if (status == STRIA_OK) status = stria_scatter_run(&s, y[0], err);
    stria_tensor_release(scaled);
    stria_tensor_release(alpha);
    return status;
}

stria_status stria_infer_index_copy(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer_list(call, ((const stria_index_copy_attrs *)call->attrs)->dim, meta, err);
}

stria_status stria_cpu_index_copy(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    return run(call, STRIA_SCATTER_LIST, STRIA_SCATTER_WRITE, true, meta, y[0], err);
}

stria_status stria_infer_index_fill(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_index_fill_attrs *attrs = call->attrs;

    STRIA_TRY(stria_index_infer_list(call, "index", attrs->dim, meta, err));
    STRIA_TRY(stria_infer_value(call, "value", call->in[2], call->in[0], err));
    return infer_like_x(call, meta);
}

stria_status stria_cpu_index_fill(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    const stria_scattering s = {.call = call, .form = STRIA_SCATTER_LIST, .axis = meta->axis, .wraps = true};
    return run_value(s, call->in[2], y[0], err);
}

static stria_scatter_kind get_index_kind(const stria_call *call)
{
    return (stria_scatter_kind)(STRIA_SCATTER_PROD + ((const stria_index_reduce_attrs *)call->attrs)->reduce);
}

stria_status stria_infer_index_reduce(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(infer_list(call, ((const stria_index_reduce_attrs *)call->attrs)->dim, meta, err));
    return infer_kind(call, get_index_kind(call), err);
}

stria_status stria_cpu_index_reduce(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    const bool include_self = ((const stria_index_reduce_attrs *)call->attrs)->include_self;
    return run(call, STRIA_SCATTER_LIST, get_index_kind(call), include_self, meta, y[0], err);
}

/* ---------------------------------------------------------------- all elements */

stria_status stria_infer_put(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *index = call->in[1], *source = call->in[2];

    STRIA_TRY(stria_index_infer_dtype(call, "index", index, err));
    STRIA_TRY(stria_index_infer_same_dtype(call, "source", source, x, err));
    if (source->numel != index->numel) return refuse_shape(call, "source", source, index->ndim, index->shape, err);
    STRIA_TRY(stria_index_infer_size(call, "index", index, x->numel, "x", err));
    return infer_like_x(call, meta);
}

stria_status stria_cpu_put(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const bool          accumulate = ((const stria_put_attrs *)call->attrs)->accumulate;
    const stria_tensor *index = call->in[1];
    stria_tensor       *source = NULL;

    (void)meta;
    STRIA_TRY(stria_reshape((stria_tensor *)(uintptr_t)call->in[2], index->shape, index->ndim, &source, err));
    const stria_scattering s = {.call = call,
                                .form = STRIA_SCATTER_FLAT,
                                .source = source,
                                .include_self = true,
                                .kind = accumulate ? STRIA_SCATTER_SUM : STRIA_SCATTER_WRITE};
    const stria_status     status = stria_scatter_run(&s, y[0], err);
    stria_tensor_release(source);
    return status;
}

/* ---------------------------------------------------------------- several indices */

stria_status stria_scatter_check_values(const stria_call *call, int ndim, const int64_t *shape, stria_error *err)
{
    const stria_tensor *values = call->in[1];
    bool                fits = values->ndim <= ndim;

    for (int d = 0; d < values->ndim && fits; d++)
        fits = values->shape[d] == 1 || values->shape[d] == shape[ndim - values->ndim + d];
    return fits ? STRIA_OK : refuse_shape(call, "values", values, ndim, shape, err);
}

stria_status stria_infer_index_put(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0], *values = call->in[1];
    int64_t             shape[STRIA_MAX_DIMS];
    int                 ndim;
    bool                is_known;

    STRIA_TRY(values->is_wrapped_number ? stria_infer_value(call, "values", values, x, err)
                                        : stria_index_infer_same_dtype(call, "values", values, x, err));
    STRIA_TRY(stria_index_list_infer(call, &ndim, shape, &is_known, err));
    if (is_known) STRIA_TRY(stria_scatter_check_values(call, ndim, shape, err));
    return infer_like_x(call, meta);
}

stria_status stria_cpu_index_put(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    const bool       accumulate = ((const stria_index_put_attrs *)call->attrs)->accumulate;
    stria_scattering s = {.call = call,
                          .form = STRIA_SCATTER_MANY,
                          .source = call->in[1],
                          .include_self = true,
                          .kind = accumulate ? STRIA_SCATTER_SUM : STRIA_SCATTER_WRITE};

    (void)meta;
    return call->in[1]->is_wrapped_number ? run_value(s, call->in[1], y[0], err) : stria_scatter_run(&s, y[0], err);
}
