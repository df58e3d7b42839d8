/* pooling.h - sizes of pooling, for the row and the composites. Internal. */
#ifndef STRIA_CALL_POOLING_H
#define STRIA_CALL_POOLING_H

#include "call/convolution.h"

/* Attributes of pooling along the last n axes, each [n]. dilation NULL: 1. */
typedef struct stria_pool_attrs {
    const char    *name;
    int            n;
    const int64_t *kernel_size, *stride, *padding, *dilation;
    bool           ceil_mode;
} stria_pool_attrs;

/* The stride along axis d: that of the windows where it is not given. */
static inline int64_t stria_pool_get_stride(const stria_pool_attrs *a, int d)
{
    return a->stride[d] == STRIA_INT_NONE ? a->kernel_size[d] : a->stride[d];
}

/* How many windows there are along each of the last n axes of x, which has one or two dims more. Every refusal of sizes: ERR_ARGUMENT of attributes,
 * ERR_SHAPE, ERR_OVERFLOW. */
stria_status stria_pool_get_shape(const stria_pool_attrs *attrs, const stria_tensor *x, int64_t *out, stria_error *err);

#endif
