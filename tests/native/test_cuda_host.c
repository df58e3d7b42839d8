/* test_cuda_host.c - the host runtime itself (tests/cuda_host): what is right stays right in every order, what lacks a barrier or a
 * wait is found, faults are told and end the device, not the process; a host that reads device memory ends.
 *
 *     stria_tests test_cuda_host [orders]      100, fewer under a sanitizer
 *
 * Skipped (77) where the runtime is not built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitized.h"
#include "test.h"

#if !defined(__linux__) || !defined(__x86_64__)
SUITE(test_cuda_host)
{
    test_skip("no host runtime for this system");
    return test_finish();
}
#else
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cuda_host/kernels/scenarios.h"

static const stria_cuda_host *host;
static const cuda_host_tests *tests;

/* Runs this suite with `what` in a process of its own, and returns that one's status, and in `said` what it wrote to stderr. It is
 * begun anew: a fork of many threads, as which fibres count, is none that ThreadSanitizer watches. */
static int run_apart(const char *what, char *said, size_t size)
{
    int    ends[2], status = -1;
    size_t n = 0;
    fflush(stdout);
    if (pipe(ends) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        if (HAS_TSAN) setenv("TSAN_OPTIONS", "atexit_sleep_ms=0", 1);
        execl("/proc/self/exe", "stria_tests", "test_cuda_host", "apart", what, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    for (;;) {
        char          rest[256];
        const ssize_t got = n + 1 < size ? read(ends[0], said + n, size - n - 1) : read(ends[0], rest, sizeof rest);
        if (got <= 0) break;
        if (n + 1 < size) n += (size_t)got;
    }
    said[n] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

/* What it does there: a scenario, or a host that reads device memory. */
static int run_here(const char *what)
{
    host->set_quiet(false);
    for (const cuda_host_scenario *s = tests->scenarios; s->name; s++)
        if (strcmp(s->name, what) == 0) {
            s->run();
            return 0;
        }
    if (strcmp(what, "read") == 0) tests->read_device_memory();
    if (strcmp(what, "write") == 0) tests->write_beyond();
    return 0;
}

/* ThreadSanitizer tells every race, in one order. */
static void check_races(const cuda_host_scenario *s)
{
    char      said[20000];
    const int status = run_apart(s->name, said, sizeof said);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) != 0) == s->is_race, "%s: status %d: %s", s->name, status, said);
    CHECK(!s->is_race || strstr(said, "data race"), "%s: %s", s->name, said);
}

static void check_scenario(const cuda_host_scenario *s, int orders)
{
    int wrong = 0;
    for (int seed = 1; seed <= orders; seed++) {
        host->reset((uint64_t)seed);
        wrong += !s->run();
    }
    host->reset(1);
    printf("%-45s %3d of %d orders give wrong results\n", s->name, wrong, orders);
    CHECK(s->least > 0 || wrong == 0, "%s: wrong in %d orders", s->name, wrong);
    CHECK(wrong * 100 >= s->least * orders || orders < 100, "%s: wrong in %d orders only", s->name, wrong);
}

/* What a check leaves is what it found, but on devices that died. */
static void check_function(const cuda_host_check *check)
{
    stria_cuda_host_counts before, after;
    host->get_counts(&before);
    for (int seed = 1; seed <= 5; seed++) {
        host->reset((uint64_t)seed);
        const char *wrong = check->run(host);
        CHECK(!wrong, "%s: not so, seed %d: %s (%s)", check->name, seed, wrong, host->get_message());
    }
    host->reset(1);
    host->get_counts(&after);
    CHECK(before.blocks == after.blocks && before.streams == after.streams && before.pinned == after.pinned,
          "%s leaves %d blocks, %d streams, %d pinned", check->name, (int)(after.blocks - before.blocks),
          (int)(after.streams - before.streams), (int)(after.pinned - before.pinned));
}

SUITE(test_cuda_host)
{
    const char *path = getenv("STRIA_CUDA_HOST_KERNELS");
    void       *library = path ? dlopen(path, RTLD_NOW) : NULL;
    const int   orders = argc > 1 ? atoi(argv[1]) : HAS_TSAN ? 2 : IS_SANITIZED ? 20 : 100;
    char        said[20000];
    const cuda_host_tests *(*get_tests)(void) = NULL;
    const stria_cuda_host *(*get_host)(void) = NULL;

    if (!library) {
        test_skip(path ? dlerror() : "the host runtime was not built");
        return test_finish();
    }
    void *symbol = dlsym(library, "cuda_host_tests_get");
    memcpy(&get_tests, &symbol, sizeof get_tests);
    symbol = dlsym(library, "stria_cuda_host_get");
    memcpy(&get_host, &symbol, sizeof get_host);
    host = get_host();
    tests = get_tests();
    if (argc > 2 && strcmp(argv[1], "apart") == 0) return run_here(argv[2]);
    CHECK(host->version == STRIA_CUDA_HOST_VERSION, "version %d", host->version);
    host->set_quiet(true);

    for (const cuda_host_check *c = tests->checks; c->name; c++) check_function(c);
    for (const cuda_host_scenario *s = tests->scenarios; s->name; s++) {
        if (HAS_TSAN) check_races(s);
        if (!HAS_TSAN || !s->is_race) check_scenario(s, orders);
    }

    const int status = run_apart("read", said, sizeof said);
    CHECK(status != 0, "the host has read device memory: status %d", status);
    CHECK(strstr(said, "cuda_host: the host read or wrote memory of the device"), "it died with: %s", said);
    if (IS_SANITIZED && !HAS_TSAN) {
        const int beyond = run_apart("write", said, sizeof said);
        CHECK(beyond != 0 && strstr(said, "use-after-poison") && strstr(said, "write_byte"), "status %d: %s", beyond,
              said);
    }
    return test_finish();
}
#endif
