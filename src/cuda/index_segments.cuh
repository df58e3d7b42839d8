/* index_segments.cuh - scatters by an order (calls_index.h): the positions that meet one element of the table are a segment of it.
 *
 * Up to STRIA_CUDA_INDEX_PART positions are combined one after another, with the CPU's bits; those of a longer segment in parts of as many, and
 * their results one after another. */
#ifndef STRIA_CUDA_INDEX_SEGMENTS_CUH
#define STRIA_CUDA_INDEX_SEGMENTS_CUH

#include "conversion.cuh"

#include "index_place.cuh"
#include "primitives.cuh"

/* ---------------------------------------------------------------- the order */

static __global__ void order_key_kernel(stria_cuda_index_call c, uint64_t *keys, int64_t *numbers)
{
    const int64_t i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    place         at = {0, 0, 0};

    if (i >= c.order.n) return;
    add_place(c, c.n_shared, c.ndim, i, &at);
    keys[i] = (uint64_t)((at.table + get_offset(c, at.index) - c.order.lowest) / c.item_size);
    numbers[i] = i;
}

static int run_order(stria_cuda_stream *stream, const stria_cuda_index_call *call)
{
    const int64_t n = call->order.n;
    void         *block = NULL;
    int           bits = 1;

    while (bits < 64 && call->order.n_elements >> bits != 0) bits++;
    int code = stria_cuda_block_new(stream, 2 * (size_t)n * sizeof(uint64_t), &block);
    if (code != STRIA_CUDA_OK) return code;
    uint64_t *keys = static_cast<uint64_t *>(block);
    int64_t  *numbers = static_cast<int64_t *>(block) + n;
    code = launch_kernel(stream, order_key_kernel, blocks_of(n), dim3(STRIA_CUDA_THREADS), 0, *call, keys, numbers);
    if (code == STRIA_CUDA_OK)
        code = stria_cuda_sort_pairs(stream, keys, call->order.keys, numbers, call->order.numbers, n, bits);
    const int released = stria_cuda_block_release(stream, block);
    return code != STRIA_CUDA_OK ? code : released;
}

/* ---------------------------------------------------------------- segments */

/* A thread's position in the order, and its position of the shared dims. */
struct segment_at {
    int64_t p, shared;
    place   first; /* of the latter */
};

static __device__ __forceinline__ bool get_segment(const stria_cuda_index_call &c, segment_at *s)
{
    const int64_t i = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;

    s->p = i / c.order.n_shared_positions;
    s->shared = i - s->p * c.order.n_shared_positions;
    if (s->p >= c.order.n) return false;
    s->first = place{0, 0, 0};
    add_place(c, 0, c.n_shared, s->shared, &s->first);
    return true;
}

/* Where position p of the order lies. */
static __device__ __forceinline__ place get_place(const stria_cuda_index_call &c, const segment_at &s, int64_t p)
{
    place at = s.first;
    add_place(c, c.n_shared, c.ndim, c.order.numbers[p], &at);
    return at;
}

static __device__ __forceinline__ bool is_head(const stria_cuda_index_order &o, int64_t p)
{
    return p == 0 || o.keys[p - 1] != o.keys[p];
}

/* Whether a part begins at p, which is no head. */
static __device__ __forceinline__ bool is_part(const stria_cuda_index_order &o, int64_t p)
{
    const uint64_t key = o.keys[p];
    int64_t        low = 0, high = p;

    if (p < STRIA_CUDA_INDEX_PART || o.keys[p - STRIA_CUDA_INDEX_PART] != key) return false;
    while (low < high) { /* the head */
        const int64_t middle = low + (high - low) / 2;
        if (o.keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return (p - low) % STRIA_CUDA_INDEX_PART == 0;
}

template <class T>
static __global__ void set_last_kernel(stria_cuda_index_call c)
{
    segment_at s;

    if (!get_segment(c, &s)) return;
    if (s.p + 1 < c.order.n && c.order.keys[s.p + 1] == c.order.keys[s.p]) return;
    const place at = get_place(c, s, s.p);
    *reinterpret_cast<T *>(c.table + at.table + get_offset(c, at.index)) =
        *reinterpret_cast<const T *>(c.other + at.other);
}

/* Begun parts lie that far apart, so that each has a room of its own. */
template <class L>
static __device__ __forceinline__ typename L::element *get_room(const stria_cuda_index_call &c, const segment_at &s,
                                                                int64_t p)
{
    return reinterpret_cast<typename L::element *>(c.order.parts) +
           p / STRIA_CUDA_INDEX_PART * c.order.n_shared_positions + s.shared;
}

template <class L>
static __device__ __forceinline__ typename L::element get_source(const stria_cuda_index_call &c, const segment_at &s,
                                                                 int64_t p)
{
    return load_as<typename L::as>(c.other + get_place(c, s, p).other, c.other_dtype);
}

/* Every part: the first one of a segment into the table, others into their room. */
template <class L>
static __global__ void part_kernel(stria_cuda_index_call c)
{
    typedef typename L::element element;
    segment_at                  s;

    if (!get_segment(c, &s)) return;
    const bool begins = is_head(c.order, s.p);
    if (!begins && !is_part(c.order, s.p)) return;
    const uint64_t key = c.order.keys[s.p];
    const int64_t  last = s.p + STRIA_CUDA_INDEX_PART < c.order.n ? s.p + STRIA_CUDA_INDEX_PART : c.order.n;
    const place    at = get_place(c, s, s.p);
    element       *to =
        begins ? reinterpret_cast<element *>(c.table + at.table + get_offset(c, at.index)) : get_room<L>(c, s, s.p);
    element sum = load_as<typename L::as>(c.other + at.other, c.other_dtype);
    if (begins) sum = L::combine(c.action, *to, sum);
    for (int64_t p = s.p + 1; p < last && c.order.keys[p] == key; p++)
        sum = L::combine(c.action, sum, get_source<L>(c, s, p));
    *to = sum;
}

/* The other parts of segments that have some into the table. */
template <class L>
static __global__ void join_parts_kernel(stria_cuda_index_call c)
{
    typedef typename L::element element;
    segment_at                  s;

    if (!get_segment(c, &s) || !is_head(c.order, s.p)) return;
    const uint64_t key = c.order.keys[s.p];
    int64_t        p = s.p + STRIA_CUDA_INDEX_PART;
    if (p >= c.order.n || c.order.keys[p] != key) return;
    const place at = get_place(c, s, s.p);
    element    *to = reinterpret_cast<element *>(c.table + at.table + get_offset(c, at.index)), sum = *to;
    for (; p < c.order.n && c.order.keys[p] == key; p += STRIA_CUDA_INDEX_PART)
        sum = L::combine(c.action, sum, *get_room<L>(c, s, p));
    *to = sum;
}

template <class L>
static int combine_segments(stria_cuda_stream *stream, const stria_cuda_index_call *call)
{
    const dim3 blocks = blocks_of(call->order.n * call->order.n_shared_positions), threads(STRIA_CUDA_THREADS);
    const int  code = launch_kernel(stream, part_kernel<L>, blocks, threads, 0, *call);

    if (code != STRIA_CUDA_OK || call->order.n <= STRIA_CUDA_INDEX_PART) return code;
    return launch_kernel(stream, join_parts_kernel<L>, blocks, threads, 0, *call);
}

template <class T>
static int set_segments(stria_cuda_stream *stream, const stria_cuda_index_call *call)
{
    return launch_kernel(stream, set_last_kernel<T>, blocks_of(call->order.n * call->order.n_shared_positions),
                         dim3(STRIA_CUDA_THREADS), 0, *call);
}

#endif
