/* indexing.c - examples of docs/reference: Indexing. */
#include "reference.h"

EXAMPLE(masked_select)
{
    TRY(stria_masked_select(of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_BOOL, "[[true, false], [false, true]]"), &y,
                            &err));
    IS(y, "[1, 4]");
}

EXAMPLE(masked_fill)
{
    x = of(STRIA_F32, "[1, nan, 3]");
    TRY(stria_isnan(x, &c, &err));
    TRY(stria_masked_fill_out(x, c, of(STRIA_F32, "0"), x, &err));
    IS(x, "[1, 0, 3]");
}

EXAMPLE(gather)
{
    TRY(stria_gather(of(STRIA_F32, "[[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]]"), of(STRIA_I64, "[[1], [0]]"), 1, &y, &err));
    IS(y, "[[0.7], [0.5]]");
}

EXAMPLE(take_along_dim)
{
    TRY(stria_take_along_dim(of(STRIA_F32, "[[3, 1, 2], [9, 7, 8]]"), of(STRIA_I64, "[[1], [0]]"), 1, &y, &err));
    IS(y, "[[1], [9]]");
}

EXAMPLE(take)
{
    TRY(stria_take(of(STRIA_F32, "[[10, 20], [30, 40]]"), of(STRIA_I64, "[0, -1]"), &y, &err));
    IS(y, "[10, 40]");
}

EXAMPLE(index_select)
{
    TRY(stria_index_select(of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]"), of(STRIA_I64, "[2, 0]"), 1, &y, &err));
    IS(y, "[[3, 1], [6, 4]]");
}

EXAMPLE(embedding)
{
    TRY(stria_embedding(of(STRIA_F32, "[[0, 0], [0.1, 0.2], [0.3, 0.4]]"), of(STRIA_I64, "[2, 1]"), STRIA_INT_NONE, &y,
                        &err));
    IS(y, "[[0.3, 0.4], [0.1, 0.2]]");
}

EXAMPLE(index)
{
    a = of(STRIA_I64, "[0, 1]");
    b = of(STRIA_I64, "[2, 0]");
    TRY(stria_index(of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]"), (const stria_tensor *[]){a, b}, 2, &y, &err));
    IS(y, "[3, 4]");
}

EXAMPLE(nonzero)
{
    TRY(stria_nonzero(of(STRIA_F32, "[[0, 1], [2, 0]]"), &y, &err));
    IS(y, "[[0, 1], [1, 0]]");
}

EXAMPLE(argwhere)
{
    TRY(stria_argwhere(of(STRIA_BOOL, "[false, true, false, true]"), &y, &err));
    IS(y, "[[1], [3]]");
}

EXAMPLE(scatter)
{
    TRY(stria_scatter(of(STRIA_F32, "[0, 0, 0, 0]"), of(STRIA_I64, "[3, 1]"), of(STRIA_F32, "[5, 6]"), 0, "none", &y,
                      &err));
    IS(y, "[0, 6, 0, 5]");
}

EXAMPLE(scatter_add)
{
    TRY(stria_scatter_add(of(STRIA_F32, "[0, 0, 0]"), of(STRIA_I64, "[0, 2, 0, 2]"), of(STRIA_F32, "[1, 10, 2, 20]"), 0,
                          &y, &err));
    IS(y, "[3, 0, 30]");
}

EXAMPLE(scatter_reduce)
{
    TRY(stria_scatter_reduce(of(STRIA_F32, "[0, 0]"), of(STRIA_I64, "[0, 1, 0]"), of(STRIA_F32, "[3, 5, 4]"), 0, "mean",
                             false, &y, &err));
    IS(y, "[3.5, 5]");
}

EXAMPLE(put)
{
    TRY(stria_put(of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_I64, "[0, -1]"), of(STRIA_F32, "[9, 8]"), true, &y,
                  &err));
    IS(y, "[[10, 2], [3, 12]]");
}

EXAMPLE(index_add)
{
    TRY(stria_index_add(of(STRIA_F32, "[0, 0, 0]"), of(STRIA_I64, "[0, 2, 2]"), of(STRIA_F32, "[1, 1, 1]"), 0, INT(1),
                        &y, &err));
    IS(y, "[1, 0, 2]");
}

EXAMPLE(index_copy)
{
    TRY(stria_index_copy(of(STRIA_F32, "[[0, 0], [0, 0]]"), of(STRIA_I64, "[1]"), of(STRIA_F32, "[[7, 8]]"), 0, &y,
                         &err));
    IS(y, "[[0, 0], [7, 8]]");
}

EXAMPLE(index_fill)
{
    TRY(stria_index_fill(of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_I64, "[0]"), of(STRIA_F32, "-1"), 0, &y, &err));
    IS(y, "[[-1, -1], [3, 4]]");
}

EXAMPLE(index_reduce)
{
    TRY(stria_index_reduce(of(STRIA_F32, "[1, 1]"), of(STRIA_I64, "[0, 1, 0]"), of(STRIA_F32, "[2, 3, 4]"), 0, "amax",
                           true, &y, &err));
    IS(y, "[4, 3]");
}

EXAMPLE(index_put)
{
    a = of(STRIA_I64, "[0, 1]");
    b = of(STRIA_I64, "[1, 0]");
    TRY(stria_index_put(of(STRIA_F32, "[[0, 0], [0, 0]]"), of(STRIA_F32, "[5, 6]"), (const stria_tensor *[]){a, b}, 2,
                        false, &y, &err));
    IS(y, "[[0, 5], [6, 0]]");
}

EXAMPLE(masked_scatter)
{
    TRY(stria_masked_scatter(of(STRIA_F32, "[1, 2, 3]"), of(STRIA_BOOL, "[false, true, true]"), of(STRIA_F32, "[7, 8]"),
                             &y, &err));
    IS(y, "[1, 7, 8]");
}

EXAMPLE(select_scatter)
{
    TRY(stria_select_scatter(of(STRIA_F32, "[[0, 0], [0, 0]]"), of(STRIA_F32, "[1, 2]"), 1, 0, &y, &err));
    IS(y, "[[1, 0], [2, 0]]");
}

EXAMPLE(slice_scatter)
{
    TRY(stria_slice_scatter(of(STRIA_F32, "[0, 0, 0, 0]"), of(STRIA_F32, "[1, 2]"), 0, 1, 3, 1, &y, &err));
    IS(y, "[0, 1, 2, 0]");
}

EXAMPLE(diagonal_scatter)
{
    TRY(stria_diagonal_scatter(of(STRIA_F32, "[[1, 1], [1, 1]]"), of(STRIA_F32, "[5, 6]"), 0, 0, 1, &y, &err));
    IS(y, "[[5, 1], [1, 6]]");
}

EXAMPLE(one_hot)
{
    TRY(stria_one_hot(of(STRIA_I64, "[0, 2]"), -1, &y, &err));
    IS(y, "[[1, 0, 0], [0, 0, 1]]");
}

EXAMPLE(embedding_renorm)
{
    TRY(stria_embedding_renorm(of(STRIA_F64, "[[3, 4], [0, 2], [6, 8]]"), of(STRIA_I64, "[0, 1]"), 2.5, 2, &y, &err));
    IS(y, "[[1.5, 2], [0, 2], [6, 8]]");
}

EXAMPLE(searchsorted)
{
    TRY(stria_searchsorted(of(STRIA_F32, "[0, 10, 20]"), of(STRIA_F32, "[5, 10, 99]"), NULL, false, "none", false, &y,
                           &err));
    IS(y, "[1, 1, 3]");
}

EXAMPLE(bucketize)
{
    TRY(stria_bucketize(of(STRIA_F32, "[3, 18, 70]"), of(STRIA_F32, "[18, 65]"), false, false, &y, &err));
    IS(y, "[0, 0, 2]");
}

EXAMPLE(isin)
{
    TRY(stria_isin(of(STRIA_I64, "[1, 2, 3]"), of(STRIA_I64, "[2, 3, 5]"), true, &y, &err));
    IS(y, "[true, false, false]");
}
