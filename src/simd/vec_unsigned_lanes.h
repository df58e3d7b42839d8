/* vec_unsigned_lanes.h - quot, shift_left and shift_right of one unsigned type VEC_T (vec_integers.h). VEC_WIDE is the type
 * of twice the width, which u64 lacks. */
#include "vec_lane.h"
#define VEC_WW(word) STRIA_CAT(vec_##word##_, VEC_WIDE)
#define VEC_WV STRIA_CAT(vec_, VEC_WIDE)

#if VEC_LANES == 1
VEC_INLINE VEC_V VEC_W(quot)(VEC_V a, VEC_V b) { return b == 0 ? 0 : (VEC_V)(a / b); }
#elif VEC_BITS == 64
VEC_INLINE VEC_V VEC_W(quot)(VEC_V a, VEC_V b)
{
    VEC_C x[VEC_LANES], y[VEC_LANES];
    VEC_W(store)(x, a);
    VEC_W(store)(y, b);
    for (int k = 0; k < VEC_LANES; k++) x[k] = y[k] == 0 ? 0 : x[k] / y[k];
    return VEC_W(load)(x);
}
#else
/* The lanes of even and those of odd number, as lanes of twice the width. */
VEC_INLINE VEC_V VEC_W(quot)(VEC_V a, VEC_V b)
{
    const VEC_WV low = VEC_WW(set)(((STRIA_CAT(VEC_CTYPE_, VEC_WIDE))1 << VEC_BITS) - 1), x = (VEC_WV)a, y = (VEC_WV)b;
    const VEC_WV even = VEC_WW(quot_of_halves)(VEC_WW(and)(x, low), VEC_WW(and)(y, low));
    const VEC_WV odd = VEC_WW(quot_of_halves)(VEC_WW(shr)(x, VEC_BITS), VEC_WW(shr)(y, VEC_BITS));
    return (VEC_V)VEC_WW(or)(even, VEC_WW(shl)(odd, VEC_BITS));
}
#endif

/* Counts of 0 .. VEC_BITS - 1. */
#if VEC_LANES == 1 || (defined(VEC_NATIVE_LANE_SHIFTS) && VEC_BITS >= 32)
VEC_INLINE VEC_V VEC_W(shift_left_inside)(VEC_V a, VEC_V n) { return (VEC_V)(a << n); }
VEC_INLINE VEC_V VEC_W(shift_right_inside)(VEC_V a, VEC_V n) { return (VEC_V)(a >> n); }
#else
/* By 1, 2, 4 .., where the count has that bit. */
VEC_INLINE VEC_M VEC_W(has_bit)(VEC_V n, int bit)
{
    return VEC_W(ne)(VEC_W(and)(n, VEC_W(set)((VEC_C)bit)), VEC_W(set)(0));
}
VEC_INLINE VEC_V VEC_W(shift_left_inside)(VEC_V a, VEC_V n)
{
    for (int k = 1; k < VEC_BITS; k *= 2) a = VEC_W(select)(VEC_W(has_bit)(n, k), VEC_W(shl)(a, k), a);
    return a;
}
VEC_INLINE VEC_V VEC_W(shift_right_inside)(VEC_V a, VEC_V n)
{
    for (int k = 1; k < VEC_BITS; k *= 2) a = VEC_W(select)(VEC_W(has_bit)(n, k), VEC_W(shr)(a, k), a);
    return a;
}
#endif
VEC_INLINE VEC_V VEC_W(shift_left)(VEC_V a, VEC_V n)
{
    const VEC_V bits = VEC_W(set)(VEC_BITS), inside = VEC_W(and)(n, VEC_W(set)(VEC_BITS - 1));
    return VEC_W(select)(VEC_W(lt)(n, bits), VEC_W(shift_left_inside)(a, inside), VEC_W(set)(0));
}
VEC_INLINE VEC_V VEC_W(shift_right)(VEC_V a, VEC_V n)
{
    const VEC_V bits = VEC_W(set)(VEC_BITS), inside = VEC_W(and)(n, VEC_W(set)(VEC_BITS - 1));
    return VEC_W(select)(VEC_W(lt)(n, bits), VEC_W(shift_right_inside)(a, inside), VEC_W(set)(0));
}

#undef VEC_WW
#undef VEC_WV
#undef VEC_WIDE
#undef VEC_T
