/* row_backward_template.h - gradients of softmax and its kin on one row, for one float lane type; contract in kernels.h (stria_row_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word. reduce_template.h and row_template.h come before.
 */
#define V_GROUP (STRIA_REDUCE_GROUP_BYTES / (int)sizeof(v_ctype))
#define V_GROUP_VECTORS (V_GROUP / V_LANES)

#define V_HELD (V_GROUP_VECTORS < 4 ? V_GROUP_VECTORS : 4) /* vectors whose sums are kept in registers */

/* What a pass over rows reads: the gradient, another row, weights, w_step 1, or ones, w_step 0; and its numbers. */
typedef struct FN(row_sources) {
    const v_ctype *g, *x, *w;
    int64_t        w_step;
    v_vec          a, b, c;
} FN(row_sources);

/* The last elements of a row in a vector of memory, zeros behind them. */
V_LOOP const v_ctype *FN(row_last)(v_ctype *last, const v_ctype *src, int64_t n)
{
    v_store(last, v_set(0));
    memcpy(last, src, (size_t)n * sizeof(v_ctype));
    return last;
}

/* terms[0 .. n_sums - 1] of the elements of one vector. */
typedef void FN(row_terms)(v_vec *terms, v_vec g, v_vec x, v_vec w, const FN(row_sources) * s);

/* Adds up the terms of the elements [i, i + V_LANES) to vector k of the sums. */
V_LOOP void FN(row_add_terms)(v_vec (*acc)[V_GROUP_VECTORS], int k, const int n_sums, const FN(row_sources) * s,
                              const v_ctype *g, const v_ctype *x, const v_ctype *w, FN(row_terms) * terms)
{
    v_vec t[2];

    terms(t, v_load(g), v_load(x), v_load(w), s);
    for (int n = 0; n < n_sums; n++) acc[n][k] = v_add(acc[n][k], t[n]);
}

/* The sums of the terms of a row: a block has V_GROUP sums; blocks are added in f64. */
V_LOOP void FN(row_sum_terms)(double *sums, const int n_sums, const FN(row_sources) * s, int64_t count,
                              FN(row_terms) * terms)
{
    v_ctype g[V_LANES], x[V_LANES], w[V_LANES];

    for (int n = 0; n < n_sums; n++) sums[n] = 0;
    for (int64_t first = 0; first < count; first += STRIA_REDUCE_BLOCK) {
        const int64_t end = count - first < STRIA_REDUCE_BLOCK ? count : first + STRIA_REDUCE_BLOCK;
        const int64_t whole = first + (end - first) / V_GROUP * V_GROUP;
        v_vec         acc[2][V_GROUP_VECTORS];
        for (int slice = 0; slice < V_GROUP_VECTORS; slice += V_HELD) {
            v_vec held[2][V_GROUP_VECTORS];
            for (int n = 0; n < n_sums; n++)
                for (int k = 0; k < V_HELD; k++) held[n][k] = v_set(0);
            for (int64_t i = first + slice * V_LANES; i < whole; i += V_GROUP)
                for (int k = 0; k < V_HELD; k++) {
                    const int64_t at = i + k * V_LANES;
                    FN(row_add_terms)(held, k, n_sums, s, s->g + at, s->x + at, s->w + at * s->w_step, terms);
                }
            for (int n = 0; n < n_sums; n++)
                for (int k = 0; k < V_HELD; k++) acc[n][slice + k] = held[n][k];
        }
        for (int k = 0; k < V_GROUP_VECTORS; k++) {
            const int64_t i = whole + k * V_LANES;
            if (i + V_LANES <= end)
                FN(row_add_terms)(acc, k, n_sums, s, s->g + i, s->x + i, s->w + i * s->w_step, terms);
            else if (i < end)
                FN(row_add_terms)
            (acc, k, n_sums, s, FN(row_last)(g, s->g + i, end - i), FN(row_last)(x, s->x + i, end - i),
             s->w_step > 0 ? FN(row_last)(w, s->w + i, end - i) : s->w, terms);
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

/* dst[i] = lanes(g[i], y[i], sum) */
V_LOOP void FN(row_map_pair)(v_ctype *dst, const v_ctype *g, const v_ctype *y, int64_t count, double sum,
                             v_vec (*lanes)(v_vec, v_vec, v_vec))
{
    const v_vec all = v_set((v_ctype)sum);
    v_ctype     last[2][V_LANES];
    int64_t     i = 0;

    for (; i + V_LANES <= count; i += V_LANES) v_store(dst + i, lanes(v_load(g + i), v_load(y + i), all));
    if (i == count) return;
    FN(row_last)(last[0], g + i, count - i);
    FN(row_last)(last[1], y + i, count - i);
    v_store(last[0], lanes(v_load(last[0]), v_load(last[1]), all));
    memcpy(dst + i, last[0], (size_t)(count - i) * sizeof(v_ctype));
}
V_LAMBDA v_vec FN(row_of_softmax)(v_vec g, v_vec y, v_vec all) { return v_mul(y, v_sub(g, all)); }
V_LAMBDA v_vec FN(row_of_logarithm)(v_vec g, v_vec y, v_vec all) { return v_sub(g, v_mul(v_exp(y), all)); }

static void FN(row_softmax_backward)(char *dst, const char *gradient, const char *data, int64_t count)
{
    const v_ctype *g = (const v_ctype *)gradient, *y = (const v_ctype *)data;
    const FN(row_sources) s = {.g = g, .x = y, .w = g};
    double sum;

    FN(row_sum_terms)(&sum, 1, &s, count, FN(row_product));
    FN(row_map_pair)((v_ctype *)dst, g, y, count, sum, FN(row_of_softmax));
}

static void FN(row_log_softmax_backward)(char *dst, const char *gradient, const char *data, int64_t count)
{
    const v_ctype *g = (const v_ctype *)gradient, *y = (const v_ctype *)data;
    const FN(row_sources) s = {.g = g, .x = g, .w = g};
    double sum;

    FN(row_sum_terms)(&sum, 1, &s, count, FN(row_gradient));
    FN(row_map_pair)((v_ctype *)dst, g, y, count, sum, FN(row_of_logarithm));
}

/* ---------------------------------------------------------------- layer_norm */

/* z = (x - (a + b)) c */
V_LAMBDA v_vec FN(row_standard)(v_vec x, const FN(row_sources) * s) { return v_mul(v_sub(v_sub(x, s->a), s->b), s->c); }

V_LAMBDA void FN(row_pair)(v_vec *terms, v_vec g, v_vec x, v_vec w, const FN(row_sources) * s)
{
    terms[0] = v_mul(g, w);
    terms[1] = v_mul(terms[0], FN(row_standard)(x, s));
}

/* One vector of the gradient of x, and of the sums of those of weight and bias. */
V_LOOP void FN(row_norm_vector)(v_ctype *y, v_ctype *sum_w, v_ctype *sum_b, const v_ctype *gradient, const v_ctype *x,
                                const v_ctype *w, const FN(row_sources) * s, v_vec mean, v_vec slope)
{
    const v_vec g = v_load(gradient), z = FN(row_standard)(v_load(x), s), h = v_mul(g, v_load(w));

    v_store(sum_w, v_add(v_load(sum_w), v_mul(g, z)));
    v_store(sum_b, v_add(v_load(sum_b), g));
    v_store(y, v_mul(v_sub(v_sub(h, mean), v_mul(z, slope)), s->c));
}

static void FN(row_normalise_backward)(char *dst, const char *gradient, const char *data, int64_t count, double pivot,
                                       double offset, double factor, const char *weight, char *weight_sum,
                                       char *bias_sum, bool is_rms)
{
    const v_ctype near = (v_ctype)pivot;
    v_ctype       ones[V_LANES], last[6][V_LANES];
    const FN(row_sources) s = {(const v_ctype *)gradient,
                               (const v_ctype *)data,
                               weight != NULL ? (const v_ctype *)weight : ones,
                               weight != NULL,
                               v_set(near),
                               v_set((v_ctype)(pivot - (double)near + offset)),
                               v_set((v_ctype)factor)};
    v_ctype *y = (v_ctype *)dst, *sum_w = (v_ctype *)weight_sum, *sum_b = (v_ctype *)bias_sum;
    double   sums[2];
    int64_t  i = 0;

    v_store(ones, v_set(1));
    FN(row_sum_terms)(sums, 2, &s, count, FN(row_pair));
    const v_vec mean = v_set((v_ctype)(is_rms ? 0 : sums[0] / (double)count)),
                slope = v_set((v_ctype)(sums[1] / (double)count));
    for (; i + V_LANES <= count; i += V_LANES)
        FN(row_norm_vector)(y + i, sum_w + i, sum_b + i, s.g + i, s.x + i, s.w + i * s.w_step, &s, mean, slope);
    if (i == count) return;
    const v_ctype *parts[] = {s.g + i, s.x + i, s.w + i * s.w_step, sum_w + i, sum_b + i};
    const size_t   nbytes = (size_t)(count - i) * sizeof(v_ctype);
    for (int k = 0; k < 5; k++) FN(row_last)(last[k], parts[k], count - i);
    FN(row_norm_vector)(last[5], last[3], last[4], last[0], last[1], last[2], &s, mean, slope);
    memcpy(sum_w + i, last[3], nbytes);
    memcpy(sum_b + i, last[4], nbytes);
    memcpy(y + i, last[5], nbytes);
}

#undef V_HELD
#undef V_GROUP
#undef V_GROUP_VECTORS
