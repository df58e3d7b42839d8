/* timing.h - what the C benchmarks share: a clock, calls that must succeed, samples. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stria.h"

static inline int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void must(stria_status status, const stria_error *err)
{
    if (status == STRIA_OK) return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* What is timed. */
typedef void timed_fn(void *context);

/* Nanoseconds of one call. */
static inline double time_calls(timed_fn *run, void *context, int64_t calls)
{
    const int64_t start = now_ns();
    for (int64_t k = 0; k < calls; k++) run(context);
    return (double)(now_ns() - start) / (double)calls;
}

/* So many calls that they take at least so long. */
static inline int64_t count_calls(timed_fn *run, void *context, int64_t sample_ns)
{
    int64_t calls = 1;
    while (time_calls(run, context, calls) * (double)calls < (double)sample_ns) calls *= 2;
    return calls;
}

static int compare_samples(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The fastest becomes the first, the median samples[n / 2]. */
static inline void sort_samples(double *samples, int n) { qsort(samples, (size_t)n, sizeof *samples, compare_samples); }

#endif
