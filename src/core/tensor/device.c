/* device.c - the devices that tensors lie on. */
#include "tensor/device.h"

#include <stdio.h>

#include "base/error.h"

#define MOST 16 /* devices of a type, in devices.def */

/* Names of one device, and of several of a type. */
#define NAMED_1(name) \
    {                 \
        name          \
    }
#define NAMED_16(name)                                                                                                \
    {                                                                                                                 \
        name ":0", name ":1", name ":2", name ":3", name ":4", name ":5", name ":6", name ":7", name ":8", name ":9", \
            name ":10", name ":11", name ":12", name ":13", name ":14", name ":15"                                    \
    }

static const char *const names[STRIA_DEVICE_COUNT][MOST] = {
#define STRIA_DEVICE_TYPE(name, ENUM, most, summary) NAMED_##most(#name),
#include "table/devices.def"
};
#undef NAMED_1
#undef NAMED_16
static const int counts[STRIA_DEVICE_COUNT] = {
#define STRIA_DEVICE_TYPE(name, ENUM, most, summary) most,
#include "table/devices.def"
};
static const stria_device_memory *memories[STRIA_DEVICE_COUNT];

bool stria_device_is_valid(stria_device device)
{
    return device.type >= 0 && device.type < STRIA_DEVICE_COUNT && device.index >= 0 &&
           device.index < counts[device.type];
}

const char *stria_device_get_name(stria_device device)
{
    return stria_device_is_valid(device) ? names[device.type][device.index] : "none";
}

stria_status stria_device_check(const char *op, const char *argument, stria_device device, stria_error *err)
{
    char got[48];

    if (stria_device_is_valid(device)) return STRIA_OK;
    snprintf(got, sizeof got, "type %d, index %d", device.type, device.index);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, op, argument, "a device", got, "%s is no device: %s", argument,
                           got);
}

const stria_device_memory *stria_device_get_memory(stria_device device)
{
    return stria_device_is_valid(device) ? memories[device.type] : NULL;
}

void stria_device_set_memory(stria_device_type type, const stria_device_memory *memory)
{
    if (type != STRIA_DEVICE_CPU && type != STRIA_DEVICE_META && (unsigned)type < STRIA_DEVICE_COUNT)
        memories[type] = memory;
}
