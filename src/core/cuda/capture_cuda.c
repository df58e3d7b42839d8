/* capture_cuda.c - work on CUDA devices that is captured into graphs of CUDA (call/capture.h, plugin.h).
 *
 * While a thread captures, its queue on the device is one that nobody else knows: memory of other threads, whose home is this thread's own stream,
 * comes and goes meanwhile. Calls wait for no homes then; each launch does. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cuda/cuda_device.h"

#define OP "graph"

struct stria_captured {
    stria_cuda_graph *graph;
    stria_device      device;
};

static bool is_on(void)
{
    const char *text = getenv("STRIA_CUDA_GRAPHS");
    return text == NULL || strcmp(text, "0") != 0;
}

static bool watch_begin(void) { return stria_cuda_get_plugin()->watch_begin() == STRIA_CUDA_OK; }

static void watch_end(stria_watched *watched)
{
    stria_cuda_watched seen;

    stria_cuda_get_plugin()->watch_end(&seen);
    *watched = (stria_watched){!seen.meets_host, !seen.is_changed, seen.memory_bytes};
}

static stria_status begin(stria_device device, const stria_storage *memory, stria_error *err)
{
    const stria_cuda_plugin *plugin = stria_cuda_get_plugin();
    stria_cuda_queue        *queue, *own;
    const size_t             nbytes = memory != NULL ? memory->nbytes : 0;
    void *const              data = memory != NULL ? memory->data : NULL;

    STRIA_TRY(stria_cuda_get_status(device.index, OP, err));
    STRIA_TRY(stria_cuda_queue_get(device.index, OP, &own, err)); /* the thread has one: what captures lies beside it */
    queue = stria_object_new(sizeof *queue);
    if (queue == NULL) return stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for a stream");
    queue->device = device.index;
    queue->is_capture = true;
    const int          code = plugin->capture_begin(device.index, data, nbytes, &queue->stream);
    const stria_status status = stria_cuda_check(device.index, code, OP, err);
    if (status == STRIA_OK)
        stria_cuda_queue_set_capture(queue);
    else
        stria_object_release(queue);
    return status;
}

static stria_status end(stria_captured **captured, stria_error *err)
{
    const stria_cuda_plugin *plugin = stria_cuda_get_plugin();
    stria_cuda_queue        *queue = stria_cuda_queue_set_capture(NULL), *own = NULL;
    stria_captured          *made = captured != NULL ? stria_object_new(sizeof *made) : NULL;
    size_t                   n_nodes;

    if (captured != NULL) *captured = NULL;
    stria_status status = stria_cuda_queue_get(queue->device, OP, &own, err); /* it is there since begin */
    const int    code = plugin->capture_end(queue->stream, own->stream, made != NULL ? &made->graph : NULL, &n_nodes);
    if (status == STRIA_OK) status = stria_cuda_check(queue->device, code, OP, err);
    if (status == STRIA_OK && captured != NULL && made == NULL)
        status = stria_error_set(err, STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for a graph");
    if (made != NULL) made->device = STRIA_DEVICE(STRIA_DEVICE_CUDA, (int16_t)queue->device);
    stria_object_release(queue);
    if (status == STRIA_OK && captured != NULL)
        *captured = made;
    else
        stria_object_release(made);
    return status;
}

static stria_status launch(const stria_captured *captured, const stria_storage *memory, stria_tensor *const *tensors,
                           int n_tensors, bool *is_launched, stria_error *err)
{
    stria_cuda_work work;

    *is_launched = false;
    STRIA_TRY(stria_cuda_work_begin(&work, OP, captured->device, err));
    if (memory != NULL) stria_cuda_work_use_home(&work, memory->context);
    for (int k = 0; k < n_tensors; k++) stria_cuda_work_use(&work, tensors[k]);
    if (work.code == STRIA_CUDA_OK)
        *is_launched = stria_cuda_work_put(&work, work.plugin->graph_launch(work.stream, captured->graph));
    return stria_cuda_work_end(&work, STRIA_DTYPE_NONE, err);
}

static void release(stria_captured *captured)
{
    const char *why;

    if (stria_cuda_open(&why) != NULL) /* else a forked child: the graph is the parent's */
        stria_cuda_get_plugin()->graph_release(captured->graph);
    stria_object_release(captured);
}

const stria_backend_capture stria_cuda_capture = {.is_on = is_on,
                                                  .watch_begin = watch_begin,
                                                  .watch_end = watch_end,
                                                  .begin = begin,
                                                  .end = end,
                                                  .launch = launch,
                                                  .release = release,
                                                  .list_begin = stria_cuda_kept_list_begin,
                                                  .list_end = stria_cuda_kept_list_end,
                                                  .put = stria_cuda_kept_put,
                                                  .take = stria_cuda_kept_take};
