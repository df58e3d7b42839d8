/* scan_template.h - running sums and products for one lane type; contract and order in kernels.h (stria_scan_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word. Accumulators are f64 for
 * floats, u64 for integers, which wrap.
 */
#if STRIA_IS_FLOAT
#define SCAN_A f64
#else
#define SCAN_A u64
#endif
#define s_quad STRIA_CAT(quad_, SCAN_A)
#define s_ctype STRIA_CAT(VEC_CTYPE_, SCAN_A)
#define s_set STRIA_CAT(quad_set_, SCAN_A)
#define s_shift1 STRIA_CAT(quad_shift1_, SCAN_A)
#define s_shift2 STRIA_CAT(quad_shift2_, SCAN_A)
#define s_last STRIA_CAT(quad_last_, SCAN_A)
#define s_get STRIA_CAT(quad_get_, STRIA_T)
#define s_put STRIA_CAT(quad_put_, STRIA_T)
#define SCAN_GROUP STRIA_SCAN_GROUP
/* vectors of accumulators, one per lane */
#if STRIA_CAT(VEC_BITS_, STRIA_T) == 32
#define s_vec vec_w64
#define s_widen vec_widen_f32
#define s_narrow vec_narrow_w64
#define s_load(at) vec_load_w64(at)
#define s_store(at, v) vec_store_w64(at, v)
#define s_vsum vec_add_w64
#define s_vprod vec_mul_w64
#define s_vset vec_set_w64
#else
#define s_vec v_vec
#define s_widen(v) (v)
#define s_narrow(v) (v)
#define s_load(at) v_load((const v_ctype *)(at))
#define s_store(at, v) v_store((v_ctype *)(at), v)
#define s_vsum v_add
#define s_vprod v_mul
#define s_vset v_set
#endif

/* One group: writes its running results to dst if they are wanted, and returns the result of the whole group. `before` is
 * the result of the elements before it. */
V_LOOP s_quad FN(scan_group)(v_ctype *dst, const bool wanted, const v_ctype *src, s_quad before, s_quad neutral,
                             s_quad (*op)(s_quad, s_quad))
{
    s_quad part[4], sofar = neutral;

    for (int k = 0; k < 4; k++) {
        part[k] = s_get(src + 4 * k);
        part[k] = op(part[k], s_shift1(part[k], neutral));
        part[k] = op(part[k], s_shift2(part[k], neutral));
    }
    for (int k = 0; k < 4; k++) {
        const s_quad last = s_last(part[k]);
        if (wanted) s_put(dst + 4 * k, op(k == 0 ? before : op(before, sofar), part[k]));
        sofar = k == 0 ? last : op(sofar, last);
    }
    return sofar;
}

/* With fewer lanes it takes longer than group by group. */
#if V_LANES == STRIA_SCAN_GROUP
#define MOVED(name) STRIA_CAT3(name, _, STRIA_SIZE)
#define SCAN_SQUARE (SCAN_GROUP * V_LANES)
/* As many groups as a vector has lanes, side by side in the lanes: squares are transposed, so that all steps but one are those of whole
 * vectors, and in the order of scan_group. Returns the result of all up to the end. */
V_LOOP s_ctype FN(scan_square)(v_ctype *dst, const v_ctype *src, s_ctype from, s_ctype sofar, s_vec (*op)(s_vec, s_vec),
                               s_ctype (*op_one)(s_ctype, s_ctype))
{
    MOVED(move_vec) square[V_LANES];
    v_vec   column[V_LANES];
    s_vec   row[SCAN_GROUP], all, before;
    s_ctype lanes[V_LANES];
    v_ctype results[SCAN_SQUARE];

    for (int k = 0; k < SCAN_GROUP; k++) __builtin_prefetch((const char *)(src + 2 * SCAN_SQUARE + k * SCAN_GROUP));
    MOVED(move_square)(square, (const char *)src, SCAN_GROUP * (int64_t)sizeof *src);
    memcpy(column, square, sizeof column);
    for (int r = 0; r < SCAN_GROUP; r++) row[r] = s_widen(column[r]);
    for (int k = 0; k < SCAN_GROUP; k += 4) {
        row[k + 3] = op(row[k + 3], row[k + 2]);
        row[k + 1] = op(row[k + 1], row[k]);
        row[k + 2] = op(row[k + 2], row[k + 1]);
        row[k + 3] = op(row[k + 3], row[k + 1]);
    }
    all = op(op(op(row[3], row[7]), row[11]), row[15]);
    s_store(lanes, all);
    for (int r = 0; r < V_LANES; r++) {
        const s_ctype group = lanes[r];
        lanes[r] = op_one(from, sofar);
        sofar = op_one(sofar, group);
    }
    before = s_load(lanes);
    all = row[3];
    for (int k = 0; k < SCAN_GROUP; k += 4) {
        const s_vec start = k == 0 ? before : op(before, all), last = row[k + 3];
        if (k > 0) all = op(all, last);
        for (int r = k; r < k + 4; r++) v_store(results + r * V_LANES, s_narrow(op(start, row[r])));
    }
    MOVED(move_square)(square, (const char *)results, SCAN_GROUP * (int64_t)sizeof *src);
    for (int r = 0; r < SCAN_GROUP; r++) MOVED(move_store)((char *)(dst + r * SCAN_GROUP), square[r]);
    return sofar;
}
#undef MOVED
#endif

V_LOOP void FN(scan_groups)(char *dst, const bool wanted, const char *data, int64_t count, const char *base,
                            char *carry, v_ctype rest, s_quad neutral, s_quad (*op)(s_quad, s_quad),
                            s_vec (*op_lanes)(s_vec, s_vec), s_ctype (*op_one)(s_ctype, s_ctype))
{
    const v_ctype *src = (const v_ctype *)data;
    v_ctype       *out = (v_ctype *)dst;
    s_ctype        value, first = 0, sums[4];
    s_quad         sofar, from = neutral;
    int64_t        i = 0;

    memcpy(&value, carry, sizeof value);
    if (wanted) {
        memcpy(&first, base, sizeof first);
        from = s_set(first);
    }
#if V_LANES == STRIA_SCAN_GROUP
    for (; wanted && i + SCAN_SQUARE <= count; i += SCAN_SQUARE)
        value = FN(scan_square)(out + i, src + i, first, value, op_lanes, op_one);
#endif
    (void)op_lanes, (void)op_one, (void)first;
    sofar = s_set(value);
    for (; i + SCAN_GROUP <= count; i += SCAN_GROUP)
        sofar = op(sofar, FN(scan_group)(wanted ? out + i : NULL, wanted, src + i, op(from, sofar), neutral, op));
    if (i < count) {
        v_ctype last[SCAN_GROUP], result[SCAN_GROUP];
        for (int k = 0; k < SCAN_GROUP; k++) last[k] = i + k < count ? src[i + k] : rest;
        sofar = op(sofar, FN(scan_group)(result, wanted, last, op(from, sofar), neutral, op));
        if (wanted) memcpy(out + i, result, (size_t)(count - i) * sizeof *out);
    }
    memcpy(sums, &sofar, sizeof sums);
    memcpy(carry, sums, sizeof value);
}

/* A group of rows of as many columns as a vector has lanes; below, n_rows is at most SCAN_GROUP. The steps, and their order, are those of
 * scan_group; rows that there are not are neutral. Returns the result of the whole group. */
V_LOOP s_vec FN(scan_rows)(char *dst, int64_t dst_stride, const char *src, int64_t stride, int64_t n_rows, s_vec before,
                           s_vec neutral, s_vec (*op)(s_vec, s_vec))
{
    s_vec sofar = neutral;

    for (int64_t k = 0; k < n_rows; k += 4) {
        s_vec row[4];
        for (int64_t r = 0; r < 4; r++)
            row[r] = k + r < n_rows ? s_widen(v_load((const v_ctype *)(src + (k + r) * stride))) : neutral;
        row[3] = op(row[3], row[2]);
        row[1] = op(row[1], row[0]);
        row[2] = op(row[2], row[1]);
        row[3] = op(row[3], row[1]);
        const s_vec from = k == 0 ? before : op(before, sofar);
        for (int64_t r = 0; r < 4 && k + r < n_rows; r++)
            v_store((v_ctype *)(dst + (k + r) * dst_stride), s_narrow(op(from, row[r])));
        sofar = k == 0 ? row[3] : op(sofar, row[3]);
    }
    return sofar;
}

/* The same of the last columns, fewer than a vector has lanes, by way of a buffer. */
static void FN(scan_last_columns)(char *dst, int64_t dst_stride, const char *src, int64_t stride, int64_t n_rows,
                                  s_ctype *base, s_ctype *carry, int64_t n, s_vec neutral, s_vec (*op)(s_vec, s_vec))
{
    v_ctype       block[SCAN_GROUP * V_LANES] = {0};
    s_ctype       first[V_LANES] = {0}, sofar[V_LANES] = {0};
    const int64_t step = V_LANES * (int64_t)sizeof *block;

    memcpy(first, base, (size_t)n * sizeof *first);
    memcpy(sofar, carry, (size_t)n * sizeof *sofar);
    for (int64_t r = 0; r < n_rows; r++) memcpy(block + r * V_LANES, src + r * stride, (size_t)n * sizeof *block);
    const s_vec before = s_load(sofar);
    const s_vec all =
        FN(scan_rows)((char *)block, step, (const char *)block, step, n_rows, op(s_load(first), before), neutral, op);
    s_store(sofar, op(before, all));
    for (int64_t r = 0; r < n_rows; r++) memcpy(dst + r * dst_stride, block + r * V_LANES, (size_t)n * sizeof *block);
    memcpy(carry, sofar, (size_t)n * sizeof *carry);
}

V_LOOP void FN(scan_columns)(char *dst, int64_t dst_stride, const char *data, int64_t stride, char *base_data,
                             char *carry_data, int64_t n_rows, int64_t n, s_vec neutral, s_vec (*op)(s_vec, s_vec))
{
    s_ctype *base = (s_ctype *)base_data, *carry = (s_ctype *)carry_data;

    for (int64_t r = 0; r < n_rows; r += SCAN_GROUP) {
        const int64_t take = n_rows - r < SCAN_GROUP ? n_rows - r : SCAN_GROUP;
        int64_t       j = 0;
        for (; j + V_LANES <= n; j += V_LANES) {
            const s_vec before = s_load(carry + j);
            const s_vec all =
                FN(scan_rows)(dst + j * (int64_t)sizeof(v_ctype), dst_stride, data + j * (int64_t)sizeof(v_ctype),
                              stride, take, op(s_load(base + j), before), neutral, op);
            s_store(carry + j, op(before, all));
        }
        if (j < n) FN(scan_last_columns)
        (dst + j * (int64_t)sizeof(v_ctype), dst_stride, data + j * (int64_t)sizeof(v_ctype), stride, take, base + j,
         carry + j, n - j, neutral, op);
        data += take * stride;
        dst += take * dst_stride;
    }
}

#define SCAN_FUNCTIONS(word, lanes, operator, identity)                                                            \
    V_LAMBDA s_vec   FN(scan_lanes_##word)(s_vec a, s_vec b) { return lanes(a, b); }                               \
    V_LAMBDA s_ctype FN(scan_one_##word)(s_ctype a, s_ctype b) { return a operator b; }                            \
    static void      FN(scan_row_##word)(char *dst, const char *src, int64_t count, const char *base, char *carry) \
    {                                                                                                              \
        FN(scan_groups)                                                                                            \
        (dst, true, src, count, base, carry, identity, s_set(identity), STRIA_CAT3(quad_##word, _, SCAN_A),        \
         FN(scan_lanes_##word), FN(scan_one_##word));                                                              \
    }                                                                                                              \
    static void FN(scan_total_##word)(const char *src, int64_t count, char *carry)                                 \
    {                                                                                                              \
        FN(scan_groups)                                                                                            \
        (NULL, false, src, count, NULL, carry, identity, s_set(identity), STRIA_CAT3(quad_##word, _, SCAN_A),      \
         FN(scan_lanes_##word), FN(scan_one_##word));                                                              \
    }                                                                                                              \
    static void FN(scan_column_##word)(char *dst, int64_t dst_stride, const char *src, int64_t stride, char *base, \
                                       char *carry, int64_t n_rows, int64_t n)                                     \
    {                                                                                                              \
        FN(scan_columns)                                                                                           \
        (dst, dst_stride, src, stride, base, carry, n_rows, n, s_vset(identity), FN(scan_lanes_##word));           \
    }                                                                                                              \
    static void FN(scan_start_##word)(char *acc, int64_t n)                                                        \
    {                                                                                                              \
        for (int64_t j = 0; j < n; j++) ((s_ctype *)acc)[j] = identity;                                            \
    }                                                                                                              \
    static void FN(scan_join_##word)(char *acc, const char *later)                                                 \
    {                                                                                                              \
        *(s_ctype *)acc = *(s_ctype *)acc operator*(const s_ctype *) later;                                        \
    }
SCAN_FUNCTIONS(sum, s_vsum, +, 0)
SCAN_FUNCTIONS(prod, s_vprod, *, 1)

#undef SCAN_FUNCTIONS
#undef SCAN_SQUARE
#undef SCAN_GROUP
#undef SCAN_A
#undef s_quad
#undef s_ctype
#undef s_set
#undef s_shift1
#undef s_shift2
#undef s_last
#undef s_get
#undef s_put
#undef s_vec
#undef s_widen
#undef s_narrow
#undef s_load
#undef s_store
#undef s_vsum
#undef s_vprod
#undef s_vset
