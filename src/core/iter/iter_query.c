/* iter_query.c - what a built iterator is like (section 3.12 of the specification). */
#include "iter/iter_internal.h"

int stria_iter_get_ndim(const stria_iter *it) { return it->ndim; }

int stria_iter_get_n_operands(const stria_iter *it) { return it->n_operands; }

int stria_iter_get_n_outputs(const stria_iter *it) { return it->n_outputs; }

int64_t stria_iter_get_numel(const stria_iter *it)
{
    int64_t numel = 1;

    for (int d = 0; d < it->ndim; d++) numel *= it->shape[d];
    return numel;
}

const int64_t *stria_iter_get_shape(const stria_iter *it) { return it->shape; }

const int64_t *stria_iter_get_strides(const stria_iter *it, int dim) { return stria_iter_row(it, dim); }

const int64_t *stria_iter_get_view_offsets(const stria_iter *it) { return it->view_offsets; }

int stria_iter_get_common_ndim(const stria_iter *it) { return it->common_ndim; }

const int64_t *stria_iter_get_common_shape(const stria_iter *it) { return it->common_shape; }

const int8_t *stria_iter_get_permutation(const stria_iter *it)
{
    return it->setup == STRIA_ITER_GENERAL ? it->permutation : NULL;
}

stria_iter_setup stria_iter_get_setup(const stria_iter *it) { return it->setup; }

stria_dtype stria_iter_get_common_dtype(const stria_iter *it) { return it->common_dtype; }

stria_device stria_iter_get_common_device(const stria_iter *it) { return it->common_device; }

stria_dtype stria_iter_get_dtype(const stria_iter *it, int operand) { return it->operands[operand].dtype; }

char *stria_iter_get_data(const stria_iter *it, int operand) { return it->operands[operand].data; }

stria_tensor *stria_iter_get_tensor(const stria_iter *it, int operand) { return it->operands[operand].tensor; }

stria_tensor *stria_iter_take_output(stria_iter *it, int k)
{
    stria_iter_operand *op = &it->operands[k];

    if (op->given != NULL) return stria_tensor_retain(op->given);
    if (!op->owned) return stria_tensor_retain(op->tensor);
    op->owned = false;
    return op->tensor;
}

bool stria_iter_is_trivial_1d(const stria_iter *it) { return it->ndim == 1; }

bool stria_iter_is_contiguous(const stria_iter *it)
{
    if (stria_iter_get_numel(it) == 1) return true;
    if (it->ndim != 1) return false;
    for (int k = 0; k < it->n_operands; k++) {
        if (it->strides[k] != (int64_t)stria_dtype_get_size(it->operands[k].dtype)) return false;
    }
    return true;
}

bool stria_iter_is_scalar(const stria_iter *it, int operand)
{
    for (int d = 0; d < it->ndim; d++) {
        if (it->shape[d] != 1 && stria_iter_row(it, d)[operand] != 0) return false;
    }
    return true;
}

bool stria_iter_is_cpu_scalar(const stria_iter *it, int operand)
{
    return it->operands[operand].device.type == STRIA_DEVICE_CPU && stria_iter_is_scalar(it, operand);
}

bool stria_iter_is_dim_reduced(const stria_iter *it, int dim)
{
    if (it->shape[dim] <= 1) return false;
    for (int k = 0; k < it->n_outputs; k++) {
        if (stria_iter_row(it, dim)[k] == 0) return true;
    }
    return false;
}

int stria_iter_get_num_reduce_dims(const stria_iter *it)
{
    int count = 0;

    for (int d = 0; d < it->ndim; d++) count += stria_iter_row(it, d)[0] == 0;
    return count;
}

int64_t stria_iter_get_num_output_elements(const stria_iter *it)
{
    int64_t count = 1;

    for (int d = 0; d < it->ndim; d++) {
        if (stria_iter_row(it, d)[0] != 0 || it->shape[d] == 0) count *= it->shape[d];
    }
    return count;
}

bool stria_iter_can_use_32bit_indexing(const stria_iter *it)
{
    if (stria_iter_get_numel(it) > INT32_MAX) return false;
    for (int k = 0; k < it->n_operands; k++) {
        int64_t last = 1;
        for (int d = 0; d < it->ndim; d++) {
            /* the reference leaves a dim of size 0 to subtract one stride */
            last += (it->shape[d] - 1) * (int64_t)stria_magnitude(stria_iter_row(it, d)[k]);
        }
        if (last > INT32_MAX) return false;
    }
    return true;
}

int stria_iter_get_dim_to_split(const stria_iter *it)
{
    int64_t best = -1;
    int     dim = -1;

    for (int d = it->ndim - 1; d >= 0; d--) {
        for (int k = 0; k < it->n_operands && it->shape[d] > 0; k++) {
            int64_t stride = (int64_t)stria_magnitude(stria_iter_row(it, d)[k]);
            int64_t extent = stria_wrapping_product(it->shape[d] - 1, stride);
            if (extent <= best) continue;
            best = extent;
            dim = d;
        }
    }
    return dim;
}

bool stria_iter_get_accumulate(const stria_iter *it) { return it->accumulate; }

bool stria_iter_get_final_output(const stria_iter *it) { return it->final_output; }
