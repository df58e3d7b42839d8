/* random_template.h - random numbers, for one lane type: u32 has the words of Philox, f32 and f64 what is made of them, as the CPU's loops
 * (random_loops.h) and the CUDA kernels run it; contract in kernels.h (stria_random_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 */
#if STRIA_IS_RANDOM_WORD

/* Words 0 .. 3 of the blocks of a group, of which `block` has the numbers, 0 .. 15.
 *
 * Philox 4x32-10. Source: Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011. */
V_LOOP void FN(random_block)(v_vec *words, uint64_t seed, uint64_t group, v_vec block)
{
    v_vec key0 = v_set(seed), key1 = v_set(seed >> 32);
    v_vec a = v_or(v_set(group << 4), block), b = v_set(group >> 28), c = v_set(group >> 60), d = v_set(0);

    for (int round = 0; round < 10; round++) {
        const v_vec high0 = v_mul_high(a, v_set(0xd2511f53u)), low0 = v_mul(a, v_set(0xd2511f53u));
        const v_vec high1 = v_mul_high(c, v_set(0xcd9e8d57u)), low1 = v_mul(c, v_set(0xcd9e8d57u));
        a = v_xor(v_xor(high1, b), key0);
        b = low1;
        c = v_xor(v_xor(high0, d), key1);
        d = low0;
        key0 = v_add(key0, v_set(0x9e3779b9u));
        key1 = v_add(key1, v_set(0xbb67ae85u));
    }
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
}

#else

/* ---- a word, or a pair of words, as a number */

#if STRIA_SIZE == 4
#define V_IS_NEGATIVE(word) vec_lt_i32(vec_i32_from_u32(word), vec_set_i32(0))
/* The upper bits as a whole number: of at most 24 exact, of 31 rounded. */
V_LAMBDA v_vec FN(random_whole)(v_uvec word, int bits)
{
    return vec_fromint_f32(vec_i32_from_u32(vec_shr_u32(word, 32 - bits)));
}
/* In (0, 1]: 31 bits, so that the tails of what is made of logarithms reach as far as 2^32 numbers would. */
V_LAMBDA v_vec FN(random_positive)(v_uvec word)
{
    return v_mul(v_add(FN(random_whole)(word, 31), v_set(0.5)), v_set(0x1p-31));
}
/* In [-pi/4, pi/4], of all bits but the upper two. */
V_LAMBDA v_vec FN(random_angle)(v_uvec word)
{
    return v_mul(vec_fromint_f32(vec_i32_from_u32(vec_shl_u32(word, 2))), v_set(0x1.921fb54442d18p-32));
}
#else
#define V_IS_NEGATIVE(word) vec_lt_i64(vec_i64_from_u64(word), vec_set_i64(0))
/* Of a word below 2^52: it becomes the lower bits of 2^52. */
V_LAMBDA v_vec FN(random_low)(v_uvec word)
{
    return v_sub(vec_frombits_f64(vec_or_u64(word, vec_set_u64(0x4330000000000000u))), v_set(0x1p52));
}
/* The upper 53 bits as a whole number. */
V_LAMBDA v_vec FN(random_whole)(v_uvec word, int bits)
{
    const v_uvec low = vec_shr_u64(vec_shl_u64(word, 32), 43);
    (void)bits;
    return v_add(v_mul(FN(random_low)(vec_shr_u64(word, 32)), v_set(0x1p21)), FN(random_low)(low));
}
V_LAMBDA v_vec FN(random_positive)(v_uvec word)
{
    return v_mul(v_add(FN(random_whole)(word, 53), v_set(0.5)), v_set(0x1p-53));
}
V_LAMBDA v_vec FN(random_angle)(v_uvec word)
{
    const vec_i64 whole = vec_shr_i64(vec_i64_from_u64(vec_shl_u64(word, 2)), 13);
    return v_mul(vec_fromint_f64(whole), v_set(0x1.921fb54442d18p-51));
}
#endif

/* Sine and cosine of a in [-pi/4, pi/4]. */
V_LAMBDA v_vec FN(random_sine)(v_vec a, v_vec *cosine)
{
#if STRIA_SIZE == 4
    /* Coefficients: sinf and cosf of Moshier, Cephes Mathematical Library. */
    const v_vec z = v_mul(a, a), s0 = v_add(v_set(8.3321608736e-3), v_mul(z, v_set(-1.9515295891e-4)));
    const v_vec c0 = v_add(v_set(-1.388731625493765e-3), v_mul(z, v_set(2.443315711809948e-5)));
    const v_vec s = v_add(v_set(-1.6666654611e-1), v_mul(z, s0)), c = v_add(v_set(4.166664568298827e-2), v_mul(z, c0));
    *cosine = v_add(v_sub(v_set(1), v_mul(v_set(0.5), z)), v_mul(v_mul(z, z), c));
    return v_add(a, v_mul(v_mul(a, z), s));
#else
    const vec_dd_f64 angle = vec_dd_of_f64(a, v_set(0)), c = vec_dd_cos_f64(angle);
    *cosine = v_add(c.hi, c.lo);
    return v_add(a, vec_sin_rest_f64(angle));
#endif
}

/* ---- distributions: what a, b and limit are, kernels.h says */

V_LOOP v_vec FN(random_to_uniform)(v_uvec word, int bits, v_vec a, v_vec b, v_vec limit)
{
    return v_smaller(v_add(a, v_mul(FN(random_whole)(word, bits), b)), limit);
}

/* Two numbers. Source: Box and Muller, A Note on the Generation of Random Normal Deviates, Ann. Math. Stat. 29 (1958). The angle is one of
 * [-pi/4, pi/4]; one bit more changes the sign of its cosine, and another exchanges cosine and sine: the four quarters. */
V_LOOP void FN(random_to_normal)(v_uvec u, v_uvec v, v_vec mean, v_vec deviation, v_vec *x)
{
    const v_uvec sign = STRIA_CAT(vec_bits_, STRIA_T)(v_set(-0.0));
    const v_vec  r = v_mul(v_sqrt(v_mul(v_set(-2), v_log(FN(random_positive)(u)))), deviation);
    v_vec        c, s = FN(random_sine)(FN(random_angle)(v), &c);

    c = STRIA_CAT(vec_frombits_, STRIA_T)(v_uxor(STRIA_CAT(vec_bits_, STRIA_T)(c), v_uand(v_uadd(v, v), sign)));
    x[0] = v_add(mean, v_mul(r, v_select(V_IS_NEGATIVE(v), s, c)));
    x[1] = v_add(mean, v_mul(r, v_select(V_IS_NEGATIVE(v), c, s)));
}

/* A number that counts as 1 would give 0: it gives half of what the next one gives. */
V_LOOP v_vec FN(random_to_exponential)(v_uvec word, v_vec scale)
{
    const v_vec least = v_set(STRIA_SIZE == 4 ? 0x1p-25 : 0x1p-54);
    return v_mul(v_larger(v_neg(v_log(FN(random_positive)(word))), least), scale);
}

#undef V_IS_NEGATIVE
#endif
