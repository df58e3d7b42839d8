/* order.c - composites of sorting. */
#include "call/compose.h"

stria_status stria_compose_msort(const stria_call *call, stria_tensor **y, stria_temps *temps, stria_error *err)
{
    return stria_sort(call->in[0], 0, false, false, &y[0], STRIA_TEMP, err);
}
