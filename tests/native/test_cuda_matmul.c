/* test_cuda_matmul.c - matrix products on CUDA devices against the CPU's. Elements are small whole numbers, whose sums are exact in every
 * dtype, so results must be equal to the last bit. */
#include <math.h>
#include <string.h>

#include "cuda_host_case.h"
#include "cuda_pair.h"
#include "refused.h"
#include "tensor/tensor.h"

static const stria_dtype dtypes[] = {STRIA_U8,  STRIA_I8,  STRIA_U16,  STRIA_I16, STRIA_U32, STRIA_I32, STRIA_U64,
                                     STRIA_I64, STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64, STRIA_C64, STRIA_C128};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

/* Shapes of a and b. */
typedef struct product_case {
    int     a_ndim, b_ndim;
    int64_t a[4], b[4];
} product_case;

static const product_case cases[] = {
    {2, 2, {5, 3}, {3, 4}},
    {2, 2, {33, 20}, {20, 17}},
    {2, 1, {5, 7}, {7}},
    {1, 2, {7}, {7, 5}},
    {1, 1, {9}, {9}},
    {3, 3, {4, 5, 3}, {4, 3, 2}},
    {4, 3, {2, 3, 5, 4}, {3, 4, 6}},
    {4, 4, {2, 1, 3, 4}, {1, 3, 4, 2}},
    {3, 2, {4, 3, 5}, {5, 2}},
    {2, 3, {3, 5}, {4, 5, 2}},
    {2, 2, {1, 6}, {6, 1}},
    {2, 2, {4, 1}, {1, 5}},
    {2, 2, {3, 0}, {0, 4}},
    {2, 2, {0, 3}, {3, 4}},
    {3, 3, {0, 2, 3}, {0, 3, 2}},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static void check_product(stria_dtype dtype, const product_case *c, pair_order one, pair_order other)
{
    cuda_pair a = cuda_pair_new(dtype, one, c->a_ndim, c->a, -3, 3, 1);
    cuda_pair b = cuda_pair_new(dtype, other, c->b_ndim, c->b, -3, 3, 2), y = {{NULL}};
    char      what[96];

    snprintf(what, sizeof what, "matmul of %s, case %d, orders %d and %d", stria_dtype_get_name(dtype),
             (int)(c - cases), one, other);
    ON_BOTH(stria_matmul(a.on[s], b.on[s], &y.on[s], &err));
    cuda_pair_check(what, &y);
    cuda_pair_release(&a), cuda_pair_release(&b);
}

static void test_products(void)
{
    for (int d = 0; d < N_DTYPES; d++)
        for (int k = 0; k < N_CASES; k++) {
            check_product(dtypes[d], &cases[k], PAIR_PACKED, PAIR_PACKED);
            for (int m = 0; m < N_PAIR_ORDERS; m++)
                check_product(dtypes[d], &cases[k], (pair_order)m, (pair_order)((m + d + k) % N_PAIR_ORDERS));
        }
    for (int k = 0; k < N_CASES; k++)
        for (int m = 0; m < N_PAIR_ORDERS * N_PAIR_ORDERS; m++)
            check_product(STRIA_F32, &cases[k], (pair_order)(m / N_PAIR_ORDERS), (pair_order)(m % N_PAIR_ORDERS));
}

/* The other rows, operands of two dtypes. */
static void test_rows(void)
{
    cuda_pair a = cuda_pair_new(STRIA_F32, PAIR_TURNED, 2, SHAPE(4, 6), -3, 3, 3), y = {{NULL}};
    cuda_pair b = cuda_pair_new(STRIA_F16, PAIR_PACKED, 2, SHAPE(6, 5), -3, 3, 4);
    cuda_pair v = cuda_pair_new(STRIA_I32, PAIR_STEPPED, 1, SHAPE(6), -3, 3, 5);
    cuda_pair p = cuda_pair_new(STRIA_I8, PAIR_PACKED, 3, SHAPE(3, 2, 5), -100, 100, 6);
    cuda_pair q = cuda_pair_new(STRIA_I64, PAIR_TURNED, 3, SHAPE(3, 5, 4), -100, 100, 7);

    ON_BOTH(stria_mm(a.on[s], b.on[s], &y.on[s], &err));
    cuda_pair_check("mm of f32 and f16", &y);
    ON_BOTH(stria_mv(a.on[s], v.on[s], &y.on[s], &err));
    cuda_pair_check("mv of f32 and i32", &y);
    ON_BOTH(stria_dot(v.on[s], v.on[s], &y.on[s], &err));
    cuda_pair_check("dot of i32", &y);
    ON_BOTH(stria_bmm(p.on[s], q.on[s], &y.on[s], &err));
    cuda_pair_check("bmm of i8 and i64", &y);
    cuda_pair_release(&a), cuda_pair_release(&b), cuda_pair_release(&v), cuda_pair_release(&p), cuda_pair_release(&q);
}

/* Of f32 alone, and where it is asked for, elements are rounded to TF32 first: so the host runtime does, and a device may. */
static void test_tf32(void)
{
    static const stria_dtype floats[] = {STRIA_F16, STRIA_F32, STRIA_F64};
    const stria_scalar       number = {STRIA_SCALAR_FLOAT, .re = 1 + 0x1p-12};

    for (int d = 0; d < 3; d++)
        for (int is_allowed = 0; is_allowed < 2; is_allowed++) {
            stria_tensor *a = NULL, *y = NULL, *host = NULL;
            const double  exact = floats[d] == STRIA_F16 ? 3 : 3 * (1 + 0x1p-12) * (1 + 0x1p-12);
            CHECK_STATUS(stria_full(SHAPE(3, 3), 2, number, floats[d], CUDA, &a, NULL), STRIA_OK);
            stria_tf32_set(is_allowed);
            CHECK(stria_tf32_get() == is_allowed, "what was set");
            CHECK_STATUS(stria_matmul(a, a, &y, NULL), STRIA_OK);
            stria_tf32_set(false);
            CHECK_STATUS(stria_tensor_copy_to(y, STRIA_F64, STRIA_CPU, &host, NULL), STRIA_OK);
            const double got = *(const double *)stria_tensor_get_const_data(host);
            const bool   is_rounded = fabs(got - exact) > 1e-6;
            if (cuda_host_case_get() != NULL)
                CHECK(is_rounded == (is_allowed && floats[d] == STRIA_F32), "%s, %d: %.9g",
                      stria_dtype_get_name(floats[d]), is_allowed, got);
            CHECK(fabs(got - exact) <= 3 * 0x1p-10, "%s: %.9g", stria_dtype_get_name(floats[d]), got);
            stria_tensor_release(a), stria_tensor_release(y), stria_tensor_release(host);
        }
}

/* A result of the caller: of another float dtype it is rounded once, a complex one has parts 0; in any order. */
static void test_given(void)
{
    static const stria_dtype floats[] = {STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64, STRIA_C64, STRIA_C128};

    for (int d = 0; d < 4; d++)
        for (int e = 0; e < 6; e++)
            for (int order = PAIR_PACKED; order <= PAIR_FLIPPED; order++) {
                cuda_pair a = cuda_pair_new(floats[d], PAIR_PACKED, 3, SHAPE(2, 3, 40), -9, 9, 8);
                cuda_pair b = cuda_pair_new(floats[d], PAIR_PACKED, 2, SHAPE(40, 5), -9, 9, 9);
                cuda_pair y = cuda_pair_new(floats[e], (pair_order)order, 3, SHAPE(2, 3, 5), 0, 1, 10);
                char      what[64];
                snprintf(what, sizeof what, "matmul of dtype %d into %d, order %d", d, e, order);
                ON_BOTH(stria_matmul_out(a.on[s], b.on[s], y.on[s], &err));
                cuda_pair_check(what, &y);
                cuda_pair_release(&a), cuda_pair_release(&b);
            }
}

static void test_refusals(void)
{
    cuda_pair a = cuda_pair_new(STRIA_F32, PAIR_PACKED, 2, SHAPE(2, 3), 0, 1, 11), y = {{NULL}};
    cuda_pair b = cuda_pair_new(STRIA_BOOL, PAIR_PACKED, 2, SHAPE(2, 2), 0, 1, 12);

    REFUSED_ON_BOTH(stria_matmul(a.on[s], a.on[s], &y.on[s], &err), STRIA_ERR_SHAPE);
    REFUSED_ON_BOTH(stria_matmul(b.on[s], b.on[s], &y.on[s], &err), STRIA_ERR_DTYPE);
    cuda_pair_release(&a), cuda_pair_release(&b);
}

SUITE(test_cuda_matmul)
{
    check_isa("test_cuda_matmul");
    if (!cuda_case_begin("test_cuda_matmul")) return 77;
    test_products();
    test_rows();
    CHECK(!stria_tf32_get(), "TF32 is on without being asked for");
    test_tf32();
    test_given();
    test_refusals();
    return cuda_case_finish("test_cuda_matmul");
}
