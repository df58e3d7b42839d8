/* row_template.h - softmax and its kin on one row, for one float lane type; contract in kernels.h (stria_row_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 */
#define V_GROUP (STRIA_REDUCE_GROUP_BYTES / (int)sizeof(v_ctype))
#define V_GROUP_VECTORS (V_GROUP / V_LANES)
#define V_AT_ONCE 4

V_LAMBDA v_vec FN(row_larger)(v_vec a, v_vec b) { return v_larger(a, b); }
V_LAMBDA v_vec FN(row_add)(v_vec a, v_vec b) { return v_add(a, b); }

/* The largest number; NaN is passed over. The last vector may see elements again. */
static v_ctype FN(row_largest)(const v_ctype *src, int64_t count)
{
    v_ctype best = -(v_ctype)INFINITY;
    int64_t i = 0;

    if (count >= V_LANES) {
        v_vec acc[V_AT_ONCE];
        for (int k = 0; k < V_AT_ONCE; k++) acc[k] = v_set(-INFINITY);
        for (; i + V_AT_ONCE * V_LANES <= count; i += V_AT_ONCE * V_LANES)
            for (int k = 0; k < V_AT_ONCE; k++) acc[k] = v_larger(v_load(src + i + k * V_LANES), acc[k]);
        for (; i < count; i += V_LANES)
            acc[0] = v_larger(v_load(src + (i + V_LANES <= count ? i : count - V_LANES)), acc[0]);
        for (int k = 1; k < V_AT_ONCE; k++) acc[0] = v_larger(acc[k], acc[0]);
        FN(reduce_lanes)((char *)&best, acc, 1, FN(row_larger));
    }
    for (; i < count; i++) best = src[i] > best ? src[i] : best;
    return best;
}

/* STRIA_AT_ONCE vectors exp(src[i] - *shift) one by one. A function of its own, so that others are kept in registers. */
static __attribute__((noinline)) void FN(row_exp_far)(v_ctype *e, const v_ctype *src, const v_ctype *shift)
{
    for (int k = 0; k < STRIA_AT_ONCE; k++)
        v_store(e + k * V_LANES, v_exp(v_sub(v_load(src + k * V_LANES), v_set(*shift))));
}

/* The same, side by side. */
V_LOOP void FN(row_exp_four)(v_vec *e, const v_ctype *src, v_ctype largest)
{
    v_vec (*const quick)(v_vec, v_vec *) = STRIA_QUICK(exp, STRIA_T);
    int (*const is_far)(v_vec) = STRIA_IS_FAR(exp, STRIA_T);
    const v_vec shift = v_set(largest);
    v_vec       far = v_set(0);
    v_ctype     again[STRIA_AT_ONCE * V_LANES];

    V_FOUR_TIMES
    for (int k = 0; k < STRIA_AT_ONCE; k++) {
        const v_vec x = v_sub(v_load(src + k * V_LANES), shift);
        e[k] = quick ? quick(x, &far) : v_exp(x);
    }
    if (!is_far || !is_far(far)) return;
    FN(row_exp_far)(again, src, &largest);
    V_FOUR_TIMES
    for (int k = 0; k < STRIA_AT_ONCE; k++) e[k] = v_load(again + k * V_LANES);
}

/* Whole groups of a block: terms to dst if wanted, sums to acc. */
V_LOOP void FN(row_exp_groups)(v_vec *acc, v_ctype *dst, const bool wanted, const v_ctype *src, int64_t n_groups,
                               v_ctype largest)
{
    for (int64_t g = 0; g < n_groups; g++)
        for (int j = 0; j < V_GROUP_VECTORS; j += STRIA_AT_ONCE) {
            const int64_t at = g * V_GROUP + j * V_LANES;
            v_vec         e[STRIA_AT_ONCE];
            FN(row_exp_four)(e, src + at, largest);
            V_FOUR_TIMES
            for (int k = 0; k < STRIA_AT_ONCE; k++) {
                if (wanted) v_store(dst + at + k * V_LANES, e[k]);
                acc[j + k] = v_add(acc[j + k], e[k]);
            }
        }
}

/* The sum of exp(x - largest); dst gets the terms if wanted. A block has V_GROUP sums; blocks are added in f64. */
V_LOOP double FN(row_exp)(v_ctype *dst, const bool wanted, const v_ctype *src, int64_t count, v_ctype largest)
{
    const v_vec shift = v_set(largest);
    double      total = 0;

    for (int64_t first = 0; first < count; first += STRIA_REDUCE_BLOCK) {
        const int64_t end = count - first < STRIA_REDUCE_BLOCK ? count : first + STRIA_REDUCE_BLOCK;
        const int64_t n_groups = (end - first) / V_GROUP;
        v_vec         acc[V_GROUP_VECTORS];
        v_ctype       sum;
        int64_t       i = first + n_groups * V_GROUP;
        for (int k = 0; k < V_GROUP_VECTORS; k++) acc[k] = v_set(0);
        FN(row_exp_groups)(acc, wanted ? dst + first : NULL, wanted, src + first, n_groups, largest);
        for (int k = 0; i < end; i += V_LANES, k++) {
            const bool   whole = i + V_LANES <= end;
            const size_t nbytes = (size_t)(end - i) * sizeof(v_ctype);
            v_ctype      last[V_LANES];
            v_store(last, v_set(-INFINITY)); /* adds exp(-inf) = 0 */
            if (!whole) memcpy(last, src + i, nbytes);
            const v_vec e = v_exp(v_sub(v_load(whole ? src + i : last), shift));
            if (wanted) v_store(whole ? dst + i : last, e);
            if (wanted && !whole) memcpy(dst + i, last, nbytes);
            acc[k] = v_add(acc[k], e);
        }
        FN(reduce_group)((char *)&sum, acc, V_GROUP_VECTORS, 1, FN(row_add));
        total += (double)sum;
    }
    return total;
}

/* dst[i] = lanes(src[i]) with constants a and b. */
V_LOOP void FN(row_map)(v_ctype *dst, const v_ctype *src, int64_t count, v_vec a, v_vec b,
                        v_vec (*lanes)(v_vec, v_vec, v_vec))
{
    int64_t i = 0;
    for (; i + V_LANES <= count; i += V_LANES) v_store(dst + i, lanes(v_load(src + i), a, b));
    if (i < count) {
        v_ctype last[V_LANES] = {0};
        memcpy(last, src + i, (size_t)(count - i) * sizeof(v_ctype));
        v_store(last, lanes(v_load(last), a, b));
        memcpy(dst + i, last, (size_t)(count - i) * sizeof(v_ctype));
    }
}
V_LAMBDA v_vec FN(row_scaled)(v_vec x, v_vec a, v_vec b)
{
    (void)b;
    return v_mul(x, a);
}
V_LAMBDA v_vec FN(row_shifted)(v_vec x, v_vec a, v_vec b) { return v_sub(v_sub(x, a), b); }

static void FN(row_softmax)(char *dst, const char *data, int64_t count)
{
    const v_ctype *src = (const v_ctype *)data;
    v_ctype       *out = (v_ctype *)dst;
    const double   total = FN(row_exp)(out, true, src, count, FN(row_largest)(src, count));
    const v_vec    factor = v_set((v_ctype)(1 / total));
    FN(row_map)(out, out, count, factor, factor, FN(row_scaled));
}

static void FN(row_log_softmax)(char *dst, const char *data, int64_t count)
{
    const v_ctype *src = (const v_ctype *)data;
    const v_ctype  largest = FN(row_largest)(src, count);
    double         logs[VEC_LANES_f64];

    vec_store_f64(logs, vec_log_f64(vec_set_f64(FN(row_exp)(NULL, false, src, count, largest))));
    FN(row_map)((v_ctype *)dst, src, count, v_set(largest), v_set((v_ctype)logs[0]), FN(row_shifted));
}

V_LOOP v_vec FN(row_normal)(const v_ctype *src, const v_ctype *w, const v_ctype *c, v_vec a, v_vec b, v_vec f)
{
    v_vec v = v_mul(v_sub(v_sub(v_load(src), a), b), f);

    if (w) v = v_mul(v, v_load(w));
    return c ? v_add(v, v_load(c)) : v;
}

V_LOOP void FN(row_normalise_with)(v_ctype *dst, const v_ctype *src, int64_t count, v_vec a, v_vec b, v_vec f,
                                   const v_ctype *w, const v_ctype *c)
{
    int64_t i = 0;

    for (; i + V_LANES <= count; i += V_LANES)
        v_store(dst + i, FN(row_normal)(src + i, w ? w + i : NULL, c ? c + i : NULL, a, b, f));
    if (i < count) {
        v_ctype      x[V_LANES] = {0}, parts[2][V_LANES] = {{0}};
        const size_t nbytes = (size_t)(count - i) * sizeof(v_ctype);
        memcpy(x, src + i, nbytes);
        if (w) memcpy(parts[0], w + i, nbytes);
        if (c) memcpy(parts[1], c + i, nbytes);
        v_store(x, FN(row_normal)(x, w ? parts[0] : NULL, c ? parts[1] : NULL, a, b, f));
        memcpy(dst + i, x, nbytes);
    }
}

static void FN(row_normalise)(char *dst, const char *data, int64_t count, double pivot, double offset, double factor,
                              const char *weight, const char *bias)
{
    const v_ctype  near = (v_ctype)pivot;
    const v_vec    a = v_set(near), b = v_set((v_ctype)(pivot - (double)near + offset)), f = v_set((v_ctype)factor);
    const v_ctype *src = (const v_ctype *)data, *w = (const v_ctype *)weight, *c = (const v_ctype *)bias;
    v_ctype       *out = (v_ctype *)dst;

    if (w && c)
        FN(row_normalise_with)(out, src, count, a, b, f, w, c);
    else if (w)
        FN(row_normalise_with)(out, src, count, a, b, f, w, NULL);
    else if (c)
        FN(row_normalise_with)(out, src, count, a, b, f, NULL, c);
    else
        FN(row_normalise_with)(out, src, count, a, b, f, NULL, NULL);
}

#undef V_GROUP
#undef V_GROUP_VECTORS
#undef V_AT_ONCE
