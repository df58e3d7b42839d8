/* losses.c - examples of docs/reference: Losses. */
#include "reference.h"

EXAMPLE(mse_loss)
{
    TRY(stria_mse_loss(of(STRIA_F32, "[1, 2, 3]"), of(STRIA_F32, "[1, 2, 6]"), "sum", &y, &err));
    IS(y, "9");
}

EXAMPLE(l1_loss)
{
    TRY(stria_l1_loss(of(STRIA_F32, "[1, 2, 3]"), of(STRIA_F32, "[1, 2, 6]"), "mean", &y, &err));
    IS(y, "1");
}

EXAMPLE(huber_loss)
{
    TRY(stria_huber_loss(of(STRIA_F32, "[0, 0]"), of(STRIA_F32, "[0.5, 4]"), "none", 2, &y, &err));
    IS(y, "[0.125, 6]");
}

EXAMPLE(smooth_l1_loss)
{
    TRY(stria_smooth_l1_loss(of(STRIA_F32, "[0, 0]"), of(STRIA_F32, "[0.5, 4]"), "none", 1, &y, &err));
    IS(y, "[0.125, 3.5]");
}

EXAMPLE(binary_cross_entropy)
{
    TRY(stria_binary_cross_entropy(of(STRIA_F32, "[0.9, 0.2]"), of(STRIA_F32, "[1, 0]"), NULL, "none", &y, &err));
    IS(y, "[0.1054, 0.2231]");
}

EXAMPLE(binary_cross_entropy_with_logits)
{
    TRY(stria_binary_cross_entropy_with_logits(of(STRIA_F32, "[2, -1]"), of(STRIA_F32, "[1, 1]"), NULL,
                                               of(STRIA_F32, "3"), "none", &y, &err));
    IS(y, "[0.3808, 3.9398]");
}

EXAMPLE(kl_div)
{
    TRY(stria_kl_div(of(STRIA_F32, "[[-0.6931472, -0.6931472]]"), of(STRIA_F32, "[[1, 0]]"), "batchmean", false, &y,
                     &err));
    IS(y, "0.6931");
}

EXAMPLE(nll_loss)
{
    TRY(stria_nll_loss(of(STRIA_F32, "[[-0.2, -1.7], [-1.2, -0.4]]"), of(STRIA_I64, "[0, 1]"), NULL, "none", -100, &y,
                       &err));
    IS(y, "[0.2, 0.4]");
}

EXAMPLE(cross_entropy)
{
    TRY(stria_cross_entropy(of(STRIA_F32, "[[2, 0, 0], [0, 3, 0]]"), of(STRIA_I64, "[0, 1]"),
                            of(STRIA_F32, "[1, 2, 1]"), "mean", -100, 0, &y, &err));
    IS(y, "0.1431");
}
