/* calls_group.h - the argument of code that is made of a group of element-wise ops (group.cu). Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_GROUP_H
#define STRIA_CUDA_CALLS_GROUP_H

#include "walk.h"

/* Results and inputs of a group. */
#define STRIA_CUDA_GROUP_OPERANDS STRIA_CUDA_FORM_OPERANDS
/* Elements of a thread. */
#define STRIA_CUDA_GROUP_PER_THREAD STRIA_CUDA_FOUR

/* `text` is CUDA C, as of src/core/cuda/group_text.c, and hash that of it. Operand k with data NULL is value[k], in the dtype that the text says.
 * STRIA_CUDA_NO_KERNEL, and nothing is done: there is no code of it, yet, or at all; is_wanted: only the latter. */
typedef struct stria_cuda_group_call {
    const char *text;
    uint64_t    hash;
    bool        is_wanted;
    int32_t     n_operands, n_results, ndim; /* results are the first operands */
    int64_t     shape[STRIA_CUDA_MAX_DIMS];
    int64_t     strides[STRIA_CUDA_MAX_DIMS][STRIA_CUDA_GROUP_OPERANDS]; /* in bytes */
    int32_t     size[STRIA_CUDA_GROUP_OPERANDS];                         /* bytes of an element */
    char       *data[STRIA_CUDA_GROUP_OPERANDS];
    uint64_t    value[STRIA_CUDA_GROUP_OPERANDS];
} stria_cuda_group_call;

/* What the kernel of a group gets: the same with offsets below 2^31. Dim 0 is the fastest. in_fours, ones, in_squares: as of group_forms.h. */
typedef struct stria_cuda_group_params {
    uint32_t           n, ones;
    bool               in_fours, in_squares;
    stria_cuda_squares squares;
    int32_t            ndim;
    stria_cuda_divider size[STRIA_CUDA_MAX_DIMS];
    int32_t            stride[STRIA_CUDA_MAX_DIMS][STRIA_CUDA_GROUP_OPERANDS];
    char              *data[STRIA_CUDA_GROUP_OPERANDS];
    uint64_t           value[STRIA_CUDA_GROUP_OPERANDS];
} stria_cuda_group_params;

#endif
