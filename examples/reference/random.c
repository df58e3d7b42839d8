/* random.c - examples of docs/reference: Random numbers. */
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
    TRY(stria_rand_like(of(STRIA_F32, "[1, 2, 3]"), STRIA_DTYPE_NONE, NULL, &y, &err));
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
