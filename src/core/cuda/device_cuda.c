/* device_cuda.c - CUDA as a type of device: what tensors and programs ask about one. */
#include <stdio.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "tensor/device.h"

static stria_status get_status(stria_device device, const char *op, stria_error *err)
{
    const char *name = stria_device_get_name(device), *why;

    if (stria_cuda_open(&why) == NULL)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, op, "device", "a device that is there", name,
                               "there is no device %s: %s", name, why);
    const int n = stria_cuda_count_devices();
    if (device.index >= n)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, op, "device", "a device that is there", name,
                               "there is no device %s: CUDA finds %d device%s", name, n, n == 1 ? "" : "s");
    return stria_cuda_get_status(device.index, op, err);
}

static stria_status get_info(stria_device device, stria_device_info *info, stria_error *err)
{
    const stria_cuda_plugin *plugin = stria_cuda_get_plugin();
    stria_cuda_properties    properties;
    stria_cuda_memory        memory;

    STRIA_TRY(stria_cuda_check(device.index, plugin->get_properties(device.index, &properties), "device", err));
    STRIA_TRY(stria_cuda_check(device.index, plugin->get_memory(device.index, &memory), "device", err));
    *info = (stria_device_info){.memory_total_bytes = memory.total_bytes,
                                .memory_free_bytes = memory.free_bytes,
                                .capability = {properties.major, properties.minor}};
    snprintf(info->name, sizeof info->name, "%s", properties.name);
    return STRIA_OK;
}

static stria_status synchronize(stria_device device, stria_error *err)
{
    return stria_cuda_check(device.index, stria_cuda_get_plugin()->synchronize(device.index), "synchronize", err);
}

const stria_device_memory stria_cuda_memory_table = {.allocate = stria_cuda_memory_allocate,
                                                     .release = stria_cuda_memory_release,
                                                     .get_status = get_status,
                                                     .get_count = stria_cuda_count_devices,
                                                     .get_info = get_info,
                                                     .synchronize = synchronize,
                                                     .get_stats = stria_cuda_memory_get_stats,
                                                     .set_limit = stria_cuda_memory_set_limit,
                                                     .release_cache = stria_cuda_memory_release_cache,
                                                     .get_live_nbytes = stria_cuda_memory_get_live_nbytes,
                                                     .stream_new = stria_cuda_streams_new,
                                                     .stream_release = stria_cuda_streams_release,
                                                     .stream_set = stria_cuda_streams_set,
                                                     .stream_synchronize = stria_cuda_streams_synchronize,
                                                     .stream_get_handle = stria_cuda_streams_get_handle,
                                                     .stream_order = stria_cuda_streams_order};
