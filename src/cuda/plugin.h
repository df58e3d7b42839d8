/* plugin.h - the C interface between the library and libstria_cuda, the plug-in that computes on CUDA devices: a table of plain C
 * functions. The library opens the plug-in at run time (src/core/cuda/open.c). Internal; one symbol is exported:
 * stria_cuda_plugin_get.
 *
 * Codes      functions return 0, a CUDA error number, or a negative number of stria_cuda_code; error_text explains all of them
 * Pointers   device pointers are plain pointers that the plug-in's functions alone may follow
 * Streams    work goes to a stream, in order, and functions return before it is done unless they say otherwise. A stream belongs to
 *            one thread at a time: that thread alone computes and copies by it. stream_wait, block_release and stream_synchronize
 *            may be called with any stream from any thread
 * Faults     a kernel that faults is noticed by a later call, which returns a code that is_sticky; nothing works on the device then
 *
 * To add a family of kernels: a row of calls.def, a struct stria_cuda_<name>_call in a header calls_<family>.h, and a function
 * stria_cuda_run_<name> in a .cu file. That includes launch.cuh and its own header, not this one: so a new family compiles alone. */
#ifndef STRIA_CUDA_PLUGIN_H
#define STRIA_CUDA_PLUGIN_H

#include "calls_copy.h"
#include "calls_count.h"
#include "calls_element.h"
#include "calls_fold.h"
#include "calls_group.h"
#include "calls_index.h"
#include "calls_linalg.h"
#include "calls_matmul.h"
#include "calls_random.h"
#include "calls_row.h"
#include "calls_scan.h"
#include "calls_search.h"
#include "calls_sort.h"
#include "calls_update.h"
#include "stria.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRIA_CUDA_PLUGIN_VERSION 4
#define STRIA_CUDA_PLUGIN_GET stria_cuda_plugin_get /* the symbol */

typedef struct stria_cuda_properties {
    char     name[128];
    int32_t  major, minor; /* compute capability */
    int32_t  sms, threads_per_sm, warp, max_threads;
    uint64_t total_bytes;  /* of memory */
    int64_t  shared_bytes; /* most of a block */
} stria_cuda_properties;

typedef struct stria_cuda_memory {
    uint64_t free_bytes, total_bytes; /* of the device, whoever uses it */
    uint64_t used_bytes;              /* in blocks of this process */
    uint64_t reserved_bytes;          /* the same and what is kept for later ones */
} stria_cuda_memory;

/* Work that is captured, to be launched as one. */
typedef struct stria_cuda_graph stria_cuda_graph;

/* What a thread has been seen to do. */
typedef struct stria_cuda_watched {
    size_t memory_bytes; /* most of temporary blocks at a time: what a capture of the same work takes */
    bool   meets_host;   /* it waits for the host, copies from or to it, or keeps a block: it is not captured */
    bool   is_changed;   /* something was made that stays, such as the code of a group: it is to be watched again */
} stria_cuda_watched;

typedef struct stria_cuda_plugin {
    int32_t     version; /* of this table; the first of it in every version */
    uint32_t    nbytes;  /* of this table */
    const char *rows;    /* stria_cuda_rows of rows.h, as the plug-in was compiled with it */

    /* Devices, 0 .. count - 1. 0: there are none, and why, in a text of at most `size` bytes. */
    int (*get_device_count)(char *why, size_t size);
    int (*get_properties)(int device, stria_cuda_properties *properties);
    /* Waits for everything on the device. */
    int (*synchronize)(int device);
    const char *(*error_text)(int code); /* static */
    bool (*is_sticky)(int code);

    int (*stream_new)(int device, stria_cuda_stream **stream);
    int (*stream_synchronize)(stria_cuda_stream *stream);
    void *(*stream_get_handle)(const stria_cuda_stream *stream); /* a cudaStream_t */
    /* What is put to `later` from now on runs after what has been put to `earlier`; of any devices. */
    int (*stream_wait)(stria_cuda_stream *later, stria_cuda_stream *earlier);

    /* Memory of the stream's device, in the order of its work: 256-byte aligned, contents undefined, nbytes > 0. What is released is kept
     * for later blocks until block_trim, which waits for the device; before block_new, and kernels that need memory on the way, fail for want of
     * memory, they trim and try once more. */
    int (*block_new)(stria_cuda_stream *stream, size_t nbytes, void **block);
    int (*block_release)(stria_cuda_stream *stream, void *block);
    int (*block_trim)(int device);
    int (*get_memory)(int device, stria_cuda_memory *memory);

    /* nbytes bytes; nbytes > 0. copy_in returns when `host` may change again, copy_out when the bytes are there. copy: within the
     * stream's device. copy_between: from a block of the device of `source`, whose stream waits for it. */
    int (*copy_in)(stria_cuda_stream *stream, void *device, const void *host, size_t nbytes);
    int (*copy_out)(stria_cuda_stream *stream, void *host, const void *device, size_t nbytes);
    int (*copy)(stria_cuda_stream *stream, void *to, const void *from, size_t nbytes);
    int (*copy_between)(stria_cuda_stream *stream, void *to, stria_cuda_stream *source, const void *from,
                        size_t nbytes);

    /* Graphs of CUDA. A thread watches its own work, on any stream, before it captures the same: what it puts to *capture, from the begin to the end, does
     * not run, and what cannot be captured fails with STRIA_CUDA_NOT_CAPTURED and does nothing. Temporary blocks of that stream lie in `memory`,
     * nbytes of the device, which must be there as long as the graph. capture_end makes the graph, ready to be launched by `stream`, and ends *capture,
     * also where it fails; graph NULL: none is wanted. n_nodes: launches in it. A graph is not launched by two threads at once; it may be released
     * while it runs. All else of the arguments of its kernels is as it was. */
    int (*watch_begin)(void);
    void (*watch_end)(stria_cuda_watched *watched);
    int (*capture_begin)(int device, void *memory, size_t nbytes, stria_cuda_stream **capture);
    int (*capture_end)(stria_cuda_stream *capture, stria_cuda_stream *stream, stria_cuda_graph **graph,
                       size_t *n_nodes);
    int (*graph_launch)(stria_cuda_stream *stream, const stria_cuda_graph *graph);
    void (*graph_release)(stria_cuda_graph *graph);
    /* give_back: releases what the library keeps on the device for later; called where there is no memory, before block_trim. */
    void (*set_give_back)(void (*give_back)(int device));

    /* The families of kernels: int (*element)(stria_cuda_stream *stream, const stria_cuda_element_call *call) .. */
#define STRIA_CUDA_CALL(name, summary) int (*name)(stria_cuda_stream * stream, const stria_cuda_##name##_call *call);
#include "calls.def"
} stria_cuda_plugin;

STRIA_API const stria_cuda_plugin *STRIA_CUDA_PLUGIN_GET(void);

#ifdef __cplusplus
}
#endif

#endif
