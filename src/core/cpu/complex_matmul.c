/* complex_matmul.c - matrix products of complex numbers as one real product.
 *
 *     [ar ai ..] [ br bi ..]   [ar br - ai bi   ar bi + ai br ..]
 *                [-bi br ..] =
 *
 * The left operand and the result are what lies in memory, with an axis twice as long; the right one is written out, in twice its
 * bytes. That is the work of four real products, in one call. Three would do (Gauss), but lose the smaller part to the larger one:
 * Higham, Stability of a Method for Multiplying Complex Matrices with Three Real Matrix Multiplications, SIAM J. Matrix Anal. 13 (1992). */
#include "base/error.h"
#include "call/backend.h"
#include "cpu/complex_parts.h"

#define CAST(x) ((stria_tensor *)(uintptr_t)(x))

/* [.., n] complex as [.., 2 n] real; a view where x has no gaps along its last axis. */
static stria_status double_last(const stria_tensor *x, stria_temps *temps, stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS];

    for (int d = 0; d < x->ndim; d++) shape[d] = x->shape[d];
    shape[x->ndim - 1] *= 2;
    STRIA_TRY(stria_view_as_real(CAST(x), STRIA_TEMP, err));
    return stria_reshape(STRIA_LAST, shape, x->ndim, STRIA_TEMP, err);
}

/* b, [.., k, n] or [k], as [.., 2 k, 2 n] or [2 k, 2]: a row (br, bi) and a row (-bi, br) for each row of b. */
static stria_status write_out(const stria_tensor *b, stria_dtype dtype, stria_temps *temps, stria_error *err)
{
    const int     ndim = b->ndim == 1 ? 2 : b->ndim, row = ndim - 2;
    const int64_t columns = b->ndim == 1 ? 1 : b->shape[ndim - 1];
    int64_t       shape[STRIA_MAX_DIMS + 1];
    stria_tensor *all, *own, *turned, *re, *im;

    if (ndim == STRIA_MAX_DIMS)
        return stria_error_set(err, STRIA_ERR_SHAPE, "matmul", "b", "at most 63 dims", "64",
                               "b has 64 dims, but may have 63");
    for (int d = 0; d <= row; d++) shape[d] = b->shape[d];
    shape[ndim - 1] = 2;
    shape[ndim] = columns;
    STRIA_TRY(stria_tensor_new(dtype, ndim + 1, shape, STRIA_TEMP, err));
    all = STRIA_LAST;
    if (b->ndim == 1) {
        STRIA_TRY(stria_unsqueeze(CAST(b), 1, STRIA_TEMP, err));
        b = STRIA_LAST;
    }
    STRIA_TRY(stria_select(all, ndim - 1, 0, STRIA_TEMP, err));
    own = STRIA_LAST;
    STRIA_TRY(stria_backend_copy(own, b, err));
    STRIA_TRY(stria_select(all, ndim - 1, 1, STRIA_TEMP, err));
    turned = STRIA_LAST;
    STRIA_TRY(stria_real(own, STRIA_TEMP, err));
    re = STRIA_LAST;
    STRIA_TRY(stria_imag(turned, STRIA_TEMP, err));
    STRIA_TRY(stria_backend_copy(STRIA_LAST, re, err));
    STRIA_TRY(stria_imag(own, STRIA_TEMP, err));
    im = STRIA_LAST;
    STRIA_TRY(stria_real(turned, STRIA_TEMP, err));
    STRIA_TRY(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){im}, 1, STRIA_LAST, err));
    shape[row] *= 2;
    shape[ndim - 1] = 2 * columns;
    STRIA_TRY(stria_view_as_real(all, STRIA_TEMP, err));
    return stria_reshape(STRIA_LAST, shape, ndim, STRIA_TEMP, err);
}

static stria_status multiply_pairs(const stria_tensor *a, const stria_tensor *b, stria_tensor *y, stria_temps *temps,
                                   stria_error *err)
{
    int64_t shape[STRIA_MAX_DIMS + 1];

    if (a->dtype != y->dtype) {
        STRIA_TRY(stria_tensor_copy(a, y->dtype, STRIA_TEMP, err));
        a = STRIA_LAST;
    }
    STRIA_TRY(write_out(b, y->dtype, temps, err));
    const stria_tensor *right = STRIA_LAST;
    STRIA_TRY(double_last(a, temps, err));
    STRIA_TRY(stria_matmul(STRIA_LAST, right, STRIA_TEMP, err)); /* [.., 2 n], of a vector b [.., 2] */
    for (int d = 0; d < y->ndim; d++) shape[d] = y->shape[d];
    shape[y->ndim] = 2;
    STRIA_TRY(stria_view(STRIA_LAST, shape, y->ndim + 1, STRIA_TEMP, err));
    STRIA_TRY(stria_view_as_complex(STRIA_LAST, STRIA_TEMP, err));
    return stria_backend_copy(y, STRIA_LAST, err);
}

/* One part of a product of which the other operand is real. */
static stria_status multiply_part(const stria_tensor *a, const stria_tensor *b, int part, stria_tensor *y,
                                  stria_temps *temps, stria_error *err)
{
    stria_status (*const view)(stria_tensor * x, stria_tensor * *out, stria_error * err) =
        part ? stria_imag : stria_real;
    const bool          is_left = stria_dtype_is_complex(a->dtype);
    const stria_tensor *real = is_left ? b : a;
    const stria_dtype   dtype = stria_dtype_get_part(y->dtype);

    STRIA_TRY(view(CAST(is_left ? a : b), STRIA_TEMP, err));
    const stria_tensor *own = STRIA_LAST;
    if (real->dtype != dtype) {
        STRIA_TRY(stria_tensor_copy(real, dtype, STRIA_TEMP, err));
        real = STRIA_LAST;
    }
    STRIA_TRY(stria_matmul(is_left ? own : real, is_left ? real : own, STRIA_TEMP, err));
    const stria_tensor *product = STRIA_LAST;
    STRIA_TRY(view(y, STRIA_TEMP, err));
    return stria_backend_copy(STRIA_LAST, product, err);
}

stria_status stria_complex_matmul(const stria_tensor *a, const stria_tensor *b, stria_tensor *y, stria_error *err)
{
    const bool   both = stria_dtype_is_complex(a->dtype) && stria_dtype_is_complex(b->dtype);
    stria_temps  temps = {{NULL}, 0};
    stria_status status = both ? multiply_pairs(a, b, y, &temps, err) : multiply_part(a, b, 0, y, &temps, err);

    if (status == STRIA_OK && !both) status = multiply_part(a, b, 1, y, &temps, err);
    stria_temps_release(&temps);
    return status;
}
