/* gpu.c - the same calls on a CUDA device, or on the CPU where there is none: says which, why, and what came out.
 *
 *     gpu                                                  on the first CUDA device that is found
 *     STRIA_CUDA_PLUGIN=/path/to/libstria_cuda.so gpu      with this plug-in
 */
#include <math.h>
#include <stdio.h>

#include "stria.h"

static int complain(const stria_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    return 1;
}

/* The first CUDA device, or the CPU and the reason. */
static stria_device choose(void)
{
    const stria_device gpu = STRIA_DEVICE(STRIA_DEVICE_CUDA, 0);
    stria_device_info  info;
    stria_error        err;

    if (stria_device_get_info(gpu, &info, &err) == STRIA_OK) {
        printf("on %s: %s, compute capability %d.%d\n", stria_device_get_name(gpu), info.name, info.capability[0],
               info.capability[1]);
        return gpu;
    }
    printf("on the CPU: %s\n", err.message);
    return STRIA_CPU;
}

/* The mean of exp(-x^2) over n numbers from -3 to 3, which are made, and stay, on the device. */
static stria_status mean_of_bell(stria_device device, int64_t n, stria_tensor **mean, stria_error *err)
{
    const stria_scalar least = {.kind = STRIA_SCALAR_FLOAT, .re = -3}, most = {.kind = STRIA_SCALAR_FLOAT, .re = 3};
    const stria_op     steps[] = {STRIA_OP_square, STRIA_OP_neg, STRIA_OP_exp};
    stria_tensor      *x = NULL;
    stria_status       status = stria_linspace(least, most, n, STRIA_F32, device, &x, err);

    *mean = NULL;
    const stria_tensor *const in[] = {x};
    for (int k = 0; status == STRIA_OK && k < 3; k++) status = stria_apply_out(steps[k], in, 1, x, err); /* in place */
    if (status == STRIA_OK) status = stria_mean(x, NULL, 0, false, mean, err); /* begun: nothing was waited for */
    stria_tensor_release(x);
    return status;
}

int main(void)
{
    stria_tensor *mean = NULL, *here = NULL;
    stria_error   err;
    stria_status  status = mean_of_bell(choose(), 1 << 16, &mean, &err);

    if (status == STRIA_OK) status = stria_tensor_copy_to(mean, STRIA_F32, STRIA_CPU, &here, &err); /* waits */
    stria_tensor_release(mean);
    if (status != STRIA_OK) return complain(&err);
    const float value = *(const float *)stria_tensor_get_data(here);
    stria_tensor_release(here);
    printf("the mean of exp(-x^2) over [-3, 3] is %.4f\n", (double)value);
    return fabsf(value - 0.2954f) < 1e-3f ? 0 : 1;
}
