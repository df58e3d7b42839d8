/* complex.cu - element-wise rows of complex numbers, from the same expressions as the CPU's steps: any strides and dtypes. */
#include "conversion.cuh"

#include "calls_element.h"
#include "launch.cuh"
#include "runs.cuh"

#include "cpu/complex_limits.h"
#include "vec_words.h"

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter" /* words take p, which records on the CPU */
#endif

struct complex_call {
    uint32_t n, values, reals, pairs; /* pairs, bit k: operand k is of the dtype that is computed in, aligned */
    bool     is_select, in_squares;
    stria_cuda_offsets offsets;
    stria_cuda_squares squares;
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

static int run_row(stria_cuda_stream *stream, int op, bool is_wide, int64_t n_blocks, const complex_call &call)
{
    switch (op) {
#define COMPLEX(name, result, arity, expression)                                              \
    case STRIA_OP_##name:                                                                     \
        return is_wide ? complex_f64::launch<complex_f64::row_##name>(stream, n_blocks, call) \
                       : complex_f32::launch<complex_f32::row_##name>(stream, n_blocks, call);
#include "table/complex.def"
    default: return STRIA_CUDA_NO_KERNEL;
    }
}

/* Operands of the dtype that is computed in, whose elements can be taken by one access. */
static uint32_t get_pairs(const stria_cuda_walk *walk, stria_dtype compute)
{
    const int64_t size = (int64_t)size_of(compute);
    uint32_t      pairs = 0;

    for (int k = 0; k < walk->n_operands; k++) {
        bool is_aligned = walk->dtype[k] == compute && is_aligned_for(walk->data[k], (size_t)size, 1);
        for (int d = 0; d < walk->ndim; d++)
            is_aligned = is_aligned && walk->strides[d * walk->n_operands + k] % size == 0;
        if (is_aligned) pairs |= 1u << k;
    }
    return pairs;
}

/* False: offsets are too large. */
static bool set_dims(const stria_cuda_walk *walk, uint32_t values, complex_call *call, int64_t *n_blocks)
{
    const stria_cuda_form_input in = get_form_input(walk, values << 1, 0);
    stria_cuda_walk             turned = *walk;
    stria_cuda_turn             turn;
    int                         order[STRIA_CUDA_MAX_DIMS];

    call->in_squares = stria_cuda_turn_get(&in, &turn);
    if (call->in_squares) {
        stria_cuda_squares_order(&turn, walk->ndim, order);
        for (int d = 0; d < walk->ndim; d++) {
            turned.shape[d] = walk->shape[order[d]];
            for (int k = 0; k < walk->n_operands; k++)
                turned.strides[d * walk->n_operands + k] = walk->strides[order[d] * walk->n_operands + k];
        }
    }
    *n_blocks = call->in_squares ? stria_cuda_squares_init(&call->squares, turned.ndim, turned.shape)
                                 : stria_cuda_grid_get(call->n, 1, STRIA_CUDA_THREADS);
    return stria_cuda_offsets_init(&call->offsets, turned.ndim, turned.n_operands, turned.shape, turned.strides);
}

int stria_cuda_run_complex(stria_cuda_stream *stream, const stria_cuda_complex_call *given)
{
    const stria_cuda_walk *walk = &given->element.walk;
    const int64_t          n = count_walk(walk);
    int64_t                n_blocks;
    complex_call           call;

    if (n == 0) return STRIA_CUDA_OK;
    call.n = (uint32_t)n;
    if (n < 0 || !set_dims(walk, given->element.values, &call, &n_blocks)) return STRIA_CUDA_TOO_LARGE;
    call.pairs = get_pairs(walk, given->element.compute);
    call.values = given->element.values;
    call.reals = given->reals;
    call.is_select = given->element.op == STRIA_OP_where;
    for (int k = 0; k < walk->n_operands; k++) {
        call.data[k] = walk->data[k];
        call.dtype[k] = walk->dtype[k];
    }
    for (int k = 0; k < STRIA_MAX_INPUTS; k++) call.value[k] = given->element.value[k];
    return run_row(stream, given->element.op, given->element.compute == STRIA_C128, n_blocks, call);
}
