/* oom.h - a path through the library, with the n-th allocation made to fail, for every n. */
#ifndef TEST_OOM_H
#define TEST_OOM_H

#include "oracle.h"

/* A path makes *out, or changes target and leaves *out alone. */
typedef stria_status oom_path(stria_tensor **out, stria_error *err);

/* f32 [2] of zeros, new for every call of a path; a view shares its memory, so that it must not grow in place. */
extern stria_tensor *target;

/* Each failing call must report ERR_MEMORY with a message, give no output, leave target as it is and keep no memory;
 * with enough memory the path succeeds. */
void oom_check_path(const char *name, oom_path *run);

#endif
