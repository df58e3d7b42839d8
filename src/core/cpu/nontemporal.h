/* nontemporal.h - non-temporal stores for results that are larger than the caches. Internal.
 *
 * An ordinary store first reads the cache line it writes to. A non-temporal store does not, which spares a quarter of the
 * traffic of an add. But the result is then not in a cache for the next op. So only results of at least
 * STRIA_NONTEMPORAL_BYTES are stored so: the caches would keep little of them anyway. (Measured on one thread of a Zen 3: an add
 * of 4e6 elements takes 0.72 of the time; below 4 MB nothing is gained.) */
#ifndef STRIA_NONTEMPORAL_H
#define STRIA_NONTEMPORAL_H

#include "simd/kernels.h"

#define STRIA_NONTEMPORAL_BYTES ((int64_t)16 << 20)

/* The kernels for an op of a compute dtype whose result has nbytes; NULL if the result is too small, or if there are none for
 * the op. The inputs must not share memory with the result. */
const stria_chain_kernels *stria_nontemporal_choose(const stria_kernels *kernels, stria_op op, stria_dtype compute,
                                                    int64_t nbytes);

/* Does what `loop` does, by a chain of the kernels chosen above; by `loop` itself where the result is not aligned. */
void stria_nontemporal_run(const stria_chain_kernels *chain, stria_op op, int n_in, stria_loop *loop, int vector_bytes,
                           char *const *data, const int64_t *strides, int64_t count);

#endif
