/* backend.h - what a device does: one table for each type of device. Internal. */
#ifndef STRIA_BACKEND_H
#define STRIA_BACKEND_H

#include "call/call.h"
#include "call/meta.h"

/* An element-wise op. call->out[0] is the caller's tensor, or NULL for a new one, which then lies there: the memory order of a new
 * one follows from the inputs, so the device makes it (stria_iter_build_element). Nothing is written before the last refusal. */
typedef stria_status stria_element_fn(const stria_call *call, const stria_meta *meta, stria_error *err);

typedef struct stria_backend {
    stria_status (*get_status)(stria_error *err); /* OK, or why nothing can be computed on the device */
    stria_element_fn *element;
    stria_impl_fn    *reduce;               /* of every plain reduction; meta->axes are those that are combined */
    stria_impl_fn    *impl[STRIA_FN_COUNT]; /* NULL: the device lacks the row */
    /* out = x, which broadcasts to its shape, converted; both are on devices of the type, or one of them is on the CPU. */
    stria_status (*copy)(stria_tensor *out, const stria_tensor *x, stria_error *err);
    /* The same of two row-major tensors of one dtype on the device, which share no memory: their first nbytes bytes. NULL: tensors
     * there have no elements. */
    stria_status (*copy_bytes)(stria_tensor *out, const stria_tensor *x, size_t nbytes, stria_error *err);
} stria_backend;

extern const stria_backend stria_backend_cpu, stria_backend_meta;

extern const stria_backend *stria_backends[STRIA_DEVICE_COUNT];

/* NULL: there is none for this type of device. */
static inline const stria_backend *stria_backend_get(stria_device device)
{
    return (unsigned)device.type < STRIA_DEVICE_COUNT ? stria_backends[device.type] : NULL;
}

/* ERR_UNSUPPORTED: "name: there is no name on <device>". Always fails. */
stria_status stria_backend_refuse(const char *name, const char *argument, stria_device device, stria_error *err);

/* Sets the table of a type of device beyond the CPU and META; NULL: there is none. It must outlive every tensor on it. Not for
 * use beside running calls. */
void stria_backend_set(stria_device_type type, const stria_backend *backend);

#endif
