/* ir_table.h - the entries of one lane type in ir.c's table of recorders (parameters: lane_types.h). */
#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary) \
    .op[STRIA_OP_##name][STRIA_ENUM] = STRIA_CAT3(record_##name, _, STRIA_T),
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    .reduction[STRIA_RED_##name][STRIA_ENUM] = STRIA_CAT3(record_combine_##name, _, STRIA_T),
#include "table/ops.def"
