/* splitting.c - examples of docs/reference: Lists of views. */
#include "reference.h"

EXAMPLE(split)
{
    TRY(stria_split(of(STRIA_F32, "[1, 2, 3, 4, 5]"), 2, NULL, 0, 0, &list, &err));
    IS_ALL(list, "[1, 2], [3, 4], [5]");
}

EXAMPLE(chunk)
{
    TRY(stria_chunk(of(STRIA_F32, "[1, 2, 3, 4, 5]"), 2, 0, &list, &err));
    IS_ALL(list, "[1, 2, 3], [4, 5]");
}

EXAMPLE(tensor_split)
{
    TRY(stria_tensor_split(of(STRIA_F32, "[1, 2, 3, 4, 5]"), 0, (int64_t[]){1, 3}, 2, 0, &list, &err));
    IS_ALL(list, "[1], [2, 3], [4, 5]");
}

EXAMPLE(hsplit)
{
    TRY(stria_hsplit(of(STRIA_F32, "[[1, 2], [3, 4]]"), 2, NULL, 0, &list, &err));
    IS_ALL(list, "[[1], [3]], [[2], [4]]");
}

EXAMPLE(vsplit)
{
    TRY(stria_vsplit(of(STRIA_F32, "[[1, 2], [3, 4]]"), 2, NULL, 0, &list, &err));
    IS_ALL(list, "[[1, 2]], [[3, 4]]");
}

EXAMPLE(dsplit)
{
    TRY(stria_dsplit(of(STRIA_F32, "[[[1, 2], [3, 4]]]"), 2, NULL, 0, &list, &err));
    IS_ALL(list, "[[[1], [3]]], [[[2], [4]]]");
}

EXAMPLE(unbind)
{
    TRY(stria_unbind(of(STRIA_F32, "[[1, 2], [3, 4]]"), 1, &list, &err));
    IS_ALL(list, "[1, 3], [2, 4]");
}

EXAMPLE(broadcast_tensors)
{
    x = of(STRIA_F32, "[[1], [2]]");
    y = of(STRIA_F32, "[10, 20]");
    TRY(stria_broadcast_tensors((const stria_tensor *[]){x, y}, 2, &list, &err));
    IS_ALL(list, "[[1, 1], [2, 2]], [[10, 20], [10, 20]]");
}

EXAMPLE(meshgrid)
{
    x = of(STRIA_F32, "[0, 1]");
    y = of(STRIA_F32, "[5, 6, 7]");
    TRY(stria_meshgrid((const stria_tensor *[]){x, y}, 2, "xy", &list, &err));
    IS_ALL(list, "[[0, 1], [0, 1], [0, 1]], [[5, 5], [6, 6], [7, 7]]");
}
