/* rows.c - ops.def as data: what an op is called, takes and gives, and the dtypes that it has loops for. */
#include "table/rows.h"

#define BIT(ENUM) (UINT32_C(1) << STRIA_##ENUM)
#define SET_UNSIGNED (BIT(U8) | BIT(U16) | BIT(U32) | BIT(U64))
#define SET_SIGNED (BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64))
#define SET_INT (SET_UNSIGNED | SET_SIGNED)
#define SET_BITS (BIT(BOOL) | SET_INT)
#define SET_FLOAT (BIT(F32) | BIT(F64))
#define SET_NUM (SET_INT | SET_FLOAT)
#define SET_ALL (SET_BITS | SET_FLOAT)
#define SET_SUM (BIT(I64) | BIT(U64) | SET_FLOAT)
#define SET_BOOL BIT(BOOL)

const stria_op_info stria_op_infos[STRIA_OP_COUNT] = {
#define STRIA_OP(set, name, arity, result, lanes, summary) {#name, summary, arity, STRIA_RESULT_##result, SET_##set},
#include "table/ops.def"
};

const stria_reduction_info stria_reduction_infos[STRIA_RED_COUNT] = {
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    {#name, summary, STRIA_RED_##result, STRIA_IDENTITY_##identity, STRIA_FINISH_##finish, SET_##set},
#include "table/ops.def"
};
