/* views.c - examples of docs/reference: Views and shapes. */
#include "reference.h"

EXAMPLE(slice)
{
    x = of(STRIA_F32, "[0, 1, 2, 3, 4, 5]");
    TRY(stria_slice(x, 0, 1, 4, 1, &y, &err));
    IS(y, "[1, 2, 3]");
    TRY(stria_slice(x, 0, STRIA_INT_NONE, STRIA_INT_NONE, -2, &c, &err));
    IS(c, "[5, 3, 1]");
}

EXAMPLE(select)
{
    TRY(stria_select(of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]"), 1, -1, &y, &err));
    IS(y, "[3, 6]");
}

EXAMPLE(transpose)
{
    TRY(stria_transpose(of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]"), 0, 1, &y, &err));
    IS(y, "[[1, 4], [2, 5], [3, 6]]");
}

EXAMPLE(permute)
{
    TRY(stria_permute(of(STRIA_F32, "[[[1, 2]], [[3, 4]]]"), (int[]){2, 0, 1}, 3, &y, &err));
    IS(y, "[[[1], [3]], [[2], [4]]]");
}

EXAMPLE(flip)
{
    TRY(stria_flip(of(STRIA_F32, "[[1, 2], [3, 4]]"), (int[]){0, 1}, 2, &y, &err));
    IS(y, "[[4, 3], [2, 1]]");
}

EXAMPLE(view)
{
    TRY(stria_view(of(STRIA_F32, "[1, 2, 3, 4, 5, 6]"), (int64_t[]){2, -1}, 2, &y, &err));
    IS(y, "[[1, 2, 3], [4, 5, 6]]");
}

EXAMPLE(expand)
{
    TRY(stria_expand(of(STRIA_F32, "[[1], [2]]"), (int64_t[]){2, 3}, 2, &y, &err));
    IS(y, "[[1, 1, 1], [2, 2, 2]]");
}

EXAMPLE(squeeze)
{
    TRY(stria_squeeze(of(STRIA_F32, "[[[1], [2]]]"), NULL, 0, &y, &err));
    IS(y, "[1, 2]");
}

EXAMPLE(unsqueeze)
{
    TRY(stria_unsqueeze(of(STRIA_F32, "[1, 2, 3]"), 0, &y, &err));
    IS(y, "[[1, 2, 3]]");
}

EXAMPLE(diagonal)
{
    TRY(stria_diagonal(of(STRIA_F32, "[[1, 2, 3], [4, 5, 6], [7, 8, 9]]"), -1, 0, 1, &y, &err));
    IS(y, "[4, 8]");
}

EXAMPLE(reshape)
{
    TRY(stria_reshape(of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]"), (int64_t[]){3, -1}, 2, &y, &err));
    IS(y, "[[1, 2], [3, 4], [5, 6]]");
}

EXAMPLE(contiguous)
{
    TRY(stria_transpose(of(STRIA_F32, "[[1, 2], [3, 4]]"), 0, 1, &x, &err));
    TRY(stria_contiguous(x, &y, &err));
    IS(y, "[[1, 3], [2, 4]]");
}

EXAMPLE(flatten)
{
    TRY(stria_flatten(of(STRIA_F32, "[[1, 2], [3, 4]]"), 0, -1, &y, &err));
    IS(y, "[1, 2, 3, 4]");
}

EXAMPLE(ravel)
{
    TRY(stria_ravel(of(STRIA_F32, "[[1, 2], [3, 4]]"), &y, &err));
    IS(y, "[1, 2, 3, 4]");
}

EXAMPLE(as_strided)
{
    TRY(stria_as_strided(of(STRIA_F32, "[1, 2, 3, 4, 5]"), (int64_t[]){2, 2}, 2, (int64_t[]){2, 1}, 2, 1, &y, &err));
    IS(y, "[[2, 3], [4, 5]]");
}

EXAMPLE(unfold)
{
    TRY(stria_unfold(of(STRIA_F32, "[1, 2, 3, 4, 5]"), 0, 2, 2, &y, &err));
    IS(y, "[[1, 2], [3, 4]]");
}

EXAMPLE(movedim)
{
    TRY(stria_movedim(of(STRIA_F32, "[[[1, 2], [3, 4]]]"), (int[]){0}, 1, (int[]){2}, 1, &y, &err));
    IS(y, "[[[1], [2]], [[3], [4]]]");
}

EXAMPLE(moveaxis)
{
    TRY(stria_moveaxis(of(STRIA_F32, "[[[1, 2], [3, 4]]]"), (int[]){2}, 1, (int[]){0}, 1, &y, &err));
    IS(y, "[[[1, 3]], [[2, 4]]]");
}

EXAMPLE(swapaxes)
{
    TRY(stria_swapaxes(of(STRIA_F32, "[[1, 2, 3]]"), 0, 1, &y, &err));
    IS(y, "[[1], [2], [3]]");
}

EXAMPLE(swapdims)
{
    TRY(stria_swapdims(of(STRIA_F32, "[[1, 2, 3]]"), 0, 1, &y, &err));
    IS(y, "[[1], [2], [3]]");
}

EXAMPLE(t)
{
    TRY(stria_t(of(STRIA_F32, "[[1, 2], [3, 4]]"), &y, &err));
    IS(y, "[[1, 3], [2, 4]]");
}

EXAMPLE(narrow)
{
    TRY(stria_narrow(of(STRIA_F32, "[0, 1, 2, 3]"), 0, 1, 2, &y, &err));
    IS(y, "[1, 2]");
}

EXAMPLE(unflatten)
{
    TRY(stria_unflatten(of(STRIA_F32, "[1, 2, 3, 4, 5, 6]"), 0, (int64_t[]){3, -1}, 2, &y, &err));
    IS(y, "[[1, 2], [3, 4], [5, 6]]");
}

EXAMPLE(broadcast_to)
{
    TRY(stria_broadcast_to(of(STRIA_F32, "[1, 2]"), (int64_t[]){3, 2}, 2, &y, &err));
    IS(y, "[[1, 2], [1, 2], [1, 2]]");
}

EXAMPLE(atleast_1d)
{
    TRY(stria_atleast_1d(of(STRIA_F32, "5"), &y, &err));
    IS(y, "[5]");
}

EXAMPLE(atleast_2d)
{
    TRY(stria_atleast_2d(of(STRIA_F32, "[1, 2]"), &y, &err));
    IS(y, "[[1, 2]]");
}

EXAMPLE(atleast_3d)
{
    TRY(stria_atleast_3d(of(STRIA_F32, "[1, 2]"), &y, &err));
    IS(y, "[[[1], [2]]]");
}

EXAMPLE(detach)
{
    TRY(stria_detach(of(STRIA_F32, "[1, 2]"), &y, &err));
    IS(y, "[1, 2]"); /* no call on y is remembered */
}

EXAMPLE(view_dtype)
{
    x = of(STRIA_F32, "[1, -2.5]");
    TRY(stria_view_dtype(x, STRIA_I32, &y, &err));
    IS(y, "[1065353216, -1071644672]");
}
