/* counts.h - what bincount and histc do before they count, on every device. Internal. */
#ifndef STRIA_CPU_COUNTS_H
#define STRIA_CPU_COUNTS_H

#include "call/call.h"
#include "simd/places.h"

/* How many counts there are of x, of whole numbers, on any device. ERR_ARGUMENT: a negative one; ERR_OVERFLOW; ERR_MEMORY. */
stria_status stria_bincount_get_length(const stria_tensor *x, int64_t minlength, int64_t *length, stria_error *err);

/* The bins that were asked for; true: least and most become the ends of the elements of x first, NaN where there is one. */
bool stria_bins_begin(const stria_tensor *x, const stria_histc_attrs *attrs, stria_bins *bins);
/* ERR_ARGUMENT: the elements have no ends. */
stria_status stria_bins_finish(stria_bins *bins, stria_error *err);

#endif
