/* families.c - see families.h. Elements are small multiples of 1/4, so that most results are exact. */
#include "families.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "iter.h"
#include "oracle.h"

enum {
    ROWS = FAMILY_ROWS,
    COLUMNS = FAMILY_COLUMNS,
    WIDE_ROWS = FAMILY_WIDE_ROWS /* four chunks of stria_iter_parallel_reduce */
};

/* ---------------------------------------------------------------- all calls */

const family families[] = {
#define FAMILY_CALL(word, name) {#name, FAMILY_##word, family_##name},
#include "family_calls.def"
};
const int family_count = sizeof families / sizeof *families;

static const char *const words[] = {
#define STRIA_FAMILY_ROW(word, title) #word,
#include "table/families.def"
    "expressions",
    "iterators",
    "gradients",
    "graphs",
};

/* A family without a call would go through no suite that wants them all. */
static void check_words(void)
{
    for (int w = 0; w < FAMILY_COUNT; w++) {
        int n = 0;
        for (int f = 0; f < family_count; f++) n += families[f].word == (family_word)w;
        CHECK(n > 0, "the family %s has no call in family_calls.def", words[w]);
    }
}

stria_status family_run_steps(family_steps_fn *steps, const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_temps        temps = {{NULL}, 0};
    const stria_status status = steps(in, out, &temps, err);

    stria_temps_release(&temps);
    return status;
}

/* ---------------------------------------------------------------- inputs */

static stria_tensor *make(stria_dtype dtype, int ndim, const int64_t *shape, uint64_t seed)
{
    stria_tensor *x = NULL;
    random_state  random = {seed};

    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    for (int64_t k = 0, size = (int64_t)stria_dtype_get_size(dtype); x && k < stria_tensor_get_numel(x); k++) {
        const double v = (double)(int64_t)(random_next(&random) % 33) - 16;
        value_set(dtype, value_from_real(dtype_is_float(dtype) ? v / 4 : v),
                  (char *)stria_tensor_get_data(x) + k * size);
    }
    return x;
}

/* Whole numbers from 0 to below - 1. */
static stria_tensor *make_places(int ndim, const int64_t *shape, int64_t below, uint64_t seed)
{
    stria_tensor *x = NULL;
    random_state  random = {seed};

    CHECK_STATUS(stria_tensor_new(STRIA_I64, ndim, shape, &x, NULL), STRIA_OK);
    for (int64_t k = 0; x && k < stria_tensor_get_numel(x); k++)
        ((int64_t *)stria_tensor_get_data(x))[k] = (int64_t)(random_next(&random) % (uint64_t)below);
    return x;
}

/* Diagonals are larger than all else in their rows. */
static stria_tensor *make_invertible(void)
{
    stria_tensor *x = make(STRIA_F64, 3, (int64_t[]){24, 20, 20}, 22);

    for (int64_t k = 0; x && k < 24 * 20; k++) ((double *)stria_tensor_get_data(x))[k / 20 * 400 + k % 20 * 21] += 100;
    return x;
}

static void init_more(family_inputs *in)
{
    stria_tensor *re = make(STRIA_F32, 2, (int64_t[]){COLUMNS, ROWS}, 19);
    stria_tensor *im = make(STRIA_F32, 2, (int64_t[]){COLUMNS, ROWS}, 20), *z = NULL;

    CHECK_STATUS(stria_complex(in->x, in->y, &in->z, NULL), STRIA_OK);
    CHECK_STATUS(stria_complex(re, im, &z, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(z, 0, 1, &in->z_turned, NULL), STRIA_OK);
    stria_tensor_release(re);
    stria_tensor_release(im);
    stria_tensor_release(z);
    in->matrices = make(STRIA_F64, 3, (int64_t[]){24, 20, 16}, 21);
    in->invertible = make_invertible();
    in->spread = make_places(1, (int64_t[]){20000}, 20000, 26);
    in->rows = make_places(2, (int64_t[]){ROWS, COLUMNS}, ROWS, 23);
    in->places = make_places(1, (int64_t[]){60000}, 150000, 24);
    in->chosen = make_places(1, (int64_t[]){ROWS}, COLUMNS, 25);
    CHECK_STATUS(family_record(in, &in->graph, NULL), STRIA_OK);
    CHECK_STATUS(stria_graph_save(in->graph, NULL, 0, &in->saved, &in->saved_nbytes, NULL), STRIA_OK);
}

void family_inputs_init(family_inputs *in)
{
    const int64_t shape[] = {ROWS, COLUMNS}, turned[] = {COLUMNS, ROWS}, wider[] = {ROWS, 2 * COLUMNS};
    stria_tensor *base;

    memset(in, 0, sizeof *in);
    in->x = make(STRIA_F32, 2, shape, 1);
    in->y = make(STRIA_F32, 2, shape, 2);
    base = make(STRIA_F32, 2, turned, 3);
    CHECK_STATUS(stria_transpose(base, 0, 1, &in->turned, NULL), STRIA_OK);
    stria_tensor_release(base);
    in->half = make(STRIA_F16, 2, shape, 4);
    in->whole = make(STRIA_I32, 2, shape, 5);
    in->mask = make(STRIA_BOOL, 2, shape, 6);
    base = make(STRIA_I32, 2, wider, 7);
    CHECK_STATUS(stria_slice(base, 1, 0, INT64_MAX, 2, &in->narrow, NULL), STRIA_OK);
    stria_tensor_release(base);
    in->few = make(STRIA_F32, 2, (int64_t[]){20000, 6}, 8);
    in->flat = make(STRIA_F32, 1, (int64_t[]){150000}, 9);
    in->half_rows = make(STRIA_F16, 2, (int64_t[]){12, 10000}, 10);
    static const stria_instruction difference[] = {{STRIA_OP_sub, {0, 1}}, {STRIA_OP_square, {2}}};
    CHECK_STATUS(stria_expression_new(2, NULL, 0, difference, 2, &in->kept, NULL), STRIA_OK);
    in->wide = make(STRIA_I64, 2, (int64_t[]){WIDE_ROWS, COLUMNS}, 11);
    in->a = make(STRIA_F32, 2, (int64_t[]){160, 160}, 12);
    in->b = make(STRIA_F16, 2, (int64_t[]){160, 160}, 13);
    in->batch = make(STRIA_I32, 3, (int64_t[]){24, 40, 40}, 14);
    in->tall = make(STRIA_F32, 2, (int64_t[]){160, 1200}, 15);
    in->vector = make(STRIA_F16, 1, (int64_t[]){160}, 16);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = 0.3}, &in->share, NULL),
                 STRIA_OK);
    init_more(in);
    check_words();
}

void family_inputs_release(family_inputs *in)
{
    stria_tensor *const all[] = {
        in->x,         in->y,        in->turned,     in->half, in->whole,  in->mask,   in->narrow, in->few,   in->flat,
        in->half_rows, in->wide,     in->a,          in->b,    in->batch,  in->tall,   in->vector, in->share, in->z,
        in->z_turned,  in->matrices, in->invertible, in->rows, in->places, in->chosen, in->spread};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
    stria_expression_release(in->kept);
    stria_graph_release(in->graph);
    stria_bytes_release(in->saved);
}

void *family_get_bytes(stria_tensor *x, size_t *nbytes)
{
    stria_tensor *packed = NULL;
    void         *bytes = NULL;

    *nbytes = (size_t)stria_tensor_get_numel(x) * stria_dtype_get_size(stria_tensor_get_dtype(x));
    if (stria_contiguous(x, &packed, NULL) != STRIA_OK) return NULL;
    bytes = malloc(*nbytes + 1);
    if (bytes) memcpy(bytes, stria_tensor_get_const_data(packed), *nbytes);
    stria_tensor_release(packed);
    return bytes;
}
