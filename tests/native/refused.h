/* refused.h - a call that is refused: its status, and the row, the argument and the words that its error names. `call` passes &err. */
#ifndef STRIA_TEST_REFUSED_H
#define STRIA_TEST_REFUSED_H

#include <string.h>

#include "oracle.h"

#define REFUSED(call, status, name, at, text)                                                          \
    do {                                                                                               \
        stria_error err = {0};                                                                         \
        CHECK_STATUS(call, status);                                                                    \
        CHECK(strcmp(err.op, name) == 0 && strcmp(err.argument, at) == 0 && strstr(err.message, text), \
              "op %s, argument %s, message %s", err.op, err.argument, err.message);                    \
    } while (0)

/* The same of a call that makes the tensor y, which stays NULL. */
#define REFUSED_NEW(call, status, name, at, text)                 \
    do {                                                          \
        REFUSED(call, status, name, at, text);                    \
        CHECK(y == NULL, "%s: a result of a refused call", name); \
    } while (0)

#endif
