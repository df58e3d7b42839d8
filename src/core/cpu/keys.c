/* keys.c - sorting and selecting by keys (keys.h). */
#include "cpu/keys.h"

#include "base/error.h"
#include "call/backend.h"

#define FEW 48 /* keys that are sorted by insertion, where digits would not pay */

/* ---------------------------------------------------------------- dtypes */

stria_key_reader stria_key_reader_get(stria_dtype dtype)
{
    const int64_t size = stria_dtype_sizes[dtype];

    return (stria_key_reader){size, stria_dtype_get_category(dtype), UINT64_C(1) << (8 * size - 1),
                              stria_infinity_get(dtype)};
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

stria_status stria_key_rows_init(stria_key_rows *rows, const stria_tensor *x, int axis, stria_error *err)
{
    const stria_key_reader reader = stria_key_reader_get(x->dtype);

    *rows = (stria_key_rows){x, NULL, axis, 1, 0, reader};
    if (axis >= 0) {
        if (x->ndim == 0) return STRIA_OK;
        rows->length = x->shape[axis];
        rows->step = x->strides[axis] * reader.size;
        return STRIA_OK;
    }
    rows->length = x->numel;
    rows->step = reader.size;
    if (stria_tensor_is_contiguous(x)) return STRIA_OK;
    STRIA_TRY(stria_tensor_new_shaped(x->dtype, x, &rows->packed, err));
    rows->x = rows->packed;
    const stria_status status = stria_backend_copy(rows->packed, x, err);
    if (status != STRIA_OK) stria_key_rows_release(rows);
    return status;
}

void stria_key_rows_release(stria_key_rows *rows) { stria_tensor_release(rows->packed); }

const char *stria_key_rows_get(const stria_key_rows *rows, int64_t k)
{
    return rows->axis < 0 ? rows->x->data : stria_row_get_data(rows->x, rows->axis, k);
}
