/* walk.h - what the arguments of all kernels are made of: codes, streams, operands, values. Plain C. Internal. */
#ifndef STRIA_CUDA_WALK_H
#define STRIA_CUDA_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_plan.h"
#include "stria_enums.h"

typedef enum stria_cuda_code {
    STRIA_CUDA_OK = 0,
    STRIA_CUDA_NO_KERNEL = -1,      /* for this row and dtype */
    STRIA_CUDA_TOO_LARGE = -2,      /* more elements or dims than one launch counts: split the call first */
    STRIA_CUDA_NO_MEMORY = -3,      /* of the device */
    STRIA_CUDA_NO_HOST_MEMORY = -4, /* for a stream and what belongs to it */
    STRIA_CUDA_NOT_CAPTURED = -5    /* this thread captures, and that cannot be; nothing was done */
} stria_cuda_code;

/* Work in its order, and pinned memory of the host that copies pass through. */
typedef struct stria_cuda_stream stria_cuda_stream;

/* Operands that are walked together: at most STRIA_CUDA_MAX_DIMS dims, the fastest first, strides of any sign, offsets and elements
 * below 2^31. Outputs come first. An operand of stride 0 in all dims is one element. */
typedef struct stria_cuda_walk {
    int32_t     ndim, n_operands;
    int64_t     shape[STRIA_CUDA_MAX_DIMS];
    int64_t     strides[STRIA_CUDA_MAX_DIMS * STRIA_CUDA_MAX_OPERANDS]; /* [ndim][n_operands], in bytes */
    char       *data[STRIA_CUDA_MAX_OPERANDS];
    stria_dtype dtype[STRIA_CUDA_MAX_OPERANDS]; /* in memory; converted on load and store */
} stria_cuda_walk;

/* An element that the call carries itself, in the memory of the host: at most a c128. */
typedef struct stria_cuda_value {
    uint64_t bits[2];
} stria_cuda_value;

#endif
