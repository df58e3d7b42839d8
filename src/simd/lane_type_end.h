/* lane_type_end.h - undefines what lane_types.h defined for one lane type. */
#undef STRIA_T
#undef STRIA_SIZE
#undef STRIA_WORD
#undef STRIA_IS_FLOAT
#undef STRIA_IS_BOOL
#undef STRIA_IS_SUM
#undef STRIA_LOWEST
#undef STRIA_HIGHEST
