/* test_convolution.c - convolutions, plain and transposed, and the gradient of their weights against plain loops in double: dims, groups, strides,
 * padding, dilation, dtypes, layouts, threads, empty batches, META, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"
#include "oracle.h"
#include "refused.h"
#include "stria_graph.h"
#include "suite.h"
#include "tensor/tensor.h"

typedef struct scene {
    int     n; /* axes behind batch and channels */
    bool    transposed;
    int64_t batch, channels, out, groups;
    int64_t in[3], taps[3], stride[3], padding[3], dilation[3], more[3];
} scene;

#define ONES    \
    {           \
        1, 1, 1 \
    }
#define NONE    \
    {           \
        0, 0, 0 \
    }
static const scene scenes[] = {
    {1, false, 2, 3, 4, 1, {9}, {3}, ONES, NONE, ONES, NONE},
    {1, false, 3, 2, 1, 1, {7}, {7}, {3}, {2}, ONES, NONE},
    {1, false, 1, 4, 6, 2, {40}, {5}, {2}, {3}, {3}, NONE},
    {2, false, 2, 3, 5, 1, {6, 7}, {3, 3}, ONES, {1, 1}, ONES, NONE},
    {2, false, 2, 3, 8, 1, {15, 17}, {7, 7}, {2, 2}, {3, 3}, ONES, NONE},
    {2, false, 2, 6, 6, 6, {9, 8}, {3, 3}, ONES, {1, 1}, ONES, NONE},
    {2, false, 1, 6, 12, 6, {9, 8}, {3, 2}, {2, 1}, {0, 1}, {1, 2}, NONE},
    {2, false, 3, 8, 6, 2, {5, 4}, {1, 1}, ONES, NONE, ONES, NONE},
    {2, false, 2, 5, 7, 1, {6, 6}, {1, 1}, {2, 2}, {1, 1}, ONES, NONE},
    {2, false, 1, 2, 3, 1, {4, 5}, {2, 2}, ONES, {5, 6}, {3, 2}, NONE},
    {2, false, 1, 70, 40, 1, {8, 9}, {3, 3}, ONES, {1, 1}, ONES, NONE},
    {2, false, 2, 3, 20, 1, {40, 50}, {3, 3}, ONES, {1, 1}, ONES, NONE},
    {3, false, 2, 3, 4, 1, {4, 5, 6}, {2, 3, 2}, {1, 2, 1}, {1, 0, 1}, {2, 1, 1}, NONE},
    {3, false, 1, 4, 4, 4, {3, 4, 5}, {3, 3, 3}, ONES, {1, 1, 1}, ONES, NONE},
    /* the last taps of which are shifts, and the first that are not; rows that do not fit the buffer of few results at once */
    {2, false, 2, 2, 2, 2, {5, 7}, {3, 5}, ONES, {1, 1}, ONES, NONE},
    {2, false, 2, 2, 2, 2, {5, 6}, {3, 5}, ONES, {1, 1}, ONES, NONE},
    {1, false, 1, 1, 2, 1, {17000}, {3}, ONES, {1}, {30}, NONE},
    {2, false, 1, 2, 2, 2, {150, 140}, {3, 5}, ONES, {1, 2}, ONES, NONE},
    {3, false, 1, 2, 3, 1, {3, 70, 130}, {2, 4, 3}, {2, 1, 1}, {0, 4, 1}, {1, 2, 1}, NONE},
    {1, true, 2, 3, 4, 1, {5}, {3}, ONES, NONE, ONES, NONE},
    {1, true, 2, 4, 6, 2, {6}, {4}, {3}, {1}, {2}, {2}},
    {1, true, 1, 1, 1, 1, {3}, {2}, {5}, NONE, ONES, {4}},
    {1, true, 1, 2, 2, 1, {4}, {3}, {2}, {1}, {5}, {4}},
    {2, true, 2, 3, 5, 1, {4, 5}, {3, 3}, {2, 2}, {1, 1}, ONES, {1, 1}},
    {2, true, 1, 4, 4, 4, {4, 5}, {4, 4}, {2, 2}, {1, 1}, ONES, NONE},
    {2, true, 2, 6, 4, 2, {5, 4}, {1, 1}, ONES, NONE, ONES, NONE},
    {2, true, 1, 3, 2, 1, {120, 150}, {3, 4}, ONES, {1, 1}, {1, 2}, NONE},
    {2, true, 1, 12, 9, 1, {7, 6}, {3, 2}, ONES, {1, 0}, {1, 2}, NONE},
    {2, true, 1, 2, 3, 1, {4, 4}, {3, 3}, {4, 6}, {2, 1}, {2, 4}, {3, 0}},
    {3, true, 2, 4, 2, 2, {3, 2, 4}, {2, 3, 2}, {1, 2, 2}, {0, 1, 0}, {2, 1, 1}, {0, 1, 1}},
};
enum { N_SCENES = sizeof scenes / sizeof *scenes };

/* ---------------------------------------------------------------- plain loops */

static double get(const stria_tensor *x, const int64_t *index)
{
    return value_get(stria_tensor_get_dtype(x), tensor_at(x, index)).real;
}

static int64_t get_out(const scene *s, int d)
{
    const int64_t reach = (s->taps[d] - 1) * s->dilation[d] + 1;

    if (s->transposed) return (s->in[d] - 1) * s->stride[d] - 2 * s->padding[d] + reach + s->more[d];
    return (s->in[d] + 2 * s->padding[d] - reach) / s->stride[d] + 1;
}

/* Calls visit for each pair of an element of x and of y that a weight connects; indices have batch and channels first. */
typedef void visit_fn(void *context, const int64_t *x, const int64_t *weight, const int64_t *y);

static void visit_taps(const scene *s, const int64_t *small, int64_t channel, visit_fn *visit, void *context)
{
    const int64_t per_in = s->channels / s->groups, per_out = s->out / s->groups;
    int64_t       taps[3] = {1, 1, 1}, t[3] = {0};

    for (int d = 0; d < s->n; d++) taps[d] = s->taps[d];
    do {
        int64_t large[5] = {small[0]}, weight[5];
        bool    is_inside = true;
        for (int d = 0; d < s->n; d++) {
            large[d + 2] = small[d + 2] * s->stride[d] + t[d] * s->dilation[d] - s->padding[d];
            is_inside = is_inside && large[d + 2] >= 0 && large[d + 2] < (s->transposed ? get_out(s, d) : s->in[d]);
            weight[d + 2] = t[d];
        }
        if (!is_inside) continue;
        /* `small` has the channel of the side that weights list first */
        const int64_t group = small[1] / (s->transposed ? per_in : per_out);
        large[1] = group * (s->transposed ? per_out : per_in) + channel;
        weight[0] = small[1];
        weight[1] = channel;
        visit(context, s->transposed ? small : large, weight, s->transposed ? large : small);
    } while (index_next(3, taps, t));
}

static void visit_all(const scene *s, visit_fn *visit, void *context)
{
    int64_t       shape[5] = {s->batch, s->transposed ? s->channels : s->out, 1, 1, 1}, small[5] = {0};
    const int64_t n = (s->transposed ? s->out : s->channels) / s->groups;

    for (int d = 0; d < s->n; d++) shape[d + 2] = s->transposed ? s->in[d] : get_out(s, d);
    if (s->batch == 0) return;
    do
        for (int64_t channel = 0; channel < n; channel++) visit_taps(s, small, channel, visit, context);
    while (index_next(5, shape, small));
}

typedef struct sums {
    const scene        *s;
    const stria_tensor *x, *weight, *gradient;
    int64_t             shape[5]; /* of the sums */
    double             *at, *size;
} sums;

static int64_t get_place(const sums *t, const int64_t *index)
{
    int64_t place = 0;

    for (int d = 0; d < t->s->n + 2; d++) place = place * t->shape[d] + index[d];
    return place;
}

static void add(const sums *t, const int64_t *to, double value)
{
    const int64_t place = get_place(t, to);

    t->at[place] += value;
    t->size[place] += fabs(value);
}

static void add_result(void *context, const int64_t *x, const int64_t *weight, const int64_t *y)
{
    const sums *t = context;

    add(t, y, get(t->weight, weight) * get(t->x, x));
}

static void add_weight(void *context, const int64_t *x, const int64_t *weight, const int64_t *y)
{
    const sums *t = context;

    add(t, weight, get(t->gradient, y) * get(t->x, x));
}

/* ---------------------------------------------------------------- calls */

static stria_status call(const scene *s, const stria_tensor *x, const stria_tensor *weight, const stria_tensor *bias,
                         stria_tensor **y, stria_error *err)
{
#define PLAIN x, weight, bias, s->stride, s->padding, s->dilation, s->groups, y, err
#define TRANSPOSED x, weight, bias, s->stride, s->padding, s->more, s->groups, s->dilation, y, err
    if (s->transposed)
        return s->n == 1   ? stria_conv_transpose1d(TRANSPOSED)
               : s->n == 2 ? stria_conv_transpose2d(TRANSPOSED)
                           : stria_conv_transpose3d(TRANSPOSED);
    return s->n == 1 ? stria_conv1d(PLAIN) : s->n == 2 ? stria_conv2d(PLAIN) : stria_conv3d(PLAIN);
#undef PLAIN
#undef TRANSPOSED
}

static double get_tolerance(stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_F64: return 1e-14;
    case STRIA_F32: return 1e-6;
    case STRIA_F16: return 1e-3;
    case STRIA_BF16: return 8e-3;
    default: return 0;
    }
}

/* y is the sums in its dtype; integers wrap, so that small ones are compared modulo their size. */
static void compare(const stria_tensor *y, const sums *t, const char *what, int number)
{
    const stria_dtype dtype = stria_tensor_get_dtype(y);
    const double      bound = get_tolerance(dtype);
    const int         ndim = stria_tensor_get_ndim(y);
    int64_t           index[5] = {0};

    if (stria_tensor_get_numel(y) == 0) return;
    do {
        const int64_t skip = t->s->n + 2 - ndim, place = get_place(t, index);
        const double  got = get(y, index + skip), expected = t->at[place];
        const double  limit = bound * (t->size[place] + fabs(expected)) + (bound > 0 ? 1e-30 : 0);
        const bool    is_fine = bound > 0           ? fabs(got - expected) <= limit
                                : dtype == STRIA_I8 ? (int8_t)(int64_t)expected == (int8_t)(int64_t)got
                                : dtype == STRIA_U8 ? (uint8_t)(int64_t)expected == (uint8_t)(int64_t)got
                                                    : got == expected;
        CHECK(is_fine, "%s %d of %s: %.9g, not %.9g", what, number, stria_dtype_get_name(dtype), got, expected);
        if (!is_fine) return;
    } while (index_next(t->s->n + 2, t->shape, index));
}

static void begin_sums(sums *t, const scene *s, const int64_t *shape)
{
    int64_t numel = 1;

    t->s = s;
    for (int d = 0; d < s->n + 2; d++) numel *= t->shape[d] = shape[d];
    t->at = calloc((size_t)numel + 1, sizeof(double));
    t->size = calloc((size_t)numel + 1, sizeof(double));
}

static void end_sums(const sums *t)
{
    free(t->at);
    free(t->size);
}

static void get_shapes(const scene *s, int64_t *x, int64_t *weight, int64_t *y)
{
    x[0] = y[0] = s->batch;
    x[1] = s->channels;
    y[1] = s->out;
    weight[0] = s->transposed ? s->channels : s->out;
    weight[1] = (s->transposed ? s->out : s->channels) / s->groups;
    for (int d = 0; d < s->n; d++) {
        x[d + 2] = s->in[d];
        weight[d + 2] = s->taps[d];
        y[d + 2] = get_out(s, d);
    }
}

/* Without infinities and NaN, with which sums in another order are others. */
static stria_tensor *make(random_state *random, stria_dtype dtype, layout kind, int ndim, const int64_t *shape)
{
    stria_tensor *x = tensor_random(random, dtype, kind, ndim, shape, 0, 1);
    const double  high = dtype == STRIA_U8 ? 4 : 7;

    if (x != NULL) tensor_fill_random(random, x, dtype == STRIA_U8 ? high : 0, high);
    return x;
}

static void check_result(const scene *s, int number, stria_dtype dtype, layout kind, random_state *random)
{
    int64_t       x_shape[5], weight_shape[5], y_shape[5];
    sums          t;
    stria_tensor *y = NULL;

    get_shapes(s, x_shape, weight_shape, y_shape);
    stria_tensor *x = make(random, dtype, kind, s->n + 2, x_shape);
    stria_tensor *weight = make(random, dtype, kind, s->n + 2, weight_shape);
    stria_tensor *bias = number % 2 ? make(random, dtype, LAYOUT_CONTIGUOUS, 1, &s->out) : NULL;
    begin_sums(&t, s, y_shape);
    t.x = x;
    t.weight = weight;
    int64_t index[5] = {0};
    do
        if (bias != NULL) add(&t, index, get(bias, &index[1]));
    while (index_next(s->n + 2, y_shape, index));
    visit_all(s, add_result, &t);
    CHECK_STATUS(call(s, x, weight, bias, &y, NULL), STRIA_OK);
    if (y != NULL) {
        CHECK(stria_tensor_get_dtype(y) == dtype && stria_tensor_get_ndim(y) == s->n + 2 &&
                  memcmp(stria_tensor_get_shape(y), y_shape, sizeof *y_shape * (size_t)(s->n + 2)) == 0,
              "shape of scene %d", number);
        compare(y, &t, s->transposed ? "conv_transpose" : "conv", number);
    }
    end_sums(&t);
    stria_tensor_release(x);
    stria_tensor_release(weight);
    stria_tensor_release(bias);
    stria_tensor_release(y);
}

static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16, STRIA_I8,
                                     STRIA_U8,  STRIA_I16, STRIA_I32, STRIA_I64};
static const layout      layouts[] = {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_FLIPPED,
                                      LAYOUT_OFFSET,     LAYOUT_STEPPED,    LAYOUT_EXPANDED};

/* Scenes share the loops that could race. */
#define STEP (check_has_values() ? 1 : 3)

static void test_results(void)
{
    random_state random = {11};

    for (int k = 0; k < N_SCENES; k += STEP) {
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            check_result(&scenes[k], k, dtypes[d], LAYOUT_CONTIGUOUS, &random);
        for (size_t l = 1; l < sizeof layouts / sizeof *layouts; l++) {
            check_result(&scenes[k], k + 1, STRIA_F32, layouts[l], &random);
            check_result(&scenes[k], k, STRIA_I64, layouts[l], &random);
        }
    }
}

/* ---------------------------------------------------------------- the gradient of weights */

/* n axes become three, of size 1 the first ones. */
static void widen(const scene *s, int64_t usual, const int64_t *numbers, int64_t *wide)
{
    for (int d = 0; d < 3; d++) wide[d] = d < 3 - s->n ? usual : numbers[d - 3 + s->n];
}

static stria_tensor *add_axes(stria_tensor *x, int n)
{
    for (int d = n; d < 3; d++) {
        stria_tensor *wide = NULL;
        CHECK_STATUS(stria_unsqueeze(x, 2, &wide, NULL), STRIA_OK);
        stria_tensor_release(x);
        x = wide;
    }
    return x;
}

static void check_weights(const scene *s, int number, stria_dtype dtype, layout kind, random_state *random)
{
    int64_t       x_shape[5], weight_shape[5], y_shape[5], taps[3], stride[3], padding[3], dilation[3];
    const int     axes[] = {2, 3};
    sums          t;
    stria_tensor *y = NULL, *narrow = NULL;

    get_shapes(s, x_shape, weight_shape, y_shape);
    stria_tensor *x = make(random, dtype, kind, s->n + 2, x_shape);
    stria_tensor *gradient = make(random, dtype, kind, s->n + 2, y_shape);
    begin_sums(&t, s, weight_shape);
    t.x = x;
    t.gradient = gradient;
    visit_all(s, add_weight, &t);
    x = add_axes(x, s->n);
    gradient = add_axes(gradient, s->n);
    widen(s, 1, s->taps, taps);
    widen(s, 1, s->stride, stride);
    widen(s, 0, s->padding, padding);
    widen(s, 1, s->dilation, dilation);
    CHECK_STATUS(stria_convolution_weight(gradient, x, taps, stride, padding, dilation, s->groups, &y, NULL), STRIA_OK);
    if (y != NULL && s->n < 3) {
        CHECK_STATUS(stria_squeeze(y, axes, 3 - s->n, &narrow, NULL), STRIA_OK);
        stria_tensor_release(y);
        y = narrow;
    }
    if (y != NULL) compare(y, &t, "convolution_weight", number);
    end_sums(&t);
    stria_tensor_release(x);
    stria_tensor_release(gradient);
    stria_tensor_release(y);
}

static void test_weights(void)
{
    random_state random = {12};

    for (int k = 0; k < N_SCENES; k += STEP) {
        if (scenes[k].transposed) continue;
        check_weights(&scenes[k], k, STRIA_F32, LAYOUT_CONTIGUOUS, &random);
        check_weights(&scenes[k], k, STRIA_F64, LAYOUT_TRANSPOSED, &random);
        check_weights(&scenes[k], k, STRIA_F16, LAYOUT_CONTIGUOUS, &random);
        check_weights(&scenes[k], k, STRIA_I64, LAYOUT_STEPPED, &random);
    }
}

/* ---------------------------------------------------------------- other forms of a call */

static stria_tensor *make_ramp(const int64_t *shape, int ndim)
{
    stria_tensor *x = NULL;
    int64_t       numel = 1;

    for (int d = 0; d < ndim; d++) numel *= shape[d];
    CHECK_STATUS(stria_tensor_new(STRIA_F32, ndim, shape, &x, NULL), STRIA_OK);
    for (int64_t k = 0; k < numel; k++) ((float *)stria_tensor_get_data(x))[k] = (float)(k * 7 % 13) - 6;
    return x;
}

static bool is_same(const stria_tensor *a, const stria_tensor *b)
{
    return a != NULL && b != NULL && a->numel == b->numel &&
           memcmp((a)->data, (b)->data, (size_t)a->numel * sizeof(float)) == 0;
}

static const int64_t x_shape[] = {2, 4, 9, 8}, weight_shape[] = {6, 2, 3, 3}, stride[] = {2, 1}, padding[] = {1, 2};

static stria_status convolve(const stria_tensor *x, const stria_tensor *weight, stria_tensor **y, stria_error *err)
{
    return stria_conv2d(x, weight, NULL, stride, padding, NULL, 2, y, err);
}

/* Without a batch; into a tensor, of another dtype and strides, too; at one and several threads; as a graph. */
static void test_forms(void)
{
    stria_tensor    *x = make_ramp(x_shape, 4), *weight = make_ramp(weight_shape, 4), *y = NULL, *other = NULL;
    stria_tensor    *part = NULL, *first = NULL, *wide = NULL, *turned = NULL, *symbols[2] = {NULL};
    stria_recording *recording = NULL;
    stria_graph     *graph = NULL;

    CHECK_STATUS(convolve(x, weight, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(x, 0, 1, &part, NULL), STRIA_OK);
    CHECK_STATUS(convolve(part, weight, &other, NULL), STRIA_OK);
    CHECK_STATUS(stria_select(y, 0, 1, &first, NULL), STRIA_OK);
    CHECK(is_same(first, other) && stria_tensor_get_ndim(other) == 3, "without a batch");
    stria_tensor_release(other);

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 4, y->shape, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_conv2d_out(x, weight, NULL, stride, padding, NULL, 2, wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(wide, STRIA_F32, &other, NULL), STRIA_OK);
    CHECK(is_same(other, y), "into f64");
    stria_tensor_release(other);
    stria_tensor_release(wide);
    const int64_t backwards[] = {y->shape[0], y->shape[1], y->shape[3], y->shape[2]};
    CHECK_STATUS(stria_tensor_new(STRIA_F32, 4, backwards, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(wide, 2, 3, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_conv2d_out(x, weight, NULL, stride, padding, NULL, 2, turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_contiguous(turned, &other, NULL), STRIA_OK);
    CHECK(is_same(other, y), "into a transposed tensor");
    stria_tensor_release(other);

    for (int n = 1; n <= 7; n += 3) {
        CHECK_STATUS(stria_threads_set(n, NULL), STRIA_OK);
        CHECK_STATUS(convolve(x, weight, &other, NULL), STRIA_OK);
        CHECK(is_same(other, y), "%d threads", n);
        stria_tensor_release(other);
    }
    other = NULL;
    CHECK_STATUS(stria_recording_begin(&recording, NULL), STRIA_OK);
    CHECK_STATUS(stria_recording_add_input(recording, x, &symbols[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_recording_add_input(recording, weight, &symbols[1], NULL), STRIA_OK);
    CHECK_STATUS(convolve(symbols[0], symbols[1], &other, NULL), STRIA_OK);
    CHECK_STATUS(stria_recording_end(recording, &other, 1, &graph, NULL), STRIA_OK);
    stria_tensor_release(other);
    other = NULL;
    CHECK_STATUS(stria_graph_run(graph, (stria_tensor *const[]){x, weight}, 2, &other, NULL), STRIA_OK);
    CHECK(is_same(other, y), "a graph");
    stria_graph_release(graph);
    stria_tensor *all[] = {x, weight, y, other, part, first, wide, turned, symbols[0], symbols[1]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
}

/* Shapes alone, and batches of nothing. */
static void test_nothing(void)
{
    static const int64_t empty[] = {0, 4, 9, 8}, wide[] = {0, 4, 1, 9, 8}, gradient[] = {0, 6, 1, 5, 10};
    static const int64_t taps[] = {1, 3, 3}, stride3[] = {1, 2, 1}, padding3[] = {0, 1, 2};
    const stria_device   meta = {STRIA_DEVICE_META, 0};
    stria_tensor        *x = make_ramp(empty, 4), *weight = make_ramp(weight_shape, 4), *y = NULL, *shadow = NULL;
    stria_tensor        *x3 = make_ramp(wide, 5), *g3 = make_ramp(gradient, 5);

    CHECK_STATUS(convolve(x, weight, &y, NULL), STRIA_OK);
    CHECK(y && y->shape[0] == 0 && y->shape[1] == 6 && y->shape[2] == 5 && y->shape[3] == 10, "an empty batch");
    stria_tensor_release(y);
    CHECK_STATUS(stria_convolution_weight(g3, x3, taps, stride3, padding3, NULL, 2, &y, NULL), STRIA_OK);
    for (int k = 0; y && k < 6 * 2 * 9; k++) CHECK(((const float *)(y)->data)[k] == 0, "the gradient of nothing");
    stria_tensor_release(y);
    CHECK_STATUS(stria_empty(x_shape, 4, STRIA_F32, meta, &shadow, NULL), STRIA_OK);
    stria_tensor_release(x);
    CHECK_STATUS(stria_empty(weight_shape, 4, STRIA_F32, meta, &x, NULL), STRIA_OK);
    CHECK_STATUS(convolve(shadow, x, &y, NULL), STRIA_OK);
    CHECK(y && y->device.type == STRIA_DEVICE_META && y->shape[3] == 10, "on META");
    stria_tensor *all[] = {x, weight, y, shadow, x3, g3};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void)
{
    static const int64_t three[] = {3}, two[] = {2, 3}, zero[] = {1, 0}, less[] = {0, -1}, far[] = {9, 1},
                         one[] = {1, 1};
    static const int64_t huge[] = {INT64_MAX, 1}, large[] = {INT64_MAX / 2 + 1, 1}, odd[] = {5, 2, 3, 3};
    static const int64_t none[] = {6, 2, 0, 3};
    stria_tensor        *x = make_ramp(x_shape, 4), *weight = make_ramp(weight_shape, 4), *bias = make_ramp(three, 1);
    stria_tensor *matrix = make_ramp(two, 2), *uneven = make_ramp(odd, 4), *empty = make_ramp(none, 4), *y = NULL;
    stria_tensor *number = NULL, *flags = NULL, *truths = NULL;

    CHECK_STATUS(stria_tensor_copy(x, STRIA_C64, &number, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(x, STRIA_BOOL, &flags, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(weight, STRIA_BOOL, &truths, NULL), STRIA_OK);
#define CONV(x, weight, bias, stride, padding, dilation, groups) \
    stria_conv2d(x, weight, bias, stride, padding, dilation, groups, &y, &err)
    REFUSED_NEW(CONV(matrix, weight, NULL, NULL, NULL, NULL, 2), STRIA_ERR_SHAPE, "conv2d", "x", "3 or 4 dims");
    REFUSED_NEW(CONV(x, matrix, NULL, NULL, NULL, NULL, 2), STRIA_ERR_SHAPE, "conv2d", "weight", "4 dims");
    REFUSED_NEW(CONV(x, weight, matrix, NULL, NULL, NULL, 2), STRIA_ERR_SHAPE, "conv2d", "bias", "1 dim");
    REFUSED_NEW(CONV(x, weight, bias, NULL, NULL, NULL, 2), STRIA_ERR_SHAPE, "conv2d", "bias", "3 elements");
    REFUSED_NEW(CONV(x, weight, NULL, NULL, NULL, NULL, 1), STRIA_ERR_SHAPE, "conv2d", "x", "4 channels");
    REFUSED_NEW(CONV(x, uneven, NULL, NULL, NULL, NULL, 2), STRIA_ERR_SHAPE, "conv2d", "weight", "2 groups");
    REFUSED_NEW(CONV(x, empty, NULL, NULL, NULL, NULL, 2), STRIA_ERR_SHAPE, "conv2d", "weight", "0 elements");
    REFUSED_NEW(CONV(x, weight, NULL, NULL, NULL, NULL, 0), STRIA_ERR_ARGUMENT, "conv2d", "groups", "1 or more");
    REFUSED_NEW(CONV(x, weight, NULL, zero, NULL, NULL, 2), STRIA_ERR_ARGUMENT, "conv2d", "stride", "1 or more");
    REFUSED_NEW(CONV(x, weight, NULL, NULL, less, NULL, 2), STRIA_ERR_ARGUMENT, "conv2d", "padding", "0 or more");
    REFUSED_NEW(CONV(x, weight, NULL, NULL, NULL, zero, 2), STRIA_ERR_ARGUMENT, "conv2d", "dilation", "1 or more");
    REFUSED_NEW(CONV(x, weight, NULL, NULL, NULL, far, 2), STRIA_ERR_SHAPE, "conv2d", "x", "a window of 19");
    REFUSED_NEW(CONV(x, weight, NULL, NULL, NULL, huge, 2), STRIA_ERR_OVERFLOW, "conv2d", "dilation", "2^63");
    REFUSED_NEW(CONV(x, weight, NULL, NULL, large, NULL, 2), STRIA_ERR_OVERFLOW, "conv2d", "padding", "2^63");
    REFUSED_NEW(CONV(number, weight, NULL, NULL, NULL, NULL, 2), STRIA_ERR_DTYPE, "conv2d", "x", "real");
    REFUSED_NEW(CONV(flags, truths, NULL, NULL, NULL, NULL, 2), STRIA_ERR_DTYPE, "conv2d", "x", "a number");
#undef CONV
#define BACK(weight, stride, more, groups) \
    stria_conv_transpose2d(x, weight, NULL, stride, NULL, more, groups, NULL, &y, &err)
    REFUSED_NEW(BACK(weight, NULL, one, 1), STRIA_ERR_ARGUMENT, "conv_transpose2d", "output_padding",
                "less than stride");
    REFUSED_NEW(BACK(weight, NULL, less, 1), STRIA_ERR_ARGUMENT, "conv_transpose2d", "output_padding", "0 or more");
    REFUSED_NEW(BACK(weight, NULL, NULL, 1), STRIA_ERR_SHAPE, "conv_transpose2d", "x", "6");
    REFUSED_NEW(BACK(weight, NULL, NULL, 4), STRIA_ERR_SHAPE, "conv_transpose2d", "weight", "4 groups");
    REFUSED_NEW(BACK(weight, huge, NULL, 1), STRIA_ERR_SHAPE, "conv_transpose2d", "x", "6");
#undef BACK
    REFUSED_NEW(stria_convolution(x, weight, NULL, NULL, NULL, NULL, false, NULL, 2, &y, &err), STRIA_ERR_SHAPE,
                "convolution", "x", "5 dims");
    stria_tensor *all[] = {x, weight, bias, matrix, uneven, empty, number, flags, truths};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stria_tensor_release(all[k]);
}

SUITE(test_convolution)
{
    check_isa("test_convolution");
    test_results();
    test_weights();
    test_forms();
    test_nothing();
    test_refusals();
    return check_finish("test_convolution");
}
