/* element.c - element-wise ops on the CPU: output -> iterator -> loop. */
#include "simd/kernels.h"
#include "base/error.h"
#include "cpu/complex.h"
#include "cpu/exec.h"
#include "cpu/flat.h"
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
    char   *data[STRIA_EXEC_MAX_OPERANDS];
    int64_t stride[STRIA_EXEC_MAX_OPERANDS];
    _Alignas(8) char value[STRIA_MAX_INPUTS][8]; /* single values, in the dtype of the loop */
    /* of large results alone */
    const stria_kernels       *kernels;
    const stria_chain_kernels *nontemporal; /* or NULL */
    stria_op                   op;
    stria_loop                *loop;
    int                        n;
} direct_call;

/* Where an input is read, in the dtype of the loop; false: it is not flat. */
static bool direct_input(direct_call *call, const stria_kernels *kernels, const stria_meta *meta, const stria_tensor *x,
                         int k)
{
    const stria_flat flat = stria_flat_get(x, meta->ndim, meta->shape, meta->inputs_fit);

    if (flat == STRIA_FLAT_RUN && x->dtype == meta->input[k]) {
        call->data[1 + k] = x->data;
        call->stride[1 + k] = stria_tensor_get_item_size(x);
    } else if (flat != STRIA_FLAT_NOT && x->numel == 1) {
        kernels->cast[x->dtype][meta->input[k]](call->value[k], 0, x->data, 0, 1);
        call->data[1 + k] = call->value[k];
        call->stride[1 + k] = 0;
    } else {
        return false;
    }
    return true;
}

/* Inputs of one dtype, shape and strides are all as the first. */
static inline bool direct_alike(direct_call *call, const stria_tensor *const *in, int n_in)
{
    const int64_t size = stria_tensor_get_item_size(in[0]);

    if (!stria_tensor_is_contiguous(in[0])) return false;
    for (int k = 0; k < n_in; k++) {
        call->data[1 + k] = in[k]->data;
        call->stride[1 + k] = size;
    }
    return true;
}

static inline bool direct_prepare(direct_call *call, const stria_kernels *kernels, const stria_meta *meta,
                                  const stria_tensor *const *in, int n_in, const stria_tensor *out)
{
    if (out) {
        if (!meta->out_fits || out->dtype != meta->loop_out || !stria_tensor_is_contiguous(out)) return false;
        for (int k = 0; k < n_in; k++)
            if (!stria_flat_is_apart(out, in[k])) return false;
    } else if (meta->result != meta->loop_out) {
        return false;
    }
    if (meta->same_strides && in[0]->dtype == meta->compute && meta->input[0] == meta->compute)
        return direct_alike(call, in, n_in);
    for (int k = 0; k < n_in; k++)
        if (!direct_input(call, kernels, meta, in[k], k)) return false;
    return true;
}

static void direct_range(void *context, int thread, int64_t begin, int64_t end)
{
    const direct_call *call = context;
    char              *data[STRIA_EXEC_MAX_OPERANDS];
    (void)thread;
    for (int k = 0; k < call->n; k++) data[k] = call->data[k] + begin * call->stride[k];
    if (call->nontemporal != NULL)
        stria_nontemporal_run(call->nontemporal, call->op, call->n - 1, call->loop, call->kernels->vector_bytes, data,
                              call->stride, end - begin);
    else
        call->loop(data, call->stride, end - begin);
}

static bool is_in_place(const direct_call *call)
{
    for (int k = 1; k < call->n; k++)
        if (call->data[k] == call->data[0]) return true;
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
        is_in_place(call) ? NULL : stria_nontemporal_choose(kernels, op, compute, numel * call->stride[0]);
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
    stria_tensor        *given = call->out[0];
    direct_call          direct;

    if (!kernels) return stria_isa_get_status(err);
    if (__builtin_expect(stria_dtype_is_complex(meta->compute), false)) return stria_cpu_complex(call, meta, err);
    if (!direct_prepare(&direct, kernels, meta, call->in, call->n_in, given)) return iterate(call, kernels, meta, err);
    if (!given) {
        const stria_status status = meta->inputs_fit
                                        ? stria_tensor_new_shaped(meta->result, call->in[0], call->out, err)
                                        : stria_tensor_new(meta->result, meta->ndim, meta->shape, call->out, err);
        if (status != STRIA_OK) return stria_error_set_op(err, status, stria_op_infos[op].name);
    }
    const stria_tensor *out = call->out[0];
    stria_loop *const   loop = kernels->lane[meta->compute]->loop[op];
    direct.data[0] = out->data;
    direct.stride[0] = stria_tensor_get_item_size(out);
    if (out->numel <= STRIA_GRAIN)
        loop(direct.data, direct.stride, out->numel);
    else
        direct_run_large(&direct, kernels, op, meta->compute, loop, 1 + call->n_in, out->numel);
    return STRIA_OK;
}
