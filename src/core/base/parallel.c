/* parallel.c - threads. Nothing else in the library knows how chunks get to them.
 *
 *   WAY_POOL    a pool of pthreads that claim chunks from a counter: everywhere by default. The caller claims too, so a
 *               worker that does not get a core holds nobody up; OpenMP's barrier waits for it
 *   WAY_OPENMP  for hosts that want one runtime for all their threads (STRIA_THREADS_OPENMP)
 *   WAY_SERIAL  wasm without threads, and builds that want none (STRIA_THREADS_NONE)
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/scratch.h"

#define WAY_SERIAL 0
#define WAY_POOL 1
#define WAY_OPENMP 2

#if defined(STRIA_THREADS_NONE) || (defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__))
#define WAY WAY_SERIAL
#elif defined(STRIA_THREADS_OPENMP)
#define WAY WAY_OPENMP
#else
#define WAY WAY_POOL
#endif

#if WAY == WAY_OPENMP
#include <omp.h>
#endif
#if WAY == WAY_POOL
#include <signal.h>
#endif
#if !defined(__EMSCRIPTEN__) && (defined(__unix__) || defined(__APPLE__))
#define HAS_FORK 1
#else
#define HAS_FORK 0
#endif
#if WAY != WAY_SERIAL || HAS_FORK
#include <pthread.h>
#endif
#if WAY != WAY_SERIAL
#include <unistd.h>
#include <sched.h>
#endif

/* ---------------------------------------------------------------- the end of a thread */

/* A program may have threads though the library makes none, so keys are asked for wherever there are any. */
#if WAY == WAY_SERIAL && !HAS_FORK
bool stria_thread_keep(void *scratch)
{
    (void)scratch;
    return true;
}

bool stria_thread_keep_streams(stria_thread_end_fn *end, void *streams)
{
    (void)end, (void)streams;
    return true;
}
#else
static pthread_key_t  scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;
static bool           has_scratch_key;

static void make_scratch_key(void) { has_scratch_key = pthread_key_create(&scratch_key, stria_scratch_end) == 0; }

bool stria_thread_keep(void *scratch)
{
    return pthread_once(&scratch_once, make_scratch_key) == 0 && has_scratch_key &&
           pthread_setspecific(scratch_key, scratch) == 0;
}

static pthread_key_t                streams_key;
static pthread_once_t               streams_once = PTHREAD_ONCE_INIT;
static bool                         has_streams_key;
static stria_thread_end_fn *_Atomic end_streams;

static void end_kept_streams(void *streams) { atomic_load (&end_streams)(streams); }
static void make_streams_key(void) { has_streams_key = pthread_key_create(&streams_key, end_kept_streams) == 0; }

bool stria_thread_keep_streams(stria_thread_end_fn *end, void *streams)
{
    atomic_store(&end_streams, end);
    return pthread_once(&streams_once, make_streams_key) == 0 && has_streams_key &&
           pthread_setspecific(streams_key, streams) == 0;
}
#endif

/* ---------------------------------------------------------------- the number of threads */

static atomic_int n_threads_set; /* 0: not known yet */

#if WAY != WAY_SERIAL
/* Processors that a control group grants, rounded up; `otherwise` if it sets no limit. */
static int get_quota(int otherwise)
{
#if defined(__linux__)
    FILE     *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    long long quota = 0, period = 0;
    int       n = file ? fscanf(file, "%lld %lld", &quota, &period) : 0;

    if (file) fclose(file);
    if (n == 2 && quota > 0 && period > 0 && (quota + period - 1) / period < otherwise)
        return (int)((quota + period - 1) / period);
#endif
    return otherwise;
}

static int get_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
    return n < 1 ? 1 : get_quota(n > STRIA_MAX_THREADS ? STRIA_MAX_THREADS : (int)n);
}
#endif

static int get_default(void)
{
#if WAY == WAY_SERIAL
    return 1;
#else
    const char *text = getenv("STRIA_NUM_THREADS");
    char       *end = NULL;
    const long  n = text ? strtol(text, &end, 10) : 0;

    return text && *text && !*end && n >= 1 && n <= STRIA_MAX_THREADS ? (int)n : get_cores();
#endif
}

int stria_threads_get(void)
{
    int n = atomic_load_explicit(&n_threads_set, memory_order_relaxed);

    if (n == 0) {
        int unset = 0;
        n = get_default();
        if (!atomic_compare_exchange_strong(&n_threads_set, &unset, n)) n = unset;
    }
    return n;
}

stria_status stria_threads_set(int n_threads, stria_error *err)
{
    if (n_threads < 1 || n_threads > STRIA_MAX_THREADS) {
        char got[32];
        stria_shape_print(got, sizeof got, 1, &(int64_t){n_threads});
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "threads", "n_threads", "1 .. 256", got,
                               "%d threads, but 1 to %d are possible", n_threads, STRIA_MAX_THREADS);
    }
    atomic_store(&n_threads_set, WAY == WAY_SERIAL ? 1 : n_threads);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- chunks */

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

stria_chunks stria_chunks_build(stria_team team, int64_t begin, int64_t end, int64_t grain)
{
    const int64_t n = end > begin ? end - begin : 0;
    stria_chunks  split = {begin, end, n, n > 0};
    int64_t       t = team.n_threads;

    if (n <= grain || n <= 1 || t <= 1) return split;
    if (grain > 0 && divide_up(n, grain) < t) t = divide_up(n, grain);
    split.chunk_size = divide_up(n, t);
    split.n_chunks = (int)divide_up(n, split.chunk_size);
    return split;
}

/* What runs in chunks. */
typedef struct job {
    stria_chunks    split;
    stria_range_fn *fn;
    void           *context;
} job;

static _Thread_local bool is_inside;

static void run_chunk(const job *j, int k)
{
    const stria_chunks *s = &j->split;
    const int64_t       begin = s->begin + k * s->chunk_size;
    const int64_t       end = s->end - begin > s->chunk_size ? begin + s->chunk_size : s->end;
    const bool          was_inside = is_inside;

    is_inside = true;
    j->fn(j->context, k, begin, end);
    is_inside = was_inside;
}

#if WAY != WAY_SERIAL
/* Whether this thread may run chunks. A chunk cannot fail, so the thread must have its scratch memory before
 * (scratch.h). */
static bool can_run_chunks(void) { return stria_scratch_reserve("threads", NULL) == STRIA_OK; }
#endif

/* ---------------------------------------------------------------- the three ways */

#if WAY == WAY_OPENMP

static bool is_forked; /* the runtime has threads in the parent only, and waits for them for ever */

#if HAS_FORK
static void forget_threads(void) { is_forked = true; }
#endif

bool stria_parallel_is_nested(void) { return is_inside || omp_in_parallel(); }

static void run_chunks(const job *j)
{
    const int n_chunks = j->split.n_chunks;
    bool      is_left[STRIA_MAX_THREADS];

    if (is_forked) {
        for (int k = 0; k < n_chunks; k++) run_chunk(j, k);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(n_chunks)
    for (int k = 0; k < n_chunks; k++) {
        is_left[k] = !can_run_chunks();
        if (!is_left[k]) run_chunk(j, k);
    }
    for (int k = 0; k < n_chunks; k++)
        if (is_left[k]) run_chunk(j, k);
}

#elif WAY == WAY_POOL

/* One job runs at a time. If another thread calls meanwhile, it runs all chunks of its job itself.
 *
 * The upper half of `ticket` is the number of chunks, the lower half the number of the next chunk. One atomic
 * addition claims a chunk and tells whether it exists. A job is complete when all claimed chunks are done, so a
 * thread that has claimed a chunk may read `now`.
 *
 * A worker that finds no chunk spins for about half a millisecond, and yields the processor to any other thread. Then
 * it sleeps. Waking is slow: in a virtual machine it may take milliseconds. So a worker that woke too late for a job
 * spins again, since the next job may follow soon. */
#define SPIN_ROUNDS 20000
#define YIELD_ROUNDS 64
/* The stack of a worker: for the library, and for loops of the user. */
#define STACK_BYTES ((size_t)1 << 20)

static struct {
    atomic_flag     busy;
    job             now;
    atomic_ullong   ticket;
    atomic_int      n_done;
    atomic_int      n_asleep;
    atomic_bool     caller_asleep;
    atomic_int      caller_cpu;   /* processor that the caller was on when it woke workers; -1: not known */
    int             n_workers;    /* touched by the holder of busy only */
    bool            is_exhausted; /* no more threads can be created; likewise */
    pthread_mutex_t mutex;
    pthread_cond_t  work, done;
} pool = {.busy = ATOMIC_FLAG_INIT,
          .mutex = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

bool stria_parallel_is_nested(void) { return is_inside; }

/* Waits some nanoseconds. Every YIELD_ROUNDS rounds it yields the processor. */
static void spin(int round)
{
    if (round % YIELD_ROUNDS == YIELD_ROUNDS - 1) sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool has_work(void)
{
    const unsigned long long t = atomic_load(&pool.ticket);
    return (t & 0xFFFFFFFFu) < t >> 32;
}

/* Runs chunks of the present job until none is left to claim. */
static void run_claimed(void)
{
    while (has_work()) {
        const unsigned long long t = atomic_fetch_add(&pool.ticket, 1);
        const int                n = (int)(t >> 32), k = (int)(t & 0xFFFFFFFFu);
        if (k >= n) return;
        run_chunk(&pool.now, k);
        if (atomic_fetch_add(&pool.n_done, 1) + 1 == n && atomic_load(&pool.caller_asleep)) {
            pthread_mutex_lock(&pool.mutex);
            pthread_cond_signal(&pool.done);
            pthread_mutex_unlock(&pool.mutex);
        }
    }
}

/* On a virtual machine, Linux takes a processor that the host has put to sleep for a busy one. It then wakes a worker
 * on the processor of its caller, and lets both share it for milliseconds. So the worker moves to another processor
 * itself. */
#if defined(__linux__)
static int get_cpu(void) { return sched_getcpu(); }

static void leave_caller(void)
{
    const int cpu = sched_getcpu();
    cpu_set_t all, others;

    if (cpu < 0 || cpu != atomic_load(&pool.caller_cpu) || sched_getaffinity(0, sizeof all, &all) != 0) return;
    others = all;
    CPU_CLR((size_t)cpu, &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
    sched_setaffinity(0, sizeof all, &all);
}
#else
static int get_cpu(void) { return -1; }

static void leave_caller(void) {}
#endif

static void *work(void *unused)
{
    (void)unused;
    for (;;) {
        for (int round = 0; round < SPIN_ROUNDS && !has_work(); round++) spin(round);
        if (!has_work()) {
            pthread_mutex_lock(&pool.mutex);
            atomic_fetch_add(&pool.n_asleep, 1);
            if (!has_work()) pthread_cond_wait(&pool.work, &pool.mutex);
            atomic_fetch_sub(&pool.n_asleep, 1);
            pthread_mutex_unlock(&pool.mutex);
            leave_caller();
        }
        if (can_run_chunks())
            run_claimed();
        else
            sched_yield();
    }
    return NULL;
}

/* Makes workers until there are n or the system refuses. They take no signals meant for the host program. */
static void add_workers(int n)
{
    pthread_attr_t attributes;
    sigset_t       all, before;

    if (pool.n_workers >= n || pool.is_exhausted) return;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES); /* where refused, the default has to do */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.n_workers < n && !pool.is_exhausted) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, work, NULL) == 0)
            pool.n_workers++;
        else
            pool.is_exhausted = true;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void wake_workers(int n)
{
    if (atomic_load(&pool.n_asleep) == 0) return;
    atomic_store(&pool.caller_cpu, get_cpu());
    pthread_mutex_lock(&pool.mutex);
    for (int k = 0; k < n; k++) pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
}

static void wait_until_done(int n_chunks)
{
    for (int round = 0; round < SPIN_ROUNDS; round++) {
        if (atomic_load(&pool.n_done) == n_chunks) return;
        spin(round);
    }
    pthread_mutex_lock(&pool.mutex);
    atomic_store(&pool.caller_asleep, true);
    while (atomic_load(&pool.n_done) != n_chunks) pthread_cond_wait(&pool.done, &pool.mutex);
    atomic_store(&pool.caller_asleep, false);
    pthread_mutex_unlock(&pool.mutex);
}

static void run_chunks(const job *j)
{
    const int n_chunks = j->split.n_chunks;

    if (atomic_flag_test_and_set_explicit(&pool.busy, memory_order_acquire)) {
        for (int k = 0; k < n_chunks; k++) run_chunk(j, k);
        return;
    }
    add_workers(n_chunks - 1);
    pool.now = *j;
    atomic_store(&pool.n_done, 0);
    atomic_store(&pool.ticket, (unsigned long long)n_chunks << 32);
    wake_workers(n_chunks - 1);
    run_claimed();
    wait_until_done(n_chunks);
    atomic_flag_clear_explicit(&pool.busy, memory_order_release);
}

#if HAS_FORK
/* Resets the pool in a forked child. The threads that held its locks, slept or worked exist in the parent only. */
static void forget_threads(void)
{
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.n_workers = 0;
    pool.is_exhausted = false;
    atomic_store(&pool.ticket, 0);
    atomic_store(&pool.n_done, 0);
    atomic_store(&pool.n_asleep, 0);
    atomic_store(&pool.caller_asleep, false);
    atomic_flag_clear(&pool.busy);
}
#endif

#else

#if HAS_FORK
static void forget_threads(void) {}
#endif

bool stria_parallel_is_nested(void) { return is_inside; }

static void run_chunks(const job *j)
{
    for (int k = 0; k < j->split.n_chunks; k++) run_chunk(j, k);
}

#endif

/* ---------------------------------------------------------------- forks */

#if HAS_FORK
static void begin_child(void)
{
    stria_alloc_unlock_all();
    forget_threads();
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(stria_alloc_lock_all, stria_alloc_unlock_all, begin_child); /* fails for want of memory only */
}
#endif

/* ---------------------------------------------------------------- what the library calls */

stria_team stria_team_get(void) { return (stria_team){stria_parallel_is_nested() ? 1 : stria_threads_get()}; }

void stria_chunks_run(const stria_chunks *split, stria_range_fn *fn, void *context)
{
    const job j = {*split, fn, context};

    if (split->n_chunks > 1)
        run_chunks(&j);
    else if (split->n_chunks == 1)
        fn(context, 0, split->begin, split->end);
}

void stria_parallel_for(stria_team team, int64_t begin, int64_t end, int64_t grain, stria_range_fn *fn, void *context)
{
    const stria_chunks split = stria_chunks_build(team, begin, end, grain);

    stria_chunks_run(&split, fn, context);
}
