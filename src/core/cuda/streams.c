/* streams.c - the stream of each thread on each device (cuda_device.h). */
#include "base/alloc.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/parallel.h"
#include "cuda/cuda_device.h"

enum { MOST_DEVICES = 16 };

typedef struct thread_queues {
    stria_cuda_queue *at[MOST_DEVICES];
    stria_cuda_queue *capture; /* NULL: the thread captures nothing */
} thread_queues;

static _Thread_local thread_queues *own; /* NULL: this thread has none yet */

static struct {
    spin_lock         taken;
    stria_cuda_queue *first;
} idle[MOST_DEVICES];

/* ---------------------------------------------------------------- queues of threads that have ended */

static void hand_over(stria_cuda_queue *queue)
{
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

static void end_thread(void *queues)
{
    thread_queues *ended = queues;

    for (int d = 0; d < MOST_DEVICES; d++)
        if (ended->at[d] != NULL) hand_over(ended->at[d]);
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

stria_status stria_cuda_queue_get(int device, const char *op, stria_cuda_queue **queue, stria_error *err)
{
    if (own == NULL) STRIA_TRY(begin_thread(op, err));
    if (own->capture != NULL) {
        *queue = own->capture;
        if (device == own->capture->device) return STRIA_OK;
        return stria_error_set(err, STRIA_ERR_UNSUPPORTED, op, NULL, NULL, NULL, "a capture is of one device");
    }
    if (own->at[device] == NULL) own->at[device] = take_over(device);
    if (own->at[device] == NULL) STRIA_TRY(new_queue(device, op, &own->at[device], err));
    *queue = own->at[device];
    return STRIA_OK;
}

stria_cuda_queue *stria_cuda_queue_set_capture(stria_cuda_queue *queue)
{
    stria_cuda_queue *const was = own->capture;

    own->capture = queue;
    return was;
}
