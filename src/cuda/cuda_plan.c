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

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t get_reach(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Whether elements and offsets are below 2^31. */
static bool is_short(int ndim, int n_operands, const int64_t *shape, const int64_t *strides)
{
    int64_t numel = 1;

    if (ndim > STRIA_CUDA_MAX_DIMS || n_operands > STRIA_CUDA_MAX_OPERANDS) return false;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 1 || shape[d] > INT32_MAX / numel) return false;
        numel *= shape[d];
    }
    for (int k = 0; k < n_operands; k++) {
        int64_t extent = 0;
        for (int d = 0; d < ndim; d++) {
            const int64_t reach = get_reach(strides[d * n_operands + k]);
            if (reach > INT32_MAX || (shape[d] - 1) * reach > INT32_MAX - extent) return false;
            extent += (shape[d] - 1) * reach;
        }
    }
    return true;
}

/* Dim `to` of the offsets counts parts of `width` elements of dim `d`. A stride that no index is multiplied by may not fit: it is 0. */
static void set_dim(stria_cuda_offsets *offsets, int to, const int64_t *shape, const int64_t *strides, int d, int width)
{
    const int64_t n = div_up(shape[d], width);

    offsets->size[to] = stria_cuda_divider_new((uint32_t)n);
    for (int k = 0; k < offsets->n_operands; k++)
        offsets->stride_bytes[to][k] = n > 1 ? (int32_t)(strides[d * offsets->n_operands + k] * width) : 0;
}

bool stria_cuda_offsets_init(stria_cuda_offsets *offsets, int ndim, int n_operands, const int64_t *shape,
                             const int64_t *strides)
{
    if (!is_short(ndim, n_operands, shape, strides)) return false;
    offsets->ndim = ndim;
    offsets->n_operands = n_operands;
    for (int d = 0; d < ndim; d++) set_dim(offsets, d, shape, strides, d, 1);
    return true;
}

/* ---------------------------------------------------------------- forms of element-wise kernels */

static int64_t get_stride(const stria_cuda_form_input *in, int d, int k) { return in->strides[d * in->n_operands + k]; }

/* Whether neighbours along dim d of operand k share a sector. */
static bool is_near(const stria_cuda_form_input *in, int d, int k)
{
    const int64_t reach = get_reach(get_stride(in, d, k));
    return reach > 0 && reach < STRIA_CUDA_SECTOR;
}

/* Whether neighbours along dim d of operand k lie in sectors of their own, or few of them in one. */
static bool is_far(const stria_cuda_form_input *in, int d, int k)
{
    const int64_t reach = get_reach(get_stride(in, d, k));
    return reach >= STRIA_CUDA_SECTOR || reach >= 8 * in->size[k];
}

/* The dim of operand k whose elements lie closest, of those that share sectors; -1: there is none. */
static int get_near_dim(const stria_cuda_form_input *in, int k)
{
    int near = -1;

    for (int d = 0; d < in->ndim; d++)
        if (in->shape[d] > 1 && is_near(in, d, k) &&
            (near < 0 || get_reach(get_stride(in, d, k)) < get_reach(get_stride(in, near, k))))
            near = d;
    return near;
}

bool stria_cuda_turn_get(const stria_cuda_form_input *in, stria_cuda_turn *turn)
{
    const int d0 = get_near_dim(in, 0);
    int       most = 0;

    if (d0 < 0 || in->shape[d0] < STRIA_CUDA_TILE_LEAST) return false;
    for (int d = 0; d < in->ndim; d++) {
        uint32_t turned = 0;
        int      n = 0;
        if (d == d0 || in->shape[d] < STRIA_CUDA_TILE_LEAST) continue;
        for (int k = 1; k < in->n_operands; k++) {
            if (get_near_dim(in, k) != d || !is_far(in, d0, k)) continue;
            turned |= 1u << k;
            n++;
        }
        if (n <= most) continue;
        most = n;
        turn->dim[0] = d0;
        turn->dim[1] = d;
        turn->turned = turned;
    }
    return most > 0;
}

/* Whether vectors of `width` neighbours of dim 0 are one access, of up to 16 bytes at a time, of every operand; or one element. The last one
 * may be shorter where there is one dim. */
static bool takes_vectors(const stria_cuda_form_input *in, int width)
{
    if (in->ndim == 0 || (in->ndim > 1 && in->shape[0] % width != 0)) return false;
    for (int k = 0; k < in->n_operands; k++) {
        const int64_t  stride = get_stride(in, 0, k);
        const uint64_t bytes = (uint64_t)(width * in->size[k] < 16 ? width * in->size[k] : 16);
        if (stride == 0 && k > 0) continue;
        if (stride != in->size[k] || in->address[k] % bytes != 0) return false;
        for (int d = 1; d < in->ndim; d++)
            if (get_reach(get_stride(in, d, k)) % (int64_t)bytes != 0) return false;
    }
    return true;
}

static bool is_flat(const stria_cuda_form_input *in)
{
    for (int k = 0; k < in->n_operands && in->ndim == 1; k++)
        if (get_stride(in, 0, k) != in->size[k] && (k == 0 || get_stride(in, 0, k) != 0)) return false;
    return in->ndim <= 1;
}

stria_cuda_form stria_cuda_form_get(const stria_cuda_form_input *in, stria_cuda_turn *turn)
{
    if (in->alike > 0 && is_flat(in)) return STRIA_CUDA_FORM_FLAT;
    if (in->alike > 0 && takes_vectors(in, in->alike)) return STRIA_CUDA_FORM_ROWS; /* of several dims: one is flat */
    if (stria_cuda_turn_get(in, turn)) return STRIA_CUDA_FORM_TILES;
    return takes_vectors(in, STRIA_CUDA_FOUR) ? STRIA_CUDA_FORM_VECTORS : STRIA_CUDA_FORM_APART;
}

bool stria_cuda_vectors_init(stria_cuda_offsets *offsets, int64_t *n, const stria_cuda_form_input *in, int width)
{
    if (!is_short(in->ndim, in->n_operands, in->shape, in->strides)) return false;
    offsets->ndim = in->ndim;
    offsets->n_operands = in->n_operands;
    *n = 1;
    for (int d = 0; d < in->ndim; d++) {
        set_dim(offsets, d, in->shape, in->strides, d, d == 0 ? width : 1);
        *n *= offsets->size[d].divisor;
    }
    return true;
}

bool stria_cuda_tiles_init(stria_cuda_tiles *tiles, const stria_cuda_form_input *in, const stria_cuda_turn *turn,
                           int edge)
{
    stria_cuda_offsets *first = &tiles->first;
    int64_t             n = 1;

    if (!is_short(in->ndim, in->n_operands, in->shape, in->strides)) return false;
    first->ndim = 0;
    first->n_operands = in->n_operands;
    tiles->turned = turn->turned;
    for (int s = 0; s < 2; s++) {
        set_dim(first, first->ndim++, in->shape, in->strides, turn->dim[s], edge);
        tiles->size[s] = (int32_t)in->shape[turn->dim[s]];
        for (int k = 0; k < in->n_operands; k++) tiles->stride[s][k] = (int32_t)get_stride(in, turn->dim[s], k);
    }
    for (int d = 0; d < in->ndim; d++)
        if (d != turn->dim[0] && d != turn->dim[1]) set_dim(first, first->ndim++, in->shape, in->strides, d, 1);
    for (int d = 0; d < first->ndim; d++) n *= first->size[d].divisor;
    tiles->n = (uint32_t)n;
    return true;
}

void stria_cuda_squares_order(const stria_cuda_turn *turn, int ndim, int *order)
{
    int n = 2;

    order[0] = turn->dim[0];
    order[1] = turn->dim[1];
    for (int d = 0; d < ndim; d++)
        if (d != turn->dim[0] && d != turn->dim[1]) order[n++] = d;
}

int64_t stria_cuda_squares_init(stria_cuda_squares *squares, int ndim, const int64_t *shape)
{
    static const int edge[2] = {STRIA_CUDA_SQUARE_0, STRIA_CUDA_SQUARE_1};
    int64_t          n = 1;

    for (int d = 0; d < ndim; d++) n *= d < 2 ? div_up(shape[d], edge[d]) : shape[d];
    for (int s = 0; s < 2; s++) {
        squares->blocks[s] = stria_cuda_divider_new((uint32_t)div_up(shape[s], edge[s]));
        squares->size[s] = (uint32_t)shape[s];
    }
    return n;
}

/* ---------------------------------------------------------------- reductions */

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
