/* cuda_case.h - what the suites of CUDA devices share: tensors of any layout on a device and the same on the CPU. */
#ifndef STRIA_TEST_CUDA_CASE_H
#define STRIA_TEST_CUDA_CASE_H

#include "oracle.h"

#define CUDA STRIA_DEVICE(STRIA_DEVICE_CUDA, 0)

/* Whether there is a device; if not, says so as a skipped suite does. */
bool cuda_case_begin(const char *program);
/* As check_finish, at the end of a suite: that nothing is left over, first. */
int cuda_case_finish(const char *program);
/* That no tensor is on a device that works, and, on the host runtime, that it holds what the plug-in keeps for good and nothing else: a stream on each
 * device for each of n_threads threads that there ever were at once, the pinned memory of these, a pool for each device. */
void cuda_case_check_leaks(int n_threads);
/* Whether to try the next of many cases: all, or one of STRIA_CUDA_CASES at random, where each takes long. */
bool cuda_case_is_drawn(void);

/* How [CUDA_ROWS, CUDA_COLUMNS] operands lie; all broadcast to that shape. */
enum { CUDA_ROWS = 6, CUDA_COLUMNS = 7 };
typedef enum cuda_layout {
    AS_PACKED,
    AS_TURNED,  /* columns side by side */
    AS_STEP,    /* every second element */
    AS_FLIPPED, /* backwards */
    AS_SHIFTED, /* packed, but not aligned to more than an element */
    AS_ROW,     /* one row for all */
    AS_COLUMN,  /* one column for all */
    AS_ONE,     /* 0-dim */
    AS_RUN,     /* packed, of one dim of 1031 elements; broadcasts with itself, ONE, NUMBER and CPU alone */
    AS_NUMBER,  /* a number of the host language */
    AS_CPU,     /* 0-dim, on the CPU on every device */
    AS_COUNT
} cuda_layout;

/* Random elements of dtype, the same for one seed on every device. */
stria_tensor *cuda_case_new(stria_device device, stria_dtype dtype, cuda_layout layout, uint64_t seed);

/* A row-major copy on the CPU; and x on the device, with its shape, row-major. */
stria_tensor *cuda_case_to_cpu(const stria_tensor *x);
stria_tensor *cuda_case_to_device(const stria_tensor *x, stria_device device);

/* x, on a device, has the dtype, shape and elements of y, on the CPU: equal bits, or NaN in both. */
void cuda_case_check_same(const char *what, const stria_tensor *x, const stria_tensor *y);

#endif
