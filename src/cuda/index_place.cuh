/* index_place.cuh - where the elements of positions lie (calls_index.h). */
#ifndef STRIA_CUDA_INDEX_PLACE_CUH
#define STRIA_CUDA_INDEX_PLACE_CUH

#include "calls_index.h"
#include "launch.cuh"

struct place {
    int64_t index, table, other; /* bytes */
};

/* Adds where number `linear` of dims first .. end - 1 lies. */
static __device__ __forceinline__ void add_place(const stria_cuda_index_call &c, int first, int end, int64_t linear,
                                                 place *at)
{
    for (int d = end - 1; d >= first; d--) {
        int64_t next, k;
        if (linear <= UINT32_MAX && c.shape[d] <= UINT32_MAX) { /* 64-bit division takes several times as long */
            next = (uint32_t)linear / (uint32_t)c.shape[d];
            k = (uint32_t)linear % (uint32_t)c.shape[d];
        } else {
            next = linear / c.shape[d];
            k = linear % c.shape[d];
        }
        at->index += k * c.index_strides[d];
        at->table += k * c.table_strides[d];
        at->other += k * c.other_strides[d];
        linear = next;
    }
}

static __device__ __forceinline__ int64_t read_index(const stria_cuda_index_call &c, int64_t at)
{
    if (c.index_dtype == STRIA_I32) return *reinterpret_cast<const int32_t *>(c.index + at);
    return *reinterpret_cast<const int64_t *>(c.index + at);
}

static __device__ __forceinline__ int64_t get_offset(const stria_cuda_index_call &c, int64_t at)
{
    const int64_t i = read_index(c, at);
    return (i < 0 && c.wraps ? i + c.size : i) * c.step;
}

#endif
