/* kernels.c - the table of one ISA: compiled once per ISA with STRIA_ISA=<isa> (and the compiler flags of that ISA),
 * exports one symbol, stria_kernels_<isa>. It has the loops that know no lane type, and points to the
 * others: stria_lane_<type>_<isa> (lane_kernels.c), stria_gemm_<isa> (gemm_kernels.c).
 *
 *   cast_template.h           once per source dtype: conversions to every dtype
 *   move_template.h           once per element size: gather, scatter, transpose
 *   pixel_template.h          the same: transpose where one side is parts of pixels, or pixels backwards
 *   compress_loops.h          packing by a mask
 */
#include "kernel_unit.h"

#include "move_loops.h"
#include "pixel_loops.h"

#include "cast_loops.h"
#include "vec_compress.h"

#include "compress_loops.h"

#if defined(VEC_STORE_NONTEMPORAL)
static void copy_nontemporal(char *dst, const char *src, int64_t nbytes)
{
    const int64_t over = (int64_t)((uintptr_t)dst % VEC_LANES_u8), before = over > 0 ? VEC_LANES_u8 - over : 0;
    int64_t       k = before < nbytes ? before : nbytes;

    memcpy(dst, src, (size_t)k);
    for (; k + VEC_LANES_u8 <= nbytes; k += VEC_LANES_u8)
        VEC_STORE_NONTEMPORAL(dst + k, vec_load_u8((const uint8_t *)src + k));
    memcpy(dst + k, src + k, (size_t)(nbytes - k));
}
static void fence(void) { VEC_FENCE; }
#endif

/* A dtype that is stored, but that no loop computes in. */
static const stria_lane_kernels no_loops;

extern const stria_gemm_kernels STRIA_CAT(stria_gemm_, STRIA_ISA);
#define STRIA_PER_LANE_TYPE "lane_declaration.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

extern const stria_kernels STRIA_CAT(stria_kernels_, STRIA_ISA);
const stria_kernels        STRIA_CAT(stria_kernels_, STRIA_ISA) = {
           .isa = STRIA_STRING(STRIA_ISA),
           .vector_bytes = VEC_LANES_u8,
           .gemm = &STRIA_CAT(stria_gemm_, STRIA_ISA),
           .lane =
               {
                   [STRIA_F16] = &no_loops,
                   [STRIA_BF16] = &no_loops,
                   [STRIA_C64] = &no_loops,
                   [STRIA_C128] = &no_loops,
#define STRIA_PER_LANE_TYPE "lane_entry.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
        },
#include "cast_table.h"
#if defined(VEC_STORE_NONTEMPORAL)
    .copy_nontemporal = copy_nontemporal,
    .fence = fence,
#endif
    .count_true = compress_count,
    .compress = {compress_1, compress_2, compress_4, compress_8, compress_16},
    .gather = {move_gather_1, move_gather_2, move_gather_4, move_gather_8, move_gather_16},
    .scatter = {move_scatter_1, move_scatter_2, move_scatter_4, move_scatter_8, move_scatter_16},
    .transpose = {pixel_transpose_1, pixel_transpose_2, pixel_transpose_4, pixel_transpose_8, move_transpose_16},
};
