/* copies.c - examples of docs/reference: Copies and conversion. */
#include "reference.h"

EXAMPLE(to)
{
    TRY(stria_to(of(STRIA_F32, "[1.7, -1.7, 300]"), STRIA_U8, &y, &err));
    IS(y, "[1, 0, 255]");
}

EXAMPLE(copy)
{
    TRY(stria_copy(of(STRIA_F32, "[[0, 0], [0, 0]]"), of(STRIA_I64, "[1, 2]"), &y, &err));
    IS(y, "[[1, 2], [1, 2]]");
    x = of(STRIA_F32, "[[0, 0], [0, 0]]");
    TRY(stria_tensor_set(x, y, &err));
    IS(x, "[[1, 2], [1, 2]]");
}

EXAMPLE(fill)
{
    TRY(stria_fill(of(STRIA_I64, "[1, 2, 3]"), INT(7), &y, &err));
    IS(y, "[7, 7, 7]");
}
