/* hash_families.c - hashes of complex numbers, of functions that move elements by an index, and of random numbers (hash.h). */
#include <math.h>
#include <string.h>

#include "hash.h"
#include "table/rows.h"

/* ---------------------------------------------------------------- complex numbers */

/* Operands of a complex dtype; bit k of reals says that operand k is of that of the parts. */
static uint64_t hash_complex_op(stria_op op, stria_dtype dtype, unsigned reals, const hash_shape *s, uint64_t hash)
{
    const stria_op_info *info = &stria_op_infos[op];
    const bool           is_select = info->result == STRIA_RESULT_SELECT;
    random_state         random = {(uint64_t)(1 + op) * 1000 + (uint64_t)dtype};
    stria_tensor        *in[STRIA_MAX_INPUTS] = {NULL};
    const stria_tensor  *view[STRIA_MAX_INPUTS];
    const hash_op_call   call = {op, view};

    const stria_dtype part = dtype == STRIA_C64 ? STRIA_F32 : STRIA_F64;
    for (int k = 0; k < info->arity; k++) {
        const stria_dtype d = is_select && k == 0 ? STRIA_BOOL : reals >> k & 1 ? part : dtype;
        view[k] = in[k] = tensor_random(&random, d, s->layouts[k], s->ndim, s->sizes, -8, 8);
    }
    hash = hash_threads(hash_run_op, &call, hash, info->name, dtype);
    for (int k = 0; k < info->arity; k++) stria_tensor_release(in[k]);
    return hash;
}

/* Of the large shapes one is enough: every row goes through the same loop over blocks. */
static uint64_t hash_complex_row(stria_op op, stria_dtype dtype)
{
    const unsigned first = stria_op_infos[op].result == STRIA_RESULT_SELECT, all = (1u << stria_op_infos[op].arity) - 1;
    uint64_t       hash = HASH_BEGIN;

    for (unsigned reals = 0; (reals | first) < all; reals += 1 + first)
        for (int s = 0; s <= HASH_SMALL_SHAPES; s++)
            if (s < HASH_SMALL_SHAPES || reals == 0) hash = hash_complex_op(op, dtype, reals, &hash_shapes[s], hash);
    return hash;
}

static const int columns = 0, rows = 1;

/* Of a matrix: along rows, along columns, of all elements. */
#define REDUCTIONS(R)                                                              \
    R(sum, stria_sum(x, axes, n_axes, false, &y, NULL))                            \
    R(mean, stria_mean(x, axes, n_axes, false, &y, NULL))                          \
    R(prod, stria_prod(x, axes, n_axes, false, &y, NULL))                          \
    R(var, stria_var(x, axes, n_axes, 1, false, &y, NULL))                         \
    R(norm, stria_norm(x, 2, axes, n_axes, false, STRIA_DTYPE_NONE, &y, NULL))     \
    R(cumsum, stria_cumsum(x, n_axes > 0 ? *axes : 0, STRIA_DTYPE_NONE, &y, NULL)) \
    R(cumprod, stria_cumprod(x, n_axes > 0 ? *axes : 0, STRIA_DTYPE_NONE, &y, NULL))

struct matrix_call {
    const stria_tensor *x;
    const int          *axes;
    int                 n_axes;
};

#define R(name, call)                                                            \
    static stria_tensor *complex_##name(const void *data)                        \
    {                                                                            \
        const stria_tensor *x = ((const struct matrix_call *)data)->x;           \
        const int          *axes = ((const struct matrix_call *)data)->axes;     \
        const int           n_axes = ((const struct matrix_call *)data)->n_axes; \
        stria_tensor       *y = NULL;                                            \
        CHECK_STATUS(call, STRIA_OK);                                            \
        return y;                                                                \
    }
REDUCTIONS(R)
#undef R

static const struct {
    const char  *name;
    hash_runner *run;
} reductions[] = {
#define R(name, call) {#name, complex_##name},
    REDUCTIONS(R)
#undef R
};

/* Near the unit circle, so that products neither vanish nor overflow, and sums nearly cancel. */
static stria_tensor *make_circle(stria_dtype dtype, layout kind)
{
    static const int64_t shape[] = {260, 301};
    random_state         random = {31};
    int64_t              index[2] = {0};
    stria_tensor        *x = tensor_random(&random, dtype, kind, 2, shape, -1, 1);

    do {
        const double angle = 7 * random_unit(&random), size = 1 + (random_unit(&random) - 0.5) / 64;
        char *const  at = tensor_at(x, index);
        /* volatile: gcc 12 leaves out the rounding of two neighbours that are widened again */
        volatile const float narrow[] = {(float)(size * cos(angle)), (float)(size * sin(angle))};
        const float          parts[] = {narrow[0], narrow[1]};
        const double         wide[] = {(double)narrow[0], (double)narrow[1]};
        memcpy(at, dtype == STRIA_C64 ? (const void *)parts : wide, stria_dtype_get_size(dtype));
    } while (index_next(2, shape, index));
    return x;
}

static void hash_complex_reductions(stria_dtype dtype)
{
    stria_tensor *x[] = {make_circle(dtype, LAYOUT_CONTIGUOUS), make_circle(dtype, LAYOUT_TRANSPOSED)};

    for (int r = 0; r < (int)(sizeof reductions / sizeof *reductions); r++) {
        uint64_t hash = HASH_BEGIN;
        for (int k = 0; k < 2; k++) {
            const struct matrix_call calls[] = {{x[k], &columns, 1}, {x[k], &rows, 1}, {x[k], NULL, 0}};
            for (int c = 0; c < 3; c++)
                hash = hash_threads(reductions[r].run, &calls[c], hash, reductions[r].name, dtype);
        }
        hash_add_line(reductions[r].name, dtype, STRIA_DTYPE_NONE, hash);
    }
    stria_tensor_release(x[0]);
    stria_tensor_release(x[1]);
}

void hash_complex(void)
{
    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        if (stria_complex_rules[op] == STRIA_COMPLEX_NONE) continue;
        for (stria_dtype d = STRIA_C64; d <= STRIA_C128; d++)
            hash_add_line(stria_op_infos[op].name, d, STRIA_DTYPE_NONE, hash_complex_row((stria_op)op, d));
    }
    hash_complex_reductions(STRIA_C64);
    hash_complex_reductions(STRIA_C128);
}

/* ---------------------------------------------------------------- by an index */

/* A matrix, a matrix of as many elements that go into it, and indices of both: several elements meet at one place, in an order that sums of
 * floats tell. */
typedef struct index_call {
    const stria_tensor *x, *src, *index, *list, *flat;
    int                 dim;
} index_call;

#define INDEXED(I)                                                                                 \
    I(gather, stria_gather(c->x, c->index, c->dim, &y, NULL))                                      \
    I(index_select, stria_index_select(c->x, c->list, c->dim, &y, NULL))                           \
    I(take, stria_take(c->x, c->flat, &y, NULL))                                                   \
    I(scatter, stria_scatter(c->x, c->index, c->src, c->dim, "none", &y, NULL))                    \
    I(scatter_add, stria_scatter_add(c->x, c->index, c->src, c->dim, &y, NULL))                    \
    I(scatter_prod, stria_scatter_reduce(c->x, c->index, c->src, c->dim, "prod", false, &y, NULL)) \
    I(index_add, stria_index_add(c->x, c->list, c->src, c->dim, two, &y, NULL))                    \
    I(index_copy, stria_index_copy(c->x, c->list, c->src, c->dim, &y, NULL))                       \
    I(put, stria_put(c->x, c->flat, c->src, false, &y, NULL))                                      \
    I(put_add, stria_put(c->x, c->flat, c->src, true, &y, NULL))                                   \
    I(index_put, stria_index_put(c->x, c->src, &c->flat, 1, true, &y, NULL))
/* Those that complex numbers have not. */
#define INDEXED_IN_ORDER(I)                                                                        \
    I(scatter_mean, stria_scatter_reduce(c->x, c->index, c->src, c->dim, "mean", true, &y, NULL))  \
    I(scatter_amax, stria_scatter_reduce(c->x, c->index, c->src, c->dim, "amax", false, &y, NULL)) \
    I(index_mean, stria_index_reduce(c->x, c->list, c->src, c->dim, "mean", true, &y, NULL))

static const stria_scalar two = {.kind = STRIA_SCALAR_INT, .i = 2};

#define I(name, call)                                     \
    static stria_tensor *indexed_##name(const void *data) \
    {                                                     \
        const index_call *c = data;                       \
        stria_tensor     *y = NULL;                       \
        CHECK_STATUS(call, STRIA_OK);                     \
        return y;                                         \
    }
INDEXED(I)
INDEXED_IN_ORDER(I)
#undef I

static const struct {
    const char  *name;
    hash_runner *run;
} indexed[] = {
#define I(name, call) {#name, indexed_##name},
    INDEXED(I) INDEXED_IN_ORDER(I)
#undef I
};
enum { N_INDEXED = sizeof indexed / sizeof *indexed, N_IN_ORDER = 3 };

static stria_tensor *make_index(random_state *random, int ndim, const int64_t *shape, int64_t count)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_I64, ndim, shape, &x, NULL), STRIA_OK);
    int64_t *at = stria_tensor_get_data(x);
    for (int64_t k = 0; k < stria_tensor_get_numel(x); k++) at[k] = (int64_t)(random_next(random) % (uint64_t)count);
    return x;
}

/* Numbers of many sizes and signs, so that no two orders of a sum give the same bits; small whole ones where floats are not. */
static stria_tensor *make_elements(random_state *random, stria_dtype dtype, int ndim, const int64_t *shape)
{
    stria_tensor *wide = NULL, *x = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F64, ndim, shape, &wide, NULL), STRIA_OK);
    double *at = stria_tensor_get_data(wide);
    for (int64_t k = 0; k < stria_tensor_get_numel(wide); k++) {
        if (dtype_is_float(dtype) || dtype_is_complex(dtype)) {
            const int exponent = (int)(random_next(random) % 6); /* first, whatever the order of arguments is */
            at[k] = ldexp(random_unit(random) - 0.5, exponent);
        } else {
            at[k] = (double)(random_next(random) % 100);
        }
    }
    CHECK_STATUS(stria_tensor_copy(wide, dtype, &x, NULL), STRIA_OK);
    stria_tensor_release(wide);
    return x;
}

static void hash_index_rows(stria_dtype dtype)
{
    /* few places, so that many elements meet */
    static const int64_t into[] = {61, 301}, from[] = {260, 301}, flat[] = {260 * 301}, count = 260;
    uint64_t             hashes[N_INDEXED];
    random_state         random = {17};
    const int            n = dtype_is_complex(dtype) ? N_INDEXED - N_IN_ORDER : N_INDEXED;

    for (int f = 0; f < n; f++) hashes[f] = HASH_BEGIN;
    stria_tensor *x = make_elements(&random, dtype, 2, into), *src = make_elements(&random, dtype, 2, from);
    stria_tensor *index = make_index(&random, 2, from, 61), *list = make_index(&random, 1, &count, 61);
    stria_tensor *places = make_index(&random, 1, flat, 61 * 301), *lined = NULL, *parts[4] = {NULL};
    CHECK_STATUS(stria_reshape(places, from, 2, &lined, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(x, 0, 1, &parts[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(src, 0, 1, &parts[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(index, 0, 1, &parts[2], NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(lined, 0, 1, &parts[3], NULL), STRIA_OK);
    const index_call calls[] = {{x, src, index, list, lined, 0}, {parts[0], parts[1], parts[2], list, parts[3], 1}};
    for (int f = 0; f < n; f++) {
        for (int k = 0; k < 2; k++) {
            index_call call = calls[k];
            if (strcmp(indexed[f].name, "index_put") == 0) { /* rows of src to rows of x */
                call.flat = list;
                if (k == 1) continue;
            }
            hashes[f] = hash_threads(indexed[f].run, &call, hashes[f], indexed[f].name, dtype);
        }
        hash_add_line(indexed[f].name, dtype, STRIA_DTYPE_NONE, hashes[f]);
    }
    stria_tensor *const all[] = {x, src, index, list, places, lined, parts[0], parts[1], parts[2], parts[3]};
    for (int k = 0; k < (int)(sizeof all / sizeof *all); k++) stria_tensor_release(all[k]);
}

void hash_indexing(void)
{
    static const stria_dtype dtypes[] = {STRIA_U8,  STRIA_I16,  STRIA_I64, STRIA_F16,
                                         STRIA_F32, STRIA_BF16, STRIA_F64, STRIA_C64};

    for (int d = 0; d < (int)(sizeof dtypes / sizeof *dtypes); d++) hash_index_rows(dtypes[d]);
}

/* ---------------------------------------------------------------- random numbers */

typedef struct random_call {
    stria_generator_state state;
    const stria_tensor   *x; /* of the shape and dtype that numbers are drawn for */
} random_call;

/* A generator that begins as the call says. */
static stria_generator *begin(const random_call *c)
{
    static stria_generator *generator;
    if (generator == NULL) CHECK_STATUS(stria_generator_new(0, &generator, NULL), STRIA_OK);
    stria_generator_set_state(generator, c->state);
    return generator;
}

#define N_DIMS 1, stria_tensor_get_dtype(c->x), STRIA_CPU
#define DRAWN(D)                                                             \
    D(rand, stria_rand(stria_tensor_get_shape(c->x), N_DIMS, g, &y, NULL))   \
    D(uniform, stria_uniform(c->x, -3, 8.1, g, &y, NULL))                    \
    D(randn, stria_randn(stria_tensor_get_shape(c->x), N_DIMS, g, &y, NULL)) \
    D(normal, stria_fill_normal(c->x, 1.5, 0.3, g, &y, NULL))                \
    D(exponential, stria_exponential(c->x, 1.5, g, &y, NULL))                \
    D(dropout, stria_dropout(c->x, 0.3, true, g, &y, NULL))                  \
    D(probabilities, stria_bernoulli(c->x, NAN, g, &y, NULL))                \
    D(multinomial, stria_multinomial(c->x, 5000, true, g, &y, NULL))         \
    D(multinomial_apart, stria_multinomial(c->x, 500, false, g, &y, NULL))
/* Those of whole numbers, too. */
#define DRAWN_WHOLE(D)                                                                      \
    D(bernoulli, stria_bernoulli(c->x, 0.3, g, &y, NULL))                                   \
    D(randint, stria_randint(few, many, stria_tensor_get_shape(c->x), N_DIMS, g, &y, NULL)) \
    D(randperm, stria_randperm(100, stria_tensor_get_dtype(c->x), STRIA_CPU, g, &y, NULL))

static const stria_scalar few = {.kind = STRIA_SCALAR_INT, .i = 3}, many = {.kind = STRIA_SCALAR_INT, .i = 103};

#define D(name, call)                                   \
    static stria_tensor *drawn_##name(const void *data) \
    {                                                   \
        const random_call *c = data;                    \
        stria_generator   *g = begin(c);                \
        stria_tensor      *y = NULL;                    \
        CHECK_STATUS(call, STRIA_OK);                   \
        return y;                                       \
    }
DRAWN(D)
DRAWN_WHOLE(D)
#undef D

static const struct {
    const char  *name;
    hash_runner *run;
} drawn[] = {
#define D(name, call) {"random." #name, drawn_##name},
    DRAWN_WHOLE(D) DRAWN(D)
#undef D
};
enum { N_DRAWN = sizeof drawn / sizeof *drawn, N_WHOLE = 3 };

static stria_tensor *make_weights(stria_dtype dtype, int64_t n)
{
    stria_tensor *wide = NULL, *x = NULL;
    random_state  random = {23};

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, &n, &wide, NULL), STRIA_OK);
    double *at = stria_tensor_get_data(wide);
    for (int64_t k = 0; k < n; k++) at[k] = random_unit(&random);
    CHECK_STATUS(stria_tensor_copy(wide, dtype, &x, NULL), STRIA_OK);
    stria_tensor_release(wide);
    return x;
}

/* Several groups that a thread takes, the last of them cut short; and places of the stream where the words of the counter carry. */
void hash_random(void)
{
    static const stria_dtype           dtypes[] = {STRIA_U8, STRIA_I64, STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64};
    static const stria_generator_state states[] = {
        {99, 0}, {UINT64_C(0x0123456789abcdef), (UINT64_C(1) << 28) - 3}, {UINT64_MAX, (UINT64_C(1) << 60) - 3}};

    for (int d = 0; d < (int)(sizeof dtypes / sizeof *dtypes); d++) {
        stria_tensor *x[] = {make_weights(dtypes[d], 100003), make_weights(dtypes[d], 1003),
                             make_weights(dtypes[d], 700)};
        for (int f = 0; f < (dtype_is_float(dtypes[d]) ? N_DRAWN : N_WHOLE); f++) {
            uint64_t hash = HASH_BEGIN;
            for (int k = 0; k < 3; k++) {
                const random_call call = {states[k], x[k]};
                hash = hash_threads(drawn[f].run, &call, hash, drawn[f].name, dtypes[d]);
            }
            hash_add_line(drawn[f].name, dtypes[d], STRIA_DTYPE_NONE, hash);
        }
        for (int k = 0; k < 3; k++) stria_tensor_release(x[k]);
    }
}

/* ---------------------------------------------------------------- pooling */

struct pool_call {
    const stria_tensor *x;
};

#define POOLS(R)                                                                                 \
    R(max_pool2d, stria_max_pool2d(x, taps, stride, one, NULL, true, &y, NULL))                  \
    R(avg_pool2d, stria_avg_pool2d(x, taps, stride, one, true, false, STRIA_INT_NONE, &y, NULL)) \
    R(adaptive_avg_pool2d, stria_adaptive_avg_pool2d(x, uneven, &y, NULL))                       \
    R(group_norm, stria_group_norm(x, NULL, NULL, 3, 1e-5, &y, NULL))

#define R(name, call)                                                                               \
    static stria_tensor *pool_##name(const void *data)                                              \
    {                                                                                               \
        static const int64_t taps[] = {3, 5}, stride[] = {2, 1}, one[] = {1, 1}, uneven[] = {5, 7}; \
        const stria_tensor  *x = ((const struct pool_call *)data)->x;                               \
        stria_tensor        *y = NULL;                                                              \
        (void)taps, (void)stride, (void)one, (void)uneven;                                          \
        CHECK_STATUS(call, STRIA_OK);                                                               \
        return y;                                                                                   \
    }
POOLS(R)
#undef R

static const struct {
    const char  *name;
    hash_runner *run;
} pools[] = {
#define R(name, call) {#name, pool_##name},
    POOLS(R)
#undef R
};

void hash_pooling(void)
{
    static const int64_t     shape[] = {3, 6, 61, 67};
    static const layout      kinds[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED};
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16};
    random_state             random = {61};

    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t r = 0; r < sizeof pools / sizeof *pools; r++) {
            uint64_t hash = HASH_BEGIN;
            for (int k = 0; k < 2; k++) {
                stria_tensor *x = tensor_random(&random, dtypes[d], kinds[k], 4, shape, -8, 8);
                hash = hash_threads(pools[r].run, &(struct pool_call){x}, hash, pools[r].name, dtypes[d]);
                stria_tensor_release(x);
            }
            hash_add_line(pools[r].name, dtypes[d], STRIA_DTYPE_NONE, hash);
        }
}
