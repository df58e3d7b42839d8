/* vocabulary.cuh - the scalar vocabulary of src/simd and the conversions, as device code. */
#ifndef STRIA_CUDA_VOCABULARY_CUH
#define STRIA_CUDA_VOCABULARY_CUH

#include "device_words.cuh"
#include "stria_enums.h"

#define VEC_INLINE static __device__ __forceinline__
#define V_LAMBDA static __device__ __forceinline__
#include "vec_scalar.h"
#include "vec_math.h"
#include "cast_lanes.h"
#include "paste.h"

#endif
