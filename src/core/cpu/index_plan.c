/* index_plan.c - walks over the positions of an index (index_plan.h). */
#include "cpu/index_plan.h"

#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/exec_block.h"
#include "simd/kernels.h"

#define BLOCK STRIA_INDEX_BLOCK
#define WIDE 16 /* a dim worth to be innermost for its neighbours in memory */

/* ---------------------------------------------------------------- building */

void stria_index_plan_init(stria_index_plan *plan, int ndim, const int64_t *shape)
{
    static char none; /* a place to walk over with strides 0, where there is no such tensor */

    memset(plan, 0, sizeof *plan);
    plan->index = plan->table = plan->other = &none;
    plan->ndim = ndim;
    if (ndim > 0) memcpy(plan->shape, shape, (size_t)ndim * sizeof *shape);
    plan->index_dtype = STRIA_I64;
}

void stria_index_plan_set_index(stria_index_plan *plan, const stria_tensor *index, int first)
{
    plan->index = index->data;
    plan->index_dtype = index->dtype;
    for (int d = 0; d < index->ndim; d++)
        plan->index_strides[first + d] = index->strides[d] * stria_tensor_get_item_size(index);
}

void stria_index_plan_set_other(stria_index_plan *plan, const stria_tensor *other, int first)
{
    plan->other = other->data;
    for (int d = 0; d < other->ndim; d++)
        plan->other_strides[first + d] = other->strides[d] * stria_tensor_get_item_size(other);
}

void stria_index_plan_set_table(stria_index_plan *plan, const stria_tensor *table, int axis)
{
    plan->table = table->data;
    plan->item_size = stria_tensor_get_item_size(table);
    plan->size = stria_index_get_size(table, axis);
    plan->step = table->ndim > 0 ? table->strides[axis] * plan->item_size : 0;
    for (int d = 0; d < table->ndim; d++) {
        if (d == axis) continue;
        plan->table_strides[d] = table->strides[d] * plan->item_size;
        plan->free |= UINT64_C(1) << d;
    }
}

/* ---------------------------------------------------------------- range */

/* Whether n indices side by side are all in [0, size). */
static bool is_in(const int64_t *at, int64_t n, int64_t size)
{
    const uint64_t last = (uint64_t)size - 1;
    uint64_t       bits = 0; /* the sign bit of what is negative, or of its distance from the end */

    for (int64_t k = 0; k < n; k++) bits |= (uint64_t)at[k] | (last - (uint64_t)at[k]);
    return bits >> 63 == 0;
}

/* ---------------------------------------------------------------- geometry */

static bool is_free(const stria_index_plan *plan, int d) { return plan->reads || ((plan->free >> d) & 1); }

static void move_dim(stria_index_plan *to, int d, const stria_index_plan *from, int k)
{
    to->shape[d] = from->shape[k];
    to->index_strides[d] = from->index_strides[k];
    to->table_strides[d] = from->table_strides[k];
    to->other_strides[d] = from->other_strides[k];
    const uint64_t bit = ((from->free >> k) & 1) << d; /* `to` may be `from` */
    to->free = (to->free & ~(UINT64_C(1) << d)) | bit;
}

static bool continues(const int64_t *strides, int a, int b, int64_t size) { return strides[a] == strides[b] * size; }

/* Dims without those of size 1, neighbours as one where all operands step through them as through one. */
static void merge_dims(stria_index_plan *plan)
{
    int n = 0;

    for (int d = 0; d < plan->ndim; d++) {
        const int64_t size = plan->shape[d];
        if (size == 1) continue;
        if (n > 0 && is_free(plan, n - 1) == is_free(plan, d) && continues(plan->index_strides, n - 1, d, size) &&
            continues(plan->table_strides, n - 1, d, size) && continues(plan->other_strides, n - 1, d, size)) {
            const int64_t joined = plan->shape[n - 1] * size;
            move_dim(plan, n - 1, plan, d);
            plan->shape[n - 1] = joined;
            continue;
        }
        move_dim(plan, n, plan, d);
        n++;
    }
    plan->ndim = n;
}

/* Makes dim d the innermost. */
static void move_last(stria_index_plan *plan, int d)
{
    const stria_index_plan before = *plan;

    for (int k = d; k < plan->ndim - 1; k++) move_dim(plan, k, &before, k + 1);
    move_dim(plan, plan->ndim - 1, &before, d);
}

/* The innermost dim is one along which operands lie side by side. */
static void choose_innermost(stria_index_plan *plan)
{
    const int last = plan->ndim - 1;
    int       best = last;

    for (int d = 0; d < last; d++) {
        const bool is_side_by_side =
            stria_magnitude(plan->reads ? plan->other_strides[d] : plan->table_strides[d]) == (uint64_t)plan->item_size;
        if (is_side_by_side && is_free(plan, d) && plan->shape[d] >= WIDE) best = d;
    }
    if (best != last) move_last(plan, best);
}

/* ---------------------------------------------------------------- walking */

typedef struct walk {
    const stria_index_plan *plan;
    stria_index_fn         *fn;
    const void             *context;
    const stria_kernels    *kernels;
    int                     split; /* the dim that is cut */
    atomic_bool             is_out_of_range;
} walk;

static void scale(int64_t *at, int64_t n, int64_t step)
{
    int shift = 0;

    while (shift < 5 && step != INT64_C(1) << shift) shift++;
    if (shift < 5)
        for (int64_t k = 0; k < n; k++) at[k] = (int64_t)((uint64_t)at[k] << shift);
    else
        for (int64_t k = 0; k < n; k++) at[k] *= step;
}

/* Indices become offsets in bytes; element 0 where they are out of range. False if one is. */
static bool get_offsets(const stria_index_plan *plan, int64_t *at, int64_t n)
{
    const int64_t size = plan->size, wrap = plan->wraps ? size : 0;
    bool          is_out = false;

    if (size >= 0 && !is_in(at, n, size))
        for (int64_t k = 0; k < n; k++) {
            const int64_t i = at[k] + (at[k] < 0 ? wrap : 0);
            const bool    is_in = (uint64_t)i < (uint64_t)size;
            is_out |= !is_in;
            at[k] = is_in ? i : 0;
        }
    scale(at, n, plan->step);
    return !is_out;
}

int64_t stria_index_mend(const stria_index_plan *plan, int64_t given, bool *is_out)
{
    const int64_t i = given < 0 && plan->wraps ? given + plan->size : given;

    if ((uint64_t)i < (uint64_t)plan->size) return i;
    *is_out = true;
    return 0;
}

static inline uint32_t get_word(const char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* Elements of the table to places side by side. */
static inline __attribute__((always_inline)) bool get_each(const stria_index_plan *plan, const char *index,
                                                           const char *table, int64_t table_stride, int64_t step,
                                                           char *other, int64_t n, const size_t size)
{
    const int64_t limit = plan->size;
    bool          is_out = false;
    int64_t       k = 0;

    for (; size == sizeof(uint32_t) && k + 4 <= n;
         k += 4) { /* four are put together in a register, and are one store */
        const char    *at = table + k * table_stride;
        const uint32_t a = get_word(at + stria_index_read(plan, index, k, limit, &is_out) * step);
        const uint32_t b = get_word(at + table_stride + stria_index_read(plan, index, k + 1, limit, &is_out) * step);
        const uint32_t c =
            get_word(at + 2 * table_stride + stria_index_read(plan, index, k + 2, limit, &is_out) * step);
        const uint32_t d =
            get_word(at + 3 * table_stride + stria_index_read(plan, index, k + 3, limit, &is_out) * step);
        const uint32_t four[] = {a, b, c, d};
        memcpy(other + k * (int64_t)size, four, sizeof four);
    }
    for (; k < n; k++)
        memcpy(other + k * (int64_t)size,
               table + k * table_stride + stria_index_read(plan, index, k, limit, &is_out) * step, size);
    return !is_out;
}

/* The loop of one dim knows its strides. */
static inline __attribute__((always_inline)) bool get_sized(const stria_index_plan *plan, const char *index,
                                                            const char *table, int64_t table_stride, char *other,
                                                            int64_t n, const size_t size)
{
    if (plan->step == (int64_t)size && table_stride == 0)
        return get_each(plan, index, table, 0, (int64_t)size, other, n, size);
    return get_each(plan, index, table, table_stride, plan->step, other, n, size);
}

bool stria_index_get_pass(const stria_index_plan *plan, const char *index, char *table, int64_t table_stride,
                          char *other, int64_t n)
{
    switch (plan->item_size) {
    case 1: return get_sized(plan, index, table, table_stride, other, n, 1);
    case 2: return get_sized(plan, index, table, table_stride, other, n, 2);
    case 4: return get_sized(plan, index, table, table_stride, other, n, 4);
    case 8: return get_sized(plan, index, table, table_stride, other, n, 8);
    default: return get_sized(plan, index, table, table_stride, other, n, 16);
    }
}

/* The next block. Blocks are about as long as the pages of memory, at whose end hardware prefetchers stop. */
static void prefetch(const char *index, int64_t stride, int64_t n)
{
    const int64_t nbytes = stride <= STRIA_CACHE_LINE_BYTES ? (n < BLOCK ? n : BLOCK) * stride : 0;
    for (int64_t k = 0; k < nbytes; k += STRIA_CACHE_LINE_BYTES) __builtin_prefetch(index + k);
}

/* n positions along the innermost dim. */
static void walk_run(walk *w, const char *index, char *table, char *other, int64_t n)
{
    const stria_index_plan *plan = w->plan;
    const int               last = plan->ndim - 1;
    const int64_t           index_stride = last >= 0 ? plan->index_strides[last] : 0;
    const int64_t           table_stride = last >= 0 ? plan->table_strides[last] : 0;
    const int64_t           other_stride = last >= 0 ? plan->other_strides[last] : 0;
    const bool              is_one = index_stride == 0 && !plan->wants_offsets;
    int64_t                 offsets[BLOCK];

    if (plan->pass && plan->index_dtype == STRIA_I64 && index_stride == (int64_t)sizeof *offsets &&
        other_stride == plan->item_size && plan->size >= 0) {
        if (!plan->pass(plan, index, table, table_stride, other, n))
            atomic_store_explicit(&w->is_out_of_range, true, memory_order_relaxed);
        return;
    }
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t count = n - at < BLOCK ? n - at : BLOCK;
        w->kernels->cast[plan->index_dtype][STRIA_I64]((char *)offsets, sizeof *offsets, index + at * index_stride,
                                                       index_stride, is_one ? 1 : count);
        prefetch(index + (at + count) * index_stride, index_stride, n - at - count);
        if (!get_offsets(plan, offsets, is_one ? 1 : count))
            atomic_store_explicit(&w->is_out_of_range, true, memory_order_relaxed);
        if (is_one) {
            w->fn(w->context, table + offsets[0], table_stride, NULL, other, other_stride, n);
            return;
        }
        w->fn(w->context, table + at * table_stride, table_stride, offsets, other + at * other_stride, other_stride,
              count);
    }
}

/* Positions begin .. end of the dim that is cut, all of the others. */
static void walk_range(void *context, int thread, int64_t begin, int64_t end)
{
    walk                   *w = context;
    const stria_index_plan *plan = w->plan;
    const int               last = plan->ndim - 1;
    int64_t                 shape[STRIA_MAX_DIMS], position[STRIA_MAX_DIMS];
    const char             *index = plan->index;
    char                   *table = plan->table, *other = plan->other;
    int                     d;

    (void)thread;
    for (d = 0; d < plan->ndim; d++) shape[d] = plan->shape[d], position[d] = 0;
    if (w->split >= 0) {
        shape[w->split] = end - begin;
        index += begin * plan->index_strides[w->split];
        table += begin * plan->table_strides[w->split];
        other += begin * plan->other_strides[w->split];
    }
    for (;;) {
        walk_run(w, index, table, other, last >= 0 ? shape[last] : 1);
        for (d = last - 1; d >= 0; d--) {
            const int64_t back = ++position[d] < shape[d] ? 1 : 1 - shape[d];
            index += back * plan->index_strides[d];
            table += back * plan->table_strides[d];
            other += back * plan->other_strides[d];
            if (back == 1 && shape[d] > 1) break;
            position[d] = 0;
        }
        if (d < 0) return;
    }
}

bool stria_index_run(const stria_index_plan *given, stria_index_fn *fn, const void *context)
{
    stria_index_plan plan = *given;
    walk             w = {&plan, fn, context, stria_dispatch_get(), -1, false};
    int64_t          numel = 1;

    for (int d = 0; d < plan.ndim; d++) numel *= plan.shape[d];
    if (numel == 0) return true;
    merge_dims(&plan);
    choose_innermost(&plan);
    for (int d = 0; d < plan.ndim; d++)
        if (is_free(&plan, d) && (w.split < 0 || plan.shape[d] > plan.shape[w.split])) w.split = d;
    const int64_t n = w.split < 0 ? 1 : plan.shape[w.split], grain = STRIA_GRAIN / (numel / n);
    stria_parallel_for(stria_team_get(), 0, n, grain > 0 ? grain : 1, walk_range, &w);
    return !atomic_load_explicit(&w.is_out_of_range, memory_order_relaxed);
}

/* ---------------------------------------------------------------- moves */

static inline __attribute__((always_inline)) void move_each(char *dst, int64_t dst_stride, const int64_t *dst_offsets,
                                                            const char *src, int64_t src_stride,
                                                            const int64_t *src_offsets, int64_t n, size_t size)
{
    for (int64_t k = 0; k < n; k++)
        memcpy(dst + k * dst_stride + (dst_offsets ? dst_offsets[k] : 0),
               src + k * src_stride + (src_offsets ? src_offsets[k] : 0), size);
}

/* The loop knows the strides of elements that lie side by side. */
static inline __attribute__((always_inline)) void move_sized(char *dst, int64_t dst_stride, const int64_t *dst_offsets,
                                                             const char *src, int64_t src_stride,
                                                             const int64_t *src_offsets, int64_t n, size_t size)
{
    if (src_offsets && dst_stride == (int64_t)size)
        move_each(dst, (int64_t)size, NULL, src, src_stride, src_offsets, n, size);
    else if (dst_offsets && src_stride == (int64_t)size)
        move_each(dst, dst_stride, dst_offsets, src, (int64_t)size, NULL, n, size);
    else
        move_each(dst, dst_stride, dst_offsets, src, src_stride, src_offsets, n, size);
}

/* The offsets are of one of the two. */
static inline __attribute__((always_inline)) void move(char *dst, int64_t dst_stride, const int64_t *dst_offsets,
                                                       const char *src, int64_t src_stride, const int64_t *src_offsets,
                                                       int64_t n, int64_t size)
{
    if (!dst_offsets && !src_offsets && dst_stride == size && src_stride == size) {
        memcpy(dst, src, (size_t)(n * size));
        return;
    }
    switch (size) {
    case 1: move_sized(dst, dst_stride, dst_offsets, src, src_stride, src_offsets, n, 1); break;
    case 2: move_sized(dst, dst_stride, dst_offsets, src, src_stride, src_offsets, n, 2); break;
    case 4: move_sized(dst, dst_stride, dst_offsets, src, src_stride, src_offsets, n, 4); break;
    case 8: move_sized(dst, dst_stride, dst_offsets, src, src_stride, src_offsets, n, 8); break;
    default: move_sized(dst, dst_stride, dst_offsets, src, src_stride, src_offsets, n, 16); break;
    }
}

void stria_index_get(const void *context, char *table, int64_t table_stride, const int64_t *offsets, char *other,
                     int64_t other_stride, int64_t n)
{
    const int64_t size = ((const stria_index_plan *)context)->item_size;

    if (offsets)
        move(other, other_stride, NULL, table, table_stride, offsets, n, size);
    else
        move(other, other_stride, NULL, table, table_stride, NULL, n, size);
}

void stria_index_set(const void *context, char *table, int64_t table_stride, const int64_t *offsets, char *other,
                     int64_t other_stride, int64_t n)
{
    const int64_t size = ((const stria_index_plan *)context)->item_size;

    if (offsets)
        move(table, table_stride, offsets, other, other_stride, NULL, n, size);
    else
        move(table, table_stride, NULL, other, other_stride, NULL, n, size);
}
