/* reductions.c - examples of docs/reference: Reductions. */
#include "reference.h"

EXAMPLE(sum)
{
    x = of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]");
    TRY(stria_sum(x, (int[]){0}, 1, false, &y, &err));
    IS(y, "[5, 7, 9]");
    TRY(stria_sum(x, NULL, 0, false, &c, &err));
    IS(c, "21");
    out = of(STRIA_F32, "[0, 0]");
    TRY(stria_reduce_out(STRIA_RED_sum, x, (int[]){1}, 1, false, STRIA_DTYPE_NONE, out, &err));
    IS(out, "[6, 15]");
}

EXAMPLE(prod)
{
    TRY(stria_prod(of(STRIA_I64, "[[2, 3], [4, 5]]"), (int[]){1}, 1, false, &y, &err));
    IS(y, "[6, 20]");
}

EXAMPLE(amax)
{
    TRY(stria_amax(of(STRIA_F32, "[[1, 9, 3], [4, 5, 6]]"), (int[]){1}, 1, false, &y, &err));
    IS(y, "[9, 6]");
}

EXAMPLE(amin)
{
    TRY(stria_amin(of(STRIA_F32, "[[1, 9, 3], [4, 5, 6]]"), (int[]){0}, 1, false, &y, &err));
    IS(y, "[1, 5, 3]");
}

EXAMPLE(any)
{
    TRY(stria_any(of(STRIA_BOOL, "[[false, true], [false, false]]"), (int[]){1}, 1, false, &y, &err));
    IS(y, "[true, false]");
}

EXAMPLE(all)
{
    TRY(stria_all(of(STRIA_F32, "[[1, 2], [0, 3]]"), (int[]){1}, 1, false, &y, &err));
    IS(y, "[true, false]");
}

EXAMPLE(mean)
{
    TRY(stria_mean(of(STRIA_F32, "[[0, 50], [100, 250]]"), (int[]){1}, 1, true, &y, &err));
    IS(y, "[[25], [175]]");
}

EXAMPLE(argmax)
{
    TRY(stria_argmax(of(STRIA_F32, "[[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]]"), 1, false, &y, &err));
    IS(y, "[1, 0]");
}

EXAMPLE(argmin)
{
    TRY(stria_argmin(of(STRIA_F32, "[3, -1, 7]"), STRIA_AXIS_NONE, false, &y, &err));
    IS(y, "1");
}

EXAMPLE(var)
{
    TRY(stria_var(of(STRIA_F32, "[[1, 2, 3, 4], [1, 1, 1, 5]]"), (int[]){1}, 1, 1, false, &y, &err));
    IS(y, "[1.6667, 4]");
}

EXAMPLE(std)
{
    TRY(stria_std(of(STRIA_F32, "[[1, 2], [3, 6]]"), (int[]){0}, 1, 1, false, &y, &err));
    IS(y, "[1.4142, 2.8284]");
}

EXAMPLE(norm)
{
    TRY(stria_norm(of(STRIA_F32, "[[3, -4], [6, 8]]"), 2, (int[]){1}, 1, false, STRIA_DTYPE_NONE, &y, &err));
    IS(y, "[5, 10]");
}

EXAMPLE(matrix_norm)
{
    TRY(stria_matrix_norm(of(STRIA_F32, "[[1, -2], [3, 4]]"), "inf", NULL, 0, false, STRIA_DTYPE_NONE, &y, &err));
    IS(y, "7");
}

EXAMPLE(dist)
{
    TRY(stria_dist(of(STRIA_F32, "[1, 2]"), of(STRIA_F32, "[4, 6]"), 1, &y, &err));
    IS(y, "7");
}

EXAMPLE(logsumexp)
{
    TRY(stria_logsumexp(of(STRIA_F32, "[[1000, 1000], [0, 1]]"), (int[]){1}, 1, false, &y, &err));
    IS(y, "[1000.6932, 1.3133]");
}

EXAMPLE(count_nonzero)
{
    TRY(stria_count_nonzero(of(STRIA_F32, "[[0, 1, 2], [0, 0, 3]]"), (int[]){1}, 1, &y, &err));
    IS(y, "[2, 1]");
}

EXAMPLE(nansum)
{
    TRY(stria_nansum(of(STRIA_F32, "[1, nan, 3]"), NULL, 0, false, STRIA_DTYPE_NONE, &y, &err));
    IS(y, "4");
}

EXAMPLE(nanmean)
{
    TRY(stria_nanmean(of(STRIA_F32, "[[1, nan, 3], [nan, nan, 5]]"), (int[]){1}, 1, false, STRIA_DTYPE_NONE, &y, &err));
    IS(y, "[2, 5]");
}

EXAMPLE(var_mean)
{
    TRY(stria_var_mean(of(STRIA_F32, "[[1, 2, 3], [2, 4, 6]]"), (int[]){1}, 1, 1, false, &x, &y, &err));
    IS(x, "[1, 4]");
    IS(y, "[2, 4]");
}

EXAMPLE(std_mean)
{
    TRY(stria_std_mean(of(STRIA_F32, "[2, 4, 4, 4, 5, 5, 7, 9]"), NULL, 0, 0, false, &x, &y, &err));
    IS(x, "2");
    IS(y, "5");
}

EXAMPLE(aminmax)
{
    TRY(stria_aminmax(of(STRIA_F32, "[[3, -1], [7, 0]]"), 1, false, &x, &y, &err));
    IS(x, "[-1, 0]");
    IS(y, "[3, 7]");
}

EXAMPLE(max)
{
    TRY(stria_max(of(STRIA_F32, "[[1, 9, 3], [4, 5, 6]]"), 1, false, &values, &indices, &err));
    IS(values, "[9, 6]");
    IS(indices, "[1, 2]");
}

EXAMPLE(min)
{
    TRY(stria_min(of(STRIA_F32, "[[1, 9, 3], [4, 5, 6]]"), 0, false, &values, &indices, &err));
    IS(values, "[1, 5, 3]");
    IS(indices, "[0, 1, 0]");
}

EXAMPLE(sum_to_size)
{
    TRY(stria_sum_to_size(of(STRIA_F32, "[[1, 2, 3], [4, 5, 6]]"), (int64_t[]){2, 1}, 2, &y, &err));
    IS(y, "[[6], [15]]");
}
