/* complex_parts.h - functions of complex tensors on the CPU that are functions of their parts. Internal.
 *
 * y is the output of the call, of its dtype and shape, as an implementation gets it (call.h). */
#ifndef STRIA_CPU_COMPLEX_PARTS_H
#define STRIA_CPU_COMPLEX_PARTS_H

#include "call/compose.h"

/* prod; axes: those that are reduced, as bits. (complex_reduce.c) */
stria_status stria_complex_product(const stria_tensor *x, uint64_t axes, stria_tensor *y, stria_error *err);
/* cumsum and cumprod. */
stria_status stria_complex_scan(const stria_tensor *x, int axis, bool is_product, stria_tensor *y, stria_error *err);
/* var, which is that of both parts together, or with is_root std. */
stria_status stria_complex_moment(const stria_tensor *x, uint64_t axes, double correction, bool keepdim, bool is_root,
                                  stria_tensor *y, stria_error *err);
/* norm of order p. */
stria_status stria_complex_norm(const stria_tensor *x, double p, uint64_t axes, stria_tensor *y, stria_error *err);

/* The matrix product of a and b, at least one of them complex, as of stria_matmul. (complex_matmul.c) */
stria_status stria_complex_matmul(const stria_tensor *a, const stria_tensor *b, stria_tensor *y, stria_error *err);

#endif
