/* search_template.h - positions in rows in order, for one dtype. Included by search.c with
 *
 *     T             the C type of an element
 *     NAME(word)    the word with a suffix of the dtype
 *     IS_NAN(a)     whether a counts as largest, equal to itself
 *
 * all undefined again at the end. */
static inline bool NAME(less)(T a, T b) { return IS_NAN(b) ? !IS_NAN(a) : a < b; }

static void NAME(search)(int64_t *out, const char *row, int64_t n, const char *values, int64_t count, bool is_right)
{
    const T *sorted = (const T *)(const void *)row, *at = (const T *)(const void *)values;

    for (int64_t k = 0; k < count; k++) {
        int64_t first = 0, left = n;
        while (left > 0) {
            const int64_t half = left / 2;
            const T       middle = sorted[first + half];
            const bool    goes_on = is_right ? !NAME(less)(at[k], middle) : NAME(less)(middle, at[k]);
            first = goes_on ? first + half + 1 : first;
            left = goes_on ? left - half - 1 : half;
        }
        out[k] = first;
    }
}

#undef T
#undef NAME
#undef IS_NAN
