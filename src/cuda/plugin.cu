/* plugin.cu - the table of the plug-in, and its codes. */
#include "launch.cuh"
#include "rows.h"
#include "runtime.cuh"

#define STRIA_CUDA_CALL(name, summary) \
    int stria_cuda_run_##name(stria_cuda_stream *stream, const stria_cuda_##name##_call *call);
#include "calls.def"

static const char *error_text(int code)
{
    switch (code) {
    case STRIA_CUDA_NO_KERNEL: return "no kernel for this row and dtype";
    case STRIA_CUDA_TOO_LARGE: return "more elements or dims than one launch of this kernel counts";
    case STRIA_CUDA_NO_MEMORY: return "the memory of the device is exhausted";
    case STRIA_CUDA_NOT_CAPTURED: return "work that cannot be captured";
    case STRIA_CUDA_NO_HOST_MEMORY: return "no memory of the host for a stream";
    default: return cudaGetErrorString(static_cast<cudaError_t>(code));
    }
}

/* Those after which every later call fails, until the process ends. */
static bool is_sticky(int code)
{
    switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorUnknown: return true;
    default: return false;
    }
}

extern "C" const stria_cuda_plugin *STRIA_CUDA_PLUGIN_GET(void)
{
    static const stria_cuda_plugin plugin = {
        STRIA_CUDA_PLUGIN_VERSION,
        sizeof plugin,
        stria_cuda_rows,
        stria_cuda_get_device_count,
        stria_cuda_get_properties,
        stria_cuda_synchronize,
        error_text,
        is_sticky,
        stria_cuda_stream_new,
        stria_cuda_stream_synchronize,
        stria_cuda_stream_get_handle,
        stria_cuda_stream_wait,
        stria_cuda_block_new,
        stria_cuda_block_release,
        stria_cuda_block_trim,
        stria_cuda_get_memory,
        stria_cuda_copy_in,
        stria_cuda_copy_out,
        stria_cuda_copy,
        stria_cuda_copy_between,
        stria_cuda_watch_begin,
        stria_cuda_watch_end,
        stria_cuda_capture_begin,
        stria_cuda_capture_end,
        stria_cuda_graph_launch,
        stria_cuda_graph_release,
        stria_cuda_set_give_back,
#define STRIA_CUDA_CALL(name, summary) stria_cuda_run_##name,
#include "calls.def"
    };
    return &plugin;
}
