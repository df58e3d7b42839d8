/* element_cuda.c - element-wise ops on CUDA: iterator -> walks -> the kernel of the row. */
#include <string.h>

#include "base/error.h"
#include "cpu/complex.h"
#include "cuda/cuda_device.h"
#include "iter/iter_internal.h"
#include "simd/kernels.h"

/* Numbers and 0-dim tensors of the CPU go to the kernel with the call. */
static void set_value(stria_cuda_element_call *to, const stria_kernels *kernels, const stria_meta *meta, int k,
                      const stria_tensor *x)
{
    to->values |= 1u << k;
    memset(&to->value[k], 0, sizeof to->value[k]);
    kernels->cast[x->dtype][meta->input[k]]((char *)to->value[k].bits, 0, x->data, 0, 1);
}

static int run_walk(void *context, stria_cuda_work *work, const stria_cuda_walk *walk)
{
    stria_cuda_complex_call *call = context;

    call->element.walk = *walk;
    if (stria_dtype_is_complex(call->element.compute)) return work->plugin->complex(work->stream, call);
    return work->plugin->element(work->stream, &call->element);
}

static stria_status run(const stria_call *call, const stria_meta *meta, const stria_iter *it,
                        stria_cuda_complex_call *to, stria_error *err)
{
    const char     *name = stria_op_infos[call->row].name;
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, name, meta->device, err));
    for (int k = 0; k <= call->n_in; k++) stria_cuda_work_use(&work, stria_iter_get_tensor(it, k));
    stria_status       status = stria_cuda_walk_each(&work, it, run_walk, to, err);
    const stria_status ended = stria_cuda_work_end(&work, meta->compute, status == STRIA_OK ? err : NULL);
    return status != STRIA_OK ? status : ended;
}

stria_status stria_cuda_element(const stria_call *call, const stria_meta *meta, stria_error *err)
{
    const stria_kernels    *kernels = stria_dispatch_get();
    stria_cuda_complex_call to;
    stria_iter              it;

    if (kernels == NULL) return stria_isa_get_status(err);
    STRIA_TRY(stria_iter_build_element(&it, call, meta, err));
    to.element.op = stria_dtype_is_complex(meta->compute) ? stria_complex_choose_op(call) : (stria_op)call->row;
    to.element.compute = meta->compute;
    to.element.values = 0;
    to.reals = 0;
    for (int k = 0; k < call->n_in; k++) {
        if (!stria_dtype_is_complex(meta->input[k])) to.reals |= 1u << k;
        if (call->in[k]->device.type == STRIA_DEVICE_CPU) set_value(&to.element, kernels, meta, k, call->in[k]);
    }
    const stria_status status = stria_iter_get_numel(&it) > 0 ? run(call, meta, &it, &to, err) : STRIA_OK;
    if (status == STRIA_OK && call->out[0] == NULL) call->out[0] = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    return status;
}
