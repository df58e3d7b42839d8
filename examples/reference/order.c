/* order.c - examples of docs/reference: Order. */
#include "reference.h"

EXAMPLE(sort)
{
    TRY(stria_sort(of(STRIA_F32, "[3, 1, nan, 2]"), -1, false, false, &values, &indices, &err));
    IS(values, "[1, 2, 3, nan]");
    IS(indices, "[1, 3, 0, 2]");
    TRY(stria_sort_out(values, 0, true, false, values, indices, &err));
    IS(values, "[nan, 3, 2, 1]");
}

EXAMPLE(argsort)
{
    TRY(stria_argsort(of(STRIA_F32, "[30, 10, 20]"), -1, true, false, &y, &err));
    IS(y, "[0, 2, 1]");
}

EXAMPLE(msort)
{
    TRY(stria_msort(of(STRIA_F32, "[[3, 1], [2, 5], [1, 3]]"), &y, &err));
    IS(y, "[[1, 1], [2, 3], [3, 5]]");
}

EXAMPLE(topk)
{
    TRY(stria_topk(of(STRIA_F32, "[0.1, 0.5, 0.2, 0.2]"), 2, -1, true, true, &values, &indices, &err));
    IS(values, "[0.5, 0.2]");
    IS(indices, "[1, 2]");
}

EXAMPLE(kthvalue)
{
    TRY(stria_kthvalue(of(STRIA_F32, "[[30, 10, 20], [3, 1, 2]]"), 1, -1, false, &values, &indices, &err));
    IS(values, "[10, 1]");
    IS(indices, "[1, 1]");
}

EXAMPLE(unique)
{
    TRY(stria_unique(of(STRIA_I64, "[3, 1, 3, 2, 1]"), true, true, true, STRIA_AXIS_NONE, &x, &y, &c, &err));
    IS(x, "[1, 2, 3]");
    IS(y, "[2, 0, 2, 1, 0]");
    IS(c, "[2, 1, 2]");
}

EXAMPLE(unique_consecutive)
{
    TRY(stria_unique_consecutive(of(STRIA_I64, "[1, 1, 2, 2, 2, 1]"), false, true, STRIA_AXIS_NONE, &x, &y, &c, &err));
    IS(x, "[1, 2, 1]");
    IS(c, "[2, 3, 1]");
}
