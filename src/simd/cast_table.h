/* cast_table.h - the entries of the conversion loops in the kernel table. */

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_BOOL][STRIA_##ENUM] = cast_BOOL_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_U8][STRIA_##ENUM] = cast_U8_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_I8][STRIA_##ENUM] = cast_I8_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_U16][STRIA_##ENUM] = cast_U16_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_I16][STRIA_##ENUM] = cast_I16_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_U32][STRIA_##ENUM] = cast_U32_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_I32][STRIA_##ENUM] = cast_I32_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_U64][STRIA_##ENUM] = cast_U64_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_I64][STRIA_##ENUM] = cast_I64_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_F16][STRIA_##ENUM] = cast_F16_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_BF16][STRIA_##ENUM] = cast_BF16_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_F32][STRIA_##ENUM] = cast_F32_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_F64][STRIA_##ENUM] = cast_F64_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_C64][STRIA_##ENUM] = cast_C64_##ENUM,
#include "table/dtypes.def"

#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    .cast[STRIA_C128][STRIA_##ENUM] = cast_C128_##ENUM,
#include "table/dtypes.def"
