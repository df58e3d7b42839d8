/* lane_loops.h - all loops of one lane type (parameters: lane_types.h). */
#include "vec_bind.h"
#define FN(name) STRIA_CAT3(name, _, STRIA_T)
#include "elementwise_template.h"
#include "reduce_template.h"
#undef FN
#include "vec_unbind.h"
