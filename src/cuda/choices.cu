/* choices.cu - choices of r of n, each from its number: how many choices begin with an element is a binomial coefficient, and those of the next
 * element follow from it. */
#include "device_words.cuh"

#include "calls_index.h"
#include "launch.cuh"

/* b * m / k, which is whole, of whole numbers below 2^62 that fit. */
static __device__ __forceinline__ int64_t scale(int64_t b, int64_t m, int64_t k) { return b / k * m + b % k * m / k; }

static __global__ void choices_kernel(stria_cuda_choices_call c)
{
    const int64_t k = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    const int64_t n = c.repeats ? c.n + c.r - 1 : c.n; /* with repetitions: element i of them is i more */

    if (k >= c.n_choices) return;
    int64_t number = k, at = 0, left = n - 1, rest = c.r - 1; /* choices of `rest` of the `left` elements behind `at` */
    int64_t count = c.n_choices; /* .. of rest + 1 of left + 1, those that begin here or later */
    for (int64_t i = 0; i < c.r; i++, rest--) {
        int64_t begin = scale(count, rest + 1, left + 1); /* those that begin with `at` */
        while (number >= begin) {
            number -= begin;
            count -= begin;
            at++;
            left--;
            begin = scale(count, rest + 1, left + 1);
        }
        c.places[k * c.r + i] = c.repeats ? at - i : at;
        count = begin;
        at++;
        left--;
    }
}

int stria_cuda_run_choices(stria_cuda_stream *stream, const stria_cuda_choices_call *call)
{
    if (call->n_choices == 0) return STRIA_CUDA_OK;
    if (!has_blocks(call->n_choices)) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, choices_kernel, blocks_of(call->n_choices), dim3(STRIA_CUDA_THREADS), 0, *call);
}
