/* backend_cpu.c - the CPU as a backend: every row has an implementation here. */
#include "call/backend.h"

stria_element_fn         stria_cpu_element;
stria_impl_fn            stria_cpu_reduce;
stria_fold_expression_fn stria_cpu_fold_expression;
stria_status             stria_cpu_set(stria_tensor *out, const stria_tensor *x, stria_error *err);

const stria_backend stria_backend_cpu = {
    .get_status = stria_isa_get_status,
    .element = stria_cpu_element,
    .reduce = stria_cpu_reduce,
    .expression = stria_cpu_expression,
    .fold_expression = stria_cpu_fold_expression,
    .copy = stria_cpu_set,
    .impl =
        {
#define STRIA_FN_VIEW(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN(name, tensors, attributes, outputs, summary) stria_cpu_##name,
#include "table/functions.def"
        },
};
