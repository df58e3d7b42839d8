/* group_text.h - a lowered expression as CUDA C: an element of each of its results. Internal. */
#ifndef STRIA_CUDA_GROUP_TEXT_H
#define STRIA_CUDA_GROUP_TEXT_H

#include "cpu/expression.h"

/* memory: [n_operands] the dtypes in memory. values: bit k: operand k is a value of the call, in the dtype of its lanes. The text, to be released
 * by stria_object_release; `before` bytes in front of it are the caller's. NULL: there is no memory for it, or the expression has words or a size
 * that no text has. (group_text.c) */
char *stria_cuda_group_print(const stria_lowering *lowering, const stria_dtype *memory, uint32_t values, size_t before);

#endif
