/* step.h - steps as the frame of a run makes them. Internal.
 *
 * What is the same in each run of a frame is found in the first one, when its tensors have memory: a step is then to say where elements lie,
 * and to compute. Steps that are made in another way each time go through the door. */
#ifndef STRIA_COMPILE_STEP_H
#define STRIA_COMPILE_STEP_H

#include "call/prepared.h"
#include "compile/graph.h"
#include "cpu/expression.h"
#include "cpu/matmul_bound.h"

typedef struct stria_ready_step {
    const stria_call       *call; /* in: all tensors of the step, in the order of its views */
    bool                    is_ready, writes_held;
    stria_expression_bound *bound;    /* of what is element-wise; or */
    stria_prepared_call    *prepared; /* of other rows; else NULL: through the door */
    stria_product_bound    *product;  /* of a product alone */
    bool                    is_join_ready;
    stria_product_bound    *joined; /* of a product with the next step; NULL: they are made one after another */
} stria_ready_step;

/* ready: zero but for the call, when the step has not run yet. */
stria_status stria_ready_step_run(const stria_graph_form *g, const stria_graph_step *step, stria_ready_step *ready,
                                  stria_error *err);
/* The same of a product that is joined to the next step. *is_made: both are made; else neither. ready: [2] */
stria_status stria_ready_step_run_joined(const stria_graph_form *g, const stria_graph_step *next,
                                         stria_ready_step *ready, bool *is_made, stria_error *err);
void         stria_ready_step_end(const stria_ready_step *ready);

#endif
