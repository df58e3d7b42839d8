/* scenarios.cuh - what the sources of the scenarios share. */
#ifndef CUDA_HOST_SCENARIOS_CUH
#define CUDA_HOST_SCENARIOS_CUH

#include "scenarios.h"

/* Memory of the device, with what it begins with. */
struct device_array {
    int *at;
    int  n;
    explicit device_array(const std::vector<int> &values) : at(NULL), n((int)values.size())
    {
        if (cudaMalloc(reinterpret_cast<void **>(&at), sizeof(int) * values.size()) != cudaSuccess) at = NULL;
        (void)cudaMemcpy(at, values.data(), sizeof(int) * values.size(), cudaMemcpyHostToDevice);
    }
    ~device_array() { (void)cudaFree(at); }
    std::vector<int> read() const
    {
        std::vector<int> values((size_t)n, -1);
        (void)cudaMemcpy(values.data(), at, sizeof(int) * values.size(), cudaMemcpyDeviceToHost);
        return values;
    }
    device_array(const device_array &) = delete;
};

/* 0, 1, 2 .. */
std::vector<int> count_up(int n);
/* kernel(args ..) on so many blocks of so many threads, on the legacy stream. */
template <class... P, class... A>
static cudaError_t launch_simply(unsigned blocks, unsigned threads, void (*kernel)(P...), A... args)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    return cudaLaunchKernelEx(&config, kernel, args...);
}

extern const cuda_host_scenario cuda_host_scenarios[];
extern const cuda_host_check    cuda_host_checks[];

#endif
