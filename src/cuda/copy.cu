/* copy.cu - copies of bytes. Those from and to the host pass through pinned memory of the stream, in two halves: while the device reads or
 * writes one, the host is at the other. */
#include <string.h>

#include "capture.cuh"
#include "runtime.cuh"

enum { HALF_BYTES = 1 << 20 };

/* ---------------------------------------------------------------- pinned memory */

static int make_half(pinned_half *half)
{
    void *at = NULL;

    if (half->at != NULL) return STRIA_CUDA_OK;
    int code = code_of(cudaHostAlloc(&at, HALF_BYTES, cudaHostAllocDefault));
    if (code != STRIA_CUDA_OK) return code == STRIA_CUDA_NO_MEMORY ? (int)STRIA_CUDA_NO_HOST_MEMORY : code;
    code = code_of(cudaEventCreateWithFlags(&half->done, cudaEventDisableTiming));
    if (code == STRIA_CUDA_OK)
        half->at = static_cast<char *>(at);
    else
        (void)code_of(cudaFreeHost(at)); /* the first error is told */
    return code;
}

static int mark(stria_cuda_stream *stream, pinned_half *half)
{
    STRIA_CUDA_TRY(cudaEventRecord(half->done, stream->stream));
    half->is_marked = true;
    return STRIA_CUDA_OK;
}

/* Turns to the other half, which nobody reads or writes any more then. */
static int turn(stria_cuda_stream *stream)
{
    pinned_half *half = &stream->pinned[stream->half];
    int          code = half->at != NULL ? mark(stream, half) : (int)STRIA_CUDA_OK;

    if (code != STRIA_CUDA_OK) return code;
    stream->half ^= 1;
    half = &stream->pinned[stream->half];
    code = make_half(half);
    if (code == STRIA_CUDA_OK && half->is_marked) code = code_of(cudaEventSynchronize(half->done));
    half->is_marked = false;
    half->taken = 0;
    return code;
}

/* nbytes <= HALF_BYTES of pinned memory, until the half is taken again. */
static int take(stria_cuda_stream *stream, size_t nbytes, char **at)
{
    pinned_half *half = &stream->pinned[stream->half];

    if (half->at == NULL || HALF_BYTES - half->taken < nbytes) {
        const int code = turn(stream);
        if (code != STRIA_CUDA_OK) return code;
        half = &stream->pinned[stream->half];
    }
    *at = half->at + half->taken;
    half->taken += (nbytes + 63) / 64 * 64;
    if (half->taken > HALF_BYTES) half->taken = HALF_BYTES;
    return STRIA_CUDA_OK;
}

static size_t part_of(size_t nbytes) { return nbytes < HALF_BYTES ? nbytes : (size_t)HALF_BYTES; }

/* ---------------------------------------------------------------- from and to the host */

int stria_cuda_copy_in(stria_cuda_stream *stream, void *device, const void *host, size_t nbytes)
{
    const int met = stria_cuda_meet_host();

    if (met != STRIA_CUDA_OK) return met;
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    for (size_t done = 0; done < nbytes;) {
        const size_t part = part_of(nbytes - done);
        char        *at;
        const int    code = take(stream, part, &at);
        if (code != STRIA_CUDA_OK) return code;
        memcpy(at, static_cast<const char *>(host) + done, part);
        STRIA_CUDA_TRY(
            cudaMemcpyAsync(static_cast<char *>(device) + done, at, part, cudaMemcpyHostToDevice, stream->stream));
        done += part;
    }
    return STRIA_CUDA_OK;
}

/* A part on its way to the host. */
struct part_out {
    char        *at;
    size_t       nbytes;
    pinned_half *half;
};

static int begin_out(stria_cuda_stream *stream, const char *device, size_t nbytes, part_out *part)
{
    const int code = take(stream, nbytes, &part->at);

    if (code != STRIA_CUDA_OK) return code;
    part->nbytes = nbytes;
    part->half = &stream->pinned[stream->half];
    STRIA_CUDA_TRY(cudaMemcpyAsync(part->at, device, nbytes, cudaMemcpyDeviceToHost, stream->stream));
    return mark(stream, part->half);
}

static int end_out(const part_out *part, char *host)
{
    STRIA_CUDA_TRY(cudaEventSynchronize(part->half->done));
    memcpy(host, part->at, part->nbytes);
    return STRIA_CUDA_OK;
}

int stria_cuda_copy_out(stria_cuda_stream *stream, void *host, const void *device, size_t nbytes)
{
    const char *from = static_cast<const char *>(device);
    char       *to = static_cast<char *>(host);
    part_out    part = {}, next = {};
    int         code = stria_cuda_meet_host();

    if (code != STRIA_CUDA_OK) return code;
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    code = begin_out(stream, from, part_of(nbytes), &part);
    while (code == STRIA_CUDA_OK) {
        const size_t left = nbytes - part.nbytes;
        from += part.nbytes;
        if (left > 0) code = begin_out(stream, from, part_of(left), &next); /* while the host copies the one before */
        if (code != STRIA_CUDA_OK) return code;
        code = end_out(&part, to);
        to += part.nbytes;
        nbytes = left;
        if (left == 0) return code;
        part = next;
    }
    return code;
}

/* ---------------------------------------------------------------- within and between devices */

int stria_cuda_copy(stria_cuda_stream *stream, void *to, const void *from, size_t nbytes)
{
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    return code_of(cudaMemcpyAsync(to, from, nbytes, cudaMemcpyDeviceToDevice, stream->stream));
}

int stria_cuda_copy_between(stria_cuda_stream *stream, void *to, stria_cuda_stream *source, const void *from,
                            size_t nbytes)
{
    int code = stria_cuda_meet_host(); /* another device is not captured either */

    if (code == STRIA_CUDA_OK) code = stria_cuda_stream_wait(stream, source);
    if (code != STRIA_CUDA_OK) return code;
    code = stria_cuda_join_devices(stream->device, source->device);
    if (code != STRIA_CUDA_OK) return code;
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    STRIA_CUDA_TRY(cudaMemcpyPeerAsync(to, stream->device, from, source->device, nbytes, stream->stream));
    return stria_cuda_stream_wait(source, stream);
}
