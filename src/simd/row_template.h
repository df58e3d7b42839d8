/* row_template.h - softmax and its kin on one row, for one float lane type; contract in kernels.h (stria_row_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 */
#define V_GROUP (STRIA_REDUCE_GROUP_BYTES / (int)sizeof(v_ctype))
#define V_AT_ONCE 4

/* The largest number; NaN is passed over. The last vector may see elements again. */
static v_ctype FN(row_largest)(const v_ctype *src, int64_t count)
{
    v_ctype best = -(v_ctype)INFINITY, part[V_LANES];
    int64_t i = 0;

    if (count >= V_LANES) {
        v_vec acc[V_AT_ONCE];
        for (int k = 0; k < V_AT_ONCE; k++) acc[k] = v_set(-INFINITY);
        for (; i + V_AT_ONCE * V_LANES <= count; i += V_AT_ONCE * V_LANES)
            for (int k = 0; k < V_AT_ONCE; k++) acc[k] = v_larger(v_load(src + i + k * V_LANES), acc[k]);
        for (; i < count; i += V_LANES)
            acc[0] = v_larger(v_load(src + (i + V_LANES <= count ? i : count - V_LANES)), acc[0]);
        for (int k = 1; k < V_AT_ONCE; k++) acc[0] = v_larger(acc[k], acc[0]);
        v_store(part, acc[0]);
        for (int k = 0; k < V_LANES; k++) best = part[k] > best ? part[k] : best;
    }
    for (; i < count; i++) best = src[i] > best ? src[i] : best;
    return best;
}

/* The sum of exp(x - largest); dst gets the terms if wanted. A block has V_GROUP sums; blocks are added in f64. */
V_LOOP double FN(row_exp)(v_ctype *dst, const bool wanted, const v_ctype *src, int64_t count, v_ctype largest)
{
    const v_vec shift = v_set(largest);
    double      total = 0;

    for (int64_t first = 0; first < count; first += STRIA_REDUCE_BLOCK) {
        const int64_t end = count - first < STRIA_REDUCE_BLOCK ? count : first + STRIA_REDUCE_BLOCK;
        v_ctype       sums[V_GROUP + V_LANES];
        int64_t       i = first;
        int           lane = 0;
        for (int k = 0; k < V_GROUP; k += V_LANES) v_store(sums + k, v_set(0));
        for (; i + V_LANES <= end; i += V_LANES) {
            const v_vec e = v_exp(v_sub(v_load(src + i), shift));
            if (wanted) v_store(dst + i, e);
            v_store(sums + lane, v_add(v_load(sums + lane), e));
            lane = (lane + V_LANES) % V_GROUP;
        }
        if (i < end) {
            const size_t nbytes = (size_t)(end - i) * sizeof(v_ctype);
            v_ctype      last[V_LANES];
            v_store(last, v_set(-INFINITY)); /* adds exp(-inf) = 0 */
            memcpy(last, src + i, nbytes);
            const v_vec e = v_exp(v_sub(v_load(last), shift));
            v_store(last, e);
            if (wanted) memcpy(dst + i, last, nbytes);
            v_store(sums + lane, v_add(v_load(sums + lane), e));
        }
        for (int half = V_GROUP / 2; half >= 1; half /= 2)
            for (int k = 0; k < half; k += V_LANES) v_store(sums + k, v_add(v_load(sums + k), v_load(sums + half + k)));
        total += (double)sums[0];
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

static void FN(row_normalise)(char *dst, const char *data, int64_t count, double pivot, double offset, double factor,
                              const char *weight, const char *bias)
{
    const v_ctype  near = (v_ctype)pivot;
    const v_vec    a = v_set(near), b = v_set((v_ctype)(pivot - (double)near + offset)), f = v_set((v_ctype)factor);
    const v_ctype *src = (const v_ctype *)data, *w = (const v_ctype *)weight, *c = (const v_ctype *)bias;
    v_ctype       *out = (v_ctype *)dst;

    for (int64_t i = 0; i < count; i += V_LANES) {
        v_ctype      x[V_LANES] = {0}, part[V_LANES] = {0};
        const bool   whole = i + V_LANES <= count;
        const size_t nbytes = (size_t)(count - i) * sizeof(v_ctype);
        v_vec        v;
        if (!whole) memcpy(x, src + i, nbytes);
        v = v_mul(v_sub(v_sub(v_load(whole ? src + i : x), a), b), f);
        if (w) {
            if (!whole) memcpy(part, w + i, nbytes);
            v = v_mul(v, v_load(whole ? w + i : part));
        }
        if (c) {
            if (!whole) memcpy(part, c + i, nbytes);
            v = v_add(v, v_load(whole ? c + i : part));
        }
        v_store(whole ? out + i : x, v);
        if (!whole) memcpy(out + i, x, nbytes);
    }
}

#undef V_GROUP
#undef V_AT_ONCE
