/* positions_cuda.c - tril_indices, triu_indices and combinations on CUDA: each position from its number. */
#include "base/error.h"
#include "cpu/triangle.h"
#include "cuda/made_cuda.h"

/* ---------------------------------------------------------------- tril_indices, triu_indices */

/* Elements of the rows that have some, the first of which is `first`: [n]. */
static stria_status make_widths(stria_temps *temps, const stria_triangle *t, stria_device device, int64_t first,
                                int64_t n, stria_tensor **widths, stria_error *err)
{
    stria_tensor *numbers, *distance, *most;

    STRIA_TRY(stria_cuda_make_numbers(temps, device, first, n, &numbers, err));
    STRIA_TRY(stria_cuda_make_whole(temps, t->offset + (t->is_upper ? t->n_rows : 1), &distance, err));
    STRIA_TRY(t->is_upper ? stria_sub(distance, numbers, STRIA_TEMP, err)
                          : stria_add(numbers, distance, STRIA_TEMP, err));
    *widths = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_whole(temps, t->n_columns, &most, err));
    STRIA_TRY(stria_minimum(*widths, most, STRIA_TEMP, err));
    *widths = STRIA_LAST;
    return STRIA_OK;
}

static stria_status set_positions(stria_temps *temps, const stria_triangle *t, stria_tensor *y, stria_error *err)
{
    const int64_t first = t->is_upper ? 0 : t->first, n = t->n_rows - t->first;
    stria_tensor *widths, *ends, *numbers, *rows, *behind, *one;

    if (t->count == 0) return STRIA_OK;
    STRIA_TRY(make_widths(temps, t, y->device, first, n, &widths, err));
    STRIA_TRY(stria_cumsum(widths, 0, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    ends = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_numbers(temps, y->device, 0, t->count, &numbers, err));
    STRIA_TRY(stria_searchsorted(ends, numbers, NULL, true, "none", false, STRIA_TEMP, err));
    rows = STRIA_LAST;
    STRIA_TRY(stria_index_select(ends, rows, 0, STRIA_TEMP,
                                 err)); /* columns from the end of the row, which is that of the matrix */
    STRIA_TRY(stria_sub(numbers, STRIA_LAST, STRIA_TEMP, err));
    behind = STRIA_LAST;
    if (t->is_upper) {
        STRIA_TRY(stria_cuda_make_whole(temps, t->n_columns, &one, err));
    } else {
        STRIA_TRY(stria_index_select(widths, rows, 0, STRIA_TEMP, err));
        one = STRIA_LAST;
    }
    STRIA_TRY(stria_add(behind, one, STRIA_TEMP, err));
    behind = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_whole(temps, first, &one, err));
    STRIA_TRY(stria_add(rows, one, STRIA_TEMP, err));
    rows = STRIA_LAST;
    STRIA_TRY(stria_select(y, 0, 0, STRIA_TEMP, err));
    STRIA_TRY(stria_backend_copy(STRIA_LAST, rows, err));
    STRIA_TRY(stria_select(y, 0, 1, STRIA_TEMP, err));
    return stria_backend_copy(STRIA_LAST, behind, err);
}

static stria_status make_tril_indices(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_temps *temps, stria_error *err)
{
    const stria_tril_indices_attrs *a = call->attrs;
    stria_triangle                  t;
    (void)meta;

    STRIA_TRY(stria_triangle_plan(call, false, a->row, a->col, a->offset, &t, err));
    return set_positions(temps, &t, y[0], err);
}

static stria_status make_triu_indices(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_temps *temps, stria_error *err)
{
    const stria_triu_indices_attrs *a = call->attrs;
    stria_triangle                  t;
    (void)meta;

    STRIA_TRY(stria_triangle_plan(call, true, a->row, a->col, a->offset, &t, err));
    return set_positions(temps, &t, y[0], err);
}

stria_status stria_cuda_tril_indices(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_error *err)
{
    return stria_cuda_make(make_tril_indices, call, meta, y, err);
}

stria_status stria_cuda_triu_indices(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_error *err)
{
    return stria_cuda_make(make_triu_indices, call, meta, y, err);
}

/* ---------------------------------------------------------------- combinations */

static stria_status choose(const stria_cuda_choices_call *call, const stria_tensor *places, stria_error *err)
{
    stria_cuda_work work;

    STRIA_TRY(stria_cuda_work_begin(&work, "combinations", places->device, err));
    stria_cuda_work_use(&work, places);
    if (work.code == STRIA_CUDA_OK) stria_cuda_work_put(&work, work.plugin->choices(work.stream, call));
    return stria_cuda_work_end(&work, STRIA_I64, err);
}

static stria_status make_combinations(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                      stria_temps *temps, stria_error *err)
{
    const stria_combinations_attrs *a = call->attrs;
    const stria_tensor             *x = call->in[0];
    stria_tensor                   *places;
    (void)meta;

    if (y[0]->numel == 0) return STRIA_OK;
    STRIA_TRY(stria_tensor_new_on(x->device, STRIA_I64, 1, &y[0]->numel, NULL, STRIA_TEMP, err));
    places = STRIA_LAST;
    const stria_cuda_choices_call to = {.n = x->numel,
                                        .r = a->r,
                                        .n_choices = y[0]->shape[0],
                                        .repeats = a->with_replacement,
                                        .places = (int64_t *)(void *)places->data};
    STRIA_TRY(choose(&to, places, err));
    STRIA_TRY(stria_index_select(x, places, 0, STRIA_TEMP, err));
    return stria_cuda_set_flat(temps, y[0], STRIA_LAST, err);
}

stria_status stria_cuda_combinations(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                     stria_error *err)
{
    return stria_cuda_make(make_combinations, call, meta, y, err);
}
