/* keys.c - sorting and selecting by keys (keys.h). */
#include "cpu/keys.h"

#define RUN 16 /* elements that are sorted by insertion */
#define FEW 48 /* keys that are sorted by insertion, where digits would not pay */

/* ---------------------------------------------------------------- dtypes */

static uint64_t get_infinity(stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_F16: return 0x7c00;
    case STRIA_BF16: return 0x7f80;
    case STRIA_F32: return 0x7f800000;
    default: return UINT64_C(0x7ff0000000000000);
    }
}

stria_key_reader stria_key_reader_get(stria_dtype dtype)
{
    const int64_t size = stria_dtype_sizes[dtype];

    return (stria_key_reader){size, stria_dtype_get_category(dtype), UINT64_C(1) << (8 * size - 1),
                              get_infinity(dtype)};
}

uint64_t stria_key_get_bits(const stria_key_reader *reader, uint64_t key)
{
    if (reader->category == STRIA_CATEGORY_I) return key ^ reader->sign;
    if (reader->category != STRIA_CATEGORY_F) return key;
    if (key == UINT64_MAX) return reader->sign - 1;
    return key >= reader->sign ? key - reader->sign : reader->sign | (reader->sign - key);
}

/* ---------------------------------------------------------------- items */

static void insert(stria_key_item *items, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const stria_key_item one = items[k];
        int64_t              at = k;
        for (; at > 0 && items[at - 1].key > one.key; at--) items[at] = items[at - 1];
        items[at] = one;
    }
}

/* Two sorted runs, [0, middle) and [middle, n), into `to`. */
static void merge(stria_key_item *to, const stria_key_item *from, int64_t middle, int64_t n)
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

const stria_key_item *stria_items_sort(stria_key_item *items, stria_key_item *room, int64_t n)
{
    for (int64_t at = 0; at < n; at += RUN) insert(items + at, n - at < RUN ? n - at : RUN);
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            const int64_t left = n - at;
            merge(room + at, items + at, width < left ? width : left, 2 * width < left ? 2 * width : left);
        }
        stria_key_item *other = items;
        items = room;
        room = other;
    }
    return items;
}

/* ---------------------------------------------------------------- keys */

static void insert_keys(uint64_t *keys, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const uint64_t one = keys[k];
        int64_t        at = k;
        for (; at > 0 && keys[at - 1] > one; at--) keys[at] = keys[at - 1];
        keys[at] = one;
    }
}

static int digit_of(uint64_t key, int64_t byte) { return (int)(key >> (8 * byte) & 255); }

const uint64_t *stria_keys_sort(uint64_t *keys, uint64_t *room, int64_t n, int64_t size)
{
    if (n <= FEW) return insert_keys(keys, n), keys;
    for (int64_t byte = 0; byte < size; byte++) {
        int64_t   start[257] = {0};
        uint64_t *other = keys;
        for (int64_t k = 0; k < n; k++) start[digit_of(keys[k], byte) + 1]++;
        if (start[digit_of(keys[0], byte) + 1] == n) continue; /* they have one digit */
        for (int d = 1; d < 257; d++) start[d] += start[d - 1];
        for (int64_t k = 0; k < n; k++) room[start[digit_of(keys[k], byte)]++] = keys[k];
        keys = room;
        room = other;
    }
    return keys;
}

uint64_t stria_keys_select(uint64_t *keys, int64_t n, int64_t k, int64_t size)
{
    for (int64_t byte = size - 1; byte >= 0 && n > FEW; byte--) {
        int64_t count[256] = {0}, left = 0;
        int     digit = 0;
        for (int64_t i = 0; i < n; i++) count[digit_of(keys[i], byte)]++;
        for (; k >= count[digit]; digit++) k -= count[digit];
        if (count[digit] == n) continue;
        for (int64_t i = 0; i < n; i++) {
            keys[left] = keys[i];
            left += digit_of(keys[i], byte) == digit;
        }
        n = left;
    }
    if (n <= FEW) insert_keys(keys, n);
    return keys[k];
}

/* ---------------------------------------------------------------- rows */

char *stria_row_get_data(const stria_tensor *x, int axis, int64_t row)
{
    int64_t offset = 0;

    for (int d = x->ndim - 1; d >= 0; d--) {
        if (d == axis) continue;
        offset += row % x->shape[d] * x->strides[d];
        row /= x->shape[d];
    }
    return x->data + offset * stria_tensor_get_item_size(x);
}
