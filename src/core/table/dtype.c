/* dtype.c - dtypes.def as data: size, name, category, compute dtype. */
#include "table/dtype.h"

const stria_dtype_info stria_dtype_infos[STRIA_DTYPE_COUNT] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    {#word, STRIA_CATEGORY_##category, STRIA_##compute},
#include "table/dtypes.def"
};

const uint8_t stria_dtype_sizes[STRIA_DTYPE_COUNT] = {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) size,
#include "table/dtypes.def"
};

size_t stria_dtype_get_size(stria_dtype dtype) { return stria_is_dtype(dtype) ? stria_dtype_sizes[dtype] : 0; }

const char *stria_dtype_get_name(stria_dtype dtype)
{
    return stria_is_dtype(dtype) ? stria_dtype_infos[dtype].name : "none";
}
