/* arg_template.cuh - what argmax and argmin ask about one lane type, with the parameters of src/simd/lane_types.h; arg.cu runs the functors. */
#include "vec_words.h"
#define FN(name) STRIA_CAT3(name, _, STRIA_T)

#if !STRIA_IS_BOOL
struct FN(arg_lane) : fold_memory<v_ctype, v_ctype> {
    typedef v_ctype        lane;
    static __device__ lane lowest() { return (v_ctype)STRIA_LOWEST; }
    static __device__ lane highest() { return (v_ctype)STRIA_HIGHEST; }
#if STRIA_IS_FLOAT
    static __device__ bool is_nan(lane x) { return x != x; }
#else
    static __device__ bool is_nan(lane) { return false; }
#endif
};
#endif
#undef FN
