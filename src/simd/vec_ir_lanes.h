/* vec_ir_lanes.h - the recording words of one lane type VEC_T (vec_ir.h). */
#include "vec_lane.h"
#define VEC_DTYPE STRIA_CAT(VEC_DTYPE_, VEC_T)

#define VEC_RECORD_1(word)                                              \
    VEC_INLINE stria_ir_value VEC_W(word)(stria_ir_value a)             \
    {                                                                   \
        return stria_ir_append(STRIA_IR_##word, VEC_DTYPE, a, a, a, 0); \
    }
#define VEC_RECORD_2(word)                                                    \
    VEC_INLINE stria_ir_value VEC_W(word)(stria_ir_value a, stria_ir_value b) \
    {                                                                         \
        return stria_ir_append(STRIA_IR_##word, VEC_DTYPE, a, b, b, 0);       \
    }
#define VEC_RECORD_SHIFT(word)                                                    \
    VEC_INLINE stria_ir_value VEC_W(word)(stria_ir_value a, int n)                \
    {                                                                             \
        return stria_ir_append(STRIA_IR_##word, VEC_DTYPE, a, a, a, (uint64_t)n); \
    }

VEC_INLINE stria_ir_value VEC_W(set)(VEC_C x)
{
    uint64_t       bits = 0;
    stria_ir_value none = {0};
    memcpy(&bits, &x, sizeof x); /* little endian */
    return stria_ir_append(STRIA_IR_set, VEC_DTYPE, none, none, none, bits);
}

VEC_RECORD_2(eq)
VEC_RECORD_2(ne)
VEC_RECORD_2(lt)
VEC_RECORD_2(le)
VEC_RECORD_1(isinf)
VEC_RECORD_1(isfinite)
VEC_RECORD_2(mask_and)
VEC_RECORD_2(mask_or)
VEC_RECORD_2(mask_xor)
VEC_RECORD_1(mask_not)
/* A tape has no branches: what any lane might need is computed. */
VEC_INLINE int VEC_W(mask_any)(stria_ir_value m)
{
    ir_asked = m;
    return 1;
}
VEC_INLINE stria_ir_value VEC_W(select)(stria_ir_value m, stria_ir_value a, stria_ir_value b)
{
    return stria_ir_append(STRIA_IR_select, VEC_DTYPE, m, a, b, 0);
}

VEC_RECORD_2(add)
VEC_RECORD_2(mul)
VEC_RECORD_2(min)
VEC_RECORD_2(max)
VEC_RECORD_1(sign)

#if VEC_KIND != VEC_BOOL
VEC_RECORD_2(sub)
VEC_RECORD_1(neg)
VEC_RECORD_1(abs)
VEC_RECORD_1(floor)
VEC_RECORD_1(ceil)
VEC_RECORD_1(trunc)
VEC_RECORD_1(rint)
VEC_INLINE stria_ir_value VEC_W(larger)(stria_ir_value a, stria_ir_value b)
{
    return VEC_W(select)(VEC_W(lt)(b, a), a, b);
}
#endif

#if VEC_KIND == VEC_FLOAT
VEC_RECORD_2(div)
VEC_RECORD_1(sqrt)
VEC_RECORD_2(copysign)
VEC_RECORD_2(fmod)
VEC_RECORD_1(bits)
VEC_RECORD_1(frombits)
VEC_RECORD_1(toint)
VEC_RECORD_1(fromint)
#else
VEC_RECORD_2(and)
VEC_RECORD_2(or)
VEC_RECORD_2(xor)
VEC_RECORD_1(not )
#endif

#if VEC_KIND == VEC_UINT || VEC_KIND == VEC_SINT
VEC_RECORD_SHIFT(shl)
VEC_RECORD_SHIFT(shr)
#include "vec_ipow.h"
#endif

#if VEC_KIND == VEC_UINT
VEC_RECORD_2(quot)
VEC_RECORD_2(gcd)
VEC_RECORD_2(shift_left)
VEC_RECORD_2(shift_right)
VEC_INLINE stria_ir_value STRIA_CAT(STRIA_CAT3(vec_, VEC_T, _from_), VEC_SIGNED)(stria_ir_value a)
{
    return stria_ir_append(STRIA_IR_reinterpret, VEC_DTYPE, a, a, a, 0);
}
VEC_INLINE stria_ir_value STRIA_CAT(STRIA_CAT3(vec_, VEC_SIGNED, _from_), VEC_T)(stria_ir_value a)
{
    return stria_ir_append(STRIA_IR_reinterpret, STRIA_CAT(VEC_DTYPE_, VEC_SIGNED), a, a, a, 0);
}
#endif

#undef VEC_DTYPE
#undef VEC_RECORD_1
#undef VEC_RECORD_2
#undef VEC_RECORD_SHIFT
#undef VEC_T
