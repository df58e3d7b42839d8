/* median_cuda.c - median, nanmedian and mode on CUDA: what is found in rows in order. Sorts are stable, so the first of equals in order is the
 * first in the row. */
#include <math.h>

#include "base/error.h"
#include "cuda/made_cuda.h"

/* Where the lower of the two in the middle is, in rows in order, [rows, 1]; the last NaN where one counts, the first element where there is
 * nothing else. */
static stria_status make_middle(stria_temps *temps, const stria_tensor *sorted, bool skips_nan, stria_tensor **middle,
                                stria_error *err)
{
    const int64_t length = sorted->shape[1], shape[] = {sorted->shape[0], 1};
    const int     axis = 1;
    stria_tensor *is_number, *n, *one, *two, *whole;

    if (stria_dtype_get_category(sorted->dtype) != STRIA_CATEGORY_F) {
        STRIA_TRY(stria_full(shape, 2, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = (length - 1) / 2}, STRIA_I64,
                             sorted->device, STRIA_TEMP, err));
        *middle = STRIA_LAST;
        return STRIA_OK;
    }
    STRIA_TRY(stria_eq(sorted, sorted, STRIA_TEMP, err));
    is_number = STRIA_LAST;
    STRIA_TRY(stria_reduce(STRIA_RED_sum, is_number, &axis, 1, true, STRIA_I64, STRIA_TEMP, err));
    n = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_whole(temps, 1, &one, err));
    STRIA_TRY(stria_cuda_make_whole(temps, 2, &two, err));
    STRIA_TRY(stria_maximum(n, one, STRIA_TEMP, err));
    STRIA_TRY(stria_sub(STRIA_LAST, one, STRIA_TEMP, err));
    STRIA_TRY(stria_floor_divide(STRIA_LAST, two, STRIA_TEMP, err));
    *middle = STRIA_LAST;
    if (skips_nan) return STRIA_OK;
    STRIA_TRY(stria_cuda_make_whole(temps, length, &whole, err));
    STRIA_TRY(stria_eq(n, whole, STRIA_TEMP, err));
    stria_tensor *const is_whole = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_whole(temps, length - 1, &whole, err));
    STRIA_TRY(stria_where(is_whole, *middle, whole, STRIA_TEMP, err));
    *middle = STRIA_LAST;
    return STRIA_OK;
}

/* y = the elements of the rows that lie at `at` in order, and where they were. */
static stria_status set_found(stria_temps *temps, const stria_tensor *rows, const stria_tensor *places,
                              const stria_tensor *at, stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_gather(places, at, 1, STRIA_TEMP, err));
    stria_tensor *const index = STRIA_LAST;
    STRIA_TRY(stria_gather(rows, index, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_cuda_set_flat(temps, y[0], STRIA_LAST, err));
    return stria_cuda_set_flat(temps, y[1], index, err);
}

/* The middle of no floats is NaN. */
static stria_status set_none(stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_backend_fill(y[0], stria_scalar_get((double)NAN), err));
    return stria_backend_fill(y[1], stria_scalar_get(0), err);
}

static stria_status set_median(const stria_call *call, bool skips_nan, int axis, stria_tensor **y, stria_temps *temps,
                               stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_tensor       *rows, *sorted, *places, *middle;

    if (x->numel == 0) return set_none(y, err);
    STRIA_TRY(stria_cuda_make_rows(temps, x, axis, x->dtype, &rows, err));
    STRIA_TRY(stria_cuda_make_sorted(temps, rows, &sorted, &places, err));
    STRIA_TRY(make_middle(temps, sorted, skips_nan, &middle, err));
    STRIA_TRY(stria_gather(sorted, middle, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_searchsorted(sorted, STRIA_LAST, NULL, false, "left", false, STRIA_TEMP, err));
    return set_found(temps, rows, places, STRIA_LAST, y, err);
}

static stria_status make_median(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                stria_temps *temps, stria_error *err)
{
    return set_median(call, false, meta->axis, y, temps, err);
}

static stria_status make_nanmedian(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                   stria_temps *temps, stria_error *err)
{
    return set_median(call, true, meta->axis, y, temps, err);
}

/* How many equal ones have come when each element of the rows, in order, is reached. One NaN is not the other. */
static stria_status make_run_lengths(stria_temps *temps, const stria_tensor *sorted, stria_tensor **lengths,
                                     stria_error *err)
{
    const int64_t      n = sorted->shape[1];
    const stria_scalar yes = {.kind = STRIA_SCALAR_BOOL, .i = 1};
    stria_tensor      *left, *right, *begins, *numbers, *zero, *starts = NULL, *at = NULL;

    STRIA_TRY(stria_full(sorted->shape, 2, yes, STRIA_BOOL, sorted->device, STRIA_TEMP, err));
    begins = STRIA_LAST;
    STRIA_TRY(stria_slice((stria_tensor *)(uintptr_t)sorted, 1, 0, n - 1, 1, STRIA_TEMP, err));
    left = STRIA_LAST;
    STRIA_TRY(stria_slice((stria_tensor *)(uintptr_t)sorted, 1, 1, n, 1, STRIA_TEMP, err));
    right = STRIA_LAST;
    STRIA_TRY(stria_slice(begins, 1, 1, n, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_apply_out(STRIA_OP_ne, (const stria_tensor *[]){left, right}, 2, STRIA_LAST, err));
    STRIA_TRY(stria_cuda_make_numbers(temps, sorted->device, 0, n, &numbers, err));
    STRIA_TRY(stria_cuda_make_whole(temps, 0, &zero, err));
    STRIA_TRY(stria_where(begins, numbers, zero, STRIA_TEMP, err));
    STRIA_TRY(stria_cummax(STRIA_LAST, 1, &starts, &at, err));
    stria_tensor_release(at);
    STRIA_TRY(stria_temps_keep(temps, starts, err));
    STRIA_TRY(stria_sub(numbers, starts, STRIA_TEMP, err));
    *lengths = STRIA_LAST;
    return STRIA_OK;
}

/* The last of those that are there most often; of several such values the smallest, which is the first in order. */
static stria_status make_mode(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_temps *temps,
                              stria_error *err)
{
    const stria_tensor *x = call->in[0];
    stria_tensor       *rows, *sorted, *places, *lengths;

    if (x->numel == 0) return set_none(y, err);
    STRIA_TRY(stria_cuda_make_rows(temps, x, meta->axis, x->dtype, &rows, err));
    STRIA_TRY(stria_cuda_make_sorted(temps, rows, &sorted, &places, err));
    STRIA_TRY(make_run_lengths(temps, sorted, &lengths, err));
    STRIA_TRY(stria_argmax(lengths, 1, true, STRIA_TEMP, err));
    return set_found(temps, rows, places, STRIA_LAST, y, err);
}

stria_status stria_cuda_median(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return stria_cuda_make(make_median, call, meta, y, err);
}

stria_status stria_cuda_nanmedian(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                  stria_error *err)
{
    return stria_cuda_make(make_nanmedian, call, meta, y, err);
}

stria_status stria_cuda_mode(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return stria_cuda_make(make_mode, call, meta, y, err);
}
