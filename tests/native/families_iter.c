/* families_iter.c - calls of families.h of the public iterator. */
#include "base/error.h"
#include "families.h"
#include "iter.h"

/* out = a + b of i64, at any strides. */
static void add_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i = 0; i < n0; i++)
            *(int64_t *)(void *)(data[0] + i * strides[0] + j * strides[3]) =
                *(int64_t *)(void *)(data[1] + i * strides[1] + j * strides[4]) +
                *(int64_t *)(void *)(data[2] + i * strides[2] + j * strides[5]);
}

/* out += x of i64, at any strides. */
static void sum_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i = 0; i < n0; i++)
            *(int64_t *)(void *)(data[0] + i * strides[0] + j * strides[2]) +=
                *(int64_t *)(void *)(data[1] + i * strides[1] + j * strides[3]);
}

/* out = 2 * x of f64, of lanes. */
static void double_loop(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    (void)context;
    for (int64_t k = 0; k < count; k++)
        *(double *)(void *)(data[0] + k * strides[0]) = 2 * *(double *)(void *)(data[1] + k * strides[1]);
}

static stria_status sum_part(void *context, stria_iter *part, stria_error *err)
{
    (void)err;
    stria_iter_run_range(part, sum_loop, context, 0, stria_iter_get_numel(part));
    return STRIA_OK;
}

stria_status family_for_each(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    stria_iter_config config;
    stria_iter        it;

    stria_iter_config_init(&config);
    stria_iter_config_set_binary_op(&config, NULL, in->wide, in->wide);
    STRIA_TRY(stria_iter_build(&it, &config, err));
    stria_iter_for_each(&it, add_loop, NULL, 1000);
    *out = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    return STRIA_OK;
}

stria_status family_buffered(const family_inputs *in, stria_tensor **out, stria_error *err)
{
    static const stria_dtype lanes[] = {STRIA_F64, STRIA_F64};
    stria_iter_config        config;
    stria_iter               it;

    stria_iter_config_init(&config);
    stria_iter_config_set_unary_op(&config, NULL, in->turned);
    STRIA_TRY(stria_iter_build(&it, &config, err));
    const stria_status status = stria_iter_for_each_buffered(&it, lanes, double_loop, NULL, 0, err);
    *out = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    return status;
}

/* Sums of `wide` into a new tensor, along the axes in `reduced`. */
static stria_status reduce(const family_inputs *in, uint64_t reduced, bool by_part, stria_tensor **out,
                           stria_error *err)
{
    const int64_t     kept[] = {reduced & 1 ? 1 : FAMILY_WIDE_ROWS, reduced & 2 ? 1 : FAMILY_COLUMNS};
    stria_tensor     *view = NULL;
    stria_iter_config config;
    stria_iter        it;

    STRIA_TRY(stria_full(kept, 2, (stria_scalar){.kind = STRIA_SCALAR_INT}, STRIA_I64, STRIA_CPU, out, err));
    STRIA_TRY(stria_iter_view_reduced(*out, 2, reduced, true, &view, err));
    stria_iter_config_init(&config);
    stria_iter_config_set_reduce_op(&config, view, in->wide);
    stria_status status = stria_iter_build(&it, &config, err);
    if (status == STRIA_OK) {
        status = by_part ? stria_iter_foreach_reduced_elt(&it, sum_part, NULL, err)
                         : stria_iter_parallel_reduce(&it, sum_loop, NULL, err);
        stria_iter_release(&it);
    }
    stria_tensor_release(view);
    return status;
}

FAMILY(reduce_two_passes, reduce(in, 3, false, out, err))
FAMILY(reduce_kept_rows, reduce(in, 2, false, out, err))
FAMILY(reduce_kept_columns, reduce(in, 1, false, out, err))
FAMILY(reduce_parts, reduce(in, 2, true, out, err))
