/* mlir_cases.h - what is compared of graphs by machine code and by calls, whatever made the code. */
#ifndef TEST_MLIR_CASES_H
#define TEST_MLIR_CASES_H

#include "mlir_program.h"

extern int mlir_n_programs, mlir_n_skipped;

/* Every op of one dtype that takes it, as one program. */
void mlir_check_ops(mlir_way way, stria_dtype dtype);
/* Whole numbers without a sign become floats: with the bit of a truth in all places, and where that rounds. */
void mlir_check_unsigned(mlir_way way);
void mlir_check_random_program(mlir_way way, uint64_t seed, int n_steps);
/* a b and a transposed b, within K + 2 units of what the sizes of the products sum up to; relu(a b + 1). batch 0: matrices alone. */
void mlir_check_product(mlir_way way, stria_dtype dtype, int batch, int64_t m, int64_t k, int64_t n);
/* exp of blocks in some of which elements are beyond its quick form; in place, too. */
void mlir_check_far(mlir_way way);
/* A call that fails ends a run. */
void mlir_check_failure(mlir_way way);
/* An input that shares memory with what is written to. */
void mlir_check_overlap(mlir_way way);
/* All dtypes that texts have elements of: [*n] */
const stria_dtype *mlir_get_dtypes(int *n);

#endif
