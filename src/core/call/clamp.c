/* clamp.c - what clamp has beyond its row: bounds that are missing, and, as hardtanh, numbers that the dtype of the result does not hold. */
#include "base/error.h"
#include "call/call_internal.h"
#include "call/compose.h"
#include "call/meta.h"
#include "table/dtype.h"

bool stria_clamp_find_nearest(const stria_tensor *number, stria_dtype dtype, int64_t *nearest)
{
    const stria_category category = stria_dtype_get_category(dtype);

    if (!number->is_wrapped_number || (number->dtype != STRIA_I64 && number->dtype != STRIA_U64) ||
        number->device.type != STRIA_DEVICE_CPU || (category != STRIA_CATEGORY_I && category != STRIA_CATEGORY_U))
        return false;
    const int64_t value = *(const int64_t *)(const void *)number->data;
    const bool    is_large = number->dtype == STRIA_U64 && value < 0; /* 2^63 and more */
    const bool    has_sign = category == STRIA_CATEGORY_I;
    const int     shift = 64 - 8 * (int)stria_dtype_get_size(dtype);
    const int64_t most = has_sign ? INT64_MAX >> shift : (int64_t)(UINT64_MAX >> shift); /* -1: of u64 */

    if (is_large)
        *nearest = dtype == STRIA_U64 ? value : most;
    else if (value < (has_sign ? -1 - most : 0))
        *nearest = has_sign ? -1 - most : 0;
    else
        *nearest = most >= 0 && value > most ? most : value;
    return *nearest != value || (is_large && dtype != STRIA_U64);
}

stria_status stria_clamp_limit(const stria_tensor *const *in, int n_in, int k, const stria_tensor **bound,
                               stria_tensor **owned, stria_error *err)
{
    int64_t nearest;

    *bound = in[k];
    *owned = NULL;
    if (!in[k]->is_wrapped_number || stria_dtype_get_category(in[k]->dtype) >= STRIA_CATEGORY_F) return STRIA_OK;
    const stria_dtype dtype = stria_promote_result(in, n_in);
    if (!stria_clamp_find_nearest(in[k], dtype, &nearest)) return STRIA_OK;
    const stria_scalar scalar = {dtype == STRIA_U64 ? STRIA_SCALAR_UINT : STRIA_SCALAR_INT, .i = nearest};
    STRIA_TRY(stria_tensor_new_scalar(scalar, owned, err));
    *bound = *owned;
    return STRIA_OK;
}

/* Without an upper bound clamp is maximum, without a lower one minimum; where gradients or a recorder see it, clamp_min or clamp_max, whose
 * gradients at the bound are those of clamp. */
static stria_status clamp_to_one(const stria_tensor *const *in, stria_tensor **out, stria_error *err)
{
    const bool           has_lower = in[1] != NULL;
    const stria_tensor  *both[] = {in[0], in[has_lower ? 1 : 2]};
    const stria_function row = has_lower ? STRIA_FN_clamp_min : STRIA_FN_clamp_max;
    stria_call           call = {STRIA_ROW_OF_FUNCTION(row), 2, both, NULL, 0, NULL, out, NULL};
    stria_tensor        *owned = NULL;

    if (both[1] == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "clamp", "b", "a bound, b or c", "NULL", "b and c are NULL");
    const bool is_seen = both[0] != NULL && stria_call_is_seen(&call);
    if (!is_seen) call.row = STRIA_ROW_OF_OP(has_lower ? STRIA_OP_maximum : STRIA_OP_minimum);
    stria_status status = STRIA_OK;
    if (!is_seen && both[0] != NULL) status = stria_clamp_limit(both, 2, 1, &both[1], &owned, err);
    if (status == STRIA_OK) status = stria_call_run(&call, err);
    stria_tensor_release(owned);
    if (is_seen) status = stria_temps_rename(status, "x", "a", err);
    status = stria_temps_rename(status, !is_seen ? "b" : has_lower ? "min" : "max", has_lower ? "b" : "c", err);
    return stria_error_set_op(err, status, "clamp");
}

stria_status stria_clamp_run(const stria_call *call, stria_error *err)
{
    const stria_tensor *const *in = call->in;
    const stria_tensor        *all[] = {in[0], in[1], in[2]};
    stria_tensor              *owned[] = {NULL, NULL};
    stria_call                 limited = *call;
    stria_status               status = STRIA_OK;

    if (call->row == STRIA_ROW_OF_OP(STRIA_OP_clamp) && (in[1] == NULL || in[2] == NULL))
        return clamp_to_one(in, call->out, err);
    limited.in = all;
    for (int k = 1; k < 3 && status == STRIA_OK && in[0] != NULL && in[1] != NULL && in[2] != NULL; k++)
        status = stria_clamp_limit(in, 3, k, &all[k], &owned[k - 1], err);
    if (status == STRIA_OK) status = stria_call_run(&limited, err);
    for (int k = 0; k < 2; k++) stria_tensor_release(owned[k]);
    return stria_error_set_op(err, status, stria_call_get_name(call));
}
