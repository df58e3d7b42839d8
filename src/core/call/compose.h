/* compose.h - composites: rows of functions.def that are made of other calls. Internal.
 *
 * A composite runs on every device that has the rows it is made of. Recorders see those, not the composite; results without an
 * input on a device, shapes, dtypes and most refusals are theirs. An error names the composite, and the argument as the inner call
 * knows it: what a caller could not recognise is checked first. */
#ifndef STRIA_COMPOSE_H
#define STRIA_COMPOSE_H

#include "call/call.h"

/* Most temporaries of a composite. */
#define STRIA_MAX_TEMPS 48

/* Tensors that are released when a composite ends. */
typedef struct stria_temps {
    stria_tensor *at[STRIA_MAX_TEMPS];
    int           n;
} stria_temps;

/* The place for one more; NULL, which every call refuses, when there are too many. */
static inline stria_tensor **stria_temps_next(stria_temps *temps)
{
    if (temps->n == STRIA_MAX_TEMPS) return NULL;
    temps->at[temps->n] = NULL;
    return &temps->at[temps->n++];
}
/* The one made last; NULL if there is none. A place that is still empty is passed over, since arguments have no order. */
static inline stria_tensor *stria_temps_last(const stria_temps *temps)
{
    int k = temps->n - 1;
    while (k >= 0 && temps->at[k] == NULL) k--;
    return k >= 0 ? temps->at[k] : NULL;
}

/* A place to write `stria_mul(a, b, STRIA_TEMP, err)`, which then is STRIA_LAST. */
#define STRIA_TEMP stria_temps_next(temps)
#define STRIA_LAST stria_temps_last(temps)

/**
 * Makes y[k], every output of the row, new and owned by the caller; on failure those that were made stay there. call->out is not
 * looked at: the caller's tensors get the elements afterwards. What is put into temps is released.
 */
typedef stria_status stria_compose_fn(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err);

/* The same of a row that makes a list: fills *ys, which is empty before; on failure what lies there is released. */
typedef stria_status stria_compose_list_fn(const stria_call *call, stria_tensor_list *ys, stria_temps *temps,
                                           stria_error *err);

#define STRIA_FN(name, tensors, attributes, outputs, summary)
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary) stria_compose_list_fn stria_compose_##name;
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) stria_compose_fn stria_compose_##name;
#include "table/functions.def"

#endif
