/* backend_cpu.c - the CPU as a backend: every row has an implementation here. */
#include "call/backend.h"

const stria_backend stria_backend_cpu = {stria_isa_get_status,
                                         {
#define STRIA_FN_VIEW(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN(name, tensors, attributes, outputs, summary) stria_cpu_##name,
#include "table/functions.def"
                                         }};
