// peer.cu - copies on the device, and cuBLASLt called directly: what rows of bench_cuda.c are measured against.
#include <stdio.h>
#include <string.h>

#include <cublasLt.h>
#include <cuda_runtime.h>

#include "peer.h"

enum { WORKSPACE_BYTES = 32 << 20 };

struct bench_cuda_job {
    cudaStream_t               stream;
    void                      *a, *b, *c, *workspace;
    size_t                     nbytes; // of a copy from a to b; 0: a product
    cublasLtHandle_t           lt;
    cublasLtMatmulDesc_t       product;
    cublasLtMatrixLayout_t     layout[3];
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulAlgo_t       algorithm;
    double                     scale_f64[2];
    float                      scale_f32[2];
    bool                       is_f64;
};

static int failed(const char *call, int code, char why[200])
{
    snprintf(why, 200, "%s: %d", call, code);
    return code;
}
#define TRY(call)                                       \
    do {                                                \
        const int code = (int)(call);                   \
        if (code != 0) return failed(#call, code, why); \
    } while (0)

static int begin_copy(bench_cuda_job *job, int64_t nbytes, char why[200])
{
    job->nbytes = (size_t)nbytes;
    TRY(cudaMalloc(&job->a, job->nbytes));
    TRY(cudaMalloc(&job->b, job->nbytes));
    TRY(cudaMemset(job->a, 0, job->nbytes));
    return 0;
}

struct kind {
    const char         *word;
    size_t              size;
    cudaDataType_t      type;
    cublasComputeType_t compute;
};
static const kind kinds[] = {{"f32", 4, CUDA_R_32F, CUBLAS_COMPUTE_32F},
                             {"f64", 8, CUDA_R_64F, CUBLAS_COMPUTE_64F},
                             {"f16", 2, CUDA_R_16F, CUBLAS_COMPUTE_32F},
                             {"bf16", 2, CUDA_R_16BF, CUBLAS_COMPUTE_32F}};

// Row-major matrices, as cuBLASLt sees them: their transposes in columns, c^T = b^T a^T.
static int begin_product(bench_cuda_job *job, const kind *k, const int64_t *sizes, char why[200])
{
    const int64_t batch = sizes[0], m = sizes[1], n = sizes[2], inner = sizes[3];
    const int64_t rows[] = {n, inner, n}, columns[] = {inner, m, m};
    void        **memory[] = {&job->b, &job->a, &job->c};
    const size_t  workspace = WORKSPACE_BYTES;
    const int     copies = (int)batch;
    int           found = 0;

    job->is_f64 = k->type == CUDA_R_64F;
    job->scale_f64[0] = job->scale_f32[0] = 1;
    TRY(cublasLtCreate(&job->lt));
    TRY(cublasLtMatmulDescCreate(&job->product, k->compute, job->is_f64 ? CUDA_R_64F : CUDA_R_32F));
    for (int i = 0; i < 3; i++) {
        const int64_t count = rows[i] * columns[i];
        TRY(cublasLtMatrixLayoutCreate(&job->layout[i], k->type, (uint64_t)rows[i], (uint64_t)columns[i], rows[i]));
        TRY(cublasLtMatrixLayoutSetAttribute(job->layout[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &copies,
                                             sizeof copies));
        TRY(cublasLtMatrixLayoutSetAttribute(job->layout[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &count,
                                             sizeof count));
        TRY(cudaMalloc(memory[i], (size_t)(batch * count) * k->size));
        TRY(cudaMemset(*memory[i], 0, (size_t)(batch * count) * k->size));
    }
    TRY(cudaMalloc(&job->workspace, workspace));
    TRY(cublasLtMatmulPreferenceCreate(&job->preference));
    TRY(cublasLtMatmulPreferenceSetAttribute(job->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                             sizeof workspace));
    cublasLtMatmulHeuristicResult_t best;
    TRY(cublasLtMatmulAlgoGetHeuristic(job->lt, job->product, job->layout[0], job->layout[1], job->layout[2],
                                       job->layout[2], job->preference, 1, &best, &found));
    if (found == 0) return failed("no algorithm", -1, why);
    job->algorithm = best.algo;
    return 0;
}

static int begin(bench_cuda_job *job, const char *what, const int64_t *sizes, char why[200])
{
    TRY(cudaStreamCreateWithFlags(&job->stream, cudaStreamNonBlocking));
    if (strcmp(what, "copy") == 0) return begin_copy(job, sizes[0], why);
    for (const kind &k : kinds)
        if (strcmp(what, k.word) == 0) return begin_product(job, &k, sizes, why);
    return failed("no such job", -1, why);
}

bench_cuda_job *bench_cuda_peer_new(const char *what, const int64_t *sizes, char why[200])
{
    bench_cuda_job *job = new bench_cuda_job();

    if (begin(job, what, sizes, why) == 0 && bench_cuda_peer_run(job) == 0 && bench_cuda_peer_wait(job) == 0)
        return job;
    if (why[0] == 0) snprintf(why, 200, "%s does not run", what);
    bench_cuda_peer_release(job);
    return nullptr;
}

int bench_cuda_peer_run(bench_cuda_job *job)
{
    if (job->nbytes > 0)
        return (int)cudaMemcpyAsync(job->b, job->a, job->nbytes, cudaMemcpyDeviceToDevice, job->stream);
    const void *one = job->is_f64 ? (const void *)&job->scale_f64[0] : &job->scale_f32[0];
    const void *zero = job->is_f64 ? (const void *)&job->scale_f64[1] : &job->scale_f32[1];
    return (int)cublasLtMatmul(job->lt, job->product, one, job->b, job->layout[0], job->a, job->layout[1], zero, job->c,
                               job->layout[2], job->c, job->layout[2], &job->algorithm, job->workspace, WORKSPACE_BYTES,
                               job->stream);
}

int bench_cuda_peer_wait(bench_cuda_job *job) { return (int)cudaStreamSynchronize(job->stream); }

void bench_cuda_peer_release(bench_cuda_job *job)
{
    if (job->preference) cublasLtMatmulPreferenceDestroy(job->preference);
    for (cublasLtMatrixLayout_t layout : job->layout)
        if (layout) cublasLtMatrixLayoutDestroy(layout);
    if (job->product) cublasLtMatmulDescDestroy(job->product);
    if (job->lt) cublasLtDestroy(job->lt);
    for (void *memory : {job->a, job->b, job->c, job->workspace}) cudaFree(memory);
    if (job->stream) cudaStreamDestroy(job->stream);
    delete job;
}
