/* reduce_template.cuh - every plain reduction as a functor of one lane type: the CUDA counterpart of src/simd/reduce_template.h, with the same
 * parameters (src/simd/lane_types.h) and the same expressions. reduce.cu runs the functors.
 *
 * Floats are added and multiplied in f64 alone (calls_fold.h). */
#include "vec_words.h"
#define FN(name) STRIA_CAT3(name, _, STRIA_T)
#include "lane_memory.cuh"

struct FN(reduced_lane) {
    typedef v_ctype        lane;
    static const int       dtype = STRIA_ENUM;
    static __device__ lane load(const char *at, int from) { return FN(load_any)(at, from); }
    static __device__ void store(char *at, int to, lane x) { FN(store_any)(at, to, x); }
};

#include "op_sets.h"
#if STRIA_IS_FLOAT && STRIA_SIZE == 4
#undef RED_SUM
#undef RED_FLOAT
#define RED_SUM(...)
#define RED_FLOAT(...)
#endif
/* For floats the neutral element of ZERO is -0: -0 + x is x for every x. */
#define STRIA_NEUTRAL_ZERO ((v_ctype)(STRIA_IS_FLOAT ? -0.0 : 0))
#define STRIA_NEUTRAL_ONE ((v_ctype)1)
#define STRIA_NEUTRAL_LOWEST ((v_ctype)STRIA_LOWEST)
#define STRIA_NEUTRAL_HIGHEST ((v_ctype)STRIA_HIGHEST)
#define STRIA_RED(set, name, result, identity, combine, finish, summary)      \
    struct FN(red_##name) : FN(reduced_lane) {                                \
        static const int       finishes = STRIA_FINISH_##finish;              \
        static const int       starts = STRIA_IDENTITY_##identity;            \
        static __device__ lane neutral() { return STRIA_NEUTRAL_##identity; } \
        static __device__ lane both(lane x, lane y)                           \
        {                                                                     \
            const v_vec a = x, b = y;                                         \
            return static_cast<lane>(combine);                                \
        }                                                                     \
    };
#include "table/ops.def"

#undef STRIA_NEUTRAL_ZERO
#undef STRIA_NEUTRAL_ONE
#undef STRIA_NEUTRAL_LOWEST
#undef STRIA_NEUTRAL_HIGHEST
#undef FN
