/* capture.cu - graphs of CUDA: what a thread puts to a stream of its own while it captures, launched as one afterwards.
 *
 * Before a thread captures work it has watched it: how much memory it takes on the way, and whether it does what cannot be captured. A capture has
 * a stream that nobody else knows, so that other threads may use those of their homes meanwhile. Its temporary blocks come from memory that is
 * there for as long as the graph is; a graph is a chain, so that they can lie where others have ended. */
#include <new>
#include <vector>

#include "capture.cuh"
#include "runtime.cuh"

/* Code that a graph names. */
struct held_code {
    void (*leave)(void *code);
    void *code;
};

namespace {

struct live_block {
    const void *at;
    size_t      nbytes;
};

/* What a thread watches, or captures. */
struct recorder {
    stria_cuda_stream      *stream; /* of the capture; NULL: it watches */
    char                   *memory;
    size_t                  nbytes, used;
    int64_t                 n_live;
    stria_cuda_watched      seen;
    std::vector<live_block> live; /* while it watches */
    std::vector<held_code>  codes;
};

thread_local recorder *own; /* NULL: neither */

size_t round_up(size_t nbytes) { return (nbytes + 255) / 256 * 256; }

int meet(bool stria_cuda_watched::*what)
{
    if (own == NULL) return STRIA_CUDA_OK;
    if (own->stream != NULL) return STRIA_CUDA_NOT_CAPTURED;
    own->seen.*what = true;
    return STRIA_CUDA_OK;
}

} // namespace

struct stria_cuda_graph {
    cudaGraphExec_t        exec;
    int                    device;
    std::vector<held_code> codes;
};

/* ---------------------------------------------------------------- what others say */

bool stria_cuda_is_capturing() { return own != NULL && own->stream != NULL; }
int  stria_cuda_meet_host() { return meet(&stria_cuda_watched::meets_host); }
int  stria_cuda_meet_change() { return meet(&stria_cuda_watched::is_changed); }

bool stria_cuda_capture_block_new(stria_cuda_stream *stream, size_t nbytes, void **block, int *code)
{
    if (!stria_cuda_is_capturing()) return false;
    *block = NULL;
    *code = STRIA_CUDA_NOT_CAPTURED;
    if (stream != own->stream || nbytes > own->nbytes || round_up(nbytes) > own->nbytes - own->used) return true;
    *block = own->memory + own->used;
    own->used += round_up(nbytes);
    own->n_live++;
    *code = STRIA_CUDA_OK;
    return true;
}

bool stria_cuda_capture_block_release(const stria_cuda_stream *stream, void *block)
{
    (void)block; /* it is a part of memory that others own */
    if (!stream->is_capture) return false;
    if (own != NULL && own->stream == stream && --own->n_live == 0) own->used = 0;
    return true;
}

void stria_cuda_watch_block_new(const void *block, size_t nbytes)
{
    if (own == NULL) return;
    try {
        own->live.push_back(live_block{block, round_up(nbytes)});
    } catch (const std::bad_alloc &) {
        own->seen.is_changed = true; /* it is not known what the work takes */
        return;
    }
    own->used += round_up(nbytes);
    if (own->used > own->seen.memory_bytes) own->seen.memory_bytes = own->used;
}

void stria_cuda_watch_block_release(const void *block)
{
    if (own == NULL) return;
    for (size_t k = 0; k < own->live.size(); k++) {
        if (own->live[k].at != block) continue;
        own->live[k] = own->live.back();
        own->live.pop_back();
        if (own->live.empty()) own->used = 0;
        return;
    }
}

void stria_cuda_capture_hold(void (*leave)(void *code), void *code)
{
    if (stria_cuda_is_capturing()) own->codes.push_back(held_code{leave, code});
}

/* ---------------------------------------------------------------- the table */

int stria_cuda_watch_begin(void)
{
    own = new (std::nothrow) recorder();
    return own != NULL ? (int)STRIA_CUDA_OK : (int)STRIA_CUDA_NO_HOST_MEMORY;
}

void stria_cuda_watch_end(stria_cuda_watched *watched)
{
    *watched = own->seen;
    if (!own->live.empty()) watched->meets_host = true; /* what stays cannot lie in the memory of a graph */
    delete own;
    own = NULL;
}

static void leave_all(std::vector<held_code> *codes)
{
    for (const held_code &held : *codes) held.leave(held.code);
    codes->clear();
}

/* The stream, and what it recorded, are gone. */
static void end_capture(stria_cuda_stream *stream)
{
    if (own != NULL) leave_all(&own->codes);
    delete own;
    own = NULL;
    if (stream->stream != NULL) (void)code_of(cudaStreamDestroy(stream->stream));
    delete stream;
}

int stria_cuda_capture_begin(int device, void *memory, size_t nbytes, stria_cuda_stream **stream)
{
    stria_cuda_stream *s = new (std::nothrow) stria_cuda_stream();
    recorder          *r = new (std::nothrow) recorder();

    *stream = NULL;
    if (s == NULL || r == NULL) {
        delete s;
        delete r;
        return STRIA_CUDA_NO_HOST_MEMORY;
    }
    s->device = device;
    s->is_capture = true;
    int code = code_of(cudaSetDevice(device));
    if (code == STRIA_CUDA_OK) code = code_of(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    if (code == STRIA_CUDA_OK) code = code_of(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal));
    r->stream = s;
    r->memory = static_cast<char *>(memory);
    r->nbytes = nbytes;
    if (code == STRIA_CUDA_OK) {
        own = r;
        *stream = s;
        return code;
    }
    delete r;
    end_capture(s);
    return code;
}

/* What was captured as something that can be launched, there before it is: *exec is NULL where nothing was. */
static int instantiate(cudaGraph_t captured, stria_cuda_stream *stream, cudaGraphExec_t *exec, size_t *n_nodes)
{
    *exec = NULL;
    STRIA_CUDA_TRY(cudaGraphGetNodes(captured, NULL, n_nodes));
    if (*n_nodes == 0) return STRIA_CUDA_OK;
    STRIA_CUDA_TRY(cudaGraphInstantiate(exec, captured, 0));
    const int code = code_of(cudaGraphUpload(*exec, stream->stream));
    if (code == STRIA_CUDA_OK) return code;
    (void)code_of(cudaGraphExecDestroy(*exec));
    *exec = NULL;
    return code;
}

static int make_graph(stria_cuda_stream *stream, cudaGraph_t captured, stria_cuda_graph **graph, size_t *n_nodes)
{
    stria_cuda_graph *g = new (std::nothrow) stria_cuda_graph();

    if (g == NULL) return STRIA_CUDA_NO_HOST_MEMORY;
    g->device = stream->device;
    const int code = instantiate(captured, stream, &g->exec, n_nodes);
    if (code != STRIA_CUDA_OK) {
        delete g;
        return code;
    }
    g->codes.swap(own->codes);
    *graph = g;
    return STRIA_CUDA_OK;
}

int stria_cuda_capture_end(stria_cuda_stream *capture, stria_cuda_stream *stream, stria_cuda_graph **graph,
                           size_t *n_nodes)
{
    cudaGraph_t captured = NULL;
    const bool  has_left = own->n_live != 0; /* a block that is still used: the graph would be wrong */
    int         code = code_of(cudaStreamEndCapture(capture->stream, &captured));

    *n_nodes = 0;
    if (graph != NULL) *graph = NULL;
    if (code != STRIA_CUDA_OK) (void)code_of(cudaStreamEndCapture(capture->stream, &captured)); /* it must not go on */
    if (code == STRIA_CUDA_OK && has_left) code = STRIA_CUDA_NOT_CAPTURED;
    if (code == STRIA_CUDA_OK && graph != NULL) code = make_graph(stream, captured, graph, n_nodes);
    if (captured != NULL) (void)code_of(cudaGraphDestroy(captured));
    end_capture(capture);
    return code;
}

int stria_cuda_graph_launch(stria_cuda_stream *stream, const stria_cuda_graph *graph)
{
    if (graph->exec == NULL) return STRIA_CUDA_OK; /* of work on no elements */
    STRIA_CUDA_TRY(cudaSetDevice(stream->device));
    return code_of(cudaGraphLaunch(graph->exec, stream->stream));
}

void stria_cuda_graph_release(stria_cuda_graph *graph)
{
    if (graph->exec != NULL && code_of(cudaSetDevice(graph->device)) == STRIA_CUDA_OK)
        (void)code_of(cudaGraphExecDestroy(graph->exec));
    leave_all(&graph->codes);
    delete graph;
}
