/* work.c - what a call does on a device, from its first wait to its error (cuda_device.h). */
#include <stdatomic.h>

#include "base/error.h"
#include "cuda/cuda_device.h"
#include "tensor/device.h"

enum { MOST_DEVICES = 16 };

/* What is known of a device that has failed. */
static struct {
    atomic_int            code;    /* 0: it works */
    _Atomic(const char *) last_op; /* begun last: static string */
    _Atomic(const char *) failed_after;
} states[MOST_DEVICES];

/* ---------------------------------------------------------------- errors */

stria_status stria_cuda_get_status(int device, const char *op, stria_error *err)
{
    const int code = atomic_load_explicit(&states[device].code, memory_order_acquire);

    if (__builtin_expect(code == STRIA_CUDA_OK, true)) return STRIA_OK;
    const char *after = atomic_load(&states[device].failed_after);
    const char *name = stria_device_get_name(STRIA_DEVICE(STRIA_DEVICE_CUDA, (int16_t)device));
    return stria_error_set(err, STRIA_ERR_DEVICE, op, "device", "a device that works", name,
                           "%s has failed, in %s or before: %s (CUDA error %d). It is lost to this process", name,
                           after != NULL ? after : "no op", stria_cuda_get_plugin()->error_text(code), code);
}

stria_status stria_cuda_check(int device, int code, const char *op, stria_error *err)
{
    const stria_cuda_plugin *plugin = stria_cuda_get_plugin();
    const char              *name = stria_device_get_name(STRIA_DEVICE(STRIA_DEVICE_CUDA, (int16_t)device));
    int                      none = STRIA_CUDA_OK;

    if (code == STRIA_CUDA_OK) return STRIA_OK;
    if (plugin->is_sticky(code)) {
        if (atomic_load(&states[device].failed_after) == NULL)
            atomic_store(&states[device].failed_after, atomic_load(&states[device].last_op));
        atomic_compare_exchange_strong(&states[device].code, &none, code);
        return stria_cuda_get_status(device, op, err);
    }
    if (code == STRIA_CUDA_NO_MEMORY || code == STRIA_CUDA_NO_HOST_MEMORY)
        return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, name, "%s: %s", name, plugin->error_text(code));
    if (code == STRIA_CUDA_TOO_LARGE)
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, op, NULL, "a smaller call", name, "%s: %s", name,
                               plugin->error_text(code));
    return stria_error_set(err, STRIA_ERR_INTERNAL, op, NULL, NULL, name, "%s: %s (CUDA error %d)", name,
                           plugin->error_text(code), code);
}

/* ---------------------------------------------------------------- work */

stria_status stria_cuda_work_begin(stria_cuda_work *work, const char *op, stria_device device, stria_error *err)
{
    STRIA_TRY(stria_device_get_status(device, op, err));
    STRIA_TRY(stria_cuda_queue_get(device.index, op, &work->queue, err));
    work->plugin = stria_cuda_get_plugin();
    work->op = op;
    work->stream = work->queue->stream;
    work->n_homes = 0;
    work->is_awaited = false;
    work->code = STRIA_CUDA_OK;
    return STRIA_OK;
}

void stria_cuda_work_use(stria_cuda_work *work, const stria_tensor *x)
{
    if (x != NULL && x->device.type == STRIA_DEVICE_CUDA) stria_cuda_work_use_home(work, x->storage->context);
}

void stria_cuda_work_use_home(stria_cuda_work *work, stria_cuda_queue *home)
{
    if (home == NULL || home == work->queue || work->queue->is_capture)
        return; /* who launches what is captured waits */
    for (int k = 0; k < work->n_homes; k++)
        if (work->homes[k] == home) return;
    if (work->n_homes == STRIA_CUDA_HOMES) { /* the host waits, for this one now and for the work in the end */
        work->is_awaited = true;
        stria_cuda_work_put(work, work->plugin->stream_synchronize(home->stream));
        return;
    }
    work->homes[work->n_homes++] = home;
    stria_cuda_work_put(work, work->plugin->stream_wait(work->stream, home->stream));
}

void *stria_cuda_work_allocate(stria_cuda_work *work, size_t nbytes)
{
    void *block = NULL;

    if (work->code != STRIA_CUDA_OK) return NULL;
    stria_cuda_work_put(work, work->plugin->block_new(work->stream, nbytes, &block));
    return block;
}

void stria_cuda_work_release(stria_cuda_work *work, void *block)
{
    if (block != NULL) stria_cuda_work_put(work, work->plugin->block_release(work->stream, block));
}

stria_status stria_cuda_work_end(stria_cuda_work *work, stria_dtype dtype, stria_error *err)
{
    const stria_device device = {STRIA_DEVICE_CUDA, (int16_t)work->queue->device};

    for (int k = 0; k < work->n_homes; k++)
        stria_cuda_work_put(work, work->plugin->stream_wait(work->homes[k]->stream, work->stream));
    if (work->is_awaited) stria_cuda_work_put(work, work->plugin->stream_synchronize(work->stream));
    if (work->code == STRIA_CUDA_NO_KERNEL) {
        const char *name = stria_device_get_name(device), *got = stria_dtype_get_name(dtype);
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, work->op, NULL, "another dtype", got,
                               "there is no %s of %s on %s", work->op, got, name);
    }
    const stria_status status = stria_cuda_check(device.index, work->code, work->op, err);
    atomic_store_explicit(&states[device.index].last_op, work->op, memory_order_relaxed);
    return status;
}
