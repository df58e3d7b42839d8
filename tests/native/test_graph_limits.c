/* test_graph_limits.c - what graphs refuse at their ends: inputs that are not as they were recorded, lists that are none, memory that no machine
 * has, symbols of others; groups that grow too large, numbers of every kind, and calls made while a recording pauses. */
#include <string.h>

#include "graph_case.h"

/* ---------------------------------------------------------------- inputs and lists */

/* A stria_checkpoint_fn that runs a graph on its input; `detaches`: without the history of that. */
typedef struct program {
    stria_graph *g;
    bool         detaches;
} program;

static stria_status run_program(void *context, stria_tensor *const *inputs, int n_inputs, stria_tensor **outputs,
                                int n_outputs, stria_error *err)
{
    const program *p = context;
    stria_tensor  *x = NULL, *y = NULL;

    CHECK(n_inputs == 1 && n_outputs == 1, "counts");
    stria_status status = p->detaches ? stria_detach(inputs[0], &x, err) : STRIA_OK;
    if (status == STRIA_OK) status = stria_graph_run(p->g, p->detaches ? &x : inputs, 1, &y, err);
    if (status == STRIA_OK) status = stria_mul(inputs[0], y, outputs, err);
    RELEASE(x, y);
    return status;
}

/* The first run of a checkpoint records nothing, but its second one does: a graph would lose the gradient in between. */
static void check_in_checkpoint(stria_graph *g)
{
    program       p = {g, false};
    stria_tensor *leaf = new_vector(3), *out, *total;

    OK(stria_tensor_set_requires_grad(leaf, true, NULL));
    REFUSED(stria_checkpoint(run_program, &p, NULL, &leaf, 1, &out, 1, &err), STRIA_ERR_ARGUMENT, "graph", "in[0]",
            "but was recorded as a tensor that requires no gradient");
    const bool was = stria_grad_mode_set(false);
    OK(stria_checkpoint(run_program, &p, NULL, &leaf, 1, &out, 1, NULL));
    CHECK(!stria_tensor_get_requires_grad(out), "a gradient that nobody asked for");
    stria_grad_mode_set(was);
    RELEASE(out);
    p.detaches = true;
    OK(stria_checkpoint(run_program, &p, NULL, &leaf, 1, &out, 1, NULL));
    OK(stria_sum(out, NULL, 0, false, &total, NULL));
    OK(stria_backward(&total, 1, NULL, NULL, 0, 0, NULL));
    const float *gradient = stria_tensor_get_const_data(GRAD(leaf)); /* of x exp(x), whose second factor is constant */
    CHECK(gradient[0] > 1.133f && gradient[0] < 1.134f, "exp(1/8) is %g", (double)gradient[0]);
    RELEASE(leaf, out, total);
}

static void check_inputs(void)
{
    static const double ones[] = {1, 1, 1};
    stria_tensor       *x = new_vector(3), *longer = new_vector(4), *ints, *meta, *leaf, *leaf64, *s, *y, *out;
    stria_graph        *g;

    OK(stria_tensor_copy(x, STRIA_I32, &ints, NULL));
    OK(stria_tensor_new_on(STRIA_META, STRIA_F32, 1, SHAPE(3), NULL, &meta, NULL));
    leaf64 = new_leaf(1, SHAPE(3), ones);
    OK(stria_tensor_copy(leaf64, STRIA_F32, &leaf, NULL));
    OK(stria_tensor_set_requires_grad(leaf, true, NULL));
    stria_recording *r = record_inputs(&x, 1, &s);
    OK(stria_exp(s, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));

    REFUSED(stria_graph_run(g, &ints, 1, &out, &err), STRIA_ERR_DTYPE, "graph", "in[0]",
            "in[0] is i32, but was recorded as f32");
    REFUSED(stria_graph_run(g, &longer, 1, &out, &err), STRIA_ERR_SHAPE, "graph", "in[0]",
            "in[0] has shape [4], but was recorded as [3]");
    REFUSED(stria_graph_run(g, &meta, 1, &out, &err), STRIA_ERR_DEVICE, "graph", "in[0]",
            "in[0] is on meta, but was recorded as cpu");
    REFUSED(stria_graph_run(g, &leaf, 1, &out, &err), STRIA_ERR_ARGUMENT, "graph", "in[0]",
            "but was recorded as a tensor that requires no gradient");
    CHECK(out == NULL, "no result");
    stria_grad_mode_set(false); /* nobody asks for one */
    OK(stria_graph_run(g, &leaf, 1, &out, NULL));
    stria_grad_mode_set(true);
    stria_tensor_release(out);
    check_in_checkpoint(g);
    stria_tensor_release(meta);
    r = record_inputs(&x, 1, &meta);
    REFUSED(stria_graph_run(g, &x, 1, &out, &err), STRIA_ERR_UNSUPPORTED, "graph", "", "while its thread records");
    stria_recording_cancel(r);
    stria_graph_release(g);
    RELEASE(x, longer, ints, leaf, leaf64, s, y, meta);
}

/* A recording that is refused its results has ended, too. */
static void check_results(void)
{
    stria_tensor    *x = new_vector(3), *s, *none = NULL;
    stria_graph     *g = NULL;
    stria_recording *r = record_inputs(&x, 1, &s);

    REFUSED(stria_recording_end(r, &s, 1, NULL, &err), STRIA_ERR_ARGUMENT, "recording", "out", "out is NULL");
    stria_tensor_release(s);
    r = record_inputs(&x, 1, &s);
    REFUSED(stria_recording_end(r, &s, -1, &g, &err), STRIA_ERR_ARGUMENT, "recording", "results", "has -1 results");
    stria_tensor_release(s);
    r = record_inputs(&x, 1, &s);
    REFUSED(stria_recording_end(r, NULL, 1, &g, &err), STRIA_ERR_ARGUMENT, "recording", "results", "results is NULL");
    stria_tensor_release(s);
    r = record_inputs(&x, 1, &s);
    REFUSED(stria_recording_end(r, &none, 1, &g, &err), STRIA_ERR_ARGUMENT, "recording", "results[0]",
            "results[0] is NULL");
    CHECK(g == NULL, "no graph");
    RELEASE(x, s);
}

/* ---------------------------------------------------------------- memory that there is not */

static void check_sizes(void)
{
    const int64_t    most = (int64_t)1 << 59;
    stria_tensor    *x = new_vector(3), *s, *y[5];
    stria_graph     *g = NULL;
    stria_recording *r = record_inputs(&x, 1, &s);

    /* each has 2^61 bytes, all of them 2^63 and more */
    if (sizeof(void *) == 8) {
        for (int k = 0; k < 5; k++)
            OK(stria_full(&most, 1, (stria_scalar){STRIA_SCALAR_INT, .i = k}, STRIA_F32, STRIA_CPU, &y[k], NULL));
        REFUSED(stria_recording_end(r, y, 5, &g, &err), STRIA_ERR_MEMORY, "recording", "", "no memory for the graph");
        CHECK(g == NULL, "no graph");
        for (int k = 0; k < 5; k++) stria_tensor_release(y[k]);
    } else {
        stria_recording_cancel(r);
    }
    stria_tensor_release(s);

    stria_tensor_release(x);
}

/* ---------------------------------------------------------------- gradients */

/* Between two recordings, the gradient of a leaf is what it was: a symbol of another one is refused. */
static void check_foreign_gradient(void)
{
    static const double ones[] = {1, 1, 1};
    stria_tensor       *leaf = new_leaf(1, SHAPE(3), ones), *meta;
    stria_graph        *g = NULL;

    OK(stria_tensor_new_on(STRIA_META, STRIA_F64, 1, SHAPE(3), NULL, &meta, NULL));
    stria_recording   *r = record_inputs(NULL, 0, NULL);
    const stria_status status = stria_tensor_set_grad(leaf, meta, NULL);
    if (status == STRIA_OK)
        REFUSED(stria_recording_end(r, NULL, 0, &g, &err), STRIA_ERR_ARGUMENT, "recording", "grad",
                "not made by the calls recorded");
    else
        stria_recording_cancel(r);
    CHECK(status == STRIA_OK, "a gradient on meta while calls are recorded");
    CHECK(g == NULL && GRAD(leaf) == NULL, "no graph, and no gradient");
    RELEASE(leaf, meta);
}

/* ---------------------------------------------------------------- groups */

/* Chains of more steps than a group has. */
static void check_long_chain(void)
{
    enum { N = 700 };
    stria_tensor    *x = new_vector(9), *s, *y, *next, *out, *expected = stria_tensor_retain(x);
    stria_graph     *g;
    void            *text;
    size_t           nbytes;
    stria_recording *r = record_inputs(&x, 1, &s);

    y = stria_tensor_retain(s);
    for (int k = 0; k < N; k++) {
        OK(k % 2 == 0 ? stria_sin(y, &next, NULL) : stria_cos(y, &next, NULL));
        stria_tensor_release(y);
        y = next;
    }
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    for (int k = 0; k < N; k++) {
        OK(k % 2 == 0 ? stria_sin(expected, &next, NULL) : stria_cos(expected, &next, NULL));
        stria_tensor_release(expected);
        expected = next;
    }
    const stria_graph_info info = stria_graph_get_info(g);
    CHECK(info.n_calls == N && info.n_steps == 2, "%d steps of %d calls", info.n_steps, info.n_calls);
    OK(stria_graph_explain(g, &text, &nbytes, NULL));
    CHECK(strstr(text, "\"why\":\"the group would be too large\"") != NULL, "the reason is told");
    OK(stria_graph_run(g, &x, 1, &out, NULL));
    CHECK(has_same_bits(out, expected), "the same bits");
    stria_bytes_release(text);
    stria_graph_release(g);
    RELEASE(x, s, y, out, expected);
}

/* Numbers of every kind, which a group keeps as its constants, once each. */
static void check_numbers(void)
{
    static const stria_scalar numbers[] = {{STRIA_SCALAR_BOOL, .i = 1},
                                           {STRIA_SCALAR_INT, .i = -3},
                                           {STRIA_SCALAR_UINT, .i = 5},
                                           {STRIA_SCALAR_FLOAT, .re = 2.5},
                                           {STRIA_SCALAR_COMPLEX, .re = 1, .im = 2},
                                           {STRIA_SCALAR_COMPLEX, .re = 1, .im = -2}};
    static const stria_dtype  dtypes[] = {STRIA_U64, STRIA_F32, STRIA_C64};

    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            stria_tensor *vector = new_vector(5), *x, *s, *number, *y[2], *z[2], *out, *again;
            stria_graph  *g, *loaded;
            void         *bytes;
            size_t        nbytes;

            OK(stria_tensor_copy(vector, dtypes[d], &x, NULL));
            stria_recording *r = record_inputs(&x, 1, &s);
            for (int pass = 0; pass < 2; pass++) { /* recorded, then made */
                OK(stria_tensor_new_scalar(numbers[k], &number, NULL));
                OK(stria_mul(pass == 0 ? s : x, number, &y[pass], NULL));
                OK(stria_add(y[pass], number, &z[pass], NULL));
                stria_tensor_release(number);
                if (pass == 0) OK(stria_recording_end(r, z, 1, &g, NULL));
            }
            OK(stria_graph_run(g, &x, 1, &out, NULL));
            CHECK(stria_tensor_get_dtype(out) == stria_tensor_get_dtype(z[1]) && has_same_bits(out, z[1]),
                  "dtype %d, number %d", (int)d, (int)k);
            OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
            OK(stria_graph_load(bytes, nbytes, &loaded, NULL));
            OK(stria_graph_run(loaded, &x, 1, &again, NULL));
            CHECK(has_same_bits(again, out), "dtype %d, number %d, after a file", (int)d, (int)k);
            stria_bytes_release(bytes);
            stria_graph_release(g);
            stria_graph_release(loaded);
            RELEASE(vector, x, s, y[0], y[1], z[0], z[1], out, again);
        }
}

/* ---------------------------------------------------------------- pauses */

/* Calls of a pause are made: of tensors that have elements. What the recording keeps of them is their result. */
static void check_pause(void)
{
    static const double ones[] = {1, 1, 1};
    stria_tensor       *x = new_vector(3), *leaf = new_leaf(1, SHAPE(3), ones), *s, *twice, *y, *loss, *out, *expected;
    stria_graph        *g, *other;
    void               *bytes;
    size_t              nbytes;

    stria_recording *r = record_inputs(&x, 1, &s);
    OK(stria_neg(s, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &other, NULL));
    OK(stria_graph_save(other, NULL, 0, &bytes, &nbytes, NULL));
    RELEASE(s, y);
    stria_recording_pause(NULL, true); /* nothing */
    r = record_inputs(&x, 1, &s);
    stria_recording_pause(r, true);
    OK(stria_add(x, x, &twice, NULL));
    CHECK(((const float *)stria_tensor_get_const_data(twice))[2] == 0.75f, "a call of a pause is made");
    OK(stria_sum(leaf, NULL, 0, false, &loss, NULL));
    OK(backward(loss, 0, NULL));
    REFUSED(stria_graph_load(bytes, nbytes, &g, &err), STRIA_ERR_ARGUMENT, "recording", "", "records already");
    REFUSED(stria_graph_run(other, &x, 1, &out, &err), STRIA_ERR_UNSUPPORTED, "graph", "", "while its thread records");
    CHECK(g == NULL && out == NULL, "neither");
    stria_recording_pause(r, false);
    OK(stria_mul(s, twice, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    HAS(GRAD(leaf), 1, 1, 1); /* which is no part of the recording */
    CHECK(stria_graph_get_info(g).n_calls == 1, "%d calls", stria_graph_get_info(g).n_calls);
    OK(stria_graph_run(g, &x, 1, &out, NULL));
    OK(stria_mul(x, twice, &expected, NULL));
    CHECK(has_same_bits(out, expected), "what a pause made is held");
    stria_bytes_release(bytes);
    stria_graph_release(g);
    stria_graph_release(other);
    RELEASE(x, leaf, s, twice, y, loss, out, expected);
}

SUITE(test_graph_limits)
{
    check_isa("test_graph_limits");
    check_inputs();
    check_results();
    check_sizes();
    check_foreign_gradient();
    check_long_chain();
    check_numbers();
    check_pause();
    return check_finish("test_graph_limits");
}
