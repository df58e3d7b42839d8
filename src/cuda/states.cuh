/* states.cuh - states of the threads of a block, joined.
 *
 * A family of functions is a struct F of
 *
 *   lane      what an element is converted to
 *   state     what is known of some elements; plain memory
 *   params    the same for the whole launch
 *
 *   state start(params)                    of no elements: joining it changes nothing
 *   void  join(state *s, later, params)    s becomes the state of the elements of both
 */
#ifndef STRIA_CUDA_STATES_CUH
#define STRIA_CUDA_STATES_CUH

#include "device_words.cuh"

static const unsigned ALL_LANES = 0xffffffffu;

template <class S>
static __device__ __forceinline__ S shuffle_state(const S &state, int delta, int width, bool is_down)
{
    constexpr int WORDS = (int)(sizeof(S) + 3) / 4;
    uint32_t      words[WORDS] = {};
    S             moved;

    memcpy(words, &state, sizeof state);
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        words[k] = is_down ? __shfl_down_sync(ALL_LANES, words[k], (unsigned)delta, width)
                           : __shfl_up_sync(ALL_LANES, words[k], (unsigned)delta, width);
    memcpy(&moved, words, sizeof moved);
    return moved;
}

/* The states of neighbours in x: thread 0 of each y has the state of all. blockDim.x is a power of two; `shared` has a state for each thread
 * of the block and is not in use by others; all threads of the block call. */
template <class F>
static __device__ __forceinline__ typename F::state join_along_x(typename F::state s, const typename F::params &params,
                                                                 typename F::state *shared)
{
    const int width = (int)blockDim.x, x = (int)threadIdx.x;

    if (width > 32) {
        typename F::state *row = shared + threadIdx.y * blockDim.x;
        row[x] = s;
        for (int half = width / 2; half >= 32; half /= 2) {
            __syncthreads();
            if (x < half) {
                F::join(&s, row[x + half], params);
                row[x] = s;
            }
        }
        __syncthreads(); /* shared is free again */
    }
    for (int half = (width < 32 ? width : 32) / 2; half > 0; half /= 2) {
        const typename F::state later = shuffle_state(s, half, width < 32 ? width : 32, true);
        F::join(&s, later, params);
    }
    return s;
}

/* The same in y: thread (x, 0) has the state of all. blockDim.y is a power of two. */
template <class F>
static __device__ __forceinline__ typename F::state join_along_y(typename F::state s, const typename F::params &params,
                                                                 typename F::state *shared)
{
    const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;

    shared[at] = s;
    for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.y < half) {
            F::join(&s, shared[at + half * blockDim.x], params);
            shared[at] = s;
        }
    }
    __syncthreads();
    return s;
}

/* The state of all threads of one y, or, along_y, of one x, in all of them. */
template <class F>
static __device__ __forceinline__ typename F::state join_for_all(typename F::state s, const typename F::params &params,
                                                                 typename F::state *shared, bool along_y)
{
    s = along_y ? join_along_y<F>(s, params, shared) : join_along_x<F>(s, params, shared);
    const unsigned row = along_y ? threadIdx.x : threadIdx.y;
    if ((along_y ? threadIdx.y : threadIdx.x) == 0) shared[row] = s;
    __syncthreads();
    s = shared[row];
    __syncthreads(); /* shared is free again */
    return s;
}

#endif
