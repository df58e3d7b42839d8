/* code.h - code made at run time for expressions (docs/decisions/0009): encode.h's modules, compiled by the host. Internal.
 *
 * A lowering gets its bytes once; each thread, which is a JavaScript worker with a table of functions of its own, compiles them
 * itself, at once, and keeps at most STRIA_CODE_PLACES functions. Making code pays once a lowering has done some work: each place of
 * a thread counts what its candidates do without code, and takes the one that brings the count to the price. So the
 * steps never cost much more than twice what the better way would have. */
#ifndef STRIA_WASM_CODE_H
#define STRIA_WASM_CODE_H

#include "cpu/expression.h"

#define STRIA_CODE_PLACES 64

typedef struct stria_code_counts {
    int encoded;  /* lowerings with bytes */
    int compiled; /* by this process, all threads */
    int refused;  /* by the host: a page's policy, an engine's limit; a thread asks once */
} stria_code_counts;

/* A stria_code_run. */
bool stria_code_try(stria_lowering *lowering, char *const *data, const int64_t *strides, int64_t count);

/* Elements times steps for which code is made; tests have another one. Not while calls run. */
#define STRIA_CODE_PRICE 1000000
void stria_code_set_price(int64_t price);

stria_code_counts stria_code_get_counts(void);

#endif
