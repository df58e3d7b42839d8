/* lane_kernels.c - every loop of one lane type and one ISA: compiled with STRIA_LANE_<type> and what kernels.c is compiled
 * with, exports one symbol, the table stria_lane_<type>_<isa>. The types are units of their own so that they build side by
 * side.
 *
 *   vec_<isa>.h               the vocabulary
 *   vec_math.h                exp, log, sin .. written once on it
 *   lane_loops.h              elementwise_template.h and reduce_template.h, the rows of ops.def, and the templates of
 *                             functions.def, and chain_template.h for floats
 *   lane_table.h              the table
 */
#define STRIA_ONE_LANE
#include "kernel_unit.h"

#include "vec_quads.h"
/* of the moves, reductions of short rows use the squares alone */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "move_loops.h"
#pragma GCC diagnostic pop

#define STRIA_PER_LANE_TYPE "lane_loops.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE

#define STRIA_PER_LANE_TYPE "lane_table.h"
#include "lane_types.h"
#undef STRIA_PER_LANE_TYPE
