/* joining.c - examples of docs/reference: Joining and padding. */
#include "reference.h"

EXAMPLE(cat)
{
    a = of(STRIA_F32, "[[1, 2]]");
    b = of(STRIA_F32, "[[3, 4], [5, 6]]");
    TRY(stria_cat((const stria_tensor *[]){a, b}, 2, 0, &y, &err));
    IS(y, "[[1, 2], [3, 4], [5, 6]]");
}

EXAMPLE(pad)
{
    TRY(stria_pad(of(STRIA_F32, "[1, 2, 3]"), (int64_t[]){2, 2}, 2, "circular", INT(0), &y, &err));
    IS(y, "[2, 3, 1, 2, 3, 1, 2]");
}

EXAMPLE(stack)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[3, 4]");
    TRY(stria_stack((const stria_tensor *[]){a, b}, 2, 1, &y, &err));
    IS(y, "[[1, 3], [2, 4]]");
}

EXAMPLE(hstack)
{
    a = of(STRIA_F32, "[[1], [2]]");
    b = of(STRIA_F32, "[[3], [4]]");
    TRY(stria_hstack((const stria_tensor *[]){a, b}, 2, &y, &err));
    IS(y, "[[1, 3], [2, 4]]");
}

EXAMPLE(vstack)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[[3, 4], [5, 6]]");
    TRY(stria_vstack((const stria_tensor *[]){a, b}, 2, &y, &err));
    IS(y, "[[1, 2], [3, 4], [5, 6]]");
}

EXAMPLE(row_stack)
{
    a = of(STRIA_F32, "[1, 2]");
    TRY(stria_row_stack((const stria_tensor *[]){a, a}, 2, &y, &err));
    IS(y, "[[1, 2], [1, 2]]");
}

EXAMPLE(dstack)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[3, 4]");
    TRY(stria_dstack((const stria_tensor *[]){a, b}, 2, &y, &err));
    IS(y, "[[[1, 3], [2, 4]]]");
}

EXAMPLE(column_stack)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[3, 4]");
    TRY(stria_column_stack((const stria_tensor *[]){a, b}, 2, &y, &err));
    IS(y, "[[1, 3], [2, 4]]");
}

EXAMPLE(block_diag)
{
    a = of(STRIA_F32, "[[1, 2], [3, 4]]");
    b = of(STRIA_F32, "[[5]]");
    TRY(stria_block_diag((const stria_tensor *[]){a, b}, 2, &y, &err));
    IS(y, "[[1, 2, 0], [3, 4, 0], [0, 0, 5]]");
}

EXAMPLE(cartesian_prod)
{
    a = of(STRIA_I64, "[1, 2]");
    b = of(STRIA_I64, "[7, 8]");
    TRY(stria_cartesian_prod((const stria_tensor *[]){a, b}, 2, &y, &err));
    IS(y, "[[1, 7], [1, 8], [2, 7], [2, 8]]");
}

EXAMPLE(combinations)
{
    TRY(stria_combinations(of(STRIA_I64, "[1, 2]"), 2, true, &y, &err));
    IS(y, "[[1, 1], [1, 2], [2, 2]]");
}
