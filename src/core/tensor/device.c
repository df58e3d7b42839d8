/* device.c - the devices that tensors lie on. */
#include "tensor/device.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"
#include "tensor/tensor.h"

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
static const stria_device_memory *memories[STRIA_DEVICE_COUNT] = {
#if !defined(__EMSCRIPTEN__)
    [STRIA_DEVICE_CUDA] = &stria_cuda_memory_table,
#endif
};

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

/* ---------------------------------------------------------------- what programs ask */

static stria_status refuse_absent(stria_device device, const char *op, const char *why, stria_error *err)
{
    const char *name = stria_device_get_name(device);
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, op, "device", "a device that is there", name,
                           "there is no device %s%s", name, why);
}

stria_status stria_device_get_status(stria_device device, const char *op, stria_error *err)
{
    const stria_device_memory *memory = stria_device_get_memory(device);

    if (device.type == STRIA_DEVICE_CPU || device.type == STRIA_DEVICE_META) return STRIA_OK;
    if (memory == NULL)
        return refuse_absent(device, op,
                             device.type == STRIA_DEVICE_CUDA ? ": WebAssembly cannot reach GPUs by CUDA" : "", err);
    return memory->get_status != NULL ? memory->get_status(device, op, err) : STRIA_OK;
}

int stria_device_get_count(stria_device_type type)
{
    if ((unsigned)type >= STRIA_DEVICE_COUNT) return 0;
    if (type == STRIA_DEVICE_CPU || type == STRIA_DEVICE_META) return 1;
    if (memories[type] == NULL) return 0;
    return memories[type]->get_count != NULL ? memories[type]->get_count() : counts[type];
}

/* The device is valid, and there; *memory is its table, NULL of the CPU and META. */
static stria_status find(stria_device device, const char *op, const stria_device_memory **memory, stria_error *err)
{
    STRIA_TRY(stria_device_check(op, "device", device, err));
    *memory = stria_device_get_memory(device);
    return stria_device_get_status(device, op, err);
}

stria_status stria_device_get_info(stria_device device, stria_device_info *info, stria_error *err)
{
    const stria_device_memory *memory;

    if (info == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "device", "info", "a place for the result", "NULL",
                               "info is NULL");
    STRIA_TRY(find(device, "device", &memory, err));
    if (memory != NULL && memory->get_info != NULL) return memory->get_info(device, info, err);
    *info = (stria_device_info){.memory_total_bytes = 0};
    snprintf(info->name, sizeof info->name, "%s", stria_device_get_name(device));
    return STRIA_OK;
}

stria_status stria_device_synchronize(stria_device device, stria_error *err)
{
    const stria_device_memory *memory;

    STRIA_TRY(find(device, "synchronize", &memory, err));
    return memory != NULL && memory->synchronize != NULL ? memory->synchronize(device, err) : STRIA_OK;
}

stria_status stria_device_memory_get_stats(stria_device device, stria_memory_stats *stats, stria_error *err)
{
    const stria_device_memory *memory;

    if (stats == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "memory", "stats", "a place for the result", "NULL",
                               "stats is NULL");
    STRIA_TRY(find(device, "memory", &memory, err));
    if (memory != NULL && memory->get_stats != NULL) return memory->get_stats(device, stats, err);
    *stats = (stria_memory_stats){.live_bytes = 0};
    if (device.type == STRIA_DEVICE_CPU) *stats = stria_memory_get_stats();
    return STRIA_OK;
}

stria_status stria_device_memory_set_limit(stria_device device, uint64_t limit_bytes, stria_error *err)
{
    const stria_device_memory *memory;

    STRIA_TRY(find(device, "memory", &memory, err));
    if (device.type == STRIA_DEVICE_CPU) {
        stria_memory_set_limit(limit_bytes);
        return STRIA_OK;
    }
    if (memory == NULL || memory->set_limit == NULL) {
        const char *name = stria_device_get_name(device);
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "memory", "device", "cpu or cuda", name, "%s takes no limit",
                               name);
    }
    memory->set_limit(device, limit_bytes);
    return STRIA_OK;
}

stria_status stria_device_memory_release_cache(stria_device device, stria_error *err)
{
    const stria_device_memory *memory;

    STRIA_TRY(find(device, "memory", &memory, err));
    if (memory != NULL && memory->release_cache != NULL) return memory->release_cache(device, err);
    if (device.type == STRIA_DEVICE_CPU) stria_memory_release_cache();
    return STRIA_OK;
}

uint64_t stria_device_get_live_nbytes(void)
{
    uint64_t nbytes = stria_memory_get_stats().live_bytes;

    for (int type = 0; type < STRIA_DEVICE_COUNT; type++)
        if (memories[type] != NULL && memories[type]->get_live_nbytes != NULL)
            nbytes += memories[type]->get_live_nbytes();
    return nbytes;
}

/* ---------------------------------------------------------------- streams */

/* The device is there and has streams. */
static stria_status find_streams(stria_device device, const stria_device_memory **memory, stria_error *err)
{
    STRIA_TRY(find(device, "stream", memory, err));
    if (*memory != NULL && (*memory)->stream_new != NULL) return STRIA_OK;
    const char *name = stria_device_get_name(device);
    return stria_error_set(err, STRIA_ERR_UNSUPPORTED, "stream", "device", "a CUDA device", name, "%s has no streams",
                           name);
}

static stria_status refuse_null(const char *argument, const char *expected, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_ARGUMENT, "stream", argument, expected, "NULL", "%s is NULL", argument);
}

stria_status stria_stream_new(stria_device device, stria_stream **stream, stria_error *err)
{
    const stria_device_memory *memory;

    if (stream == NULL) return refuse_null("stream", "a place for the result", err);
    *stream = NULL;
    STRIA_TRY(find_streams(device, &memory, err));
    return memory->stream_new(device, stream, err);
}

void stria_stream_release(stria_stream *stream)
{
    if (stream != NULL) stria_device_get_memory(stream->device)->stream_release(stream);
}

stria_status stria_stream_set(stria_device device, stria_stream *stream, stria_error *err)
{
    const stria_device_memory *memory;

    STRIA_TRY(find_streams(device, &memory, err));
    if (stream != NULL && !stria_device_equals(stream->device, device)) {
        const char *name = stria_device_get_name(device), *got = stria_device_get_name(stream->device);
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "stream", "stream", name, got,
                               "stream is of %s, and was to be set on %s", got, name);
    }
    return memory->stream_set(device, stream, err);
}

stria_status stria_stream_synchronize(const stria_stream *stream, stria_error *err)
{
    const stria_device_memory *memory;

    if (stream == NULL) return refuse_null("stream", "a stream", err);
    STRIA_TRY(find_streams(stream->device, &memory, err));
    return memory->stream_synchronize(stream, err);
}

stria_status stria_stream_get_handle(stria_device device, void **handle, stria_error *err)
{
    const stria_device_memory *memory;

    if (handle == NULL) return refuse_null("handle", "a place for the result", err);
    *handle = NULL;
    STRIA_TRY(find_streams(device, &memory, err));
    return memory->stream_get_handle(device, handle, err);
}

static stria_status order(const stria_tensor *x, bool records, stria_error *err)
{
    if (x == NULL) return refuse_null("x", "a tensor", err);
    const stria_device_memory *memory = stria_device_get_memory(x->device);
    if (memory == NULL || memory->stream_order == NULL || x->data == NULL) return STRIA_OK;
    STRIA_TRY(stria_device_get_status(x->device, "stream", err));
    return memory->stream_order(x, records, err);
}

stria_status stria_stream_wait_tensor(const stria_tensor *x, stria_error *err) { return order(x, false, err); }

stria_status stria_stream_record_tensor(const stria_tensor *x, stria_error *err) { return order(x, true, err); }

/* ---------------------------------------------------------------- how devices compute */

static atomic_bool allows_tf32;

void stria_tf32_set(bool is_allowed) { atomic_store_explicit(&allows_tf32, is_allowed, memory_order_relaxed); }

bool stria_tf32_get(void) { return atomic_load_explicit(&allows_tf32, memory_order_relaxed); }
