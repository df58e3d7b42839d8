/* test_cuda_scan.c - cumsum, cumprod, logcumsumexp, cummax, cummin on a CUDA device: integers and extremes have the bits of the CPU, floats are
 * held to formulas in long double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_fold.h"

static const struct {
    int     ndim;
    int64_t shape[3];
} shapes[] = {{0, {0}},       {1, {1}},      {1, {5}},        {1, {1031}},      {2, {3, 4}}, {2, {40, 70}},
              {2, {3, 2500}}, {2, {5, 700}}, {3, {7, 33, 5}}, {3, {2, 1, 130}}, {2, {0, 3}}};

/* ---------------------------------------------------------------- the CPU's bits */

enum { CUMSUM, CUMPROD, CUMMAX, CUMMIN, KINDS };
static const char *const names[] = {"cumsum", "cumprod", "cummax", "cummin"};

static stria_status run(int kind, const stria_tensor *x, int dim, stria_tensor **y)
{
    switch (kind) {
    case CUMSUM: return stria_cumsum(x, dim, STRIA_DTYPE_NONE, y, NULL);
    case CUMPROD: return stria_cumprod(x, dim, STRIA_DTYPE_NONE, y, NULL);
    case CUMMAX: return stria_cummax(x, dim, &y[0], &y[1], NULL);
    default: return stria_cummin(x, dim, &y[0], &y[1], NULL);
    }
}

static void check_same(int kind, const twins *x, int dim, const char *what)
{
    stria_tensor      *a[2] = {NULL}, *b[2] = {NULL};
    const stria_status want = run(kind, x->here, dim, a), got = run(kind, x->there, dim, b);

    CHECK(got == want, "%s: status %d, not %d", what, (int)got, (int)want);
    for (int k = 0; k < 2; k++) {
        if (a[k] != NULL && b[k] != NULL) cuda_case_check_same(what, b[k], a[k]);
        stria_tensor_release(a[k]);
        stria_tensor_release(b[k]);
    }
}

static void check_exact(stria_dtype dtype, int ndim, const int64_t *shape, int view)
{
    const twins x = twins_new_any(dtype, ndim, shape, view, (uint64_t)(ndim * 10 + view));
    char        what[160];

    for (int kind = dtype_is_float(dtype) ? CUMMAX : CUMSUM; kind < KINDS; kind++)
        for (int dim = 0; dim < (x.here->ndim > 0 ? x.here->ndim : 1); dim++) {
            if (!cuda_case_is_drawn()) continue;
            snprintf(what, sizeof what, "%s of %s, %d dims, shape %d .., view %d, dim %d", names[kind],
                     stria_dtype_get_name(dtype), x.here->ndim, (int)(ndim > 0 ? shape[0] : 0), view, dim);
            check_same(kind, &x, dim, what);
        }
    twins_release(x);
}

static void check_exact_all(void)
{
    const int64_t wide[] = {40, 900};

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (stria_dtype dtype = 0; dtype < STRIA_DTYPE_COUNT; dtype++)
            if (!dtype_is_complex(dtype))
                check_exact(dtype, shapes[k].ndim, shapes[k].shape, (int)(k + (size_t)dtype) % VIEW_COUNT);
    for (int view = 0; view < VIEW_COUNT; view++) check_exact(STRIA_I16, shapes[8].ndim, shapes[8].shape, view);
    check_exact(STRIA_I32, 2, wide, VIEW_PACKED); /* a thread for each row along dim 0 */
    check_exact(STRIA_F64, 2, wide, VIEW_FLIPPED);
}

/* ---------------------------------------------------------------- floats */

static long double add(long double a, long double b) { return a + b; }
static long double multiply(long double a, long double b) { return a * b; }
static long double add_logs(long double a, long double b)
{
    const long double most = fmaxl(a, b), least = fminl(a, b);
    return isinf(least) ? most : most + log1pl(expl(least - most));
}
static stria_status run_sum(const stria_tensor *x, int dim, stria_tensor **y)
{
    return stria_cumsum(x, dim, STRIA_DTYPE_NONE, y, NULL);
}
static stria_status run_product(const stria_tensor *x, int dim, stria_tensor **y)
{
    return stria_cumprod(x, dim, STRIA_DTYPE_NONE, y, NULL);
}
static stria_status run_logs(const stria_tensor *x, int dim, stria_tensor **y)
{
    return stria_logcumsumexp(x, dim, y, NULL);
}

static const struct {
    const char *name;
    stria_status (*run)(const stria_tensor *x, int dim, stria_tensor **y);
    long double (*join)(long double a, long double b);
    long double start;
    double      offset, scale; /* of the elements */
} formulas[] = {{"cumsum", run_sum, add, 0, 0.5, 4},
                {"cumprod", run_product, multiply, 1, 1, 0.02},
                {"logcumsumexp", run_logs, add_logs, -(long double)INFINITY, 0, 30}};

/* Rounded from f64 once: half a unit, and what sums of f64 lose. */
static void check_row(size_t f, const twins *x, const stria_tensor *y, int dim, int64_t *index, const char *what)
{
    const int64_t n = x->here->ndim > 0 ? x->here->shape[dim] : 1;
    long double   sofar = formulas[f].start, size = 1, worst = 0;

    for (int64_t k = 0; k < n; k++) {
        if (x->here->ndim > 0) index[dim] = k;
        const long double a = fold_number(x->here, index);
        const value       v = value_get(y->dtype, tensor_at(y, index));
        sofar = formulas[f].join(sofar, a);
        size += fabsl(a);
        const long double bound = fold_ulp(y->dtype, sofar) * (y->dtype == STRIA_F64 ? 2 : 0.502L) +
                                  (size + (long double)(k + 1) * fabsl(sofar)) * 0x1p-52L;
        worst = fmaxl(worst, fabsl((long double)v.real - sofar) / bound);
    }
    if (x->here->ndim > 0) index[dim] = 0;
    CHECK(worst <= 1, "%s: %.3Lg times the bound", what, worst);
}

static void check_formulas(stria_dtype dtype, int ndim, const int64_t *shape, int view)
{
    char what[160];

    for (size_t f = 0; f < sizeof formulas / sizeof *formulas; f++) {
        const twins x = twins_new(dtype, ndim, shape, view, formulas[f].offset, formulas[f].scale, 3);
        for (int dim = 0; dim < (x.here->ndim > 0 ? x.here->ndim : 1); dim++) {
            int64_t       outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0};
            stria_tensor *got = NULL;
            if (!cuda_case_is_drawn()) continue;
            CHECK_STATUS(formulas[f].run(x.there, dim, &got), STRIA_OK);
            if (got == NULL) continue;
            stria_tensor *y = cuda_case_to_cpu(got);
            snprintf(what, sizeof what, "%s of %s, %d dims, shape %d .., view %d, dim %d", formulas[f].name,
                     stria_dtype_get_name(dtype), x.here->ndim, (int)(ndim > 0 ? shape[0] : 0), view, dim);
            CHECK(got->device.type == STRIA_DEVICE_CUDA && y->dtype == dtype, "%s: another dtype or device", what);
            for (int d = 0; d < x.here->ndim; d++) outer[d] = d == dim ? 1 : x.here->shape[d];
            do check_row(f, &x, y, dim, index, what);
            while (y->numel > 0 && index_next(x.here->ndim, outer, index));
            stria_tensor_release(y);
            stria_tensor_release(got);
        }
        twins_release(x);
    }
}

static void check_formulas_all(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};
    const int64_t            wide[] = {30, 600};

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (size_t d = 0; d < 4; d++)
            if (shapes[k].ndim == 0 || shapes[k].shape[0] > 0)
                check_formulas(dtypes[d], shapes[k].ndim, shapes[k].shape, (int)(k + d) % VIEW_COUNT);
    check_formulas(STRIA_F32, 2, wide, VIEW_PACKED);
}

/* ---------------------------------------------------------------- special values, given outputs */

static void check_special(void)
{
    static const double lists[][4] = {{-INFINITY, -INFINITY, 1, 2},
                                      {INFINITY, 1, -INFINITY, 2},
                                      {1, NAN, 3, INFINITY},
                                      {-0.0, 0.0, -0.0, 0.0},
                                      {1, 2, 2, 1},
                                      {NAN, 1, NAN, 1}};
    stria_tensor       *a = NULL, *b = NULL;

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const twins x = twins_new_numbers(STRIA_F64, 4, lists[k]);
        for (int kind = CUMMAX; kind < KINDS; kind++) check_same(kind, &x, 0, "special values");
        for (size_t f = 0; f < sizeof formulas / sizeof *formulas; f++) {
            CHECK_STATUS(formulas[f].run(x.here, 0, &a), STRIA_OK);
            CHECK_STATUS(formulas[f].run(x.there, 0, &b), STRIA_OK);
            stria_tensor *y = cuda_case_to_cpu(b);
            for (int i = 0; i < 4; i++) {
                double p, q;
                memcpy(&p, a->data + 8 * i, 8), memcpy(&q, y->data + 8 * i, 8);
                CHECK((isnan(p) && isnan(q)) || p == q || fabs(p - q) < 1e-14, "%s %g, %g ..: element %d is %g, not %g",
                      formulas[f].name, lists[k][0], lists[k][1], i, q, p);
            }
            stria_tensor_release(y), stria_tensor_release(a), stria_tensor_release(b), a = b = NULL;
        }
        twins_release(x);
    }
}

static void check_places(void)
{
    const int64_t shape[] = {3, 400};
    const twins   x = twins_new(STRIA_I64, 2, shape, VIEW_PACKED, 0, 1000, 9),
                z = twins_new(STRIA_I64, 2, shape, VIEW_TURNED, 0, 1, 1);
    stria_tensor *want = NULL, *turned = NULL, *as_i8 = NULL, *as_i8_here = NULL;

    CHECK_STATUS(stria_cumsum(x.here, 1, STRIA_DTYPE_NONE, &want, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(z.there, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum(x.here, 1, STRIA_I8, &as_i8_here, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum(x.there, 1, STRIA_I8, &as_i8, NULL), STRIA_OK);
    cuda_case_check_same("cumsum in i8", as_i8, as_i8_here);
    CHECK_STATUS(stria_cumsum_out(x.there, 1, STRIA_DTYPE_NONE, turned, NULL), STRIA_OK);
    cuda_case_check_same("cumsum into a given tensor", turned, want);
    CHECK_STATUS(stria_cumsum_out(x.there, 1, STRIA_DTYPE_NONE, x.there, NULL), STRIA_OK);
    cuda_case_check_same("cumsum in place", x.there, want);
    stria_tensor_release(want), stria_tensor_release(turned), stria_tensor_release(as_i8),
        stria_tensor_release(as_i8_here);
    twins_release(x), twins_release(z);
}

/* ---------------------------------------------------------------- long rows, in parts */

enum { LONG = 20001, LONGER = 16384 };

static void check_long(void)
{
    static const int64_t     shape[] = {2, LONGER}, turned[] = {LONG, 1};
    static const stria_dtype exact[] = {STRIA_I32, STRIA_F32, STRIA_F64, STRIA_U8};

    for (int k = 0; k < 4; k++)
        for (int kind = dtype_is_float(exact[k]) ? CUMMAX : CUMSUM; kind < KINDS; kind++) {
            if (!cuda_case_is_drawn()) continue;
            const twins x = twins_new_any(exact[k], 2, k % 2 == 0 ? shape : turned, k == 3 ? VIEW_FLIPPED : VIEW_PACKED,
                                          (uint64_t)k);
            check_same(kind, &x, k % 2 == 0, names[kind]);
            twins_release(x);
        }
    check_formulas(STRIA_F32, 2, shape, VIEW_STEPPED);
    check_formulas(STRIA_F64, 2, turned, VIEW_PACKED);
}

/* A NaN or an infinity in an early part is met by all that follow. In place, too. */
static void check_long_special(void)
{
    const int64_t n = LONG;
    double       *numbers = calloc((size_t)n, sizeof *numbers);

    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < n; i++) numbers[i] = (double)(i % 5) - 2;
        numbers[4095 + 4096 * (k == 2)] = k == 0 ? NAN : INFINITY;
        const twins x = twins_new_numbers(STRIA_F64, n, numbers);
        for (int kind = k < 2 ? CUMSUM : CUMMAX; kind < KINDS; kind += kind == CUMSUM ? 2 : 1)
            check_same(kind, &x, 0, "a long row with special values");
        CHECK_STATUS(stria_cumsum_out(x.there, 0, STRIA_DTYPE_NONE, x.there, NULL), STRIA_OK);
        CHECK_STATUS(stria_cumsum_out(x.here, 0, STRIA_DTYPE_NONE, x.here, NULL), STRIA_OK);
        cuda_case_check_same("a long row in place", x.there, x.here); /* whole numbers: exact in any order */
        twins_release(x);
    }
    free(numbers);
}

/* ---------------------------------------------------------------- complex numbers */

/* Both parts of y are within `bound` times the largest magnitude so far of want's. */
static void check_parts(const char *what, const stria_tensor *want, const stria_tensor *y, double bound)
{
    stria_tensor *here = cuda_case_to_cpu(want), *got = cuda_case_to_cpu(y), *wide[2] = {NULL};
    double        most = 1;

    CHECK(got->dtype == want->dtype && got->numel == want->numel, "%s: another dtype or shape", what);
    CHECK_STATUS(stria_tensor_copy(here, STRIA_C128, &wide[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(got, STRIA_C128, &wide[1], NULL), STRIA_OK);
    for (int64_t k = 0; k < 2 * want->numel; k++) {
        double a, b;
        memcpy(&a, wide[0]->data + 8 * k, 8), memcpy(&b, wide[1]->data + 8 * k, 8);
        if (isfinite(a)) most = fmax(most, fabs(a));
        CHECK((isnan(a) && isnan(b)) || a == b || fabs(a - b) <= bound * most, "%s: part %d is %.17g, not %.17g", what,
              (int)k, b, a);
    }
    stria_tensor_release(wide[0]), stria_tensor_release(wide[1]);
    stria_tensor_release(here), stria_tensor_release(got);
}

/* Of numbers of magnitude about 1, so that products neither vanish nor overflow. */
static void check_complex(void)
{
    const int64_t shape[] = {30, 41, 2};

    for (int k = 0; k < 4; k++) {
        const stria_dtype part = k % 2 == 0 ? STRIA_F32 : STRIA_F64;
        const twins       x = twins_new(part, 3, shape, VIEW_PACKED, 0.6, 0.6, (uint64_t)k);
        for (int dim = 0; dim < 2; dim++)
            for (int kind = CUMSUM; kind <= CUMPROD; kind++) {
                stria_tensor *y[2] = {NULL}, *z[2] = {NULL}, *turned[2] = {NULL};
                for (int s = 0; s < 2; s++) {
                    CHECK_STATUS(stria_view_as_complex(s == 0 ? x.here : x.there, &z[s], NULL), STRIA_OK);
                    CHECK_STATUS(k < 2 ? stria_flip(z[s], (const int[]){dim}, 1, &turned[s], NULL)
                                       : stria_transpose(z[s], 0, 1, &turned[s], NULL),
                                 STRIA_OK);
                    CHECK_STATUS(run(kind, turned[s], dim, &y[s]), STRIA_OK);
                }
                check_parts(names[kind], y[0], y[1], part == STRIA_F32 ? 1e-7 : 1e-14);
                for (int s = 0; s < 2; s++)
                    stria_tensor_release(y[s]), stria_tensor_release(z[s]), stria_tensor_release(turned[s]);
            }
        twins_release(x);
    }
}

/* The product of one infinity is that infinity, and so are those of numbers of integers as complex ones. */
static void check_complex_special(void)
{
    static const double numbers[] = {INFINITY, 2, 0, 1, NAN, 1, 3, 0};
    const twins         x = twins_new_numbers(STRIA_F64, 8, numbers);
    const int64_t       shape[] = {4, 2};
    stria_tensor       *y[2] = {NULL}, *z[2] = {NULL}, *pairs[2] = {NULL}, *none[2] = {NULL};

    for (int s = 0; s < 2; s++) {
        CHECK_STATUS(stria_view(s == 0 ? x.here : x.there, shape, 2, &pairs[s], NULL), STRIA_OK);
        CHECK_STATUS(stria_view_as_complex(pairs[s], &z[s], NULL), STRIA_OK);
        CHECK_STATUS(stria_cumprod(z[s], 0, STRIA_DTYPE_NONE, &y[s], NULL), STRIA_OK);
        CHECK_STATUS(stria_cumprod(s == 0 ? x.here : x.there, 0, STRIA_C64, &none[s], NULL), STRIA_OK);
    }
    check_parts("cumprod of infinities", y[0], y[1], 0);
    check_parts("cumprod of real numbers as complex ones", none[0], none[1], 0);
    for (int s = 0; s < 2; s++)
        stria_tensor_release(y[s]), stria_tensor_release(z[s]), stria_tensor_release(pairs[s]),
            stria_tensor_release(none[s]);
    twins_release(x);
}

SUITE(test_cuda_scan)
{
    check_isa("test_cuda_scan");
    if (!cuda_case_begin("test_cuda_scan")) return 77;
    check_exact_all();
    check_formulas_all();
    check_special();
    check_places();
    check_long();
    check_long_special();
    check_complex();
    check_complex_special();
    return cuda_case_finish("test_cuda_scan");
}
