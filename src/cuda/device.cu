/* device.cu - the plug-in's functions: devices, memory, and the way to a kernel. */
#include <stdio.h>

#include "launch.cuh"

static int get_device_count(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

static int get_device_name(int device, char *name, size_t size)
{
    cudaDeviceProp    properties;
    const cudaError_t code = cudaGetDeviceProperties(&properties, device);
    if (code == cudaSuccess && size > 0) snprintf(name, size, "%s", properties.name);
    return (int)code;
}

static int block_new(size_t nbytes, void **block)
{
    *block = NULL;
    return (int)cudaMalloc(block, nbytes > 0 ? nbytes : 1);
}

static int block_release(void *block) { return (int)cudaFree(block); }

static int copy_in(void *device, const void *host, size_t nbytes)
{
    return (int)cudaMemcpy(device, host, nbytes, cudaMemcpyHostToDevice);
}

static int copy_out(void *host, const void *device, size_t nbytes)
{
    return (int)cudaMemcpy(host, device, nbytes, cudaMemcpyDeviceToHost);
}

static int apply(const stria_cuda_call *call)
{
    launch_fn *run = stria_cuda_launch_get(call->op, call->compute);
    return run ? run(call) : -1;
}

static int synchronize(void) { return (int)cudaDeviceSynchronize(); }

static const char *error_text(int code)
{
    if (code == -1) return "no kernel for this op and dtype";
    if (code == -2) return "an offset does not fit 31 bits";
    return cudaGetErrorString((cudaError_t)code);
}

extern "C" const stria_cuda_plugin *stria_cuda_plugin_get(void)
{
    static const stria_cuda_plugin plugin = {STRIA_CUDA_PLUGIN_VERSION,
                                             get_device_count,
                                             get_device_name,
                                             block_new,
                                             block_release,
                                             copy_in,
                                             copy_out,
                                             apply,
                                             synchronize,
                                             error_text};
    return &plugin;
}
