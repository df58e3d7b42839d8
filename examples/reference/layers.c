/* layers.c - examples of docs/reference: Rows and layers. */
#include "reference.h"

EXAMPLE(softmax)
{
    x = of(STRIA_F32, "[[1, 2, 3], [0, 0, 0]]");
    TRY(stria_softmax(x, 1, STRIA_DTYPE_NONE, &y, &err));
    IS(y, "[[0.09, 0.2447, 0.6652], [0.3333, 0.3333, 0.3333]]");
    TRY(stria_softmax_out(x, 1, STRIA_DTYPE_NONE, x, &err));
    IS(x, "[[0.09, 0.2447, 0.6652], [0.3333, 0.3333, 0.3333]]");
}

EXAMPLE(log_softmax)
{
    TRY(stria_log_softmax(of(STRIA_F32, "[0, 1000]"), 0, STRIA_DTYPE_NONE, &y, &err));
    IS(y, "[-1000, 0]");
}

EXAMPLE(layer_norm)
{
    TRY(stria_layer_norm(of(STRIA_F32, "[[1, 2, 3], [10, 20, 30]]"), NULL, NULL, (int64_t[]){3}, 1, 1e-5, &y, &err));
    IS(y, "[[-1.2247, 0, 1.2247], [-1.2247, 0, 1.2247]]");
}

EXAMPLE(softmax_backward)
{
    TRY(stria_softmax(of(STRIA_F32, "[1, 2, 3]"), 0, STRIA_DTYPE_NONE, &y, &err));
    TRY(stria_softmax_backward(of(STRIA_F32, "[1, 0, 0]"), y, 0, &x, &err));
    IS(x, "[0.0819, -0.022, -0.0599]");
}

EXAMPLE(log_softmax_backward)
{
    TRY(stria_log_softmax(of(STRIA_F32, "[1, 2, 3]"), 0, STRIA_DTYPE_NONE, &y, &err));
    TRY(stria_log_softmax_backward(of(STRIA_F32, "[1, 0, 0]"), y, 0, &x, &err));
    IS(x, "[0.91, -0.2447, -0.6652]");
}

EXAMPLE(layer_norm_backward)
{
    a = of(STRIA_F32, "[[1, 0, 0]]");
    b = of(STRIA_F32, "[[1, 2, 3]]");
    TRY(stria_layer_norm_backward(a, b, NULL, (int64_t[]){3}, 1, 1e-5, &x, &y, &values, &err));
    IS(x, "[[0.2041, -0.4082, 0.2041]]");
    IS(y, "[-1.2247, 0, 0]");
    IS(values, "[1, 0, 0]");
}

EXAMPLE(rms_norm_backward)
{
    a = of(STRIA_F32, "[[1, 0]]");
    b = of(STRIA_F32, "[[3, 4]]");
    TRY(stria_rms_norm_backward(a, b, NULL, (int64_t[]){2}, 1, 0, &x, &y, &err));
    IS(x, "[[0.181, -0.1358]]");
    IS(y, "[0.8485, 0]");
}

EXAMPLE(normalize)
{
    TRY(stria_normalize(of(STRIA_F32, "[[3, 4], [0, 2]]"), 1, 1, 1e-12, &y, &err));
    IS(y, "[[0.4286, 0.5714], [0, 1]]");
}

EXAMPLE(cosine_similarity)
{
    TRY(stria_cosine_similarity(of(STRIA_F32, "[[2, 0], [1, 1], [0, 5]]"), of(STRIA_F32, "[[1, 0]]"), 1, 1e-8, &y,
                                &err));
    IS(y, "[1, 0.7071, 0]");
}

EXAMPLE(rms_norm)
{
    TRY(stria_rms_norm(of(STRIA_F32, "[[3, 4], [1, 1]]"), NULL, (int64_t[]){2}, 1, 0, &y, &err));
    IS(y, "[[0.8485, 1.1314], [1, 1]]");
}

EXAMPLE(linear)
{
    TRY(stria_linear(of(STRIA_F32, "[[1, 1]]"), of(STRIA_F32, "[[1, 2], [3, 4]]"), of(STRIA_F32, "[0.5, 0]"), &y,
                     &err));
    IS(y, "[[3.5, 7]]");
}

EXAMPLE(local_response_norm)
{
    TRY(stria_local_response_norm(of(STRIA_F32, "[[[2], [3]]]"), 1, 1, 1, 1, &y, &err));
    IS(y, "[[[0.4], [0.3]]]");
}

EXAMPLE(batch_norm)
{
    x = of(STRIA_F32, "[[1, 10], [3, 30]]");
    a = of(STRIA_F32, "[0, 0]");
    b = of(STRIA_F32, "[1, 1]");
    TRY(stria_batch_norm(x, a, b, NULL, NULL, true, 0.1, 1e-5, &y, &values, &indices, &err));
    IS(y, "[[-1, -1], [1, 1]]");
    IS(values, "[0.2, 2]"); /* what the running mean and variance become */
    IS(indices, "[1.1, 20.9]");
}

EXAMPLE(group_norm)
{
    TRY(stria_group_norm(of(STRIA_F32, "[[1, 3, 10, 20]]"), NULL, NULL, 2, 1e-5, &y, &err));
    IS(y, "[[-1, 1, -1, 1]]");
}

EXAMPLE(instance_norm)
{
    TRY(stria_instance_norm(of(STRIA_F32, "[[[1, 3], [10, 20]]]"), NULL, NULL, 1e-5, &y, &err));
    IS(y, "[[[-1, 1], [-1, 1]]]");
}
