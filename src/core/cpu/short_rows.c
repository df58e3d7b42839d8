/* short_rows.c - copies of rows of a few bytes: the usual lengths are compiled in. */
#include "cpu/short_rows.h"

#include <string.h>

static inline __attribute__((always_inline)) void copy_rows(char *dst, size_t dst_row, const char *src, int64_t src_row,
                                                            size_t nbytes, int64_t k)
{
    for (int64_t p = 0; p < k; p++) memcpy(dst + (size_t)p * dst_row, src + p * src_row, nbytes);
}

void stria_copy_short_rows(char *dst, size_t dst_row, const char *src, int64_t src_row, size_t nbytes, int64_t k)
{
    switch (nbytes) {
    case 16: copy_rows(dst, dst_row, src, src_row, 16, k); break;
    case 24: copy_rows(dst, dst_row, src, src_row, 24, k); break;
    case 32: copy_rows(dst, dst_row, src, src_row, 32, k); break;
    case 40: copy_rows(dst, dst_row, src, src_row, 40, k); break;
    case 48: copy_rows(dst, dst_row, src, src_row, 48, k); break;
    case 56: copy_rows(dst, dst_row, src, src_row, 56, k); break;
    case 64: copy_rows(dst, dst_row, src, src_row, 64, k); break;
    case 128: copy_rows(dst, dst_row, src, src_row, 128, k); break;
    default: copy_rows(dst, dst_row, src, src_row, nbytes, k); break;
    }
}
