// peer_torch_training.cpp - the training rows with PyTorch, called from C++: what stria_training.c does, by the same names.
#include <torch/torch.h>

#include "peer.hpp"

using namespace bench;
using torch::Tensor;

static Tensor tensor(const bench_array &a)
{
    return torch::from_blob(a.data, at::IntArrayRef(a.shape, a.ndim), a.dtype == 'l' ? torch::kInt64 : torch::kFloat32);
}

static Tensor leaf(const bench_array &a) { return tensor(a).clone().requires_grad_(); }

/* What runs, and its result. */
template <typename F>
static Work work(F step)
{
    auto result = std::make_shared<Tensor>();
    return Work{[=]() mutable { *result = step(); }, [=]() -> const void * { return result->data_ptr(); }};
}

/* The gradient of the first leaf, which none of them keeps. */
static Tensor take(const std::vector<Tensor> &leaves)
{
    Tensor first = leaves[0].grad();
    for (Tensor x : leaves) x.mutable_grad() = Tensor();
    return first;
}

/* Two layers that learn. */
template <typename Optimizer, typename Options>
static Work learner(In in, Options options)
{
    std::vector<Tensor> p;
    for (int k = 2; k < 6; k++) p.push_back(leaf(in[k]));
    auto optimizer = std::make_shared<Optimizer>(p, options);
    return work([=, x = tensor(in[0]), y = tensor(in[1])] {
        Tensor h = torch::linear(x, p[0], p[1]).relu();
        torch::nn::functional::cross_entropy(torch::linear(h, p[2], p[3]), y).backward();
        optimizer->step();
        take(p);
        return p[0];
    });
}

static const Kernel kernels[] = {
    {"matmul_gradients",
     [](In in, int, const bench_array &) {
         return work([a = leaf(in[0]), b = leaf(in[1])] {
             torch::mm(a, b).sum().backward();
             return take({a, b});
         });
     }},
    {"linear_gradients",
     [](In in, int, const bench_array &) {
         return work([x = tensor(in[0]), y = tensor(in[1]), w = leaf(in[2]), b = leaf(in[3])] {
             torch::mse_loss(torch::linear(x, w, b), y).backward();
             return take({w, b});
         });
     }},
    {"softmax_gradient",
     [](In in, int, const bench_array &) {
         return work([g = tensor(in[0]), x = leaf(in[1])] {
             torch::softmax(x, 1).backward(g);
             return take({x});
         });
     }},
    {"normalize_gradient",
     [](In in, int, const bench_array &) {
         return work([g = tensor(in[0]), x = leaf(in[1])] {
             torch::nn::functional::normalize(x).backward(g);
             return take({x});
         });
     }},
    {"layer_norm_gradients",
     [](In in, int, const bench_array &) {
         return work([g = tensor(in[0]), x = leaf(in[1]), w = leaf(in[2]), b = leaf(in[3])] {
             torch::layer_norm(x, w.sizes(), w, b).backward(g);
             return take({x, w, b});
         });
     }},
    {"mse_gradient",
     [](In in, int, const bench_array &) {
         return work([y = tensor(in[0]), x = leaf(in[1])] {
             torch::mse_loss(x, y).backward();
             return take({x});
         });
     }},
    {"chain",
     [](In in, int, const bench_array &) {
         return work([a = tensor(in[0]), x = leaf(in[1])] {
             Tensor y = x;
             for (int k = 0; k < 1000; k++) y = y + a;
             y.sum().backward();
             return take({x});
         });
     }},
    {"recorded",
     [](In in, int, const bench_array &) { return work([a = tensor(in[0]), x = leaf(in[1])] { return x + a; }); }},
    {"regression",
     [](In in, int, const bench_array &) {
         std::vector<Tensor> p = {leaf(in[2]), leaf(in[3])};
         auto                optimizer = std::make_shared<torch::optim::SGD>(p, torch::optim::SGDOptions(1e-2));
         return work([=, x = tensor(in[0]), y = tensor(in[1])] {
             torch::mse_loss(x * p[0] + p[1], y).backward();
             optimizer->step();
             take(p);
             return p[0];
         });
     }},
    {"mlp_sgd",
     [](In in, int, const bench_array &) { return learner<torch::optim::SGD>(in, torch::optim::SGDOptions(1e-2)); }},
    {"mlp_adam",
     [](In in, int, const bench_array &) { return learner<torch::optim::Adam>(in, torch::optim::AdamOptions(1e-3)); }},
    {"adam",
     [](In in, int, const bench_array &) {
         std::vector<Tensor> p;
         for (int k = 0; k < 100; k++) {
             p.push_back(leaf(in[0]));
             p.back().mutable_grad() = tensor(in[1]).clone();
         }
         auto optimizer = std::make_shared<torch::optim::Adam>(p, torch::optim::AdamOptions(1e-3));
         return work([=] {
             optimizer->step();
             return p[0];
         });
     }},
    {"layer",
     [](In in, int, const bench_array &) {
         return work([x = tensor(in[0]), w = tensor(in[1]), b = tensor(in[2])] {
             torch::InferenceMode guard;
             return torch::relu(torch::addmm(b, x, w));
         });
     }},
};

extern "C" {
const char *bench_peer_get_version(void) { return TORCH_VERSION; }
void        bench_peer_set_threads(int n) { at::set_num_threads(n); }
int bench_peer_new_job(const char *kernel, const bench_array *in, int n_in, const bench_array *out, bench_job *job)
{
    return new_job(kernels, kernel, in, n_in, out, job);
}
}
