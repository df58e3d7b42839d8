/* copy_cpu.c - copies with conversion on the CPU. */
#include "simd/kernels.h"
#include "base/error.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/exec.h"
#include "cpu/flat.h"
#include "cpu/nontemporal.h"
#include "iter/iter_internal.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "tensor/tensor.h"

stria_status stria_cpu_set(stria_tensor *out, const stria_tensor *x, stria_error *err);

/* One value into an expanded tensor: into one position of each expanded axis. */
static stria_status set_expanded(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_tensor *view;

    STRIA_TRY(stria_tensor_view_unexpanded(out, &view, err));
    const stria_status status = stria_cpu_set(view, x, err);
    stria_tensor_release(view);
    return status;
}

/* A few elements without an iterator; more are cut into chunks by it. */
static inline bool set_flat(const stria_kernels *kernels, stria_tensor *out, const stria_tensor *x)
{
    if (out->numel > STRIA_GRAIN || !stria_tensor_is_contiguous(out) || !stria_flat_is_apart(out, x)) return false;
    const stria_flat flat = stria_flat_get(x, out->ndim, out->shape, false);
    if (flat == STRIA_FLAT_NOT) return false;
    kernels->cast[x->dtype][out->dtype](out->data, stria_tensor_get_item_size(out), x->data,
                                        flat == STRIA_FLAT_ONE ? 0 : stria_tensor_get_item_size(x), out->numel);
    return true;
}

stria_status stria_cpu_set(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    stria_iter           iter;
    stria_exec           exec;

    if (!kernels) return stria_isa_get_status(err);
    if (set_flat(kernels, out, x)) return STRIA_OK;
    if (x->numel == 1 && stria_tensor_is_expanded(out)) return set_expanded(out, x, err);
    STRIA_TRY(stria_scratch_reserve("copy", err));
    STRIA_TRY(stria_iter_build_copy(&iter, out, x, err));
    if (stria_iter_get_numel(&iter) > 0) {
        const stria_dtype memory[2] = {out->dtype, x->dtype}, lanes[2] = {out->dtype, out->dtype};
        stria_exec_init(&exec, kernels, 2, 1, memory, lanes);
        exec.nontemporal = kernels->copy_nontemporal != NULL &&
                           out->numel * stria_tensor_get_item_size(out) >= STRIA_NONTEMPORAL_BYTES;
        stria_iter_walk(&iter, stria_exec_loop2d, &exec, STRIA_GRAIN);
    }
    stria_iter_release(&iter);
    return STRIA_OK;
}

/* x in row-major order, under the shape of y. */
static stria_status copy_row_major(const stria_tensor *x, stria_tensor *y, stria_error *err)
{
    stria_tensor *view = NULL;
    stria_status  status;

    STRIA_TRY(stria_view(y, x->shape, x->ndim, &view, err));
    status = stria_backend_copy(view, x, err);
    stria_tensor_release(view);
    return status;
}

stria_status stria_cpu_reshape(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return copy_row_major(call->in[0], y[0], err);
}

stria_status stria_cpu_contiguous(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    (void)meta;
    return stria_backend_copy(y[0], call->in[0], err);
}

/* ---------------------------------------------------------------- the rows that copy */

stria_status stria_cpu_to(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return stria_backend_copy(y[0], call->in[0], err);
}

stria_status stria_cpu_copy(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return stria_backend_copy(y[0], call->in[1], err);
}

stria_status stria_cpu_fill(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return stria_backend_fill(y[0], ((const stria_fill_attrs *)call->attrs)->value, err);
}
