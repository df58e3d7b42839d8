/* lane_entry.h - one lane type in the table of its ISA (parameters: lane_types.h). */
[STRIA_ENUM] = &STRIA_LANE_TABLE(STRIA_T, STRIA_ISA),
