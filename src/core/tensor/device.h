/* device.h - the devices that tensors lie on. Internal. */
#ifndef STRIA_TENSOR_DEVICE_H
#define STRIA_TENSOR_DEVICE_H

#include "stria.h"

/* "cpu", "meta", "cuda", "custom". Static string. */
const char *stria_device_get_name(stria_device device);

/* Where the elements of tensors on a device beyond the CPU come from. Both are called from any thread. */
typedef struct stria_device_memory {
    void *(*allocate)(size_t nbytes); /* at least 64-byte aligned; nbytes > 0; NULL: no memory */
    void (*release)(void *data, size_t nbytes);
} stria_device_memory;

/* NULL: tensors with elements cannot be made there. */
const stria_device_memory *stria_device_get_memory(stria_device device);
/* Of a type of device beyond the CPU and META. It must outlive every tensor on it. Not for use beside running calls. */
void stria_device_set_memory(stria_device device, const stria_device_memory *memory);

#endif
