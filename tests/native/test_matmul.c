/* test_matmul.c - matrix products against sums in whole numbers.
 *
 * Floats hold small whole numbers, whose products and sums are exact, so every case must be equal to the last bit; integers
 * hold any bits and wrap. What lies between the elements of a strided operand is poison. One more check holds real
 * numbers to the error that stria.h states. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simd/kernels.h"
#include "oracle.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

static random_state random_numbers = {20};

static const stria_dtype dtypes[] = {STRIA_U8,  STRIA_I8,  STRIA_U16, STRIA_I16,  STRIA_U32, STRIA_I32,
                                     STRIA_U64, STRIA_I64, STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64};
enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0] };

/* ---------------------------------------------------------------- operands */

typedef enum order { ROWS, COLUMNS, STEPPED, FLIPPED, REPEATED, N_ORDERS } order;
static const char *const order_names[] = {"rows", "columns", "stepped", "flipped", "repeated"};

/* A view of the order named, over memory of its own that is exactly as large, poisoned. REPEATED has one row (one
 * element, if it has one dim). */
static stria_tensor *new_view(stria_dtype dtype, order kind, int ndim, const int64_t *shape)
{
    const int     last = ndim - 1, before = ndim > 1 ? ndim - 2 : 0; /* the axes of the matrix */
    const size_t  size = stria_dtype_get_size(dtype);
    int64_t       strides[STRIA_MAX_DIMS], numel = 1, first = 0;
    stria_tensor *x = NULL;

    const int64_t step = kind == STEPPED ? 2 : 1;
    for (int d = last; d >= 0; d--) {
        const int at = kind == COLUMNS && ndim > 1 ? (d == last ? before : d == before ? last : d) : d;
        strides[at] = numel;
        if (kind == REPEATED && at == before) {
            strides[at] = 0;
            continue;
        }
        if (at >= before) strides[at] *= step;
        numel *= (shape[at] > 0 ? shape[at] : 1) * (at >= before ? step : 1);
    }
    if (kind == FLIPPED)
        for (int d = before; d <= last; d++) {
            if (shape[d] > 0) first += (shape[d] - 1) * strides[d];
            strides[d] = -strides[d];
        }
    char *memory = malloc((size_t)numel * size);
    if (!memory) return NULL;
    memset(memory, dtype == STRIA_F16 || dtype == STRIA_BF16 || dtype >= STRIA_F32 ? 0xff : 0x5a, (size_t)numel * size);
    CHECK_STATUS(
        stria_tensor_new_external(dtype, ndim, shape, strides, memory + (size_t)first * size, free, memory, &x, NULL),
        STRIA_OK);
    return x;
}

/* Elements drawn from some that were encoded before, because encoding is slow. */
enum { N_DRAWN = 256 };
static void fill_drawn(stria_tensor *x, const char *drawn)
{
    const size_t size = stria_dtype_get_size(stria_tensor_get_dtype(x));
    int64_t      index[STRIA_MAX_DIMS] = {0};
    if (stria_tensor_get_numel(x) == 0) return;
    do {
        memcpy(tensor_at(x, index), drawn + (random_next(&random_numbers) >> 20) % N_DRAWN * size, size);
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
}

/* any_bits: integers of the whole range, else numbers from -8 (0 if unsigned) to 8. */
static void fill(stria_tensor *x, bool any_bits)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    const bool        is_unsigned = dtype == STRIA_U8 || dtype == STRIA_U16 || dtype == STRIA_U32 || dtype == STRIA_U64;
    char              drawn[N_DRAWN * 8];
    for (size_t k = 0; k < N_DRAWN; k++) {
        const uint64_t bits = random_next(&random_numbers);
        int64_t        whole = (int64_t)(bits >> 40) % (is_unsigned ? 9 : 17) - (is_unsigned ? 0 : 8);
        if (any_bits) whole = (int64_t)bits;
        if (dtype == STRIA_BOOL) whole &= 1;
        value_set(dtype, value_convert(value_from_whole(whole), dtype), drawn + k * stria_dtype_get_size(dtype));
    }
    fill_drawn(x, drawn);
}

/* Real numbers from -1 to 1. */
static void fill_real(stria_tensor *x)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    char              drawn[N_DRAWN * 8];
    for (size_t k = 0; k < N_DRAWN; k++)
        value_set(dtype, value_convert(value_from_real(random_unit(&random_numbers) * 2 - 1), dtype),
                  drawn + k * stria_dtype_get_size(dtype));
    fill_drawn(x, drawn);
}

static stria_tensor *new_operand(stria_dtype dtype, order kind, int ndim, const int64_t *shape, bool any_bits)
{
    stria_tensor *x = new_view(dtype, kind, ndim, shape);
    if (x) fill(x, any_bits);
    return x;
}

/* ---------------------------------------------------------------- the oracle */

/* Elements in row-major order as whole numbers modulo 2^64; the caller frees them. */
static uint64_t *decode(const stria_tensor *x)
{
    uint64_t *numbers = malloc((size_t)(stria_tensor_get_numel(x) + 1) * sizeof *numbers), *at = numbers;
    int64_t   index[STRIA_MAX_DIMS] = {0};
    if (!numbers || stria_tensor_get_numel(x) == 0) return numbers;
    do {
        const value v = value_get(stria_tensor_get_dtype(x), tensor_at(x, index));
        *at++ = v.is_float ? (uint64_t)(int64_t)v.real : (uint64_t)v.whole;
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
    return numbers;
}

/* First element of the matrix of x for a batch index, which x broadcasts to. */
static int64_t find_matrix(const stria_tensor *x, int n_batch, const int64_t *index)
{
    const int      own = stria_tensor_get_ndim(x) > 2 ? stria_tensor_get_ndim(x) - 2 : 0;
    const int64_t *shape = stria_tensor_get_shape(x);
    int64_t        at = 0;
    for (int d = 0; d < own; d++) at = at * shape[d] + (shape[d] == 1 ? 0 : index[n_batch - own + d]);
    for (int d = own; d < stria_tensor_get_ndim(x); d++) at *= shape[d];
    return at;
}

/* Whether got is a b, in the dtype expected and then that of got; prints the first element that is not. */
static void check_product(const stria_tensor *a, const stria_tensor *b, const stria_tensor *got, stria_dtype expected,
                          const char *label)
{
    const int a_ndim = stria_tensor_get_ndim(a), b_ndim = stria_tensor_get_ndim(b), ndim = stria_tensor_get_ndim(got);
    const int64_t *a_shape = stria_tensor_get_shape(a), *b_shape = stria_tensor_get_shape(b);
    const int64_t  k = a_shape[a_ndim - 1], n = b_ndim > 1 ? b_shape[b_ndim - 1] : 1;
    const int      n_batch = ndim - (a_ndim > 1) - (b_ndim > 1);
    uint64_t      *x = decode(a), *y = decode(b);
    int64_t        index[STRIA_MAX_DIMS] = {0}, n_wrong = 0;
    char           first[200] = "";

    if (stria_tensor_get_numel(got) > 0 && x && y) do {
            const int64_t   i = a_ndim > 1 ? index[n_batch] : 0, j = b_ndim > 1 ? index[ndim - 1] : 0;
            const uint64_t *row = x + find_matrix(a, n_batch, index) + i * k;
            const uint64_t *column = y + find_matrix(b, n_batch, index) + j;
            uint64_t        sum = 0;
            char            want[16], text[2][64];
            for (int64_t p = 0; p < k; p++) sum += row[p] * column[p * n];
            value v = value_from_whole((int64_t)sum);
            if (!dtype_is_float(expected) || stria_tensor_get_dtype(got) == expected) v = value_convert(v, expected);
            value_set(stria_tensor_get_dtype(got), value_convert(v, stria_tensor_get_dtype(got)), want);
            if (value_same(stria_tensor_get_dtype(got), want, tensor_at(got, index)) || n_wrong++ > 0) continue;
            snprintf(first, sizeof first, "row %lld, column %lld: %s, expected %s", (long long)i, (long long)j,
                     value_print(stria_tensor_get_dtype(got), tensor_at(got, index), text[0], 64),
                     value_print(stria_tensor_get_dtype(got), want, text[1], 64));
        } while (index_next(ndim, stria_tensor_get_shape(got), index));
    CHECK(x && y && n_wrong == 0, "%s: %lld wrong elements, first %s", label, (long long)n_wrong, first);
    free(x);
    free(y);
}

/* Runs and checks one product, into a new tensor or into out. */
static void check(const stria_tensor *a, const stria_tensor *b, stria_tensor *out, const char *label)
{
    const stria_dtype  result = oracle_promote(stria_tensor_get_dtype(a), stria_tensor_get_dtype(b));
    stria_tensor      *y = out;
    stria_error        err;
    const stria_status status = out ? stria_matmul_out(a, b, out, &err) : stria_matmul(a, b, &y, &err);
    CHECK(status == STRIA_OK, "%s: %s", label, status == STRIA_OK ? "" : err.message);
    if (status != STRIA_OK) return;
    if (!out)
        CHECK(stria_tensor_get_dtype(y) == result, "%s: dtype %s", label,
              stria_dtype_get_name(stria_tensor_get_dtype(y)));
    check_product(a, b, y, result, label);
    if (!out) stria_tensor_release(y);
}

static bool is_integer(stria_dtype dtype) { return !dtype_is_float(dtype) && !dtype_is_complex(dtype); }

/* ---------------------------------------------------------------- sizes and orders */

static void check_size(stria_dtype dtype, int64_t m, int64_t n, int64_t k, order a_order, order b_order,
                       order out_order)
{
    const bool    any_bits = is_integer(dtype);
    stria_tensor *a = new_operand(dtype, a_order, 2, SHAPE(m, k), any_bits);
    stria_tensor *b = new_operand(dtype, b_order, 2, SHAPE(k, n), any_bits);
    stria_tensor *out = out_order == REPEATED ? NULL : new_view(dtype, out_order, 2, SHAPE(m, n));
    char          label[160];
    snprintf(label, sizeof label, "%s [%lld,%lld] %s x [%lld,%lld] %s -> %s", stria_dtype_get_name(dtype), (long long)m,
             (long long)k, order_names[a_order], (long long)k, (long long)n, order_names[b_order],
             out ? order_names[out_order] : "new");
    if (a && b) check(a, b, out, label);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(out);
}

static const stria_gemm_kernel *get_kernel(stria_dtype dtype)
{
    const stria_gemm_kernels *gemm = stria_dispatch_get()->gemm;
    if (dtype == STRIA_F64) return &gemm->f64;
    if (dtype_is_float(dtype)) return &gemm->f32;
    return stria_dtype_get_size(dtype) < 8 ? &gemm->u32 : &gemm->u64;
}

/* Sizes around the borders of tiles; orders go round, so that each combination comes up often. */
static void check_sizes(void)
{
    unsigned turn = 0;
    for (int d = 0; d < N_DTYPES; d++) {
        const stria_gemm_kernel *kernel = get_kernel(dtypes[d]);
        const int64_t            mr = kernel->mr, nr = kernel->nr;
        const int64_t            rows[] = {0, 1, 2, 3, mr - 1, mr, mr + 1, 2 * mr + 1, 3 * mr + 5};
        const int64_t            columns[] = {0, 1, 2, 3, nr - 1, nr, nr + 1, 2 * nr + 1, 3 * nr + 5};
        const int64_t            depths[] = {0, 1, 2, 7, 16, 37};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
                for (size_t p = 0; p < sizeof depths / sizeof *depths; p++) {
                    turn += 7; /* coprime to the number of combinations */
                    check_size(dtypes[d], rows[i], columns[j], depths[p], (order)(turn % N_ORDERS),
                               (order)(turn / N_ORDERS % N_ORDERS), (order)(turn / N_ORDERS / N_ORDERS % N_ORDERS));
                }
    }
}

/* Every combination of orders, where operands are packed and where they are not. */
static void check_orders(void)
{
    static const stria_dtype some[] = {STRIA_F32, STRIA_F16, STRIA_I8};
    for (size_t d = 0; d < sizeof some / sizeof *some; d++)
        for (int a = 0; a < N_ORDERS; a++)
            for (int b = 0; b < N_ORDERS; b++)
                for (int out = 0; out < N_ORDERS; out++) {
                    check_size(some[d], 29, 35, 21, (order)a, (order)b, (order)out);
                    if (out == a) check_size(some[d], 101, 99, 103, (order)a, (order)b, (order)out);
                    check_size(some[d], 1, 131, 40, (order)a, (order)b, (order)out);
                    check_size(some[d], 131, 1, 40, (order)a, (order)b, (order)out);
                }
}

/* More than one block of everything: rows, columns, products, tiles. */
static void check_large(void)
{
    for (int d = 0; d < N_DTYPES; d++) {
        const stria_gemm_kernel *kernel = get_kernel(dtypes[d]);
        const order x = (order)(d % N_ORDERS), y = (order)((d + 1) % N_ORDERS), z = (order)((d + 2) % N_ORDERS);
        check_size(dtypes[d], kernel->mc + 5, 2 * kernel->nr + 3, kernel->kc + 3, x, y, z);
        check_size(dtypes[d], kernel->mc + 1, 35, 2 * kernel->kc + 1, y, x, COLUMNS);
        check_size(dtypes[d], 3, 2500, 9, x, z, ROWS);
        check_size(dtypes[d], 2500, 3, 9, x, z, ROWS);
        check_size(dtypes[d], 3, 5001, 3, x, ROWS, ROWS); /* b is read where it lies but for its last columns */
        check_size(dtypes[d], 3, 2 * kernel->nr + 1, 2 * kernel->kc + 1, x, ROWS, ROWS);
        check_size(dtypes[d], 520, 530, 5, z, y, STEPPED);
        check_size(dtypes[d], 530, 1, 1100, x, y, ROWS);
        check_size(dtypes[d], 1, 530, 1100, x, y, ROWS);
        check_size(dtypes[d], 1, 1, 5000, x, y, ROWS);
    }
}

/* ---------------------------------------------------------------- dims, batches, dtypes */

typedef struct batch_case {
    int     a_ndim, b_ndim, ndim;
    int64_t a[5], b[5], out[5];
} batch_case;

static const batch_case batch_cases[] = {
    {1, 1, 0, {7}, {7}, {0}},
    {1, 1, 0, {0}, {0}, {0}},
    {1, 2, 1, {7}, {7, 5}, {5}},
    {2, 1, 1, {5, 7}, {7}, {5}},
    {1, 3, 2, {7}, {4, 7, 5}, {4, 5}},
    {3, 1, 2, {4, 5, 7}, {7}, {4, 5}},
    {3, 3, 3, {4, 5, 7}, {4, 7, 6}, {4, 5, 6}},
    {3, 2, 3, {4, 5, 7}, {7, 6}, {4, 5, 6}},
    {2, 3, 3, {5, 7}, {4, 7, 6}, {4, 5, 6}},
    {4, 3, 4, {3, 1, 5, 7}, {4, 7, 6}, {3, 4, 5, 6}},
    {5, 4, 5, {2, 1, 3, 5, 7}, {4, 1, 7, 6}, {2, 4, 3, 5, 6}},
    {5, 5, 5, {2, 3, 1, 5, 7}, {2, 3, 2, 7, 6}, {2, 3, 2, 5, 6}},
    {3, 3, 3, {0, 5, 7}, {1, 7, 6}, {0, 5, 6}},
    {3, 3, 3, {4, 0, 7}, {4, 7, 6}, {4, 0, 6}},
    {3, 3, 3, {4, 5, 0}, {4, 0, 6}, {4, 5, 6}},
    {3, 3, 3, {9, 1, 40}, {9, 40, 33}, {9, 1, 33}},
    {3, 3, 3, {70, 1, 40}, {1, 40, 33}, {70, 1, 33}},
    {3, 3, 3, {9, 64, 64}, {9, 64, 64}, {9, 64, 64}},
    {3, 3, 3, {3, 90, 120}, {3, 120, 130}, {3, 90, 130}},
};

static void check_batches(void)
{
    static const stria_dtype some[] = {STRIA_F32, STRIA_BF16, STRIA_U64};
    for (size_t c = 0; c < sizeof batch_cases / sizeof *batch_cases; c++)
        for (size_t d = 0; d < sizeof some / sizeof *some; d++)
            for (int turn = 0; turn < N_ORDERS; turn++) {
                const batch_case *bc = &batch_cases[c];
                const order       x = (order)turn, y = (order)((turn * 2 + 1) % N_ORDERS);
                stria_tensor     *a = new_operand(some[d], x, bc->a_ndim, bc->a, is_integer(some[d]));
                stria_tensor     *b = new_operand(some[d], y, bc->b_ndim, bc->b, is_integer(some[d])), *out = NULL;
                char              label[120];
                snprintf(label, sizeof label, "batch case %zu, %s, %s x %s", c, stria_dtype_get_name(some[d]),
                         order_names[x], order_names[y]);
                CHECK_STATUS(stria_matmul(a, b, &out, NULL), STRIA_OK);
                CHECK(out && stria_tensor_get_ndim(out) == bc->ndim &&
                          memcmp(stria_tensor_get_shape(out), bc->out, (size_t)bc->ndim * sizeof(int64_t)) == 0 &&
                          stria_tensor_get_contiguous(out),
                      "%s: shape", label);
                if (out) check_product(a, b, out, some[d], label);
                if (bc->ndim > 0) {
                    stria_tensor *given = new_view(some[d], (order)(turn % REPEATED), bc->ndim, bc->out);
                    check(a, b, given, label);
                    stria_tensor_release(given);
                }
                stria_tensor_release(a);
                stria_tensor_release(b);
                stria_tensor_release(out);
            }
}

/* Batches whose strides are 0, or that lie in memory in another order of the dims. */
static void check_expanded(void)
{
    stria_tensor *one = new_operand(STRIA_F32, ROWS, 3, SHAPE(1, 12, 20), false), *many = NULL, *turned = NULL;
    stria_tensor *b = new_operand(STRIA_F32, ROWS, 4, SHAPE(20, 3, 6, 10), false);
    CHECK_STATUS(stria_expand(one, SHAPE(6, 3, 12, 20), 4, &many, NULL), STRIA_OK);
    CHECK_STATUS(stria_permute(b, (const int[]){2, 1, 0, 3}, 4, &turned, NULL), STRIA_OK);
    check(many, turned, NULL, "expanded x permuted");
    stria_tensor_release(one);
    stria_tensor_release(many);
    stria_tensor_release(b);
    stria_tensor_release(turned);
}

/* All pairs of dtypes, and out of every dtype that takes the result. */
static void check_dtypes(void)
{
    for (int x = 0; x < STRIA_C64; x++)
        for (int y = 0; y < STRIA_C64; y++) {
            const stria_dtype result = oracle_promote((stria_dtype)x, (stria_dtype)y);
            if (result == STRIA_BOOL) continue;
            for (int size = 0; size < 3; size++) {
                const int64_t m = size == 2 ? 1 : size ? 60 : 5, k = size ? 70 : 9, n = size ? 65 : 7;
                stria_tensor *a =
                    new_operand((stria_dtype)x, (order)((x + y) % N_ORDERS), 2, SHAPE(m, k), is_integer(result));
                stria_tensor *b =
                    new_operand((stria_dtype)y, (order)((x + 2 * y) % N_ORDERS), 2, SHAPE(k, n), is_integer(result));
                char label[80];
                snprintf(label, sizeof label, "%s x %s", stria_dtype_get_name((stria_dtype)x),
                         stria_dtype_get_name((stria_dtype)y));
                check(a, b, NULL, label);
                for (int z = 0; z < STRIA_DTYPE_COUNT; z++) {
                    if (size == 1 || !oracle_castable(result, (stria_dtype)z) || dtype_is_complex((stria_dtype)z))
                        continue;
                    stria_tensor *out = new_view((stria_dtype)z, (order)(z % REPEATED), 2, SHAPE(m, n));
                    snprintf(label, sizeof label, "%s x %s -> %s", stria_dtype_get_name((stria_dtype)x),
                             stria_dtype_get_name((stria_dtype)y), stria_dtype_get_name((stria_dtype)z));
                    check(a, b, out, label);
                    stria_tensor_release(out);
                }
                stria_tensor_release(a);
                stria_tensor_release(b);
            }
        }
}

/* ---------------------------------------------------------------- real numbers, NaN */

static void check_accuracy(stria_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    stria_tensor *a = new_view(dtype, ROWS, 2, SHAPE(m, k)), *b = new_view(dtype, COLUMNS, 2, SHAPE(k, n)), *y = NULL;
    const double  eps = dtype == STRIA_F64 ? DBL_EPSILON : FLT_EPSILON;
    const double  rounding = dtype == STRIA_F16 ? 0x1p-11 : dtype == STRIA_BF16 ? 0x1p-8 : 0;
    double        worst = 0;
    fill_real(a);
    fill_real(b);
    CHECK_STATUS(stria_matmul(a, b, &y, NULL), STRIA_OK);
    for (int64_t i = 0; y && i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            long double sum = 0, absolute = 0;
            for (int64_t p = 0; p < k; p++) {
                const long double product = (long double)value_get(dtype, tensor_at(a, SHAPE(i, p))).real *
                                            (long double)value_get(dtype, tensor_at(b, SHAPE(p, j))).real;
                sum += product;
                absolute += fabsl(product);
            }
            const double got = value_get(dtype, tensor_at(y, SHAPE(i, j))).real;
            const double bound = (double)k * eps * (double)absolute + rounding * fabs((double)sum) * 1.01;
            const double error = fabs(got - (double)sum);
            if (!(error <= bound) || error / bound > worst) worst = error <= bound ? error / bound : INFINITY;
        }
    CHECK(worst <= 1 && worst > 0, "%s [%lld,%lld,%lld]: error %g of the bound", stria_dtype_get_name(dtype),
          (long long)m, (long long)n, (long long)k, worst);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
}

/* A NaN and an infinity reach their row or column and nothing else, not even where tiles are filled up with zeros. */
static void check_special(int64_t m, int64_t n, int64_t k)
{
    stria_tensor *a = new_view(STRIA_F32, ROWS, 2, SHAPE(m, k)), *b = new_view(STRIA_F32, ROWS, 2, SHAPE(k, n)),
                 *y = NULL;
    int64_t n_wrong = 0;
    fill_real(a);
    fill_real(b);
    *(float *)(void *)tensor_at(a, SHAPE(m - 1, k / 2)) = NAN;
    *(float *)(void *)tensor_at(b, SHAPE(k - 1, n - 1)) = INFINITY;
    CHECK_STATUS(stria_matmul(a, b, &y, NULL), STRIA_OK);
    for (int64_t i = 0; y && i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const float got = *(float *)(void *)tensor_at(y, SHAPE(i, j));
            n_wrong += i == m - 1 ? !isnan(got) : j == n - 1 ? !isinf(got) : !isfinite(got);
        }
    CHECK(n_wrong == 0, "NaN and infinity in [%lld,%lld,%lld]: %lld wrong elements", (long long)m, (long long)n,
          (long long)k, (long long)n_wrong);
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(y);
}

/* ---------------------------------------------------------------- threads */

static void check_threads(stria_dtype dtype, int64_t batch, int64_t m, int64_t n, int64_t k, order kind)
{
    static const int counts[] = {1, 2, 7};
    stria_tensor    *a = new_view(dtype, kind, 3, SHAPE(batch, m, k));
    stria_tensor    *b = new_view(dtype, kind, 3, SHAPE(batch, k, n)), *y[3] = {NULL};
    fill_real(a);
    fill_real(b);
    for (int t = 0; t < 3; t++) {
        CHECK_STATUS(stria_threads_set(counts[t], NULL), STRIA_OK);
        CHECK_STATUS(stria_matmul(a, b, &y[t], NULL), STRIA_OK);
        CHECK(y[0] && y[t] &&
                  memcmp(stria_tensor_get_data(y[0]), stria_tensor_get_data(y[t]),
                         (size_t)(batch * m * n) * stria_dtype_get_size(dtype)) == 0,
              "%s %lldx [%lld,%lld,%lld] %s: %d threads give other bits", stria_dtype_get_name(dtype), (long long)batch,
              (long long)m, (long long)n, (long long)k, order_names[kind], counts[t]);
    }
    for (int t = 0; t < 3; t++) stria_tensor_release(y[t]);
    stria_tensor_release(a);
    stria_tensor_release(b);
    CHECK_STATUS(stria_threads_set(2, NULL), STRIA_OK);
}

static void check_all_threads(void)
{
    static const stria_dtype some[] = {STRIA_F32, STRIA_F64, STRIA_F16};
    for (size_t d = 0; d < sizeof some / sizeof *some; d++)
        for (int kind = ROWS; kind <= FLIPPED; kind++) {
            if (!check_has_values() && (int)d != kind % 3) continue; /* one dtype for each order */
            check_threads(some[d], 1, 201, 150, 401, (order)kind);
            check_threads(some[d], 5, 60, 61, 62, (order)kind);
            check_threads(some[d], 17, 33, 34, 35, (order)kind);
            check_threads(some[d], 1, 1, 1300, 700, (order)kind);
            check_threads(some[d], 1, 1300, 1, 700, (order)kind);
            check_threads(some[d], 1, 9, 1300, 300, (order)kind);
            check_threads(some[d], 1, 16, 64, 1000,
                          (order)kind); /* one tile of many products on one thread, several on more */
        }
}

/* ---------------------------------------------------------------- out=, refusals, meta */

static void check_shared(void)
{
    stria_tensor *a = new_operand(STRIA_F32, ROWS, 2, SHAPE(40, 40), false),
                 *b = new_operand(STRIA_F32, ROWS, 2, SHAPE(40, 40), false);
    stria_tensor *copy = NULL, *part = NULL, *wide = NULL;

    CHECK_STATUS(stria_tensor_copy(a, STRIA_F32, &copy, NULL), STRIA_OK);
    CHECK_STATUS(stria_matmul_out(a, b, a, NULL), STRIA_OK);
    check_product(copy, b, a, STRIA_F32, "out is a");
    stria_tensor_release(copy);
    CHECK_STATUS(stria_tensor_copy(b, STRIA_F32, &copy, NULL), STRIA_OK);
    fill(a, false);
    CHECK_STATUS(stria_slice(b, 0, 10, 40, 1, &part, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(a, 0, 0, 30, 1, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_matmul_out(wide, b, part, NULL), STRIA_OK);
    check_product(wide, copy, part, STRIA_F32, "out is a part of b");
    stria_tensor_release(copy);
    stria_tensor_release(part);
    stria_tensor_release(wide);
    stria_tensor_release(a);
    stria_tensor_release(b);
}

/* Products of real numbers into complex ones. */
static void check_complex_out(void)
{
    stria_tensor *a = new_operand(STRIA_F32, ROWS, 2, SHAPE(3, 4), false),
                 *b = new_operand(STRIA_F64, ROWS, 2, SHAPE(4, 5), false), *y = NULL, *out = NULL, *wanted = NULL;

    CHECK_STATUS(stria_matmul(a, b, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(y, STRIA_C64, &wanted, NULL), STRIA_OK);
    CHECK_STATUS(stria_zeros(SHAPE(3, 5), 2, STRIA_C64, STRIA_CPU, &out, NULL), STRIA_OK);
    CHECK_STATUS(stria_matmul_out(a, b, out, NULL), STRIA_OK);
    CHECK(memcmp(stria_tensor_get_data(out), stria_tensor_get_data(wanted), 15 * 8) == 0, "a complex out");
    stria_tensor_release(a), stria_tensor_release(b), stria_tensor_release(y);
    stria_tensor_release(out), stria_tensor_release(wanted);
}

static void check_resized(void)
{
    stria_tensor *a = new_operand(STRIA_I16, ROWS, 2, SHAPE(4, 5), false),
                 *b = new_operand(STRIA_I16, ROWS, 2, SHAPE(5, 6), false);
    stria_tensor *out = NULL, *view = NULL;
    CHECK_STATUS(
        stria_full(SHAPE(2), 1, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 7}, STRIA_I32, STRIA_CPU, &out, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_slice(out, 0, 0, 2, 1, &view, NULL), STRIA_OK);
    CHECK_STATUS(stria_matmul_out(a, b, out, NULL), STRIA_OK);
    CHECK(stria_tensor_get_ndim(out) == 2 && stria_tensor_get_numel(out) == 24, "out was not resized");
    check_product(a, b, out, STRIA_I16, "resized out");
    CHECK(((int32_t *)stria_tensor_get_data(view))[1] == 7, "the view of the old memory has changed");
    stria_tensor_release(out);
    stria_tensor_release(view);
    stria_tensor_release(a);
    stria_tensor_release(b);
}

static void refuse(const stria_tensor *a, const stria_tensor *b, stria_tensor *out, stria_status expected,
                   const char *text)
{
    stria_error        err = {0};
    stria_tensor      *y = NULL;
    const stria_status status = out ? stria_matmul_out(a, b, out, &err) : stria_matmul(a, b, &y, &err);
    CHECK(status == expected && err.code == expected && y == NULL, "%s instead of %s for '%s'",
          stria_status_get_name(status), stria_status_get_name(expected), text);
    CHECK(strcmp(err.op, "matmul") == 0 && strstr(err.message, text), "'%s' does not contain '%s'", err.message, text);
}

static stria_tensor *zeros(stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *x = NULL;
    CHECK_STATUS(stria_full(shape, ndim, (stria_scalar){.kind = STRIA_SCALAR_INT}, dtype, STRIA_CPU, &x, NULL),
                 STRIA_OK);
    return x;
}

static void check_refusals(void)
{
    stria_tensor *a = zeros(STRIA_F32, 2, SHAPE(2, 3)), *b = zeros(STRIA_F32, 2, SHAPE(4, 5)),
                 *c = zeros(STRIA_F32, 2, SHAPE(3, 4));
    stria_tensor *single = zeros(STRIA_F32, 0, NULL), *three = zeros(STRIA_F32, 3, SHAPE(3, 3, 4)),
                 *two = zeros(STRIA_F32, 3, SHAPE(2, 4, 4));
    stria_tensor *truth = zeros(STRIA_BOOL, 2, SHAPE(3, 3)), *complex_one = zeros(STRIA_C64, 2, SHAPE(3, 4)),
                 *row = zeros(STRIA_F32, 1, SHAPE(4));
    stria_tensor *whole = zeros(STRIA_I32, 2, SHAPE(2, 4)), *meta = NULL, *wide = NULL, *y = NULL;
    CHECK_STATUS(stria_empty(SHAPE(3, 4), 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(row, SHAPE(2, 4), 2, &wide, NULL), STRIA_OK);

    refuse(a, b, NULL, STRIA_ERR_SHAPE, "shapes [2,3] and [4,5] do not fit");
    refuse(a, row, NULL, STRIA_ERR_SHAPE, "the last axis of a must have the size of b");
    refuse(single, a, NULL, STRIA_ERR_SHAPE, "at least one dim");
    refuse(a, single, NULL, STRIA_ERR_SHAPE, "at least one dim");
    refuse(three, two, NULL, STRIA_ERR_SHAPE, "must broadcast");
    refuse(truth, truth, NULL, STRIA_ERR_DTYPE, "bool");
    refuse(c, complex_one, NULL, STRIA_ERR_SHAPE, "do not fit");
    refuse(a, meta, NULL, STRIA_ERR_DEVICE, "b is on meta but a is on cpu");
    refuse(a, c, meta, STRIA_ERR_DEVICE, "out is on meta");
    refuse(a, c, whole, STRIA_ERR_DTYPE, "does not cast");
    refuse(a, c, wide, STRIA_ERR_OVERLAP, "several elements at one address");
    refuse(NULL, c, NULL, STRIA_ERR_ARGUMENT, "a is NULL");
    refuse(a, NULL, NULL, STRIA_ERR_ARGUMENT, "b is NULL");
    CHECK_STATUS(stria_matmul(a, c, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_matmul_out(a, c, NULL, NULL), STRIA_ERR_ARGUMENT);
    CHECK_STATUS(stria_matmul(meta, meta, &y, NULL), STRIA_ERR_SHAPE);

    stria_tensor *left = NULL;
    CHECK_STATUS(stria_empty(SHAPE(7, 2, 3), 3, STRIA_I8, STRIA_META, &left, NULL), STRIA_OK);
    CHECK_STATUS(stria_matmul(left, meta, &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_device(y).type == STRIA_DEVICE_META && stria_tensor_get_dtype(y) == STRIA_F32 &&
              stria_tensor_get_ndim(y) == 3 && stria_tensor_get_numel(y) == 56,
          "the product of two tensors on meta");
    stria_tensor *const all[] = {a, b, c, single, three, two, truth, complex_one, row, whole, meta, wide, y, left};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
}

/* The functions for certain dims only: equal to matmul, or a refusal. */
static void check_named(void)
{
    static const struct {
        const char *name;
        int         a_ndim, b_ndim;
        stria_status (*run)(const stria_tensor *a, const stria_tensor *b, stria_tensor **out, stria_error *err);
        stria_status (*run_out)(const stria_tensor *a, const stria_tensor *b, stria_tensor *out, stria_error *err);
    } named[] = {
        {"mm", 2, 2, stria_mm, stria_mm_out},
        {"bmm", 3, 3, stria_bmm, stria_bmm_out},
        {"mv", 2, 1, stria_mv, stria_mv_out},
        {"dot", 1, 1, stria_dot, stria_dot_out},
    };
    const int64_t cube[] = {5, 5, 5};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        for (int x = 0; x <= 4; x++)
            for (int y = 0; y <= 4; y++) {
                const int64_t shape[] = {5, 5, 5, 5};
                stria_tensor *a = new_operand(STRIA_F32, ROWS, x, shape, false), *out = NULL;
                stria_tensor *b = new_operand(STRIA_F32, ROWS, y, shape, false),
                             *given = new_view(STRIA_F64, ROWS, 3, cube);
                stria_error err = {0};
                const bool  fits = x == named[k].a_ndim && y == named[k].b_ndim;
                CHECK_STATUS(named[k].run(a, b, &out, &err), fits ? STRIA_OK : STRIA_ERR_SHAPE);
                CHECK((out != NULL) == fits &&
                          (fits || (strcmp(err.op, named[k].name) == 0 && err.expected[0] && err.got[0])),
                      "%s of %d and %d dims", named[k].name, x, y);
                if (out) check_product(a, b, out, STRIA_F32, named[k].name);
                CHECK_STATUS(named[k].run_out(a, b, given, NULL), fits ? STRIA_OK : STRIA_ERR_SHAPE);
                if (fits) check_product(a, b, given, STRIA_F32, named[k].name);
                stria_tensor_release(a);
                stria_tensor_release(b);
                stria_tensor_release(out);
                stria_tensor_release(given);
            }
    stria_tensor *one = new_operand(STRIA_F32, ROWS, 3, SHAPE(1, 5, 5), false), *out = NULL;
    stria_tensor *five = new_operand(STRIA_F32, ROWS, 3, cube, false);
    CHECK_STATUS(stria_bmm(one, five, &out, NULL), STRIA_ERR_SHAPE);
    stria_tensor_release(one);
    stria_tensor_release(five);
}

SUITE(test_matmul)
{
    check_isa("test_matmul");
    if (check_has_values()) {
        check_sizes();
        check_orders();
        check_large();
    }
    check_batches();
    if (check_has_values()) {
        check_expanded();
        check_dtypes();
        check_accuracy(STRIA_F32, 19, 37, 1000);
        check_accuracy(STRIA_F64, 19, 37, 1000);
        check_accuracy(STRIA_F16, 19, 37, 100);
        check_accuracy(STRIA_BF16, 19, 37, 100);
        check_accuracy(STRIA_F32, 1, 37, 3000);
        check_accuracy(STRIA_F64, 50, 1, 3000);
        check_special(7, 9, 5);
        check_special(101, 103, 90);
        check_special(3, 1, 90);
    }
    check_all_threads();
    check_shared();
    check_resized();
    if (check_has_values()) {
        check_complex_out();
        check_refusals();
        check_named();
    }
    CHECK(stria_memory_get_stats().live_storages == 0, "storages are left");
    return check_finish("test_matmul");
}
