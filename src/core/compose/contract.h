/* contract.h - sums of products of tensors whose axes have labels: what einsum and its kin are made of. Internal. */
#ifndef STRIA_CONTRACT_H
#define STRIA_CONTRACT_H

#include "call/call.h"

/* A tensor with a label, 0 .. 63, for each axis. Axes of one label are one index. */
typedef struct stria_labelled {
    stria_tensor *x;
    uint64_t      set;     /* of its labels */
    bool          is_made; /* x shares no memory with an operand */
    uint8_t       label[STRIA_MAX_DIMS];
} stria_labelled;

/**
 * *y = the sum over all labels that are not in out[n_out] of the products of parts[n], n >= 1; new.
 *
 * parts   changed: their tensors are views and results on the way, which the caller releases whatever happens
 * size    [labels]; an axis has the size of its label, or 1, which broadcasts; axes of one label in one part have one size
 * result  dtype of *y; sums and products are computed in its compute dtype, so that f16 and bf16 are rounded once
 *
 * Sums of one part come first; then pairs are multiplied, in the order that needs the fewest products for up to 8 parts, and
 * the one that is cheapest step by step for more. A pair with labels to be summed is a matrix product.
 */
stria_status stria_contract(stria_labelled *parts, int n, const uint8_t *out, int n_out, const int64_t *size,
                            stria_dtype result, stria_tensor **y, stria_error *err);

/* The dtype that products of the tensors have: their common one, no bool (ERR_DTYPE); on one device (ERR_DEVICE). An
 * error names xs[k] by the name of the row's tensors. */
stria_status stria_contract_infer_dtype(const stria_call *call, const stria_tensor *const *xs, int n,
                                        stria_dtype *result, stria_error *err);

#endif
