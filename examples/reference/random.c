/* random.c - examples of docs/reference: Random numbers. */
#include <math.h>

#include "reference.h"

EXAMPLE(rand)
{
    stria_generator_set_seed(NULL, 0); /* the default one */
    TRY(stria_rand((int64_t[]){4}, 1, STRIA_F32, STRIA_CPU, NULL, &y, &err));
    IS(y, "[0.399, 0.9722, 0.0194, 0.7874]");
}

EXAMPLE(rand_like)
{
    stria_generator_set_seed(NULL, 7);
    TRY(stria_rand_like(of(STRIA_F32, "[1, 2, 3]"), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, NULL, &y, &err));
    IS(y, "[0.9546, 0.407, 0.0061]");
}

EXAMPLE(uniform)
{
    stria_generator *generator = NULL;
    TRY(stria_generator_new(7, &generator, &err));
    x = of(STRIA_F32, "[0, 0, 0]");
    TRY(stria_uniform_out(x, -1, 1, generator, x, &err)); /* in place */
    IS(x, "[0.9092, -0.1861, -0.9878]");
    stria_generator_release(generator);
}

EXAMPLE(randn)
{
    TRY(stria_randn((int64_t[]){1000}, 1, STRIA_F32, STRIA_CPU, NULL, &x, &err));
    TRY(stria_abs(x, &a, &err));
    TRY(stria_lt(a, of(STRIA_F32, "6.8"), &b, &err));
    TRY(stria_all(b, NULL, 0, false, &y, &err));
    IS(y, "true");
}

EXAMPLE(randn_like)
{
    TRY(stria_randn_like(of(STRIA_F64, "[1, 2]"), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, NULL, &y, &err));
    EQUALS(stria_tensor_get_dtype(y) == STRIA_F64, "1");
}

EXAMPLE(fill_normal)
{
    x = of(STRIA_F32, "[0, 0, 0]");
    TRY(stria_fill_normal_out(x, 5, 0, NULL, x, &err)); /* in place; no deviation */
    IS(x, "[5, 5, 5]");
}

EXAMPLE(normal)
{
    TRY(stria_normal(of(STRIA_F32, "[0, 100]"), of(STRIA_F32, "0"), NULL, &y, &err));
    IS(y, "[0, 100]");
}

EXAMPLE(exponential)
{
    TRY(stria_exponential(of(STRIA_F32, "[0, 0]"), 2, NULL, &x, &err));
    TRY(stria_gt(x, of(STRIA_F32, "0"), &y, &err));
    IS(y, "[true, true]");
}

EXAMPLE(randint)
{
    TRY(stria_randint(INT(1), INT(7), (int64_t[]){1000}, 1, STRIA_I64, STRIA_CPU, NULL, &x, &err));
    TRY(stria_amax(x, NULL, 0, false, &y, &err));
    IS(y, "6");
}

EXAMPLE(randint_like)
{
    TRY(stria_randint_like(of(STRIA_U8, "[0, 0]"), INT(7), INT(8), STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, NULL, &y,
                           &err));
    IS(y, "[7, 7]");
}

EXAMPLE(randperm)
{
    TRY(stria_randperm(5, STRIA_I64, STRIA_CPU, NULL, &x, &err));
    TRY(stria_sum(x, NULL, 0, false, &y, &err));
    IS(y, "10");
}

EXAMPLE(bernoulli)
{
    TRY(stria_bernoulli(of(STRIA_F32, "[0, 1, 1]"), NAN, NULL, &y, &err));
    IS(y, "[0, 1, 1]");
}

EXAMPLE(multinomial)
{
    TRY(stria_multinomial(of(STRIA_F32, "[0, 3, 0, 1]"), 2, false, NULL, &x, &err));
    TRY(stria_sort(x, 0, false, false, &values, &indices, &err));
    IS(values, "[1, 3]");
}

EXAMPLE(dropout)
{
    TRY(stria_dropout(of(STRIA_F32, "[1, 1, 1]"), 0.5, false, NULL, &y, &err));
    IS(y, "[1, 1, 1]");
}
