/* convolution_pack.c - windows of x as lines that the loops of matrix products read (convolution.h). */
#include <string.h>

#include "cpu/convolution.h"

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t clip(int64_t value, int64_t low, int64_t high) { return smaller(larger(value, low), high); }

/* Positions [low, high) of an axis at which a tap that begins at `at` meets elements of x. */
static void get_inside(const stria_conv_axis *axis, int64_t at, int64_t *low, int64_t *high)
{
    *low = at >= 0 ? 0 : (-1 - at) / axis->step + 1;
    *high = at >= axis->in ? 0 : (axis->in - 1 - at) / axis->step + 1;
    *low = smaller(*low, axis->out);
    *high = clip(*high, *low, axis->out);
}

/* One tap of each axis. */
typedef struct tap {
    const char *x;                   /* the channel */
    int64_t     at[STRIA_CONV_DIMS]; /* of position 0 */
    int64_t     low, high;           /* along the last axis */
} tap;

/* Positions [o, o + n) of the last axis at positions a and b of the others. */
static void pack_run(const stria_conv_plan *plan, const tap *t, int64_t a, int64_t b, int64_t o, int64_t n, char *dst)
{
    const stria_conv_axis *axis = plan->axis;
    const int64_t          i = a * axis[0].step + t->at[0], j = b * axis[1].step + t->at[1], item = plan->item;
    int64_t                low = clip(t->low - o, 0, n), high = clip(t->high - o, 0, n);

    if (i < 0 || i >= axis[0].in || j < 0 || j >= axis[1].in) low = high = 0;
    if (low > 0) memset(dst, 0, (size_t)(low * item));
    if (high > low) {
        const int64_t at = (o + low) * axis[2].step + t->at[2], step = axis[2].step * axis[2].x_stride;
        const char   *from = t->x + (i * axis[0].x_stride + j * axis[1].x_stride + at * axis[2].x_stride) * item;
        if (step == 1)
            memcpy(dst + low * item, from, (size_t)((high - low) * item));
        else
            plan->gather(dst + low * item, from, step * item, high - low);
    }
    if (high < n) memset(dst + high * item, 0, (size_t)((n - high) * item));
}

static void pack_line(const stria_conv_plan *plan, const tap *t, int64_t o, int64_t n_o, char *dst)
{
    const stria_conv_axis *axis = plan->axis;
    int64_t                last = o % axis[2].out, rest = o / axis[2].out;
    int64_t                b = rest % axis[1].out, a = rest / axis[1].out;

    for (int64_t done = 0; done < n_o;) {
        const int64_t n = smaller(axis[2].out - last, n_o - done);
        pack_run(plan, t, a, b, last, n, dst + done * plan->item);
        done += n;
        last = 0;
        if (++b < axis[1].out) continue;
        b = 0;
        a++;
    }
}

void stria_conv_pack(const stria_conv_plan *plan, const char *x, int64_t p, int64_t n_p, int64_t o, int64_t n_o,
                     char *dst, int64_t pitch)
{
    for (int64_t line = 0; line < n_p; line++) {
        tap     t;
        int64_t rest = p + line;
        for (int d = STRIA_CONV_DIMS - 1; d >= 0; d--) {
            const stria_conv_axis *axis = &plan->axis[d];
            t.at[d] = rest % axis->taps * axis->tap_step + axis->first;
            rest /= axis->taps;
        }
        t.x = x + rest * plan->x_channel * plan->item;
        get_inside(&plan->axis[STRIA_CONV_DIMS - 1], t.at[STRIA_CONV_DIMS - 1], &t.low, &t.high);
        pack_line(plan, &t, o, n_o, dst + line * pitch * plan->item);
    }
}

void stria_conv_plan_end(stria_conv_plan *plan)
{
    plan->k = plan->channels;
    plan->positions = 1;
    for (int d = 0; d < STRIA_CONV_DIMS; d++) {
        plan->k *= plan->axis[d].taps;
        plan->positions *= plan->axis[d].out;
    }
}
