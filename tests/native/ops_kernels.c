/* ops_kernels.c - the loops of the kernel table themselves (test_ops.c): every row and dtype, every length from 0 to a
 * few vectors, every mix of contiguous and broadcast inputs, between unreadable pages; output onto an input; and
 * against the scalar table, bit for bit. */
#include "ops_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "simd/kernels.h"
#include "oracle.h"

#define LONGEST 300 /* more than 4 * 64 + 3, four vectors of the shortest elements on the widest machine */

typedef struct kernel_case {
    const oracle_op *op;
    stria_op         number;
    stria_dtype      compute, output;
    stria_loop      *loop, *scalar;
    int64_t          longest;
    size_t           size[1 + STRIA_MAX_INPUTS]; /* bytes of an element, output first */
    char             input[STRIA_MAX_INPUTS][LONGEST * 8];
    char             expected[LONGEST * 8]; /* of the longest run */
} kernel_case;

/* Runs the loop with inputs and output in guarded memory. `mask` has bit k set if input k is one value; `alias` is the
 * input that the output lies on, or -1. Results go to `got`. */
static void run_guarded(const kernel_case *c, stria_loop *loop, int mask, int alias, int64_t n, bool at_end, char *got)
{
    guarded memory[1 + STRIA_MAX_INPUTS];
    char   *data[1 + STRIA_MAX_INPUTS];
    int64_t stride[1 + STRIA_MAX_INPUTS];

    memory[0] = guarded_new((size_t)n * c->size[0], at_end);
    data[0] = memory[0].data;
    stride[0] = (int64_t)c->size[0];
    for (int k = 0; k < c->op->arity; k++) {
        const bool   one = mask >> k & 1;
        const size_t nbytes = (one ? 1 : (size_t)n) * c->size[1 + k];
        memory[1 + k] = guarded_new(nbytes, at_end);
        data[1 + k] = memory[1 + k].data;
        stride[1 + k] = one ? 0 : (int64_t)c->size[1 + k];
        memcpy(data[1 + k], c->input[k], nbytes);
    }
    if (alias >= 0) data[0] = data[1 + alias];
    loop(data, stride, n);
    memcpy(got, data[0], (size_t)n * c->size[0]);
    value_canonicalise(c->output, got, n);
    for (int k = 0; k <= c->op->arity; k++) guarded_release(memory[k]);
}

/* One element against the oracle: `at[0]` is the result, those that follow are the inputs. */
static void check_element(const oracle_op *op, stria_dtype compute, stria_dtype output, const char *const *at,
                          int64_t i)
{
    value in[STRIA_MAX_INPUTS];
    char  text[96], shown[1 + STRIA_MAX_INPUTS][48] = {"", "", "", ""};

    memset(in, 0, sizeof in);
    for (int k = 0; k < op->arity; k++) in[k] = value_get(oracle_input_dtype(op, k, compute), at[1 + k]);
    const bool ok = oracle_check(op, compute, in, output, at[0], text, sizeof text);
    if (!ok) {
        value_print(output, at[0], shown[0], sizeof shown[0]);
        for (int k = 0; k < op->arity; k++)
            value_print(oracle_input_dtype(op, k, compute), at[1 + k], shown[1 + k], sizeof shown[1 + k]);
    }
    CHECK(ok, "%s.%s(%s, %s, %s)[%lld] = %s, expected %s", op->name, stria_dtype_get_name(compute), shown[1], shown[2],
          shown[3], (long long)i, shown[0], text);
}

static void check_oracle(const kernel_case *c, int mask, const char *got)
{
    for (int64_t i = 0; i < c->longest; i++) {
        const char *at[1 + STRIA_MAX_INPUTS] = {got + (size_t)i * c->size[0]};
        for (int k = 0; k < c->op->arity; k++)
            at[1 + k] = c->input[k] + (mask >> k & 1 ? 0 : (size_t)i * c->size[1 + k]);
        check_element(c->op, c->compute, c->output, at, i);
    }
}

static void check_lengths(kernel_case *c, int mask)
{
    char         got[LONGEST * 8];
    const char  *dtype = stria_dtype_get_name(c->compute);
    const size_t size = c->size[0];

    run_guarded(c, c->loop, mask, -1, c->longest, true, c->expected);
    check_oracle(c, mask, c->expected);
    run_guarded(c, c->scalar, mask, -1, c->longest, true, got);
    CHECK(memcmp(got, c->expected, (size_t)c->longest * size) == 0, "%s.%s differs from the scalar loop", c->op->name,
          dtype);
    for (int64_t n = 0; n < c->longest; n++) {
        for (int at_end = 0; at_end < 2; at_end++) {
            run_guarded(c, c->loop, mask, -1, n, at_end, got);
            CHECK(memcmp(got, c->expected, (size_t)n * size) == 0,
                  "%s.%s, %lld elements, inputs %d: other bits than in"
                  " a longer run",
                  c->op->name, dtype, (long long)n, mask);
        }
    }
    for (int k = 0; k < c->op->arity; k++) {
        if (c->size[1 + k] != size || mask >> k & 1) continue;
        run_guarded(c, c->loop, mask, k, c->longest, false, got);
        CHECK(memcmp(got, c->expected, (size_t)c->longest * size) == 0, "%s.%s in place of input %d", c->op->name,
              dtype, k);
    }
}

static void check_kernel(const stria_kernels *kernels, const stria_kernels *scalar, stria_op number,
                         stria_dtype compute)
{
    static kernel_case c;
    random_state       random = {1000u * (unsigned)number + (unsigned)compute};

    c.op = &oracle_ops[number];
    c.number = number;
    c.compute = compute;
    c.output = c.op->rule == ORACLE_BOOL ? STRIA_BOOL : compute;
    c.loop = kernels->lane[compute]->loop[number];
    c.scalar = scalar->lane[compute]->loop[number];
    CHECK((c.loop != NULL) == oracle_op_has(c.op, compute), "%s.%s: %s loop", c.op->name, stria_dtype_get_name(compute),
          c.loop ? "an unexpected" : "no");
    if (!c.loop || !c.scalar) return;
    c.size[0] = stria_dtype_get_size(c.output);
    c.longest = 4 * (kernels->vector_bytes / (int64_t)stria_dtype_get_size(compute)) + 3;
    if (c.longest < 35) c.longest = 35; /* room for every kind of sample */
    for (int mask = 0; mask < 1 << c.op->arity; mask++) {
        for (int k = 0; k < c.op->arity; k++) {
            const stria_dtype dtype = oracle_input_dtype(c.op, k, compute);
            c.size[1 + k] = stria_dtype_get_size(dtype);
            for (int64_t i = 0; i < c.longest; i++)
                random_element(&random, dtype, c.op->low, c.op->high, c.input[k] + (size_t)i * c.size[1 + k]);
        }
        check_lengths(&c, mask);
    }
}

/* Every combination of special values. */
static void check_specials(const stria_kernels *kernels, stria_op number, stria_dtype compute)
{
    const oracle_op  *op = &oracle_ops[number];
    const stria_dtype output = op->rule == ORACLE_BOOL ? STRIA_BOOL : compute;
    int64_t           count = 1, period = 1;
    char             *data[1 + STRIA_MAX_INPUTS];
    int64_t           stride[1 + STRIA_MAX_INPUTS] = {(int64_t)stria_dtype_get_size(output)};

    if (!kernels->lane[compute]->loop[number]) return;
    for (int k = 0; k < op->arity; k++) count *= special_count(oracle_input_dtype(op, k, compute));
    for (int k = 0; k <= op->arity; k++)
        if (!(data[k] = malloc((size_t)count * 8))) exit(2);
    for (int k = 0; k < op->arity; k++) {
        const stria_dtype dtype = oracle_input_dtype(op, k, compute);
        stride[1 + k] = (int64_t)stria_dtype_get_size(dtype);
        for (int64_t i = 0; i < count; i++)
            special_element(dtype, (uint64_t)(i / period), data[1 + k] + i * stride[1 + k]);
        period *= special_count(dtype);
    }
    kernels->lane[compute]->loop[number](data, stride, count);
    for (int64_t i = 0; i < count; i++) {
        const char *at[1 + STRIA_MAX_INPUTS];
        for (int k = 0; k <= op->arity; k++) at[k] = data[k] + i * stride[k];
        check_element(op, compute, output, at, i);
    }
    for (int k = 0; k <= op->arity; k++) free(data[k]);
}

void check_kernels(void)
{
    const stria_kernels *kernels = stria_dispatch_get(), *scalar = stria_dispatch_get_isa("scalar");
    if (!scalar) scalar = kernels;
    for (int op = 0; op < STRIA_OP_COUNT; op++)
        for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
            check_kernel(kernels, scalar, (stria_op)op, (stria_dtype)d);
            check_specials(kernels, (stria_op)op, (stria_dtype)d);
        }
}
