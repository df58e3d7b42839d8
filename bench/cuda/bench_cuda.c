/* bench_cuda.c - stria on the first CUDA device, beside a copy of as many bytes and cuBLASLt called directly (peer.h).
 *
 *     bench_cuda [--list] [--quick] [--peer=FILE] [row ..]
 *
 * Prints JSON, one object a line: {"rows": [..]} with --list, else {"absent": why} where there is no device, or {"machine": ..} and
 * one object for each row with raw samples in nanoseconds. A row is run on the CPU first, and must agree; then samples take turns. On the host
 * runtime (tests/cuda_host) rows are small, and times mean nothing: it shows that the program works. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "../timing.h"
#include "peer.h"
#include "stria_graph.h"

enum { REPLAYED_OPS = 20, MOST_SAMPLES = 41 };

typedef struct job {
    const struct row *row;
    stria_tensor     *in[2], *out; /* out NULL: of a graph, whose results are new */
    stria_graph      *graph;
    stria_error       error;
    stria_status      status;
} job;

/* What rows compute. Sizes: elements of a vector; rows and columns of a matrix; batch, m, n, k of a product. */
typedef enum {
    ADD,
    EXP,
    ADD_TRANSPOSED,
    ADD_ROW,
    ADD_MIXED,
    COPY_TRANSPOSED,
    SUM_ALL,
    SUM_ROWS,
    SUM_COLUMNS,
    SOFTMAX,
    LAYER_NORM,
    MATMUL,
    SMALL,
    REPLAY
} kind;

typedef struct row {
    const char *name;
    kind        kind;
    stria_dtype dtype;
    int64_t     sizes[4], small[4]; /* small: on the host runtime */
    double      target;             /* stria's median over the peer's must not exceed it; 0: none */
    double      limit_ns;           /* nor this the median; 0: none */
} row;

/* A copy of half of a row's traffic reads and writes as many bytes: 92 % and 80 % of its speed are wanted. */
#define OF_COPY_92 (1 / 0.92)
#define OF_COPY_80 (1 / 0.80)
#define MATRIX \
    {4096, 4096}, { 48, 48 }
#define VECTOR \
    {1 << 26}, { 1 << 10 }

static const row rows[] = {
    {"cuda add f32", ADD, STRIA_F32, VECTOR, OF_COPY_92, 0},
    {"cuda add f16", ADD, STRIA_F16, VECTOR, OF_COPY_92, 0},
    {"cuda exp f32", EXP, STRIA_F32, VECTOR, OF_COPY_92, 0},
    {"cuda add transposed f32", ADD_TRANSPOSED, STRIA_F32, MATRIX, OF_COPY_80, 0},
    {"cuda add transposed f16", ADD_TRANSPOSED, STRIA_F16, MATRIX, OF_COPY_80, 0},
    {"cuda add row f32", ADD_ROW, STRIA_F32, MATRIX, OF_COPY_92, 0},
    {"cuda add row f16", ADD_ROW, STRIA_F16, MATRIX, OF_COPY_92, 0},
    {"cuda add f16 to f32", ADD_MIXED, STRIA_F32, VECTOR, OF_COPY_92, 0},
    {"cuda copy transposed f32", COPY_TRANSPOSED, STRIA_F32, MATRIX, OF_COPY_80, 0},
    {"cuda copy transposed f16", COPY_TRANSPOSED, STRIA_F16, MATRIX, OF_COPY_80, 0},
    {"cuda sum all f32", SUM_ALL, STRIA_F32, VECTOR, OF_COPY_80, 0},
    {"cuda sum rows f32", SUM_ROWS, STRIA_F32, MATRIX, OF_COPY_80, 0},
    {"cuda sum rows f16", SUM_ROWS, STRIA_F16, MATRIX, OF_COPY_80, 0},
    {"cuda sum columns f32", SUM_COLUMNS, STRIA_F32, MATRIX, OF_COPY_80, 0},
    {"cuda softmax f32", SOFTMAX, STRIA_F32, MATRIX, OF_COPY_80, 0},
    {"cuda layer norm f32", LAYER_NORM, STRIA_F32, MATRIX, OF_COPY_80, 0},
    {"cuda matmul f32", MATMUL, STRIA_F32, {1, 4096, 4096, 4096}, {1, 24, 20, 28}, 1.03, 0},
    {"cuda matmul f64", MATMUL, STRIA_F64, {1, 2048, 2048, 2048}, {1, 24, 20, 28}, 1.03, 0},
    {"cuda matmul f16", MATMUL, STRIA_F16, {1, 4096, 4096, 4096}, {1, 24, 20, 28}, 1.03, 0},
    {"cuda matmul bf16", MATMUL, STRIA_BF16, {1, 4096, 4096, 4096}, {1, 24, 20, 28}, 1.03, 0},
    {"cuda matmul batched f32", MATMUL, STRIA_F32, {64, 512, 512, 512}, {3, 12, 10, 14}, 1.03, 0},
    {"cuda launch of add 10", SMALL, STRIA_F32, {10}, {10}, 0, 6000},
    {"cuda replayed call", REPLAY, STRIA_F32, {10}, {10}, 0, 2000}, /* one of a program's */
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };
static const char *const kind_names[] = {
    "add",      "exp",         "add_transposed", "add_row",    "add_mixed", "copy_transposed", "sum_all",
    "sum_rows", "sum_columns", "softmax",        "layer_norm", "matmul",    "small",           "replay"};

static double traffic_of(const row *r, const int64_t *sizes)
{
    const double n = (double)sizes[0] * (sizes[1] > 0 ? (double)sizes[1] : 1);
    const double passes[] = {3, 2, 3, 2, 2.5, 2, 1,
                             1, 1, 2, 2, 0,   0, 0}; /* of mixed dtypes one operand has half the bytes */
    return passes[r->kind] * n * (double)stria_dtype_get_size(r->dtype);
}

/* ---------------------------------------------------------------- jobs */

/* Numbers in [0, 1), the same for the same generator on every device. */
static stria_status new_input(stria_dtype dtype, const int64_t *shape, int ndim, stria_device device,
                              stria_generator *random, stria_tensor **out, stria_error *err)
{
    stria_tensor *x;
    stria_status  status = stria_rand(shape, ndim, STRIA_F32, device, random, &x, err);

    if (status != STRIA_OK) return status;
    status = stria_tensor_copy_to(x, dtype, device, out, err);
    stria_tensor_release(x);
    return status;
}

static stria_status transposed(const job *j, stria_tensor **view, stria_error *err)
{
    return stria_transpose(j->in[0], 0, 1, view, err);
}

/* Plus the first row of the other operand. */
static stria_status run_row_added(job *j)
{
    stria_tensor *row;
    stria_status  status = stria_select(j->in[1], 0, 0, &row, &j->error);

    if (status != STRIA_OK) return status;
    const stria_tensor *in[] = {j->in[0], row};
    status = stria_apply_out(STRIA_OP_add, in, 2, j->out, &j->error);
    stria_tensor_release(row);
    return status;
}

static stria_status run_transposed(job *j)
{
    stria_tensor *view;
    stria_status  status = transposed(j, &view, &j->error);

    if (status != STRIA_OK) return status;
    const stria_tensor *in[] = {view, j->in[1]};
    status = j->row->kind == COPY_TRANSPOSED ? stria_tensor_set(j->out, view, &j->error)
                                             : stria_apply_out(STRIA_OP_add, in, 2, j->out, &j->error);
    stria_tensor_release(view);
    return status;
}

static stria_status run_graph(job *j)
{
    stria_tensor *result;
    stria_status  status = stria_graph_run(j->graph, j->in, 1, &result, &j->error);

    if (status == STRIA_OK) stria_tensor_release(result);
    return status;
}

static stria_status run(job *j)
{
    const stria_tensor *const in[] = {j->in[0], j->in[1]};
    const int                 last = 1, first = 0;
    stria_error              *err = &j->error;

    switch (j->row->kind) {
    case ADD:
    case ADD_MIXED:
    case SMALL: return stria_apply_out(STRIA_OP_add, in, 2, j->out, err);
    case EXP: return stria_apply_out(STRIA_OP_exp, in, 1, j->out, err);
    case SUM_ALL: return stria_reduce_out(STRIA_RED_sum, in[0], NULL, 0, false, STRIA_DTYPE_NONE, j->out, err);
    case SUM_ROWS: return stria_reduce_out(STRIA_RED_sum, in[0], &last, 1, false, STRIA_DTYPE_NONE, j->out, err);
    case SUM_COLUMNS: return stria_reduce_out(STRIA_RED_sum, in[0], &first, 1, false, STRIA_DTYPE_NONE, j->out, err);
    case SOFTMAX: return stria_softmax_out(in[0], 1, STRIA_DTYPE_NONE, j->out, err);
    case LAYER_NORM:
        return stria_layer_norm_out(in[0], NULL, NULL, &stria_tensor_get_shape(in[0])[1], 1, 1e-5, j->out, err);
    case ADD_ROW: return run_row_added(j);
    case MATMUL: return stria_matmul_out(in[0], in[1], j->out, err);
    case REPLAY: return run_graph(j);
    default: return run_transposed(j);
    }
}

static void run_timed(void *context)
{
    job *j = context;
    if (j->status == STRIA_OK) j->status = run(j);
}

/* x, cumulated again and again: calls that do not become one. */
static stria_status record(job *j)
{
    stria_recording *recording;
    stria_tensor    *x, *y;
    stria_status     status = stria_recording_begin(&recording, &j->error);

    if (status == STRIA_OK) status = stria_recording_add_input(recording, j->in[0], &x, &j->error);
    for (int k = 0; status == STRIA_OK && k < REPLAYED_OPS; k++) {
        status = stria_cumsum(x, 0, STRIA_DTYPE_NONE, &y, &j->error);
        stria_tensor_release(x);
        x = y;
    }
    if (status == STRIA_OK) status = stria_recording_end(recording, &x, 1, &j->graph, &j->error);
    stria_tensor_release(x);
    return status;
}

static stria_status job_new(job *j, const row *r, const int64_t *sizes, stria_device device, stria_generator *random)
{
    const int64_t left[] = {sizes[0], sizes[1], sizes[3]}, right[] = {sizes[0], sizes[3], sizes[2]};
    const bool    is_product = r->kind == MATMUL;
    const int     ndim = is_product ? 3 : sizes[1] > 0 ? 2 : 1;
    stria_status  status;

    *j = (job){.row = r};
    status = new_input(r->dtype, is_product ? left : sizes, ndim, device, random, &j->in[0], &j->error);
    if (status == STRIA_OK)
        status = new_input(r->kind == ADD_MIXED ? STRIA_F16 : r->dtype, is_product ? right : sizes, ndim, device,
                           random, &j->in[1], &j->error);
    /* the first run gives it its shape */
    if (status == STRIA_OK) status = stria_empty(NULL, 0, r->dtype, device, &j->out, &j->error);
    if (status == STRIA_OK && r->kind == COPY_TRANSPOSED) {
        stria_tensor_release(j->out);
        status = stria_tensor_copy_to(j->in[1], r->dtype, device, &j->out, &j->error);
    }
    if (status == STRIA_OK && r->kind == REPLAY) status = record(j);
    if (status == STRIA_OK) status = run(j);
    return status;
}

static void job_release(job *j)
{
    stria_tensor_release(j->in[0]);
    stria_tensor_release(j->in[1]);
    stria_tensor_release(j->out);
    stria_graph_release(j->graph);
}

/* Whether results agree as closely as sums in another order do; the row of a graph says nothing. */
static stria_status compare(const job *here, const job *there, bool *agree, stria_error *err)
{
    const double  tolerance = here->row->dtype == STRIA_F64 ? 1e-10 : here->row->dtype == STRIA_F32 ? 1e-4 : 2e-2;
    stria_tensor *x = NULL, *y = NULL, *answer = NULL;
    stria_status  status = stria_tensor_copy_to(here->out, STRIA_F64, STRIA_CPU, &x, err);

    if (status == STRIA_OK) status = stria_tensor_copy_to(there->out, STRIA_F64, STRIA_CPU, &y, err);
    if (status == STRIA_OK) status = stria_allclose(y, x, tolerance, tolerance, false, &answer, err);
    if (status == STRIA_OK) *agree = *(const bool *)stria_tensor_get_data(answer);
    stria_tensor_release(answer);
    stria_tensor_release(x);
    stria_tensor_release(y);
    return status;
}

/* ---------------------------------------------------------------- peers */

static struct {
    bench_cuda_job *(*begin)(const char *what, const int64_t *sizes, char why[200]);
    int (*run)(bench_cuda_job *job);
    int (*wait)(bench_cuda_job *job);
    void (*release)(bench_cuda_job *job);
} peer;

static void open_peer(const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        printf("{\"absentPeer\":\"%s does not load\"}\n", file);
        return;
    }
    *(void **)&peer.begin = dlsym(library, "bench_cuda_peer_new");
    *(void **)&peer.run = dlsym(library, "bench_cuda_peer_run");
    *(void **)&peer.wait = dlsym(library, "bench_cuda_peer_wait");
    *(void **)&peer.release = dlsym(library, "bench_cuda_peer_release");
}

static bench_cuda_job *peer_new(const row *r, const int64_t *sizes)
{
    const int64_t   half[] = {(int64_t)(traffic_of(r, sizes) / 2)};
    const bool      is_product = r->kind == MATMUL;
    char            why[200] = "";
    bench_cuda_job *job;

    if (!peer.begin || r->target == 0) return NULL;
    job = peer.begin(is_product ? stria_dtype_get_name(r->dtype) : "copy", is_product ? sizes : half, why);
    if (!job) printf("{\"absentPeer\":\"%s: %s\"}\n", r->name, why);
    return job;
}

static void run_peer(void *context) { (void)peer.run(context); }

/* ---------------------------------------------------------------- samples */

typedef struct side {
    timed_fn *run;
    void     *context;
    int64_t   calls;
    double    samples[MOST_SAMPLES];
} side;

static const stria_device gpu = {STRIA_DEVICE_CUDA, 0};

/* Nanoseconds of one call, the device's work included. */
static double sample(side *s, bool is_peer)
{
    stria_error   err;
    const int64_t start = now_ns();

    for (int64_t k = 0; k < s->calls; k++) s->run(s->context);
    if (is_peer)
        (void)peer.wait(s->context);
    else
        must(stria_device_synchronize(gpu, &err), &err);
    return (double)(now_ns() - start) / (double)s->calls;
}

static void measure(side *sides, int n_sides, int n_samples, double sample_ns)
{
    for (int k = 0; k < n_sides; k++)
        for (sides[k].calls = 1; sample(&sides[k], k == 1) * (double)sides[k].calls < sample_ns;) sides[k].calls *= 2;
    for (int i = 0; i < n_samples; i++) /* who begins changes */
        for (int k = 0; k < n_sides; k++)
            sides[(i + k) % n_sides].samples[i] = sample(&sides[(i + k) % n_sides], (i + k) % n_sides == 1);
}

static void print_samples(const char *name, const double *samples, int n, double by)
{
    printf("\"%s\":[", name);
    for (int i = 0; i < n; i++) printf("%s%.1f", i ? "," : "", samples[i] / by);
    printf("]");
}

static void print_row(const row *r, const char *words, bool is_last)
{
    printf("{\"row\":\"%s\",\"kind\":\"%s\",\"dtype\":\"%s\"", r->name, kind_names[r->kind],
           stria_dtype_get_name(r->dtype));
    if (r->target > 0) printf(",\"target\":%.4f", r->target);
    if (r->limit_ns > 0) printf(",\"limitNs\":%.0f", r->limit_ns);
    printf(",\"sizes\":[%lld,%lld,%lld,%lld]%s%s", (long long)r->sizes[0], (long long)r->sizes[1],
           (long long)r->sizes[2], (long long)r->sizes[3], words, is_last ? "}\n" : "");
}

static void run_row(const row *r, bool is_small, bool is_quick)
{
    const int64_t   *sizes = is_small ? r->small : r->sizes;
    const int        n = is_quick ? 9 : MOST_SAMPLES;
    stria_generator *random;
    job              jobs[2] = {{0}, {0}};
    side             sides[2];
    bool             agree = true;
    stria_error      err;
    stria_status     status = STRIA_OK;

    for (int k = 0; k < 2 && status == STRIA_OK; k++) {
        must(stria_generator_new(7, &random, &err), &err);
        status = job_new(&jobs[k], r, sizes, k == 0 ? STRIA_CPU : gpu, random);
        if (status != STRIA_OK) err = jobs[k].error;
        stria_generator_release(random);
    }
    if (status == STRIA_OK && r->kind != REPLAY) status = compare(&jobs[0], &jobs[1], &agree, &err);
    job_release(&jobs[0]);
    bench_cuda_job *other = status == STRIA_OK ? peer_new(r, sizes) : NULL;
    if (status == STRIA_OK) {
        sides[0] = (side){.run = run_timed, .context = &jobs[1]};
        sides[1] = (side){.run = run_peer, .context = other};
        measure(sides, other ? 2 : 1, n, is_quick ? 1e6 : 5e6);
        status = jobs[1].status;
        err = jobs[1].error;
    }
    print_row(r, "", false);
    if (status != STRIA_OK) printf(",\"failed\":{\"stria\":\"fails with code %d\"}", (int)status);
    if (!agree) printf(",\"wrong\":{\"stria\":\"differs from the CPU's\"}");
    printf(",\"samples\":{");
    if (status == STRIA_OK && agree) print_samples("stria", sides[0].samples, n, r->kind == REPLAY ? REPLAYED_OPS : 1);
    if (other && agree) {
        printf(",");
        print_samples(r->kind == MATMUL ? "cublaslt" : "copy", sides[1].samples, n, 1);
        peer.release(other);
    }
    printf("}}\n");
    if (status != STRIA_OK) fprintf(stderr, "%s: %s\n", r->name, err.message);
    job_release(&jobs[1]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    stria_device_info info;
    stria_error       err;
    const char       *peer_file = NULL;
    bool              is_quick = false, is_list = false, is_some = false;

    for (int k = 1; k < argc; k++) {
        is_quick |= strcmp(argv[k], "--quick") == 0;
        is_list |= strcmp(argv[k], "--list") == 0;
        is_some |= argv[k][0] != '-';
        if (strncmp(argv[k], "--peer=", 7) == 0) peer_file = argv[k] + 7;
    }
    if (is_list) {
        for (int i = 0; i < N_ROWS; i++) print_row(&rows[i], "", true);
        return 0;
    }
    if (stria_device_get_info(gpu, &info, &err) != STRIA_OK) {
        printf("{\"absent\":\"%s\"}\n", err.message);
        return 0;
    }
    const bool is_host = strncmp(info.name, "host runtime", 12) == 0;
    printf("{\"machine\":{\"device\":\"%s\",\"capability\":\"%d.%d\",\"memoryBytes\":%llu,\"isHost\":%s}}\n", info.name,
           info.capability[0], info.capability[1], (unsigned long long)info.memory_total_bytes,
           is_host ? "true" : "false");
    if (peer_file && !is_host) open_peer(peer_file);
    for (int i = 0; i < N_ROWS; i++) {
        bool is_wanted = !is_some;
        for (int k = 1; k < argc; k++) is_wanted |= strcmp(argv[k], rows[i].name) == 0;
        if (is_wanted) run_row(&rows[i], is_host, is_quick);
    }
    return 0;
}
