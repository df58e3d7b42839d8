/* test_nontemporal.c - results so large that they are stored past the caches (nontemporal.h): each element beside plain C, for results
 * that begin anywhere in a vector, from any number of threads, in place, and from expressions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "cpu/exec.h"
#include "cpu/nontemporal.h"

enum { N = STRIA_NONTEMPORAL_BYTES / 4 + 1031, LEAD = 5 };

static const int threads[] = {1, 2, 7};

/* Input k at i: small whole numbers and quarters, so that every op below is exact. */
static double input_at(int k, int64_t i) { return (double)((i * (k + 3) + k) % 29 - 14) / 4; }

static stria_tensor *make(stria_dtype dtype, int64_t lead, int input)
{
    const int64_t numel = N + lead;
    stria_tensor *all = NULL, *part = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &numel, &all, NULL), STRIA_OK);
    if (all == NULL) exit(2);
    for (int64_t i = 0; i < N; i++) {
        const double v = input < 0 ? 99 : input_at(input, i);
        if (dtype == STRIA_F32)
            ((float *)stria_tensor_get_data(all))[lead + i] = (float)v;
        else
            ((double *)stria_tensor_get_data(all))[lead + i] = v;
    }
    CHECK_STATUS(stria_slice(all, 0, lead, lead + N, 1, &part, NULL), STRIA_OK);
    stria_tensor_release(all);
    return part;
}

static double get(const stria_tensor *x, int64_t i)
{
    const void *data = stria_tensor_get_const_data(x);
    return stria_tensor_get_dtype(x) == STRIA_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static int64_t count_wrong(const stria_tensor *y, double (*exact)(int64_t i))
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < N; i++) wrong += get(y, i) != exact(i);
    return wrong;
}

static double exact_neg(int64_t i) { return -input_at(0, i); }
static double exact_sub(int64_t i) { return input_at(0, i) - input_at(1, i); }
static double exact_sub_value(int64_t i) { return input_at(0, i) - 1.5; }
static double exact_value_sub(int64_t i) { return 1.5 - input_at(1, i); }
static double exact_chain(int64_t i) { return fmax((input_at(0, i) - input_at(1, i)) * input_at(0, i) + 2, 0); }
static double exact_in_place(int64_t i) { return input_at(0, i) - input_at(1, i); }

static const struct {
    const char *name;
    stria_op    op;
    int         n_in, in[2]; /* 2: the single value */
    double (*exact)(int64_t i);
} cases[] = {{"-a", STRIA_OP_neg, 1, {0}, exact_neg},
             {"a - b", STRIA_OP_sub, 2, {0, 1}, exact_sub},
             {"a - 1.5", STRIA_OP_sub, 2, {0, 2}, exact_sub_value},
             {"1.5 - b", STRIA_OP_sub, 2, {2, 1}, exact_value_sub}};

static void check_ops(stria_tensor *const *in, stria_tensor *out, int64_t lead)
{
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const stria_tensor *view[] = {in[cases[c].in[0]], in[cases[c].in[1]]};
        for (int t = check_has_values() ? 0 : 2; t < 3; t++) {
            CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
            CHECK_STATUS(stria_apply_out(cases[c].op, view, cases[c].n_in, out, NULL), STRIA_OK);
            const int64_t wrong = count_wrong(out, cases[c].exact);
            CHECK(wrong == 0, "%s, %s, %d elements on, %d threads: %lld wrong", cases[c].name,
                  stria_dtype_get_name(stria_tensor_get_dtype(out)), (int)lead, threads[t], (long long)wrong);
            memset(stria_tensor_get_data(out), 0, 4096);
        }
    }
}

static void check_expression(stria_tensor *const *in, stria_tensor *out)
{
    static const stria_scalar      two[] = {{.kind = STRIA_SCALAR_INT, .i = 2}};
    static const stria_instruction code[] = {
        {STRIA_OP_sub, {0, 1}}, {STRIA_OP_mul, {3, 0}}, {STRIA_OP_add, {4, 2}}, {STRIA_OP_relu, {5}}};
    stria_expression *e = NULL;
    stria_tensor     *y = NULL;

    CHECK_STATUS(stria_expression_new(2, two, 1, code, 4, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply_out(e, (const stria_tensor *const *)in, 2, out, NULL), STRIA_OK);
    CHECK(count_wrong(out, exact_chain) == 0, "an expression into a given tensor");
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *const *)in, 2, &y, NULL), STRIA_OK);
    CHECK(y != NULL && count_wrong(y, exact_chain) == 0, "an expression into a new tensor");
    stria_expression_release(e);
    stria_tensor_release(y);
}

static void test_dtype(stria_dtype dtype)
{
    const stria_scalar half = {.kind = STRIA_SCALAR_FLOAT, .re = 1.5};
    for (int64_t lead = 0; lead <= LEAD; lead += LEAD) {
        stria_tensor *in[3] = {make(dtype, 0, 0), make(dtype, 1, 1), NULL};
        stria_tensor *out = make(dtype, lead, -1);
        CHECK_STATUS(stria_tensor_new_scalar(half, &in[2], NULL), STRIA_OK);
        check_ops(in, out, lead);
        check_expression(in, out);
        CHECK_STATUS(stria_apply_out(STRIA_OP_sub, (const stria_tensor *[]){in[0], in[1]}, 2, in[0], NULL), STRIA_OK);
        CHECK(count_wrong(in[0], exact_in_place) == 0, "a -= b in place");
        for (int k = 0; k < 3; k++) stria_tensor_release(in[k]);
        stria_tensor_release(out);
    }
}

/* Fewer elements than there are up to the next vector: a chunk's last piece. */
static void test_few(void)
{
    const stria_kernels       *kernels = stria_dispatch_get();
    const stria_chain_kernels *chain =
        stria_nontemporal_choose(kernels, STRIA_OP_neg, STRIA_F32, STRIA_NONTEMPORAL_BYTES);
    _Alignas(64) float in[16], out[16];
    char *const        data[] = {(char *)(out + 1), (char *)(in + 1)};
    const int64_t      strides[] = {4, 4};

    if (chain == NULL) return; /* the instruction set has no such stores */
    for (int k = 0; k < 16; k++) in[k] = (float)k, out[k] = 99;
    stria_nontemporal_run(chain, STRIA_OP_neg, 1, kernels->lane[STRIA_F32]->loop[STRIA_OP_neg], kernels->vector_bytes,
                          data, strides, 2);
    CHECK(out[0] == 99 && out[1] == -1 && out[2] == -2 && out[3] == 99, "%g %g %g %g", out[0], out[1], out[2], out[3]);
}

SUITE(test_nontemporal)
{
    check_isa("test_nontemporal");
    test_few();
    test_dtype(STRIA_F32);
    test_dtype(STRIA_F64);
    return check_finish("test_nontemporal");
}
