/* update_lists.h - a step of an optimiser, or clipping, of lists of tensors, as update.c hands it to loops or to the device that the tensors
 * are on. Internal. */
#ifndef STRIA_UPDATE_LISTS_H
#define STRIA_UPDATE_LISTS_H

#include "simd/kernels.h"
#include "simd/update_family.h"
#include "tensor/tensor.h"

/* norm: NULL, or one element of a real float, on the device: the rate is max_norm / (norm + 1e-6) then, and where that is not below 1
 * nothing happens. Members k of all lists have one dtype and shape. */
typedef struct stria_update {
    const stria_tensor *const *list;
    int                        n, n_lists; /* tensors of each list, lists */
    stria_update_family        family;
    stria_update_step          step;
    const stria_tensor        *norm;
    double                     max_norm;
} stria_update;

/* Whether the elements of all members k lie one after another, without gaps, in one order. */
bool stria_update_is_flat(const stria_update *u, int k);

#endif
