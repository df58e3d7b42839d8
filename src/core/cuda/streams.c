/* streams.c - the stream of each thread on each device, and those that programs make (cuda_device.h). */
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/parallel.h"
#include "cuda/cuda_device.h"
#include "tensor/device.h"
#include "tensor/tensor.h"

enum { MOST_DEVICES = 16 };

/* A stria_stream. */
typedef struct made_stream {
    stria_stream      base;
    stria_cuda_queue *queue;
    atomic_int        n_owners; /* who made it, and the thread that it is set on */
    atomic_bool       is_set;
} made_stream;

typedef struct thread_queues {
    stria_cuda_queue *at[MOST_DEVICES];
    made_stream      *set[MOST_DEVICES]; /* in place of that; NULL: none */
    stria_cuda_queue *capture;           /* NULL: the thread captures nothing */
} thread_queues;

static _Thread_local thread_queues *own; /* NULL: this thread has none yet */

static struct {
    spin_lock         taken;
    stria_cuda_queue *first;
} idle[MOST_DEVICES];

/* ---------------------------------------------------------------- queues of threads that have ended */

static void hand_over(stria_cuda_queue *queue)
{
    const char *why;

    if (stria_cuda_open(&why) == NULL) return; /* a forked child: somebody may have had the lock */
    lock(&idle[queue->device].taken);
    queue->next = idle[queue->device].first;
    idle[queue->device].first = queue;
    unlock(&idle[queue->device].taken);
}

static stria_cuda_queue *take_over(int device)
{
    lock(&idle[device].taken);
    stria_cuda_queue *queue = idle[device].first;
    if (queue != NULL) idle[device].first = queue->next;
    unlock(&idle[device].taken);
    return queue;
}

static void release(made_stream *s)
{
    if (atomic_fetch_sub(&s->n_owners, 1) > 1) return;
    hand_over(s->queue);
    stria_object_release(s);
}

static void unset(thread_queues *thread, int device)
{
    made_stream *const was = thread->set[device];

    thread->set[device] = NULL;
    if (was == NULL) return;
    atomic_store(&was->is_set, false);
    release(was);
}

static void end_thread(void *queues)
{
    thread_queues *ended = queues;

    for (int d = 0; d < MOST_DEVICES; d++) {
        unset(ended, d);
        if (ended->at[d] != NULL) hand_over(ended->at[d]);
    }
    stria_object_release(ended);
    own = NULL;
}

/* ---------------------------------------------------------------- new ones */

static stria_status refuse_memory(const char *op, stria_error *err)
{
    return stria_error_set(err, STRIA_ERR_MEMORY, op, NULL, NULL, NULL, "no memory for a stream");
}

static stria_status begin_thread(const char *op, stria_error *err)
{
    own = stria_object_new(sizeof *own);
    if (own != NULL && stria_thread_keep_streams(end_thread, own)) return STRIA_OK;
    stria_object_release(own);
    own = NULL;
    return refuse_memory(op, err);
}

static stria_status new_queue(int device, const char *op, stria_cuda_queue **queue, stria_error *err)
{
    stria_cuda_queue *q = stria_object_new(sizeof *q);

    if (q == NULL) return refuse_memory(op, err);
    q->device = device;
    const stria_status status =
        stria_cuda_check(device, stria_cuda_get_plugin()->stream_new(device, &q->stream), op, err);
    if (status == STRIA_OK)
        *queue = q;
    else
        stria_object_release(q);
    return status;
}

/* One of a thread that has ended, or a new one. */
static stria_status get_queue(int device, const char *op, stria_cuda_queue **queue, stria_error *err)
{
    *queue = take_over(device);
    return *queue != NULL ? STRIA_OK : new_queue(device, op, queue, err);
}

stria_status stria_cuda_queue_get(int device, const char *op, stria_cuda_queue **queue, stria_error *err)
{
    if (own == NULL) STRIA_TRY(begin_thread(op, err));
    if (own->capture != NULL) {
        *queue = own->capture;
        if (device == own->capture->device) return STRIA_OK;
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, op, NULL, NULL, NULL, "a capture is of one device");
    }
    if (own->set[device] != NULL) {
        *queue = own->set[device]->queue;
        return STRIA_OK;
    }
    if (own->at[device] == NULL) STRIA_TRY(get_queue(device, op, &own->at[device], err));
    *queue = own->at[device];
    return STRIA_OK;
}

stria_cuda_queue *stria_cuda_queue_set_capture(stria_cuda_queue *queue)
{
    stria_cuda_queue *const was = own->capture;

    own->capture = queue;
    return was;
}

/* ---------------------------------------------------------------- those of programs (stria.h) */

stria_status stria_cuda_streams_new(stria_device device, stria_stream **stream, stria_error *err)
{
    made_stream *s = stria_object_new(sizeof *s);

    if (s == NULL) return refuse_memory("stream", err);
    const stria_status status = get_queue(device.index, "stream", &s->queue, err);
    if (status != STRIA_OK) {
        stria_object_release(s);
        return status;
    }
    s->base.device = device;
    atomic_init(&s->n_owners, 1);
    atomic_init(&s->is_set, false);
    *stream = &s->base;
    return STRIA_OK;
}

void stria_cuda_streams_release(stria_stream *stream) { release((made_stream *)(void *)stream); }

stria_status stria_cuda_streams_set(stria_device device, stria_stream *stream, stria_error *err)
{
    made_stream *const s = (made_stream *)(void *)stream;
    bool               none = false;

    if (own == NULL) STRIA_TRY(begin_thread("stream", err));
    if (own->set[device.index] == s) return STRIA_OK;
    if (s != NULL && !atomic_compare_exchange_strong(&s->is_set, &none, true))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "stream", "stream", "one that no other thread has set", "set",
                               "stream is set on another thread");
    if (s != NULL) atomic_fetch_add(&s->n_owners, 1);
    unset(own, device.index);
    own->set[device.index] = s;
    return STRIA_OK;
}

stria_status stria_cuda_streams_synchronize(const stria_stream *stream, stria_error *err)
{
    const made_stream *s = (const made_stream *)(const void *)stream;

    return stria_cuda_check(s->base.device.index, stria_cuda_get_plugin()->stream_synchronize(s->queue->stream),
                            "stream", err);
}

stria_status stria_cuda_streams_get_handle(stria_device device, void **handle, stria_error *err)
{
    stria_cuda_queue *queue;

    STRIA_TRY(stria_cuda_queue_get(device.index, "stream", &queue, err));
    *handle = stria_cuda_get_plugin()->stream_get_handle(queue->stream);
    return STRIA_OK;
}

stria_status stria_cuda_streams_order(const stria_tensor *x, bool records, stria_error *err)
{
    stria_cuda_queue *const home = x->storage->context;
    stria_cuda_queue       *queue;

    STRIA_TRY(stria_cuda_queue_get(x->device.index, "stream", &queue, err));
    if (home == NULL || home == queue) return STRIA_OK;
    stria_cuda_queue *const later = records ? home : queue, *const earlier = records ? queue : home;
    return stria_cuda_check(x->device.index, stria_cuda_get_plugin()->stream_wait(later->stream, earlier->stream),
                            "stream", err);
}
