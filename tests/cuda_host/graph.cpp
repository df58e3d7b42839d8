/* graph.cpp - capture and replay.
 *
 * While a stream captures, what is put to it is kept, with its arguments, and does not run. A call that is not permitted then fails, and the capture
 * with it, which makes no graph. Memory that is allocated or freed in the order of a capturing stream would be nodes of the graph in CUDA; here it
 * is not permitted. */
#include "stream.h"

namespace cuda_host {

static std::set<CUgraph_st *>     &graphs = *new std::set<CUgraph_st *>();
static std::set<CUgraphExec_st *> &execs = *new std::set<CUgraphExec_st *>();

bool stream_is_capturing(const CUstream_st *s) { return s->capture != NULL; }

/* A capture that this thread, or for a global one any thread, began. */
static bool is_forbidding(const CUstream_st *s)
{
    if (!s->capture || s->origin != s || s->mode == cudaStreamCaptureModeRelaxed) return false;
    return s->mode == cudaStreamCaptureModeGlobal || s->owner == std::this_thread::get_id();
}

bool is_capture_forbidding()
{
    for (const CUstream_st *s : streams)
        if (is_forbidding(s)) return true;
    return false;
}

bool is_legacy_forbidden(int device)
{
    bool forbidden = false;
    for (CUstream_st *s : streams)
        if (s->capture && s->blocking && s->device == device) s->capture->invalid = forbidden = true;
    return forbidden;
}

cudaError_t capture_refuse(CUstream_st *s, cudaError_t code)
{
    if (s && s->capture) s->capture->invalid = true;
    for (CUstream_st *other : streams)
        if (!s && is_forbidding(other)) other->capture->invalid = true;
    return code;
}

int64_t graph_count() { return (int64_t)(graphs.size() + execs.size()); }

void graphs_drop(int device)
{
    for (CUstream_st *s : streams) {
        if (s->device != device || !s->capture) continue;
        if (s->origin == s) delete s->capture;
        s->capture = NULL;
        s->origin = NULL;
    }
    for (auto at = graphs.begin(); at != graphs.end();) {
        CUgraph_st *g = *at++;
        if (g->device != device) continue;
        graphs.erase(g);
        delete g;
    }
    for (auto at = execs.begin(); at != execs.end();) {
        CUgraphExec_st *e = *at++;
        if (e->of.device != device) continue;
        execs.erase(e);
        delete e;
    }
}

} // namespace cuda_host

using namespace cuda_host;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    CUDA_HOST_ENTER("cudaStreamBeginCapture");
    CUstream_st *s = stream_get(stream);
    if (!s) return call.done(cudaErrorInvalidResourceHandle);
    if (s->legacy) return call.done(cudaErrorStreamCaptureUnsupported);
    if (s->capture) return call.done(cudaErrorIllegalState);
    s->capture = new CUgraph_st{s->device, {}, false};
    s->origin = s;
    s->mode = mode;
    s->owner = std::this_thread::get_id();
    s->n_captured = 0;
    return call.done(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    CUDA_HOST_ENTER("cudaStreamEndCapture");
    CUstream_st *s = stream_get(stream);
    bool         unjoined = false;
    if (!s || !graph) return call.done(cudaErrorInvalidValue);
    *graph = NULL;
    if (!s->capture || s->origin != s) return call.done(cudaErrorStreamCaptureUnmatched);
    if (s->mode != cudaStreamCaptureModeRelaxed && s->owner != std::this_thread::get_id())
        return call.done(cudaErrorStreamCaptureWrongThread);
    CUgraph_st *g = s->capture;
    for (CUstream_st *other : streams)
        if (other->capture == g) {
            unjoined = unjoined || (other != s && !other->joined);
            other->capture = NULL;
            other->origin = NULL;
        }
    if (unjoined || g->invalid) {
        const cudaError_t code = g->invalid ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
        delete g;
        return call.done(code);
    }
    graphs.insert(g);
    *graph = g;
    return call.done(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    CUDA_HOST_ENTER("cudaStreamIsCapturing");
    CUstream_st *s = stream_get(stream);
    if (!s || !status) return call.done(cudaErrorInvalidValue);
    *status = !s->capture           ? cudaStreamCaptureStatusNone
              : s->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
    return call.done(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
    CUDA_HOST_ENTER("cudaGraphInstantiate");
    if (!exec || graphs.find(graph) == graphs.end()) return call.done(cudaErrorInvalidValue);
    *exec = new CUgraphExec_st{*graph, NULL};
    execs.insert(*exec);
    return call.done(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    CUDA_HOST_ENTER("cudaGraphGetNodes");
    if (graphs.find(graph) == graphs.end() || nodes || !n)
        return call.done(cudaErrorInvalidValue); /* their number alone */
    *n = graph->operations.size();
    return call.done(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaGraphUpload");
    CUstream_st *s = stream_get(stream);
    if (execs.find(exec) == execs.end() || !s || s->device != exec->of.device) return call.done(cudaErrorInvalidValue);
    if (s->capture) return call.done(capture_refuse(s, cudaErrorStreamCaptureUnsupported));
    return call.done(stream_add(s, []() { return cudaSuccess; }));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    CUDA_HOST_ENTER("cudaGraphLaunch");
    CUstream_st *s = stream_get(stream);
    if (execs.find(exec) == execs.end() || !s || s->device != exec->of.device) return call.done(cudaErrorInvalidValue);
    if (s->capture)
        return call.done(capture_refuse(s, cudaErrorStreamCaptureUnsupported)); /* no graphs in graphs here */
    const std::vector<operation>      operations = exec->of.operations;         /* host functions may destroy it */
    const std::shared_ptr<event_mark> last = exec->last, mark = std::make_shared<event_mark>();
    state.counts.graph_launches++;
    exec->last = mark;
    if (last && !last->done) add(s, operation{operation::WAIT, 0, NULL, last, NULL, NULL});
    for (const operation &o : operations) add(s, o);
    return call.done(add(s, operation{operation::RECORD, 0, NULL, mark, NULL, NULL}));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    CUDA_HOST_ENTER("cudaGraphExecDestroy");
    if (execs.erase(exec) == 0) return call.done(cudaErrorInvalidValue);
    delete exec;
    return call.done(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    CUDA_HOST_ENTER("cudaGraphDestroy");
    if (graphs.erase(graph) == 0) return call.done(cudaErrorInvalidValue);
    delete graph;
    return call.done(cudaSuccess);
}
