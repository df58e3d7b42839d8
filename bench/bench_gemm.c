/* bench_gemm.c - matrix products beside OpenBLAS, where that was found: one case a line of JSON, medians of interleaved
 * samples in microseconds.
 *
 *     bench_gemm [--quick] [word ..]      with words, only the cases that contain one of them
 *
 * STRIA_NUM_THREADS, OPENBLAS_NUM_THREADS and STRIA_FORCE_ISA choose threads and instruction set. */
#include <string.h>

#include "timing.h"
#if defined(BENCH_OPENBLAS)
#include <cblas.h>
#endif

enum { MAX_SAMPLES = 61 };
static int     n_samples = 21;
static int64_t sample_ns = 5000000; /* at least this long each */
static int     n_words;
static char  **words;

/* [batch, m, k] by [batch, k, n], row-major; `turned` has b as the transposed view of [batch, n, k]. */
typedef struct product {
    int64_t       batch, m, n, k;
    bool          turned;
    stria_dtype   dtype;
    stria_tensor *a, *b, *out;
} product;

static stria_tensor *new_input(stria_dtype dtype, int ndim, const int64_t *shape)
{
    static uint32_t seed = 1;
    stria_error     err;
    stria_tensor   *x = NULL, *y = NULL;
    must(stria_tensor_new(STRIA_F32, ndim, shape, &x, &err), &err);
    float *data = stria_tensor_get_data(x);
    for (int64_t k = 0; k < stria_tensor_get_numel(x); k++) {
        seed = seed * 1664525u + 1013904223u;
        data[k] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
    }
    must(stria_tensor_copy(x, dtype, &y, &err), &err);
    stria_tensor_release(x);
    return y;
}

static void product_init(product *p)
{
    const int64_t a[] = {p->batch, p->m, p->k}, b[] = {p->batch, p->turned ? p->n : p->k, p->turned ? p->k : p->n};
    const int64_t c[] = {p->batch, p->m, p->n};
    stria_error   err;
    p->a = new_input(p->dtype, 3, a);
    p->b = new_input(p->dtype, 3, b);
    p->out = new_input(p->dtype, 3, c);
    if (p->turned) {
        stria_tensor *view = NULL;
        must(stria_transpose(p->b, 1, 2, &view, &err), &err);
        stria_tensor_release(p->b);
        p->b = view;
    }
}

static void run_stria(void *context)
{
    const product *p = context;
    stria_error    err;
    must(stria_matmul_out(p->a, p->b, p->out, &err), &err);
}

#if defined(BENCH_OPENBLAS)
static void run_peer(void *context)
{
    const product        *p = context;
    const CBLAS_TRANSPOSE turned = p->turned ? CblasTrans : CblasNoTrans;
    const int             m = (int)p->m, n = (int)p->n, k = (int)p->k, b_row = p->turned ? k : n;
    for (int64_t i = 0; i < p->batch; i++) {
        if (p->dtype == STRIA_F32) {
            const float *a = (const float *)stria_tensor_get_const_data(p->a) + i * p->m * p->k;
            const float *b = (const float *)stria_tensor_get_const_data(p->b) + i * p->n * p->k;
            float       *c = (float *)stria_tensor_get_data(p->out) + i * p->m * p->n;
            if (n == 1)
                cblas_sgemv(CblasRowMajor, CblasNoTrans, m, k, 1, a, k, b, 1, 0, c, 1);
            else if (m == 1)
                cblas_sgemv(CblasRowMajor, p->turned ? CblasNoTrans : CblasTrans, p->turned ? n : k, p->turned ? k : n,
                            1, b, b_row, a, 1, 0, c, 1);
            else
                cblas_sgemm(CblasRowMajor, CblasNoTrans, turned, m, n, k, 1, a, k, b, b_row, 0, c, n);
        } else {
            const double *a = (const double *)stria_tensor_get_const_data(p->a) + i * p->m * p->k;
            const double *b = (const double *)stria_tensor_get_const_data(p->b) + i * p->n * p->k;
            double       *c = (double *)stria_tensor_get_data(p->out) + i * p->m * p->n;
            cblas_dgemm(CblasRowMajor, CblasNoTrans, turned, m, n, k, 1, a, k, b, b_row, 0, c, n);
        }
    }
}
static bool has_peer(const product *p) { return p->dtype == STRIA_F32 || p->dtype == STRIA_F64; }
#else
static void run_peer(void *context) { (void)context; }
static bool has_peer(const product *p) { return (void)p, false; }
#endif

static bool is_wanted(const char *name)
{
    for (int k = 0; k < n_words; k++)
        if (strstr(name, words[k])) return true;
    return n_words == 0;
}

static void measure(product p)
{
    double own[MAX_SAMPLES], peer[MAX_SAMPLES];
    char   name[96], beside[96] = "";

    snprintf(name, sizeof name, "%s %lldx %lld,%lld,%lld%s", stria_dtype_get_name(p.dtype), (long long)p.batch,
             (long long)p.m, (long long)p.n, (long long)p.k, p.turned ? " b.T" : "");
    if (!is_wanted(name)) return;
    product_init(&p);
    const int64_t calls = count_calls(run_stria, &p, sample_ns);
    if (has_peer(&p)) run_peer(&p);
    for (int s = 0; s < n_samples; s++) {
        own[s] = time_calls(run_stria, &p, calls);
        peer[s] = has_peer(&p) ? time_calls(run_peer, &p, calls) : 0;
    }
    sort_samples(own, n_samples);
    sort_samples(peer, n_samples);
    const double us = own[n_samples / 2] / 1e3, peer_us = peer[n_samples / 2] / 1e3;
    const double flop = 2.0 * (double)p.batch * (double)p.m * (double)p.n * (double)p.k;
    if (has_peer(&p))
        snprintf(beside, sizeof beside, ", \"openblas_us\": %.2f, \"ratio\": %.3f, \"ratio_of_best\": %.3f", peer_us,
                 us / peer_us, own[0] / peer[0]);
    printf(
        "{\"case\": \"%s\", \"isa\": \"%s\", \"threads\": %d, \"stria_us\": %.2f, \"p25_us\": %.2f, \"p75_us\": %.2f, "
        "\"gflops\": %.1f%s}\n",
        name, stria_isa_get_name(), stria_threads_get(), us, own[n_samples / 4] / 1e3, own[n_samples * 3 / 4] / 1e3,
        flop / us / 1e3, beside);
    fflush(stdout);
    stria_tensor_release(p.a);
    stria_tensor_release(p.b);
    stria_tensor_release(p.out);
}

int main(int argc, char **argv)
{
    static const int64_t squares[] = {8, 16, 32, 64, 100, 128, 200, 256, 384, 512, 1000, 1024, 2048};
    stria_error          err;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) n_samples = 7, sample_ns = 1000000, argc--, argv++;
    words = argv + 1;
    n_words = argc - 1;
    must(stria_isa_get_status(&err), &err);

    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++) {
        const int64_t n = squares[k];
        measure((product){.batch = 1, .m = n, .n = n, .k = n, .dtype = STRIA_F32});
        if (n >= 64 && n <= 1024)
            measure((product){.batch = 1, .m = n, .n = n, .k = n, .turned = true, .dtype = STRIA_F32});
        if (n >= 64 && n <= 1024) measure((product){.batch = 1, .m = n, .n = n, .k = n, .dtype = STRIA_F64});
    }
    measure((product){.batch = 64, .m = 64, .n = 64, .k = 64, .dtype = STRIA_F32});
    measure((product){.batch = 1000, .m = 8, .n = 8, .k = 8, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 1000, .n = 1, .k = 1000, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 1, .n = 1000, .k = 1000, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 1, .n = 4096, .k = 4096, .turned = true, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 4, .n = 1024, .k = 1024, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 4, .n = 1024, .k = 1024, .turned = true, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 1024, .n = 4, .k = 1024, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 32, .n = 1024, .k = 1024, .turned = true, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 1000, .n = 1000, .k = 10, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 10, .n = 10, .k = 100000, .dtype = STRIA_F32});
    measure((product){.batch = 1, .m = 512, .n = 512, .k = 512, .dtype = STRIA_F16});
    measure((product){.batch = 1, .m = 512, .n = 512, .k = 512, .turned = true, .dtype = STRIA_F16});
    measure((product){.batch = 1, .m = 512, .n = 512, .k = 512, .dtype = STRIA_I8});
    measure((product){.batch = 1, .m = 512, .n = 512, .k = 512, .dtype = STRIA_I32});
    measure((product){.batch = 1, .m = 256, .n = 256, .k = 256, .dtype = STRIA_I64});
    return 0;
}
