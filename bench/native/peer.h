/* peer.h - what the benchmark asks of a library written in C or C++: jobs that it can time.
 *
 * Each peer is one shared library that exports the three functions below; run.py loads it and gives it the rows that name a
 * kernel of it. All peers read the same inputs; each has an output of its own.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_MAX_DIMS 6

/* Memory of the harness, which outlives the job. dtype: 'f' f32, 'd' f64, 'i' i32, 'l' i64, 'B' u8, '?' bool. Strides are in
 * elements. */
typedef struct bench_array {
    void   *data;
    int32_t dtype, ndim;
    int64_t shape[BENCH_MAX_DIMS], strides[BENCH_MAX_DIMS];
} bench_array;

/* One call of a kernel, as often as wanted.
 *
 * run      does the work; never NULL once made
 * result   row-major elements of what the last run made, for kernels that make a new output; NULL: they are in `out`
 * release  ends the job */
typedef struct bench_job {
    void (*run)(void *context);
    const void *(*result)(void *context);
    void (*release)(void *context);
    void *context;
} bench_job;

#define BENCH_API __attribute__((visibility("default")))

/* "3.4.0", with what was chosen at compile time. Static string. */
BENCH_API const char *bench_peer_get_version(void);
/* Threads of all later runs. */
BENCH_API void bench_peer_set_threads(int n);
/* A job that computes kernel(in[0], .., in[n_in-1]) into `out`. Returns 0 if the peer has no such kernel. */
BENCH_API int bench_peer_new_job(const char *kernel, const bench_array *in, int n_in, const bench_array *out,
                                 bench_job *job);

#ifdef __cplusplus
}
#endif
#endif
