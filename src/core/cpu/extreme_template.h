/* extreme_template.h - running extremes of one kind of element. Included by cummax.c with
 *
 *     T               the C type of an element
 *     NAME(word)      the word with a suffix of the kind
 *     TAKES(a, best)  0 or 1, without a branch: whether a takes the place of best. It may use `inversion`, a T or wider, from the task
 *
 * all undefined again at the end. */

/* A row whose elements lie side by side, in x and the outputs. Most groups have no element that takes the place of the best. */
static void NAME(packed)(const extreme_task *task, const T *restrict x, T *restrict values, int64_t *restrict places)
{
    const int64_t inversion = task->inversion, n = task->length;
    T             best = x[0];
    int64_t       at = 0;

    for (int64_t k = 0; k < n; k += GROUP) {
        const int count = n - k < GROUP ? (int)(n - k) : GROUP;
        int       any = count < GROUP;
        if (count == GROUP)
            for (int j = 0; j < GROUP; j++) any |= TAKES(x[k + j], best);
        if (any) {
            for (int64_t j = k; j < k + count; j++) {
                const int takes = TAKES(x[j], best);
                values[j] = best = takes ? x[j] : best;
                places[j] = at = takes ? j : at;
            }
            continue;
        }
        for (int j = 0; j < GROUP; j++) values[k + j] = best;
        for (int j = 0; j < GROUP; j++) places[k + j] = at;
    }
}

static void NAME(row)(const extreme_task *task, const char *x, char *values, char *places)
{
    const int64_t n = task->length, step = task->step, inversion = task->inversion;
    const int64_t value_step = task->value_step, place_step = task->place_step;
    T             best, a;
    int64_t       at = 0;

    if (step == (int64_t)sizeof(T) && value_step == (int64_t)sizeof(T) && place_step == (int64_t)sizeof at) {
        NAME(packed)(task, (const T *)(const void *)x, (T *)(void *)values, (int64_t *)(void *)places);
        return;
    }
    memcpy(&best, x, sizeof best);
    for (int64_t k = 0; k < n; k++, x += step, values += value_step, places += place_step) {
        memcpy(&a, x, sizeof a);
        if (TAKES(a, best)) best = a, at = k;
        memcpy(values, &best, sizeof best);
        memcpy(places, &at, sizeof at);
    }
}

/* n <= COLUMNS rows whose elements of one place lie side by side. */
static void NAME(columns)(const extreme_task *task, const char *x, char *values, char *places, int64_t n)
{
    const int64_t inversion = task->inversion;
    T             best[COLUMNS];
    int64_t       at[COLUMNS];

    memcpy(best, x, (size_t)n * sizeof(T));
    for (int64_t k = 0; k < task->length; k++) {
        const T *restrict row = (const T *)(const void *)(x + k * task->step);
        T *restrict value = (T *)(void *)(values + k * task->value_step);
        int64_t *restrict place = (int64_t *)(void *)(places + k * task->place_step);
        for (int64_t j = 0; j < n; j++) {
            const int takes = TAKES(row[j], best[j]);
            value[j] = best[j] = takes ? row[j] : best[j];
            place[j] = at[j] = takes ? k : at[j];
        }
    }
}

#undef T
#undef NAME
#undef TAKES
