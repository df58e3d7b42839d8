/* moment_template.h - mean and m2, the sum of squared distances from the mean, for one float lane type; contract in
 * kernels.h (stria_moment_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 *
 * With distances d from a pivot near the mean, m2 = sum d^2 - (sum d)^2 / n and the mean is pivot + (sum d) / n. Sums are taken
 * in the lane type, V_GROUP of them side by side, and added up in f64. That loses nothing as long as the second term
 * is no large part of the first, and squares of f32 neither overflow nor vanish; where it is not so, the same is done in f64
 * with the mean as pivot.
 * Source: Chan, Golub & LeVeque, Algorithms for Computing the Sample Variance, The American Statistician 37 (1983).
 */
#define V_GROUP (STRIA_REDUCE_GROUP_BYTES / (int)sizeof(v_ctype))
#define V_HELD (V_GROUP / V_LANES < 4 ? V_GROUP / V_LANES : 4) /* vectors whose sums are kept in registers */
#define MOMENT_LEAST (sizeof(v_ctype) == 4 ? 0x1p-90 : 0.0)    /* of mean squares that the lane type holds well */
#define MOMENT_APART \
    (sizeof(v_ctype) == 4 ? 0x1p-40 : 0x1p-400) /* numbers beyond it differ by 0 or more than vanishes */

/* Sums of the distances from a pivot and of their squares. */
typedef struct FN(distances) {
    double sum, squares;
} FN(distances);

/* The sum of V_GROUP numbers, by halves; in registers, as long as these have vectors. */
static double FN(moment_total)(const double *sums)
{
    vec_f64 held[V_GROUP / VEC_LANES_f64];
    double  last[VEC_LANES_f64];

    for (int k = 0; k < V_GROUP / VEC_LANES_f64; k++) held[k] = vec_load_f64(sums + k * VEC_LANES_f64);
    for (int half = V_GROUP / VEC_LANES_f64 / 2; half >= 1; half /= 2)
        for (int k = 0; k < half; k++) held[k] = vec_add_f64(held[k], held[half + k]);
    vec_store_f64(last, held[0]);
    for (int half = VEC_LANES_f64 / 2; half >= 1; half /= 2)
        for (int k = 0; k < half; k++) last[k] += last[half + k];
    return last[0];
}

/* About the mean of the first elements. */
static v_ctype FN(moment_pivot)(const v_ctype *src, int64_t count)
{
    v_vec   part[V_GROUP / V_LANES];
    v_ctype pivot;

    if (count < V_GROUP) return src[0];
    for (int k = 0; k < V_GROUP / V_LANES; k++) part[k] = v_mul(v_load(src + k * V_LANES), v_set((v_ctype)1 / V_GROUP));
    FN(reduce_group)((char *)&pivot, part, V_GROUP / V_LANES, 1, FN(reduce_add));
    return pivot;
}

/* Whole groups; sums and squares are [V_GROUP]. */
V_LOOP void FN(moment_groups)(v_ctype *sums, v_ctype *squares, const v_ctype *src, int64_t n_groups, v_vec pivot)
{
    for (int slice = 0; slice < V_GROUP / V_LANES; slice += V_HELD) {
        v_vec s[V_HELD], q[V_HELD];
        for (int k = 0; k < V_HELD; k++) s[k] = q[k] = v_set(0);
        for (int64_t g = 0; g < n_groups; g++) {
            const v_ctype *at = src + g * V_GROUP + slice * V_LANES;
            for (int k = 0; k < V_HELD; k++) {
                const v_vec d = v_sub(v_load(at + k * V_LANES), pivot);
                s[k] = v_add(s[k], d);
                q[k] = v_add(q[k], v_mul(d, d));
            }
        }
        for (int k = 0; k < V_HELD; k++) {
            v_store(sums + (slice + k) * V_LANES, s[k]);
            v_store(squares + (slice + k) * V_LANES, q[k]);
        }
    }
}

static FN(distances) FN(moment_distances)(const v_ctype *src, int64_t count, v_ctype pivot)
{
    v_ctype       sums[V_GROUP], squares[V_GROUP];
    double        s[V_GROUP], q[V_GROUP];
    const int64_t rest = count % V_GROUP;

    FN(moment_groups)(sums, squares, src, count / V_GROUP, v_set(pivot));
    for (int k = 0; k < V_GROUP; k++) {
        s[k] = (double)sums[k];
        q[k] = (double)squares[k];
    }
    for (int64_t k = 0; k < rest; k++) {
        const v_ctype d = src[count - rest + k] - pivot;
        s[k] += (double)d;
        q[k] += (double)(v_ctype)(d * d);
    }
    return (FN(distances)){FN(moment_total)(s), FN(moment_total)(q)};
}

/* The same in f64, lane k of V_GROUP again elements k, k + V_GROUP, .. */
static FN(distances) FN(moment_exact)(const v_ctype *src, int64_t count, int64_t step, double pivot)
{
    double s[V_GROUP] = {0}, q[V_GROUP] = {0};

    for (int64_t first = 0; first < count; first += V_GROUP) {
        const int64_t n = count - first < V_GROUP ? count - first : V_GROUP;
        for (int64_t k = 0; k < n; k++) {
            const double d = (double)src[(first + k) * step] - pivot;
            s[k] += d;
            q[k] += d * d;
        }
    }
    return (FN(distances)){FN(moment_total)(s), FN(moment_total)(q)};
}

/* Whether sums in the lane type are as good as they should be. */
static inline bool FN(moment_is_good)(FN(distances) sum, double count, double pivot)
{
    const bool equal = (sum.squares == 0) & (fabs(pivot) >= MOMENT_APART) & (fabs(pivot) < (double)INFINITY);
    return equal | ((sum.squares < (double)INFINITY) & (sum.squares >= count * MOMENT_LEAST) & (sum.squares > 0) &
                    (sum.sum * sum.sum <= 0.875 * count * sum.squares));
}

/* inverse: 1 / count. Squares that overflow stay infinite: what is taken from them may be as large. */
static inline void FN(moment_finish)(stria_moments *m, FN(distances) sum, double inverse, double pivot)
{
    m->pivot = pivot;
    m->offset = sum.sum * inverse;
    m->m2 = sum.squares < (double)INFINITY ? sum.squares - sum.sum * m->offset : sum.squares;
}

/* With elements `step` apart. */
static void FN(moment_carefully)(stria_moments *m, const v_ctype *src, int64_t count, int64_t step)
{
    const double near = (double)src[0];
    const double pivot = near + FN(moment_exact)(src, count, step, near).sum / (double)count;
    FN(moment_finish)(m, FN(moment_exact)(src, count, step, pivot), 1 / (double)count, pivot);
}

static void FN(moment_row)(stria_moments *m, const char *data, int64_t count)
{
    const v_ctype *src = (const v_ctype *)data;
    const v_ctype  pivot = FN(moment_pivot)(src, count);
    const FN(distances) sum = FN(moment_distances)(src, count, pivot);

    if (FN(moment_is_good)(sum, (double)count, (double)pivot))
        FN(moment_finish)(m, sum, 1 / (double)count, (double)pivot);
    else
        FN(moment_carefully)(m, src, count, 1);
}

/* Two passes over the rows, the second one from L1. The first gives the mean of each column, the pivot of the second. */
#define V_COLUMNS 4 /* vectors of columns at once */
V_LOOP void FN(moment_lanes)(v_ctype *pivot, v_ctype *sums, v_ctype *squares, const char *data, int64_t stride,
                             int64_t n_rows, const int columns)
{
    const v_vec inverse = v_set((v_ctype)1 / (v_ctype)n_rows);
    v_vec       p[V_COLUMNS], s[V_COLUMNS], q[V_COLUMNS];

    for (int c = 0; c < columns; c++) {
        p[c] = v_load((const v_ctype *)data + c * V_LANES);
        s[c] = q[c] = v_set(0);
    }
    for (int64_t r = 1; r < n_rows; r++) {
        const v_ctype *row = (const v_ctype *)(data + r * stride);
        for (int c = 0; c < columns; c++) s[c] = v_add(s[c], v_sub(v_load(row + c * V_LANES), p[c]));
    }
    for (int c = 0; c < columns; c++) {
        p[c] = v_add(p[c], v_mul(s[c], inverse));
        s[c] = v_set(0);
    }
    for (int64_t r = 0; r < n_rows; r++) {
        const v_ctype *row = (const v_ctype *)(data + r * stride);
        for (int c = 0; c < columns; c++) {
            const v_vec d = v_sub(v_load(row + c * V_LANES), p[c]);
            s[c] = v_add(s[c], d);
            q[c] = v_add(q[c], v_mul(d, d));
        }
    }
    for (int c = 0; c < columns; c++) {
        v_store(pivot + c * V_LANES, p[c]);
        v_store(sums + c * V_LANES, s[c]);
        v_store(squares + c * V_LANES, q[c]);
    }
}

/* The last columns, fewer than lanes. */
static void FN(moment_last_lanes)(v_ctype *pivot, v_ctype *sums, v_ctype *squares, const char *data, int64_t stride,
                                  int64_t n_rows, int64_t width)
{
    v_ctype rows[64 * V_LANES] = {0};

    for (int64_t r = 0; r < n_rows; r++) memcpy(rows + r * V_LANES, data + r * stride, (size_t)width * sizeof(v_ctype));
    FN(moment_lanes)(pivot, sums, squares, (const char *)rows, (int64_t)sizeof(v_ctype) * V_LANES, n_rows, 1);
}

static void FN(moment_column)(stria_moments *m, const char *data, int64_t stride, int64_t n_rows, int64_t n)
{
    const double inverse = 1 / (double)n_rows;
    int64_t      width;

    for (int64_t j = 0; j < n; j += width) {
        const char *at = data + j * (int64_t)sizeof(v_ctype);
        v_ctype     pivot[V_COLUMNS * V_LANES], sums[V_COLUMNS * V_LANES], squares[V_COLUMNS * V_LANES];
        bool        all_good = true;

        width = n - j >= V_COLUMNS * V_LANES ? V_COLUMNS * V_LANES : n - j < V_LANES ? n - j : V_LANES;
        if (width < V_LANES)
            FN(moment_last_lanes)(pivot, sums, squares, at, stride, n_rows, width);
        else if (width == V_LANES)
            FN(moment_lanes)(pivot, sums, squares, at, stride, n_rows, 1);
        else
            FN(moment_lanes)(pivot, sums, squares, at, stride, n_rows, V_COLUMNS);
        for (int64_t k = 0; k < width; k++) {
            const FN(distances) sum = {(double)sums[k], (double)squares[k]};
            FN(moment_finish)(m + j + k, sum, inverse, (double)pivot[k]);
            all_good &= FN(moment_is_good)(sum, (double)n_rows, (double)pivot[k]);
        }
        for (int64_t k = 0; !all_good && k < width; k++) {
            const FN(distances) sum = {(double)sums[k], (double)squares[k]};
            if (!FN(moment_is_good)(sum, (double)n_rows, (double)pivot[k])) FN(moment_carefully)
            (m + j + k, (const v_ctype *)at + k, n_rows, stride / (int64_t)sizeof(v_ctype));
        }
    }
}

#undef V_GROUP
#undef V_HELD
#undef V_COLUMNS
#undef MOMENT_LEAST
#undef MOMENT_APART
