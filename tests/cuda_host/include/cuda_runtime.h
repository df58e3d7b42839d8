/* cuda_runtime.h - the CUDA runtime, on the host: with this header, and the sources beside it, the sources of src/cuda compile
 * as C++17 and run on a machine that has no GPU. docs/testing.md tells how it is used.
 *
 * It models:
 *   devices        two, each with memory of its own; none, no driver, lost ones, on demand (control.h)
 *   kernels        each thread is a fibre that runs until its next barrier; two to four blocks at a time; the order is
 *                  random, seeded and unfair, another for each block. Shuffles, votes, atomics, shared memory
 *   memory         of the device: unreadable to the host, between guard pages, no address used twice, junk at the start.
 *                  A kernel that leaves it makes the sticky error 700, one that waits for ever 702; a host that reads it dies
 *                  with a message. Under AddressSanitizer its bounds are exact
 *   streams        queues that run when someone waits, in a random order of streams; events; host functions; pools with their
 *                  counts, thresholds and trimming; pinned memory; capture and replay
 *   errors         of arguments, of the nth call of any function on demand, sticky ones, the last one of a thread
 *   races          between threads of kernels, under ThreadSanitizer (clang): a missing barrier is named with its line
 *
 * It does not model: the arithmetic of devices (contraction, bits of NaN, their math functions), the order of their memory,
 * textures, constant memory that is copied to, cooperative groups, dynamic parallelism, managed memory, inline PTX, speed. A
 * kernel that follows a pointer to pageable host memory is not noticed, nor a missing __device__: nvcc's build finds that. */
#ifndef CUDA_HOST_CUDA_RUNTIME_H
#define CUDA_HOST_CUDA_RUNTIME_H

#if !defined(STRIA_CUDA_HOST) || !defined(__cplusplus)
#error "this is the host runtime of the tests: compile as C++ with STRIA_CUDA_HOST"
#endif

/* headers of the standard library use names that device.h defines */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda_host/api.h"
#include "cuda_host/device.h"
#include "cuda_host/types.h"

#endif
