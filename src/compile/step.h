/* step.h - steps as the frame of a run makes them. Internal.
 *
 * What is the same in each run of a frame is found in the first one, when its tensors have memory: a step is then to say where elements lie,
 * and to compute. Steps that are made in another way each time go through the door. */
#ifndef STRIA_COMPILE_STEP_H
#define STRIA_COMPILE_STEP_H

#include "call/prepared.h"
#include "compile/graph.h"
#include "cpu/expression.h"

typedef struct stria_ready_step {
    const stria_call       *call; /* in: all tensors of the step, in the order of its views */
    bool                    is_ready, writes_held;
    stria_expression_bound *bound;    /* of what is element-wise; or */
    stria_prepared_call    *prepared; /* of other rows; else NULL: through the door */
} stria_ready_step;

/* ready: zero but for the call, when the step has not run yet. */
stria_status stria_ready_step_run(const stria_graph_form *g, const stria_graph_step *step, stria_ready_step *ready,
                                  stria_error *err);
void         stria_ready_step_end(const stria_ready_step *ready);

#endif
