/* elements.h - composites that compute elements one by one, and then combine all of them: losses. Internal.
 *
 * The calls of a formula would each go over memory. Where nobody has to see them, and there is much memory, they are looked at
 * first: the formula runs on tensors of the META device, what it calls becomes an expression, and the device combines the elements
 * of that as it makes them. The results have the same bits, but for those of NaN. */
#ifndef STRIA_ELEMENTS_H
#define STRIA_ELEMENTS_H

#include "call/compose.h"

/* Makes the elements as STRIA_LAST, of inputs that broadcast with each other (some may be NULL), by element-wise calls alone.
 * attrs: those of the row. */
typedef stria_status stria_formula_fn(const void *attrs, const stria_tensor *const *in, stria_temps *temps,
                                      stria_error *err);

typedef struct stria_formula {
    stria_formula_fn          *fn;
    const stria_tensor *const *in; /* [n_in] */
    int                        n_in;
} stria_formula;

/* The elements, as a new tensor in `temps`. */
stria_status stria_formula_make(const stria_call *call, const stria_formula *formula, stria_temps *temps,
                                stria_error *err);
/* All of them combined by a plain reduction, as a new 0-dim tensor in `temps`. */
stria_status stria_formula_reduce(const stria_call *call, const stria_formula *formula, stria_reduction reduction,
                                  stria_temps *temps, stria_error *err);

#endif
