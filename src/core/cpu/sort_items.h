/* sort_items.h - elements of a row as keys that whole numbers order, each with its place. Internal.
 *
 * Keys are those of keys.h. A descending order is that of the inverted keys. Every sort of keys is stable, so that equal elements keep their order both ways. Stable
 * sorts have one result: it depends neither on the method nor on the number of threads.
 *
 * An item is a key and a place. Those of narrow dtypes in rows of fewer than 2^32 elements are 8 bytes, others 16: two kinds of the same
 * functions (sort_template.h). */
#ifndef STRIA_SORT_ITEMS_H
#define STRIA_SORT_ITEMS_H

#include "base/parallel.h"
#include "cpu/keys.h"

/* The elements along one axis. */
typedef struct stria_sort_row {
    const char *data;
    int64_t     step_bytes, length;
    stria_dtype dtype; /* not complex */
    bool        descending;
} stria_sort_row;

/* Numbers that a sort or a selection of one thread counts in; a sort by a team needs as many for each of its threads. */
#define STRIA_SORT_COUNTS (6 * 2048)

/* Where a row goes: element k to values + k * value_step_bytes, its place, i64, to indices + k * index_step_bytes. values may be NULL. */
typedef struct stria_sort_target {
    char   *values, *indices;
    int64_t value_step_bytes, index_step_bytes;
} stria_sort_target;

/* items, room   of one kind; they share no memory
 * counts        [STRIA_SORT_COUNTS], or of `sort` [threads of the team][STRIA_SORT_COUNTS] */
typedef struct stria_sort_kind {
    int64_t size; /* bytes of an item */

    /* items[k - begin] becomes that of element k, for k in [begin, end). */
    void (*read)(const stria_sort_row *row, int64_t begin, int64_t end, void *items);

    /* The same for those elements alone that come before the key `below`, from items[0] on; returns how many. */
    int64_t (*read_below)(const stria_sort_row *row, int64_t begin, int64_t end, uint64_t below, void *items);

    /* Sorts n items with room for as many; returns which of the two holds them. */
    void *(*sort)(void *items, void *room, int64_t n, int64_t *counts, stria_team team);

    /* Leaves the k smallest of n items as the first ones, 0 < k < n, in the order they had; of equal ones the first. Returns the largest
     * key among them. */
    uint64_t (*select)(void *items, void *room, int64_t n, int64_t k, int64_t *counts);

    /* The last of the largest of n > 0 items. */
    const void *(*find_largest)(const void *items, int64_t n);

    /* Elements and places of items [begin, end), as elements begin .. end of the target. Elements are those of the row bit for bit. */
    void (*write)(const stria_sort_row *row, const void *items, int64_t begin, int64_t end,
                  const stria_sort_target *to);

    /* A row by one thread, from reading to writing. memory: of 2 * length items. */
    void (*run)(const stria_sort_row *row, void *memory, int64_t *counts, const stria_sort_target *to);
} stria_sort_kind;

const stria_sort_kind *stria_sort_kind_select(stria_dtype dtype, int64_t length);

/* Keys of elements [begin, end), in ascending order. */
void stria_sort_keys_get(const stria_sort_row *row, int64_t begin, int64_t end, uint64_t *keys);

/* Row number `row` of those along the axis (stria_row_get_data); a 0-dim x is a row of one element. */
stria_sort_row stria_sort_row_get(const stria_tensor *x, int axis, int64_t row, bool descending);

/* The row of the same number of results; values may be NULL. */
stria_sort_target stria_sort_target_get(const stria_tensor *values, const stria_tensor *indices, int axis, int64_t row);

/* Step of x along `axis` in bytes; 0 of a 0-dim x. */
int64_t stria_sort_step_get(const stria_tensor *x, int axis);

#endif
