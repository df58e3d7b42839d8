// peer_onednn.cpp - oneDNN: primitives are made once per job, so that only their execution is timed.
#include <oneapi/dnnl/dnnl.hpp>
#include <omp.h>

#include <unordered_map>

#include "peer.hpp"

using namespace bench;
using namespace dnnl;

static engine &cpu()
{
    static engine e(engine::kind::cpu, 0);
    return e;
}

/* Axes of `a` behind leading axes of size 1, so that it broadcasts to ndim dims. */
static memory::desc describe(const bench_array &a, int ndim)
{
    memory::dims  shape(ndim, 1), strides(ndim, 1);
    const int     shift = ndim - a.ndim;
    const int64_t size = numel(a);
    for (int k = 0; k < shift; k++) strides[k] = size;
    for (int k = 0; k < a.ndim; k++) {
        shape[shift + k] = a.shape[k];
        strides[shift + k] = a.strides[k];
    }
    return memory::desc(shape, memory::data_type::f32, strides);
}

static memory bind(const bench_array &a, const memory::desc &d) { return memory(d, cpu(), a.data); }

static Work work(primitive p, std::unordered_map<int, memory> arguments)
{
    return Work{[p, arguments, s = stream(cpu())]() mutable {
                    p.execute(s, arguments);
                    s.wait();
                },
                {}};
}

template <algorithm A>
static Work eltwise(In in, int, const bench_array &out)
{
    const auto            d = describe(in[0], in[0].ndim);
    eltwise_forward::desc e(prop_kind::forward_inference, A, d, 0.0f, 0.0f);
    eltwise_forward       p({e, cpu()});
    return work(p, {{DNNL_ARG_SRC, bind(in[0], d)}, {DNNL_ARG_DST, bind(out, d)}});
}

template <algorithm A>
static Work elementwise_binary(In in, int, const bench_array &out)
{
    const auto   a = describe(in[0], out.ndim), b = describe(in[1], out.ndim), o = describe(out, out.ndim);
    dnnl::binary p({{A, a, b, o}, cpu()});
    return work(p, {{DNNL_ARG_SRC_0, bind(in[0], a)}, {DNNL_ARG_SRC_1, bind(in[1], b)}, {DNNL_ARG_DST, bind(out, o)}});
}

/* Sum along one axis; a negative one counts from the end. */
template <int AXIS>
static Work sum_axis(In in, int, const bench_array &out)
{
    const int    ndim = in[0].ndim;
    const auto   x = describe(in[0], ndim);
    memory::dims shape(in[0].shape, in[0].shape + ndim), strides(ndim, 1);
    shape[AXIS < 0 ? ndim + AXIS : AXIS] = 1;
    for (int k = ndim - 2; k >= 0; k--) strides[k] = strides[k + 1] * shape[k + 1];
    const memory::desc o(shape, memory::data_type::f32, strides);
    reduction          p({{algorithm::reduction_sum, x, o, 0.0f, 0.0f}, cpu()});
    return work(p, {{DNNL_ARG_SRC, bind(in[0], x)}, {DNNL_ARG_DST, bind(out, o)}});
}

static Work copy(In in, int, const bench_array &out)
{
    const auto x = describe(in[0], in[0].ndim), o = describe(out, out.ndim);
    auto       from = bind(in[0], x), to = bind(out, o);
    return work(reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

static Work softmax(In in, int, const bench_array &out)
{
    const auto            d = describe(in[0], in[0].ndim);
    softmax_forward::desc e(prop_kind::forward_inference, d, in[0].ndim - 1);
    softmax_forward       p({e, cpu()});
    return work(p, {{DNNL_ARG_SRC, bind(in[0], d)}, {DNNL_ARG_DST, bind(out, d)}});
}

static Work product(In in, int, const bench_array &out)
{
    const auto   a = describe(in[0], in[0].ndim), b = describe(in[1], in[1].ndim), o = describe(out, out.ndim);
    dnnl::matmul p({{a, b, o}, cpu()});
    return work(p, {{DNNL_ARG_SRC, bind(in[0], a)}, {DNNL_ARG_WEIGHTS, bind(in[1], b)}, {DNNL_ARG_DST, bind(out, o)}});
}

static const Kernel kernels[] = {
    {"add", elementwise_binary<algorithm::binary_add>},
    {"mul", elementwise_binary<algorithm::binary_mul>},
    {"div", elementwise_binary<algorithm::binary_div>},
    {"add_row", elementwise_binary<algorithm::binary_add>},
    {"mul_row", elementwise_binary<algorithm::binary_mul>},
    {"relu", eltwise<algorithm::eltwise_relu>},
    {"sqrt", eltwise<algorithm::eltwise_sqrt>},
    {"exp", eltwise<algorithm::eltwise_exp>},
    {"tanh", eltwise<algorithm::eltwise_tanh>},
    {"sum_first", sum_axis<0>},
    {"sum_last", sum_axis<-1>},
    {"sum_middle", sum_axis<1>},
    {"transpose", copy},
    {"softmax", softmax},
    {"matmul", product},
    {"bmm", product},
};

extern "C" {
const char *bench_peer_get_version(void)
{
    static std::string    text;
    const dnnl_version_t *v = dnnl_version();
    text = std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
    return text.c_str();
}
void bench_peer_set_threads(int n) { omp_set_num_threads(n); }
int  bench_peer_new_job(const char *kernel, const bench_array *in, int n_in, const bench_array *out, bench_job *job)
{
    return new_job(kernels, kernel, in, n_in, out, job);
}
}
