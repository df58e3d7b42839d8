/* copy_cuda.c - copies with conversion: within a device, between two, from and to the CPU; and fills.
 *
 * Only bytes cross: elements lie side by side then, in the dtype that they have, and are converted, spread and broadcast where they come to. */
#include <string.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "iter/iter_internal.h"
#include "simd/kernels.h"
#include "tensor/device.h"
#include "tensor/overlap.h"
#include "tensor/shape.h"

#define OP "copy"

static bool is_on_cpu(const stria_tensor *x) { return x->device.type == STRIA_DEVICE_CPU; }

static size_t get_nbytes(const stria_tensor *x) { return (size_t)(x->numel * stria_tensor_get_item_size(x)); }

/* Ends the work; an error from before stays. */
static stria_status end(stria_cuda_work *work, stria_status status, stria_dtype dtype, stria_error *err)
{
    const stria_status ended = stria_cuda_work_end(work, dtype, status == STRIA_OK ? err : NULL);
    return status != STRIA_OK ? status : ended;
}

/* ---------------------------------------------------------------- one value */

static int fill_walk(void *context, stria_cuda_work *work, const stria_cuda_walk *walk)
{
    const stria_cuda_fill_call call = {*(const stria_cuda_value *)context, *walk};

    return work->plugin->fill(work->stream, &call);
}

static stria_status build_fill(stria_iter *it, stria_tensor *out, stria_error *err)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, OP);
    stria_iter_config_set_nullary_op(&config, out);
    const stria_status status = stria_iter_build(it, &config, err);
    stria_iter_config_release(&config);
    return status;
}

static stria_status fill(stria_tensor *out, const stria_tensor *value, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    stria_cuda_value     bits = {{0, 0}};
    stria_tensor        *view;
    stria_cuda_work      work;
    stria_iter           it;

    if (kernels == NULL) return stria_isa_get_status(err);
    kernels->cast[value->dtype][out->dtype]((char *)bits.bits, 0, value->data, 0, 1);
    STRIA_TRY(stria_tensor_view_unexpanded(out, &view, err));
    stria_status status = build_fill(&it, view, err);
    if (status == STRIA_OK) {
        status = stria_cuda_work_begin(&work, OP, out->device, err);
        if (status == STRIA_OK) {
            stria_cuda_work_use(&work, out);
            status = end(&work, stria_cuda_walk_each(&work, &it, fill_walk, &bits, err), out->dtype, err);
        }
        stria_iter_release(&it);
    }
    stria_tensor_release(view);
    return status;
}

/* ---------------------------------------------------------------- within a device */

static int convert_walk(void *context, stria_cuda_work *work, const stria_cuda_walk *walk)
{
    const stria_cuda_convert_call call = {*walk};
    (void)context;

    return work->plugin->convert(work->stream, &call);
}

static stria_status copy_within(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_cuda_work work;
    stria_iter      it;

    STRIA_TRY(stria_iter_build_copy(&it, out, x, err));
    stria_status status = stria_cuda_work_begin(&work, OP, out->device, err);
    if (status == STRIA_OK) {
        stria_cuda_work_use(&work, out);
        stria_cuda_work_use(&work, stria_iter_get_tensor(&it, 1)); /* x, or what was copied of it */
        status = end(&work, stria_cuda_walk_each(&work, &it, convert_walk, NULL, err), out->dtype, err);
    }
    stria_iter_release(&it);
    return status;
}

/* One value into an expanded tensor, as on the CPU. */
static stria_status set_expanded(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_tensor *view;

    STRIA_TRY(stria_tensor_view_unexpanded(out, &view, err));
    const stria_status status = copy_within(view, x, err);
    stria_tensor_release(view);
    return status;
}

/* ---------------------------------------------------------------- across */

/* Whether the elements of both, of one dtype and shape, lie in memory in the same way, without gaps. */
static bool lie_alike(const stria_tensor *a, const stria_tensor *b)
{
    if (a->dtype != b->dtype || !stria_tensor_has_shape(a, b->ndim, b->shape)) return false;
    if (stria_tensor_is_contiguous(a) && stria_tensor_is_contiguous(b)) return true;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] > 1 && (a->strides[d] != b->strides[d] || a->strides[d] < 0)) return false;
    return stria_layout_is_dense(a->ndim, a->shape, a->strides);
}

/* x itself, or a row-major copy of it where it is. */
static stria_status new_packed(const stria_tensor *x, stria_tensor **packed, stria_error *err)
{
    if (stria_tensor_is_contiguous(x)) {
        *packed = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
        return STRIA_OK;
    }
    STRIA_TRY(stria_tensor_new_on(x->device, x->dtype, x->ndim, x->shape, NULL, packed, err));
    const stria_status status = stria_backend_copy(*packed, x, err);
    if (status != STRIA_OK) stria_tensor_release(*packed);
    return status;
}

static stria_status move_in(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, OP, out->device, err));
    stria_cuda_work_use(&work, out);
    if (work.code == STRIA_CUDA_OK)
        stria_cuda_work_put(&work, work.plugin->copy_in(work.stream, out->data, x->data, get_nbytes(x)));
    return end(&work, STRIA_OK, x->dtype, err);
}

static stria_status move_out(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, OP, x->device, err));
    stria_cuda_work_use(&work, x);
    if (work.code == STRIA_CUDA_OK)
        stria_cuda_work_put(&work, work.plugin->copy_out(work.stream, out->data, x->data, get_nbytes(x)));
    return end(&work, STRIA_OK, x->dtype, err);
}

static stria_status move_between(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_cuda_work to, from;

    STRIA_TRY(stria_cuda_work_begin(&to, OP, out->device, err));
    STRIA_TRY(stria_cuda_work_begin(&from, OP, x->device, err));
    stria_cuda_work_use(&to, out);
    stria_cuda_work_use(&from, x);
    if (to.code == STRIA_CUDA_OK && from.code == STRIA_CUDA_OK)
        stria_cuda_work_put(&to, to.plugin->copy_between(to.stream, out->data, from.stream, x->data, get_nbytes(x)));
    const stria_status status = end(&from, STRIA_OK, x->dtype, err);
    return end(&to, status, x->dtype, err);
}

static stria_status move(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    if (is_on_cpu(x)) return move_in(out, x, err);
    return is_on_cpu(out) ? move_out(out, x, err) : move_between(out, x, err);
}

/* Of no elements on one side, where nothing moves and no iterator is built: the shapes are those of a copy all the same. ERR_SHAPE. */
static stria_status check_empty(const stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    int     ndim = out->ndim;
    int64_t shape[STRIA_MAX_DIMS];

    for (int d = 0; d < ndim; d++) shape[d] = out->shape[d];
    const stria_status status = stria_shape_broadcast(OP, &ndim, shape, x->ndim, x->shape, err);
    if (status != STRIA_OK) return stria_error_set_argument(err, status, "in");
    if (stria_tensor_has_shape(out, ndim, shape)) return STRIA_OK;
    return stria_shape_refuse_output(OP, ndim, shape, out->ndim, out->shape, err);
}

/* By way of a packed tensor on each side. */
static stria_status copy_across(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_tensor *packed = NULL, *landed = NULL;

    STRIA_TRY(stria_overlap_check_out(OP, out, err));
    if (out->numel == 0 || x->numel == 0) return check_empty(out, x, err);
    if (lie_alike(out, x)) return move(out, x, err);
    stria_status status = new_packed(x, &packed, err);
    if (status != STRIA_OK) return status;
    if (lie_alike(out, packed)) {
        status = move(out, packed, err);
    } else {
        status = stria_tensor_new_on(out->device, x->dtype, x->ndim, x->shape, NULL, &landed, err);
        if (status == STRIA_OK) status = move(landed, packed, err);
        if (status == STRIA_OK) status = stria_backend_copy(out, landed, err);
    }
    stria_tensor_release(landed);
    stria_tensor_release(packed);
    return status;
}

stria_status stria_cuda_set(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    if (stria_device_equals(out->device, x->device))
        return x->numel == 1 && stria_tensor_is_expanded(out) ? set_expanded(out, x, err) : copy_within(out, x, err);
    if (is_on_cpu(x) && x->numel == 1 && x->ndim == 0) return fill(out, x, err);
    return copy_across(out, x, err);
}
