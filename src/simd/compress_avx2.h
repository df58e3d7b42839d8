/* compress_avx2.h - vec_compress.h on AVX2. */
#ifndef STRIA_COMPRESS_AVX2_H
#define STRIA_COMPRESS_AVX2_H

#include "compress_table.h"

VEC_INLINE vec_bytes vec_compress_pick(vec_bytes a, vec_bytes index)
{
    return (vec_bytes)_mm_shuffle_epi8((__m128i)a, (__m128i)index);
}
VEC_INLINE unsigned vec_compress_bits(const uint8_t *mask)
{
    return ~(unsigned)_mm_movemask_epi8((__m128i)(vec_compress_load_8(mask) == 0)) & 0xff;
}

#define VEC_NATIVE_COMPRESS_4
#include "compress_shuffle.h"

#define VEC_COMPRESS_4 8
#define VEC_COMPRESS_8 8

VEC_INLINE int vec_compress_4(char *dst, const char *src, const uint8_t *mask)
{
    const unsigned bits = vec_compress_bits(mask);
    const __m128i  places = _mm_loadl_epi64((const __m128i *)&vec_compress_places[bits]);
    const __m256i  v = _mm256_loadu_si256((const __m256i *)src);
    _mm256_storeu_si256((__m256i *)dst, _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(places)));
    return __builtin_popcount(bits);
}

/* Four of them; bits < 16. */
VEC_INLINE int vec_compress_quad(char *dst, const char *src, unsigned bits)
{
    const __m128i places = _mm_loadl_epi64((const __m128i *)&vec_compress_places[bits]);
    const __m256i low = _mm256_slli_epi64(_mm256_cvtepu8_epi64(places), 1); /* of the two halves of an element */
    const __m256i both = _mm256_or_si256(low, _mm256_slli_epi64(low, 32));
    const __m256i index = _mm256_or_si256(both, _mm256_set1_epi64x((long long)1 << 32));
    const __m256i v = _mm256_loadu_si256((const __m256i *)src);
    _mm256_storeu_si256((__m256i *)dst, _mm256_permutevar8x32_epi32(v, index));
    return __builtin_popcount(bits);
}
VEC_INLINE int vec_compress_8(char *dst, const char *src, const uint8_t *mask)
{
    const unsigned bits = vec_compress_bits(mask);
    const int      n = vec_compress_quad(dst, src, bits & 15);
    return n + vec_compress_quad(dst + 8 * n, src + 32, bits >> 4);
}

#endif
