/* iter_element.c - the iterator of an element-wise call, and the META device, which only needs what it makes. */
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
    status = stria_iter_build(it, &config, err);
    stria_iter_config_release(&config);
    return status;
}

/* ---------------------------------------------------------------- the META device */

static stria_status get_status(stria_error *err)
{
    (void)err;
    return STRIA_OK;
}

static stria_status element(const stria_call *call, const stria_meta *meta, stria_error *err)
{
    stria_iter iter;

    STRIA_TRY(stria_iter_build_element(&iter, call, meta, err));
    if (call->out[0] == NULL) call->out[0] = stria_iter_take_output(&iter, 0);
    stria_iter_release(&iter);
    return STRIA_OK;
}

const stria_backend stria_backend_meta = {.get_status = get_status, .element = element};
