/* vec_case.h - test_vec.c's checks of one lane type. T is the type, KIND its kind (0 bool, 1 unsigned, 2 signed, 3 float);
 * defines check_<T>(). Expected values are plain C on single elements.
 *
 * first, second   operands: every pair of special values, then random bits
 */
#define C STRIA_CAT(VEC_CTYPE_, T)
#define V STRIA_CAT(vec_, T)
#define M STRIA_CAT(vec_mask_, T)
#define W(word) STRIA_CAT(vec_##word##_, T)
#define FN(name) STRIA_CAT(name##_, T)
#define N STRIA_CAT(VEC_LANES_, T)
#define BITS ((int)sizeof(C) * 8)
#if KIND == 2
#define NEGATIVE(x) ((x) < 0)
#else
#define NEGATIVE(x) 0
#endif

static C  *FN(first), *FN(second);
static int FN(count);

static int FN(equal_bits)(C a, C b) { return memcmp(&a, &b, sizeof a) == 0; }
/* A NaN is the same as any other. */
#if KIND == 3
static int FN(same)(C a, C b) { return FN(equal_bits)(a, b) || (a != a && b != b); }
#else
static int FN(same)(C a, C b) { return a == b; }
#endif

static void FN(report)(int ok, int line, const char *word, int i, C got, C want)
{
    const int n = FN(count);
    if (test_count(ok, __FILE__, line))
        printf("%s_%s(%g, %g) = %g, expected %g [%d of %d]\n", word, STRIA_STRING(T), (double)FN(first)[i],
               (double)FN(second)[i], (double)got, (double)want, i, n);
}

/* result: lanes from vectors a and b, want: the same from elements x and y, of those i where `domain` holds */
#define LANES(word, compare, domain, result, want)                                                            \
    for (int i = 0; i + N <= FN(count); i += N) {                                                             \
        const V a = W(load)(FN(first) + i), b = W(load)(FN(second) + i);                                      \
        C       out[N];                                                                                       \
        (void)a, (void)b;                                                                                     \
        W(store)(out, result);                                                                                \
        for (int k = 0; k < N; k++) {                                                                         \
            const C x = FN(first)[i + k], y = FN(second)[i + k];                                              \
            (void)x, (void)y;                                                                                 \
            if (domain) FN(report)(FN(compare)(out[k], (C)(want)), __LINE__, word, i + k, out[k], (C)(want)); \
        }                                                                                                     \
    }
#define UNARY(word, want) LANES(#word, same, 1, W(word)(a), want)
#define BINARY(word, want) LANES(#word, same, 1, W(word)(a, b), want)
#define TRUTHS(word, result, want)                                                     \
    for (int i = 0; i + N <= FN(count); i += N) {                                      \
        const V a = W(load)(FN(first) + i), b = W(load)(FN(second) + i);               \
        uint8_t out[N];                                                                \
        (void)b;                                                                       \
        W(store_mask)(out, result);                                                    \
        for (int k = 0; k < N; k++) {                                                  \
            const C x = FN(first)[i + k], y = FN(second)[i + k];                       \
            (void)x, (void)y;                                                          \
            FN(report)(out[k] == (want), __LINE__, word, i + k, (C)out[k], (C)(want)); \
        }                                                                              \
    }

/* ---------------------------------------------------------------- operands */

static void FN(fill)(void)
{
    C        special[64];
    int      n = 0, at = 0;
    uint64_t random = 7;
#if KIND == 3
    const C tiny = sizeof(C) == 4 ? (C)0x1p-149f : (C)0x1p-1074, large = sizeof(C) == 4 ? (C)FLT_MAX : (C)DBL_MAX;
    const C list[] = {0,
                      0.25,
                      0.5,
                      0.75,
                      1,
                      1.5,
                      2,
                      2.5,
                      3.5,
                      4.5,
                      1e5,
                      (C)0x1p23,
                      (C)8388607.5,
                      (C)0x1.fffffep30,
                      (C)0x1p31,
                      (C)0x1p50,
                      (C)0x1.fffffffffffffp50,
                      (C)0x1p52,
                      (C)0x1p62,
                      (C)0x1p63,
                      tiny,
                      large,
                      (C)(large / 2),
                      (C)(tiny * 3),
                      (C)0.1,
                      (C)INFINITY,
                      (C)NAN};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        special[n++] = list[i];
        special[n++] = -list[i];
    }
#elif KIND == 0
    const C list[] = {0, 1, 1, 0};
    for (; n < 4; n++) special[n] = list[n];
#else
    const uint64_t top = (uint64_t)1 << (BITS - 1); /* the smallest of the signed */
    const C        list[] = {0, 1, 2, 3, 5, 7, 10, 63, 64, 100, (C)top, (C)(top + 1), (C)(top - 1), (C)(top / 2), 127};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        special[n++] = list[i];
        special[n++] = (C)(0 - (uint64_t)list[i]);
    }
#endif
    const int total = n * n + 4096;
    FN(count) = total / 64 * 64;
    /* one element in, so that vectors are not aligned */
    FN(first) = (C *)malloc((size_t)(total + 1) * sizeof(C)) + 1;
    FN(second) = (C *)malloc((size_t)(total + 1) * sizeof(C)) + 1;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++, at++) FN(first)[at] = special[i], FN(second)[at] = special[k];
    }
    for (; at < total; at++) {
        const uint64_t bits[2] = {test_random(&random), test_random(&random)};
        memcpy(&FN(first)[at], &bits[0], sizeof(C));
        memcpy(&FN(second)[at], at % 8 ? &bits[1] : &bits[0], sizeof(C));
#if KIND == 0
        FN(first)[at] &= 1, FN(second)[at] &= 1;
#elif KIND == 3
        /* half of them of ordinary size */
        if (at % 2) FN(first)[at] = (C)((double)(int64_t)bits[0] * 0x1p-50);
        if (at % 4 == 1) FN(second)[at] = (C)((double)(int64_t)bits[1] * 0x1p-50);
#endif
    }
}

/* ---------------------------------------------------------------- words of every type */

static void FN(check_masks)(void)
{
    uint8_t  x[N], y[N], got[N];
    uint64_t random = 3;
    for (int round = 0; round < 200; round++) {
        int any = 0;
        for (int k = 0; k < N; k++) {
            x[k] = (uint8_t)(test_random(&random) % 3 ? test_random(&random) : 0);
            y[k] = (uint8_t)(test_random(&random) % 2);
            if (round < 2 * N) x[k] = round < N ? round == k : 0;
            any |= x[k] != 0;
        }
        const M m = W(load_mask)(x), n = W(load_mask)(y);
        CHECK(!!W(mask_any)(m) == any, "mask_any_%s, round %d", STRIA_STRING(T), round);
#define MASK(word, result, want) \
    W(store_mask)(got, result);  \
    for (int k = 0; k < N; k++) CHECK(got[k] == (want), "%s_%s, round %d", word, STRIA_STRING(T), round);
        MASK("load_mask", m, (x[k] != 0))
        MASK("mask_and", W(mask_and)(m, n), (x[k] && y[k]))
        MASK("mask_or", W(mask_or)(m, n), (x[k] || y[k]))
        MASK("mask_xor", W(mask_xor)(m, n), ((x[k] != 0) != (y[k] != 0)))
        MASK("mask_not", W(mask_not)(m), !x[k])
#undef MASK
        const V a = W(load)(FN(first) + 64 * round / N * N % (FN(count) - N));
        const V b = W(load)(FN(second) + 64 * round / N * N % (FN(count) - N));
        C       p[N], q[N], out[N];
        W(store)(p, a);
        W(store)(q, b);
        W(store)(out, W(select)(m, a, b));
        for (int k = 0; k < N; k++)
            CHECK(FN(equal_bits)(out[k], x[k] ? p[k] : q[k]), "select_%s, round %d", STRIA_STRING(T), round);
    }
}

/* Up to the last element of a block, behind which a sanitizer sees every read. */
static void FN(check_parts)(void)
{
    for (int n = 0; n < N; n++) {
        C *end = malloc((size_t)(n > 0 ? n : 1) * sizeof(C)), out[N], whole[N], other[N];
        W(store)(whole, W(load)(FN(first)));
        W(store)(other, W(load)(FN(second)));
        memcpy(end, FN(first), (size_t)n * sizeof(C));
        W(store)(out, W(load_part)(end, n, W(load)(FN(second))));
        for (int k = 0; k < N; k++)
            CHECK(FN(equal_bits)(out[k], k < n ? whole[k] : other[k]), "load_part_%s of %d, lane %d", STRIA_STRING(T),
                  n, k);
        free(end);
    }
}

static void FN(check_common)(void)
{
    FN(check_parts)();
    LANES("load", equal_bits, 1, a, x)
    for (int i = 0; i < 64; i++) {
        C out[N];
        W(store)(out, W(set)(FN(first)[i * 61 % FN(count)]));
        for (int k = 0; k < N; k++)
            FN(report)(FN(same)(out[k], FN(first)[i * 61 % FN(count)]), __LINE__, "set", i, out[k], 0);
    }
    TRUTHS("eq", W(eq)(a, b), (x == y))
    TRUTHS("ne", W(ne)(a, b), (x != y))
    TRUTHS("lt", W(lt)(a, b), (x < y))
    TRUTHS("le", W(le)(a, b), (x <= y))
#if KIND == 3
    TRUTHS("isinf", W(isinf)(a), (x == (C)INFINITY || x == -(C)INFINITY))
    TRUTHS("isfinite", W(isfinite)(a), (x - x == 0))
#else
    TRUTHS("isinf", W(isinf)(a), 0)
    TRUTHS("isfinite", W(isfinite)(a), 1)
#endif
}

/* ---------------------------------------------------------------- words of one kind */

#if KIND == 0
static void FN(check_kind)(void)
{
    uint8_t bytes[N], out[N];
    for (int k = 0; k < N; k++) bytes[k] = (uint8_t)(k * 37);
    W(store)(out, W(load)(bytes));
    for (int k = 0; k < N; k++) CHECK(out[k] == (bytes[k] != 0), "load_b8 of %d is %d", bytes[k], out[k]);
    BINARY(add, x || y)
    BINARY(max, x || y)
    BINARY(or, x || y)
    BINARY(mul, x && y)
    BINARY(min, x && y)
    BINARY(and, x && y)
    BINARY(xor, x != y)
    UNARY(not, !x)
    UNARY(sign, x)
}
#endif

#if KIND == 1 || KIND == 2
/* From the highest bit of the exponent down. */
static C FN(power)(C x, C y)
{
    uint64_t r = 1;
    if (NEGATIVE(y)) {
        if (x == 1) return 1;
        if (x == (C)-1) return y & 1 ? x : 1;
        return 0;
    }
    for (int k = BITS - 1; k >= 0; k--) {
        r = (uint64_t)(C)(r * r);
        if ((uint64_t)y >> k & 1) r = (uint64_t)(C)(r * (uint64_t)x);
    }
    return (C)r;
}

static void FN(check_kind)(void)
{
    BINARY(add, (uint64_t)x + (uint64_t)y)
    BINARY(sub, (uint64_t)x - (uint64_t)y)
    BINARY(mul, (uint64_t)x * (uint64_t)y)
    BINARY(larger, x > y ? x : y)
    BINARY(smaller, x < y ? x : y)
    BINARY(min, x < y ? x : y)
    BINARY(max, x > y ? x : y)
    BINARY(and, x & y)
    BINARY(or, x | y)
    BINARY(xor, x ^ y)
    BINARY(pow, FN(power)(x, y))
    UNARY(not, ~(uint64_t)x)
    UNARY(neg, 0 - (uint64_t)x)
    UNARY(abs, NEGATIVE(x) ? 0 - (uint64_t)x : (uint64_t)x)
    UNARY(sign, x == 0 ? 0 : NEGATIVE(x) ? (uint64_t)-1 : 1)
    UNARY(floor, x)
    UNARY(ceil, x)
    UNARY(trunc, x)
    UNARY(rint, x)
    for (int n = 0; n < BITS; n++) {
        LANES("shl", same, 1, W(shl)(a, n), (uint64_t)x << n)
        /* a division that rounds down */
        LANES("shr", same, 1, W(shr)(a, n), NEGATIVE(x) ? ~(~(uint64_t)x >> n) : (uint64_t)x >> n)
    }
}
#endif

#if KIND == 3
static C FN(smaller)(C x, C y) { return x != x ? x : y != y ? y : x < y ? x : y < x ? y : signbit(x) ? x : y; }
static C FN(larger)(C x, C y) { return x != x ? x : y != y ? y : x > y ? x : y > x ? y : signbit(x) ? y : x; }
/* x with the sign of y, in integers: also a NaN's. */
static C FN(with_sign)(C x, int negative)
{
    const int last = (int)sizeof(C) - 1; /* little endian */
    uint8_t   bytes[sizeof(C)];
    memcpy(bytes, &x, sizeof x);
    bytes[last] = (uint8_t)((bytes[last] & 0x7f) | (negative ? 0x80 : 0));
    memcpy(&x, bytes, sizeof x);
    return x;
}
/* ties to even from floor alone */
static C FN(nearest)(C x)
{
    const C down = (C)floor(x), part = x - down;
    C       r = part < (C)0.5 ? down : part > (C)0.5 ? down + 1 : fmod(down, 2) == 0 ? down : down + 1;
    if (!isfinite(x)) r = x;
    return FN(with_sign)(r, signbit(x) != 0);
}

static void FN(check_kind)(void)
{
    const double limit = sizeof(C) == 4 ? 0x1p31 : 0x1p51;
    BINARY(add, x + y)
    BINARY(sub, x - y)
    BINARY(mul, x * y)
    BINARY(div, x / y)
    BINARY(larger, x > y ? x : y)
    BINARY(smaller, x < y ? x : y)
    TRUTHS("unordered", W(unordered)(a, b), x != x || y != y)
    BINARY(min, FN(smaller)(x, y))
    BINARY(max, FN(larger)(x, y))
    UNARY(sqrt, sizeof(C) == 4 ? (C)sqrtf((float)x) : (C)sqrt((double)x))
    LANES("neg", equal_bits, 1, W(neg)(a), FN(with_sign)(x, !signbit(x)))
    LANES("abs", equal_bits, 1, W(abs)(a), FN(with_sign)(x, 0))
    LANES("copysign", equal_bits, 1, W(copysign)(a, b), FN(with_sign)(x, signbit(y) != 0))
    UNARY(sign, x > 0 ? 1 : x < 0 ? -1 : x)
    UNARY(floor, (C)floor((double)x))
    UNARY(ceil, (C)ceil((double)x))
    UNARY(trunc, (C)trunc((double)x))
    UNARY(rint, FN(nearest)(x))
    LANES("bits, frombits", equal_bits, 1, W(frombits)(W(bits)(a)), x)
    LANES("toint, fromint", same, fabs((double)x) < limit, W(fromint)(W(toint)(W(trunc)(a))), (C)((int64_t)x + 0.0))
}
#endif

static void FN(check)(void)
{
    FN(fill)();
    FN(check_common)();
    FN(check_masks)();
    FN(check_kind)();
    free(FN(first) - 1);
    free(FN(second) - 1);
}

#undef C
#undef V
#undef M
#undef W
#undef FN
#undef N
#undef BITS
#undef NEGATIVE
#undef LANES
#undef UNARY
#undef BINARY
#undef TRUTHS
#undef T
#undef KIND
