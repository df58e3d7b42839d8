/* suite.h - the suites of the one test program (main.c). Each test_*.c and fuzz_*.c is a suite named as its file:
 *
 *     SUITE(test_row)
 *     {
 *         check_isa("test_row");
 *         ..
 *         return check_finish("test_row");      0 passed, 1 failed, 77 skipped
 *     }
 *
 * argc and argv are those of main from the suite's name on. Suites run from the root of the project. */
#ifndef TEST_SUITE_H
#define TEST_SUITE_H

#define SUITE_SIGNATURE(name) int suite_##name(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)
#define SUITE(name)        \
    SUITE_SIGNATURE(name); \
    SUITE_SIGNATURE(name)

#endif
