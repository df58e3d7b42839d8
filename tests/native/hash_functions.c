/* hash_functions.c - hashes of functions of real floats that are no rows of ops.def: along rows, of matrices, statistics, losses (hash.h).
 *
 * Those that hold a matrix product have other bits on other instruction sets, and no line: docs/semantics.md. */
#include <math.h>

#include "hash.h"

/* Odd sizes: rests of vectors everywhere. Enough elements for several threads. */
enum { ROWS = 131, COLUMNS = 263, N_MATRICES = 7, SIDE = 13, POINTS = 61 };

typedef struct hash_inputs {
    stria_tensor *x, *other;     /* [ROWS, COLUMNS], from -4 to 4; other is transposed */
    stria_tensor *share, *near;  /* the same shape: from 0 to 1; near 1 */
    stria_tensor *weight;        /* [COLUMNS] */
    stria_tensor *tall, *square; /* [N_MATRICES, SIDE + 4, SIDE], [N_MATRICES, SIDE, SIDE] */
    stria_tensor *points;        /* [POINTS, COLUMNS] */
    stria_tensor *chosen;        /* i64 [ROWS], below COLUMNS */
    stria_tensor *q;             /* [3]: shares */
} hash_inputs;

static stria_tensor *make(stria_dtype dtype, layout kind, int ndim, const int64_t *shape, double low, double high,
                          uint64_t seed)
{
    random_state  random = {seed};
    int64_t       index[STRIA_MAX_DIMS] = {0};
    stria_tensor *x = tensor_random(&random, dtype, kind, ndim, shape, 0, 1);

    do {
        const double v = low + (high - low) * random_unit(&random);
        value_set(dtype, dtype == STRIA_I64 ? value_from_whole((whole_int)v) : value_from_real(v), tensor_at(x, index));
    } while (index_next(ndim, shape, index));
    return x;
}

static hash_inputs make_inputs(stria_dtype dtype)
{
    const int64_t shape[] = {ROWS, COLUMNS}, tall[] = {N_MATRICES, SIDE + 4, SIDE}, square[] = {N_MATRICES, SIDE, SIDE};
    hash_inputs   in;

    in.x = make(dtype, LAYOUT_CONTIGUOUS, 2, shape, -4, 4, 1);
    in.other = make(dtype, LAYOUT_TRANSPOSED, 2, shape, -4, 4, 2);
    in.share = make(dtype, LAYOUT_CONTIGUOUS, 2, shape, 0, 1, 3);
    in.near = make(dtype, LAYOUT_TRANSPOSED, 2, shape, 0.5, 1.5, 4);
    in.weight = make(dtype, LAYOUT_CONTIGUOUS, 1, shape + 1, -2, 2, 5);
    in.tall = make(dtype, LAYOUT_CONTIGUOUS, 3, tall, -1, 1, 6);
    in.square = make(dtype, LAYOUT_TRANSPOSED, 3, square, -1, 1, 7);
    in.points = make(dtype, LAYOUT_CONTIGUOUS, 2, (const int64_t[]){POINTS, COLUMNS}, -4, 4, 8);
    in.chosen = make(STRIA_I64, LAYOUT_CONTIGUOUS, 1, shape, 0, COLUMNS, 9);
    in.q = make(dtype, LAYOUT_CONTIGUOUS, 1, (const int64_t[]){3}, 0.05, 0.95, 10);
    return in;
}

static void release_inputs(hash_inputs *in)
{
    stria_tensor *const all[] = {in->x,    in->other,  in->share,  in->near,   in->weight,
                                 in->tall, in->square, in->points, in->chosen, in->q};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
}

/* ---------------------------------------------------------------- functions */

/* What is not the first of several results goes there, and ends with the call. */
enum { MOST = 3 };
#define REST(k) (rest + (k))

static const int     columns = 0, rows = 1;
static const int64_t last[] = {COLUMNS};

/* name, dtypes from f16 or f32 on, a call that makes y of in */
#define FUNCTIONS(F)                                                                                                  \
    F(log_softmax, F16, stria_log_softmax(in->x, 1, STRIA_DTYPE_NONE, &y, NULL))                                      \
    F(log_softmax_columns, F16, stria_log_softmax(in->other, 0, STRIA_DTYPE_NONE, &y, NULL))                          \
    F(softmax_columns, F16, stria_softmax(in->x, 0, STRIA_DTYPE_NONE, &y, NULL))                                      \
    F(rms_norm, F16, stria_rms_norm(in->x, in->weight, last, 1, NAN, &y, NULL))                                       \
    F(rms_norm_strided, F16, stria_rms_norm(in->other, NULL, last, 1, 1e-3, &y, NULL))                                \
    F(rms_norm_backward, F32, stria_rms_norm_backward(in->other, in->x, in->weight, last, 1, NAN, &y, REST(0), NULL)) \
    F(rms_norm_backward_weight, F32,                                                                                  \
      stria_rms_norm_backward(in->other, in->x, in->weight, last, 1, NAN, REST(0), &y, NULL))                         \
    F(layer_norm_weight, F16, stria_layer_norm(in->x, in->weight, in->weight, last, 1, 1e-5, &y, NULL))               \
    F(layer_norm_backward_weight, F32,                                                                                \
      stria_layer_norm_backward(in->other, in->x, in->weight, last, 1, 1e-5, REST(0), &y, REST(1), NULL))             \
    F(normalize, F16, stria_normalize(in->x, 2, 1, 1e-12, &y, NULL))                                                  \
    F(cosine_similarity, F32, stria_cosine_similarity(in->x, in->other, 1, 1e-8, &y, NULL))                           \
    F(local_response_norm, F32, stria_local_response_norm(in->tall, 5, 1e-4, 0.75, 1, &y, NULL))                      \
    F(std, F16, stria_std(in->x, &rows, 1, 1, false, &y, NULL))                                                       \
    F(std_columns, F16, stria_std(in->other, &columns, 1, 0, false, &y, NULL))                                        \
    F(std_all, F16, stria_std(in->other, NULL, 0, 1, false, &y, NULL))                                                \
    F(var_mean, F16, stria_var_mean(in->x, &columns, 1, 1, false, REST(0), &y, NULL))                                 \
    F(norm_3, F32, stria_norm(in->x, 3, &rows, 1, false, STRIA_DTYPE_NONE, &y, NULL))                                 \
    F(dist, F32, stria_dist(in->x, in->other, 1.5, &y, NULL))                                                         \
    F(nansum, F16, stria_nansum(in->other, &rows, 1, false, STRIA_DTYPE_NONE, &y, NULL))                              \
    F(nanmean, F16, stria_nanmean(in->x, &columns, 1, false, STRIA_DTYPE_NONE, &y, NULL))                             \
    F(median, F16, stria_median(in->other, 1, false, &y, REST(0), NULL))                                              \
    F(median_place, F16, stria_median(in->x, 0, false, REST(0), &y, NULL))                                            \
    F(mode, F16, stria_mode(in->x, 1, false, REST(0), &y, NULL))                                                      \
    F(quantile, F32, stria_quantile(in->x, in->q, 1, false, "linear", &y, NULL))                                      \
    F(quantile_columns, F32, stria_quantile(in->other, in->q, 0, false, "midpoint", &y, NULL))                        \
    F(nanquantile, F32, stria_nanquantile(in->other, in->q, STRIA_AXIS_NONE, false, "linear", &y, NULL))              \
    F(histc, F32, stria_histc(in->other, 37, 0, 0, &y, NULL))                                                         \
    F(histc_bounded, F32, stria_histc(in->x, 100, -3.7, 2.9, &y, NULL))                                               \
    F(cummax, F16, stria_cummax(in->other, 0, REST(0), &y, NULL))                                                     \
    F(trapezoid, F32, stria_trapezoid(in->x, in->other, 1, 1, &y, NULL))                                              \
    F(cumulative_trapezoid, F32, stria_cumulative_trapezoid(in->other, NULL, 0.3, 0, &y, NULL))                       \
    F(diff, F16, stria_diff(in->other, NULL, NULL, 2, 1, &y, NULL))                                                   \
    F(matrix_norm_fro, F32, stria_matrix_norm(in->tall, "fro", NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL))           \
    F(matrix_norm_1, F32, stria_matrix_norm(in->other, "1", NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL))              \
    F(matrix_norm_inf, F32, stria_matrix_norm(in->x, "-inf", NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL))             \
    F(matrix_norm_nuc, F32, stria_matrix_norm(in->tall, "nuc", NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL))           \
    F(matrix_norm_2, F32, stria_matrix_norm(in->square, "2", NULL, 0, false, STRIA_DTYPE_NONE, &y, NULL))             \
    F(svdvals, F32, stria_svdvals(in->tall, &y, NULL))                                                                \
    F(svd_u, F32, stria_svd(in->tall, true, true, &y, REST(0), REST(1), NULL))                                        \
    F(svd_s, F32, stria_svd(in->square, true, true, REST(0), &y, REST(1), NULL))                                      \
    F(svd_v, F32, stria_svd(in->tall, true, true, REST(0), REST(1), &y, NULL))                                        \
    F(det, F32, stria_det(in->square, &y, NULL))                                                                      \
    F(inverse, F32, stria_inverse(in->square, &y, NULL))                                                              \
    F(cdist_0, F32, stria_cdist(in->x, in->points, 0, "donot_use_mm_for_euclid_dist", &y, NULL))                      \
    F(cdist_1, F32, stria_cdist(in->points, in->other, 1, "donot_use_mm_for_euclid_dist", &y, NULL))                  \
    F(cdist_2, F32, stria_cdist(in->x, in->points, 2, "donot_use_mm_for_euclid_dist", &y, NULL))                      \
    F(cdist_3, F32, stria_cdist(in->x, in->points, 3, "donot_use_mm_for_euclid_dist", &y, NULL))                      \
    F(cdist_inf, F32, stria_cdist(in->other, in->points, INFINITY, "donot_use_mm_for_euclid_dist", &y, NULL))         \
    F(mse_loss, F16, stria_mse_loss(in->x, in->other, "mean", &y, NULL))                                              \
    F(l1_loss, F16, stria_l1_loss(in->x, in->other, "sum", &y, NULL))                                                 \
    F(huber_loss, F16, stria_huber_loss(in->x, in->other, "none", 0.7, &y, NULL))                                     \
    F(smooth_l1_loss, F16, stria_smooth_l1_loss(in->x, in->other, "mean", 0.7, &y, NULL))                             \
    F(binary_cross_entropy, F16, stria_binary_cross_entropy(in->share, in->near, NULL, "mean", &y, NULL))             \
    F(binary_cross_entropy_with_logits, F16,                                                                          \
      stria_binary_cross_entropy_with_logits(in->x, in->share, in->weight, in->near, "none", &y, NULL))               \
    F(kl_div, F16, stria_kl_div(in->x, in->share, "batchmean", false, &y, NULL))                                      \
    F(nll_loss, F16, stria_nll_loss(in->x, in->chosen, in->weight, "mean", -100, &y, NULL))                           \
    F(cross_entropy, F16, stria_cross_entropy(in->other, in->chosen, NULL, "mean", 5, 0.1, &y, NULL))                 \
    F(cross_entropy_shares, F16, stria_cross_entropy(in->x, in->share, in->weight, "none", -100, 0, &y, NULL))        \
    F(total_norm, F32, stria_total_norm((const stria_tensor *const[]){in->x, in->weight, in->other}, 3, 2, &y, NULL))

#define F(name, dtype, call)                                          \
    static stria_tensor *run_##name(const void *data)                 \
    {                                                                 \
        const hash_inputs *in = data;                                 \
        stria_tensor      *y = NULL, *rest[MOST] = {NULL};            \
        CHECK_STATUS(call, STRIA_OK);                                 \
        for (int k = 0; k < MOST; k++) stria_tensor_release(rest[k]); \
        return y;                                                     \
    }
FUNCTIONS(F)
#undef F

static const struct {
    const char  *name;
    stria_dtype  first;
    hash_runner *run;
} functions[] = {
#define F(name, dtype, call) {#name, STRIA_##dtype, run_##name},
    FUNCTIONS(F)
#undef F
};

void hash_functions(void)
{
    for (int d = STRIA_F16; d <= STRIA_F64; d++) {
        hash_inputs in = make_inputs((stria_dtype)d);
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
            if (functions[k].first == STRIA_F32 && d < STRIA_F32) continue;
            hash_add_line(functions[k].name, (stria_dtype)d, STRIA_DTYPE_NONE,
                          hash_threads(functions[k].run, &in, HASH_BEGIN, functions[k].name, (stria_dtype)d));
        }
        release_inputs(&in);
    }
}
