/* dtype.c - dtypes.def as data: size, name, category, compute dtype. */
#include "meta.h"

typedef struct dtype_info {
    const char *name;
    signed char category, compute;
} dtype_info;

static const dtype_info infos[STRIA_DTYPE_COUNT] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    {#word, STRIA_CATEGORY_##category, STRIA_##compute},
#include "dtypes.def"
};

const uint8_t stria_dtype_sizes[STRIA_DTYPE_COUNT] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) size,
#include "dtypes.def"
};

static bool is_dtype(stria_dtype dtype) { return (unsigned)dtype < (unsigned)STRIA_DTYPE_COUNT; }

size_t stria_dtype_get_size(stria_dtype dtype) { return is_dtype(dtype) ? stria_dtype_sizes[dtype] : 0; }

const char *stria_dtype_get_name(stria_dtype dtype) { return is_dtype(dtype) ? infos[dtype].name : "none"; }

stria_category stria_dtype_get_category(stria_dtype dtype)
{
    return is_dtype(dtype) ? (stria_category)infos[dtype].category : STRIA_CATEGORY_B;
}

stria_dtype stria_dtype_get_compute(stria_dtype dtype)
{
    return is_dtype(dtype) ? (stria_dtype)infos[dtype].compute : STRIA_DTYPE_NONE;
}
