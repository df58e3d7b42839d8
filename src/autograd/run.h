/* run.h - one use of a rule, or the making of an expression from a formula: what words work on. Internal. */
#ifndef STRIA_RUN_H
#define STRIA_RUN_H

#include "autograd/node.h"

/* A formula that becomes an expression: values 0 .. STRIA_N_VALUES-1, then constants and instructions. */
#define STRIA_TAPE_CONSTANTS 64
#define STRIA_TAPE_CODE 128
#define STRIA_TAPE_CONSTANT_AT 100
#define STRIA_TAPE_CODE_AT 200
typedef struct stria_tape {
    bool              is_unfit; /* it has words that are no rows of ops.def */
    unsigned          mentions;
    int               n_constants, n_code;
    double            constants[STRIA_TAPE_CONSTANTS];
    stria_instruction code[STRIA_TAPE_CODE];
} stria_tape;

/* What a term stands for. */
typedef struct stria_value {
    const stria_tensor *x;     /* of a number: once a word has asked for it */
    short               place; /* in an expression that is being made, or of a deferred word; else -1 */
    bool                is_number, is_owned;
    double              number;
} stria_value;

typedef struct stria_deferred stria_deferred;

#define STRIA_RUN_INLINE 24
struct stria_rule_run {
    stria_node          *node;
    stria_tensor *const *gradients; /* [node->n_out], NULL: nobody asked */
    stria_tensor       **results;   /* [node->n_in] */
    const bool          *wants;     /* [node->n_in] */
    bool                 create_graph;
    stria_status         status;
    stria_error         *err;
    stria_tape          *tape;      /* NULL: words compute */
    stria_term           answer;    /* of a word that does not call its row */
    bool                 has_first; /* answer is the first tensor of the word: what conj of a real term is */
    stria_tensor        *made;      /* by a word with one output, on its way into a term */
    stria_deferred      *deferred;  /* or NULL */
    stria_rule_run      *outer;     /* of the thread */
    int                  n_values, room;
    stria_value *values; /* of terms; the first one is nothing. Those that the run owns are released when it ends */
    stria_value  few[STRIA_RUN_INLINE];
};

static inline const stria_value *stria_value_get(const stria_rule_run *run, stria_term term)
{
    return &run->values[term.at];
}
/* The term of a place in the expression that is being made. */
stria_term stria_rule_place(stria_rule_run *run, int place);

/* Between them words of this thread work on run. End returns its status. */
void         stria_rule_run_begin(stria_rule_run *run);
stria_status stria_rule_run_end(stria_rule_run *run);

/* Runs the rule of a node: results[k], owned by the caller, for each wants[k]; NULL: nothing flows there. On failure all are NULL. */
stria_status stria_rule_apply(stria_node *node, stria_tensor *const *gradients, const bool *wants, bool create_graph,
                              stria_tensor **results, stria_error *err);

/* ---------------------------------------------------------------- words that run later (deferred.c) */

/* Whether an element-wise word of these terms is to be deferred: where nobody sees it, and it would go over much memory. */
bool       stria_deferred_fits(const stria_rule_run *run, const stria_term *in, int n);
stria_term stria_deferred_add(stria_rule_run *run, stria_op op, const stria_term *in, int n);
/* Of so many elements at least; less than 0: as it was. For tests, not beside running calls. */
void stria_deferred_set_least(int64_t numel);
/* A term that was deferred gets its tensor; any other is as it was. Errors are the run's. */
void stria_deferred_run(stria_rule_run *run, stria_term term);

/* ---------------------------------------------------------------- what words are made of */

/* The run of this thread. */
stria_rule_run *stria_word_begin(void);
/* The tensor of a term; the run fails where there is none. Optional: nothing is allowed. */
const stria_tensor        *stria_word_take(stria_rule_run *run, stria_term term);
const stria_tensor        *stria_word_take_optional(stria_rule_run *run, stria_term term);
const stria_tensor *const *stria_word_take_list(stria_rule_run *run, const stria_term *terms, int n);
/* Whether the row is to be called; if not, run->answer is the result of the word. function: -1 of a reduction. */
bool       stria_word_calls(stria_rule_run *run, int function);
stria_term stria_word_end(stria_rule_run *run, stria_status status, stria_tensor *y);
stria_term stria_word_end_one(stria_rule_run *run, stria_status status); /* run->made */
stria_term stria_word_op(stria_op op, const stria_term *in, int n);

#endif
