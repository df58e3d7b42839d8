/* max_pool_template.h - planes of max_pool.c. Parameters: T, the type of elements; IS_NAN, of one; POOL and FIND, names. */

/* The largest element of a window of a plane, and its number. */
static inline T FIND(const task *t, const T *x, const int64_t *first, const int64_t *end, int64_t *at)
{
    const axis *a = t->axis;
    int64_t     found = (first[0] * a[1].in + first[1]) * a[2].in + first[2];
    T           best = x[found];

    for (int64_t i = first[0]; i < end[0]; i += a[0].dilation)
        for (int64_t j = first[1]; j < end[1]; j += a[1].dilation) {
            const int64_t line = (i * a[1].in + j) * a[2].in;
            for (int64_t k = first[2]; k < end[2]; k += a[2].dilation) {
                const T value = x[line + k];
                if (!(value > best) && !IS_NAN(value)) continue;
                best = value;
                found = line + k;
            }
        }
    *at = found;
    return best;
}

static void POOL(void *context, int chunk, int64_t begin, int64_t end)
{
    const task *t = context;
    (void)chunk;

    for (int64_t plane = begin; plane < end; plane++) {
        const T *x = (const T *)t->x + plane * t->in;
        T       *y = (T *)t->y + plane * t->out;
        int64_t *at = t->indices + plane * t->out, first[DIMS], last[DIMS];
        for (int64_t i = 0; i < t->axis[0].out; i++) {
            get_window(&t->axis[0], i, &first[0], &last[0]);
            for (int64_t j = 0; j < t->axis[1].out; j++) {
                get_window(&t->axis[1], j, &first[1], &last[1]);
                for (int64_t k = 0; k < t->axis[2].out; k++) {
                    get_window(&t->axis[2], k, &first[2], &last[2]);
                    *y++ = FIND(t, x, first, last, at++);
                }
            }
        }
    }
}
#undef T
#undef IS_NAN
#undef POOL
#undef FIND
