/* unique_cuda.c - unique and unique_consecutive on CUDA: members are put in order, or stay in theirs, and those that differ from the one before
 * them begin groups. The number of groups is waited for. */
#include "base/error.h"
#include "cuda/made_cuda.h"

typedef struct unique_row {
    stria_temps        *temps;
    const stria_tensor *x;
    int                 axis; /* of slices; -1: elements */
    bool                in_order, wants_inverse, wants_counts;
    int64_t             n;       /* members; at least 1 */
    stria_tensor       *members; /* row-major [n, width], in order once they are */
    stria_tensor       *order;   /* [n]: which member is there; NULL: they are in order as they are */
    stria_tensor       *begins;  /* [n]: whether a group begins there */
    stria_tensor       *firsts;  /* where groups begin */
} unique_row;

/* ---------------------------------------------------------------- order */

/* Stable, by the last column first. */
static stria_status sort_members(unique_row *u, stria_error *err)
{
    stria_temps  *temps = u->temps;
    stria_tensor *column = NULL, *order = NULL, *places = NULL, *next = NULL;
    stria_status  status =
        stria_arange((stria_scalar){.kind = STRIA_SCALAR_INT}, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = u->n},
                     (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1}, STRIA_I64, u->x->device, &order, err);

    for (int64_t k = u->members->shape[1] - 1; k >= 0 && status == STRIA_OK; k--) {
        stria_tensor *values = NULL;
        status = stria_select(u->members, 1, k, &column, err);
        if (status == STRIA_OK) status = stria_index_select(column, order, 0, &values, err);
        if (status == STRIA_OK) status = stria_argsort(values, 0, false, true, &places, err);
        if (status == STRIA_OK) status = stria_index_select(order, places, 0, &next, err);
        stria_tensor_release(column), stria_tensor_release(values), stria_tensor_release(places);
        column = places = NULL;
        if (status != STRIA_OK) break;
        stria_tensor_release(order);
        order = next;
        next = NULL;
    }
    if (status != STRIA_OK) {
        stria_tensor_release(order);
        return status;
    }
    u->order = order;
    STRIA_TRY(stria_temps_keep(temps, order, err));
    STRIA_TRY(stria_index_select(u->members, order, 0, STRIA_TEMP, err));
    u->members = STRIA_LAST;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- groups */

/* Members that differ from the one before them, so that each with a NaN is a group of its own. */
static stria_status find_groups(unique_row *u, stria_error *err)
{
    stria_temps       *temps = u->temps;
    const stria_scalar yes = {.kind = STRIA_SCALAR_BOOL, .i = 1};
    const int          axis = 1;
    stria_tensor      *before, *after, *differ;

    STRIA_TRY(stria_full(&u->n, 1, yes, STRIA_BOOL, u->x->device, STRIA_TEMP, err));
    u->begins = STRIA_LAST;
    STRIA_TRY(stria_slice(u->members, 0, 0, u->n - 1, 1, STRIA_TEMP, err));
    before = STRIA_LAST;
    STRIA_TRY(stria_slice(u->members, 0, 1, u->n, 1, STRIA_TEMP, err));
    after = STRIA_LAST;
    STRIA_TRY(stria_ne(before, after, STRIA_TEMP, err));
    STRIA_TRY(stria_reduce(STRIA_RED_any, STRIA_LAST, &axis, 1, false, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    differ = STRIA_LAST;
    STRIA_TRY(stria_slice(u->begins, 0, 1, u->n, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_backend_copy(STRIA_LAST, differ, err));
    STRIA_TRY(stria_nonzero(u->begins, STRIA_TEMP, err));
    STRIA_TRY(stria_select(STRIA_LAST, 1, 0, STRIA_TEMP, err));
    u->firsts = STRIA_LAST;
    return STRIA_OK;
}

/* The slices or elements at which groups begin. */
static stria_status make_values(unique_row *u, stria_tensor **y, stria_error *err)
{
    stria_temps  *temps = u->temps;
    stria_tensor *at = u->firsts;

    if (u->axis < 0) {
        STRIA_TRY(stria_select(u->members, 1, 0, STRIA_TEMP, err));
        return stria_index_select(STRIA_LAST, at, 0, y, err);
    }
    if (u->order != NULL) {
        STRIA_TRY(stria_index_select(u->order, at, 0, STRIA_TEMP, err));
        at = STRIA_LAST;
    }
    return stria_index_select(u->x, at, u->axis, y, err);
}

/* Number of the group of each member, where that was. */
static stria_status make_inverse(unique_row *u, stria_tensor **y, stria_error *err)
{
    stria_temps  *temps = u->temps;
    stria_tensor *one, *groups, *inverse;

    STRIA_TRY(stria_cumsum(u->begins, 0, STRIA_I64, STRIA_TEMP, err));
    stria_tensor *const numbers = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_whole(temps, 1, &one, err));
    STRIA_TRY(stria_sub(numbers, one, STRIA_TEMP, err));
    inverse = groups = STRIA_LAST;
    if (u->order != NULL) {
        STRIA_TRY(stria_index_put(groups, groups, (const stria_tensor *const[]){u->order}, 1, false, STRIA_TEMP, err));
        inverse = STRIA_LAST;
    }
    if (u->axis >= 0) return stria_to(inverse, STRIA_DTYPE_NONE, y, err);
    STRIA_TRY(stria_view(inverse, u->x->shape, u->x->ndim, STRIA_TEMP, err));
    return stria_to(STRIA_LAST, STRIA_DTYPE_NONE, y, err);
}

/* How far each group is from the next one, or the end. */
static stria_status make_counts(unique_row *u, stria_tensor **y, stria_error *err)
{
    stria_temps  *temps = u->temps;
    stria_tensor *behind, *end;

    STRIA_TRY(stria_slice(u->firsts, 0, 1, u->firsts->shape[0], 1, STRIA_TEMP, err));
    behind = STRIA_LAST;
    STRIA_TRY(stria_cuda_make_numbers(temps, u->x->device, u->n, 1, &end, err));
    STRIA_TRY(stria_cat((const stria_tensor *const[]){behind, end}, 2, 0, STRIA_TEMP, err));
    return stria_sub(STRIA_LAST, u->firsts, y, err);
}

/* ---------------------------------------------------------------- the rows of the table */

static stria_status make_indices(unique_row *u, stria_tensor **y, stria_error *err)
{
    const int64_t      none = 0;
    const stria_device device = u->x->device;

    STRIA_TRY(u->wants_inverse ? make_inverse(u, &y[1], err)
                               : stria_tensor_new_on(device, STRIA_I64, 1, &none, NULL, &y[1], err));
    return u->wants_counts ? make_counts(u, &y[2], err)
                           : stria_tensor_new_on(device, STRIA_I64, 1, &none, NULL, &y[2], err);
}

static stria_status make_none(const unique_row *u, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = u->x;
    const int64_t       none = 0;
    const bool          is_flat = u->axis < 0;

    STRIA_TRY(
        stria_tensor_new_on(x->device, x->dtype, is_flat ? 1 : x->ndim, is_flat ? &none : x->shape, NULL, &y[0], err));
    STRIA_TRY(stria_tensor_new_on(x->device, STRIA_I64, is_flat && u->wants_inverse ? x->ndim : 1,
                                  is_flat && u->wants_inverse ? x->shape : &none, NULL, &y[1], err));
    return stria_tensor_new_on(x->device, STRIA_I64, 1, &none, NULL, &y[2], err);
}

static stria_status run(unique_row *u, stria_tensor **y, stria_error *err)
{
    const stria_tensor *x = u->x;
    stria_temps        *temps = u->temps;
    stria_tensor       *front = (stria_tensor *)(uintptr_t)x, *rows;
    const int           first = 0;

    u->n = u->axis < 0 ? x->numel : x->shape[u->axis];
    if (u->n == 0) return make_none(u, y, err);
    const int64_t shape[] = {u->n, x->numel / u->n};
    if (u->axis > 0) {
        STRIA_TRY(stria_movedim(front, &u->axis, 1, &first, 1, STRIA_TEMP, err));
        front = STRIA_LAST;
    }
    STRIA_TRY(stria_cuda_make_packed(temps, front, x->dtype, x->device, &rows, err));
    STRIA_TRY(stria_view(rows, shape, 2, STRIA_TEMP, err));
    u->members = STRIA_LAST;
    if (!u->in_order) STRIA_TRY(sort_members(u, err));
    STRIA_TRY(find_groups(u, err));
    STRIA_TRY(make_values(u, &y[0], err));
    return make_indices(u, y, err);
}

static stria_status make_unique(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                stria_temps *temps, stria_error *err)
{
    const stria_unique_attrs *attrs = call->attrs;
    unique_row                u = {.temps = temps,
                                   .x = call->in[0],
                                   .axis = meta->axis,
                                   .wants_inverse = attrs->return_inverse,
                                   .wants_counts = attrs->return_counts};
    return run(&u, y, err);
}

static stria_status make_unique_consecutive(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                            stria_temps *temps, stria_error *err)
{
    const stria_unique_consecutive_attrs *attrs = call->attrs;
    unique_row                            u = {.temps = temps,
                                               .x = call->in[0],
                                               .axis = meta->axis,
                                               .in_order = true,
                                               .wants_inverse = attrs->return_inverse,
                                               .wants_counts = attrs->return_counts};
    return run(&u, y, err);
}

stria_status stria_cuda_unique(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    return stria_cuda_make(make_unique, call, meta, y, err);
}

stria_status stria_cuda_unique_consecutive(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                           stria_error *err)
{
    return stria_cuda_make(make_unique_consecutive, call, meta, y, err);
}
