/* pairs_template.h - sums of short rows of complex numbers, whose parts have one dtype: what `few` (kernels.h) does of real ones. Included by
 * reduce.c with
 *
 *     T             the C type of a part
 *     NAME(word)    the word with a suffix of the dtype
 *
 * all undefined again at the end. */
static int64_t NAME(few_pairs)(char *result, const char *src, int64_t stride_bytes, int64_t count, int64_t n)
{
    T *out = (T *)(void *)result;

    if (count > STRIA_REDUCE_ROWS) return 0; /* a tree, which columns make */
    for (int64_t i = 0; i < n; i++) {
        const T *x = (const T *)(const void *)(src + i * stride_bytes);
        T        re = x[0], im = x[1];
        for (int64_t k = 1; k < count; k++) re += x[2 * k], im += x[2 * k + 1];
        out[2 * i] = re;
        out[2 * i + 1] = im;
    }
    return n;
}

#undef T
#undef NAME
