/* vec_avx2.h - the vocabulary on 32-byte vectors, AVX2. Contract: vec.h. */
#ifndef STRIA_VEC_AVX2_H
#define STRIA_VEC_AVX2_H

#include <immintrin.h>

#include "vec.h"

#define STRIA_VECTOR_BYTES 32
#include "vec_types.h"

/* Masks have all bits of a lane equal, so that bytes may be selected whatever the lanes are. */
#define VEC_SELECT(m, a, b) ((VEC_V)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)m))
#define VEC_ANY(m) (!_mm256_testz_si256((__m256i)m, (__m256i)m))

/* A non-temporal store, aligned to a vector. After the fence, other threads see these stores in order like any others. */
#define VEC_STORE_NONTEMPORAL(at, v) _mm256_stream_si256((__m256i *)(at), (__m256i)(v))
#define VEC_FENCE _mm_sfence()

/* ---------------------------------------------------------------- less than a vector */

#define VEC_NATIVE_PARTS
/* From the lane 8 - n (of 32 bits) on: n lanes set, then none. */
static const int32_t vec_part_lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

VEC_INLINE vec_u32 vec_load_part_32(const void *at, int64_t n, vec_u32 a)
{
    const __m256i mask = _mm256_loadu_si256((const __m256i *)(vec_part_lanes + 8 - n));
    return (vec_u32)_mm256_blendv_epi8((__m256i)a, _mm256_maskload_epi32(at, mask), mask);
}
VEC_INLINE vec_u64 vec_load_part_64(const void *at, int64_t n, vec_u64 a)
{
    const __m256i mask = _mm256_loadu_si256((const __m256i *)(vec_part_lanes + 8 - 2 * n));
    return (vec_u64)_mm256_blendv_epi8((__m256i)a, _mm256_maskload_epi64(at, mask), mask);
}

/* ---------------------------------------------------------------- two vectors */

/* 16 bytes from a, then 16 from b. */
VEC_INLINE __m256i vec_load_halves(const char *a, const char *b)
{
    const __m256i low = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)a));
    return _mm256_inserti128_si256(low, _mm_loadu_si128((const __m128i *)b), 1);
}

/* The 4-byte elements of a and b with even, and with odd numbers. */
#define VEC_NATIVE_UNZIP_4
VEC_INLINE vec_u32 vec_even_4(vec_u32 a, vec_u32 b)
{
    const __m256i mixed = (__m256i)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
    return (vec_u32)_mm256_permute4x64_epi64(mixed, 0xd8);
}
VEC_INLINE vec_u32 vec_odd_4(vec_u32 a, vec_u32 b)
{
    const __m256i mixed = (__m256i)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
    return (vec_u32)_mm256_permute4x64_epi64(mixed, 0xd8);
}

/* ---------------------------------------------------------------- masks and bytes */

#define VEC_NATIVE_MASK_CONVERSION
VEC_INLINE vec_mask_8 vec_mask_load_8(const uint8_t *at)
{
    return (vec_mask_8)((vec_u8)_mm256_loadu_si256((const __m256i *)at) != 0);
}
VEC_INLINE vec_mask_16 vec_mask_load_16(const uint8_t *at)
{
    return (vec_mask_16)((vec_i16)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)at)) > 0);
}
VEC_INLINE vec_mask_32 vec_mask_load_32(const uint8_t *at)
{
    return (vec_mask_32)((vec_i32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)at)) > 0);
}
VEC_INLINE vec_mask_64 vec_mask_load_64(const uint8_t *at)
{
    int32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return (vec_mask_64)((vec_i64)_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes)) > 0);
}

VEC_INLINE __m128i vec_lower(__m256i a) { return _mm256_castsi256_si128(a); }
VEC_INLINE __m128i vec_upper(__m256i a) { return _mm256_extracti128_si256(a, 1); }

VEC_INLINE void vec_mask_store_8(uint8_t *at, vec_mask_8 m)
{
    _mm256_storeu_si256((__m256i *)at, _mm256_and_si256((__m256i)m, _mm256_set1_epi8(1)));
}
VEC_INLINE void vec_mask_store_16(uint8_t *at, vec_mask_16 m)
{
    const __m128i bytes = _mm_packs_epi16(vec_lower((__m256i)m), vec_upper((__m256i)m));
    _mm_storeu_si128((__m128i *)at, _mm_and_si128(bytes, _mm_set1_epi8(1)));
}
VEC_INLINE void vec_mask_store_32(uint8_t *at, vec_mask_32 m)
{
    const __m128i half = _mm_packs_epi32(vec_lower((__m256i)m), vec_upper((__m256i)m));
    _mm_storel_epi64((__m128i *)at, _mm_and_si128(_mm_packs_epi16(half, half), _mm_set1_epi8(1)));
}
VEC_INLINE void vec_mask_store_64(uint8_t *at, vec_mask_64 m)
{
    const __m128i half = _mm_packs_epi32(vec_lower((__m256i)m), vec_upper((__m256i)m)); /* each mask twice */
    const __m128i bytes = _mm_shuffle_epi8(half, _mm_set1_epi32(0x0c080400));
    const int32_t ones = _mm_cvtsi128_si32(bytes) & 0x01010101;
    memcpy(at, &ones, sizeof ones);
}

/* ---------------------------------------------------------------- integers */

#define VEC_MIN_MAX(type, suffix)                                       \
    VEC_INLINE vec_##type vec_min_##type(vec_##type a, vec_##type b)    \
    {                                                                   \
        return (vec_##type)_mm256_min_##suffix((__m256i)a, (__m256i)b); \
    }                                                                   \
    VEC_INLINE vec_##type vec_max_##type(vec_##type a, vec_##type b)    \
    {                                                                   \
        return (vec_##type)_mm256_max_##suffix((__m256i)a, (__m256i)b); \
    }
VEC_MIN_MAX(u8, epu8)
VEC_MIN_MAX(i8, epi8)
VEC_MIN_MAX(u16, epu16)
VEC_MIN_MAX(i16, epi16)
VEC_MIN_MAX(u32, epu32)
VEC_MIN_MAX(i32, epi32)
#undef VEC_MIN_MAX

/* The instruction multiplies the even lanes. */
VEC_INLINE vec_u32 vec_mul_high_u32(vec_u32 a, vec_u32 b)
{
    const __m256i even = _mm256_mul_epu32((__m256i)a, (__m256i)b);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32), _mm256_srli_epi64((__m256i)b, 32));
    return (vec_u32)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* ---------------------------------------------------------------- floats */

/* The instruction gives its second operand if one is NaN or both are zeros. So the two orders differ in these cases only:
 * `or` of them keeps a NaN and prefers -0, `and` prefers +0. */
VEC_INLINE vec_f32 vec_min_f32(vec_f32 a, vec_f32 b)
{
    return (vec_f32)_mm256_or_ps(_mm256_min_ps((__m256)a, (__m256)b), _mm256_min_ps((__m256)b, (__m256)a));
}
VEC_INLINE vec_f32 vec_max_f32(vec_f32 a, vec_f32 b)
{
    const __m256 both = _mm256_and_ps(_mm256_max_ps((__m256)a, (__m256)b), _mm256_max_ps((__m256)b, (__m256)a));
    return (vec_f32)_mm256_or_ps(both, _mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q));
}
VEC_INLINE vec_f64 vec_min_f64(vec_f64 a, vec_f64 b)
{
    return (vec_f64)_mm256_or_pd(_mm256_min_pd((__m256d)a, (__m256d)b), _mm256_min_pd((__m256d)b, (__m256d)a));
}
VEC_INLINE vec_f64 vec_max_f64(vec_f64 a, vec_f64 b)
{
    const __m256d both = _mm256_and_pd(_mm256_max_pd((__m256d)a, (__m256d)b), _mm256_max_pd((__m256d)b, (__m256d)a));
    return (vec_f64)_mm256_or_pd(both, _mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_UNORD_Q));
}

/* The instruction is a > b ? a : b itself. */
#define VEC_NATIVE_larger_f32 1
#define VEC_NATIVE_larger_f64 1
#define VEC_NATIVE_unordered_f32 1
#define VEC_NATIVE_unordered_f64 1
VEC_INLINE vec_f32      vec_larger_f32(vec_f32 a, vec_f32 b) { return (vec_f32)_mm256_max_ps((__m256)a, (__m256)b); }
VEC_INLINE vec_f32      vec_smaller_f32(vec_f32 a, vec_f32 b) { return (vec_f32)_mm256_min_ps((__m256)a, (__m256)b); }
VEC_INLINE vec_f64      vec_larger_f64(vec_f64 a, vec_f64 b) { return (vec_f64)_mm256_max_pd((__m256d)a, (__m256d)b); }
VEC_INLINE vec_f64      vec_smaller_f64(vec_f64 a, vec_f64 b) { return (vec_f64)_mm256_min_pd((__m256d)a, (__m256d)b); }
VEC_INLINE vec_mask_f32 vec_unordered_f32(vec_f32 a, vec_f32 b)
{
    return (vec_mask_f32)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
}
VEC_INLINE vec_mask_f64 vec_unordered_f64(vec_f64 a, vec_f64 b)
{
    return (vec_mask_f64)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_UNORD_Q);
}

#define VEC_ROUNDING(word, direction)                                                   \
    VEC_INLINE vec_f32 vec_##word##_f32(vec_f32 a)                                      \
    {                                                                                   \
        return (vec_f32)_mm256_round_ps((__m256)a, ((direction) | _MM_FROUND_NO_EXC));  \
    }                                                                                   \
    VEC_INLINE vec_f64 vec_##word##_f64(vec_f64 a)                                      \
    {                                                                                   \
        return (vec_f64)_mm256_round_pd((__m256d)a, ((direction) | _MM_FROUND_NO_EXC)); \
    }
VEC_ROUNDING(floor, _MM_FROUND_TO_NEG_INF)
VEC_ROUNDING(ceil, _MM_FROUND_TO_POS_INF)
VEC_ROUNDING(trunc, _MM_FROUND_TO_ZERO)
VEC_ROUNDING(rint, _MM_FROUND_TO_NEAREST_INT)
#undef VEC_ROUNDING

VEC_INLINE vec_f32 vec_sqrt_f32(vec_f32 a) { return (vec_f32)_mm256_sqrt_ps((__m256)a); }
VEC_INLINE vec_f64 vec_sqrt_f64(vec_f64 a) { return (vec_f64)_mm256_sqrt_pd((__m256d)a); }
#define VEC_NATIVE_SUB_EXACT
#define VEC_NATIVE_GROW
VEC_INLINE vec_f32 vec_sub_exact_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)_mm256_fnmadd_ps((__m256)b, (__m256)c, (__m256)a);
}
VEC_INLINE vec_f32 vec_grow_f32(vec_f32 p, vec_f32 s)
{
    return (vec_f32)_mm256_fmadd_ps((__m256)p, (__m256)s, (__m256)p);
}
VEC_INLINE vec_i32 vec_toint_f32(vec_f32 a) { return (vec_i32)_mm256_cvttps_epi32((__m256)a); }
VEC_INLINE vec_f32 vec_fromint_f32(vec_i32 a) { return (vec_f32)_mm256_cvtepi32_ps((__m256i)a); }

/* ---------------------------------------------------------------- wide */

VEC_INLINE vec_w64 vec_widen_f32(vec_f32 a)
{
    return (vec_w64){(vec_f64)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)a)),
                     (vec_f64)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)a, 1))};
}
VEC_INLINE vec_f32 vec_narrow_w64(vec_w64 a)
{
    return (vec_f32)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)a.hi), _mm256_cvtpd_ps((__m256d)a.lo));
}
VEC_INLINE vec_mask_w64 vec_widen_mask_f32(vec_mask_f32 m)
{
    return (vec_mask_w64){(vec_mask_64)_mm256_cvtepi32_epi64(vec_lower((__m256i)m)),
                          (vec_mask_64)_mm256_cvtepi32_epi64(vec_upper((__m256i)m))};
}
VEC_INLINE vec_mask_f32 vec_narrow_mask_w64(vec_mask_w64 m)
{
    /* the even 32-bit lanes of lo and hi, which come out as lo0 hi0 lo1 hi1 by pairs */
    const __m256i mixed = (__m256i)_mm256_shuffle_ps((__m256)m.lo, (__m256)m.hi, 0x88);
    return (vec_mask_f32)_mm256_permute4x64_epi64(mixed, 0xd8);
}

#define VEC_NATIVE_LANE_SHIFTS
#include "vec_generic.h"

#endif
