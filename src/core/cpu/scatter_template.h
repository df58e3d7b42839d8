/* scatter_template.h - combining elements of a table with those of a source, for one dtype. Included by scatter_loops.c with
 *
 *     T             the C type of an element
 *     NAME(word)    the word with a suffix of the dtype
 *     ADD(a, b), MUL(a, b), MAX(a, b), MIN(a, b)     MAX and MIN are left out for complex dtypes
 *     HAS_PASS      sums have a pass (index_plan.h), too
 *
 * all undefined again at the end. The functions are stria_scatter_fn (scatter_loops.h). */
static inline T NAME(add)(T a, T b) { return ADD(a, b); }
static inline T NAME(mul)(T a, T b) { return MUL(a, b); }
#ifdef MAX
static inline T NAME(max)(T a, T b) { return MAX(a, b); }
static inline T NAME(min)(T a, T b) { return MIN(a, b); }
#endif

static inline __attribute__((always_inline)) void NAME(each)(char *table, int64_t table_stride, const int64_t *offsets,
                                                             const char *src, int64_t n, T (*combine)(T a, T b))
{
    for (int64_t k = 0; k < n; k++) {
        char *at = table + k * table_stride + (offsets ? offsets[k] : 0);
        T     a, b;
        memcpy(&a, at, sizeof a);
        memcpy(&b, src + k * (int64_t)sizeof b, sizeof b);
        a = combine(a, b);
        memcpy(at, &a, sizeof a);
    }
}

static void NAME(add_each)(char *table, int64_t table_stride, const int64_t *offsets, const char *src, int64_t n)
{
    if (offsets && table_stride == 0)
        NAME(each)(table, 0, offsets, src, n, NAME(add));
    else
        NAME(each)(table, table_stride, offsets, src, n, NAME(add));
}
static void NAME(mul_each)(char *table, int64_t table_stride, const int64_t *offsets, const char *src, int64_t n)
{
    NAME(each)(table, table_stride, offsets, src, n, NAME(mul));
}
#ifdef MAX
static void NAME(max_each)(char *table, int64_t table_stride, const int64_t *offsets, const char *src, int64_t n)
{
    NAME(each)(table, table_stride, offsets, src, n, NAME(max));
}
static void NAME(min_each)(char *table, int64_t table_stride, const int64_t *offsets, const char *src, int64_t n)
{
    NAME(each)(table, table_stride, offsets, src, n, NAME(min));
}
#endif

#ifdef HAS_PASS
static inline __attribute__((always_inline)) void NAME(add_one)(char *at, const char *src)
{
    T a, b;

    memcpy(&a, at, sizeof a);
    memcpy(&b, src, sizeof b);
    a = NAME(add)(a, b);
    memcpy(at, &a, sizeof a);
}

static inline __attribute__((always_inline)) bool NAME(add_all)(const stria_index_plan *plan, const char *index,
                                                                char *table, int64_t table_stride, int64_t step,
                                                                const char *src, int64_t n, const bool is_packed)
{
    const int64_t size = (int64_t)sizeof(T), limit = plan->size;
    bool          is_out = false;
    int64_t       k = 0;

    for (; is_packed && k + 4 <= n; k += 4) { /* indices are read ahead of what is written */
        const int64_t a = stria_index_read(plan, index, k, limit, &is_out) * step;
        const int64_t b = stria_index_read(plan, index, k + 1, limit, &is_out) * step;
        const int64_t c = stria_index_read(plan, index, k + 2, limit, &is_out) * step;
        const int64_t d = stria_index_read(plan, index, k + 3, limit, &is_out) * step;
        NAME(add_one)(table + a, src + k * size);
        NAME(add_one)(table + b, src + (k + 1) * size);
        NAME(add_one)(table + c, src + (k + 2) * size);
        NAME(add_one)(table + d, src + (k + 3) * size);
    }
    for (; k < n; k++) {
        char *const at = table + k * table_stride + stria_index_read(plan, index, k, limit, &is_out) * step;
        NAME(add_one)(at, src + k * size);
    }
    return !is_out;
}
/* The loop of one dim knows its strides. */
static bool NAME(add_pass)(const stria_index_plan *plan, const char *index, char *table, int64_t table_stride,
                           char *src, int64_t n)
{
    if (plan->step == (int64_t)sizeof(T) && table_stride == 0)
        return NAME(add_all)(plan, index, table, 0, sizeof(T), src, n, true);
    return NAME(add_all)(plan, index, table, table_stride, plan->step, src, n, false);
}
#undef HAS_PASS
#endif

#undef T
#undef NAME
#undef ADD
#undef MUL
#undef MAX
#undef MIN
