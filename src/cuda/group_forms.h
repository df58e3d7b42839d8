/* group_forms.h - how groups take their elements: four neighbours of each operand at once, squares, or one by one. Plain C, so that the host can test
 * it without a device. Internal. */
#ifndef STRIA_CUDA_GROUP_FORMS_H
#define STRIA_CUDA_GROUP_FORMS_H

#include "calls_group.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether each operand has neighbours along dim 0, aligned so that four of them are one access, or two of 16 bytes; or is one element along it: bit k
 * of *ones. Results have neighbours. Where there are several dims, dim 0 holds a whole number of fours. */
bool stria_cuda_group_has_fours(const stria_cuda_group_call *call, uint32_t *ones);
/* Whether operands lie across the first result; order [ndim] is then that of the dims for squares (cuda_plan.h). */
bool stria_cuda_group_has_squares(const stria_cuda_group_call *call, int *order);

#ifdef __cplusplus
}
#endif

#endif
