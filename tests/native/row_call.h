/* row_call.h - calls of any row by its name: attributes from JSON or with their usual values, for suites that go through all rows. */
#ifndef TEST_ROW_CALL_H
#define TEST_ROW_CALL_H

#include "call/call.h"
#include "json.h"

#define ROW_CALL_LIST 5

typedef struct row_call {
    stria_call          call;
    const stria_schema *schema; /* NULL: a row of ops.def */
    const stria_tensor *in[STRIA_MAX_TENSORS], *list[ROW_CALL_LIST];
    stria_tensor       *out[STRIA_MAX_OUTPUTS];
    stria_tensor_list   made;
    union {
        stria_any_attrs    any;
        stria_reduce_attrs reduce;
    } attrs;
    int     axes[4][8]; /* lists among the attributes */
    int64_t sizes[4][16];
    int     n_axes, n_sizes; /* how many of these are taken */
} row_call;

/* The row of a name; one that is an op with numbers and a function is the function. -1: there is none. */
stria_row row_find(const char *name);
/* The dtype of a name, "f64"; STRIA_DTYPE_NONE: there is none. */
stria_dtype row_find_dtype(const char *name);

/* A call without tensors, every attribute with its usual value; one that has none is 1, the first word, or an empty list. */
void row_call_begin(row_call *c, stria_row row);
/* An attribute; false: there is none of that name, or the value is not of its kind. */
bool row_call_set(row_call *c, const char *name, const json *value);
/* How many tensors the call gives, and number k of them: those of a list, too. */
int           row_call_count_outputs(const row_call *c);
stria_tensor *row_call_get_output(const row_call *c, int k);
/* Runs it for new outputs, which row_call_release gives back. */
stria_status row_call_run(row_call *c, stria_error *err);
void         row_call_release(row_call *c);

/* A list that lives as long as the call, for a SHAPE or AXES. */
stria_sizes row_call_keep_sizes(row_call *c, const int64_t *sizes, int n);
stria_axes  row_call_keep_axes(row_call *c, const int *axes, int n);

#endif
