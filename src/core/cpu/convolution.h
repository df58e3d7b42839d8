/* convolution.h - convolutions as the loops see them (convolution.c fills this in, convolution_run.c runs it). Internal.
 *
 *     y[n][g][i][o] = bias + sum over p = (c, t) of weights[g][i][p] x[n][g][c][o step + t tap_step + first]
 *
 * for images n, groups g, channels i of the result, positions o, channels c of x and taps t, both in three axes. What is asked for
 * beyond the ends of x is 0. */
#ifndef STRIA_CPU_CONVOLUTION_H
#define STRIA_CPU_CONVOLUTION_H

#include "base/parallel.h"
#include "call/convolution.h"
#include "simd/kernels.h"

/* One axis. */
typedef struct stria_conv_axis {
    int64_t in, out, taps;
    int64_t step, tap_step, first; /* tap t of position o meets element o * step + t * tap_step + first of x */
    int64_t x_stride, y_stride;    /* in elements */
} stria_conv_axis;

typedef struct stria_conv_plan {
    const stria_kernels     *kernels;
    const stria_gemm_kernel *gemm;
    stria_move_gather       *gather;
    stria_move_scatter      *scatter;
    stria_move_transpose    *transpose;
    int64_t                  item;                       /* bytes of an element: 4 or 8; all are of one dtype */
    int64_t                  batch, groups, channels, m; /* channels of x, and of the result, of one group */
    int64_t                  k, positions;               /* of p, of o */
    stria_conv_axis          axis[STRIA_CONV_DIMS];
    const char              *x, *bias; /* bias: [groups * m], or NULL */
    char                    *y;
    int64_t                  x_batch, x_channel, y_batch, y_channel; /* strides in elements */
    const char              *weights;                                /* [groups][m][k] */
} stria_conv_plan;

/* Sizes that follow from others: k and positions. */
void stria_conv_plan_end(stria_conv_plan *plan);

/* Rows [p, p + n_p) of positions [o, o + n_o) of image and group as lines of dst, `pitch` elements apart: element (p, o) is what weight p meets
 * there. (convolution_pack.c) */
void stria_conv_pack(const stria_conv_plan *plan, const char *x, int64_t p, int64_t n_p, int64_t o, int64_t n_o,
                     char *dst, int64_t pitch);
/* Where an image and group of x begin. */
static inline const char *stria_conv_get_image(const stria_conv_plan *plan, int64_t n, int64_t g)
{
    return plan->x + (n * plan->x_batch + g * plan->channels * plan->x_channel) * plan->item;
}

/* Rows of weights below which a tile of a product does not pay. */
#define STRIA_CONV_FEW_ROWS 4

/* What m lines of n_o results of a group begin with, c_row elements apart: the bias, or 0. (convolution_run.c) */
void stria_conv_begin(const stria_conv_plan *plan, int64_t g, char *c, int64_t c_row, int64_t n_o);

/* Runs items [0, n) of about `work` products each, on as many threads as pay: run(context, chunk, begin, end), where chunk has the bytes from
 * *buffers + chunk * nbytes on. ERR_MEMORY, before anything is run. (convolution_run.c) */
stria_status stria_conv_run_items(int64_t n, double work, size_t nbytes, char **buffers, stria_range_fn *run,
                                  void *context, const char *name, stria_error *err);

/* The way of few rows of weights and steps of 1 along the last two axes, which copies x once for each tap of the first axis, not of all three.
 * (convolution_shift.c) */
bool         stria_conv_can_shift(const stria_conv_plan *plan);
stria_status stria_conv_plan_run_shifted(const stria_conv_plan *plan, const char *name, stria_error *err);

/* y, which has elements. ERR_MEMORY, before anything is written. */
stria_status stria_conv_plan_run(const stria_conv_plan *plan, const char *name, stria_error *err);

/* weights [groups][m][k], written here: the sum over images and positions of what they meet, times `gradient` in the place of y, whose positions lie one behind
 * another. ERR_MEMORY, before anything is written. (convolution_weight.c) */
stria_status stria_conv_plan_run_weights(const stria_conv_plan *plan, const char *gradient, char *weights,
                                         const char *name, stria_error *err);

/* The same rows as calls of others, on any device; y has the dtype that they promote to. (convolution_calls.c) */
stria_status stria_conv_by_calls(const stria_convolution_attrs *attrs, const stria_tensor *x,
                                 const stria_tensor *weight, const stria_tensor *bias, stria_tensor *y,
                                 stria_error *err);
stria_status stria_conv_weight_by_calls(const stria_convolution_weight_attrs *attrs, const stria_tensor *gradient,
                                        const stria_tensor *x, stria_tensor *y, stria_error *err);

#endif
