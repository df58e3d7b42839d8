/* backend.c - the tables of the devices. */
#include "call/backend.h"

#include "base/error.h"
#include "tensor/device.h"

const stria_backend *stria_backends[STRIA_DEVICE_COUNT] = {
    &stria_backend_cpu,
    &stria_backend_meta,
#if !defined(__EMSCRIPTEN__)
    &stria_backend_cuda,
#endif
};

void stria_backend_set(stria_device_type type, const stria_backend *backend)
{
    if (type != STRIA_DEVICE_CPU && type != STRIA_DEVICE_META && (unsigned)type < STRIA_DEVICE_COUNT)
        stria_backends[type] = backend;
}

stria_status stria_backend_refuse(const char *name, const char *argument, stria_device device, stria_error *err)
{
    const char *got = stria_device_get_name(device);

    if (stria_backend_get(device) == NULL) STRIA_TRY(stria_device_get_status(device, name, err)); /* no such device */
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, name, argument, "cpu", got, "there is no %s on %s", name, got);
}
