/* sort_items.c - the two kinds of items. */
#include "cpu/sort_items.h"

#include <string.h>

#define RUN 16   /* items that are sorted by insertion */
#define LONG 512 /* items from which radix is faster than merging */
/* Longer digits take fewer passes, but write to more places: from so many items on they are faster, while items fit the second cache. */
#define MANY 16384
#define MOST_BYTES 1700000
#define LONG_BITS 11
#define COUNT_DIGITS(key, bits) ((8 * (int)sizeof(key) + (bits)-1) / (bits))

#if defined(__GNUC__)
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif

/* ---------------------------------------------------------------- keys */

static INLINE void store(char *at, uint64_t bits, int64_t size)
{
    const uint16_t two = (uint16_t)bits;
    const uint32_t four = (uint32_t)bits;

    switch (size) {
    case 1: *at = (char)bits; break;
    case 2: memcpy(at, &two, 2); break;
    case 4: memcpy(at, &four, 4); break;
    default: memcpy(at, &bits, 8);
    }
}

/* Whether elements of several bit patterns have this key: zeros of both signs, NaNs, true. */
static INLINE bool is_shared(uint64_t key, const stria_key_reader *reader)
{
    if (reader->category == STRIA_CATEGORY_B) return true;
    return reader->category == STRIA_CATEGORY_F && (key == reader->sign || key > reader->sign + reader->infinity);
}

/* A case for each dtype that is not complex: `loop` of its reader, a constant there, so that each dtype has a loop of its own. */
#define READER(ENUM, size, category)                                                    \
    ((stria_key_reader){size, STRIA_CATEGORY_##category, UINT64_C(1) << (8 * size - 1), \
                        stria_infinity_get(STRIA_##ENUM)})
#define CASE_B(ENUM, size, category, loop)  \
    case STRIA_##ENUM:                      \
        loop(READER(ENUM, size, category)); \
        break;
#define CASE_U CASE_B
#define CASE_I CASE_B
#define CASE_F CASE_B
#define CASE_C(ENUM, size, category, loop)

/* What becomes of a key: that of element k, the n-th that is read. */
typedef void put_fn(void *context, int64_t k, int64_t n, uint64_t key);

static INLINE void read_as(const stria_sort_row *row, int64_t begin, int64_t end, put_fn *put, void *context,
                           stria_key_reader reader)
{
    const char    *at = row->data + begin * row->step_bytes;
    const uint64_t inverted = row->descending ? UINT64_MAX : 0;

    for (int64_t k = begin; k < end; k++, at += row->step_bytes)
        put(context, k, k - begin, stria_key_get(&reader, at) ^ inverted);
}

static INLINE void read_keys(const stria_sort_row *row, int64_t begin, int64_t end, put_fn *put, void *context)
{
#define READ(reader) read_as(row, begin, end, put, context, reader)
    switch (row->dtype) {
#define STRIA_DTYPE(word, ENUM, size, category, compute, js, npy, summary) CASE_##category(ENUM, size, category, READ)
#include "table/dtypes.def"
    default: break;
    }
#undef READ
}

/* ---------------------------------------------------------------- the kinds */

typedef struct narrow_item {
    uint32_t key, index;
} narrow_item;

#define STRIA_ITEM narrow_item
#define STRIA_KEY uint32_t
#define STRIA_PLACE uint32_t
#define STRIA_SORT(name) name##_narrow
#define STRIA_RUN_PARTS(row, memory, counts, to) false
#include "cpu/sort_template.h"

/* Pages do not download the second way to sort. */
#if defined(__wasm__)
#define STRIA_RUN_PARTS(row, memory, counts, to) false
#else
static bool run_parts(const stria_sort_row *row, stria_key_item *memory, int64_t *counts, const stria_sort_target *to);
#define STRIA_RUN_PARTS run_parts
#endif

#define STRIA_ITEM stria_key_item
#define STRIA_KEY uint64_t
#define STRIA_PLACE int64_t
#define STRIA_SORT(name) name##_wide
#include "cpu/sort_template.h"
#if !defined(__wasm__)
#include "cpu/sort_parts.h"
#endif

const stria_sort_kind *stria_sort_kind_select(stria_dtype dtype, int64_t length)
{
    return stria_dtype_get_size(dtype) <= 4 && length <= UINT32_MAX ? &kind_narrow : &kind_wide;
}

static INLINE void put_key(void *context, int64_t k, int64_t n, uint64_t key)
{
    (void)k;
    ((uint64_t *)context)[n] = key;
}

void stria_sort_keys_get(const stria_sort_row *row, int64_t begin, int64_t end, uint64_t *keys)
{
    read_keys(row, begin, end, put_key, keys);
}

const stria_key_item *stria_items_sort(stria_key_item *items, stria_key_item *room, int64_t n)
{
    return sort_short_wide(items, room, n);
}

/* ---------------------------------------------------------------- rows */

int64_t stria_sort_step_get(const stria_tensor *x, int axis)
{
    return x->ndim > 0 ? x->strides[axis] * stria_tensor_get_item_size(x) : 0;
}

stria_sort_row stria_sort_row_get(const stria_tensor *x, int axis, int64_t row, bool descending)
{
    return (stria_sort_row){stria_row_get_data(x, axis, row), stria_sort_step_get(x, axis),
                            x->ndim > 0 ? x->shape[axis] : 1, x->dtype, descending};
}

stria_sort_target stria_sort_target_get(const stria_tensor *values, const stria_tensor *indices, int axis, int64_t row)
{
    return (stria_sort_target){values ? stria_row_get_data(values, axis, row) : NULL,
                               stria_row_get_data(indices, axis, row), values ? stria_sort_step_get(values, axis) : 0,
                               stria_sort_step_get(indices, axis)};
}
