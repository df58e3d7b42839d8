/* cast_template.h - conversion loops from one dtype (STRIA_FROM, an enum word of dtypes.def) to every dtype.
 *
 * cast_one_<from>_<to> converts the element at src; cast_<from>_<to> is the loop over it.
 */
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary)                                          \
    V_LAMBDA void STRIA_CAT3(cast_one_, STRIA_FROM, _##ENUM)(char *dst, const char *src)                            \
    {                                                                                                               \
        STRIA_CAT(element_, STRIA_FROM) from;                                                                       \
        element_##ENUM to;                                                                                          \
        memcpy(&from, src, sizeof from);                                                                            \
        to = STRIA_CAT(to_##ENUM##_from_, STRIA_CAT(CARRIER_, STRIA_FROM))(STRIA_CAT(load_, STRIA_FROM)(from));     \
        memcpy(dst, &to, sizeof to);                                                                                \
    }                                                                                                               \
    static void STRIA_CAT3(cast_, STRIA_FROM, _##ENUM)(char *dst, int64_t dst_stride, const char *src,              \
                                                       int64_t src_stride, int64_t count)                           \
    {                                                                                                               \
        cast_run(dst, dst_stride, sizeof(element_##ENUM), src, src_stride, sizeof(STRIA_CAT(element_, STRIA_FROM)), \
                 count, STRIA_CAT3(cast_one_, STRIA_FROM, _##ENUM));                                                \
    }
#include "table/dtypes.def"
