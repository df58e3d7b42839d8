/* vec_fmod_lanes.h - the end of fmod of one float type VEC_T (vec_divide.h). */
#include "vec_lane.h"

/* r where it is easy; the other lanes one by one. */
VEC_INLINE VEC_V VEC_W(fmod_finish)(VEC_V a, VEC_V b, VEC_V r, VEC_M easy)
{
    const VEC_M hard = VEC_W(mask_not)(easy);
    VEC_C       x[VEC_LANES], y[VEC_LANES];

    if (!VEC_W(mask_any)(hard)) return r;
    VEC_W(store)(x, a);
    VEC_W(store)(y, b);
    for (int k = 0; k < VEC_LANES; k++) x[k] = (VEC_C)vec_fmod_one(x[k], y[k]);
    return VEC_W(select)(hard, VEC_W(load)(x), r);
}
#undef VEC_T
