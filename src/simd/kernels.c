/* kernels.c - every loop of one ISA: compiled once per ISA with STRIA_ISA=<isa> and STRIA_ISA_<isa> defined (and the
 * compiler flags of that ISA), exports one symbol, the table stria_kernels_<isa>.
 *
 *   vec_<isa>.h               the vocabulary
 *   vec_math.h                exp, log, sin .. written once on it
 *   lane_loops.h              once per lane type: elementwise_template.h and reduce_template.h, the rows of ops.def, and
 *                             the templates of functions.def, and chain_template.h for floats
 *   cast_template.h           once per source dtype: conversions to every dtype
 *   move_template.h           once per element size: gather, scatter, transpose
 *   compress_loops.h          packing by a mask
 *   lane_table.h              once per lane type: the rows of the table
 */
#include "kernels.h"

#include <math.h>
#include <string.h>

#if defined(STRIA_ISA_avx512)
#include "vec_avx512.h"
#elif defined(STRIA_ISA_avx2)
#include "vec_avx2.h"
#elif defined(STRIA_ISA_neon)
#include "vec_neon.h"
#elif defined(STRIA_ISA_wasm128)
#include "vec_wasm128.h"
#else
#include "vec_scalar.h"
#endif
#include "vec_math.h"

#include "paste.h"

/* The expression of a row: a constant argument of an always-inline loop, and so inlined too. */
#define V_LAMBDA static inline
#define V_LOOP static inline __attribute__((always_inline))
/* Before loops over vectors: a third off cheap ops in the first-level cache, for a sixth more code. */
#if defined(__wasm__)
#define V_TWICE
#else
#define V_TWICE _Pragma("GCC unroll 2")
#endif

/* Words of chains hand eight vectors on in registers, which WebAssembly's calls do not. */
#if VEC_LANES_u8 > 1 && !defined(__wasm__)
#define STRIA_CHAINS
#endif

#include "vec_quads.h"
#include "move_loops.h"

#define STRIA_PER_LANE_TYPE "lane_loops.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

#include "cast_loops.h"
#include "vec_compress.h"

#include "compress_loops.h"

extern const stria_gemm_kernels STRIA_CAT(stria_gemm_, STRIA_ISA);
extern const stria_kernels      STRIA_CAT(stria_kernels_, STRIA_ISA);
const stria_kernels             STRIA_CAT(stria_kernels_, STRIA_ISA) = {
                .isa = STRIA_STRING(STRIA_ISA),
                .vector_bytes = VEC_LANES_u8,
                .gemm = &STRIA_CAT(stria_gemm_, STRIA_ISA),
#define STRIA_PER_LANE_TYPE "lane_table.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
#include "cast_table.h"
    .count_true = compress_count,
    .compress = {compress_1, compress_2, compress_4, compress_8, compress_16},
    .gather = {move_gather_1, move_gather_2, move_gather_4, move_gather_8, move_gather_16},
    .scatter = {move_scatter_1, move_scatter_2, move_scatter_4, move_scatter_8, move_scatter_16},
    .transpose = {move_transpose_1, move_transpose_2, move_transpose_4, move_transpose_8, move_transpose_16},
};
