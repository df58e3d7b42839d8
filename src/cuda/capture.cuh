/* capture.cuh - what other sources of the plug-in say to work that is watched or captured (capture.cu). */
#ifndef STRIA_CUDA_CAPTURE_CUH
#define STRIA_CUDA_CAPTURE_CUH

#include "launch.cuh"

/* Whether what this thread puts to its stream is captured: nothing of it runs. */
bool stria_cuda_is_capturing();
/* What a capture cannot have: the host waits for the device, or its memory is read or written. STRIA_CUDA_NOT_CAPTURED in a capture. */
int stria_cuda_meet_host();
/* What is not the same the next time: something was made that stays, or room was. The same code. */
int stria_cuda_meet_change();

/* Memory for temporary blocks of a capture. false: this thread captures nothing, and blocks come from the pool. */
bool stria_cuda_capture_block_new(stria_cuda_stream *stream, size_t nbytes, void **block, int *code);
/* The same of its end; also after the capture. */
bool stria_cuda_capture_block_release(const stria_cuda_stream *stream, void *block);
/* A block came from the pool, or went there. */
void stria_cuda_watch_block_new(const void *block, size_t nbytes);
void stria_cuda_watch_block_release(const void *block);

/* The code stays until the graph that is being captured ends: `leave` gets `code` then. No capture: nothing happens. Throws std::bad_alloc. */
void stria_cuda_capture_hold(void (*leave)(void *code), void *code);

#endif
