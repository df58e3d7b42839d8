/* compose.h - composites: rows of functions.def that are made of other calls. Internal.
 *
 * A composite runs on every device that has the rows it is made of. Recorders see those, not the composite, unless it looks at
 * elements for what it refuses (call.c). Shapes, dtypes and
 * devices of its results, and most refusals, are those of the inner calls. An error names the composite, and the argument by its name
 * in the inner call: where a caller would not recognise that, the composite checks first.
 */
#ifndef STRIA_COMPOSE_H
#define STRIA_COMPOSE_H

#include "call/call.h"

/* Most temporaries of a composite. */
#define STRIA_MAX_TEMPS 48

/* Tensors that are released when a composite ends. at[n] is the one that is made next, or was made last. */
typedef struct stria_temps {
    stria_tensor *at[STRIA_MAX_TEMPS];
    int           n;
} stria_temps;

/* The place for one more; NULL, which every call refuses, when there are too many. The place is used up by what is written there:
 * two outputs of one call go to variables, and then to stria_temps_keep. */
static inline stria_tensor **stria_temps_next(stria_temps *temps)
{
    if (temps->at[temps->n] == NULL) return &temps->at[temps->n];
    if (temps->n + 1 == STRIA_MAX_TEMPS) return NULL;
    temps->at[++temps->n] = NULL;
    return &temps->at[temps->n];
}
/* The one made last; the same whether the next place was asked for before or not, as arguments are evaluated in any order. */
static inline stria_tensor *stria_temps_last(const stria_temps *temps)
{
    return temps->at[temps->n] != NULL || temps->n == 0 ? temps->at[temps->n] : temps->at[temps->n - 1];
}
/* Ends them; {{NULL}, 0} has none yet. */
void stria_temps_release(stria_temps *temps);
/* Takes a tensor over; where there is no place it is released, ERR_MEMORY. */
stria_status stria_temps_keep(stria_temps *temps, stria_tensor *x, stria_error *err);

/* A place to write `stria_mul(a, b, STRIA_TEMP, err)`, which then is STRIA_LAST. */
#define STRIA_TEMP stria_temps_next(temps)
#define STRIA_LAST stria_temps_last(temps)

/* value as an operand that takes part in promotion as a number does. */
stria_status stria_temps_number(stria_temps *temps, double value, stria_tensor **number, stria_error *err);

/* in[k] (some may be NULL) become copies in a dtype, where they have another one. */
stria_status stria_temps_convert(stria_temps *temps, const stria_tensor **in, int n, stria_dtype dtype,
                                 stria_error *err);
/**
 * Inputs as composites compute with them: *result becomes their common dtype, which must be a real float (ERR_DTYPE by the name of
 * the first input that is complex, or of `x`), and in[k] (some may be NULL) a copy in the dtype that this is computed in where it has
 * another one: no inner call computes in less, and results are rounded once.
 */
stria_status stria_temps_widen(const stria_call *call, stria_temps *temps, const stria_tensor **in, int n,
                               stria_dtype *result, stria_error *err);
/* The same of inputs that must broadcast with each other: ERR_SHAPE by the name of the first that does not. */
stria_status stria_temps_widen_operands(const stria_call *call, stria_temps *temps, const stria_tensor **in, int n,
                                        stria_dtype *result, stria_error *err);
/* Returns status; the error of an inner call that names its argument `inner` then names `argument`, what the caller knows it by. */
stria_status stria_temps_rename(stria_status status, const char *inner, const char *argument, stria_error *err);
/* *y = x in the dtype that widen said; x itself where it is of that. */
stria_status stria_temps_narrow(stria_tensor *x, stria_dtype result, stria_tensor **y, stria_error *err);

/* *bound = in[k]; a number that the integer dtype of the result does not hold: the nearest one, in *owned (else NULL), for the caller to release. */
stria_status stria_clamp_limit(const stria_tensor *const *in, int n_in, int k, const stria_tensor **bound,
                               stria_tensor **owned, stria_error *err);

/**
 * Makes y[k], every output of the row, new and owned by the caller; on failure those that were made stay there. call->out is not
 * looked at: the caller's tensors get the elements afterwards. What is put into temps is released.
 */
typedef stria_status stria_compose_fn(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err);

/* The same of a row that makes a list: fills *ys, which is empty before; on failure what lies there is released. */
typedef stria_status stria_compose_list_fn(const stria_call *call, stria_tensor_list *ys, stria_temps *temps,
                                           stria_error *err);
/* Refuses given outputs that cannot get what is like y, one for each output: for composites that draw numbers, before they do. */
stria_status stria_compose_check_outs(const stria_call *call, const stria_tensor *const *y, stria_error *err);
/* Attribute k, a NUMBER, SCALAR or FLAG, as a 0-dim number. ERR_DTYPE: a SCALAR of a category above that of the tensors. */
stria_status stria_compose_make_number(const stria_call *call, int k, stria_tensor **number, stria_error *err);

#define STRIA_FN(name, tensors, attributes, outputs, summary)
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary) stria_compose_list_fn stria_compose_##name;
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) stria_compose_fn stria_compose_##name;
#define STRIA_FN_OP(name, tensors, attributes, outputs, summary)
#include "table/functions.def"

#endif
