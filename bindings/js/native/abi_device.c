/* abi_device.c - the flat ABI: devices, their memory, and what comes from them to the host. */
#include <stdio.h>
#include <string.h>

#include "abi_table.h"
#include "base/error.h"
#include "call/backend.h"
#include "tensor/device.h"

static stria_error *error_get(void) { return &stria_abi_get_scratch()->error; }

stria_device stria_abi_get_device(double type, double index)
{
    const int  t = stria_abi_get_int(type), i = stria_abi_get_int(index);
    const bool is_small = t == (int16_t)t && i == (int16_t)i;

    return is_small ? STRIA_DEVICE((int16_t)t, (int16_t)i) : STRIA_DEVICE(-1, -1);
}

/* ---------------------------------------------------------------- devices */

double stria_abi_device_count(double type)
{
    const int number = stria_abi_get_int(type);
    return number >= 0 && number < STRIA_DEVICE_COUNT ? stria_device_get_count((stria_device_type)number) : 0;
}

double stria_abi_device_info(double type, double index)
{
    stria_device_info  info;
    double            *n = stria_abi_get_scratch()->n;
    const stria_status status = stria_device_get_info(stria_abi_get_device(type, index), &info, error_get());

    if (status != STRIA_OK) return -(double)status;
    n[0] = (double)info.memory_total_bytes;
    n[1] = (double)info.memory_free_bytes;
    n[2] = info.capability[0];
    n[3] = info.capability[1];
    snprintf(error_get()->message, sizeof error_get()->message, "%s", info.name);
    return 0;
}

double stria_abi_device_synchronize(double type, double index)
{
    return -(double)stria_device_synchronize(stria_abi_get_device(type, index), error_get());
}

/* ---------------------------------------------------------------- memory */

double stria_abi_memory(double type, double index)
{
    stria_memory_stats stats;
    double            *n = stria_abi_get_scratch()->n;
    const stria_status status = stria_device_memory_get_stats(stria_abi_get_device(type, index), &stats, error_get());

    if (status != STRIA_OK) return -(double)status;
    n[0] = (double)stats.live_bytes;
    n[1] = (double)stats.peak_bytes;
    n[2] = (double)stats.cached_bytes;
    n[3] = (double)stats.limit_bytes;
    n[4] = (double)stats.live_tensors;
    n[5] = (double)stats.live_storages;
    n[6] = (double)stats.allocation_count;
    n[7] = (double)stats.cache_hit_count;
    return 0;
}

double stria_abi_memory_live(void) { return (double)stria_device_get_live_nbytes(); }

double stria_abi_memory_limit(double type, double index, double nbytes)
{
    const int64_t limit = stria_abi_get_int64(nbytes);
    return -(double)stria_device_memory_set_limit(stria_abi_get_device(type, index), limit > 0 ? (uint64_t)limit : 0,
                                                  error_get());
}

double stria_abi_memory_trim(double type, double index)
{
    return -(double)stria_device_memory_release_cache(stria_abi_get_device(type, index), error_get());
}

/* ---------------------------------------------------------------- copies */

double stria_abi_copy_to(double a, double dtype, double type, double index)
{
    stria_tensor *x = stria_abi_get_tensor(a, "to", "x"), *y = NULL;
    stria_dtype   wanted = STRIA_DTYPE_NONE;
    stria_status  status;

    if (!x) return -STRIA_ERR_DISPOSED;
    status = stria_abi_get_dtype(dtype, "to", true, &wanted);
    if (status == STRIA_OK)
        status = stria_tensor_copy_to(x, wanted, stria_abi_get_device(type, index), &y, error_get());
    return stria_abi_get_result(status, y);
}

stria_status stria_abi_new_packed(const stria_tensor *x, stria_device device, void *bytes, stria_tensor **out,
                                  stria_error *err)
{
    stria_status status =
        bytes != NULL ? stria_tensor_new_external(x->dtype, x->ndim, x->shape, NULL, bytes, NULL, NULL, out, err)
                      : stria_tensor_new_on(device, x->dtype, x->ndim, x->shape, NULL, out, err);

    if (status != STRIA_OK) return status;
    status = stria_backend_copy(*out, x, err);
    if (status != STRIA_OK) {
        stria_tensor_release(*out);
        *out = NULL;
    }
    return status;
}

double stria_abi_read(double handle, void *bytes, size_t nbytes)
{
    stria_tensor *x = stria_abi_find_tensor(handle), *host = NULL;
    double        failure;

    if (x == NULL || x->device.type == STRIA_DEVICE_CPU || x->device.type == STRIA_DEVICE_META || nbytes == 0 ||
        (double)x->numel * (double)stria_dtype_get_size(x->dtype) != (double)nbytes) {
        x = stria_abi_get_flat(handle, (double)nbytes, "read", &failure);
        if (x == NULL) return failure;
        if (nbytes > 0) memcpy(bytes, stria_tensor_get_const_data(x), nbytes);
        return 0;
    }
    const stria_status status = stria_abi_new_packed(x, STRIA_CPU, bytes, &host, error_get());
    stria_tensor_release(host);
    return -(double)status;
}

/* ---------------------------------------------------------------- how they compute */

double stria_abi_tf32(double allow)
{
    if (allow == 0 || allow == 1) stria_tf32_set(allow == 1);
    return stria_tf32_get();
}
