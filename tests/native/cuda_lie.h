/* cuda_lie.h - tensors that lie in memory in a given way, on the CPU and, the same, on a CUDA device. */
#ifndef STRIA_TEST_CUDA_LIE_H
#define STRIA_TEST_CUDA_LIE_H

#include "cuda_fold.h"
#include "cuda_plan.h"

/* order    the dims from the slowest to the fastest in memory, as digits; "": row-major
 * flipped  bit d: dim d is looked at backwards
 * once     bit d: dim d has one element, which is broadcast
 * shift    elements of memory before the first one
 * pad      elements of memory between the rows of the fastest dim */
typedef struct lie {
    const char *order;
    unsigned    flipped, once;
    int         shift, pad;
} lie;

/* Of random elements, the same for one seed. */
twins lie_new(stria_dtype dtype, int ndim, const int64_t *shape, const lie *how, uint64_t seed);

/* Which form (cuda_plan.h) an element-wise call of ops.def takes on the device, and a copy. out NULL: a new one. Elements of `alike` are 16
 * bytes, if all lanes are stored alike; else 0. */
stria_cuda_form lie_get_element_form(stria_op op, const stria_tensor *const *in, int n_in, stria_tensor *out, int alike,
                                     stria_cuda_turn *turn);
stria_cuda_form lie_get_copy_form(stria_tensor *out, const stria_tensor *x, int alike, stria_cuda_turn *turn);

#endif
