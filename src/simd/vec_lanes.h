/* vec_lanes.h - the words of one lane type VEC_T (not the wide ones of SIMD), on C's operators, which GCC and Clang also
 * give to their vector types: the same text serves one lane (vec_scalar.h) and 16, 32 or 64 bytes (vec_generic.h).
 *
 * Before it: the types of vec_types.h, or scalar ones, and from vec_<isa>.h
 *
 *   VEC_NATIVE_<word>_<type> 1   where it defined a word itself
 *   VEC_NATIVE_MASKS             if it defined all comparisons, select and the words on masks
 *   VEC_SELECT(m, a, b)          select on VEC_V, unless bits shall be combined
 *   VEC_ANY(m)                   mask_any
 *   VEC_NATIVE_MASK_BYTES        if it defined load_mask and store_mask
 *   VEC_NATIVE_PARTS             if it defined vec_load_part_32 and 64, which load_part is for lanes of so many bits
 *   sqrt floor ceil trunc rint toint fromint of floats
 */
#include "vec_lane.h"
#define VEC_NATIVE(word) STRIA_CAT(VEC_NATIVE_##word##_, VEC_T)

/* ---------------------------------------------------------------- memory */

VEC_INLINE VEC_V VEC_W(load)(const VEC_C *at)
{
    VEC_V v;
    memcpy(&v, at, sizeof v);
#if VEC_KIND == VEC_BOOL
    v = (VEC_V)((VEC_V)(v != 0) & 1);
#endif
    return v;
}

VEC_INLINE void VEC_W(store)(VEC_C *at, VEC_V a) { memcpy(at, &a, sizeof a); }

/* The way through memory is slow: a vector can read it only when the smaller stores have reached the cache. */
VEC_INLINE VEC_V VEC_W(load_part)(const VEC_C *at, int64_t n, VEC_V a)
{
#if defined(VEC_NATIVE_PARTS) && VEC_BITS >= 32
    return (VEC_V)STRIA_CAT(vec_load_part_, VEC_BITS)(at, n, (VEC_U)a);
#else
    VEC_C part[VEC_LANES];
    VEC_W(store)(part, a);
    memcpy(part, at, (size_t)n * sizeof(VEC_C));
    return VEC_W(load)(part);
#endif
}

/* x - 0 is x for every x, also -0. */
VEC_INLINE VEC_V VEC_W(set)(VEC_C x) { return x - (VEC_V){0}; }

/* ---------------------------------------------------------------- comparisons and masks */

#if !defined(VEC_NATIVE_MASKS)
VEC_INLINE VEC_M VEC_W(eq)(VEC_V a, VEC_V b) { return (VEC_M)(a == b); }
VEC_INLINE VEC_M VEC_W(ne)(VEC_V a, VEC_V b) { return (VEC_M)(a != b); }
VEC_INLINE VEC_M VEC_W(lt)(VEC_V a, VEC_V b) { return (VEC_M)(a < b); }
VEC_INLINE VEC_M VEC_W(le)(VEC_V a, VEC_V b) { return (VEC_M)(a <= b); }

VEC_INLINE VEC_M VEC_W(mask_and)(VEC_M m, VEC_M n) { return m & n; }
VEC_INLINE VEC_M VEC_W(mask_or)(VEC_M m, VEC_M n) { return m | n; }
VEC_INLINE VEC_M VEC_W(mask_xor)(VEC_M m, VEC_M n) { return m ^ n; }
VEC_INLINE VEC_M VEC_W(mask_not)(VEC_M m) { return VEC_MASK_NOT(m); }
VEC_INLINE int   VEC_W(mask_any)(VEC_M m) { return VEC_ANY(m); }

VEC_INLINE VEC_V VEC_W(select)(VEC_M m, VEC_V a, VEC_V b)
{
#if defined(VEC_SELECT)
    return VEC_SELECT(m, a, b);
#else
    return (VEC_V)(((VEC_U)m & (VEC_U)a) | (~(VEC_U)m & (VEC_U)b));
#endif
}
#endif

#if !defined(VEC_NATIVE_MASK_BYTES)
VEC_INLINE VEC_M VEC_W(load_mask)(const uint8_t *at) { return STRIA_CAT(vec_mask_load_, VEC_BITS)(at); }
VEC_INLINE void  VEC_W(store_mask)(uint8_t *at, VEC_M m) { STRIA_CAT(vec_mask_store_, VEC_BITS)(at, m); }
#endif

/* ---------------------------------------------------------------- bool */

#if VEC_KIND == VEC_BOOL
VEC_INLINE VEC_V VEC_W (and)(VEC_V a, VEC_V b) { return a & b; }
VEC_INLINE VEC_V VEC_W(or)(VEC_V a, VEC_V b) { return a | b; }
VEC_INLINE VEC_V VEC_W (xor)(VEC_V a, VEC_V b) { return a ^ b; }
VEC_INLINE VEC_V VEC_W(not )(VEC_V a) { return a ^ 1; }
VEC_INLINE VEC_V VEC_W(add)(VEC_V a, VEC_V b) { return a | b; }
VEC_INLINE VEC_V VEC_W(mul)(VEC_V a, VEC_V b) { return a & b; }
VEC_INLINE VEC_V VEC_W(max)(VEC_V a, VEC_V b) { return a | b; }
VEC_INLINE VEC_V VEC_W(min)(VEC_V a, VEC_V b) { return a & b; }
VEC_INLINE VEC_V VEC_W(sign)(VEC_V a) { return a; }
#endif

/* ---------------------------------------------------------------- integers */

#if VEC_KIND == VEC_UINT || VEC_KIND == VEC_SINT
VEC_INLINE VEC_V VEC_W(add)(VEC_V a, VEC_V b) { return (VEC_V)((VEC_U)a + (VEC_U)b); }
VEC_INLINE VEC_V VEC_W(sub)(VEC_V a, VEC_V b) { return (VEC_V)((VEC_U)a - (VEC_U)b); }
#if !VEC_NATIVE(mul)
VEC_INLINE VEC_V VEC_W(mul)(VEC_V a, VEC_V b) { return (VEC_V)((VEC_U)a * (VEC_U)b); }
#endif
VEC_INLINE VEC_V VEC_W(neg)(VEC_V a) { return (VEC_V)((VEC_U){0} - (VEC_U)a); }
VEC_INLINE VEC_V VEC_W (and)(VEC_V a, VEC_V b) { return a & b; }
VEC_INLINE VEC_V VEC_W(or)(VEC_V a, VEC_V b) { return a | b; }
VEC_INLINE VEC_V VEC_W (xor)(VEC_V a, VEC_V b) { return a ^ b; }
VEC_INLINE VEC_V VEC_W(not )(VEC_V a) { return (VEC_V)~a; }
VEC_INLINE VEC_V VEC_W(shl)(VEC_V a, int n) { return (VEC_V)((VEC_U)a << n); }
#if !VEC_NATIVE(shr)
VEC_INLINE VEC_V VEC_W(shr)(VEC_V a, int n) { return a >> n; }
#endif
#if !VEC_NATIVE(min)
VEC_INLINE VEC_V VEC_W(min)(VEC_V a, VEC_V b) { return VEC_W(select)(VEC_W(lt)(a, b), a, b); }
VEC_INLINE VEC_V VEC_W(max)(VEC_V a, VEC_V b) { return VEC_W(select)(VEC_W(lt)(b, a), a, b); }
#endif
VEC_INLINE VEC_V VEC_W(larger)(VEC_V a, VEC_V b) { return VEC_W(max)(a, b); }
VEC_INLINE VEC_V VEC_W(smaller)(VEC_V a, VEC_V b) { return VEC_W(min)(a, b); }
VEC_INLINE VEC_V VEC_W(floor)(VEC_V a) { return a; }
VEC_INLINE VEC_V VEC_W(ceil)(VEC_V a) { return a; }
VEC_INLINE VEC_V VEC_W(trunc)(VEC_V a) { return a; }
VEC_INLINE VEC_V VEC_W(rint)(VEC_V a) { return a; }
#endif

#if VEC_KIND == VEC_UINT
VEC_INLINE VEC_V VEC_W(abs)(VEC_V a) { return a; }
VEC_INLINE VEC_V VEC_W(sign)(VEC_V a) { return VEC_W(min)(a, VEC_W(set)(1)); }
VEC_INLINE VEC_V STRIA_CAT(STRIA_CAT3(vec_, VEC_T, _from_), VEC_SIGNED)(VEC_S a) { return (VEC_V)a; }
VEC_INLINE VEC_S STRIA_CAT(STRIA_CAT3(vec_, VEC_SIGNED, _from_), VEC_T)(VEC_V a) { return (VEC_S)a; }
#elif VEC_KIND == VEC_SINT
VEC_INLINE VEC_V VEC_W(abs)(VEC_V a)
{
    const VEC_V s = VEC_W(shr)(a, VEC_BITS - 1);
    return VEC_W(sub)(VEC_W(xor)(a, s), s);
}
VEC_INLINE VEC_V VEC_W(sign)(VEC_V a) { return VEC_W(max)(VEC_W(min)(a, VEC_W(set)(1)), VEC_W(set)(-1)); }
#endif

#if VEC_KIND == VEC_UINT || VEC_KIND == VEC_SINT
#include "vec_ipow.h"
#endif

#if VEC_KIND != VEC_FLOAT
VEC_INLINE VEC_M VEC_W(isinf)(VEC_V a) { return VEC_W(ne)(a, a); }
VEC_INLINE VEC_M VEC_W(isfinite)(VEC_V a) { return VEC_W(eq)(a, a); }
#endif

/* ---------------------------------------------------------------- floats */

#if VEC_KIND == VEC_FLOAT
VEC_INLINE VEC_V VEC_W(add)(VEC_V a, VEC_V b) { return a + b; }
VEC_INLINE VEC_V VEC_W(sub)(VEC_V a, VEC_V b) { return a - b; }
VEC_INLINE VEC_V VEC_W(mul)(VEC_V a, VEC_V b) { return a * b; }
VEC_INLINE VEC_V VEC_W(div)(VEC_V a, VEC_V b) { return a / b; }

VEC_INLINE VEC_U VEC_W(bits)(VEC_V a)
{
    VEC_U u;
    memcpy(&u, &a, sizeof u);
    return u;
}
VEC_INLINE VEC_V VEC_W(frombits)(VEC_U u)
{
    VEC_V a;
    memcpy(&a, &u, sizeof a);
    return a;
}

VEC_INLINE VEC_U VEC_W(signbits)(void) { return VEC_UW(shl)(VEC_UW(set)(1), VEC_BITS - 1); }
VEC_INLINE VEC_V VEC_W(neg)(VEC_V a) { return VEC_W(frombits)(VEC_W(bits)(a) ^ VEC_W(signbits)()); }
VEC_INLINE VEC_V VEC_W(abs)(VEC_V a) { return VEC_W(frombits)(VEC_W(bits)(a) & ~VEC_W(signbits)()); }
VEC_INLINE VEC_V VEC_W(copysign)(VEC_V a, VEC_V b)
{
    const VEC_U s = VEC_W(signbits)();
    return VEC_W(frombits)((VEC_W(bits)(a) & ~s) | (VEC_W(bits)(b) & s));
}

VEC_INLINE VEC_M VEC_W(isinf)(VEC_V a) { return VEC_W(eq)(VEC_W(abs)(a), VEC_W(set)((VEC_C)INFINITY)); }
VEC_INLINE VEC_M VEC_W(isfinite)(VEC_V a) { return VEC_W(lt)(VEC_W(abs)(a), VEC_W(set)((VEC_C)INFINITY)); }

/* +-0 and NaN are where neither a < 0 nor 0 < a. */
VEC_INLINE VEC_V VEC_W(sign)(VEC_V a)
{
    const VEC_V zero = VEC_W(set)(0);
    const VEC_M nonzero = VEC_W(lt)(zero, VEC_W(abs)(a));
    return VEC_W(select)(nonzero, VEC_W(copysign)(VEC_W(set)(1), a), a);
}

#if !VEC_NATIVE(min)
/* Equal operands differ at most in the sign of zero, which or and and settle. */
VEC_INLINE VEC_V VEC_W(min)(VEC_V a, VEC_V b)
{
    const VEC_V either = VEC_W(frombits)(VEC_W(bits)(a) | VEC_W(bits)(b));
    const VEC_V smaller = VEC_W(select)(VEC_W(lt)(a, b), a, VEC_W(select)(VEC_W(eq)(a, b), either, b));
    return VEC_W(select)(VEC_W(ne)(a, a), a, smaller);
}
VEC_INLINE VEC_V VEC_W(max)(VEC_V a, VEC_V b)
{
    const VEC_V both = VEC_W(frombits)(VEC_W(bits)(a) & VEC_W(bits)(b));
    const VEC_V larger = VEC_W(select)(VEC_W(lt)(b, a), a, VEC_W(select)(VEC_W(eq)(a, b), both, b));
    return VEC_W(select)(VEC_W(ne)(a, a), a, larger);
}
#endif
#if !VEC_NATIVE(larger)
VEC_INLINE VEC_V VEC_W(larger)(VEC_V a, VEC_V b) { return VEC_W(select)(VEC_W(lt)(b, a), a, b); }
VEC_INLINE VEC_V VEC_W(smaller)(VEC_V a, VEC_V b) { return VEC_W(select)(VEC_W(lt)(a, b), a, b); }
#endif
#if !VEC_NATIVE(unordered)
VEC_INLINE VEC_M VEC_W(unordered)(VEC_V a, VEC_V b) { return VEC_W(mask_or)(VEC_W(ne)(a, a), VEC_W(ne)(b, b)); }
#endif
#endif

#undef VEC_NATIVE
#undef VEC_T
