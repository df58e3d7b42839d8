/* axis_rows.c - the geometry of functions along one axis (axis_rows.h). */
#include "cpu/axis_rows.h"

#include "base/error.h"

/* The dims but the axis, ordered by memory and merged by the iterator. */
static stria_status build(stria_iter *iter, const char *op, const stria_tensor *x, stria_tensor *y, int axis,
                          stria_error *err)
{
    stria_iter_config config;
    stria_status      status;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, op);
    stria_iter_config_set_check_mem_overlap(&config, false);
    stria_iter_config_set_check_all_same_dtype(&config, false);
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_set_static_shape(&config, x->ndim, x->shape, &axis, x->ndim > 0 ? 1 : 0);
    stria_iter_config_add_output(&config, y);
    stria_iter_config_add_input(&config, x);
    status = stria_iter_build(iter, &config, err);
    stria_iter_config_release(&config);
    return status;
}

stria_status stria_axis_rows_init(stria_axis_rows *rows, const char *op, const stria_kernels *kernels,
                                  const stria_tensor *x, stria_tensor *y, int axis, stria_dtype compute,
                                  stria_error *err)
{
    stria_iter iter;

    STRIA_TRY(build(&iter, op, x, y, axis, err));
    rows->size = (int64_t)stria_dtype_get_size(compute);
    rows->in_size = (int64_t)stria_dtype_get_size(x->dtype);
    rows->out_size = (int64_t)stria_dtype_get_size(y->dtype);
    rows->in_same = x->dtype == compute;
    rows->out_same = y->dtype == compute;
    rows->length = x->ndim > 0 ? x->shape[axis] : 1;
    rows->in_step = x->ndim > 0 ? x->strides[axis] * rows->in_size : 0;
    rows->out_step = x->ndim > 0 ? y->strides[axis] * rows->out_size : 0;
    rows->in_packed = rows->in_same && (rows->length == 1 || rows->in_step == rows->size);
    rows->out_packed = rows->out_same && (rows->length == 1 || rows->out_step == rows->size);
    rows->load = kernels->cast[x->dtype][compute];
    rows->store = kernels->cast[compute][y->dtype];
    rows->source = x->data;
    rows->out = y->data;
    rows->n_rows = 1;
    rows->ndim = 0;
    for (int d = 0; d < stria_iter_get_ndim(&iter); d++) {
        const int64_t *strides = stria_iter_get_strides(&iter, d);
        if (stria_iter_get_shape(&iter)[d] == 1) continue;
        rows->shape[rows->ndim] = stria_iter_get_shape(&iter)[d];
        rows->out_stride[rows->ndim] = strides[0];
        rows->in_stride[rows->ndim] = strides[1];
        rows->n_rows *= rows->shape[rows->ndim++];
    }
    stria_iter_release(&iter);
    return STRIA_OK;
}
