/* prepared.h - calls that are made often: what the door finds out about one is found once. Internal.
 *
 * The tensors of such a call stay the same handles, and keep dtypes, shapes and strides; so do its attributes, unless it says otherwise. Elements may
 * lie elsewhere each time. Tensors that it writes to share memory with others as they did when it was prepared, and it is made past gradients and
 * recorders. */
#ifndef STRIA_PREPARED_H
#define STRIA_PREPARED_H

#include "call/call.h"

typedef struct stria_prepared_call stria_prepared_call;

/* Of a row that is no element-wise op and no expression, with all outputs given. is_varied: its attributes change from call to call; what they are
 * refused for is looked at each time. call is borrowed. *prepared NULL: it must be called as any other. Refusals are those of the call. */
stria_status stria_prepared_call_new(const stria_call *call, bool is_varied, stria_prepared_call **prepared,
                                     stria_error *err);
/* The call, but that no version goes up. */
stria_status stria_prepared_call_run(const stria_prepared_call *prepared, stria_error *err);
void         stria_prepared_call_release(stria_prepared_call *prepared); /* NULL is allowed */

#endif
