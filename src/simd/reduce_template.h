/* reduce_template.h - the block loops of every reduction row for one lane type; contract and order in kernels.h.
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 */
#define V_GROUP (STRIA_REDUCE_GROUP_BYTES / (int)sizeof(v_ctype)) /* lanes of a group */
#define V_GROUP_VECTORS (V_GROUP / V_LANES)
/* Vectors of a group that are kept in registers at once: 16 are too many for x86 with 128-bit vectors. */
#define V_HELD(n_vectors) ((n_vectors) < 8 ? (n_vectors) : 8)

/* Elements have `parts` lanes side by side, 1 or 2, of which each is combined with its like: a group has as many times its lanes, and the
 * tree ends with as many. */

/* Adds whole groups into acc[0 .. parts * V_GROUP), one slice of vectors after another; the block stays in L1. */
V_LOOP void FN(reduce_groups)(v_ctype *acc, const v_ctype *src, int64_t n_groups, const int parts,
                              v_vec (*combine)(v_vec, v_vec))
{
    const int n_vectors = parts * V_GROUP_VECTORS, n_held = V_HELD(n_vectors);

    for (int slice = 0; slice < n_vectors; slice += n_held) {
        v_vec held[V_HELD(2 * V_GROUP_VECTORS)];
        for (int k = 0; k < n_held; k++) held[k] = v_load(src + (slice + k) * V_LANES);
        for (int64_t g = 1; g < n_groups; g++) {
            const v_ctype *row = src + g * parts * V_GROUP + slice * V_LANES;
            for (int k = 0; k < n_held; k++) held[k] = combine(held[k], v_load(row + k * V_LANES));
        }
        for (int k = 0; k < n_held; k++) v_store(acc + (slice + k) * V_LANES, held[k]);
    }
}

/* The lanes beyond the last whole group, into the first of acc. */
V_LOOP void FN(reduce_rest)(v_ctype *acc, const v_ctype *src, int64_t rest, v_ctype neutral,
                            v_vec (*combine)(v_vec, v_vec))
{
    int64_t k = 0;

    for (; k + V_LANES <= rest; k += V_LANES) v_store(acc + k, combine(v_load(acc + k), v_load(src + k)));
    if (k < rest) v_store(acc + k, combine(v_load(acc + k), v_load_part(src + k, rest - k, v_set(neutral))));
}

/* Less than a group: its vectors that are not all neutral; returns their number. */
V_LOOP int FN(reduce_part)(v_vec *held, const v_ctype *src, int64_t n_lanes, v_ctype neutral)
{
    const int whole = (int)((uint64_t)n_lanes / V_LANES), rest = (int)((uint64_t)n_lanes % V_LANES);

    for (int k = 0; k < whole; k++) held[k] = v_load(src + k * V_LANES);
    if (rest > 0) held[whole] = v_load_part(src + whole * V_LANES, rest, v_set(neutral));
    return whole + (rest > 0);
}

/* Combines the vectors of a group as a tree. Vectors from `used` on are neutral, so they are left out. */
V_LOOP void FN(reduce_vectors)(v_vec *held, int used, const int parts, v_vec (*combine)(v_vec, v_vec))
{
    for (int half = parts * V_GROUP_VECTORS / 2; half * V_LANES >= parts; half /= 2) {
        for (int k = 0; half + k < used; k++) held[k] = combine(held[k], held[half + k]);
        if (used > half) used = half;
    }
}

V_LOOP void FN(reduce_lanes)(char *result, const v_vec *held, const int parts, v_vec (*combine)(v_vec, v_vec))
{
    v_ctype acc[V_LANES + 1];
    v_vec   lane[V_LANES + 1];

    for (int k = 0; k * V_LANES < parts; k++) v_store(acc + k * V_LANES, held[k]);
    for (int k = 0; k < V_LANES || k < parts; k++)
        lane[k] = v_set(acc[k]); /* faster than vectors that overlap what was just stored */
    for (int half = V_LANES / 2; half >= parts; half /= 2) {
        for (int k = 0; k < half; k++) lane[k] = combine(lane[k], lane[half + k]);
    }
    for (int k = 0; k < parts; k++) {
        v_store(acc, lane[k]);
        memcpy(result + k * (int)sizeof(v_ctype), acc, sizeof(v_ctype));
    }
}

/* *result = a group combined; its vectors from `used` on are neutral. */
V_LOOP void FN(reduce_group)(char *result, v_vec *held, int used, const int parts, v_vec (*combine)(v_vec, v_vec))
{
    FN(reduce_vectors)(held, used, parts, combine);
    FN(reduce_lanes)(result, held, parts, combine);
}

V_LOOP void FN(reduce_row)(char *result, const char *data, int64_t count, v_ctype neutral, const int parts,
                           v_vec (*combine)(v_vec, v_vec))
{
    const v_ctype *src = (const v_ctype *)data;
    const int64_t  n_lanes = count * parts, group = parts * V_GROUP;
    const int64_t  n_groups = (int64_t)((uint64_t)n_lanes / (uint64_t)group), rest = n_lanes - n_groups * group;
    v_ctype        acc[2 * V_GROUP];
    v_vec          held[2 * V_GROUP_VECTORS];

    if (n_groups == 0) {
        FN(reduce_group)(result, held, FN(reduce_part)(held, src, n_lanes, neutral), parts, combine);
        return;
    }
    FN(reduce_groups)(acc, src, n_groups, parts, combine);
    if (rest > 0) FN(reduce_rest)(acc, src + n_groups * group, rest, neutral, combine);
    for (int k = 0; k < parts * V_GROUP_VECTORS; k++) held[k] = v_load(acc + k * V_LANES);
    FN(reduce_group)(result, held, parts * V_GROUP_VECTORS, parts, combine);
}

#if STRIA_IS_FLOAT
V_LAMBDA v_vec FN(reduce_add)(v_vec a, v_vec b) { return v_add(a, b); }
/* Sums of complex numbers. */
static void FN(reduce_pairs)(char *result, const char *data, int64_t count)
{
    FN(reduce_row)(result, data, count, (v_ctype)-0.0, 2, FN(reduce_add));
}
#endif

/* Whether the combine of a row, as text, is this word of its two lanes. Compilers know the answer. */
#define STRIA_COMBINES_BY(text, word) (__builtin_strcmp(text, STRIA_TEXT(word(a, b))) == 0)
#define STRIA_TEXT(...) STRIA_TEXT_OF(__VA_ARGS__)
#define STRIA_TEXT_OF(...) #__VA_ARGS__

#if STRIA_IS_FLOAT
/* The largest or smallest element. extreme (arg_template.h) does not tell -0 from +0. */
V_LOOP void FN(reduce_extreme)(char *result, const char *data, int64_t count, v_ctype neutral,
                               v_vec (*combine)(v_vec, v_vec), void (*extreme)(char *, const char *, int64_t))
{
    v_ctype found;

    extreme(result, data, count);
    memcpy(&found, result, sizeof found);
    if (found == 0) FN(reduce_row)(result, data, count, neutral, 1, combine);
}
#endif

/* A row by its combine: the words that argmax and argmin are made of have a faster loop. */
V_LOOP void FN(reduce_by)(char *result, const char *data, int64_t count, v_ctype neutral,
                          v_vec (*combine)(v_vec, v_vec), bool is_max, bool is_min)
{
#if STRIA_IS_FLOAT
    if (is_max)
        FN(reduce_extreme)(result, data, count, neutral, combine, FN(arg_extreme_max));
    else if (is_min)
        FN(reduce_extreme)(result, data, count, neutral, combine, FN(arg_extreme_min));
    else
#endif
        FN(reduce_row)(result, data, count, neutral, 1, combine);
    (void)is_max;
    (void)is_min;
}

/* What is done to columns: `slots` of slot_bytes each, the last of which, number n_slots, is the accumulator. */
typedef struct FN(reduce_slots) {
    char   *at;
    int     n_slots;
    int64_t slot_bytes;
} FN(reduce_slots);

V_LOOP v_vec FN(reduce_load)(const char *at, const int width)
{
    return width == V_LANES ? v_load((const v_ctype *)at) : v_load_part((const v_ctype *)at, width, v_set(0));
}

/* Columns at..at + width - 1 bytes: `take` rows combined, after the accumulator unless they begin, and before the slots, the last first. */
V_LOOP v_vec FN(reduce_down)(const FN(reduce_slots) * s, bool begins, const char *row, int64_t stride, const int take,
                             int64_t at, const int width, v_vec (*combine)(v_vec, v_vec))
{
    v_vec v = FN(reduce_load)(row + at, width);

    if (!begins) v = combine(FN(reduce_load)(s->at + s->n_slots * s->slot_bytes + at, width), v);
    for (int r = 1; r < take; r++) v = combine(v, FN(reduce_load)(row + r * stride + at, width));
    for (int k = s->n_slots - 1; k >= 0; k--) v = combine(FN(reduce_load)(s->at + k * s->slot_bytes + at, width), v);
    return v;
}

/* `take` rows into the first slot. The last vector overlaps the one before: it is computed first and stored last. Hardware prefetchers do
 * not follow several sequences of accesses in one page, so the next short rows are prefetched. */
V_LOOP void FN(reduce_rows)(const FN(reduce_slots) * s, bool begins, const char *row, int64_t stride, const int take,
                            int64_t n_columns, v_vec (*combine)(v_vec, v_vec))
{
    const int64_t step = V_LANES * (int64_t)sizeof(v_ctype), end = n_columns * (int64_t)sizeof(v_ctype);
    const int     fetched = stride <= 2048 && end >= 64 ? take : 0;

    if (V_LANES > 1 && end < step) {
        const v_vec v = FN(reduce_down)(s, begins, row, stride, take, 0, (int)n_columns, combine);
        v_ctype     part[V_LANES];
        v_store(part, v);
        memcpy(s->at, part, (size_t)end);
        return;
    }
    const v_vec last = FN(reduce_down)(s, begins, row, stride, take, end - step, V_LANES, combine);
    for (int64_t at = 0; at + step < end; at += step) {
        if (step >= 64 || at % 64 == 0)
            for (int r = 0; r < fetched; r++) __builtin_prefetch(row + (take + r) * stride + at);
        const v_vec v = FN(reduce_down)(s, begins, row, stride, take, at, V_LANES, combine);
        v_store((v_ctype *)(s->at + at), v);
    }
    v_store((v_ctype *)(s->at + end - step), last);
}

/* Eight rows at a time, so that the accumulator is seldom read and written, and few rows meet in one set of a cache. */
#define REDUCE_AT_ONCE 8
V_LOOP void FN(reduce_columns)(char *slots, int n_slots, int64_t slot_bytes, bool begins, const char *row,
                               int64_t stride, int64_t n_rows, int64_t n_columns, v_vec (*combine)(v_vec, v_vec))
{
    const FN(reduce_slots) all = {slots, n_slots, slot_bytes}, acc = {slots + n_slots * slot_bytes, 0, 0};

    for (; n_rows >= REDUCE_AT_ONCE; n_rows -= REDUCE_AT_ONCE, row += REDUCE_AT_ONCE * stride, begins = false)
        FN(reduce_rows)
    (n_rows == REDUCE_AT_ONCE ? &all : &acc, begins, row, stride, REDUCE_AT_ONCE, n_columns, combine);
    if (n_rows > 0) FN(reduce_rows)(&all, begins, row, stride, (int)n_rows, n_columns, combine);
}
#undef REDUCE_AT_ONCE

#if STRIA_SIZE >= 4 && V_LANES > 1
#define MOVED(name) STRIA_CAT3(name, _, STRIA_SIZE)
/* *acc = acc combined with elements k = from .. n - 1 of V_LANES rows each, n <= V_LANES. */
V_LOOP void FN(reduce_square)(v_vec *acc, const char *src, int64_t stride, int from, int n,
                              v_vec (*combine)(v_vec, v_vec))
{
    MOVED(move_vec) square[V_LANES];
    v_vec element[V_LANES];

    MOVED(move_square)(square, src, stride);
    memcpy(element, square, sizeof element);
    if (from == 1) *acc = element[0];
    if (n == V_LANES) {
#pragma GCC unroll 16
        for (int k = from; k < V_LANES; k++) *acc = combine(*acc, element[k]);
    } else {
        for (int k = from; k < n; k++) *acc = combine(*acc, element[k]);
    }
}

/* V_LANES rows of up to STRIA_REDUCE_ROWS elements. */
V_LOOP v_vec FN(reduce_squares)(const char *src, int64_t stride, int64_t count, v_vec (*combine)(v_vec, v_vec))
{
    v_vec acc;

    FN(reduce_square)(&acc, src, stride, 1, count < V_LANES ? (int)count : V_LANES, combine);
    for (int64_t k = V_LANES; k < count; k += V_LANES) FN(reduce_square)
    (&acc, src + k * STRIA_SIZE, stride, 0, count - k < V_LANES ? (int)(count - k) : V_LANES, combine);
    return acc;
}

/* The same of up to STRIA_REDUCE_FEW. */
V_LOOP v_vec FN(reduce_tree)(const char *src, int64_t stride, int64_t count, v_vec (*combine)(v_vec, v_vec))
{
    v_vec slots[8];
    int   used = 0;

    for (int64_t at = 0; at < count; at += STRIA_REDUCE_ROWS) {
        const int64_t n = count - at < STRIA_REDUCE_ROWS ? count - at : STRIA_REDUCE_ROWS;
        slots[used++] = FN(reduce_squares)(src + at * STRIA_SIZE, stride, n, combine);
        for (int64_t blocks = at / STRIA_REDUCE_ROWS + 1; (blocks & 1) == 0; blocks >>= 1, used--)
            slots[used - 2] = combine(slots[used - 2], slots[used - 1]);
    }
    for (; used > 1; used--) slots[used - 2] = combine(slots[used - 2], slots[used - 1]);
    return slots[0];
}

V_LOOP int64_t FN(reduce_few)(char *result, const char *src, int64_t stride, int64_t count, int64_t n,
                              v_vec (*combine)(v_vec, v_vec))
{
    const int64_t packed = V_LANES * STRIA_SIZE;
    v_ctype      *to = (v_ctype *)result;
    int64_t       i = 0;

    if (count % V_LANES >
        0) { /* the last vector of a row reads on into the rows that follow, which then have to be there */
        if (stride != count * STRIA_SIZE) return 0;
        n -= (V_LANES - count % V_LANES + count - 1) / count;
    }
    if (count == V_LANES && stride == packed) { /* what is known here is known to the compiler */
        for (; i + V_LANES <= n; i += V_LANES, src += V_LANES * packed)
            v_store(to + i, FN(reduce_squares)(src, packed, V_LANES, combine));
    } else if (count == 2 * V_LANES && stride == 2 * packed && 2 * V_LANES <= STRIA_REDUCE_ROWS) {
        for (; i + V_LANES <= n; i += V_LANES, src += V_LANES * 2 * packed)
            v_store(to + i, FN(reduce_squares)(src, 2 * packed, 2 * V_LANES, combine));
    } else {
        for (; i + V_LANES <= n; i += V_LANES, src += V_LANES * stride)
            v_store(to + i, FN(reduce_tree)(src, stride, count, combine));
    }
    return i;
}
#undef MOVED
#define STRIA_FEW(name)                                                                                    \
    static int64_t FN(few_##name)(char *result, const char *src, int64_t stride, int64_t count, int64_t n) \
    {                                                                                                      \
        return FN(reduce_few)(result, src, stride, count, n, FN(combine_##name));                          \
    }
#else
#define STRIA_FEW(name)
#endif

#include "op_sets.h"
/* For floats the neutral element of ZERO is -0: -0 + x is x for every x. */
#define STRIA_NEUTRAL_ZERO ((v_ctype)(STRIA_IS_FLOAT ? -0.0 : 0))
#define STRIA_NEUTRAL_ONE ((v_ctype)1)
#define STRIA_NEUTRAL_LOWEST ((v_ctype)STRIA_LOWEST)
#define STRIA_NEUTRAL_HIGHEST ((v_ctype)STRIA_HIGHEST)
#define STRIA_RED(set, name, result, identity, combine, finish, summary)                                       \
    V_LAMBDA v_vec FN(combine_##name)(v_vec a, v_vec b) { return combine; }                                    \
    static void    FN(row_##name)(char *out, const char *src, int64_t count)                                   \
    {                                                                                                          \
        FN(reduce_by)                                                                                          \
        (out, src, count, STRIA_NEUTRAL_##identity, FN(combine_##name), STRIA_COMBINES_BY(#combine, v_max),    \
         STRIA_COMBINES_BY(#combine, v_min));                                                                  \
    }                                                                                                          \
    static void FN(columns_##name)(char *slots, int n_slots, int64_t slot_bytes, bool begins, const char *src, \
                                   int64_t stride, int64_t n_rows, int64_t n_columns)                          \
    {                                                                                                          \
        FN(reduce_columns)                                                                                     \
        (slots, n_slots, slot_bytes, begins, src, stride, n_rows, n_columns, FN(combine_##name));              \
    }                                                                                                          \
    STRIA_FEW(name)
#include "table/ops.def"

#undef STRIA_FEW
#undef STRIA_NEUTRAL_ZERO
#undef STRIA_NEUTRAL_ONE
#undef STRIA_NEUTRAL_LOWEST
#undef STRIA_NEUTRAL_HIGHEST
#undef STRIA_COMBINES_BY
#undef STRIA_TEXT
#undef STRIA_TEXT_OF
#undef V_GROUP
#undef V_GROUP_VECTORS
#undef V_HELD
