/* scatter.c - the steps of scatter, index_add, put and the like (scatter.h).
 *
 *     target   the result; where f16 and bf16 are combined a copy in f32; where the caller gave a result that is small beside the index, a copy
 *     plan     of the target. A target of the caller is not written before the index has been looked at; another one may be
 *     begin    x into the target; without include_self the neutral element where the source is going to be combined
 *     walk     the source into the target
 *     end      a mean is divided by the counts; a copy goes into the result, rounded */
#include "cpu/scatter.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/backend.h"
#include "simd/kernels.h"

#define BLOCK STRIA_INDEX_BLOCK
#define FEW \
    8 /* a result of so many times fewer elements than the index has is copied in less time than the index is looked at */

/* ---------------------------------------------------------------- plans */

/* A plan, and what it keeps. */
typedef struct kept_plan {
    stria_index_plan plan;
    stria_index_list list;
    stria_tensor    *offsets;
} kept_plan;

static void release_plan(kept_plan *p)
{
    stria_tensor_release(p->offsets);
    stria_index_list_release(&p->list);
}

static void set_shape(const stria_scattering *s, stria_index_plan *plan, const stria_tensor *table)
{
    const stria_tensor *index = s->call->in[1];

    if (s->form != STRIA_SCATTER_LIST) {
        stria_index_plan_init(plan, index->ndim, index->shape);
        return;
    }
    stria_index_plan_init(plan, table->ndim, table->shape);
    if (table->ndim > 0) {
        plan->shape[s->axis] = index->numel;
    } else if (index->numel != 1) { /* one element meets all */
        plan->ndim = 1;
        plan->shape[0] = index->numel;
    }
}

/* The index and the table; the source is set apart. To be released on failure, too. */
static stria_status build_plan(const stria_scattering *s, const stria_tensor *table, kept_plan *p, stria_error *err)
{
    const stria_call *call = s->call;

    p->offsets = NULL;
    p->list.at = NULL;
    if (s->form == STRIA_SCATTER_MANY) {
        STRIA_TRY(stria_index_list_build(&p->list, call, table, stria_index_list_add, err));
        stria_index_list_plan(&p->list, &p->plan, table);
        return stria_scatter_check_values(call, p->list.ndim, p->list.shape, err);
    }
    set_shape(s, &p->plan, table);
    if (s->form == STRIA_SCATTER_FLAT)
        return stria_index_plan_set_flat(&p->plan, call, table, call->in[1], &p->offsets, err);
    stria_index_plan_set_table(&p->plan, table, s->axis);
    stria_index_plan_set_index(&p->plan, call->in[1], s->form == STRIA_SCATTER_LIST ? s->axis : 0);
    p->plan.wraps = s->wraps;
    return STRIA_OK;
}

typedef stria_status index_fn(const stria_call *call, const char *argument, const stria_tensor *index, int64_t size,
                              bool wraps, const char *what, stria_error *err);

/* stria_index_check or stria_index_refuse of the index, in the words of the call. */
static stria_status look_at_index(const stria_scattering *s, const kept_plan *p, index_fn *look, stria_error *err)
{
    const stria_index_plan *plan = &p->plan;
    char                    what[32] = "x";

    if (s->form == STRIA_SCATTER_MANY) return look(s->call, "indices[0]", p->list.at, plan->size, true, "axis 0", err);
    if (s->form != STRIA_SCATTER_FLAT) snprintf(what, sizeof what, "axis %d", s->axis);
    return look(s->call, "index", s->call->in[1], plan->size, plan->wraps, what, err);
}

static void set_value(stria_index_plan *plan, const char *value)
{
    plan->other = (char *)(uintptr_t)value;
    memset(plan->other_strides, 0, sizeof plan->other_strides);
}

static void set_source(const stria_scattering *s, stria_index_plan *plan)
{
    const stria_tensor *source = s->source;
    const int           first = s->form == STRIA_SCATTER_MANY ? plan->ndim - source->ndim : 0;

    set_value(plan, source->data);
    if (source->ndim == 0) return;
    stria_index_plan_set_other(plan, source, first);
    for (int d = 0; d < source->ndim; d++)
        if (source->shape[d] == 1) plan->other_strides[first + d] = 0;
}

/* ---------------------------------------------------------------- combining */

typedef struct combiner {
    stria_scatter_fn *fn;
    stria_loop       *loop;    /* the same of elements side by side, or NULL */
    stria_cast_loop  *cast;    /* of the source to the dtype of the table */
    bool              is_same; /* they have one dtype */
    int64_t           size;    /* of an element of the table */
} combiner;

static void combine_packed(const combiner *c, char *table, int64_t table_stride, const int64_t *offsets,
                           const char *source, int64_t n)
{
    if (offsets || table_stride != c->size || !c->loop) {
        c->fn(table, table_stride, offsets, source, n);
        return;
    }
    char *const   data[] = {table, table, (char *)(uintptr_t)source};
    const int64_t strides[] = {c->size, c->size, c->size};
    c->loop(data, strides, n);
}

static void combine(const void *context, char *table, int64_t table_stride, const int64_t *offsets, char *source,
                    int64_t source_stride, int64_t n)
{
    const combiner   *c = context;
    _Alignas(64) char block[BLOCK * 16];

    if (c->is_same && source_stride == c->size) {
        combine_packed(c, table, table_stride, offsets, source, n);
        return;
    }
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t count = n - at < BLOCK ? n - at : BLOCK;
        c->cast(block, c->size, source + at * source_stride, source_stride, count);
        combine_packed(c, table + at * table_stride, table_stride, offsets ? offsets + at : NULL, block, count);
    }
}

/* Elements of dtype `from` at the plan's other operand into a table of dtype `to`. False: an index was out of range. */
static bool run_combine(stria_index_plan *plan, stria_dtype from, stria_dtype to, stria_scatter_op op)
{
    static const stria_op     ops[] = {STRIA_OP_add, STRIA_OP_mul, STRIA_OP_maximum, STRIA_OP_minimum};
    const stria_kernels      *kernels = stria_dispatch_get();
    const stria_lane_kernels *lane = kernels->lane[to];
    combiner                  c = {.fn = stria_scatter_get(to, op), .cast = kernels->cast[from][to]};

    c.is_same = from == to;
    c.size = (int64_t)stria_dtype_get_size(to);
    if (lane && stria_dtype_get_category(to) != STRIA_CATEGORY_C) c.loop = lane->loop[ops[op]];
    plan->pass = c.is_same ? stria_scatter_get_pass(to, op) : NULL;
    const bool is_in = stria_index_run(plan, combine, &c);
    plan->pass = NULL;
    return is_in;
}

/* ---------------------------------------------------------------- steps */

const stria_scatter_op stria_scatter_kind_ops[] = {
    [STRIA_SCATTER_WRITE] = STRIA_SCATTER_ADD, [STRIA_SCATTER_SUM] = STRIA_SCATTER_ADD,
    [STRIA_SCATTER_PROD] = STRIA_SCATTER_MUL,  [STRIA_SCATTER_MEAN] = STRIA_SCATTER_ADD,
    [STRIA_SCATTER_AMAX] = STRIA_SCATTER_MAX,  [STRIA_SCATTER_AMIN] = STRIA_SCATTER_MIN,
};

/* Adds 1 wherever the source meets `met`. */
static stria_status add_ones(const stria_scattering *s, stria_tensor *met, const void *context, stria_error *err)
{
    const int64_t one = 1;
    kept_plan     p;
    (void)context;

    const stria_status status = build_plan(s, met, &p, err);
    if (status == STRIA_OK) {
        set_value(&p.plan, (const char *)&one);
        (void)run_combine(&p.plan, STRIA_I64, STRIA_I64, STRIA_SCATTER_ADD); /* the index is known to be in range */
    }
    release_plan(&p);
    return status;
}

/* How many elements each element of the target is the mean of; at least 1. */
static stria_status count(const stria_scattering *s, const stria_tensor *target, stria_scatter_count_fn *add,
                          const void *context, stria_tensor **counts, stria_error *err)
{
    const stria_scalar begin = {.kind = STRIA_SCALAR_INT, .i = s->include_self};
    stria_tensor      *met = NULL, *number = NULL;

    STRIA_TRY(stria_full(target->shape, target->ndim, begin, STRIA_I64, target->device, &met, err));
    stria_status status = add(s, met, context, err);
    if (status == STRIA_OK)
        status = stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1}, &number, err);
    if (status == STRIA_OK) status = stria_maximum(met, number, counts, err);
    stria_tensor_release(number);
    stria_tensor_release(met);
    return status;
}

stria_status stria_scatter_divide(const stria_scattering *s, stria_tensor *target, stria_scatter_count_fn *add,
                                  const void *context, stria_error *err)
{
    const bool    is_float = stria_dtype_get_category(target->dtype) == STRIA_CATEGORY_F;
    stria_tensor *counts = NULL, *same = NULL, *mean = NULL;

    STRIA_TRY(count(s, target, add, context, &counts, err));
    stria_status status = stria_tensor_copy(counts, target->dtype == STRIA_U64 ? STRIA_U64 : STRIA_I64, &same, err);
    if (status == STRIA_OK)
        status = is_float ? stria_div(target, same, &mean, err) : stria_floor_divide(target, same, &mean, err);
    if (status == STRIA_OK) status = stria_backend_copy(target, mean, err);
    stria_tensor_release(mean);
    stria_tensor_release(same);
    stria_tensor_release(counts);
    return status;
}

/* x into the target, which may be x. */
static stria_status begin(const stria_scattering *s, stria_index_plan *plan, stria_tensor *target, stria_error *err)
{
    const stria_tensor *x = s->call->in[0];
    char                neutral[16];

    if (target->data != x->data) STRIA_TRY(stria_tensor_set(target, x, err));
    if (s->kind == STRIA_SCATTER_WRITE || s->include_self) return STRIA_OK;
    stria_scatter_get_identity(target->dtype, stria_scatter_kind_ops[s->kind], neutral);
    set_value(plan, neutral);
    stria_index_run(plan, stria_index_set, plan);
    return STRIA_OK;
}

static stria_status run_on(const stria_scattering *s, stria_tensor *target, kept_plan *p, stria_error *err)
{
    bool is_in;

    STRIA_TRY(build_plan(s, target, p, err));
    if (target == s->call->out[0] && p->plan.size >= 0) STRIA_TRY(look_at_index(s, p, stria_index_check, err));
    STRIA_TRY(begin(s, &p->plan, target, err));
    set_source(s, &p->plan);
    if (s->kind == STRIA_SCATTER_WRITE)
        is_in = stria_index_run(&p->plan, stria_index_set, &p->plan);
    else
        is_in = run_combine(&p->plan, s->source->dtype, target->dtype, stria_scatter_kind_ops[s->kind]);
    if (!is_in) return look_at_index(s, p, stria_index_refuse, err);
    return s->kind == STRIA_SCATTER_MEAN ? stria_scatter_divide(s, target, add_ones, NULL, err) : STRIA_OK;
}

stria_status stria_scatter_run(const stria_scattering *s, stria_tensor *y, stria_error *err)
{
    const stria_dtype compute = s->kind == STRIA_SCATTER_WRITE ? y->dtype : stria_dtype_get_compute(y->dtype);
    const bool        is_small = s->form != STRIA_SCATTER_MANY && y->numel <= s->call->in[1]->numel / FEW;
    stria_tensor     *target = y;
    kept_plan         p;

    if (y->device.type != STRIA_DEVICE_CPU) return stria_backend_get(y->device)->scatter(s, y, err);
    if (compute != y->dtype || (y == s->call->out[0] && is_small))
        STRIA_TRY(stria_tensor_new_shaped(compute, y, &target, err));
    stria_status status = run_on(s, target, &p, err);
    if (status == STRIA_OK && target != y) status = stria_tensor_set(y, target, err);
    release_plan(&p);
    if (target != y) stria_tensor_release(target);
    return status;
}
