/* test_cuda_convolution.c - convolutions and pooling on CUDA devices against the CPU's. Elements are small whole numbers, so that sums are exact and
 * many of them are equal: results are equal to the last bit. */
#include <string.h>

#include "cuda_case.h"
#include "suite.h"
#include "tensor/tensor.h"

/* Whole numbers below `most` in magnitude. */
static stria_tensor *make(stria_dtype dtype, int ndim, const int64_t *shape, int most)
{
    stria_tensor *x = NULL;
    random_state  random = {17};
    int64_t       index[5] = {0};

    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    do {
        const int whole = (int)(random_next(&random) % (uint64_t)(2 * most + 1)) - most;
        value_set(dtype, value_from_real(whole), tensor_at(x, index));
    } while (index_next(ndim, shape, index));
    return x;
}

static const struct {
    int64_t x[5], weight[5], stride[3], padding[3], dilation[3], more[3], groups;
    bool    transposed;
} scenes[] = {
    {{2, 3, 1, 6, 7}, {4, 3, 1, 3, 2}, {1, 1, 1}, {0, 1, 0}, {1, 1, 1}, {0, 0, 0}, 1, false},
    {{2, 4, 3, 5, 6}, {6, 2, 2, 3, 1}, {1, 2, 2}, {1, 0, 1}, {1, 2, 1}, {0, 0, 0}, 2, false},
    {{1, 6, 1, 1, 9}, {6, 1, 1, 1, 3}, {1, 1, 2}, {0, 0, 2}, {1, 1, 1}, {0, 0, 0}, 6, false},
    {{2, 3, 1, 4, 3}, {3, 2, 1, 3, 2}, {1, 2, 1}, {0, 1, 0}, {1, 1, 2}, {0, 1, 0}, 1, true},
    {{1, 4, 2, 3, 2}, {4, 3, 2, 1, 3}, {2, 1, 3}, {1, 0, 2}, {1, 1, 1}, {1, 0, 2}, 2, true},
};

static void check_scene(int k, stria_dtype dtype)
{
    stria_tensor *x = make(dtype, 5, scenes[k].x, 3), *weight = make(dtype, 5, scenes[k].weight, 3);
    stria_tensor *bias = NULL, *here = NULL, *there = NULL, *gradient = NULL, *other = NULL;
    const int64_t out = scenes[k].transposed ? scenes[k].weight[1] * scenes[k].groups : scenes[k].weight[0];

    bias = make(dtype, 1, &out, 5);
    stria_tensor *dx = cuda_case_to_device(x, CUDA), *dw = cuda_case_to_device(weight, CUDA);
    stria_tensor *db = cuda_case_to_device(bias, CUDA);
#define CALL(x, weight, bias, y)                                                                                      \
    stria_convolution(x, weight, bias, scenes[k].stride, scenes[k].padding, scenes[k].dilation, scenes[k].transposed, \
                      scenes[k].more, scenes[k].groups, y, NULL)
    CHECK_STATUS(CALL(x, weight, bias, &here), STRIA_OK);
    CHECK_STATUS(CALL(dx, dw, db, &there), STRIA_OK);
    cuda_case_check_same("convolution", there, here);
#undef CALL
    if (!scenes[k].transposed) {
        stria_tensor *dg;
        gradient = make(dtype, 5, here->shape, 2);
        dg = cuda_case_to_device(gradient, CUDA);
        stria_tensor_release(here);
        stria_tensor_release(there);
#define CALL(gradient, x, y)                                                                         \
    stria_convolution_weight(gradient, x, scenes[k].weight + 2, scenes[k].stride, scenes[k].padding, \
                             scenes[k].dilation, scenes[k].groups, y, NULL)
        CHECK_STATUS(CALL(gradient, x, &here), STRIA_OK);
        CHECK_STATUS(CALL(dg, dx, &there), STRIA_OK);
        cuda_case_check_same("convolution_weight", there, here);
#undef CALL
        stria_tensor_release(dg);
    }
    stria_tensor *all[] = {x, weight, bias, dx, dw, db, here, there, gradient, other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) stria_tensor_release(all[i]);
}

static void check_pool(stria_dtype dtype, const int64_t *taps, const int64_t *stride, const int64_t *padding,
                       const int64_t *dilation, bool ceil_mode)
{
    static const int64_t shape[] = {2, 2, 3, 7, 8};
    stria_tensor        *x = make(dtype, 5, shape, 2), *dx = cuda_case_to_device(x, CUDA);
    stria_tensor        *y = NULL, *at = NULL, *dy = NULL, *dat = NULL;

    CHECK_STATUS(stria_max_pool3d_with_indices(x, taps, stride, padding, dilation, ceil_mode, &y, &at, NULL), STRIA_OK);
    CHECK_STATUS(stria_max_pool3d_with_indices(dx, taps, stride, padding, dilation, ceil_mode, &dy, &dat, NULL),
                 STRIA_OK);
    cuda_case_check_same("max_pool", dy, y);
    cuda_case_check_same("max_pool indices", dat, at);
    stria_tensor *all[] = {x, dx, y, at, dy, dat};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) stria_tensor_release(all[i]);
}

SUITE(test_cuda_convolution)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16, STRIA_I32, STRIA_I64};
    static const int64_t     two[] = {1, 2, 2}, three[] = {2, 3, 3}, one[] = {1, 1, 1}, far[] = {1, 2, 3};

    check_isa("test_cuda_convolution");
    if (!cuda_case_begin("test_cuda_convolution")) return 77;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (int k = 0; k < (int)(sizeof scenes / sizeof *scenes); k++) check_scene(k, dtypes[d]);
        check_pool(dtypes[d], two, NULL, NULL, NULL, false);
        check_pool(dtypes[d], three, two, one, NULL, true);
        check_pool(dtypes[d], two, one, NULL, far, true);
    }
    return check_finish("test_cuda_convolution");
}
