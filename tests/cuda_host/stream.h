/* stream.h - queues of work, and captures of what is put to them. Internal to stream.cpp and graph.cpp. */
#ifndef CUDA_HOST_STREAM_H
#define CUDA_HOST_STREAM_H

#include "runtime.h"

#include <thread>

/* What an event stands for since it was last recorded. */
struct event_mark {
    bool   done;
    double time;
};

struct operation {
    enum { RUN, RECORD, WAIT, CALL } kind;
    uint64_t                    number;   /* in the order of all calls */
    cuda_host::operation_fn     run;      /* RUN */
    std::shared_ptr<event_mark> mark;     /* RECORD, WAIT */
    cudaHostFn_t                function; /* CALL: of the host, outside the lock */
    void                       *user;
};

struct CUgraph_st {
    int                    device;
    std::vector<operation> operations; /* in the order of their capture, which is one that their dependences allow */
    bool                   invalid;    /* a call in its capture was not permitted: it makes no graph */
};
struct CUgraphExec_st {
    CUgraph_st                  of;
    std::shared_ptr<event_mark> last; /* of its latest launch: they run one after another; NULL: there was none */
};

struct CUstream_st {
    int                   device;
    bool                  blocking, legacy, ended; /* ended: destroyed, and gone once its work is done */
    bool                  busy;                    /* a host function of it runs */
    std::deque<operation> queue;
    CUgraph_st           *capture; /* what its calls go to; NULL: to the queue */
    CUstream_st          *origin;  /* of the capture, and of that one: */
    cudaStreamCaptureMode mode;
    std::thread::id       owner;      /* that began it */
    uint64_t              n_captured; /* operations */
    bool                  joined;     /* another stream of the capture waits for all of them */
};

namespace cuda_host {

extern std::set<CUstream_st *> &streams; /* those of the program, and one more for each device */

/* Puts the operation to the stream, or to its capture. */
cudaError_t add(CUstream_st *s, operation o);

} // namespace cuda_host

#endif
