/* convert.cu - copies between any strides and dtypes, and one value in every element. */
#include "conversion.cuh"

#include "calls_copy.h"
#include "fours.cuh"
#include "runs.cuh"

static const int PER_THREAD = 4;

/* Elements as they are. */
struct bytes_16 {
    uint64_t at[2];
};

/* Operands of a walk in two forms: runs, whose offsets are multiples of `size`, and others. */
struct walked {
    uint32_t           n;
    bool               are_runs;
    uint32_t           size[2]; /* of runs: bytes from one element to the next */
    char              *data[2];
    stria_cuda_offsets offsets;
};

static __device__ __forceinline__ void get_offsets(const walked &w, uint32_t i, int64_t *offset)
{
    if (w.are_runs) {
        offset[0] = (int64_t)i * w.size[0];
        offset[1] = (int64_t)i * w.size[1];
    } else {
        int32_t found[STRIA_CUDA_MAX_OPERANDS];
        stria_cuda_offsets_get(&w.offsets, w.offsets.n_operands > 1 ? 2 : 1, i, found);
        offset[0] = found[0];
        offset[1] = w.offsets.n_operands > 1 ? found[1] : 0;
    }
}

/* ---------------------------------------------------------------- copies */

template <class To>
static __global__ void convert_kernel(walked w, int from)
{
    uint32_t i = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;

    for (int k = 0; k < PER_THREAD && i < w.n; k++, i += STRIA_CUDA_THREADS) {
        int64_t offset[2];
        get_offsets(w, i, offset);
        *reinterpret_cast<typename To::element *>(w.data[0] + offset[0]) = load_as<To>(w.data[1] + offset[1], from);
    }
}

template <class T>
static __global__ void move_kernel(walked w)
{
    uint32_t i = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;

    for (int k = 0; k < PER_THREAD && i < w.n; k++, i += STRIA_CUDA_THREADS) {
        int64_t offset[2];
        get_offsets(w, i, offset);
        *reinterpret_cast<T *>(w.data[0] + offset[0]) = *reinterpret_cast<const T *>(w.data[1] + offset[1]);
    }
}

/* Four neighbours at once, or one element four times. Those of an end that are fewer go one by one. */
template <class To>
static __global__ void __launch_bounds__(STRIA_CUDA_THREADS) convert_vectors_kernel(walked w, int from, bool is_one)
{
    const uint32_t vector = blockIdx.x * (uint32_t)STRIA_CUDA_THREADS + threadIdx.x, first = vector * STRIA_CUDA_FOUR;
    int32_t        offset[2];

    if (first >= w.n) return;
    stria_cuda_offsets_get(&w.offsets, 2, vector, offset);
    char                 *to = w.data[0] + offset[0];
    const char           *at = w.data[1] + offset[1];
    typename To::element *y = reinterpret_cast<typename To::element *>(to);
    if (w.n - first >= STRIA_CUDA_FOUR && !is_one) {
        *reinterpret_cast<four<typename To::element> *>(to) = load_four<To>(at, from);
        return;
    }
    const uint32_t left = w.n - first < STRIA_CUDA_FOUR ? w.n - first : STRIA_CUDA_FOUR;
    for (uint32_t k = 0; k < left; k++) y[k] = load_as<To>(at + (is_one ? 0 : k * w.size[1]), from);
}

/* ---------------------------------------------------------------- copies by tiles */

enum { TILE_THREADS = 256, TILE_ACROSS = 32, TILE_DOWN = TILE_THREADS / TILE_ACROSS };

/* Squares of 32 elements, and of 64 where they have one or two bytes, so that a block has 4 KB or more under way. Rows in shared memory are an odd number
 * of banks apart, so that columns are free of conflicts. At most 16.5 KB: an SM has room for eight blocks, all of its threads. */
template <class T>
struct tile_shape {
    static const int edge = sizeof(T) <= 2 ? 64 : 32;
    static const int row = edge + (sizeof(T) < 4 ? 4 / (int)sizeof(T) : 1);
};

struct tile_call {
    stria_cuda_tiles tiles;
    char            *data[2];
};

/* A thread in its tile: x, y of its first element; n[0], n[1]: elements of this tile along its dims, or more; where operands begin. */
struct tile_place {
    int         x, y;
    int32_t     n[2];
    const char *from;
    char       *to;
};

static __device__ __forceinline__ tile_place get_place(const tile_call &call, int edge)
{
    tile_place p;
    int32_t    begin[2], offset[2];

    stria_cuda_tiles_begin(&call.tiles, blockIdx.x, edge, begin);
    stria_cuda_offsets_get(&call.tiles.first, 2, blockIdx.x, offset);
    p.x = (int)(threadIdx.x % TILE_ACROSS);
    p.y = (int)(threadIdx.x / TILE_ACROSS);
    for (int s = 0; s < 2; s++) p.n[s] = call.tiles.size[s] - begin[s];
    p.from = call.data[1] + offset[1];
    p.to = call.data[0] + offset[0];
    return p;
}

/* Element number n of a thread: i along dim 0, k along dim 1 for those who read; the other way round for those who write. */
template <class T>
struct tile_element {
    static const int           across = tile_shape<T>::edge / TILE_ACROSS;
    static const int           count = tile_shape<T>::edge * tile_shape<T>::edge / TILE_THREADS;
    int                        i, k;
    __device__ __forceinline__ tile_element(const tile_place &p, int n)
        : i(p.y + n / across * TILE_DOWN), k(p.x + n % across * TILE_ACROSS)
    {
    }
};

/* Along dim 1, where operand 1 has neighbours; all elements of a thread are under way before the first is converted. */
template <class From, class T, class Convert>
static __device__ __forceinline__ void read_tile(const tile_call &call, const tile_place      &p,
                                                 T (*tile)[tile_shape<T>::row], const Convert &convert)
{
    From x[tile_element<T>::count];

#pragma unroll
    for (int n = 0; n < tile_element<T>::count; n++) {
        const tile_element<T> e(p, n);
        if (e.i < p.n[0] && e.k < p.n[1])
            x[n] =
                *reinterpret_cast<const From *>(p.from + e.i * call.tiles.stride[0][1] + e.k * call.tiles.stride[1][1]);
        else
            x[n] = From();
    }
#pragma unroll
    for (int n = 0; n < tile_element<T>::count; n++) {
        const tile_element<T> e(p, n);
        tile[e.i][e.k] = convert(x[n]);
    }
}

/* Elements as they are. */
template <class T>
struct read_plain {
    typedef T                       element;
    __device__ __forceinline__ void operator()(const tile_call &call, const tile_place &p,
                                               T (*tile)[tile_shape<T>::row]) const
    {
        read_tile<T, T>(call, p, tile, [](const T &x) { return x; });
    }
};

template <class To, class From>
struct convert_one {
    __device__ __forceinline__ typename To::element operator()(typename From::element x) const
    {
        return To::from(From::load(x));
    }
};

/* Elements of the dtype `from`, converted. */
template <class To>
struct read_converted {
    typedef typename To::element    element;
    int                             from;
    __device__ __forceinline__ void operator()(const tile_call &call, const tile_place &p,
                                               element (*tile)[tile_shape<element>::row]) const
    {
        switch (from) {
#define READ(D) read_tile<element_##D, element>(call, p, tile, convert_one<To, as_##D>())
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) \
    case STRIA_##D: {                                                   \
        READ(D);                                                        \
        break;                                                          \
    }
#include "table/dtypes.def"
#undef READ
        default: break;
        }
    }
};

/* Written along dim 0, where operand 0 has neighbours. */
template <class Read>
static __global__ void __launch_bounds__(TILE_THREADS) tile_kernel(tile_call call, Read read)
{
    typedef typename Read::element T;
    STRIA_CUDA_SHARED(T, tile, [tile_shape<T>::edge][tile_shape<T>::row]);
    const tile_place p = get_place(call, tile_shape<T>::edge);

    read(call, p, tile);
    __syncthreads();
#pragma unroll
    for (int n = 0; n < tile_element<T>::count; n++) {
        const tile_element<T> e(p, n);
        if (e.k < p.n[0] && e.i < p.n[1])
            *reinterpret_cast<T *>(p.to + e.k * call.tiles.stride[0][0] + e.i * call.tiles.stride[1][0]) =
                tile[e.k][e.i];
    }
}

template <class Read>
static int launch_tiles(stria_cuda_stream *stream, const stria_cuda_walk *walk, const stria_cuda_form_input &in,
                        const stria_cuda_turn &turn, const Read &read)
{
    tile_call call;

    if (!stria_cuda_tiles_init(&call.tiles, &in, &turn, tile_shape<typename Read::element>::edge))
        return STRIA_CUDA_TOO_LARGE;
    for (int k = 0; k < 2; k++) call.data[k] = walk->data[k];
    return launch_kernel(stream, tile_kernel<Read>, dim3(call.tiles.n), dim3(TILE_THREADS), 0, call, read);
}

static int move_tiles(stria_cuda_stream *stream, const stria_cuda_walk *walk, const stria_cuda_form_input &in,
                      const stria_cuda_turn &turn)
{
    switch (in.size[0]) {
    case 1: return launch_tiles(stream, walk, in, turn, read_plain<uint8_t>());
    case 2: return launch_tiles(stream, walk, in, turn, read_plain<uint16_t>());
    case 4: return launch_tiles(stream, walk, in, turn, read_plain<uint32_t>());
    case 8: return launch_tiles(stream, walk, in, turn, read_plain<uint64_t>());
    default: return launch_tiles(stream, walk, in, turn, read_plain<bytes_16>());
    }
}

/* ---------------------------------------------------------------- the choice */

static bool describe(const stria_cuda_walk *walk, int64_t n, walked *w)
{
    w->n = (uint32_t)n;
    w->are_runs = true;
    for (int k = 0; k < 2; k++) w->data[k] = NULL, w->size[k] = 0;
    for (int k = 0; k < walk->n_operands; k++) {
        const int64_t stride = walk->ndim == 1 ? walk->strides[k] : 0;
        w->data[k] = walk->data[k];
        w->size[k] = (uint32_t)stride;
        w->are_runs = w->are_runs && walk->ndim <= 1 && stride >= 0 && stride <= 16;
    }
    return w->are_runs ||
           stria_cuda_offsets_init(&w->offsets, walk->ndim, walk->n_operands, walk->shape, walk->strides);
}

template <class T>
static int move(stria_cuda_stream *stream, const walked &w)
{
    return launch_kernel(stream, move_kernel<T>, blocks_for(w.n, PER_THREAD), dim3(STRIA_CUDA_THREADS), 0, w);
}

static int move_of_size(stria_cuda_stream *stream, size_t size, const walked &w)
{
    switch (size) {
    case 1: return move<uint8_t>(stream, w);
    case 2: return move<uint16_t>(stream, w);
    case 4: return move<uint32_t>(stream, w);
    case 8: return move<uint64_t>(stream, w);
    default: return move<bytes_16>(stream, w);
    }
}

namespace {

/* What a conversion to any dtype takes. */
struct run_convert {
    stria_cuda_stream           *stream;
    const stria_cuda_walk       *walk;
    const stria_cuda_form_input *in;
    stria_cuda_form              form;
    const stria_cuda_turn       *turn;
    const walked                *w;
    int                          from;
    template <class To>
    int operator()(To) const
    {
        const dim3 blocks = blocks_for(w->n, PER_THREAD), threads(STRIA_CUDA_THREADS);

        if (form == STRIA_CUDA_FORM_TILES) return launch_tiles(stream, walk, *in, *turn, read_converted<To>{from});
        if (form == STRIA_CUDA_FORM_VECTORS)
            return launch_kernel(stream, convert_vectors_kernel<To>, blocks, threads, 0, *w, from, in->strides[1] == 0);
        return launch_kernel(stream, convert_kernel<To>, blocks, threads, 0, *w, from);
    }
};

} // namespace

static int convert(stria_cuda_stream *stream, const stria_cuda_walk *walk, int64_t n)
{
    const stria_cuda_form_input in = get_form_input(walk, 0, 0);
    stria_cuda_turn             turn;
    const stria_cuda_form       form = stria_cuda_form_get(&in, &turn);
    walked                      w;

    if (!describe(walk, n, &w)) return STRIA_CUDA_TOO_LARGE;
    if (form == STRIA_CUDA_FORM_VECTORS) {
        if (!stria_cuda_vectors_init(&w.offsets, &n, &in, STRIA_CUDA_FOUR)) return STRIA_CUDA_TOO_LARGE;
        w.size[1] = (uint32_t)in.size[1];
    }
    return with_dtype(walk->dtype[0], run_convert{stream, walk, &in, form, &turn, &w, walk->dtype[1]});
}

/* Between operands of one dtype. */
static int move_any(stria_cuda_stream *stream, const stria_cuda_walk *walk, int64_t n)
{
    const size_t                size = size_of(walk->dtype[0]);
    const stria_cuda_form_input in = get_form_input(walk, 0, 16 / (int)size);
    stria_cuda_turn             turn;
    const stria_cuda_form       form = stria_cuda_form_get(&in, &turn);
    walked                      w;

    if (!describe(walk, n, &w)) return STRIA_CUDA_TOO_LARGE;
    if (is_run(walk, 0, (int64_t)size) && is_run(walk, 1, (int64_t)size)) {
        STRIA_CUDA_TRY(cudaSetDevice(stream->device));
        return code_of(
            cudaMemcpyAsync(w.data[0], w.data[1], (size_t)n * size, cudaMemcpyDeviceToDevice, stream->stream));
    }
    if (form == STRIA_CUDA_FORM_TILES) return move_tiles(stream, walk, in, turn);
    if (form == STRIA_CUDA_FORM_ROWS && walk->strides[1] != 0) { /* as elements of 16 bytes */
        if (!stria_cuda_vectors_init(&w.offsets, &n, &in, in.alike)) return STRIA_CUDA_TOO_LARGE;
        w.n = (uint32_t)n;
        return move<neighbours<uint64_t, 2>>(stream, w);
    }
    return move_of_size(stream, size, w);
}

int stria_cuda_run_convert(stria_cuda_stream *stream, const stria_cuda_convert_call *call)
{
    const stria_cuda_walk *walk = &call->walk;
    const int64_t          n = count_walk(walk);

    if (size_of(walk->dtype[0]) == 0 || size_of(walk->dtype[1]) == 0) return STRIA_CUDA_NO_KERNEL;
    if (n < 0 || walk->n_operands != 2) return STRIA_CUDA_TOO_LARGE;
    if (n == 0) return STRIA_CUDA_OK;
    return walk->dtype[0] != walk->dtype[1] ? convert(stream, walk, n) : move_any(stream, walk, n);
}

/* ---------------------------------------------------------------- fills */

template <class T>
static __global__ void fill_kernel(walked w, stria_cuda_value value)
{
    uint32_t i = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * PER_THREAD) + threadIdx.x;
    T        x;

    memcpy(&x, value.bits, sizeof x);
    for (int k = 0; k < PER_THREAD && i < w.n; k++, i += STRIA_CUDA_THREADS) {
        int64_t offset[2];
        get_offsets(w, i, offset);
        *reinterpret_cast<T *>(w.data[0] + offset[0]) = x;
    }
}

template <class T>
static __global__ void fill_run_kernel(char *out, uint32_t n, bool is_aligned, stria_cuda_value value)
{
    constexpr int            WIDTH = 16 / (int)sizeof(T);
    const thread_part<WIDTH> part(n, is_aligned);
    T                        x[WIDTH];

    if (part.first >= n) return;
#pragma unroll
    for (int k = 0; k < WIDTH; k++) memcpy(&x[k], value.bits, sizeof(T));
    store_part<T, WIDTH>(part, reinterpret_cast<T *>(out), x);
}

template <class T>
static int fill(stria_cuda_stream *stream, bool is_dense, const walked &w, stria_cuda_value value)
{
    constexpr int WIDTH = 16 / (int)sizeof(T);

    if (!is_dense)
        return launch_kernel(stream, fill_kernel<T>, blocks_for(w.n, PER_THREAD), dim3(STRIA_CUDA_THREADS), 0, w,
                             value);
    const bool is_aligned = is_aligned_for(w.data[0], sizeof(T), WIDTH);
    return launch_kernel(stream, fill_run_kernel<T>, blocks_for(w.n, WIDTH), dim3(STRIA_CUDA_THREADS), 0, w.data[0],
                         w.n, is_aligned, value);
}

int stria_cuda_run_fill(stria_cuda_stream *stream, const stria_cuda_fill_call *call)
{
    const stria_cuda_walk *walk = &call->walk;
    const int64_t          n = count_walk(walk), size = (int64_t)size_of(walk->dtype[0]);
    const bool             is_dense = is_run(walk, 0, size);
    walked                 w;

    if (size == 0) return STRIA_CUDA_NO_KERNEL;
    if (n < 0 || walk->n_operands != 1 || !describe(walk, n, &w)) return STRIA_CUDA_TOO_LARGE;
    if (n == 0) return STRIA_CUDA_OK;
    switch (size) {
    case 1: return fill<uint8_t>(stream, is_dense, w, call->value);
    case 2: return fill<uint16_t>(stream, is_dense, w, call->value);
    case 4: return fill<uint32_t>(stream, is_dense, w, call->value);
    case 8: return fill<uint64_t>(stream, is_dense, w, call->value);
    default: return fill<bytes_16>(stream, false, w, call->value);
    }
}
