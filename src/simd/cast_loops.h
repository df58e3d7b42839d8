/* cast_loops.h - the conversion loops from every dtype to every dtype. */
#include "cast_lanes.h"

/* The contiguous form is left to the compiler to vectorise. */
V_LOOP void cast_run(char *restrict dst, int64_t dst_stride, size_t dst_size, const char *restrict src,
                     int64_t src_stride, size_t src_size, int64_t count, void (*one)(char *dst, const char *src))
{
    if (dst_stride == (int64_t)dst_size && src_stride == (int64_t)src_size) {
        V_TWICE
        for (int64_t i = 0; i < count; i++) one(dst + i * (int64_t)dst_size, src + i * (int64_t)src_size);
    } else {
        for (int64_t i = 0; i < count; i++, dst += dst_stride, src += src_stride) one(dst, src);
    }
}

#define STRIA_FROM BOOL
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM U8
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM I8
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM U16
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM I16
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM U32
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM I32
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM U64
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM I64
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM F16
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM BF16
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM F32
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM F64
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM C64
#include "cast_template.h"
#undef STRIA_FROM

#define STRIA_FROM C128
#include "cast_template.h"
#undef STRIA_FROM
