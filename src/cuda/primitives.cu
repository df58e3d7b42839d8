/* primitives.cu - the only file that knows CUB. */
#include <cub/device/device_radix_sort.cuh>

#include "primitives.cuh"

int stria_cuda_sort_pairs(stria_cuda_stream *stream, const uint64_t *keys_in, uint64_t *keys_out,
                          const int64_t *values_in, int64_t *values_out, int64_t n, int bits)
{
    size_t nbytes = 0;
    void  *room = NULL;

    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    STRIA_CUDA_TRY(cub::DeviceRadixSort::SortPairs(NULL, nbytes, keys_in, keys_out, values_in, values_out, n, 0, bits,
                                                   stream->stream));
    int code = stria_cuda_block_new(stream, nbytes > 0 ? nbytes : 1, &room);
    if (code != STRIA_CUDA_OK) return code;
    code = code_of(cub::DeviceRadixSort::SortPairs(room, nbytes, keys_in, keys_out, values_in, values_out, n, 0, bits,
                                                   stream->stream));
    const int released = stria_cuda_block_release(stream, room);
    return code != STRIA_CUDA_OK ? code : released;
}
