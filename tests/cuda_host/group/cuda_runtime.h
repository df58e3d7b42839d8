/* cuda_runtime.h - what texts of groups (src/cuda/group.cuh) need of CUDA where the compiler of the host makes modules of them. */
#ifndef CUDA_HOST_GROUP_CUDA_RUNTIME_H
#define CUDA_HOST_GROUP_CUDA_RUNTIME_H

#define __device__
#define __global__ __attribute__((visibility("default")))
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))

/* Of the thread that runs; kernels run one at a time. */
static struct {
    unsigned x;
} blockIdx, threadIdx;
extern "C" __attribute__((visibility("default"))) void stria_group_set(unsigned block, unsigned thread)
{
    blockIdx.x = block;
    threadIdx.x = thread;
}

#endif
