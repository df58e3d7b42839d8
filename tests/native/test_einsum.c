/* test_einsum.c - einsum on random equations against nested loops over all letters: dtypes, layouts, diagonals, `...`, sizes 1 and 0, up to
 * 4 operands; the order of the products; refusals with their positions. */
#include <string.h>

#include "base/alloc.h"
#include "call/call.h"
#include "oracle.h"

#define LETTERS 5
#define OPENS 2
#define LABELS (LETTERS + OPENS)
#define MOST_PARTS 4

static random_state numbers = {61};

static int pick(int n) { return (int)(random_next(&numbers) % (uint64_t)n); }

#define REFUSED(call, status, at, text)                                                                    \
    do {                                                                                                   \
        stria_error err = {0};                                                                             \
        CHECK_STATUS(call, status);                                                                        \
        CHECK(strcmp(err.op, "einsum") == 0 && strcmp(err.argument, at) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                        \
    } while (0)

/* ---------------------------------------------------------------- random equations */

/* label[k][d]: of axis d of operand k; letters first, then the axes of `...`. */
typedef struct example {
    char          text[96];
    int           n, ndim[MOST_PARTS], label[MOST_PARTS][8];
    int64_t       size[LABELS];
    int           out[LABELS], n_out;
    stria_tensor *x[MOST_PARTS];
} example;

static const char letters[] = "kBzaM"; /* the labels in alphabetical order are 1 4 3 0 2 */
static const int  alphabetical[LETTERS] = {1, 4, 3, 0, 2};

/* Of small whole numbers without 0, in some order of axes, some of them backwards. */
static stria_tensor *new_part(stria_dtype dtype, int ndim, const int64_t *shape)
{
    int           order[8], back[8];
    int64_t       turned[8] = {0}, index[8] = {0};
    stria_tensor *base = NULL, *x = NULL, *y = NULL;
    const bool    is_signed = stria_dtype_get_category(dtype) != STRIA_CATEGORY_U;

    for (int d = 0; d < ndim; d++) order[d] = d;
    for (int d = ndim - 1; d > 0; d--) {
        const int other = pick(d + 1), kept = order[d];
        order[d] = order[other];
        order[other] = kept;
    }
    for (int d = 0; d < ndim; d++) {
        turned[d] = shape[order[d]];
        back[order[d]] = d;
    }
    CHECK_STATUS(stria_tensor_new(dtype, ndim, turned, &base, NULL), STRIA_OK);
    CHECK_STATUS(stria_permute(base, back, ndim, &x, NULL), STRIA_OK);
    stria_tensor_release(base);
    if (ndim > 0 && pick(3) == 0) {
        const int axis = pick(ndim);
        CHECK_STATUS(stria_flip(x, &axis, 1, &y, NULL), STRIA_OK);
        stria_tensor_release(x);
        x = y;
    }
    if (stria_tensor_get_numel(x) == 0) return x;
    do {
        const int value = 1 + pick(3);
        value_set(dtype, value_from_whole(is_signed && pick(2) ? -value : value), tensor_at(x, index));
    } while (index_next(ndim, shape, index));
    return x;
}

/* A term, and sizes: 1 in place of the size of a letter that stands there once. */
static void add_term(example *e, int k, int n_open, int64_t *shape)
{
    const int n_letters = pick(4), at_open = n_open < 0 ? -1 : pick(n_letters + 1);
    int       n = 0;

    for (int i = 0; i <= n_letters; i++) {
        if (i == at_open) {
            strcat(e->text, "...");
            for (int j = 0; j < n_open; j++) e->label[k][n++] = LETTERS + OPENS - n_open + j;
        }
        if (i == n_letters) break;
        e->label[k][n] = pick(LETTERS);
        strncat(e->text, &letters[e->label[k][n++]], 1);
        if (pick(9) == 0) strcat(e->text, " ");
    }
    e->ndim[k] = n;
    for (int d = 0; d < n; d++) {
        bool is_alone = true;
        for (int i = 0; i < n; i++) is_alone &= i == d || e->label[k][i] != e->label[k][d];
        shape[d] = is_alone && pick(5) == 0 ? 1 : e->size[e->label[k][d]];
    }
}

static void add_out(example *e, int label)
{
    for (int k = 0; k < e->n_out; k++)
        if (e->out[k] == label) return;
    e->out[e->n_out++] = label;
}

/* Labels of the result: those that must be there, or some that may. */
static void add_result(example *e, int widest)
{
    int count[LABELS] = {0};

    for (int k = 0; k < e->n; k++)
        for (int d = 0; d < e->ndim[k]; d++) count[e->label[k][d]]++;
    if (pick(2) == 0) { /* implicit */
        for (int j = 0; j < widest; j++) add_out(e, LETTERS + OPENS - widest + j);
        for (int k = 0; k < LETTERS; k++)
            if (count[alphabetical[k]] == 1) add_out(e, alphabetical[k]);
        return;
    }
    strcat(e->text, "->");
    const int n = pick(4), at_open = widest >= 0 && pick(4) ? pick(n + 1) : -1;
    for (int i = 0; i <= n; i++) {
        if (i == at_open) {
            strcat(e->text, "...");
            for (int j = 0; j < widest; j++) add_out(e, LETTERS + OPENS - widest + j);
        }
        const int letter = pick(LETTERS), before = e->n_out;
        if (i < n && count[letter] > 0) add_out(e, letter);
        if (e->n_out > before) strncat(e->text, &letters[letter], 1);
    }
}

static stria_dtype make_example(example *e)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_I32, STRIA_I64,
                                         STRIA_I8,  STRIA_F16, STRIA_U8,  STRIA_BF16};
    const bool               is_mixed = pick(2);
    stria_dtype              one = dtypes[pick(8)], result = one;
    int64_t                  shape[MOST_PARTS][8];
    int                      widest = -1;
    bool                     has_single = false;

    memset(e, 0, sizeof *e);
    e->n = 1 + pick(MOST_PARTS);
    for (int k = 0; k < LABELS; k++) e->size[k] = pick(25) ? 1 + pick(3) : 0;
    for (int k = 0; k < e->n; k++) {
        const int n_open = pick(3) ? -1 : pick(OPENS + 1);
        if (k > 0) strcat(e->text, ",");
        add_term(e, k, n_open, shape[k]);
        if (n_open > widest) widest = n_open;
        has_single |= e->ndim[k] == 0;
    }
    add_result(e, widest);
    for (int k = 0; k < e->n; k++) {
        if (is_mixed && !has_single) one = dtypes[pick(8)];
        e->x[k] = new_part(one, e->ndim[k], shape[k]);
        result = k == 0 ? one : oracle_promote(result, one);
    }
    /* a label that only axes of size 1 have has that size */
    for (int label = 0; label < LABELS; label++) {
        int64_t size = 1;
        for (int k = 0; k < e->n; k++)
            for (int d = 0; d < e->ndim[k]; d++)
                if (e->label[k][d] == label && shape[k][d] != 1) size = shape[k][d];
        e->size[label] = size;
    }
    return result;
}

/* Adds the product at one index of all labels to the sums. */
static void add_product(const example *e, const int64_t *index, double *real, int64_t *whole)
{
    double  product = 1;
    int64_t exact = 1;

    for (int k = 0; k < e->n; k++) {
        int64_t at[8];
        for (int d = 0; d < e->ndim[k]; d++)
            at[d] = stria_tensor_get_shape(e->x[k])[d] == 1 ? 0 : index[e->label[k][d]];
        const value v = value_get(stria_tensor_get_dtype(e->x[k]), tensor_at(e->x[k], at));
        product *= v.is_float ? v.real : (double)v.whole;
        exact *= v.is_float ? (int64_t)v.real : (int64_t)v.whole;
    }
    *real += product;
    *whole += exact;
}

static void check_elements(const example *e, stria_dtype dtype, const stria_tensor *y)
{
    int64_t index[LABELS] = {0}, at[LABELS], shape[LABELS];
    double  reals[4096] = {0};
    int64_t wholes[4096] = {0}, numel = 1;
    char    expected[16], got[16], text[48];
    bool    is_empty = false;

    for (int k = 0; k < e->n_out; k++) {
        shape[k] = e->size[e->out[k]];
        numel *= shape[k];
    }
    for (int k = 0; k < LABELS; k++) is_empty |= e->size[k] == 0;
    if (!is_empty) do {
            int64_t place = 0;
            for (int k = 0; k < e->n_out; k++) place = place * shape[k] + index[e->out[k]];
            add_product(e, index, &reals[place], &wholes[place]);
        } while (index_next(LABELS, e->size, index));
    memset(at, 0, sizeof at);
    for (int64_t place = 0; place < numel; place++) {
        value_set(dtype, dtype_is_float(dtype) ? value_from_real(reals[place]) : value_from_whole(wholes[place]),
                  expected);
        value v = value_get(dtype, tensor_at(y, at));
        if (v.is_float && v.real == 0) v.real = 0; /* a sum of 0 may have been multiplied by something negative */
        value_set(dtype, v, got);
        CHECK(value_same(dtype, expected, got), "%s: %s at %lld, not %g", e->text,
              value_print(dtype, got, text, sizeof text), (long long)place, reals[place]);
        index_next(e->n_out, shape, at);
    }
}

static void test_random(void)
{
    for (int round = 0; round < 3000; round++) {
        example           e;
        const stria_dtype dtype = make_example(&e);
        stria_tensor     *y = NULL;
        stria_error       err = {0};
        bool              fits;
        CHECK(stria_einsum((const stria_tensor *const *)e.x, e.n, e.text, &y, &err) == STRIA_OK, "%s: %s", e.text,
              err.message);
        fits = y != NULL && stria_tensor_get_ndim(y) == e.n_out && stria_tensor_get_dtype(y) == dtype;
        for (int k = 0; fits && k < e.n_out; k++) fits = stria_tensor_get_shape(y)[k] == e.size[e.out[k]];
        CHECK(fits, "%s: dtype or shape", e.text);
        if (fits) check_elements(&e, dtype, y);
        stria_tensor_release(y);
        for (int k = 0; k < e.n; k++) stria_tensor_release(e.x[k]);
    }
}

/* ---------------------------------------------------------------- the order of products */

static double products;
static int    n_products;

static stria_status count_products(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    (void)context;
    (void)err;
    *is_taken = false;
    if (call->row != STRIA_ROW_OF_FUNCTION(STRIA_FN_matmul)) return STRIA_OK;
    const stria_tensor *a = call->in[0], *b = call->in[1];
    products += (double)stria_tensor_get_numel(a) * (double)stria_tensor_get_shape(b)[stria_tensor_get_ndim(b) - 1];
    n_products++;
    return STRIA_OK;
}

/* A chain of matrices of the given sizes, of which (in the best order) so many products are needed. */
static void check_chain(const char *text, const int64_t *sizes, int n, double expected)
{
    stria_tensor *x[16], *y = NULL;

    for (int k = 0; k < n; k++) x[k] = new_part(STRIA_F32, 2, sizes + k);
    products = n_products = 0;
    stria_call_set_recorder(count_products, NULL);
    CHECK_STATUS(stria_einsum((const stria_tensor *const *)x, n, text, &y, NULL), STRIA_OK);
    stria_call_set_recorder(NULL, NULL);
    CHECK(products == expected && n_products == n - 1, "%s: %g multiplications in %d products, not %g", text, products,
          n_products, expected);
    stria_tensor_release(y);
    for (int k = 0; k < n; k++) stria_tensor_release(x[k]);
}

static void test_order(void)
{
    static const int64_t left[] = {2, 50, 40, 30}, right[] = {30, 40, 50, 2},
                         textbook[] = {30, 35, 15, 5, 10, 20, 25}, /* Cormen et al.: 15125 */
        narrow[] = {2, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20};

    check_chain("ij,jk,kl", left, 3, 2 * 50 * 40 + 2 * 40 * 30);
    check_chain("ij,jk,kl->li", right, 3, 2 * 50 * 40 + 2 * 40 * 30);
    check_chain("ab,bc,cd,de,ef,fg", textbook, 6, 15125);
    check_chain("ab,bc,cd,de,ef,fg,gh,hi,ij,jk", narrow, 10, 9 * 2 * 20 * 20);
}

/* ---------------------------------------------------------------- results and memory */

static void test_results(void)
{
    static const int64_t shape[] = {3, 3}, none[] = {0};
    stria_tensor        *x = new_part(STRIA_F32, 2, shape), *y = NULL, *out = NULL;
    stria_tensor        *list[300];
    char                 text[620] = "";

    /* a view of an operand is copied */
    CHECK_STATUS(stria_einsum((const stria_tensor *const *)&x, 1, "ii->i", &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_storage_nbytes(y) != stria_tensor_get_storage_nbytes(x), "a view");
    stria_tensor_release(y);
    /* into a given tensor, which may be an operand */
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, none, &out, NULL), STRIA_OK);
    const stria_tensor *const two[] = {x, x};
    CHECK_STATUS(stria_einsum(two, 2, "ij,jk", &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_einsum_out(two, 2, "ij,jk", out, NULL), STRIA_OK);
    CHECK_STATUS(stria_einsum_out(two, 2, "ij,jk", x, NULL), STRIA_OK);
    for (int64_t i[2] = {0, 0}; i[0] < 3; i[0]++) {
        const float  a = *(float *)(void *)tensor_at(y, i), b = *(float *)(void *)tensor_at(x, i);
        const double c = *(double *)(void *)tensor_at(out, i);
        CHECK(a == b && (double)a == c, "out: %g %g %g", (double)a, (double)b, c);
    }
    stria_tensor_release(y);
    stria_tensor_release(out);
    stria_tensor_release(x);
    /* many operands */
    for (int k = 0; k < 300; k++) {
        list[k] = new_part(STRIA_F32, 1, (int64_t[]){1 + (k & 1)});
        *(float *)(void *)tensor_at(list[k], (int64_t[]){0}) = 1;
        *(float *)(void *)tensor_at(list[k], (int64_t[]){k & 1}) = k < 3 ? 2 : 1;
        strcat(text, k == 0 ? "i" : ",i");
    }
    CHECK_STATUS(stria_einsum((const stria_tensor *const *)list, 300, text, &y, NULL), STRIA_OK);
    CHECK(y && *(float *)(void *)tensor_at(y, (int64_t[]){0}) == 4 + 8, "many operands");
    stria_tensor_release(y);
    for (int k = 0; k < 300; k++) stria_tensor_release(list[k]);
}

/* The n-th allocation fails, for every n: nothing is left over. */
static void test_memory(void)
{
    static const int64_t      shape[] = {4, 5, 4}, other[] = {5, 6};
    stria_tensor             *a = new_part(STRIA_F16, 3, shape), *b = new_part(STRIA_F32, 2, other), *y = NULL;
    const stria_tensor *const list[] = {a, b, b};
    const int64_t             before = stria_memory_get_stats().live_tensors;
    stria_status              status = STRIA_ERR_MEMORY;

    for (int64_t n = 1; status == STRIA_ERR_MEMORY && n < 1000; n++) {
        stria_alloc_set_failure(n);
        status = stria_einsum(list, 3, "iji,jk,jl->kl", &y, NULL);
        stria_alloc_set_failure(0);
        CHECK(status == STRIA_OK || y == NULL, "a result of a failure");
        CHECK(status != STRIA_OK || n > 5, "nothing was allocated");
        stria_tensor_release(y);
        CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over after failure %lld",
              (long long)n);
    }
    CHECK_STATUS(status, STRIA_OK);
    stria_tensor_release(a);
    stria_tensor_release(b);
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void)
{
    static const int64_t shape[] = {2, 3}, wide[] = {2, 4}, many[33] = {0};
    stria_tensor        *a = new_part(STRIA_F32, 2, shape), *b = new_part(STRIA_F32, 2, wide), *y = NULL, *mask = NULL,
                 *complex_ = NULL, *meta = NULL, *deep = NULL;
    const stria_tensor *const list[] = {a, b};
    static const struct {
        const char *text, *at, *message;
    } wrong[] = {
        {"ij", "equation", "terms for 1 operands, but there are 2"},
        {"ij,jk,kl", "equation", "terms for 3 operands"},
        {"ij,i?", "equation", "equation at 4, '?'"},
        {"ij,i1", "equation", "equation at 4, '1'"},
        {"ij,ij\n", "equation", "equation at 5, code 10"},
        {"ij,ij\xc3\xa9", "equation", "equation at 5, code 195"},
        {"i.j,ij", "equation", "equation at 1, '.'"},
        {"..,..", "equation", "equation at 0, '.'"},
        {"i j- >,", "equation", "equation at 3, '-'"},
        {"...i...,ij", "equation", "equation at 4, '.'"},
        {"ij,ik->ii", "equation", "equation at 8, 'i'"},
        {"ij,ik->im", "equation", "equation at 8, 'm'"},
        {"ij,ik->i,", "equation", "equation at 8, ','"},
        {"ij,ik->i->", "equation", "equation at 8, '-'"},
        {"ij,ik->......", "equation", "equation at 10, '.'"},
        {"ij,ik->i ;", "equation", "equation at 9, ';'"},
        {"ijk,ij", "operands[0]", "has 2 dims, but its term says 3 dims"},
        {"ij,...ijk", "operands[1]", "has 2 dims, but its term says 3 dims or more"},
        {"ij,i", "operands[1]", "says 1 dims"},
        {"ij,ij", "operands[1]", "axis 1 of operands[1] has size 4, but 'j' has size 3"},
        {"...,...", "operands[1]", "axis 1 of ... has size 3"},
        {"ii,ij", "operands[0]", "axes 0 and 1 of operands[0] have one letter, but sizes 2 and 3"},
    };

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        REFUSED(stria_einsum(list, 2, wrong[k].text, &y, &err),
                strcmp(wrong[k].at, "equation") == 0 ? STRIA_ERR_ARGUMENT : STRIA_ERR_SHAPE, wrong[k].at,
                wrong[k].message);
    REFUSED(stria_einsum(list, 2, NULL, &y, &err), STRIA_ERR_ARGUMENT, "equation", "is NULL");
    REFUSED(stria_einsum(list, 0, "", &y, &err), STRIA_ERR_ARGUMENT, "operands", "empty");
    static char text[1100];
    memset(text, 'i', sizeof text - 1);
    REFUSED(stria_einsum(list, 1, text, &y, &err), STRIA_ERR_ARGUMENT, "equation", "at most 1024 characters");
    text[1024] = 0;
    REFUSED(stria_einsum(list, 1, text, &y, &err), STRIA_ERR_SHAPE, "operands[0]", "says 1024 dims");
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 33, many, &deep, NULL), STRIA_OK);
    const stria_tensor *const deeper[] = {deep, deep, deep};
    snprintf(text, sizeof text, "abcdefghijklmnopqrstuvwxyzABCDEFG,abcdefgHIJKLMNOPQRSTUVWXYZhijklmn,...");
    REFUSED(stria_einsum(deeper, 3, text, &y, &err), STRIA_ERR_ARGUMENT, "equation", "more than 64");
    stria_tensor_release(deep);

    CHECK_STATUS(stria_tensor_new(STRIA_BOOL, 2, shape, &mask, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 2, shape, &complex_, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(shape, 2, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    REFUSED(stria_einsum((const stria_tensor *const *)&mask, 1, "ij", &y, &err), STRIA_ERR_DTYPE, "operands[0]",
            "bool");
    const stria_tensor *const mixed[] = {a, complex_}, *const apart[] = {a, meta}, *const shapes[] = {meta, meta};
    CHECK_STATUS(stria_einsum(mixed, 2, "ij,ij", &y, NULL), STRIA_OK);
    CHECK(stria_tensor_get_dtype(y) == STRIA_C64, "the dtype of a sum of complex products");
    stria_tensor_release(y);
    y = NULL;
    REFUSED(stria_einsum(apart, 2, "ij,ij", &y, &err), STRIA_ERR_DEVICE, "operands[1]", "meta");
    CHECK_STATUS(stria_einsum(shapes, 2, "ij,kj", &y, NULL), STRIA_OK);
    CHECK(y && stria_tensor_get_ndim(y) == 2 && stria_tensor_get_shape(y)[1] == 2, "meta");
    stria_tensor_release(y);
    stria_tensor_release(mask);
    stria_tensor_release(complex_);
    stria_tensor_release(meta);
    stria_tensor_release(a);
    stria_tensor_release(b);
}

/* The product is made as the result is wanted: there is nothing to be turned, nor copied, afterwards. */
static void test_layout(void)
{
    static const char *const texts[] = {"ij,jk->ik", "ij,jk->ki", "bij,bjk->bik", "bij,bjk->bki", "bji,bjk->bki"};
    static const int64_t     shape[] = {3, 3, 3};

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        stria_tensor             *x = new_part(STRIA_F32, texts[k][0] == 'b' ? 3 : 2, shape), *y = NULL;
        const stria_tensor *const two[] = {x, x};
        CHECK_STATUS(stria_einsum(two, 2, texts[k], &y, NULL), STRIA_OK);
        CHECK(y && stria_tensor_is_contiguous(y), "%s: strides %lld, %lld ..", texts[k], (long long)y->strides[0],
              (long long)y->strides[1]);
        stria_tensor_release(y);
        stria_tensor_release(x);
    }
}

SUITE(test_einsum)
{
    check_isa("test_einsum");
    test_random();
    test_order();
    test_results();
    test_layout();
    test_memory();
    test_refusals();
    return check_finish("test_einsum");
}
