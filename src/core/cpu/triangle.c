/* triangle.c - positions of a triangle of a matrix, row by row: tril_indices, triu_indices. */
#include <stdio.h>

#include "base/error.h"
#include "cpu/sequence.h"
#include "cpu/triangle.h"

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Positions of row i, and of all rows before row i. */
static int64_t get_width(const stria_triangle *t, int64_t i) { return clamp(i + t->offset + 1, 0, t->n_columns); }

static int64_t count_before(const stria_triangle *t, int64_t i)
{
    const int64_t growing = clamp(i, t->first, t->full) - t->first, whole = i > t->full ? i - t->full : 0;

    return growing * (t->first + t->offset + 1) + growing * (growing - 1) / 2 + whole * t->n_columns;
}

stria_status stria_triangle_plan(const stria_call *call, bool is_upper, int64_t row, int64_t col, int64_t offset,
                                 stria_triangle *t, stria_error *err)
{
    const int64_t most = INT64_C(1) << 62, sizes[] = {row, col};

    for (int k = 0; k < 2; k++) {
        const char *argument = k ? "col" : "row";
        char        got[32];
        if (sizes[k] >= 0 && sizes[k] < most) continue;
        snprintf(got, sizeof got, "%lld", (long long)sizes[k]);
        if (sizes[k] >= most)
            return stria_error_set(err, STRIA_ERR_OVERFLOW, stria_call_get_name(call), argument, "less than 2^62", got,
                                   "%s is %s, but must be less than 2^62", argument, got);
        return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), argument, "0 or more", got,
                               "%s is %s, but must not be negative", argument, got);
    }
    offset = clamp(offset, -row, col);
    *t = (stria_triangle){.is_upper = is_upper, .n_rows = row, .n_columns = col};
    t->offset = is_upper ? col - row - offset : offset;
    t->first = clamp(-t->offset, 0, row);
    t->full = clamp(col - t->offset - 1, t->first, row);
    const double growing = (double)(t->full - t->first);
    const double count = growing * (double)(t->first + t->offset + 1) + growing * (growing - 1) / 2 +
                         (double)(row - t->full) * (double)col;
    if (count >= 0x1p61)
        return stria_error_set(err, STRIA_ERR_OVERFLOW, stria_call_get_name(call), "row", "fewer positions", NULL,
                               "a triangle of %lld x %lld has too many positions", (long long)row, (long long)col);
    t->count = count_before(t, row);
    return STRIA_OK;
}

static stria_status infer_triangle(const stria_call *call, stria_dtype dtype, const stria_triangle *t,
                                   stria_call_meta *meta, stria_error *err)
{
    STRIA_TRY(stria_infer_dtype(call, dtype, STRIA_I64, &dtype, err));
    return stria_infer_shape(call, "row", (const int64_t[]){2, t->count}, 2, dtype, &meta->out[0], err);
}

stria_status stria_infer_tril_indices(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_tril_indices_attrs *a = call->attrs;
    stria_triangle                  t;

    STRIA_TRY(stria_triangle_plan(call, false, a->row, a->col, a->offset, &t, err));
    return infer_triangle(call, a->dtype, &t, meta, err);
}

stria_status stria_infer_triu_indices(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_triu_indices_attrs *a = call->attrs;
    stria_triangle                  t;

    STRIA_TRY(stria_triangle_plan(call, true, a->row, a->col, a->offset, &t, err));
    return infer_triangle(call, a->dtype, &t, meta, err);
}

/* The same of a row as it was before it was turned. */
static int64_t get_own_width(const stria_triangle *t, int64_t i)
{
    return get_width(t, t->is_upper ? t->n_rows - 1 - i : i);
}

static int64_t count_own_before(const stria_triangle *t, int64_t i)
{
    return t->is_upper ? t->count - count_before(t, t->n_rows - i) : count_before(t, i);
}

static void make_positions(const void *sequence, int64_t first, int64_t count, void *block)
{
    const stria_triangle *t = sequence;
    int64_t              *to = block, row = 0, behind = t->n_rows;

    while (behind - row > 1) { /* the last row before which there are at most `first` */
        const int64_t middle = row + (behind - row) / 2;
        if (count_own_before(t, middle) <= first)
            row = middle;
        else
            behind = middle;
    }
    int64_t at = first - count_own_before(t, row);
    for (int64_t k = 0; k < count; row++, at = 0) {
        const int64_t width = get_own_width(t, row), from = t->is_upper ? t->n_columns - width : 0;
        for (; at < width && k < count; at++) to[k++] = t->part ? from + at : row;
    }
}

static stria_status run_triangle(stria_triangle *t, stria_tensor *y, stria_error *err)
{
    for (t->part = 0; t->part < 2; t->part++)
        STRIA_TRY(stria_sequence_run(y, t->part, STRIA_I64, make_positions, t, err));
    return STRIA_OK;
}

stria_status stria_cpu_tril_indices(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    const stria_tril_indices_attrs *a = call->attrs;
    stria_triangle                  t;
    (void)meta;

    STRIA_TRY(stria_triangle_plan(call, false, a->row, a->col, a->offset, &t, err));
    return run_triangle(&t, y[0], err);
}

stria_status stria_cpu_triu_indices(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                    stria_error *err)
{
    const stria_triu_indices_attrs *a = call->attrs;
    stria_triangle                  t;
    (void)meta;

    STRIA_TRY(stria_triangle_plan(call, true, a->row, a->col, a->offset, &t, err));
    return run_triangle(&t, y[0], err);
}
