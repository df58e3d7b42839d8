/* cuda_lie.c - see cuda_lie.h. */
#include "cuda_lie.h"

#include <string.h>

#include "iter/iter_internal.h"

/* The dims of memory, and where dim d of the tensor is among them. */
typedef struct memory_dims {
    int64_t shape[STRIA_MAX_DIMS], numel;
    int     place[STRIA_MAX_DIMS];
} memory_dims;

static memory_dims get_memory_dims(int ndim, const int64_t *shape, const lie *how)
{
    memory_dims m = {.numel = 1};

    for (int i = 0; i < ndim; i++) {
        const int d = how->order[0] != 0 ? how->order[i] - '0' : i;
        m.shape[i] = how->once >> d & 1u ? 1 : shape[d];
        m.place[d] = i;
        m.numel *= m.shape[i] + (i == ndim - 1 ? how->pad : 0);
    }
    return m;
}

static stria_tensor *next(stria_tensor *before, stria_tensor *after)
{
    stria_tensor_release(before);
    return after;
}

/* `flat` as it is said. */
static stria_tensor *look(stria_tensor *flat, int ndim, memory_dims *m, const lie *how)
{
    const int64_t columns = m->shape[ndim - 1];
    int           flipped[STRIA_MAX_DIMS], n = 0;
    stria_tensor *y = flat, *z = NULL;

    CHECK_STATUS(stria_slice(y, 0, how->shift, STRIA_INT_NONE, 1, &z, NULL), STRIA_OK);
    y = next(y, z);
    m->shape[ndim - 1] += how->pad;
    CHECK_STATUS(stria_view(y, m->shape, ndim, &z, NULL), STRIA_OK);
    y = next(y, z);
    CHECK_STATUS(stria_slice(y, ndim - 1, 0, columns, 1, &z, NULL), STRIA_OK);
    y = next(y, z);
    CHECK_STATUS(stria_permute(y, m->place, ndim, &z, NULL), STRIA_OK);
    y = next(y, z);
    for (int d = 0; d < ndim; d++)
        if (how->flipped >> d & 1u) flipped[n++] = d;
    if (n == 0) return y;
    CHECK_STATUS(stria_flip(y, flipped, n, &z, NULL), STRIA_OK);
    return next(y, z);
}

twins lie_new(stria_dtype dtype, int ndim, const int64_t *shape, const lie *how, uint64_t seed)
{
    memory_dims   m = get_memory_dims(ndim, shape, how), same = m;
    const int64_t numel = m.numel + how->shift;
    const twins   flat = twins_new_any(dtype, 1, &numel, VIEW_PACKED, seed);

    return (twins){look(flat.here, ndim, &m, how), look(flat.there, ndim, &same, how)};
}

/* ---------------------------------------------------------------- forms */

/* Operands of the iterator as the plug-in gets them (src/core/cuda/walk.c). */
static stria_cuda_form get_form(const stria_iter *it, int alike, stria_cuda_turn *turn)
{
    int64_t               strides[STRIA_CUDA_MAX_DIMS * STRIA_CUDA_MAX_OPERANDS];
    stria_cuda_form_input in = {.ndim = stria_iter_get_ndim(it),
                                .n_operands = stria_iter_get_n_operands(it),
                                .alike = alike,
                                .shape = stria_iter_get_shape(it),
                                .strides = strides};

    for (int k = 0; k < in.n_operands; k++) {
        const bool is_there = it->operands[k].device.type == STRIA_DEVICE_CUDA;
        in.address[k] = is_there ? (uint64_t)(uintptr_t)stria_iter_get_data(it, k) : 0;
        in.size[k] = is_there ? (int)stria_dtype_get_size(stria_iter_get_dtype(it, k)) : 0;
        for (int d = 0; d < in.ndim; d++)
            strides[d * in.n_operands + k] = is_there ? stria_iter_get_strides(it, d)[k] : 0;
    }
    return stria_cuda_form_get(&in, turn);
}

stria_cuda_form lie_get_element_form(stria_op op, const stria_tensor *const *in, int n_in, stria_tensor *out, int alike,
                                     stria_cuda_turn *turn)
{
    stria_tensor    *y = out;
    const stria_call call = {.row = STRIA_ROW_OF_OP(op), .n_in = n_in, .in = in, .out = &y};
    stria_cuda_form  form = STRIA_CUDA_FORM_COUNT;
    stria_meta       meta;
    stria_iter       it;

    CHECK_STATUS(stria_meta_infer(op, in, n_in, out, &meta, NULL), STRIA_OK);
    const stria_status status = stria_iter_build_element(&it, &call, &meta, NULL);
    CHECK_STATUS(status, STRIA_OK);
    if (status != STRIA_OK) return form;
    form = get_form(&it, alike, turn);
    stria_iter_release(&it);
    return form;
}

stria_cuda_form lie_get_copy_form(stria_tensor *out, const stria_tensor *x, int alike, stria_cuda_turn *turn)
{
    stria_cuda_form    form = STRIA_CUDA_FORM_COUNT;
    stria_iter         it;
    const stria_status status = stria_iter_build_copy(&it, out, x, NULL);

    CHECK_STATUS(status, STRIA_OK);
    if (status != STRIA_OK) return form;
    form = get_form(&it, alike, turn);
    stria_iter_release(&it);
    return form;
}
