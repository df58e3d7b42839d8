/* conversion.cuh - elements of any dtype as elements of another: as_<D>::from(x), x in any carrier (src/simd/cast_lanes.h), and
 * load_as<as_<D>>(address, dtype). */
#ifndef STRIA_CUDA_CONVERSION_CUH
#define STRIA_CUDA_CONVERSION_CUH

#include "vocabulary.cuh"
#include "walk.h"

#define FROM(D, carrier, type) \
    static __device__ __forceinline__ element from(type x) { return to_##D##_from_##carrier(x); }
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary)                \
    struct as_##D {                                                                    \
        typedef element_##D                    element;                                \
        static const int                       dtype = STRIA_##D;                      \
        static __device__ __forceinline__ auto load(element x) { return load_##D(x); } \
        FROM(D, I32, int32_t)                                                          \
        FROM(D, U32, uint32_t)                                                         \
        FROM(D, I64, int64_t)                                                          \
        FROM(D, U64, uint64_t)                                                         \
        FROM(D, F32, float)                                                            \
        FROM(D, F64, double)                                                           \
        FROM(D, C64, cast_c64)                                                         \
        FROM(D, C128, cast_c128)                                                       \
    };
#include "table/dtypes.def"
#undef FROM

template <class To>
static __device__ __forceinline__ typename To::element load_as(const char *at, int dtype)
{
    switch (dtype) {
#define LOAD(D) To::from(load_##D(*reinterpret_cast<const element_##D *>(at)))
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) \
    case STRIA_##D:                                                     \
        return LOAD(D);
#include "table/dtypes.def"
#undef LOAD
    default: return typename To::element();
    }
}

/* Calls run(as_<D>()) for the dtype and returns what that does; STRIA_CUDA_NO_KERNEL of what is no dtype. */
/* clang-format off: it takes the next line into the macro */
template <class Run>
static int with_dtype(int dtype, const Run &run)
{
    switch (dtype) {
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) \
    case STRIA_##D: {                                                   \
        return run(as_##D());                                           \
    }
#include "table/dtypes.def"
    default: return STRIA_CUDA_NO_KERNEL;
    }
}
/* clang-format on */

#endif
