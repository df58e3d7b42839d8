/* device_words.cuh - what device code says in another way where there is no device. The sources of this folder are compiled by nvcc, and, with
 * STRIA_CUDA_HOST, as C++ against a runtime that runs blocks on the host (tests/cuda_host), which defines these words itself:
 *
 *   STRIA_CUDA_SHARED(T, name, [32][33]);        an array in the shared memory of a block
 *   STRIA_CUDA_DYNAMIC_SHARED(T, name);          T *name: what the launch asked for, 16-byte aligned
 *
 * Arguments of kernels that functions get by their address are const __grid_constant__: otherwise each thread copies them to memory of its own.
 * Kernels are launched by launch_kernel (launch.cuh), and loops that wait for another block call __nanosleep. */
#ifndef STRIA_CUDA_DEVICE_WORDS_CUH
#define STRIA_CUDA_DEVICE_WORDS_CUH

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cuda_runtime.h>

#ifndef STRIA_CUDA_HOST
#define STRIA_CUDA_SHARED(T, name, dims) __shared__ T name dims
#define STRIA_CUDA_DYNAMIC_SHARED(T, name)                         \
    extern __shared__ __align__(16) unsigned char shared_memory[]; \
    T *const                                      name = reinterpret_cast<T *>(shared_memory)
#endif

#endif
