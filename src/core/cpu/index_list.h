/* index_list.h - several indices that stand for the first dims of a tensor, and indices into all of its elements. Internal.
 *
 * The indices are integers or masks: a mask stands for as many dims as it has, and counts as the positions of its true elements. All
 * broadcast together. */
#ifndef STRIA_INDEX_LIST_H
#define STRIA_INDEX_LIST_H

#include "cpu/index_plan.h"

typedef struct stria_index_list {
    stria_tensor *at;         /* owned: the sole index as it is, or where each slice of the table begins, in bytes */
    bool          is_checked; /* the latter */
    int           n_rest;     /* dims of the table that no index stands for: the last ones */
    int           ndim;
    int64_t       shape[STRIA_MAX_DIMS]; /* of the positions, then of the rest: that of the result */
} stria_index_list;

/* Adds the bytes that `index`, member k of several, contributes to list->at. It stands for dim k of the table; `argument` names it. */
typedef stria_status stria_index_list_add_fn(const stria_index_list *list, const stria_tensor *index, int k,
                                             const char *argument, const stria_call *call, const stria_tensor *table,
                                             stria_error *err);

/* The shape that call->list takes out of call->in[0]; *is_known false where it depends on the elements of a mask. Every refusal
 * but those that depend on elements. */
stria_status stria_index_list_infer(const stria_call *call, int *ndim, int64_t *shape, bool *is_known,
                                    stria_error *err);
/* Of a table with the shape of call->in[0], on any device. To be released on failure, too. ERR_ARGUMENT: an index is out of range; of a
 * sole one the walk finds that. */
stria_status stria_index_list_build(stria_index_list *list, const stria_call *call, const stria_tensor *table,
                                    stria_index_list_add_fn *add, stria_error *err);
/* Of tables on the CPU. */
stria_index_list_add_fn stria_index_list_add;
void                    stria_index_list_release(stria_index_list *list);
/* A walk over list->shape. */
void stria_index_list_plan(const stria_index_list *list, stria_index_plan *plan, const stria_tensor *table);

/* The last n dims of the table are those of the plan from `first` on; the one before them is the indexed one. */
void stria_index_plan_set_rows(stria_index_plan *plan, const stria_tensor *table, int n, int first);
/* The index counts the elements of the table in row-major order, from the end where it is negative. *offsets: NULL, or memory of the walk
 * with what has been found. ERR_ARGUMENT: out of range. */
stria_status stria_index_plan_set_flat(stria_index_plan *plan, const stria_call *call, const stria_tensor *table,
                                       const stria_tensor *index, stria_tensor **offsets, stria_error *err);

#endif
