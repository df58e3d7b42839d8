/* logsumexp.c - log(sum of exp(x)), a family of folds (fold.h).
 *
 * A state is the largest element so far, the pivot, and the sum of exp(x - pivot). Of a block the loops of the op table make the
 * terms, and the kernels of the reductions add them up: the same bits on every instruction set. An infinite pivot counts as 0:
 * then exp gives 0 or an infinity, and NaN only where an element is NaN. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "call/backend.h"
#include "call/call.h"
#include "cpu/fold.h"

#define TILE 1024 /* terms that are made and added at once; they stay in L1 */

typedef struct exp_state {
    double pivot, sum;
} exp_state;

/* context: the loops of the compute dtype */
static const stria_lane_kernels *lane_of(const stria_fold *fold) { return fold->context; }

/* out = x op other, of n elements of `size` bytes; other_step 0: other is one element */
static void run_2(const stria_lane_kernels *lane, stria_op op, int64_t size, char *out, const char *x,
                  const char *other, int64_t other_step, int64_t n)
{
    char *const   data[3] = {out, (char *)(uintptr_t)x, (char *)(uintptr_t)other};
    const int64_t steps[3] = {size, size, other_step};
    lane->loop[op](data, steps, n);
}

static void run_1(const stria_lane_kernels *lane, stria_op op, int64_t size, char *out, const char *x, int64_t n)
{
    char *const   data[2] = {out, (char *)(uintptr_t)x};
    const int64_t steps[2] = {size, size};
    lane->loop[op](data, steps, n);
}

static double read_number(const char *at, int64_t size)
{
    float  narrow;
    double wide;

    if (size == sizeof wide) return memcpy(&wide, at, sizeof wide), wide;
    return memcpy(&narrow, at, sizeof narrow), narrow;
}

static void write_number(char *at, int64_t size, double value)
{
    const float narrow = (float)value;

    if (size == sizeof value)
        memcpy(at, &value, sizeof value);
    else
        memcpy(at, &narrow, sizeof narrow);
}

/* ---------------------------------------------------------------- states */

static double exp_f64(const stria_fold *fold, double x)
{
    run_1(fold->kernels->lane[STRIA_F64], STRIA_OP_exp, 8, (char *)&x, (const char *)&x, 1);
    return x;
}

/* Joins what comes behind. The larger pivot stays; both are numbers. */
static void join(const stria_fold *fold, exp_state *s, exp_state later)
{
    if (later.pivot == s->pivot) {
        s->sum += later.sum;
    } else if (later.pivot < s->pivot) {
        s->sum += later.sum * exp_f64(fold, later.pivot - s->pivot);
    } else {
        s->sum = s->sum * exp_f64(fold, s->pivot - later.pivot) + later.sum;
        s->pivot = later.pivot;
    }
}

/* A sum of 0 is that of elements that are all -infinity: it has no pivot of its own. An infinity and NaN are not scaled. */
static void take(const stria_fold *fold, exp_state *s, exp_state later, bool begin)
{
    if (begin || s->sum == 0)
        *s = later;
    else if (!isfinite(s->sum) || !isfinite(later.sum))
        s->sum += later.sum;
    else if (later.sum != 0)
        join(fold, s, later);
}

static double get_pivot(double largest) { return isfinite(largest) ? largest : 0; }

static void row(const stria_fold *fold, void *state, const char *block, int64_t first, int64_t n, bool begin)
{
    const stria_lane_kernels *lane = lane_of(fold);
    const int64_t             size = fold->plan->size;
    _Alignas(64) char         terms[TILE * 8];
    char                      value[8];
    exp_state                 all = {0, 0};

    (void)first;
    lane->row[STRIA_RED_amax](value, block, n);
    all.pivot = get_pivot(read_number(value, size));
    for (int64_t at = 0, run; at < n; at += run) {
        run = n - at < TILE ? n - at : TILE;
        write_number(value, size, all.pivot);
        run_2(lane, STRIA_OP_sub, size, terms, block + at * size, value, 0, run);
        run_1(lane, STRIA_OP_exp, size, terms, terms, run);
        lane->row[STRIA_RED_sum](value, terms, run);
        all.sum += read_number(value, size);
    }
    take(fold, state, all, begin);
}

static void merge(const stria_fold *fold, void *state, const void *later)
{
    take(fold, state, *(const exp_state *)later, false);
}

static void columns(const stria_fold *fold, void *states, const char *rows, int64_t stride_bytes, int64_t first,
                    int64_t n_rows, int64_t n)
{
    const stria_lane_kernels *lane = lane_of(fold);
    const int64_t             size = fold->plan->size;
    _Alignas(64) char pivots[STRIA_FOLD_COLUMNS * 8], sums[STRIA_FOLD_COLUMNS * 8], terms[STRIA_FOLD_COLUMNS * 8];
    exp_state        *s = states;

    memcpy(pivots, rows, (size_t)(n * size));
    if (n_rows > 1)
        lane->columns[STRIA_RED_amax](pivots, 0, 0, false, rows + stride_bytes, stride_bytes, n_rows - 1, n);
    for (int64_t j = 0; j < n; j++)
        write_number(pivots + j * size, size, get_pivot(read_number(pivots + j * size, size)));
    for (int64_t r = 0; r < n_rows; r++) {
        char *to = r == 0 ? sums : terms;
        run_2(lane, STRIA_OP_sub, size, to, rows + r * stride_bytes, pivots, size, n);
        run_1(lane, STRIA_OP_exp, size, to, to, n);
        if (r > 0) lane->columns[STRIA_RED_sum](sums, 0, 0, false, terms, 0, 1, n);
    }
    for (int64_t j = 0; j < n; j++) {
        const exp_state later = {read_number(pivots + j * size, size), read_number(sums + j * size, size)};
        take(fold, &s[j], later, first == 0);
    }
}

/* ---------------------------------------------------------------- the result */

static void store(const stria_fold *fold, char *out, int64_t out_stride, void *states, int64_t n)
{
    stria_cast_loop *cast = fold->kernels->cast[STRIA_F64][fold->y->dtype];
    const exp_state *s = states;
    double           values[STRIA_FOLD_ROWS];

    for (int64_t at = 0, run; at < n; at += run) {
        run = n - at < STRIA_FOLD_ROWS ? n - at : STRIA_FOLD_ROWS;
        for (int64_t j = 0; j < run; j++) values[j] = s[at + j].sum;
        run_1(fold->kernels->lane[STRIA_F64], STRIA_OP_log, 8, (char *)values, (const char *)values, run);
        for (int64_t j = 0; j < run; j++) values[j] += s[at + j].pivot;
        cast(out + at * out_stride, out_stride, (const char *)values, 8, run);
    }
}

static const stria_fold_family family = {.state_bytes = sizeof(exp_state),
                                         .rows = STRIA_FOLD_ROWS,
                                         .row = row,
                                         .merge = merge,
                                         .store = store,
                                         .columns = columns};

/* ---------------------------------------------------------------- the row */

stria_status stria_infer_logsumexp(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_logsumexp_attrs *attrs = call->attrs;
    const stria_category         category = stria_dtype_get_category(call->in[0]->dtype);
    const stria_dtype            converted = category < STRIA_CATEGORY_F ? STRIA_F32 : STRIA_DTYPE_NONE;

    if (category == STRIA_CATEGORY_C)
        return stria_infer_refuse_dtype(call, "x", call->in[0]->dtype, "bool, integer or float", err);
    STRIA_TRY(stria_infer_axes("logsumexp", "dim", call->in[0], attrs->dim.at, attrs->dim.n, &meta->axes, err));
    stria_infer_reduced_shape(call->in[0], attrs->keepdim,
                              converted != STRIA_DTYPE_NONE ? converted : call->in[0]->dtype, meta);
    return STRIA_OK;
}

stria_status stria_cpu_logsumexp(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                 stria_error *err)
{
    const stria_logsumexp_attrs *attrs = call->attrs;
    const stria_kernels         *kernels = stria_dispatch_get();
    const stria_tensor          *x = call->in[0];
    const stria_dtype            compute = stria_dtype_get_compute(meta->out[0].dtype);
    stria_fold                   fold = {.family = &family,
                                         .context = kernels->lane[compute],
                                         .kernels = kernels,
                                         .op = "logsumexp",
                                         .x = x,
                                         .y = y[0],
                                         .reduced = meta->axes,
                                         .keepdim = attrs->keepdim,
                                         .compute = compute};

    return x->numel == 0 ? stria_backend_fill(y[0], stria_scalar_get(-(double)INFINITY), err)
                         : stria_fold_run(&fold, err);
}
