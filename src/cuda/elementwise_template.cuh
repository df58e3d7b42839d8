/* elementwise_template.cuh - every element-wise row as a functor of one lane type: the CUDA counterpart of
 * src/simd/elementwise_template.h, with the same parameters (src/simd/lane_types.h) and the same expressions.
 *
 * A thread is a vector of one lane, so the vocabulary is the scalar one. element_kernels.cuh runs the functors.
 */
#include "vec_words.h"
#define FN(name) STRIA_CAT3(name, _, STRIA_T)

#include "lane_memory.cuh"

struct FN(lane_of) {
    typedef FN(lane_of) lanes;
    typedef v_ctype lane;
    typedef STRIA_CAT(as_, STRIA_WORD) stored;
    static const int                       dtype = STRIA_ENUM;
    static __device__ __forceinline__ lane load(const char *at, int from)
    {
        return from == STRIA_ENUM ? *reinterpret_cast<const lane *>(at) : FN(load_any)(at, from);
    }
};

/* Result rules: the lane type again, or a bool. */
struct FN(gives_lane) : FN(lane_of) {
    typedef FN(gives_lane) given;
    typedef v_ctype                        out;
    static const int                       out_dtype = STRIA_ENUM;
    typedef stored                         out_stored;
    static __device__ __forceinline__ void store(char *at, int to, out x)
    {
        if (to == STRIA_ENUM)
            *reinterpret_cast<out *>(at) = x;
        else
            FN(store_any)(at, to, x);
    }
    template <class S, int WIDTH>
    static __device__ __forceinline__ void store_run(const thread_part<WIDTH> &part, char *to, const out *x,
                                                     bool is_bf16)
    {
        typename S::element stored[WIDTH];
        for (int k = 0; k < WIDTH; k++) stored[k] = S::store(x[k], is_bf16);
        store_part<typename S::element, WIDTH>(part, reinterpret_cast<typename S::element *>(to), stored);
    }
};
struct FN(gives_bool) : FN(lane_of) {
    typedef FN(gives_bool) given;
    typedef uint8_t        out;
    static const int       out_dtype = STRIA_BOOL;
    typedef as_BOOL        out_stored;
    static __device__ void store(char *at, int to, out x) { store_any_b8(at, to, x); }
    template <class S, int WIDTH>
    static __device__ __forceinline__ void store_run(const thread_part<WIDTH> &part, char *to, const out *x, bool)
    {
        store_part<out, WIDTH>(part, reinterpret_cast<out *>(to), x);
    }
};

#define STRIA_GIVES_COMMON gives_lane
#define STRIA_GIVES_FLOAT gives_lane
#define STRIA_GIVES_SELECT gives_lane
#define STRIA_GIVES_BOOL gives_bool
#define STRIA_IS_SELECT_COMMON false
#define STRIA_IS_SELECT_FLOAT false
#define STRIA_IS_SELECT_SELECT true
#define STRIA_IS_SELECT_BOOL false
#define STRIA_LANES_COMMON_1 const v_vec a = x[0];
#define STRIA_LANES_COMMON_2 const v_vec a = x[0], b = x[1];
#define STRIA_LANES_COMMON_3 const v_vec a = x[0], b = x[1], c = x[2];
#define STRIA_LANES_FLOAT_1 STRIA_LANES_COMMON_1
#define STRIA_LANES_FLOAT_2 STRIA_LANES_COMMON_2
#define STRIA_LANES_FLOAT_3 STRIA_LANES_COMMON_3
#define STRIA_LANES_BOOL_1 STRIA_LANES_COMMON_1
#define STRIA_LANES_BOOL_2 STRIA_LANES_COMMON_2
#define STRIA_LANES_SELECT_3               \
    const v_mask a = v_ne(x[0], v_set(0)); \
    const v_vec  b = x[1], c = x[2];

#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary)                                                             \
    struct FN(op_##name) : FN(STRIA_GIVES_##result) {                                                                  \
        static const int      n_in = arity;                                                                            \
        static const bool     is_select = STRIA_IS_SELECT_##result;                                                    \
        static __device__ out run(const v_ctype *x) { STRIA_LANES_##result##_##arity return static_cast<out>(lanes); } \
    };
#include "table/ops.def"

#undef STRIA_GIVES_COMMON
#undef STRIA_GIVES_FLOAT
#undef STRIA_GIVES_SELECT
#undef STRIA_GIVES_BOOL
#undef STRIA_IS_SELECT_COMMON
#undef STRIA_IS_SELECT_FLOAT
#undef STRIA_IS_SELECT_SELECT
#undef STRIA_IS_SELECT_BOOL
#undef STRIA_LANES_COMMON_1
#undef STRIA_LANES_COMMON_2
#undef STRIA_LANES_COMMON_3
#undef STRIA_LANES_FLOAT_1
#undef STRIA_LANES_FLOAT_2
#undef STRIA_LANES_FLOAT_3
#undef STRIA_LANES_BOOL_1
#undef STRIA_LANES_BOOL_2
#undef STRIA_LANES_SELECT_3
#undef FN
