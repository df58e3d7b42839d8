/* gemm_kernels.c - the loops of matrix products for one ISA: compiled once per ISA with STRIA_ISA=<isa>,
 * exports one symbol, the table stria_gemm_<isa> (contract: gemm.h).
 *
 *   vec_<isa>.h        the vocabulary
 *   gemm_<isa>.h       what is added to it: multiply-add; and the sizes of tiles
 *   gemm_template.h    the loops, once per lane type
 */
#include "gemm.h"

#include "paste.h"

#include STRIA_ISA_HEADER(vec_)
#include STRIA_ISA_HEADER(gemm_)

#define GEMM_INLINE static inline __attribute__((always_inline))

/* Integers wrap modulo 2^bits, so nothing is gained by fusing. */
VEC_INLINE vec_u32 gemm_madd_u32(vec_u32 a, vec_u32 b, vec_u32 c) { return vec_add_u32(vec_mul_u32(a, b), c); }
VEC_INLINE vec_u64 gemm_madd_u64(vec_u64 a, vec_u64 b, vec_u64 c) { return vec_add_u64(vec_mul_u64(a, b), c); }

#define STRIA_T f32
#include "gemm_template.h"
#undef STRIA_T
#define STRIA_T f64
#include "gemm_template.h"
#undef STRIA_T
#define STRIA_T u32
#include "gemm_template.h"
#undef STRIA_T
#define STRIA_T u64
#include "gemm_template.h"
#undef STRIA_T

#define KERNEL(type)                                                                                             \
    {                                                                                                            \
        .mr = GEMM_ROWS_##type, .nr = GEMM_VECTORS_##type * VEC_LANES_##type, .lanes = VEC_LANES_##type,         \
        .kc = GEMM_KC_##type, .mc = GEMM_MC_##type / GEMM_ROWS_##type * GEMM_ROWS_##type, .panel = panel_##type, \
        .dot = dot_##type, .axpy = axpy_##type                                                                   \
    }
#ifndef STRIA_GEMM_TABLE
#define STRIA_GEMM_TABLE STRIA_CAT(stria_gemm_, STRIA_ISA)
#endif
extern const stria_gemm_kernels STRIA_GEMM_TABLE;
const stria_gemm_kernels        STRIA_GEMM_TABLE = {
           .f32 = KERNEL(f32),
           .f64 = KERNEL(f64),
           .u32 = KERNEL(u32),
           .u64 = KERNEL(u64),
};
#undef KERNEL
