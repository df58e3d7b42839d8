/* iter_describe.c - what a built iterator decided, and why.
 *
 * A build keeps its decisions, not its reasons. They are found again here from the operands, by the rules that the build
 * itself uses (iter_internal.h), so that building costs nothing more. */
#include <string.h>

#include "iter/iter_internal.h"
#include "base/parallel.h"

/* Where the axes stand: order[r] is the logical dim at position r, fastest first. */
typedef struct positions {
    const stria_iter *it;
    int               n;
    int               order[STRIA_MAX_DIMS];
} positions;

/* Whether the operand had its geometry when the build looked at layouts. */
static bool was_settled(const stria_iter_operand *op) { return op->given != NULL && !op->will_resize; }

static int64_t element_size(const stria_iter_operand *op) { return (int64_t)stria_dtype_get_size(op->dtype); }

/* ---------------------------------------------------------------- operands */

static stria_iter_origin get_origin(const stria_iter_operand *op)
{
    if (op->given == NULL) return STRIA_ITER_ALLOCATED;
    if (op->original != NULL) return op->original->dtype != op->dtype ? STRIA_ITER_CONVERTED : STRIA_ITER_COPIED;
    return op->will_resize ? STRIA_ITER_RESIZED : STRIA_ITER_GIVEN;
}

/* A view that the build made for op_axes has the storage of the caller's tensor. */
static bool has_op_axes(const stria_iter_operand *op)
{
    const stria_tensor *seen = op->original != NULL ? op->original : op->tensor;
    return op->given != NULL && seen != op->given && seen->storage == op->given->storage;
}

static stria_iter_form get_form(const stria_iter *it, int k)
{
    if (it->ndim == 0 || it->shape[0] <= 1) return STRIA_ITER_FORM_VALUE;
    const int64_t stride = stria_iter_row(it, 0)[k];
    if (stride == 0) return STRIA_ITER_FORM_VALUE;
    if (stride < 0) return STRIA_ITER_FORM_REVERSED;
    return stride == element_size(&it->operands[k]) ? STRIA_ITER_FORM_CONTIGUOUS : STRIA_ITER_FORM_STRIDED;
}

static bool is_in_place(const stria_iter *it, int k)
{
    const stria_iter_operand *op = &it->operands[k];

    if (op->is_output) return op->read_write;
    for (int i = 0; i < it->n_outputs; i++) {
        if (it->operands[i].given == op->given) return true;
    }
    return false;
}

static void describe_operand(const stria_iter *it, int k, stria_iter_description_operand *out)
{
    const stria_iter_operand *op = &it->operands[k];

    out->origin = get_origin(op);
    out->form = get_form(it, k);
    out->dtype = op->dtype;
    out->given_dtype = op->given != NULL ? op->given->dtype : STRIA_DTYPE_NONE;
    out->device = op->device;
    out->is_output = op->is_output;
    out->is_in_place = is_in_place(it, k);
    out->is_wrapped_number = op->given != NULL && op->given->is_wrapped_number;
    out->has_op_axes = has_op_axes(op);
}

/* ---------------------------------------------------------------- fast set-ups */

static stria_iter_description_path path_of(stria_iter_path verdict, int operand)
{
    return (stria_iter_description_path){verdict, operand};
}

static int find_other_shape(const stria_iter *it)
{
    for (int k = 0; k < it->n_operands; k++) {
        const stria_tensor *x = it->operands[k].tensor;
        if (!was_settled(&it->operands[k])) continue;
        if (x->ndim != it->common_ndim) return k;
        if (memcmp(x->shape, it->common_shape, (size_t)x->ndim * sizeof(int64_t)) != 0) return k;
    }
    return -1;
}

/* What rules out every fast set-up. */
static stria_iter_description_path find_obstacle(const stria_iter *it)
{
    if (it->is_reduction) return path_of(STRIA_ITER_PATH_REDUCTION, -1);
    if (it->has_static_shape) return path_of(STRIA_ITER_PATH_STATIC_SHAPE, -1);
    if (!it->all_same_shape) return path_of(STRIA_ITER_PATH_SHAPES_DIFFER, find_other_shape(it));
    if (it->multi_index) return path_of(STRIA_ITER_PATH_MULTI_INDEX, -1);
    return path_of(STRIA_ITER_PATH_TAKEN, -1);
}

typedef bool layout_fn(int ndim, const int64_t *shape, const int64_t *strides);

static stria_iter_description_path find_other_layout(const stria_iter *it, layout_fn *has_layout)
{
    for (int k = 0; k < it->n_operands; k++) {
        const stria_tensor *x = it->operands[k].tensor;
        if (!was_settled(&it->operands[k])) continue;
        if (!has_layout(x->ndim, x->shape, x->strides)) return path_of(STRIA_ITER_PATH_OTHER_LAYOUT, k);
    }
    return path_of(STRIA_ITER_PATH_TAKEN, -1);
}

static stria_iter_description_path find_dense_reason(const stria_iter *it)
{
    const stria_tensor *first = NULL;

    for (int k = 0; k < it->n_operands; k++) {
        const stria_tensor *x = it->operands[k].tensor;
        if (!was_settled(&it->operands[k])) continue;
        if (first == NULL) {
            if (stria_layout_has_negative_stride(x->ndim, x->shape, x->strides))
                return path_of(STRIA_ITER_PATH_REVERSED, k);
            if (!stria_layout_is_dense(x->ndim, x->shape, x->strides)) return path_of(STRIA_ITER_PATH_OTHER_LAYOUT, k);
            first = x;
        } else if (memcmp(first->strides, x->strides, (size_t)x->ndim * sizeof(int64_t)) != 0) {
            return path_of(STRIA_ITER_PATH_STRIDES_DIFFER, k);
        }
    }
    return path_of(first != NULL ? STRIA_ITER_PATH_TAKEN : STRIA_ITER_PATH_NO_OPERAND, -1);
}

static void describe_paths(const stria_iter *it, stria_iter_description *out)
{
    const stria_iter_description_path obstacle = find_obstacle(it);
    const stria_iter_description_path not_needed = path_of(STRIA_ITER_PATH_NOT_NEEDED, -1);

    out->contiguous = out->channels_last = out->dense = obstacle;
    if (obstacle.verdict != STRIA_ITER_PATH_TAKEN) return;
    out->channels_last = out->dense = not_needed;
    if (it->setup == STRIA_ITER_CONTIGUOUS) return;
    out->contiguous = find_other_layout(it, stria_layout_is_contiguous);
    if (it->is_linear) {
        out->channels_last = out->dense = path_of(STRIA_ITER_PATH_LINEAR, -1);
        return;
    }
    out->channels_last = it->common_ndim == 4 ? find_other_layout(it, stria_layout_is_channels_last)
                                              : path_of(STRIA_ITER_PATH_NOT_FOUR_DIMS, -1);
    if (it->setup != STRIA_ITER_CHANNELS_LAST) out->dense = find_dense_reason(it);
}

/* ---------------------------------------------------------------- order of the axes */

/* With a fast set-up the order is that of the memory of the operands, which all lie alike. */
static void find_order(positions *at, const stria_iter *it)
{
    at->it = it;
    at->n = it->common_ndim;
    for (int r = 0; r < at->n; r++) at->order[r] = at->n - 1 - r;
    if (it->setup == STRIA_ITER_GENERAL) {
        for (int r = 0; r < at->n; r++) at->order[r] = it->permutation[r];
    } else if (it->setup != STRIA_ITER_CONTIGUOUS) {
        const stria_layout layout = {it->operands[0].tensor->shape, it->operands[0].tensor->strides};
        stria_layout_sort_dims(at->n, at->order, stria_layout_compare_dims, &layout);
    }
}

/* Byte stride of operand k at position r, before merging. */
static int64_t get_stride(const positions *at, int k, int r)
{
    const stria_iter         *it = at->it;
    const stria_iter_operand *op = &it->operands[k];
    int64_t                   stride = element_size(op);

    if (it->setup != STRIA_ITER_GENERAL || was_settled(op)) {
        const stria_tensor *x = op->tensor;
        const int           dim = at->order[r], axis = x->ndim - at->n + dim;
        if (axis < 0) return 0;
        return stria_iter_get_axis_stride(x->shape[axis], x->strides[axis], stride, it->common_shape[dim],
                                          it->has_static_shape);
    }
    for (int i = 0; i < r; i++) stride = stria_wrapping_product(stride, it->common_shape[at->order[i]]);
    return stride;
}

static stria_iter_order order_of_verdict(stria_layout_verdict verdict)
{
    if (verdict == VERDICT_REDUCED) return STRIA_ITER_ORDER_REDUCED;
    return verdict == VERDICT_SIZE ? STRIA_ITER_ORDER_SIZE : STRIA_ITER_ORDER_STRIDE;
}

/* The sort of the build, done again; what came of comparing two axes that are neighbours in the end goes to the faster
 * one's entry. */
typedef struct watch {
    const positions             *at;
    int                          position[STRIA_MAX_DIMS]; /* of each axis in the end */
    stria_iter_description_axis *axes;
} watch;

static void record(const watch *w, int a, int b, stria_layout_verdict verdict, int sign, int operand)
{
    const bool                   forwards = w->position[a] < w->position[b];
    stria_iter_description_axis *faster = &w->axes[w->position[forwards ? a : b]];
    const bool                   row_major = forwards ? a > b : b > a;

    faster->order_operand = operand;
    if (verdict == VERDICT_NONE)
        faster->order = row_major ? STRIA_ITER_ORDER_ROW_MAJOR : STRIA_ITER_ORDER_SORT;
    else
        faster->order = (sign < 0) == forwards ? order_of_verdict(verdict) : STRIA_ITER_ORDER_SORT;
}

static int compare_watched(const void *context, int a, int b)
{
    const watch         *w = context;
    const stria_iter    *it = w->at->it;
    const int            r = w->position[a], s = w->position[b];
    stria_layout_verdict verdict = VERDICT_NONE;
    int                  sign = 0, operand = -1;

    for (int k = 0; k < it->n_operands && verdict == VERDICT_NONE; k++) {
        if (!was_settled(&it->operands[k])) continue;
        verdict =
            stria_layout_compare_strides(it->is_reduction && it->operands[k].is_output, get_stride(w->at, k, r),
                                         get_stride(w->at, k, s), it->common_shape[a], it->common_shape[b], &sign);
        if (verdict != VERDICT_NONE) operand = k;
    }
    if (r - s == 1 || s - r == 1) record(w, a, b, verdict, sign, operand);
    return sign;
}

/* Why each axis comes before the next one. */
static void describe_order(const positions *at, stria_iter_description_axis *axes)
{
    const stria_iter      *it = at->it;
    const stria_iter_order order = it->setup != STRIA_ITER_GENERAL ? STRIA_ITER_ORDER_ALIKE
                                   : it->is_linear                 ? STRIA_ITER_ORDER_LINEAR
                                                                   : STRIA_ITER_ORDER_SORT;
    watch                  w = {.at = at, .axes = axes};
    int                    again[STRIA_MAX_DIMS];

    for (int r = 0; r < at->n; r++) {
        axes[r].order = r + 1 < at->n ? order : STRIA_ITER_ORDER_LAST;
        axes[r].order_operand = -1;
        w.position[at->order[r]] = r;
    }
    if (order == STRIA_ITER_ORDER_SORT) stria_layout_sort_dims(at->n, again, compare_watched, &w);
}

/* ---------------------------------------------------------------- merging */

/* The dim that positions are being merged into. */
typedef struct group {
    int     dim, from; /* its strides are those of position `from` */
    int64_t size;
} group;

static bool is_never_merged(const stria_iter *it) { return it->multi_index || it->is_meta; }

/* The first operand whose stride at r does not continue the group; -1 if all do. */
static int find_blocker(const positions *at, const group *into, int r, int64_t *wanted, int64_t *found)
{
    for (int k = 0; k < at->it->n_operands; k++) {
        *wanted = stria_wrapping_product(into->size, get_stride(at, k, into->from));
        *found = get_stride(at, k, r);
        if (*wanted != *found) return k;
    }
    *wanted = *found = 0;
    return -1;
}

static stria_iter_merge merge_position(const positions *at, group *into, int r, stria_iter_description_axis *out)
{
    const stria_iter *it = at->it;
    const int64_t     size = it->common_shape[at->order[r]];

    if (r == 0) return STRIA_ITER_MERGE_FIRST;
    if (it->setup != STRIA_ITER_GENERAL) return STRIA_ITER_MERGE_ALIKE;
    if (it->multi_index) return STRIA_ITER_MERGE_MULTI_INDEX;
    if (it->is_meta) return STRIA_ITER_MERGE_META;
    if (into->size == 1 || size == 1) {
        if (into->size == 1) into->from = r;
        into->size = stria_wrapping_product(into->size, size);
        return STRIA_ITER_MERGE_SIZE_ONE;
    }
    out->merge_operand = find_blocker(at, into, r, &out->merge_wanted, &out->merge_found);
    if (out->merge_operand >= 0) return STRIA_ITER_MERGE_STRIDE;
    into->size = stria_wrapping_product(into->size, size);
    return STRIA_ITER_MERGE_FITS;
}

/* Whether a dim of the iterator still is what the build made of a group. */
static bool is_as_built(const positions *at, const group *built)
{
    const stria_iter *it = at->it;

    if (built->dim >= it->ndim || it->shape[built->dim] != built->size) return false;
    for (int k = 0; k < it->n_operands; k++) {
        if (stria_iter_row(it, built->dim)[k] != get_stride(at, k, built->from)) return false;
    }
    return true;
}

static bool is_fast_as_built(const positions *at)
{
    const stria_iter *it = at->it;
    int64_t           numel = 1;

    for (int d = 0; d < at->n; d++) numel *= it->common_shape[d];
    if (at->n == 0) return true;
    if (it->ndim != 1 || it->shape[0] != numel) return false;
    for (int k = 0; k < it->n_operands; k++) {
        if (stria_iter_row(it, 0)[k] != element_size(&it->operands[k])) return false;
    }
    return true;
}

static void describe_axes(const stria_iter *it, stria_iter_description *out)
{
    positions at;
    group     into = {0, 0, 1};
    bool      as_built = true;

    find_order(&at, it);
    describe_order(&at, out->axes);
    for (int r = 0; r < at.n; r++) {
        stria_iter_description_axis *axis = &out->axes[r];
        axis->axis = at.order[r];
        axis->size = it->common_shape[at.order[r]];
        axis->merge_operand = -1;
        axis->merge = merge_position(&at, &into, r, axis);
        if (r == 0) into.size = axis->size;
        if (axis->merge == STRIA_ITER_MERGE_STRIDE || (r > 0 && is_never_merged(it))) {
            as_built &= is_as_built(&at, &into);
            into = (group){into.dim + 1, r, axis->size};
        }
        axis->dim = into.dim;
        for (int k = 0; k < out->n_listed; k++) axis->strides[k] = get_stride(&at, k, r);
    }
    if (it->setup != STRIA_ITER_GENERAL)
        as_built = is_fast_as_built(&at);
    else if (at.n > 0)
        as_built &= is_as_built(&at, &into) && it->ndim == into.dim + 1;
    for (int d = 0; d < it->ndim; d++) as_built &= it->view_offsets[d] == 0;
    out->is_part = !as_built || it->accumulate || !it->final_output;
}

/* ---------------------------------------------------------------- threads */

static void describe_threads(const stria_iter *it, stria_iter_description_threads *out)
{
    const int64_t    numel = stria_iter_get_numel(it);
    const stria_team team = stria_team_get();
    stria_chunks     split;

    out->n_threads = team.n_threads;
    out->dim = -1;
    out->grain = STRIA_GRAIN;
    out->round = 1;
    out->strategy = STRIA_ITER_REDUCE_SERIAL;
    out->chunk_size = numel;
    out->n_chunks = numel > 0;
    if (numel == 0) return;
    const bool reduces = it->is_reduction && it->n_outputs > 0;
    if (reduces) out->strategy = stria_iter_choose_reduce_strategy(it, team, &out->dim);
    if (reduces && out->strategy == STRIA_ITER_REDUCE_SERIAL) return;
    if (out->strategy == STRIA_ITER_REDUCE_SPLIT_DIM) {
        out->grain = 1;
        out->round = stria_iter_get_chunk_round(it, out->dim);
        split = stria_chunks_build(team, 0, it->shape[out->dim], 1);
    } else {
        split = stria_chunks_build(team, 0, numel, STRIA_GRAIN);
    }
    out->n_chunks = split.n_chunks;
    out->chunk_size = split.chunk_size;
}

/* ---------------------------------------------------------------- all of it */

static void describe_flags(const stria_iter *it, stria_iter_description *out)
{
    out->numel = stria_iter_get_numel(it);
    out->common_dtype = it->common_dtype;
    out->common_device = it->common_device;
    out->setup = it->setup;
    out->is_reduction = it->is_reduction;
    out->is_linear = it->is_linear;
    out->has_static_shape = it->has_static_shape;
    out->multi_index = it->multi_index;
    out->accumulate = it->accumulate;
    out->final_output = it->final_output;
    out->is_contiguous = stria_iter_is_contiguous(it);
    out->fits_32bit = stria_iter_can_use_32bit_indexing(it);
    out->n_reduced_dims = it->is_reduction ? stria_iter_get_num_reduce_dims(it) : 0;
    out->dim_to_split = stria_iter_get_dim_to_split(it);
}

void stria_iter_describe(const stria_iter *it, stria_iter_description *description)
{
    stria_iter_description *out = description;

    memset(out, 0, sizeof *out);
    out->common_dtype = STRIA_DTYPE_NONE;
    out->contiguous.operand = out->channels_last.operand = out->dense.operand = -1;
    out->dim_to_split = out->threads.dim = -1;
    if (it->n_operands == 0) return;
    out->n_operands = it->n_operands;
    out->n_outputs = it->n_outputs;
    out->n_listed = it->n_operands < STRIA_ITER_DESCRIBED_OPERANDS ? it->n_operands : STRIA_ITER_DESCRIBED_OPERANDS;
    out->n_axes = it->common_ndim;
    out->n_dims = it->ndim;
    memcpy(out->shape, it->common_shape, (size_t)it->common_ndim * sizeof(int64_t));
    describe_flags(it, out);
    describe_paths(it, out);
    for (int k = 0; k < out->n_listed; k++) describe_operand(it, k, &out->operands[k]);
    describe_axes(it, out);
    for (int d = 0; d < it->ndim; d++) {
        out->dims[d].size = it->shape[d];
        memcpy(out->dims[d].strides, stria_iter_row(it, d), (size_t)out->n_listed * sizeof(int64_t));
    }
    describe_threads(it, &out->threads);
}
