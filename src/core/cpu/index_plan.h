/* index_plan.h - elements of one tensor, the table, at positions that another one, the index, says. Internal.
 *
 * gather, scatter, take, index_select and the like are walks over the positions p of one shape. At each, an element of the table
 * meets one of the other tensor, the result of a gather or the source of a scatter:
 *
 *     table + sum of p[d] * table_strides[d] + index[p] * step          other + sum of p[d] * other_strides[d]
 *
 * Positions that meet one element of the table are walked in row-major order, by one thread: only dims that are `free` are cut
 * or exchanged. So the result has the same bits for every number of threads.
 *
 * An index is read in blocks into memory of the walk, and checked there: what another thread writes to it meanwhile leads to a wrong
 * element, never out of the table. */
#ifndef STRIA_INDEX_PLAN_H
#define STRIA_INDEX_PLAN_H

#include "call/call.h"

#define STRIA_INDEX_BLOCK 512 /* positions that are walked at once */

typedef struct stria_index_plan stria_index_plan;
/* What a stria_index_fn does, of n positions whose indices (i64) and elements of `other` lie side by side, in one pass that reads each index
 * once. False: one was out of range. */
typedef bool stria_index_pass(const stria_index_plan *plan, const char *index, char *table, int64_t table_stride,
                              char *other, int64_t n);

/* Strides are in bytes. */
struct stria_index_plan {
    int     ndim;
    int64_t shape[STRIA_MAX_DIMS];
    int64_t index_strides[STRIA_MAX_DIMS], table_strides[STRIA_MAX_DIMS], other_strides[STRIA_MAX_DIMS];
    uint64_t
        free; /* bit d: positions that differ along dim d meet different elements of the table; or order is no matter */
    bool        reads; /* the table is read only: every dim is free */
    const char *index;
    stria_dtype index_dtype;
    int64_t     size,
        step; /* an index is in [0, size), or with `wraps` in [-size, size); size -1: any, in memory of the call */
    bool              wraps;
    bool              wants_offsets; /* the function is given offsets also where one index is that of all positions */
    char             *table, *other;
    int64_t           item_size; /* of the table */
    stria_index_pass *pass;      /* NULL: there is none */
};

/* A plan over a shape without index, table or other: strides 0. */
void stria_index_plan_init(stria_index_plan *plan, int ndim, const int64_t *shape);
/* Operands whose dims are those of the plan from `first` on. */
void stria_index_plan_set_index(stria_index_plan *plan, const stria_tensor *index, int first);
void stria_index_plan_set_other(stria_index_plan *plan, const stria_tensor *other, int first);
/* Dim d of the table is dim first + d of the plan, but for `axis`, which the index says; its size is that of the index's range. -1: the
 * step is set apart. The other dims are free. */
void stria_index_plan_set_table(stria_index_plan *plan, const stria_tensor *table, int axis);

/* n <= STRIA_INDEX_BLOCK positions side by side: element j is at table + j * table_stride + offsets[j]. offsets NULL: they are in
 * `table` already, and n may be larger. */
typedef void stria_index_fn(const void *context, char *table, int64_t table_stride, const int64_t *offsets, char *other,
                            int64_t other_stride, int64_t n);

/* Walks. False: an index was out of range; element 0 was met in its place. */
bool stria_index_run(const stria_index_plan *plan, stria_index_fn *fn, const void *context);

/* other = table, and table = other; elements keep their bits. context: the plan. */
stria_index_fn   stria_index_get, stria_index_set;
stria_index_pass stria_index_get_pass;

/* For passes: an index that is not in [0, size), from the end, or 0 where it is out of range. */
int64_t stria_index_mend(const stria_index_plan *plan, int64_t given, bool *is_out);
/* Index k of a pass, which another thread may write meanwhile; size: that of the plan. The test is a branch, so that the element is loaded
 * before it is decided. */
static inline int64_t stria_index_read(const stria_index_plan *plan, const char *index, int64_t k, int64_t size,
                                       bool *is_out)
{
    const int64_t i = ((const volatile int64_t *)(const void *)index)[k];
    return __builtin_expect((uint64_t)i < (uint64_t)size, 1) ? i : stria_index_mend(plan, i, is_out);
}
/* ERR_ARGUMENT where an element of `index` is not in [0, size), or with `wraps` in [-size, size): the first of them, and where it is.
 * `what` has the size: "axis 0", "x". */
stria_status stria_index_check(const stria_call *call, const char *argument, const stria_tensor *index, int64_t size,
                               bool wraps, const char *what, stria_error *err);
/* The same refusal, of an index that is known to be out of range. */
stria_status stria_index_refuse(const stria_call *call, const char *argument, const stria_tensor *index, int64_t size,
                                bool wraps, const char *what, stria_error *err);

/* ---------------------------------------------------------------- what infer functions of the family share */

/* ERR_DTYPE unless i32 or i64. */
stria_status stria_index_infer_dtype(const stria_call *call, const char *argument, const stria_tensor *index,
                                     stria_error *err);
/* ERR_ARGUMENT if there are indices but nothing that they could be of: a size is 0. */
stria_status stria_index_infer_size(const stria_call *call, const char *argument, const stria_tensor *index,
                                    int64_t size, const char *what, stria_error *err);
/* ERR_DTYPE: a tensor of another dtype than x. */
stria_status stria_index_infer_same_dtype(const stria_call *call, const char *argument, const stria_tensor *source,
                                          const stria_tensor *x, stria_error *err);
/* The axis of x, and the index as gather and scatter want it: as many dims as x, and no longer than x along the others. */
stria_status stria_index_infer_along(const stria_call *call, int dim, stria_call_meta *meta, stria_error *err);
/* The axis of x, and an index of one dim or none. */
stria_status stria_index_infer_list(const stria_call *call, const char *argument, int dim, stria_call_meta *meta,
                                    stria_error *err);

static inline int64_t stria_index_get_size(const stria_tensor *x, int axis) { return x->ndim > 0 ? x->shape[axis] : 1; }

#endif
