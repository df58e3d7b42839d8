/* test_generator.c - random generators: the words of their streams, states, and one generator in the hands of several threads. */
#include <stdlib.h>
#include <string.h>

#include "sanitized.h"

#if HAS_PTHREADS
#include <pthread.h>
#endif

#include "oracle.h"
#include "simd/kernels.h"
#include "stream.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

/* The definition of the tests itself: known answers of Random123 (kat_vectors, philox4x32 10). */
static void test_known_answers(void)
{
    static const uint32_t known[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
         0x24126ea1},
    };

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint32_t out[4];
        stream_philox(known[k], known[k] + 4, out);
        CHECK(memcmp(out, known[k] + 6, sizeof out) == 0, "known answer %d", (int)k);
    }
}

static const stria_generator_state states[] = {{0, 0},
                                               {1, 0},
                                               {0, 1},
                                               {UINT64_MAX, UINT64_MAX - 1},
                                               {UINT64_C(1) << 32, (UINT64_C(1) << 28) - 1},
                                               {UINT64_C(0x0123456789abcdef), (UINT64_C(1) << 60) - 1}};
enum { N_STATES = sizeof states / sizeof *states };

/* Words as the table of the instruction set makes them, across every carry of the counter. */
static void test_words(void)
{
    const stria_kernels *kernels = stria_dispatch_get();
    uint32_t             words[4 * STRIA_RANDOM_WORDS];

    for (int s = 0; s < N_STATES; s++)
        for (int n = 1; n <= 3; n++) {
            memset(words, 0, sizeof words);
            kernels->lane[STRIA_U32]->random.words((char *)words, states[s].seed, states[s].offset, n);
            for (int k = 0; k < 4 * STRIA_RANDOM_WORDS; k++) {
                const uint32_t wanted = k < n * STRIA_RANDOM_WORDS ? stream_word(states[s], (uint64_t)k) : 0;
                CHECK(words[k] == wanted, "state %d, %d groups, word %d is %x", s, n, k, words[k]);
            }
        }
    kernels->lane[STRIA_U32]->random.words((char *)words, 0, 0, 1);
    CHECK(words[0] == 0x6627e8d5 && words[16] == 0xe169c58d && words[32] == 0xbc57ac4c && words[48] == 0x9b00dbd8,
          "the first block of seed 0");
}

static bool is_state(const stria_generator *g, uint64_t seed, uint64_t offset)
{
    const stria_generator_state state = stria_generator_get_state(g);
    return state.seed == seed && state.offset == offset;
}

static void draw(stria_generator *g, int64_t n)
{
    stria_tensor *y = NULL;
    CHECK_STATUS(stria_rand(&n, 1, STRIA_F32, STRIA_CPU, g, &y, NULL), STRIA_OK);
    stria_tensor_release(y);
}

static void test_states(void)
{
    stria_generator *g = NULL, *child = NULL, *twin = NULL;
    stria_error      err = {0};

    CHECK_STATUS(stria_generator_new(UINT64_MAX, &g, NULL), STRIA_OK);
    CHECK(is_state(g, UINT64_MAX, 0), "a new generator");
    draw(g, 65);
    CHECK(is_state(g, UINT64_MAX, 2), "65 words take 2");
    draw(g, 0);
    CHECK(is_state(g, UINT64_MAX, 2), "none take nothing");
    stria_generator_set_seed(g, 5);
    CHECK(is_state(g, 5, 0), "set_seed");
    stria_generator_set_state(g, (stria_generator_state){6, UINT64_MAX});
    draw(g, 64);
    CHECK(is_state(g, 6, 0), "the offset wraps");

    CHECK_STATUS(stria_generator_fork(g, &child, NULL), STRIA_OK);
    CHECK_STATUS(stria_generator_fork(g, &twin, NULL), STRIA_OK);
    CHECK(is_state(g, 6, 2), "a fork takes 1");
    CHECK(is_state(child, stream_pair((stria_generator_state){6, 0}, 0), 0), "seed of a fork");
    CHECK(is_state(twin, stream_pair((stria_generator_state){6, 1}, 0), 0), "seed of the next one");
    CHECK(stria_generator_retain(child) == child, "retain");
    stria_generator_release(child);
    draw(child, 1);
    stria_generator_release(child);
    stria_generator_release(twin);
    stria_generator_release(g);
    stria_generator_release(NULL);
    CHECK(stria_generator_retain(NULL) == NULL, "retain of none");

    CHECK(is_state(NULL, 0, 0) && is_state(stria_generator_get_default(), 0, 0), "the default generator begins with 0");
    draw(NULL, 1);
    draw(stria_generator_get_default(), 1);
    CHECK(is_state(NULL, 0, 2), "NULL is the default one");
    stria_generator_release(stria_generator_get_default());
    stria_generator_set_seed(NULL, 0);
    CHECK_STATUS(stria_generator_new(0, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.op, "generator") == 0 && strcmp(err.argument, "out") == 0, "out NULL: %s", err.message);
    CHECK_STATUS(stria_generator_fork(NULL, NULL, &err), STRIA_ERR_ARGUMENT);
    CHECK(is_state(NULL, 0, 0), "a refused fork takes nothing");
}

/* What takes nothing: refusals, META. */
static void test_nothing_taken(void)
{
    stria_generator *g = NULL;
    stria_tensor    *y = NULL;

    CHECK_STATUS(stria_generator_new(1, &g, NULL), STRIA_OK);
    CHECK_STATUS(stria_rand(SHAPE(-1), 1, STRIA_F32, STRIA_CPU, g, &y, NULL), STRIA_ERR_SHAPE);
    CHECK_STATUS(stria_rand(SHAPE(3), 1, STRIA_I32, STRIA_CPU, g, &y, NULL), STRIA_ERR_DTYPE);
    CHECK_STATUS(stria_rand(SHAPE(7), 1, STRIA_F32, STRIA_META, g, &y, NULL), STRIA_OK);
    stria_tensor_release(y);
    CHECK(is_state(g, 1, 0), "taken: %llu", (unsigned long long)stria_generator_get_state(g).offset);
    stria_generator_release(g);
}

/* ---------------------------------------------------------------- threads */

#if HAS_PTHREADS
#define THREADS 4
#define DRAWS 500
static stria_generator *shared;
static float            first[THREADS][DRAWS];

static void *draw_often(void *context)
{
    float *found = context;

    for (int k = 0; k < DRAWS; k++) {
        stria_tensor *y = NULL;
        if (stria_rand(SHAPE(64), 1, STRIA_F32, STRIA_CPU, shared, &y, NULL) != STRIA_OK) return context;
        memcpy(&found[k], stria_tensor_get_data(y), sizeof(float));
        stria_tensor_release(y);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Every call has a group of its own: together they have the groups 0, 1 .., each once. */
static void test_threads(void)
{
    static float wanted[THREADS * DRAWS];
    pthread_t    thread[THREADS];

    CHECK_STATUS(stria_generator_new(77, &shared, NULL), STRIA_OK);
    for (int t = 0; t < THREADS; t++) CHECK(pthread_create(&thread[t], NULL, draw_often, first[t]) == 0, "a thread");
    for (int t = 0; t < THREADS; t++) {
        void *failed = NULL;
        CHECK(pthread_join(thread[t], &failed) == 0 && failed == NULL, "thread %d", t);
    }
    CHECK(is_state(shared, 77, THREADS * DRAWS), "the offset after all");
    for (int k = 0; k < THREADS * DRAWS; k++)
        wanted[k] = (float)(stream_word((stria_generator_state){77, (uint64_t)k}, 0) >> 8) * 0x1p-24f;
    qsort(first, THREADS * DRAWS, sizeof(float), compare);
    qsort(wanted, THREADS * DRAWS, sizeof(float), compare);
    CHECK(memcmp(first, wanted, sizeof wanted) == 0, "numbers are missing or repeated");
    stria_generator_release(shared);
}
#else
static void test_threads(void) {}
#endif

SUITE(test_generator)
{
    check_isa("test_generator");
    test_known_answers();
    test_words();
    test_states();
    test_nothing_taken();
    test_threads();
    return check_finish("test_generator");
}
