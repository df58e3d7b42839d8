/* compress_shuffle.h - vec_compress.h for elements of 1, 2 and 4 bytes, by compress_table.h and what an ISA defines before it:
 *
 *   vec_compress_pick(a, index)   lane k is a[index[k]]
 *   vec_compress_bits(mask)       bit k is set where byte k of eight is not 0
 *   VEC_NATIVE_COMPRESS_4         if elements of 4 bytes have a function of their own */
#ifndef STRIA_COMPRESS_SHUFFLE_H
#define STRIA_COMPRESS_SHUFFLE_H

#define VEC_COMPRESS_1 8
#define VEC_COMPRESS_2 8

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

#if !defined(VEC_NATIVE_COMPRESS_4)
#define VEC_COMPRESS_4 8

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
