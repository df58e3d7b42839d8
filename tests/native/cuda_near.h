/* cuda_near.h - whether what a CUDA device added up in an order of its own is near what it should be, for fuzz_cuda.c. */
#ifndef STRIA_TEST_CUDA_NEAR_H
#define STRIA_TEST_CUDA_NEAR_H

#include "cuda_scene.h"

/* A row whose floats are added up in an order of CUDA's own. */
bool cuda_near_is_summing(stria_row row);
/* The size of the largest finite number of the inputs, which a call may write over. */
double cuda_near_get_inputs(const cuda_scene *s);
/* Whether output k of the call, `there`, is near what the CPU computes of the same in f64, by the sizes of what is added; where there are given
 * outputs, near `here`. If not, a text says which numbers differ. Numbers that may overflow on the way pass. inputs: of before the call. */
bool cuda_near(cuda_scene *s, int k, const stria_tensor *there, const stria_tensor *here, double inputs, char *text,
               size_t size);

#endif
