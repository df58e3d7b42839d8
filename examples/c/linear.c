/* linear.c - linear regression: finds the coefficients that the data were made with.
 *
 *     y = 2 a - 3 b + 0.5 c + 1
 */
#include <math.h>

#include "learn.h"

int main(void)
{
    static const float coefficients[] = {2, -3, 0.5f};
    const int64_t      data_shape[] = {256, 3}, weight_shape[] = {1, 3}, one = 1;
    const float        constant = 1;
    stria_generator   *random = NULL;
    stria_tensor      *x = NULL, *y = NULL, *wanted = NULL, *shift = NULL, *weight = NULL, *bias = NULL;
    double             loss = 0, worst = 0;

    TRY(stria_generator_new(1, &random, &error));
    TRY(stria_randn(data_shape, 2, STRIA_F32, STRIA_CPU, random, &x, &error));
    TRY(stria_tensor_new_copy_of(STRIA_F32, 2, weight_shape, coefficients, sizeof coefficients, &wanted, &error));
    TRY(stria_tensor_new_copy_of(STRIA_F32, 1, &one, &constant, sizeof constant, &shift, &error));
    TRY(stria_linear(x, wanted, shift, &y, &error));

    TRY(stria_zeros(weight_shape, 2, STRIA_F32, STRIA_CPU, &weight, &error));
    TRY(stria_zeros(&one, 1, STRIA_F32, STRIA_CPU, &bias, &error));
    TRY(stria_tensor_set_requires_grad(weight, true, &error));
    TRY(stria_tensor_set_requires_grad(bias, true, &error));
    stria_tensor *const params[] = {weight, bias};
    for (int step = 0; step < 100; step++) {
        TRY(stria_linear(x, weight, bias, NEW, &error));
        TRY(stria_mse_loss(LAST, y, "mean", NEW, &error));
        loss = (double)*(const float *)stria_tensor_get_const_data(LAST);
        TRY(stria_backward(&LAST, 1, NULL, NULL, 0, 0, &error));
        const stria_tensor *const grads[] = {stria_tensor_get_grad(weight), stria_tensor_get_grad(bias)};
        TRY(stria_sgd(params, 2, grads, 2, NULL, 0, 0.1, 0, 0, 0, false, false, false, &error));
        for (int k = 0; k < 2; k++) TRY(stria_tensor_set_grad(params[k], NULL, &error));
        release_made();
    }
    const float *found = stria_tensor_get_const_data(weight), *at_zero = stria_tensor_get_const_data(bias);
    printf("y = %.4f a %+.4f b %+.4f c %+.4f, loss %.1e\n", (double)found[0], (double)found[1], (double)found[2],
           (double)at_zero[0], loss);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs((double)(found[k] - coefficients[k])));
    worst = fmax(worst, fabs((double)at_zero[0] - 1));
    stria_tensor *all[] = {x, y, wanted, shift, weight, bias};
    for (int k = 0; k < 6; k++) stria_tensor_release(all[k]);
    stria_generator_release(random);
    return expect(worst < 1e-4, "the coefficients, within 1e-4");
}
