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

#endif
