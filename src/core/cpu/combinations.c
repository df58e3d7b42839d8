/* combinations.c - every choice of r elements of a line, in the order of their positions. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/call.h"

/* n over r into *count; false where it does not fit. */
static bool count_choices(int64_t n, int64_t r, int64_t *count)
{
    *count = r > n ? 0 : 1;
    if (r > n) return true;
    if (r > n - r) r = n - r;
    for (int64_t k = 1; k <= r; k++) { /* c m / k is whole */
        const int64_t m = n - r + k;
        int64_t       wholes, rest;
        if (__builtin_mul_overflow(*count / k, m, &wholes) || __builtin_mul_overflow(*count % k, m, &rest) ||
            __builtin_add_overflow(wholes, rest / k, count))
            return false;
    }
    return true;
}

stria_status stria_infer_combinations(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_combinations_attrs *attrs = call->attrs;
    const stria_tensor             *x = call->in[0];
    stria_output_meta              *out = &meta->out[0];
    const int64_t                   r = attrs->r;
    int64_t                         most, numel;
    char                            got[32];

    snprintf(got, sizeof got, "%d dims", x->ndim);
    if (x->ndim != 1)
        return stria_error_set(err, STRIA_ERR_SHAPE, "combinations", "x", "1 dim", got, "x has %s, but must have 1",
                               got);
    snprintf(got, sizeof got, "%lld", (long long)r);
    if (r < 0)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "combinations", "r", "0 or more", got,
                               "r must be 0 or more, not %s", got);
    out->dtype = x->dtype;
    out->order = STRIA_ORDER_ROW_MAJOR;
    out->ndim = r == 0 ? 1 : 2;
    out->shape[0] = 0; /* of r = 0, as PyTorch has it */
    out->shape[1] = r;
    if (r == 0) return STRIA_OK;
    most = x->numel;
    /* with replacement: r of n + r - 1 */
    const bool fits = !attrs->with_replacement || most == 0 || !__builtin_add_overflow(most, r - 1, &most);
    if (!fits || !count_choices(most, r, &out->shape[0]))
        return stria_error_set(err, STRIA_ERR_OVERFLOW, "combinations", "r", "fewer than 2^63 elements", got,
                               "there are too many choices of %s elements", got);
    return stria_shape_get_numel("combinations", "r", x->dtype, 2, out->shape, &numel, NULL, err);
}

/* The next choice after places [r] of 0 .. n - 1; there is one. */
static void next_choice(int64_t *places, int64_t r, int64_t n, bool repeats)
{
    int64_t k = r - 1;

    while (places[k] == (repeats ? n - 1 : n - r + k)) k--;
    places[k]++;
    for (int64_t i = k + 1; i < r; i++) places[i] = repeats ? places[k] : places[i - 1] + 1;
}

stria_status stria_cpu_combinations(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    const stria_combinations_attrs *attrs = call->attrs;
    const stria_tensor             *x = call->in[0];
    const int64_t                   r = attrs->r, n_rows = y[0]->shape[0], item = stria_tensor_get_item_size(x);
    size_t                          nbytes = 0;
    int64_t                        *places = stria_block_new_parts(r, (int64_t)sizeof *places, &nbytes);
    (void)meta;

    if (!places)
        return stria_error_set(err, STRIA_ERR_MEMORY, "combinations", "r", NULL, NULL, "no memory for %lld places",
                               (long long)r);
    for (int64_t k = 0; k < r; k++) places[k] = attrs->with_replacement ? 0 : k;
    for (int64_t row = 0; row < n_rows; row++) {
        char *to = y[0]->data + row * y[0]->strides[0] * item;
        if (row > 0) next_choice(places, r, x->numel, attrs->with_replacement);
        for (int64_t k = 0; k < r; k++)
            memcpy(to + k * y[0]->strides[1] * item, x->data + places[k] * x->strides[0] * item, (size_t)item);
    }
    stria_block_release(places, nbytes);
    return STRIA_OK;
}
