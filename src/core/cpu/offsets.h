/* offsets.h - positions of a shape: where they lie in two operands, and tiles of them. Internal. */
#ifndef STRIA_OFFSETS_H
#define STRIA_OFFSETS_H

#include <stdint.h>

/* The offsets of a position in two operands, in the unit of their strides; dims fastest first. */
static inline void stria_offsets_get(int ndim, const int64_t *shape, const int64_t *stride_a, const int64_t *stride_b,
                                     int64_t position, int64_t *a, int64_t *b)
{
    *a = *b = 0;
    for (int d = 0; d < ndim; d++) {
        int64_t index = position;
        if (d < ndim - 1) {
            index %= shape[d];
            position /= shape[d];
        }
        *a += index * stride_a[d];
        *b += index * stride_b[d];
    }
}

/* Positions side by side, `width` along the fastest dim, in tiles of at most `tile`: how many tiles cover n positions. */
static inline int64_t stria_tiles_get_count(int64_t width, int64_t tile, int64_t n)
{
    return (width + tile - 1) / tile * (n / width);
}

/* The first position of tile number k, and how many it has. */
static inline int64_t stria_tiles_get(int64_t width, int64_t tile, int64_t k, int64_t *n)
{
    const int64_t n_tiles = (width + tile - 1) / tile, first = k % n_tiles * tile;

    *n = width - first < tile ? width - first : tile;
    return k / n_tiles * width + first;
}

#endif
