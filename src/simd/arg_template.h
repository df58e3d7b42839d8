/* arg_template.h - the loops of argmax and argmin for one lane type; contract in kernels.h (stria_arg_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 */
#define V_AT_ONCE 8 /* vectors: as many as the latency of a comparison hides */

/* Whether a is NaN, for integers never. */
#if STRIA_IS_FLOAT
#define ARG_IS_NAN(a) ((a) != (a))
#define ARG_NAN ((v_ctype)NAN)
#define ARG_NOTE_NAN(nan, a, b) v_mask_or(nan, v_unordered(a, b))
#else
#define ARG_IS_NAN(a) 0
#define ARG_NAN ((v_ctype)0) /* not reached */
#define ARG_NOTE_NAN(nan, a, b) nan
#endif

/* a takes the place of best: it is larger (smaller), or the first NaN. */
V_LAMBDA v_mask FN(arg_wins_max)(v_vec a, v_vec best)
{
#if STRIA_IS_FLOAT
    return v_mask_and(v_mask_not(v_le(a, best)), v_eq(best, best));
#else
    return v_lt(best, a);
#endif
}
V_LAMBDA v_mask FN(arg_wins_min)(v_vec a, v_vec best)
{
#if STRIA_IS_FLOAT
    return v_mask_and(v_mask_not(v_le(best, a)), v_eq(best, best));
#else
    return v_lt(a, best);
#endif
}
V_LAMBDA bool FN(arg_beats_max)(v_ctype a, v_ctype best) { return a > best || (ARG_IS_NAN(a) && !ARG_IS_NAN(best)); }
V_LAMBDA bool FN(arg_beats_min)(v_ctype a, v_ctype best) { return a < best || (ARG_IS_NAN(a) && !ARG_IS_NAN(best)); }

/* The extreme by `larger` (or `smaller`), which ignores NaN; the same pass looks for NaNs. The last vector may take some
 * elements a second time, which does not change the result. */
V_LOOP void FN(arg_extreme)(char *result, const char *data, int64_t count, v_ctype neutral,
                            v_vec (*larger)(v_vec, v_vec), bool (*beats)(v_ctype, v_ctype))
{
    const v_ctype *src = (const v_ctype *)data;
    v_ctype        best = neutral, part[V_LANES];
    bool           has_nan = false;
    int64_t        i = 0;

    if (count >= V_LANES) {
        v_vec  acc[V_AT_ONCE];
        v_mask nan = v_lt(v_set(0), v_set(0));
        for (int k = 0; k < V_AT_ONCE; k++) acc[k] = v_set(neutral);
        for (; i + V_AT_ONCE * V_LANES <= count; i += V_AT_ONCE * V_LANES) {
            v_vec x[V_AT_ONCE];
            for (int k = 0; k < V_AT_ONCE; k++) x[k] = v_load(src + i + k * V_LANES);
            for (int k = 0; k < V_AT_ONCE; k++) acc[k] = larger(x[k], acc[k]);
            for (int k = 0; k < V_AT_ONCE; k += 2) nan = ARG_NOTE_NAN(nan, x[k], x[k + 1]);
        }
        for (int k = 1; k < V_AT_ONCE; k++) acc[0] = larger(acc[k], acc[0]);
        while (i < count) {
            const v_vec x = v_load(src + (i + V_LANES <= count ? i : count - V_LANES));
            acc[0] = larger(x, acc[0]);
            nan = ARG_NOTE_NAN(nan, x, x);
            i += V_LANES;
        }
        v_store(part, acc[0]);
        for (int k = 0; k < V_LANES; k++)
            if (beats(part[k], best)) best = part[k];
        has_nan = v_mask_any(nan) != 0;
    }
    for (; i < count; i++) {
        has_nan |= ARG_IS_NAN(src[i]);
        if (beats(src[i], best)) best = src[i];
    }
    if (has_nan) best = ARG_NAN;
    memcpy(result, &best, sizeof best);
}

static int64_t FN(arg_find)(const char *data, const char *wanted, int64_t count)
{
    const v_ctype *src = (const v_ctype *)data;
    v_ctype        value;
    int64_t        i = 0;

    memcpy(&value, wanted, sizeof value);
    if (ARG_IS_NAN(value)) {
        while (i + V_LANES <= count && !v_mask_any(v_ne(v_load(src + i), v_load(src + i)))) i += V_LANES;
        while (i < count && !ARG_IS_NAN(src[i])) i++;
        return i;
    }
    const v_vec v = v_set(value);
    for (; i + 4 * V_LANES <= count; i += 4 * V_LANES) {
        const v_mask a = v_mask_or(v_eq(v_load(src + i), v), v_eq(v_load(src + i + V_LANES), v));
        const v_mask b = v_mask_or(v_eq(v_load(src + i + 2 * V_LANES), v), v_eq(v_load(src + i + 3 * V_LANES), v));
        if (v_mask_any(v_mask_or(a, b))) break;
    }
    while (i + V_LANES <= count && !v_mask_any(v_eq(v_load(src + i), v))) i += V_LANES;
    while (i < count && src[i] != value) i++;
    return i;
}

/* V_COLUMNS vectors of columns, from row 0 down; the row numbers are lanes of the unsigned type of the same width. */
#define V_COLUMNS 2
V_LOOP void FN(arg_column)(char *values, uint8_t *places, const char *data, int64_t stride, int64_t n_rows, int64_t n,
                           v_mask (*wins)(v_vec, v_vec), bool (*beats)(v_ctype, v_ctype))
{
    v_ctype *out = (v_ctype *)values;
    int64_t  j = 0;

    for (; j + V_COLUMNS * V_LANES <= n; j += V_COLUMNS * V_LANES) {
        v_vec    best[V_COLUMNS];
        v_uvec   place[V_COLUMNS], number = v_uset(0);
        v_uctype part[V_COLUMNS * V_LANES];
        for (int k = 0; k < V_COLUMNS; k++) {
            best[k] = v_load((const v_ctype *)data + j + k * V_LANES);
            place[k] = number;
        }
        for (int64_t r = 1; r < n_rows; r++) {
            const v_ctype *row = (const v_ctype *)(data + r * stride) + j;
            number = v_uadd(number, v_uset(1));
            for (int k = 0; k < V_COLUMNS; k++) {
                const v_vec  a = v_load(row + k * V_LANES);
                const v_mask m = wins(a, best[k]);
                best[k] = v_select(m, a, best[k]);
                place[k] = v_uselect(m, number, place[k]);
            }
        }
        for (int k = 0; k < V_COLUMNS; k++) {
            v_store(out + j + k * V_LANES, best[k]);
            v_ustore(part + k * V_LANES, place[k]);
        }
        for (int k = 0; k < V_COLUMNS * V_LANES; k++) places[j + k] = (uint8_t)part[k];
    }
    for (; j < n; j++) {
        out[j] = ((const v_ctype *)data)[j];
        places[j] = 0;
        for (int64_t r = 1; r < n_rows; r++) {
            const v_ctype a = ((const v_ctype *)(data + r * stride))[j];
            if (beats(a, out[j])) {
                out[j] = a;
                places[j] = (uint8_t)r;
            }
        }
    }
}

#define ARG_FUNCTIONS(word, pick, neutral)                                                                            \
    V_LAMBDA v_vec FN(arg_pick_##word)(v_vec a, v_vec best) { return pick(a, best); }                                 \
    static void    FN(arg_extreme_##word)(char *result, const char *src, int64_t count)                               \
    {                                                                                                                 \
        FN(arg_extreme)(result, src, count, (v_ctype)neutral, FN(arg_pick_##word), FN(arg_beats_##word));             \
    }                                                                                                                 \
    static void FN(arg_column_##word)(char *values, uint8_t *places, const char *src, int64_t stride, int64_t n_rows, \
                                      int64_t n)                                                                      \
    {                                                                                                                 \
        FN(arg_column)(values, places, src, stride, n_rows, n, FN(arg_wins_##word), FN(arg_beats_##word));            \
    }                                                                                                                 \
    static bool FN(arg_takes_##word)(const char *a, const char *best)                                                 \
    {                                                                                                                 \
        v_ctype x, y;                                                                                                 \
        memcpy(&x, a, sizeof x);                                                                                      \
        memcpy(&y, best, sizeof y);                                                                                   \
        return FN(arg_beats_##word)(x, y);                                                                            \
    }
ARG_FUNCTIONS(max, v_larger, STRIA_LOWEST)
ARG_FUNCTIONS(min, v_smaller, STRIA_HIGHEST)

#undef ARG_FUNCTIONS
#undef ARG_IS_NAN
#undef ARG_NAN
#undef ARG_NOTE_NAN
#undef V_AT_ONCE
#undef V_COLUMNS
