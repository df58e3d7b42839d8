/* sort_template.h - one kind of items (sort_items.h): reading, sorting, selecting, writing.
 *
 *     STRIA_ITEM    the type of an item: { key, index }
 *     STRIA_KEY     the type of a key: uint32_t or uint64_t
 *     STRIA_PLACE   of a place: uint32_t or int64_t
 *     STRIA_SORT(name)   the name with the suffix of the kind
 *     STRIA_RUN_PARTS(row, memory, counts, to)   does what `run` does where another way is faster; else false
 *
 * Short arrays are sorted by insertion and merging, longer ones by radix from the least digit up: each pass moves the items to their places in
 * the order of a digit, of 8 bits or, of many items, 11. A digit that is the same in all keys has no pass. */
#define DIGITS ((int)sizeof(STRIA_KEY)) /* of 8 bits */

/* ---------------------------------------------------------------- reading */

typedef struct STRIA_SORT(read_task) {
    STRIA_ITEM *items;
    uint64_t    below;
    int64_t     n;
} STRIA_SORT(read_task);

static INLINE void STRIA_SORT(put)(void *context, int64_t k, int64_t n, uint64_t key)
{
    ((STRIA_ITEM *)context)[n] = (STRIA_ITEM){(STRIA_KEY)key, (STRIA_PLACE)k};
}

static INLINE void STRIA_SORT(put_below)(void *context, int64_t k, int64_t n, uint64_t key)
{
    STRIA_SORT(read_task) *task = context;
    (void)n;
    task->items[task->n] = (STRIA_ITEM){(STRIA_KEY)key, (STRIA_PLACE)k};
    task->n += (STRIA_KEY)key < task->below;
}

static void STRIA_SORT(read)(const stria_sort_row *row, int64_t begin, int64_t end, void *items)
{
    read_keys(row, begin, end, STRIA_SORT(put), items);
}

static int64_t STRIA_SORT(read_below)(const stria_sort_row *row, int64_t begin, int64_t end, uint64_t below,
                                      void *items)
{
    STRIA_SORT(read_task) task = {items, below, 0};
    read_keys(row, begin, end, STRIA_SORT(put_below), &task);
    return task.n;
}

/* ---------------------------------------------------------------- short arrays */

static void STRIA_SORT(insert)(STRIA_ITEM *items, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const STRIA_ITEM one = items[k];
        int64_t          at = k;
        for (; at > 0 && items[at - 1].key > one.key; at--) items[at] = items[at - 1];
        items[at] = one;
    }
}

/* Two sorted runs, [0, middle) and [middle, n), into `to`. */
static void STRIA_SORT(merge)(STRIA_ITEM *to, const STRIA_ITEM *from, int64_t middle, int64_t n)
{
    int64_t a = 0, b = middle, k = 0;

    if (middle >= n || from[middle - 1].key <= from[middle].key) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    while (a < middle && b < n) {
        const bool takes_b = from[b].key < from[a].key; /* the first of equals is that of the first run */
        to[k++] = from[takes_b ? b : a];
        b += takes_b;
        a += !takes_b;
    }
    memcpy(to + k, from + a, (size_t)(middle - a) * sizeof *to);
    memcpy(to + k + (middle - a), from + b, (size_t)(n - b) * sizeof *to);
}

static STRIA_ITEM *STRIA_SORT(sort_short)(STRIA_ITEM *items, STRIA_ITEM *room, int64_t n)
{
    for (int64_t at = 0; at < n; at += RUN) STRIA_SORT(insert)(items + at, n - at < RUN ? n - at : RUN);
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            const int64_t left = n - at;
            STRIA_SORT(merge)(room + at, items + at, width < left ? width : left, 2 * width < left ? 2 * width : left);
        }
        STRIA_ITEM *other = items;
        items = room;
        room = other;
    }
    return items;
}

/* ---------------------------------------------------------------- radix */

static INLINE int STRIA_SORT(digit_of)(STRIA_KEY key, int digit) { return (int)(key >> 8 * digit & 255); }

typedef struct STRIA_SORT(radix_task) {
    const STRIA_ITEM *from;
    STRIA_ITEM       *to;
    int               bits, digits, digit; /* bits of a digit, digits of a key; the one of this pass */
    int64_t          *counts;              /* [chunks][digits][2^bits] */
} STRIA_SORT(radix_task);

static INLINE int64_t *STRIA_SORT(counts_of)(const STRIA_SORT(radix_task) * task, int64_t chunk, int digit)
{
    return task->counts + ((chunk * task->digits + digit) << task->bits);
}

/* The loop knows how many digits there are. */
static INLINE void STRIA_SORT(count_one)(int64_t *counts, STRIA_KEY key, const int bits)
{
    for (int digit = 0; digit < COUNT_DIGITS(STRIA_KEY, bits); digit++)
        counts[(digit << bits) + (int)(key >> bits * digit & ((1 << bits) - 1))]++;
}

/* Where two tables fit the first cache neighbours count in tables of their own: many keys begin alike, and a number that was just stored is
 * late. */
static void STRIA_SORT(count_short)(int64_t *counts, const STRIA_ITEM *from, int64_t begin, int64_t end)
{
    enum { ODD = DIGITS == 4 ? 4 * 256 : 1 };
    int64_t odd[ODD] = {0}, k = begin;

    for (; ODD > 1 && k + 2 <= end; k += 2) {
        STRIA_SORT(count_one)(counts, from[k].key, 8);
        STRIA_SORT(count_one)(odd, from[k + 1].key, 8);
    }
    for (; k < end; k++) STRIA_SORT(count_one)(counts, from[k].key, 8);
    for (int i = 0; i < ODD; i++) counts[i] += odd[i];
}

static void STRIA_SORT(count_all)(void *context, int chunk, int64_t begin, int64_t end)
{
    const STRIA_SORT(radix_task) *task = context;
    int64_t *counts = STRIA_SORT(counts_of)(task, chunk, 0);

    memset(counts, 0, ((size_t)task->digits << task->bits) * sizeof *counts);
    if (task->bits == 8)
        STRIA_SORT(count_short)(counts, task->from, begin, end);
    else
        for (int64_t k = begin; k < end; k++) STRIA_SORT(count_one)(counts, task->from[k].key, LONG_BITS);
}

static void STRIA_SORT(count_digit)(void *context, int chunk, int64_t begin, int64_t end)
{
    const STRIA_SORT(radix_task) *task = context;
    int64_t *const  counts = STRIA_SORT(counts_of)(task, chunk, task->digit);
    const int       shift = task->bits * task->digit;
    const STRIA_KEY mask = ((STRIA_KEY)1 << task->bits) - 1;

    memset(counts, 0, sizeof *counts << task->bits);
    for (int64_t k = begin; k < end; k++) counts[task->from[k].key >> shift & mask]++;
}

static void STRIA_SORT(scatter)(void *context, int chunk, int64_t begin, int64_t end)
{
    const STRIA_SORT(radix_task) *task = context;
    int64_t *const          places = STRIA_SORT(counts_of)(task, chunk, task->digit);
    const int               shift = task->bits * task->digit;
    const STRIA_KEY         mask = ((STRIA_KEY)1 << task->bits) - 1;
    const STRIA_ITEM *const from = task->from;
    STRIA_ITEM *const       to = task->to;

    for (int64_t k = begin; k < end; k++) {
        const STRIA_ITEM one = from[k];
        to[places[one.key >> shift & mask]++] = one;
    }
}

static bool STRIA_SORT(is_constant)(const STRIA_SORT(radix_task) * task, int n_chunks, int64_t n)
{
    const STRIA_KEY value = task->from[0].key >> task->bits * task->digit & (((STRIA_KEY)1 << task->bits) - 1);
    int64_t         total = 0;

    for (int c = 0; c < n_chunks; c++) total += STRIA_SORT(counts_of)(task, c, task->digit)[value];
    return total == n;
}

/* From how many of each digit the chunks have to where each chunk puts its own. */
static void STRIA_SORT(place)(const STRIA_SORT(radix_task) * task, int n_chunks)
{
    int64_t total = 0;

    for (int value = 0; value < 1 << task->bits; value++)
        for (int c = 0; c < n_chunks; c++) {
            int64_t      *at = STRIA_SORT(counts_of)(task, c, task->digit) + value;
            const int64_t n = *at;
            *at = total;
            total += n;
        }
}

static void *STRIA_SORT(sort)(void *items, void *room, int64_t n, int64_t *counts, stria_team team)
{
    if (n < LONG) return STRIA_SORT(sort_short)(items, room, n);

    const int bits = n < MANY || n > MOST_BYTES / (int64_t)sizeof(STRIA_ITEM) ? 8 : LONG_BITS;
    STRIA_SORT(radix_task) task = {items, room, bits, COUNT_DIGITS(STRIA_KEY, bits), 0, counts};
    const stria_chunks split = stria_chunks_build(team, 0, n, STRIA_GRAIN);
    bool               has_moved = false;

    stria_chunks_run(&split, STRIA_SORT(count_all), &task);
    for (task.digit = 0; task.digit < task.digits; task.digit++) {
        if (STRIA_SORT(is_constant)(&task, split.n_chunks, n)) continue;
        /* other items lie in a chunk after the first pass; one chunk has them all */
        if (has_moved && split.n_chunks > 1) stria_chunks_run(&split, STRIA_SORT(count_digit), &task);
        STRIA_SORT(place)(&task, split.n_chunks);
        stria_chunks_run(&split, STRIA_SORT(scatter), &task);
        STRIA_ITEM *other = (STRIA_ITEM *)(uintptr_t)task.from;
        task.from = task.to;
        task.to = other;
        has_moved = true;
    }
    return (STRIA_ITEM *)(uintptr_t)task.from;
}

/* ---------------------------------------------------------------- selection */

/* Key number k in order, from 0 on: digit by digit from the largest, among those that begin alike, which move to `room`. */
static STRIA_KEY STRIA_SORT(find_key)(const STRIA_ITEM *items, STRIA_ITEM *room, int64_t n, int64_t k, int64_t *counts)
{
    STRIA_KEY key = 0;

    for (int digit = DIGITS - 1; digit >= 0; digit--) {
        int64_t kept = 0;
        int     value = 0;
        memset(counts, 0, 256 * sizeof *counts);
        for (int64_t i = 0; i < n; i++) counts[STRIA_SORT(digit_of)(items[i].key, digit)]++;
        while (k >= counts[value]) k -= counts[value++];
        key |= (STRIA_KEY)value << 8 * digit;
        if (counts[value] < n || items != room)
            for (int64_t i = 0; i < n; i++) {
                const STRIA_ITEM one = items[i];
                room[kept] = one;
                kept += STRIA_SORT(digit_of)(one.key, digit) == value;
            }
        n = counts[value];
        items = room;
    }
    return key;
}

static uint64_t STRIA_SORT(select)(void *memory, void *room, int64_t n, int64_t k, int64_t *counts)
{
    STRIA_ITEM     *items = memory;
    const STRIA_KEY key = STRIA_SORT(find_key)(items, room, n, k - 1, counts);
    int64_t         equal = k, kept = 0;

    for (int64_t i = 0; i < n; i++) equal -= items[i].key < key;
    for (int64_t i = 0; i < n; i++) {
        const STRIA_ITEM one = items[i];
        const bool       is_equal = one.key == key && equal > 0;
        items[kept] = one;
        equal -= is_equal;
        kept += one.key < key || is_equal;
        if (kept == k) break;
    }
    return key;
}

static const void *STRIA_SORT(find_largest)(const void *memory, int64_t n)
{
    const STRIA_ITEM *items = memory, *largest = items;

    for (int64_t k = 1; k < n; k++)
        if (items[k].key >= largest->key) largest = &items[k];
    return largest;
}

/* ---------------------------------------------------------------- writing */

static INLINE void STRIA_SORT(write_as)(const stria_sort_row *row, const STRIA_ITEM *items, int64_t begin, int64_t end,
                                        const stria_sort_target *to, stria_key_reader reader)
{
    const STRIA_KEY inverted = row->descending ? (STRIA_KEY)UINT64_MAX : 0;

    for (int64_t k = begin; k < end; k++) {
        const STRIA_KEY key = items[k].key ^ inverted;
        uint64_t        bits = stria_key_get_bits(&reader, key);
        if (is_shared(key, &reader))
            bits = stria_bits_get(row->data + (int64_t)items[k].index * row->step_bytes, reader.size);
        store(to->values + k * to->value_step_bytes, bits, reader.size);
    }
}

static void STRIA_SORT(write)(const stria_sort_row *row, const void *memory, int64_t begin, int64_t end,
                              const stria_sort_target *to)
{
    const STRIA_ITEM *items = memory;

    for (int64_t k = begin; k < end; k++) {
        const int64_t index = (int64_t)items[k].index;
        memcpy(to->indices + k * to->index_step_bytes, &index, sizeof index);
    }
    if (to->values == NULL) return;
#define WRITE(reader) STRIA_SORT(write_as)(row, items, begin, end, to, reader)
    switch (row->dtype) {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) CASE_##category(ENUM, size, category, WRITE)
#include "table/dtypes.def"
    default: break;
    }
#undef WRITE
}

static void STRIA_SORT(run)(const stria_sort_row *row, void *memory, int64_t *counts, const stria_sort_target *to)
{
    const int64_t     n = row->length;
    STRIA_ITEM *const items = memory;

    if (STRIA_RUN_PARTS(row, items, counts, to)) return;
    STRIA_SORT(read)(row, 0, n, items);
    STRIA_SORT(write)(row, STRIA_SORT(sort)(items, items + n, n, counts, (stria_team){1}), 0, n, to);
}

static const stria_sort_kind STRIA_SORT(kind) = {sizeof(STRIA_ITEM), STRIA_SORT(read),   STRIA_SORT(read_below),
                                                 STRIA_SORT(sort),   STRIA_SORT(select), STRIA_SORT(find_largest),
                                                 STRIA_SORT(write),  STRIA_SORT(run)};

#undef STRIA_ITEM
#undef DIGITS
#undef STRIA_KEY
#undef STRIA_PLACE
#undef STRIA_SORT
#undef STRIA_RUN_PARTS
