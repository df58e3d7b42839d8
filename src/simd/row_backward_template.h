/* row_backward_template.h - gradients of softmax and its kin on one row, for one float lane type; contract in kernels.h (stria_row_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word. reduce_template.h and row_template.h come before.
 */
#define V_GROUP (STRIA_REDUCE_GROUP_BYTES / (int)sizeof(v_ctype))
#define V_GROUP_VECTORS (V_GROUP / V_LANES)

/* What a pass over rows reads: the gradient, another row, weights or NULL; and its numbers. */
typedef struct FN(row_sources) {
    const v_ctype *g, *x, *w;
    v_vec          a, b, c;
} FN(row_sources);

/* The vector at i, zeros behind the end. */
V_LOOP v_vec FN(row_vector)(const v_ctype *src, int64_t i, int64_t end)
{
    v_ctype last[V_LANES] = {0};

    if (i + V_LANES <= end) return v_load(src + i);
    memcpy(last, src + i, (size_t)(end - i) * sizeof(v_ctype));
    return v_load(last);
}

V_LOOP void FN(row_store)(v_ctype *dst, int64_t i, int64_t end, v_vec v)
{
    v_ctype last[V_LANES];

    if (i + V_LANES <= end) {
        v_store(dst + i, v);
        return;
    }
    v_store(last, v);
    memcpy(dst + i, last, (size_t)(end - i) * sizeof(v_ctype));
}

/* terms[0 .. n_sums - 1] of the elements of one vector. */
typedef void FN(row_terms)(v_vec *terms, v_vec g, v_vec x, v_vec w, const FN(row_sources) * s);

/* The sums of the terms of a row: a block has V_GROUP sums; blocks are added in f64. */
V_LOOP void FN(row_sum_terms)(double *sums, const int n_sums, const FN(row_sources) * s, int64_t count,
                              FN(row_terms) * terms)
{
    for (int n = 0; n < n_sums; n++) sums[n] = 0;
    for (int64_t first = 0; first < count; first += STRIA_REDUCE_BLOCK) {
        const int64_t end = count - first < STRIA_REDUCE_BLOCK ? count : first + STRIA_REDUCE_BLOCK;
        v_vec         acc[2][V_GROUP_VECTORS], t[2];
        for (int n = 0; n < n_sums; n++)
            for (int k = 0; k < V_GROUP_VECTORS; k++) acc[n][k] = v_set(0);
        for (int64_t i = first; i < end; i += V_GROUP) {
            const bool whole = i + V_GROUP <= end;
            for (int k = 0; k < V_GROUP_VECTORS; k++) {
                const int64_t at = i + k * V_LANES;
                if (!whole && at >= end) break;
                const v_vec g = whole ? v_load(s->g + at) : FN(row_vector)(s->g, at, end);
                const v_vec x = s->x == NULL ? g : whole ? v_load(s->x + at) : FN(row_vector)(s->x, at, end);
                const v_vec w = s->w == NULL ? v_set(1) : whole ? v_load(s->w + at) : FN(row_vector)(s->w, at, end);
                terms(t, g, x, w, s);
                for (int n = 0; n < n_sums; n++) acc[n][k] = v_add(acc[n][k], t[n]);
            }
        }
        for (int n = 0; n < n_sums; n++) {
            v_ctype sum;
            FN(reduce_group)((char *)&sum, acc[n], V_GROUP_VECTORS, 1, FN(row_add));
            sums[n] += (double)sum;
        }
    }
}

/* ---------------------------------------------------------------- softmax */

V_LAMBDA void FN(row_product)(v_vec *terms, v_vec g, v_vec x, v_vec w, const FN(row_sources) * s)
{
    (void)w, (void)s;
    terms[0] = v_mul(g, x);
}
V_LAMBDA void FN(row_gradient)(v_vec *terms, v_vec g, v_vec x, v_vec w, const FN(row_sources) * s)
{
    (void)x, (void)w, (void)s;
    terms[0] = g;
}

static void FN(row_softmax_backward)(char *dst, const char *gradient, const char *data, int64_t count)
{
    const FN(row_sources) s = {.g = (const v_ctype *)gradient, .x = (const v_ctype *)data};
    double sum;

    FN(row_sum_terms)(&sum, 1, &s, count, FN(row_product));
    const v_vec all = v_set((v_ctype)sum);
    for (int64_t i = 0; i < count; i += V_LANES) {
        const v_vec g = FN(row_vector)(s.g, i, count), y = FN(row_vector)(s.x, i, count);
        FN(row_store)((v_ctype *)dst, i, count, v_mul(y, v_sub(g, all)));
    }
}

static void FN(row_log_softmax_backward)(char *dst, const char *gradient, const char *data, int64_t count)
{
    const FN(row_sources) s = {.g = (const v_ctype *)gradient};
    double sum;

    FN(row_sum_terms)(&sum, 1, &s, count, FN(row_gradient));
    const v_vec all = v_set((v_ctype)sum);
    for (int64_t i = 0; i < count; i += V_LANES) {
        const v_vec g = FN(row_vector)(s.g, i, count), y = FN(row_vector)((const v_ctype *)data, i, count);
        FN(row_store)((v_ctype *)dst, i, count, v_sub(g, v_mul(v_exp(y), all)));
    }
}

/* ---------------------------------------------------------------- layer_norm */

/* z = (x - (a + b)) c */
V_LAMBDA v_vec FN(row_standard)(v_vec x, const FN(row_sources) * s) { return v_mul(v_sub(v_sub(x, s->a), s->b), s->c); }

V_LAMBDA void FN(row_pair)(v_vec *terms, v_vec g, v_vec x, v_vec w, const FN(row_sources) * s)
{
    terms[0] = v_mul(g, w);
    terms[1] = v_mul(terms[0], FN(row_standard)(x, s));
}

static void FN(row_normalise_backward)(char *dst, const char *gradient, const char *data, int64_t count, double pivot,
                                       double offset, double factor, const char *weight, char *weight_sum,
                                       char *bias_sum)
{
    const v_ctype near = (v_ctype)pivot;
    const FN(row_sources) s = {(const v_ctype *)gradient,
                               (const v_ctype *)data,
                               (const v_ctype *)weight,
                               v_set(near),
                               v_set((v_ctype)(pivot - (double)near + offset)),
                               v_set((v_ctype)factor)};
    v_ctype *y = (v_ctype *)dst, *sum_w = (v_ctype *)weight_sum, *sum_b = (v_ctype *)bias_sum;
    double   sums[2] = {0, 0};

    if (y != NULL) FN(row_sum_terms)(sums, 2, &s, count, FN(row_pair));
    const v_vec mean = v_set((v_ctype)(sums[0] / (double)count)), slope = v_set((v_ctype)(sums[1] / (double)count));
    for (int64_t i = 0; i < count; i += V_LANES) {
        const v_vec g = FN(row_vector)(s.g, i, count), z = FN(row_standard)(FN(row_vector)(s.x, i, count), &s);
        const v_vec h = s.w == NULL ? g : v_mul(g, FN(row_vector)(s.w, i, count));
        if (sum_w != NULL) FN(row_store)(sum_w, i, count, v_add(FN(row_vector)(sum_w, i, count), v_mul(g, z)));
        if (sum_b != NULL) FN(row_store)(sum_b, i, count, v_add(FN(row_vector)(sum_b, i, count), g));
        if (y != NULL) FN(row_store)(y, i, count, v_mul(v_sub(v_sub(h, mean), v_mul(z, slope)), s.c));
    }
}

#undef V_GROUP
#undef V_GROUP_VECTORS
