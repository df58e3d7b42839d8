/* test.h - checks for suites that do not need the tensors of oracle.h. One .c file per suite includes it.
 *
 *     CHECK(a == b, "a is %d", a);      counts; prints file, line and the text if false (the first 40 only)
 *     return test_finish();             prints "N passed, N failed, N skipped"; exit status 0, 1, or 77: all skipped
 */
#ifndef STRIA_TEST_H
#define STRIA_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

static int64_t test_passed, test_failed, test_skipped;

/* Whether the caller should print about this check. */
static inline bool test_count(bool ok, const char *file, int line)
{
    if (ok) {
        test_passed++;
        return false;
    }
    if (++test_failed > 40) return false;
    printf("%s:%d: ", file, line);
    return true;
}

#define CHECK(condition, ...) \
    ((void)(test_count((condition), __FILE__, __LINE__) && (printf(__VA_ARGS__), putchar('\n'))))

/* Something that this machine or build cannot check. */
static inline void test_skip(const char *why)
{
    test_skipped++;
    printf("skipped: %s\n", why);
}

static inline int test_finish(void)
{
    printf("%lld passed, %lld failed, %lld skipped\n", (long long)test_passed, (long long)test_failed,
           (long long)test_skipped);
    if (test_failed > 0) return 1;
    return test_passed == 0 && test_skipped > 0 ? 77 : 0;
}

/* A fixed sequence of 64-bit numbers (splitmix64). */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#endif
