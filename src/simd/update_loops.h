/* update_loops.h - the loops of update_template.h over elements in memory, for one float lane type; contract in kernels.h
 * (stria_update_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 */
#include "update_template.h"

/* The loops over lists are unrolled, so that vectors are in registers. All but the gradients are written. */
#define V_LISTS _Pragma("GCC unroll 5")

/* Fewer elements than a vector has: they go by way of whole ones. */
V_LOOP void FN(update_rest)(char *const *data, const int n, const FN(update_lanes) * c, const stria_update_step *s,
                            int64_t at, int64_t count,
                            void (*lanes)(v_vec *, const FN(update_lanes) *, const stria_update_step *))
{
    const size_t nbytes = (size_t)count * sizeof(v_ctype);
    v_vec        x[STRIA_UPDATE_LISTS];

    V_LISTS
    for (int k = 0; k < n; k++) {
        v_ctype part[V_LANES] = {0};
        if (s->has[k]) memcpy(part, (const v_ctype *)data[k] + at, nbytes);
        x[k] = v_load(part);
    }
    lanes(x, c, s);
    V_LISTS
    for (int k = 0; k < n; k++) {
        v_ctype part[V_LANES];
        v_store(part, x[k]);
        if (s->has[k] && k != 1) memcpy((v_ctype *)data[k] + at, part, nbytes);
    }
}

V_LOOP void FN(update_run)(char *const *data, const int n, const stria_update_step *step, int64_t count,
                           void (*lanes)(v_vec *, const FN(update_lanes) *, const stria_update_step *))
{
    const stria_update_step s = *step;
    const FN(update_lanes) c = FN(update_get_lanes)(step);
    int64_t i = 0;

    for (; i + V_LANES <= count; i += V_LANES) {
        v_vec x[STRIA_UPDATE_LISTS];
        V_LISTS
        for (int k = 0; k < n; k++) x[k] = s.has[k] ? v_load((const v_ctype *)data[k] + i) : c.rate;
        lanes(x, &c, &s);
        V_LISTS
        for (int k = 0; k < n; k++)
            if (s.has[k] && k != 1) v_store((v_ctype *)data[k] + i, x[k]);
    }
    if (i < count) FN(update_rest)(data, n, &c, &s, i, count - i, lanes);
}

#define UPDATE_LOOP(name, n)                                                                       \
    static void FN(update_##name)(char *const *data, const stria_update_step *step, int64_t count) \
    {                                                                                              \
        FN(update_run)(data, n, step, count, FN(update_##name##_lanes));                           \
    }
UPDATE_LOOP(sgd, 3)
UPDATE_LOOP(adam, 5)
UPDATE_LOOP(rmsprop, 5)
UPDATE_LOOP(adagrad, 3)
UPDATE_LOOP(scale, 1)
UPDATE_LOOP(clip, 1)
#undef UPDATE_LOOP
#undef V_LISTS
