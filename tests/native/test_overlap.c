/* test_overlap.c - how two layouts lie to one another (overlap.h): against lists of addresses, on a great many small layouts
 * of any strides; and what ops make of it. */
#include "tensor/overlap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "call/meta.h"
#include "oracle.h"

#define MEMORY 4096
#define MAX_DIMS 4
#define MAX_NUMEL 1024

static random_state random_source;

static int64_t pick(int64_t n) { return (int64_t)(random_next(&random_source) % (uint64_t)n); }

/* ---------------------------------------------------------------- the decision, against lists of addresses */

typedef struct placed {
    stria_dtype   dtype;
    int           ndim;
    int64_t       start; /* bytes */
    int64_t       shape[MAX_DIMS], strides[MAX_DIMS];
    stria_tensor *tensor;
} placed;

static _Alignas(16) char memory[MEMORY];

static void add_tensor(placed *x)
{
    CHECK_STATUS(stria_tensor_new_external(x->dtype, x->ndim, x->shape, x->strides, memory + x->start, NULL, NULL,
                                           &x->tensor, NULL),
                 STRIA_OK);
}

static void random_layout(placed *x, stria_dtype dtype, int ndim, int64_t widest)
{
    x->dtype = dtype;
    x->ndim = ndim;
    x->start = MEMORY / 2 + pick(12) * (int64_t)stria_dtype_get_size(dtype);
    for (int d = 0; d < ndim; d++) {
        x->shape[d] = pick(8) == 0 ? 1 : 2 + pick(4);
        x->strides[d] = pick(2 * widest + 1) - widest;
    }
}

/* The address of the element at a position, in bytes. */
static int64_t get_address(const placed *x, const int64_t *index)
{
    int64_t at = x->start;
    for (int d = 0; d < x->ndim; d++) at += index[d] * x->strides[d] * (int64_t)stria_dtype_get_size(x->dtype);
    return at;
}

/* Those of all elements at the positions of a shape that x broadcasts to, row-major; their number. */
static int list_addresses(const placed *x, int ndim, const int64_t *shape, int64_t *list)
{
    int64_t index[MAX_DIMS] = {0}, own[MAX_DIMS] = {0};
    int     n = 0;

    do {
        for (int d = 0; d < x->ndim; d++) own[d] = x->shape[d] == 1 ? 0 : index[ndim - x->ndim + d];
        list[n++] = get_address(x, own);
    } while (index_next(ndim, shape, index));
    return n;
}

static bool broadcasts(const placed *in, const placed *out)
{
    for (int d = 0; d < in->ndim && in->ndim <= out->ndim; d++) {
        const int64_t size = out->shape[out->ndim - in->ndim + d];
        if (in->shape[d] != 1 && in->shape[d] != size) return false;
    }
    return in->ndim <= out->ndim;
}

static stria_overlap find_by_lists(const placed *out, const placed *in)
{
    static int64_t a[MAX_NUMEL], b[MAX_NUMEL];
    const int64_t a_size = (int64_t)stria_dtype_get_size(out->dtype), b_size = (int64_t)stria_dtype_get_size(in->dtype);
    const bool    fits = broadcasts(in, out);
    const int     n_a = list_addresses(out, out->ndim, out->shape, a);
    const int n_b = fits ? list_addresses(in, out->ndim, out->shape, b) : list_addresses(in, in->ndim, in->shape, b);
    bool      is_same = fits && out->dtype == in->dtype, is_aligned = false;

    for (int p = 0; p < n_a && is_same; p++) is_same = a[p] == b[p];
    if (is_same) return STRIA_OVERLAP_SAME;
    for (int p = 0; p < n_a; p++) {
        for (int q = 0; q < n_b; q++) {
            if (a[p] >= b[q] + b_size || b[q] >= a[p] + a_size) continue;
            if (!fits || p != q) return STRIA_OVERLAP_PARTIAL;
            is_aligned = true;
        }
    }
    return is_aligned ? STRIA_OVERLAP_ALIGNED : STRIA_OVERLAP_NONE;
}

static bool repeats_by_lists(const placed *x)
{
    static int64_t list[MAX_NUMEL];
    const int      n = list_addresses(x, x->ndim, x->shape, list);

    for (int p = 0; p < n; p++)
        for (int q = 0; q < p; q++)
            if (list[p] == list[q]) return true;
    return false;
}

static const char *describe(const placed *x)
{
    static char text[2][160];
    static int  turn;
    char        shape[64], strides[64];

    stria_shape_print(shape, sizeof shape, x->ndim, x->shape);
    stria_shape_print(strides, sizeof strides, x->ndim, x->strides);
    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "%s %s/%s at %lld", stria_dtype_get_name(x->dtype), shape, strides,
             (long long)(x->start - MEMORY / 2));
    return text[turn];
}

/* `in` is of any dims, or those of out with some left out or of size 1. */
static void random_pair(placed *out, placed *in)
{
    static const stria_dtype dtypes[] = {STRIA_U8, STRIA_I32, STRIA_F32, STRIA_C64};
    static const int64_t     widths[] = {1, 2, 4, 9, 30};
    const int64_t            widest = widths[pick(5)];
    const stria_dtype        dtype = dtypes[pick(4)];
    const int                ndim = (int)pick(MAX_DIMS + 1);

    random_layout(out, dtype, ndim, widest);
    random_layout(in, pick(4) == 0 ? dtypes[pick(4)] : dtype, pick(6) == 0 ? (int)pick(MAX_DIMS + 1) : ndim, widest);
    if (in->ndim != ndim || pick(8) == 0) return;
    const int skipped = ndim > 0 ? (int)pick(6) / 5 : 0;
    for (int d = 0; d < ndim; d++) {
        if (pick(6) > 0) in->shape[d] = out->shape[d];
        if (pick(3) > 0) in->strides[d] = out->strides[d];
    }
    if (pick(4) == 0) in->start = out->start / 8 * 8;
    in->ndim -= skipped;
    memmove(in->shape, in->shape + skipped, (size_t)in->ndim * sizeof *in->shape);
    memmove(in->strides, in->strides + skipped, (size_t)in->ndim * sizeof *in->strides);
}

static void test_pairs(int64_t count)
{
    static const char *const words[] = {"none", "same", "aligned", "partial", "unknown"};
    int64_t                  found[5] = {0};

    for (int64_t k = 0; k < count; k++) {
        placed out, in;
        random_pair(&out, &in);
        add_tensor(&out);
        add_tensor(&in);
        const stria_overlap expected = find_by_lists(&out, &in), got = stria_overlap_find(out.tensor, in.tensor);
        CHECK(got == expected, "pair %lld is %s, not %s: %s, %s", (long long)k, words[expected], words[got],
              describe(&out), describe(&in));
        found[got]++;
        stria_tensor_release(out.tensor);
        stria_tensor_release(in.tensor);
    }
    printf("  %lld pairs:", (long long)count);
    for (int k = 0; k < 5; k++) printf(" %lld %s%s", (long long)found[k], words[k], k < 4 ? "," : "\n");
    for (int k = 0; k < 4; k++) CHECK(found[k] > count / 100, "only %lld pairs are %s", (long long)found[k], words[k]);
}

static void test_repeats(int64_t count)
{
    int64_t repeated = 0;

    for (int64_t k = 0; k < count; k++) {
        placed x;
        random_layout(&x, STRIA_U8, (int)pick(MAX_DIMS + 1), 1 + pick(40));
        add_tensor(&x);
        const stria_overlap expected = repeats_by_lists(&x) ? STRIA_OVERLAP_PARTIAL : STRIA_OVERLAP_NONE;
        const stria_overlap got = stria_overlap_find_itself(x.tensor);
        CHECK(got == expected, "layout %lld: %d, not %d: %s", (long long)k, (int)expected, (int)got, describe(&x));
        repeated += got == STRIA_OVERLAP_PARTIAL;
        stria_tensor_release(x.tensor);
    }
    printf("  %lld layouts, %lld with several elements at one address\n", (long long)count, (long long)repeated);
    CHECK(repeated > count / 10 && repeated < count - count / 10, "%lld layouts repeat", (long long)repeated);
}

/* ---------------------------------------------------------------- what ops make of it */

#define COLUMNS 400

static void release_all(stria_tensor *const *x, int n)
{
    for (int k = 0; k < n; k++) stria_tensor_release(x[k]);
}

static stria_tensor *new_counting(int64_t rows, int64_t columns)
{
    const int64_t shape[2] = {rows, columns};
    stria_tensor *x = NULL;
    float        *data;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 2, shape, &x, NULL), STRIA_OK);
    data = stria_tensor_get_data(x);
    for (int64_t i = 0; i < rows * columns; i++) data[i] = (float)(i + 1);
    return x;
}

static stria_tensor *slice(stria_tensor *x, int axis, int64_t start, int64_t stop, int64_t step)
{
    stria_tensor *view = NULL;
    CHECK_STATUS(stria_slice(x, axis, start, stop, step, &view, NULL), STRIA_OK);
    return view;
}

/* Refused with the op's name, out as it was; the same with a copy of the input gives the same as apart. */
static void check_refused(const char *what, stria_tensor *base, stria_op op, stria_tensor *out, const stria_tensor *a,
                          const stria_tensor *b)
{
    const stria_tensor *in[2] = {a, b};
    const int           n_in = b != NULL ? 2 : 1;
    const size_t        nbytes = stria_tensor_get_storage_nbytes(base);
    char               *before = malloc(nbytes);
    stria_error         err = {0};

    if (before == NULL) exit(2);
    memcpy(before, stria_tensor_get_data(base), nbytes);
    CHECK_STATUS(stria_apply_out(op, in, n_in, out, &err), STRIA_ERR_OVERLAP);
    CHECK(strcmp(err.op, stria_op_infos[op].name) == 0 && strcmp(err.argument, "out") == 0 &&
              strcmp(err.expected, "all or none of an input's memory") == 0 && strcmp(err.got, "a part") == 0 &&
              strstr(err.message, "share part of their memory; copy the input first") != NULL,
          "%s: %s, %s, %s, %s: %s", what, err.op, err.argument, err.expected, err.got, err.message);
    CHECK(memcmp(before, stria_tensor_get_data(base), nbytes) == 0, "%s: a refused call wrote", what);
    free(before);
}

/* v.sub_(v.select(0, 0)), of rows with a gap between them, around the sizes of blocks. */
static void test_row_of_itself(void)
{
    static const int64_t columns[] = {1, 2, 63, 64, 65, 128, 256, 399, COLUMNS};

    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        stria_tensor *base = new_counting(2, COLUMNS), *v = slice(base, 1, 0, columns[k], 1), *row = NULL;
        CHECK_STATUS(stria_select(v, 0, 0, &row, NULL), STRIA_OK);
        check_refused("a row", base, STRIA_OP_sub, v, v, row);
        release_all((stria_tensor *[]){base, v, row}, 3);
    }
}

/* a.add_(a.diagonal(0, 0, 2)) */
static void test_diagonal_of_itself(void)
{
    const int64_t shape[3] = {8, 3, 8};
    stria_tensor *base = new_counting(8, 24), *a = NULL, *diagonal = NULL;

    CHECK_STATUS(stria_view(base, shape, 3, &a, NULL), STRIA_OK);
    CHECK_STATUS(stria_diagonal(a, 0, 0, 2, &diagonal, NULL), STRIA_OK);
    check_refused("a diagonal", base, STRIA_OP_add, a, a, diagonal);
    release_all((stria_tensor *[]){base, a, diagonal}, 3);
}

/* neg(x[1:1+2n:2], out = x[3:3+2n:2]); by an odd number of places they share nothing. */
static void test_every_other(void)
{
    static const int64_t counts[] = {2, 64, 1000, 40000, 150000};

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const int64_t n = counts[k];
        stria_tensor *base = new_counting(1, 2 * n + 10), *x = NULL, *in, *out, *apart;
        CHECK_STATUS(stria_select(base, 0, 0, &x, NULL), STRIA_OK);
        in = slice(x, 0, 1, 1 + 2 * n, 2);
        out = slice(x, 0, 3, 3 + 2 * n, 2);
        apart = slice(x, 0, 4, 4 + 2 * n, 2);
        check_refused("every other element", base, STRIA_OP_neg, out, in, NULL);
        CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){in}, 1, apart, NULL), STRIA_OK);
        for (int64_t i = 0, wrong = 0; i < n; i++) {
            const float *data = stria_tensor_get_data(x);
            wrong += data[4 + 2 * i] != -(float)(2 * i + 2) || data[1 + 2 * i] != (float)(2 * i + 2);
            if (i == n - 1) CHECK(wrong == 0, "%lld of %lld elements are wrong", (long long)wrong, (long long)n);
        }
        release_all((stria_tensor *[]){base, x, in, out, apart}, 5);
    }
}

/* However many elements: x[:n] = x[k:k + 3n:3], where only some of the first third are written over. */
static void test_long(void)
{
    const int64_t n = 300000;
    stria_tensor *base = new_counting(1, 4 * n), *x = NULL, *out, *in;

    CHECK_STATUS(stria_select(base, 0, 0, &x, NULL), STRIA_OK);
    out = slice(x, 0, 0, n, 1);
    for (int64_t k = 0; k <= n; k += n / 4) {
        in = slice(x, 0, k, k + 3 * n, 3);
        const stria_overlap expected = k == n ? STRIA_OVERLAP_NONE : STRIA_OVERLAP_PARTIAL;
        CHECK(stria_overlap_find(out, in) == expected && stria_overlap_find(in, out) == expected, "from %lld",
              (long long)k);
        stria_tensor_release(in);
    }
    release_all((stria_tensor *[]){base, x, out}, 3);
}

/* Memory that was handed in twice is as much shared as a storage. */
static void test_external(void)
{
    static float  data[100];
    const int64_t shape[1] = {60}, stride[1] = {1};
    stria_tensor *x = NULL, *y = NULL, *z = NULL;

    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, shape, stride, data, NULL, NULL, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, shape, stride, data + 10, NULL, NULL, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, (int64_t[]){40}, stride, data + 60, NULL, NULL, &z, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){x}, 1, y, NULL), STRIA_ERR_OVERLAP);
    CHECK(stria_tensor_get_aliased(x, y) && !stria_tensor_get_aliased(x, z), "aliased");
    release_all((stria_tensor *[]){x, y, z}, 3);

    /* so is external memory over that of a tensor of the library */
    stria_tensor *own = new_counting(1, 60);
    float        *at = stria_tensor_get_data(own);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, (int64_t[]){50}, stride, at + 10, NULL, NULL, &y, NULL),
                 STRIA_OK);
    x = slice(own, 1, 0, 50, 1);
    CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){y}, 1, x, NULL), STRIA_ERR_OVERLAP);
    release_all((stria_tensor *[]){own, x, y}, 3);
}

/* A dim of size 1 may have any stride: it is never multiplied. (UBSan watches.) */
static void test_strides_of_one(void)
{
    static float  data[4];
    const int64_t shape[2] = {1, 2}, strides[2] = {INT64_MIN, 1}, huge[2] = {(int64_t)1 << 61, 1};
    stria_tensor *x = NULL, *y = NULL, *bytes = NULL;

    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 2, shape, strides, data, NULL, NULL, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 2, shape, huge, data + 1, NULL, NULL, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_external(STRIA_U8, 2, shape, strides, data, NULL, NULL, &bytes, NULL), STRIA_OK);
    CHECK(stria_overlap_find_itself(x) == STRIA_OVERLAP_NONE, "two elements side by side");
    CHECK(stria_overlap_find(x, y) == STRIA_OVERLAP_PARTIAL && stria_overlap_find(y, x) == STRIA_OVERLAP_PARTIAL,
          "one element further");
    CHECK(stria_overlap_find(y, bytes) == STRIA_OVERLAP_NONE && stria_overlap_find(x, bytes) == STRIA_OVERLAP_PARTIAL,
          "of two sizes");
    release_all((stria_tensor *[]){x, y, bytes}, 3);
}

/* Strides without any order, of which no two sums are equal: more to search than anybody waits for. */
static void test_undecided_out(void)
{
    enum { DIMS = 24 };
    int64_t       shape[DIMS], strides[DIMS];
    stria_tensor *base = NULL, *x = NULL;
    stria_error   err = {0};

    for (int d = 0; d < DIMS; d++) {
        shape[d] = 2;
        strides[d] = (int64_t)(random_next(&random_source) >> 20);
    }
    CHECK_STATUS(stria_empty((int64_t[]){(int64_t)1 << 50}, 1, STRIA_U8, STRIA_META, &base, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_view(base, DIMS, shape, strides, 0, &x, NULL), STRIA_OK);
    if (x == NULL) exit(2);
    CHECK(stria_overlap_find_itself(x) == STRIA_OVERLAP_UNKNOWN, "decided");
    CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){x}, 1, x, &err), STRIA_ERR_OVERLAP);
    CHECK(strstr(err.message, "may have several elements at one address; copy it first") != NULL, "%s", err.message);
    release_all((stria_tensor *[]){base, x}, 2);
}

#if UINTPTR_MAX > UINT32_MAX
/* Address of element number i of a layout of sizes 2. */
static int64_t place_of(int ndim, const int64_t *strides, int64_t start, int i)
{
    for (int d = 0; d < ndim; d++) start += (i >> (ndim - 1 - d) & 1) * strides[d];
    return start;
}

/* An input of which nobody knows whether it meets the output is copied first. */
static void test_undecided_input(void)
{
    enum { DIMS = 14, COUNT = 1 << DIMS };
    const size_t   nbytes = (size_t)1 << 30;
    unsigned char *memory = calloc(nbytes, 1); /* few pages of it are touched */
    int64_t        shape[DIMS], strides[2][DIMS], n_wrong = 0;
    stria_tensor  *out = NULL, *in = NULL;

    if (memory == NULL) {
        printf("test_overlap: skipped: no memory for layouts that cannot be decided\n");
        return;
    }
    for (int d = 0; d < DIMS; d++) { /* the output's steps nest, the input's are in no order */
        shape[d] = 2;
        strides[0][d] = ((int64_t)16384 << d) + (int64_t)(random_next(&random_source) % 1000) + 1;
        strides[1][d] = (int64_t)(random_next(&random_source) % (nbytes / DIMS - 1)) + 1;
    }
    CHECK_STATUS(stria_tensor_new_external(STRIA_U8, DIMS, shape, strides[0], memory, NULL, NULL, &out, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_tensor_new_external(STRIA_U8, DIMS, shape, strides[1], memory + 1, NULL, NULL, &in, NULL),
                 STRIA_OK);
    if (out == NULL || in == NULL) exit(2);
    CHECK(stria_overlap_find(out, in) == STRIA_OVERLAP_UNKNOWN, "decided");
    stria_tensor *half = NULL; /* one dim less: no position of the input is one of it, so any byte counts */
    CHECK_STATUS(stria_select(out, 0, 1, &half, NULL), STRIA_OK);
    CHECK(stria_overlap_find(half, in) == STRIA_OVERLAP_UNKNOWN, "decided");
    stria_tensor_release(half);
    unsigned char *wanted = malloc(COUNT);
    if (wanted == NULL) exit(2);
    for (int i = 0; i < COUNT; i++) memory[place_of(DIMS, strides[1], 1, i)] = (unsigned char)(i % 251);
    for (int i = 0; i < COUNT; i++) wanted[i] = (unsigned char)-memory[place_of(DIMS, strides[1], 1, i)];
    CHECK_STATUS(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){in}, 1, out, NULL), STRIA_OK);
    for (int i = 0; i < COUNT; i++) n_wrong += memory[place_of(DIMS, strides[0], 0, i)] != wanted[i];
    CHECK(n_wrong == 0, "%lld wrong elements", (long long)n_wrong);
    release_all((stria_tensor *[]){out, in}, 2);
    free(wanted);
    free(memory);
}
#endif

/* A layout with several elements at one address, none of its strides 0, is no output. */
static void test_windows(void)
{
    const int64_t shape[2] = {3, 2}, strides[2] = {1, 1};
    stria_tensor *base = new_counting(1, 8), *windows = NULL, *result = NULL, *whole = new_counting(3, 2);
    stria_error   err = {0};

    CHECK_STATUS(stria_tensor_view(base, 2, shape, strides, 0, &windows, NULL), STRIA_OK);
    const stria_tensor *in[2] = {whole, windows};
    CHECK_STATUS(stria_apply(STRIA_OP_add, in, 2, &result, NULL), STRIA_OK);
    CHECK_STATUS(stria_apply_out(STRIA_OP_neg, in, 1, windows, &err), STRIA_ERR_OVERLAP);
    CHECK(strcmp(err.op, "neg") == 0 && strcmp(err.argument, "out") == 0 && strcmp(err.got, "[1,1]") == 0 &&
              strstr(err.message, "shape [3,2] and strides [1,1], has several elements at one address") != NULL,
          "%s: %s: %s", err.op, err.argument, err.message);
    CHECK_STATUS(stria_tensor_set(windows, whole, &err), STRIA_ERR_OVERLAP);
    CHECK_STATUS(stria_cumsum_out(whole, 0, STRIA_DTYPE_NONE, windows, &err), STRIA_ERR_OVERLAP);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, result, NULL, 0, false, STRIA_DTYPE_NONE, windows, &err), STRIA_OK);
    release_all((stria_tensor *[]){base, windows, result, whole}, 4);
}

SUITE(test_overlap)
{
    random_source.state = 1;
    if (check_has_values()) {
        test_pairs(300000);
        test_repeats(100000);
    }
    CHECK_STATUS(stria_threads_set(3, NULL), STRIA_OK);
    test_row_of_itself();
    test_diagonal_of_itself();
    test_every_other();
    test_long();
    test_external();
    test_strides_of_one();
    test_windows();
    test_undecided_out();
#if UINTPTR_MAX > UINT32_MAX
    test_undecided_input();
#endif
    CHECK(stria_memory_get_stats().live_tensors == 0, "tensors left");
    return check_finish("test_overlap");
}
