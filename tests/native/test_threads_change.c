/* test_threads_change.c - the number of threads may change at any time: while one thread sets it as fast as it can, others
 * call every family of the library, and get the results that one thread computes. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sanitized.h"

#if HAS_PTHREADS
#include <pthread.h>
#endif

#include "families.h"
#include "oracle.h"

#define CALLERS 2
/* A sanitizer needs fewer calls to see what another thread or an overrun buffer may not show at all. */
#define ROUNDS (IS_SANITIZED ? 6 : check_has_values() ? 75 : 25)

#if HAS_PTHREADS
static family_inputs inputs;

typedef struct expectation {
    stria_dtype dtype;
    void       *bytes;
    size_t      nbytes;
} expectation;

static expectation *expected;
static atomic_bool  stops;
static atomic_int   wrong[CALLERS]; /* the number of the last family that went wrong, and 1 more; 0: none */

/* From one to few to many and back, so that two readings of one call seldom agree. */
static void *change(void *unused)
{
    static const int counts[] = {1, 2, 12, 2, 5};
    bool             ok = true;

    (void)unused;
    while (!atomic_load_explicit(&stops, memory_order_relaxed))
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            ok &= stria_threads_set(counts[k], NULL) == STRIA_OK;
    return ok ? NULL : (void *)&stops;
}

/* Whether the call gives what it should. */
static bool is_right(int f)
{
    stria_tensor      *out = NULL;
    const stria_status status = families[f].run(&inputs, &out, NULL);
    size_t             nbytes = 0;
    void              *bytes = status == STRIA_OK ? family_get_bytes(out, &nbytes) : NULL;
    const bool         ok = bytes && stria_tensor_get_dtype(out) == expected[f].dtype && nbytes == expected[f].nbytes &&
                    memcmp(bytes, expected[f].bytes, nbytes) == 0;

    free(bytes);
    stria_tensor_release(out);
    return ok;
}

static void *call_all(void *context)
{
    const int caller = (int)(intptr_t)context;

    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < family_count; k++) {
            const int f = (k + caller * family_count / CALLERS) % family_count;
            if (!is_right(f)) atomic_store(&wrong[caller], f + 1);
        }
    return NULL;
}

static void find_expected(void)
{
    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    for (int f = 0; f < family_count; f++) {
        stria_tensor *out = NULL;
        stria_error   err = {0};
        check_status(families[f].run(&inputs, &out, &err), STRIA_OK, families[f].name, __FILE__, __LINE__);
        if (out == NULL) continue;
        expected[f].dtype = stria_tensor_get_dtype(out);
        expected[f].bytes = family_get_bytes(out, &expected[f].nbytes);
        CHECK(expected[f].bytes != NULL && expected[f].nbytes > 0, "%s: no elements", families[f].name);
        stria_tensor_release(out);
    }
}

static void check_changes(void)
{
    pthread_t changer, callers[CALLERS];
    int       n = 0;
    void     *refused = NULL;

    CHECK(pthread_create(&changer, NULL, change, NULL) == 0, "no thread");
    while (n < CALLERS && pthread_create(&callers[n], NULL, call_all, (void *)(intptr_t)n) == 0) n++;
    CHECK(n == CALLERS, "%d callers started", n);
    for (int k = 0; k < n; k++) pthread_join(callers[k], NULL);
    atomic_store(&stops, true);
    pthread_join(changer, &refused);
    CHECK(refused == NULL, "a number of threads was refused");
    for (int k = 0; k < n; k++)
        CHECK(wrong[k] == 0, "%s: another result while the number of threads changes", families[wrong[k] - 1].name);
}
#endif

SUITE(test_threads_change)
{
    check_isa("test_threads_change");
#if HAS_PTHREADS
    const int before = stria_threads_get();
    expected = calloc((size_t)family_count, sizeof *expected);
    family_inputs_init(&inputs);
    find_expected();
    if (check_failures == 0) check_changes();
    for (int f = 0; f < family_count; f++) free(expected[f].bytes);
    free(expected);
    family_inputs_release(&inputs);
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
#else
    printf("test_threads_change: SKIPPED (no threads in this build)\n");
#endif
    return check_finish("test_threads_change");
}
