/* launch.cuh - the two kernels of a functor F (elementwise_template.cuh), and the choice between them.
 *
 *   packed    every operand holds F's own dtypes, contiguous or one value for all (stride 0)
 *   general   any strides and dtypes: offsets from stria_cuda_offsets, conversion on load and store
 *
 * Both take STRIA_CUDA_THREADS threads a block and PER_THREAD elements a thread, neighbours in neighbouring threads.
 */
#ifndef STRIA_CUDA_LAUNCH_CUH
#define STRIA_CUDA_LAUNCH_CUH

#include "cuda_plan.h"
#include "plugin.h"

static const int PER_THREAD = 4;

struct packed_call {
    uint32_t    n;
    char       *out;
    const char *in[STRIA_MAX_INPUTS];
    uint32_t    step[STRIA_MAX_INPUTS]; /* elements: 1 or 0 */
};

struct general_call {
    uint32_t           n;
    stria_cuda_offsets offsets;
    char              *data[STRIA_CUDA_OPERANDS];
    int                dtype[STRIA_CUDA_OPERANDS];
};

template <class F>
static __global__ void packed_kernel(packed_call call)
{
    typedef typename F::lane lane;
    uint32_t                 i = blockIdx.x * (STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;
    for (int k = 0; k < PER_THREAD && i < call.n; k++, i += STRIA_CUDA_THREADS) {
        lane x[STRIA_MAX_INPUTS];
        for (int j = 0; j < F::n_in; j++) x[j] = reinterpret_cast<const lane *>(call.in[j])[i * call.step[j]];
        reinterpret_cast<typename F::out *>(call.out)[i] = F::run(x);
    }
}

template <class F>
static __global__ void general_kernel(general_call call)
{
    uint32_t i = blockIdx.x * (STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;
    for (int k = 0; k < PER_THREAD && i < call.n; k++, i += STRIA_CUDA_THREADS) {
        typename F::lane x[STRIA_MAX_INPUTS];
        int32_t          offset[STRIA_CUDA_OPERANDS];
        stria_cuda_offsets_get(&call.offsets, i, offset);
        for (int j = 0; j < F::n_in; j++) x[j] = F::load(call.data[1 + j] + offset[1 + j], call.dtype[1 + j]);
        F::store(call.data[0] + offset[0], call.dtype[0], F::run(x));
    }
}

/* Fills `packed` and returns true if the call is of that form. */
template <class F>
static bool is_packed(const stria_cuda_call *call, packed_call *packed)
{
    if (call->ndim > 1 || call->dtype[0] != F::out_dtype) return false;
    if (call->ndim == 1 && call->strides[0] != (int64_t)sizeof(typename F::out)) return false;
    packed->out = call->data[0];
    for (int j = 0; j < F::n_in; j++) {
        const int64_t stride = call->ndim == 1 ? call->strides[1 + j] : 0;
        if (call->dtype[1 + j] != F::dtype || (stride != 0 && stride != (int64_t)sizeof(typename F::lane)))
            return false;
        packed->in[j] = call->data[1 + j];
        packed->step[j] = stride != 0;
    }
    return true;
}

/* 0, -2 (offsets do not fit 31 bits), or a CUDA error number. */
template <class F>
static int launch(const stria_cuda_call *call)
{
    packed_call  packed;
    general_call general;
    int64_t      n = 1;
    unsigned     blocks;

    for (int d = 0; d < call->ndim; d++) {
        if (call->shape[d] == 0) return 0;
        if (call->shape[d] < 0 || call->shape[d] > INT32_MAX / n) return -2;
        n *= call->shape[d];
    }
    blocks = (unsigned)stria_cuda_grid_get(n, PER_THREAD, STRIA_CUDA_THREADS);
    if (is_packed<F>(call, &packed)) {
        packed.n = (uint32_t)n;
        packed_kernel<F><<<blocks, STRIA_CUDA_THREADS>>>(packed);
    } else {
        if (!stria_cuda_offsets_init(&general.offsets, call->ndim, call->n_operands, call->shape, call->strides))
            return -2;
        general.n = (uint32_t)n;
        for (int k = 0; k < call->n_operands; k++) {
            general.data[k] = call->data[k];
            general.dtype[k] = call->dtype[k];
        }
        general_kernel<F><<<blocks, STRIA_CUDA_THREADS>>>(general);
    }
    return (int)cudaGetLastError();
}

typedef int launch_fn(const stria_cuda_call *call);

/* The launch of a row for a lane type; NULL: there is no such row. (kernels.cu) */
launch_fn *stria_cuda_launch_get(stria_op op, stria_dtype compute);

#endif
