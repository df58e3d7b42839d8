/* device.h - the devices that tensors lie on. Internal. */
#ifndef STRIA_TENSOR_DEVICE_H
#define STRIA_TENSOR_DEVICE_H

#include "stria.h"

/* "cpu", "meta", "cuda". Static string. */
const char *stria_device_get_name(stria_device device);

#endif
