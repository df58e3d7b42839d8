/* search.h - what searchsorted compares, and quantile takes, on every device. Internal. */
#ifndef STRIA_CPU_SEARCH_H
#define STRIA_CPU_SEARCH_H

#include "call/call.h"

/* What rows and values are compared as: i64, u64, f32 or f64. */
stria_dtype stria_search_get_dtype(const stria_tensor *sorted, const stria_tensor *values);
/* Whether equal elements come before a value. */
bool stria_search_is_right(const stria_searchsorted_attrs *attrs);

/* ERR_ARGUMENT: q is not from 0 to 1. */
stria_status stria_quantile_check(const stria_call *call, double q, stria_error *err);

#endif
