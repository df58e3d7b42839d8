/* test_cuda_sort.c - sort, argsort, topk and kthvalue on CUDA devices against the CPU: stable, zeros of either sign equal, NaN last. */
#include <math.h>
#include <string.h>

#include "cuda_pair.h"
#include "refused.h"
#include "tensor/tensor.h"

/* Few numbers, so that many are equal; of floats with NaN, infinities and zeros of either sign among them. */
static cuda_pair new_numbers(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, uint64_t seed)
{
    static const double special[] = {NAN, 0.0, -0.0, INFINITY, -INFINITY, -NAN};
    cuda_pair           x = cuda_pair_new(dtype, order, ndim, shape, -20, 20, seed);

    if (!dtype_is_float(dtype) || order == PAIR_EXPANDED) return x;
    for (int s = 0; s < 2; s++) {
        const int64_t flat = x.on[s]->numel;
        for (int64_t k = 0; k < flat && ndim > 0; k += 3) {
            const stria_scalar value = {.kind = STRIA_SCALAR_FLOAT, .re = special[k / 3 % 6]};
            stria_tensor      *place = NULL, *part = stria_tensor_retain(x.on[s]);
            int64_t            left = k;
            for (int d = ndim - 1; d >= 0; d--) {
                CHECK_STATUS(stria_select(part, d, left % shape[d], &place, NULL), STRIA_OK);
                stria_tensor_release(part);
                part = place;
                left /= shape[d];
            }
            CHECK_STATUS(stria_fill_out(part, value, part, NULL), STRIA_OK);
            stria_tensor_release(part);
        }
    }
    return x;
}

static void test_rows(stria_dtype dtype, pair_order order, int ndim, const int64_t *shape, int dim)
{
    cuda_pair     x = new_numbers(dtype, order, ndim, shape, (uint64_t)dim + 9), y = {{NULL}}, i = {{NULL}};
    const int64_t length = ndim > 0 ? shape[dim] : 1;
    char          what[96];

    for (int descending = 0; descending < 2; descending++) {
        snprintf(what, sizeof what, "sort of %s, order %d, dim %d, descending %d", stria_dtype_get_name(dtype), order,
                 dim, descending);
        ON_BOTH(stria_sort(x.on[s], dim, descending, true, &y.on[s], &i.on[s], &err));
        cuda_pair_check(what, &y);
        cuda_pair_check(what, &i);
        ON_BOTH(stria_argsort(x.on[s], dim, descending, true, &i.on[s], &err));
        cuda_pair_check("argsort", &i);
        ON_BOTH(stria_topk(x.on[s], (length + 1) / 2, dim, descending, true, &y.on[s], &i.on[s], &err));
        cuda_pair_check("topk", &y);
        cuda_pair_check("topk, indices", &i);
        if (length == 0) continue;
        ON_BOTH(stria_kthvalue(x.on[s], (length + 1) / 2, dim, descending, &y.on[s], &i.on[s], &err));
        cuda_pair_check("kthvalue", &y);
        cuda_pair_check("kthvalue, indices", &i);
    }
    cuda_pair_release(&x);
}

/* What is made of sorts, and refusals. */
static void test_others(void)
{
    cuda_pair        x = cuda_pair_new(STRIA_C64, PAIR_PACKED, 1, SHAPE(4), 0, 3, 1), y = {{NULL}}, i = {{NULL}};
    cuda_pair        z = cuda_pair_new(STRIA_I32, PAIR_PACKED, 1, SHAPE(4), 0, 3, 1);
    stria_generator *g[2];

    REFUSED_ON_BOTH(stria_sort(x.on[s], 0, false, true, &y.on[s], &i.on[s], &err), STRIA_ERR_DTYPE);
    REFUSED_ON_BOTH(stria_topk(z.on[s], 5, 0, true, true, &y.on[s], &i.on[s], &err), STRIA_ERR_ARGUMENT);
    for (int s = 0; s < 2; s++) CHECK_STATUS(stria_generator_new(3, &g[s], NULL), STRIA_OK);
    ON_BOTH(stria_randperm(1000, STRIA_DTYPE_NONE, s == 0 ? STRIA_CPU : CUDA, g[s], &y.on[s], &err));
    cuda_pair_check("randperm", &y);
    stria_generator_release(g[0]), stria_generator_release(g[1]);
    cuda_pair_release(&x), cuda_pair_release(&z);
}

SUITE(test_cuda_sort)
{
    check_isa("test_cuda_sort");
    if (!cuda_case_begin("test_cuda_sort")) return 77;
    for (int d = 0; d < STRIA_DTYPE_COUNT; d++) {
        const stria_dtype dtype = (stria_dtype)d;
        if (stria_dtype_is_complex(dtype)) continue;
        for (int dim = 0; dim < 3; dim++)
            for (int order = 0; order < N_PAIR_ORDERS; order++)
                if (dtype == STRIA_F32 || cuda_case_is_drawn())
                    test_rows(dtype, (pair_order)order, 3, SHAPE(4, 7, 5), dim);
        test_rows(dtype, PAIR_STEPPED, 1, SHAPE(3000), 0);
        test_rows(dtype, PAIR_PACKED, 1, SHAPE(0), 0);
        test_rows(dtype, PAIR_PACKED, 2, SHAPE(0, 3), 1);
        test_rows(dtype, PAIR_PACKED, 2, SHAPE(3, 1), 1);
        test_rows(dtype, PAIR_PACKED, 0, SHAPE(0), 0);
    }
    test_others();
    return cuda_case_finish("test_cuda_sort");
}
