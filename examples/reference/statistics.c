/* statistics.c - examples of docs/reference: Statistics and counts. */
#include "reference.h"

EXAMPLE(median)
{
    TRY(stria_median(of(STRIA_F32, "[[3, 1, 2], [9, 7, 8]]"), 1, false, &values, &indices, &err));
    IS(values, "[2, 8]");
    IS(indices, "[2, 2]");
}

EXAMPLE(nanmedian)
{
    TRY(stria_nanmedian(of(STRIA_F32, "[3, nan, 1, 2]"), 0, false, &values, &indices, &err));
    IS(values, "2");
    IS(indices, "3");
}

EXAMPLE(mode)
{
    TRY(stria_mode(of(STRIA_I64, "[[2, 5, 5], [1, 1, 3]]"), 1, false, &values, &indices, &err));
    IS(values, "[5, 1]");
    IS(indices, "[2, 1]");
}

EXAMPLE(quantile)
{
    TRY(stria_quantile(of(STRIA_F32, "[10, 20, 30, 40, 50]"), of(STRIA_F32, "[0.25, 0.9]"), 0, false, "linear", &y,
                       &err));
    IS(y, "[20, 46]");
}

EXAMPLE(nanquantile)
{
    TRY(stria_nanquantile(of(STRIA_F32, "[nan, 1, 2, 3]"), of(STRIA_F32, "0.5"), 0, false, "linear", &y, &err));
    IS(y, "2");
}

EXAMPLE(histc)
{
    TRY(stria_histc(of(STRIA_F32, "[0.1, 0.2, 0.7, 0.9, 2]"), 4, 0, 1, &y, &err));
    IS(y, "[2, 0, 1, 1]");
}

EXAMPLE(cov)
{
    TRY(stria_cov(of(STRIA_F32, "[[1, 2, 3], [2, 4, 7]]"), NULL, NULL, 1, &y, &err));
    IS(y, "[[1, 2.5], [2.5, 6.3333]]");
}

EXAMPLE(corrcoef)
{
    TRY(stria_corrcoef(of(STRIA_F32, "[[1, 2, 3], [3, 2, 1]]"), &y, &err));
    IS(y, "[[1, -1], [-1, 1]]");
}

EXAMPLE(bincount)
{
    TRY(stria_bincount(of(STRIA_I64, "[0, 2, 2, 5]"), NULL, 0, &y, &err));
    IS(y, "[1, 0, 2, 0, 0, 1]");
}
