/* cummax.c - running extremes along an axis, and where they are: the last of equals. From the first NaN on all are NaN. */
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/call.h"
#include "cpu/keys.h"

typedef struct extreme_task extreme_task;
typedef void                extreme_loop(const extreme_task *task, const char *x, char *values, char *indices);

struct extreme_task {
    const stria_tensor *x;
    stria_tensor       *values, *indices;
    int                 axis;
    int64_t             length, step, value_step, index_step; /* of a row; bytes between neighbours */
    extreme_loop       *loop;
};

/* ---------------------------------------------------------------- loops */

/* Whether a takes the place of `best`. */
typedef bool takes_fn(const char *a, const char *best);

static inline __attribute__((always_inline)) void run_row(const extreme_task *task, const char *x, char *values,
                                                          char *indices, const size_t size, takes_fn *takes)
{
    const int64_t n = task->length, step = task->step; /* what is written may be anything, as far as a compiler knows */
    const int64_t value_step = task->value_step, index_step = task->index_step;
    char          best[8];
    int64_t       at = 0;

    memcpy(best, x, size);
    for (int64_t k = 0; k < n; k++, x += step, values += value_step, indices += index_step) {
        if (takes(x, best)) {
            memcpy(best, x, size);
            at = k;
        }
        memcpy(values, best, size);
        memcpy(indices, &at, sizeof at);
    }
}

/* Halves, in the order of their values; NaN is beyond both ends. */
static inline int  order_of(uint16_t bits) { return bits & 0x8000 ? -(bits & 0x7fff) : bits; }
static inline bool is_nan_f16(uint16_t bits) { return (bits & 0x7fff) > 0x7c00; }
static inline bool is_nan_bf16(uint16_t bits) { return (bits & 0x7fff) > 0x7f80; }

#define WHOLE(a, best, compare) a compare best
#define TRUTH(a, best, compare) (a != 0) compare(best != 0)
#define REAL(a, best, compare) (a != a || (best == best && a compare best))
#define F16(a, best, compare) (is_nan_f16(a) || (!is_nan_f16(best) && order_of(a) compare order_of(best)))
#define BF16(a, best, compare) (is_nan_bf16(a) || (!is_nan_bf16(best) && order_of(a) compare order_of(best)))
#define LOOP(name, ctype, kind, compare)                                                            \
    static inline __attribute__((always_inline)) bool takes_##name(const char *a, const char *best) \
    {                                                                                               \
        ctype x, y;                                                                                 \
        return memcpy(&x, a, sizeof x), memcpy(&y, best, sizeof y), kind(x, y, compare);            \
    }                                                                                               \
    static void loop_##name(const extreme_task *task, const char *x, char *values, char *indices)   \
    {                                                                                               \
        run_row(task, x, values, indices, sizeof(ctype), takes_##name);                             \
    }
#define LOOPS(dtype, ctype, kind)          \
    LOOP(largest_##dtype, ctype, kind, >=) \
    LOOP(smallest_##dtype, ctype, kind, <=)

LOOPS(bool, uint8_t, TRUTH)
LOOPS(u8, uint8_t, WHOLE)
LOOPS(i8, int8_t, WHOLE)
LOOPS(u16, uint16_t, WHOLE)
LOOPS(i16, int16_t, WHOLE)
LOOPS(u32, uint32_t, WHOLE)
LOOPS(i32, int32_t, WHOLE)
LOOPS(u64, uint64_t, WHOLE)
LOOPS(i64, int64_t, WHOLE)
LOOPS(f16, uint16_t, F16)
LOOPS(bf16, uint16_t, BF16)
LOOPS(f32, float, REAL)
LOOPS(f64, double, REAL)

#define BOTH(dtype)                                 \
    {                                               \
        loop_largest_##dtype, loop_smallest_##dtype \
    }
static extreme_loop *const loops[STRIA_DTYPE_COUNT][2] = {
    [STRIA_BOOL] = BOTH(bool), [STRIA_U8] = BOTH(u8),   [STRIA_I8] = BOTH(i8),     [STRIA_U16] = BOTH(u16),
    [STRIA_I16] = BOTH(i16),   [STRIA_U32] = BOTH(u32), [STRIA_I32] = BOTH(i32),   [STRIA_U64] = BOTH(u64),
    [STRIA_I64] = BOTH(i64),   [STRIA_F16] = BOTH(f16), [STRIA_BF16] = BOTH(bf16), [STRIA_F32] = BOTH(f32),
    [STRIA_F64] = BOTH(f64),
};
#undef BOTH
#undef LOOPS
#undef LOOP
#undef BF16
#undef F16
#undef REAL
#undef TRUTH
#undef WHOLE

/* ---------------------------------------------------------------- rows */

static void rows_range(void *context, int thread, int64_t begin, int64_t end)
{
    const extreme_task *task = context;
    const int           axis = task->axis;
    (void)thread;
    for (int64_t k = begin; k < end; k++)
        task->loop(task, stria_row_get_data(task->x, axis, k), stria_row_get_data(task->values, axis, k),
                   stria_row_get_data(task->indices, axis, k));
}

static int64_t step_of(const stria_tensor *x, int axis)
{
    return x->ndim > 0 ? x->strides[axis] * stria_tensor_get_item_size(x) : 0;
}

static stria_status compute(const stria_call *call, const stria_call_meta *meta, bool smallest, stria_tensor **y)
{
    const stria_tensor *x = call->in[0];
    const int           axis = meta->axis;
    const int64_t       length = x->ndim > 0 ? x->shape[axis] : 1, grain = STRIA_GRAIN / length;
    extreme_task        task = {x,
                                y[0],
                                y[1],
                                axis,
                                length,
                                step_of(x, axis),
                                step_of(y[0], axis),
                                step_of(y[1], axis),
                                loops[x->dtype][smallest]};

    stria_parallel_for(stria_team_get(), 0, x->numel / length, grain > 1 ? grain : 1, rows_range, &task);
    return STRIA_OK;
}

/* ---------------------------------------------------------------- the rows of the table */

static stria_status infer(const stria_call *call, int dim, stria_call_meta *meta, stria_error *err)
{
    const stria_tensor *x = call->in[0];

    if (stria_dtype_get_category(x->dtype) == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", x->dtype, "bool, integer or float", err);
    STRIA_TRY(stria_infer_axis(call, x, dim, meta, err));
    stria_infer_same_shape(x, x->dtype, &meta->out[0]);
    stria_infer_same_shape(x, STRIA_I64, &meta->out[1]);
    meta->out[0].order = meta->out[1].order = STRIA_ORDER_LIKE_FIRST;
    return STRIA_OK;
}

stria_status stria_infer_cummax(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer(call, ((const stria_cummax_attrs *)call->attrs)->dim, meta, err);
}

stria_status stria_cpu_cummax(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)err;
    return compute(call, meta, false, y);
}

stria_status stria_infer_cummin(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    return infer(call, ((const stria_cummin_attrs *)call->attrs)->dim, meta, err);
}

stria_status stria_cpu_cummin(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)err;
    return compute(call, meta, true, y);
}
