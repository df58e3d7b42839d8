/* vec_ipow.h - pow of one integer type VEC_T, on its other words: square and multiply. Parameters: vec_lane.h. */

/* A negative exponent gives 1 / a^-b rounded toward zero, which is a^b only for a = 1 and a = -1. */
VEC_INLINE VEC_V VEC_W(pow)(VEC_V a, VEC_V b)
{
    const VEC_V zero = VEC_W(set)(0), one = VEC_W(set)(1);
    VEC_V       result = one, power = a, rest = b;
#if VEC_KIND == VEC_SINT
    const VEC_M is_fraction = VEC_W(mask_and)(VEC_W(lt)(b, zero), VEC_W(ne)(VEC_W(abs)(a), one));
    power = VEC_W(select)(is_fraction, zero, a);
    rest = VEC_W(abs)(b);
#endif
    for (int i = 0; i < VEC_BITS && VEC_W(mask_any)(VEC_W(ne)(rest, zero)); i++) {
        const VEC_M is_odd = VEC_W(ne)(VEC_W(and)(rest, one), zero);
        result = VEC_W(select)(is_odd, VEC_W(mul)(result, power), result);
        power = VEC_W(mul)(power, power);
        rest = VEC_W(shr)(rest, 1);
    }
    return result;
}
