/* dtype.h - dtypes.def as data. Internal. */
#ifndef STRIA_DTYPE_H
#define STRIA_DTYPE_H

#include "stria.h"

static inline bool stria_is_dtype(stria_dtype dtype) { return (unsigned)dtype < (unsigned)STRIA_DTYPE_COUNT; }

extern const uint8_t stria_dtype_sizes[STRIA_DTYPE_COUNT]; /* bytes of an element */

typedef enum stria_category {
    STRIA_CATEGORY_B,
    STRIA_CATEGORY_U,
    STRIA_CATEGORY_I,
    STRIA_CATEGORY_F,
    STRIA_CATEGORY_C
} stria_category;
typedef struct stria_dtype_info {
    const char *name;
    signed char category, compute;
} stria_dtype_info;
extern const stria_dtype_info stria_dtype_infos[STRIA_DTYPE_COUNT];
static inline stria_category  stria_dtype_get_category(stria_dtype dtype)
{
    return stria_is_dtype(dtype) ? (stria_category)stria_dtype_infos[dtype].category : STRIA_CATEGORY_B;
}
static inline stria_dtype stria_dtype_get_compute(stria_dtype dtype)
{
    return stria_is_dtype(dtype) ? (stria_dtype)stria_dtype_infos[dtype].compute : STRIA_DTYPE_NONE;
}

/* The dtype that sums and products have: i64 for bool and integers but u64, which keeps its own, as floats do. */
static inline stria_dtype stria_dtype_get_wide(stria_dtype dtype)
{
    return dtype == STRIA_U64 || stria_dtype_get_category(dtype) >= STRIA_CATEGORY_F ? dtype : STRIA_I64;
}

static inline bool stria_dtype_is_complex(stria_dtype dtype) { return dtype == STRIA_C64 || dtype == STRIA_C128; }
/* The dtype of the parts of a complex one; others are their own. */
static inline stria_dtype stria_dtype_get_part(stria_dtype dtype)
{
    return dtype == STRIA_C64 ? STRIA_F32 : dtype == STRIA_C128 ? STRIA_F64 : dtype;
}
/* The complex dtype whose parts hold a real one; there is no complex of halves. Of integers and bool the smallest. */
static inline stria_dtype stria_dtype_get_pair(stria_dtype real)
{
    return real == STRIA_F64 || real == STRIA_C128 ? STRIA_C128 : STRIA_C64;
}

#endif
