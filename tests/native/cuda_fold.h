/* cuda_fold.h - what the suites of reductions, scans and row functions of CUDA devices share. */
#ifndef STRIA_TEST_CUDA_FOLD_H
#define STRIA_TEST_CUDA_FOLD_H

#include "cuda_case.h"
#include "tensor/tensor.h"

/* How a tensor is looked at; the shape may change. */
enum { VIEW_PACKED, VIEW_TURNED, VIEW_STEPPED, VIEW_FLIPPED, VIEW_EXPANDED, VIEW_COUNT };

/* x in the memory of the CPU, and the same on the device. */
typedef struct twins {
    stria_tensor *here, *there;
} twins;

/* Elements offset + scale * (a number in [-1, 1)). */
twins twins_new(stria_dtype dtype, int ndim, const int64_t *shape, int view, double offset, double scale,
                uint64_t seed);
/* Random elements, special values among them. */
twins twins_new_any(stria_dtype dtype, int ndim, const int64_t *shape, int view, uint64_t seed);
/* As they are. */
twins twins_new_numbers(stria_dtype dtype, int64_t n, const double *numbers);
void  twins_release(twins x);

/* Element k of x, row-major, on the CPU, as a number. */
long double fold_number(const stria_tensor *x, const int64_t *index);
/* Distance from a float of the dtype at x to the next one, of numbers that are not tiny. */
long double fold_ulp(stria_dtype dtype, long double x);

#endif
