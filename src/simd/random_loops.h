/* random_loops.h - the loops of random_template.h over groups in memory, for one lane type; contract in kernels.h (stria_random_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 */
#include "random_template.h"

#if STRIA_IS_RANDOM_WORD

#define V_BLOCKS (STRIA_RANDOM_WORDS / 4) /* of Philox, in a group */

static void FN(random_words)(char *dst, uint64_t seed, uint64_t group, int64_t n_groups)
{
    static const uint32_t block[V_BLOCKS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint32_t             *words = (uint32_t *)(void *)dst;

    for (; n_groups > 0; n_groups--, group++, words += STRIA_RANDOM_WORDS)
        for (int k = 0; k < V_BLOCKS; k += V_LANES) {
            v_vec x[4];
            FN(random_block)(x, seed, group, v_load(block + k));
            for (int j = 0; j < 4; j++) v_store(words + j * V_BLOCKS + k, x[j]);
        }
}
#undef V_BLOCKS

#else

#define V_NUMBERS (STRIA_RANDOM_BYTES / STRIA_SIZE) /* of a group */

static void FN(random_uniform)(char *data, int64_t n_groups, int bits, double a, double b, double limit)
{
    v_ctype    *at = (v_ctype *)(void *)data, *end = at + n_groups * V_NUMBERS;
    const v_vec from = v_set(a), scale = v_set(b), most = v_set(limit);

    for (; at < end; at += V_LANES)
        v_store(at, FN(random_to_uniform)(v_uload((const v_uctype *)(void *)at), bits, from, scale, most));
}

static void FN(random_normal)(char *data, int64_t n_groups, int bits, double a, double b, double limit)
{
    enum { HALF = V_NUMBERS / 2 };
    v_ctype    *at = (v_ctype *)(void *)data, *end = at + n_groups * V_NUMBERS;
    const v_vec mean = v_set(a), deviation = v_set(b);
    (void)bits, (void)limit;

    for (; at < end; at += HALF)
        for (const v_ctype *middle = at + HALF; at < middle; at += V_LANES) {
            v_vec x[2];
            FN(random_to_normal)
            (v_uload((const v_uctype *)(void *)at), v_uload((const v_uctype *)(void *)(at + HALF)), mean, deviation, x);
            v_store(at, x[0]);
            v_store(at + HALF, x[1]);
        }
}

static void FN(random_exponential)(char *data, int64_t n_groups, int bits, double a, double b, double limit)
{
    v_ctype    *at = (v_ctype *)(void *)data, *end = at + n_groups * V_NUMBERS;
    const v_vec scale = v_set(b);
    (void)bits, (void)a, (void)limit;

    for (; at < end; at += V_LANES)
        v_store(at, FN(random_to_exponential)(v_uload((const v_uctype *)(void *)at), scale));
}

#undef V_NUMBERS
#endif
