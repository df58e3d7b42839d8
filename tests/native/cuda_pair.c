/* cuda_pair.c - see cuda_pair.h. */
#include "cuda_pair.h"

#include <string.h>

#include "tensor/tensor.h"

/* What the order is a view of. */
static void get_base(pair_order order, int ndim, int64_t *shape)
{
    const int last = ndim - 1;

    if (order == PAIR_TURNED && ndim > 1) {
        const int64_t size = shape[last];
        shape[last] = shape[last - 1];
        shape[last - 1] = size;
    }
    if (order == PAIR_STEPPED && ndim > 0) shape[last] *= 2;
    if (order == PAIR_EXPANDED && ndim > 0) shape[0] = 1;
}

static stria_tensor *look(stria_tensor *base, pair_order order, const int64_t *shape)
{
    const int     ndim = base->ndim, last = ndim - 1;
    stria_tensor *y = NULL;

    if (ndim == 0 || order == PAIR_PACKED || (order == PAIR_TURNED && ndim < 2)) return base;
    switch (order) {
    case PAIR_TURNED: CHECK_STATUS(stria_transpose(base, last - 1, last, &y, NULL), STRIA_OK); break;
    case PAIR_STEPPED: CHECK_STATUS(stria_slice(base, last, 0, STRIA_INT_NONE, 2, &y, NULL), STRIA_OK); break;
    case PAIR_FLIPPED: CHECK_STATUS(stria_flip(base, &last, 1, &y, NULL), STRIA_OK); break;
    default: CHECK_STATUS(stria_expand(base, shape, ndim, &y, NULL), STRIA_OK); break;
    }
    stria_tensor_release(base);
    return y;
}

static cuda_pair spread(stria_tensor *base, pair_order order, const int64_t *shape)
{
    stria_tensor *moved = cuda_case_to_device(base, CUDA);
    return (cuda_pair){{look(base, order, shape), look(moved, order, shape)}};
}

static stria_tensor *new_base(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape)
{
    int64_t       sizes[STRIA_MAX_DIMS];
    stria_tensor *base = NULL;

    for (int d = 0; d < ndim; d++) sizes[d] = shape[d];
    get_base(order, ndim, sizes);
    CHECK_STATUS(stria_tensor_new(dtype, ndim, sizes, &base, NULL), STRIA_OK);
    return base;
}

cuda_pair cuda_pair_new(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, int low, int high,
                        uint64_t seed)
{
    random_state  random = {seed * 7919 + 1};
    stria_tensor *numbers = new_base(STRIA_I64, order, ndim, shape), *base = NULL;

    for (int64_t k = 0; k < numbers->numel; k++)
        ((int64_t *)(void *)numbers->data)[k] = low + (int64_t)(random_next(&random) % (uint64_t)(high - low + 1));
    CHECK_STATUS(stria_tensor_copy(numbers, dtype, &base, NULL), STRIA_OK);
    stria_tensor_release(numbers);
    return spread(base, order, shape);
}

cuda_pair cuda_pair_new_any(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, uint64_t seed)
{
    random_state  random = {seed * 7919 + (uint64_t)dtype};
    stria_tensor *base = new_base(dtype, order, ndim, shape);

    for (int64_t k = 0; k < base->numel; k++)
        random_element(&random, dtype, -10, 10, base->data + k * stria_tensor_get_item_size(base));
    return spread(base, order, shape);
}

cuda_pair cuda_pair_new_list(stria_dtype dtype, int n, const int64_t *numbers)
{
    const int64_t shape[] = {n};
    stria_tensor *whole = NULL, *base = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_I64, 1, shape, &whole, NULL), STRIA_OK);
    if (n > 0) memcpy(whole->data, numbers, (size_t)n * sizeof *numbers);
    CHECK_STATUS(stria_tensor_copy(whole, dtype, &base, NULL), STRIA_OK);
    stria_tensor_release(whole);
    return spread(base, PAIR_PACKED, shape);
}

void cuda_pair_release(cuda_pair *pair)
{
    stria_tensor_release(pair->on[0]);
    stria_tensor_release(pair->on[1]);
    pair->on[0] = pair->on[1] = NULL;
}

void cuda_pair_check(const char *what, cuda_pair *pair)
{
    if (pair->on[0] != NULL && pair->on[1] != NULL) cuda_case_check_same(what, pair->on[1], pair->on[0]);
    cuda_pair_release(pair);
}
