/* store_float.cuh - a float to memory of any float dtype, rounded once. */
#ifndef STRIA_CUDA_STORE_FLOAT_CUH
#define STRIA_CUDA_STORE_FLOAT_CUH

#include "conversion.cuh"

template <class T>
static __device__ __noinline__ void store_float(char *at, int dtype, T x)
{
    switch (dtype) {
    case STRIA_F16: *reinterpret_cast<uint16_t *>(at) = as_F16::from(x); break;
    case STRIA_BF16: *reinterpret_cast<uint16_t *>(at) = as_BF16::from(x); break;
    case STRIA_F32: *reinterpret_cast<float *>(at) = as_F32::from(x); break;
    default: *reinterpret_cast<double *>(at) = as_F64::from(x); break;
    }
}

#endif
