/* vec_numbers_lanes.h - the functions of vec_numbers.h for one lane type VEC_T. */
#include "vec_math_begin.h"

#if VEC_KIND == VEC_BOOL || VEC_KIND == VEC_UINT
VEC_INLINE M VEC_W(signbit)(V a) { return NE(a, a); }
#endif

#if VEC_KIND == VEC_UINT
/* Euclid's algorithm takes another number of steps in each lane; a recorder takes gcd for one word. */
#ifndef VEC_NATIVE_GCD
VEC_INLINE V VEC_W(gcd)(V a, V b)
{
    VEC_C x[VEC_LANES], y[VEC_LANES];
    VEC_W(store)(x, a);
    VEC_W(store)(y, b);
    for (int k = 0; k < VEC_LANES; k++) {
        while (y[k] != 0) {
            const VEC_C rest = (VEC_C)(x[k] % y[k]);
            x[k] = y[k];
            y[k] = rest;
        }
    }
    return VEC_W(load)(x);
}
#endif
/* 0 / 0 is 0 */
VEC_INLINE V VEC_W(lcm)(V a, V b) { return MUL(VEC_W(quot)(a, VEC_W(gcd)(a, b)), b); }

/* In pairs of bits, in fours, in bytes, whose sum a product leaves in the uppermost one (Warren, Hacker's Delight, 5-1). */
#define SHR(a, n) VEC_W(shr)(a, n)
#define BITS_OF(byte) C((VEC_C)(UINT64_C(0x0101010101010101) * (byte)))
VEC_INLINE V VEC_W(bit_count)(V a)
{
    a = SUB(a, VEC_W(and)(SHR(a, 1), BITS_OF(0x55)));
    a = ADD(VEC_W(and)(a, BITS_OF(0x33)), VEC_W(and)(SHR(a, 2), BITS_OF(0x33)));
    a = VEC_W(and)(ADD(a, SHR(a, 4)), BITS_OF(0x0f));
    return sizeof(VEC_C) == 1 ? a : SHR(MUL(a, BITS_OF(1)), 8 * (int)sizeof(VEC_C) - 8);
}
/* Every bit below the first 1 becomes 1. */
VEC_INLINE V VEC_W(leading_zeros)(V a)
{
    for (int n = 1; n < 8 * (int)sizeof(VEC_C); n *= 2) a = VEC_W(or)(a, SHR(a, n));
    return VEC_W(bit_count)(VEC_W(not )(a));
}
#undef SHR
#undef BITS_OF
#endif

#if VEC_KIND == VEC_SINT
VEC_INLINE M VEC_W(signbit)(V a) { return LT(a, C(0)); }

/* The magnitudes as unsigned lanes, of which that of the smallest number is right. */
#define TO_U(a) STRIA_CAT(STRIA_CAT3(vec_, VEC_UNSIGNED, _from_), VEC_T)(a)
#define MAGNITUDE(a) TO_U(ABS(a))
#define OF_U(a) STRIA_CAT(STRIA_CAT3(vec_, VEC_T, _from_), VEC_UNSIGNED)(a)
VEC_INLINE V VEC_W(gcd)(V a, V b) { return OF_U(VEC_UW(gcd)(MAGNITUDE(a), MAGNITUDE(b))); }
VEC_INLINE V VEC_W(lcm)(V a, V b) { return OF_U(VEC_UW(lcm)(MAGNITUDE(a), MAGNITUDE(b))); }
VEC_INLINE V VEC_W(bit_count)(V a) { return OF_U(VEC_UW(bit_count)(MAGNITUDE(a))); }
VEC_INLINE V VEC_W(leading_zeros)(V a) { return OF_U(VEC_UW(leading_zeros)(TO_U(a))); }
#undef MAGNITUDE
#undef TO_U
#undef OF_U
#endif

#if VEC_KIND == VEC_FLOAT
VEC_INLINE M VEC_W(signbit)(V a) { return LT(COPYSIGN(C(1), a), C(0)); }

/* The bits of numbers of one sign are in the order of their magnitudes. */
VEC_INLINE V VEC_W(nextafter)(V a, V b)
{
    const VEC_U one = VEC_UW(set)(1), bits = VEC_W(bits)(a);
    const V     up = VEC_W(frombits)(VEC_UW(add)(bits, one)), down = VEC_W(frombits)(VEC_UW(sub)(bits, one));
    const V     least = COPYSIGN(VEC_W(frombits)(one), b);
    const M     grows = VEC_W(mask_xor)(LT(a, b), LT(a, C(0)));
    const V     r = SEL(EQ(a, C(0)), least, SEL(grows, up, down));
    return SEL(EQ(a, b), b, SEL(OR(NE(a, a), NE(b, b)), ADD(a, b), r));
}
#endif
#include "vec_math_end.h"
