/* test_abi.c - the flat ABI called as a program with mistakes would call it: numbers that are no op, dtype or handle, lists
 * longer than the call, handles of the wrong kind; and with each of its allocations failing, the one for the table of
 * handles included. */
#include "abi.h"

#include <string.h>

#include "abi_table.h"
#include "base/alloc.h"
#include "oracle.h"

static stria_abi_scratch scratch;

/* ---------------------------------------------------------------- refusals */

static void check_refused(double result, stria_status status, const char *op, const char *argument, const char *message)
{
    const stria_error *err = &scratch.error;

    CHECK(result == -(double)status && err->code == status, "%s: %g", message, result);
    CHECK(strcmp(err->op, op) == 0 && strcmp(err->argument, argument) == 0, "%s: op %s, argument %s", message, err->op,
          err->argument);
    CHECK(strcmp(err->message, message) == 0, "'%s', not '%s'", err->message, message);
}
#define REFUSED(call, status, op, argument, message)                \
    do {                                                            \
        memset(&scratch.error, 0, sizeof scratch.error);            \
        check_refused(call, STRIA_##status, op, argument, message); \
    } while (0)

static double new_vector(double size)
{
    scratch.n[0] = size;
    return stria_abi_tensor_new(STRIA_F32, 1);
}

static void check_numbers(void)
{
    const double x = new_vector(3);

    CHECK(stria_abi_layout(-1) == -1 && stria_abi_layout(8) == -1 && stria_abi_layout(0) == 0, "layout");
    REFUSED(stria_abi_apply1(-1, x), ERR_ARGUMENT, "apply", "op", "apply: no such operation");
    REFUSED(stria_abi_apply2(STRIA_OP_COUNT, x, x), ERR_ARGUMENT, "apply", "op", "apply: no such operation");
    REFUSED(stria_abi_apply1_out(0.0 / 0.0, x, x), ERR_ARGUMENT, "apply", "op", "apply: no such operation");
    REFUSED(stria_abi_reduce(STRIA_RED_COUNT, x, -1, 0, -1, 0), ERR_ARGUMENT, "reduce", "op",
            "reduce: no such operation");
    REFUSED(stria_abi_reduce(STRIA_RED_sum, x, -1, 0, -2, 0), ERR_DTYPE, "sum", "dtype", "sum: no such dtype");
    REFUSED(stria_abi_call(-1, 0), ERR_ARGUMENT, "call", "function", "call: no such function");
    REFUSED(stria_abi_call(STRIA_FN_COUNT, 0), ERR_ARGUMENT, "call", "function", "call: no such function");
    REFUSED(stria_abi_tensor_new(STRIA_DTYPE_COUNT, 1), ERR_DTYPE, "empty", "dtype", "empty: no such dtype");
    REFUSED(stria_abi_tensor_new(-1, 1), ERR_DTYPE, "empty", "dtype", "empty: no such dtype");
    scratch.operand[0] = (stria_abi_operand){.kind = STRIA_ABI_HANDLE, .re = x};
    scratch.n[0] = 0, scratch.n[1] = -1;
    REFUSED(stria_abi_call(STRIA_FN_full, 2), ERR_ARGUMENT, "full", "value", "full: value is no number");
    scratch.n[0] = scratch.n[1] = 0, scratch.n[2] = 70000;
    REFUSED(stria_abi_call(STRIA_FN_zeros, 4), ERR_ARGUMENT, "zeros", "device",
            "zeros: device is no device: type -1, index -1");
    REFUSED(stria_abi_inspect(STRIA_OP_COUNT, 1, 0), ERR_ARGUMENT, "inspect", "op",
            "inspect: no such operation, or a wrong number of operands");
    REFUSED(stria_abi_inspect(STRIA_OP_neg, STRIA_MAX_INPUTS + 1, 0), ERR_ARGUMENT, "inspect", "op",
            "inspect: no such operation, or a wrong number of operands");
    REFUSED(stria_abi_inspect_reduction(-1, -1, 0, 0), ERR_ARGUMENT, "inspect", "op",
            "inspect: no such operation, or a wrong number of operands");
    CHECK(stria_abi_dispose(x) == 0 && stria_abi_dispose(x) == -STRIA_ERR_DISPOSED, "dispose");
}

/* Numbers of the scratch block that are not what the row's parameters want. */
static void check_arguments(void)
{
    const double x = new_vector(3);
    double       failure = 0;

    scratch.n[0] = 1000; /* tensors, of which none follows */
    REFUSED(stria_abi_call(STRIA_FN_cat, 1), ERR_ARGUMENT, "cat", "tensors", "cat: tensors is longer than the call");
    scratch.n[0] = -1;
    REFUSED(stria_abi_call(STRIA_FN_cat, 1), ERR_ARGUMENT, "cat", "tensors", "cat: tensors is longer than the call");
    memcpy(scratch.n, (const double[]){2, x, 0.5, 0, 0}, 5 * sizeof(double));
    REFUSED(stria_abi_call(STRIA_FN_cat, 5), ERR_DISPOSED, "cat", "tensors[1]", "cat: tensors[1] was disposed of");
    /* x, two sizes, the mode, the value: number 0, which is a handle */
    scratch.operand[0] = (stria_abi_operand){.kind = STRIA_ABI_HANDLE, .re = x};
    memcpy(scratch.n, (const double[]){x, 2, 1, 1, 0, -1, 0}, 7 * sizeof(double));
    REFUSED(stria_abi_call(STRIA_FN_pad, 7), ERR_ARGUMENT, "pad", "value", "pad: value is no number");
    REFUSED(stria_abi_expression(x, 0, 0), ERR_DISPOSED, "kernel", "kernel", "kernel: kernel was disposed of");

    /* x, the axis, and a number more, as if the list of results were one tensor */
    memcpy(scratch.n, (const double[]){x, 0, 0}, 3 * sizeof(double));
    CHECK(stria_abi_call(STRIA_FN_unbind, 3) == 3, "unbind gives three");
    for (int k = 0; k < 3; k++) CHECK(stria_abi_dispose(scratch.n[k]) == 0, "part %d", k);
    /* one number too few: the last one is 0, so that the output is new */
    memcpy(scratch.n, (const double[]){x, 0, 0}, 3 * sizeof(double));
    const double view = stria_abi_call(STRIA_FN_transpose, 3);
    CHECK(view > 0 && stria_abi_dispose(view) == 0, "transpose");

    CHECK(stria_abi_get_flat(x, 12, "read", &failure) != NULL, "3 elements are 12 bytes");
    CHECK(stria_abi_get_flat(x, 8, "read", &failure) == NULL, "they are not 8");
    check_refused(failure, STRIA_ERR_ARGUMENT, "read", "x", "read: x is not contiguous or has another size");
    stria_abi_dispose(x);
    CHECK(stria_abi_get_flat(x, 12, "read", &failure) == NULL, "disposed of");
    check_refused(failure, STRIA_ERR_DISPOSED, "read", "x", "read: x was disposed of");
}

/* ---------------------------------------------------------------- graphs */

/* relu of a vector of 3 as a graph. */
static double record_relu(double x)
{
    double result = stria_abi_graph_begin();

    if (result < 0) return result;
    const double symbol = stria_abi_graph_input(x);
    const double y = symbol > 0 ? stria_abi_apply1(STRIA_OP_relu, symbol) : symbol;
    if (y > 0) {
        scratch.n[0] = y;
        result = stria_abi_graph_end(1);
        stria_abi_dispose(y);
    } else {
        result = y;
        stria_abi_graph_cancel();
    }
    if (symbol > 0) stria_abi_dispose(symbol);
    return result;
}

static void check_graphs(void)
{
    const double x = new_vector(3), longer = new_vector(4), nan = 0.0 / 0.0;

    REFUSED(stria_abi_graph_input(x), ERR_ARGUMENT, "recording", "recording", "recording: the recording is NULL");
    REFUSED(stria_abi_graph_number(STRIA_FN_sgd, 0), ERR_ARGUMENT, "recording", "recording",
            "recording: the recording is NULL");
    REFUSED(stria_abi_graph_end(0), ERR_ARGUMENT, "recording", "recording", "recording: the recording is NULL");
    CHECK(stria_abi_graph_cancel() == 0 && stria_abi_graph_pause(1) == 0, "nothing to end");
    CHECK(stria_abi_graph_begin() == 0, "begin");
    REFUSED(stria_abi_graph_begin(), ERR_ARGUMENT, "recording", "", "recording: this thread records already");
    REFUSED(stria_abi_graph_input(nan), ERR_DISPOSED, "compile", "input", "compile: input was disposed of");
    REFUSED(stria_abi_graph_number(nan, nan), ERR_ARGUMENT, "recording", "attribute",
            "recording: the last call that was recorded has no number without a name");
    const double made = stria_abi_apply1(STRIA_OP_neg, x);
    CHECK(made > 0 && stria_abi_graph_number(STRIA_FN_sgd, 0) == -STRIA_ERR_ARGUMENT, "neg has no number lr");
    CHECK(stria_abi_graph_number(STRIA_FN_sgd, 1e9) == -STRIA_ERR_ARGUMENT, "nor has sgd so many");
    CHECK(stria_abi_graph_pause(1) == 0, "pause");
    const double real = stria_abi_apply1(STRIA_OP_neg, x);
    CHECK(real > 0 && stria_abi_graph_pause(0) == 0 && stria_abi_describe(real) == 1 &&
              scratch.n[1] == STRIA_DEVICE_CPU,
          "a call in a pause is made");
    CHECK(stria_abi_dispose(real) == 0 && stria_abi_dispose(made) == 0, "both");
    REFUSED(stria_abi_graph_end(STRIA_ABI_NUMBERS + 1), ERR_ARGUMENT, "compile", "results",
            "compile: there are more than 4096 results");
    CHECK(stria_abi_graph_begin() == 0, "the recording has ended");
    scratch.n[0] = x, scratch.n[1] = 0.5;
    REFUSED(stria_abi_graph_end(2), ERR_DISPOSED, "compile", "results", "compile: results was disposed of");
    const double graph = record_relu(x);
    CHECK(graph > 0, "%s", scratch.error.message);
    REFUSED(stria_abi_apply1(STRIA_OP_neg, graph), ERR_DISPOSED, "neg", "a", "neg: a was disposed of");
    REFUSED(stria_abi_graph_run(x, 0, 0), ERR_DISPOSED, "compile", "program", "compile: program was disposed of");
    scratch.n[0] = x;
    CHECK(stria_abi_graph_run(graph, 1, 0) == 2 && stria_abi_dispose(scratch.n[0]) == 0, "one result");
    scratch.n[0] = longer;
    CHECK(stria_abi_graph_run(graph, 1, 0) == 0 && stria_abi_graph_run(graph, 0, 0) == 0, "another shape, or none");
    CHECK(stria_abi_graph_run(graph, nan, 0) == 0 && stria_abi_graph_run(graph, 1, nan) == 0 &&
              stria_abi_graph_run(graph, 1e9, 0) == 0 && stria_abi_graph_run(graph, 1, 1e9) == 0,
          "any number of numbers");
    scratch.n[0] = graph;
    REFUSED(stria_abi_graph_run(graph, 1, 0), ERR_DISPOSED, "compile", "input", "compile: input was disposed of");
    scratch.n[0] = x;
    REFUSED(stria_abi_graph_run(graph, 1, 1), ERR_ARGUMENT, "graph", "n_numbers", "graph: takes 0 numbers, got 1");
    const double nbytes = stria_abi_graph_explain(graph, 0);
    CHECK(nbytes > 10 && memcmp(scratch.n, "{\"inputs\":1", 11) == 0, "explain");
    CHECK(stria_abi_graph_explain(graph, nbytes - 1) == nbytes && *(const char *)scratch.n == '}', "its end");
    CHECK(stria_abi_graph_explain(graph, nan) == nbytes && stria_abi_graph_explain(graph, 1e300) == nbytes,
          "beyond it");
    CHECK(stria_abi_dispose(graph) == 0 && stria_abi_graph_explain(graph, 0) == -STRIA_ERR_DISPOSED, "dispose");
    CHECK(stria_abi_graph_begin() == 0, "a table may close meanwhile");
    stria_abi_close();
    CHECK(stria_abi_graph_begin() == 0 && stria_abi_graph_cancel() == 0, "and has ended the recording");
}

/* ---------------------------------------------------------------- no memory */

static double left, right; /* what the paths work on */

static double path_new(void) { return new_vector(5); }
static double path_borrow(void) { return stria_abi_borrow(left); }
static double path_add(void) { return stria_abi_apply2(STRIA_OP_add, left, right); }

static double path_cat(void)
{
    memcpy(scratch.n, (const double[]){2, left, right, 0, 0}, 5 * sizeof(double));
    return stria_abi_call(STRIA_FN_cat, 5);
}

/* Two outputs, two handles. */
static double path_sort(void)
{
    memcpy(scratch.n, (const double[]){left, 0, 0, 0, 0, 0}, 6 * sizeof(double));
    return stria_abi_call(STRIA_FN_sort, 6);
}

static double path_expression(void)
{
    double result = stria_abi_expression_constant(STRIA_SCALAR_FLOAT, 2, 0);

    for (int k = 0; k < 20 && result == 0; k++) result = stria_abi_expression_op(STRIA_OP_mul, 0, 1, 0);
    return result < 0 ? result : stria_abi_expression_new(1);
}

static double path_graph(void) { return record_relu(left); }

static double inspect_both(double (*inspect)(void))
{
    scratch.operand[0] = (stria_abi_operand){.kind = STRIA_ABI_HANDLE, .re = left};
    scratch.operand[1] = (stria_abi_operand){.kind = STRIA_SCALAR_FLOAT, .re = 2};
    return inspect();
}

static double inspect_mul(void) { return stria_abi_inspect(STRIA_OP_mul, 2, 0); }
static double inspect_sum(void) { return stria_abi_inspect_reduction(STRIA_RED_sum, -1, 0, 0); }
static double path_inspect(void) { return inspect_both(inspect_mul); }
static double path_inspect_reduction(void) { return inspect_both(inspect_sum); }

/* Lets go of what the path made. */
static void end_path(double (*path)(void), double result)
{
    if (path == path_inspect || path == path_inspect_reduction) return;
    if (path == path_borrow) {
        CHECK(stria_abi_give_back(result, 1) == 0, "giveBack");
        /* memory that is still borrowed would be refused another size */
        const double other = new_vector(3000);
        CHECK(stria_abi_apply1_out(STRIA_OP_neg, other, left) == 0, "%s", scratch.error.message);
        stria_abi_dispose(other);
        return;
    }
    if (path == path_sort) CHECK(stria_abi_dispose(scratch.n[1]) == 0, "the second handle");
    CHECK(stria_abi_dispose(result) == 0, "the handle");
}

/* Every allocation of the path fails once, and every later one with it. */
static void check_path(const char *name, double (*path)(void), bool is_full)
{
    const stria_memory_stats before = stria_memory_get_stats();
    double                   result = -1;
    int64_t                  n;

    for (n = 1; n < 200 && result < 0; n++) {
        memset(&scratch.error, 0, sizeof scratch.error);
        stria_alloc_set_failure(n);
        result = path();
        stria_alloc_set_failure(0);
        if (result >= 0) break;
        const stria_memory_stats after = stria_memory_get_stats();
        CHECK(result == -STRIA_ERR_MEMORY && scratch.error.code == STRIA_ERR_MEMORY && scratch.error.message[0],
              "%s: allocation %lld: %g, %s", name, (long long)n, result, scratch.error.message);
        CHECK(after.live_tensors == before.live_tensors && after.live_storages == before.live_storages,
              "%s: allocation %lld: %lld tensors are left", name, (long long)n,
              (long long)(after.live_tensors - before.live_tensors));
    }
    CHECK(result >= 0 && n > 1 + is_full, "%s: %g after %lld", name, result, (long long)n);
    if (result >= 0) end_path(path, result);
    const stria_memory_stats after = stria_memory_get_stats();
    CHECK(after.live_tensors == before.live_tensors, "%s: tensors are left", name);
}

static const struct {
    const char *name;
    double (*path)(void);
} paths[] = {
    {"new", path_new},         {"borrow", path_borrow},
    {"add", path_add},         {"cat", path_cat},
    {"sort", path_sort},       {"expression", path_expression},
    {"inspect", path_inspect}, {"inspect_reduction", path_inspect_reduction},
    {"graph", path_graph},
};

static void begin(void)
{
    stria_abi_close(); /* the table is small again */
    left = new_vector(4);
    right = new_vector(4);
    CHECK(left > 0 && right > 0, "new");
}

/* Tables grow from 1024 places: as many handles that all but `free` are taken. */
static void fill_table(int free_places)
{
    for (int k = 2; k < 1024 - free_places; k++) CHECK(new_vector(0) > 0, "handle %d", k);
}

static void check_memory(void)
{
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        begin();
        check_path(paths[k].name, paths[k].path, false);
        if (paths[k].path == path_inspect || paths[k].path == path_inspect_reduction) continue;
        for (int free_places = 0; free_places < 2; free_places++) {
            begin();
            fill_table(free_places);
            check_path(paths[k].name, paths[k].path, free_places == 0);
        }
    }
    stria_abi_close();
}

SUITE(test_abi)
{
    stria_abi_open(&scratch);
    check_numbers();
    check_arguments();
    check_graphs();
    check_memory();
    stria_abi_open(NULL);
    return check_finish("test_abi");
}
