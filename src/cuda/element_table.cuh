/* element_table.cuh - the entries of one lane type in the table of element.cu (parameters: lane_types.h). */
#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary) \
    at[STRIA_OP_##name][STRIA_ENUM] = launch<STRIA_CAT3(op_##name, _, STRIA_T)>;
#include "table/ops.def"
