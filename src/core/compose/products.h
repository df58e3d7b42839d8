/* products.h - what composites of products check, by the names of their tensors. Internal. */
#ifndef STRIA_PRODUCTS_H
#define STRIA_PRODUCTS_H

#include "call/compose.h"

/* in[k] has ndim dims. ERR_SHAPE. */
stria_status stria_products_check_ndim(const stria_call *call, int k, int ndim, stria_error *err);
/* Axis b_axis of in[b] has the size of axis a_axis of in[a]. ERR_SHAPE by the name of in[b]. */
stria_status stria_products_check_sizes(const stria_call *call, int a, int a_axis, int b, int b_axis, stria_error *err);
/* in[n] in the compute dtype of their common dtype, which *result becomes. Refusals are those of stria_contract_infer_dtype. */
stria_status stria_products_widen(const stria_call *call, stria_temps *temps, const stria_tensor **in, int n,
                                  stria_dtype *result, stria_error *err);

#endif
