/* primitives_host.cu - what src/cuda/primitives.cu does, by the standard library, in one thread of a kernel. */
#include <algorithm>
#include <utility>
#include <vector>

#include "primitives.cuh"

static __global__ void sort_kernel(const uint64_t *keys_in, uint64_t *keys_out, const int64_t *values_in,
                                   int64_t *values_out, int64_t n, uint64_t mask)
{
    typedef std::pair<uint64_t, int64_t> item;
    std::vector<item>                    items;

    for (int64_t k = 0; k < n; k++) items.push_back(item(keys_in[k], values_in[k]));
    std::stable_sort(items.begin(), items.end(),
                     [mask](const item &a, const item &b) { return (a.first & mask) < (b.first & mask); });
    for (int64_t k = 0; k < n; k++) {
        keys_out[k] = items[(size_t)k].first;
        values_out[k] = items[(size_t)k].second;
    }
}

int stria_cuda_sort_pairs(stria_cuda_stream *stream, const uint64_t *keys_in, uint64_t *keys_out,
                          const int64_t *values_in, int64_t *values_out, int64_t n, int bits)
{
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return launch_kernel(stream, sort_kernel, dim3(1), dim3(1), 0, keys_in, keys_out, values_in, values_out, n, mask);
}
