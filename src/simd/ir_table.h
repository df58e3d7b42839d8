/* ir_table.h - one lane type in ir.c's choice of recorders (parameters: lane_types.h). */
case STRIA_ENUM: return STRIA_CAT3(IR_APPEND, _, STRIA_T)(row, in[0], in[1], in[2], out);
