/* elementwise_template.h - the loops of every element-wise row for one lane type.
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 *
 * A row becomes lanes_<op>_<T>, its expression, and loop_<op>_<T>, one of the five always-inline loops below with that
 * expression as a constant argument. An input with stride 0 is spread once into a vector in memory, which is then read
 * again for every vector: the loops need no second form for broadcasts.
 */
/* The address of an input's next vector, and the distance to the one after it. `spread` is memory for one vector. */
V_LOOP const char *FN(input_at)(const char *data, int64_t stride, v_ctype *spread)
{
    v_ctype one;
    if (stride != 0) return data;
    memcpy(&one, data, sizeof one);
    v_store(spread, v_set(one));
    return (const char *)spread;
}
V_LOOP int64_t FN(input_step)(int64_t stride) { return stride ? (int64_t)sizeof(v_ctype) * V_LANES : 0; }

V_LOOP v_vec FN(load_at)(const char *at) { return v_load((const v_ctype *)at); }

/* The last n < V_LANES lanes; lanes beyond them hold zero. */
V_LOOP v_vec FN(load_last)(const char *at, int64_t n) { return v_load_part((const v_ctype *)at, n, v_set(0)); }

V_LOOP void FN(store_last)(char *out, v_vec v, int64_t n)
{
    v_ctype part[V_LANES];
    v_store(part, v);
    memcpy(out, part, (size_t)n * sizeof(v_ctype));
}

V_LOOP void FN(store_mask_last)(char *out, v_mask m, int64_t n)
{
    uint8_t part[V_LANES];
    v_store_mask(part, m);
    memcpy(out, part, (size_t)n);
}

/* quick, is_far: quick.h; NULL if there is none. */
V_LOOP void FN(run_1)(char *const *data, const int64_t *stride, int64_t n, v_vec (*lanes)(v_vec),
                      v_vec (*quick)(v_vec, v_vec *), int (*is_far)(v_vec))
{
    v_ctype       spread[V_LANES];
    const char   *a = FN(input_at)(data[1], stride[1], spread);
    const int64_t a_step = FN(input_step)(stride[1]);
    char         *out = data[0];
    if (quick)
        for (; n >= STRIA_AT_ONCE * V_LANES; n -= STRIA_AT_ONCE * V_LANES, a += STRIA_AT_ONCE * a_step) {
            v_vec y[STRIA_AT_ONCE], far = v_set(0);
            V_FOUR_TIMES
            for (int k = 0; k < STRIA_AT_ONCE; k++) y[k] = quick(FN(load_at)(a + k * a_step), &far);
            if (is_far(far)) {
                for (int k = 0; k < STRIA_AT_ONCE; k++, out += sizeof(v_ctype) * V_LANES)
                    v_store((v_ctype *)out, lanes(FN(load_at)(a + k * a_step)));
                continue;
            }
            V_FOUR_TIMES
            for (int k = 0; k < STRIA_AT_ONCE; k++, out += sizeof(v_ctype) * V_LANES) v_store((v_ctype *)out, y[k]);
        }
    V_TWICE
    for (; n >= V_LANES; n -= V_LANES, out += sizeof(v_ctype) * V_LANES, a += a_step)
        v_store((v_ctype *)out, lanes(FN(load_at)(a)));
    if (n > 0) FN(store_last)(out, lanes(FN(load_last)(a, n)), n);
}

V_LOOP void FN(run_2)(char *const *data, const int64_t *stride, int64_t n, v_vec (*lanes)(v_vec, v_vec))
{
    v_ctype       spread[2][V_LANES];
    const char   *a = FN(input_at)(data[1], stride[1], spread[0]), *b = FN(input_at)(data[2], stride[2], spread[1]);
    const int64_t a_step = FN(input_step)(stride[1]), b_step = FN(input_step)(stride[2]);
    char         *out = data[0];
    V_TWICE
    for (; n >= V_LANES; n -= V_LANES, out += sizeof(v_ctype) * V_LANES, a += a_step, b += b_step)
        v_store((v_ctype *)out, lanes(FN(load_at)(a), FN(load_at)(b)));
    if (n > 0) FN(store_last)(out, lanes(FN(load_last)(a, n), FN(load_last)(b, n)), n);
}

V_LOOP void FN(run_3)(char *const *data, const int64_t *stride, int64_t n, v_vec (*lanes)(v_vec, v_vec, v_vec))
{
    v_ctype       spread[3][V_LANES];
    const char   *a = FN(input_at)(data[1], stride[1], spread[0]), *b = FN(input_at)(data[2], stride[2], spread[1]);
    const char   *c = FN(input_at)(data[3], stride[3], spread[2]);
    const int64_t a_step = FN(input_step)(stride[1]), b_step = FN(input_step)(stride[2]);
    const int64_t c_step = FN(input_step)(stride[3]);
    char         *out = data[0];
    V_TWICE
    for (; n >= V_LANES; n -= V_LANES, out += sizeof(v_ctype) * V_LANES, a += a_step, b += b_step, c += c_step)
        v_store((v_ctype *)out, lanes(FN(load_at)(a), FN(load_at)(b), FN(load_at)(c)));
    if (n > 0) FN(store_last)(out, lanes(FN(load_last)(a, n), FN(load_last)(b, n), FN(load_last)(c, n)), n);
}

V_LOOP void FN(run_mask_1)(char *const *data, const int64_t *stride, int64_t n, v_mask (*lanes)(v_vec))
{
    v_ctype       spread[V_LANES];
    const char   *a = FN(input_at)(data[1], stride[1], spread);
    const int64_t a_step = FN(input_step)(stride[1]);
    char         *out = data[0];
    V_TWICE
    for (; n >= V_LANES; n -= V_LANES, out += V_LANES, a += a_step) v_store_mask((uint8_t *)out, lanes(FN(load_at)(a)));
    if (n > 0) FN(store_mask_last)(out, lanes(FN(load_last)(a, n)), n);
}

V_LOOP void FN(run_mask_2)(char *const *data, const int64_t *stride, int64_t n, v_mask (*lanes)(v_vec, v_vec))
{
    v_ctype       spread[2][V_LANES];
    const char   *a = FN(input_at)(data[1], stride[1], spread[0]), *b = FN(input_at)(data[2], stride[2], spread[1]);
    const int64_t a_step = FN(input_step)(stride[1]), b_step = FN(input_step)(stride[2]);
    char         *out = data[0];
    V_TWICE
    for (; n >= V_LANES; n -= V_LANES, out += V_LANES, a += a_step, b += b_step)
        v_store_mask((uint8_t *)out, lanes(FN(load_at)(a), FN(load_at)(b)));
    if (n > 0) FN(store_mask_last)(out, lanes(FN(load_last)(a, n), FN(load_last)(b, n)), n);
}

/* a is a bool condition, read as a mask. */
V_LOOP void FN(run_select_3)(char *const *data, const int64_t *stride, int64_t n, v_vec (*lanes)(v_mask, v_vec, v_vec))
{
    v_ctype        spread[2][V_LANES];
    uint8_t        condition[V_LANES], part[V_LANES] = {0};
    const uint8_t *a = (const uint8_t *)data[1];
    const char    *b = FN(input_at)(data[2], stride[2], spread[0]), *c = FN(input_at)(data[3], stride[3], spread[1]);
    const int64_t  a_step = stride[1] ? V_LANES : 0;
    const int64_t  b_step = FN(input_step)(stride[2]), c_step = FN(input_step)(stride[3]);
    char          *out = data[0];
    if (a_step == 0) {
        memset(condition, *a, sizeof condition);
        a = condition;
    }
    V_TWICE
    for (; n >= V_LANES; n -= V_LANES, out += sizeof(v_ctype) * V_LANES, a += a_step, b += b_step, c += c_step)
        v_store((v_ctype *)out, lanes(v_load_mask(a), FN(load_at)(b), FN(load_at)(c)));
    if (n > 0) {
        memcpy(part, a, (size_t)n);
        FN(store_last)(out, lanes(v_load_mask(part), FN(load_last)(b, n), FN(load_last)(c, n)), n);
    }
}

/* Per result rule and arity: type of the expression, its parameters, and the loop. */
#define STRIA_TYPE_COMMON v_vec
#define STRIA_TYPE_FLOAT v_vec
#define STRIA_TYPE_SELECT v_vec
#define STRIA_TYPE_BOOL v_mask
#define STRIA_PARAMETERS_COMMON_1 v_vec a
#define STRIA_PARAMETERS_COMMON_2 v_vec a, v_vec b
#define STRIA_PARAMETERS_COMMON_3 v_vec a, v_vec b, v_vec c
#define STRIA_PARAMETERS_FLOAT_1 v_vec a
#define STRIA_PARAMETERS_FLOAT_2 v_vec a, v_vec b
#define STRIA_PARAMETERS_FLOAT_3 v_vec a, v_vec b, v_vec c
#define STRIA_PARAMETERS_BOOL_1 v_vec a
#define STRIA_PARAMETERS_BOOL_2 v_vec a, v_vec b
#define STRIA_PARAMETERS_SELECT_3 v_mask a, v_vec b, v_vec c
#define STRIA_RUN_COMMON_1 run_1
#define STRIA_RUN_COMMON_2 run_2
#define STRIA_RUN_COMMON_3 run_3
#define STRIA_RUN_FLOAT_1 run_1
#define STRIA_RUN_FLOAT_2 run_2
#define STRIA_RUN_FLOAT_3 run_3
#define STRIA_RUN_BOOL_1 run_mask_1
#define STRIA_RUN_BOOL_2 run_mask_2
#define STRIA_RUN_SELECT_3 run_select_3

/* Rows of one input may have quick forms. */
#define STRIA_QUICK_COMMON_1(name) , STRIA_QUICK(name, STRIA_T), STRIA_IS_FAR(name, STRIA_T)
#define STRIA_QUICK_COMMON_2(name)
#define STRIA_QUICK_COMMON_3(name)
#define STRIA_QUICK_FLOAT_1 STRIA_QUICK_COMMON_1
#define STRIA_QUICK_FLOAT_2(name)
#define STRIA_QUICK_FLOAT_3(name)
#define STRIA_QUICK_BOOL_1(name)
#define STRIA_QUICK_BOOL_2(name)
#define STRIA_QUICK_SELECT_3(name)

#include "op_sets.h"
#define STRIA_OP(set, name, arity, result, lanes, summary)                                                              \
    V_SHORT(name) V_LAMBDA STRIA_TYPE_##result FN(lanes_##name)(STRIA_PARAMETERS_##result##_##arity) { return lanes; }  \
    V_SHORT(name) static void                  FN(loop_##name)(char *const *data, const int64_t *stride, int64_t count) \
    {                                                                                                                   \
        FN(STRIA_RUN_##result##_##arity)                                                                                \
        (data, stride, count, FN(lanes_##name) STRIA_QUICK_##result##_##arity(name));                                   \
    }
#include "table/ops.def"

#undef STRIA_TYPE_COMMON
#undef STRIA_TYPE_FLOAT
#undef STRIA_TYPE_SELECT
#undef STRIA_TYPE_BOOL
#undef STRIA_PARAMETERS_COMMON_1
#undef STRIA_PARAMETERS_COMMON_2
#undef STRIA_PARAMETERS_COMMON_3
#undef STRIA_PARAMETERS_FLOAT_1
#undef STRIA_PARAMETERS_FLOAT_2
#undef STRIA_PARAMETERS_FLOAT_3
#undef STRIA_PARAMETERS_BOOL_1
#undef STRIA_PARAMETERS_BOOL_2
#undef STRIA_PARAMETERS_SELECT_3
#undef STRIA_RUN_COMMON_1
#undef STRIA_RUN_COMMON_2
#undef STRIA_RUN_COMMON_3
#undef STRIA_RUN_FLOAT_1
#undef STRIA_RUN_FLOAT_2
#undef STRIA_RUN_FLOAT_3
#undef STRIA_RUN_BOOL_1
#undef STRIA_RUN_BOOL_2
#undef STRIA_RUN_SELECT_3
#undef STRIA_QUICK_COMMON_1
#undef STRIA_QUICK_COMMON_2
#undef STRIA_QUICK_COMMON_3
#undef STRIA_QUICK_FLOAT_1
#undef STRIA_QUICK_FLOAT_2
#undef STRIA_QUICK_FLOAT_3
#undef STRIA_QUICK_BOOL_1
#undef STRIA_QUICK_BOOL_2
#undef STRIA_QUICK_SELECT_3
