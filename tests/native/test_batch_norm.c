/* test_batch_norm.c - batch_norm, group_norm and instance_norm against plain loops in double: statistics of the batch and running ones, dtypes,
 * layouts, refusals. */
#include <math.h>
#include <string.h>

#include "isa.h"
#include "oracle.h"
#include "refused.h"
#include "suite.h"

enum { BATCH = 3, CHANNELS = 4, LENGTH = 5 };
static const int64_t shape[] = {BATCH, CHANNELS, LENGTH}, channels = CHANNELS;
static const double  eps = 1e-3, momentum = 0.3;

static double get(const stria_tensor *x, const int64_t *index)
{
    return value_get(stria_tensor_get_dtype(x), tensor_at(x, index)).real;
}

static double get_channel(const stria_tensor *x, int64_t c, double usual) { return x == NULL ? usual : get(x, &c); }

static double get_tolerance(stria_dtype dtype)
{
    return dtype == STRIA_F64 ? 1e-13 : dtype == STRIA_F32 ? 2e-6 : dtype == STRIA_F16 ? 2e-3 : 1.6e-2;
}

static void check_near(double got, double expected, stria_dtype dtype, const char *what)
{
    CHECK(fabs(got - expected) <= get_tolerance(dtype) * (fabs(expected) + 1), "%s of %s: %.9g, not %.9g", what,
          stria_dtype_get_name(dtype), got, expected);
}

/* Mean and variance of elements n, c of ranges. */
static void get_moments(const stria_tensor *x, int64_t n, int64_t n_end, int64_t c, int64_t c_end, double *mean,
                        double *var)
{
    const double count = (double)((n_end - n) * (c_end - c) * LENGTH);

    *mean = *var = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = n; i < n_end; i++)
            for (int64_t j = c; j < c_end; j++)
                for (int64_t k = 0; k < LENGTH; k++) {
                    const double value = get(x, (const int64_t[]){i, j, k});
                    if (pass == 0)
                        *mean += value / count;
                    else
                        *var += (value - *mean) * (value - *mean) / count;
                }
}

static stria_tensor *make(random_state *random, stria_dtype dtype, layout kind, int ndim, const int64_t *sizes,
                          double offset, double scale)
{
    stria_tensor *x = tensor_random(random, dtype, kind, ndim, sizes, 0, 1);

    tensor_fill_random(random, x, offset, scale);
    return x;
}

/* size: channels of a group, 0: over the batch. */
static void check_result(const stria_tensor *x, const stria_tensor *y, int size, const stria_tensor *mean,
                         const stria_tensor *var, const stria_tensor *weight, const stria_tensor *bias,
                         const char *what)
{
    int64_t index[3] = {0};

    do {
        const int64_t n = index[0], c = index[1], first = size > 0 ? c / size * size : c;
        double        m = get_channel(mean, c, 0), v = get_channel(var, c, 0);
        if (mean == NULL)
            get_moments(x, size > 0 ? n : 0, size > 0 ? n + 1 : BATCH, first, size > 0 ? first + size : c + 1, &m, &v);
        const double z = (get(x, index) - m) / sqrt(v + eps);
        check_near(get(y, index), z * get_channel(weight, c, 1) + get_channel(bias, c, 0), stria_tensor_get_dtype(x),
                   what);
    } while (index_next(3, shape, index));
}

static void check_dtype(stria_dtype dtype, layout kind)
{
    random_state  random = {5 + (uint64_t)dtype};
    stria_tensor *x = make(&random, dtype, kind, 3, shape, 1, 3);
    stria_tensor *mean = make(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, &channels, 1, 1);
    stria_tensor *var = make(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, &channels, 2, 1);
    stria_tensor *weight = make(&random, dtype, LAYOUT_CONTIGUOUS, 1, &channels, 0, 2);
    stria_tensor *bias = make(&random, dtype, LAYOUT_FLIPPED, 1, &channels, 0, 2);
    stria_tensor *y = NULL, *new_mean = NULL, *new_var = NULL;
#define BATCH_NORM(mean, var, weight, bias, training)                                                                  \
    CHECK_STATUS(stria_batch_norm(x, mean, var, weight, bias, training, momentum, eps, &y, &new_mean, &new_var, NULL), \
                 STRIA_OK)
#define END                         \
    stria_tensor_release(y);        \
    stria_tensor_release(new_mean); \
    stria_tensor_release(new_var);  \
    y = new_mean = new_var = NULL
    BATCH_NORM(mean, var, weight, bias, false);
    check_result(x, y, 0, mean, var, weight, bias, "batch_norm");
    CHECK(stria_tensor_get_dtype(y) == dtype && stria_tensor_get_dtype(new_mean) == STRIA_F32, "dtypes");
    for (int64_t c = 0; c < CHANNELS; c++)
        CHECK(get(new_mean, &c) == get(mean, &c) && get(new_var, &c) == get(var, &c), "statistics stay");
    END;
    BATCH_NORM(mean, var, weight, NULL, true);
    check_result(x, y, 0, NULL, NULL, weight, NULL, "batch_norm that learns");
    for (int64_t c = 0; c < CHANNELS; c++) {
        double m, v;
        get_moments(x, 0, BATCH, c, c + 1, &m, &v);
        v *= BATCH * LENGTH / (BATCH * LENGTH - 1.0);
        check_near(get(new_mean, &c), get(mean, &c) + momentum * (m - get(mean, &c)), STRIA_F32, "mean");
        check_near(get(new_var, &c), get(var, &c) + momentum * (v - get(var, &c)), STRIA_F32, "variance");
    }
    END;
    BATCH_NORM(NULL, NULL, NULL, bias, false);
    check_result(x, y, 0, NULL, NULL, NULL, bias, "batch_norm of the batch");
    END;
    CHECK_STATUS(stria_group_norm(x, weight, bias, 2, eps, &y, NULL), STRIA_OK);
    check_result(x, y, 2, NULL, NULL, weight, bias, "group_norm");
    END;
    CHECK_STATUS(stria_instance_norm(x, NULL, NULL, eps, &y, NULL), STRIA_OK);
    check_result(x, y, 1, NULL, NULL, NULL, NULL, "instance_norm");
    END;
#undef BATCH_NORM
#undef END
    stria_tensor *all[] = {x, mean, var, weight, bias};
    for (int k = 0; k < 5; k++) stria_tensor_release(all[k]);
}

/* Running statistics that are outputs, too, change in place. */
static void test_in_place(void)
{
    random_state  random = {3};
    stria_tensor *x = make(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 3, shape, 0, 1), *y = NULL, *m = NULL, *v = NULL;
    stria_tensor *mean = make(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, &channels, 0, 1);
    stria_tensor *var = make(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, &channels, 2, 1);

    CHECK_STATUS(stria_batch_norm(x, mean, var, NULL, NULL, true, momentum, eps, &y, &m, &v, NULL), STRIA_OK);
    CHECK_STATUS(stria_batch_norm_out(x, mean, var, NULL, NULL, true, momentum, eps, y, mean, var, NULL), STRIA_OK);
    for (int64_t c = 0; c < CHANNELS; c++)
        CHECK(get(mean, &c) == get(m, &c) && get(var, &c) == get(v, &c), "statistics in place");
    stria_tensor *all[] = {x, y, m, v, mean, var};
    for (int k = 0; k < 6; k++) stria_tensor_release(all[k]);
}

static void test_refusals(void)
{
    static const int64_t one[] = {1, CHANNELS}, wrong = CHANNELS + 1;
    random_state         random = {3};
    stria_tensor *x = make(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 3, shape, 0, 1), *y = NULL, *m = NULL, *v = NULL;
    stria_tensor *row = make(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 2, one, 0, 1), *whole = NULL;
    stria_tensor *vector = make(&random, STRIA_F32, LAYOUT_CONTIGUOUS, 1, &wrong, 0, 1);

    CHECK_STATUS(stria_tensor_copy(x, STRIA_I32, &whole, NULL), STRIA_OK);
#define NORM(x, mean, var, weight, training) \
    stria_batch_norm(x, mean, var, weight, NULL, training, momentum, eps, &y, &m, &v, &err)
    REFUSED_NEW(NORM(vector, NULL, NULL, NULL, true), STRIA_ERR_SHAPE, "batch_norm", "x", "2 dims");
    REFUSED_NEW(NORM(whole, NULL, NULL, NULL, true), STRIA_ERR_DTYPE, "batch_norm", "x", "a float");
    REFUSED_NEW(NORM(row, NULL, NULL, NULL, true), STRIA_ERR_SHAPE, "batch_norm", "x", "more than one element");
    REFUSED_NEW(NORM(x, vector, vector, NULL, false), STRIA_ERR_SHAPE, "batch_norm", "running_mean", "axis 1");
    REFUSED_NEW(NORM(x, NULL, NULL, vector, false), STRIA_ERR_SHAPE, "batch_norm", "weight", "axis 1");
#undef NORM
    REFUSED_NEW(stria_group_norm(x, NULL, NULL, 3, eps, &y, &err), STRIA_ERR_SHAPE, "group_norm", "x", "num_groups");
    REFUSED_NEW(stria_group_norm(x, NULL, NULL, 0, eps, &y, &err), STRIA_ERR_ARGUMENT, "group_norm", "num_groups",
                "1 or");
    REFUSED_NEW(stria_instance_norm(row, NULL, NULL, eps, &y, &err), STRIA_ERR_SHAPE, "instance_norm", "x", "3 dims");
    stria_tensor *all[] = {x, row, vector, whole};
    for (int k = 0; k < 4; k++) stria_tensor_release(all[k]);
}

SUITE(test_batch_norm)
{
    check_isa("test_batch_norm");
    check_dtype(STRIA_F32, LAYOUT_CONTIGUOUS);
    check_dtype(STRIA_F32, LAYOUT_TRANSPOSED);
    check_dtype(STRIA_F64, LAYOUT_STEPPED);
    check_dtype(STRIA_F16, LAYOUT_CONTIGUOUS);
    check_dtype(STRIA_BF16, LAYOUT_FLIPPED);
    test_in_place();
    test_refusals();
    return check_finish("test_batch_norm");
}
