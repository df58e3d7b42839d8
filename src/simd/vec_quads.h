/* vec_quads.h - four accumulators in a row, for scans along memory: the widest unit whose running sums every instruction set
 * forms in the same way. Included once per ISA, before scan_template.h.
 *
 *   quad_f64 quad_u64       four doubles or uint64_t
 *   quad_get_<T>(src)       four elements f32, f64, i64 or u64, widened
 *   quad_put_<T>(dst, a)    the way back; f32 is rounded
 *   quad_set_<A>(x)         x four times
 *   quad_sum_<A>(a, b), quad_prod_<A>(a, b)
 *   quad_shift1_<A>(a, x)   x, a0, x, a2
 *   quad_shift2_<A>(a, x)   x, x, a1, a1
 *   quad_last_<A>(a)        a3 four times
 */
#if defined(__AVX2__) && defined(STRIA_VECTOR_BYTES)

typedef double   quad_f64 __attribute__((vector_size(32)));
typedef uint64_t quad_u64 __attribute__((vector_size(32)));
typedef double   quad_f64_at __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint64_t quad_u64_at __attribute__((vector_size(32), aligned(1), may_alias));

#define QUAD_WORDS(A, C)                                                                                              \
    VEC_INLINE quad_##A quad_set_##A(C x) { return x - (quad_##A){0}; }                                               \
    VEC_INLINE quad_##A quad_sum_##A(quad_##A a, quad_##A b) { return a + b; }                                        \
    VEC_INLINE quad_##A quad_prod_##A(quad_##A a, quad_##A b) { return a * b; }                                       \
    VEC_INLINE quad_##A quad_shift1_##A(quad_##A a, quad_##A x) { return __builtin_shufflevector(x, a, 0, 4, 2, 6); } \
    VEC_INLINE quad_##A quad_shift2_##A(quad_##A a, quad_##A x) { return __builtin_shufflevector(x, a, 0, 1, 5, 5); } \
    VEC_INLINE quad_##A quad_last_##A(quad_##A a) { return __builtin_shufflevector(a, a, 3, 3, 3, 3); }
#define QUAD_GET(at, type) (*(const type *)(const void *)(at))
#define QUAD_PUT(at, type, a) (*(type *)(void *)(at) = (a))
/* GCC makes three instructions each of what is one. */
VEC_INLINE quad_f64 quad_get_f32(const float *src) { return (quad_f64)_mm256_cvtps_pd(_mm_loadu_ps(src)); }
VEC_INLINE void     quad_put_f32(float *dst, quad_f64 a) { _mm_storeu_ps(dst, _mm256_cvtpd_ps((__m256d)a)); }
VEC_INLINE quad_f64 quad_get_f64(const double *src) { return QUAD_GET(src, quad_f64_at); }
VEC_INLINE void     quad_put_f64(double *dst, quad_f64 a) { QUAD_PUT(dst, quad_f64_at, a); }
VEC_INLINE quad_u64 quad_get_u64(const uint64_t *src) { return QUAD_GET(src, quad_u64_at); }
VEC_INLINE void     quad_put_u64(uint64_t *dst, quad_u64 a) { QUAD_PUT(dst, quad_u64_at, a); }
VEC_INLINE quad_u64 quad_get_i64(const int64_t *src) { return QUAD_GET(src, quad_u64_at); }
VEC_INLINE void     quad_put_i64(int64_t *dst, quad_u64 a) { QUAD_PUT(dst, quad_u64_at, a); }
QUAD_WORDS(f64, double)
QUAD_WORDS(u64, uint64_t)
#undef QUAD_GET
#undef QUAD_PUT

#elif defined(STRIA_VECTOR_BYTES)

#define QUAD_WORDS(A, C)                                                                                         \
    typedef struct quad_##A {                                                                                    \
        vec_##A lo, hi;                                                                                          \
    } quad_##A;                                                                                                  \
    VEC_INLINE quad_##A quad_set_##A(C x) { return (quad_##A){vec_set_##A(x), vec_set_##A(x)}; }                 \
    VEC_INLINE quad_##A quad_sum_##A(quad_##A a, quad_##A b) { return (quad_##A){a.lo + b.lo, a.hi + b.hi}; }    \
    VEC_INLINE quad_##A quad_prod_##A(quad_##A a, quad_##A b) { return (quad_##A){a.lo * b.lo, a.hi * b.hi}; }   \
    VEC_INLINE quad_##A quad_shift1_##A(quad_##A a, quad_##A x)                                                  \
    {                                                                                                            \
        return (quad_##A){__builtin_shufflevector(x.lo, a.lo, 0, 2), __builtin_shufflevector(x.hi, a.hi, 0, 2)}; \
    }                                                                                                            \
    VEC_INLINE quad_##A quad_shift2_##A(quad_##A a, quad_##A x)                                                  \
    {                                                                                                            \
        return (quad_##A){x.lo, __builtin_shufflevector(a.lo, a.lo, 1, 1)};                                      \
    }                                                                                                            \
    VEC_INLINE quad_##A quad_last_##A(quad_##A a)                                                                \
    {                                                                                                            \
        const vec_##A last = __builtin_shufflevector(a.hi, a.hi, 1, 1);                                          \
        return (quad_##A){last, last};                                                                           \
    }
QUAD_WORDS(f64, double)
QUAD_WORDS(u64, uint64_t)
VEC_INLINE quad_f64 quad_get_f32(const float *src)
{
    const vec_w64 a = vec_widen_f32(vec_load_f32(src));
    return (quad_f64){a.lo, a.hi};
}
VEC_INLINE void     quad_put_f32(float *dst, quad_f64 a) { vec_store_f32(dst, vec_narrow_w64((vec_w64){a.lo, a.hi})); }
VEC_INLINE quad_f64 quad_get_f64(const double *src) { return (quad_f64){vec_load_f64(src), vec_load_f64(src + 2)}; }
VEC_INLINE void     quad_put_f64(double *dst, quad_f64 a)
{
    vec_store_f64(dst, a.lo);
    vec_store_f64(dst + 2, a.hi);
}
VEC_INLINE quad_u64 quad_get_u64(const uint64_t *src) { return (quad_u64){vec_load_u64(src), vec_load_u64(src + 2)}; }
VEC_INLINE void     quad_put_u64(uint64_t *dst, quad_u64 a)
{
    vec_store_u64(dst, a.lo);
    vec_store_u64(dst + 2, a.hi);
}
VEC_INLINE quad_u64 quad_get_i64(const int64_t *src)
{
    return (quad_u64){vec_u64_from_i64(vec_load_i64(src)), vec_u64_from_i64(vec_load_i64(src + 2))};
}
VEC_INLINE void quad_put_i64(int64_t *dst, quad_u64 a)
{
    vec_store_i64(dst, vec_i64_from_u64(a.lo));
    vec_store_i64(dst + 2, vec_i64_from_u64(a.hi));
}

#else /* plain C */

#define QUAD_WORDS(A, C)                                                                         \
    typedef struct quad_##A {                                                                    \
        C x[4];                                                                                  \
    } quad_##A;                                                                                  \
    VEC_INLINE quad_##A quad_set_##A(C x) { return (quad_##A){{x, x, x, x}}; }                   \
    VEC_INLINE quad_##A quad_sum_##A(quad_##A a, quad_##A b)                                     \
    {                                                                                            \
        return (quad_##A){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2], a.x[3] + b.x[3]}}; \
    }                                                                                            \
    VEC_INLINE quad_##A quad_prod_##A(quad_##A a, quad_##A b)                                    \
    {                                                                                            \
        return (quad_##A){{a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2], a.x[3] * b.x[3]}}; \
    }                                                                                            \
    VEC_INLINE quad_##A quad_shift1_##A(quad_##A a, quad_##A x)                                  \
    {                                                                                            \
        return (quad_##A){{x.x[0], a.x[0], x.x[2], a.x[2]}};                                     \
    }                                                                                            \
    VEC_INLINE quad_##A quad_shift2_##A(quad_##A a, quad_##A x)                                  \
    {                                                                                            \
        return (quad_##A){{x.x[0], x.x[1], a.x[1], a.x[1]}};                                     \
    }                                                                                            \
    VEC_INLINE quad_##A quad_last_##A(quad_##A a) { return quad_set_##A(a.x[3]); }
#define QUAD_ACCESS(T, C, A, CA)                                             \
    VEC_INLINE quad_##A quad_get_##T(const C *src)                           \
    {                                                                        \
        return (quad_##A){{(CA)src[0], (CA)src[1], (CA)src[2], (CA)src[3]}}; \
    }                                                                        \
    VEC_INLINE void quad_put_##T(C *dst, quad_##A a)                         \
    {                                                                        \
        for (int k = 0; k < 4; k++) dst[k] = (C)a.x[k];                      \
    }
QUAD_WORDS(f64, double)
QUAD_WORDS(u64, uint64_t)
QUAD_ACCESS(f32, float, f64, double)
QUAD_ACCESS(f64, double, f64, double)
QUAD_ACCESS(u64, uint64_t, u64, uint64_t)
QUAD_ACCESS(i64, int64_t, u64, uint64_t)
#undef QUAD_ACCESS

#endif
#undef QUAD_WORDS
