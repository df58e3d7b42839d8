/* row_backward.cu - the gradients of softmax, log_softmax, layer_norm and rms_norm. Terms are those of the CPU; sums are in f64. */
#include "row.cuh"

namespace {

typedef stria_cuda_row_backward_call backward_call;

/* ROWS_TOGETHER rows have one sum of a column; such sums are then added up. */
enum { ROWS_TOGETHER = 128, COLUMNS = 32, COLUMN_THREADS = 8 };

/* Elements of a row as its threads take them, four neighbours each: run(k, n) of elements k .. k + n - 1. */
template <class Run>
static __device__ __forceinline__ void each_four(int64_t begin, int64_t end, const Run &run)
{
    for (int64_t k = begin + (int64_t)threadIdx.x * STRIA_CUDA_FOUR; k < end;
         k += (int64_t)blockDim.x * STRIA_CUDA_FOUR)
        run(k, get_left(k, end));
}

template <class T, bool IS_LOG>
static __device__ void run_softmax(const backward_call &call, int64_t begin, int64_t end, void *shared)
{
    two_sums sums = {0, 0};

    each_four(begin, end, [&](int64_t k, int n) {
        T g[STRIA_CUDA_FOUR], y[STRIA_CUDA_FOUR] = {};
        get_four<T>(call.gradient, k, n, g);
        if (!IS_LOG) get_four<T>(call.other, k, n, y);
#pragma unroll
        for (int i = 0; i < STRIA_CUDA_FOUR; i++)
            if (i < n) sums.a += (double)(IS_LOG ? g[i] : g[i] * y[i]);
    });
    const T all = (T)join_row<row_sums>(sums, shared, false).a;
    each_four(begin, end, [&](int64_t k, int n) {
        T g[STRIA_CUDA_FOUR], y[STRIA_CUDA_FOUR];
        get_four<T>(call.gradient, k, n, g);
        get_four<T>(call.other, k, n, y);
#pragma unroll
        for (int i = 0; i < STRIA_CUDA_FOUR; i++)
            g[i] = IS_LOG ? g[i] - row_words<T>::exp(y[i]) * all : y[i] * (g[i] - all);
        set_four<T>(call.out, k, n, g);
    });
}

/* g * weight, of elements k .. of the row that begins at `begin`. */
template <class T>
static __device__ __forceinline__ void get_weighted(const backward_call &call, int64_t begin, int64_t k, int n, T *h)
{
    T w[STRIA_CUDA_FOUR];

    get_four<T>(call.gradient, k, n, h);
    if (call.weight.data == NULL) return;
    get_four<T>(call.weight, k - begin, n, w);
#pragma unroll
    for (int i = 0; i < STRIA_CUDA_FOUR; i++) h[i] = h[i] * w[i];
}

/* How a row is standardised. */
template <class T, bool IS_RMS>
static __device__ row_standard<T> get_standard(const backward_call &call, int64_t begin, int64_t end, void *shared)
{
    const double length = (double)call.length;
    double       mean = 0;
    two_sums     sums = {0, 0};

    if (!IS_RMS) {
        each_four(begin, end, [&](int64_t k, int n) {
            T x[STRIA_CUDA_FOUR];
            get_four<T>(call.other, k, n, x);
#pragma unroll
            for (int i = 0; i < STRIA_CUDA_FOUR; i++)
                if (i < n) add_to_mean<T>(&sums, x[i]);
        });
        mean = get_mean<T>(join_row<row_sums>(sums, shared, false), length);
        sums = two_sums{0, 0};
    }
    each_four(begin, end, [&](int64_t k, int n) {
        T x[STRIA_CUDA_FOUR];
        get_four<T>(call.other, k, n, x);
#pragma unroll
        for (int i = 0; i < STRIA_CUDA_FOUR; i++) {
            const double apart = (double)x[i] - mean;
            if (i < n) sums.a += apart * apart;
        }
    });
    const double square = join_row<row_sums>(sums, shared, false).a / length;
    return row_standard<T>::from(mean, square, call.eps);
}

template <class T, bool IS_RMS>
static __device__ void run_norm(const backward_call &call, int64_t begin, int64_t end, void *shared,
                                row_standard<T> *standard)
{
    const double          length = (double)call.length;
    const row_standard<T> z = get_standard<T, IS_RMS>(call, begin, end, shared);
    two_sums              sums = {0, 0};

    if (begin < end && threadIdx.x == 0) *standard = z;
    each_four(begin, end, [&](int64_t k, int n) {
        T h[STRIA_CUDA_FOUR], x[STRIA_CUDA_FOUR];
        get_weighted<T>(call, begin, k, n, h);
        get_four<T>(call.other, k, n, x);
#pragma unroll
        for (int i = 0; i < STRIA_CUDA_FOUR; i++) {
            if (i >= n) continue;
            sums.a += (double)h[i];
            sums.b += (double)(h[i] * z.get(x[i]));
        }
    });
    sums = join_row<row_sums>(sums, shared, false);
    const T level = (T)(IS_RMS ? 0 : sums.a / length), slope = (T)(sums.b / length);
    each_four(begin, end, [&](int64_t k, int n) {
        T h[STRIA_CUDA_FOUR], x[STRIA_CUDA_FOUR];
        get_weighted<T>(call, begin, k, n, h);
        get_four<T>(call.other, k, n, x);
#pragma unroll
        for (int i = 0; i < STRIA_CUDA_FOUR; i++) h[i] = (h[i] - level - z.get(x[i]) * slope) * z.factor;
        set_four<T>(call.out, k, n, h);
    });
}

/* standard: [n_rows], of norms. */
template <class T, int KIND>
static __global__ void __launch_bounds__(ROW_THREADS)
    backward_kernel(const __grid_constant__ backward_call call, row_standard<T> *standard)
{
    STRIA_CUDA_SHARED(double, shared, [ROW_SHARED / 8]);
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    const bool    is_there = row < call.n_rows;
    const int64_t begin = is_there ? row * call.length : 0, end = is_there ? begin + call.length : 0;

    if constexpr (KIND == STRIA_CUDA_SOFTMAX || KIND == STRIA_CUDA_LOG_SOFTMAX)
        run_softmax<T, KIND == STRIA_CUDA_LOG_SOFTMAX>(call, begin, end, shared);
    else
        run_norm<T, KIND == STRIA_CUDA_RMS_NORM>(call, begin, end, shared, standard + row);
}

/* ---------------------------------------------------------------- weight and bias */

/* Sums of ROWS_TOGETHER rows: block y * n_x + x, of n_x that have all columns, has columns x * COLUMNS .. and rows y * ROWS_TOGETHER ..; sums is
 * [n_parts][length]. */
template <class T>
static __global__ void __launch_bounds__(COLUMNS *COLUMN_THREADS)
    columns_kernel(backward_call call, const row_standard<T> *standard, two_sums *sums, unsigned n_x)
{
    STRIA_CUDA_SHARED(two_sums, shared, [COLUMNS * COLUMN_THREADS]);
    const int64_t part = blockIdx.x / n_x, first = part * ROWS_TOGETHER;
    const int64_t column = (int64_t)(blockIdx.x % n_x) * COLUMNS + threadIdx.x;
    const int64_t last = first + ROWS_TOGETHER < call.n_rows ? first + ROWS_TOGETHER : call.n_rows;
    two_sums      s = {0, 0};

    for (int64_t row = first + threadIdx.y; row < last && column < call.length; row += COLUMN_THREADS) {
        const int64_t k = row * call.length + column;
        const T       g = get_element<T>(call.gradient, k);
        s.a += (double)(g * standard[row].get(get_element<T>(call.other, k)));
        s.b += (double)g;
    }
    s = join_along_y<row_sums>(s, no_params(), shared);
    if (threadIdx.y == 0 && column < call.length) sums[part * call.length + column] = s;
}

static __global__ void __launch_bounds__(STRIA_CUDA_THREADS)
    add_columns_kernel(backward_call call, const two_sums *sums, int n_parts)
{
    const int64_t column = (int64_t)blockIdx.x * STRIA_CUDA_THREADS + threadIdx.x;
    two_sums      s = {0, 0};

    if (column >= call.length) return;
    for (int k = 0; k < n_parts; k++) row_sums::join(&s, sums[k * call.length + column], no_params());
    if (call.weight_gradient.data != NULL) set_element<double>(call.weight_gradient, column, s.a);
    if (call.bias_gradient.data != NULL) set_element<double>(call.bias_gradient, column, s.b);
}

template <class T>
static int add_columns(stria_cuda_stream *stream, const backward_call &call, const row_standard<T> *standard,
                       two_sums *sums, int64_t n_parts)
{
    const int64_t n_x = (call.length + COLUMNS - 1) / COLUMNS;
    int           code = STRIA_CUDA_OK;

    if (n_parts > 0)
        code = launch_kernel(stream, columns_kernel<T>, dim3((unsigned)(n_x * n_parts)), dim3(COLUMNS, COLUMN_THREADS),
                             0, call, standard, sums, (unsigned)n_x);
    if (code != STRIA_CUDA_OK) return code;
    return launch_kernel(stream, add_columns_kernel,
                         dim3((unsigned)stria_cuda_grid_get(call.length, 1, STRIA_CUDA_THREADS)),
                         dim3(STRIA_CUDA_THREADS), 0, call, (const two_sums *)sums, (int)n_parts);
}

/* ---------------------------------------------------------------- launches */

template <class T, int KIND>
static int launch_rows(stria_cuda_stream *stream, const backward_call &call, row_standard<T> *standard)
{
    const int n = get_row_threads(get_fours(call.length)), others = ROW_THREADS / n;
    dim3      blocks;

    if (call.n_rows == 0) return STRIA_CUDA_OK;
    if (!get_row_blocks(call.n_rows, others, &blocks)) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, backward_kernel<T, KIND>, blocks, dim3((unsigned)n, (unsigned)others), 0, call,
                         standard);
}

/* Temporary memory: how each row is standardised, then the sums of its columns. */
template <class T, int KIND>
static int launch_norm(stria_cuda_stream *stream, const backward_call &call)
{
    const int64_t n_parts = (call.n_rows + ROWS_TOGETHER - 1) / ROWS_TOGETHER;
    const size_t  rows_nbytes = (size_t)(call.n_rows + 1) * sizeof(row_standard<T>) / 16 * 16 + 16;
    void         *block = NULL;

    if (n_parts > INT32_MAX / ((call.length + COLUMNS - 1) / COLUMNS)) return STRIA_CUDA_TOO_LARGE;
    int code = stria_cuda_block_new(stream, rows_nbytes + (size_t)(n_parts * call.length) * sizeof(two_sums), &block);
    if (code != STRIA_CUDA_OK) return code;
    row_standard<T> *standard = static_cast<row_standard<T> *>(block);
    two_sums        *sums = reinterpret_cast<two_sums *>(static_cast<char *>(block) + rows_nbytes);
    code = launch_rows<T, KIND>(stream, call, standard);
    if (code == STRIA_CUDA_OK) code = add_columns<T>(stream, call, standard, sums, n_parts);
    const int ended = stria_cuda_block_release(stream, block);
    return code != STRIA_CUDA_OK ? code : ended;
}

template <class T>
static int launch_kind(stria_cuda_stream *stream, const backward_call &call)
{
    switch (call.kind) {
    case STRIA_CUDA_SOFTMAX: return launch_rows<T, STRIA_CUDA_SOFTMAX>(stream, call, NULL);
    case STRIA_CUDA_LOG_SOFTMAX: return launch_rows<T, STRIA_CUDA_LOG_SOFTMAX>(stream, call, NULL);
    case STRIA_CUDA_LAYER_NORM: return launch_norm<T, STRIA_CUDA_LAYER_NORM>(stream, call);
    case STRIA_CUDA_RMS_NORM: return launch_norm<T, STRIA_CUDA_RMS_NORM>(stream, call);
    }
    return STRIA_CUDA_NO_KERNEL;
}

} // namespace

int stria_cuda_run_row_backward(stria_cuda_stream *stream, const stria_cuda_row_backward_call *call)
{
    if (call->compute == STRIA_F32) return launch_kind<float>(stream, *call);
    return call->compute == STRIA_F64 ? launch_kind<double>(stream, *call) : (int)STRIA_CUDA_NO_KERNEL;
}
