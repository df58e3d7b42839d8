/* cuda_device.h - CUDA devices as the library has them: the plug-in, streams of threads, and what its codes mean. Internal.
 *
 * Streams. Each thread has one stream on each device that it uses, made when it first does. Memory belongs to the stream of the thread that
 * allocated it, its home, until it is released. A call by another thread makes its own stream wait for the homes of its operands first, and
 * those homes wait for it afterwards. So the home of a block is always behind everything that was ever done with it: whoever comes next, and
 * the release, wait for that one stream. Streams of threads that end are handed on to new ones. A stream that a program makes and sets on a thread
 * stands for the thread's own meanwhile.
 *
 * Faults. A kernel that faults is noticed by a later call. That call fails with ERR_DEVICE and names the op that was begun last, and so does
 * every later one that needs the device.
 *
 * Forks. CUDA does not work in a child that was forked after it was opened: such a child gets ERR_UNSUPPORTED. */
#ifndef STRIA_CUDA_DEVICE_H
#define STRIA_CUDA_DEVICE_H

#include "call/backend.h"
#include "call/capture.h"
#include "cuda/plugin.h"
#include "iter.h"

/* ---------------------------------------------------------------- the plug-in (open.c) */

/* Opens it when this is first asked for. NULL: there are no CUDA devices, and *why says so. */
const stria_cuda_plugin *stria_cuda_open(const char **why);
/* The plug-in, once a device is known to be there. */
const stria_cuda_plugin *stria_cuda_get_plugin(void);
int                      stria_cuda_count_devices(void);

/* ---------------------------------------------------------------- streams (streams.c) */

/* A stream and the device that it is on; lives as long as the process. */
typedef struct stria_cuda_queue {
    stria_cuda_stream       *stream;
    int                      device;
    bool                     is_capture; /* what is put to it is captured: a thread's, for a while */
    struct stria_cuda_queue *next;       /* of those whose threads have ended */
} stria_cuda_queue;

/* That of the calling thread on a device which is there. */
stria_status stria_cuda_queue_get(int device, const char *op, stria_cuda_queue **queue, stria_error *err);
/* That queue is the thread's on its device from now on, and it has no other one; NULL: as before. Returns what was set. The thread has a queue. */
stria_cuda_queue *stria_cuda_queue_set_capture(stria_cuda_queue *queue);

/* As of stria_stream_new, .. (stria.h). */
stria_status stria_cuda_streams_new(stria_device device, stria_stream **stream, stria_error *err);
void         stria_cuda_streams_release(stria_stream *stream);
stria_status stria_cuda_streams_set(stria_device device, stria_stream *stream, stria_error *err);
stria_status stria_cuda_streams_synchronize(const stria_stream *stream, stria_error *err);
stria_status stria_cuda_streams_get_handle(stria_device device, void **handle, stria_error *err);
stria_status stria_cuda_streams_order(const stria_tensor *x, bool records, stria_error *err);

/* ---------------------------------------------------------------- work (work.c) */

/* Most streams, besides its own, that one call waits for on the device. */
#define STRIA_CUDA_HOMES 8

/* One call's work on one device: begin, use every tensor on the device that it reads or writes, put kernels and copies to `stream`, end. */
typedef struct stria_cuda_work {
    const stria_cuda_plugin *plugin;
    const char              *op;
    stria_cuda_stream       *stream;
    stria_cuda_queue        *queue;
    stria_cuda_queue        *homes[STRIA_CUDA_HOMES];
    int                      n_homes;
    bool                     is_awaited; /* there are more homes */
    int                      code;       /* of the first function of the plug-in that failed */
} stria_cuda_work;

/* ERR_UNSUPPORTED: there is no such device; ERR_DEVICE: it has failed; ERR_MEMORY. */
stria_status stria_cuda_work_begin(stria_cuda_work *work, const char *op, stria_device device, stria_error *err);
/* The stream waits for what was done with x, which is on any CUDA device, or NULL or on the CPU: nothing happens. */
void stria_cuda_work_use(stria_cuda_work *work, const stria_tensor *x);
/* The same of memory of this home; NULL: it has none. */
void stria_cuda_work_use_home(stria_cuda_work *work, stria_cuda_queue *home);
/* Temporary memory; ends in the order of the stream. NULL: as the code says. */
void *stria_cuda_work_allocate(stria_cuda_work *work, size_t nbytes);
void  stria_cuda_work_release(stria_cuda_work *work, void *block); /* NULL is allowed */
/* Keeps the first code that is not 0; returns whether all is well. */
static inline bool stria_cuda_work_put(stria_cuda_work *work, int code)
{
    if (work->code == STRIA_CUDA_OK) work->code = code;
    return work->code == STRIA_CUDA_OK;
}
/* Once, after a begin that succeeded: OK, or the error of what failed. dtype: what the row lacks a kernel for, in STRIA_CUDA_NO_KERNEL. */
stria_status stria_cuda_work_end(stria_cuda_work *work, stria_dtype dtype, stria_error *err);

/* The same of a function of the plug-in that is no work of a call. */
stria_status stria_cuda_check(int device, int code, const char *op, stria_error *err);
/* OK, or ERR_DEVICE: it has failed. */
stria_status stria_cuda_get_status(int device, const char *op, stria_error *err);

/* ---------------------------------------------------------------- memory (memory.c) */

void        *stria_cuda_memory_allocate(stria_device device, size_t nbytes, void **context);
void         stria_cuda_memory_release(stria_device device, void *data, size_t nbytes, void *context);
stria_status stria_cuda_memory_get_stats(stria_device device, stria_memory_stats *stats, stria_error *err);
void         stria_cuda_memory_set_limit(stria_device device, uint64_t limit_bytes);
stria_status stria_cuda_memory_release_cache(stria_device device, stria_error *err);
uint64_t     stria_cuda_memory_get_live_nbytes(void);

/* ---------------------------------------------------------------- graphs (capture_cuda.c, kept.c; call/capture.h) */

extern const stria_backend_capture stria_cuda_capture;

void        stria_cuda_kept_list_begin(stria_kept_list *list, stria_device device);
void        stria_cuda_kept_list_end(stria_kept_list *list);
stria_kept *stria_cuda_kept_put(stria_kept_list *list, stria_kept *kept, int most);
stria_kept *stria_cuda_kept_take(stria_kept_list *list, stria_kept_match_fn *match, void *context);
/* All that is kept on the device ends. */
void stria_cuda_kept_give_back(int device);

/* ---------------------------------------------------------------- tensors */

/* A row-major copy of x in the dtype, on its device. */
stria_status stria_cuda_new_row_major(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err);

/* ---------------------------------------------------------------- iterators as walks (walk.c) */

/* One part; returns the plug-in's code. */
typedef int stria_cuda_walk_fn(void *context, stria_cuda_work *work, const stria_cuda_walk *walk);

/* Hands the elements of the iterator to fn in as few parts as 31-bit offsets and the dims of a walk allow; operands on the CPU have no data and
 * strides 0. At most STRIA_CUDA_MAX_OPERANDS operands. ERR_MEMORY; what fn returns is in work->code. */
stria_status stria_cuda_walk_each(stria_cuda_work *work, const stria_iter *it, stria_cuda_walk_fn *fn, void *context,
                                  stria_error *err);

/* ---------------------------------------------------------------- the table */

stria_element_fn      stria_cuda_element;
stria_impl_fn         stria_cuda_reduce;
stria_update_fn       stria_cuda_update;
stria_random_fn       stria_cuda_random;
stria_gather_fn       stria_cuda_gather_plan;
stria_scatter_plan_fn stria_cuda_scatter_plan;
stria_lowered_fn      stria_cuda_lowered;
stria_status          stria_cuda_set(stria_tensor *out, const stria_tensor *x, stria_error *err);

#endif
