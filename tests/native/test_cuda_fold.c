/* test_cuda_fold.c - reductions on a CUDA device: integers, extremes, truths and positions have the bits of the CPU; sums and statistics of
 * floats are held to formulas in long double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_fold.h"
#include "table/rows.h"

#define AXES(set) axes_of(set, list), __builtin_popcount(set)

static const struct {
    int     ndim;
    int64_t shape[3];
} shapes[] = {{0, {0}},      {1, {1}},      {1, {5}},      {1, {1031}},     {2, {3, 4}},
              {2, {40, 70}}, {2, {3, 700}}, {2, {700, 3}}, {3, {7, 33, 5}}, {3, {2, 1, 130}}};
/* Several blocks share an output. */
static const struct {
    int     ndim;
    int64_t shape[2];
} large[] = {{1, {70001}}, {2, {2, 66003}}, {2, {33001, 2}}};

static const int *axes_of(unsigned set, int *list)
{
    int n = 0;
    for (int d = 0; d < 4; d++)
        if (set >> d & 1) list[n++] = d;
    return list;
}

/* ---------------------------------------------------------------- the CPU's bits */

static bool is_exact(stria_reduction op, stria_dtype dtype)
{
    return (!dtype_is_float(dtype) && !dtype_is_complex(dtype)) || op == STRIA_RED_amax || op == STRIA_RED_amin ||
           op == STRIA_RED_any || op == STRIA_RED_all;
}

/* Outputs of a reduction; tests of many take long. */
static bool has_many(const stria_tensor *x, unsigned set)
{
    int64_t n = 1;
    for (int d = 0; d < x->ndim; d++)
        if (!(set >> d & 1)) n *= x->shape[d];
    return n > 3000;
}

static void check_reduction(stria_reduction op, const twins *x, unsigned set, bool keepdim, const char *what)
{
    stria_tensor      *a = NULL, *b = NULL;
    stria_error        err = {0}, device_err = {0};
    int                list[4];
    const stria_status want = stria_reduce(op, x->here, AXES(set), keepdim, STRIA_DTYPE_NONE, &a, &err);
    const stria_status got = stria_reduce(op, x->there, AXES(set), keepdim, STRIA_DTYPE_NONE, &b, &device_err);

    CHECK(got == want, "%s: %s, not as on the CPU: %s", what, device_err.message, err.message);
    if (a != NULL && b != NULL) cuda_case_check_same(what, b, a);
    stria_tensor_release(a);
    stria_tensor_release(b);
}

static void check_position(bool smallest, const twins *x, int dim, bool keepdim, const char *what)
{
    stria_tensor *a = NULL, *b = NULL;
    stria_status (*find)(const stria_tensor *, int, bool, stria_tensor **, stria_error *) =
        smallest ? stria_argmin : stria_argmax;
    const stria_status want = find(x->here, dim, keepdim, &a, NULL), got = find(x->there, dim, keepdim, &b, NULL);

    CHECK(got == want, "%s: status %d, not %d", what, (int)got, (int)want);
    if (a != NULL && b != NULL) cuda_case_check_same(what, b, a);
    stria_tensor_release(a);
    stria_tensor_release(b);
}

static void check_exact(stria_dtype dtype, int ndim, const int64_t *shape, int view)
{
    const twins x = twins_new_any(dtype, ndim, shape, view, (uint64_t)(ndim * 10 + view));
    const int   n = x.here->ndim;
    char        what[160];

    for (stria_reduction op = 0; op < STRIA_RED_COUNT; op++) {
        if (!is_exact(op, dtype)) continue;
        for (unsigned set = n > 0; set < 1u << n; set++) {
            if (has_many(x.here, set) || !cuda_case_is_drawn()) continue;
            snprintf(what, sizeof what, "%s of %s, %d dims, shape %d .., view %d, axes %x",
                     stria_reduction_infos[op].name, stria_dtype_get_name(dtype), n, (int)(n > 0 ? shape[0] : 0), view,
                     set);
            check_reduction(op, &x, set, set % 2, what);
        }
    }
    for (int smallest = 0; smallest < 2; smallest++)
        for (int dim = -1; dim < n; dim++) {
            if (!cuda_case_is_drawn()) continue;
            snprintf(what, sizeof what, "arg%s of %s, %d dims, shape %d .., view %d, dim %d", smallest ? "min" : "max",
                     stria_dtype_get_name(dtype), n, (int)(n > 0 ? shape[0] : 0), view, dim);
            check_position(smallest, &x, dim < 0 ? STRIA_AXIS_NONE : dim, dim % 2 != 0, what);
        }
    twins_release(x);
}

static void check_exact_all(void)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (stria_dtype dtype = 0; dtype < STRIA_DTYPE_COUNT; dtype++)
            check_exact(dtype, shapes[k].ndim, shapes[k].shape, (int)(k + (size_t)dtype) % VIEW_COUNT);
    for (int view = 0; view < VIEW_COUNT; view++) check_exact(STRIA_I16, shapes[8].ndim, shapes[8].shape, view);
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        check_exact(STRIA_I32, large[k].ndim, large[k].shape, VIEW_PACKED);
        check_exact(STRIA_F32, large[k].ndim, large[k].shape, VIEW_TURNED);
    }
}

/* ---------------------------------------------------------------- formulas */

/* What a row gives of n numbers, and by how much a result may miss it apart from its rounding. */
typedef struct formula {
    const char *name;
    double      number;
    stria_status (*run)(const stria_tensor *x, const int *axes, int n_axes, double number, stria_tensor **y);
    long double (*of)(const long double *x, int64_t n, double number, long double *slack);
} formula;

static const long double EPS = 0x1p-53L;

static stria_status run_sum(const stria_tensor *x, const int *axes, int n, double number, stria_tensor **y)
{
    (void)number;
    return stria_sum(x, axes, n, false, y, NULL);
}
static long double of_sum(const long double *x, int64_t n, double number, long double *slack)
{
    long double sum = 0, sizes = 0;
    (void)number;
    for (int64_t k = 0; k < n; k++) sum += x[k], sizes += fabsl(x[k]);
    *slack = sizes * (long double)n * EPS / 64;
    return sum;
}
static stria_status run_mean(const stria_tensor *x, const int *axes, int n, double number, stria_tensor **y)
{
    (void)number;
    return stria_mean(x, axes, n, false, y, NULL);
}
static long double of_mean(const long double *x, int64_t n, double number, long double *slack)
{
    const long double sum = of_sum(x, n, number, slack);
    *slack /= (long double)n;
    return sum / (long double)n;
}
static stria_status run_prod(const stria_tensor *x, const int *axes, int n, double number, stria_tensor **y)
{
    (void)number;
    return stria_prod(x, axes, n, false, y, NULL);
}
static long double of_prod(const long double *x, int64_t n, double number, long double *slack)
{
    long double product = 1;
    (void)number;
    for (int64_t k = 0; k < n; k++) product *= x[k];
    *slack = fabsl(product) * (long double)n * EPS;
    return product;
}
static stria_status run_var(const stria_tensor *x, const int *axes, int n, double number, stria_tensor **y)
{
    return stria_var(x, axes, n, number, false, y, NULL);
}
static long double of_var(const long double *x, int64_t n, double number, long double *slack)
{
    const long double mean = of_mean(x, n, number, slack);
    long double       sum = 0;
    for (int64_t k = 0; k < n; k++) sum += (x[k] - mean) * (x[k] - mean);
    *slack = fabsl(sum / ((long double)n - (long double)number)) * (long double)n * EPS + fabsl(mean * mean) * EPS;
    return sum / fmaxl((long double)n - (long double)number, 0);
}
static stria_status run_std(const stria_tensor *x, const int *axes, int n, double number, stria_tensor **y)
{
    return stria_std(x, axes, n, number, false, y, NULL);
}
static long double of_std(const long double *x, int64_t n, double number, long double *slack)
{
    const long double var = of_var(x, n, number, slack);
    *slack = var > 0 ? *slack / sqrtl(var) : 0;
    return sqrtl(var);
}
static stria_status run_norm(const stria_tensor *x, const int *axes, int n, double number, stria_tensor **y)
{
    return stria_norm(x, number, axes, n, false, STRIA_DTYPE_NONE, y, NULL);
}
static long double of_norm(const long double *x, int64_t n, double p, long double *slack)
{
    long double sum = p < 0 && isinf(p) ? INFINITY : 0;
    for (int64_t k = 0; k < n; k++) {
        if (isinf(p))
            sum = p > 0 ? fmaxl(sum, fabsl(x[k])) : fminl(sum, fabsl(x[k]));
        else
            sum += p == 0 ? x[k] != 0 : powl(fabsl(x[k]), (long double)p);
    }
    if (p != 0 && !isinf(p)) sum = powl(sum, 1 / (long double)p);
    *slack = fabsl(sum) * (long double)(n + 20) * EPS;
    return sum;
}
static stria_status run_logsumexp(const stria_tensor *x, const int *axes, int n, double number, stria_tensor **y)
{
    (void)number;
    return stria_logsumexp(x, axes, n, false, y, NULL);
}
static long double of_logsumexp(const long double *x, int64_t n, double number, long double *slack)
{
    long double most = -INFINITY, sum = 0;
    (void)number;
    for (int64_t k = 0; k < n; k++) most = fmaxl(most, x[k]);
    for (int64_t k = 0; k < n; k++) sum += expl(x[k] - most);
    *slack = (long double)(n + 20) * EPS * (1 + fabsl(most));
    return most + logl(sum);
}

static const formula formulas[] = {{"sum", 0, run_sum, of_sum},
                                   {"mean", 0, run_mean, of_mean},
                                   {"prod", 0, run_prod, of_prod},
                                   {"var", 1, run_var, of_var},
                                   {"std", 0, run_std, of_std},
                                   {"norm", 2, run_norm, of_norm},
                                   {"norm", 0, run_norm, of_norm},
                                   {"norm", 1, run_norm, of_norm},
                                   {"norm", 2.5, run_norm, of_norm},
                                   {"norm", INFINITY, run_norm, of_norm},
                                   {"norm", -INFINITY, run_norm, of_norm},
                                   {"logsumexp", 0, run_logsumexp, of_logsumexp}};

/* Elements of x that belong to an output, whose index has 0 for each reduced axis. */
static int64_t collect(const stria_tensor *x, unsigned set, const int64_t *outer, long double *numbers)
{
    int64_t index[STRIA_MAX_DIMS], shape[STRIA_MAX_DIMS], inner[STRIA_MAX_DIMS] = {0}, n = 0;

    for (int d = 0; d < x->ndim; d++) shape[d] = set >> d & 1 ? x->shape[d] : 1;
    do {
        for (int d = 0; d < x->ndim; d++) index[d] = set >> d & 1 ? inner[d] : outer[d];
        numbers[n++] = fold_number(x, index);
    } while (index_next(x->ndim, shape, inner));
    return n;
}

static void check_formula(const formula *f, const twins *x, unsigned set, const char *what)
{
    const stria_dtype dtype = x->here->dtype;
    stria_tensor     *got = NULL;
    long double      *numbers = malloc(sizeof *numbers * (size_t)x->here->numel), slack, worst = 0;
    int64_t           outer[STRIA_MAX_DIMS], index[STRIA_MAX_DIMS] = {0}, k = 0;
    int               list[4];

    CHECK_STATUS(f->run(x->there, AXES(set), f->number, &got), STRIA_OK);
    if (got == NULL) {
        free(numbers);
        return;
    }
    stria_tensor *y = cuda_case_to_cpu(got);
    for (int d = 0; d < x->here->ndim; d++) outer[d] = set >> d & 1 ? 1 : x->here->shape[d];
    do {
        const int64_t     n = collect(x->here, set, index, numbers);
        const long double want = f->of(numbers, n, f->number, &slack);
        const value       v = value_get(y->dtype, y->data + k++ * (int64_t)stria_dtype_get_size(y->dtype));
        const long double allowed = fold_ulp(dtype, want) * (dtype == STRIA_F64 ? 2 : 0.502L) + slack;
        const bool        same = isnan(want) ? isnan(v.real) : fabsl((long double)v.real - want) <= allowed;
        if (!same && !isinf(want)) worst = fmaxl(worst, fabsl((long double)v.real - want) / (allowed + 1e-300L));
        CHECK(same || (isinf(want) && (double)want == v.real), "%s: %.17g, not %.17Lg, %.3Lg times the bound", what,
              v.real, want, worst);
    } while (index_next(x->here->ndim, outer, index));
    stria_tensor_release(got);
    stria_tensor_release(y);
    free(numbers);
}

static void check_formulas(stria_dtype dtype, int ndim, const int64_t *shape, int view)
{
    const twins near_one = twins_new(dtype, ndim, shape, view, 1, 0.01, 7),
                spread = twins_new(dtype, ndim, shape, view, 0.5, 8, 11);
    char what[160];

    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++)
        for (unsigned set = ndim > 0; set < 1u << spread.here->ndim; set++) {
            const formula *f = &formulas[k];
            if (has_many(spread.here, set) || !cuda_case_is_drawn()) continue;
            snprintf(what, sizeof what, "%s %g of %s, %d dims, shape %d .., view %d, axes %x", f->name, f->number,
                     stria_dtype_get_name(dtype), spread.here->ndim, (int)(ndim > 0 ? shape[0] : 0), view, set);
            check_formula(f, f->run == run_prod ? &near_one : &spread, set, what);
        }
    twins_release(near_one);
    twins_release(spread);
}

static void check_formulas_all(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (size_t d = 0; d < 4; d++)
            check_formulas(dtypes[d], shapes[k].ndim, shapes[k].shape, (int)(k + d) % VIEW_COUNT);
    for (size_t k = 0; k < sizeof large / sizeof *large; k++)
        check_formulas(dtypes[k % 2], large[k].ndim, large[k].shape, VIEW_PACKED);
}

/* ---------------------------------------------------------------- special values */

/* The same as on the CPU, of these numbers. */
static void check_numbers(const formula *f, stria_dtype dtype, int64_t n, const double *numbers)
{
    const twins   x = twins_new_numbers(dtype, n, numbers);
    stria_tensor *a = NULL, *b = NULL;
    char          what[100];

    snprintf(what, sizeof what, "%s %g of %s %g, %g ..", f->name, f->number, stria_dtype_get_name(dtype), numbers[0],
             numbers[n - 1]);
    CHECK_STATUS(f->run(x.here, NULL, 0, f->number, &a), STRIA_OK);
    CHECK_STATUS(f->run(x.there, NULL, 0, f->number, &b), STRIA_OK);
    if (a != NULL && b != NULL) cuda_case_check_same(what, b, a);
    stria_tensor_release(a);
    stria_tensor_release(b);
    twins_release(x);
}

static void check_special(void)
{
    static const double lists[][3] = {{-0.0, -0.0, -0.0},
                                      {INFINITY, 1, 2},
                                      {-INFINITY, INFINITY, 0},
                                      {NAN, 1, INFINITY},
                                      {0x1p1000, 0x1p1000, 0},
                                      {0x1p-1000, 0x1p-1000, 0},
                                      {-INFINITY, -INFINITY, -INFINITY},
                                      {-INFINITY, 3, -INFINITY},
                                      {0x1p1023, 0x1p1023, 1},
                                      {7, 7, 7},
                                      {-INFINITY, INFINITY, NAN}};

    for (size_t f = 0; f < sizeof formulas / sizeof *formulas; f++)
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
            const bool is_var = formulas[f].run == run_var || formulas[f].run == run_std;
            if (is_var && lists[k][0] >= 0x1p1000 && isfinite(lists[k][0])) continue; /* an infinity here, NaN there */
            check_numbers(&formulas[f], STRIA_F64, 3, lists[k]);
        }
}

/* Sums of f64 that cancel: what rounding takes from them is kept. */
static void check_lost(void)
{
    const int64_t n = 4000;
    double       *numbers = malloc(sizeof *numbers * (size_t)n), got;
    stria_tensor *y = NULL;

    for (int64_t k = 0; k < n; k++)
        numbers[k] = k % 4 == 3 ? 0x1p-10 : k % 2 ? -0x1p60 : k % 4 ? 0x1p60 - 0x1p-10 : 0x1p60;
    for (int64_t k = 0; k < n; k += 4) numbers[k + 2] = 0;
    const twins x = twins_new_numbers(STRIA_F64, n, numbers);
    CHECK_STATUS(stria_sum(x.there, NULL, 0, false, &y, NULL), STRIA_OK);
    stria_tensor *here = cuda_case_to_cpu(y);
    memcpy(&got, here->data, sizeof got);
    CHECK(got == (double)(n / 4) * 0x1p-10, "a sum that cancels: %.17g", got);
    stria_tensor_release(here);
    stria_tensor_release(y);
    twins_release(x);
    free(numbers);
}

/* ---------------------------------------------------------------- the rest */

static void check_empty(void)
{
    const int64_t shape[] = {0, 3};
    stria_tensor *x = NULL;
    char          what[80];

    for (int d = 0; d < 3; d++) {
        const stria_dtype dtype = d == 0 ? STRIA_F32 : d == 1 ? STRIA_I32 : STRIA_BOOL;
        CHECK_STATUS(stria_tensor_new(dtype, 2, shape, &x, NULL), STRIA_OK);
        const twins both = {x, cuda_case_to_device(x, CUDA)};
        for (stria_reduction op = 0; op < STRIA_RED_COUNT; op++)
            for (unsigned set = 1; set < 4; set++) {
                snprintf(what, sizeof what, "%s of no %s", stria_reduction_infos[op].name, stria_dtype_get_name(dtype));
                check_reduction(op, &both, set, false, what);
            }
        for (size_t f = 3; d == 0 && f < sizeof formulas / sizeof *formulas; f++) {
            const int     axes[] = {0};
            stria_tensor *a = NULL, *b = NULL;
            CHECK(formulas[f].run(both.here, axes, 1, formulas[f].number, &a) ==
                      formulas[f].run(both.there, axes, 1, formulas[f].number, &b),
                  "%s of nothing: not as on the CPU", formulas[f].name);
            if (a != NULL && b != NULL) cuda_case_check_same(formulas[f].name, b, a);
            stria_tensor_release(a);
            stria_tensor_release(b);
        }
        twins_release(both);
    }
}

/* Of whole numbers, so that sums are exact: given dtypes, sums of complex numbers, sum_to_size. */
static void check_dtypes(void)
{
    const int64_t shape[] = {6, 9}, size[] = {6, 1};
    const int     axes[] = {1};
    stria_tensor *a = NULL, *b = NULL;

    for (stria_dtype dtype = 0; dtype < STRIA_DTYPE_COUNT; dtype++) {
        twins x = twins_new(STRIA_I32, 2, shape, VIEW_STEPPED, 0, 10, 3), y = {NULL, NULL};
        CHECK_STATUS(stria_to(x.here, dtype, &y.here, NULL), STRIA_OK);
        y.there = cuda_case_to_device(y.here, CUDA);
        CHECK_STATUS(stria_sum(y.here, axes, 1, true, &a, NULL), STRIA_OK);
        CHECK_STATUS(stria_sum(y.there, axes, 1, true, &b, NULL), STRIA_OK);
        if (a != NULL && b != NULL) cuda_case_check_same("a sum of whole numbers", b, a);
        stria_tensor_release(a), stria_tensor_release(b), a = b = NULL;
        if (dtype != STRIA_BOOL) {
            CHECK_STATUS(stria_sum_to_size(y.here, size, 2, &a, NULL), STRIA_OK);
            CHECK_STATUS(stria_sum_to_size(y.there, size, 2, &b, NULL), STRIA_OK);
            if (a != NULL && b != NULL) cuda_case_check_same("sum_to_size", b, a);
            stria_tensor_release(a), stria_tensor_release(b), a = b = NULL;
        }
        if (dtype != STRIA_BOOL) {
            CHECK_STATUS(stria_reduce(STRIA_RED_sum, x.here, axes, 1, false, dtype, &a, NULL), STRIA_OK);
            CHECK_STATUS(stria_reduce(STRIA_RED_sum, x.there, axes, 1, false, dtype, &b, NULL), STRIA_OK);
            if (a != NULL && b != NULL) cuda_case_check_same("a sum in a given dtype", b, a);
            stria_tensor_release(a), stria_tensor_release(b), a = b = NULL;
        }
        twins_release(x);
        twins_release(y);
    }
}

/* Products of complex numbers are made of products, in the order of the CPU. */
static void check_products(void)
{
    const int64_t shape[] = {3, 7, 5};

    for (unsigned set = 0; set < 8; set++)
        for (int k = 0; k < 2; k++) {
            const twins x = twins_new_any(k == 0 ? STRIA_C64 : STRIA_C128, 3, shape, VIEW_STEPPED, set + 1);
            check_reduction(STRIA_RED_prod, &x, set, set % 2 == 0, "a product of complex numbers");
            twins_release(x);
        }
}

/* Whether complex numbers are 0 is one question for both parts, of whatever dtype the answer becomes. */
static void check_truths(void)
{
    const double  numbers[] = {0, 3, 0, 0, 0, -1, 2, 5};
    const int64_t shape[] = {4, 1}, none = 0;
    const int     axes[] = {1};
    twins         x = twins_new_numbers(STRIA_F64, 8, numbers);
    stria_tensor *both[] = {x.here, x.there}, *y[2] = {NULL};

    for (int k = 0; k < 4; k++) {
        for (int s = 0; s < 2; s++) {
            stria_tensor *pairs = NULL, *z = NULL, *column = NULL;
            const int64_t size[] = {4, 2};
            CHECK_STATUS(stria_view(both[s], size, 2, &pairs, NULL), STRIA_OK);
            CHECK_STATUS(stria_view_as_complex(pairs, &z, NULL), STRIA_OK);
            CHECK_STATUS(stria_view(z, shape, 2, &column, NULL), STRIA_OK);
            CHECK_STATUS(stria_empty(k < 2 ? shape : &none, 1, k % 2 ? STRIA_C64 : STRIA_C128,
                                     s == 0 ? STRIA_CPU : CUDA, &y[s], NULL),
                         STRIA_OK);
            CHECK_STATUS(stria_reduce_out(k < 2 ? STRIA_RED_any : STRIA_RED_all, column, axes, 1, false,
                                          STRIA_DTYPE_NONE, y[s], NULL),
                         STRIA_OK);
            stria_tensor_release(column), stria_tensor_release(z), stria_tensor_release(pairs);
        }
        cuda_case_check_same("truths of complex numbers", y[1], y[0]);
        stria_tensor_release(y[0]), stria_tensor_release(y[1]);
    }
    twins_release(x);
}

/* Pairs as complex numbers, of the same view; they are looked at from both sides. */
static twins new_complex(stria_dtype part, int view)
{
    const int64_t shape[] = {4, 9, 5, 2};
    const twins   pairs = twins_new(part, 4, shape, VIEW_PACKED, 0.5, 3, 7);
    twins         z = {NULL, NULL};

    for (int s = 0; s < 2; s++) {
        stria_tensor *x = NULL, *other = NULL, **to = s == 0 ? &z.here : &z.there;
        CHECK_STATUS(stria_view_as_complex(s == 0 ? pairs.here : pairs.there, &x, NULL), STRIA_OK);
        CHECK_STATUS(view == VIEW_FLIPPED  ? stria_flip(x, (const int[]){1}, 1, &other, NULL)
                     : view == VIEW_TURNED ? stria_transpose(x, 0, 2, &other, NULL)
                                           : stria_slice(x, 1, 0, 9, view == VIEW_STEPPED ? 2 : 1, &other, NULL),
                     STRIA_OK);
        *to = other;
        stria_tensor_release(x);
    }
    twins_release(pairs);
    return z;
}

/* a and b, real and on the CPU and the device, differ by no more than 20 units in the last place. */
static void check_near(const char *what, const stria_tensor *a, const stria_tensor *b)
{
    stria_tensor *y = b != NULL ? cuda_case_to_cpu(b) : NULL;
    int64_t       index[STRIA_MAX_DIMS] = {0};

    CHECK(a != NULL && y != NULL && y->dtype == a->dtype && y->numel == a->numel, "%s: not as on the CPU", what);
    if (a != NULL && y != NULL && a->numel > 0) do {
            const long double want = fold_number(a, index), got = fold_number(y, index);
            CHECK(want == got || (isnan(want) && isnan(got)) || fabsl(want - got) <= 20 * fold_ulp(a->dtype, want),
                  "%s: %.17Lg, not %.17Lg", what, got, want);
        } while (index_next(a->ndim, a->shape, index));
    stria_tensor_release(y);
}

/* var, std and norm of complex numbers are made of those of real ones, as on the CPU. */
static void check_complex(void)
{
    static const double orders[] = {0, 1, 2, 3, INFINITY, -INFINITY};
    stria_tensor       *a = NULL, *b = NULL;
    int                 list[4];
    char                what[96];

    for (int k = 0; k < 2 * VIEW_EXPANDED; k++) {
        const twins z = new_complex(k % 2 == 0 ? STRIA_F32 : STRIA_F64, k / 2);
        for (unsigned set = 0; set < 8; set++) {
            for (int root = 0; root < 2; root++) {
                snprintf(what, sizeof what, "%s of complex numbers, view %d, axes %x", root ? "std" : "var", k, set);
                CHECK_STATUS((root ? stria_std : stria_var)(z.here, AXES(set), root, set % 2, &a, NULL), STRIA_OK);
                CHECK_STATUS((root ? stria_std : stria_var)(z.there, AXES(set), root, set % 2, &b, NULL), STRIA_OK);
                check_near(what, a, b);
                stria_tensor_release(a), stria_tensor_release(b), a = b = NULL;
            }
            for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
                snprintf(what, sizeof what, "norm %g of complex numbers, view %d, axes %x", orders[o], k, set);
                CHECK_STATUS(stria_norm(z.here, orders[o], AXES(set), set % 2, STRIA_DTYPE_NONE, &a, NULL), STRIA_OK);
                CHECK_STATUS(stria_norm(z.there, orders[o], AXES(set), set % 2, STRIA_DTYPE_NONE, &b, NULL), STRIA_OK);
                check_near(what, a, b);
                stria_tensor_release(a), stria_tensor_release(b), a = b = NULL;
            }
        }
        twins_release(z);
    }
}

SUITE(test_cuda_fold)
{
    check_isa("test_cuda_fold");
    if (!cuda_case_begin("test_cuda_fold")) return 77;
    check_exact_all();
    check_formulas_all();
    check_special();
    check_lost();
    check_empty();
    check_dtypes();
    check_products();
    check_truths();
    check_complex();
    return cuda_case_finish("test_cuda_fold");
}
