/* test_expression_rows.c - expressions over rows that each have a value of their own, of lengths around the groups of chains: as the ops one after
 * another, bit for bit; where the result lies over an input, and where it is written once more at the end of a row. Scratch is given back. */
#include <string.h>

#include "base/scratch.h"
#include "gradients.h"
#include "oracle.h"
#include "suite.h"

static stria_tensor *make(stria_dtype dtype, int64_t rows, int64_t columns, random_state *random)
{
    const int64_t shape[] = {rows, columns};
    stria_tensor *x;

    OK(stria_tensor_new(dtype, 2, shape, &x, NULL));
    for (int64_t k = 0; k < x->numel; k++) {
        const double value = random_unit(random) * 4 - 2;
        if (dtype == STRIA_F32)
            ((float *)(void *)x->data)[k] = (float)value;
        else
            ((double *)(void *)x->data)[k] = value;
    }
    return x;
}

static void check_same(const stria_tensor *got, const stria_tensor *expected, const char *what)
{
    const size_t nbytes = (size_t)expected->numel * stria_dtype_get_size(expected->dtype);

    CHECK(memcmp(got->data, expected->data, nbytes) == 0, "%s: rows of %lld", what, (long long)got->shape[1]);
}

/* exp(x - value of the row) * y: as a new tensor, over x, over y; column: the values are those of rows. */
static void check_rows(const stria_expression *e, stria_dtype dtype, int64_t rows, int64_t columns, bool column)
{
    random_state  random = {(uint64_t)(rows * 4099 + columns)};
    stria_tensor *in[] = {make(dtype, rows, columns, &random), make(dtype, column ? rows : 1, 1, &random),
                          make(dtype, rows, columns, &random)};
    stria_tensor *d, *f, *expected, *got;

    OK(stria_sub(in[0], in[1], &d, NULL));
    OK(stria_exp(d, &f, NULL));
    OK(stria_mul(f, in[2], &expected, NULL));
    OK(stria_expression_apply(e, (const stria_tensor *const *)in, 3, &got, NULL));
    check_same(got, expected, "a new result");
    for (int k = 0; k < 3; k += 2) {
        stria_tensor *again[] = {in[0], in[1], in[2]};
        OK(stria_tensor_copy(in[k], STRIA_DTYPE_NONE, &again[k], NULL));
        OK(stria_expression_apply_out(e, (const stria_tensor *const *)again, 3, again[k], NULL));
        check_same(again[k], expected, "over an input");
        RELEASE(again[k]);
    }
    RELEASE(d, f, expected, got, in[0], in[1], in[2]);
}

SUITE(test_expression_rows)
{
    static const int64_t    sizes[] = {1,   7,   31,  40,  63,  64,  65,  96,  127, 128,  129,  160,  200, 255,
                                       256, 300, 330, 511, 512, 513, 608, 800, 960, 1000, 1024, 1025, 2100};
    const stria_instruction code[] = {
        {.op = STRIA_OP_sub, .in = {0, 1}}, {.op = STRIA_OP_exp, .in = {3}}, {.op = STRIA_OP_mul, .in = {4, 2}}};
    stria_expression *e;

    OK(stria_expression_new(3, NULL, 0, code, 3, &e, NULL));
    OK(stria_scratch_reserve("test", NULL));
    void *const place = stria_scratch_take(64);
    stria_scratch_give(place);
    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
        for (int way = 0; way < 8; way++)
            check_rows(e, way & 1 ? STRIA_F64 : STRIA_F32, way & 2 ? 17 : 2, sizes[k], (way & 4) != 0);
    stria_expression_release(e);
    void *const later = stria_scratch_take(64);
    stria_scratch_give(later);
    CHECK(later == place, "scratch is not given back");
    return check_finish("test_expression_rows");
}
