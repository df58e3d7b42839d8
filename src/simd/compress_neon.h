/* compress_neon.h - vec_compress.h on NEON. */
#ifndef STRIA_COMPRESS_NEON_H
#define STRIA_COMPRESS_NEON_H

#include "compress_table.h"

VEC_INLINE vec_bytes vec_compress_pick(vec_bytes a, vec_bytes index)
{
    return (vec_bytes)vqtbl1q_u8((uint8x16_t)a, (uint8x16_t)index);
}
VEC_INLINE unsigned vec_compress_bits(const uint8_t *mask)
{
    const uint8x8_t bytes = vld1_u8(mask), ones = vand_u8(vtst_u8(bytes, bytes), vcreate_u8(0x8040201008040201u));
    return vaddv_u8(ones);
}

#include "compress_shuffle.h"

#endif
