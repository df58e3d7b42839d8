/* element.c - element-wise ops on the CPU: output -> iterator -> loop. */
#include "simd/kernels.h"
#include "base/error.h"
#include "cpu/complex.h"
#include "cpu/exec.h"
#include "cpu/flat_call.h"
#include "call/backend.h"
#include "iter.h"
#include "iter/iter_internal.h"
#include "call/meta.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "cpu/nontemporal.h"

/* ---------------------------------------------------------------- the short cut
 *
 * Inputs that are contiguous in the shape of the result, or single values, need no iterator: one run of the loop. */

typedef struct direct_call {
    stria_flat_call flat;
    /* of large results alone */
    const stria_kernels       *kernels;
    const stria_chain_kernels *nontemporal; /* or NULL */
    stria_op                   op;
    stria_loop                *loop;
    int                        n;
} direct_call;

/* Inputs of one dtype, shape and strides are all as the first. */
static inline bool add_alike(stria_flat_call *flat, const stria_tensor *const *in, int n_in)
{
    const int64_t size = stria_tensor_get_item_size(in[0]);

    if (!stria_tensor_is_contiguous(in[0])) return false;
    for (int k = 0; k < n_in; k++) {
        flat->data[1 + k] = in[k]->data;
        flat->stride[1 + k] = size;
    }
    return true;
}

static inline bool is_direct(stria_flat_call *flat, const stria_kernels *kernels, const stria_call *call,
                             const stria_meta *meta)
{
    const stria_tensor *const *in = call->in;

    if (!stria_flat_call_fits(call, meta)) return false;
    if (meta->same_strides && in[0]->dtype == meta->compute && meta->input[0] == meta->compute)
        return add_alike(flat, in, call->n_in);
    for (int k = 0; k < call->n_in; k++)
        if (!stria_flat_call_add(flat, kernels, meta, in[k], k)) return false;
    return true;
}

static void direct_range(void *context, int thread, int64_t begin, int64_t end)
{
    const direct_call *call = context;
    char              *data[1 + STRIA_MAX_INPUTS];
    (void)thread;
    for (int k = 0; k < call->n; k++) data[k] = call->flat.data[k] + begin * call->flat.stride[k];
    if (call->nontemporal != NULL)
        stria_nontemporal_run(call->nontemporal, call->op, call->n - 1, call->loop, call->kernels->vector_bytes, data,
                              call->flat.stride, end - begin);
    else
        call->loop(data, call->flat.stride, end - begin);
}

static bool is_in_place(const direct_call *call)
{
    for (int k = 1; k < call->n; k++)
        if (call->flat.data[k] == call->flat.data[0]) return true;
    return false;
}

/* More than one thread, or past the caches. */
static __attribute__((noinline)) void direct_run_large(direct_call *call, const stria_kernels *kernels, stria_op op,
                                                       stria_dtype compute, stria_loop *loop, int n, int64_t numel)
{
    call->kernels = kernels;
    call->op = op;
    call->loop = loop;
    call->n = n;
    call->nontemporal =
        is_in_place(call) ? NULL : stria_nontemporal_choose(kernels, op, compute, numel * call->flat.stride[0]);
    stria_parallel_for(stria_team_get(), 0, numel, STRIA_GRAIN, direct_range, call);
}

/* ---------------------------------------------------------------- the general path */

static stria_status iterate(const stria_call *call, const stria_kernels *kernels, const stria_meta *meta,
                            stria_error *err)
{
    const stria_op op = (stria_op)call->row;
    stria_iter     iter;
    stria_exec     exec;
    stria_dtype    memory[STRIA_EXEC_MAX_OPERANDS], lane[STRIA_EXEC_MAX_OPERANDS];

    STRIA_TRY(stria_scratch_reserve(stria_op_infos[op].name, err));
    STRIA_TRY(stria_iter_build_element(&iter, call, meta, err));
    if (stria_iter_get_numel(&iter) > 0) {
        for (int k = 0; k <= call->n_in; k++) {
            memory[k] = stria_iter_get_dtype(&iter, k);
            lane[k] = k == 0 ? meta->loop_out : meta->input[k - 1];
        }
        stria_exec_init_kernel(&exec, kernels, kernels->lane[meta->compute]->loop[op], 1 + call->n_in, memory, lane);
        stria_iter_walk(&iter, stria_exec_loop2d, &exec, STRIA_GRAIN);
    }
    if (call->out[0] == NULL) call->out[0] = stria_iter_take_output(&iter, 0);
    stria_iter_release(&iter);
    return STRIA_OK;
}

stria_status stria_cpu_element(const stria_call *call, const stria_meta *meta, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const stria_op       op = (stria_op)call->row;
    direct_call          direct;

    if (!kernels) return stria_isa_get_status(err);
    if (__builtin_expect(stria_dtype_is_complex(meta->compute), false)) return stria_cpu_complex(call, meta, err);
    if (!is_direct(&direct.flat, kernels, call, meta)) return iterate(call, kernels, meta, err);
    STRIA_TRY(stria_flat_call_begin(&direct.flat, call, meta, stria_op_infos[op].name, err));
    const stria_tensor *out = call->out[0];
    stria_loop *const   loop = kernels->lane[meta->compute]->loop[op];
    if (out->numel <= STRIA_GRAIN)
        loop(direct.flat.data, direct.flat.stride, out->numel);
    else
        direct_run_large(&direct, kernels, op, meta->compute, loop, 1 + call->n_in, out->numel);
    return STRIA_OK;
}
