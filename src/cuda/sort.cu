/* sort.cu - rows in order: all elements by their keys, then by the rows that they are of; both sorts are stable. */
#include "conversion.cuh"

#include "calls_sort.h"
#include "launch.cuh"
#include "primitives.cuh"

static const int PER_THREAD = 4, PER_BLOCK = STRIA_CUDA_THREADS * PER_THREAD;

/* What keys follow from, as of src/core/cpu/keys.h. */
struct key_reader {
    int      size; /* bytes of an element, 1 .. 8 */
    bool     is_bool, is_signed, is_float, is_inverted;
    uint64_t sign, infinity;
};

static __device__ __forceinline__ uint64_t read_bits(const char *at, int size)
{
    switch (size) {
    case 1: return *reinterpret_cast<const uint8_t *>(at);
    case 2: return *reinterpret_cast<const uint16_t *>(at);
    case 4: return *reinterpret_cast<const uint32_t *>(at);
    default: return *reinterpret_cast<const uint64_t *>(at);
    }
}

static __device__ __forceinline__ uint64_t get_key(const key_reader &r, uint64_t bits)
{
    const uint64_t magnitude = bits & (r.sign - 1);

    if (r.is_bool) return bits != 0;
    if (r.is_signed) return bits ^ r.sign;
    if (!r.is_float) return bits;
    if (magnitude > r.infinity) return UINT64_MAX;
    return bits & r.sign ? r.sign - magnitude : r.sign + magnitude;
}

static __global__ void key_kernel(const char *x, key_reader r, int64_t n, uint64_t *keys, int64_t *numbers)
{
    int64_t i = (int64_t)blockIdx.x * PER_BLOCK + threadIdx.x;

    for (int k = 0; k < PER_THREAD && i < n; k++, i += STRIA_CUDA_THREADS) {
        const uint64_t key = get_key(r, read_bits(x + i * r.size, r.size));
        keys[i] = r.is_inverted ? ~key : key;
        numbers[i] = i;
    }
}

static __global__ void row_kernel(const int64_t *numbers, int64_t n, int64_t length, uint64_t *rows)
{
    int64_t i = (int64_t)blockIdx.x * PER_BLOCK + threadIdx.x;

    for (int k = 0; k < PER_THREAD && i < n; k++, i += STRIA_CUDA_THREADS) rows[i] = (uint64_t)(numbers[i] / length);
}

static __global__ void place_kernel(const int64_t *numbers, int64_t n, int64_t length, int64_t *places)
{
    int64_t i = (int64_t)blockIdx.x * PER_BLOCK + threadIdx.x;

    for (int k = 0; k < PER_THREAD && i < n; k++, i += STRIA_CUDA_THREADS) places[i] = numbers[i] % length;
}

static bool get_reader(int dtype, bool descending, key_reader *r)
{
    static const struct {
        uint8_t size;
        char    category;
    } dtypes[] = {
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) {size, #category[0]},
#include "table/dtypes.def"
    };
    const char category = dtypes[dtype].category;

    r->size = dtypes[dtype].size;
    r->is_bool = category == 'B';
    r->is_signed = category == 'I';
    r->is_float = category == 'F';
    r->is_inverted = descending;
    r->sign = r->size <= 8 ? UINT64_C(1) << (8 * r->size - 1) : 0;
    r->infinity = dtype == STRIA_F16    ? 0x7c00
                  : dtype == STRIA_BF16 ? 0x7f80
                  : dtype == STRIA_F32  ? 0x7f800000
                                        : UINT64_C(0x7ff0000000000000);
    return category != 'C';
}

static int count_bits(int64_t n)
{
    int bits = 1;

    while (n >> bits != 0) bits++;
    return bits;
}

/* Of n elements each. */
struct buffers {
    uint64_t *keys[2];
    int64_t  *numbers[2];
};

static int sort(stria_cuda_stream *stream, const stria_cuda_sort_call *call, const key_reader &r, int64_t n,
                const buffers &b)
{
    const dim3 blocks((unsigned)((n + PER_BLOCK - 1) / PER_BLOCK)), threads(STRIA_CUDA_THREADS);
    int        code = launch_kernel(stream, key_kernel, blocks, threads, 0, call->x, r, n, b.keys[0], b.numbers[0]);
    int        last = 1;

    if (code == STRIA_CUDA_OK)
        code = stria_cuda_sort_pairs(stream, b.keys[0], b.keys[1], b.numbers[0], b.numbers[1], n, 8 * r.size);
    if (code == STRIA_CUDA_OK && call->n_rows > 1) {
        last = 0;
        code = launch_kernel(stream, row_kernel, blocks, threads, 0, b.numbers[1], n, call->length, b.keys[1]);
        if (code == STRIA_CUDA_OK)
            code = stria_cuda_sort_pairs(stream, b.keys[1], b.keys[0], b.numbers[1], b.numbers[0], n,
                                         count_bits(call->n_rows - 1));
    }
    if (code != STRIA_CUDA_OK) return code;
    return launch_kernel(stream, place_kernel, blocks, threads, 0, b.numbers[last], n, call->length, call->places);
}

int stria_cuda_run_sort(stria_cuda_stream *stream, const stria_cuda_sort_call *call)
{
    key_reader r;
    buffers    b;
    void      *block = NULL;

    if (!get_reader(call->dtype, call->descending, &r)) return STRIA_CUDA_NO_KERNEL;
    if (call->n_rows == 0 || call->length == 0) return STRIA_CUDA_OK;
    const int64_t n = call->n_rows * call->length;
    if (n / PER_BLOCK >= INT32_MAX) return STRIA_CUDA_TOO_LARGE;
    int code = stria_cuda_block_new(stream, 4 * (size_t)n * sizeof(uint64_t), &block);
    if (code != STRIA_CUDA_OK) return code;
    for (int k = 0; k < 2; k++) {
        b.keys[k] = static_cast<uint64_t *>(block) + k * n;
        b.numbers[k] = static_cast<int64_t *>(block) + (2 + k) * n;
    }
    code = sort(stream, call, r, n, b);
    const int released = stria_cuda_block_release(stream, block);
    return code != STRIA_CUDA_OK ? code : released;
}
