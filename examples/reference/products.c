/* products.c - examples of docs/reference: Products. */
#include "reference.h"

EXAMPLE(matmul)
{
    TRY(stria_matmul(of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_F32, "[[1, 0], [0, -1]]"), &y, &err));
    IS(y, "[[1, -2], [3, -4]]");
}

EXAMPLE(mm)
{
    TRY(stria_mm(of(STRIA_F32, "[[1], [2]]"), of(STRIA_F32, "[[3, 4]]"), &y, &err));
    IS(y, "[[3, 4], [6, 8]]");
}

EXAMPLE(bmm)
{
    TRY(stria_bmm(of(STRIA_F32, "[[[1, 2]], [[3, 4]]]"), of(STRIA_F32, "[[[1], [1]], [[2], [2]]]"), &y, &err));
    IS(y, "[[[3]], [[14]]]");
}

EXAMPLE(mv)
{
    TRY(stria_mv(of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_F32, "[1, -1]"), &y, &err));
    IS(y, "[-1, -1]");
}

EXAMPLE(dot)
{
    TRY(stria_dot(of(STRIA_F32, "[1, 2, 3]"), of(STRIA_F32, "[4, 5, 6]"), &y, &err));
    IS(y, "32");
}

EXAMPLE(einsum)
{
    a = of(STRIA_F32, "[[1, 2], [3, 4]]");
    b = of(STRIA_F32, "[10, 1]");
    TRY(stria_einsum((const stria_tensor *[]){a, b}, 2, "ij,j->i", &y, &err));
    IS(y, "[12, 34]");
}

EXAMPLE(outer)
{
    TRY(stria_outer(of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[1, 10]"), &y, &err));
    IS(y, "[[1, 10], [2, 20]]");
}

EXAMPLE(inner)
{
    TRY(stria_inner(of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_F32, "[1, 1]"), &y, &err));
    IS(y, "[3, 7]");
}

EXAMPLE(vdot)
{
    TRY(stria_vdot(of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[3, 4]"), &y, &err));
    IS(y, "11");
}

EXAMPLE(addmm)
{
    TRY(stria_addmm(of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[[1, 1]]"), of(STRIA_F32, "[[1, 2], [3, 4]]"), INT(1),
                    INT(2), &y, &err));
    IS(y, "[[9, 14]]");
}

EXAMPLE(addmv)
{
    TRY(stria_addmv(of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_F32, "[1, 1]"), INT(1), INT(1),
                    &y, &err));
    IS(y, "[4, 9]");
}

EXAMPLE(addr)
{
    TRY(stria_addr(of(STRIA_F32, "[[1, 1], [1, 1]]"), of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[3, 4]"), INT(1), INT(1),
                   &y, &err));
    IS(y, "[[4, 5], [7, 9]]");
}

EXAMPLE(baddbmm)
{
    TRY(stria_baddbmm(of(STRIA_F32, "[[[1]]]"), of(STRIA_F32, "[[[1, 2]]]"), of(STRIA_F32, "[[[3], [4]]]"), INT(0),
                      INT(1), &y, &err));
    IS(y, "[[[11]]]");
}

EXAMPLE(addbmm)
{
    TRY(stria_addbmm(of(STRIA_F32, "[[0]]"), of(STRIA_F32, "[[[1]], [[2]]]"), of(STRIA_F32, "[[[3]], [[4]]]"), INT(1),
                     INT(1), &y, &err));
    IS(y, "[[11]]");
}

EXAMPLE(tensordot)
{
    TRY(stria_tensordot(of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_F32, "[[1, 0], [0, 1]]"), 0, (int[]){0}, 1,
                        (int[]){1}, 1, &y, &err));
    IS(y, "[[1, 3], [2, 4]]");
}

EXAMPLE(kron)
{
    TRY(stria_kron(of(STRIA_F32, "[[1, 0], [0, 1]]"), of(STRIA_F32, "[[1, 2]]"), &y, &err));
    IS(y, "[[1, 2, 0, 0], [0, 0, 1, 2]]");
}

EXAMPLE(cross)
{
    TRY(stria_cross(of(STRIA_F32, "[1, 2, 3]"), of(STRIA_F32, "[4, 5, 6]"), -1, &y, &err));
    IS(y, "[-3, 6, -3]");
}

EXAMPLE(multi_dot)
{
    a = of(STRIA_F32, "[[1, 2]]");
    b = of(STRIA_F32, "[[1], [2]]");
    c = of(STRIA_F32, "[[3, 4]]");
    TRY(stria_multi_dot((const stria_tensor *[]){a, b, c}, 3, &y, &err));
    IS(y, "[[15, 20]]");
}

EXAMPLE(chain_matmul)
{
    a = of(STRIA_F32, "[[0, -1], [1, 0]]");
    TRY(stria_chain_matmul((const stria_tensor *[]){a, a, a}, 3, &y, &err));
    IS(y, "[[0, 1], [-1, 0]]");
}

EXAMPLE(matrix_power)
{
    TRY(stria_matrix_power(of(STRIA_I64, "[[1, 1], [1, 0]]"), 10, &y, &err));
    IS(y, "[[89, 55], [55, 34]]");
}

EXAMPLE(trace)
{
    TRY(stria_trace(of(STRIA_F32, "[[1, 2], [3, 4]]"), &y, &err));
    IS(y, "5");
}

EXAMPLE(cdist)
{
    TRY(stria_cdist(of(STRIA_F32, "[[0, 0], [3, 4]]"), of(STRIA_F32, "[[3, 0]]"), 1, "donot_use_mm_for_euclid_dist", &y,
                    &err));
    IS(y, "[[3], [4]]");
}

EXAMPLE(svdvals)
{
    TRY(stria_svdvals(of(STRIA_F32, "[[3, 0], [4, 5]]"), &y, &err));
    IS(y, "[6.7082, 2.2361]");
}

EXAMPLE(det)
{
    TRY(stria_det(of(STRIA_F64, "[[2, 1], [1, 3]]"), &y, &err));
    IS(y, "5");
}

EXAMPLE(inverse)
{
    TRY(stria_inverse(of(STRIA_F64, "[[2, 0], [1, 4]]"), &y, &err));
    IS(y, "[[0.5, 0], [-0.125, 0.25]]");
}

EXAMPLE(svd)
{
    TRY(stria_svd(of(STRIA_F64, "[[0, 3], [2, 0]]"), true, true, &a, &values, &b, &err));
    IS(values, "[3, 2]");
    IS(a, "[[1, 0], [0, 1]]");
    IS(b, "[[0, 1], [1, 0]]");
}
