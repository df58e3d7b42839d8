/* group_fours.h - which groups take four neighbours of each operand at once. Plain C, so that the host can test it without a device. Internal. */
#ifndef STRIA_CUDA_GROUP_FOURS_H
#define STRIA_CUDA_GROUP_FOURS_H

#include "calls_group.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether each operand has neighbours along dim 0, aligned so that four of them are one access, or two of 16 bytes; or is one element along it: bit k
 * of *ones. Results have neighbours. Where there are several dims, dim 0 holds a whole number of fours. */
bool stria_cuda_group_has_fours(const stria_cuda_group_call *call, uint32_t *ones);

#ifdef __cplusplus
}
#endif

#endif
