/* row.cu - softmax, log_softmax, layer_norm, rms_norm. Terms are those of the CPU; sums are in f64.
 *
 * Threads side by side take neighbours in memory: elements of a row, or, where rows lie side by side, rows. */
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
    bool              rows_in_x;
    double            eps;
    stria_cuda_vector weight, bias;
};

/* The elements of a row that a thread takes. */
template <class T>
struct row_part {
    const char     *in;
    char           *out;
    int64_t         first, step, end, in_step, out_step;
    int32_t         in_dtype, out_dtype;
    __device__ T    get(int64_t k) const { return row_load<T>(in + k * in_step, in_dtype); }
    __device__ void set(int64_t k, T x) const { row_store<T>(out + k * out_step, out_dtype, x); }
};

template <class T, bool IS_LOG>
static __device__ void run_softmax(const row_part<T> &row, const row_launch &call, void *shared)
{
    T        most = -(T)INFINITY;
    two_sums sums = {0, 0};

    for (int64_t k = row.first; k < row.end; k += row.step) {
        const T x = row.get(k);
        most = x > most ? x : most;
    }
    most = join_row<row_largest<T>>(most, shared, call.rows_in_x);
    for (int64_t k = row.first; k < row.end; k += row.step) sums.a += (double)row_words<T>::exp(row.get(k) - most);
    sums = join_row<row_sums>(sums, shared, call.rows_in_x);
    const T factor = (T)(1 / sums.a), log = (T)vec_log_f64(sums.a);
    for (int64_t k = row.first; k < row.end; k += row.step) {
        const T x = row.get(k) - most;
        row.set(k, IS_LOG ? x - log : row_words<T>::exp(x) * factor);
    }
}

template <class T, bool IS_RMS>
static __device__ void run_norm(const row_part<T> &row, const row_launch &call, void *shared)
{
    double   mean = 0;
    two_sums sums = {0, 0};

    if (!IS_RMS) {
        for (int64_t k = row.first; k < row.end; k += row.step) add_to_mean<T>(&sums, row.get(k));
        mean = get_mean<T>(join_row<row_sums>(sums, shared, call.rows_in_x), (double)call.length);
        sums = two_sums{0, 0};
    }
    for (int64_t k = row.first; k < row.end; k += row.step) {
        const double apart = (double)row.get(k) - mean;
        sums.a += apart * apart;
    }
    const double          square = join_row<row_sums>(sums, shared, call.rows_in_x).a / (double)call.length;
    const row_standard<T> z = row_standard<T>::from(mean, square, call.eps);
    for (int64_t k = row.first; k < row.end; k += row.step) {
        T y = z.get(row.get(k));
        if (call.weight.data != NULL) y = y * get_element<T>(call.weight, k);
        if (call.bias.data != NULL) y = y + get_element<T>(call.bias, k);
        row.set(k, y);
    }
}

template <class T, int KIND>
static __global__ void __launch_bounds__(ROW_THREADS) row_kernel(row_launch call)
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
    row.first = call.rows_in_x ? threadIdx.y : threadIdx.x;
    row.step = call.rows_in_x ? blockDim.y : blockDim.x;
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
    const int n = get_row_threads(call.length), others = ROW_THREADS / n;
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
    to.eps = call->eps;
    to.weight = call->weight;
    to.bias = call->bias;
    if (call->compute == STRIA_F32) return launch_kind<float>(stream, call->kind, to);
    return call->compute == STRIA_F64 ? launch_kind<double>(stream, call->kind, to) : (int)STRIA_CUDA_NO_KERNEL;
}
