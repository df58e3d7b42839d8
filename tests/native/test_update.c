/* test_update.c - rows that write into lists: steps of optimisers against scalar loops, bit for bit, over dtypes, layouts, lengths and
 * threads; clipping; refusals, sharing of memory, versions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refused.h"
#include "tensor/tensor.h"

#define MOST 5 /* lists */
#define TENSORS 4

static random_state random_numbers = {7};

/* ---------------------------------------------------------------- the oracle: one element at a time */

typedef enum row { SGD, ADAM, ADAMW, RMSPROP, ADAGRAD, ROWS } row;
static const char *const row_names[] = {"sgd", "adam", "adamw", "rmsprop", "adagrad"};

typedef struct options {
    row     row;
    double  lr, momentum, dampening, decay, beta1, beta2, eps, lr_decay;
    bool    nesterov, maximize, first, extra; /* extra: largest squares, or means of gradients */
    int64_t step;
} options;

static double power(double x, int64_t n)
{
    double y = 1;
    for (; n > 0; n--) y *= x; /* exact for the betas here */
    return y;
}

/* x[0] parameter, x[1] gradient, x[2 ..] states, in the order of the row. */
#define ORACLE(name, T, root)                                                                                \
    static void name(const options *o, T *x)                                                                 \
    {                                                                                                        \
        const T lr = (T)o->lr, momentum = (T)o->momentum, eps = (T)o->eps;                                   \
        T       g = o->maximize ? -x[1] : x[1];                                                              \
        if (o->decay != 0 && o->row != ADAMW) g = g + (T)o->decay * x[0];                                    \
        if (o->row == SGD) {                                                                                 \
            if (o->momentum != 0) {                                                                          \
                x[2] = o->first ? g : momentum * x[2] + (T)(1 - o->dampening) * g;                           \
                g = o->nesterov ? g + momentum * x[2] : x[2];                                                \
            }                                                                                                \
            x[0] = x[0] - lr * g;                                                                            \
        } else if (o->row == ADAM || o->row == ADAMW) {                                                      \
            const T rate = (T)(o->lr / (1 - power(o->beta1, o->step)));                                      \
            const T correction = (T)(1 / sqrt(1 - power(o->beta2, o->step)));                                \
            if (o->row == ADAMW && o->decay != 0) x[0] = (T)(1 - o->lr * o->decay) * x[0];                   \
            x[2] = (T)o->beta1 * x[2] + (T)(1 - o->beta1) * g;                                               \
            x[3] = (T)o->beta2 * x[3] + (T)(1 - o->beta2) * (g * g);                                         \
            if (o->extra && (x[3] > x[4] || isnan(x[3]) || (x[3] == x[4] && signbit(x[4])))) x[4] = x[3];    \
            x[0] = x[0] - rate * (x[2] / (root(o->extra ? x[4] : x[3]) * correction + eps));                 \
        } else if (o->row == RMSPROP) {                                                                      \
            const T alpha = (T)o->beta2, rest = (T)(1 - o->beta2);                                           \
            T       square = x[2] = alpha * x[2] + rest * (g * g);                                           \
            if (o->extra) x[4] = alpha * x[4] + rest * g, square = square - x[4] * x[4];                     \
            g = g / (root(square) + eps);                                                                    \
            if (o->momentum != 0) g = x[3] = momentum * x[3] + g;                                            \
            x[0] = x[0] - lr * g;                                                                            \
        } else {                                                                                             \
            x[2] = x[2] + g * g;                                                                             \
            x[0] = x[0] - (T)(o->lr / (1 + (double)(o->step - 1) * o->lr_decay)) * (g / (root(x[2]) + eps)); \
        }                                                                                                    \
    }
ORACLE(run_f32, float, sqrtf)
ORACLE(run_f64, double, sqrt)

static bool is_used(const options *o, int k)
{
    static const int n[] = {2, 4, 4, 3, 3};

    if (k < n[o->row]) return true;
    if (k == 4) return o->extra && o->row != SGD && o->row != ADAGRAD;
    return (k == 2 && o->row == SGD && o->momentum != 0) || (k == 3 && o->row == RMSPROP && o->momentum != 0);
}

/* ---------------------------------------------------------------- the rows */

typedef struct lists {
    int           n;
    stria_tensor *at[MOST][TENSORS];
} lists;

#define INTO(k) l->at[k], l->n
#define FROM(k) (const stria_tensor *const *)l->at[k], l->n
#define MAYBE(k) is_used(o, k) ? l->at[k] : NULL, is_used(o, k) ? l->n : 0
static stria_status run_row(const options *o, lists *l, stria_error *err)
{
    switch (o->row) {
    case SGD:
        return stria_sgd(INTO(0), FROM(1), MAYBE(2), o->lr, o->momentum, o->dampening, o->decay, o->nesterov,
                         o->maximize, o->first, err);
    case ADAM:
        return stria_adam(INTO(0), FROM(1), INTO(2), INTO(3), MAYBE(4), o->step, o->lr, o->beta1, o->beta2, o->eps,
                          o->decay, o->maximize, err);
    case ADAMW:
        return stria_adamw(INTO(0), FROM(1), INTO(2), INTO(3), MAYBE(4), o->step, o->lr, o->beta1, o->beta2, o->eps,
                           o->decay, o->maximize, err);
    case RMSPROP:
        return stria_rmsprop(INTO(0), FROM(1), INTO(2), MAYBE(3), MAYBE(4), o->lr, o->beta2, o->eps, o->decay,
                             o->momentum, o->maximize, err);
    default:
        return stria_adagrad(INTO(0), FROM(1), INTO(2), o->step, o->lr, o->lr_decay, o->decay, o->eps, o->maximize,
                             err);
    }
}

static options pick_options(row row)
{
    options        o = {.row = row, .lr = 0.1, .beta1 = 0.5, .beta2 = 0.875, .eps = 1e-3};
    const uint64_t bits = random_next(&random_numbers);

    o.step = 1 + (int64_t)(bits % 4);
    o.maximize = bits >> 8 & 1;
    o.extra = bits >> 9 & 1;
    o.first = bits >> 10 & 1;
    if (bits >> 11 & 1) o.decay = 0.3;
    if (bits >> 12 & 1) o.momentum = 0.9;
    if (bits >> 13 & 1 && o.momentum != 0 && row == SGD) o.nesterov = true;
    if (bits >> 14 & 1 && !o.nesterov) o.dampening = 0.25;
    if (bits >> 15 & 1) o.lr_decay = 0.7;
    return o;
}

static double real_at(const stria_tensor *x, const int64_t *index)
{
    return (double)value_get(x->dtype, tensor_at(x, index)).real;
}

/* What member m should be, in row-major order, list after list. */
static char *compute(const options *o, const lists *l, int m)
{
    const stria_tensor *x = l->at[0][m];
    const size_t        size = stria_dtype_get_size(x->dtype);
    char               *wanted = calloc((size_t)(x->numel + 1) * MOST, size);
    int64_t             index[STRIA_MAX_DIMS] = {0}, i = 0;

    if (x->numel == 0) return wanted;
    do {
        double e[MOST] = {0};
        float  f[MOST] = {0};
        for (int k = 0; k < MOST; k++)
            if (is_used(o, k)) f[k] = (float)(e[k] = real_at(l->at[k][m], index));
        if (x->dtype == STRIA_F64)
            run_f64(o, e);
        else
            run_f32(o, f);
        for (int k = 0; k < MOST; k++)
            value_set(x->dtype, value_from_real(x->dtype == STRIA_F64 ? e[k] : (double)f[k]),
                      wanted + (size_t)(k * x->numel + i) * size);
        i++;
    } while (index_next(x->ndim, x->shape, index));
    return wanted;
}

static void compare(const options *o, const lists *l, int m, const char *wanted, const char *what)
{
    const stria_tensor *x = l->at[0][m];
    const size_t        size = stria_dtype_get_size(x->dtype);
    char                got_text[64], wanted_text[64];

    for (int k = 0; k < MOST && x->numel > 0; k++) {
        int64_t index[STRIA_MAX_DIMS] = {0}, i = 0;
        if (!is_used(o, k)) continue;
        do {
            const char *expected = wanted + (size_t)(k * x->numel + i++) * size, *got = tensor_at(l->at[k][m], index);
            if (value_same(x->dtype, got, expected)) continue;
            CHECK(false, "%s of %s, %s: list %d, tensor %d, element %lld: %s, expected %s", row_names[o->row],
                  stria_dtype_get_name(x->dtype), what, k, m, (long long)i - 1,
                  value_print(x->dtype, got, got_text, sizeof got_text),
                  value_print(x->dtype, expected, wanted_text, sizeof wanted_text));
            return;
        } while (index_next(x->ndim, x->shape, index));
        CHECK(true, "equal");
    }
}

static void release(lists *l)
{
    for (int k = 0; k < MOST; k++)
        for (int m = 0; m < l->n; m++) stria_tensor_release(l->at[k][m]);
}

/* Tensors of several shapes; states are not negative, as squares are not. */
static void make(lists *l, stria_dtype dtype, bool is_mixed)
{
    static const int64_t shapes[TENSORS][3] = {{1, 1, 67}, {3, 5, 7}, {2, 0, 3}, {1, 70, 300}};
    static const layout  layouts[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED, LAYOUT_OFFSET,
                                      LAYOUT_STEPPED};
    const layout         same = layouts[random_next(&random_numbers) % 5];

    l->n = TENSORS;
    for (int k = 0; k < MOST; k++)
        for (int m = 0; m < TENSORS; m++) {
            const int skipped = (int)(m % 3); /* 3, 2, 1 dims */
            l->at[k][m] =
                tensor_random(&random_numbers, dtype, is_mixed ? layouts[random_next(&random_numbers) % 5] : same,
                              3 - skipped, shapes[m] + skipped, k < 2 ? -2 : 0, 2);
        }
}

static void check_rows(void)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16};

    for (int row = 0; row < ROWS; row++)
        for (int d = 0; d < 4; d++)
            for (int round = 0; round < 12; round++) {
                const options o = pick_options((enum row)row);
                const bool    is_mixed = round % 2 != 0;
                char         *wanted[TENSORS];
                unsigned      versions[MOST][TENSORS];
                lists         l;
                make(&l, dtypes[d], is_mixed);
                for (int m = 0; m < TENSORS; m++) wanted[m] = compute(&o, &l, m);
                for (int k = 0; k < MOST; k++)
                    for (int m = 0; m < TENSORS; m++) versions[k][m] = l.at[k][m]->storage->version;
                CHECK_STATUS(run_row(&o, &l, NULL), STRIA_OK);
                for (int m = 0; m < TENSORS; m++)
                    compare(&o, &l, m, wanted[m], is_mixed ? "mixed layouts" : "one layout");
                for (int k = 0; k < MOST; k++)
                    for (int m = 0; m < TENSORS; m++)
                        CHECK((l.at[k][m]->storage->version != versions[k][m]) == (is_used(&o, k) && k != 1),
                              "%s: version of list %d", row_names[row], k);
                for (int m = 0; m < TENSORS; m++) free(wanted[m]);
                release(&l);
            }
}

/* ---------------------------------------------------------------- many tensors, threads */

#define MANY 300

static void step_many(stria_tensor **all[4], int threads)
{
    CHECK_STATUS(stria_threads_set(threads, NULL), STRIA_OK);
    for (int64_t step = 1; step <= 3; step++)
        CHECK_STATUS(stria_adam(all[0], MANY, (const stria_tensor *const *)all[1], MANY, all[2], MANY, all[3], MANY,
                                NULL, 0, step, 0.01, 0.9, 0.999, 1e-8, 0.1, false, NULL),
                     STRIA_OK);
}

static void check_threads(void)
{
    static stria_tensor *all[2][4][MANY];
    const int            before = stria_threads_get();

    for (int m = 0; m < MANY; m++) {
        const int64_t n = m == 7 ? 200000 : m * 13;
        for (int k = 0; k < 4; k++) {
            all[0][k][m] = tensor_random(&random_numbers, STRIA_F32, LAYOUT_CONTIGUOUS, 1, &n, k < 2 ? -1 : 0, 1);
            CHECK_STATUS(stria_tensor_copy(all[0][k][m], STRIA_F32, &all[1][k][m], NULL), STRIA_OK);
        }
    }
    step_many((stria_tensor **[]){all[0][0], all[0][1], all[0][2], all[0][3]}, 1);
    step_many((stria_tensor **[]){all[1][0], all[1][1], all[1][2], all[1][3]}, 3);
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
    for (int m = 0; m < MANY; m++)
        for (int k = 0; k < 4; k++) {
            const stria_tensor *x = all[0][k][m], *y = all[1][k][m];
            CHECK(x->numel == 0 || memcmp(x->data, y->data, (size_t)x->numel * 4) == 0, "list %d, tensor %d", k, m);
            stria_tensor_release(all[0][k][m]);
            stria_tensor_release(all[1][k][m]);
        }
}

/* ---------------------------------------------------------------- memory that is shared */

static stria_tensor *new_f32(int64_t n, float value)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, &n, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++) ((float *)(void *)x->data)[k] = value;
    return x;
}

static stria_status step(stria_tensor *const *params, const stria_tensor *const *grads, int n, stria_error *err)
{
    return stria_sgd(params, n, grads, n, NULL, 0, 1, 0, 0, 0, false, false, false, err);
}
#define REFUSED_STEP(params, grads, status, at, text) REFUSED(step(params, grads, 2, &err), status, "sgd", at, text)
#define TWO(a, b) ((stria_tensor *const[]){a, b})
#define READ(a, b) ((const stria_tensor *const[]){a, b})

static void check_sharing(void)
{
    const int64_t four = 4;
    stria_tensor *a = new_f32(4, 1), *b = new_f32(4, 2), *c = new_f32(4, 3), *whole = new_f32(8, 4);
    stria_tensor *even = NULL, *odd = NULL, *front = NULL, *back = NULL, *middle = NULL, *wide = NULL, *one = NULL,
                 *other = NULL, *outer = NULL, *flipped = NULL;
    float     memory[8] = {0};
    const int axis = 0;

    CHECK_STATUS(stria_slice(whole, 0, 0, 8, 2, &even, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(whole, 0, 1, 8, 2, &odd, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(whole, 0, 0, 4, 1, &front, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(whole, 0, 4, 8, 1, &back, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(whole, 0, 2, 6, 1, &middle, NULL), STRIA_OK);
    CHECK_STATUS(stria_slice(a, 0, 0, 1, 1, &one, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(one, &four, 1, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_flip(back, &axis, 1, &flipped, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, &four, NULL, memory, NULL, NULL, &other, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_external(STRIA_F32, 1, &four, NULL, memory + 2, NULL, NULL, &outer, NULL), STRIA_OK);

    REFUSED_STEP(TWO(a, a), READ(b, c), STRIA_ERR_OVERLAP, "params[1]", "params[1] and params[0] share memory");
    REFUSED_STEP(TWO(a, b), READ(c, a), STRIA_ERR_OVERLAP, "grads[1]", "grads[1] and params[0] share memory");
    REFUSED_STEP(TWO(a, b), READ(b, c), STRIA_ERR_OVERLAP, "grads[0]", "grads[0] and params[1] share memory");
    REFUSED_STEP(TWO(a, b), READ(a, a), STRIA_ERR_OVERLAP, "grads[0]",
                 "grads[0] and params[0] share memory"); /* the first */
    REFUSED_STEP(TWO(front, middle), READ(b, c), STRIA_ERR_OVERLAP, "params[1]", "share memory");
    REFUSED_STEP(TWO(even, front), READ(b, c), STRIA_ERR_OVERLAP, "params[1]", "share memory");
    REFUSED_STEP(TWO(flipped, b), READ(c, back), STRIA_ERR_OVERLAP, "grads[1]", "share memory");
    REFUSED_STEP(TWO(other, outer), READ(b, c), STRIA_ERR_OVERLAP, "params[1]", "share memory");
    REFUSED_STEP(TWO(wide, b), READ(c, c), STRIA_ERR_OVERLAP, "params[0]", "several elements at one address");
    REFUSED(stria_clip_grads_with_norm(one, TWO(b, a), 2, 1, &err), STRIA_ERR_OVERLAP, "clip_grads_with_norm",
            "grads[1]", "grads[1] and total_norm share memory");
    for (int k = 0; k < 4; k++)
        CHECK(((float *)(void *)a->data)[k] == 1 && ((float *)(void *)whole->data)[k] == 4,
              "changed by a refused call");

    CHECK_STATUS(step(TWO(a, b), READ(c, c), 2, NULL), STRIA_OK); /* what is only read may be shared */
    CHECK_STATUS(step(TWO(even, odd), READ(c, wide), 2, NULL), STRIA_OK);
    CHECK_STATUS(step(TWO(front, flipped), READ(c, c), 2, NULL), STRIA_OK);
    for (int k = 0; k < 4; k++) {
        const float *w = (const float *)(const void *)whole->data;
        CHECK(((float *)(void *)a->data)[k] == -2, "%g", (double)((float *)(void *)a->data)[k]);
        CHECK(w[k] == (k % 2 ? 4 + 2 - 3 : 4 - 3 - 3), "element %d: %g", k, (double)w[k]);
    }
    stria_tensor *all[] = {a, b, c, whole, even, odd, front, back, middle, wide, one, other, outer, flipped};
    for (int k = 0; k < (int)(sizeof all / sizeof *all); k++) stria_tensor_release(all[k]);
}

/* ---------------------------------------------------------------- refusals */

/* A list. */
typedef struct some {
    stria_tensor *const *at;
    int                  n;
} some;
#define ONE(t) ((some){(stria_tensor *const[]){t}, 1})
#define BOTH(a, b) ((some){(stria_tensor *const[]){a, b}, 2})
#define NONE ((some){NULL, 0})
#define MISSING ((some){NULL, 1})
#define NEGATIVE ((some){NULL, -1})

static stria_status sgd(some params, some grads, some momenta, double lr, double momentum, double dampening,
                        double decay, bool nesterov, stria_error *err)
{
    return stria_sgd(params.at, params.n, (const stria_tensor *const *)grads.at, grads.n, momenta.at, momenta.n, lr,
                     momentum, dampening, decay, nesterov, false, false, err);
}
#define BAD(params, grads, momenta, status, at, text) \
    REFUSED(sgd(params, grads, momenta, 1, 0, 0, 0, false, &err), status, "sgd", at, text)
#define BAD_NUMBER(lr, momentum, dampening, decay, nesterov, at, text)                                              \
    REFUSED(sgd(ONE(a), ONE(b), ONE(c), lr, momentum, dampening, decay, nesterov, &err), STRIA_ERR_ARGUMENT, "sgd", \
            at, text)

static void check_refusals(void)
{
    const int64_t four = 4, two_two[] = {2, 2};
    stria_tensor *a = new_f32(4, 1), *b = new_f32(4, 2), *c = new_f32(4, 3), *d = new_f32(4, 0),
                 *short_one = new_f32(3, 1);
    stria_tensor *square = NULL, *wide = NULL, *whole = NULL, *meta = NULL, *meta_grad = NULL, *complex = NULL;
#define AT(t) ((stria_tensor *const[]){t}), 1
#define OF(t) ((const stria_tensor *const[]){t}), 1
#define NO NULL, 0

    CHECK_STATUS(stria_view(a, two_two, 2, &square, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, &four, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_I32, 1, &four, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new(STRIA_C64, 1, &four, &complex, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(&four, 1, STRIA_F32, STRIA_META, &meta, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(&four, 1, STRIA_F32, STRIA_META, &meta_grad, NULL), STRIA_OK);
    BAD(ONE(a), BOTH(b, c), NONE, STRIA_ERR_ARGUMENT, "grads", "grads has 2 tensors, but params has 1");
    BAD(BOTH(a, c), ONE(b), NONE, STRIA_ERR_ARGUMENT, "grads", "grads has 1 tensors, but params has 2");
    BAD(ONE(a), ONE(b), BOTH(c, d), STRIA_ERR_ARGUMENT, "momenta", "momenta has 2 tensors, but params has 1");
    BAD(ONE(a), MISSING, NONE, STRIA_ERR_ARGUMENT, "grads", "grads is no list of tensors");
    BAD(NEGATIVE, ONE(b), NONE, STRIA_ERR_ARGUMENT, "params", "params is no list of tensors");
    BAD(ONE(a), ONE(NULL), NONE, STRIA_ERR_ARGUMENT, "grads[0]", "grads[0] is NULL");
    BAD(BOTH(a, NULL), BOTH(b, b), NONE, STRIA_ERR_ARGUMENT, "params[1]", "params[1] is NULL");
    BAD(BOTH(a, d), BOTH(b, b), BOTH(c, NULL), STRIA_ERR_ARGUMENT, "momenta[1]", "is NULL");
    BAD(ONE(a), ONE(short_one), NONE, STRIA_ERR_SHAPE, "grads[0]", "grads[0] has shape [3], but params[0] has [4]");
    BAD(ONE(b), ONE(square), NONE, STRIA_ERR_SHAPE, "grads[0]", "grads[0] has shape [2,2], but params[0] has [4]");
    BAD(ONE(a), ONE(wide), NONE, STRIA_ERR_DTYPE, "grads[0]", "grads[0] is f64, but params[0] is f32");
    BAD(ONE(whole), ONE(whole), NONE, STRIA_ERR_DTYPE, "params[0]", "params[0] is i32, but must be a real float");
    BAD(ONE(complex), ONE(complex), NONE, STRIA_ERR_DTYPE, "params[0]", "params[0] is c64");
    BAD(ONE(a), ONE(meta), NONE, STRIA_ERR_DEVICE, "grads[0]", "grads[0] is on meta but params[0] is on cpu");
    BAD_NUMBER(-1, 0, 0, 0, false, "lr", "lr is -1, but must be a number >= 0");
    BAD_NUMBER(NAN, 0, 0, 0, false, "lr", "but must be a number >= 0");
    BAD_NUMBER(1, -0.5, 0, 0, false, "momentum", "momentum is -0.5");
    BAD_NUMBER(1, 0, NAN, 0, false, "dampening", "but must be a number");
    BAD_NUMBER(1, 0, 0, -2, false, "weight_decay", "weight_decay is -2");
    BAD_NUMBER(1, 0, 0, 0, true, "nesterov", "nesterov needs a momentum above 0");
    BAD_NUMBER(1, 0.5, 0.5, 0, true, "nesterov", "not 0.5 and 0.5");
    REFUSED(sgd(ONE(a), ONE(b), NONE, 1, 0.5, 0, 0, false, &err), STRIA_ERR_ARGUMENT, "sgd", "momenta",
            "momentum is 0.5, so momenta must be given");
#define BAD_ADAM(step, lr, beta1, beta2, eps, decay, at, text)                                            \
    REFUSED(stria_adam(AT(a), OF(b), AT(c), AT(d), NO, step, lr, beta1, beta2, eps, decay, false, &err),  \
            STRIA_ERR_ARGUMENT, "adam", at, text);                                                        \
    REFUSED(stria_adamw(AT(a), OF(b), AT(c), AT(d), NO, step, lr, beta1, beta2, eps, decay, false, &err), \
            STRIA_ERR_ARGUMENT, "adamw", at, text)
    BAD_ADAM(0, 1, 0, 0, 0, 0, "step", "step is 0, but must be a whole number >= 1");
    BAD_ADAM(STRIA_INT_NONE, 1, 0, 0, 0, 0, "step", "but must be a whole number >= 1");
    BAD_ADAM(1, -1, 0, 0, 0, 0, "lr", "lr is -1");
    BAD_ADAM(1, 1, 1, 0, 0, 0, "beta1", "beta1 is 1, but must be in [0, 1)");
    BAD_ADAM(1, 1, 0, -0.1, 0, 0, "beta2", "beta2 is -0.1");
    BAD_ADAM(1, 1, 0, 0, -1, 0, "eps", "eps is -1");
    BAD_ADAM(1, 1, 0, 0, 0, NAN, "weight_decay", "weight_decay is");
    REFUSED(stria_rmsprop(AT(a), OF(b), AT(c), NO, NO, 1, 0.9, 0, 0, 0.5, false, &err), STRIA_ERR_ARGUMENT, "rmsprop",
            "momenta", "momenta must be given");
    REFUSED(stria_rmsprop(AT(a), OF(b), AT(c), NO, NO, 1, -0.9, 0, 0, 0, false, &err), STRIA_ERR_ARGUMENT, "rmsprop",
            "alpha", "alpha is -0.9");
    REFUSED(stria_adagrad(AT(a), OF(b), AT(c), 1, 1, -1, 0, 0, false, &err), STRIA_ERR_ARGUMENT, "adagrad", "lr_decay",
            "lr_decay is -1");
    REFUSED(stria_adagrad(AT(a), OF(b), AT(c), -1, 1, 0, 0, 0, false, &err), STRIA_ERR_ARGUMENT, "adagrad", "step",
            "step is -1");
    REFUSED(stria_clip_grad_value(AT(a), -1, &err), STRIA_ERR_ARGUMENT, "clip_grad_value", "clip_value", "is -1");
    REFUSED(stria_clip_grads_with_norm(b, AT(a), 1, &err), STRIA_ERR_SHAPE, "clip_grads_with_norm", "total_norm",
            "total_norm has shape [4], but must have one element");
    REFUSED(stria_clip_grads_with_norm(NULL, AT(a), 1, &err), STRIA_ERR_ARGUMENT, "clip_grads_with_norm", "total_norm",
            "total_norm is NULL");
    for (int k = 0; k < 4; k++) CHECK(((float *)(void *)a->data)[k] == 1, "changed by a refused call");

    CHECK_STATUS(sgd(NONE, NONE, NONE, 1, 0.5, 0, 0, false, NULL), STRIA_OK);
    const unsigned version = meta->storage->version;
    CHECK_STATUS(sgd(ONE(meta), ONE(meta_grad), NONE, 1, 0, 0, 0, false, NULL), STRIA_OK);
    CHECK(meta->storage->version != version, "a write on meta that is not counted");
    stria_tensor *all[] = {a, b, c, d, short_one, square, wide, whole, meta, meta_grad, complex};
    for (int k = 0; k < (int)(sizeof all / sizeof *all); k++) stria_tensor_release(all[k]);
}

/* ---------------------------------------------------------------- clipping */

static double number_of(stria_tensor *x)
{
    double number = 0;

    number = (double)value_get(x->dtype, x->data).real;
    stria_tensor_release(x);
    return number;
}

static void check_clipping(void)
{
    const int64_t none = 0;
    stria_tensor *a = new_f32(2, 3), *b = new_f32(1, -4), *y = NULL, *empty = NULL, *wide = NULL;
    float        *at = (float *)(void *)a->data;

    at[1] = 0;
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, &none, &empty, NULL), STRIA_OK);
    const stria_tensor *const all[] = {a, empty, b};
    CHECK_STATUS(stria_total_norm(all, 3, 2, &y, NULL), STRIA_OK);
    CHECK(y->dtype == STRIA_F32 && y->ndim == 0, "dtype and shape");
    CHECK_STATUS(stria_clip_grads_with_norm(y, TWO(a, b), 2, 2.5, NULL), STRIA_OK);
    CHECK(fabs(at[0] - 1.5) < 1e-6 && fabs(*(float *)(void *)b->data + 2) < 1e-6 && at[1] == 0, "%g", (double)at[0]);
    const float before = at[0];
    CHECK_STATUS(stria_clip_grads_with_norm(y, TWO(a, b), 2, 100, NULL), STRIA_OK); /* it is small enough */
    CHECK(at[0] == before, "%g", (double)at[0]);
    CHECK(number_of(y) == 5, "norm");
    y = NULL;
    CHECK_STATUS(stria_total_norm(all, 3, INFINITY, &y, NULL), STRIA_OK);
    CHECK(fabs(number_of(y) - 2) < 1e-6, "largest");
    CHECK_STATUS(stria_total_norm(all, 3, 1, &y, NULL), STRIA_OK);
    CHECK(fabs(number_of(y) - 3.5) < 1e-6, "sum");
    CHECK_STATUS(stria_total_norm(NULL, 0, 2, &y, NULL), STRIA_OK);
    CHECK(number_of(y) == 0, "of none");
    CHECK_STATUS(stria_total_norm(&all[1], 1, INFINITY, &y, NULL), STRIA_OK);
    CHECK(number_of(y) == 0, "of an empty one");
    CHECK_STATUS(stria_to(a, STRIA_F64, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_total_norm(READ(a, wide), 2, 2, &y, NULL), STRIA_OK);
    CHECK(y->dtype == STRIA_F64, "promoted");
    stria_tensor_release(y);
    y = NULL;
    REFUSED_NEW(stria_total_norm(all, 3, 0, &y, &err), STRIA_ERR_ARGUMENT, "total_norm", "p",
                "must be a number above 0");
    REFUSED_NEW(stria_total_norm(all, 3, NAN, &y, &err), STRIA_ERR_ARGUMENT, "total_norm", "p", "above 0");
    REFUSED_NEW(stria_total_norm(READ(a, NULL), 2, 2, &y, &err), STRIA_ERR_ARGUMENT, "total_norm", "tensors[1]",
                "is NULL");

    float *const c = (float *)(void *)a->data;
    c[0] = NAN;
    c[1] = -7;
    CHECK_STATUS(stria_clip_grad_value(TWO(a, b), 2, 0.5, NULL), STRIA_OK);
    CHECK(isnan(c[0]) && c[1] == -0.5 && *(float *)(void *)b->data == -0.5, "%g", (double)c[1]);
    stria_tensor *made[] = {a, b, empty, wide};
    for (int k = 0; k < 4; k++) stria_tensor_release(made[k]);
}

/* Without momentum there is no dampening, and momenta that are given are left alone. */
static void check_no_momentum(void)
{
    stria_tensor *x = new_f32(4, 1), *g = new_f32(4, 2), *m = new_f32(4, INFINITY), *s = new_f32(4, 4);

    CHECK_STATUS(sgd(ONE(x), ONE(g), ONE(m), 0.25, 0, 0.5, 0, false, NULL), STRIA_OK);
    CHECK(*(float *)(void *)x->data == 0.5F && isinf(*(float *)(void *)m->data), "sgd: %g", *(float *)(void *)x->data);
    CHECK_STATUS(stria_rmsprop(AT(x), OF(g), AT(s), AT(m), NO, 0.5, 1, 0, 0, 0, false, NULL), STRIA_OK);
    CHECK(*(float *)(void *)x->data == 0 && isinf(*(float *)(void *)m->data), "rmsprop: %g", *(float *)(void *)x->data);
    stria_tensor *made[] = {x, g, m, s};
    for (int k = 0; k < 4; k++) stria_tensor_release(made[k]);
}

SUITE(test_update)
{
    const int64_t before = stria_memory_get_stats().live_tensors;

    check_isa("test_update");
    if (check_has_values()) check_rows();
    check_threads();
    check_sharing();
    if (check_has_values()) {
        check_refusals();
        check_clipping();
        check_no_momentum();
    }
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("test_update");
}
