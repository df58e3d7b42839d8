/* element_kernels.cuh - the kernels of a functor F (elementwise_template.cuh), and the choice between them, which is stria_cuda_form_get's.
 *
 *   packed    operands of F's own dtypes, or all of f16 or bf16 where F computes in f32, by vectors of 16 bytes: FLAT, ROWS
 *   general   any strides and dtypes, conversion on load and store; four elements of a thread in flight: TILES, VECTORS, APART
 */
#ifndef STRIA_CUDA_ELEMENT_KERNELS_CUH
#define STRIA_CUDA_ELEMENT_KERNELS_CUH

#include "calls_element.h"
#include "fours.cuh"
#include "runs.cuh"
#include "vocabulary.cuh"

/* ---------------------------------------------------------------- how elements lie in memory */

template <class T>
struct stored_plain {
    typedef T                                 element;
    static __device__ __forceinline__ T       load(element x, bool) { return x; }
    static __device__ __forceinline__ element store(T x, bool) { return x; }
};
/* f16 or bf16. */
struct stored_short {
    typedef uint16_t                        element;
    static __device__ __forceinline__ float load(element x, bool is_bf16)
    {
        return is_bf16 ? load_BF16(x) : load_F16(x);
    }
    static __device__ __forceinline__ element store(float x, bool is_bf16)
    {
        return is_bf16 ? to_BF16_from_F32(x) : to_F16_from_F32(x);
    }
};

/* ---------------------------------------------------------------- packed */

struct packed_call {
    uint32_t           n; /* elements; ROWS: vectors */
    bool               is_rows, is_aligned, is_bf16;
    uint32_t           values, ones; /* bit j: input j is value[j]; is one element for all of a vector */
    char              *data[STRIA_CUDA_MAX_OPERANDS];
    stria_cuda_value   value[STRIA_MAX_INPUTS];
    stria_cuda_offsets offsets; /* of ROWS, by the number of a vector */
};

template <class T>
static __device__ __forceinline__ T get_value(const stria_cuda_value &value)
{
    T x;
    memcpy(&x, value.bits, sizeof x);
    return x;
}

/* Input j for all elements of a thread: lanes as S stores them, or the bytes of a condition. */
template <class E, class S, class L, int WIDTH>
static __device__ __forceinline__ void load_input(const packed_call &call, int j, const char *from,
                                                  const thread_part<WIDTH> &part, L *x)
{
    E loaded[WIDTH];

    if (call.values >> j & 1u) {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) x[k] = get_value<L>(call.value[j]);
        return;
    }
    if (call.ones >> j & 1u) {
        const E one = *reinterpret_cast<const E *>(from);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) loaded[k] = one;
    } else {
        load_part<E, WIDTH>(part, reinterpret_cast<const E *>(from), loaded);
    }
#pragma unroll
    for (int k = 0; k < WIDTH; k++) x[k] = S::load(loaded[k], call.is_bf16);
}

/* 128 threads and no shared memory: registers alone say how many blocks an SM holds, and one access of 16 bytes of each operand is in flight in
 * each thread. */
template <class F, class S>
static __global__ void __launch_bounds__(STRIA_CUDA_THREADS) packed_kernel(packed_call call)
{
    typedef typename F::lane lane;
    constexpr int            WIDTH = 16 / (int)sizeof(typename S::element), N = 1 + F::n_in;
    thread_part<WIDTH>       part(call.n, call.is_aligned);
    int32_t                  offset[N] = {};
    lane                     x[F::n_in][WIDTH];
    uint8_t                  condition[WIDTH];
    typename F::out          y[WIDTH];

    if (call.is_rows) {
        const uint32_t vector = blockIdx.x * (uint32_t)STRIA_CUDA_THREADS + threadIdx.x;
        if (vector >= call.n) return;
        stria_cuda_offsets_get(&call.offsets, N, vector, offset);
        part = thread_part<WIDTH>();
    }
    if (part.first >= part.n) return;
    if constexpr (F::is_select)
        load_input<uint8_t, stored_plain<uint8_t>>(call, 0, call.data[1] + offset[1], part, condition);
#pragma unroll
    for (int j = F::is_select ? 1 : 0; j < F::n_in; j++)
        load_input<typename S::element, S>(call, j, call.data[1 + j] + offset[1 + j], part, x[j]);
#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        lane each[F::n_in];
        if constexpr (F::is_select) each[0] = lane(condition[k] != 0);
#pragma unroll
        for (int j = F::is_select ? 1 : 0; j < F::n_in; j++) each[j] = x[j][k];
        y[k] = F::run(each);
    }
    F::template store_run<S>(part, call.data[0] + offset[0], y, call.is_bf16);
}

/* ---------------------------------------------------------------- general */

enum { TILE_THREADS = 256, TILE_ROWS = TILE_THREADS / STRIA_CUDA_TILE };
static_assert(TILE_ROWS * STRIA_CUDA_FOUR == STRIA_CUDA_TILE, "a thread has four elements of a tile");

struct general_call {
    stria_cuda_form  form;
    uint32_t         n, values;
    stria_cuda_tiles tiles; /* of other forms, `first` alone: offsets of elements, or of vectors */
    uint32_t         ones;  /* VECTORS: bit j: input j is one element for all of a vector */
    char            *data[STRIA_CUDA_MAX_OPERANDS];
    int              dtype[STRIA_CUDA_MAX_OPERANDS], size[STRIA_CUDA_MAX_OPERANDS];
    stria_cuda_value value[STRIA_MAX_INPUTS];
};

/* How a row takes its inputs: the kernels of all rows of one lane type and number of inputs share what follows. */
template <class L, int N_IN, bool IS_SELECT>
struct inputs {
    typedef L                lanes;
    typedef typename L::lane lane;
    static const int         n_in = N_IN;
    static const bool        is_select = IS_SELECT;
};

/* The elements of a thread: lanes of each input, and where results go. Bit k of `there`: there is element k. */
template <class I>
struct four_elements {
    uint32_t         there;
    typename I::lane x[I::n_in][STRIA_CUDA_FOUR];
    int32_t          out[STRIA_CUDA_FOUR];
};

/* Input j in all four, if the call carries it. */
template <class I>
static __device__ inline bool take_value(const general_call &call, int j, typename I::lane *x)
{
    typedef typename I::lane lane;

    if ((call.values >> j & 1u) == 0) return false;
    const lane one =
        I::is_select && j == 0 ? lane(get_value<uint8_t>(call.value[j]) != 0) : get_value<lane>(call.value[j]);
#pragma unroll
    for (int k = 0; k < STRIA_CUDA_FOUR; k++) x[k] = one;
    return true;
}

/* Input j at these offsets. */
template <class I>
static __device__ inline void take_each(const general_call &call, int j, uint32_t there, const int32_t *offset,
                                        typename I::lane *x)
{
#pragma unroll
    for (int k = 0; k < STRIA_CUDA_FOUR; k++)
        x[k] = there >> k & 1u ? I::lanes::load(call.data[1 + j] + offset[k], call.dtype[1 + j]) : typename I::lane(0);
}

template <class I>
static __device__ inline void take_apart(const general_call &call, four_elements<I> *e)
{
    constexpr int  N = 1 + I::n_in;
    const uint32_t first = blockIdx.x * (uint32_t)(STRIA_CUDA_THREADS * STRIA_CUDA_FOUR) + threadIdx.x;
    int32_t        offset[N][STRIA_CUDA_FOUR];

    e->there = 0;
#pragma unroll
    for (int k = 0; k < STRIA_CUDA_FOUR; k++) {
        const uint32_t i = first + (uint32_t)(k * STRIA_CUDA_THREADS);
        int32_t        at[N];
        if (i < call.n) e->there |= 1u << k;
        stria_cuda_offsets_get(&call.tiles.first, N, i < call.n ? i : 0, at);
#pragma unroll
        for (int j = 0; j < N; j++) offset[j][k] = at[j];
        e->out[k] = at[0];
    }
#pragma unroll
    for (int j = 0; j < I::n_in; j++)
        if (!take_value<I>(call, j, e->x[j])) take_each<I>(call, j, e->there, offset[1 + j], e->x[j]);
}

/* Input j of a vector: all of it at once, one element for all, or, of one that is not whole, what is there. */
template <class I>
static __device__ inline void take_neighbours(const general_call &call, int j, uint32_t there, const char *from,
                                              typename I::lane *x)
{
    typedef typename I::lanes lanes;
    typedef typename I::lane  lane;
    const int                 dtype = call.dtype[1 + j];

    if (call.ones >> j & 1u) {
        const lane one = there != 0 ? lanes::load(from, dtype) : lane(0);
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++) x[k] = one;
    } else if (there == 15u) {
        const four<lane> all = dtype == lanes::dtype ? *reinterpret_cast<const four<lane> *>(from)
                                                     : load_four<typename lanes::stored>(from, dtype);
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++) x[k] = all.at[k];
    } else {
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++)
            x[k] = there >> k & 1u ? lanes::load(from + k * call.size[1 + j], dtype) : lane(0);
    }
}

template <class I>
static __device__ inline void take_vector(const general_call &call, four_elements<I> *e)
{
    constexpr int  N = 1 + I::n_in;
    const uint32_t vector = blockIdx.x * (uint32_t)STRIA_CUDA_THREADS + threadIdx.x, first = vector * STRIA_CUDA_FOUR;
    int32_t        at[N];

    e->there = first >= call.n ? 0 : call.n - first >= STRIA_CUDA_FOUR ? 15u : (1u << (call.n - first)) - 1;
    stria_cuda_offsets_get(&call.tiles.first, N, first < call.n ? vector : 0, at);
#pragma unroll
    for (int k = 0; k < STRIA_CUDA_FOUR; k++) e->out[k] = at[0] + (e->there >> k & 1u ? k * call.size[0] : 0);
#pragma unroll
    for (int j = 0; j < I::n_in; j++)
        if (!take_value<I>(call, j, e->x[j]))
            take_neighbours<I>(call, j, e->there, call.data[1 + j] + at[1 + j], e->x[j]);
}

/* A thread in its tile: x and y of its first element; n[0], n[1]: elements of this tile along its dims, or more. */
struct tile_place {
    int32_t x, y, n[2];
};

/* One column more than the tile has keeps rows and columns free of conflicts between the banks of shared memory. */
template <class T>
struct lane_tile {
    T at[STRIA_CUDA_TILE][STRIA_CUDA_TILE + 1];
};

/* Operands that lie across, read along dim 1. */
template <class I>
static __device__ inline void read_tiles(const general_call &call, const tile_place &p, const int32_t *at,
                                         lane_tile<typename I::lane> *tile)
{
#pragma unroll
    for (int j = 0; j < I::n_in; j++) {
        if ((call.tiles.turned >> (1 + j) & 1u) == 0) continue;
        const char *from = call.data[1 + j] + at[1 + j] + (p.x < p.n[1] ? p.x : 0) * call.tiles.stride[1][1 + j];
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++) {
            const int32_t i = p.y + k * TILE_ROWS;
            if (p.x < p.n[1] && i < p.n[0])
                tile->at[i][p.x] = I::lanes::load(from + i * call.tiles.stride[0][1 + j], call.dtype[1 + j]);
        }
        tile++;
    }
}

/* Threads side by side have neighbours of dim 0: of tiles in shared memory, and of operands that do not lie across. */
template <class I>
static __device__ inline void take_tile(const general_call &call, lane_tile<typename I::lane> *tile,
                                        four_elements<I> *e)
{
    constexpr int N = 1 + I::n_in;
    tile_place    p = {(int32_t)(threadIdx.x % STRIA_CUDA_TILE), (int32_t)(threadIdx.x / STRIA_CUDA_TILE), {0, 0}};
    int32_t       begin[2], at[N], offset[N][STRIA_CUDA_FOUR];

    stria_cuda_tiles_begin(&call.tiles, blockIdx.x, STRIA_CUDA_TILE, begin);
    stria_cuda_offsets_get(&call.tiles.first, N, blockIdx.x, at);
    p.n[0] = call.tiles.size[0] - begin[0];
    p.n[1] = call.tiles.size[1] - begin[1];
    read_tiles<I>(call, p, at, tile);
    __syncthreads();
    e->there = 0;
#pragma unroll
    for (int k = 0; k < STRIA_CUDA_FOUR; k++) {
        const int32_t i = p.y + k * TILE_ROWS;
        const bool    is_there = p.x < p.n[0] && i < p.n[1];
        if (is_there) e->there |= 1u << k;
#pragma unroll
        for (int j = 0; j < N; j++)
            offset[j][k] = at[j] + (is_there ? p.x * call.tiles.stride[0][j] + i * call.tiles.stride[1][j] : 0);
        e->out[k] = offset[0][k];
    }
#pragma unroll
    for (int j = 0; j < I::n_in; j++) {
        if (take_value<I>(call, j, e->x[j])) continue;
        if ((call.tiles.turned >> (1 + j) & 1u) == 0) {
            take_each<I>(call, j, e->there, offset[1 + j], e->x[j]);
            continue;
        }
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++)
            e->x[j][k] = e->there >> k & 1u ? tile->at[p.x][p.y + k * TILE_ROWS] : typename I::lane(0);
        tile++;
    }
}

/* Results at out[k], k of `there`. G: what the row gives (elementwise_template.cuh). */
template <class G>
static __device__ inline void put_results(const general_call &call, uint32_t there, const int32_t *out,
                                          const typename G::out *y)
{
    if (call.form == STRIA_CUDA_FORM_VECTORS && there == 15u) {
        four<typename G::out> all;
#pragma unroll
        for (int k = 0; k < STRIA_CUDA_FOUR; k++) all.at[k] = y[k];
        if (call.dtype[0] == G::out_dtype)
            *reinterpret_cast<four<typename G::out> *>(call.data[0] + out[0]) = all;
        else
            store_four<typename G::out_stored>(call.data[0] + out[0], call.dtype[0], all);
        return;
    }
#pragma unroll
    for (int k = 0; k < STRIA_CUDA_FOUR; k++)
        if (there >> k & 1u) G::store(call.data[0] + out[k], call.dtype[0], y[k]);
}

/* 128 threads, of TILES 256 with a tile of at most 8.25 KB for each operand that lies across: 25 KB at most, so that an SM holds six blocks. Other forms
 * ask for no shared memory. */
template <class F>
static __global__ void __launch_bounds__(TILE_THREADS) general_kernel(general_call call)
{
    typedef inputs<typename F::lanes, F::n_in, F::is_select> taken;
    STRIA_CUDA_DYNAMIC_SHARED(lane_tile<typename F::lane>, tile);
    four_elements<taken> e;
    typename F::out      y[STRIA_CUDA_FOUR];

    if (call.form == STRIA_CUDA_FORM_TILES)
        take_tile<taken>(call, tile, &e);
    else if (call.form == STRIA_CUDA_FORM_VECTORS)
        take_vector<taken>(call, &e);
    else
        take_apart<taken>(call, &e);
#pragma unroll
    for (int k = 0; k < STRIA_CUDA_FOUR; k++) {
        typename F::lane each[F::n_in];
#pragma unroll
        for (int j = 0; j < F::n_in; j++) each[j] = e.x[j][k];
        y[k] = F::run(each);
    }
    put_results<typename F::given>(call, e.there, e.out, y);
}

/* ---------------------------------------------------------------- the choice */

/* The dtype that all lanes have in memory, apart from values; -1: they differ. F::dtype if all are values. */
template <class F>
static int common_storage(const stria_cuda_element_call *call)
{
    const stria_cuda_walk *walk = &call->walk;
    int                    common = F::out_dtype == F::dtype ? (int)walk->dtype[0] : -1;

    if (F::out_dtype != F::dtype && walk->dtype[0] != F::out_dtype) return -1;
    for (int j = F::is_select ? 1 : 0; j < F::n_in; j++) {
        if (call->values >> j & 1u) continue;
        if (common >= 0 && common != (int)walk->dtype[1 + j]) return -1;
        common = (int)walk->dtype[1 + j];
    }
    return common >= 0 ? common : F::dtype;
}

/* Elements of 16 bytes in the packed kernels; 0: they do not take the call. */
template <class F>
static int packed_width(const stria_cuda_element_call *call, int storage)
{
    const bool is_short = F::dtype == STRIA_F32 && (storage == STRIA_F16 || storage == STRIA_BF16);

    if (F::is_select && (call->values & 1u) == 0 && call->walk.dtype[1] != STRIA_BOOL) return 0;
    if (is_short) return 16 / (int)sizeof(uint16_t);
    return storage == F::dtype ? 16 / (int)sizeof(typename F::lane) : 0;
}

/* Bit j: input j is the same for all of dim 0. */
static uint32_t get_ones(const stria_cuda_form_input &in)
{
    uint32_t ones = 0;

    for (int k = 1; k < in.n_operands; k++)
        if (in.ndim == 0 || in.strides[k] == 0) ones |= 1u << (k - 1);
    return ones;
}

/* False: offsets are too large. */
static bool describe_packed(const stria_cuda_element_call *call, const stria_cuda_form_input &in, bool is_rows,
                            packed_call *to)
{
    int64_t n = count_walk(&call->walk);

    to->is_rows = is_rows;
    if (is_rows && !stria_cuda_vectors_init(&to->offsets, &n, &in, in.alike)) return false;
    to->n = (uint32_t)n;
    to->values = call->values;
    to->ones = get_ones(in);
    to->is_aligned = true;
    for (int k = 0; k < in.n_operands; k++) {
        to->data[k] = call->walk.data[k];
        if (in.size[k] != 0 && (k == 0 || (to->ones >> (k - 1) & 1u) == 0))
            to->is_aligned = to->is_aligned && is_aligned_for(to->data[k], (size_t)in.size[k], in.alike);
        if (k > 0) to->value[k - 1] = call->value[k - 1];
    }
    return true;
}

template <class F, class S>
static int launch_packed(stria_cuda_stream *stream, const stria_cuda_element_call *call,
                         const stria_cuda_form_input &in, bool is_rows, bool is_bf16)
{
    packed_call to;

    if (!describe_packed(call, in, is_rows, &to)) return STRIA_CUDA_TOO_LARGE;
    to.is_bf16 = is_bf16;
    return launch_kernel(stream, packed_kernel<F, S>, blocks_for(to.n, is_rows ? 1 : in.alike),
                         dim3(STRIA_CUDA_THREADS), 0, to);
}

/* False: offsets are too large. */
static bool describe_general(const stria_cuda_element_call *call, const stria_cuda_form_input &in, stria_cuda_form form,
                             const stria_cuda_turn &turn, general_call *to)
{
    int64_t n = 0;

    to->form = form;
    to->tiles.turned = 0;
    to->n = (uint32_t)count_walk(&call->walk);
    to->values = call->values;
    to->ones = get_ones(in);
    for (int k = 0; k < in.n_operands; k++) {
        to->data[k] = call->walk.data[k];
        to->dtype[k] = (int)call->walk.dtype[k];
        to->size[k] = in.size[k];
        if (k > 0) to->value[k - 1] = call->value[k - 1];
    }
    if (form == STRIA_CUDA_FORM_TILES) return stria_cuda_tiles_init(&to->tiles, &in, &turn, STRIA_CUDA_TILE);
    return stria_cuda_vectors_init(&to->tiles.first, &n, &in, form == STRIA_CUDA_FORM_VECTORS ? STRIA_CUDA_FOUR : 1);
}

template <class F>
static int launch_general(stria_cuda_stream *stream, const stria_cuda_element_call *call,
                          const stria_cuda_form_input &in, stria_cuda_form form, const stria_cuda_turn &turn)
{
    general_call to;

    if (!describe_general(call, in, form, turn, &to)) return STRIA_CUDA_TOO_LARGE;
    if (form != STRIA_CUDA_FORM_TILES)
        return launch_kernel(stream, general_kernel<F>, blocks_for(to.n, STRIA_CUDA_FOUR), dim3(STRIA_CUDA_THREADS), 0,
                             to);
    return launch_kernel(stream, general_kernel<F>, dim3(to.tiles.n), dim3(TILE_THREADS),
                         sizeof(lane_tile<typename F::lane>) * (size_t)__builtin_popcount(turn.turned), to);
}

template <class F>
static int launch(stria_cuda_stream *stream, const stria_cuda_element_call *call)
{
    const int64_t   n = count_walk(&call->walk);
    const int       storage = common_storage<F>(call), width = packed_width<F>(call, storage);
    stria_cuda_turn turn;

    if (n < 0 || call->walk.n_operands != 1 + F::n_in) return STRIA_CUDA_TOO_LARGE;
    if (n == 0) return STRIA_CUDA_OK;
    const stria_cuda_form_input in = get_form_input(&call->walk, call->values << 1, width);
    const stria_cuda_form       form = stria_cuda_form_get(&in, &turn);
    if (form != STRIA_CUDA_FORM_FLAT && form != STRIA_CUDA_FORM_ROWS)
        return launch_general<F>(stream, call, in, form, turn);
    if constexpr (F::dtype == STRIA_F32)
        if (storage != F::dtype)
            return launch_packed<F, stored_short>(stream, call, in, form == STRIA_CUDA_FORM_ROWS,
                                                  storage == STRIA_BF16);
    return launch_packed<F, stored_plain<typename F::lane>>(stream, call, in, form == STRIA_CUDA_FORM_ROWS, false);
}

typedef int launch_fn(stria_cuda_stream *stream, const stria_cuda_element_call *call);

#endif
