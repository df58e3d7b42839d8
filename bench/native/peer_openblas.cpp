// peer_openblas.cpp - OpenBLAS: matrix products and its transposing copy. OPENBLAS_CORETYPE is set by run.py.
#include <cblas.h>

#include "peer.hpp"

using namespace bench;

static const Kernel kernels[] = {
    {"matmul",
     [](In in, int, const bench_array &out) {
         return Work{[a = in[0], b = in[1], out] {
                         const blasint m = a.shape[0], k = a.shape[1], n = b.shape[1];
                         cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, data<float>(a), k,
                                     data<float>(b), n, 0.0f, data<float>(out), n);
                     },
                     {}};
     }},
    {"bmm",
     [](In in, int, const bench_array &out) {
         return Work{[a = in[0], b = in[1], out] {
                         const blasint m = a.shape[1], k = a.shape[2], n = b.shape[2];
                         for (int64_t i = 0; i < out.shape[0]; i++)
                             cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f,
                                         data<float>(a) + i * m * k, k, data<float>(b) + i * k * n, n, 0.0f,
                                         data<float>(out) + i * m * n, n);
                     },
                     {}};
     }},
    {"transpose",
     [](In in, int, const bench_array &out) { // in[0] is the transposed view of a row-major matrix
         return Work{[x = in[0], out] {
                         cblas_somatcopy(CblasRowMajor, CblasTrans, x.shape[1], x.shape[0], 1.0f, data<float>(x),
                                         x.shape[0], data<float>(out), x.shape[1]);
                     },
                     {}};
     }},
};

extern "C" {
const char *bench_peer_get_version(void) { return openblas_get_config(); }
void        bench_peer_set_threads(int n) { openblas_set_num_threads(n); }
int bench_peer_new_job(const char *kernel, const bench_array *in, int n_in, const bench_array *out, bench_job *job)
{
    return new_job(kernels, kernel, in, n_in, out, job);
}
}
