/* vec_lane_end.h - undoes vec_lane_begin.h. */
#undef VEC_T
#undef VEC_V
#undef VEC_M
#undef VEC_C
#undef VEC_BITS
#undef VEC_KIND
#undef VEC_LANES
#undef VEC_UNSIGNED
#undef VEC_SIGNED
#undef VEC_U
#undef VEC_S
#undef VEC_W
#undef VEC_UW
