/* record.h - what the files of a call that is recorded share (record.c). Internal. */
#ifndef STRIA_RECORD_H
#define STRIA_RECORD_H

#include "autograd/node.h"
#include "call/call_internal.h"

/* What is found out about a call before it runs. */
typedef struct stria_record {
    const stria_call   *call;
    stria_family_fn    *family;
    const stria_schema *schema; /* NULL: of an op or reduction */
    const stria_rule   *rule;
    int                 n_in, n_out;
    bool                needs;       /* an input requires a gradient */
    bool                is_given;    /* a result goes into a tensor of the caller */
    bool                is_in_place; /* which is the first input */
} stria_record;

static inline const stria_tensor *stria_record_get_input(const stria_record *r, int k)
{
    return r->schema != NULL ? stria_call_get_input(r->call, r->schema, k) : r->call->in[k];
}

/* The node of a call that has made y, or is going to write to it. (record_node.c) */
stria_status stria_record_new_node(const stria_record *r, stria_tensor *const *y, stria_node **out, stria_error *err);

/* Calls that are made of others (record_composite.c): a composite; one with a rule of its own whose result goes into a tensor; an expression
 * whose inputs require gradients. */
stria_status stria_record_run_composite(const stria_record *r, stria_error *err);
stria_status stria_record_run_composite_into(const stria_record *r, stria_error *err);
stria_status stria_record_run_instructions(const stria_record *r, stria_error *err);

/* ERR_ARGUMENT, always. */
stria_status stria_record_refuse_out(const stria_record *r, stria_error *err);

#endif
