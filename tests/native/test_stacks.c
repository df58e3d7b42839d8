/* test_stacks.c - threads with small stacks: every family runs on 128 KB, as musl gives, and needs a good part less; scratch
 * memory of threads (scratch.h): its failure is ERR_MEMORY, it nests, and it ends with its thread. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__EMSCRIPTEN__) && defined(__unix__)
#include <limits.h>
#include <pthread.h>
#define HAS_STACKS 1
#else
#define HAS_STACKS 0
#endif
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>
#define HAS_HEAP_SIZE 1
#endif
#endif

#include "base/alloc.h"
#include "families.h"
#include "iter.h"
#include "oracle.h"
#include "sanitized.h"
#include "base/scratch.h"

#define SMALL_STACK (128 << 10)
#define PAINTED_STACK (1 << 20)
/* Of a stack of 128 KB: the rest is for the system, for thread-local data and for whoever calls. */
#define MOST_STACK (40 << 10)

#if HAS_STACKS
static family_inputs inputs;

/* Runs fn(argument) on a thread with a stack of so many bytes, given or made. */
static void run_on_stack(void *stack, size_t nbytes, void *(*fn)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t      thread;

    CHECK(pthread_attr_init(&attributes) == 0, "no attributes");
    if (stack)
        CHECK(pthread_attr_setstack(&attributes, stack, nbytes) == 0, "no stack of %zu bytes", nbytes);
    else
        CHECK(pthread_attr_setstacksize(&attributes, nbytes) == 0, "no stack of %zu bytes", nbytes);
    const bool ok = pthread_create(&thread, &attributes, fn, argument) == 0;
    CHECK(ok, "no thread");
    if (ok) pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* ---------------------------------------------------------------- how much stack */

typedef struct run {
    int    family;
    void  *bytes; /* of the result */
    size_t nbytes;
} run;

static void *run_family(void *context)
{
    run          *r = context;
    stria_tensor *out = NULL;
    stria_error   err;

    if (r->family < 0) return NULL;
    if (families[r->family].run(&inputs, &out, &err) == STRIA_OK) r->bytes = family_get_bytes(out, &r->nbytes);
    stria_tensor_release(out);
    return NULL;
}

/* Bytes of stack that one run needs, its thread included. */
static size_t measure(run *r, unsigned char *stack)
{
    size_t clean = 0;

    memset(stack, 0xA5, PAINTED_STACK);
    run_on_stack(stack, PAINTED_STACK, run_family, r);
    while (clean < PAINTED_STACK && stack[clean] == 0xA5) clean++; /* stacks grow down */
    return PAINTED_STACK - clean;
}

static void check_families(int n_threads)
{
    unsigned char *stack = NULL;
    size_t         most = 0;
    int            worst = 0;

    CHECK(posix_memalign((void **)&stack, 4096, PAINTED_STACK) == 0, "no memory");
    CHECK_STATUS(stria_threads_set(n_threads, NULL), STRIA_OK);
    const size_t idle = measure(&(run){.family = -1}, stack);
    for (int f = 0; f < family_count; f++) {
        run          painted = {.family = f}, small = {.family = f}, own = {.family = f};
        const size_t needed = measure(&painted, stack) - idle;
        run_family(&own);
        CHECK(IS_SANITIZED || needed <= MOST_STACK, "%s needs %zu bytes of stack", families[f].name, needed);
        if (!IS_SANITIZED) run_on_stack(NULL, SMALL_STACK, run_family, &small);
        for (int k = 0; k < 2 - IS_SANITIZED; k++) {
            const run *r = k == 0 ? &painted : &small;
            CHECK(r->bytes && own.bytes && r->nbytes == own.nbytes && memcmp(r->bytes, own.bytes, own.nbytes) == 0,
                  "%s: another result on a small stack", families[f].name);
        }
        if (needed > most) most = needed, worst = f;
        free(painted.bytes);
        free(small.bytes);
        free(own.bytes);
    }
    printf("  %d threads: at most %zu bytes of stack, by %s\n", n_threads, most, families[worst].name);
    free(stack);
}

/* ---------------------------------------------------------------- scratch memory */

typedef struct refusal {
    const char *family, *op;
    bool        is_seen;
} refusal;

static const char *const text = "no memory for blocks of operands";

/* Every allocation of the call fails, each in its turn, on a thread that has no scratch memory yet. */
static void *fail_each(void *context)
{
    refusal *r = context;
    char     expected[96];
    int      f = 0;

    snprintf(expected, sizeof expected, "%s: %s", r->op, text);
    while (f < family_count && strcmp(families[f].name, r->family) != 0) f++;
    for (int64_t n = 1; n < 40 && f < family_count && !r->is_seen; n++) {
        stria_tensor *out = NULL;
        stria_error   err = {0};
        stria_alloc_set_failure(n);
        const stria_status status = families[f].run(&inputs, &out, &err);
        stria_alloc_set_failure(0);
        stria_tensor_release(out);
        if (status == STRIA_OK) break;
        r->is_seen = status == STRIA_ERR_MEMORY && strcmp(err.message, expected) == 0 && strcmp(err.op, r->op) == 0;
    }
    return NULL;
}

static void check_failures_of_scratch(void)
{
    refusal refusals[] = {
        {"add_turned", "add", false},        {"expression", "expression", false},
        {"cast_turned", "to", false},        {"sum_columns", "sum", false},
        {"sum_long_rows", "sum", false},     {"var_rows", "var", false},
        {"argmax_columns", "argmax", false}, {"matmul", "matmul", false},
        {"matmul_vector", "matmul", false},  {"buffered", "for_each_buffered", false},
    };

    CHECK_STATUS(stria_threads_set(1, NULL), STRIA_OK);
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        run_on_stack(NULL, 256 << 10, fail_each, &refusals[k]);
        CHECK(refusals[k].is_seen, "%s: no failure of scratch memory", refusals[k].family);
    }
}

/* Where a thread can keep nothing to its end, as a process that has used up its keys: refused, and nothing stays behind. */
#if defined(HAS_HEAP_SIZE)
static bool refuses_without_keys(void)
{
    pthread_key_t key;
    stria_error   err = {0};
    int           refused = 0;

    while (pthread_key_create(&key, NULL) == 0) continue;
    const struct mallinfo2 before = mallinfo2();
    for (int k = 0; k < 100; k++)
        refused += stria_scratch_reserve("blend", &err) == STRIA_ERR_MEMORY && strcmp(err.op, "blend") == 0 &&
                   strcmp(err.message, "blend: no memory for blocks of operands") == 0;
    const struct mallinfo2 after = mallinfo2();
    const int64_t grown = (int64_t)(after.uordblks + after.hblkhd) - (int64_t)(before.uordblks + before.hblkhd);
    return refused == 100 && grown < 20 * (int64_t)STRIA_SCRATCH_BYTES;
}

/* In a process of its own, since keys are made once: before this one makes them. */
static void check_keys(void)
{
    int status = -1;

    if (IS_SANITIZED) return;
    const pid_t child = fork();
    if (child == 0) _exit(refuses_without_keys() ? 0 : 1);
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "without keys: status %d", status);
}
#else
static void check_keys(void) {}
#endif

/* A loop that takes nearly all, and below it the library, which needs its own; three deep. */
typedef struct nested {
    int  depth;
    bool is_right;
} nested;

static void nest_loop(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    nested       *n = context;
    stria_tensor *out = NULL;
    nested        inner = {n->depth - 1, true};

    for (int64_t k = 0; k < count; k++)
        *(double *)(void *)(data[0] + k * strides[0]) = *(double *)(void *)(data[1] + k * strides[1]);
    if (n->depth == 0) return;
    unsigned char *mine = stria_scratch_take(60000);
    memset(mine, n->depth, 60000);
    static const stria_dtype lanes[] = {STRIA_F64, STRIA_F64};
    stria_iter_config        config;
    stria_iter               it;
    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, inputs.b);
    if (stria_iter_build(&it, &config, NULL) == STRIA_OK) {
        n->is_right =
            stria_iter_for_each_buffered(&it, lanes, nest_loop, &inner, INT64_MAX, NULL) == STRIA_OK && inner.is_right;
        stria_iter_release(&it);
    }
    n->is_right &= stria_add(inputs.turned, inputs.whole, &out, NULL) == STRIA_OK;
    stria_tensor_release(out);
    for (int k = 0; k < 60000; k++) n->is_right &= mine[k] == n->depth;
    stria_scratch_give(mine);
}

static void *nest(void *context)
{
    nested  outer = {2, true};
    double  from = 1, to = 0;
    char   *data[] = {(char *)&to, (char *)&from};
    int64_t strides[] = {8, 8};

    for (int round = 0; round < 3 && outer.is_right; round++) {
        if (stria_scratch_reserve("nest", NULL) != STRIA_OK) return NULL;
        nest_loop(&outer, data, strides, 1);
    }
    *(bool *)context = outer.is_right && to == 1;
    return NULL;
}

static void *reserve(void *context)
{
    *(bool *)context = stria_scratch_reserve("reserve", NULL) == STRIA_OK;
    return NULL;
}

static void check_threads(void)
{
    bool is_right = false;

    run_on_stack(NULL, 512 << 10, nest, &is_right);
    CHECK(is_right, "scratch memory does not nest");
#if defined(HAS_HEAP_SIZE)
    if (IS_SANITIZED) return;
    const struct mallinfo2 before = mallinfo2();
    for (int k = 0; k < 100; k++) {
        is_right = false;
        run_on_stack(NULL, SMALL_STACK, reserve, &is_right);
        CHECK(is_right, "no scratch memory");
    }
    const struct mallinfo2 after = mallinfo2();
    const int64_t grown = (int64_t)(after.uordblks + after.hblkhd) - (int64_t)(before.uordblks + before.hblkhd);
    CHECK(grown < 20 * (int64_t)STRIA_SCRATCH_BYTES, "%lld bytes are left by 100 threads", (long long)grown);
#else
    (void)reserve;
#endif
}
#endif

SUITE(test_stacks)
{
    check_isa("test_stacks");
#if HAS_STACKS
    const int before = stria_threads_get();
    check_keys();
    family_inputs_init(&inputs);
    check_families(1);
    check_families(3);
    check_failures_of_scratch();
    check_threads();
    family_inputs_release(&inputs);
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
#else
    printf("test_stacks: SKIPPED (stacks of threads are not chosen here)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
#endif
    return check_finish("test_stacks");
}
