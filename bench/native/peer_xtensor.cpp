// peer_xtensor.cpp - xtensor, with xsimd where that is installed; results are assigned without aliasing checks.
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xtensor_config.hpp>
#include <xtensor/xview.hpp>

#include "peer.hpp"

using namespace bench;

template <size_t N, typename T = float>
static auto view(const bench_array &a)
{
    std::array<size_t, N> shape;
    for (size_t k = 0; k < N; k++) shape[k] = size_t(a.shape[k]);
    return xt::adapt(data<T>(a), size_t(numel(a)), xt::no_ownership(), shape);
}

template <size_t N, typename F>
static Work unary(In in, const bench_array &out, F f)
{
    return Work{[x = view<N>(in[0]), o = view<N>(out), f]() mutable { xt::noalias(o) = f(x); }, {}};
}
template <size_t N, size_t M, typename F>
static Work binary(In in, const bench_array &out, F f)
{
    return Work{[a = view<N>(in[0]), b = view<M>(in[1]), o = view<N>(out), f]() mutable { xt::noalias(o) = f(a, b); },
                {}};
}
template <size_t N, size_t M, typename F>
static Work reduction(In in, const bench_array &out, F f)
{
    return Work{[x = view<N>(in[0]), o = view<M>(out), f]() mutable { xt::noalias(o) = f(x); }, {}};
}

static const auto sum_axis = [](const auto &x, size_t axis) {
    return xt::sum(x, {axis}, xt::evaluation_strategy::immediate);
};

static const Kernel kernels[] = {
    {"add",
     [](In in, int, const bench_array &out) { return binary<1, 1>(in, out, [](auto &a, auto &b) { return a + b; }); }},
    {"mul",
     [](In in, int, const bench_array &out) { return binary<1, 1>(in, out, [](auto &a, auto &b) { return a * b; }); }},
    {"div",
     [](In in, int, const bench_array &out) { return binary<1, 1>(in, out, [](auto &a, auto &b) { return a / b; }); }},
    {"sqrt", [](In in, int, const bench_array &out) { return unary<1>(in, out, [](auto &x) { return xt::sqrt(x); }); }},
    {"exp", [](In in, int, const bench_array &out) { return unary<1>(in, out, [](auto &x) { return xt::exp(x); }); }},
    {"tanh", [](In in, int, const bench_array &out) { return unary<1>(in, out, [](auto &x) { return xt::tanh(x); }); }},
    {"add_row",
     [](In in, int, const bench_array &out) { return binary<2, 1>(in, out, [](auto &a, auto &b) { return a + b; }); }},
    {"add_transposed",
     [](In in, int, const bench_array &out) {
         return Work{[a = view<2>(in[0]), b = view<2>(in[1]), o = view<2>(out)]() mutable {
                         xt::noalias(o) = a + xt::transpose(b);
                     },
                     {}};
     }},
    {"less",
     [](In in, int, const bench_array &out) {
         return Work{
             [a = view<1>(in[0]), b = view<1>(in[1]), o = view<1, bool>(out)]() mutable { xt::noalias(o) = a < b; },
             {}};
     }},
    {"sum",
     [](In in, int, const bench_array &out) {
         return Work{
             [x = view<1>(in[0]), o = data<float>(out)] { *o = xt::sum(x, xt::evaluation_strategy::immediate)(); }, {}};
     }},
    {"amax",
     [](In in, int, const bench_array &out) {
         return Work{
             [x = view<1>(in[0]), o = data<float>(out)] { *o = xt::amax(x, xt::evaluation_strategy::immediate)(); },
             {}};
     }},
    {"sum_first",
     [](In in, int, const bench_array &out) {
         return reduction<2, 1>(in, out, [](auto &x) { return sum_axis(x, 0); });
     }},
    {"sum_last",
     [](In in, int, const bench_array &out) {
         return reduction<2, 1>(in, out, [](auto &x) { return sum_axis(x, 1); });
     }},
    {"sum_middle",
     [](In in, int, const bench_array &out) {
         return reduction<3, 2>(in, out, [](auto &x) { return sum_axis(x, 1); });
     }},
    {"relu_mul_add",
     [](In in, int, const bench_array &out) {
         return Work{[a = view<1>(in[0]), b = view<1>(in[1]), c = view<1>(in[2]), o = view<1>(out)]() mutable {
                         xt::noalias(o) = xt::maximum(a * b + c, 0.0f);
                     },
                     {}};
     }},
    {"chain",
     [](In in, int, const bench_array &out) {
         return Work{[a = view<1>(in[0]), b = view<1>(in[1]), c = view<1>(in[2]), o = view<1>(out)]() mutable {
                         xt::noalias(o) = (a + b) * (a - b) / (c + 1.0f);
                     },
                     {}};
     }},
};

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
extern "C" {
const char *bench_peer_get_version(void)
{
    return TEXT(XTENSOR_VERSION_MAJOR) "." TEXT(XTENSOR_VERSION_MINOR) "." TEXT(XTENSOR_VERSION_PATCH)
#ifdef XTENSOR_USE_XSIMD
        " with xsimd"
#endif
        ;
}
void bench_peer_set_threads(int) {}
int  bench_peer_new_job(const char *kernel, const bench_array *in, int n_in, const bench_array *out, bench_job *job)
{
    return new_job(kernels, kernel, in, n_in, out, job);
}
}
