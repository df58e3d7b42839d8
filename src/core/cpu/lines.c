/* lines.c - the geometry of functions along one axis (lines.h). */
#include "cpu/lines.h"

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

stria_status stria_lines_init(stria_lines *lines, const char *op, const stria_kernels *kernels, const stria_tensor *x,
                              stria_tensor *y, int axis, stria_dtype compute, stria_error *err)
{
    stria_iter iter;

    STRIA_TRY(build(&iter, op, x, y, axis, err));
    lines->size = (int64_t)stria_dtype_get_size(compute);
    lines->in_size = (int64_t)stria_dtype_get_size(x->dtype);
    lines->out_size = (int64_t)stria_dtype_get_size(y->dtype);
    lines->in_same = x->dtype == compute;
    lines->out_same = y->dtype == compute;
    lines->length = x->ndim > 0 ? x->shape[axis] : 1;
    lines->in_step = x->ndim > 0 ? x->strides[axis] * lines->in_size : 0;
    lines->out_step = x->ndim > 0 ? y->strides[axis] * lines->out_size : 0;
    lines->in_packed = lines->in_same && (lines->length == 1 || lines->in_step == lines->size);
    lines->out_packed = lines->out_same && (lines->length == 1 || lines->out_step == lines->size);
    lines->load = kernels->cast[x->dtype][compute];
    lines->store = kernels->cast[compute][y->dtype];
    lines->source = x->data;
    lines->out = y->data;
    lines->n_lines = 1;
    lines->ndim = 0;
    for (int d = 0; d < stria_iter_get_ndim(&iter); d++) {
        const int64_t *strides = stria_iter_get_strides(&iter, d);
        if (stria_iter_get_shape(&iter)[d] == 1) continue;
        lines->shape[lines->ndim] = stria_iter_get_shape(&iter)[d];
        lines->out_stride[lines->ndim] = strides[0];
        lines->in_stride[lines->ndim] = strides[1];
        lines->n_lines *= lines->shape[lines->ndim++];
    }
    stria_iter_release(&iter);
    return STRIA_OK;
}
