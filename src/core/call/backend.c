/* backend.c - the tables of the devices. */
#include "call/backend.h"

const stria_backend *stria_backend_get(stria_device device)
{
    return device == STRIA_DEVICE_CPU ? &stria_backend_cpu : NULL;
}
