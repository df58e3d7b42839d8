/* convolutions.c - examples of docs/reference: Convolutions and pooling. Attributes that are NULL are the usual ones. */
#include "reference.h"

EXAMPLE(convolution)
{
    a = of(STRIA_F32, "[[[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]]");
    b = of(STRIA_F32, "[[[[[1, 0], [0, -1]]]]]");
    TRY(stria_convolution(a, b, NULL, NULL, NULL, NULL, false, NULL, 1, &y, &err));
    IS(y, "[[[[[-4, -4], [-4, -4]]]]]");
    TRY(stria_convolution(y, b, NULL, NULL, NULL, NULL, true, NULL, 1, &x, &err));
    IS(x, "[[[[[-4, -4, 0], [-4, 0, 4], [0, 4, 4]]]]]");
}

EXAMPLE(convolution_weight)
{
    a = of(STRIA_F32, "[[[[[1, 1], [1, 1]]]]]");
    b = of(STRIA_F32, "[[[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]]");
    TRY(stria_convolution_weight(a, b, (int64_t[]){1, 2, 2}, NULL, NULL, NULL, 1, &y, &err));
    IS(y, "[[[[[12, 16], [24, 28]]]]]");
}

EXAMPLE(conv1d)
{
    a = of(STRIA_F32, "[[[1, 2, 3, 4, 5]]]");
    b = of(STRIA_F32, "[[[1, 0, -1]]]");
    TRY(stria_conv1d(a, b, NULL, NULL, NULL, NULL, 1, &y, &err));
    IS(y, "[[[-2, -2, -2]]]");
    TRY(stria_conv1d(a, b, NULL, (int64_t[]){2}, (int64_t[]){1}, NULL, 1, &x, &err));
    IS(x, "[[[-2, -2, 4]]]");
}

EXAMPLE(conv2d)
{
    a = of(STRIA_F32, "[[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]");
    b = of(STRIA_F32, "[[[[1, 0], [0, -1]]]]");
    c = of(STRIA_F32, "[10]");
    TRY(stria_conv2d(a, b, NULL, NULL, NULL, NULL, 1, &x, &err));
    IS(x, "[[[[-4, -4], [-4, -4]]]]");
    TRY(stria_conv2d(a, b, c, (int64_t[]){2, 2}, (int64_t[]){1, 1}, NULL, 1, &y, &err));
    IS(y, "[[[[9, 7], [3, 6]]]]");
}

EXAMPLE(conv3d)
{
    a = of(STRIA_F32, "[[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]"); /* without a batch */
    b = of(STRIA_F32, "[[[[[1, 0], [0, -1]]]]]");
    TRY(stria_conv3d(a, b, NULL, NULL, NULL, NULL, 1, &y, &err));
    IS(y, "[[[[-4, -4], [-4, -4]]]]");
}

EXAMPLE(conv_transpose1d)
{
    a = of(STRIA_F32, "[[[1, 2, 3]]]");
    b = of(STRIA_F32, "[[[1, 1]]]");
    TRY(stria_conv_transpose1d(a, b, NULL, (int64_t[]){2}, NULL, NULL, 1, NULL, &y, &err));
    IS(y, "[[[1, 1, 2, 2, 3, 3]]]");
    TRY(stria_conv_transpose1d(a, b, NULL, NULL, NULL, NULL, 1, NULL, &x, &err));
    IS(x, "[[[1, 3, 5, 3]]]");
}

EXAMPLE(conv_transpose2d)
{
    a = of(STRIA_F32, "[[[[1, 2], [3, 4]]]]");
    b = of(STRIA_F32, "[[[[1, 10]]]]");
    TRY(stria_conv_transpose2d(a, b, NULL, (int64_t[]){2, 2}, NULL, NULL, 1, NULL, &y, &err));
    IS(y, "[[[[1, 10, 2, 20], [0, 0, 0, 0], [3, 30, 4, 40]]]]");
}

EXAMPLE(conv_transpose3d)
{
    a = of(STRIA_F32, "[[[[[1, 2]]]]]");
    b = of(STRIA_F32, "[[[[[1], [2]]]]]");
    TRY(stria_conv_transpose3d(a, b, NULL, NULL, NULL, NULL, 1, NULL, &y, &err));
    IS(y, "[[[[[1, 2], [2, 4]]]]]");
}

EXAMPLE(max_pool1d)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1, 5, 9]]]");
    TRY(stria_max_pool1d(a, (int64_t[]){2}, NULL, NULL, NULL, false, &y, &err));
    IS(y, "[[[3, 4, 9]]]");
}

EXAMPLE(max_pool2d)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]");
    TRY(stria_max_pool2d(a, (int64_t[]){2, 2}, NULL, NULL, NULL, false, &y, &err));
    IS(y, "[[[9, 6], [9, 9]]]");
    TRY(stria_max_pool2d(a, (int64_t[]){3, 3}, (int64_t[]){2, 2}, (int64_t[]){1, 1}, NULL, false, &x, &err));
    IS(x, "[[[9, 9], [9, 9]]]");
}

EXAMPLE(max_pool3d)
{
    a = of(STRIA_F32, "[[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]]");
    TRY(stria_max_pool3d(a, (int64_t[]){1, 2, 2}, NULL, NULL, NULL, false, &y, &err));
    IS(y, "[[[[9, 6], [9, 9]]]]");
}

EXAMPLE(max_pool1d_with_indices)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1, 5, 9]]]");
    TRY(stria_max_pool1d_with_indices(a, (int64_t[]){2}, NULL, NULL, NULL, false, &values, &indices, &err));
    IS(values, "[[[3, 4, 9]]]");
    IS(indices, "[[[0, 2, 5]]]");
}

EXAMPLE(max_pool2d_with_indices)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]");
    TRY(stria_max_pool2d_with_indices(a, (int64_t[]){2, 2}, NULL, NULL, NULL, false, &values, &indices, &err));
    IS(values, "[[[9, 6], [9, 9]]]");
    IS(indices, "[[[5, 7], [12, 14]]]");
}

EXAMPLE(max_pool3d_with_indices)
{
    a = of(STRIA_F32, "[[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]]");
    TRY(stria_max_pool3d_with_indices(a, (int64_t[]){1, 2, 2}, NULL, NULL, NULL, false, &values, &indices, &err));
    IS(values, "[[[[9, 6], [9, 9]]]]");
    IS(indices, "[[[[5, 7], [12, 14]]]]");
}

EXAMPLE(avg_pool1d)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1, 5, 9]]]");
    TRY(stria_avg_pool1d(a, (int64_t[]){2}, NULL, NULL, false, true, &y, &err));
    IS(y, "[[[2, 2.5, 7]]]");
    TRY(stria_avg_pool1d(a, (int64_t[]){3}, (int64_t[]){2}, (int64_t[]){1}, false, false, &x, &err));
    IS(x, "[[[2, 2, 5]]]");
}

EXAMPLE(avg_pool2d)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]");
    TRY(stria_avg_pool2d(a, (int64_t[]){2, 2}, NULL, NULL, false, true, STRIA_INT_NONE, &y, &err));
    IS(y, "[[[4.5, 3.25], [6, 6.25]]]");
    TRY(stria_avg_pool2d(a, (int64_t[]){2, 2}, NULL, NULL, false, true, 1, &x, &err));
    IS(x, "[[[18, 13], [24, 25]]]");
}

EXAMPLE(avg_pool3d)
{
    a = of(STRIA_F32, "[[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]]");
    TRY(stria_avg_pool3d(a, (int64_t[]){1, 2, 2}, NULL, NULL, false, true, STRIA_INT_NONE, &y, &err));
    IS(y, "[[[[4.5, 3.25], [6, 6.25]]]]");
}

EXAMPLE(adaptive_avg_pool1d)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1, 5, 9]]]");
    TRY(stria_adaptive_avg_pool1d(a, (int64_t[]){4}, &y, &err));
    IS(y, "[[[2, 2.5, 3, 7]]]");
}

EXAMPLE(adaptive_avg_pool2d)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]");
    TRY(stria_adaptive_avg_pool2d(a, (int64_t[]){1, 2}, &y, &err));
    IS(y, "[[[5.25, 4.75]]]");
}

EXAMPLE(adaptive_max_pool1d)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1, 5, 9]]]");
    TRY(stria_adaptive_max_pool1d(a, (int64_t[]){3}, &y, &err));
    IS(y, "[[[3, 4, 9]]]");
}

EXAMPLE(adaptive_max_pool2d)
{
    a = of(STRIA_F32, "[[[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8], [9, 7, 9, 3]]]");
    TRY(stria_adaptive_max_pool2d(a, (int64_t[]){2, 2}, &y, &err));
    IS(y, "[[[9, 6], [9, 9]]]");
}
