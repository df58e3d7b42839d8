/* pad_cuda.c - pad on CUDA: a constant as the CPU has it, by a fill and a copy; of other modes each axis is read at the places that its elements
 * stand for (cpu/pad.h). */
#include "base/error.h"
#include "cpu/pad.h"
#include "cuda/made_cuda.h"

/* Which element of an axis of this size element i stands for, of n elements from `first` on. */
static stria_status make_places(stria_temps *temps, int mode, stria_device device, int64_t first, int64_t n,
                                int64_t size, stria_tensor **places, stria_error *err)
{
    stria_tensor *numbers, *zero, *last;

    STRIA_TRY(stria_cuda_make_numbers(temps, device, first, n, &numbers, err));
    STRIA_TRY(stria_cuda_make_whole(temps, mode == STRIA_PAD_CIRCULAR ? size : size - 1, &last, err));
    STRIA_TRY(stria_cuda_make_whole(temps, 0, &zero, err));
    if (mode == STRIA_PAD_REFLECT) { /* last - |last - |i|| */
        STRIA_TRY(stria_abs(numbers, STRIA_TEMP, err));
        STRIA_TRY(stria_sub(last, STRIA_LAST, STRIA_TEMP, err));
        STRIA_TRY(stria_abs(STRIA_LAST, STRIA_TEMP, err));
        STRIA_TRY(stria_sub(last, STRIA_LAST, STRIA_TEMP, err));
    } else if (mode == STRIA_PAD_CIRCULAR) {
        STRIA_TRY(stria_remainder(numbers, last, STRIA_TEMP, err));
    } else {
        STRIA_TRY(stria_maximum(numbers, zero, STRIA_TEMP, err));
        STRIA_TRY(stria_minimum(STRIA_LAST, last, STRIA_TEMP, err));
    }
    *places = STRIA_LAST;
    return STRIA_OK;
}

/* One axis after another. What an axis made is released when the next one has been. */
static stria_status set_padded(const stria_pad_attrs *attrs, const stria_tensor *x, stria_tensor *y, stria_error *err)
{
    stria_tensor *done = stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    stria_status  status = STRIA_OK;

    for (int d = 0; d < x->ndim && status == STRIA_OK; d++) {
        stria_temps   temps = {{NULL}, 0};
        stria_tensor *places, *next = NULL;
        int64_t       before, after;
        stria_pad_get(attrs, x->ndim, d, &before, &after);
        if (before == 0 && after == 0) continue;
        status = make_places(&temps, attrs->mode, x->device, -before, y->shape[d], x->shape[d], &places, err);
        if (status == STRIA_OK) status = stria_index_select(done, places, d, &next, err);
        stria_temps_release(&temps);
        if (status != STRIA_OK) break;
        stria_tensor_release(done);
        done = next;
    }
    if (status == STRIA_OK) status = stria_backend_copy(y, done, err);
    stria_tensor_release(done);
    return stria_error_set_op(err, status, "pad");
}

stria_status stria_cuda_pad(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_pad_attrs *attrs = call->attrs;
    const stria_tensor    *x = call->in[0];

    if (x->ndim == 0 || attrs->mode == STRIA_PAD_CONSTANT) return stria_cpu_pad(call, meta, y, err);
    return y[0]->numel > 0 ? set_padded(attrs, x, y[0], err) : STRIA_OK;
}
