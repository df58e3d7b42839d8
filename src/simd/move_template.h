/* move_template.h - moving elements of one size between strided and packed memory, bits unchanged.
 *
 * Parameters
 *   MOVE_T      the element as an unsigned type of its size (or a struct)
 *   MOVE_SIZE   bytes of it
 *   MOVE_LANES  elements of a vector, a power of two from 2 to 16; 1: no vectors, plain loops
 * and are undefined at the end. MOVE(name) pastes the size.
 */
#define MOVE(name) STRIA_CAT3(name, _, MOVE_SIZE)

V_LOOP MOVE_T MOVE(move_get)(const char *at)
{
    MOVE_T x;
    memcpy(&x, at, sizeof x);
    return x;
}
V_LOOP void MOVE(move_put)(char *at, MOVE_T x) { memcpy(at, &x, sizeof x); }

#if MOVE_LANES > 1
typedef MOVE_T MOVE(move_vec) __attribute__((vector_size(MOVE_SIZE * MOVE_LANES)));

V_LOOP MOVE(move_vec) MOVE(move_load)(const char *at)
{
    MOVE(move_vec) v;
    memcpy(&v, at, sizeof v);
    return v;
}
V_LOOP void MOVE(move_store)(char *at, MOVE(move_vec) v) { memcpy(at, &v, sizeof v); }

V_LOOP MOVE(move_vec) MOVE(move_even)(MOVE(move_vec) a, MOVE(move_vec) b)
{
#if MOVE_SIZE == 4 && defined(VEC_NATIVE_UNZIP_4)
    return (MOVE(move_vec))vec_even_4((vec_u32)a, (vec_u32)b);
#else
    return MOVE_SHUFFLE(a, b, MOVE_EVEN);
#endif
}
V_LOOP MOVE(move_vec) MOVE(move_odd)(MOVE(move_vec) a, MOVE(move_vec) b)
{
#if MOVE_SIZE == 4 && defined(VEC_NATIVE_UNZIP_4)
    return (MOVE(move_vec))vec_odd_4((vec_u32)a, (vec_u32)b);
#else
    return MOVE_SHUFFLE(a, b, MOVE_ODD);
#endif
}

/* Pairs apart and together, in each 16 bytes by themselves: one instruction each. */
V_LOOP MOVE(move_vec) MOVE(move_even_parts)(MOVE(move_vec) a, MOVE(move_vec) b)
{
    return MOVE_SHUFFLE(a, b, MOVE_EVEN_PARTS);
}
V_LOOP MOVE(move_vec) MOVE(move_odd_parts)(MOVE(move_vec) a, MOVE(move_vec) b)
{
    return MOVE_SHUFFLE(a, b, MOVE_ODD_PARTS);
}
V_LOOP MOVE(move_vec) MOVE(move_zip_parts_low)(MOVE(move_vec) a, MOVE(move_vec) b)
{
    return MOVE_SHUFFLE(a, b, MOVE_ZIP_PARTS_LOW);
}
V_LOOP MOVE(move_vec) MOVE(move_zip_parts_high)(MOVE(move_vec) a, MOVE(move_vec) b)
{
    return MOVE_SHUFFLE(a, b, MOVE_ZIP_PARTS_HIGH);
}

/* Each moves whole vectors, and returns the number of elements done. The last vector is left out if it would read beyond
 * the elements. */
V_LOOP int64_t MOVE(move_reversed)(char *dst, const char *src, int64_t n)
{
    int64_t i = 0;
    V_TWICE
    for (; i + MOVE_LANES <= n; i += MOVE_LANES) {
        const char *at = src - (i + MOVE_LANES - 1) * MOVE_SIZE;
        const MOVE(move_vec) v = MOVE(move_load)(at);
        __builtin_prefetch(at - MOVE_AHEAD);
        MOVE(move_store)(dst + i * MOVE_SIZE, MOVE_SHUFFLE(v, v, MOVE_REVERSE));
    }
    return i;
}
V_LOOP int64_t MOVE(move_every_2nd)(char *dst, const char *src, int64_t n)
{
    const int64_t step = MOVE_SIZE * MOVE_LANES;
    int64_t       i = 0;
    V_TWICE
    for (; i + MOVE_LANES < n; i += MOVE_LANES) {
        const char *at = src + 2 * i * MOVE_SIZE;
        __builtin_prefetch(at + 2 * MOVE_AHEAD);
        MOVE(move_store)(dst + i * MOVE_SIZE, MOVE(move_even)(MOVE(move_load)(at), MOVE(move_load)(at + step)));
    }
    return i;
}
V_LOOP int64_t MOVE(move_every_2nd_reversed)(char *dst, const char *src, int64_t n)
{
    const int64_t step = MOVE_SIZE * MOVE_LANES;
    int64_t       i = 0;
    V_TWICE
    for (; i + MOVE_LANES < n; i += MOVE_LANES) {
        const char *at = src - (2 * i + 2 * MOVE_LANES - 1) * MOVE_SIZE;
        __builtin_prefetch(at - 2 * MOVE_AHEAD);
        const MOVE(move_vec) v = MOVE(move_odd)(MOVE(move_load)(at), MOVE(move_load)(at + step));
        MOVE(move_store)(dst + i * MOVE_SIZE, MOVE_SHUFFLE(v, v, MOVE_REVERSE));
    }
    return i;
}
V_LOOP int64_t MOVE(move_every_4th)(char *dst, const char *src, int64_t n)
{
    int64_t i = 0;
    V_TWICE
    for (; i + MOVE_LANES < n; i += MOVE_LANES) {
        const char   *at = src + 4 * i * MOVE_SIZE;
        const int64_t step = MOVE_SIZE * MOVE_LANES;
        __builtin_prefetch(at + 4 * MOVE_AHEAD);
        __builtin_prefetch(at + 4 * MOVE_AHEAD + 2 * step);
        const MOVE(move_vec) low = MOVE(move_even)(MOVE(move_load)(at), MOVE(move_load)(at + step));
        const MOVE(move_vec) high = MOVE(move_even)(MOVE(move_load)(at + 2 * step), MOVE(move_load)(at + 3 * step));
        MOVE(move_store)(dst + i * MOVE_SIZE, MOVE(move_even)(low, high));
    }
    return i;
}
V_LOOP int64_t MOVE(move_spread)(char *dst, const char *src, int64_t n)
{
    const MOVE_T one = MOVE(move_get)(src);
    MOVE(move_vec) v;
    int64_t i = 0;
    for (int k = 0; k < MOVE_LANES; k++) v[k] = one;
    for (; i + MOVE_LANES <= n; i += MOVE_LANES) MOVE(move_store)(dst + i * MOVE_SIZE, v);
    return i;
}

/* Rows of 2, 3 or 4 adjacent elements from as many columns (`lanes` apart in src), and back. */
V_LOOP int64_t MOVE(move_interleave_2)(char *dst, const char *src, int64_t pitch, int64_t n)
{
    int64_t i = 0;
    for (; i + MOVE_LANES <= n; i += MOVE_LANES) {
        const MOVE(move_vec) a = MOVE(move_load)(src + i * MOVE_SIZE), b = MOVE(move_load)(src + pitch + i * MOVE_SIZE);
        char *at = dst + 2 * i * MOVE_SIZE;
        MOVE(move_store)(at, MOVE_SHUFFLE(a, b, MOVE_ZIP_LOW));
        MOVE(move_store)(at + MOVE_LANES * MOVE_SIZE, MOVE_SHUFFLE(a, b, MOVE_ZIP_HIGH));
    }
    return i;
}
V_LOOP int64_t MOVE(move_interleave_3)(char *dst, const char *src, int64_t pitch, int64_t n)
{
    int64_t i = 0;
    for (; i + MOVE_LANES <= n; i += MOVE_LANES) {
        const char *from = src + i * MOVE_SIZE;
        char       *at = dst + 3 * i * MOVE_SIZE;
        const MOVE(move_vec) a = MOVE(move_load)(from), b = MOVE(move_load)(from + pitch);
        const MOVE(move_vec) c = MOVE(move_load)(from + 2 * pitch);
        MOVE(move_store)(at, MOVE_SHUFFLE(MOVE_SHUFFLE(a, b, MOVE_TRIPLE_01_0), c, MOVE_TRIPLE_2_0));
        at += MOVE_LANES * MOVE_SIZE;
        MOVE(move_store)(at, MOVE_SHUFFLE(MOVE_SHUFFLE(a, b, MOVE_TRIPLE_01_1), c, MOVE_TRIPLE_2_1));
        at += MOVE_LANES * MOVE_SIZE;
        MOVE(move_store)(at, MOVE_SHUFFLE(MOVE_SHUFFLE(a, b, MOVE_TRIPLE_01_2), c, MOVE_TRIPLE_2_2));
    }
    return i;
}
V_LOOP int64_t MOVE(move_interleave_4)(char *dst, const char *src, int64_t pitch, int64_t n)
{
    const int64_t step = MOVE_LANES * MOVE_SIZE;
    int64_t       i = 0;
    for (; i + MOVE_LANES <= n; i += MOVE_LANES) {
        const char *from = src + i * MOVE_SIZE;
        char       *at = dst + 4 * i * MOVE_SIZE;
        const MOVE(move_vec) a = MOVE(move_load)(from), b = MOVE(move_load)(from + pitch);
        const MOVE(move_vec) c = MOVE(move_load)(from + 2 * pitch), d = MOVE(move_load)(from + 3 * pitch);
        const MOVE(move_vec) ac = MOVE_SHUFFLE(a, c, MOVE_ZIP_LOW), bd = MOVE_SHUFFLE(b, d, MOVE_ZIP_LOW);
        const MOVE(move_vec) ac_high = MOVE_SHUFFLE(a, c, MOVE_ZIP_HIGH), bd_high = MOVE_SHUFFLE(b, d, MOVE_ZIP_HIGH);
        MOVE(move_store)(at, MOVE_SHUFFLE(ac, bd, MOVE_ZIP_LOW));
        MOVE(move_store)(at + step, MOVE_SHUFFLE(ac, bd, MOVE_ZIP_HIGH));
        MOVE(move_store)(at + 2 * step, MOVE_SHUFFLE(ac_high, bd_high, MOVE_ZIP_LOW));
        MOVE(move_store)(at + 3 * step, MOVE_SHUFFLE(ac_high, bd_high, MOVE_ZIP_HIGH));
    }
    return i;
}
V_LOOP int64_t MOVE(move_separate_2)(char *dst, int64_t pitch, const char *src, int64_t n)
{
    int64_t i = 0;
    for (; i + MOVE_LANES <= n; i += MOVE_LANES) {
        const char *from = src + 2 * i * MOVE_SIZE;
        const MOVE(move_vec) a = MOVE(move_load)(from), b = MOVE(move_load)(from + MOVE_LANES * MOVE_SIZE);
        MOVE(move_store)(dst + i * MOVE_SIZE, MOVE(move_even)(a, b));
        MOVE(move_store)(dst + pitch + i * MOVE_SIZE, MOVE(move_odd)(a, b));
    }
    return i;
}
V_LOOP int64_t MOVE(move_separate_3)(char *dst, int64_t pitch, const char *src, int64_t n)
{
    const int64_t step = MOVE_LANES * MOVE_SIZE;
    int64_t       i = 0;
    for (; i + MOVE_LANES <= n; i += MOVE_LANES) {
        const char *from = src + 3 * i * MOVE_SIZE;
        char       *at = dst + i * MOVE_SIZE;
        const MOVE(move_vec) a = MOVE(move_load)(from), b = MOVE(move_load)(from + step);
        const MOVE(move_vec) c = MOVE(move_load)(from + 2 * step);
        MOVE(move_store)(at, MOVE_SHUFFLE(MOVE_SHUFFLE(a, b, MOVE_THIRD_01_0), c, MOVE_THIRD_2_0));
        MOVE(move_store)(at + pitch, MOVE_SHUFFLE(MOVE_SHUFFLE(a, b, MOVE_THIRD_01_1), c, MOVE_THIRD_2_1));
        MOVE(move_store)(at + 2 * pitch, MOVE_SHUFFLE(MOVE_SHUFFLE(a, b, MOVE_THIRD_01_2), c, MOVE_THIRD_2_2));
    }
    return i;
}
V_LOOP int64_t MOVE(move_separate_4)(char *dst, int64_t pitch, const char *src, int64_t n)
{
    const int64_t step = MOVE_LANES * MOVE_SIZE;
    int64_t       i = 0;
    for (; i + MOVE_LANES <= n; i += MOVE_LANES) {
        const char *from = src + 4 * i * MOVE_SIZE;
        char       *at = dst + i * MOVE_SIZE;
        const MOVE(move_vec) a = MOVE(move_load)(from), b = MOVE(move_load)(from + step);
        const MOVE(move_vec) c = MOVE(move_load)(from + 2 * step), d = MOVE(move_load)(from + 3 * step);
        const MOVE(move_vec) ab = MOVE(move_even)(a, b), cd = MOVE(move_even)(c, d);
        const MOVE(move_vec) ab_odd = MOVE(move_odd)(a, b), cd_odd = MOVE(move_odd)(c, d);
        MOVE(move_store)(at, MOVE(move_even)(ab, cd));
        MOVE(move_store)(at + pitch, MOVE(move_even)(ab_odd, cd_odd));
        MOVE(move_store)(at + 2 * pitch, MOVE(move_odd)(ab, cd));
        MOVE(move_store)(at + 3 * pitch, MOVE(move_odd)(ab_odd, cd_odd));
    }
    return i;
}

/* A square of memory as columns: log2(MOVE_PART) rounds interleave rows that are half a part apart, which transposes squares
 * of MOVE_PART elements; such squares are exchanged by loading halves of rows, and by a round of their own where there are four
 * in a row (Eklundh, A fast computer method for matrix transposing, IEEE Trans. Comp. C-21, 1972). Each shuffle is one
 * instruction. */
V_LOOP void MOVE(move_square)(MOVE(move_vec) row[MOVE_LANES], const char *src, int64_t pitch)
{
    MOVE(move_vec) mixed[MOVE_LANES];
#if MOVE_LANES >= 2 * MOVE_PART
#pragma GCC unroll 8
    for (int k = 0; k < MOVE_LANES / 2; k++) {
        const char *a = src + k * pitch, *b = a + MOVE_LANES / 2 * pitch;
        const int   half = MOVE_LANES / 2 * MOVE_SIZE;
        row[k] = (MOVE(move_vec))vec_load_halves(a, b);
        row[k + MOVE_LANES / 2] = (MOVE(move_vec))vec_load_halves(a + half, b + half);
    }
#else
#pragma GCC unroll 16
    for (int k = 0; k < MOVE_LANES; k++) row[k] = MOVE(move_load)(src + k * pitch);
#endif
#if MOVE_LANES >= 4 * MOVE_PART
#pragma GCC unroll 8
    for (int k = 0; k < MOVE_LANES / 2; k++) {
        const int a = k / MOVE_PART * 2 * MOVE_PART + k % MOVE_PART, b = a + MOVE_PART;
        mixed[a] = MOVE_SHUFFLE(row[a], row[b], MOVE_SWAP_PARTS_LOW);
        mixed[b] = MOVE_SHUFFLE(row[a], row[b], MOVE_SWAP_PARTS_HIGH);
    }
#pragma GCC unroll 16
    for (int k = 0; k < MOVE_LANES; k++) row[k] = mixed[k];
#endif
#pragma GCC unroll 4
    for (int round = 1; round < MOVE_PART; round *= 2) {
#pragma GCC unroll 8
        for (int k = 0; k < MOVE_LANES / 2; k++) {
            const int a = k / (MOVE_PART / 2) * MOVE_PART + k % (MOVE_PART / 2), b = a + MOVE_PART / 2;
            mixed[2 * k] = MOVE_SHUFFLE(row[a], row[b], MOVE_ZIP_PARTS_LOW);
            mixed[2 * k + 1] = MOVE_SHUFFLE(row[a], row[b], MOVE_ZIP_PARTS_HIGH);
        }
#pragma GCC unroll 16
        for (int k = 0; k < MOVE_LANES; k++) row[k] = mixed[k];
    }
}

V_LOOP void MOVE(move_transpose_block)(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch)
{
    MOVE(move_vec) row[MOVE_LANES];
    MOVE(move_square)(row, src, src_pitch);
#pragma GCC unroll 16
    for (int k = 0; k < MOVE_LANES; k++) MOVE(move_store)(dst + k * dst_pitch, row[k]);
}
#endif

static void MOVE(move_gather)(char *dst, const char *src, int64_t stride, int64_t n)
{
    int64_t i = 0;

    if (stride == MOVE_SIZE) {
        memcpy(dst, src, (size_t)n * MOVE_SIZE);
        return;
    }
#if MOVE_LANES > 1
    if (stride == -MOVE_SIZE) i = MOVE(move_reversed)(dst, src, n);
    if (stride == 2 * MOVE_SIZE) i = MOVE(move_every_2nd)(dst, src, n);
    if (stride == -2 * MOVE_SIZE) i = MOVE(move_every_2nd_reversed)(dst, src, n);
    if (stride == 4 * MOVE_SIZE) i = MOVE(move_every_4th)(dst, src, n);
    if (stride == 0 && n > 0) i = MOVE(move_spread)(dst, src, n);
#endif
    for (; i + 4 <= n; i += 4) {
        const char  *at = src + i * stride;
        const MOVE_T a = MOVE(move_get)(at), b = MOVE(move_get)(at + stride);
        const MOVE_T c = MOVE(move_get)(at + 2 * stride), d = MOVE(move_get)(at + 3 * stride);
        MOVE(move_put)(dst + i * MOVE_SIZE, a);
        MOVE(move_put)(dst + (i + 1) * MOVE_SIZE, b);
        MOVE(move_put)(dst + (i + 2) * MOVE_SIZE, c);
        MOVE(move_put)(dst + (i + 3) * MOVE_SIZE, d);
    }
    for (; i < n; i++) MOVE(move_put)(dst + i * MOVE_SIZE, MOVE(move_get)(src + i * stride));
}

static void MOVE(move_scatter)(char *dst, int64_t stride, const char *src, int64_t n)
{
    int64_t i = 0;

    if (stride == MOVE_SIZE) {
        memcpy(dst, src, (size_t)n * MOVE_SIZE);
        return;
    }
#if MOVE_LANES > 1
    if (stride == -MOVE_SIZE) { /* reversed: the packed side may be seen as the one that runs backwards */
        i = n - n % MOVE_LANES;
        MOVE(move_reversed)(dst - (i - 1) * MOVE_SIZE, src + (i - 1) * MOVE_SIZE, i);
    }
#endif
    for (; i < n; i++) MOVE(move_put)(dst + i * stride, MOVE(move_get)(src + i * MOVE_SIZE));
}

#if MOVE_LANES > 1
/* The rows that a form for few columns, or few rows, has done. */
V_LOOP int64_t MOVE(move_few_columns)(char *dst, const char *src, int64_t src_pitch, int64_t n_columns, int64_t n_rows)
{
    if (n_columns == 2) return MOVE(move_interleave_2)(dst, src, src_pitch, n_rows);
    if (n_columns == 3) return MOVE(move_interleave_3)(dst, src, src_pitch, n_rows);
    return MOVE(move_interleave_4)(dst, src, src_pitch, n_rows);
}
V_LOOP int64_t MOVE(move_few_rows)(char *dst, int64_t dst_pitch, const char *src, int64_t n_columns, int64_t n_rows)
{
    if (n_rows == 2) return MOVE(move_separate_2)(dst, dst_pitch, src, n_columns);
    if (n_rows == 3) return MOVE(move_separate_3)(dst, dst_pitch, src, n_columns);
    return MOVE(move_separate_4)(dst, dst_pitch, src, n_columns);
}
#endif

static void MOVE(move_transpose)(char *dst, int64_t dst_pitch, const char *src, int64_t src_pitch, int64_t n_columns,
                                 int64_t n_rows)
{
    int64_t j = 0;
#if MOVE_LANES > 1
    if (n_columns >= 2 && n_columns <= 4 && dst_pitch == n_columns * MOVE_SIZE)
        j = MOVE(move_few_columns)(dst, src, src_pitch, n_columns, n_rows);
    if (n_rows >= 2 && n_rows <= 4 && src_pitch == n_rows * MOVE_SIZE) {
        const int64_t done = MOVE(move_few_rows)(dst, dst_pitch, src, n_columns, n_rows);
        dst += done * MOVE_SIZE;
        src += done * src_pitch;
        n_columns -= done;
    }
    /* all rows of MOVE_LANES columns at a time: each line of src is met once */
    const int64_t whole = n_rows - (n_rows - j) % MOVE_LANES;
    int64_t       i = 0;
    for (; i + MOVE_LANES <= n_columns; i += MOVE_LANES) {
        const char *from = src + i * src_pitch;
        char       *to = dst + i * MOVE_SIZE;
        for (int64_t k = j; k < whole; k += MOVE_LANES)
            MOVE(move_transpose_block)(to + k * dst_pitch, dst_pitch, from + k * MOVE_SIZE, src_pitch);
    }
    for (; i < n_columns; i++)
        for (int64_t k = j; k < whole; k++)
            MOVE(move_put)(dst + k * dst_pitch + i * MOVE_SIZE, MOVE(move_get)(src + i * src_pitch + k * MOVE_SIZE));
    j = whole;
#endif
    for (; j < n_rows; j++)
        for (int64_t k = 0; k < n_columns; k++)
            MOVE(move_put)(dst + j * dst_pitch + k * MOVE_SIZE, MOVE(move_get)(src + k * src_pitch + j * MOVE_SIZE));
}

#undef MOVE
#undef MOVE_T
#undef MOVE_SIZE
#undef MOVE_LANES
