/* derivative_call.h - calls of any row with inputs that have derivatives: by chance from the row's schema, or as gradient_samples.def says. */
#ifndef TEST_DERIVATIVE_CALL_H
#define TEST_DERIVATIVE_CALL_H

#include "oracle.h"
#include "row_call.h"

enum { DERIVATIVE_INPUTS = STRIA_MAX_TENSORS + ROW_CALL_LIST, DERIVATIVE_DIMS = 5 };

/* One tensor of the call. */
typedef struct derivative_input {
    const stria_tensor **place;      /* in the call */
    stria_tensor        *x;          /* owned */
    bool                 is_leaf;    /* a float that requires a gradient */
    int                  n_expanded; /* the call gets x expanded to this shape, where this is not -1 */
    int64_t              expanded[DERIVATIVE_DIMS];
} derivative_input;

typedef struct derivative_call {
    row_call         call;
    derivative_input in[DERIVATIVE_INPUTS];
    int              n_in;
    json            *values[8]; /* of attributes that were read from a text */
    int              n_values;
    const char      *text; /* NULL: by chance */
} derivative_call;

/* How many texts gradient_samples.def has for a row. */
int derivative_count_texts(const char *row);
/* Whether its derivative is that of differences. */
bool derivative_is_measurable(const char *row);

/* A call of the row: number k of its texts; of rows without texts by chance, which often is no call that the row takes. */
void derivative_call_begin(derivative_call *d, random_state *random, stria_row row, int k);
void derivative_call_end(derivative_call *d);

/* Runs it, for new outputs; random numbers are the same each time. */
stria_status derivative_call_run(derivative_call *d, stria_error *err);

/* "softmax: float64[2,3] transposed .. dim=1", for messages. */
const char *derivative_call_describe(const derivative_call *d);

#endif
