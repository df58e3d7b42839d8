/* vec_lane.h - names for the templates over one lane type VEC_T. Each name looks VEC_T up where it is used, so they are
 * defined once; a template undefines VEC_T at its end. */
#ifndef STRIA_VEC_LANE_H
#define STRIA_VEC_LANE_H

#include "paste.h"

#define VEC_V STRIA_CAT(vec_, VEC_T)
#define VEC_M STRIA_CAT(vec_mask_, VEC_T)
#define VEC_C STRIA_CAT(VEC_CTYPE_, VEC_T)
#define VEC_BITS STRIA_CAT(VEC_BITS_, VEC_T)
#define VEC_KIND STRIA_CAT(VEC_KIND_, VEC_T)
#define VEC_LANES STRIA_CAT(VEC_LANES_, VEC_T)
/* The unsigned type of the same width, and a word of it. */
#define VEC_UNSIGNED STRIA_CAT(VEC_UNSIGNED_, VEC_T)
#define VEC_SIGNED STRIA_CAT(VEC_SIGNED_, VEC_T)
#define VEC_U STRIA_CAT(vec_, VEC_UNSIGNED)
#define VEC_S STRIA_CAT(vec_, VEC_SIGNED)
#define VEC_W(word) STRIA_CAT(vec_##word##_, VEC_T)
#define VEC_UW(word) STRIA_CAT(vec_##word##_, VEC_UNSIGNED)

#endif
