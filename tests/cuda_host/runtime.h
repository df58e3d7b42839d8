/* runtime.h - what the sources of the host runtime share. Internal to tests/cuda_host; include/cuda_runtime.h tells what it is.
 *
 *   memory.cpp   device memory and pinned memory: addresses, protection, the handler of faults
 *   fibre.cpp    stacks and the switch between them
 *   grid.cpp     a kernel's threads: scheduler, barriers, warps, shared memory
 *   stream.cpp   queues, events
 *   graph.cpp    capture and replay
 *   pool.cpp     allocation, pools, copies and fills
 *   device.cpp   devices, errors, what every call begins with, control.h
 *
 * One lock guards it all; kernels run under it, on the thread that waits for them. */
#ifndef CUDA_HOST_RUNTIME_H
#define CUDA_HOST_RUNTIME_H

#include "cuda_runtime.h"

#include <condition_variable>
#include <deque>
#include <set>
#include <string>

#include "control.h"
#include "sanitize.h"

namespace cuda_host {

enum { DEVICES = 2, WARP = 32, MAX_THREADS = 1024, MAX_RESIDENT = 4 };

/* A fixed sequence of numbers (xorshift64*). */
struct random_numbers {
    uint64_t state;
    explicit random_numbers(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}
    uint64_t next()
    {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545f4914f6cdd1du;
    }
    unsigned below(unsigned n) { return (unsigned)((next() >> 32) * n >> 32); }
    bool     is_one_in(unsigned n) { return below(n) == 0; }
};

/* ---- memory.cpp */
struct block {
    char         *at;    /* size bytes */
    char         *pages; /* the pages that hold them, and no others */
    size_t        size, pages_size;
    int           device;
    cudaMemPool_t pool;  /* NULL: cudaMalloc */
    bool          made;  /* its stream has got to its allocation */
    bool          dying; /* cudaFreeAsync was called */
    bool          open;  /* readable now */
    block        *next_open;
};
struct pinned_block {
    char  *at;
    size_t size;
    char  *pages; /* NULL: registered memory of the program's */
    size_t pages_size;
};
block        *block_new(int device, size_t size, cudaMemPool_t pool);
void          block_make(block *b); /* fills it with junk */
void          block_release(block *b);
block        *block_find(const void *at);
bool          is_device_address(const void *at);
void          blocks_open(block *b);
void          blocks_close(); /* every open one */
void          blocks_release_device(int device);
int64_t       block_count();
int64_t       block_bytes();
pinned_block *pinned_new(size_t size);
bool          pinned_register(void *at, size_t size);
void          pinned_release(pinned_block *p);
pinned_block *pinned_find(const void *at);
int64_t       pinned_count();
void          handlers_prepare(); /* of this thread */
std::string   fault_describe();   /* what the handler noted last */

/* ---- fibre.cpp: a stack and what runs on it. Slots are numbered from 0. */
typedef void fibre_fn(void *argument);
struct fibre;
fibre *fibre_get(unsigned slot);
/* Runs `run` on the fibre until it calls fibre_leave or returns; true: it returned. */
bool fibre_resume(fibre *f);
void fibre_begin(fibre *f, fibre_fn *run, void *argument);
void fibre_leave();
void fibre_abandon(fibre *f); /* whatever it was in */
/* From a signal handler on the running fibre: changes the handler's context so that the fibre leaves for good. */
void fibre_leave_from_handler(void *context);
/* Between these, ThreadSanitizer orders all that the fibres do after what was before, and before what comes after. */
void fibres_begin();
void fibres_end();

/* ---- grid.cpp */
struct kernel_launch {
    dim3                  grid, block;
    size_t                dynamic_shared;
    std::function<void()> run;
};
cudaError_t grid_run(const kernel_launch &launch, int device);
bool        grid_is_running_here(); /* a kernel, on this thread */
int         grid_get_device();
void        grid_fault(cudaError_t code); /* from a handler, of the running thread; its fibre leaves next */

/* ---- stream.cpp */
typedef std::function<cudaError_t()> operation_fn;
CUstream_st                         *stream_get(cudaStream_t stream); /* NULL: no such stream */
int                                  stream_get_device(const CUstream_st *s);
cudaError_t                          stream_add(CUstream_st *s, operation_fn run);
void                                 stream_wait(CUstream_st *s);
void                                 device_wait(int device); /* every stream of it */
void                                 streams_drop(int device);
void                                 streams_count(stria_cuda_host_counts *counts);
bool                                 is_host_function_here();

/* ---- graph.cpp */
bool        stream_is_capturing(const CUstream_st *s);
bool        is_capture_forbidding();         /* unsafe calls of this thread */
bool        is_legacy_forbidden(int device); /* the legacy stream; such a call ends captures */
cudaError_t capture_refuse(CUstream_st *stream,
                           cudaError_t  code); /* which the call returns; NULL: what forbids this thread */
int64_t     graph_count();
void        graphs_drop(int device);

/* ---- pool.cpp */
void    pools_release(int device); /* what is above the thresholds, as at every wait */
void    pools_drop(int device);
int64_t pool_count();
size_t  pools_get_reserved(int device);
bool    pool_is_open(cudaMemPool_t pool, int device); /* NULL: memory that is in none */

/* ---- device.cpp */
struct device_state {
    cudaError_t dead;         /* cudaSuccess: alive */
    size_t      memory, used; /* used: by cudaMalloc; pools count apart */
    bool        peers[DEVICES];
};
struct runtime_state {
    std::mutex                    lock;
    std::unique_lock<std::mutex> *held; /* by the call under way */
    std::condition_variable       changed;
    random_numbers                random{1};
    device_state                  devices[DEVICES];
    int                           device_count, driver_version, eagerness;
    int64_t                       fault_in; /* kernels until one ends with fault_code; 0: none does */
    cudaError_t                   fault_code;
    bool                          quiet;
    std::string                   message;
    stria_cuda_host_counts        counts;
};
extern runtime_state &state;

int  device_get_current();
void device_kill(int device, cudaError_t code);
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool is_failing(const char *name, cudaError_t *code); /* a rule of control.h's fail */

enum call_needs { NEEDS_NOTHING, NEEDS_DRIVER, NEEDS_DEVICE };

/* What every function of the API has as its first variable: holds the lock, and knows the error to return at once. */
struct api_call {
    std::unique_lock<std::mutex> lock;
    cudaError_t                  code;
    int                          device; /* the current one */
    call_needs                   needs;
    explicit api_call(const char *name, call_needs needs = NEEDS_DEVICE);
    ~api_call();
    cudaError_t done(cudaError_t result); /* notes it as the last error */
};
#define CUDA_HOST_ENTER(...)               \
    cuda_host::api_call call(__VA_ARGS__); \
    if (call.code != cudaSuccess) return call.done(call.code)

} // namespace cuda_host

#endif
