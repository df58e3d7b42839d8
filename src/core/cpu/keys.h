/* keys.h - elements as keys: whole numbers without sign in the order of the elements. Internal.
 *
 * Zeros of either sign have one key, NaN has the largest. Rows are those along an axis, or one row of all elements. */
#ifndef STRIA_KEYS_H
#define STRIA_KEYS_H

#include <string.h>

#include "tensor/tensor.h"

/* Of functions whose arguments are constants in the loops that call them: they must become part of these. */
#if defined(__GNUC__)
#define STRIA_KEY_INLINE static inline __attribute__((always_inline))
#else
#define STRIA_KEY_INLINE static inline
#endif

/* What the keys of a dtype follow from; complex has none. */
typedef struct stria_key_reader {
    int64_t        size; /* bytes of an element */
    stria_category category;
    uint64_t       sign, infinity; /* bits */
} stria_key_reader;

typedef struct stria_key_item {
    uint64_t key;
    int64_t  index;
} stria_key_item;

stria_key_reader stria_key_reader_get(stria_dtype dtype);

/* Bits of the infinity of a float. */
STRIA_KEY_INLINE uint64_t stria_infinity_get(stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_F16: return 0x7c00;
    case STRIA_BF16: return 0x7f80;
    case STRIA_F32: return 0x7f800000;
    default: return UINT64_C(0x7ff0000000000000);
    }
}

STRIA_KEY_INLINE uint64_t stria_bits_get(const char *at, int64_t size)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (size) {
    case 1: return (unsigned char)*at;
    case 2: return memcpy(&two, at, 2), two;
    case 4: return memcpy(&four, at, 4), four;
    default: return memcpy(&eight, at, 8), eight;
    }
}

STRIA_KEY_INLINE uint64_t stria_key_get(const stria_key_reader *reader, const char *at)
{
    const uint64_t bits = stria_bits_get(at, reader->size), magnitude = bits & (reader->sign - 1);

    switch (reader->category) {
    case STRIA_CATEGORY_B: return bits != 0;
    case STRIA_CATEGORY_I: return bits ^ reader->sign;
    case STRIA_CATEGORY_U: return bits;
    default: break;
    }
    if (magnitude > reader->infinity) return UINT64_MAX;
    return bits & reader->sign ? reader->sign - magnitude : reader->sign + magnitude;
}

static inline bool stria_key_is_nan(const stria_key_reader *reader, uint64_t key)
{
    return reader->category == STRIA_CATEGORY_F && key == UINT64_MAX;
}

/* The bits of the element that has the key; those of +0, of one NaN. */
STRIA_KEY_INLINE uint64_t stria_key_get_bits(const stria_key_reader *reader, uint64_t key)
{
    if (reader->category == STRIA_CATEGORY_I) return key ^ reader->sign;
    if (reader->category != STRIA_CATEGORY_F) return key;
    if (key == UINT64_MAX) return reader->sign - 1;
    return key >= reader->sign ? key - reader->sign : reader->sign | (reader->sign - key);
}

/* The rows of x along an axis, or, where the axis is -1, one row of all elements. */
typedef struct stria_key_rows {
    const stria_tensor *x; /* the one of the caller, or `packed` */
    stria_tensor       *packed;
    int                 axis;
    int64_t             length, step; /* of a row; bytes between neighbours */
    stria_key_reader    reader;
} stria_key_rows;

/* One row of all elements takes them from a packed copy where they are not adjacent. ERR_MEMORY. To be released on success. */
stria_status stria_key_rows_init(stria_key_rows *rows, const stria_tensor *x, int axis, stria_error *err);
void         stria_key_rows_release(stria_key_rows *rows);
/* Where row number k begins. */
const char *stria_key_rows_get(const stria_key_rows *rows, int64_t k);

/* Sorts n items by their keys, stable, with room for as many; returns which of the two holds them. For a few hundred: sort_items.h has a sort
 * that is faster for more. */
const stria_key_item *stria_items_sort(stria_key_item *items, stria_key_item *room, int64_t n);

/* Sorts n keys of elements of `size` bytes, with room for as many; returns which of the two holds them. */
const uint64_t *stria_keys_sort(uint64_t *keys, uint64_t *room, int64_t n, int64_t size);

/* The key that is number k in order, of n keys of elements of `size` bytes, whose order is lost. */
uint64_t stria_keys_select(uint64_t *keys, int64_t n, int64_t k, int64_t size);

/* The first element of a row along the axis; rows count in row-major order of the other axes. */
char *stria_row_get_data(const stria_tensor *x, int axis, int64_t row);
/* Element number k of x in row-major order. */
static inline char *stria_element_get_data(const stria_tensor *x, int64_t k) { return stria_row_get_data(x, -1, k); }

#endif
