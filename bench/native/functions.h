/* functions.h - the rows of functions.def as calls with arguments in memory, for the benchmark. */
#ifndef BENCH_FUNCTIONS_H
#define BENCH_FUNCTIONS_H

#include <stddef.h>

#include "peer.h"
#include "stria.h"

/* A parameter or an output: where it stands in the arguments, a struct of the row's own. Their kinds are those of functions.def:
 *
 *   IN OPTIONAL OPERAND BASE, OUT INPLACE VIEW   stria_tensor *
 *   LIST UPDATED AXES SHAPE INT_LIST             bench_list
 *   INT_OR_LIST                                  bench_int_or_list
 *   INTS                                         const int64_t *
 *   AXIS DTYPE                                   int
 *   FLAG                                         bool
 *   INT                                          int64_t
 *   NUMBER                                       double
 *   SCALAR                                       stria_scalar
 *   DEVICE                                       stria_device
 *   WORD TEXT                                    const char *
 *   GENERATOR                                    stria_generator *, NULL: that of the library
 */
typedef struct bench_field {
    const char *name, *kind;
    int64_t     offset;
} bench_field;

typedef struct bench_list {
    const void *at;
    int64_t     n;
} bench_list;

typedef struct bench_int_or_list {
    int64_t    one;
    bench_list list;
} bench_int_or_list;

/* One row. make: the outputs in the arguments are new tensors afterwards; fill: they are the caller's. */
typedef struct bench_function {
    const char        *name;
    int64_t            size; /* of the arguments */
    const bench_field *fields;
    int64_t            n_fields;
    stria_status (*make)(void *arguments, stria_error *err);
    stria_status (*fill)(void *arguments, stria_error *err);
} bench_function;

/* NULL if there is no such row, or if it returns a list. */
BENCH_API const bench_function *bench_function_find(const char *name);

#endif
