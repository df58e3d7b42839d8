/* parts.c - examples of docs/reference: Parts and repetitions. */
#include "reference.h"

EXAMPLE(tril)
{
    x = of(STRIA_F32, "[[1, 2], [3, 4]]");
    TRY(stria_tril(x, 0, &y, &err));
    IS(y, "[[1, 0], [3, 4]]");
    TRY(stria_tril_out(x, -1, x, &err));
    IS(x, "[[0, 0], [3, 0]]");
}

EXAMPLE(triu)
{
    TRY(stria_triu(of(STRIA_F32, "[[1, 2], [3, 4]]"), 0, &y, &err));
    IS(y, "[[1, 2], [0, 4]]");
}

EXAMPLE(diag_embed)
{
    TRY(stria_diag_embed(of(STRIA_F32, "[1, 2]"), 1, -2, -1, &y, &err));
    IS(y, "[[0, 1, 0], [0, 0, 2], [0, 0, 0]]");
}

EXAMPLE(diag)
{
    TRY(stria_diag(of(STRIA_F32, "[[1, 2], [3, 4]]"), 0, &y, &err));
    IS(y, "[1, 4]");
}

EXAMPLE(diagflat)
{
    TRY(stria_diagflat(of(STRIA_F32, "[[1, 2]]"), 0, &y, &err));
    IS(y, "[[1, 0], [0, 2]]");
}

EXAMPLE(rot90)
{
    TRY(stria_rot90(of(STRIA_F32, "[[1, 2], [3, 4]]"), 1, NULL, 0, &y, &err));
    IS(y, "[[2, 4], [1, 3]]");
}

EXAMPLE(roll)
{
    TRY(stria_roll(of(STRIA_F32, "[1, 2, 3, 4]"), (int64_t[]){-1}, 1, NULL, 0, &y, &err));
    IS(y, "[2, 3, 4, 1]");
}

EXAMPLE(repeat)
{
    TRY(stria_repeat(of(STRIA_F32, "[1, 2]"), (int64_t[]){3}, 1, &y, &err));
    IS(y, "[1, 2, 1, 2, 1, 2]");
}

EXAMPLE(tile)
{
    TRY(stria_tile(of(STRIA_F32, "[[1, 2]]"), (int64_t[]){2, 1}, 2, &y, &err));
    IS(y, "[[1, 2], [1, 2]]");
}

EXAMPLE(repeat_interleave)
{
    TRY(stria_repeat_interleave(of(STRIA_F32, "[1, 2]"), of(STRIA_I64, "[1, 3]"), 0, &y, &err));
    IS(y, "[1, 2, 2, 2]");
}
