/* stream.cpp - queues of work, events.
 *
 * Nothing runs before someone waits for it, or a call lets a little of it run (control.h, set_eagerness). Then a stream that
 * can go on is drawn at random, its first operation runs, and so on until what is waited for has happened. */
#include "stream.h"

#include <time.h>

struct CUevent_st {
    int                         device;
    bool                        timing;
    std::shared_ptr<event_mark> mark;     /* NULL: never recorded */
    CUstream_st                *captured; /* the stream that captured it, after n_captured operations; NULL: none did */
    uint64_t                    n_captured;
};

namespace cuda_host {

std::set<CUstream_st *>       &streams = *new std::set<CUstream_st *>();
static std::set<CUevent_st *> &events = *new std::set<CUevent_st *>();
static CUstream_st            *legacy[DEVICES];
static uint64_t                last_number;
static thread_local bool       is_in_host_function;

static CUstream_st *stream_new(int device, bool blocking, bool is_legacy)
{
    CUstream_st *s = new CUstream_st();
    s->device = device;
    s->blocking = blocking;
    s->legacy = is_legacy;
    streams.insert(s);
    return s;
}

static CUstream_st *legacy_of(int device)
{
    if (!legacy[device]) legacy[device] = stream_new(device, true, true);
    return legacy[device];
}

CUstream_st *stream_get(cudaStream_t stream)
{
    if (!stream || stream == cudaStreamLegacy) return legacy_of(device_get_current());
    auto at = streams.find(stream);
    return at == streams.end() || (*at)->ended ? NULL : *at;
}

int stream_get_device(const CUstream_st *s) { return s->device; }

/* ---- running */
static bool is_free(const CUstream_st *s)
{
    if (s->queue.empty() || s->busy) return false;
    const operation &o = s->queue.front();
    if (o.kind == operation::WAIT && !o.mark->done) return false;
    if (!s->blocking) return true;
    /* the legacy stream and the blocking ones keep the order of their calls */
    for (const CUstream_st *other : streams) {
        if (other == s || other->device != s->device || !other->blocking || !(s->legacy || other->legacy)) continue;
        if (other->busy || (!other->queue.empty() && other->queue.front().number < o.number)) return false;
    }
    return true;
}

static void end_if_empty(CUstream_st *s)
{
    if (!s->ended || !s->queue.empty() || s->busy) return;
    streams.erase(s);
    delete s;
}

static double now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void run_first(CUstream_st *s)
{
    std::unique_lock<std::mutex> *const lock = state.held;
    operation                           o = std::move(s->queue.front());
    s->queue.pop_front();
    if (o.kind == operation::RUN) {
        s->busy = true; /* it stays there, whatever ends */
        const cudaError_t code = o.run();
        if (code != cudaSuccess) device_kill(s->device, code);
        s->busy = false;
    } else if (o.kind == operation::RECORD) {
        o.mark->done = true;
        o.mark->time = now();
    } else if (o.kind == operation::CALL) {
        s->busy = true;
        blocks_close();
        lock->unlock();
        is_in_host_function = true;
        o.function(o.user);
        is_in_host_function = false;
        lock->lock();
        state.held = lock;
        s->busy = false;
    }
    end_if_empty(s);
    state.changed.notify_all();
}

/* One operation of a stream drawn from those that can go on; false: there is none. */
static bool run_some()
{
    std::vector<CUstream_st *> can;
    for (CUstream_st *s : streams)
        if (is_free(s)) can.push_back(s);
    if (can.empty()) return false;
    /* addresses are no order that a seed repeats */
    std::sort(can.begin(), can.end(), [](const CUstream_st *a, const CUstream_st *b) {
        return a->queue.front().number < b->queue.front().number;
    });
    run_first(can[state.random.below((unsigned)can.size())]);
    return true;
}

template <typename F>
static void run_until(F is_done)
{
    std::unique_lock<std::mutex> *const lock = state.held;
    while (!is_done()) {
        if (run_some()) continue;
        bool busy = false;
        for (const CUstream_st *s : streams) busy = busy || s->busy;
        if (!busy) return; /* what it waits for is dead */
        state.changed.wait(*lock);
        state.held = lock;
    }
}

bool is_host_function_here() { return is_in_host_function; }

void stream_wait(CUstream_st *s)
{
    const CUstream_st *const which = s;
    run_until([which]() {
        auto at = streams.find(const_cast<CUstream_st *>(which));
        return at == streams.end() || (which->queue.empty() && !which->busy);
    });
    pools_release(device_get_current());
}

void device_wait(int device)
{
    run_until([device]() {
        for (const CUstream_st *s : streams)
            if (s->device == device && (!s->queue.empty() || s->busy)) return false;
        return true;
    });
    pools_release(device);
}

cudaError_t add(CUstream_st *s, operation o)
{
    o.number = ++last_number;
    if (s->capture && s->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (s->legacy && is_legacy_forbidden(s->device)) return cudaErrorStreamCaptureImplicit;
    if (s->capture) {
        s->capture->operations.push_back(std::move(o));
        s->n_captured++;
        s->joined = false;
        return cudaSuccess;
    }
    s->queue.push_back(std::move(o));
    if ((int)state.random.below(256) < state.eagerness)
        for (unsigned n = 1 + state.random.below(4); n > 0; n--)
            if (!run_some()) break;
    return cudaSuccess;
}

cudaError_t stream_add(CUstream_st *s, operation_fn run)
{
    return add(s, operation{operation::RUN, 0, std::move(run), NULL, NULL, NULL});
}

void streams_drop(int device)
{
    for (auto at = streams.begin(); at != streams.end();) {
        CUstream_st *s = *at++;
        if (s->device != device) continue;
        for (operation &o : s->queue)
            if (o.kind == operation::RECORD) o.mark->done = true; /* nobody waits for ever */
        s->queue.clear();
        end_if_empty(s);
    }
}

void streams_count(stria_cuda_host_counts *counts)
{
    counts->streams = counts->waiting = 0;
    for (const CUstream_st *s : streams) {
        counts->streams += !s->legacy && !s->ended;
        counts->waiting += (int64_t)s->queue.size();
    }
    counts->events = (int64_t)events.size();
}

} // namespace cuda_host

using namespace cuda_host;

/* ---- streams */
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    CUDA_HOST_ENTER("cudaStreamCreateWithFlags");
    if (!stream || flags > cudaStreamNonBlocking) return call.done(cudaErrorInvalidValue);
    *stream = stream_new(call.device, flags != cudaStreamNonBlocking, false);
    return call.done(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaStreamDestroy");
    CUstream_st *s = stream ? stream_get(stream) : NULL;
    if (!s || s->legacy) return call.done(cudaErrorInvalidResourceHandle);
    if (s->capture) return call.done(capture_refuse(s, cudaErrorStreamCaptureUnsupported));
    s->ended = true;
    end_if_empty(s);
    return call.done(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaStreamSynchronize");
    CUstream_st *s = stream_get(stream);
    if (!s) return call.done(cudaErrorInvalidResourceHandle);
    if (s->capture) return call.done(capture_refuse(s, cudaErrorStreamCaptureUnsupported));
    const int device = s->device;
    state.counts.waits++;
    stream_wait(s);
    return call.done(state.devices[device].dead);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaStreamQuery");
    CUstream_st *s = stream_get(stream);
    if (!s) return call.done(cudaErrorInvalidResourceHandle);
    if (s->capture) return call.done(capture_refuse(s, cudaErrorStreamCaptureUnsupported));
    const int device = s->device;
    if (s->queue.empty() && !s->busy) return call.done(state.devices[device].dead);
    run_some(); /* who asks again and again sees it done in the end */
    return call.done(state.devices[device].dead ? state.devices[device].dead : cudaErrorNotReady);
}

cudaError_t cudaDeviceSynchronize(void)
{
    CUDA_HOST_ENTER("cudaDeviceSynchronize");
    if (is_capture_forbidding()) return call.done(capture_refuse(NULL, cudaErrorStreamCaptureUnsupported));
    state.counts.waits++;
    device_wait(call.device);
    return call.done(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t run, void *user)
{
    CUDA_HOST_ENTER("cudaLaunchHostFunc");
    CUstream_st *s = stream_get(stream);
    if (!s) return call.done(cudaErrorInvalidResourceHandle);
    if (!run) return call.done(cudaErrorInvalidValue);
    return call.done(add(s, operation{operation::CALL, 0, NULL, NULL, run, user}));
}

/* ---- events */
static CUevent_st *event_get(cudaEvent_t event)
{
    auto at = events.find(event);
    return at == events.end() ? NULL : *at;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    CUDA_HOST_ENTER("cudaEventCreateWithFlags");
    if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming)) return call.done(cudaErrorInvalidValue);
    *event = new CUevent_st{call.device, !(flags & cudaEventDisableTiming), NULL, NULL, 0};
    events.insert(*event);
    return call.done(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    CUDA_HOST_ENTER("cudaEventDestroy");
    if (!event_get(event)) return call.done(cudaErrorInvalidResourceHandle);
    events.erase(event);
    delete event; /* who waits for it holds its mark */
    return call.done(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaEventRecord");
    CUevent_st  *e = event_get(event);
    CUstream_st *s = stream_get(stream);
    if (!e || !s || e->device != s->device) return call.done(cudaErrorInvalidResourceHandle);
    if (s->capture) {
        e->captured = s;
        e->n_captured = s->n_captured;
        return call.done(cudaSuccess);
    }
    e->captured = NULL;
    e->mark = std::make_shared<event_mark>();
    return call.done(add(s, operation{operation::RECORD, 0, NULL, e->mark, NULL, NULL}));
}

/* A stream that waits for an event of a capture takes part in it. */
static cudaError_t wait_captured(CUstream_st *s, const CUevent_st *e)
{
    CUstream_st *from = e->captured;
    if (!from || !from->capture || (s->capture && s->capture != from->capture)) {
        if (from && from->capture) (void)capture_refuse(from, cudaErrorStreamCaptureIsolation);
        return capture_refuse(s, cudaErrorStreamCaptureIsolation);
    }
    if (e->n_captured == from->n_captured && s != from) from->joined = true;
    if (s->capture) return cudaSuccess;
    s->capture = from->capture;
    s->origin = from->origin;
    s->n_captured = 0;
    s->joined = false;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    CUDA_HOST_ENTER("cudaStreamWaitEvent");
    CUevent_st  *e = event_get(event);
    CUstream_st *s = stream_get(stream);
    if (!e || !s) return call.done(cudaErrorInvalidResourceHandle);
    if (s->capture || e->captured) return call.done(wait_captured(s, e));
    if (!e->mark) return call.done(cudaSuccess);
    return call.done(add(s, operation{operation::WAIT, 0, NULL, e->mark, NULL, NULL}));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    CUDA_HOST_ENTER("cudaEventSynchronize");
    CUevent_st *e = event_get(event);
    if (!e) return call.done(cudaErrorInvalidResourceHandle);
    if (e->captured) return call.done(cudaErrorCapturedEvent);
    const int                         device = e->device;
    const std::shared_ptr<event_mark> mark = e->mark;
    state.counts.waits++;
    run_until([&mark]() { return !mark || mark->done; });
    pools_release(device);
    return call.done(state.devices[device].dead);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    CUDA_HOST_ENTER("cudaEventQuery");
    CUevent_st *e = event_get(event);
    if (!e) return call.done(cudaErrorInvalidResourceHandle);
    if (e->captured) return call.done(cudaErrorCapturedEvent);
    const int device = e->device;
    if (!e->mark || e->mark->done) return call.done(state.devices[device].dead);
    run_some();
    return call.done(state.devices[device].dead ? state.devices[device].dead : cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    CUDA_HOST_ENTER("cudaEventElapsedTime");
    CUevent_st *a = event_get(begin), *b = event_get(end);
    if (!a || !b || !a->timing || !b->timing || !a->mark || !b->mark) return call.done(cudaErrorInvalidResourceHandle);
    if (!a->mark->done || !b->mark->done) return call.done(cudaErrorNotReady);
    *milliseconds = (float)(b->mark->time - a->mark->time);
    return call.done(cudaSuccess);
}
