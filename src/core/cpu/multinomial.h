/* multinomial.h - how weights are refused, on every device. Internal. */
#ifndef STRIA_CPU_MULTINOMIAL_H
#define STRIA_CPU_MULTINOMIAL_H

#include "stria.h"

/* ERR_ARGUMENT: what is no weight; a row that has `count` weights above 0, or no finite sum. */
stria_status stria_multinomial_refuse_weights(stria_error *err);
stria_status stria_multinomial_refuse_row(int64_t count, int64_t least, stria_error *err);

#endif
