/* replay.h - suites that take bytes: under libFuzzer (clang, the CMake preset "fuzz"), which finds inputs of its own, and
 * everywhere else with a fixed sequence of them. */
#ifndef TEST_REPLAY_H
#define TEST_REPLAY_H

#include "suite.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int replay_fn(const uint8_t *bytes, size_t n_bytes);

/* Ends the program where `condition` is false: both ways of running keep the input then. */
#define REQUIRE(condition)                                                         \
    do {                                                                           \
        if (!(condition)) {                                                        \
            fprintf(stderr, "%s:%d: false: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                               \
        }                                                                          \
    } while (0)

/* Runs the files named in argv, as libFuzzer writes them; or, without any, every line of the file `corpus` (bytes in
 * hexadecimal), each also with bytes changed at random, and then random bytes: STRIA_FUZZ_COUNT inputs (by default `count`)
 * in all, of STRIA_FUZZ_SEED. An input that ends the program is on standard error as a line of hexadecimal. */
int replay_main(int argc, char **argv, replay_fn *fn, const char *corpus, int64_t count);

/* The suite of a file that defines `static int replay_one(const uint8_t *bytes, size_t n_bytes)`; under libFuzzer, its entry. */
#if defined(STRIA_LIBFUZZER)
replay_fn LLVMFuzzerTestOneInput;
#define REPLAY_SUITE(name, corpus, count) \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) { return replay_one(bytes, n_bytes); }
#else
#define REPLAY_SUITE(name, corpus, count) \
    SUITE(name) { return replay_main(argc, argv, replay_one, corpus, count); }
#endif

#endif
