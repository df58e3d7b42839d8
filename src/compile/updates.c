/* updates.c - a matrix product and the step of an optimiser whose gradient it is, as one (blocks.h): each tile of the product updates its part of the
 * parameter while it is in a cache, and the gradient is nowhere as a whole. */
#include "base/alloc.h"
#include "base/error.h"
#include "compile/blocks.h"
#include "compile/step.h"
#include "cpu/update.h"

struct stria_graph_update {
    stria_product_bound *product;
    stria_update_part    part;      /* of this run */
    stria_tensor        *tensors[]; /* of the update; borrowed */
};

void stria_graph_update_release(stria_graph_update *u)
{
    if (u == NULL) return;
    stria_product_bound_release(u->product);
    stria_object_release(u);
}

static void take(void *context, int64_t at, int64_t count, const char *gradients)
{
    stria_update_run(&((const stria_graph_update *)context)->part, at, count, gradients);
}

static stria_status update_new(const stria_graph_frame *frame, const stria_graph_step *product,
                               stria_graph_update **update, stria_error *err)
{
    const stria_graph_step *step = product + 1;
    stria_tensor           *x[3];
    stria_graph_update     *u = stria_object_new(sizeof *u + (size_t)step->n_list * sizeof *u->tensors);

    if (u == NULL) return stria_graph_refuse_memory(err);
    for (int k = 0; k < step->n_list; k++)
        u->tensors[k] = step->views[k] < 0 ? NULL : stria_graph_frame_get_handle(frame, step->views[k]);
    for (int k = 0; k < 3; k++) x[k] = stria_graph_frame_get_handle(frame, product->views[k]);
    const stria_status status = stria_product_bind_taken(x[0], x[1], x[2], take, u, &u->product, err);
    if (status == STRIA_OK)
        *update = u;
    else
        stria_graph_update_release(u);
    return status;
}

stria_status stria_graph_update_run(const stria_graph_frame *frame, const stria_graph_blocks *b,
                                    stria_graph_update **update, stria_error *err)
{
    const stria_graph_step *product = &stria_graph_frame_get_form(frame)->steps.at[b->first], *step = product + 1;

    if (*update == NULL) STRIA_TRY(update_new(frame, product, update, err));
    stria_graph_update *u = *update;
    const stria_call    call = {.row = step->row,
                                .list = (const stria_tensor *const *)u->tensors,
                                .n_list = step->n_list,
                                .attrs = stria_graph_frame_get_attrs(frame, b->first + 1)};
    STRIA_TRY(stria_update_begin(&call, &u->part, err));
    STRIA_TRY(stria_product_run_bound(u->product, err));
    for (int k = 0; k < step->n_list; k++)
        if (u->tensors[k] != NULL && stria_graph_step_writes(step, k)) stria_tensor_touch(u->tensors[k]);
    return STRIA_OK;
}
