/* convolution_shift.c - convolutions with few results in a group, such as depthwise ones, and steps of 1 along the last two axes (convolution.h).
 *
 * Rows of x lie in a buffer one behind another, each with the zeros around it. So does a line of results, with as many elements a row: then a tap
 * meets the same row of x everywhere, shifted. What lies in the line between the rows of results is computed and not stored. An image is cut into
 * strips of rows, and where rows are long into pieces of rows; the cuts do not depend on the number of threads. */
#include <string.h>

#include "cpu/convolution.h"
#include "cpu/matmul_plan.h"

#define STRIP_BYTES 65536 /* of x in the buffer, about */
#define LEAST_COLUMNS 64

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Elements between those that the outermost taps meet. */
static int64_t get_span(const stria_conv_axis *axis)
{
    return (axis->taps - 1) * (int64_t)stria_magnitude(axis->tap_step);
}

/* From the element that tap 0 meets to the lowest that any tap meets: negative or 0. */
static int64_t get_lowest(const stria_conv_axis *axis) { return smaller(0, (axis->taps - 1) * axis->tap_step); }

typedef struct shift_job {
    const stria_conv_plan *plan;
    int64_t                rows, n_strips;    /* of results, of a strip; strips of a piece */
    int64_t                columns, n_pieces; /* of results, of a piece; pieces of an image */
    int64_t                width;             /* elements of a row in the buffer */
    int64_t                pitch;             /* elements of a line of results */
    size_t                 line_bytes, part_bytes;
    char                  *buffers;
} shift_job;

/* What two strips or pieces both read is at most half of each (plan_cuts), as the smallest fits the buffer. */
bool stria_conv_can_shift(const stria_conv_plan *plan)
{
    const stria_conv_axis *rows = &plan->axis[1], *last = &plan->axis[2];
    const int64_t          fits = STRIP_BYTES / plan->item;

    return plan->m < STRIA_CONV_FEW_ROWS && plan->k > plan->channels && rows->step == 1 && last->step == 1 &&
           get_span(rows) < fits && get_span(last) < fits &&
           (get_span(rows) + 1) * (2 * get_span(last) + LEAST_COLUMNS) <= fits && get_span(last) <= last->out &&
           get_span(rows) <=
               2 * rows->out; /* else most of what is computed lies between the rows, or is copied for one */
}

/* Equal parts of n, of at most `most`. */
static int64_t cut(int64_t n, int64_t most, int64_t *part)
{
    *part = (n - 1) / ((n - 1) / most + 1) + 1;
    return (n - 1) / *part + 1;
}

static void plan_cuts(shift_job *j)
{
    const stria_conv_plan *plan = j->plan;
    const int64_t          span = get_span(&plan->axis[1]), last = get_span(&plan->axis[2]);
    const int64_t          fits = STRIP_BYTES / plan->item;
    const int64_t          worth = 4 * STRIA_MATMUL_GRAIN / (plan->m * plan->k); /* results that pay a thread */
    const int64_t          most_columns = smaller(fits / (2 * span + 1) - last, worth);

    j->n_pieces = cut(plan->axis[2].out, larger(most_columns, larger(last, LEAST_COLUMNS)), &j->columns);
    j->width = j->columns + last;
    const int64_t most_rows = smaller(fits / j->width - span, worth / j->width);
    j->n_strips = cut(plan->axis[1].out, larger(most_rows, larger(span, 1)), &j->rows);
    j->pitch = j->rows * j->width;
    j->line_bytes = (size_t)((plan->m * j->pitch * plan->item + 63) / 64 * 64);
    j->part_bytes = j->line_bytes + (size_t)((j->rows + span) * j->width * plan->item);
}

/* The part of row `at` of a channel, at position i of the first axis, that a piece from column `begin` on reads; zeros alone where there is no such
 * row. What lies beyond the ends of x is left as it is: the same elements of all rows of a piece, which run_range cleared. */
static void copy_row(const shift_job *j, const char *x, int64_t i, int64_t at, int64_t begin, char *dst)
{
    const stria_conv_plan *plan = j->plan;
    const stria_conv_axis *axis = plan->axis, *last = &axis[2];
    const int64_t          item = plan->item, first = begin + last->first + get_lowest(last);
    const int64_t          low = smaller(larger(-first, 0), j->width), high = smaller(last->in - first, j->width);

    if (i < 0 || i >= axis[0].in || at < 0 || at >= axis[1].in) {
        memset(dst, 0, (size_t)(j->width * item));
        return;
    }
    if (high <= low) return;
    const char *from = x + (i * axis[0].x_stride + at * axis[1].x_stride + (first + low) * last->x_stride) * item;
    if (last->x_stride == 1)
        memcpy(dst + low * item, from, (size_t)((high - low) * item));
    else
        plan->gather(dst + low * item, from, last->x_stride * item, high - low);
}

/* The lines += what channel c of the group adds by taps t of the first axis, whose rows are in the buffer. */
static void add_taps(const shift_job *j, int64_t g, int64_t c, int64_t t, const char *buffer, char *lines, int64_t n)
{
    const stria_conv_plan *plan = j->plan;
    const stria_conv_axis *axis = plan->axis;
    const int64_t          item = plan->item;

    for (int64_t row = 0; row < axis[1].taps; row++) {
        const int64_t shift = (row * axis[1].tap_step - get_lowest(&axis[1])) * j->width - get_lowest(&axis[2]);
        for (int64_t i = 0; i < plan->m; i++) {
            const int64_t weight = (((g * plan->m + i) * plan->channels + c) * axis[0].taps + t) * axis[1].taps + row;
            plan->gemm->axpy(lines + i * j->pitch * item, buffer + shift * item, axis[2].tap_step,
                             plan->weights + weight * axis[2].taps * item, n, axis[2].taps);
        }
    }
}

static void store_row(const stria_conv_plan *plan, char *y, const char *line, int64_t n)
{
    const int64_t stride = plan->axis[2].y_stride;

    if (stride == 1)
        memcpy(y, line, (size_t)(n * plan->item));
    else
        plan->scatter(y, stride * plan->item, line, n);
}

/* A strip of a piece at one position of the first axis, of one image and group. */
static void run_strip(const shift_job *j, int64_t number, char *lines)
{
    const stria_conv_plan *plan = j->plan;
    const stria_conv_axis *axis = plan->axis;
    const int64_t          item = plan->item, span = get_span(&axis[1]);
    const int64_t          strip = number % j->n_strips, piece = number / j->n_strips % j->n_pieces;
    const int64_t rest = number / j->n_strips / j->n_pieces, a = rest % axis[0].out, image = rest / axis[0].out;
    const int64_t g = image % plan->groups, n = image / plan->groups;
    const int64_t begin = strip * j->rows, rows = smaller(j->rows, axis[1].out - begin);
    const int64_t left = piece * j->columns, columns = smaller(j->columns, axis[2].out - left);
    const int64_t first = begin + axis[1].first + get_lowest(&axis[1]);
    const int64_t count = (rows - 1) * j->width + columns; /* of a line: from the first result to the last */
    const char   *x = stria_conv_get_image(plan, n, g);
    char *const   buffer = lines + j->line_bytes;
    char *const   y = plan->y + (n * plan->y_batch + g * plan->m * plan->y_channel + a * axis[0].y_stride +
                               begin * axis[1].y_stride + left * axis[2].y_stride) *
                                  item;

    stria_conv_begin(plan, g, lines, j->pitch, count);
    for (int64_t c = 0; c < plan->channels; c++)
        for (int64_t t = 0; t < axis[0].taps; t++) {
            const int64_t i = a * axis[0].step + t * axis[0].tap_step + axis[0].first;
            for (int64_t row = 0; row < rows + span; row++)
                copy_row(j, x + c * plan->x_channel * item, i, first + row, left, buffer + row * j->width * item);
            add_taps(j, g, c, t, buffer, lines, count);
        }
    for (int64_t i = 0; i < plan->m; i++)
        for (int64_t row = 0; row < rows; row++)
            store_row(plan, y + (i * plan->y_channel + row * axis[1].y_stride) * item,
                      lines + (i * j->pitch + row * j->width) * item, columns);
}

static void run_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const shift_job *j = context;
    char *const      lines = j->buffers + (size_t)chunk * j->part_bytes;
    int64_t          last = -1;

    for (int64_t k = begin; k < end; k++) {
        const int64_t piece = k / j->n_strips % j->n_pieces;
        if (piece != last) memset(lines + j->line_bytes, 0, j->part_bytes - j->line_bytes);
        last = piece;
        run_strip(j, k, lines);
    }
}

stria_status stria_conv_plan_run_shifted(const stria_conv_plan *plan, const char *name, stria_error *err)
{
    shift_job j = {.plan = plan};

    plan_cuts(&j);
    const int64_t n = plan->batch * plan->groups * plan->axis[0].out * j.n_pieces * j.n_strips;
    const double  work = (double)plan->m * (double)j.pitch * (double)(plan->k + 1);
    return stria_conv_run_items(n, work, j.part_bytes, &j.buffers, run_range, &j, name, err);
}
