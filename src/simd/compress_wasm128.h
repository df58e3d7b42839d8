/* compress_wasm128.h - vec_compress.h on WebAssembly SIMD. */
#ifndef STRIA_COMPRESS_WASM128_H
#define STRIA_COMPRESS_WASM128_H

#include "compress_table.h"

VEC_INLINE vec_bytes vec_compress_pick(vec_bytes a, vec_bytes index)
{
    return (vec_bytes)wasm_i8x16_swizzle((v128_t)a, (v128_t)index);
}
VEC_INLINE unsigned vec_compress_bits(const uint8_t *mask)
{
    return wasm_i8x16_bitmask((v128_t)(vec_compress_load_8(mask) != 0));
}

#include "compress_shuffle.h"

#endif
