/* test_fork.c - a process may fork while its threads run calls: the child has the forking thread alone, and calls the library
 * as if it were new, threads included. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sanitized.h"

/* The allocator of sanitizers does not unlock itself in the child of a process with threads (LLVM before 18). */
#define HAS_FORK (HAS_PROCESSES && !IS_SANITIZED)
#if HAS_FORK
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "families.h"
#include "oracle.h"

/* Without the handlers of fork a child hung after 10, 12, 40 and 118 of them. */
#define FORKS 400
#define FORKS_FULL 1200 /* in `make test-all` */
#define CALLERS 3
#define CHILD_SECONDS 60 /* a child that takes longer hangs */

#if HAS_FORK
static family_inputs inputs;
static atomic_bool   stops;
static atomic_int    failed_calls;

/* Calls that take every lock there is: of small and of large blocks, of the pool, of what is cached. */
static bool call_some(int from)
{
    bool ok = true;

    for (int k = 0; k < 3; k++) {
        stria_tensor *out = NULL, *small = NULL;
        const int     f = (from + k * 7) % family_count;
        ok &= families[f].run(&inputs, &out, NULL) == STRIA_OK;
        stria_tensor_release(out);
        ok &= stria_tensor_new(STRIA_F32, 1, &(int64_t){100 + from % 700}, &small, NULL) == STRIA_OK;
        stria_tensor_release(small);
    }
    return ok;
}

static void *call_on(void *context)
{
    for (int k = (int)(intptr_t)context; !atomic_load(&stops); k++) {
        if (!call_some(k)) atomic_fetch_add(&failed_calls, 1);
        if (k % 5 == 0) stria_memory_release_cache();
    }
    return NULL;
}

typedef struct answer {
    void  *bytes;
    size_t nbytes;
} answer;

static answer get_answer(int f)
{
    stria_tensor *out = NULL;
    answer        a = {NULL, 0};

    if (families[f].run(&inputs, &out, NULL) == STRIA_OK) a.bytes = family_get_bytes(out, &a.nbytes);
    stria_tensor_release(out);
    return a;
}

/* The exit status of a child: 0 if all is as it should be. */
static int run_child(int number, const answer *expected)
{
    alarm(CHILD_SECONDS);
    for (int k = 0; k < 2; k++) {
        const int f = (number + k * 11) % family_count;
        answer    a = get_answer(f);
        if (!a.bytes || a.nbytes != expected[f].nbytes || memcmp(a.bytes, expected[f].bytes, a.nbytes) != 0) return 1;
        free(a.bytes);
        if (!call_some(number)) return 2;
        stria_memory_release_cache();
    }
    return 0;
}

static void check_forks(const answer *expected)
{
    pthread_t callers[CALLERS];
    const int count = check_is_full() ? FORKS_FULL : FORKS;
    int       n = 0, wrong = 0, hung = 0, forks = 0;

    while (n < CALLERS && pthread_create(&callers[n], NULL, call_on, (void *)(intptr_t)(n * 17)) == 0) n++;
    CHECK(n == CALLERS, "%d callers started", n);
    for (; forks < count && hung == 0; forks++) {
        const pid_t child = fork();
        int         status = 0;
        if (child == 0) _exit(run_child(forks, expected));
        if (child < 0 || waitpid(child, &status, 0) != child) break;
        hung += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        wrong += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    atomic_store(&stops, true);
    for (int k = 0; k < n; k++) pthread_join(callers[k], NULL);
    CHECK(hung == 0, "a child hangs after %d forks", forks);
    CHECK(wrong == 0, "%d of %d children went wrong", wrong, forks);
    CHECK(hung > 0 || forks == count, "only %d forks", forks);
    CHECK(failed_calls == 0, "%d calls failed in the parent", failed_calls);
}
#endif

SUITE(test_fork)
{
    check_isa("test_fork");
#if HAS_FORK
    const int before = stria_threads_get();
    answer   *expected = calloc((size_t)family_count, sizeof *expected);
    CHECK_STATUS(stria_threads_set(2, NULL), STRIA_OK);
    family_inputs_init(&inputs);
    for (int f = 0; f < family_count; f++) {
        expected[f] = get_answer(f);
        CHECK(expected[f].bytes != NULL, "%s fails", families[f].name);
    }
    if (check_failures == 0) check_forks(expected);
    for (int f = 0; f < family_count; f++) free(expected[f].bytes);
    free(expected);
    family_inputs_release(&inputs);
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
#else
    printf("test_fork: SKIPPED (no processes here, or a sanitizer)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
#endif
    return check_finish("test_fork");
}
