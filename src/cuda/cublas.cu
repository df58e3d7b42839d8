/* cublas.cu - the only file that knows cuBLASLt. The library is opened when a product first needs it, so that the plug-in works without it. */
#include <dlfcn.h>

#include <mutex>

#include <cublasLt.h>

#include "capture.cuh"
#include "cublas.cuh"

enum { WORKSPACE_BYTES = 32 << 20, MOST_DEVICES = 16 };

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

/* The functions that are used, by the names of their types. */
#define STRIA_CUBLAS_FUNCTIONS(FUNCTION)            \
    FUNCTION(cublasLtCreate)                        \
    FUNCTION(cublasLtMatmul)                        \
    FUNCTION(cublasLtMatmulAlgoGetHeuristic)        \
    FUNCTION(cublasLtMatmulDescInit_internal)       \
    FUNCTION(cublasLtMatmulDescSetAttribute)        \
    FUNCTION(cublasLtMatrixLayoutInit_internal)     \
    FUNCTION(cublasLtMatrixLayoutSetAttribute)      \
    FUNCTION(cublasLtMatmulPreferenceInit_internal) \
    FUNCTION(cublasLtMatmulPreferenceSetAttribute)

#define FUNCTION(name) decltype(&::name) name;
struct library {
    bool             is_open;
    cublasLtHandle_t handle[MOST_DEVICES];
    STRIA_CUBLAS_FUNCTIONS(FUNCTION)
};
#undef FUNCTION

static struct {
    std::mutex mutex;
    bool       is_tried;
    library    at;
} opened;

static bool open_library(library *lt)
{
    void *file = dlopen("libcublasLt.so." NAME_OF(CUBLAS_VER_MAJOR), RTLD_NOW | RTLD_LOCAL);

    if (file == NULL) return false;
#define FUNCTION(name)                                                   \
    lt->name = reinterpret_cast<decltype(lt->name)>(dlsym(file, #name)); \
    if (lt->name == NULL) return false;
    STRIA_CUBLAS_FUNCTIONS(FUNCTION)
#undef FUNCTION
    return true;
}

/* NULL: there is none, or it does not start on the device. */
static const library *get_library(int device)
{
    std::lock_guard<std::mutex> guard(opened.mutex);
    library                    *lt = &opened.at;

    if (!opened.is_tried) lt->is_open = open_library(lt);
    opened.is_tried = true;
    if (!lt->is_open || device < 0 || device >= MOST_DEVICES) return NULL;
    if (lt->handle[device] == NULL &&
        (stria_cuda_meet_change() != STRIA_CUDA_OK || code_of(cudaSetDevice(device)) != STRIA_CUDA_OK ||
         lt->cublasLtCreate(&lt->handle[device]) != CUBLAS_STATUS_SUCCESS)) {
        lt->handle[device] = NULL;
        return NULL;
    }
    return lt;
}

/* ---------------------------------------------------------------- descriptions */

static cudaDataType_t type_of(stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_F16: return CUDA_R_16F;
    case STRIA_BF16: return CUDA_R_16BF;
    case STRIA_F32: return CUDA_R_32F;
    default: return CUDA_R_64F;
    }
}

static cublasComputeType_t compute_of(gemm_compute compute)
{
    switch (compute) {
    case GEMM_TF32: return CUBLAS_COMPUTE_32F_FAST_TF32;
    case GEMM_F64: return CUBLAS_COMPUTE_64F;
    default: return CUBLAS_COMPUTE_32F; /* without TF32 */
    }
}

static size_t size_of(stria_dtype dtype) { return dtype == STRIA_F64 ? 8 : dtype == STRIA_F32 ? 4 : 2; }

static bool describe_side(const library *lt, const gemm *product, const gemm_side *side, stria_dtype dtype,
                          cublasLtMatrixLayoutOpaque_t *layout)
{
    const int32_t count = (int32_t)product->n_matrices;

    return lt->cublasLtMatrixLayoutInit_internal(layout, sizeof *layout, type_of(dtype), (uint64_t)side->rows,
                                                 (uint64_t)side->columns, side->leading) == CUBLAS_STATUS_SUCCESS &&
           lt->cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count) ==
               CUBLAS_STATUS_SUCCESS &&
           lt->cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &side->batch,
                                                sizeof side->batch) == CUBLAS_STATUS_SUCCESS;
}

/* The power of two, at most 256, that the addresses of all matrices are multiples of; what columns are, the layout says. */
static uint32_t get_alignment(const gemm_side *side, stria_dtype dtype)
{
    const uint64_t size = size_of(dtype);
    const uint64_t bits = reinterpret_cast<uintptr_t>(side->data) | 256 | (uint64_t)side->batch * size;

    return (uint32_t)(bits & -bits);
}

static bool prefer(const library *lt, const gemm *product, cublasLtMatmulPreferenceOpaque_t *preference)
{
    static const cublasLtMatmulPreferenceAttributes_t names[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    const uint32_t c = get_alignment(&product->c, product->c_dtype);
    const uint32_t alignments[] = {get_alignment(&product->a, product->dtype),
                                   get_alignment(&product->b, product->dtype), c, c};
    const uint64_t most = WORKSPACE_BYTES;

    bool is_made = lt->cublasLtMatmulPreferenceInit_internal(preference, sizeof *preference) == CUBLAS_STATUS_SUCCESS &&
                   lt->cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                                            sizeof most) == CUBLAS_STATUS_SUCCESS;
    for (int k = 0; k < 4; k++)
        is_made = is_made && lt->cublasLtMatmulPreferenceSetAttribute(preference, names[k], &alignments[k],
                                                                      sizeof alignments[k]) == CUBLAS_STATUS_SUCCESS;
    return is_made;
}

struct description {
    cublasLtMatmulDescOpaque_t       product;
    cublasLtMatrixLayoutOpaque_t     a, b, c;
    cublasLtMatmulPreferenceOpaque_t preference;
    cublasLtMatmulHeuristicResult_t  found;
};

static bool describe(const library *lt, const gemm *p, description *d)
{
    const cublasOperation_t turn_a = p->a.is_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t turn_b = p->b.is_turned ? CUBLAS_OP_T : CUBLAS_OP_N;

    return lt->cublasLtMatmulDescInit_internal(&d->product, sizeof d->product, compute_of(p->compute),
                                               p->compute == GEMM_F64 ? CUDA_R_64F : CUDA_R_32F) ==
               CUBLAS_STATUS_SUCCESS &&
           lt->cublasLtMatmulDescSetAttribute(&d->product, CUBLASLT_MATMUL_DESC_TRANSA, &turn_a, sizeof turn_a) ==
               CUBLAS_STATUS_SUCCESS &&
           lt->cublasLtMatmulDescSetAttribute(&d->product, CUBLASLT_MATMUL_DESC_TRANSB, &turn_b, sizeof turn_b) ==
               CUBLAS_STATUS_SUCCESS &&
           describe_side(lt, p, &p->a, p->dtype, &d->a) && describe_side(lt, p, &p->b, p->dtype, &d->b) &&
           describe_side(lt, p, &p->c, p->c_dtype, &d->c) && prefer(lt, p, &d->preference);
}

/* ---------------------------------------------------------------- run */

/* What the library refuses without an error of CUDA, the tiles of matmul.cu compute. */
static int code_of_status(cublasStatus_t status)
{
    if (status == CUBLAS_STATUS_SUCCESS) return STRIA_CUDA_OK;
    if (status == CUBLAS_STATUS_ALLOC_FAILED) return STRIA_CUDA_NO_MEMORY;
    const int code = code_of(cudaGetLastError());
    return code != STRIA_CUDA_OK ? code : (int)STRIA_CUDA_NO_KERNEL;
}

int stria_cuda_run_gemm(stria_cuda_stream *stream, const gemm *product)
{
    const library *lt = get_library(stream->device);
    const float    one = 1, zero = 0;
    const double   one_f64 = 1, zero_f64 = 0;
    const bool     is_f64 = product->compute == GEMM_F64;
    description    d;
    int            n_found = 0;
    void          *workspace = NULL;

    if (lt == NULL || product->n_matrices > INT32_MAX || !describe(lt, product, &d)) return STRIA_CUDA_NO_KERNEL;
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    int code = code_of_status(lt->cublasLtMatmulAlgoGetHeuristic(lt->handle[stream->device], &d.product, &d.a, &d.b,
                                                                 &d.c, &d.c, &d.preference, 1, &d.found, &n_found));
    if (code == STRIA_CUDA_OK && (n_found == 0 || d.found.state != CUBLAS_STATUS_SUCCESS)) return STRIA_CUDA_NO_KERNEL;
    if (code == STRIA_CUDA_OK && d.found.workspaceSize > 0)
        code = stria_cuda_block_new(stream, d.found.workspaceSize, &workspace);
    if (code != STRIA_CUDA_OK) return code;
    code = code_of_status(lt->cublasLtMatmul(
        lt->handle[stream->device], &d.product, is_f64 ? (const void *)&one_f64 : &one, product->a.data, &d.a,
        product->b.data, &d.b, is_f64 ? (const void *)&zero_f64 : &zero, product->c.data, &d.c, product->c.data, &d.c,
        &d.found.algo, workspace, d.found.workspaceSize, stream->stream));
    const int released = workspace != NULL ? stria_cuda_block_release(stream, workspace) : (int)STRIA_CUDA_OK;
    return code != STRIA_CUDA_OK ? code : released;
}
