/* vec_generic.h - the vocabulary on vectors of STRIA_VECTOR_BYTES; the end of every SIMD vec_<isa>.h, which has included
 * vec_types.h and defined what vec_lanes.h lists, and vec_widen_f32, vec_narrow_w64 and their masks. */
#define VEC_MASK_NOT(m) (~m)

#if !defined(VEC_NATIVE_MASK_BYTES) && !defined(VEC_NATIVE_MASK_CONVERSION)
/* Bytes to masks and back; the compiler finds the unpacking instructions. */
#define VEC_MASK_CONVERSION(bits)                                                                       \
    typedef uint8_t vec_bytes_##bits __attribute__((vector_size(STRIA_VECTOR_BYTES * 8 / bits)));       \
    VEC_INLINE vec_mask_##bits vec_mask_load_##bits(const uint8_t *at)                                  \
    {                                                                                                   \
        vec_bytes_##bits bytes;                                                                         \
        memcpy(&bytes, at, sizeof bytes);                                                               \
        return (vec_mask_##bits)(__builtin_convertvector(bytes, vec_u##bits) != 0);                     \
    }                                                                                                   \
    VEC_INLINE void vec_mask_store_##bits(uint8_t *at, vec_mask_##bits m)                               \
    {                                                                                                   \
        const vec_bytes_##bits bytes = __builtin_convertvector((vec_u##bits)(m & 1), vec_bytes_##bits); \
        memcpy(at, &bytes, sizeof bytes);                                                               \
    }
VEC_MASK_CONVERSION(8)
VEC_MASK_CONVERSION(16)
VEC_MASK_CONVERSION(32)
VEC_MASK_CONVERSION(64)
#undef VEC_MASK_CONVERSION
#endif

#if !defined(VEC_NATIVE_INT64)
/* 1.5 * 2^52 + x, for |x| < 2^51, holds x in its lower bits. */
VEC_INLINE vec_i64 vec_toint_f64(vec_f64 a)
{
    const vec_f64 magic = 0x1.8p52 - (vec_f64){0};
    return (vec_i64)((vec_u64)(a + magic) - (vec_u64)magic);
}
VEC_INLINE vec_f64 vec_fromint_f64(vec_i64 a)
{
    const vec_f64 magic = 0x1.8p52 - (vec_f64){0};
    return (vec_f64)((vec_u64)a + (vec_u64)magic) - magic;
}
#endif

#include "vec_all_lanes.h"
#define VEC_T iw64
#define VEC_HALF i64
#include "vec_wide.h"
#define VEC_T uw64
#define VEC_HALF u64
#include "vec_wide.h"
#define VEC_T w64
#define VEC_HALF f64
#include "vec_wide.h"

VEC_INLINE vec_uw64 vec_uw64_from_iw64(vec_iw64 a) { return (vec_uw64){(vec_u64)a.lo, (vec_u64)a.hi}; }
VEC_INLINE vec_iw64 vec_iw64_from_uw64(vec_uw64 a) { return (vec_iw64){(vec_i64)a.lo, (vec_i64)a.hi}; }

#include "vec_integers.h"
