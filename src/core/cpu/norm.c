/* norm.c - the norm of order p, a family of folds (fold.h).
 *
 * Elements are converted to f64. The loops of the op table raise them to |x|^p, a tile at a time, and the kernels of the
 * reductions add each tile up. Both give the same bits on every instruction set. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cpu/complex_parts.h"
#include "cpu/fold.h"
#include "call/backend.h"
#include "call/call.h"
#include "tensor/shape.h"

#define TILE 1024 /* elements that are raised and added at once; they stay in L1 */

/* The square of an f64 may overflow or vanish. A tile whose sum of squares is outside these bounds is computed again from
 * scaled elements: multiplied by SCALE if the sum is too small, divided by it if it is too large. */
#define SUM_LEAST 0x1p-900
#define SUM_MOST 0x1p1000
#define SCALE 0x1p600

/* One sum for tiles of each size, that of scaled tiles still scaled. `lost` is what rounding took from `sum`. */
enum { SMALL, ORDINARY, LARGE, SIZES };
typedef struct norm_state {
    double sum[SIZES], lost[SIZES];
} norm_state;

typedef struct norm_task {
    const stria_kernels *kernels;
    stria_cast_loop     *store; /* f64 -> the result */
    stria_reduction      combine;
    double               p;
    bool                 is_scaled; /* squares of f64 */
} norm_task;

static const norm_task *task_of(const stria_fold *fold) { return fold->context; }

/* ---------------------------------------------------------------- elements */

static void run_1(const norm_task *task, stria_op op, void *out, const void *a, int64_t n)
{
    char *const   data[2] = {out, (char *)(uintptr_t)a};
    const int64_t stride[2] = {8, 8};
    task->kernels->lane[STRIA_F64]->loop[op](data, stride, n);
}

/* The second operand is one number. */
static void run_2(const norm_task *task, stria_op op, void *out, const void *a, double b, int64_t n)
{
    char *const   data[3] = {out, (char *)(uintptr_t)a, (char *)&b};
    const int64_t stride[3] = {op == STRIA_OP_ne ? 1 : 8, 8, 0};
    task->kernels->lane[STRIA_F64]->loop[op](data, stride, n);
}

/* out = |x|^p, or what takes its place: x != 0 for p = 0, |x| for infinite p. n <= TILE. */
static void get_powers(const norm_task *task, double *out, const void *x, int64_t n)
{
    if (task->p == 2) {
        run_1(task, STRIA_OP_square, out, x, n);
    } else if (task->p == 0) {
        char truth[TILE];
        run_2(task, STRIA_OP_ne, truth, x, 0, n);
        task->kernels->cast[STRIA_BOOL][STRIA_F64]((char *)out, 8, truth, 1, n);
    } else {
        run_1(task, STRIA_OP_abs, out, x, n);
        if (task->p != 1 && !isinf(task->p)) run_2(task, STRIA_OP_pow, out, out, task->p, n);
    }
}

/* ---------------------------------------------------------------- sums */

static void start(norm_state *state, double extreme)
{
    memset(state, 0, sizeof *state);
    state->sum[ORDINARY] = extreme;
}

/* Adds to one of the sums. What is lost counts only beside a finite sum (Knuth, TAOCP 2). */
static void add(norm_state *state, int size, double value)
{
    const double a = state->sum[size], s = a + value, part = s - a;
    state->sum[size] = s;
    if (isfinite(s)) state->lost[size] += (a - (s - part)) + (value - part);
}

/* Adds the value of one tile or column to the state; for infinite p, keeps the better one. */
static void take(const norm_task *task, norm_state *state, int size, double value)
{
    const double best = state->sum[ORDINARY];
    if (task->combine == STRIA_RED_sum)
        add(state, size, value);
    else if (!isnan(best) && (isnan(value) || (task->combine == STRIA_RED_amax ? value > best : value < best)))
        state->sum[ORDINARY] = value;
}

/* Neutral for `take`. */
static double neutral(const norm_task *task) { return task->combine == STRIA_RED_amin ? INFINITY : 0; }

static int size_of(const norm_task *task, double sum)
{
    if (!task->is_scaled || (sum >= SUM_LEAST && sum <= SUM_MOST)) return ORDINARY;
    return sum < SUM_LEAST ? SMALL : LARGE;
}
static double scale_of(int size) { return size == SMALL ? SCALE : 1 / SCALE; }

static void row(const stria_fold *fold, void *state, const char *block, int64_t first, int64_t n, bool begin)
{
    const norm_task *task = task_of(fold);
    double           raised[TILE], value;

    (void)first;
    if (begin) start(state, neutral(task));
    for (int64_t at = 0, run; at < n; at += run) {
        run = n - at < TILE ? n - at : TILE;
        get_powers(task, raised, block + at * 8, run);
        task->kernels->lane[STRIA_F64]->row[task->combine]((char *)&value, (const char *)raised, run);
        const int size = size_of(task, value);
        if (size != ORDINARY) {
            run_2(task, STRIA_OP_mul, raised, block + at * 8, scale_of(size), run);
            get_powers(task, raised, raised, run);
            task->kernels->lane[STRIA_F64]->row[STRIA_RED_sum]((char *)&value, (const char *)raised, run);
        }
        take(task, state, size, value);
    }
}

static void merge(const stria_fold *fold, void *state, const void *later)
{
    norm_state       *s = state;
    const norm_state *l = later;
    take(task_of(fold), s, ORDINARY, l->sum[ORDINARY]);
    s->lost[ORDINARY] += l->lost[ORDINARY];
    for (int size = SMALL; size <= LARGE; size += LARGE - SMALL) {
        add(s, size, l->sum[size]);
        s->lost[size] += l->lost[size];
    }
}

/* Column j of a few rows whose squares left the range. */
static double scaled_squares(const char *rows, int64_t stride_bytes, int64_t n_rows, int64_t j, double scale)
{
    double sum = 0;
    for (int64_t r = 0; r < n_rows; r++) {
        double v;
        memcpy(&v, rows + r * stride_bytes + j * 8, sizeof v);
        v *= scale;
        sum += v * v;
    }
    return sum;
}

static void columns(const stria_fold *fold, void *states, const char *rows, int64_t stride_bytes, int64_t first,
                    int64_t n_rows, int64_t n)
{
    const norm_task *task = task_of(fold);
    norm_state      *s = states;
    double           raised[STRIA_FOLD_COLUMNS], sum[STRIA_FOLD_COLUMNS];

    get_powers(task, sum, rows, n);
    for (int64_t r = 1; r < n_rows; r++) {
        get_powers(task, raised, rows + r * stride_bytes, n);
        task->kernels->lane[STRIA_F64]->columns[task->combine]((char *)sum, 0, 0, false, (const char *)raised, 0, 1, n);
    }
    for (int64_t j = 0; j < n; j++) {
        const int size = size_of(task, sum[j]);
        if (size != ORDINARY) sum[j] = scaled_squares(rows, stride_bytes, n_rows, j, scale_of(size));
        if (first == 0) start(&s[j], neutral(task));
        take(task, &s[j], size, sum[j]);
    }
}

/* ---------------------------------------------------------------- the result */

static double get_sum(const norm_state *s, int size) { return s->sum[size] + s->lost[size]; }

/* The square root of the sum of the largest sizes that count. */
static double get_root(const norm_state *s)
{
    const double small = get_sum(s, SMALL), ordinary = get_sum(s, ORDINARY), large = get_sum(s, LARGE);

    if (large != 0) return sqrt(large + ordinary / SCALE / SCALE) * SCALE;
    return ordinary != 0 ? sqrt(ordinary + small / SCALE / SCALE) : sqrt(small) / SCALE;
}

static void store(const stria_fold *fold, char *out, int64_t out_stride, void *states, int64_t n)
{
    const norm_task  *task = task_of(fold);
    const norm_state *s = states;

    for (int64_t j = 0; j < n; j++) {
        double value = task->p == 2 ? get_root(&s[j]) : get_sum(&s[j], ORDINARY);
        if (task->p != 2 && task->p != 0 && task->p != 1 && !isinf(task->p))
            run_2(task, STRIA_OP_pow, &value, &value, 1 / task->p, 1);
        task->store(out + j * out_stride, 0, (const char *)&value, 0, 1);
    }
}

static const stria_fold_family family = {.state_bytes = sizeof(norm_state),
                                         .rows = STRIA_FOLD_ROWS,
                                         .row = row,
                                         .merge = merge,
                                         .store = store,
                                         .columns = columns};

/* ---------------------------------------------------------------- the row */

stria_status stria_infer_norm(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_norm_attrs *attrs = call->attrs;
    const stria_tensor     *x = call->in[0];
    const double            p = attrs->p;

    STRIA_TRY(stria_infer_float_reduction(call, attrs->dim, attrs->keepdim, attrs->dtype, meta, err));
    if (isnan(p)) return stria_error_set(err, STRIA_ERR_ARGUMENT, "norm", "p", "a number", "NaN", "p is NaN");
    if (x->numel > 0 || stria_shape_is_empty(meta->out[0].ndim, meta->out[0].shape) || (p >= 0 && !isinf(p)))
        return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_EMPTY, "norm", "x", "elements along every reduced axis", NULL,
                           "x has no elements, and there is no norm of order %g of nothing", p);
}

stria_status stria_cpu_norm(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_norm_attrs *attrs = call->attrs;
    const stria_kernels    *kernels = stria_dispatch_get();
    const stria_tensor     *x = call->in[0];
    const double            p = attrs->p;
    const stria_reduction   combine = !isinf(p) ? STRIA_RED_sum : p > 0 ? STRIA_RED_amax : STRIA_RED_amin;
    if (stria_dtype_is_complex(x->dtype)) return stria_complex_norm(x, p, meta->axes, y[0], err);
    const norm_task task = {kernels, kernels->cast[STRIA_F64][y[0]->dtype], combine, p,
                            p == 2 && x->dtype == STRIA_F64};
    stria_fold      fold = {.family = &family,
                            .context = &task,
                            .kernels = kernels,
                            .op = "norm",
                            .x = x,
                            .y = y[0],
                            .reduced = meta->axes,
                            .keepdim = attrs->keepdim,
                            .compute = STRIA_F64};

    return x->numel == 0 ? stria_backend_fill(y[0], stria_scalar_get(0), err) : stria_fold_run(&fold, err);
}
