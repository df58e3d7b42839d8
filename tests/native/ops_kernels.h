/* ops_kernels.h - checks of the loops in the kernel table, part of test_ops.c. */
#ifndef STRIA_TEST_OPS_KERNELS_H
#define STRIA_TEST_OPS_KERNELS_H

/* Every row and compute dtype of the table in use. */
void check_kernels(void);

#endif
