/* activations.c - examples of docs/reference: Activations. */
#include "reference.h"

EXAMPLE(sigmoid)
{
    TRY(stria_sigmoid(of(STRIA_F32, "[0, 2, -2]"), &y, &err));
    IS(y, "[0.5, 0.8808, 0.1192]");
}

EXAMPLE(relu)
{
    TRY(stria_relu(of(STRIA_F32, "[-1, 0, 3]"), &y, &err));
    IS(y, "[0, 0, 3]");
}

EXAMPLE(gelu)
{
    TRY(stria_gelu(of(STRIA_F32, "[-1, 0, 1]"), &y, &err));
    IS(y, "[-0.1587, 0, 0.8413]");
}

EXAMPLE(gelu_tanh)
{
    TRY(stria_gelu_tanh(of(STRIA_F32, "[-1, 0, 1]"), &y, &err));
    IS(y, "[-0.1588, 0, 0.8412]");
}

EXAMPLE(relu6)
{
    TRY(stria_relu6(of(STRIA_F32, "[-1, 3, 9]"), &y, &err));
    IS(y, "[0, 3, 6]");
}

EXAMPLE(softsign)
{
    TRY(stria_softsign(of(STRIA_F32, "[-1, 0, 3]"), &y, &err));
    IS(y, "[-0.5, 0, 0.75]");
}

EXAMPLE(hardsigmoid)
{
    TRY(stria_hardsigmoid(of(STRIA_F32, "[-4, 0, 1.5]"), &y, &err));
    IS(y, "[0, 0.5, 0.75]");
}

EXAMPLE(hardswish)
{
    TRY(stria_hardswish(of(STRIA_F32, "[-4, 0, 1.5]"), &y, &err));
    IS(y, "[-0, 0, 1.125]");
}

EXAMPLE(silu)
{
    TRY(stria_silu(of(STRIA_F32, "[-1, 0, 2]"), &y, &err));
    IS(y, "[-0.2689, 0, 1.7616]");
}

EXAMPLE(mish)
{
    TRY(stria_mish(of(STRIA_F32, "[-1, 0, 2]"), &y, &err));
    IS(y, "[-0.3034, 0, 1.944]");
}

EXAMPLE(selu)
{
    TRY(stria_selu(of(STRIA_F32, "[-1, 0, 1]"), &y, &err));
    IS(y, "[-1.1113, 0, 1.0507]");
}

EXAMPLE(logsigmoid)
{
    TRY(stria_logsigmoid(of(STRIA_F32, "[-100, 0, 5]"), &y, &err));
    IS(y, "[-100, -0.6931, -0.0067]");
}

EXAMPLE(softplus)
{
    TRY(stria_softplus(of(STRIA_F32, "[-1, 0, 30]"), 1, 20, &y, &err));
    IS(y, "[0.3133, 0.6931, 30]");
}

EXAMPLE(elu)
{
    x = of(STRIA_F32, "[-1, 0, 2]");
    TRY(stria_elu_out(x, 1, x, &err));
    IS(x, "[-0.6321, 0, 2]");
}

EXAMPLE(celu)
{
    TRY(stria_celu(of(STRIA_F32, "[-1, 0, 2]"), 0.5, &y, &err));
    IS(y, "[-0.4323, 0, 2]");
}

EXAMPLE(leaky_relu)
{
    TRY(stria_leaky_relu(of(STRIA_F32, "[-10, 5]"), 0.1, &y, &err));
    IS(y, "[-1, 5]");
}

EXAMPLE(hardshrink)
{
    TRY(stria_hardshrink(of(STRIA_F32, "[-2, 0.3, 1]"), 0.5, &y, &err));
    IS(y, "[-2, 0, 1]");
}

EXAMPLE(softshrink)
{
    TRY(stria_softshrink(of(STRIA_F32, "[-2, 0.3, 1]"), 0.5, &y, &err));
    IS(y, "[-1.5, 0, 0.5]");
}

EXAMPLE(hardtanh)
{
    TRY(stria_hardtanh(of(STRIA_F32, "[-3, 0.5, 3]"), REAL(-1), REAL(1), &y, &err));
    IS(y, "[-1, 0.5, 1]");
}

EXAMPLE(threshold)
{
    TRY(stria_threshold(of(STRIA_F32, "[0.2, 0.7, 3]"), REAL(0.5), REAL(0), &y, &err));
    IS(y, "[0, 0.7, 3]");
}

EXAMPLE(prelu)
{
    TRY(stria_prelu(of(STRIA_F32, "[[-1, -1], [2, 2]]"), of(STRIA_F32, "[0.25, 0.5]"), &y, &err));
    IS(y, "[[-0.25, -0.5], [2, 2]]");
}

EXAMPLE(glu)
{
    TRY(stria_glu(of(STRIA_F32, "[4, 6, 0, 0]"), 0, &y, &err));
    IS(y, "[2, 3]");
}

EXAMPLE(tanhshrink)
{
    TRY(stria_tanhshrink(of(STRIA_F32, "[-2, 0, 2]"), &y, &err));
    IS(y, "[-1.036, 0, 1.036]");
}
