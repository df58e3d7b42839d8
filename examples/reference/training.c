/* training.c - examples of docs/reference: Training. */
#include "reference.h"

/* Lists of one tensor: those that are written to, and those that are read. */
#define INTO(t) (stria_tensor *const[]){t}, 1
#define FROM(t) (const stria_tensor *const[]){t}, 1

EXAMPLE(sgd)
{
    a = of(STRIA_F32, "[1, 2]");
    TRY(stria_sgd(INTO(a), FROM(of(STRIA_F32, "[10, -10]")), NULL, 0, 0.1, 0, 0, 0, false, false, false, &err));
    IS(a, "[0, 3]");
}

EXAMPLE(adam)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[0, 0]");
    c = of(STRIA_F32, "[0, 0]");
    TRY(stria_adam(INTO(a), FROM(of(STRIA_F32, "[10, -0.1]")), INTO(b), INTO(c), NULL, 0, 1, 0.5, 0.9, 0.999, 1e-8, 0,
                   false, &err));
    IS(a, "[0.5, 2.5]");
    IS(b, "[1, -0.01]");
}

EXAMPLE(adamw)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[0, 0]");
    c = of(STRIA_F32, "[0, 0]");
    TRY(stria_adamw(INTO(a), FROM(of(STRIA_F32, "[10, -0.1]")), INTO(b), INTO(c), NULL, 0, 1, 0.5, 0.9, 0.999, 1e-8,
                    0.2, false, &err));
    IS(a, "[0.4, 2.3]");
}

EXAMPLE(rmsprop)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[0, 0]");
    TRY(stria_rmsprop(INTO(a), FROM(of(STRIA_F32, "[10, -0.1]")), INTO(b), NULL, 0, NULL, 0, 0.1, 0.99, 1e-8, 0, 0,
                      false, &err));
    IS(a, "[0, 3]");
}

EXAMPLE(adagrad)
{
    a = of(STRIA_F32, "[1, 2]");
    b = of(STRIA_F32, "[0, 0]");
    TRY(stria_adagrad(INTO(a), FROM(of(STRIA_F32, "[10, -0.1]")), INTO(b), 1, 0.5, 0, 0, 1e-10, false, &err));
    IS(a, "[0.5, 2.5]");
    IS(b, "[100, 0.01]");
}

EXAMPLE(total_norm)
{
    a = of(STRIA_F32, "[3, 0]");
    b = of(STRIA_F32, "[[4]]");
    TRY(stria_total_norm((const stria_tensor *const[]){a, b}, 2, 2, &y, &err));
    IS(y, "5");
}

EXAMPLE(clip_grads_with_norm)
{
    a = of(STRIA_F32, "[3, 0, 4]");
    TRY(stria_total_norm(FROM(a), 2, &y, &err));
    TRY(stria_clip_grads_with_norm(y, INTO(a), 1, &err));
    IS(a, "[0.6, 0, 0.8]");
}

EXAMPLE(clip_grad_value)
{
    a = of(STRIA_F32, "[-3, 0.5, 7]");
    TRY(stria_clip_grad_value(INTO(a), 1, &err));
    IS(a, "[-1, 0.5, 1]");
}
