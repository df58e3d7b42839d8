/* complex.cu - element-wise rows of complex numbers, from the same expressions as the CPU's steps: any strides and dtypes. */
#include "conversion.cuh"

#include "calls_element.h"
#include "launch.cuh"

#include "cpu/complex_limits.h"
#include "vec_words.h"

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter" /* words take p, which records on the CPU */
#endif

struct complex_call {
    uint32_t           n, values, reals;
    bool               is_select;
    stria_cuda_offsets offsets;
    char              *data[STRIA_CUDA_MAX_OPERANDS];
    int                dtype[STRIA_CUDA_MAX_OPERANDS];
    stria_cuda_value   value[STRIA_MAX_INPUTS];
};

template <class T>
static __device__ __noinline__ void store_as(char *at, int dtype, T x)
{
    switch (dtype) {
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) \
    case STRIA_##D:                                                     \
        *reinterpret_cast<element_##D *>(at) = as_##D::from(x);         \
        break;
#include "table/dtypes.def"
    default: break;
    }
}

#undef v_mask_and
#undef v_mask_or
#undef v_mask_not
#undef v_select

#define STRIA_T f32
#define STRIA_COMPLEX_SPACE complex_f32
#define STRIA_COMPLEX_AS as_C64
#define STRIA_PART_AS as_F32
#define STRIA_COMPLEX_PAIR cast_c64
#define STRIA_COMPLEX_LIMITS STRIA_COMPLEX_LIMITS_F32
#include "complex_template.cuh"
#undef STRIA_T
#undef STRIA_COMPLEX_SPACE
#undef STRIA_COMPLEX_AS
#undef STRIA_PART_AS
#undef STRIA_COMPLEX_PAIR
#undef STRIA_COMPLEX_LIMITS

#define STRIA_T f64
#define STRIA_COMPLEX_SPACE complex_f64
#define STRIA_COMPLEX_AS as_C128
#define STRIA_PART_AS as_F64
#define STRIA_COMPLEX_PAIR cast_c128
#define STRIA_COMPLEX_LIMITS STRIA_COMPLEX_LIMITS_F64
#include "complex_template.cuh"
#undef STRIA_T
#undef STRIA_COMPLEX_SPACE
#undef STRIA_COMPLEX_AS
#undef STRIA_PART_AS
#undef STRIA_COMPLEX_PAIR
#undef STRIA_COMPLEX_LIMITS

static int run_row(stria_cuda_stream *stream, int op, bool is_wide, const complex_call &call)
{
    switch (op) {
#define COMPLEX(name, result, arity, expression)                                    \
    case STRIA_OP_##name:                                                           \
        return is_wide ? complex_f64::launch<complex_f64::row_##name>(stream, call) \
                       : complex_f32::launch<complex_f32::row_##name>(stream, call);
#include "table/complex.def"
    default: return STRIA_CUDA_NO_KERNEL;
    }
}

int stria_cuda_run_complex(stria_cuda_stream *stream, const stria_cuda_complex_call *given)
{
    const stria_cuda_walk *walk = &given->element.walk;
    const int64_t          n = count_walk(walk);
    complex_call           call;

    if (n < 0 || !stria_cuda_offsets_init(&call.offsets, walk->ndim, walk->n_operands, walk->shape, walk->strides))
        return STRIA_CUDA_TOO_LARGE;
    if (n == 0) return STRIA_CUDA_OK;
    call.n = (uint32_t)n;
    call.values = given->element.values;
    call.reals = given->reals;
    call.is_select = given->element.op == STRIA_OP_where;
    for (int k = 0; k < walk->n_operands; k++) {
        call.data[k] = walk->data[k];
        call.dtype[k] = walk->dtype[k];
    }
    for (int k = 0; k < STRIA_MAX_INPUTS; k++) call.value[k] = given->element.value[k];
    return run_row(stream, given->element.op, given->element.compute == STRIA_C128, call);
}
