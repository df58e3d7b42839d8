/* row.cu - softmax, log_softmax, layer_norm, rms_norm. Terms are those of the CPU; sums are in f64.
 *
 * Threads side by side take neighbours in memory: four elements of a row each, or, where rows lie side by side, rows. Which element is whose follows
 * from the layout; whether four are read and written at once, from their alignment, too. */
#include "row.cuh"

#include <stdlib.h>

#include "dims.h"

namespace {

struct row_launch {
    stria_cuda_dims   rows; /* in, out */
    const char       *in;
    char             *out;
    int32_t           in_dtype, out_dtype;
    int64_t           length, n_rows, in_step, out_step;
    bool              rows_in_x, in_fours; /* in_fours: elements of a row of x lie side by side */
    double            eps;
    stria_cuda_vector weight, bias;
};

/* The elements of a row that a thread takes: first, first + step .. of `width` neighbours each, 1 or four. */
template <class T>
struct row_part {
    const char    *in;
    char          *out;
    int64_t        first, step, end, in_step, out_step;
    int32_t        in_dtype, out_dtype, width;
    __device__ int get_count(int64_t k) const { return width == 1 ? 1 : get_left(k, end); }
    /* From element k on, n <= width; those beyond them are 0. */
    __device__ void get(int64_t k, int n, T *x) const
    {
        if (width == 1) {
            x[0] = row_load<T>(in + k * in_step, in_dtype);
#pragma unroll
            for (int i = 1; i < STRIA_CUDA_FOUR; i++) x[i] = T(0);
        } else {
            row_load_four<T>(in + k * in_step, in_dtype, in_step, n, x);
        }
    }
    __device__ void set(int64_t k, int n, const T *x) const
    {
        if (width == 1)
            row_store<T>(out + k * out_step, out_dtype, x[0]);
        else
            row_store_four<T>(out + k * out_step, out_dtype, out_step, n, x);
    }
    /* take(x) for each element. */
    template <class Take>
    __device__ __forceinline__ void each(const Take &take) const
    {
        for (int64_t k = first; k < end; k += step) {
            const int n = get_count(k);
            T         x[STRIA_CUDA_FOUR];
            get(k, n, x);
#pragma unroll
            for (int i = 0; i < STRIA_CUDA_FOUR; i++)
                if (i < n) take(x[i]);
        }
    }
    /* map(k, n, x) changes the n elements from number k on. */
    template <class Map>
    __device__ __forceinline__ void replace(const Map &map) const
    {
        for (int64_t k = first; k < end; k += step) {
            const int n = get_count(k);
            T         x[STRIA_CUDA_FOUR];
            get(k, n, x);
            map(k, n, x);
            set(k, n, x);
        }
    }
};

template <class T, bool IS_LOG>
static __device__ void run_softmax(const row_part<T> &row, const row_launch &call, void *shared)
{
    T        most = -(T)INFINITY;
    two_sums sums = {0, 0};

    row.each([&](T x) { most = x > most ? x : most; });
    most = join_row<row_largest<T>>(most, shared, call.rows_in_x);
    row.each([&](T x) { sums.a += (double)row_words<T>::exp(x - most); });
    sums = join_row<row_sums>(sums, shared, call.rows_in_x);
    const T factor = (T)(1 / sums.a), log = (T)vec_log_f64(sums.a);
    row.replace([&](int64_t, int n, T *x) {
#pragma unroll
        for (int i = 0; i < STRIA_CUDA_FOUR; i++) {
            if (i >= n) continue;
            const T apart = x[i] - most;
            x[i] = IS_LOG ? apart - log : row_words<T>::exp(apart) * factor;
        }
    });
}

/* From element k on, n elements. */
template <class T>
static __device__ __forceinline__ void get_parameters(const row_part<T> &row, const stria_cuda_vector &v, int64_t k,
                                                      int n, T *x)
{
    if (row.width == 1)
        x[0] = get_element<T>(v, k);
    else
        get_four<T>(v, k, n, x);
}

template <class T, bool IS_RMS>
static __device__ void run_norm(const row_part<T> &row, const row_launch &call, void *shared)
{
    double   mean = 0;
    two_sums sums = {0, 0};

    if (!IS_RMS) {
        row.each([&](T x) { add_to_mean<T>(&sums, x); });
        mean = get_mean<T>(join_row<row_sums>(sums, shared, call.rows_in_x), (double)call.length);
        sums = two_sums{0, 0};
    }
    row.each([&](T x) {
        const double apart = (double)x - mean;
        sums.a += apart * apart;
    });
    const double          square = join_row<row_sums>(sums, shared, call.rows_in_x).a / (double)call.length;
    const row_standard<T> z = row_standard<T>::from(mean, square, call.eps);
    row.replace([&](int64_t k, int n, T *x) {
        T w[STRIA_CUDA_FOUR] = {}, b[STRIA_CUDA_FOUR] = {};
        if (call.weight.data != NULL) get_parameters<T>(row, call.weight, k, n, w);
        if (call.bias.data != NULL) get_parameters<T>(row, call.bias, k, n, b);
#pragma unroll
        for (int i = 0; i < STRIA_CUDA_FOUR; i++) {
            if (i >= n) continue;
            x[i] = z.get(x[i]);
            if (call.weight.data != NULL) x[i] = x[i] * w[i];
            if (call.bias.data != NULL) x[i] = x[i] + b[i];
        }
    });
}

/* A block has 256 threads, and 4 KB of shared memory for the states of all of them. */
template <class T, int KIND>
static __global__ void __launch_bounds__(ROW_THREADS) row_kernel(const __grid_constant__ row_launch call)
{
    STRIA_CUDA_SHARED(double, shared, [ROW_SHARED / 8]);
    const unsigned among = call.rows_in_x ? threadIdx.x : threadIdx.y,
                   together = call.rows_in_x ? blockDim.x : blockDim.y;
    const int64_t number = (int64_t)blockIdx.x * together + among;
    const bool    is_there = number < call.n_rows;
    row_part<T>   row = {};
    int64_t       in, out;

    stria_cuda_dims_get(&call.rows, is_there ? number : 0, &in, &out);
    row.in = call.in + in;
    row.out = call.out + out;
    row.width = call.in_fours ? STRIA_CUDA_FOUR : 1;
    row.first = (int64_t)(call.rows_in_x ? threadIdx.y : threadIdx.x) * row.width;
    row.step = (int64_t)(call.rows_in_x ? blockDim.y : blockDim.x) * row.width;
    row.end = is_there ? call.length : 0; /* threads without a row still meet the others */
    row.in_step = call.in_step;
    row.out_step = call.out_step;
    row.in_dtype = call.in_dtype;
    row.out_dtype = call.out_dtype;
    if constexpr (KIND == STRIA_CUDA_SOFTMAX || KIND == STRIA_CUDA_LOG_SOFTMAX)
        run_softmax<T, KIND == STRIA_CUDA_LOG_SOFTMAX>(row, call, shared);
    else
        run_norm<T, KIND == STRIA_CUDA_RMS_NORM>(row, call, shared);
}

template <class T, int KIND>
static int launch_rows(stria_cuda_stream *stream, const row_launch &call)
{
    const int n = get_row_threads(call.in_fours ? get_fours(call.length) : call.length), others = ROW_THREADS / n;
    dim3      blocks;

    if (!call.rows_in_x) {
        if (!get_row_blocks(call.n_rows, others, &blocks)) return STRIA_CUDA_TOO_LARGE;
        return launch_kernel(stream, row_kernel<T, KIND>, blocks, dim3((unsigned)n, (unsigned)others), 0, call);
    }
    if (!get_row_blocks(call.n_rows, 32, &blocks)) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, row_kernel<T, KIND>, blocks, dim3(32, n < 8 ? (unsigned)n : 8), 0, call);
}

template <class T>
static int launch_kind(stria_cuda_stream *stream, stria_cuda_row_kind kind, const row_launch &call)
{
    switch (kind) {
    case STRIA_CUDA_SOFTMAX: return launch_rows<T, STRIA_CUDA_SOFTMAX>(stream, call);
    case STRIA_CUDA_LOG_SOFTMAX: return launch_rows<T, STRIA_CUDA_LOG_SOFTMAX>(stream, call);
    case STRIA_CUDA_LAYER_NORM: return launch_rows<T, STRIA_CUDA_LAYER_NORM>(stream, call);
    case STRIA_CUDA_RMS_NORM: return launch_rows<T, STRIA_CUDA_RMS_NORM>(stream, call);
    }
    return STRIA_CUDA_NO_KERNEL;
}

} // namespace

int stria_cuda_run_row(stria_cuda_stream *stream, const stria_cuda_row_call *call)
{
    row_launch to = {};

    if (!stria_cuda_dims_init(&to.rows, call->ndim, call->shape, call->in_stride, call->out_stride))
        return STRIA_CUDA_TOO_LARGE;
    to.in = call->in;
    to.out = call->out;
    to.in_dtype = call->in_dtype;
    to.out_dtype = call->out_dtype;
    to.length = call->length;
    to.n_rows = call->n_rows;
    to.in_step = call->in_step;
    to.out_step = call->out_step;
    to.rows_in_x = call->ndim > 0 && llabs(call->in_stride[0]) < llabs(call->in_step);
    to.in_fours = !to.rows_in_x && call->in_step == (int64_t)size_of(call->in_dtype) &&
                  call->out_step == (int64_t)size_of(call->out_dtype);
    to.eps = call->eps;
    to.weight = call->weight;
    to.bias = call->bias;
    if (call->compute == STRIA_F32) return launch_kind<float>(stream, call->kind, to);
    return call->compute == STRIA_F64 ? launch_kind<double>(stream, call->kind, to) : (int)STRIA_CUDA_NO_KERNEL;
}
