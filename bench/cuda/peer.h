/* peer.h - what bench_cuda.c compares with: CUDA without stria, in a library of its own that nvcc compiles (peer.cu). */
#ifndef BENCH_CUDA_PEER_H
#define BENCH_CUDA_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_cuda_job bench_cuda_job;

/* A copy of sizes[0] bytes on the device ("copy"), or a product [batch, m, k] x [batch, k, n] of row-major matrices by cuBLASLt ("f32", "f64", "f16", "bf16";
 * sizes: batch, m, n, k). NULL where it cannot be made; `why` is then text of at most 199 characters. */
bench_cuda_job *bench_cuda_peer_new(const char *what, const int64_t *sizes, char why[200]);
/* Begins it once; 0, or not. */
int bench_cuda_peer_run(bench_cuda_job *job);
/* Waits until all is done; 0, or not. */
int  bench_cuda_peer_wait(bench_cuda_job *job);
void bench_cuda_peer_release(bench_cuda_job *job);

#ifdef __cplusplus
}
#endif
#endif
