/* convolution.h - sizes of convolutions, for the rows and the composites that are made of them. Internal. */
#ifndef STRIA_CALL_CONVOLUTION_H
#define STRIA_CALL_CONVOLUTION_H

#include "call/call.h"

/* Axes behind batch and channels that rows have; composites of fewer see them as sizes of 1. */
#define STRIA_CONV_DIMS 3

/* Attributes of a convolution along n axes, each [n]. output_padding NULL: none, of one that is not transposed. */
typedef struct stria_conv_attrs {
    const char    *name;
    int            n;
    bool           transposed;
    int64_t        groups;
    const int64_t *stride, *padding, *dilation, *output_padding;
} stria_conv_attrs;

/**
 * The shape [n + 2] of the result, of x and weight [n + 2] and bias, whose size is -1 where there is none.
 *
 * Every refusal of sizes: ERR_ARGUMENT of attributes, ERR_SHAPE, ERR_OVERFLOW.
 */
stria_status stria_conv_get_shape(const stria_conv_attrs *attrs, const int64_t *x, const int64_t *weight, int64_t bias,
                                  int64_t *shape, stria_error *err);

/* ERR_SHAPE: "argument has shape .., but must have <expected>". Always fails. */
stria_status stria_conv_refuse_shape(const char *name, const char *argument, const stria_tensor *x,
                                     const char *expected, stria_error *err);

/* ERR_SHAPE unless x has n axes behind batch and channels, or behind channels alone. */
stria_status stria_spatial_check(const char *name, const stria_tensor *x, int n, stria_error *err);

/* ERR_ARGUMENT where one of n numbers is below `least`. */
stria_status stria_conv_check_least(const char *name, const char *argument, int n, const int64_t *numbers,
                                    int64_t least, stria_error *err);

/* Positions of a window of `reach` elements in an axis of `size` elements with padding on both sides, 0 or less where it does not fit. ERR_OVERFLOW by
 * the name of `padding`. */
stria_status stria_conv_get_positions(const char *name, int64_t size, int64_t padding, int64_t reach, int64_t stride,
                                      int64_t *positions, stria_error *err);

/* *reach = (taps - 1) * dilation + 1. ERR_OVERFLOW. */
stria_status stria_conv_get_reach(const char *name, int64_t taps, int64_t dilation, int64_t *reach, stria_error *err);

#endif
