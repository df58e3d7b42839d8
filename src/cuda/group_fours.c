/* group_fours.c - see group_fours.h. */
#include "group_fours.h"

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
