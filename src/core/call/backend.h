/* backend.h - what a device does: one table for each type of device. Internal. */
#ifndef STRIA_BACKEND_H
#define STRIA_BACKEND_H

#include "call/call.h"

typedef struct stria_backend {
    stria_status (*get_status)(stria_error *err); /* OK, or why nothing can be computed on the device */
    stria_impl_fn *impl[STRIA_FN_COUNT];          /* NULL: the device lacks the row */
} stria_backend;

extern const stria_backend stria_backend_cpu;

/* NULL: there is none for this type of device. */
const stria_backend *stria_backend_get(stria_device device);

#endif
