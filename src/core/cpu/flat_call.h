/* flat_call.h - element-wise calls that need no iterator: inputs that are contiguous in the shape of the result, or single values, and one
 * run of a loop. Internal. */
#ifndef STRIA_CPU_FLAT_CALL_H
#define STRIA_CPU_FLAT_CALL_H

#include "call/call.h"
#include "call/meta.h"
#include "cpu/flat.h"
#include "simd/kernels.h"

/* Operands of the loop, the output first. */
typedef struct stria_flat_call {
    char   *data[1 + STRIA_MAX_INPUTS];
    int64_t stride[1 + STRIA_MAX_INPUTS];          /* bytes; 0: one value */
    _Alignas(16) char value[STRIA_MAX_INPUTS][16]; /* single values, in the dtype of the loop */
} stria_flat_call;

/* Where an input is read, in the dtype of the loop; false: it is not flat. */
static inline bool stria_flat_call_add(stria_flat_call *flat, const stria_kernels *kernels, const stria_meta *meta,
                                       const stria_tensor *x, int k)
{
    const stria_flat kind = stria_flat_get(x, meta->ndim, meta->shape, meta->inputs_fit);

    if (kind == STRIA_FLAT_RUN && x->dtype == meta->input[k]) {
        flat->data[1 + k] = x->data;
        flat->stride[1 + k] = stria_tensor_get_item_size(x);
    } else if (kind != STRIA_FLAT_NOT && x->numel == 1) {
        kernels->cast[x->dtype][meta->input[k]](flat->value[k], 0, x->data, 0, 1);
        flat->data[1 + k] = flat->value[k];
        flat->stride[1 + k] = 0;
    } else {
        return false;
    }
    return true;
}

/* Whether the loop may write to the result: to the caller's tensor, which lies apart from the inputs, or to a new one. */
static inline bool stria_flat_call_fits(const stria_call *call, const stria_meta *meta)
{
    const stria_tensor *out = call->out[0];

    if (out == NULL) return meta->result == meta->loop_out;
    if (!meta->out_fits || out->dtype != meta->loop_out || !stria_tensor_is_contiguous(out)) return false;
    for (int k = 0; k < call->n_in; k++)
        if (!stria_flat_is_apart(out, call->in[k])) return false;
    return true;
}

/* The result: call->out[0], made if it is NULL. */
static inline stria_status stria_flat_call_begin(stria_flat_call *flat, const stria_call *call, const stria_meta *meta,
                                                 const char *name, stria_error *err)
{
    if (call->out[0] == NULL) {
        const stria_status status = meta->inputs_fit
                                        ? stria_tensor_new_shaped(meta->result, call->in[0], call->out, err)
                                        : stria_tensor_new(meta->result, meta->ndim, meta->shape, call->out, err);
        if (status != STRIA_OK) return stria_error_set_op(err, status, name);
    }
    flat->data[0] = call->out[0]->data;
    flat->stride[0] = stria_tensor_get_item_size(call->out[0]);
    return STRIA_OK;
}

#endif
