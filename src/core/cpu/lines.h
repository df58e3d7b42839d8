/* lines.h - functions along one axis: x and y of one shape, seen as lines along the axis. Internal. */
#ifndef STRIA_LINES_H
#define STRIA_LINES_H

#include "simd/kernels.h"
#include "iter.h"
#include "tensor/tensor.h"

typedef struct stria_lines {
    int64_t          length, n_lines;         /* elements of a line, >= 1; >= 1 */
    int64_t          in_step, out_step;       /* bytes between neighbours of a line */
    int64_t          in_size, out_size, size; /* bytes of an element in x, in y, of the compute dtype */
    bool             in_packed, out_packed;   /* a line is a run of the compute dtype in memory */
    bool             in_same, out_same;       /* x, y have the compute dtype */
    const char      *source;
    char            *out;
    stria_cast_loop *load, *store; /* x -> compute dtype -> y */
    int              ndim;         /* dims of lines, in the order of memory, fastest first */
    int64_t          shape[STRIA_MAX_DIMS], in_stride[STRIA_MAX_DIMS], out_stride[STRIA_MAX_DIMS]; /* bytes */
} stria_lines;

/**
 * stria_lines_init - the geometry of lines along `axis` of x and y, which have the same shape and elements.
 *
 * y is x itself, or shares no memory with it; op names the function in errors: ERR_MEMORY only.
 */
stria_status stria_lines_init(stria_lines *lines, const char *op, const stria_kernels *kernels, const stria_tensor *x,
                              stria_tensor *y, int axis, stria_dtype compute, stria_error *err);

/* Byte offsets of the first element of line number `line`. */
static inline void stria_lines_get_offsets(const stria_lines *lines, int64_t line, int64_t *in, int64_t *out)
{
    *in = *out = 0;
    for (int d = 0; d < lines->ndim; d++) {
        const int64_t index = line % lines->shape[d];
        line /= lines->shape[d];
        *in += index * lines->in_stride[d];
        *out += index * lines->out_stride[d];
    }
}

#endif
