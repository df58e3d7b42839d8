/* compress_avx512.h - vec_compress.h on AVX-512, which has instructions for it. */
#ifndef STRIA_COMPRESS_AVX512_H
#define STRIA_COMPRESS_AVX512_H

#define VEC_COMPRESS_1 16
#define VEC_COMPRESS_2 16
#define VEC_COMPRESS_4 16
#define VEC_COMPRESS_8 8

/* Elements of 1 and 2 bytes become 32-bit lanes first. To compress them directly, VBMI2 is needed. */
#define VEC_COMPRESS(size, load, store)                                                 \
    VEC_INLINE int vec_compress_##size(char *dst, const char *src, const uint8_t *mask) \
    {                                                                                   \
        const __m128i   bytes = _mm_loadu_si128((const __m128i *)mask);                 \
        const __mmask16 wanted = _mm_test_epi8_mask(bytes, bytes);                      \
        const __m512i   packed = _mm512_maskz_compress_epi32(wanted, load);             \
        store;                                                                          \
        return __builtin_popcount(wanted);                                              \
    }
VEC_COMPRESS(1, _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)src)),
             _mm_storeu_si128((__m128i *)dst, _mm512_cvtepi32_epi8(packed)))
VEC_COMPRESS(2, _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)src)),
             _mm256_storeu_si256((__m256i *)dst, _mm512_cvtepi32_epi16(packed)))
VEC_COMPRESS(4, _mm512_loadu_si512(src), _mm512_storeu_si512(dst, packed))
#undef VEC_COMPRESS

VEC_INLINE int vec_compress_8(char *dst, const char *src, const uint8_t *mask)
{
    const __m128i  bytes = _mm_loadl_epi64((const __m128i *)mask);
    const __mmask8 wanted = (__mmask8)_mm_test_epi8_mask(bytes, bytes);
    _mm512_storeu_si512(dst, _mm512_maskz_compress_epi64(wanted, _mm512_loadu_si512(src)));
    return __builtin_popcount(wanted);
}

#endif
