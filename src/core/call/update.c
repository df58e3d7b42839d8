/* update.c - rows that write into the members of their lists (FN_UPDATE): the lists become one, what they may not share is refused, and
 * versions go up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"
#include "call/call_internal.h"
#include "tensor/overlap.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- several lists as one */

static stria_status refuse_length(const stria_schema *schema, const stria_param *param, const stria_param *first,
                                  int got, int expected, stria_error *err)
{
    char expected_text[32], got_text[32];

    snprintf(expected_text, sizeof expected_text, "%d tensors", expected);
    snprintf(got_text, sizeof got_text, "%d", got);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, param->name, expected_text, got_text,
                           "%s has %d tensors, but %s has %d", param->name, got, first->name, expected);
}

static stria_status check_lists(const stria_schema *schema, const stria_call_lists *lists, int n_lists,
                                stria_error *err)
{
    const stria_param *params = &schema->tensors[schema->n_tensors - n_lists];
    char               expected[32], got[32];

    for (int k = 0; k < n_lists; k++) {
        const bool is_left_out = params[k].kind == STRIA_KIND_UPDATED_OR_NONE && lists[k].n == 0;
        if (lists[k].n < 0 || (lists[k].n > 0 && lists[k].at == NULL))
            return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, params[k].name, "a list of tensors", "NULL",
                                   "%s is no list of tensors", params[k].name);
        if (!is_left_out && lists[k].n != lists[0].n)
            return refuse_length(schema, &params[k], &params[0], lists[k].n, lists[0].n, err);
    }
    if (lists[0].n <= STRIA_MAX_LIST) return STRIA_OK;
    snprintf(expected, sizeof expected, "at most %d tensors", STRIA_MAX_LIST);
    snprintf(got, sizeof got, "%d", lists[0].n);
    return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, params[0].name, expected, got,
                           "%s has %s tensors, and a list has %s", params[0].name, got, expected);
}

stria_status stria_call_run_lists(const stria_call *call, const stria_call_lists *lists, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    const int           n_lists = schema->n_tensors - stria_schema_count_single(schema), n = lists[0].n;
    stria_call          joined = *call;

    STRIA_TRY(check_lists(schema, lists, n_lists, err));
    const stria_tensor **members = stria_object_new(((size_t)n_lists * (size_t)n + 1) * sizeof *members);
    if (members == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, schema->name, NULL, NULL, NULL,
                               "no memory for a list of %d tensors", n);
    for (int k = 0; k < n_lists; k++)
        for (int i = 0; i < lists[k].n; i++) members[k * n + i] = lists[k].at[i];
    joined.list = members;
    joined.n_list = n_lists * n;
    const stria_status status = stria_call_run(&joined, err);
    stria_object_release(members);
    return status;
}

/* ---------------------------------------------------------------- what is written lies apart */

static bool is_updated(const stria_call *call, const stria_schema *schema, int k)
{
    const int n_single = stria_schema_count_single(schema);

    if (k < n_single) return false;
    return stria_param_is_updated(&schema->tensors[n_single + (k - n_single) / stria_call_count_members(call, schema)]);
}

static stria_status refuse_overlap(const stria_call *call, const stria_schema *schema, int k, int other,
                                   stria_error *err)
{
    char        text[48], other_text[48];
    const char *name = stria_call_get_input_name(call, schema, k, text, sizeof text);

    return stria_error_set(err, STRIA_ERR_OVERLAP, schema->name, name, "tensors apart", NULL, "%s and %s share memory",
                           name, stria_call_get_input_name(call, schema, other, other_text, sizeof other_text));
}

/* Every element has an address of its own. */
static stria_status check_itself(const stria_call *call, const stria_schema *schema, int k, const stria_tensor *x,
                                 stria_error *err)
{
    char text[48], shape[96], strides[96];

    if (stria_tensor_is_contiguous(x) || stria_overlap_find_itself(x) == STRIA_OVERLAP_NONE) return STRIA_OK;
    const char *name = stria_call_get_input_name(call, schema, k, text, sizeof text);
    stria_shape_print(shape, sizeof shape, x->ndim, x->shape);
    stria_shape_print(strides, sizeof strides, x->ndim, x->strides);
    return stria_error_set(err, STRIA_ERR_OVERLAP, schema->name, name, "one address for each element", strides,
                           "%s, of shape %s and strides %s, has several elements at one address", name, shape, strides);
}

/* The bytes that a tensor lies in. */
typedef struct extent {
    uintptr_t begin, end;
    int       k;
} extent;

static extent get_extent(const stria_tensor *x, int k)
{
    const int64_t size = stria_tensor_get_item_size(x);
    extent        e = {(uintptr_t)x->data, (uintptr_t)x->data + (uintptr_t)size, k};

    for (int d = 0; d < x->ndim; d++) {
        const int64_t reach = (x->shape[d] - 1) * x->strides[d] * size;
        if (reach < 0) e.begin -= (uintptr_t)-reach;
        if (reach > 0) e.end += (uintptr_t)reach;
    }
    return e;
}

static int compare_extents(const void *a, const void *b)
{
    const extent *one = a, *other = b;

    if (one->begin != other->begin) return one->begin < other->begin ? -1 : 1;
    return (one->k > other->k) - (one->k < other->k);
}

/* By their places in memory: only neighbours can meet. */
static stria_status check_sorted(const stria_call *call, const stria_schema *schema, extent *extents, int n,
                                 stria_error *err)
{
    qsort(extents, (size_t)n, sizeof *extents, compare_extents);
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n && extents[i].begin < extents[k].end; i++) {
            const bool first = is_updated(call, schema, extents[k].k);
            const int  written = first ? extents[k].k : extents[i].k, other = first ? extents[i].k : extents[k].k;
            const stria_tensor *x = stria_call_get_input(call, schema, written);
            const stria_tensor *y = stria_call_get_input(call, schema, other);
            if (!is_updated(call, schema, written)) continue;
            if (stria_overlap_find(x, y) != STRIA_OVERLAP_NONE)
                return refuse_overlap(call, schema, written > other ? written : other,
                                      written > other ? other : written, err);
        }
    return STRIA_OK;
}

static stria_status check_sharing(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    const int n = stria_call_count_inputs(call, schema);
    int       count = 0;
    extent   *extents = stria_object_new(((size_t)n + 1) * sizeof *extents);

    if (extents == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, schema->name, NULL, NULL, NULL, "no memory for %d places", n);
    for (int k = 0; k < n; k++) {
        const stria_tensor *x = stria_call_get_input(call, schema, k);
        if (x != NULL && x->numel > 0) extents[count++] = get_extent(x, k);
    }
    const stria_status status = check_sorted(call, schema, extents, count, err);
    stria_object_release(extents);
    return status;
}

/* Storages that were met: a table of `size` places, a power of two. */
typedef struct storages {
    const stria_storage **at;
    size_t                size;
} storages;

/* Whether the storage of x, which may be NULL, is its own, as far as others were met. */
static bool is_alone(const storages *met, const stria_tensor *x)
{
    if (x == NULL) return true;
    if (x->storage->origin == STRIA_ORIGIN_EXTERNAL) return false;
    const uint64_t mixed = ((uint64_t)(uintptr_t)x->storage >> 4) * UINT64_C(0x9E3779B97F4A7C15);
    size_t         k = (size_t)(mixed >> 32) & (met->size - 1);
    for (; met->at[k] != NULL; k = (k + 1) & (met->size - 1))
        if (met->at[k] == x->storage) return false;
    met->at[k] = x->storage;
    return true;
}

/* Whether every tensor has a storage of its own, so that none can meet another. */
static bool are_alone(const stria_call *call, const stria_schema *schema, const storages *met)
{
    const int n_single = stria_schema_count_single(schema);
    bool      alone = true;

    for (int k = 0; k < n_single && alone; k++) alone = is_alone(met, call->in[k]);
    for (int k = 0; k < call->n_list && alone; k++) alone = is_alone(met, call->list[k]);
    return alone;
}

/* Members of each list, which are that long or left out. */
static stria_status check_each(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    const int n_single = stria_schema_count_single(schema), n = stria_call_count_members(call, schema);

    for (int k = 0; k < call->n_list; k++)
        if (call->list[k] != NULL && stria_param_is_updated(&schema->tensors[n_single + k / n]))
            STRIA_TRY(check_itself(call, schema, n_single + k, call->list[k], err));
    return STRIA_OK;
}

#define SMALL_TABLE 64

/* No tensor that is written to shares an element with any other, or with itself. */
stria_status stria_call_check_update(const stria_call *call, const stria_schema *schema, stria_error *err)
{
    const int            n = stria_call_count_inputs(call, schema);
    const stria_storage *small[SMALL_TABLE];
    storages             met = {small, SMALL_TABLE};

    STRIA_TRY(check_each(call, schema, err));
    while (met.size < 2 * (size_t)n) met.size *= 2;
    if (met.size > SMALL_TABLE)
        met.at = stria_object_new(met.size * sizeof *met.at);
    else
        memset(small, 0, sizeof small);
    const bool is_apart = met.at != NULL && are_alone(call, schema, &met);
    if (met.at != small) stria_object_release(met.at);
    return is_apart ? STRIA_OK : check_sharing(call, schema, err);
}

/* ---------------------------------------------------------------- the call */

stria_status stria_call_run_update(const stria_call *call, const stria_schema *schema, stria_infer_fn *infer,
                                   stria_error *err)
{
    stria_call_meta meta = {.out = NULL};
    stria_impl_fn  *impl;
    const int       n_single = stria_schema_count_single(schema), n = stria_call_count_members(call, schema);

    STRIA_TRY(infer(call, &meta, err));
    STRIA_TRY(stria_call_infer_device(call, schema, &meta, err));
    STRIA_TRY(stria_call_find_impl(call, schema, meta.device, &impl, err));
    STRIA_TRY(stria_call_check_update(call, schema, err));
    if (impl != NULL) STRIA_TRY(impl(call, &meta, NULL, err));
    for (int k = 0; k < call->n_list; k++)
        if (call->list[k] != NULL && stria_param_is_updated(&schema->tensors[n_single + k / n]))
            stria_tensor_touch((stria_tensor *)(uintptr_t)call->list[k]);
    return STRIA_OK;
}
