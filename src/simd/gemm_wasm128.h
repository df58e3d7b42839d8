/* gemm_wasm128.h - matrix products on WebAssembly SIMD (gemm_kernels.c). Tiles fit the 16 registers of x86-64, which is
 * what most engines have to map them to. The relaxed module fuses multiply and add where the machine does. */
#ifndef STRIA_GEMM_WASM128_H
#define STRIA_GEMM_WASM128_H

#define GEMM_ROWS_f32 4
#define GEMM_VECTORS_f32 2
#define GEMM_KC_f32 384
#define GEMM_MC_f32 168
#define GEMM_ROWS_f64 4
#define GEMM_VECTORS_f64 2
#define GEMM_KC_f64 256
#define GEMM_MC_f64 120
#define GEMM_ROWS_u32 4
#define GEMM_VECTORS_u32 2
#define GEMM_KC_u32 384
#define GEMM_MC_u32 168
#define GEMM_ROWS_u64 4
#define GEMM_VECTORS_u64 2
#define GEMM_KC_u64 256
#define GEMM_MC_u64 120

#if defined(__wasm_relaxed_simd__)
VEC_INLINE vec_f32 gemm_madd_f32(vec_f32 a, vec_f32 b, vec_f32 c)
{
    return (vec_f32)wasm_f32x4_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
}
VEC_INLINE vec_f64 gemm_madd_f64(vec_f64 a, vec_f64 b, vec_f64 c)
{
    return (vec_f64)wasm_f64x2_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
}
#else
VEC_INLINE vec_f32 gemm_madd_f32(vec_f32 a, vec_f32 b, vec_f32 c) { return a * b + c; }
VEC_INLINE vec_f64 gemm_madd_f64(vec_f64 a, vec_f64 b, vec_f64 c) { return a * b + c; }
#endif

#define GEMM_BLOCK_32 4
VEC_INLINE void gemm_transpose_32(void *dst, int64_t dst_row, const void *src, int64_t src_row)
{
    const uint32_t *s = (const uint32_t *)src;
    uint32_t       *d = (uint32_t *)dst;
    const v128_t    r0 = wasm_v128_load(s), r1 = wasm_v128_load(s + src_row);
    const v128_t    r2 = wasm_v128_load(s + 2 * src_row), r3 = wasm_v128_load(s + 3 * src_row);
    const v128_t    a = wasm_i32x4_shuffle(r0, r1, 0, 4, 1, 5), b = wasm_i32x4_shuffle(r0, r1, 2, 6, 3, 7);
    const v128_t    c = wasm_i32x4_shuffle(r2, r3, 0, 4, 1, 5), e = wasm_i32x4_shuffle(r2, r3, 2, 6, 3, 7);
    wasm_v128_store(d, wasm_i64x2_shuffle(a, c, 0, 2));
    wasm_v128_store(d + dst_row, wasm_i64x2_shuffle(a, c, 1, 3));
    wasm_v128_store(d + 2 * dst_row, wasm_i64x2_shuffle(b, e, 0, 2));
    wasm_v128_store(d + 3 * dst_row, wasm_i64x2_shuffle(b, e, 1, 3));
}

#define GEMM_BLOCK_64 2
VEC_INLINE void gemm_transpose_64(void *dst, int64_t dst_row, const void *src, int64_t src_row)
{
    const uint64_t *s = (const uint64_t *)src;
    uint64_t       *d = (uint64_t *)dst;
    const v128_t    r0 = wasm_v128_load(s), r1 = wasm_v128_load(s + src_row);
    wasm_v128_store(d, wasm_i64x2_shuffle(r0, r1, 0, 2));
    wasm_v128_store(d + dst_row, wasm_i64x2_shuffle(r0, r1, 1, 3));
}

#endif
