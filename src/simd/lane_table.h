/* lane_table.h - the entries of one lane type in the kernel table (parameters: lane_types.h). */
#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary) \
    .loop[STRIA_OP_##name][STRIA_ENUM] = STRIA_CAT3(loop_##name, _, STRIA_T),
#define STRIA_RED(set, name, result, identity, combine, finish, summary)     \
    .row[STRIA_RED_##name][STRIA_ENUM] = STRIA_CAT3(row_##name, _, STRIA_T), \
    .column[STRIA_RED_##name][STRIA_ENUM] = STRIA_CAT3(column_##name, _, STRIA_T),
#include "ops.def"
