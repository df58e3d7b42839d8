/* control.h - what tests ask of the host runtime (include/cuda_runtime.h): faults on demand, counts, seeds. Plain C.
 *
 * The module that has the runtime in it exports one function, stria_cuda_host_get; a real plug-in has none, which tells
 * them apart. Functions may be called from any thread, while no other thread is inside the runtime. */
#ifndef CUDA_HOST_CONTROL_H
#define CUDA_HOST_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STRIA_CUDA_HOST_VERSION 1

typedef struct stria_cuda_host_counts {
    /* since the last reset */
    int64_t allocations, launches, copies, fills, waits; /* waits: calls that wait for a stream, an event or a device */
    int64_t graph_launches;                              /* launches: of kernels, also those that are captured */
    /* now */
    int64_t blocks, bytes, pinned, streams, events, pools, graphs, waiting; /* waiting: operations not run yet */
} stria_cuda_host_counts;

typedef struct stria_cuda_host {
    int version;

    /* Two live devices, a driver, no faults ahead, orders drawn from `seed`, counts since now. What there is of blocks,
     * streams and so on stays, but what a dead device had. STRIA_CUDA_HOST_SEED is the seed at the start, 1 if unset. */
    void (*reset)(uint64_t seed);

    /* The nth call of `function` from now on (1: the next) returns the error `code`, and does nothing; -nth: that one and all
     * after it; 0: none. "memory" stands for every allocation of device memory. */
    void (*fail)(const char *function, int64_t nth, int code);
    /* The nth kernel that runs from now on (not: is launched) ends with `code`, and the device with it. */
    void (*fault_kernel)(int64_t nth, int code);
    /* The device is dead: whatever asks for it fails with `code`. What waits in its streams never runs. */
    void (*lose_device)(int device, int code);
    void (*set_driver_version)(int version); /* as 12040; 0: there is no driver */
    void (*set_device_count)(int count);     /* 0 to 2 */
    void (*set_memory)(int device, size_t size_bytes);
    /* How often, in 256ths, a call that queues work lets some of what waits run: 0 never, 256 always. */
    void (*set_eagerness)(int of_256);
    /* Faults of kernels are told on stderr unless quiet. */
    void (*set_quiet)(bool quiet);

    void (*get_counts)(stria_cuda_host_counts *counts);
    /* What is known of the latest fault; "" if there was none since the last reset. Valid until the next fault. */
    const char *(*get_message)(void);
} stria_cuda_host;

__attribute__((visibility("default"))) const stria_cuda_host *stria_cuda_host_get(void);

#ifdef __cplusplus
}
#endif

#endif
