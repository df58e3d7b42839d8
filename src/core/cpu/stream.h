/* stream.h - results that are larger than the caches, stored past them. Internal.
 *
 * An ordinary store first reads the line it writes to. Past the caches it does not, which spares a quarter of the traffic of
 * an add; but what is stored so is not in a cache when it is wanted next. So only results of at least STRIA_STREAM_BYTES are:
 * of these little would be left there anyway. (Measured from 8 MB on, one thread of a Zen 3: an add of 4e6 takes 0.72 of the
 * time; below 4 MB nothing is gained.) */
#ifndef STRIA_STREAM_H
#define STRIA_STREAM_H

#include "simd/kernels.h"

#define STRIA_STREAM_BYTES ((int64_t)16 << 20)

/* The kernels by which an op of a compute dtype stores a result of nbytes past the caches; NULL: it should not, or there are
 * none for it. The inputs must not share memory with the result. */
const stria_chain_kernels *stria_stream_choose(const stria_kernels *kernels, stria_op op, stria_dtype compute,
                                               int64_t nbytes);

/* What `loop` does, by the chain chosen for its op, as far as the result is aligned. */
void stria_stream_run(const stria_chain_kernels *chain, stria_op op, int n_in, stria_loop *loop, int vector_bytes,
                      char *const *data, const int64_t *strides, int64_t count);

#endif
