/* flat.h - the contiguous short cut, decided in one place: whether operands are one run of elements in the shape of a result.
 * Then no iterator is needed. Internal. */
#ifndef STRIA_CPU_FLAT_H
#define STRIA_CPU_FLAT_H

#include "tensor/overlap.h"
#include "tensor/tensor.h"

typedef enum stria_flat {
    STRIA_FLAT_NOT,
    STRIA_FLAT_RUN, /* every element of the result has one of its own, in the same order without gaps */
    STRIA_FLAT_ONE  /* a single value for all of them */
} stria_flat;

/* x beside a result of this shape. has_shape: whether x is known to have it. */
static inline stria_flat stria_flat_get(const stria_tensor *x, int ndim, const int64_t *shape, bool has_shape)
{
    if ((has_shape || stria_tensor_has_shape(x, ndim, shape)) && stria_tensor_is_contiguous(x)) return STRIA_FLAT_RUN;
    return x->numel == 1 && x->ndim <= ndim ? STRIA_FLAT_ONE : STRIA_FLAT_NOT;
}

/* Whether elements of out may be written while those of x are read: x is out, or elsewhere. Where storages meet, the iterator
 * decides. */
static inline bool stria_flat_is_apart(const stria_tensor *out, const stria_tensor *x)
{
    return x == out || !stria_storage_meets(out->storage, x->storage);
}

#endif
