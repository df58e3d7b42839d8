/* vec_avx512.h - the vocabulary on 64-byte vectors, AVX-512 F, BW, DQ and VL; masks are the machine's mask registers.
 * Contract: vec.h. With STRIA_USE_SIMDE the intrinsics are those of simde_avx512.h, which run on any machine (tests). */
#ifndef STRIA_VEC_AVX512_H
#define STRIA_VEC_AVX512_H

#if defined(STRIA_USE_SIMDE)
#include "simde_avx512.h"
#else
#include <immintrin.h>
#endif

#include "vec.h"

#define STRIA_VECTOR_BYTES 64
#define VEC_NATIVE_MASKS
#define VEC_NATIVE_MASK_CONVERSION
typedef __mmask64 vec_mask_8;
typedef __mmask32 vec_mask_16;
typedef __mmask16 vec_mask_32;
typedef __mmask8  vec_mask_64;
#include "vec_types.h"

/* 32 bytes from a, then 32 from b. */
VEC_INLINE __m512i vec_load_halves(const char *a, const char *b)
{
    const __m512i low = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)a));
    return _mm512_inserti64x4(low, _mm256_loadu_si256((const __m256i *)b), 1);
}

/* A non-temporal store, aligned to a vector. After the fence, other threads see these stores in order like any others. */
#define VEC_STORE_NONTEMPORAL(at, v) _mm512_stream_si512((__m512i *)(at), (__m512i)(v))
#define VEC_FENCE _mm_sfence()

/* ---------------------------------------------------------------- less than a vector */

#define VEC_NATIVE_PARTS
VEC_INLINE vec_u32 vec_load_part_32(const void *at, int64_t n, vec_u32 a)
{
    return (vec_u32)_mm512_mask_loadu_epi32((__m512i)a, (__mmask16)((1u << n) - 1), at);
}
VEC_INLINE vec_u64 vec_load_part_64(const void *at, int64_t n, vec_u64 a)
{
    return (vec_u64)_mm512_mask_loadu_epi64((__m512i)a, (__mmask8)((1u << n) - 1), at);
}

/* ---------------------------------------------------------------- comparisons and masks */

#define VEC_COMPARISON(word, type, intrinsic, vector, predicate)               \
    VEC_INLINE vec_mask_##type vec_##word##_##type(vec_##type a, vec_##type b) \
    {                                                                          \
        return intrinsic((vector)a, (vector)b, predicate);                     \
    }
#define VEC_MASK_WORDS(type, bits)                                                                         \
    VEC_INLINE vec_mask_##type vec_mask_and_##type(vec_mask_##type m, vec_mask_##type n) { return m & n; } \
    VEC_INLINE vec_mask_##type vec_mask_or_##type(vec_mask_##type m, vec_mask_##type n) { return m | n; }  \
    VEC_INLINE vec_mask_##type vec_mask_xor_##type(vec_mask_##type m, vec_mask_##type n) { return m ^ n; } \
    VEC_INLINE vec_mask_##type vec_mask_not_##type(vec_mask_##type m) { return (vec_mask_##type) ~m; }     \
    VEC_INLINE int             vec_mask_any_##type(vec_mask_##type m) { return m != 0; }                   \
    VEC_INLINE vec_##type vec_select_##type(vec_mask_##type m, vec_##type a, vec_##type b)                 \
    {                                                                                                      \
        return (vec_##type)_mm512_mask_blend_epi##bits(m, (__m512i)b, (__m512i)a);                         \
    }
#define VEC_INTEGER(type, bits, suffix)                                          \
    VEC_COMPARISON(eq, type, _mm512_cmp_##suffix##_mask, __m512i, _MM_CMPINT_EQ) \
    VEC_COMPARISON(ne, type, _mm512_cmp_##suffix##_mask, __m512i, _MM_CMPINT_NE) \
    VEC_COMPARISON(lt, type, _mm512_cmp_##suffix##_mask, __m512i, _MM_CMPINT_LT) \
    VEC_COMPARISON(le, type, _mm512_cmp_##suffix##_mask, __m512i, _MM_CMPINT_LE) \
    VEC_MASK_WORDS(type, bits)
#define VEC_MIN_MAX(type, suffix)                                       \
    VEC_INLINE vec_##type vec_min_##type(vec_##type a, vec_##type b)    \
    {                                                                   \
        return (vec_##type)_mm512_min_##suffix((__m512i)a, (__m512i)b); \
    }                                                                   \
    VEC_INLINE vec_##type vec_max_##type(vec_##type a, vec_##type b)    \
    {                                                                   \
        return (vec_##type)_mm512_max_##suffix((__m512i)a, (__m512i)b); \
    }
#define VEC_REAL(type, bits, suffix, vector)                                  \
    VEC_COMPARISON(eq, type, _mm512_cmp_##suffix##_mask, vector, _CMP_EQ_OQ)  \
    VEC_COMPARISON(ne, type, _mm512_cmp_##suffix##_mask, vector, _CMP_NEQ_UQ) \
    VEC_COMPARISON(lt, type, _mm512_cmp_##suffix##_mask, vector, _CMP_LT_OQ)  \
    VEC_COMPARISON(le, type, _mm512_cmp_##suffix##_mask, vector, _CMP_LE_OQ)  \
    VEC_MASK_WORDS(type, bits)
VEC_INTEGER(b8, 8, epu8)
VEC_INTEGER(u8, 8, epu8)
VEC_INTEGER(i8, 8, epi8)
VEC_INTEGER(u16, 16, epu16)
VEC_INTEGER(i16, 16, epi16)
VEC_INTEGER(u32, 32, epu32)
VEC_INTEGER(i32, 32, epi32)
VEC_INTEGER(u64, 64, epu64)
VEC_INTEGER(i64, 64, epi64)
VEC_REAL(f32, 32, ps, __m512)
VEC_REAL(f64, 64, pd, __m512d)
#undef VEC_COMPARISON
#undef VEC_MASK_WORDS
#undef VEC_INTEGER
#undef VEC_REAL

VEC_MIN_MAX(u8, epu8)
VEC_MIN_MAX(i8, epi8)
VEC_MIN_MAX(u16, epu16)
VEC_MIN_MAX(i16, epi16)
VEC_MIN_MAX(u32, epu32)
VEC_MIN_MAX(i32, epi32)
VEC_MIN_MAX(u64, epu64)
VEC_MIN_MAX(i64, epi64)
/* The instruction multiplies the even lanes. */
VEC_INLINE vec_u32 vec_mul_high_u32(vec_u32 a, vec_u32 b)
{
    const __m512i even = _mm512_mul_epu32((__m512i)a, (__m512i)b);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)a, 32), _mm512_srli_epi64((__m512i)b, 32));
    return (vec_u32)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
}
#define VEC_NATIVE_min_u64 1
#define VEC_NATIVE_min_i64 1
#undef VEC_MIN_MAX

VEC_INLINE vec_mask_8 vec_mask_load_8(const uint8_t *at)
{
    const __m512i bytes = _mm512_loadu_si512(at);
    return _mm512_test_epi8_mask(bytes, bytes);
}
VEC_INLINE vec_mask_16 vec_mask_load_16(const uint8_t *at)
{
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)at);
    return _mm256_test_epi8_mask(bytes, bytes);
}
VEC_INLINE vec_mask_32 vec_mask_load_32(const uint8_t *at)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
    return _mm_test_epi8_mask(bytes, bytes);
}
VEC_INLINE vec_mask_64 vec_mask_load_64(const uint8_t *at)
{
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)at);
    return (vec_mask_64)_mm_test_epi8_mask(bytes, bytes);
}
VEC_INLINE void vec_mask_store_8(uint8_t *at, vec_mask_8 m) { _mm512_storeu_si512(at, _mm512_maskz_set1_epi8(m, 1)); }
VEC_INLINE void vec_mask_store_16(uint8_t *at, vec_mask_16 m)
{
    _mm256_storeu_si256((__m256i *)at, _mm256_maskz_set1_epi8(m, 1));
}
VEC_INLINE void vec_mask_store_32(uint8_t *at, vec_mask_32 m)
{
    _mm_storeu_si128((__m128i *)at, _mm_maskz_set1_epi8(m, 1));
}
VEC_INLINE void vec_mask_store_64(uint8_t *at, vec_mask_64 m)
{
    _mm_storel_epi64((__m128i *)at, _mm_maskz_set1_epi8(m, 1));
}

/* ---------------------------------------------------------------- floats */

/* The instruction gives its second operand if one is NaN or both are zeros. So the two orders differ in these cases only:
 * `or` of them keeps a NaN and prefers -0, `and` prefers +0. */
VEC_INLINE vec_f32 vec_min_f32(vec_f32 a, vec_f32 b)
{
    return (vec_f32)_mm512_or_ps(_mm512_min_ps((__m512)a, (__m512)b), _mm512_min_ps((__m512)b, (__m512)a));
}
VEC_INLINE vec_f32 vec_max_f32(vec_f32 a, vec_f32 b)
{
    const __m512    both = _mm512_and_ps(_mm512_max_ps((__m512)a, (__m512)b), _mm512_max_ps((__m512)b, (__m512)a));
    const __mmask16 nan = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q);
    return (vec_f32)_mm512_mask_add_ps(both, nan, (__m512)a, (__m512)b);
}
VEC_INLINE vec_f64 vec_min_f64(vec_f64 a, vec_f64 b)
{
    return (vec_f64)_mm512_or_pd(_mm512_min_pd((__m512d)a, (__m512d)b), _mm512_min_pd((__m512d)b, (__m512d)a));
}
VEC_INLINE vec_f64 vec_max_f64(vec_f64 a, vec_f64 b)
{
    const __m512d  both = _mm512_and_pd(_mm512_max_pd((__m512d)a, (__m512d)b), _mm512_max_pd((__m512d)b, (__m512d)a));
    const __mmask8 nan = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_UNORD_Q);
    return (vec_f64)_mm512_mask_add_pd(both, nan, (__m512d)a, (__m512d)b);
}

/* The instruction is a > b ? a : b itself. */
#define VEC_NATIVE_larger_f32 1
#define VEC_NATIVE_larger_f64 1
#define VEC_NATIVE_unordered_f32 1
#define VEC_NATIVE_unordered_f64 1
VEC_INLINE vec_f32      vec_larger_f32(vec_f32 a, vec_f32 b) { return (vec_f32)_mm512_max_ps((__m512)a, (__m512)b); }
VEC_INLINE vec_f32      vec_smaller_f32(vec_f32 a, vec_f32 b) { return (vec_f32)_mm512_min_ps((__m512)a, (__m512)b); }
VEC_INLINE vec_f64      vec_larger_f64(vec_f64 a, vec_f64 b) { return (vec_f64)_mm512_max_pd((__m512d)a, (__m512d)b); }
VEC_INLINE vec_f64      vec_smaller_f64(vec_f64 a, vec_f64 b) { return (vec_f64)_mm512_min_pd((__m512d)a, (__m512d)b); }
VEC_INLINE vec_mask_f32 vec_unordered_f32(vec_f32 a, vec_f32 b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q);
}
VEC_INLINE vec_mask_f64 vec_unordered_f64(vec_f64 a, vec_f64 b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_UNORD_Q);
}

#define VEC_ROUNDING(word, direction)                                                        \
    VEC_INLINE vec_f32 vec_##word##_f32(vec_f32 a)                                           \
    {                                                                                        \
        return (vec_f32)_mm512_roundscale_ps((__m512)a, ((direction) | _MM_FROUND_NO_EXC));  \
    }                                                                                        \
    VEC_INLINE vec_f64 vec_##word##_f64(vec_f64 a)                                           \
    {                                                                                        \
        return (vec_f64)_mm512_roundscale_pd((__m512d)a, ((direction) | _MM_FROUND_NO_EXC)); \
    }
VEC_ROUNDING(floor, _MM_FROUND_TO_NEG_INF)
VEC_ROUNDING(ceil, _MM_FROUND_TO_POS_INF)
VEC_ROUNDING(trunc, _MM_FROUND_TO_ZERO)
VEC_ROUNDING(rint, _MM_FROUND_TO_NEAREST_INT)
#undef VEC_ROUNDING

VEC_INLINE vec_f32 vec_sqrt_f32(vec_f32 a) { return (vec_f32)_mm512_sqrt_ps((__m512)a); }
VEC_INLINE vec_f64 vec_sqrt_f64(vec_f64 a) { return (vec_f64)_mm512_sqrt_pd((__m512d)a); }
#define VEC_NATIVE_SUB_EXACT
#define VEC_NATIVE_GROW
VEC_INLINE vec_f32 vec_sub_exact_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)_mm512_fnmadd_ps((__m512)b, (__m512)c, (__m512)a);
}
VEC_INLINE vec_f32 vec_grow_f32(vec_f32 p, vec_f32 s)
{
    return (vec_f32)_mm512_fmadd_ps((__m512)p, (__m512)s, (__m512)p);
}
#define VEC_NATIVE_FARTHER
VEC_INLINE vec_f32 vec_farther_f32(vec_f32 a, vec_f32 b)
{
    return (vec_f32)_mm512_range_ps((__m512)a, (__m512)b, 0xb); /* the larger magnitude, without its sign */
}
VEC_INLINE vec_i32 vec_toint_f32(vec_f32 a) { return (vec_i32)_mm512_cvttps_epi32((__m512)a); }
VEC_INLINE vec_f32 vec_fromint_f32(vec_i32 a) { return (vec_f32)_mm512_cvtepi32_ps((__m512i)a); }
#define VEC_NATIVE_INT64
VEC_INLINE vec_i64 vec_toint_f64(vec_f64 a) { return (vec_i64)_mm512_cvttpd_epi64((__m512d)a); }
VEC_INLINE vec_f64 vec_fromint_f64(vec_i64 a) { return (vec_f64)_mm512_cvtepi64_pd((__m512i)a); }

/* ---------------------------------------------------------------- wide */

VEC_INLINE vec_w64 vec_widen_f32(vec_f32 a)
{
    const __m256 upper = _mm256_castpd_ps(_mm512_extractf64x4_pd((__m512d)a, 1));
    return (vec_w64){(vec_f64)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)a)), (vec_f64)_mm512_cvtps_pd(upper)};
}
VEC_INLINE vec_f32 vec_narrow_w64(vec_w64 a)
{
    const __m512 lower = _mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)a.lo));
    return (vec_f32)_mm512_insertf32x8(lower, _mm512_cvtpd_ps((__m512d)a.hi), 1);
}
VEC_INLINE vec_mask_w64 vec_widen_mask_f32(vec_mask_f32 m)
{
    return (vec_mask_w64){(vec_mask_64)m, (vec_mask_64)(m >> 8)};
}
VEC_INLINE vec_mask_f32 vec_narrow_mask_w64(vec_mask_w64 m) { return (vec_mask_f32)(m.lo | m.hi << 8); }

#define VEC_NATIVE_LANE_SHIFTS
#include "vec_generic.h"

#endif
