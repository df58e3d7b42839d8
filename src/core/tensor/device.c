/* device.c - the devices that tensors lie on. */
#include "tensor/device.h"

const char *stria_device_get_name(stria_device device)
{
    return device == STRIA_DEVICE_CPU ? "cpu" : device == STRIA_DEVICE_META ? "meta" : "cuda";
}
