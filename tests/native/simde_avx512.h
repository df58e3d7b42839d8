/* simde_avx512.h - AVX-512 intrinsics for machines without it: those of SIMDe, and what SIMDe 0.7.4 lacks of those that
 * vec_avx512.h uses. */
#ifndef STRIA_SIMDE_AVX512_H
#define STRIA_SIMDE_AVX512_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <stdint.h>

#define SHIM static inline __attribute__((always_inline))

enum { SHIM_EQ = 0, SHIM_LT = 1, SHIM_LE = 2, SHIM_NE = 4 };
#undef _MM_CMPINT_EQ
#undef _MM_CMPINT_LT
#undef _MM_CMPINT_LE
#undef _MM_CMPINT_NE
#define _MM_CMPINT_EQ SHIM_EQ
#define _MM_CMPINT_LT SHIM_LT
#define _MM_CMPINT_LE SHIM_LE
#define _MM_CMPINT_NE SHIM_NE

/* Reads the lanes of the mask alone. */
#define SHIM_MASK_LOAD(suffix, ctype, mask)                                          \
    SHIM __m512i shim_mask_loadu_##suffix(__m512i other, mask m, const void *at)     \
    {                                                                                \
        ctype lanes[64 / sizeof(ctype)];                                             \
        memcpy(lanes, &other, sizeof lanes);                                         \
        for (unsigned k = 0; k < 64 / sizeof(ctype); k++)                            \
            if (m >> k & 1) memcpy(lanes + k, (const ctype *)at + k, sizeof(ctype)); \
        memcpy(&other, lanes, sizeof lanes);                                         \
        return other;                                                                \
    }
SHIM_MASK_LOAD(epi32, int32_t, __mmask16)
SHIM_MASK_LOAD(epi64, int64_t, __mmask8)
#undef SHIM_MASK_LOAD
#undef _mm512_mask_loadu_epi32
#define _mm512_mask_loadu_epi32 shim_mask_loadu_epi32
#undef _mm512_mask_loadu_epi64
#define _mm512_mask_loadu_epi64 shim_mask_loadu_epi64

/* Bit k of the result: comparison of the lanes k. */
#define SHIM_COMPARE(suffix, ctype, mask)                            \
    SHIM mask shim_cmp_##suffix(__m512i x, __m512i y, int predicate) \
    {                                                                \
        ctype a[64 / sizeof(ctype)], b[64 / sizeof(ctype)];          \
        mask  m = 0;                                                 \
        memcpy(a, &x, sizeof a);                                     \
        memcpy(b, &y, sizeof b);                                     \
        for (unsigned k = 0; k < 64 / sizeof(ctype); k++) {          \
            const int truth = predicate == SHIM_EQ   ? a[k] == b[k]  \
                              : predicate == SHIM_LT ? a[k] < b[k]   \
                              : predicate == SHIM_LE ? a[k] <= b[k]  \
                                                     : a[k] != b[k]; \
            m |= (mask)((mask)truth << k);                           \
        }                                                            \
        return m;                                                    \
    }
SHIM_COMPARE(epi8, int8_t, __mmask64)
SHIM_COMPARE(epu8, uint8_t, __mmask64)
SHIM_COMPARE(epi16, int16_t, __mmask32)
SHIM_COMPARE(epu16, uint16_t, __mmask32)
SHIM_COMPARE(epi32, int32_t, __mmask16)
SHIM_COMPARE(epu32, uint32_t, __mmask16)
SHIM_COMPARE(epi64, int64_t, __mmask8)
SHIM_COMPARE(epu64, uint64_t, __mmask8)
#undef _mm512_cmp_epi8_mask
#define _mm512_cmp_epi8_mask shim_cmp_epi8
#undef _mm512_cmp_epu8_mask
#define _mm512_cmp_epu8_mask shim_cmp_epu8
#undef _mm512_cmp_epi16_mask
#define _mm512_cmp_epi16_mask shim_cmp_epi16
#undef _mm512_cmp_epu16_mask
#define _mm512_cmp_epu16_mask shim_cmp_epu16
#undef _mm512_cmp_epi32_mask
#define _mm512_cmp_epi32_mask shim_cmp_epi32
#undef _mm512_cmp_epu32_mask
#define _mm512_cmp_epu32_mask shim_cmp_epu32
#undef _mm512_cmp_epi64_mask
#define _mm512_cmp_epi64_mask shim_cmp_epi64
#undef _mm512_cmp_epu64_mask
#define _mm512_cmp_epu64_mask shim_cmp_epu64

#undef _mm_test_epi8_mask
#define _mm_test_epi8_mask shim_test_16
#undef _mm256_test_epi8_mask
#define _mm256_test_epi8_mask shim_test_32
SHIM __mmask16 shim_test_16(__m128i a, __m128i b)
{
    return (__mmask16)~_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(a, b), _mm_setzero_si128()));
}
SHIM __mmask32 shim_test_32(__m256i a, __m256i b)
{
    return ~(__mmask32)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(a, b), _mm256_setzero_si256()));
}

#undef _mm_maskz_set1_epi8
#define _mm_maskz_set1_epi8 shim_maskz_set1_16
#undef _mm256_maskz_set1_epi8
#define _mm256_maskz_set1_epi8 shim_maskz_set1_32
SHIM __m128i shim_maskz_set1_16(__mmask16 m, char x) { return _mm_and_si128(_mm_movm_epi8(m), _mm_set1_epi8(x)); }
SHIM __m256i shim_maskz_set1_32(__mmask32 m, char x)
{
    return _mm256_and_si256(_mm256_movm_epi8(m), _mm256_set1_epi8(x));
}

/* Conversions lane by lane; the ones to integers are only asked for what fits, or leave the value open. */
#define SHIM_CONVERT(name, to, to_ctype, from, from_ctype, lanes) \
    SHIM to shim_##name(from x)                                   \
    {                                                             \
        from_ctype a[lanes];                                      \
        to_ctype   r[lanes];                                      \
        to         y;                                             \
        memcpy(a, &x, sizeof a);                                  \
        for (int k = 0; k < lanes; k++) r[k] = (to_ctype)a[k];    \
        memcpy(&y, r, sizeof y);                                  \
        return y;                                                 \
    }
SHIM_CONVERT(cvtps_pd, __m512d, double, __m256, float, 8)
SHIM_CONVERT(cvtpd_ps, __m256, float, __m512d, double, 8)
SHIM_CONVERT(cvttps_epi32, __m512i, int32_t, __m512, float, 16)
SHIM_CONVERT(cvtepi32_ps, __m512, float, __m512i, int32_t, 16)
SHIM_CONVERT(cvttpd_epi64, __m512i, int64_t, __m512d, double, 8)
SHIM_CONVERT(cvtepi64_pd, __m512d, double, __m512i, int64_t, 8)
SHIM_CONVERT(cvtepu8_epi32, __m512i, uint32_t, __m128i, uint8_t, 16)
SHIM_CONVERT(cvtepi32_epi8, __m128i, uint8_t, __m512i, uint32_t, 16)
SHIM_CONVERT(cvtepu16_epi32, __m512i, uint32_t, __m256i, uint16_t, 16)
SHIM_CONVERT(cvtepi32_epi16, __m256i, uint16_t, __m512i, uint32_t, 16)
#undef _mm512_cvtps_pd
#define _mm512_cvtps_pd shim_cvtps_pd
#undef _mm512_cvtpd_ps
#define _mm512_cvtpd_ps shim_cvtpd_ps
#undef _mm512_cvttps_epi32
#define _mm512_cvttps_epi32 shim_cvttps_epi32
#undef _mm512_cvtepi32_ps
#define _mm512_cvtepi32_ps shim_cvtepi32_ps
#undef _mm512_cvttpd_epi64
#define _mm512_cvttpd_epi64 shim_cvttpd_epi64
#undef _mm512_cvtepi64_pd
#define _mm512_cvtepi64_pd shim_cvtepi64_pd
#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32 shim_cvtepu8_epi32
#undef _mm512_cvtepi32_epi8
#define _mm512_cvtepi32_epi8 shim_cvtepi32_epi8
#undef _mm512_cvtepu16_epi32
#define _mm512_cvtepu16_epi32 shim_cvtepu16_epi32
#undef _mm512_cvtepi32_epi16
#define _mm512_cvtepi32_epi16 shim_cvtepi32_epi16

#undef SHIM
#endif
