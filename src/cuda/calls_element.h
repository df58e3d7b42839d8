/* calls_element.h - the argument of element-wise rows. Plain C. Internal. */
#ifndef STRIA_CUDA_CALLS_ELEMENT_H
#define STRIA_CUDA_CALLS_ELEMENT_H

#include "walk.h"

/* A row of ops.def; operand 0 is the output. Input k (operand 1 + k) with bit k of `values` has no memory: it is value[k], in the dtype
 * that the row computes in (a condition: bool), and so says its dtype. Strides are 0 then. */
typedef struct stria_cuda_element_call {
    stria_op         op;
    stria_dtype      compute; /* lane type of the row */
    uint32_t         values;
    stria_cuda_value value[STRIA_MAX_INPUTS];
    stria_cuda_walk  walk;
} stria_cuda_element_call;

/* The same of a row of complex.def; compute is c64 or c128. Bit k of `reals`: input k is a real number, or a condition. */
typedef struct stria_cuda_complex_call {
    stria_cuda_element_call element;
    uint32_t                reals;
} stria_cuda_complex_call;

#endif
