/* iter_cursor.c - walking through an iteration step by step: NumPy's external loop, ranges and indices. */
#include <string.h>

#include "base/error.h"
#include "iter/iter_internal.h"

static void move(stria_iter_cursor *c, int dim, int64_t steps)
{
    const int64_t *row = stria_iter_row(c->it, dim);

    c->counter[dim] += steps;
    for (int k = 0; k < c->it->n_operands; k++) c->data[k] += steps * row[k];
}

static void measure_run(stria_iter_cursor *c)
{
    const int64_t left = c->end - c->position, run = c->it->ndim > 0 ? c->it->shape[0] - c->counter[0] : 1;

    c->count = !c->external_loop && left > 0 ? 1 : run < left ? run : left;
}

static void go_to(stria_iter_cursor *c, int64_t position)
{
    const stria_iter *it = c->it;

    c->position = position;
    for (int k = 0; k < it->n_operands; k++) c->data[k] = it->operands[k].data;
    for (int d = 0; d < it->ndim; d++) {
        c->counter[d] = 0;
        if (c->begin == c->end) continue; /* perhaps no elements at all */
        move(c, d, position % it->shape[d]);
        position /= it->shape[d];
    }
    measure_run(c);
}

stria_status stria_iter_cursor_init(stria_iter_cursor *cursor, const stria_iter *it, int64_t begin, int64_t end,
                                    bool external_loop, stria_error *err)
{
    const int64_t numel = stria_iter_get_numel(it);

    if (it->n_operands > STRIA_ITER_INLINE_OPERANDS)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "cursor", "iter", "at most 8 operands", NULL,
                               "%d operands, but a cursor has at most %d", it->n_operands, STRIA_ITER_INLINE_OPERANDS);
    if (it->is_meta)
        return stria_error_set(err, STRIA_ERR_DEVICE, "cursor", "iter", "cpu", "meta", "META tensors have no elements");
    if (begin < 0 || begin > end || end > numel)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "cursor", "range", NULL, NULL,
                               "the range [%lld, %lld) is not within the %lld elements", (long long)begin,
                               (long long)end, (long long)numel);
    cursor->it = it;
    cursor->begin = begin;
    cursor->end = end;
    cursor->external_loop = external_loop;
    go_to(cursor, begin);
    if (begin < end) stria_iter_count_writes(it);
    return STRIA_OK;
}

void stria_iter_cursor_next(stria_iter_cursor *cursor)
{
    const stria_iter *it = cursor->it;

    if (cursor->count == 0) return;
    cursor->position += cursor->count;
    if (it->ndim > 0 && cursor->position < cursor->end) {
        move(cursor, 0, cursor->count);
        for (int d = 0; cursor->counter[d] == it->shape[d]; d++) {
            move(cursor, d, -it->shape[d]);
            move(cursor, d + 1, 1);
        }
    }
    if (cursor->position == cursor->end) stria_iter_count_writes(it);
    measure_run(cursor);
}

stria_status stria_iter_cursor_set(stria_iter_cursor *cursor, int64_t position, stria_error *err)
{
    if (position < cursor->begin || position > cursor->end)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "cursor", "position", NULL, NULL,
                               "position %lld is not within the cursor's range [%lld, %lld]", (long long)position,
                               (long long)cursor->begin, (long long)cursor->end);
    if (position < cursor->end) {
        go_to(cursor, position);
        stria_iter_count_writes(cursor->it);
    } else {
        cursor->position = position;
        cursor->count = 0;
    }
    return STRIA_OK;
}

stria_status stria_iter_cursor_get_index(const stria_iter_cursor *cursor, int64_t *index, stria_error *err)
{
    const stria_iter *it = cursor->it;

    if (!it->multi_index)
        return stria_error_set(err, STRIA_ERR_CONFIG, "cursor", "iter", "multi_index on", "off",
                               "the iterator was built without multi_index");
    for (int d = 0; d < it->ndim; d++) index[it->permutation[d]] = cursor->counter[d] + it->view_offsets[d];
    return STRIA_OK;
}
