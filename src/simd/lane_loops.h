/* lane_loops.h - all loops of one lane type (parameters: lane_types.h). */
#include "vec_words.h"
#define FN(name) STRIA_CAT3(name, _, STRIA_T)
#include "elementwise_template.h"
#if !STRIA_IS_BOOL
#include "arg_template.h"
#endif
#include "reduce_template.h"
#if STRIA_IS_FLOAT
#include "moment_template.h"
#include "row_template.h"
#include "row_backward_template.h"
#include "complex_template.h"
#include "update_loops.h"
#endif
#if STRIA_IS_FLOAT && defined(STRIA_CHAINS)
#include "chain_template.h"
#endif
#if STRIA_IS_SUM
#include "scan_template.h"
#endif
#if STRIA_IS_FLOAT || STRIA_IS_RANDOM_WORD
#include "random_loops.h"
#endif
#undef FN
