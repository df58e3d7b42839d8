/* runtime.cuh - the functions of the table that are no kernels (plugin.h says what they do). */
#ifndef STRIA_CUDA_RUNTIME_CUH
#define STRIA_CUDA_RUNTIME_CUH

#include "plugin.h"

/* device.cu */
int stria_cuda_get_device_count(char *why, size_t size);
int stria_cuda_get_properties(int device, stria_cuda_properties *properties);
int stria_cuda_synchronize(int device);
int stria_cuda_block_trim(int device);
int stria_cuda_get_memory(int device, stria_cuda_memory *memory);
/* Blocks of one can be copied to the other without the host, where the hardware lets them. */
int  stria_cuda_join_devices(int one, int other);
void stria_cuda_set_give_back(void (*give_back)(int device));
/* capture.cu */
int  stria_cuda_watch_begin(void);
void stria_cuda_watch_end(stria_cuda_watched *watched);
int  stria_cuda_capture_begin(int device, void *memory, size_t nbytes, stria_cuda_stream **capture);
int  stria_cuda_capture_end(stria_cuda_stream *capture, stria_cuda_stream *stream, stria_cuda_graph **graph,
                            size_t *n_nodes);
int  stria_cuda_graph_launch(stria_cuda_stream *stream, const stria_cuda_graph *graph);
void stria_cuda_graph_release(stria_cuda_graph *graph);
/* stream.cu */
int   stria_cuda_stream_new(int device, stria_cuda_stream **stream);
int   stria_cuda_stream_synchronize(stria_cuda_stream *stream);
void *stria_cuda_stream_get_handle(const stria_cuda_stream *stream);
int   stria_cuda_stream_wait(stria_cuda_stream *later, stria_cuda_stream *earlier);
/* copy.cu */
int stria_cuda_copy_in(stria_cuda_stream *stream, void *device, const void *host, size_t nbytes);
int stria_cuda_copy_out(stria_cuda_stream *stream, void *host, const void *device, size_t nbytes);
int stria_cuda_copy(stria_cuda_stream *stream, void *to, const void *from, size_t nbytes);
int stria_cuda_copy_between(stria_cuda_stream *stream, void *to, stria_cuda_stream *source, const void *from,
                            size_t nbytes);

#endif
