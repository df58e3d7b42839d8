/* axis_rows.h - functions along one axis: the rows of x and y, which have one shape, along that axis. Internal. */
#ifndef STRIA_AXIS_ROWS_H
#define STRIA_AXIS_ROWS_H

#include "simd/kernels.h"
#include "cpu/offsets.h"
#include "iter.h"
#include "tensor/tensor.h"

typedef struct stria_axis_rows {
    int64_t          length, n_rows;          /* elements of a row, >= 1; >= 1 */
    int64_t          in_step, out_step;       /* bytes between neighbours of a row */
    int64_t          in_size, out_size, size; /* bytes of an element in x, in y, of the compute dtype */
    bool             in_packed, out_packed;   /* the elements of a row are contiguous and have the compute dtype */
    bool             in_same, out_same;       /* x, y have the compute dtype */
    const char      *source;
    char            *out;
    stria_cast_loop *load, *store; /* x -> compute dtype -> y */
    int              ndim;         /* dims of rows, in the order of memory, fastest first */
    int64_t          shape[STRIA_MAX_DIMS], in_stride[STRIA_MAX_DIMS], out_stride[STRIA_MAX_DIMS]; /* bytes */
} stria_axis_rows;

/**
 * stria_axis_rows_init - the geometry of rows along `axis` of x and y, which have the same shape and elements.
 *
 * y is x itself, or shares no memory with it; op names the function in errors: ERR_MEMORY only.
 */
stria_status stria_axis_rows_init(stria_axis_rows *rows, const char *op, const stria_kernels *kernels,
                                  const stria_tensor *x, stria_tensor *y, int axis, stria_dtype compute,
                                  stria_error *err);

/* Byte offsets of the first element of row number `row`. */
static inline void stria_axis_rows_get_offsets(const stria_axis_rows *rows, int64_t row, int64_t *in, int64_t *out)
{
    stria_offsets_get(rows->ndim, rows->shape, rows->in_stride, rows->out_stride, row, in, out);
}

#endif
