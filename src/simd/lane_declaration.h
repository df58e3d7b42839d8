/* lane_declaration.h - the table of one lane type, as kernels.c sees it (parameters: lane_types.h). */
extern const stria_lane_kernels STRIA_LANE_TABLE(STRIA_T, STRIA_ISA);
