/* reduce_table.cuh - the entries of one lane type in the table of reduce.cu (parameters: lane_types.h). */
#include "op_sets.h"
#if STRIA_IS_FLOAT && STRIA_SIZE == 4
#undef RED_SUM
#undef RED_FLOAT
#define RED_SUM(...)
#define RED_FLOAT(...)
#endif
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    at[STRIA_RED_##name][STRIA_ENUM] = reduce<STRIA_CAT3(red_##name, _, STRIA_T)>;
#include "table/ops.def"
