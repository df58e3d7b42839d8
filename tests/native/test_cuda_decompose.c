/* test_cuda_decompose.c - det and inverse on a CUDA device: the CPU's bits, of every float dtype and layout, batches, matrices that are singular,
 * large, small or not finite; refusals. */
#include <math.h>
#include <string.h>

#include "cuda_pair.h"
#include "refused.h"
#include "tensor/tensor.h"

static const stria_dtype floats[] = {STRIA_F64, STRIA_F32, STRIA_F16, STRIA_BF16};

static void check_det(const char *what, const cuda_pair *x)
{
    cuda_pair y = {{NULL}};

    ON_BOTH(stria_det(x->on[s], &y.on[s], &err));
    cuda_pair_check(what, &y);
}

static void check_inverse(const char *what, const cuda_pair *x)
{
    cuda_pair y = {{NULL}};

    ON_BOTH(stria_inverse(x->on[s], &y.on[s], &err));
    cuda_pair_check(what, &y);
}

/* Sizes below and beyond the lines of a block, in all orders; several matrices. Random ones have an inverse. */
static void test_random(void)
{
    static const int64_t sizes[] = {1, 2, 3, 7, 31, 33, 40};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int order = PAIR_PACKED; order < PAIR_EXPANDED; order++)
            for (int d = 0; d < 4; d++) {
                const int64_t n = sizes[k];
                if ((d > 0 && n > 10) || !cuda_case_is_drawn()) continue;
                cuda_pair whole = cuda_pair_new(floats[d], (pair_order)order, 2, SHAPE(n, n), -100, 100, (uint64_t)n);
                cuda_pair batch = cuda_pair_new(floats[d], (pair_order)order, 4, SHAPE(2, 3, n, n), -50, 100, 5);
                check_det("det", &whole), check_inverse("inverse", &whole);
                check_det("det of a batch", &batch);
                if (n > 2) check_inverse("inverse of a batch", &batch); /* random small ones may have none */
                cuda_pair_release(&whole), cuda_pair_release(&batch);
            }
}

static cuda_pair new_matrix(int n, const double *elements)
{
    cuda_pair     x = {{NULL}};
    const int64_t shape[] = {n, n};

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 2, shape, &x.on[0], NULL), STRIA_OK);
    memcpy(x.on[0]->data, elements, (size_t)(n * n) * sizeof *elements);
    x.on[1] = cuda_case_to_device(x.on[0], CUDA);
    return x;
}

/* Pivots of equal size, of 0, of NaN and of infinity, products that overflow on the way. */
static void test_special(void)
{
    static const double nan_in_row[] = {1, 2, 3, NAN, 5, 6, NAN, 8, 10},
                        infinite[] = {1, 2, 3, INFINITY, 5, 6, 7, 8, 10};
    static const double both[] = {INFINITY, 2, 3, NAN, 5, 6, 7, 8, 10}, none[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const double equal[] = {2, 1, 0, -2, 3, 1, 2, 5, -7}, rank_two[] = {1, 2, 3, 2, 4, 6, 1, 1, 1};
    static const double large[] = {1e300, 1, 0, 2, 1e300, 1, 0, 1, 1e-290},
                        small[] = {1e-300, 0, 0, 0, 1e-200, 0, 0, 0, 1e300};
    static const double        turned[] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, beyond[] = {NAN, 1, 0, 0, 0, 1, 1, 0, 0};
    static const double *const all[] = {nan_in_row, infinite, both,  none,   equal,
                                        rank_two,   large,    small, turned, beyond};
    static const bool          is_singular[] = {0, 0, 0, 1, 0, 1, 0, 0, 0, 0};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        cuda_pair x = new_matrix(3, all[k]), y = {{NULL}};
        check_det("det of special values", &x);
        if (is_singular[k])
            REFUSED_ON_BOTH(stria_inverse(x.on[s], &y.on[s], &err), STRIA_ERR_ARGUMENT);
        else if (all[k] != infinite && all[k] != beyond)
            check_inverse("inverse of special values", &x);
        cuda_pair_release(&x);
    }
}

/* Without elements; one singular matrix among many, and a given tensor stays as it was. */
static void test_shapes(void)
{
    cuda_pair none = cuda_pair_new(STRIA_F32, PAIR_PACKED, 3, SHAPE(2, 0, 0), 0, 1, 1);
    cuda_pair few = cuda_pair_new(STRIA_F32, PAIR_PACKED, 3, SHAPE(0, 3, 3), 0, 1, 1);
    cuda_pair ones = cuda_pair_new(STRIA_F32, PAIR_PACKED, 3, SHAPE(5, 3, 3), 1, 1, 1);
    cuda_pair kept = cuda_pair_new(STRIA_F32, PAIR_PACKED, 3, SHAPE(5, 3, 3), -9, 9, 2);
    cuda_pair good = cuda_pair_new(STRIA_F32, PAIR_TURNED, 3, SHAPE(5, 3, 3), -90, 90, 3);

    check_det("det of matrices without elements", &none), check_inverse("inverses of them", &none);
    check_det("det of no matrices", &few), check_inverse("inverses of none", &few);
    REFUSED_ON_BOTH(stria_inverse_out(ones.on[s], kept.on[s], &err), STRIA_ERR_ARGUMENT);
    cuda_case_check_same("a given tensor", kept.on[1], kept.on[0]);
    ON_BOTH(stria_inverse_out(good.on[s], good.on[s], &err));
    cuda_case_check_same("inverses in place", good.on[1], good.on[0]);
    cuda_pair_release(&none), cuda_pair_release(&few), cuda_pair_release(&ones), cuda_pair_release(&kept);
    cuda_pair_release(&good);
}

SUITE(test_cuda_decompose)
{
    check_isa("test_cuda_decompose");
    if (!cuda_case_begin("test_cuda_decompose")) return 77;
    test_random();
    test_special();
    test_shapes();
    return check_finish("test_cuda_decompose");
}
