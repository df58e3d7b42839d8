/* sort_parts.h - long rows of wide items, sorted in parts that the first caches hold. Included by sort_items.c alone.
 *
 * A sample of the keys says where to cut: parts are ranges of prefixes with about as many items each. Items go to their parts as they are
 * read, in order; each part is sorted and written, so that memory beyond the caches is met twice. A part that has more items than room
 * ends that, and the row is sorted as a whole. */
#include <math.h>

#define LONG_ROW 40000  /* items */
#define PART 1024       /* items of a part, about; more in rows that would have more than MOST_PARTS of them */
#define MOST_PARTS 2048 /* two lists of places are in `counts` */
#define SAMPLE 16       /* items for each one of the sample */
#define PREFIX_BITS 16
#define BLOCK 512 /* items that are read at once */

static INLINE int count_bits(uint64_t number) { return number == 0 ? 0 : 64 - __builtin_clzll(number); }

/* How keys fall into parts. A prefix is what is left of a key less `low`, at most `span`, without its lower `shift` bits. */
typedef struct key_split {
    uint64_t  low, span;
    int       shift;
    uint16_t *part_of;     /* [2^PREFIX_BITS], by prefix */
    int64_t   n;           /* parts */
    int64_t  *begin, *end; /* [n + 1], [n]: where the room of each part begins, and where its items end */
    int64_t   largest;     /* items that the largest part has room for */
} key_split;

/* Parts of neighbouring prefixes that have about `most` keys of a sample, whose prefixes are counted in `tally`. */
static void find_parts(key_split *split, const uint32_t *tally, int64_t most)
{
    int64_t inside = 0, at = 0;

    split->n = split->largest = 0;
    for (int prefix = 0; prefix < 1 << PREFIX_BITS; prefix++) {
        const int64_t keys = tally[prefix];
        if (inside > 0 && keys > 0 && inside + keys > most && split->n < MOST_PARTS - 1) {
            split->end[split->n++] = inside;
            inside = 0;
        }
        split->part_of[prefix] = (uint16_t)split->n;
        inside += keys;
    }
    split->end[split->n++] = inside;
    /* as many items as there may be: by five times the error of the sample */
    for (int64_t part = 0; part < split->n; part++) {
        const double  keys = (double)split->end[part];
        const int64_t room = SAMPLE * (int64_t)(keys + 5 * sqrt(keys) + 8);
        split->begin[part] = split->end[part] = at;
        at += room;
        if (room > split->largest) split->largest = room;
    }
    split->begin[split->n] = at;
}

static INLINE int64_t prefix_of(const key_split *split, uint64_t key)
{
    const uint64_t above = key < split->low ? 0 : key - split->low;
    return (int64_t)((above > split->span ? split->span : above) >> split->shift);
}

/* Every SAMPLE-th key, the first of each block anywhere; returns how many. Which ones does not change the result. */
static int64_t read_sample(const stria_sort_row *row, stria_key_item *items)
{
    stria_sort_row some = *row;
    uint32_t       random = 1;
    int64_t        n = 0;

    some.step_bytes *= SAMPLE;
    for (int64_t begin = 0; begin + BLOCK <= row->length; begin += BLOCK, n += BLOCK / SAMPLE) {
        random = random * 1664525 + 1013904223;
        some.data = row->data + (begin + (int64_t)(random >> 16) % SAMPLE) * row->step_bytes;
        read_wide(&some, 0, BLOCK / SAMPLE, items + n);
    }
    return n;
}

/* Parts for a row. False: there is no room for them. memory: [2 * length]; the end of it stays with the split. */
static bool choose_parts(const stria_sort_row *row, stria_key_item *memory, key_split *split)
{
    const int64_t   n = read_sample(row, memory), size = (int64_t)sizeof *memory;
    const int64_t   table = ((int64_t)sizeof *split->part_of << PREFIX_BITS) / size, room = 2 * row->length - table;
    const int64_t   least = row->length / (MOST_PARTS / 2), part = PART > least ? PART : least;
    uint32_t *const tally = (uint32_t *)(void *)(memory + n);
    uint64_t        low = memory[0].key, high = low;

    for (int64_t k = 1; k < n; k++) {
        const uint64_t key = memory[k].key;
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    split->low = low;
    split->span = high - low;
    split->shift = count_bits(split->span) > PREFIX_BITS ? count_bits(split->span) - PREFIX_BITS : 0;
    split->part_of = (uint16_t *)(void *)(memory + room);
    memset(tally, 0, sizeof *tally << PREFIX_BITS);
    for (int64_t k = 0; k < n; k++) tally[prefix_of(split, memory[k].key)]++;
    find_parts(split, tally, part / SAMPLE);
    return split->begin[split->n] + split->largest <= room;
}

/* Reads a row into its parts. False: one has more items than room. */
static bool read_parts(const stria_sort_row *row, stria_key_item *items, const key_split *split)
{
    stria_key_item        block[BLOCK];
    const uint16_t *const part_of = split->part_of;
    const int64_t *const  begin = split->begin;
    int64_t *const        end = split->end;
    const key_split       by = *split;

    for (int64_t at = 0; at < row->length; at += BLOCK) {
        const int64_t n = row->length - at < BLOCK ? row->length - at : BLOCK;
        read_wide(row, at, at + n, block);
        for (int64_t k = 0; k < n; k++) {
            const int     part = part_of[prefix_of(&by, block[k].key)];
            const int64_t to = end[part];
            if (to == begin[part + 1]) return false;
            items[to] = block[k];
            end[part] = to + 1;
        }
    }
    return true;
}

/* Sorts what is in order but for the lower bits of the keys: runs of those that are alike above them. */
static void sort_runs(stria_key_item *items, stria_key_item *room, int64_t n, int bits)
{
    for (int64_t k = 1; k < n; k++) {
        if (items[k - 1].key <= items[k].key) continue;
        const uint64_t alike = items[k].key >> bits;
        int64_t        begin = k - 1, end = k + 1;
        while (begin > 0 && items[begin - 1].key >> bits == alike) begin--;
        while (end < n && items[end].key >> bits == alike) end++;
        const stria_key_item *sorted = sort_short_wide(items + begin, room, end - begin);
        if (sorted == room) memcpy(items + begin, room, (size_t)(end - begin) * sizeof *items);
        k = end - 1;
    }
}

/* By the upper 16 of the bits in which keys differ, in two passes or one, then what they leave. Returns which of the two holds the result. */
static stria_key_item *sort_part(stria_key_item *items, stria_key_item *room, int64_t n)
{
    int64_t        places[2][256] = {{0}};
    const uint64_t first = items[0].key;
    uint64_t       differ = 0;

    if (n < LONG / 4) return sort_short_wide(items, room, n);
    for (int64_t k = 1; k < n; k++) differ |= items[k].key ^ first;
    if (differ == 0) return items;
    const int end = count_bits(differ), least = __builtin_ctzll(differ), begin = end - least > 16 ? end - 16 : least;
    const int width = (end - begin + 1) / 2, middle = begin + width;
    const uint64_t mask = ((uint64_t)1 << width) - 1;
    for (int64_t k = 0; k < n; k++) {
        const uint64_t key = items[k].key;
        places[0][key >> begin & mask]++;
        places[1][key >> middle & mask]++;
    }
    for (int digit = 0; digit < 2; digit++) {
        int64_t *const at = places[digit];
        const int      shift = digit == 0 ? begin : middle;
        if (at[first >> shift & mask] == n) continue;
        for (int64_t k = 0, sum = 0; k <= (int64_t)mask; k++) {
            const int64_t here = at[k];
            at[k] = sum;
            sum += here;
        }
        for (int64_t k = 0; k < n; k++) {
            const stria_key_item one = items[k];
            room[at[one.key >> shift & mask]++] = one;
        }
        stria_key_item *const other = items;
        items = room;
        room = other;
    }
    if (begin > least) sort_runs(items, room, n, begin);
    return items;
}

static bool run_parts(const stria_sort_row *row, stria_key_item *memory, int64_t *counts, const stria_sort_target *to)
{
    key_split split = {.begin = counts, .end = counts + MOST_PARTS + 1};
    int64_t   at = 0;

    if (row->length < LONG_ROW) return false;
    if (!choose_parts(row, memory, &split) || !read_parts(row, memory, &split)) return false;
    for (int64_t part = 0; part < split.n; part++) {
        const int64_t           begin = split.begin[part], n = split.end[part] - begin;
        const stria_sort_target here = {to->values ? to->values + at * to->value_step_bytes : NULL,
                                        to->indices + at * to->index_step_bytes, to->value_step_bytes,
                                        to->index_step_bytes};
        if (n == 0) continue;
        write_wide(row, sort_part(memory + begin, memory + split.begin[split.n], n), 0, n, &here);
        at += n;
    }
    return true;
}

#undef LONG_ROW
#undef PART
#undef MOST_PARTS
#undef SAMPLE
#undef PREFIX_BITS
#undef BLOCK
