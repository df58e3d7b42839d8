/* vec_compress_case.h - test_vec.c's checks of vec_compress.h, as far as the instruction set has it. */
#include "vec_compress.h"

/* n <= 16 elements: those with a mask other than 0 come first, and no byte behind the n is written. */
static inline void check_compress_size(int size, int n,
                                       int (*compress)(char *dst, const char *src, const uint8_t *mask))
{
    uint64_t state = 7;
    for (unsigned bits = 0; bits<1u << n; bits += n> 8 ? 1 + (unsigned)(test_random(&state) % 5) : 1) {
        char    src[128], dst[129] = {0}, expected[129] = {0};
        uint8_t mask[16] = {0};
        int     wanted = 0, wrong = 0;
        for (int k = 0; k < 128; k++) src[k] = (char)test_random(&state);
        for (int k = 0; k < n; k++) {
            if (!(bits >> k & 1)) continue;
            mask[k] = (uint8_t)(test_random(&state) % 255 + 1);
            memcpy(expected + wanted++ * size, src + k * size, (size_t)size);
        }
        dst[n * size] = expected[n * size] = 77;
        const int got = compress(dst, src, mask);
        wrong = memcmp(dst, expected, (size_t)(wanted * size)) != 0 || dst[n * size] != 77;
        CHECK(got == wanted && !wrong, "compress of %d bytes, mask %x: %d elements, expected %d", size, bits, got,
              wanted);
    }
}

static inline void check_compress(void)
{
#if defined(VEC_COMPRESS_1)
    check_compress_size(1, VEC_COMPRESS_1, vec_compress_1);
    check_compress_size(2, VEC_COMPRESS_2, vec_compress_2);
    check_compress_size(4, VEC_COMPRESS_4, vec_compress_4);
#endif
#if defined(VEC_COMPRESS_8)
    check_compress_size(8, VEC_COMPRESS_8, vec_compress_8);
#endif
}
