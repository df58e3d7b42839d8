/* complex_template.h - products, quotients, sizes and exponentials of complex numbers, whose parts are side by side, in one pass, for one float lane
 * type; contract in kernels.h (stria_complex_kernels).
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word.
 *
 * All but products are those of numbers that are near; a vector with another one ends the loop. The same expressions are those of
 * near numbers in complex_words.h (z_div, z_abs, z_exp), so that the bits are the same.
 */
/* Parts of V_LANES numbers; where two vectors hold them, in an order of their own. */
typedef struct FN(complex) {
    v_vec re, im;
} FN(complex);

#if V_LANES > 1
#define MOVED(name) STRIA_CAT3(name, _, STRIA_SIZE)
#define COMPLEX_SHUFFLE(name, a, b) ((v_vec)MOVED(name)((MOVED(move_vec))(a), (MOVED(move_vec))(b)))
V_LOOP FN(complex) FN(complex_load)(const char *at)
{
    const v_vec a = v_load((const v_ctype *)at), b = v_load((const v_ctype *)at + V_LANES);
    return (FN(complex)){COMPLEX_SHUFFLE(move_even_parts, a, b), COMPLEX_SHUFFLE(move_odd_parts, a, b)};
}
V_LOOP void FN(complex_store)(char *at, FN(complex) z)
{
    v_store((v_ctype *)at, COMPLEX_SHUFFLE(move_zip_parts_low, z.re, z.im));
    v_store((v_ctype *)at + V_LANES, COMPLEX_SHUFFLE(move_zip_parts_high, z.re, z.im));
}
/* In the order of the numbers. */
V_LOOP FN(complex) FN(complex_load_in_order)(const char *at)
{
    const v_vec a = v_load((const v_ctype *)at), b = v_load((const v_ctype *)at + V_LANES);
    return (FN(complex)){COMPLEX_SHUFFLE(move_even, a, b), COMPLEX_SHUFFLE(move_odd, a, b)};
}
#undef MOVED
#undef COMPLEX_SHUFFLE
#else
V_LOOP FN(complex) FN(complex_load)(const char *at)
{
    return (FN(complex)){v_load((const v_ctype *)at), v_load((const v_ctype *)at + 1)};
}
V_LOOP void FN(complex_store)(char *at, FN(complex) z)
{
    v_store((v_ctype *)at, z.re);
    v_store((v_ctype *)at + 1, z.im);
}
V_LOOP FN(complex) FN(complex_load_in_order)(const char *at) { return FN(complex_load)(at); }
#endif

/* ---------------------------------------------------------------- expressions; false where a lane is not near */

/* The larger part; any number beside NaN. */
V_LOOP v_vec  FN(complex_part)(FN(complex) z) { return v_larger(v_abs(z.re), v_abs(z.im)); }
V_LOOP v_mask FN(complex_is_near)(v_vec part)
{
    return v_mask_and(v_le(v_set(STRIA_NEAR_LEAST(STRIA_SIZE)), part), v_lt(part, v_set(STRIA_NEAR_MOST(STRIA_SIZE))));
}
V_LOOP int FN(complex_are_all)(v_mask m) { return !v_mask_any(v_mask_not(m)); }

V_LOOP int FN(complex_times)(FN(complex) a, FN(complex) b, FN(complex) * y)
{
    y->re = v_sub(v_mul(a.re, b.re), v_mul(a.im, b.im));
    y->im = v_add(v_mul(a.re, b.im), v_mul(a.im, b.re));
    return 1;
}

V_LOOP int FN(complex_quotient)(FN(complex) a, FN(complex) b, FN(complex) * y)
{
    const v_vec  above = FN(complex_part)(a), below = FN(complex_part)(b);
    const v_mask is_near = v_mask_or(FN(complex_is_near)(above), v_eq(above, v_set(0)));
    const v_vec  sum = v_add(v_mul(b.re, b.re), v_mul(b.im, b.im));
    y->re = v_div(v_add(v_mul(a.re, b.re), v_mul(a.im, b.im)), sum);
    y->im = v_div(v_sub(v_mul(a.im, b.re), v_mul(a.re, b.im)), sum);
    return FN(complex_are_all)(v_mask_and(is_near, FN(complex_is_near)(below)));
}

V_LOOP int FN(complex_size)(FN(complex) a, v_vec *y)
{
    const v_vec part = FN(complex_part)(a);
    *y = v_sqrt(v_add(v_mul(a.re, a.re), v_mul(a.im, a.im)));
    return FN(complex_are_all)(v_mask_or(FN(complex_is_near)(part), v_eq(part, v_set(0))));
}

/* ---------------------------------------------------------------- loops */

#define COMPLEX_BYTES (2 * (int64_t)sizeof(v_ctype))

/* A vector of numbers that are one, or n of them and ones, which are near. */
V_LOOP void FN(complex_spread)(v_ctype *spread, const char *data, int64_t stride, int64_t n)
{
    for (int k = 0; k < 2 * V_LANES; k++) spread[k] = (v_ctype)(k % 2 == 0);
    for (int64_t k = 0; k < n; k++) memcpy(spread + 2 * k, data + k * stride, COMPLEX_BYTES);
}

V_LOOP int64_t FN(complex_run_2)(char *const *data, const int64_t *stride, int64_t n,
                                 int (*lanes)(FN(complex), FN(complex), FN(complex) *))
{
    v_ctype     spread[2][2 * V_LANES];
    const char *in[2];
    int64_t     step[2], i = 0;
    FN(complex) y;

    for (int k = 0; k < 2; k++) {
        in[k] = stride[1 + k] ? data[1 + k] : (const char *)spread[k];
        step[k] = stride[1 + k] ? V_LANES * COMPLEX_BYTES : 0;
        if (!stride[1 + k]) FN(complex_spread)(spread[k], data[1 + k], 0, V_LANES);
    }
    V_TWICE
    for (; i + V_LANES <= n; i += V_LANES, in[0] += step[0], in[1] += step[1]) {
        if (!lanes(FN(complex_load)(in[0]), FN(complex_load)(in[1]), &y)) return i;
        FN(complex_store)(data[0] + i * COMPLEX_BYTES, y);
    }
    if (i < n) {
        v_ctype last[2 * V_LANES];
        for (int k = 0; k < 2; k++)
            if (stride[1 + k]) FN(complex_spread)(spread[k], in[k], COMPLEX_BYTES, n - i);
        if (!lanes(FN(complex_load)((const char *)spread[0]), FN(complex_load)((const char *)spread[1]), &y)) return i;
        FN(complex_store)((char *)last, y);
        memcpy(data[0] + i * COMPLEX_BYTES, last, (size_t)((n - i) * COMPLEX_BYTES));
    }
    return n;
}

static int64_t FN(complex_mul)(char *const *data, const int64_t *stride, int64_t n)
{
    return FN(complex_run_2)(data, stride, n, FN(complex_times));
}
static int64_t FN(complex_div)(char *const *data, const int64_t *stride, int64_t n)
{
    return FN(complex_run_2)(data, stride, n, FN(complex_quotient));
}

static int64_t FN(complex_abs)(char *const *data, const int64_t *stride, int64_t n)
{
    v_ctype       spread[2 * V_LANES], last[V_LANES], *out = (v_ctype *)data[0];
    const int64_t whole = stride[1] ? n : 0;
    v_vec         y;
    int64_t       i = 0;

    V_TWICE
    for (; i + V_LANES <= whole; i += V_LANES) {
        if (!FN(complex_size)(FN(complex_load_in_order)(data[1] + i * COMPLEX_BYTES), &y)) return i;
        v_store(out + i, y);
    }
    for (int64_t some; i < n; i += some) { /* the last ones, or copies of one */
        some = n - i < V_LANES ? n - i : V_LANES;
        FN(complex_spread)(spread, data[1] + i * stride[1], stride[1], some);
        if (!FN(complex_size)(FN(complex_load_in_order)((const char *)spread), &y)) return i;
        v_store(last, y);
        memcpy(out + i, last, (size_t)some * sizeof(v_ctype));
    }
    return n;
}

#if !defined(__wasm__) /* pages would download it */
V_LOOP int FN(complex_power)(FN(complex) a, FN(complex) * y)
{
    const v_vec  size = v_exp(a.re);
    const v_mask is_near = v_mask_and(v_lt(v_set(-INFINITY), a.re), v_le(a.re, v_set(STRIA_EXP_TOP(STRIA_SIZE))));
#if STRIA_SIZE == 8
    v_vec       cosine;
    const v_vec sine = vec_sin_cos_f64(a.im, &cosine);
#else
    const v_vec sine = v_sin(a.im), cosine = v_cos(a.im);
#endif
    y->re = v_mul(size, cosine);
    y->im = v_mul(size, sine);
    return FN(complex_are_all)(v_mask_and(is_near, v_lt(v_abs(a.im), v_set(INFINITY))));
}

static int64_t FN(complex_exp)(char *const *data, const int64_t *stride, int64_t n)
{
    v_ctype       spread[2 * V_LANES];
    const int64_t whole = stride[1] ? n : 0;
    FN(complex) y;
    int64_t i = 0;

    for (; i + V_LANES <= whole; i += V_LANES) {
        if (!FN(complex_power)(FN(complex_load)(data[1] + i * COMPLEX_BYTES), &y)) return i;
        FN(complex_store)(data[0] + i * COMPLEX_BYTES, y);
    }
    for (int64_t some; i < n; i += some) { /* the last ones, or copies of one */
        some = n - i < V_LANES ? n - i : V_LANES;
        FN(complex_spread)(spread, data[1] + i * stride[1], stride[1], some);
        if (!FN(complex_power)(FN(complex_load)((const char *)spread), &y)) return i;
        FN(complex_store)((char *)spread, y);
        memcpy(data[0] + i * COMPLEX_BYTES, spread, (size_t)(some * COMPLEX_BYTES));
    }
    return n;
}
#endif

#undef COMPLEX_BYTES
