/* index_lanes.cuh - how elements of one lane type are combined by index.cu (parameters: lane_types.h). */
struct STRIA_CAT(lanes_, STRIA_WORD) {
    typedef STRIA_CAT(as_, STRIA_WORD) as;
    typedef v_ctype                           element;
    static __device__ __forceinline__ element combine(int action, element a, element b)
    {
        switch (action) {
        case STRIA_CUDA_INDEX_ADD: return v_add(a, b);
        case STRIA_CUDA_INDEX_MUL: return v_mul(a, b);
        case STRIA_CUDA_INDEX_MAX: return v_max(a, b);
        default: return v_min(a, b);
        }
    }
};
