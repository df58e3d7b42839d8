/* fours.cuh - STRIA_CUDA_FOUR neighbours in memory of any dtype, each way by one access of up to 16 bytes, or two of 16 for elements of 8 bytes. Not
 * inlined: one switch for each lane type, and it is taken once for all four. */
#ifndef STRIA_CUDA_FOURS_CUH
#define STRIA_CUDA_FOURS_CUH

#include "conversion.cuh"
#include "runs.cuh"

template <class T>
using four = neighbours<T, STRIA_CUDA_FOUR>;

template <class To, class From>
static __device__ __forceinline__ four<typename To::element> convert_four(four<typename From::element> x)
{
    four<typename To::element> y;
#pragma unroll
    for (int k = 0; k < STRIA_CUDA_FOUR; k++) y.at[k] = To::from(From::load(x.at[k]));
    return y;
}

/* Copied whole before they are looked at: that is what makes one access of them. */
template <class To, class From>
static __device__ __forceinline__ four<typename To::element> load_four_of(const char *at)
{
    const four<typename From::element> x = *reinterpret_cast<const four<typename From::element> *>(at);
    return convert_four<To, From>(x);
}

/* Of elements of `from`, as elements of To. */
template <class To>
static __device__ __noinline__ four<typename To::element> load_four(const char *at, int from)
{
    switch (from) {
#define FOUR(D) load_four_of<To, as_##D>(at)
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) \
    case STRIA_##D:                                                     \
        return FOUR(D);
#include "table/dtypes.def"
#undef FOUR
    default: return four<typename To::element>();
    }
}

/* Elements of From, as elements of `to`. */
template <class From>
static __device__ __noinline__ void store_four(char *at, int to, four<typename From::element> x)
{
    switch (to) {
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary)             \
    case STRIA_##D:                                                                 \
        *reinterpret_cast<four<element_##D> *>(at) = convert_four<as_##D, From>(x); \
        break;
#include "table/dtypes.def"
    default: break;
    }
}

#endif
