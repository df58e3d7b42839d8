/* ir_lanes.h - ir.c's recorders of every row for one lane type (parameters: lane_types.h). */
#include "vec_words.h"
#define FN(name) STRIA_CAT3(name, _, STRIA_T)
#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary)                                        \
    static stria_ir_value FN(record_##name)(stria_ir_value a, stria_ir_value b, stria_ir_value c) \
    {                                                                                             \
        (void)b, (void)c;                                                                         \
        return lanes;                                                                             \
    }
#define STRIA_RED(set, name, result, identity, combine, finish, summary)                                  \
    static stria_ir_value FN(record_combine_##name)(stria_ir_value a, stria_ir_value b, stria_ir_value c) \
    {                                                                                                     \
        (void)c;                                                                                          \
        return combine;                                                                                   \
    }
#include "table/ops.def"
#undef FN
