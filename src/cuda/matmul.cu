/* matmul.cu - matrix products: of floats by cuBLASLt where they lie as it wants them; all others in tiles of shared memory. */
#include "conversion.cuh"

#include "calls_matmul.h"
#include "cublas.cuh"

static const int TILE = 16;

/* ---------------------------------------------------------------- what sums are made of */

/* An element of any dtype as a summand, sums, and where they go. */
template <class T, class As>
struct real_sum {
    typedef T                              sum;
    static __device__ __forceinline__ T    load(const char *at, int dtype) { return (T)load_as<As>(at, dtype); }
    static __device__ __forceinline__ void add(T *sum, T a, T b) { *sum = *sum + a * b; }
};

template <class T, class As>
struct float_sum : real_sum<T, As> {
    static __device__ __forceinline__ void store(char *at, int dtype, int, T x)
    {
        switch (dtype) {
        case STRIA_F16: *reinterpret_cast<element_F16 *>(at) = as_F16::from(x); break;
        case STRIA_BF16: *reinterpret_cast<element_BF16 *>(at) = as_BF16::from(x); break;
        case STRIA_F32: *reinterpret_cast<float *>(at) = as_F32::from(x); break;
        default: *reinterpret_cast<double *>(at) = as_F64::from(x); break;
        }
    }
};

/* Modulo 2^32 or 2^64, which the lower bytes of narrower integers are right of, too. */
template <class T, class As>
struct whole_sum : real_sum<T, As> {
    static __device__ __forceinline__ void store(char *at, int, int size, T x)
    {
        switch (size) {
        case 1: *reinterpret_cast<uint8_t *>(at) = (uint8_t)x; break;
        case 2: *reinterpret_cast<uint16_t *>(at) = (uint16_t)x; break;
        case 4: *reinterpret_cast<uint32_t *>(at) = (uint32_t)x; break;
        default: *reinterpret_cast<uint64_t *>(at) = (uint64_t)x; break;
        }
    }
};

template <class T, class As>
struct complex_sum {
    typedef T                              sum;
    static __device__ __forceinline__ T    load(const char *at, int dtype) { return load_as<As>(at, dtype); }
    static __device__ __forceinline__ void add(T *sum, T a, T b)
    {
        sum->re = sum->re + (a.re * b.re - a.im * b.im);
        sum->im = sum->im + (a.re * b.im + a.im * b.re);
    }
    static __device__ __forceinline__ void store(char *at, int, int, T x) { *reinterpret_cast<T *>(at) = x; }
};

/* ---------------------------------------------------------------- tiles */

struct tiled {
    stria_cuda_matmul_call call;
    int64_t                tiles_m, tiles_n;
    int                    size_a, size_b, size_c;
};

/* A block computes a tile of c, a thread an element of it, in the order of p. */
template <class S>
static __global__ void tile_kernel(tiled t)
{
    typedef typename S::sum sum;
    STRIA_CUDA_SHARED(sum, left, [TILE][TILE + 1]);
    STRIA_CUDA_SHARED(sum, right, [TILE][TILE + 1]);
    const stria_cuda_matmul_call &call = t.call;
    const int                     x = (int)(threadIdx.x % TILE), y = (int)(threadIdx.x / TILE);
    const int64_t                 tile = blockIdx.x, matrix = tile / (t.tiles_m * t.tiles_n);
    const int64_t                 i = tile / t.tiles_n % t.tiles_m * TILE + y, j = tile % t.tiles_n * TILE + x;
    const char                   *a = call.a.data + (matrix * call.a.batch + i * call.a.row) * t.size_a;
    const char                   *b = call.b.data + (matrix * call.b.batch + j * call.b.column) * t.size_b;
    sum                           total = sum();

    for (int64_t p = 0; p < call.k; p += TILE) {
        left[y][x] =
            i < call.m && p + x < call.k ? S::load(a + (p + x) * call.a.column * t.size_a, call.a.dtype) : sum();
        right[y][x] = j < call.n && p + y < call.k ? S::load(b + (p + y) * call.b.row * t.size_b, call.b.dtype) : sum();
        __syncthreads();
        for (int q = 0; q < TILE; q++) S::add(&total, left[y][q], right[q][x]);
        __syncthreads();
    }
    if (i < call.m && j < call.n)
        S::store(call.c.data + (matrix * call.c.batch + i * call.c.row + j * call.c.column) * t.size_c, call.c.dtype,
                 t.size_c, total);
}

static int size_of(int dtype)
{
    static const uint8_t sizes[] = {
#define STRIA_DTYPE(word, D, size, category, compute, js, npy, summary) size,
#include "table/dtypes.def"
    };
    return sizes[dtype];
}

template <class S>
static int run_tiles(stria_cuda_stream *stream, const stria_cuda_matmul_call *call)
{
    const int64_t tiles_m = (call->m + TILE - 1) / TILE, tiles_n = (call->n + TILE - 1) / TILE;
    const tiled   t = {*call, tiles_m, tiles_n, size_of(call->a.dtype), size_of(call->b.dtype), size_of(call->c.dtype)};

    if (tiles_m > INT32_MAX / tiles_n || tiles_m * tiles_n > INT32_MAX / call->n_matrices) return STRIA_CUDA_TOO_LARGE;
    return launch_kernel(stream, tile_kernel<S>, dim3((unsigned)(tiles_m * tiles_n * call->n_matrices)),
                         dim3(TILE * TILE), 0, t);
}

/* ---------------------------------------------------------------- as cuBLASLt wants it */

/* The transpose of a matrix of rows x columns, as one that is column-major or the transpose of one. False: it is neither. */
static bool turn(const stria_cuda_matrix *x, int64_t rows, int64_t columns, gemm_side *side)
{
    const int64_t row = rows == 1 ? columns : x->row, column = columns == 1 ? rows : x->column;

    side->data = x->data;
    side->batch = x->batch;
    if (x->batch < 0) return false;
    if ((columns == 1 || x->column == 1) && row >= columns) {
        side->is_turned = false;
        side->rows = columns;
        side->columns = rows;
        side->leading = row;
        return true;
    }
    side->is_turned = true;
    side->rows = rows;
    side->columns = columns;
    side->leading = column;
    return (rows == 1 || x->row == 1) && column >= rows;
}

/* c^T = b^T a^T: what is row-major is its transpose in column-major order. */
static int run_gemm(stria_cuda_stream *stream, const stria_cuda_matmul_call *call)
{
    gemm product;

    product.dtype = call->a.dtype;
    product.c_dtype = call->c.dtype;
    product.compute = product.dtype == STRIA_F64                        ? GEMM_F64
                      : product.dtype == STRIA_F32 && call->allows_tf32 ? GEMM_TF32
                                                                        : GEMM_F32;
    product.k = call->k;
    product.n_matrices = call->n_matrices;
    if (call->b.dtype != product.dtype || (product.c_dtype != product.dtype && product.c_dtype != call->compute))
        return STRIA_CUDA_NO_KERNEL;
    if (!turn(&call->b, call->k, call->n, &product.a) || !turn(&call->a, call->m, call->k, &product.b) ||
        !turn(&call->c, call->m, call->n, &product.c) || product.c.is_turned)
        return STRIA_CUDA_NO_KERNEL;
    return stria_cuda_run_gemm(stream, &product);
}

int stria_cuda_run_matmul(stria_cuda_stream *stream, const stria_cuda_matmul_call *call)
{
    const bool is_float = call->compute == STRIA_F32 || call->compute == STRIA_F64;
    const int  code = is_float ? run_gemm(stream, call) : (int)STRIA_CUDA_NO_KERNEL;

    if (code != STRIA_CUDA_NO_KERNEL) return code;
    switch (call->compute) {
    case STRIA_F32: return run_tiles<float_sum<float, as_F32>>(stream, call);
    case STRIA_F64: return run_tiles<float_sum<double, as_F64>>(stream, call);
    case STRIA_C64: return run_tiles<complex_sum<cast_c64, as_C64>>(stream, call);
    case STRIA_C128: return run_tiles<complex_sum<cast_c128, as_C128>>(stream, call);
    case STRIA_I64:
    case STRIA_U64: return run_tiles<whole_sum<uint64_t, as_U64>>(stream, call);
    case STRIA_BOOL: return STRIA_CUDA_NO_KERNEL;
    default: return run_tiles<whole_sum<uint32_t, as_U32>>(stream, call);
    }
}
