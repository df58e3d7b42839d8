/* error.h - filling a stria_error, and returning early. Internal. */
#ifndef STRIA_ERROR_H
#define STRIA_ERROR_H

#include "stria.h"

/* Fills err (if not NULL) and returns code. `argument`, `expected`, `got` may be NULL. The message is the printf-style
 * text, prefixed with "op: ". */
stria_status stria_error_set(stria_error *err, stria_status code, const char *op, const char *argument,
                             const char *expected, const char *got, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/* Names the argument of an error that has been filled without one; err may be NULL. Returns code. */
stria_status stria_error_set_argument(stria_error *err, stria_status code, const char *argument);

/* Returns status. In a failure, the operation that the caller asked for replaces the inner one that failed; err may
 * be NULL. */
stria_status stria_error_set_op(stria_error *err, stria_status status, const char *op);

/* Writes "[2,3]" into text; shortens with ".." when too long. Returns text. */
char *stria_shape_print(char *text, size_t size, int ndim, const int64_t *shape);

/* For places where nothing is held: evaluates to an early return on failure. */
#define STRIA_TRY(call)                                            \
    do {                                                           \
        stria_status stria_try_status = (call);                    \
        if (stria_try_status != STRIA_OK) return stria_try_status; \
    } while (0)

/* For our own bugs; compiled in with STRIA_DEBUG only. */
#if defined(STRIA_DEBUG)
#define STRIA_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define STRIA_ASSERT(condition) ((void)0)
#endif

#endif
