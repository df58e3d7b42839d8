/* backend_cpu.c - the CPU as a backend: every row has an implementation here. */
#include <string.h>

#include "call/backend.h"

stria_element_fn stria_cpu_element;
stria_impl_fn    stria_cpu_reduce;
stria_status     stria_cpu_copy(stria_tensor *out, const stria_tensor *x, stria_error *err);

static stria_status copy_bytes(stria_tensor *out, const stria_tensor *x, size_t nbytes, stria_error *err)
{
    (void)err;
    if (nbytes > 0) memcpy(out->data, x->data, nbytes);
    return STRIA_OK;
}

const stria_backend stria_backend_cpu = {
    .get_status = stria_isa_get_status,
    .element = stria_cpu_element,
    .reduce = stria_cpu_reduce,
    .copy = stria_cpu_copy,
    .copy_bytes = copy_bytes,
    .impl =
        {
#define STRIA_FN_VIEW(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN(name, tensors, attributes, outputs, summary) stria_cpu_##name,
#include "table/functions.def"
        },
};
