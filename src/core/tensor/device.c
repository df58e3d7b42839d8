/* device.c - the devices that tensors lie on. */
#include "tensor/device.h"

static const char *const          names[STRIA_DEVICE_COUNT] = {"cpu", "meta", "cuda", "custom"};
static const stria_device_memory *memories[STRIA_DEVICE_COUNT];

const char *stria_device_get_name(stria_device device)
{
    return (unsigned)device < STRIA_DEVICE_COUNT ? names[device] : "none";
}

const stria_device_memory *stria_device_get_memory(stria_device device)
{
    return (unsigned)device < STRIA_DEVICE_COUNT ? memories[device] : NULL;
}

void stria_device_set_memory(stria_device device, const stria_device_memory *memory)
{
    if (device != STRIA_DEVICE_CPU && device != STRIA_DEVICE_META && (unsigned)device < STRIA_DEVICE_COUNT)
        memories[device] = memory;
}
