/* cuda_fold.c - see cuda_fold.h. */
#include "cuda_fold.h"

#include <math.h>

static stria_tensor *look(stria_tensor *base, int view)
{
    static const int all[] = {0, 1, 2, 3};
    const int        ndim = base->ndim;
    stria_tensor    *y = NULL;
    int64_t          shape[4];

    if (ndim == 0 || view == VIEW_PACKED) return base;
    if (view == VIEW_TURNED) CHECK_STATUS(stria_transpose(base, 0, -1, &y, NULL), STRIA_OK);
    if (view == VIEW_STEPPED) CHECK_STATUS(stria_slice(base, ndim - 1, 0, STRIA_INT_NONE, 2, &y, NULL), STRIA_OK);
    if (view == VIEW_FLIPPED) CHECK_STATUS(stria_flip(base, all, ndim, &y, NULL), STRIA_OK);
    if (view == VIEW_EXPANDED) {
        shape[0] = 3;
        for (int d = 0; d < ndim; d++) shape[1 + d] = base->shape[d];
        CHECK_STATUS(stria_expand(base, shape, ndim + 1, &y, NULL), STRIA_OK);
    }
    stria_tensor_release(base);
    return y;
}

static twins pair(stria_tensor *base, int view)
{
    stria_tensor *moved = cuda_case_to_device(base, CUDA);
    return (twins){look(base, view), look(moved, view)};
}

twins twins_new(stria_dtype dtype, int ndim, const int64_t *shape, int view, double offset, double scale, uint64_t seed)
{
    random_state  random = {seed * 1000003 + (uint64_t)dtype};
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    tensor_fill_random(&random, x, offset, scale);
    return pair(x, view);
}

twins twins_new_any(stria_dtype dtype, int ndim, const int64_t *shape, int view, uint64_t seed)
{
    random_state  random = {seed * 1000003 + (uint64_t)dtype};
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < x->numel; k++)
        random_element(&random, dtype, -10, 10, x->data + k * (int64_t)stria_dtype_get_size(dtype));
    return pair(x, view);
}

twins twins_new_numbers(stria_dtype dtype, int64_t n, const double *numbers)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < n; k++)
        value_set(dtype, value_from_real(numbers[k]), x->data + k * (int64_t)stria_dtype_get_size(dtype));
    return pair(x, VIEW_PACKED);
}

void twins_release(twins x)
{
    stria_tensor_release(x.here);
    stria_tensor_release(x.there);
}

long double fold_number(const stria_tensor *x, const int64_t *index)
{
    const value v = value_get(x->dtype, tensor_at(x, index));
    return v.is_float ? (long double)v.real : (long double)v.whole;
}

long double fold_ulp(stria_dtype dtype, long double x)
{
    const int bits = dtype == STRIA_F16 ? 10 : dtype == STRIA_BF16 ? 7 : dtype == STRIA_F32 ? 23 : 52;
    return x == 0 || !isfinite(x) ? 0 : ldexpl(1, ilogbl(fabsl(x)) - bits);
}
