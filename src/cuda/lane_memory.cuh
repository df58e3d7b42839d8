/* lane_memory.cuh - elements of memory as lanes of one lane type (parameters: lane_types.h), and back: load_any_<T>, store_any_<T> of any dtype.
 * Templates include it behind vec_words.h and their FN. Not inlined: one switch for each lane type, not one for each kernel. */
static __device__ __noinline__ v_ctype FN(load_any)(const char *at, int dtype)
{
    switch (dtype) {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) \
    case STRIA_##ENUM:                                                     \
        return STRIA_CAT(STRIA_CAT3(to_, STRIA_WORD, _from_),              \
                         CARRIER_##ENUM)(load_##ENUM(*reinterpret_cast<const element_##ENUM *>(at)));
#include "table/dtypes.def"
    default: return v_ctype(0);
    }
}

static __device__ __noinline__ void FN(store_any)(char *at, int dtype, v_ctype x)
{
    switch (dtype) {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary)                                  \
    case STRIA_##ENUM:                                                                                      \
        *reinterpret_cast<element_##ENUM *>(at) =                                                           \
            STRIA_CAT(to_##ENUM##_from_, STRIA_CAT(CARRIER_, STRIA_WORD))(STRIA_CAT(load_, STRIA_WORD)(x)); \
        break;
#include "table/dtypes.def"
    default: break;
    }
}
