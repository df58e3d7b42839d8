/* main.c - the test program: `stria_tests NAME [argument ..]` runs the suite NAME, without a name it lists them.
 * CMake writes suites.def, one line SUITE_ROW(name) for each. */
#include <stdio.h>
#include <string.h>

#include "suite.h"

/* Sanitizers end the program when too much memory is asked for, unless told to refuse it as malloc does. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
const char *__tsan_default_options(void) { return "allocator_may_return_null=1"; }

#define SUITE_ROW(name) SUITE_SIGNATURE(name);
#include "suites.def"
#undef SUITE_ROW

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} suites[] = {
#define SUITE_ROW(name) {#name, suite_##name},
#include "suites.def"
#undef SUITE_ROW
};

int main(int argc, char **argv)
{
    const size_t n_suites = sizeof suites / sizeof *suites;

    if (argc < 2) {
        for (size_t k = 0; k < n_suites; k++) puts(suites[k].name);
        return 0;
    }
    for (size_t k = 0; k < n_suites; k++)
        if (strcmp(suites[k].name, argv[1]) == 0) return suites[k].run(argc - 1, argv + 1);
    fprintf(stderr, "no suite '%s'; without arguments this lists them\n", argv[1]);
    return 2;
}
