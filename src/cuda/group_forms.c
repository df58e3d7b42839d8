/* group_forms.c - see group_forms.h. */
#include "group_forms.h"

enum { FOUR = STRIA_CUDA_GROUP_PER_THREAD };

static bool has_fours(const stria_cuda_group_call *call, int k)
{
    const int64_t bytes = FOUR * call->size[k] < 16 ? FOUR * call->size[k] : 16;

    if (call->strides[0][k] != call->size[k] || (uintptr_t)call->data[k] % (uintptr_t)bytes != 0) return false;
    for (int d = 1; d < call->ndim; d++)
        if (call->strides[d][k] % bytes != 0) return false;
    return true;
}

bool stria_cuda_group_has_fours(const stria_cuda_group_call *call, uint32_t *ones)
{
    *ones = 0;
    if (call->ndim == 0 || (call->ndim > 1 && call->shape[0] % FOUR != 0)) return false;
    for (int k = 0; k < call->n_operands; k++) {
        if (call->data[k] == NULL) continue;
        if (k >= call->n_results && call->strides[0][k] == 0)
            *ones |= 1u << k;
        else if (!has_fours(call, k))
            return false;
    }
    return true;
}

bool stria_cuda_group_has_squares(const stria_cuda_group_call *call, int *order)
{
    int64_t               strides[STRIA_CUDA_MAX_DIMS * STRIA_CUDA_GROUP_OPERANDS];
    stria_cuda_form_input in = {
        .ndim = call->ndim, .n_operands = call->n_operands, .shape = call->shape, .strides = strides};
    stria_cuda_turn turn;

    for (int k = 0; k < call->n_operands; k++) {
        in.size[k] = call->data[k] != NULL ? call->size[k] : 0;
        for (int d = 0; d < call->ndim; d++) strides[d * call->n_operands + k] = call->strides[d][k];
    }
    if (!stria_cuda_turn_get(&in, &turn)) return false;
    stria_cuda_squares_order(&turn, call->ndim, order);
    return true;
}
