/* primitives.cuh - what CUB does for the whole of a device. */
#ifndef STRIA_CUDA_PRIMITIVES_CUH
#define STRIA_CUDA_PRIMITIVES_CUH

#include "launch.cuh"

/* n keys with their values, ascending by the lower `bits` bits of the keys, stable; keys_in and values_in are as they were. */
int stria_cuda_sort_pairs(stria_cuda_stream *stream, const uint64_t *keys_in, uint64_t *keys_out,
                          const int64_t *values_in, int64_t *values_out, int64_t n, int bits);

#endif
