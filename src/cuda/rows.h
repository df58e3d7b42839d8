/* rows.h - the rows and dtypes in their order, as text: calls name them by number, so the library and the plug-in compare what they were
 * compiled with. Internal. */
#ifndef STRIA_CUDA_ROWS_H
#define STRIA_CUDA_ROWS_H

#include "stria.h"

#define STRIA_OP(set, name, arity, result, lanes, summary) #name " "
#define STRIA_RED(set, name, result, identity, combine, finish, summary) #name " "
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) #word " "
#define STRIA_CUDA_CALL(name, summary) #name " "
static const char stria_cuda_rows[] =
#include "table/ops.def"
#include "table/dtypes.def"
#include "calls.def"
    ;

#endif
