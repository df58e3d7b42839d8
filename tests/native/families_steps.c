/* families_steps.c - calls of families.h of several steps: results that are not the last one, random numbers, steps of optimisers, walks of
 * gradients, graphs. */
#include "base/error.h"
#include "families.h"
#include "stria_autograd.h"

static const int last[] = {1};

/* ---------------------------------------------------------------- of several results */

FAMILY_STEPS(chunk)
{
    stria_tensor_list parts = {NULL, 0};

    (void)temps;
    STRIA_TRY(stria_chunk(in->turned, 3, 1, &parts, err));
    const stria_status status = stria_exp(parts.at[1], out, err);
    stria_tensor_list_release(&parts);
    return status;
}

FAMILY_STEPS(var_mean) { return stria_var_mean(in->turned, last, 1, 1, false, out, STRIA_TEMP, err); }

FAMILY_STEPS(nanmedian_flat) { return stria_nanmedian(in->flat, STRIA_AXIS_NONE, false, out, STRIA_TEMP, err); }

FAMILY_STEPS(matmul_complex)
{
    STRIA_TRY(stria_slice(in->z, 1, 0, 64, 1, STRIA_TEMP, err));
    const stria_tensor *left = STRIA_LAST;
    STRIA_TRY(stria_slice(in->z_turned, 1, 0, 64, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_transpose(STRIA_LAST, 0, 1, STRIA_TEMP, err));
    return stria_matmul(left, STRIA_LAST, out, err);
}

/* Singular values; vectors are as good with other signs. */
FAMILY_STEPS(svd)
{
    stria_tensor *u = NULL, *v = NULL;

    STRIA_TRY(stria_svd(in->matrices, true, true, &u, out, &v, err));
    STRIA_TRY(stria_temps_keep(temps, u, err));
    return stria_temps_keep(temps, v, err);
}

FAMILY_STEPS(searchsorted)
{
    STRIA_TRY(stria_msort(in->flat, STRIA_TEMP, err));
    return stria_searchsorted(STRIA_LAST, in->turned, NULL, true, "none", false, out, err);
}

FAMILY_STEPS(layer_norm_backward)
{
    stria_tensor *weight = NULL, *bias = NULL;

    STRIA_TRY(stria_layer_norm_backward(in->turned, in->x, NULL, (const int64_t[]){FAMILY_COLUMNS}, 1, 1e-5, out,
                                        &weight, &bias, err));
    STRIA_TRY(stria_temps_keep(temps, weight, err));
    return stria_temps_keep(temps, bias, err);
}

/* ---------------------------------------------------------------- convolutions */

/* x as 8 channels of 96 x 64, and the first elements of flat as weights of 16 channels, 3 x 3. */
static stria_status take_pictures(const family_inputs *in, stria_tensor **x, stria_tensor **weight, stria_temps *temps,
                                  stria_error *err)
{
    STRIA_TRY(stria_view(in->x, (int64_t[]){1, 8, 96, 64}, 4, STRIA_TEMP, err));
    *x = STRIA_LAST;
    STRIA_TRY(stria_slice(in->flat, 0, 0, 16 * 8 * 9, 1, STRIA_TEMP, err));
    STRIA_TRY(stria_view(STRIA_LAST, (int64_t[]){16, 8, 3, 3}, 4, STRIA_TEMP, err));
    *weight = STRIA_LAST;
    return STRIA_OK;
}

FAMILY_STEPS(conv2d)
{
    stria_tensor *x, *weight;

    STRIA_TRY(take_pictures(in, &x, &weight, temps, err));
    return stria_conv2d(x, weight, NULL, NULL, (int64_t[]){1, 1}, NULL, 1, out, err);
}

FAMILY_STEPS(conv2d_weight)
{
    stria_tensor *x, *weight;

    STRIA_TRY(take_pictures(in, &x, &weight, temps, err));
    STRIA_TRY(stria_unsqueeze(x, 2, STRIA_TEMP, err));
    const stria_tensor *image = STRIA_LAST;
    return stria_convolution_weight(image, image, (int64_t[]){1, 3, 3}, NULL, (int64_t[]){0, 1, 1}, NULL, 1, out, err);
}

FAMILY_STEPS(conv_transpose1d_half)
{
    STRIA_TRY(stria_view(in->half, (int64_t[]){1, 16, 3072}, 3, STRIA_TEMP, err));
    const stria_tensor *x = STRIA_LAST;
    STRIA_TRY(stria_view(in->vector, (int64_t[]){16, 2, 5}, 3, STRIA_TEMP, err));
    return stria_conv_transpose1d(x, STRIA_LAST, NULL, (int64_t[]){2}, NULL, NULL, 1, NULL, out, err);
}

FAMILY_STEPS(max_pool2d)
{
    stria_tensor *x, *weight;

    STRIA_TRY(take_pictures(in, &x, &weight, temps, err));
    return stria_max_pool2d(x, (int64_t[]){3, 3}, (int64_t[]){1, 1}, (int64_t[]){1, 1}, NULL, false, out, err);
}

FAMILY_STEPS(avg_pool1d_turned)
{
    (void)temps;
    return stria_avg_pool1d(in->turned, (int64_t[]){4}, (int64_t[]){1}, NULL, false, true, out, err);
}

/* ---------------------------------------------------------------- random numbers, each from the beginning of a stream */

#define FAMILY_RANDOM(name, call)                           \
    FAMILY_STEPS(name)                                      \
    {                                                       \
        stria_generator *generator;                         \
        (void)in, (void)temps;                              \
        STRIA_TRY(stria_generator_new(7, &generator, err)); \
        const stria_status status = call;                   \
        stria_generator_release(generator);                 \
        return status;                                      \
    }
static const int64_t many[] = {100000};

FAMILY_RANDOM(rand, stria_rand(many, 1, STRIA_F32, STRIA_CPU, generator, out, err))
FAMILY_RANDOM(randn_half, stria_randn_like(in->half, STRIA_DTYPE_NONE, STRIA_DEVICE_NONE, generator, out, err))
FAMILY_RANDOM(randint, stria_randint((stria_scalar){.kind = STRIA_SCALAR_INT, .i = -5},
                                     (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1000}, many, 1, STRIA_I64, STRIA_CPU,
                                     generator, out, err))
FAMILY_RANDOM(randperm, stria_randperm(50000, STRIA_I64, STRIA_CPU, generator, out, err))
FAMILY_RANDOM(dropout, stria_dropout(in->turned, 0.5, true, generator, out, err))
FAMILY_RANDOM(multinomial, stria_abs(in->turned, STRIA_TEMP, err) != STRIA_OK
                               ? STRIA_ERR_MEMORY
                               : stria_multinomial(STRIA_LAST, 300, true, generator, out, err))
#undef FAMILY_RANDOM

/* ---------------------------------------------------------------- steps of optimisers */

/* Parameters and states that a step may write to: *out, and n - 1 temporaries. */
static stria_status copy_states(const stria_tensor *x, int n, stria_tensor **states, stria_tensor **out,
                                stria_temps *temps, stria_error *err)
{
    STRIA_TRY(stria_tensor_copy(x, STRIA_DTYPE_NONE, out, err));
    states[0] = *out;
    for (int k = 1; k < n; k++) {
        STRIA_TRY(stria_abs(x, STRIA_TEMP, err));
        states[k] = STRIA_LAST;
    }
    return STRIA_OK;
}

FAMILY_STEPS(sgd)
{
    const stria_tensor *grads[] = {in->turned};
    stria_tensor       *s[2];

    STRIA_TRY(copy_states(in->x, 2, s, out, temps, err));
    return stria_sgd(s, 1, grads, 1, s + 1, 1, 0.1, 0.9, 0, 0.01, true, false, false, err);
}

FAMILY_STEPS(adamw)
{
    const stria_tensor *grads[] = {in->half};
    stria_tensor       *s[3];

    STRIA_TRY(copy_states(in->half, 3, s, out, temps, err));
    return stria_adamw(s, 1, grads, 1, s + 1, 1, s + 2, 1, NULL, 0, 3, 1e-3, 0.9, 0.999, 1e-8, 0.01, false, err);
}

FAMILY_STEPS(clip_norm)
{
    stria_tensor *s[2];

    STRIA_TRY(copy_states(in->flat, 2, s, out, temps, err));
    STRIA_TRY(stria_total_norm((const stria_tensor *const[]){s[0], s[1]}, 2, 2, STRIA_TEMP, err));
    return stria_clip_grads_with_norm(STRIA_LAST, s, 2, 1, err);
}

/* ---------------------------------------------------------------- walks */

/* A leaf with the elements of x. */
static stria_status make_leaf(const stria_tensor *x, stria_temps *temps, stria_tensor **leaf, stria_error *err)
{
    STRIA_TRY(stria_tensor_copy(x, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    *leaf = STRIA_LAST;
    return stria_tensor_set_requires_grad(*leaf, true, err);
}

/* The gradient of the sum of the squares of y. */
static stria_status walk(const stria_tensor *y, stria_tensor *leaf, int flags, stria_temps *temps, stria_tensor **out,
                         stria_error *err)
{
    STRIA_TRY(stria_square(y, STRIA_TEMP, err));
    STRIA_TRY(stria_sum(STRIA_LAST, NULL, 0, false, STRIA_TEMP, err));
    stria_tensor *loss = STRIA_LAST;
    return stria_grad(&loss, 1, NULL, &leaf, 1, flags, out, err);
}

FAMILY_STEPS(walk_rows)
{
    stria_tensor *leaf;

    STRIA_TRY(make_leaf(in->turned, temps, &leaf, err));
    STRIA_TRY(stria_gelu(leaf, STRIA_TEMP, err));
    STRIA_TRY(stria_mul(STRIA_LAST, in->half, STRIA_TEMP, err));
    STRIA_TRY(stria_layer_norm(STRIA_LAST, NULL, NULL, (const int64_t[]){FAMILY_COLUMNS}, 1, 1e-5, STRIA_TEMP, err));
    STRIA_TRY(stria_softmax(STRIA_LAST, 1, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    STRIA_TRY(stria_cumsum(STRIA_LAST, 0, STRIA_DTYPE_NONE, STRIA_TEMP, err));
    return walk(STRIA_LAST, leaf, 0, temps, out, err);
}

FAMILY_STEPS(walk_products)
{
    stria_tensor *leaf;

    STRIA_TRY(make_leaf(in->a, temps, &leaf, err));
    STRIA_TRY(stria_matmul(leaf, leaf, STRIA_TEMP, err));
    STRIA_TRY(stria_relu(STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_linear(STRIA_LAST, leaf, in->vector, STRIA_TEMP, err));
    return walk(STRIA_LAST, leaf, 0, temps, out, err);
}

FAMILY_STEPS(walk_indexing)
{
    stria_tensor *leaf;

    STRIA_TRY(make_leaf(in->flat, temps, &leaf, err));
    STRIA_TRY(stria_index(leaf, (const stria_tensor *const[]){in->places}, 1, STRIA_TEMP, err));
    return walk(STRIA_LAST, leaf, 0, temps, out, err);
}

/* The gradient of a gradient. */
FAMILY_STEPS(walk_twice)
{
    stria_tensor *leaf, *once = NULL;

    STRIA_TRY(make_leaf(in->turned, temps, &leaf, err));
    STRIA_TRY(stria_tanh(leaf, STRIA_TEMP, err));
    STRIA_TRY(walk(STRIA_LAST, leaf, STRIA_GRAD_CREATE, temps, &once, err));
    STRIA_TRY(stria_temps_keep(temps, once, err));
    return walk(once, leaf, 0, temps, out, err);
}

static stria_status sigmoid_of_product(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                                       int n_outputs, stria_error *err)
{
    stria_tensor *product = NULL;

    (void)context, (void)n_inputs, (void)n_outputs;
    STRIA_TRY(stria_mul(inputs[0], inputs[0], &product, err));
    const stria_status status = stria_sigmoid(product, outputs, err);
    stria_tensor_release(product);
    return status;
}

FAMILY_STEPS(walk_checkpoint)
{
    stria_tensor *leaf;

    STRIA_TRY(make_leaf(in->turned, temps, &leaf, err));
    STRIA_TRY(stria_checkpoint(sigmoid_of_product, NULL, NULL, &leaf, 1, STRIA_TEMP, 1, err));
    return walk(STRIA_LAST, leaf, 0, temps, out, err);
}

/* ---------------------------------------------------------------- graphs */

/* What writes the calls down: x is a symbol, the results go to *y. */
typedef stria_status write_fn(const stria_tensor *x, stria_tensor *held, stria_temps *temps, stria_tensor **y,
                              stria_error *err);

static stria_status record(write_fn *write, const stria_tensor *x, stria_tensor *held, stria_graph **out,
                           stria_error *err)
{
    stria_temps      temps = {{NULL}, 0};
    stria_recording *recording;
    stria_tensor    *symbol = NULL, *y = NULL;

    *out = NULL;
    STRIA_TRY(stria_recording_begin(&recording, err));
    stria_status status = stria_recording_add_input(recording, x, &symbol, err);
    if (status == STRIA_OK) status = write(symbol, held, &temps, &y, err);
    if (status == STRIA_OK)
        status = stria_recording_end(recording, &y, 1, out, err);
    else
        stria_recording_cancel(recording);
    stria_temps_release(&temps);
    stria_tensor_release(symbol);
    stria_tensor_release(y);
    return status;
}

static stria_status write_softmax(const stria_tensor *x, stria_tensor *held, stria_temps *temps, stria_tensor **y,
                                  stria_error *err)
{
    (void)held;
    STRIA_TRY(stria_amax(x, last, 1, true, STRIA_TEMP, err));
    STRIA_TRY(stria_sub(x, STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_exp(STRIA_LAST, STRIA_TEMP, err));
    const stria_tensor *e = STRIA_LAST;
    STRIA_TRY(stria_sum(e, last, 1, true, STRIA_TEMP, err));
    return stria_div(e, STRIA_LAST, y, err);
}

stria_status family_record(const family_inputs *in, stria_graph **out, stria_error *err)
{
    return record(write_softmax, in->x, NULL, out, err);
}

/* A step of descent of w, which the graph holds: the loss is the mean of the squares of x w. */
static stria_status write_step(const stria_tensor *x, stria_tensor *w, stria_temps *temps, stria_tensor **y,
                               stria_error *err)
{
    stria_tensor *gradient = NULL;

    STRIA_TRY(stria_matmul(x, w, STRIA_TEMP, err));
    STRIA_TRY(stria_square(STRIA_LAST, STRIA_TEMP, err));
    STRIA_TRY(stria_mean(STRIA_LAST, NULL, 0, false, y, err));
    STRIA_TRY(stria_grad(y, 1, NULL, &w, 1, 0, &gradient, err));
    STRIA_TRY(stria_temps_keep(temps, gradient, err));
    return stria_sgd(&w, 1, (const stria_tensor *const[]){gradient}, 1, NULL, 0, 0.01, 0, 0, 0, false, false, false,
                     err);
}

/* The second of two runs: the first one makes what later ones keep. */
static stria_status run_twice(stria_graph *graph, stria_tensor *x, stria_temps *temps, stria_tensor **out,
                              stria_error *err)
{
    STRIA_TRY(stria_graph_run(graph, &x, 1, STRIA_TEMP, err));
    return stria_graph_run(graph, &x, 1, out, err);
}

FAMILY_STEPS(graph_recorded)
{
    stria_graph *graph;

    STRIA_TRY(family_record(in, &graph, err));
    const stria_status status = run_twice(graph, in->turned, temps, out, err);
    stria_graph_release(graph);
    return status;
}

FAMILY(graph_kept, stria_graph_run(in->graph, (stria_tensor *const[]){in->y}, 1, out, err))

FAMILY_STEPS(graph_training)
{
    stria_graph  *graph;
    stria_tensor *w, *x = in->a, *loss;

    STRIA_TRY(make_leaf(in->a, temps, &w, err));
    STRIA_TRY(record(write_step, x, w, &graph, err));
    stria_status status = run_twice(graph, x, temps, &loss, err);
    if (status == STRIA_OK) status = stria_temps_keep(temps, loss, err);
    if (status == STRIA_OK) status = stria_tensor_copy(w, STRIA_F32, out, err);
    stria_graph_release(graph);
    return status;
}

FAMILY_STEPS(graph_loaded)
{
    stria_graph *graph;

    STRIA_TRY(stria_graph_load(in->saved, in->saved_nbytes, &graph, err));
    const stria_status status = run_twice(graph, in->turned, temps, out, err);
    stria_graph_release(graph);
    return status;
}
