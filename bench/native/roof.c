/* roof.c - what this machine can do: bytes per second from each level of memory, multiply-adds per second.
 *
 * Compiled for the machine it runs on (-march=native). Bytes are those the loop names: 1 array read, 2 for a copy, 3 for an
 * addition. Plain and non-temporal stores are tried, the better one counts. */
#include "peer.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__AVX512F__)
#include <immintrin.h>
enum { VECTOR_BYTES = 64, ACCUMULATORS = 24 };
#define STORE_NONTEMPORAL(p, v) _mm512_stream_ps((void *)(p), (__m512)(v))
#elif defined(__AVX__)
#include <immintrin.h>
enum { VECTOR_BYTES = 32, ACCUMULATORS = 12 };
#define STORE_NONTEMPORAL(p, v) _mm256_stream_ps((void *)(p), (__m256)(v))
#else
enum { VECTOR_BYTES = 16, ACCUMULATORS = 24 };
#define STORE_NONTEMPORAL(p, v) (*(p) = (v))
#endif
typedef float f32v __attribute__((vector_size(VECTOR_BYTES)));

enum { READ, COPY, ADD };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The compiler must assume that everything reachable from p was read and written. */
static inline void touch(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

/* n vectors, a multiple of 8 */
static void read_all(const f32v *a, int64_t n)
{
    f32v s[8] = {{0}};
    for (int64_t i = 0; i < n; i += 8)
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++) s[k] += a[i + k];
    for (int k = 1; k < 8; k++) s[0] += s[k];
    touch(&s[0]);
}

static void copy_all(f32v *o, const f32v *a, int64_t n, bool nontemporal)
{
    if (nontemporal)
        for (int64_t i = 0; i < n; i++) STORE_NONTEMPORAL(&o[i], a[i]);
    else
#pragma GCC unroll 4
        for (int64_t i = 0; i < n; i++) o[i] = a[i];
    touch(o);
}

static void add_all(f32v *o, const f32v *a, const f32v *b, int64_t n, bool nontemporal)
{
    if (nontemporal)
        for (int64_t i = 0; i < n; i++) STORE_NONTEMPORAL(&o[i], a[i] + b[i]);
    else
#pragma GCC unroll 4
        for (int64_t i = 0; i < n; i++) o[i] = a[i] + b[i];
    touch(o);
}

/* Bytes per second of all threads together, each on n vectors per array of its own. */
static double measure(int kind, f32v *memory, int64_t n, int n_threads, double seconds, bool nontemporal)
{
    double bytes = 0, elapsed = 0;
#pragma omp parallel num_threads(n_threads) reduction(+ : bytes) reduction(max : elapsed)
    {
        f32v        *o = memory + (int64_t)omp_get_thread_num() * (kind + 1) * n, *a = o, *b = o;
        double       begin = 0;
        int64_t      runs = 0;
        const double size = (double)(kind + 1) * (double)n * VECTOR_BYTES;
        if (kind >= COPY) a = o + n;
        if (kind == ADD) b = a + n;
        for (int pass = 0; pass < 2; pass++) { /* the first warms up */
#pragma omp barrier
            begin = now();
            runs = 0;
            do {
                for (double done = 0; done < 1e5; done += size, runs++) {
                    if (kind == READ) read_all(a, n);
                    if (kind == COPY) copy_all(o, a, n, nontemporal);
                    if (kind == ADD) add_all(o, a, b, n, nontemporal);
                }
                elapsed = now() - begin;
            } while (elapsed < (pass ? seconds : seconds / 4));
        }
        bytes = (double)runs * size;
    }
    return bytes / elapsed;
}

/* Best of three. kind: 0 read, 1 copy, 2 add. The arrays of one thread take n_bytes together; 0 if there is no memory. */
BENCH_API double bench_roof_bandwidth(int kind, int64_t n_bytes, int n_threads, double seconds)
{
    const int64_t n = n_bytes / (kind + 1) / VECTOR_BYTES / 8 * 8;
    const size_t  size = (size_t)(kind + 1) * (size_t)n * VECTOR_BYTES * (size_t)n_threads;
    f32v         *memory = aligned_alloc(2 << 20, (size + (2 << 20) - 1) >> 21 << 21);
    double        best = 0;
    if (!memory || n == 0) return 0;
    memset(memory, 0, size);
    for (int k = 0; k < 3; k++) {
        for (int nontemporal = 0; nontemporal <= (kind != READ); nontemporal++) {
            const double rate = measure(kind, memory, n, n_threads, seconds / 6, nontemporal);
            if (rate > best) best = rate;
        }
    }
    free(memory);
    return best;
}

/* Operations per second in f32, a multiply-add counted as two. */
BENCH_API double bench_roof_fma(int n_threads, double seconds)
{
    double total = 0;
#pragma omp parallel num_threads(n_threads) reduction(+ : total)
    {
        f32v   x[ACCUMULATORS], m = (f32v){0} + 0.999f, c = (f32v){0} + 0.001f;
        double count = 0, elapsed = 0, begin;
        for (int k = 0; k < ACCUMULATORS; k++) x[k] = (f32v){0} + (float)k;
        begin = now();
        while ((elapsed = now() - begin) < seconds) {
            for (int i = 0; i < 2000; i++)
#pragma GCC unroll 24
                for (int k = 0; k < ACCUMULATORS; k++) x[k] = x[k] * m + c;
            count += 2.0 * 2000 * ACCUMULATORS * (VECTOR_BYTES / (double)sizeof(float));
        }
        for (int k = 0; k < ACCUMULATORS; k++) touch(&x[k]);
        total = count / elapsed;
    }
    return total;
}
