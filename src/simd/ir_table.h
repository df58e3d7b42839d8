/* ir_table.h - one lane type in a choice of ir.c (parameters: lane_types.h). */
IR_CASE(STRIA_ENUM, STRIA_T)
