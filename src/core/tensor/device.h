/* device.h - the devices that tensors lie on. Internal. */
#ifndef STRIA_TENSOR_DEVICE_H
#define STRIA_TENSOR_DEVICE_H

#include <string.h>

#include "stria.h"

/* Type and index. */
static inline bool stria_device_equals(stria_device a, stria_device b)
{
    uint32_t one, other; /* compared as a word */

    memcpy(&one, &a, sizeof one);
    memcpy(&other, &b, sizeof other);
    return one == other;
}

static inline bool stria_device_is_none(stria_device device) { return stria_device_equals(device, STRIA_DEVICE_NONE); }

/* Whether there is such a type, and such an index of it. */
bool stria_device_is_valid(stria_device device);

/* ERR_ARGUMENT: the argument is no device. */
stria_status stria_device_check(const char *op, const char *argument, stria_device device, stria_error *err);

/* A type of device beyond the CPU and META, as far as tensors and programs look at it. Everything is called from any thread; what may be
 * NULL is not there then. */
typedef struct stria_device_memory {
    /* Where elements come from: at least 64-byte aligned; nbytes > 0; NULL: no memory. *context is what release gets. */
    void *(*allocate)(stria_device device, size_t nbytes, void **context);
    void (*release)(stria_device device, void *data, size_t nbytes, void *context);
    /* OK, or why nothing can be made there: ERR_UNSUPPORTED (there is no such device), ERR_DEVICE (it has failed). May be NULL. */
    stria_status (*get_status)(stria_device device, const char *op, stria_error *err);
    /* As of stria_device_get_count, .. (stria.h); the device has passed get_status. May be NULL. */
    int (*get_count)(void);
    stria_status (*get_info)(stria_device device, stria_device_info *info, stria_error *err);
    stria_status (*synchronize)(stria_device device, stria_error *err);
    stria_status (*get_stats)(stria_device device, stria_memory_stats *stats, stria_error *err);
    void (*set_limit)(stria_device device, uint64_t limit_bytes);
    stria_status (*release_cache)(stria_device device, stria_error *err);
    uint64_t (*get_live_nbytes)(void); /* in storages on all devices of the type */
    stria_status (*stream_new)(stria_device device, stria_stream **stream, stria_error *err);
    void (*stream_release)(stria_stream *stream);
    stria_status (*stream_set)(stria_device device, stria_stream *stream,
                               stria_error *err); /* of the device, or NULL */
    stria_status (*stream_synchronize)(const stria_stream *stream, stria_error *err);
    stria_status (*stream_get_handle)(stria_device device, void **handle, stria_error *err);
    /* x has elements on such a device. stria_stream_record_tensor, or else stria_stream_wait_tensor. */
    stria_status (*stream_order)(const stria_tensor *x, bool records, stria_error *err);
} stria_device_memory;

/* What streams of every type of device begin with. */
struct stria_stream {
    stria_device device;
};

/* NULL: tensors with elements cannot be made there. */
const stria_device_memory *stria_device_get_memory(stria_device device);
/* Of a type of device beyond the CPU and META. It must outlive every tensor on it. Not for use beside running calls. */
void stria_device_set_memory(stria_device_type type, const stria_device_memory *memory);

/* ERR_UNSUPPORTED, with the reason: there is no such device, as far as elements go. */
stria_status stria_device_get_status(stria_device device, const char *op, stria_error *err);

/* Bytes in storages on all devices, the CPU among them. Nothing is opened for it. */
uint64_t stria_device_get_live_nbytes(void);

#if !defined(__EMSCRIPTEN__)
extern const stria_device_memory stria_cuda_memory_table; /* cuda/device_cuda.c */
#endif

#endif
