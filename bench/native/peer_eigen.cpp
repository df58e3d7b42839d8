// peer_eigen.cpp - Eigen 3. Arrays are mapped, expressions are the ones its documentation recommends.
#include <Eigen/Core>

#include "peer.hpp"

using namespace bench;
using Flat = Eigen::Map<Eigen::ArrayXf, Eigen::Aligned64>;
using FlatI = Eigen::Map<Eigen::ArrayXi>;
using FlatB = Eigen::Map<Eigen::Array<bool, Eigen::Dynamic, 1>>;
using Strided = Eigen::Map<Eigen::ArrayXf, 0, Eigen::InnerStride<>>;
using RowMajor = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Grid = Eigen::Map<RowMajor>;
using GridT = Eigen::Map<Eigen::ArrayXXf>;
using Matrix = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

static Flat    flat(const bench_array &a) { return Flat(data<float>(a), numel(a)); }
static FlatI   flat_i(const bench_array &a) { return FlatI(data<int>(a), numel(a)); }
static FlatB   flat_b(const bench_array &a) { return FlatB(data<bool>(a), numel(a)); }
static Strided strided(const bench_array &a)
{
    return Strided(data<float>(a), a.shape[0], Eigen::InnerStride<>(a.strides[0]));
}
static Grid grid(const bench_array &a)
{
    const int64_t columns = a.shape[a.ndim - 1];
    return Grid(data<float>(a), numel(a) / columns, columns);
}
static GridT  transposed(const bench_array &a) { return GridT(data<float>(a), a.shape[0], a.shape[1]); }
static Matrix matrix(const bench_array &a, int64_t k = 0)
{
    const int64_t rows = a.shape[a.ndim - 2], columns = a.shape[a.ndim - 1];
    return Matrix(data<float>(a) + k * rows * columns, rows, columns);
}

#define UNARY(name, expression)                                                              \
    {                                                                                        \
        name, [](In in, int, const bench_array &out) {                                       \
            return Work{[x = flat(in[0]), o = flat(out)]() mutable { o = expression; }, {}}; \
        }                                                                                    \
    }
#define BINARY(name, view, expression)                                                                        \
    {                                                                                                         \
        name, [](In in, int, const bench_array &out) {                                                        \
            return Work{[a = view(in[0]), b = view(in[1]), o = flat(out)]() mutable { o = expression; }, {}}; \
        }                                                                                                     \
    }
#define TO_ONE(name, expression)                                                           \
    {                                                                                      \
        name, [](In in, int, const bench_array &out) {                                     \
            return Work{[x = flat(in[0]), o = data<float>(out)] { *o = expression; }, {}}; \
        }                                                                                  \
    }

static const Kernel kernels[] = {
    BINARY("add", flat, a + b),
    BINARY("mul", flat, a *b),
    BINARY("div", flat, a / b),
    BINARY("add_strided", strided, a + b),
    UNARY("relu", x.max(0.0f)),
    UNARY("sqrt", x.sqrt()),
    UNARY("exp", x.exp()),
    UNARY("tanh", x.tanh()),
    TO_ONE("sum", x.sum()),
    TO_ONE("amax", x.maxCoeff()),
    TO_ONE("var", (x - x.mean()).square().sum() / float(x.size() - 1)),
    {"argmax",
     [](In in, int, const bench_array &out) {
         return Work{[x = flat(in[0]), o = data<int64_t>(out)] {
                         Eigen::Index at;
                         x.maxCoeff(&at);
                         *o = at;
                     },
                     {}};
     }},
    {"add_new",
     [](In in, int, const bench_array &) {
         auto last = std::make_shared<Eigen::ArrayXf>();
         return Work{[a = flat(in[0]), b = flat(in[1]), last] {
                         *last = Eigen::ArrayXf();
                         *last = a + b;
                     },
                     [last]() -> const void * { return last->data(); }};
     }},
    {"add_row",
     [](In in, int, const bench_array &out) {
         return Work{[a = grid(in[0]), b = grid(in[1]), o = grid(out)]() mutable { o = a.rowwise() + b.row(0); }, {}};
     }},
    {"mul_row",
     [](In in, int, const bench_array &out) {
         return Work{[a = grid(in[0]), b = grid(in[1]), o = grid(out)]() mutable { o = a.rowwise() * b.row(0); }, {}};
     }},
    {"add_transposed",
     [](In in, int, const bench_array &out) {
         return Work{[a = grid(in[0]), b = transposed(in[1]), o = grid(out)]() mutable { o = a + b; }, {}};
     }},
    {"transpose",
     [](In in, int, const bench_array &out) {
         return Work{[x = transposed(in[0]), o = grid(out)]() mutable { o = x; }, {}};
     }},
    {"add_mixed",
     [](In in, int, const bench_array &out) {
         return Work{[a = flat_i(in[0]), b = flat(in[1]), o = flat(out)]() mutable { o = a.cast<float>() + b; }, {}};
     }},
    {"less",
     [](In in, int, const bench_array &out) {
         return Work{[a = flat(in[0]), b = flat(in[1]), o = flat_b(out)]() mutable { o = a < b; }, {}};
     }},
    {"where",
     [](In in, int, const bench_array &out) {
         return Work{
             [m = flat_b(in[0]), a = flat(in[1]), b = flat(in[2]), o = flat(out)]() mutable { o = m.select(a, b); },
             {}};
     }},
    {"relu_mul_add",
     [](In in, int, const bench_array &out) {
         return Work{[a = flat(in[0]), b = flat(in[1]), c = flat(in[2]), o = flat(out)]() mutable {
                         o = (a * b + c).max(0.0f);
                     },
                     {}};
     }},
    {"chain",
     [](In in, int, const bench_array &out) {
         return Work{[a = flat(in[0]), b = flat(in[1]), c = flat(in[2]), o = flat(out)]() mutable {
                         o = (a + b) * (a - b) / (c + 1.0f);
                     },
                     {}};
     }},
    {"sum_first",
     [](In in, int, const bench_array &out) {
         return Work{[x = grid(in[0]), o = grid(out)]() mutable { o.row(0) = x.colwise().sum(); }, {}};
     }},
    {"sum_last",
     [](In in, int, const bench_array &out) {
         return Work{[x = grid(in[0]), o = flat(out)]() mutable { o = x.rowwise().sum(); }, {}};
     }},
    {"softmax",
     [](In in, int, const bench_array &out) {
         return Work{[x = grid(in[0]), o = grid(out)]() mutable {
                         for (Eigen::Index i = 0; i < x.rows(); i++) {
                             o.row(i) = (x.row(i) - x.row(i).maxCoeff()).exp();
                             o.row(i) *= 1.0f / o.row(i).sum();
                         }
                     },
                     {}};
     }},
    {"matmul",
     [](In in, int, const bench_array &out) {
         return Work{[a = matrix(in[0]), b = matrix(in[1]), o = matrix(out)]() mutable { o.noalias() = a * b; }, {}};
     }},
    {"bmm",
     [](In in, int, const bench_array &out) {
         return Work{[a = in[0], b = in[1], out] {
                         for (int64_t k = 0; k < out.shape[0]; k++)
                             matrix(out, k).noalias() = matrix(a, k) * matrix(b, k);
                     },
                     {}};
     }},
};

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
extern "C" {
const char *bench_peer_get_version(void)
{
    return TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION);
}
void bench_peer_set_threads(int n) { Eigen::setNbThreads(n); }
int  bench_peer_new_job(const char *kernel, const bench_array *in, int n_in, const bench_array *out, bench_job *job)
{
    return new_job(kernels, kernel, in, n_in, out, job);
}
}
