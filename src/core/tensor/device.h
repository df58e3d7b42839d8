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

/* Whether there is such a type, and such an index of it. */
bool stria_device_is_valid(stria_device device);

/* ERR_ARGUMENT: the argument is no device. */
stria_status stria_device_check(const char *op, const char *argument, stria_device device, stria_error *err);

/* Where the elements of tensors on a type of device beyond the CPU come from. Both are called from any thread. */
typedef struct stria_device_memory {
    void *(*allocate)(stria_device device, size_t nbytes); /* at least 64-byte aligned; nbytes > 0; NULL: no memory */
    void (*release)(stria_device device, void *data, size_t nbytes);
} stria_device_memory;

/* NULL: tensors with elements cannot be made there. */
const stria_device_memory *stria_device_get_memory(stria_device device);
/* Of a type of device beyond the CPU and META. It must outlive every tensor on it. Not for use beside running calls. */
void stria_device_set_memory(stria_device_type type, const stria_device_memory *memory);

#endif
