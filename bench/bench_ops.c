/* bench_ops.c - whole calls from C, one case a line of JSON: median and quartiles of the time of one call.
 *
 *     bench_ops [--quick]
 *
 * STRIA_NUM_THREADS and STRIA_FORCE_ISA choose threads and instruction set. Peers: peers.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stria.h"

enum { MAX_SAMPLES = 101 };
static int     n_samples = 41;
static int64_t sample_ns = 3000000; /* at least this long each */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void must(stria_status status, const stria_error *err)
{
    if (status == STRIA_OK) return;
    fprintf(stderr, "bench_ops: %s\n", err->message);
    exit(1);
}

/* One case: an op, or a reduction over an axis, on inputs made beforehand; into out, or into a new tensor. */
typedef struct bench_case {
    const char         *name;
    bool                is_reduction;
    int                 number, n_in, axis; /* axis < 0: all */
    const stria_tensor *in[STRIA_MAX_INPUTS];
    stria_tensor       *out;
} bench_case;

static void call(const bench_case *c)
{
    stria_error   err;
    stria_tensor *y = NULL;
    if (c->is_reduction && c->out)
        must(stria_reduce_out((stria_reduction)c->number, c->in[0], &c->axis, c->axis >= 0, false, STRIA_DTYPE_NONE,
                              c->out, &err),
             &err);
    else if (c->is_reduction)
        must(stria_reduce((stria_reduction)c->number, c->in[0], &c->axis, c->axis >= 0, false, STRIA_DTYPE_NONE, &y,
                          &err),
             &err);
    else if (c->out)
        must(stria_apply_out((stria_op)c->number, c->in, c->n_in, c->out, &err), &err);
    else
        must(stria_apply((stria_op)c->number, c->in, c->n_in, &y, &err), &err);
    stria_tensor_release(y);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const bench_case *c)
{
    double  samples[MAX_SAMPLES];
    int64_t calls = 1, spent = 0;
    while (spent < sample_ns) { /* warms up, and finds how many calls fill a sample */
        const int64_t start = now_ns();
        for (int64_t k = 0; k < calls; k++) call(c);
        spent = now_ns() - start;
        if (spent < sample_ns) calls *= 2;
    }
    for (int s = 0; s < n_samples; s++) {
        const int64_t start = now_ns();
        for (int64_t k = 0; k < calls; k++) call(c);
        samples[s] = (double)(now_ns() - start) / (double)calls;
    }
    qsort(samples, (size_t)n_samples, sizeof *samples, compare);
    printf(
        "{\"case\": \"%s\", \"isa\": \"%s\", \"threads\": %d, \"median_ns\": %.2f, \"p25_ns\": %.2f, \"p75_ns\": %.2f, "
        "\"calls\": %lld}\n",
        c->name, stria_isa_get_name(), stria_threads_get(), samples[n_samples / 2], samples[n_samples / 4],
        samples[n_samples * 3 / 4], (long long)calls);
    fflush(stdout);
}

/* f32 [rows, columns] (one dim if rows is 0) of numbers in (-1, 1). */
static stria_tensor *new_input(int64_t rows, int64_t columns)
{
    static uint32_t seed = 1;
    const int64_t   shape[] = {rows, columns};
    stria_error     err;
    stria_tensor   *x = NULL;
    must(stria_tensor_new(STRIA_F32, rows ? 2 : 1, rows ? shape : shape + 1, &x, &err), &err);
    float *data = stria_tensor_get_data(x);
    for (int64_t k = 0; k < stria_tensor_get_numel(x); k++) {
        seed = seed * 1664525u + 1013904223u;
        data[k] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
    }
    return x;
}

#define OP(title, op, arity, target, ...) \
    measure(&(bench_case){.name = title, .number = STRIA_OP_##op, .n_in = arity, .in = {__VA_ARGS__}, .out = target})
#define RED(title, op, along, x) \
    measure(&(bench_case){.name = title, .is_reduction = true, .number = STRIA_RED_##op, .axis = along, .in = {x}})

int main(int argc, char **argv)
{
    stria_error err;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) n_samples = 11, sample_ns = 500000;
    must(stria_isa_get_status(&err), &err);

    stria_tensor *a10 = new_input(0, 10), *b10 = new_input(0, 10), *o10 = new_input(0, 10);
    stria_tensor *a = new_input(1000, 1000), *b = new_input(1000, 1000), *o = new_input(1000, 1000);
    stria_tensor *row = new_input(0, 1000), *thin = new_input(125000, 8), *eight = new_input(0, 8),
                 *o8 = new_input(125000, 8);
    stria_tensor *t = NULL, *mask = NULL;
    must(stria_tensor_view_transpose(b, 0, 1, &t, &err), &err);
    must(stria_gt(a, b, &mask, &err), &err);

    OP("add 10, new", add, 2, NULL, a10, b10);
    OP("add 10, out=", add, 2, o10, a10, b10);
    RED("sum 10", sum, -1, a10);
    OP("add 1e6, new", add, 2, NULL, a, b);
    OP("add 1e6", add, 2, o, a, b);
    OP("mul 1e6", mul, 2, o, a, b);
    OP("div 1e6", div, 2, o, a, b);
    OP("relu 1e6", relu, 1, o, a);
    OP("sqrt 1e6", sqrt, 1, o, a);
    OP("exp 1e6", exp, 1, o, a);
    OP("tanh 1e6", tanh, 1, o, a);
    OP("less 1e6, new", lt, 2, NULL, a, b);
    OP("where 1e6", where, 3, o, mask, a, b);
    OP("[1000,1000]+[1000]", add, 2, o, a, row);
    OP("[125000,8]+[8]", add, 2, o8, thin, eight);
    OP("A + B.T 1000", add, 2, o, a, t);
    RED("sum 1e6", sum, -1, a);
    RED("sum 1000x1000 axis 0", sum, 0, a);
    RED("sum 1000x1000 axis 1", sum, 1, a);
    RED("amax 1e6", amax, -1, a);

    stria_tensor *all[] = {a10, b10, o10, a, b, o, row, thin, eight, o8, t, mask};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) stria_tensor_release(all[k]);
    return 0;
}
