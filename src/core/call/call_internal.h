/* call_internal.h - what the files of the door share: check.c, outputs.c, compose.c, call.c. */
#ifndef STRIA_CALL_INTERNAL_H
#define STRIA_CALL_INTERNAL_H

#include "call/call.h"

/* ---------------------------------------------------------------- call.c */

/* NULL: a composite. */
stria_infer_fn *stria_call_get_infer(stria_function function);

/* A plain reduction, whose output is given, as if it were a function; meta->out has one place. `as` does not move. */
typedef struct stria_reduction_schema {
    stria_schema schema;
    stria_param  x, y;
} stria_reduction_schema;
stria_status stria_call_infer_reduction(const stria_call *call, stria_reduction_schema *as, stria_call_meta *meta,
                                        stria_impl_fn **impl, stria_error *err);

/* ---------------------------------------------------------------- clamp.c */

/* clamp, of which one bound may be missing, and hardtanh: x and two bounds, of which numbers become the nearest that the dtype of the result
 * holds. */
stria_status stria_clamp_run(const stria_call *call, stria_error *err);

/* ---------------------------------------------------------------- check.c */

/* Tensors that must be there are; lists have an address and a length; words are known. */
stria_status stria_call_check_schema(const stria_call *call, const stria_schema *schema, stria_error *err);

/* Tensor k of the call, those of the list behind the others; NULL: absent, or there is none. */
const stria_tensor *stria_call_get_input(const stria_call *call, const stria_schema *schema, int k);
int                 stria_call_count_inputs(const stria_call *call, const stria_schema *schema);

/* Of the outputs: what the DEVICE of the row says, else the usual one. */
stria_device stria_call_get_device(const stria_call *call, const stria_schema *schema, stria_device usual);
/* The device of every input, which must be one, and what follows for the outputs into meta. ERR_DEVICE. */
stria_status stria_call_infer_device(const stria_call *call, const stria_schema *schema, stria_call_meta *meta,
                                     stria_error *err);

/* The implementation of the row on the device; NULL on META, where nothing is computed. ERR_DEVICE, and what the backend refuses. */
stria_status stria_call_find_impl(const stria_call *call, const stria_schema *schema, stria_device device,
                                  stria_impl_fn **impl, stria_error *err);

/* The outputs that the caller gave can take what meta says. ERR_DEVICE, ERR_DTYPE, ERR_SHAPE, ERR_OVERLAP. */
stria_status stria_call_check_outs(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                   stria_error *err);

/* "weight", or "tensors[2]". */
const char *stria_call_get_input_name(const stria_call *call, const stria_schema *schema, int k, char *text,
                                      size_t size);

/* ---------------------------------------------------------------- update.c */

/* Runs a call of an FN_UPDATE, whose schema was checked. */
stria_status stria_call_run_update(const stria_call *call, const stria_schema *schema, stria_infer_fn *infer,
                                   stria_error *err);

/* What it writes to lies apart. ERR_OVERLAP, ERR_MEMORY. */
stria_status stria_call_check_update(const stria_call *call, const stria_schema *schema, stria_error *err);

/* ---------------------------------------------------------------- outputs.c */

static inline bool stria_output_fits(const stria_tensor *x, const stria_output_meta *meta)
{
    return stria_tensor_has_shape(x, meta->ndim, meta->shape);
}

/* Whether the implementation may write to output k, which was given, itself. */
bool stria_output_is_direct(const stria_call *call, const stria_schema *schema, int k, const stria_call_meta *meta);

/* A new output k: a tensor, a view, the first input itself; NULL where the implementation makes it. */
stria_status stria_call_new_output(const stria_call *call, const stria_call_meta *meta, int k, stria_tensor **y,
                                   stria_error *err);

/* y[k], where the implementation writes to: the caller's tensor, a new one, or a view. */
stria_status stria_call_begin_outputs(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                      stria_tensor **y, stria_error *err);

/* Where status is OK, brings y to the caller's tensors and new ones to call->out. Releases every other y. Returns status, or that
 * of what failed here. */
stria_status stria_call_end_outputs(const stria_call *call, const stria_schema *schema, stria_status status,
                                    stria_tensor **y, stria_error *err);

/* ---------------------------------------------------------------- compose.c */

/* Runs a call of a composite, whose schema was checked. */
stria_status stria_compose_run(const stria_call *call, const stria_schema *schema, stria_error *err);
/* A row that makes a view, into a tensor that was given: the row without it, and what brings results to given tensors. */
stria_status stria_compose_view(const stria_call *call, stria_error *err);

#endif
