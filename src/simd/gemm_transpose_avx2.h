/* gemm_transpose_avx2.h - transposition in registers for gemm_avx2.h and gemm_avx512.h: blocks of 8 x 8 elements of 32 bits
 * and of 4 x 4 of 64. Row i of src becomes column i of dst; rows are src_row and dst_row elements apart. */
#ifndef STRIA_GEMM_TRANSPOSE_AVX2_H
#define STRIA_GEMM_TRANSPOSE_AVX2_H

#define GEMM_BLOCK_32 8
VEC_INLINE void gemm_transpose_32(void *dst, int64_t dst_row, const void *src, int64_t src_row)
{
    const float *s = (const float *)src;
    float       *d = (float *)dst;
    __m256       r[8], t[8];
    for (int i = 0; i < 4; i++) { /* t[i]: row i beside row i + 4, columns 0..3; t[i + 4]: columns 4..7 */
        const __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(s + i * src_row));
        const __m256 high = _mm256_castps128_ps256(_mm_loadu_ps(s + i * src_row + 4));
        t[i] = _mm256_insertf128_ps(low, _mm_loadu_ps(s + (i + 4) * src_row), 1);
        t[i + 4] = _mm256_insertf128_ps(high, _mm_loadu_ps(s + (i + 4) * src_row + 4), 1);
    }
    for (int h = 0; h < 8; h += 4) {
        const __m256 a = _mm256_unpacklo_ps(t[h], t[h + 1]), b = _mm256_unpackhi_ps(t[h], t[h + 1]);
        const __m256 c = _mm256_unpacklo_ps(t[h + 2], t[h + 3]), e = _mm256_unpackhi_ps(t[h + 2], t[h + 3]);
        r[h] = _mm256_shuffle_ps(a, c, 0x44);
        r[h + 1] = _mm256_shuffle_ps(a, c, 0xee);
        r[h + 2] = _mm256_shuffle_ps(b, e, 0x44);
        r[h + 3] = _mm256_shuffle_ps(b, e, 0xee);
    }
    for (int i = 0; i < 8; i++) _mm256_storeu_ps(d + i * dst_row, r[i]);
}

#define GEMM_BLOCK_64 4
VEC_INLINE void gemm_transpose_64(void *dst, int64_t dst_row, const void *src, int64_t src_row)
{
    const double *s = (const double *)src;
    double       *d = (double *)dst;
    for (int h = 0; h < 4; h += 2) { /* columns h and h + 1 */
        const __m256d a =
            _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(s + h)), _mm_loadu_pd(s + 2 * src_row + h), 1);
        const __m256d b = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(s + src_row + h)),
                                               _mm_loadu_pd(s + 3 * src_row + h), 1);
        _mm256_storeu_pd(d + h * dst_row, _mm256_unpacklo_pd(a, b));
        _mm256_storeu_pd(d + (h + 1) * dst_row, _mm256_unpackhi_pd(a, b));
    }
}

#endif
