/* standardise.c - reads a table from a .npy file, gives every column mean 0 and standard deviation 1, writes the result.
 *
 *     standardise INPUT.npy OUTPUT.npy
 *
 * Build it against an installed stria, either way:
 *     cmake -B build -DCMAKE_PREFIX_PATH=... && cmake --build build
 *     cc standardise.c $(pkg-config --cflags --libs stria) -lm -o standardise
 */
#include <math.h>
#include <stdio.h>

#include "stria.h"

/* What has to be released at the end, whichever way main is left. */
static struct {
    stria_tensor *tensors[16];
    int           count;
} held;

static stria_tensor *hold(stria_tensor *x)
{
    if (x) held.tensors[held.count++] = x;
    return x;
}

/* One step: out receives a new tensor, which is released at the end. */
#define STEP(call)                                     \
    do {                                               \
        stria_tensor *out = NULL;                      \
        if ((call) != STRIA_OK) return complain(&err); \
        hold(out);                                     \
    } while (0)
#define LAST (held.tensors[held.count - 1])

static int complain(const stria_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    return 1;
}

/* Mean and standard deviation of each column of x [n, m], as [1, m] each. */
static int column_statistics(const stria_tensor *x, stria_tensor **mean, stria_tensor **deviation)
{
    const int     rows = 0;
    stria_error   err = {0};
    stria_tensor *distance, *square, *variance;

    STEP(stria_mean(x, &rows, 1, true, &out, &err));
    *mean = LAST;
    STEP(stria_sub(x, *mean, &out, &err)); /* [n, m] - [1, m] broadcasts */
    distance = LAST;
    STEP(stria_square(distance, &out, &err));
    square = LAST;
    STEP(stria_mean(square, &rows, 1, true, &out, &err));
    variance = LAST;
    STEP(stria_sqrt(variance, &out, &err));
    *deviation = LAST;
    return 0;
}

static int standardise(const char *input, const char *output)
{
    stria_error   err = {0};
    stria_tensor *x, *y, *mean, *deviation, *new_mean, *new_deviation;
    double        off_mean = 0, off_deviation = 0;

    STEP(stria_npy_get_file(input, &out, &err));
    x = LAST;
    if (stria_tensor_get_ndim(x) != 2 || stria_tensor_get_dtype(x) != STRIA_F64) {
        fprintf(stderr, "%s: a table of float64 is needed\n", input);
        return 1;
    }
    const int64_t n = stria_tensor_get_shape(x)[0], m = stria_tensor_get_shape(x)[1];
    printf("%lld rows, %lld columns, float64\n", (long long)n, (long long)m);

    if (column_statistics(x, &mean, &deviation) != 0) return 1;
    STEP(stria_sub(x, mean, &out, &err));
    y = LAST;
    const stria_tensor *divide[] = {y, deviation};
    if (stria_apply_out(STRIA_OP_div, divide, 2, y, &err) != STRIA_OK) return complain(&err); /* in place */

    const double *mu = stria_tensor_get_const_data(mean), *sigma = stria_tensor_get_const_data(deviation);
    for (int64_t k = 0; k < m; k++) printf("column %lld: mean %.6f, deviation %.6f\n", (long long)k, mu[k], sigma[k]);

    if (column_statistics(y, &new_mean, &new_deviation) != 0) return 1;
    mu = stria_tensor_get_const_data(new_mean);
    sigma = stria_tensor_get_const_data(new_deviation);
    for (int64_t k = 0; k < m; k++) {
        off_mean = fmax(off_mean, fabs(mu[k]));
        off_deviation = fmax(off_deviation, fabs(sigma[k] - 1));
    }
    printf("standardised: means %s 0, deviations %s 1\n", off_mean < 1e-12 ? "are" : "are not",
           off_deviation < 1e-12 ? "are" : "are not");
    const double *row = stria_tensor_get_const_data(y);
    printf("first row:");
    for (int64_t k = 0; k < m; k++) printf(" %.6f", row[k]);
    printf("\n");

    if (stria_npy_set_file(output, y, &err) != STRIA_OK) return complain(&err);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s INPUT.npy OUTPUT.npy\n", argv[0]);
        return 2;
    }
    const int status = standardise(argv[1], argv[2]);
    for (int k = 0; k < held.count; k++) stria_tensor_release(held.tensors[k]);
    return status;
}
