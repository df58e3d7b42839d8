/* element_kernels.cuh - the kernels of a functor F (elementwise_template.cuh), and the choice between them.
 *
 *   packed    operands of F's own dtypes, or all of f16 or bf16 where F computes in f32; contiguous, or one value for all
 *   general   any strides and dtypes: offsets from stria_cuda_offsets, conversion on load and store
 */
#ifndef STRIA_CUDA_ELEMENT_KERNELS_CUH
#define STRIA_CUDA_ELEMENT_KERNELS_CUH

#include "calls_element.h"
#include "runs.cuh"
#include "vocabulary.cuh"

static const int GENERAL_PER_THREAD = 4;

/* ---------------------------------------------------------------- how elements lie in memory */

template <class T>
struct stored_plain {
    typedef T                                 element;
    static __device__ __forceinline__ T       load(element x, bool) { return x; }
    static __device__ __forceinline__ element store(T x, bool) { return x; }
};
/* f16 or bf16. */
struct stored_short {
    typedef uint16_t                        element;
    static __device__ __forceinline__ float load(element x, bool is_bf16)
    {
        return is_bf16 ? load_BF16(x) : load_F16(x);
    }
    static __device__ __forceinline__ element store(float x, bool is_bf16)
    {
        return is_bf16 ? to_BF16_from_F32(x) : to_F16_from_F32(x);
    }
};

/* ---------------------------------------------------------------- kernels */

struct packed_call {
    uint32_t         n;
    bool             is_aligned, is_bf16;
    uint32_t         values, ones; /* bit j: input j is value[j]; is one element for all */
    char            *out;
    const char      *in[STRIA_MAX_INPUTS];
    stria_cuda_value value[STRIA_MAX_INPUTS];
};

struct general_call {
    uint32_t           n, values;
    stria_cuda_offsets offsets;
    char              *data[STRIA_CUDA_MAX_OPERANDS];
    int                dtype[STRIA_CUDA_MAX_OPERANDS];
    stria_cuda_value   value[STRIA_MAX_INPUTS];
};

template <class T>
static __device__ __forceinline__ T get_value(const stria_cuda_value &value)
{
    T x;
    memcpy(&x, value.bits, sizeof x);
    return x;
}

/* Input j for all elements of a thread: lanes as S stores them, or the bytes of a condition. */
template <class E, class S, class L, int WIDTH>
static __device__ __forceinline__ void load_input(const packed_call &call, int j, const thread_part<WIDTH> &part, L *x)
{
    E loaded[WIDTH];

    if (call.values >> j & 1u) {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) x[k] = get_value<L>(call.value[j]);
        return;
    }
    if (call.ones >> j & 1u) {
        const E one = *reinterpret_cast<const E *>(call.in[j]);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) loaded[k] = one;
    } else {
        load_part<E, WIDTH>(part, reinterpret_cast<const E *>(call.in[j]), loaded);
    }
#pragma unroll
    for (int k = 0; k < WIDTH; k++) x[k] = S::load(loaded[k], call.is_bf16);
}

template <class F, class S>
static __global__ void packed_kernel(packed_call call)
{
    typedef typename F::lane lane;
    constexpr int            WIDTH = 16 / (int)sizeof(typename S::element);
    const thread_part<WIDTH> part(call.n, call.is_aligned);
    lane                     x[F::n_in][WIDTH];
    uint8_t                  condition[WIDTH];
    typename F::out          y[WIDTH];

    if (part.first >= part.n) return;
    if constexpr (F::is_select) load_input<uint8_t, stored_plain<uint8_t>>(call, 0, part, condition);
#pragma unroll
    for (int j = F::is_select ? 1 : 0; j < F::n_in; j++) load_input<typename S::element, S>(call, j, part, x[j]);
#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        lane each[F::n_in];
        if constexpr (F::is_select) each[0] = lane(condition[k] != 0);
#pragma unroll
        for (int j = F::is_select ? 1 : 0; j < F::n_in; j++) each[j] = x[j][k];
        y[k] = F::run(each);
    }
    F::template store_run<S>(part, call.out, y, call.is_bf16);
}

template <class F>
static __global__ void general_kernel(general_call call)
{
    uint32_t i = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * GENERAL_PER_THREAD) + threadIdx.x;

    for (int k = 0; k < GENERAL_PER_THREAD && i < call.n; k++, i += STRIA_CUDA_THREADS) {
        typename F::lane x[F::n_in];
        int32_t          offset[STRIA_CUDA_MAX_OPERANDS];
        stria_cuda_offsets_get(&call.offsets, i, offset);
        for (int j = 0; j < F::n_in; j++) {
            if ((call.values >> j & 1u) == 0)
                x[j] = F::load(call.data[1 + j] + offset[1 + j], call.dtype[1 + j]);
            else if (F::is_select && j == 0)
                x[j] = typename F::lane(get_value<uint8_t>(call.value[j]) != 0);
            else
                x[j] = get_value<typename F::lane>(call.value[j]);
        }
        F::store(call.data[0] + offset[0], call.dtype[0], F::run(x));
    }
}

/* ---------------------------------------------------------------- the choice */

/* The dtype that all lanes have in memory, apart from values; -1: they differ. F::dtype if all are values. */
template <class F>
static int common_storage(const stria_cuda_element_call *call)
{
    const stria_cuda_walk *walk = &call->walk;
    int                    common = F::out_dtype == F::dtype ? (int)walk->dtype[0] : -1;

    if (F::out_dtype != F::dtype && walk->dtype[0] != F::out_dtype) return -1;
    for (int j = F::is_select ? 1 : 0; j < F::n_in; j++) {
        if (call->values >> j & 1u) continue;
        if (common >= 0 && common != (int)walk->dtype[1 + j]) return -1;
        common = (int)walk->dtype[1 + j];
    }
    return common >= 0 ? common : F::dtype;
}

/* Fills `packed` and returns true if the call is of that form, elements of `size` bytes. */
template <class F>
static bool is_packed(const stria_cuda_element_call *call, int64_t n, size_t size, packed_call *packed)
{
    const stria_cuda_walk *walk = &call->walk;
    const size_t           out_size = F::out_dtype == F::dtype ? size : 1;
    const int              width = 16 / (int)size;

    if (walk->ndim > 1 || !is_run(walk, 0, (int64_t)out_size)) return false;
    packed->n = (uint32_t)n;
    packed->out = walk->data[0];
    packed->values = call->values;
    packed->is_aligned = is_aligned_for(packed->out, out_size, width);
    packed->ones = 0;
    packed->is_bf16 = false;
    for (int j = 0; j < F::n_in; j++) {
        const bool    is_condition = F::is_select && j == 0;
        const size_t  in_size = is_condition ? 1 : size;
        const int64_t stride = walk->ndim == 1 ? walk->strides[1 + j] : 0;
        packed->value[j] = call->value[j];
        packed->in[j] = walk->data[1 + j];
        if (call->values >> j & 1u) continue;
        if (is_condition && walk->dtype[1 + j] != STRIA_BOOL) return false;
        if (stride == 0)
            packed->ones |= 1u << j;
        else if (stride != (int64_t)in_size)
            return false;
        else
            packed->is_aligned = packed->is_aligned && is_aligned_for(packed->in[j], in_size, width);
    }
    return true;
}

template <class F, class S>
static int launch_packed(stria_cuda_stream *stream, const packed_call &call)
{
    return launch_kernel(stream, packed_kernel<F, S>, blocks_for(call.n, 16 / (int)sizeof(typename S::element)),
                         dim3(STRIA_CUDA_THREADS), 0, call);
}

template <class F>
static int launch(stria_cuda_stream *stream, const stria_cuda_element_call *call)
{
    const int64_t n = count_walk(&call->walk);
    const int     storage = common_storage<F>(call);
    packed_call   packed;
    general_call  general;

    if (n < 0 || call->walk.n_operands != 1 + F::n_in) return STRIA_CUDA_TOO_LARGE;
    if (n == 0) return STRIA_CUDA_OK;
    if (storage == F::dtype && is_packed<F>(call, n, sizeof(typename F::lane), &packed))
        return launch_packed<F, stored_plain<typename F::lane>>(stream, packed);
    if constexpr (F::dtype == STRIA_F32)
        if ((storage == STRIA_F16 || storage == STRIA_BF16) && is_packed<F>(call, n, sizeof(uint16_t), &packed)) {
            packed.is_bf16 = storage == STRIA_BF16;
            return launch_packed<F, stored_short>(stream, packed);
        }
    if (!stria_cuda_offsets_init(&general.offsets, call->walk.ndim, call->walk.n_operands, call->walk.shape,
                                 call->walk.strides))
        return STRIA_CUDA_TOO_LARGE;
    general.n = (uint32_t)n;
    general.values = call->values;
    for (int k = 0; k < call->walk.n_operands; k++) {
        general.data[k] = call->walk.data[k];
        general.dtype[k] = call->walk.dtype[k];
    }
    for (int j = 0; j < F::n_in; j++) general.value[j] = call->value[j];
    return launch_kernel(stream, general_kernel<F>, blocks_for(n, GENERAL_PER_THREAD), dim3(STRIA_CUDA_THREADS), 0,
                         general);
}

typedef int launch_fn(stria_cuda_stream *stream, const stria_cuda_element_call *call);

#endif
