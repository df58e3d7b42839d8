/* backend.c - the tables of the devices. */
#include "call/backend.h"

const stria_backend *stria_backends[STRIA_DEVICE_COUNT] = {&stria_backend_cpu, &stria_backend_meta};

void stria_backend_set(stria_device device, const stria_backend *backend)
{
    if (device != STRIA_DEVICE_CPU && device != STRIA_DEVICE_META && (unsigned)device < STRIA_DEVICE_COUNT)
        stria_backends[device] = backend;
}
