/* cuda_plan.c - see cuda_plan.h. */
#include "cuda_plan.h"

#include <stddef.h>

enum { MOST_CTAS = 65535 }; /* of a grid, in y */

stria_cuda_divider stria_cuda_divider_new(uint32_t divisor)
{
    stria_cuda_divider d = {divisor, 0, 0};
    while (((uint64_t)1 << d.shift) < divisor) d.shift++;
    d.multiplier = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << d.shift) - divisor)) / divisor + 1);
    return d;
}

bool stria_cuda_offsets_init(stria_cuda_offsets *offsets, int ndim, int n_operands, const int64_t *shape,
                             const int64_t *strides)
{
    int64_t numel = 1;
    if (ndim > STRIA_CUDA_MAX_DIMS || n_operands > STRIA_CUDA_MAX_OPERANDS) return false;
    offsets->ndim = ndim;
    offsets->n_operands = n_operands;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 1 || shape[d] > INT32_MAX / numel) return false;
        numel *= shape[d];
        offsets->size[d] = stria_cuda_divider_new((uint32_t)shape[d]);
    }
    for (int k = 0; k < n_operands; k++) {
        int64_t extent = 0;
        for (int d = 0; d < ndim; d++) {
            const int64_t stride = strides[d * n_operands + k], reach = stride < 0 ? -stride : stride;
            if (reach > INT32_MAX || (shape[d] - 1) * reach > INT32_MAX - extent) return false;
            extent += (shape[d] - 1) * reach;
            offsets->stride_bytes[d][k] = (int32_t)stride;
        }
    }
    return true;
}

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t power_below(int64_t n)
{
    int64_t p = 1;
    while (p * 2 <= n) p *= 2;
    return p;
}

int64_t stria_cuda_grid_get(int64_t numel, int elements_per_thread, int threads)
{
    return div_up(numel, (int64_t)threads * elements_per_thread);
}

int stria_cuda_vector_width_get(uint64_t address, int element_size)
{
    if (address % (4u * (uint64_t)element_size) == 0) return 4;
    return address % (2u * (uint64_t)element_size) == 0 ? 2 : 1;
}

/* Outputs that one thread can take side by side: address, first kept size and all other strides must divide. */
static int output_vector(const stria_cuda_reduce_input *in)
{
    int64_t v = 4;
    while (in->input_address / (uint64_t)in->input_size % (uint64_t)v) v /= 2;
    while (in->shape[in->n_reduced] % v) v /= 2;
    for (int d = 0; d < in->ndim; d++)
        while (d != in->n_reduced && in->stride_bytes[d] / in->input_size % v) v /= 2;
    return (int)v;
}

stria_cuda_reduce_plan stria_cuda_reduce_plan_get(const stria_cuda_reduce_input *in)
{
    stria_cuda_reduce_plan p = {1, 1, 1, {0, 0, 0}, {0, 0}, false, 1, {1, 1}, {1, 1}, 1, 0};
    const int64_t          inputs = in->numel / in->n_outputs;
    const bool             inner =
        in->ndim == 0 || in->n_reduced == in->ndim || in->stride_bytes[0] < in->stride_bytes[in->n_reduced];
    const int64_t fast = in->ndim == 0 ? in->input_size : in->stride_bytes[inner ? 0 : in->n_reduced];
    int64_t       dim0 = inner ? inputs : in->n_outputs, dim1 = inner ? in->n_outputs : inputs;
    int64_t       most, width, height, p0, p1;

    if (in->ndim == 0) dim0 = dim1 = 1;
    if (fast == in->input_size) {
        p.vectorize_input = inner && dim0 > 128 && in->n_reduced == 1 && in->values_in_flight >= 4;
        if (!inner) p.output_vec = output_vector(in);
        dim0 /= p.output_vec;
    }

    /* block */
    most = in->max_threads / p.output_vec;
    p0 = min_of(power_below(dim0), most);
    p1 = min_of(power_below(dim1), most);
    width = min_of(p0, in->warp);
    height = min_of(p1, most / width);
    width = min_of(p0, most / height);
    p.block[0] = width;
    p.block[1] = height;

    /* who takes what */
    if (inner) {
        p.input_mult[0] = p.step_input;
        p.step_input *= width;
    } else {
        p.output_mult[0] = p.step_output;
        p.step_output *= width;
    }
    p.values_per_thread = div_up(inputs, p.step_input);
    if (p.values_per_thread >= height * 16 || p.values_per_thread >= 256) {
        p.input_mult[1] = p.step_input;
        p.step_input *= height;
    } else {
        p.output_mult[1] = p.step_output;
        p.step_output *= height;
    }
    p.values_per_thread = div_up(inputs, p.step_input);

    /* several blocks for one output */
    p.grid[0] = div_up(in->n_outputs / p.output_vec, p.step_output);
    {
        const int64_t target = in->sms * (in->threads_per_sm / (width * height));
        if (p.input_mult[1] && p.values_per_thread >= 256 && p.grid[0] <= target) {
            p.ctas = max_of(min_of(div_up(target, p.grid[0]), div_up(p.values_per_thread, 16)),
                            div_up(p.values_per_thread, 256));
            p.ctas = min_of(p.ctas, MOST_CTAS);
            if (p.ctas > 1) {
                p.input_mult[2] = p.step_input;
                p.step_input *= p.ctas;
            }
        }
    }
    p.grid[1] = p.ctas;
    p.values_per_thread = div_up(inputs, p.step_input);
    if (p.input_mult[1] || (p.input_mult[0] && width > in->warp))
        p.shared_bytes = (int64_t)in->accumulator_size * width * height * p.output_vec;
    return p;
}
