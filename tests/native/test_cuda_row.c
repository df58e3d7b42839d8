/* test_cuda_row.c - softmax, log_softmax, layer_norm, rms_norm and their gradients on a CUDA device, against formulas in long double and, for
 * special values, against the CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_fold.h"

enum { SOFTMAX, LOG_SOFTMAX, LAYER_NORM, RMS_NORM, KINDS };
static const char *const names[] = {"softmax", "log_softmax", "layer_norm", "rms_norm"};

static const double EPS = 1e-5;

/* A row of n elements: x, g the gradient of the result, w weight, b bias. y the result, dx, dw, db gradients, of which dw and db are added to. */
typedef struct oracle_row {
    int64_t      n;
    long double *x, *g, *w, *b, *y, *dx, *dw, *db;
} oracle_row;

static void oracle_softmax(oracle_row *r, bool is_log)
{
    long double most = -INFINITY, sum = 0, all = 0;

    for (int64_t k = 0; k < r->n; k++) most = fmaxl(most, r->x[k]);
    for (int64_t k = 0; k < r->n; k++) sum += expl(r->x[k] - most);
    for (int64_t k = 0; k < r->n; k++) {
        r->y[k] = is_log ? r->x[k] - most - logl(sum) : expl(r->x[k] - most) / sum;
        all += is_log ? r->g[k] : r->g[k] * r->y[k];
    }
    for (int64_t k = 0; k < r->n; k++) r->dx[k] = is_log ? r->g[k] - expl(r->y[k]) * all : r->y[k] * (r->g[k] - all);
}

static void oracle_norm(oracle_row *r, bool is_rms)
{
    const long double n = (long double)r->n;
    long double       mean = 0, square = 0, level = 0, slope = 0;

    for (int64_t k = 0; k < r->n && !is_rms; k++) mean += r->x[k] / n;
    for (int64_t k = 0; k < r->n; k++) square += (r->x[k] - mean) * (r->x[k] - mean) / n;
    const long double factor = 1 / sqrtl(square + (long double)EPS);
    for (int64_t k = 0; k < r->n; k++) {
        const long double z = (r->x[k] - mean) * factor, h = r->g[k] * r->w[k];
        r->y[k] = z * r->w[k] + (is_rms ? 0 : r->b[k]);
        level += is_rms ? 0 : h / n;
        slope += h * z / n;
        r->dw[k] += r->g[k] * z;
        r->db[k] += r->g[k];
    }
    for (int64_t k = 0; k < r->n; k++) {
        const long double z = (r->x[k] - mean) * factor;
        r->dx[k] = (r->g[k] * r->w[k] - level - z * slope) * factor;
    }
}

/* ---------------------------------------------------------------- one case */

static void check_close(const char *what, stria_dtype dtype, const stria_tensor *got, const long double *want,
                        int64_t n, long double size)
{
    const stria_dtype compute = oracle_compute(dtype);
    stria_tensor     *y = cuda_case_to_cpu(got);
    long double       worst = 0;

    CHECK(got->device.type == STRIA_DEVICE_CUDA && y->dtype == dtype && y->numel == n, "%s: another dtype or size",
          what);
    for (int64_t k = 0; k < n && y->numel == n; k++) {
        const value       v = value_get(y->dtype, y->data + k * (int64_t)stria_dtype_get_size(y->dtype));
        const long double bound = fold_ulp(dtype, want[k]) + 32 * fold_ulp(compute, fmaxl(size, fabsl(want[k])));
        worst = fmaxl(worst, fabsl((long double)v.real - want[k]) / bound);
    }
    CHECK(worst <= 1, "%s: %.3Lg times the bound", what, worst);
    stria_tensor_release(y);
}

typedef struct row_case {
    stria_dtype dtype;
    int64_t     shape[3];
    int         axis, view; /* axis of softmax; norms take the last one */
    bool        has_weight;
} row_case;

static stria_status run(int kind, const row_case *c, const stria_tensor *x, const stria_tensor *w,
                        const stria_tensor *b, stria_tensor **y)
{
    const int64_t n = stria_tensor_get_shape(x)[2];

    switch (kind) {
    case SOFTMAX: return stria_softmax(x, c->axis, STRIA_DTYPE_NONE, y, NULL);
    case LOG_SOFTMAX: return stria_log_softmax(x, c->axis, STRIA_DTYPE_NONE, y, NULL);
    case LAYER_NORM: return stria_layer_norm(x, w, b, &n, 1, EPS, y, NULL);
    default: return stria_rms_norm(x, w, &n, 1, EPS, y, NULL);
    }
}

static stria_status run_backward(int kind, const row_case *c, const stria_tensor *g, const stria_tensor *x,
                                 const stria_tensor *y, const stria_tensor *w, stria_tensor **dx)
{
    const int64_t n = stria_tensor_get_shape(x)[2];

    switch (kind) {
    case SOFTMAX: return stria_softmax_backward(g, y, c->axis, dx, NULL);
    case LOG_SOFTMAX: return stria_log_softmax_backward(g, y, c->axis, dx, NULL);
    case LAYER_NORM: return stria_layer_norm_backward(g, x, w, &n, 1, EPS, &dx[0], &dx[1], &dx[2], NULL);
    default: return stria_rms_norm_backward(g, x, w, &n, 1, EPS, &dx[0], &dx[1], NULL);
    }
}

/* Row-major results of every row along `axis`, and sums of dw and db. */
static void compute_oracle(int kind, int axis, const stria_tensor *x, const stria_tensor *g, const stria_tensor *w,
                           const stria_tensor *b, long double *y, long double *dx, long double *dw, long double *db)
{
    const int64_t n = x->shape[axis];
    long double  *memory = malloc(sizeof(long double) * (size_t)(6 * n));
    oracle_row    r = {n, memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n, memory + 5 * n, dw, db};
    int64_t       outer[3], index[3] = {0};

    for (int d = 0; d < 3; d++) outer[d] = d == axis ? 1 : x->shape[d];
    for (int64_t k = 0; k < n; k++) {
        r.w[k] = w != NULL ? fold_number(w, &k) : 1;
        r.b[k] = b != NULL ? fold_number(b, &k) : 0;
    }
    do {
        int64_t at[3] = {index[0], index[1], index[2]};
        for (int64_t k = 0; k < n; k++) {
            at[axis] = k;
            r.x[k] = fold_number(x, at);
            r.g[k] = fold_number(g, at);
        }
        if (kind == SOFTMAX || kind == LOG_SOFTMAX)
            oracle_softmax(&r, kind == LOG_SOFTMAX);
        else
            oracle_norm(&r, kind == RMS_NORM);
        for (int64_t k = 0; k < n; k++) {
            at[axis] = k;
            const int64_t place = (at[0] * x->shape[1] + at[1]) * x->shape[2] + at[2];
            y[place] = r.y[k];
            dx[place] = r.dx[k];
        }
    } while (index_next(3, outer, index));
    free(memory);
}

static void check_case(int kind, const row_case *c)
{
    const twins x = twins_new(c->dtype, 3, c->shape, c->view, 0.5, 3, 5),
                g = twins_new(c->dtype, 3, c->shape, c->view, 0, 1, 6);
    const int     axis = kind <= LOG_SOFTMAX ? c->axis : 2;
    const int64_t n = x.here->shape[axis], numel = x.here->numel;
    twins         w = {NULL, NULL}, b = {NULL, NULL};
    stria_tensor *y = NULL, *dx[3] = {NULL};
    long double  *want = calloc((size_t)(2 * numel + 2 * n), sizeof *want);
    char          what[160];

    if (c->has_weight) {
        w = twins_new(c->dtype, 1, &n, VIEW_PACKED, 1, 0.5, 7);
        b = twins_new(c->dtype, 1, &n, VIEW_FLIPPED, 0, 0.5, 8);
    }
    snprintf(what, sizeof what, "%s of %s [%d, %d, %d], axis %d, view %d, weight %d", names[kind],
             stria_dtype_get_name(c->dtype), (int)x.here->shape[0], (int)x.here->shape[1], (int)x.here->shape[2], axis,
             c->view, c->has_weight);
    compute_oracle(kind, axis, x.here, g.here, w.here, b.here, want, want + numel, want + 2 * numel,
                   want + 2 * numel + n);
    CHECK_STATUS(run(kind, c, x.there, w.there, b.there, &y), STRIA_OK);
    check_close(what, c->dtype, y, want, numel, kind == SOFTMAX ? 0.0L : 4.0L);
    stria_tensor *exact = NULL; /* what the oracle has, for the rows that start from the result */
    if (kind <= LOG_SOFTMAX) {
        stria_tensor *here = NULL;
        CHECK_STATUS(stria_tensor_new(STRIA_F64, 3, x.here->shape, &here, NULL), STRIA_OK);
        for (int64_t k = 0; k < numel; k++) ((double *)(void *)here->data)[k] = (double)want[k];
        exact = cuda_case_to_device(here, CUDA);
        stria_tensor_release(here);
    }
    CHECK_STATUS(run_backward(kind, c, g.there, x.there, exact, w.there, dx), STRIA_OK);
    check_close(what, c->dtype, dx[0], want + numel, numel, 4);
    if (dx[1] != NULL) check_close(what, c->dtype, dx[1], want + 2 * numel, n, (long double)(numel / n));
    if (dx[2] != NULL) check_close(what, c->dtype, dx[2], want + 2 * numel + n, n, (long double)(numel / n));
    for (int k = 0; k < 3; k++) stria_tensor_release(dx[k]);
    stria_tensor_release(y);
    stria_tensor_release(exact);
    twins_release(x), twins_release(g), twins_release(w), twins_release(b);
    free(want);
}

static void check_cases(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
    static const int64_t     shapes[][3] = {{1, 1, 1},    {2, 3, 10},   {5, 70, 33}, {1, 40, 3},
                                            {3, 1, 1100}, {1, 300, 40}, {2, 2, 257}, {150, 2, 5}};

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int d = 0; d < 4; d++)
            for (int kind = 0; kind < KINDS; kind++) {
                row_case c = {dtypes[d],
                              {shapes[k][0], shapes[k][1], shapes[k][2]},
                              ((int)k + d + kind) % 3,
                              ((int)k + d) % VIEW_EXPANDED,
                              (k + (size_t)d) % 3 != 0};
                if (cuda_case_is_drawn()) check_case(kind, &c);
            }
}

/* ---------------------------------------------------------------- special values, given outputs, refusals */

static void check_special(void)
{
    static const double lists[][4] = {{-INFINITY, 1, 2, 3}, {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
                                      {INFINITY, 1, 2, 3},  {NAN, 1, 2, INFINITY},
                                      {1e30, -1e30, 0, 0},  {7, 7, 7, 7}};
    const int64_t       n = 4;

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            const twins    x = twins_new_numbers(STRIA_F32, n, lists[k]);
            const int64_t  shape[] = {1, 1, 4};
            const row_case c = {STRIA_F32, {1, 1, 4}, 2, VIEW_PACKED, false};
            stria_tensor  *a = NULL, *b = NULL, *here = NULL, *there = NULL;
            CHECK_STATUS(stria_view(x.here, shape, 3, &here, NULL), STRIA_OK);
            CHECK_STATUS(stria_view(x.there, shape, 3, &there, NULL), STRIA_OK);
            CHECK_STATUS(run(kind, &c, here, NULL, NULL, &a), STRIA_OK);
            CHECK_STATUS(run(kind, &c, there, NULL, NULL, &b), STRIA_OK);
            stria_tensor *got = cuda_case_to_cpu(b);
            for (int64_t i = 0; i < n; i++) {
                float p, q;
                memcpy(&p, a->data + 4 * i, 4), memcpy(&q, got->data + 4 * i, 4);
                CHECK((isnan(p) && isnan(q)) || p == q || fabsf(p - q) <= 4e-7f * fabsf(p),
                      "%s of %g, %g ..: element %d is %g, not %g", names[kind], lists[k][0], lists[k][1], (int)i,
                      (double)q, (double)p);
            }
            stria_tensor_release(a), stria_tensor_release(b), stria_tensor_release(got);
            stria_tensor_release(here), stria_tensor_release(there);
            twins_release(x);
        }
}

/* Squares of f64 that overflow divide what is finite to 0; sums that do have a mean. Results are y, and of gradients dx, dw, db. */
static void check_overflow(void)
{
    static const double lists[][4] = {{1e160, -1e160, 2e160, 0},
                                      {1e200, -1e200, 1e200, 3e200},
                                      {1.7e308, 1.6e308, 1.5e308, 1.7e308},
                                      {5e307, 8e307, -8e307, 3},
                                      {3, INFINITY, 1e308, 1e308}};
    const int64_t       n = 4, shape[] = {1, 1, 4};
    const row_case      c = {STRIA_F64, {1, 1, 4}, 2, VIEW_PACKED, true};
    static const double gs[] = {1, -2, 3, 0.5};
    const twins         w = twins_new(STRIA_F64, 1, &n, VIEW_PACKED, 1, 0.5, 7),
                b = twins_new(STRIA_F64, 1, &n, VIEW_PACKED, 0, 0.5, 8), g = twins_new_numbers(STRIA_F64, n, gs);

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (int kind = LAYER_NORM; kind <= RMS_NORM; kind++) {
            const twins   x = twins_new_numbers(STRIA_F64, n, lists[k]);
            stria_tensor *y[2][4] = {{NULL}}, *view[2], *slope[2];
            for (int s = 0; s < 2; s++) {
                CHECK_STATUS(stria_view(s == 0 ? x.here : x.there, shape, 3, &view[s], NULL), STRIA_OK);
                CHECK_STATUS(stria_view(s == 0 ? g.here : g.there, shape, 3, &slope[s], NULL), STRIA_OK);
                CHECK_STATUS(run(kind, &c, view[s], s == 0 ? w.here : w.there, s == 0 ? b.here : b.there, &y[s][0]),
                             STRIA_OK);
                CHECK_STATUS(run_backward(kind, &c, slope[s], view[s], NULL, s == 0 ? w.here : w.there, &y[s][1]),
                             STRIA_OK);
            }
            for (int o = 0; o < (kind == LAYER_NORM ? 4 : 3); o++) {
                stria_tensor *got = cuda_case_to_cpu(y[1][o]);
                for (int64_t i = 0; i < n; i++) {
                    double p, q;
                    memcpy(&p, y[0][o]->data + 8 * i, 8), memcpy(&q, got->data + 8 * i, 8);
                    CHECK((isnan(p) && isnan(q)) || p == q, "%s of %g, %g ..: result %d, element %d is %g, not %g",
                          names[kind], lists[k][0], lists[k][1], o, (int)i, q, p);
                }
                stria_tensor_release(got), stria_tensor_release(y[0][o]), stria_tensor_release(y[1][o]);
            }
            for (int s = 0; s < 2; s++) stria_tensor_release(view[s]), stria_tensor_release(slope[s]);
            twins_release(x);
        }
    twins_release(w), twins_release(b), twins_release(g);
}

/* In place, into a given tensor of another layout, of a given dtype. */
static void check_places(void)
{
    const int64_t shape[] = {3, 40};
    const twins   x = twins_new(STRIA_F32, 2, shape, VIEW_PACKED, 0, 3, 9);
    stria_tensor *want = NULL, *base = NULL, *turned = NULL, *wide = NULL;
    const int64_t other[] = {40, 3};

    CHECK_STATUS(stria_softmax(x.there, 1, STRIA_DTYPE_NONE, &want, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(other, 2, STRIA_F32, CUDA, &base, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(base, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_softmax_out(x.there, 1, STRIA_DTYPE_NONE, turned, NULL), STRIA_OK);
    stria_tensor *here = cuda_case_to_cpu(want);
    cuda_case_check_same("softmax into a turned tensor", turned, here);
    CHECK_STATUS(stria_softmax_out(x.there, 1, STRIA_DTYPE_NONE, x.there, NULL), STRIA_OK);
    cuda_case_check_same("softmax in place", x.there, here);
    CHECK_STATUS(stria_softmax(x.here, 1, STRIA_F64, &wide, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(wide) == STRIA_F64, "a dtype that was asked for");
    stria_tensor_release(here), stria_tensor_release(want), stria_tensor_release(base);
    stria_tensor_release(turned), stria_tensor_release(wide);
    twins_release(x);
}

SUITE(test_cuda_row)
{
    check_isa("test_cuda_row");
    if (!cuda_case_begin("test_cuda_row")) return 77;
    check_cases();
    check_special();
    check_overflow();
    check_places();
    return cuda_case_finish("test_cuda_row");
}
