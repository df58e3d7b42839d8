/* hash_dense.c - hashes of rows of ops over points that lie densely in their domain (hash.h).
 *
 * tensor_random repeats some 4,000 elements, of which a few hundred are where a function is neither 0 nor infinite. Another last bit of one
 * constant changes one result of a thousand, or of a hundred thousand: exp of f32 once got other bits, and its line stayed. Here every point is
 * another one; f16 and bf16 have all that there are. */
#include <math.h>
#include <string.h>

#include "hash.h"

enum { DENSE = 1 << 17, OCTAVES = 40, ALL_16_BIT = 1 << 16 };

/* By turns over the interval, an eighth and a 64th of it, where results are neither 0 nor infinite, and in each octave alike, where functions
 * are nearly linear. Of exact operations alone, so that every target draws the same. */
static double draw(random_state *random, int64_t k, double low, double high)
{
    const double   u = random_unit(random);
    const uint64_t bits = random_next(random);

    if (k % 4 < 3) return ldexp(low + (high - low) * u, -3 * (int)(k % 4));
    const double size = ldexp((1 + u) / 2 * (high > -low ? high : -low), -(int)(bits % OCTAVES));
    return low < 0 && bits >> 32 & 1 ? -size : size;
}

/* The numbers of bits 0, 1, 2 .. in an order that leaves no two neighbours alike. */
static void fill_all(stria_tensor *x)
{
    for (uint32_t k = 0; k < ALL_16_BIT; k++) {
        const uint16_t bits = (uint16_t)(k * 40503u);
        char          *at = (char *)stria_tensor_get_data(x) + (size_t)k * sizeof bits;
        memcpy(at, &bits, sizeof bits);
        value_canonicalise(stria_tensor_get_dtype(x), at, 1);
    }
}

static stria_tensor *make_dense(random_state *random, stria_dtype dtype, const oracle_op *op, int operand)
{
    const bool    has_all = op->arity == 1 && (dtype == STRIA_F16 || dtype == STRIA_BF16);
    const int64_t n = has_all ? ALL_16_BIT : DENSE, size = (int64_t)stria_dtype_get_size(dtype);
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &x, NULL), STRIA_OK);
    if (x == NULL) return NULL;
    char *at = stria_tensor_get_data(x);
    if (has_all)
        fill_all(x);
    else
        /* operands are not of one size all the time */
        for (int64_t k = 0; k < n; k++, at += size)
            value_set(dtype, value_from_real(draw(random, k >> (2 * operand), op->low, op->high)), at);
    return x;
}

uint64_t hash_dense(stria_op number, stria_dtype dtype, uint64_t hash)
{
    const oracle_op    *op = &oracle_ops[number];
    random_state        random = {(uint64_t)(1 + number) * 7919 + (uint64_t)dtype};
    stria_tensor       *in[STRIA_MAX_INPUTS] = {NULL};
    const stria_tensor *view[STRIA_MAX_INPUTS];
    const hash_op_call  call = {number, view};

    for (int k = 0; k < op->arity; k++) view[k] = in[k] = make_dense(&random, dtype, op, k);
    hash = hash_threads(hash_run_op, &call, hash, op->name, dtype);
    for (int k = 0; k < op->arity; k++) stria_tensor_release(in[k]);
    return hash;
}
