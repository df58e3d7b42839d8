/* test_cuda_decompose.c - det, inverse, svdvals and svd on a CUDA device: the CPU's bits, of every float dtype and layout, batches, matrices that are
 * singular, large, small or not finite; refusals. */
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
    static const int64_t sizes[] = {1, 2, 3, 7, 12, 31, 33, 40};

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

static void check_svdvals(const char *what, const cuda_pair *x)
{
    cuda_pair y = {{NULL}};

    ON_BOTH(stria_svdvals(x->on[s], &y.on[s], &err));
    cuda_pair_check(what, &y);
}

static void check_svd(const char *what, const cuda_pair *x, bool some, bool compute_uv)
{
    cuda_pair   parts[3] = {{{NULL}}};
    static char text[3][100];

    ON_BOTH(stria_svd(x->on[s], some, compute_uv, &parts[0].on[s], &parts[1].on[s], &parts[2].on[s], &err));
    for (int k = 0; k < 3; k++) {
        snprintf(text[k], sizeof *text, "%c of svd of %s, %s", "usv"[k], what, some ? "some" : "square");
        cuda_pair_check(text[k], &parts[k]);
    }
}

/* A matrix of rank r: the product of two. */
static cuda_pair new_of_rank(int64_t rows, int64_t columns, int64_t r, uint64_t seed)
{
    cuda_pair a = cuda_pair_new(STRIA_F64, PAIR_PACKED, 2, SHAPE(rows, r), -9, 9, seed);
    cuda_pair b = cuda_pair_new_any(STRIA_F64, PAIR_PACKED, 2, SHAPE(r, columns), seed + 1), x = {{NULL}};

    CHECK_STATUS(stria_matmul(a.on[0], b.on[0], &x.on[0], NULL), STRIA_OK);
    x.on[1] = cuda_case_to_device(x.on[0], CUDA);
    cuda_pair_release(&a), cuda_pair_release(&b);
    return x;
}

/* Wide, tall and square ones, in all orders. */
static void test_singular_values(void)
{
    static const int64_t shapes[][2] = {{1, 1}, {1, 40}, {2, 2}, {3, 5}, {6, 6}, {9, 4}, {40, 2}, {30, 25}};

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int order = PAIR_PACKED; order < N_PAIR_ORDERS; order++)
            for (int d = 0; d < 4; d++) {
                const int64_t rows = shapes[k][0], columns = shapes[k][1];
                if ((d > 0 && (order > 0 || rows * columns > 80)) || !cuda_case_is_drawn()) continue;
                cuda_pair x = cuda_pair_new_any(floats[d], (pair_order)order, 3, SHAPE(3, rows, columns), k);
                check_svdvals("svdvals", &x);
                if (order == 0)
                    for (int options = 0; options < 4; options++)
                        check_svd("random matrices", &x, options % 2, options / 2);
                cuda_pair_release(&x);
            }
}

/* Less than full rank: zeros, lengths that are rounding errors, equal ones; vectors that have to be made up. */
static void test_ranks(void)
{
    static const int64_t shapes[][3] = {{4, 4, 1}, {5, 8, 3}, {8, 5, 2}, {6, 6, 5}, {20, 24, 7}, {2, 30, 1}};

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        cuda_pair x = new_of_rank(shapes[k][0], shapes[k][1], shapes[k][2], 40 + k);
        for (int some = 0; some < 2; some++) check_svd("a matrix of less than full rank", &x, some, true);
        check_svdvals("of less than full rank", &x);
        cuda_pair_release(&x);
    }
    cuda_pair large = cuda_pair_new(STRIA_F64, PAIR_PACKED, 2, SHAPE(181, 176), -1, 1, 1);
    check_svdvals("more pairs than are turned at once", &large);
    cuda_pair_release(&large);
    cuda_pair ones = cuda_pair_new(STRIA_F32, PAIR_PACKED, 2, SHAPE(5, 7), 1, 1, 1);
    cuda_pair zeros = cuda_pair_new(STRIA_F32, PAIR_PACKED, 2, SHAPE(3, 4), 0, 0, 1);
    check_svd("ones", &ones, false, true), check_svd("zeros", &zeros, false, true);
    cuda_pair_release(&ones), cuda_pair_release(&zeros);
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
        check_det("det of special values", &x), check_svdvals("svdvals of special values", &x);
        check_svd("special values", &x, true, true);
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
    for (int options = 0; options < 4; options++) {
        check_svd("matrices without elements", &none, options % 2, options / 2);
        check_svd("no matrices", &few, options % 2, options / 2);
    }
    check_svdvals("matrices without elements", &none), check_svdvals("no matrices", &few);
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
    test_singular_values();
    test_ranks();
    test_special();
    test_shapes();
    return cuda_case_finish("test_cuda_decompose");
}
