/* index_table.cuh - the case of one lane type in the table of index.cu (parameters: lane_types.h). */
case STRIA_ENUM: return combine<STRIA_CAT(lanes_, STRIA_WORD)>(stream, call, n); 