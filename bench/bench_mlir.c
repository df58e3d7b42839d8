/* bench_mlir.c - graphs as machine code (stria_mlir.h) beside the library's own runs and loops by hand, on one thread: one
 * case a line of JSON, the fastest of interleaved samples in microseconds, and ratios.
 *
 *     bench_mlir                          from the root of the project; toolchains/mlir.sh compiles
 *
 * chain_<n>     relu(a b + c) exp(-d) of n float32: graph (the library), program (MLIR), loop (all of it in one loop over
 *               vectors, with the library's exp)
 * linear_256    relu(x w' + bias), 256 x 256 x 256: graph, program, gemm (stria_matmul alone) */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stria_mlir.h"
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include "vec_avx512.h"
#elif defined(__AVX2__)
#include "vec_avx2.h"
#else
#include "vec_scalar.h"
#endif
#include "vec_math.h"

enum { SAMPLES = 151, SAMPLE_NS = 500000 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void must(stria_status status, const stria_error *err)
{
    if (status == STRIA_OK) return;
    fprintf(stderr, "bench_mlir: %s\n", err->message);
    exit(1);
}

static stria_tensor *new_random(int ndim, const int64_t *shape)
{
    stria_tensor *x;
    stria_error   err;

    must(stria_rand(shape, ndim, STRIA_F32, STRIA_CPU, NULL, &x, &err), &err);
    return x;
}

/* ---------------------------------------------------------------- what is measured */

typedef struct setting {
    stria_graph        *graph;
    stria_mlir_program *program;
    stria_tensor       *in[4], *out;
    int                 n_in;
    int64_t             n;
} setting;

static void drop(stria_tensor *y) { stria_tensor_release(y); }

static void run_graph(setting *s)
{
    stria_tensor *y;
    stria_error   err;
    must(stria_graph_run(s->graph, s->in, s->n_in, &y, &err), &err);
    drop(y);
}

static void run_program(setting *s)
{
    stria_tensor *y;
    stria_error   err;
    must(stria_graph_run_program(s->graph, s->program, s->in, s->n_in, NULL, 0, &y, &err), &err);
    drop(y);
}

/* n is a multiple of the lanes. Its result is a new tensor, as those of the others. */
static void run_loop(setting *s)
{
    const float  *a = stria_tensor_get_const_data(s->in[0]), *b = stria_tensor_get_const_data(s->in[1]);
    const float  *c = stria_tensor_get_const_data(s->in[2]), *d = stria_tensor_get_const_data(s->in[3]);
    stria_tensor *y;
    stria_error   err;

    must(stria_tensor_new(STRIA_F32, 1, &s->n, &y, &err), &err);
    float *out = stria_tensor_get_data(y);
    for (int64_t i = 0; i < s->n; i += VEC_LANES_f32) {
        const vec_f32 zero = vec_set_f32(0);
        vec_f32       x = vec_add_f32(vec_mul_f32(vec_load_f32(a + i), vec_load_f32(b + i)), vec_load_f32(c + i));
        x = vec_add_f32(vec_select_f32(vec_lt_f32(x, zero), zero, x), zero);
        vec_store_f32(out + i, vec_mul_f32(x, vec_exp_f32(vec_neg_f32(vec_load_f32(d + i)))));
    }
    drop(y);
}

static void run_gemm(setting *s)
{
    stria_tensor *y, *w;
    stria_error   err;
    must(stria_transpose(s->in[1], 0, 1, &w, &err), &err);
    must(stria_matmul(s->in[0], w, &y, &err), &err);
    drop(w);
    drop(y);
}

/* ---------------------------------------------------------------- making it */

static void compile(setting *s, const char *name)
{
    char        folder[] = "/tmp/stria_mlir_XXXXXX", path[96], command[256], *text;
    stria_error err;

    must(stria_graph_get_mlir(s->graph, name, &text, &err), &err);
    if (mkdtemp(folder) == NULL) exit(1);
    snprintf(path, sizeof path, "%s/p.mlir", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) exit(1);
    stria_mlir_release(text);
    const int64_t begin = now_ns();
    snprintf(command, sizeof command, "toolchains/mlir.sh %s/p.mlir %s/p.so", folder, folder);
    if (system(command) != 0) exit(77);
    fprintf(stderr, "%s: compiled in %.0f ms\n", name, (double)(now_ns() - begin) / 1e6);
    snprintf(path, sizeof path, "%s/p.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    snprintf(path, sizeof path, "%s_run", name);
    if (library == NULL) exit(1);
    *(void **)(void *)&s->program = dlsym(library, path);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (s->program == NULL || system(command) != 0) exit(1);
}

static void end_recording(setting *s, stria_recording *r, stria_tensor **symbols, stria_tensor **temps, int n_temps)
{
    stria_error err;

    must(stria_recording_end(r, &temps[n_temps - 1], 1, &s->graph, &err), &err);
    for (int k = 0; k < s->n_in; k++) drop(symbols[k]);
    for (int k = 0; k < n_temps; k++) drop(temps[k]);
}

static void make_chain(setting *s, int64_t n)
{
    stria_tensor    *x[4], *t[6];
    stria_recording *r;
    stria_error      err;

    *s = (setting){.n_in = 4, .n = n};
    for (int k = 0; k < 4; k++) s->in[k] = new_random(1, &n);
    must(stria_recording_begin(&r, &err), &err);
    for (int k = 0; k < 4; k++) must(stria_recording_add_input(r, s->in[k], &x[k], &err), &err);
    must(stria_mul(x[0], x[1], &t[0], &err), &err);
    must(stria_add(t[0], x[2], &t[1], &err), &err);
    must(stria_relu(t[1], &t[2], &err), &err);
    must(stria_neg(x[3], &t[3], &err), &err);
    must(stria_exp(t[3], &t[4], &err), &err);
    must(stria_mul(t[2], t[4], &t[5], &err), &err);
    end_recording(s, r, x, t, 6);
}

static void make_linear(setting *s, int64_t n)
{
    stria_tensor    *x[3], *t[2];
    stria_recording *r;
    stria_error      err;
    const int64_t    shape[] = {n, n};

    *s = (setting){.n_in = 3, .n = n};
    for (int k = 0; k < 3; k++) s->in[k] = new_random(k < 2 ? 2 : 1, shape);
    must(stria_recording_begin(&r, &err), &err);
    for (int k = 0; k < 3; k++) must(stria_recording_add_input(r, s->in[k], &x[k], &err), &err);
    must(stria_linear(x[0], x[1], x[2], &t[0], &err), &err);
    must(stria_relu(t[0], &t[1], &err), &err);
    end_recording(s, r, x, t, 2);
}

/* ---------------------------------------------------------------- measuring */

typedef struct way {
    const char *name;
    void (*run)(setting *);
    int64_t n_runs;
    double  samples[SAMPLES];
} way;

static double get_fastest(const double *x)
{
    double fastest = x[0];

    for (int i = 1; i < SAMPLES; i++)
        if (x[i] < fastest) fastest = x[i];
    return fastest;
}

static void measure(const char *name, setting *s, way *ways, int n)
{
    for (int k = 0; k < n; k++) {
        const int64_t begin = now_ns();
        ways[k].n_runs = 0;
        do ways[k].run(s), ways[k].n_runs++;
        while (now_ns() - begin < SAMPLE_NS);
    }
    for (int i = 0; i < SAMPLES; i++)
        for (int k = n - 1; k >= 0; k--) {
            const int64_t begin = now_ns();
            for (int64_t j = 0; j < ways[k].n_runs; j++) ways[k].run(s);
            ways[k].samples[i] = (double)(now_ns() - begin) / 1e3 / (double)ways[k].n_runs;
        }
    printf("{\"case\": \"%s\"", name);
    for (int k = 0; k < n; k++) printf(", \"%s_us\": %.2f", ways[k].name, get_fastest(ways[k].samples));
    for (int k = 0; k < n; k++)
        if (k != 1)
            printf(", \"program_to_%s\": %.3f", ways[k].name,
                   get_fastest(ways[1].samples) / get_fastest(ways[k].samples));
    printf("}\n");
    fflush(stdout);
}

int main(void)
{
    static const int64_t sizes[] = {9984, 999936, 9999872}; /* multiples of all lanes */
    setting              s;
    stria_error          err;

    must(stria_threads_set(1, &err), &err);
    for (int k = 0; k < 3; k++) {
        way  ways[] = {{.name = "graph", .run = run_graph},
                       {.name = "program", .run = run_program},
                       {.name = "loop", .run = run_loop}};
        char name[32];
        snprintf(name, sizeof name, "chain_%lld", (long long)sizes[k]);
        make_chain(&s, sizes[k]);
        compile(&s, name);
        measure(name, &s, ways, 3);
        for (int i = 0; i < 4; i++) drop(s.in[i]);
        stria_graph_release(s.graph);
    }
    way ways[] = {{.name = "graph", .run = run_graph},
                  {.name = "program", .run = run_program},
                  {.name = "gemm", .run = run_gemm}};
    make_linear(&s, 256);
    compile(&s, "linear_256");
    measure("linear_256", &s, ways, 3);
    for (int i = 0; i < 3; i++) drop(s.in[i]);
    stria_graph_release(s.graph);
    return 0;
}
