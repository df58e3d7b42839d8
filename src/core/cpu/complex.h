/* complex.h - element-wise ops of complex numbers on the CPU: expressions over the parts of their operands. Internal. */
#ifndef STRIA_CPU_COMPLEX_H
#define STRIA_CPU_COMPLEX_H

#include "call/backend.h"
#include "cpu/expression.h"

/* The row of complex.def for parts of dtype f32 or f64, as steps. Operands are the results, re and im or one value, then the parts of the
 * inputs one after another, of a real input one (bit k of `reals`: input k is real, or a condition). What is made at the first call lives as
 * long as the process. ERR_MEMORY. (complex_program.c) */
stria_status stria_complex_get_lowering(stria_op op, unsigned reals, stria_dtype part, const stria_lowering **lowering,
                                        stria_error *err);

/* The row that computes: of powers that have one of their own that one. (complex.c) */
stria_op stria_complex_choose_op(const stria_call *call);

/* As stria_cpu_element, for a meta whose compute dtype is complex. (complex.c) */
stria_element_fn stria_cpu_complex;

#endif
