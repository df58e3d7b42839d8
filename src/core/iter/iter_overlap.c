/* iter_overlap.c - step 3.2 of building an iterator: it finds outputs whose elements would be written twice, or read
 * through another operand after they were written. overlap.h decides. An operand that it cannot decide is copied. */
#include "base/error.h"
#include "iter/iter_internal.h"
#include "tensor/overlap.h"

static stria_status refuse_pair(const stria_iter_config *config, const stria_tensor *out, const stria_tensor *in,
                                int input, stria_error *err)
{
    char a[96], b[96];

    stria_shape_print(a, sizeof a, out->ndim, out->shape);
    stria_shape_print(b, sizeof b, in->ndim, in->shape);
    return stria_error_set(err, STRIA_ERR_OVERLAP, config->name, "out", "all or none of an input's memory", "a part",
                           "the output of shape %s and input %d of shape %s share part of their memory; copy the "
                           "input first",
                           a, input, b);
}

/* Refuses an input that the output would change before it is read, or copies it. */
static stria_status check_input(stria_iter *it, const stria_iter_config *config, const stria_tensor *out, int k,
                                stria_error *err)
{
    stria_iter_operand *in = &it->operands[k];

    switch (stria_overlap_find(out, in->tensor)) {
    case STRIA_OVERLAP_NONE:
    case STRIA_OVERLAP_SAME: return STRIA_OK;
    case STRIA_OVERLAP_PARTIAL:
        if (!config->copy_if_overlap) return refuse_pair(config, out, in->tensor, k - it->n_outputs, err);
        break;
    default: break; /* loops want all the same or nothing in common */
    }
    return stria_iter_convert_input(in, in->dtype, err);
}

stria_status stria_iter_check_overlap(stria_iter *it, const stria_iter_config *config, stria_error *err)
{
    for (int k = 0; k < it->n_outputs; k++) {
        const stria_tensor *out = it->operands[k].tensor;
        if (out == NULL) continue;
        STRIA_TRY(stria_overlap_check_out(config->name, out, err));
        for (int i = it->n_outputs; i < it->n_operands && it->shares_memory; i++) {
            const stria_tensor *in = it->operands[i].tensor;
            if (in != NULL && in != out) STRIA_TRY(check_input(it, config, out, i, err));
        }
    }
    return STRIA_OK;
}
