/* rows.h - the rows of ops.def as data. Internal. */
#ifndef STRIA_ROWS_H
#define STRIA_ROWS_H

#include "stria.h"

typedef enum stria_result_rule {
    STRIA_RESULT_COMMON,
    STRIA_RESULT_FLOAT,
    STRIA_RESULT_BOOL,
    STRIA_RESULT_SELECT
} stria_result_rule;
typedef enum stria_red_rule { STRIA_RED_WIDE, STRIA_RED_SAME, STRIA_RED_FLOAT, STRIA_RED_TRUTH } stria_red_rule;
/* LOWEST and HIGHEST: an empty reduction is refused. */
typedef enum stria_red_identity {
    STRIA_IDENTITY_ZERO,
    STRIA_IDENTITY_ONE,
    STRIA_IDENTITY_LOWEST,
    STRIA_IDENTITY_HIGHEST
} stria_red_identity;
typedef enum stria_red_finish { STRIA_FINISH_NONE, STRIA_FINISH_DIVIDE_BY_COUNT } stria_red_finish;

/* One row of ops.def as data. dtype_set has bit d set if a loop exists for compute dtype d. */
typedef struct stria_op_info {
    const char       *name;
    int               arity, n_numbers; /* the last n_numbers inputs are numbers of the row (OP_WITH) */
    stria_result_rule result;
    uint32_t          dtype_set;
} stria_op_info;
typedef struct stria_reduction_info {
    const char        *name;
    stria_red_rule     result;
    stria_red_identity identity;
    stria_red_finish   finish;
    uint32_t           dtype_set;
} stria_reduction_info;
/* What a row gives of complex numbers (complex.def); NONE: it is refused. */
typedef enum stria_complex_rule {
    STRIA_COMPLEX_NONE,
    STRIA_COMPLEX_PAIR,
    STRIA_COMPLEX_PART,
    STRIA_COMPLEX_TRUTH
} stria_complex_rule;
extern const uint8_t              stria_complex_rules[STRIA_OP_COUNT];
extern const stria_op_info        stria_op_infos[STRIA_OP_COUNT];
extern const stria_reduction_info stria_reduction_infos[STRIA_RED_COUNT];

#endif
