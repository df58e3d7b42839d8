/* gradients.c - examples of docs/reference: stria_autograd.h. */
#include "reference.h"
#include "stria_autograd.h"

EXAMPLE(tensor_set_requires_grad)
{
    x = of(STRIA_F32, "[1, 2, 3]");
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    TRY(stria_square(x, &y, &err));
    EQUALS(stria_tensor_get_requires_grad(y), "1");
    EQUALS(stria_tensor_get_is_leaf(y), "0");
    EQUALS(stria_tensor_get_is_leaf(x), "1");
}

EXAMPLE(tensor_get_grad)
{
    x = of(STRIA_F32, "[1, 2, 3]");
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    TRY(stria_square(x, &a, &err));
    TRY(stria_sum(a, NULL, 0, false, &y, &err));
    TRY(stria_backward(&y, 1, NULL, NULL, 0, 0, &err));
    IS(stria_tensor_get_grad(x), "[2, 4, 6]");
}

EXAMPLE(tensor_set_grad)
{
    x = of(STRIA_F32, "[1, 2]");
    TRY(stria_tensor_set_grad(x, of(STRIA_F32, "[5, 6]"), &err)); /* a walk adds to it */
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    TRY(stria_sum(x, NULL, 0, false, &y, &err));
    TRY(stria_backward(&y, 1, NULL, NULL, 0, 0, &err));
    IS(stria_tensor_get_grad(x), "[6, 7]");
    TRY(stria_tensor_set_grad(x, NULL, &err));
}

EXAMPLE(tensor_retain_grad)
{
    x = of(STRIA_F32, "[1, 2]");
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    TRY(stria_square(x, &a, &err));
    TRY(stria_tensor_retain_grad(a, &err));
    TRY(stria_mul(a, of(STRIA_F32, "[10, 20]"), &b, &err));
    TRY(stria_sum(b, NULL, 0, false, &y, &err));
    TRY(stria_backward(&y, 1, NULL, NULL, 0, 0, &err));
    IS(stria_tensor_get_grad(a), "[10, 20]");
    IS(stria_tensor_get_grad(x), "[20, 80]");
}

EXAMPLE(tensor_detach)
{
    x = of(STRIA_F32, "[1, 2]");
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    TRY(stria_square(x, &y, &err));
    TRY(stria_tensor_detach(y, &err));
    EQUALS(stria_tensor_get_requires_grad(y), "0");
}

EXAMPLE(grad_mode_set)
{
    x = of(STRIA_F32, "[1, 2]");
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    const bool         was = stria_grad_mode_set(false);
    const stria_status status = stria_square(x, &y, &err);
    stria_grad_mode_set(was);
    TRY(status);
    EQUALS(stria_tensor_get_requires_grad(y), "0");
}

EXAMPLE(backward)
{
    a = of(STRIA_F32, "[1, 2, 3]");
    b = of(STRIA_F32, "[4, 5, 6]");
    TRY(stria_tensor_set_requires_grad(a, true, &err));
    TRY(stria_tensor_set_requires_grad(b, true, &err));
    TRY(stria_mul(a, b, &y, &err));
    x = of(STRIA_F32, "[1, 10, 100]"); /* of what comes after y */
    TRY(stria_backward(&y, 1, &x, NULL, 0, 0, &err));
    IS(stria_tensor_get_grad(a), "[4, 50, 600]");
    IS(stria_tensor_get_grad(b), "[1, 20, 300]");
}

EXAMPLE(grad)
{
    x = of(STRIA_F32, "3");
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    TRY(stria_pow(x, of(STRIA_F32, "4"), &y, &err));
    TRY(stria_grad(&y, 1, NULL, &x, 1, STRIA_GRAD_CREATE, &a, &err)); /* 4 x^3 */
    TRY(stria_grad(&a, 1, NULL, &x, 1, 0, &b, &err));                 /* 12 x^2 */
    IS(a, "108");
    IS(b, "108");
}

/* The gradient, but no element beyond 1. */
static stria_status limit(void *context, const stria_tensor *gradient, stria_tensor **replacement, stria_error *error)
{
    return stria_clamp(gradient, of(STRIA_F32, "-1"), context, replacement, error);
}

EXAMPLE(tensor_register_hook)
{
    uint64_t id;

    x = of(STRIA_F32, "[-5, 0.25, 5]");
    c = of(STRIA_F32, "1");
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    TRY(stria_tensor_register_hook(x, limit, c, NULL, &id, &err));
    TRY(stria_square(x, &a, &err));
    TRY(stria_sum(a, NULL, 0, false, &y, &err));
    TRY(stria_backward(&y, 1, NULL, NULL, 0, 0, &err));
    IS(stria_tensor_get_grad(x), "[-1, 0.5, 1]");
    stria_tensor_remove_hook(id);
}

/* exp(exp(x)), of which a checkpoint keeps x alone. */
static stria_status exp_twice(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                              int n_outputs, stria_error *error)
{
    stria_tensor *once;
    stria_status  status = stria_exp(inputs[0], &once, error);

    (void)context, (void)n_inputs, (void)n_outputs;
    if (status != STRIA_OK) return status;
    status = stria_exp(once, &outputs[0], error);
    stria_tensor_release(once);
    return status;
}

EXAMPLE(checkpoint)
{
    x = of(STRIA_F64, "[0, 0.5]");
    TRY(stria_tensor_set_requires_grad(x, true, &err));
    TRY(stria_checkpoint(exp_twice, NULL, NULL, &x, 1, &a, 1, &err));
    TRY(stria_sum(a, NULL, 0, false, &y, &err));
    TRY(stria_backward(&y, 1, NULL, NULL, 0, 0, &err));
    IS(stria_tensor_get_grad(x), "[2.7183, 8.5739]");
}
