/* ir_lanes.h - ir.c's recorders of every row for one lane type (parameters: lane_types.h). */
#include "vec_words.h"
#define FN(name) STRIA_CAT3(name, _, STRIA_T)
#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary)                                        \
    IR_ROW stria_ir_value FN(record_##name)(stria_ir_value a, stria_ir_value b, stria_ir_value c) \
    {                                                                                             \
        (void)b, (void)c;                                                                         \
        return lanes;                                                                             \
    }
#if !defined(STRIA_IR_SHORT)
#define STRIA_RED(set, name, result, identity, combine, finish, summary)                                  \
    IR_ROW stria_ir_value FN(record_combine_##name)(stria_ir_value a, stria_ir_value b, stria_ir_value c) \
    {                                                                                                     \
        (void)c;                                                                                          \
        return combine;                                                                                   \
    }
#endif
#include "table/ops.def"

static bool FN(append_row)(int row, stria_ir_value a, stria_ir_value b, stria_ir_value c, stria_ir_value *out)
{
    switch (row) {
#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary) \
    case STRIA_OP_##name:                                  \
        if (!STRIA_IR_HAS(name)) return false;             \
        *out = FN(record_##name)(a, b, c);                 \
        return true;
#include "table/ops.def"
    default: return false;
    }
}

#if !defined(STRIA_IR_SHORT)
static bool FN(append_combine)(int row, stria_ir_value a, stria_ir_value b, stria_ir_value c, stria_ir_value *out)
{
    switch (row) {
#include "op_sets.h"
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    case STRIA_RED_##name:                                               \
        *out = FN(record_combine_##name)(a, b, c);                       \
        return true;
#include "table/ops.def"
    default: return false;
    }
}
#endif

#if !defined(STRIA_IR_SHORT)
/* The quick form of a row, or the mask of lanes that are far: what its test asks for. */
static bool FN(append_quick)(int row, stria_ir_value a, bool is_far, stria_ir_value *out)
{
    stria_ir_value (*quick)(stria_ir_value, stria_ir_value *) = NULL;
    int (*test)(stria_ir_value) = NULL;

    switch (row) {
#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary) \
    case STRIA_OP_##name:                                  \
        quick = STRIA_QUICK(name, STRIA_T);                \
        test = STRIA_IS_FAR(name, STRIA_T);                \
        break;
#include "table/ops.def"
    default: break;
    }
    if (quick == NULL || test == NULL) return false;
    stria_ir_value       far = v_set(0);
    const stria_ir_value value = quick(a, &far);
    if (is_far) test(far);
    *out = is_far ? ir_asked : value;
    return true;
}
#endif
#undef FN
