/* vec_wide.h - the words of one wide type VEC_T, each the word of the 64-bit lane type VEC_HALF on both halves. */
#include "vec_lane.h"
#define VEC_HW(word) STRIA_CAT(vec_##word##_, VEC_HALF)

#define VEC_UNARY(word, result) \
    VEC_INLINE result VEC_W(word)(VEC_V a) { return (result){VEC_HW(word)(a.lo), VEC_HW(word)(a.hi)}; }
#define VEC_BINARY(word, result)                                             \
    VEC_INLINE result VEC_W(word)(VEC_V a, VEC_V b)                          \
    {                                                                        \
        return (result){VEC_HW(word)(a.lo, b.lo), VEC_HW(word)(a.hi, b.hi)}; \
    }
#define VEC_MASK_BINARY(word)                                               \
    VEC_INLINE VEC_M VEC_W(word)(VEC_M m, VEC_M n)                          \
    {                                                                       \
        return (VEC_M){VEC_HW(word)(m.lo, n.lo), VEC_HW(word)(m.hi, n.hi)}; \
    }
#define VEC_SHIFT(word) \
    VEC_INLINE VEC_V VEC_W(word)(VEC_V a, int n) { return (VEC_V){VEC_HW(word)(a.lo, n), VEC_HW(word)(a.hi, n)}; }

VEC_INLINE VEC_V VEC_W(load)(const VEC_C *at) { return (VEC_V){VEC_HW(load)(at), VEC_HW(load)(at + VEC_LANES / 2)}; }
VEC_INLINE void  VEC_W(store)(VEC_C *at, VEC_V a)
{
    VEC_HW(store)(at, a.lo);
    VEC_HW(store)(at + VEC_LANES / 2, a.hi);
}
VEC_INLINE VEC_V VEC_W(load_part)(const VEC_C *at, int64_t n, VEC_V a)
{
    const int64_t half = VEC_LANES / 2;
    if (n < half) return (VEC_V){VEC_HW(load_part)(at, n, a.lo), a.hi};
    return (VEC_V){VEC_HW(load)(at), VEC_HW(load_part)(at + half, n - half, a.hi)};
}
VEC_INLINE VEC_V VEC_W(set)(VEC_C x) { return (VEC_V){VEC_HW(set)(x), VEC_HW(set)(x)}; }
VEC_INLINE VEC_M VEC_W(load_mask)(const uint8_t *at)
{
    return (VEC_M){VEC_HW(load_mask)(at), VEC_HW(load_mask)(at + VEC_LANES / 2)};
}
VEC_INLINE void VEC_W(store_mask)(uint8_t *at, VEC_M m)
{
    VEC_HW(store_mask)(at, m.lo);
    VEC_HW(store_mask)(at + VEC_LANES / 2, m.hi);
}

VEC_BINARY(eq, VEC_M)
VEC_BINARY(ne, VEC_M)
VEC_BINARY(lt, VEC_M)
VEC_BINARY(le, VEC_M)
VEC_UNARY(isinf, VEC_M)
VEC_UNARY(isfinite, VEC_M)
VEC_MASK_BINARY(mask_and)
VEC_MASK_BINARY(mask_or)
VEC_MASK_BINARY(mask_xor)
VEC_INLINE VEC_M VEC_W(mask_not)(VEC_M m) { return (VEC_M){VEC_HW(mask_not)(m.lo), VEC_HW(mask_not)(m.hi)}; }
VEC_INLINE int   VEC_W(mask_any)(VEC_M m) { return VEC_HW(mask_any)(VEC_HW(mask_or)(m.lo, m.hi)); }
VEC_INLINE VEC_V VEC_W(select)(VEC_M m, VEC_V a, VEC_V b)
{
    return (VEC_V){VEC_HW(select)(m.lo, a.lo, b.lo), VEC_HW(select)(m.hi, a.hi, b.hi)};
}

VEC_BINARY(add, VEC_V)
VEC_BINARY(sub, VEC_V)
VEC_BINARY(mul, VEC_V)
VEC_BINARY(min, VEC_V)
VEC_BINARY(max, VEC_V)
VEC_BINARY(larger, VEC_V)
VEC_BINARY(smaller, VEC_V)
VEC_UNARY(neg, VEC_V)
VEC_UNARY(abs, VEC_V)
VEC_UNARY(sign, VEC_V)
VEC_UNARY(floor, VEC_V)
VEC_UNARY(ceil, VEC_V)
VEC_UNARY(trunc, VEC_V)
VEC_UNARY(rint, VEC_V)

#if VEC_KIND == VEC_FLOAT
VEC_BINARY(div, VEC_V)
VEC_BINARY(copysign, VEC_V)
VEC_BINARY(unordered, VEC_M)
VEC_UNARY(sqrt, VEC_V)
VEC_UNARY(bits, VEC_U)
VEC_UNARY(toint, VEC_S)
VEC_INLINE VEC_V VEC_W(frombits)(VEC_U a) { return (VEC_V){VEC_HW(frombits)(a.lo), VEC_HW(frombits)(a.hi)}; }
VEC_INLINE VEC_V VEC_W(fromint)(VEC_S a) { return (VEC_V){VEC_HW(fromint)(a.lo), VEC_HW(fromint)(a.hi)}; }
#else
VEC_BINARY(pow, VEC_V)
VEC_BINARY(and, VEC_V)
VEC_BINARY(or, VEC_V)
VEC_BINARY(xor, VEC_V)
VEC_UNARY(not, VEC_V)
VEC_SHIFT(shl)
VEC_SHIFT(shr)
#endif

#undef VEC_UNARY
#undef VEC_BINARY
#undef VEC_MASK_BINARY
#undef VEC_SHIFT
#undef VEC_HW
#undef VEC_HALF
#undef VEC_T
