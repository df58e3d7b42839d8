/* complex_template.cuh - the rows of complex.def for parts of one lane type: STRIA_T f32 or f64, and
 *
 *     STRIA_COMPLEX_AS, STRIA_PART_AS    their conversions (conversion.cuh)
 *     STRIA_COMPLEX_PAIR                 the carrier of both parts
 *     STRIA_COMPLEX_LIMITS               their limits (cpu/complex_limits.h)
 *     STRIA_COMPLEX_SPACE                the namespace of all this
 *
 * The words compute, where those of the CPU record. Words that take long are functions. A thread computes one element, or four of a square
 * (cuda_plan.h). Both parts of a number are read and written at once where it is stored in the dtype of the call, aligned. */
namespace STRIA_COMPLEX_SPACE {

/* A part of a number, or a truth value as 0 and 1; or, in place of an imaginary part, none. */
struct value {
    v_ctype                    x;
    bool                       is_none;
    __device__ __forceinline__ value() : x(0), is_none(false) {}
    __device__ __forceinline__ value(v_ctype number) : x(number), is_none(false) {}
    __device__ __forceinline__ value(v_ctype number, bool none) : x(number), is_none(none) {}
};
/* Only whether there is one is asked. */
static __device__ __forceinline__ bool operator==(const value &a, const value &) { return a.is_none; }
static __device__ __forceinline__ bool operator!=(const value &a, const value &) { return !a.is_none; }
#define REAL value(0, true)

struct z {
    value re, im;
};
#define Z(re, im) make(re, im)
static __device__ __forceinline__ z make(value re, value im)
{
    z result = {re, im};
    return result;
}

struct program {
    const stria_complex_limits *limits;
};

#define WORD_1(name, kind)                                                   \
    static __device__ kind value STRIA_CAT3(vec_##name, _, STRIA_T)(value a) \
    {                                                                        \
        return value((v_ctype)::STRIA_CAT3(vec_##name, _, STRIA_T)(a.x));    \
    }
#define WORD_2(name, kind)                                                            \
    static __device__ kind value STRIA_CAT3(vec_##name, _, STRIA_T)(value a, value b) \
    {                                                                                 \
        return value((v_ctype)::STRIA_CAT3(vec_##name, _, STRIA_T)(a.x, b.x));        \
    }
#define TEST_1(name)                                                                    \
    static __device__ __forceinline__ value STRIA_CAT3(vec_##name, _, STRIA_T)(value a) \
    {                                                                                   \
        return value(v_ctype(::STRIA_CAT3(vec_##name, _, STRIA_T)(a.x) != 0));          \
    }
#define TEST_2(name)                                                                             \
    static __device__ __forceinline__ value STRIA_CAT3(vec_##name, _, STRIA_T)(value a, value b) \
    {                                                                                            \
        return value(v_ctype(::STRIA_CAT3(vec_##name, _, STRIA_T)(a.x, b.x) != 0));              \
    }
WORD_1(neg, __forceinline__)
WORD_1(abs, __forceinline__)
WORD_1(sqrt, __forceinline__)
WORD_1(exp, __noinline__)
WORD_1(exp2, __noinline__)
WORD_1(expm1, __noinline__)
WORD_1(log, __noinline__)
WORD_1(log1p, __noinline__)
WORD_1(sin, __noinline__)
WORD_1(cos, __noinline__)
WORD_1(tan, __noinline__)
WORD_1(sinh, __noinline__)
WORD_1(cosh, __noinline__)
WORD_1(atan, __noinline__)
WORD_1(asinh, __noinline__)
WORD_2(add, __forceinline__)
WORD_2(sub, __forceinline__)
WORD_2(mul, __forceinline__)
WORD_2(div, __forceinline__)
WORD_2(min, __forceinline__)
WORD_2(max, __forceinline__)
WORD_2(copysign, __forceinline__)
WORD_2(pow, __noinline__)
WORD_2(hypot, __noinline__)
WORD_2(atan2, __noinline__)
TEST_1(isinf)
TEST_1(isfinite)
TEST_2(eq)
TEST_2(ne)
TEST_2(lt)
TEST_2(le)
#undef WORD_1
#undef WORD_2
#undef TEST_1
#undef TEST_2
static __device__ __forceinline__ value v_mask_and(value a, value b) { return value(v_ctype(a.x != 0 && b.x != 0)); }
static __device__ __forceinline__ value v_mask_or(value a, value b) { return value(v_ctype(a.x != 0 || b.x != 0)); }
static __device__ __forceinline__ value v_mask_not(value a) { return value(v_ctype(a.x == 0)); }
static __device__ __forceinline__ value v_select(value mask, value a, value b) { return mask.x != 0 ? a : b; }

#define Z_FN static __device__ __forceinline__
#include "cpu/complex_words.h"
#undef Z_FN

/* Both parts by one access. */
struct alignas(2 * sizeof(v_ctype)) pair {
    v_ctype re, im;
};
static __device__ __forceinline__ z load_pair(const char *at)
{
    const pair both = *reinterpret_cast<const pair *>(at);
    return make(value(both.re), value(both.im));
}
static __device__ __forceinline__ void store_pair(char *at, const z &x)
{
    const pair both = {x.re.x, x.im.x};
    *reinterpret_cast<pair *>(at) = both;
}

/* ---------------------------------------------------------------- rows */

/* PAIR: two parts; PART: one; TRUTH: 0 or 1. */
struct gives_PAIR {
    typedef z                              out;
    static __device__ __forceinline__ void store(char *at, int dtype, bool is_pair, const z &x)
    {
        STRIA_COMPLEX_PAIR both;
        if (is_pair) return store_pair(at, x);
        both.re = x.re.x;
        both.im = x.im.x;
        store_as(at, dtype, both);
    }
};
struct gives_PART {
    typedef value                          out;
    static __device__ __forceinline__ void store(char *at, int dtype, bool, const value &x)
    {
        store_as(at, dtype, x.x);
    }
};
struct gives_TRUTH {
    typedef value                          out;
    static __device__ __forceinline__ void store(char *at, int dtype, bool, const value &x)
    {
        store_as(at, dtype, (int32_t)(x.x != 0));
    }
};

#define COMPLEX(name, result, arity, expression)                             \
    struct row_##name : gives_##result {                                     \
        static const int                      n_in = arity;                  \
        static __device__ __forceinline__ out run(program *p, z a, z b, z c) \
        {                                                                    \
            (void)p, (void)a, (void)b, (void)c;                              \
            return expression;                                               \
        }                                                                    \
    };
#include "table/complex.def"

/* ---------------------------------------------------------------- operands */

static __device__ __noinline__ z load(const char *at, int dtype, bool is_real)
{
    if (is_real) return make(value(load_as<STRIA_PART_AS>(at, dtype)), REAL);
    const STRIA_COMPLEX_AS::element both = load_as<STRIA_COMPLEX_AS>(at, dtype);
    return make(value(both.re), value(both.im));
}

/* A value that the call carries, in the dtype that the row computes in. */
static __device__ __forceinline__ z get_value(const stria_cuda_value &from, bool is_real, bool is_condition)
{
    uint8_t truth;
    v_ctype parts[2];

    memcpy(&truth, from.bits, sizeof truth);
    if (is_condition) return make(value(v_ctype(truth != 0)), REAL);
    memcpy(parts, from.bits, sizeof parts);
    return is_real ? make(value(parts[0]), REAL) : make(value(parts[0]), value(parts[1]));
}

template <class F>
static __global__ void kernel(const __grid_constant__ complex_call call)
{
    const stria_complex_limits of_parts = STRIA_COMPLEX_LIMITS;
    program                    p = {&of_parts};
    uint32_t                   i = blockIdx.x * (uint32_t)STRIA_CUDA_THREADS + threadIdx.x;
    const int                  count = call.in_squares ? STRIA_CUDA_FOUR : 1;
    z                          x[3];
    int32_t                    offset[STRIA_CUDA_MAX_OPERANDS];

#pragma unroll 1
    for (int n = 0; n < count; n++) {
        if (call.in_squares ? !stria_cuda_squares_find(&call.squares, blockIdx.x, threadIdx.x, n, &i) : i >= call.n)
            continue;
        stria_cuda_offsets_get(&call.offsets, 1 + F::n_in, i, offset);
        for (int k = 0; k < F::n_in; k++) {
            const bool is_real = F::n_in > 1 && (call.reals >> k & 1u) != 0; /* a sole operand is complex */
            if (call.values >> k & 1u)
                x[k] = get_value(call.value[k], is_real, call.is_select && k == 0);
            else if (call.pairs >> (1 + k) & 1u)
                x[k] = load_pair(call.data[1 + k] + offset[1 + k]);
            else
                x[k] = load(call.data[1 + k] + offset[1 + k], call.dtype[1 + k], is_real);
        }
        F::store(call.data[0] + offset[0], call.dtype[0], (call.pairs & 1u) != 0, F::run(&p, x[0], x[1], x[2]));
    }
}

template <class F>
static int launch(stria_cuda_stream *stream, int64_t n_blocks, const complex_call &call)
{
    return launch_kernel(stream, kernel<F>, dim3((unsigned)n_blocks), dim3(STRIA_CUDA_THREADS), 0, call);
}

#undef REAL
#undef Z

} // namespace STRIA_COMPLEX_SPACE
