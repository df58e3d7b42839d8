/* backend.c - the tables of the devices. */
#include "call/backend.h"

static const stria_backend *backends[STRIA_DEVICE_COUNT] = {&stria_backend_cpu, &stria_backend_meta};

const stria_backend *stria_backend_get(stria_device device)
{
    return (unsigned)device < STRIA_DEVICE_COUNT ? backends[device] : NULL;
}

void stria_backend_set(stria_device device, const stria_backend *backend)
{
    if (device != STRIA_DEVICE_CPU && device != STRIA_DEVICE_META && (unsigned)device < STRIA_DEVICE_COUNT)
        backends[device] = backend;
}
