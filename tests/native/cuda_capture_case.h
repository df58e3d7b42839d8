/* cuda_capture_case.h - a program of several kernels, for suites of what is launched as one. */
#ifndef TEST_CUDA_CAPTURE_CASE_H
#define TEST_CUDA_CAPTURE_CASE_H

#include "cuda_graph_case.h"

enum { SETTLED = 4, LARGE = 17000 }; /* runs until the third one has captured; elements that are not copied */

static inline int64_t count_live_bytes(void)
{
    stria_memory_stats stats;

    OK(stria_device_memory_get_stats(CUDA, &stats, NULL));
    return (int64_t)stats.live_bytes;
}

static inline int64_t count_launches(const stria_graph *g) { return stria_graph_get_info(g).n_launches; }

static inline stria_tensor *new_on_device(int64_t n, int64_t seed)
{
    stria_tensor *x = new_vector(n);

    for (int64_t i = 0; i < n; i++) ((float *)stria_tensor_get_data(x))[i] = (float)((i * 5 + seed * 3) % 11 - 5) / 8;
    ON_DEVICE(x);
    return x;
}

enum { N_RESULTS = 2 };

/* Sums on the way, a group, softmax, and one number. */
static inline void compute(const stria_tensor *x, const stria_tensor *held, stria_tensor **out)
{
    stria_tensor *a, *b, *c, *two;

    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_INT, .i = 2}, &two, NULL));
    OK(stria_cumsum(x, 0, STRIA_DTYPE_NONE, &a, NULL));
    OK(stria_mul(a, held, &b, NULL));
    OK(stria_add(b, two, &c, NULL));
    OK(stria_softmax(c, 0, STRIA_DTYPE_NONE, &out[0], NULL));
    OK(stria_sum(c, NULL, 0, false, &out[1], NULL));
    RELEASE(a, b, c, two);
}

static inline stria_graph *record(const stria_tensor *x, const stria_tensor *held)
{
    stria_tensor    *s, *out[N_RESULTS];
    stria_recording *r = record_inputs((stria_tensor *[]){(stria_tensor *)(uintptr_t)x}, 1, &s);
    stria_graph     *g = NULL;
    stria_error      err;

    compute(s, held, out);
    const stria_status status = stria_recording_end(r, out, N_RESULTS, &g, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    stria_tensor_release(s);
    release_all(N_RESULTS, out);
    return g;
}

/* One run; its results are the caller's. */
static inline bool run(stria_graph *g, stria_tensor *x, stria_tensor **out)
{
    stria_error        err;
    const stria_status status = stria_graph_run(g, &x, 1, out, &err);

    CHECK(status == STRIA_OK, "a run of %d launches: %s", (int)count_launches(g), err.message);
    return status == STRIA_OK;
}

static inline void check_results(const char *what, int k, const stria_tensor *x, const stria_tensor *held,
                                 stria_tensor *const *out)
{
    stria_tensor *expected[N_RESULTS];

    compute(x, held, expected);
    for (int n = 0; n < N_RESULTS; n++) CHECK(is_same(out[n], expected[n]), "%s: result %d of run %d", what, n, k);
    release_all(N_RESULTS, expected);
}

/* The same, and the results end. */
static inline void check_run(const char *what, int k, stria_graph *g, stria_tensor *x, const stria_tensor *held)
{
    stria_tensor *out[N_RESULTS];

    if (!run(g, x, out)) return;
    check_results(what, k, x, held, out);
    release_all(N_RESULTS, out);
}

#endif
