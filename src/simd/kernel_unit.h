/* kernel_unit.h - what a file of loops begins with: the vocabulary of STRIA_ISA and how loops are declared. */
#ifndef STRIA_KERNEL_UNIT_H
#define STRIA_KERNEL_UNIT_H

#include "kernels.h"

#include <math.h>
#include <string.h>

#include "paste.h"
#include "quick.h"

#include STRIA_ISA_HEADER(vec_)
#include "vec_math.h"

/* The table of one lane type. */
#define STRIA_LANE_TABLE_(type, isa) stria_lane_##type##_##isa
#define STRIA_LANE_TABLE(type, isa) STRIA_LANE_TABLE_(type, isa)

/* The expression of a row is a constant argument of an always-inline loop, so it is inlined too. */
#define V_LAMBDA static inline
#define V_LOOP static inline __attribute__((always_inline))
/* Before the functions of a row: their code is short where pages download it, which clang makes of what is cold. exp and log would
 * take 1.4 times as long. */
#if defined(__wasm__)
#define STRIA_LONG_exp ~,
#define STRIA_LONG_log ~,
#define V_SHORT(name) STRIA_QUICK_PICK(STRIA_QUICK_SECOND, STRIA_LONG_##name, __attribute__((cold)), )
#else
#define V_SHORT(name)
#endif
/* Before loops over vectors. Cheap ops in the first-level cache take a third less time; the code is a sixth larger. */
#if defined(__wasm__)
#define V_TWICE
#define V_FOUR_TIMES
#else
#define V_TWICE _Pragma("GCC unroll 2")
#define V_FOUR_TIMES _Pragma("GCC unroll 4") /* the vectors of a group: quick.h */
#endif

/* Words of chains hand eight vectors on in registers, which WebAssembly's calls do not. */
#if VEC_LANES_u8 > 1 && !defined(__wasm__)
#define STRIA_CHAINS
#endif

#endif
