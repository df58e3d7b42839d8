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

/* Numbers of a row: OP_WITH has a list of them. */
#define NUMBER(name, usual) +1
#define SCALAR(name, usual) +1
#define FLAG(name, usual) +1
enum {
#define STRIA_OP(set, name, arity, result, lanes, summary) N_NUMBERS_##name = 0,
#define OP_WITH(set, name, arity, result, tensors, numbers, lanes, summary) N_NUMBERS_##name = 0 numbers,
#include "table/ops.def"
};
#undef NUMBER
#undef SCALAR
#undef FLAG

const stria_op_info stria_op_infos[STRIA_OP_COUNT] = {
#define STRIA_OP(set, name, arity, result, lanes, summary) \
    {#name, arity, N_NUMBERS_##name, STRIA_RESULT_##result, SET_##set},
#include "table/ops.def"
};

const uint8_t stria_complex_rules[STRIA_OP_COUNT] = {
#define COMPLEX(name, result, arity, expression) [STRIA_OP_##name] = STRIA_COMPLEX_##result,
#include "table/complex.def"
};

const stria_reduction_info stria_reduction_infos[STRIA_RED_COUNT] = {
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    {#name, STRIA_RED_##result, STRIA_IDENTITY_##identity, STRIA_FINISH_##finish, SET_##set},
#include "table/ops.def"
};
