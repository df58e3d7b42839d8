/* vec_compress.h - the elements that a mask wants, side by side, where an ISA has a way to do that.
 *
 *   vec_compress_<size>(dst, src, mask)
 *       of VEC_COMPRESS_<size> elements of <size> bytes from src, those whose byte of the mask is not 0 go to dst, one
 *       after another; returns their number. All of dst is written, as if every element were wanted. Any alignment
 *
 * VEC_COMPRESS_<size> is undefined where there is no such function.
 */
#if defined(STRIA_ISA_avx512)
#define VEC_COMPRESS_1 16
#define VEC_COMPRESS_2 16
#define VEC_COMPRESS_4 16
#define VEC_COMPRESS_8 8

/* Bytes and halves become 32-bit lanes on their way: compressing them as they are takes VBMI2. */
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

#elif defined(STRIA_VECTOR_BYTES)
/* Eight elements at a time, by a table of the shuffles for all masks of eight. */
#define VEC_COMPRESS_1 8
#define VEC_COMPRESS_2 8
#define VEC_COMPRESS_4 8

/* Entry n: byte r is the position of the r-th bit that is set in n. */
#define BIT(n, b) ((n) >> (b)&1)
#define BITS_BELOW(n, b)                                                                                             \
    (((b) > 0 ? BIT(n, 0) : 0) + ((b) > 1 ? BIT(n, 1) : 0) + ((b) > 2 ? BIT(n, 2) : 0) + ((b) > 3 ? BIT(n, 3) : 0) + \
     ((b) > 4 ? BIT(n, 4) : 0) + ((b) > 5 ? BIT(n, 5) : 0) + ((b) > 6 ? BIT(n, 6) : 0))
#define PLACE(n, b) ((uint64_t)(BIT(n, b) ? (b) : 0) << (8 * BITS_BELOW(n, b)))
#define ENTRY(n) (PLACE(n, 1) | PLACE(n, 2) | PLACE(n, 3) | PLACE(n, 4) | PLACE(n, 5) | PLACE(n, 6) | PLACE(n, 7))
#define ENTRIES_4(n) ENTRY(n), ENTRY(n + 1), ENTRY(n + 2), ENTRY(n + 3)
#define ENTRIES_16(n) ENTRIES_4(n), ENTRIES_4(n + 4), ENTRIES_4(n + 8), ENTRIES_4(n + 12)
#define ENTRIES_64(n) ENTRIES_16(n), ENTRIES_16(n + 16), ENTRIES_16(n + 32), ENTRIES_16(n + 48)
static const uint64_t vec_compress_places[256] = {ENTRIES_64(0), ENTRIES_64(64), ENTRIES_64(128), ENTRIES_64(192)};
#undef BIT
#undef BITS_BELOW
#undef PLACE
#undef ENTRY
#undef ENTRIES_4
#undef ENTRIES_16
#undef ENTRIES_64

typedef uint8_t  vec_bytes __attribute__((vector_size(16)));
typedef uint64_t vec_words __attribute__((vector_size(16)));

VEC_INLINE vec_bytes vec_compress_load(const void *at)
{
    vec_bytes v;
    memcpy(&v, at, sizeof v);
    return v;
}
/* Eight bytes, then zeros. */
VEC_INLINE vec_bytes vec_compress_load_8(const void *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return (vec_bytes)(vec_words){word, 0};
}

/* Lane k is a[index[k]]; bit k is set where byte k of eight is not 0. */
#if defined(STRIA_ISA_avx2)
VEC_INLINE vec_bytes vec_compress_pick(vec_bytes a, vec_bytes index)
{
    return (vec_bytes)_mm_shuffle_epi8((__m128i)a, (__m128i)index);
}
VEC_INLINE unsigned vec_compress_bits(const uint8_t *mask)
{
    return ~(unsigned)_mm_movemask_epi8((__m128i)(vec_compress_load_8(mask) == 0)) & 0xff;
}
#elif defined(STRIA_ISA_wasm128)
VEC_INLINE vec_bytes vec_compress_pick(vec_bytes a, vec_bytes index)
{
    return (vec_bytes)wasm_i8x16_swizzle((v128_t)a, (v128_t)index);
}
VEC_INLINE unsigned vec_compress_bits(const uint8_t *mask)
{
    return wasm_i8x16_bitmask((v128_t)(vec_compress_load_8(mask) != 0));
}
#else
VEC_INLINE vec_bytes vec_compress_pick(vec_bytes a, vec_bytes index)
{
    return (vec_bytes)vqtbl1q_u8((uint8x16_t)a, (uint8x16_t)index);
}
VEC_INLINE unsigned vec_compress_bits(const uint8_t *mask)
{
    const uint8x8_t bytes = vld1_u8(mask), ones = vand_u8(vtst_u8(bytes, bytes), vcreate_u8(0x8040201008040201u));
    return vaddv_u8(ones);
}
#endif

VEC_INLINE int vec_compress_1(char *dst, const char *src, const uint8_t *mask)
{
    const unsigned  bits = vec_compress_bits(mask);
    const vec_bytes v = vec_compress_pick(vec_compress_load_8(src), vec_compress_load_8(&vec_compress_places[bits]));
    memcpy(dst, &v, 8);
    return __builtin_popcount(bits);
}
VEC_INLINE int vec_compress_2(char *dst, const char *src, const uint8_t *mask)
{
    const unsigned  bits = vec_compress_bits(mask);
    const vec_bytes places = vec_compress_load_8(&vec_compress_places[bits]), low = places + places;
    const vec_bytes index =
        __builtin_shufflevector(low, low + 1, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const vec_bytes v = vec_compress_pick(vec_compress_load(src), index);
    memcpy(dst, &v, 16);
    return __builtin_popcount(bits);
}

#if defined(STRIA_ISA_avx2)
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
#else
/* Four of them; bits < 16. */
VEC_INLINE int vec_compress_quad(char *dst, const char *src, unsigned bits)
{
    const vec_bytes places = vec_compress_load_8(&vec_compress_places[bits]);
    const vec_bytes each = __builtin_shufflevector(places, places, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const vec_bytes twice = each + each, within = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    const vec_bytes v = vec_compress_pick(vec_compress_load(src), twice + twice + within);
    memcpy(dst, &v, 16);
    return __builtin_popcount(bits);
}
VEC_INLINE int vec_compress_4(char *dst, const char *src, const uint8_t *mask)
{
    const unsigned bits = vec_compress_bits(mask);
    const int      n = vec_compress_quad(dst, src, bits & 15);
    return n + vec_compress_quad(dst + 4 * n, src + 16, bits >> 4);
}
#endif
#endif
