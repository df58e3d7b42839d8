// peer_torch.cpp - PyTorch from C++: what a call costs without Python, and what building its iterator costs.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <torch/csrc/api/include/torch/version.h>

#include "peer.hpp"

using namespace bench;

static at::Tensor tensor(const bench_array &a)
{
    return at::from_blob(a.data, at::IntArrayRef(a.shape, a.ndim), at::IntArrayRef(a.strides, a.ndim), at::kFloat);
}

static const Kernel kernels[] = {
    {"add",
     [](In in, int, const bench_array &out) {
         return Work{[a = tensor(in[0]), b = tensor(in[1]), o = tensor(out)]() mutable {
                         c10::InferenceMode mode;
                         at::add_out(o, a, b);
                     },
                     {}};
     }},
    {"add_new",
     [](In in, int, const bench_array &) {
         auto last = std::make_shared<at::Tensor>();
         return Work{[a = tensor(in[0]), b = tensor(in[1]), last] {
                         c10::InferenceMode mode;
                         *last = at::Tensor();
                         *last = at::add(a, b);
                     },
                     [last]() -> const void * { return last->data_ptr(); }};
     }},
    {"iter_build",
     [](In in, int, const bench_array &out) {
         return Work{[a = tensor(in[0]), b = tensor(in[1]), o = tensor(out)] {
                         auto it = at::TensorIterator::borrowing_binary_op(o, a, b);
                         asm volatile("" : : "r"(&it) : "memory");
                     },
                     {}};
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
