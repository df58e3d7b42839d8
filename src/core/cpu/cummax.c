/* cummax.c - running extremes along an axis, and where they are: the last of equals. From the first NaN on all are NaN. */
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/call.h"
#include "cpu/keys.h"

#define GROUP 16    /* elements that are looked at together */
#define COLUMNS 256 /* rows side by side that are walked together */
#define MIN_COLUMNS 8

typedef struct extreme_task extreme_task;
typedef void                extreme_row(const extreme_task *task, const char *x, char *values, char *places);
typedef void extreme_columns(const extreme_task *task, const char *x, char *values, char *places, int64_t n);

typedef struct extreme_loops {
    extreme_row     *row;
    extreme_columns *columns;
} extreme_loops;

struct extreme_task {
    const stria_tensor  *x;
    stria_tensor        *values, *places;
    int                  axis;
    int64_t              length, step, value_step, place_step; /* of a row; bytes between neighbours */
    int64_t              width;                                /* rows side by side, 1: none */
    int64_t              inversion; /* what makes the wanted extreme the largest: get_inversion */
    const extreme_loops *loops;
};

/* ---------------------------------------------------------------- loops */

/* Bits of unsigned and signed numbers become signed ones in the order wanted. */
#define WHOLE(type, a, best) (type)((a) ^ (uint64_t)inversion) >= (type)((best) ^ (uint64_t)inversion)
#define REAL(type, a, best) ((a) != (a)) | (((best) == (best)) & ((a) * (type)inversion >= (best) * (type)inversion))
#define T uint8_t
#define NAME(word) word##_whole_8
#define TAKES(a, best) (WHOLE(int8_t, a, best))
#include "cpu/extreme_template.h"
#define T uint16_t
#define NAME(word) word##_whole_16
#define TAKES(a, best) (WHOLE(int16_t, a, best))
#include "cpu/extreme_template.h"
#define T uint32_t
#define NAME(word) word##_whole_32
#define TAKES(a, best) (WHOLE(int32_t, a, best))
#include "cpu/extreme_template.h"
#define T uint64_t
#define NAME(word) word##_whole_64
#define TAKES(a, best) (WHOLE(int64_t, a, best))
#include "cpu/extreme_template.h"
#define T uint8_t
#define NAME(word) word##_truth
#define TAKES(a, best) ((((a) != 0) ^ (int)inversion) >= (((best) != 0) ^ (int)inversion))
#include "cpu/extreme_template.h"
#define T float
#define NAME(word) word##_f32
#define TAKES(a, best) (REAL(float, a, best))
#include "cpu/extreme_template.h"
#define T double
#define NAME(word) word##_f64
#define TAKES(a, best) (REAL(double, a, best))
#include "cpu/extreme_template.h"
#undef WHOLE
#undef REAL

/* f16 and bf16: numbers in the order of their values, NaN, which begins above `infinity`, beyond both ends. */
static inline int order_of(uint16_t bits) { return bits & 0x8000 ? -(bits & 0x7fff) : bits; }
static inline int takes_half(uint16_t a, uint16_t best, int inversion, int infinity)
{
    return ((a & 0x7fff) > infinity) |
           (((best & 0x7fff) <= infinity) & (inversion * order_of(a) >= inversion * order_of(best)));
}
#define T uint16_t
#define NAME(word) word##_f16
#define TAKES(a, best) takes_half(a, best, (int)inversion, 0x7c00)
#include "cpu/extreme_template.h"
#define T uint16_t
#define NAME(word) word##_bf16
#define TAKES(a, best) takes_half(a, best, (int)inversion, 0x7f80)
#include "cpu/extreme_template.h"

#define LOOPS(kind)                \
    {                              \
        row_##kind, columns_##kind \
    }
static const extreme_loops loops[STRIA_DTYPE_COUNT] = {
    [STRIA_BOOL] = LOOPS(truth),   [STRIA_U8] = LOOPS(whole_8),   [STRIA_I8] = LOOPS(whole_8),
    [STRIA_U16] = LOOPS(whole_16), [STRIA_I16] = LOOPS(whole_16), [STRIA_U32] = LOOPS(whole_32),
    [STRIA_I32] = LOOPS(whole_32), [STRIA_U64] = LOOPS(whole_64), [STRIA_I64] = LOOPS(whole_64),
    [STRIA_F16] = LOOPS(f16),      [STRIA_BF16] = LOOPS(bf16),    [STRIA_F32] = LOOPS(f32),
    [STRIA_F64] = LOOPS(f64),
};
#undef LOOPS

static int64_t get_inversion(stria_dtype dtype, bool smallest)
{
    const stria_category category = stria_dtype_get_category(dtype);

    if (category == STRIA_CATEGORY_F) return smallest ? -1 : 1;
    if (category == STRIA_CATEGORY_B) return smallest;
    const uint64_t top = category == STRIA_CATEGORY_U ? UINT64_C(1) << (8 * stria_dtype_get_size(dtype) - 1) : 0;
    return (int64_t)(smallest ? ~top : top);
}

/* ---------------------------------------------------------------- rows */

static void rows_range(void *context, int thread, int64_t begin, int64_t end)
{
    const extreme_task *task = context;
    const int           axis = task->axis;
    int64_t             n;

    (void)thread;
    for (int64_t k = begin; k < end; k += n) {
        const char *x = stria_row_get_data(task->x, axis, k);
        char       *values = stria_row_get_data(task->values, axis, k);
        char       *places = stria_row_get_data(task->places, axis, k);
        n = task->width - k % task->width; /* up to the last row of these side by side */
        n = n < COLUMNS ? n : COLUMNS;
        n = n < end - k ? n : end - k;
        if (task->width > 1)
            task->loops->columns(task, x, values, places, n);
        else
            task->loops->row(task, x, values, places);
    }
}

/* Rows count in row-major order: those along the last axis follow each other, where that is not their own. */
static int64_t get_width(const stria_tensor *x, const stria_tensor *values, const stria_tensor *indices, int axis)
{
    const int last = x->ndim - 1;

    if (last < 0 || axis == last || x->shape[last] < MIN_COLUMNS) return 1;
    return x->strides[last] == 1 && values->strides[last] == 1 && indices->strides[last] == 1 ? x->shape[last] : 1;
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
                                get_width(x, y[0], y[1], axis),
                                get_inversion(x->dtype, smallest),
                                &loops[x->dtype]};

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
