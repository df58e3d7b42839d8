/* cublas_host.cu - the products of src/cuda/cublas.cu without cuBLASLt: plain loops over column-major matrices, of elements rounded to TF32 where that
 * is asked for. */
#include "conversion.cuh"

#include "cublas.cuh"

/* Element (i, j) of op(x). */
static __device__ double load(const gemm_side *x, stria_dtype dtype, int64_t matrix, int64_t i, int64_t j)
{
    const int64_t at = x->is_turned ? j + i * x->leading : i + j * x->leading;
    const int64_t size = dtype == STRIA_F64 ? 8 : dtype == STRIA_F32 ? 4 : 2;

    return load_as<as_F64>(x->data + (matrix * x->batch + at) * size, dtype);
}

/* To 10 bits behind the point, to even. */
static __device__ double round_to_tf32(double x)
{
    const float narrow = (float)x;
    uint32_t    bits;

    memcpy(&bits, &narrow, sizeof bits);
    if ((bits & 0x7f800000u) == 0x7f800000u) return x; /* not finite */
    bits = (bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu;
    float rounded;
    memcpy(&rounded, &bits, sizeof rounded);
    return rounded;
}

static __device__ double load_factor(const gemm &product, const gemm_side *x, int64_t matrix, int64_t i, int64_t j)
{
    const double element = load(x, product.dtype, matrix, i, j);
    return product.compute == GEMM_TF32 ? round_to_tf32(element) : element;
}

/* A thread computes a column of c. */
static __global__ void gemm_kernel(gemm product)
{
    const int64_t column = (int64_t)blockIdx.x * 32 + threadIdx.x, j = column % product.c.columns;
    const int64_t matrix = column / product.c.columns;

    if (matrix >= product.n_matrices) return;
    for (int64_t i = 0; i < product.c.rows; i++) {
        double sum = 0;
        for (int64_t p = 0; p < product.k; p++) {
            const double next =
                load_factor(product, &product.a, matrix, i, p) * load_factor(product, &product.b, matrix, p, j);
            sum = product.compute == GEMM_F64 ? sum + next : (double)(float)(sum + next);
        }
        char         *at = product.c.data;
        const int64_t place = matrix * product.c.batch + i + j * product.c.leading;
        switch (product.c_dtype) {
        case STRIA_F16: reinterpret_cast<element_F16 *>(at)[place] = as_F16::from(sum); break;
        case STRIA_BF16: reinterpret_cast<element_BF16 *>(at)[place] = as_BF16::from(sum); break;
        case STRIA_F32: reinterpret_cast<float *>(at)[place] = (float)sum; break;
        default: reinterpret_cast<double *>(at)[place] = sum; break;
        }
    }
}

/* What the library refuses, too. */
static bool is_described(const gemm_side *x)
{
    return x->leading >= x->rows && x->rows > 0 && x->columns > 0 && x->batch >= 0;
}

int stria_cuda_run_gemm(stria_cuda_stream *stream, const gemm *product)
{
    const int64_t n_columns = product->c.columns * product->n_matrices;

    if (!is_described(&product->a) || !is_described(&product->b) || !is_described(&product->c))
        return (int)cudaErrorInvalidValue;
    if ((product->a.is_turned ? product->a.rows : product->a.columns) != product->k) return (int)cudaErrorInvalidValue;
    if ((product->b.is_turned ? product->b.columns : product->b.rows) != product->k) return (int)cudaErrorInvalidValue;
    return launch_kernel(stream, gemm_kernel, dim3((unsigned)((n_columns + 31) / 32)), dim3(32), 0, *product);
}
