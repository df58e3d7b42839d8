/* iter_element.c - the iterators of element-wise calls and of copies; and the META device, which needs no more. */
#include "base/error.h"
#include "call/backend.h"
#include "iter/iter_internal.h"

stria_status stria_iter_build_element(stria_iter *it, const stria_call *call, const stria_meta *meta, stria_error *err)
{
    stria_iter_config config;
    stria_status      status;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, stria_op_infos[call->row].name);
    stria_iter_config_set_elementwise(&config, meta->result);
    stria_iter_config_add_output(&config, call->out[0]);
    for (int k = 0; k < call->n_in; k++) stria_iter_config_add_input(&config, call->in[k]);
    status = stria_iter_build_known(it, &config, meta, err);
    stria_iter_config_release(&config);
    return status;
}

stria_status stria_iter_build_copy(stria_iter *it, stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_iter_config config;
    stria_status      status;

    stria_iter_config_init(&config);
    stria_iter_config_set_name(&config, "copy");
    stria_iter_config_set_check_all_same_dtype(&config, false);
    stria_iter_config_set_resize_outputs(&config, false);
    stria_iter_config_add_output(&config, out);
    stria_iter_config_add_input(&config, x);
    status = stria_iter_build(it, &config, err);
    stria_iter_config_release(&config);
    return status;
}

/* ---------------------------------------------------------------- the META device */

static stria_status element(const stria_call *call, const stria_meta *meta, stria_error *err)
{
    stria_iter iter;

    STRIA_TRY(stria_iter_build_element(&iter, call, meta, err));
    if (call->out[0] == NULL) call->out[0] = stria_iter_take_output(&iter, 0);
    stria_iter_release(&iter);
    return STRIA_OK;
}

/* Only the refusals, which are those of the CPU: one value goes into an expanded tensor. */
static stria_status copy(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    stria_iter    iter;
    stria_tensor *view = NULL;

    if (x->numel == 1 && stria_tensor_is_expanded(out)) STRIA_TRY(stria_tensor_view_unexpanded(out, &view, err));
    const stria_status status = stria_iter_build_copy(&iter, view != NULL ? view : out, x, err);
    if (status == STRIA_OK) stria_iter_release(&iter);
    stria_tensor_release(view);
    return status;
}

const stria_backend stria_backend_meta = {.element = element, .expression = stria_cpu_expression, .copy = copy};
