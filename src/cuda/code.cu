/* code.cu - texts of groups as code of a device: compiled for what it is, loaded, launched. */
#include <new>

#include "nvrtc.cuh"

static bool get_architecture(int device, int *sm)
{
    int major = 0, minor = 0;

    if (code_of(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) != STRIA_CUDA_OK ||
        code_of(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)) != STRIA_CUDA_OK)
        return false;
    *sm = 10 * major + minor;
    return true;
}

bool stria_cuda_describe_code(int device, char *text, size_t size)
{
    int sm = 0;
    return get_architecture(device, &sm) && stria_nvrtc_describe(sm, text, size);
}

char *stria_cuda_compile(int device, const char *text, size_t *nbytes)
{
    int sm = 0;
    return get_architecture(device, &sm) ? stria_nvrtc_compile(sm, text, nbytes) : NULL;
}

/* ---------------------------------------------------------------- loaded */

struct stria_cuda_module {
    cudaLibrary_t library;
    cudaKernel_t  kernel;
};

stria_cuda_module *stria_cuda_load(int device, const char *image, size_t nbytes)
{
    stria_cuda_module *code = new (std::nothrow) stria_cuda_module();
    (void)nbytes; /* an image says it itself */

    if (code == NULL || code_of(cudaSetDevice(device)) != STRIA_CUDA_OK ||
        code_of(cudaLibraryLoadData(&code->library, image, NULL, NULL, 0, NULL, NULL, 0)) != STRIA_CUDA_OK) {
        delete code;
        return NULL;
    }
    if (code_of(cudaLibraryGetKernel(&code->kernel, code->library, "stria_group")) == STRIA_CUDA_OK) return code;
    stria_cuda_unload(code);
    return NULL;
}

void stria_cuda_unload(stria_cuda_module *code)
{
    if (code != NULL) (void)code_of(cudaLibraryUnload(code->library));
    delete code;
}

int stria_cuda_launch_code(stria_cuda_stream *stream, const stria_cuda_module *code, unsigned blocks,
                           const stria_cuda_group_params *params)
{
    cudaLaunchConfig_t config = {};
    void              *arguments[] = {const_cast<stria_cuda_group_params *>(params)};

    config.gridDim = dim3(blocks);
    config.blockDim = dim3(STRIA_CUDA_THREADS);
    config.stream = stream->stream;
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    return code_of(cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(code->kernel), arguments));
}
