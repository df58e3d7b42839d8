/* vec_types.h - lanes and masks as vectors of STRIA_VECTOR_BYTES, for the SIMD vocabularies. A lane of a mask has all bits
 * set or none; vec_avx512.h has its own masks (VEC_NATIVE_MASKS). */
#define VEC_LANES_b8 (STRIA_VECTOR_BYTES)
#define VEC_LANES_u8 (STRIA_VECTOR_BYTES)
#define VEC_LANES_i8 (STRIA_VECTOR_BYTES)
#define VEC_LANES_u16 (STRIA_VECTOR_BYTES / 2)
#define VEC_LANES_i16 (STRIA_VECTOR_BYTES / 2)
#define VEC_LANES_u32 (STRIA_VECTOR_BYTES / 4)
#define VEC_LANES_i32 (STRIA_VECTOR_BYTES / 4)
#define VEC_LANES_u64 (STRIA_VECTOR_BYTES / 8)
#define VEC_LANES_i64 (STRIA_VECTOR_BYTES / 8)
#define VEC_LANES_f32 (STRIA_VECTOR_BYTES / 4)
#define VEC_LANES_f64 (STRIA_VECTOR_BYTES / 8)
#define VEC_LANES_w64 VEC_LANES_f32
#define VEC_LANES_iw64 VEC_LANES_f32
#define VEC_LANES_uw64 VEC_LANES_f32

/* Every SIMD vec_<isa>.h defines these itself. */
#define VEC_NATIVE_min_u8 1
#define VEC_NATIVE_min_i8 1
#define VEC_NATIVE_min_u16 1
#define VEC_NATIVE_min_i16 1
#define VEC_NATIVE_min_u32 1
#define VEC_NATIVE_min_i32 1
#define VEC_NATIVE_min_f32 1
#define VEC_NATIVE_min_f64 1

#define VEC_VECTOR __attribute__((vector_size(STRIA_VECTOR_BYTES)))
typedef uint8_t vec_b8   VEC_VECTOR;
typedef uint8_t vec_u8   VEC_VECTOR;
typedef int8_t vec_i8    VEC_VECTOR;
typedef uint16_t vec_u16 VEC_VECTOR;
typedef int16_t vec_i16  VEC_VECTOR;
typedef uint32_t vec_u32 VEC_VECTOR;
typedef int32_t vec_i32  VEC_VECTOR;
typedef uint64_t vec_u64 VEC_VECTOR;
typedef int64_t vec_i64  VEC_VECTOR;
typedef float vec_f32    VEC_VECTOR;
typedef double vec_f64   VEC_VECTOR;

#if !defined(VEC_NATIVE_MASKS)
typedef vec_i8  vec_mask_8;
typedef vec_i16 vec_mask_16;
typedef vec_i32 vec_mask_32;
typedef vec_i64 vec_mask_64;
#endif
typedef vec_mask_8  vec_mask_b8;
typedef vec_mask_8  vec_mask_u8;
typedef vec_mask_8  vec_mask_i8;
typedef vec_mask_16 vec_mask_u16;
typedef vec_mask_16 vec_mask_i16;
typedef vec_mask_32 vec_mask_u32;
typedef vec_mask_32 vec_mask_i32;
typedef vec_mask_32 vec_mask_f32;
typedef vec_mask_64 vec_mask_u64;
typedef vec_mask_64 vec_mask_i64;
typedef vec_mask_64 vec_mask_f64;

/* lo holds the first half of the lanes */
typedef struct vec_w64 {
    vec_f64 lo, hi;
} vec_w64;
typedef struct vec_iw64 {
    vec_i64 lo, hi;
} vec_iw64;
typedef struct vec_uw64 {
    vec_u64 lo, hi;
} vec_uw64;
typedef struct vec_mask_w64 {
    vec_mask_64 lo, hi;
} vec_mask_w64;
typedef vec_mask_w64 vec_mask_iw64;
typedef vec_mask_w64 vec_mask_uw64;
