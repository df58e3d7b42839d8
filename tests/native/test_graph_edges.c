/* test_graph_edges.c - graphs at the limits of what their parts take: operands of a group, complex numbers, numbers that are looked at, files of
 * odd views, numbers of a run, runs that fail. */
#include <math.h>
#include <string.h>

#include "graph_case.h"

static stria_tensor *new_three(int seed)
{
    const int64_t n = 3;
    stria_tensor *x;

    OK(stria_tensor_new(STRIA_F32, 1, &n, &x, NULL));
    for (int64_t i = 0; i < n; i++) ((float *)stria_tensor_get_data(x))[i] = (float)(seed + i) / 4;
    return x;
}

/* p = x0 x1, which is a result, and p + (x2 + x3 + .. + x7): more operands than one pass takes. */
static void add_all(stria_tensor *const *x, stria_tensor **results)
{
    stria_tensor *sum = stria_tensor_retain(x[2]), *next;

    OK(stria_mul(x[0], x[1], &results[0], NULL));
    for (int k = 3; k < 8; k++) {
        OK(stria_add(sum, x[k], &next, NULL));
        stria_tensor_release(sum);
        sum = next;
    }
    OK(stria_add(results[0], sum, &results[1], NULL));
    stria_tensor_release(sum);
}

static void check_operands(void)
{
    stria_tensor *x[8], *symbols[8], *results[2], *expected[2], *out[2];
    stria_graph  *g;

    for (int k = 0; k < 8; k++) x[k] = new_three(k);
    stria_recording *r = record_inputs(x, 8, symbols);
    add_all(symbols, results);
    OK(stria_recording_end(r, results, 2, &g, NULL));
    OK(stria_graph_run(g, x, 8, out, NULL));
    add_all(x, expected);
    for (int k = 0; k < 2; k++) {
        CHECK(has_same_bits(out[k], expected[k]), "result %d", k);
        RELEASE(results[k], out[k], expected[k]);
    }
    for (int k = 0; k < 8; k++) RELEASE(x[k], symbols[k]);
    stria_graph_release(g);
}

/* A graph of one expression of x, against the expression itself. */
static void check_expression(stria_tensor *x, const stria_scalar *constants, int n_constants,
                             const stria_instruction *code, int n_code)
{
    stria_expression *e;
    stria_tensor     *symbol, *y, *expected, *out;
    stria_graph      *g;

    OK(stria_expression_new(1, constants, n_constants, code, n_code, &e, NULL));
    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_expression_apply(e, (const stria_tensor *[]){symbol}, 1, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    OK(stria_graph_run(g, &x, 1, &out, NULL));
    OK(stria_expression_apply(e, (const stria_tensor *[]){x}, 1, &expected, NULL));
    CHECK(has_same_bits(out, expected), "an expression of complex numbers");
    stria_graph_release(g);
    stria_expression_release(e);
    RELEASE(symbol, y, expected, out);
}

static void check_complex(void)
{
    static const stria_scalar      i = {.kind = STRIA_SCALAR_COMPLEX, .re = 1, .im = 2};
    static const stria_instruction square[] = {{STRIA_OP_mul, {0, 0}}, {STRIA_OP_add, {1, 0}}};
    static const stria_instruction many[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_add, {2, 1}}, {STRIA_OP_mul, {3, 1}},
                                             {STRIA_OP_add, {4, 1}}, {STRIA_OP_mul, {5, 1}}, {STRIA_OP_add, {6, 1}},
                                             {STRIA_OP_abs, {7}}};
    stria_tensor                  *x = new_three(1), *z;

    OK(stria_complex(x, x, &z, NULL));
    check_expression(z, NULL, 0, square, 2);
    check_expression(x, &i, 1, many, 7);
    RELEASE(x, z);
}

/* Views of a number have shapes of their own, and a result that is a number is the caller's. */
static void check_numbers_as_tensors(void)
{
    const int64_t one = 1;
    stria_tensor *x = new_three(1), *symbol, *number, *flat, *y, *results[2], *out[2];
    stria_graph  *g;

    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, .re = 2.5}, &number, NULL));
    OK(stria_reshape(number, &one, 1, &flat, NULL));
    OK(stria_cat((const stria_tensor *[]){symbol, flat}, 2, 0, &y, NULL));
    results[0] = y;
    OK(stria_expand(flat, (const int64_t[]){3}, 1, &results[1], NULL));
    OK(stria_recording_end(r, results, 2, &g, NULL));
    for (int k = 0; k < 2; k++) {
        OK(stria_graph_run(g, &x, 1, out, NULL));
        CHECK(stria_tensor_get_numel(out[0]) == 4, "%lld elements", (long long)stria_tensor_get_numel(out[0]));
        CHECK(stria_tensor_get_numel(out[1]) == 3 && *(const double *)stria_tensor_get_const_data(out[1]) == 2.5,
              "a number as three");
        *(double *)stria_tensor_get_data(out[1]) = 7;
        RELEASE(out[0], out[1]);
    }
    stria_graph_release(g);
    RELEASE(x, symbol, number, flat, y, results[1]);
}

/* f32 at byte 4 of a held tensor, and f64 at byte 8: what a file keeps of it begins where both are aligned. */
static void check_alignment(void)
{
    const int64_t n = 8;
    stria_tensor *all, *odd, *even, *wide, *x = new_three(1), *symbol, *y, *sum, *z, *out, *again;
    stria_graph  *g, *loaded;
    void         *bytes;
    size_t        nbytes;
    stria_error   err;

    OK(stria_tensor_new(STRIA_F32, 1, &n, &all, NULL));
    memset(stria_tensor_get_data(all), 0, 32);
    OK(stria_slice(all, 0, 1, 4, 1, &odd, NULL));
    OK(stria_slice(all, 0, 2, 6, 1, &even, NULL));
    OK(stria_view_dtype(even, STRIA_F64, &wide, NULL));
    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_add(symbol, odd, &y, NULL));
    OK(stria_sum(wide, NULL, 0, false, &sum, NULL));
    OK(stria_add(y, sum, &z, NULL));
    OK(stria_recording_end(r, &z, 1, &g, NULL));
    OK(stria_graph_save(g, NULL, 0, &bytes, &nbytes, NULL));
    const stria_status status = stria_graph_load(bytes, nbytes, &loaded, &err);
    CHECK(status == STRIA_OK, "%s", err.message);
    OK(stria_graph_run(g, &x, 1, &out, NULL));
    if (status == STRIA_OK) {
        OK(stria_graph_run(loaded, &x, 1, &again, NULL));
        CHECK(has_same_bits(out, again), "after a file");
        stria_tensor_release(again);
        stria_graph_release(loaded);
    }
    stria_bytes_release(bytes);
    stria_graph_release(g);
    RELEASE(all, odd, even, wide, x, symbol, y, sum, z, out);
}

/* A step of adam whose number is 1 unless a run says otherwise. */
static void check_step_numbers(void)
{
    stria_tensor    *p = new_three(1), *grad = new_three(2), *m = new_three(0), *v = new_three(0), *symbol;
    stria_tensor    *first, *again, *out;
    stria_recording *r = record_inputs(&grad, 1, &symbol);
    stria_graph     *g;
    stria_error      err;
    int              index;

    OK(stria_adam(&p, 1, (const stria_tensor *[]){symbol}, 1, &m, 1, &v, 1, NULL, 0, 1, .1, .9, .99, 1e-8, 0, false,
                  NULL));
    OK(stria_recording_add_number(r, "step", &index, NULL));
    OK(stria_recording_end(r, &p, 1, &g, NULL));
    stria_tensor *const held[] = {p, m, v};
    stria_tensor       *was[3];
    for (int k = 0; k < 3; k++) OK(stria_tensor_copy(held[k], STRIA_DTYPE_NONE, &was[k], NULL));
    for (int k = 0; k < 3; k++) {
        static const double wrong[] = {(double)NAN, (double)INFINITY, 1e300};
        CHECK_STATUS(stria_graph_run_with(g, &grad, 1, &wrong[k], 1, &out, &err), STRIA_ERR_ARGUMENT);
        CHECK(out == NULL && strstr(err.message, "numbers[0]") != NULL, "%s", err.message);
    }
    for (int k = 0; k < 3; k++) {
        const double seven = 7;
        for (int t = 0; t < 3; t++) OK(stria_tensor_set(held[t], was[t], NULL));
        OK(stria_graph_run_with(g, &grad, 1, k == 1 ? &seven : NULL, k == 1, &out, NULL));
        OK(stria_tensor_copy(out, STRIA_DTYPE_NONE, k == 0 ? &first : &again, NULL));
        CHECK(k == 0 || has_same_bits(first, again) == (k == 2), "run %d", k);
        stria_tensor_release(out);
        if (k > 0) stria_tensor_release(again);
    }
    stria_graph_release(g);
    RELEASE(p, grad, m, v, symbol, first, was[0], was[1], was[2]);
}

/* A run that fails behind a write to an input: those who saved it must know. */
static void check_failed_run(void)
{
    const int64_t n = 3;
    stria_tensor *in[2] = {new_three(1)}, *symbols[2], *y, *out, *sum, *square;
    stria_graph  *g;

    OK(stria_tensor_new(STRIA_I64, 1, &n, &in[1], NULL));
    for (int k = 0; k < 3; k++) ((int64_t *)stria_tensor_get_data(in[1]))[k] = 99;
    stria_recording *r = record_inputs(in, 2, symbols);
    OK(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){symbols[0]}, 1, symbols[0], NULL));
    OK(stria_index_select(symbols[0], symbols[1], 0, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    static const double ones[] = {1, 1, 1};
    stria_tensor       *leaf64 = new_leaf(1, SHAPE(3), ones), *leaf;
    OK(stria_tensor_copy(leaf64, STRIA_F32, &leaf, NULL));
    OK(stria_mul(in[0], leaf, &square, NULL)); /* saves in[0] */
    OK(stria_sum(square, NULL, 0, false, &sum, NULL));
    CHECK(stria_graph_run(g, in, 2, &out, NULL) != STRIA_OK, "an index beyond the tensor");
    CHECK(backward(sum, 0, NULL) != STRIA_OK, "what was saved was written to");
    stria_graph_release(g);
    RELEASE(in[0], in[1], symbols[0], symbols[1], y, leaf64, leaf, square, sum);
}

/* What a composite leaves in a tensor that it was given is a step, too; and one of another shape gets other memory. */
static void check_given(void)
{
    stria_tensor *x = new_three(2), *symbol, *o, *sum, *y, *out[3];
    stria_graph  *g;

    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_zeros(SHAPE(3), 1, STRIA_F32, STRIA_CPU, &o, NULL));
    OK(stria_mse_loss_out(symbol, o, "mean", o, NULL)); /* o has no dims now */
    OK(stria_zeros(SHAPE(3), 1, STRIA_F32, STRIA_CPU, &sum, NULL));
    OK(stria_addcmul_out(symbol, symbol, symbol, (stria_scalar){STRIA_SCALAR_INT, .i = 1}, sum, NULL));
    OK(stria_tanh(symbol, &y, NULL));
    OK(stria_recording_end(r, (stria_tensor *[]){o, sum, y}, 3, &g, NULL));
    OK(stria_graph_run(g, &x, 1, out, NULL));
    const float *given = stria_tensor_get_const_data(x), *sums = stria_tensor_get_const_data(out[1]);
    float        squares = 0;
    for (int k = 0; k < 3; k++) {
        squares += given[k] * given[k];
        CHECK(sums[k] == given[k] + given[k] * given[k], "x + x x: %g", (double)sums[k]);
        CHECK(fabsf(((const float *)stria_tensor_get_const_data(out[2]))[k] - tanhf(given[k])) < 1e-6f, "tanh");
    }
    CHECK(fabsf(*(const float *)stria_tensor_get_const_data(out[0]) - squares / 3) < 1e-6f, "a mean of squares");
    stria_graph_release(g);
    RELEASE(x, symbol, o, sum, y, out[0], out[1], out[2]);
}

/* A composite of symbols into a tensor with elements, which keeps its shape. */
static void check_held_output(void)
{
    stria_tensor *x = new_three(2), *out = new_three(1), *single, *symbol, *results[1];
    stria_graph  *g;
    stria_error   err;

    OK(stria_zeros(NULL, 0, STRIA_F32, STRIA_CPU, &single, NULL));
    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_mse_loss_out(symbol, out, "none", out, NULL));
    OK(stria_mse_loss_out(symbol, out, "sum", single, NULL));
    CHECK_STATUS(stria_mse_loss_out(symbol, out, "mean", out, &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.op, "mse_loss") == 0 && strcmp(err.argument, "out") == 0, "%s", err.message);
    CHECK(stria_tensor_get_ndim(out) == 1 && ((float *)stria_tensor_get_data(out))[0] == 0.25f, "nothing ran");
    OK(stria_recording_end(r, &single, 1, &g, NULL));
    OK(stria_graph_run(g, &x, 1, results, NULL));
    float sum = 0;
    for (int k = 0; k < 3; k++) { /* (2 + k) / 4 - (1 + k) / 4 is 1/4 */
        const float left = (float)(2 + k) / 4 - 0.0625f;
        CHECK(((float *)stria_tensor_get_data(out))[k] == 0.0625f, "the held tensor was written to");
        sum += left * left;
    }
    CHECK(results[0] != NULL && fabsf(*(const float *)stria_tensor_get_const_data(single) - sum) < 1e-6f, "and read");
    stria_graph_release(g);
    RELEASE(x, out, single, symbol, results[0]);
}

/* Where an input begins in its memory is not recorded. */
static void check_offset(void)
{
    const int64_t two = 2, one = 1;
    stria_tensor *x = new_three(2), *held = new_three(5), *part, *wide, *in[2], *symbols[2], *y, *z, *out[2];
    stria_graph  *g;
    stria_error   err;

    OK(stria_as_strided(held, &two, 1, &one, 1, 1, &part, NULL));
    in[0] = part, in[1] = x;
    stria_recording *r = record_inputs(in, 2, symbols);
    CHECK_STATUS(stria_as_strided(symbols[0], &two, 1, &one, 1, 0, &y, &err), STRIA_ERR_UNSUPPORTED);
    CHECK(strcmp(err.op, "as_strided") == 0 && strcmp(err.argument, "storage_offset") == 0, "%s", err.message);
    OK(stria_as_strided(symbols[1], &two, 1, &one, 1, 1, &y, NULL)); /* it begins where its memory does */
    OK(stria_as_strided(part, &two, 1, &one, 1, 0, &z, NULL));       /* of held memory, which is known */
    OK(stria_recording_end(r, (stria_tensor *[]){y, z}, 2, &g, NULL));
    OK(stria_graph_run(g, in, 2, out, NULL));
    CHECK(((const float *)stria_tensor_get_const_data(out[0]))[0] == 0.75f, "a view of the input");
    CHECK(((const float *)stria_tensor_get_const_data(out[1]))[0] == 1.25f, "from the beginning of the memory");
    RELEASE(out[0], out[1]);
    OK(stria_cat((const stria_tensor *[]){x, x}, 2, 0, &wide, NULL));
    OK(stria_narrow(wide, 0, 2, 3, &in[1], NULL));
    CHECK_STATUS(stria_graph_run(g, in, 2, out, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.argument, "in[1]") == 0 && strstr(err.message, "begins later") != NULL, "%s", err.message);
    stria_graph_release(g);
    RELEASE(x, held, part, wide, in[1], symbols[0], symbols[1], y, z);
}

/* An input gets no gradient, and keeps its shape, whatever is written to it; a view of it gets memory of its own, as it does outside of recordings. */
static void check_inputs(void)
{
    stria_tensor *in[] = {new_three(2), new_vector(4)}, *symbols[2], *part, *y, *out;
    stria_graph  *g;
    stria_error   err;

    stria_recording          *r = record_inputs(in, 2, symbols);
    const stria_tensor *const x[] = {symbols[0], symbols[0]};
    CHECK_STATUS(stria_apply_out(STRIA_OP_sin, x, 1, symbols[1], &err), STRIA_ERR_SHAPE);
    CHECK(strcmp(err.op, "sin") == 0 && strstr(err.message, "out is an input") != NULL, "%s", err.message);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, x[0], NULL, 0, false, STRIA_DTYPE_NONE, symbols[1], &err),
                 STRIA_ERR_SHAPE);
    CHECK_STATUS(stria_outer_out(x[0], x[1], symbols[1], &err), STRIA_ERR_SHAPE);
    CHECK_STATUS(stria_cat_out(x, 2, 0, symbols[1], &err), STRIA_ERR_SHAPE);
    CHECK_STATUS(stria_tensor_set_requires_grad(symbols[0], true, &err), STRIA_ERR_ARGUMENT);
    CHECK(strstr(err.message, "clone it first") != NULL, "%s", err.message);
    OK(stria_tensor_set_requires_grad(symbols[0], false, NULL));
    OK(stria_slice(symbols[1], 0, 0, 2, 1, &part, NULL));
    OK(stria_apply_out(STRIA_OP_neg, x, 1, part, NULL));
    OK(stria_add(symbols[1], symbols[1], &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    OK(stria_graph_run(g, in, 2, &out, NULL));
    CHECK(((const float *)stria_tensor_get_const_data(out))[0] == 0.25f && out->numel == 4, "the input is as it was");
    stria_graph_release(g);
    RELEASE(in[0], in[1], symbols[0], symbols[1], part, y, out);
}

/* A held tensor that was given other memory is not what was recorded. */
static void check_other_memory(void)
{
    stria_tensor *x = new_three(2), *held = new_three(1), *symbol, *y, *out, *wide;
    stria_graph  *g;
    stria_error   err;

    stria_recording *r = record_inputs(&x, 1, &symbol);
    OK(stria_add(symbol, held, &y, NULL));
    OK(stria_recording_end(r, &y, 1, &g, NULL));
    OK(stria_graph_run(g, &x, 1, &out, NULL));
    stria_tensor_release(out);
    OK(stria_expand(x, (const int64_t[]){5, 3}, 2, &wide, NULL));
    OK(stria_apply_out(STRIA_OP_neg, (const stria_tensor *[]){wide}, 1, held, NULL));
    CHECK_STATUS(stria_graph_run(g, &x, 1, &out, &err), STRIA_ERR_ARGUMENT);
    CHECK(strcmp(err.argument, "held") == 0, "%s", err.message);
    stria_graph_release(g);
    RELEASE(x, held, symbol, y, wide);
}

/* y[0] = x, y[1] = its part behind the first element, repeated; written to as calls write to such tensors. */
static void write_expanded(stria_tensor *x, const stria_tensor *one, stria_tensor **y)
{
    stria_tensor *part, *wide, *windows;
    stria_error   err;

    OK(stria_neg(x, &y[0], NULL));
    OK(stria_slice(y[0], 0, 1, 3, 1, &part, NULL));
    OK(stria_expand(part, SHAPE(4, 2), 2, &wide, NULL));
    OK(stria_unfold(y[0], 0, 2, 1, &windows, NULL));
    CHECK_STATUS(stria_tensor_set(wide, part, &err), STRIA_ERR_OVERLAP);
    CHECK_STATUS(stria_tensor_set(windows, one, &err), STRIA_ERR_OVERLAP);
    OK(stria_tensor_set(windows, windows, NULL));
    OK(stria_tensor_set(wide, one, NULL));
    OK(stria_neg(wide, &y[1], NULL));
    RELEASE(part, wide, windows);
}

/* One value goes into an expanded tensor, and a tensor into itself; several values are refused. Calls and recordings agree. */
static void check_expanded(void)
{
    stria_tensor *in[2] = {new_three(3), new_three(7)}, *one, *symbols[2], *y[2], *expected[2], *out[2];
    stria_graph  *g;

    OK(stria_slice(in[1], 0, 2, 3, 1, &one, NULL));
    RELEASE(in[1]);
    in[1] = one;
    stria_recording *r = record_inputs(in, 2, symbols);
    write_expanded(symbols[0], symbols[1], y);
    OK(stria_recording_end(r, y, 2, &g, NULL));
    write_expanded(in[0], in[1], expected);
    CHECK(((const float *)stria_tensor_get_const_data(expected[0]))[2] == 2.25f, "one value is written");
    for (int k = 0; k < 2; k++) {
        OK(stria_graph_run(g, in, 2, out, NULL));
        CHECK(has_same_bits(out[0], expected[0]) && has_same_bits(out[1], expected[1]), "run %d", k);
        RELEASE(out[0], out[1]);
    }
    stria_graph_release(g);
    RELEASE(in[0], in[1], symbols[0], symbols[1], y[0], y[1], expected[0], expected[1]);
}

/* ---------------------------------------------------------------- views of held tensors, and gradients */

#define N_VIEWS 14

/* View k of x [3,4]. */
static stria_tensor *new_view(stria_tensor *x, int k)
{
    static const int64_t two[] = {2, 2}, steps[] = {1, 3}, flat[] = {12}, rows[] = {2, 3, 4}, pairs[] = {3, 2, 2};
    static const int     turned[] = {1, 0}, both[] = {0, 1};
    stria_tensor        *y = NULL, *part;

    switch (k) {
    case 0: OK(stria_as_strided(x, two, 2, steps, 2, STRIA_INT_NONE, &y, NULL)); break;
    case 1: OK(stria_as_strided(x, two, 2, steps, 2, 5, &y, NULL)); break;
    case 2: OK(stria_as_strided(x, two, 2, two, 2, 0, &y, NULL)); break; /* several elements at one address */
    case 3: OK(stria_select(x, 1, 2, &y, NULL)); break;
    case 4: OK(stria_slice(x, 0, 1, 3, 1, &y, NULL)); break;
    case 5: OK(stria_slice(x, 1, 0, 4, 2, &y, NULL)); break;
    case 6: OK(stria_diagonal(x, 1, 0, 1, &y, NULL)); break;
    case 7: OK(stria_unfold(x, 1, 2, 2, &y, NULL)); break;
    case 8: OK(stria_permute(x, turned, 2, &y, NULL)); break;
    case 9: OK(stria_flip(x, both, 2, &y, NULL)); break;
    case 10: OK(stria_view(x, flat, 1, &y, NULL)); break;
    case 11: OK(stria_expand(x, rows, 3, &y, NULL)); break;
    case 12: OK(stria_unsqueeze(x, 1, &y, NULL)); break;
    default:
        OK(stria_view(x, pairs, 3, &part, NULL));
        OK(stria_view_as_complex(part, &y, NULL));
        RELEASE(part);
        OK(stria_view_as_real(part = y, &y, NULL));
        RELEASE(part);
    }
    return y;
}

typedef enum use { OF_LEAF, OF_RESULT, WRITTEN, WRITTEN_LEAF, USES } use;

/* A loss of p, a leaf that is held, and x, an input; held: a tensor that the view is written to. NULL: err says why not. */
static stria_tensor *use_view(stria_tensor *p, stria_tensor *held, const stria_tensor *x, int k, use use,
                              stria_error *err)
{
    stria_tensor *own = NULL, *y, *square, *loss = NULL;

    OK(stria_mul(p, x, &own, NULL));
    stria_tensor *view = new_view(use == OF_RESULT ? own : use == WRITTEN ? held : p, k);
    stria_tensor *factor = sum(own), *to = view;
    if (use < WRITTEN) {
        OK(stria_mul(view, factor, &y, NULL));
    } else {
        if (stria_apply_out(STRIA_OP_mul, (const stria_tensor *[]){view, factor}, 2, to, err) != STRIA_OK) {
            RELEASE(own, view, factor);
            return NULL;
        }
        OK(stria_neg(use == WRITTEN ? held : p, &y, NULL));
    }
    OK(stria_mul(y, y, &square, NULL));
    loss = sum(square);
    RELEASE(own, view, factor, y, square);
    return loss;
}

/* Gradients by views of tensors with elements are those of the calls, and what calls refuse is refused. */
static void check_view(int k, use use)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, half = .5;
    stria_tensor       *p[2], *held[2], *x, *symbol, *loss[2] = {NULL, NULL}, *out = NULL;
    stria_error         err[2] = {{.message = ""}, {.message = ""}};
    stria_graph        *g;

    OK(stria_tensor_new_copy_of(STRIA_F64, 0, NULL, &half, sizeof half, &x, NULL));
    for (int i = 0; i < 2; i++) {
        p[i] = new_leaf(2, SHAPE(3, 4), values);
        OK(stria_tensor_new_copy_of(STRIA_F64, 2, SHAPE(3, 4), values, sizeof values, &held[i], NULL));
    }
    stria_recording *r = record_inputs(&x, 1, &symbol);
    loss[0] = use_view(p[0], held[0], symbol, k, use, &err[0]);
    if (loss[0] != NULL) OK(backward(loss[0], 0, NULL));
    if (loss[0] != NULL && use == WRITTEN)
        OK(stria_tensor_detach(held[0], NULL)); /* its history stays in the recording */
    if (loss[0] == NULL)
        stria_recording_cancel(r);
    else
        OK(stria_recording_end(r, &loss[0], 1, &g, NULL));
    loss[1] = use_view(p[1], held[1], x, k, use, &err[1]);
    CHECK((loss[0] == NULL) == (loss[1] == NULL) && strcmp(err[0].message, err[1].message) == 0,
          "view %d, use %d: %s, %s", k, use, err[0].message, err[1].message);
    if (loss[0] != NULL && loss[1] != NULL) {
        OK(backward(loss[1], 0, NULL));
        OK(stria_graph_run(g, &x, 1, &out, NULL));
        CHECK(has_same_bits(out, loss[1]) && has_same_bits(GRAD(p[0]), GRAD(p[1])), "view %d, use %d", k, use);
    }
    if (loss[0] != NULL) stria_graph_release(g);
    RELEASE(p[0], p[1], held[0], held[1], x, symbol, loss[0], loss[1], out);
}

static void check_views(void)
{
    for (int k = 0; k < N_VIEWS; k++)
        for (int use = 0; use < USES; use++) check_view(k, (enum use)use);
}

/* ---------------------------------------------------------------- derivatives that depend on elements */

/* A running product, or products along an axis or of all, of the held p, times x. */
static stria_tensor *multiply_up(stria_tensor *p, const stria_tensor *x, int k)
{
    const int     axis = 1;
    stria_tensor *y, *z;

    if (k == 0)
        OK(stria_cumprod(p, axis, STRIA_DTYPE_NONE, &y, NULL));
    else
        OK(stria_prod(p, &axis, k == 1, false, &y, NULL));
    OK(stria_mul(y, x, &z, NULL));
    stria_tensor *loss = sum(z);
    RELEASE(y, z);
    return loss;
}

/* A graph that was recorded of other elements has the gradients of the calls, bit for bit: also of products that are 0 in one of both. */
static void check_products(void)
{
    static const double values[][6] = {
        {.9999, .919, .0467, .127, .3917, -.7406}, {.3, 0, 2, 0, .7, 0}, {1, 2, 0, 3, 7, 9}};
    static const double third = 1. / 3;
    stria_tensor       *x;

    OK(stria_tensor_new_copy_of(STRIA_F64, 0, NULL, &third, sizeof third, &x, NULL));
    for (int k = 0; k < 9; k++) {
        stria_tensor    *p = new_leaf(2, SHAPE(2, 3), values[k / 3]), *symbol, *loss, *expected, *out;
        stria_tensor    *called = new_leaf(2, SHAPE(2, 3), values[(k / 3 + 1) % 3]);
        stria_recording *r = record_inputs(&x, 1, &symbol);
        stria_graph     *g;
        loss = multiply_up(p, symbol, k % 3);
        OK(backward(loss, 0, NULL));
        OK(stria_recording_end(r, &loss, 1, &g, NULL));
        stria_grad_mode_set(false);
        OK(stria_tensor_set(p, called, NULL));
        stria_grad_mode_set(true);
        OK(stria_graph_run(g, &x, 1, &out, NULL));
        expected = multiply_up(called, x, k % 3);
        OK(backward(expected, 0, NULL));
        CHECK(has_same_bits(out, expected) && has_same_bits(GRAD(p), GRAD(called)), "products %d", k);
        stria_graph_release(g);
        RELEASE(p, symbol, loss, expected, out, called);
    }
    RELEASE(x);
}

SUITE(test_graph_edges)
{
    check_isa("test_graph_edges");
    check_given();
    check_held_output();
    check_offset();
    check_inputs();
    check_other_memory();
    check_operands();
    check_complex();
    check_numbers_as_tensors();
    check_alignment();
    check_step_numbers();
    check_failed_run();
    check_expanded();
    check_views();
    check_products();
    return check_finish("test_graph_edges");
}
