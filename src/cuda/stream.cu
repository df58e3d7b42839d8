/* stream.cu - streams, which never end: the library hands those of ended threads on. */
#include <new>

#include "capture.cuh"
#include "runtime.cuh"

int stria_cuda_stream_new(int device, stria_cuda_stream **stream)
{
    *stream = NULL;
    if (stria_cuda_is_capturing()) return STRIA_CUDA_NOT_CAPTURED;
    stria_cuda_stream *s = new (std::nothrow) stria_cuda_stream();
    if (s == NULL) return STRIA_CUDA_NO_HOST_MEMORY;
    s->device = device;
    int code = code_of(cudaSetDevice(device));
    if (code == STRIA_CUDA_OK) code = code_of(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    if (code == STRIA_CUDA_OK)
        *stream = s;
    else
        delete s;
    return code;
}

int stria_cuda_stream_synchronize(stria_cuda_stream *stream)
{
    const int met = stria_cuda_meet_change(); /* threads, not the work, decide whether it waits */

    if (met != STRIA_CUDA_OK) return met;
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    return code_of(cudaStreamSynchronize(stream->stream));
}

void *stria_cuda_stream_get_handle(const stria_cuda_stream *stream) { return stream->stream; }

int stria_cuda_stream_wait(stria_cuda_stream *later, stria_cuda_stream *earlier)
{
    cudaEvent_t event; /* its own: threads that do this at once have nothing in common */

    if (later == earlier) return STRIA_CUDA_OK;
    if (stria_cuda_is_capturing()) return STRIA_CUDA_NOT_CAPTURED;
    STRIA_CUDA_TRY(cudaSetDevice(earlier->device));
    STRIA_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    int code = code_of(cudaEventRecord(event, earlier->stream));
    if (code == STRIA_CUDA_OK) code = code_of(cudaSetDevice(later->device));
    if (code == STRIA_CUDA_OK) code = code_of(cudaStreamWaitEvent(later->stream, event, 0));
    const int ended = code_of(cudaEventDestroy(event));
    return code != STRIA_CUDA_OK ? code : ended;
}
