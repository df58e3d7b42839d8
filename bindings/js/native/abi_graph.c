/* abi_graph.c - the flat ABI: programs of calls (stria_graph.h). A thread records one at a time. */
#include <stdlib.h>
#include <string.h>

#include "abi_table.h"
#include "base/alloc.h"
#include "base/error.h"
#include "compile/dynamic.h"
#include "compile/saved.h"
#include "stria_mlir.h"
#include "tensor/device.h"

#define OP "compile"

#if defined(__EMSCRIPTEN__)
static stria_recording *recording; /* only the main thread of a module calls the ABI */
#else
static _Thread_local stria_recording *recording;
#endif

static stria_error *error_get(void) { return &stria_abi_get_scratch()->error; }

static stria_graph *graph_get(double handle) { return stria_abi_get_object(handle, &stria_abi_graphs, OP, "program"); }

/* The same of one whose elements are read: refused where it holds some in memory that is not there any more. */
static stria_graph *graph_get_whole(double handle)
{
    stria_graph *g = graph_get(handle);

    if (!g || !stria_abi_sweep_lent()) return g;
    for (int k = 0; k < g->recorded.buffers.n; k++) {
        const stria_tensor *held = g->recorded.buffers.at[k].tensor;
        if (!held || !stria_tensor_is_lost(held)) continue;
        stria_error_set(error_get(), STRIA_ERR_DISPOSED, OP, "held", "a tensor whose memory is there",
                        "a detached buffer", "a tensor that the function uses shares a buffer that was detached");
        return NULL;
    }
    return g;
}

/* Tensors of n[0 .. n); to be released. NULL: the error is filled. */
static stria_tensor **tensors_get(double count, const char *argument, int *n)
{
    *n = stria_abi_get_int(count);
    if (*n < 0 || *n > STRIA_ABI_NUMBERS) {
        stria_error_set(error_get(), STRIA_ERR_ARGUMENT, OP, argument, "at most 4096", NULL,
                        "there are more than %d %s", STRIA_ABI_NUMBERS, argument);
        return NULL;
    }
    stria_tensor **x = stria_object_new(((size_t)*n + 1) * sizeof(stria_tensor *));
    if (!x) stria_error_set(error_get(), STRIA_ERR_MEMORY, OP, NULL, NULL, NULL, "no memory for %d tensors", *n);
    for (int k = 0; x && k < *n; k++) {
        x[k] = stria_abi_get_tensor(stria_abi_get_scratch()->n[k], OP, argument);
        if (x[k]) continue;
        stria_object_release(x);
        x = NULL;
    }
    return x;
}

double stria_abi_graph_begin(void)
{
    stria_recording   *begun;
    const stria_status status = stria_recording_begin(&begun, error_get());
    if (status == STRIA_OK) recording = begun;
    return -(double)status;
}

double stria_abi_graph_cancel(void)
{
    stria_recording_cancel(recording);
    recording = NULL;
    return 0;
}

double stria_abi_graph_pause(double is_paused)
{
    stria_recording_pause(recording, is_paused != 0);
    return 0;
}

double stria_abi_graph_input(double a)
{
    stria_tensor *x = stria_abi_get_tensor(a, OP, "input"), *symbol = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    const stria_status status = stria_recording_add_input(recording, x, &symbol, error_get());
    return stria_abi_get_result(status, symbol);
}

double stria_abi_graph_number(double function, double attribute)
{
    const int           f = stria_abi_get_int(function);
    const stria_schema *schema = f >= 0 && f < STRIA_FN_COUNT ? stria_schema_get((stria_function)f) : NULL;
    const char         *name = NULL;
    int                 number = 0, left = stria_abi_get_int(attribute);

    for (int k = 0; schema && k < schema->n_attributes && left >= 0; k++)
        if (schema->attributes[k].kind != STRIA_KIND_OPTIONS && left-- == 0) name = schema->attributes[k].name;
    const stria_status status = stria_recording_add_number(recording, name, &number, error_get());
    return status == STRIA_OK ? number : -(double)status;
}

double stria_abi_graph_end(double results)
{
    stria_graph   *graph = NULL;
    int            n;
    stria_tensor **x = tensors_get(results, "results", &n);
    stria_status   status = x ? STRIA_OK : error_get()->code;

    if (x)
        status = stria_recording_end(recording, x, n, &graph, error_get());
    else
        stria_recording_cancel(recording);
    recording = NULL;
    stria_object_release(x);
    return status == STRIA_OK ? stria_abi_put_object(graph, &stria_abi_graphs) : -(double)status;
}

/* Device, dtype, shape and strides are those that were recorded; strides of axes of size 1 do not matter. */
static bool is_as_recorded(const stria_graph *g, const stria_graph_view *v, const stria_tensor *x)
{
    bool is_same = x->dtype == v->dtype && x->ndim == v->ndim && stria_device_equals(x->device, g->device);
    for (int d = 0; is_same && d < v->ndim; d++)
        is_same = x->shape[d] == v->sizes[d] && (v->sizes[d] == 1 || x->strides[d] == v->sizes[v->ndim + d]);
    return is_same;
}

/* The same for one of the sizes of the graph; where that may be another one than was recorded, elements lie in their usual order. */
static bool are_as_recorded(const stria_graph *g, stria_tensor *const *x)
{
    if (g->dynamic && stria_dynamic_find_size(g, x) < 0) return false;
    for (int k = 0; k < g->recorded.inputs.n; k++) {
        const stria_graph_view *v = &g->recorded.views.at[g->recorded.inputs.at[k]];
        if (is_as_recorded(g, v, x[k])) continue;
        if (!g->dynamic || !stria_device_equals(x[k]->device, g->device) || !stria_tensor_is_contiguous(x[k]) ||
            stria_tensor_has_shape(x[k], v->ndim, v->sizes))
            return false;
    }
    return true;
}

double stria_abi_graph_dynamic(double program, double second, double third)
{
    stria_graph  *g[] = {graph_get_whole(program), graph_get_whole(second), graph_get_whole(third)};
    const double *n = stria_abi_get_scratch()->n;

    if (!g[0] || !g[1] || !g[2]) return -STRIA_ERR_DISPOSED;
    return -(double)stria_graph_set_dynamic(g[0], stria_abi_get_int64(n[0]), g + 1,
                                            (const int64_t[]){stria_abi_get_int64(n[1]), stria_abi_get_int64(n[2])},
                                            error_get());
}

/* Whether a size is refused, as the program is another one there. */
static bool is_unfit(stria_status status)
{
    return status == STRIA_ERR_UNSUPPORTED && strcmp(error_get()->op, "graph") == 0 &&
           strcmp(error_get()->argument, "dynamic") == 0;
}

double stria_abi_graph_fits(double program, double size, double like)
{
    stria_graph *g = graph_get_whole(program), *other = like != 0 ? graph_get_whole(like) : NULL, *one;
    bool         is_same = true;

    if (!g || (like != 0 && !other)) return -STRIA_ERR_DISPOSED;
    if (!g->dynamic) return 1;
    stria_status status = stria_dynamic_get_graph(g, stria_abi_get_int64(size), &one, error_get());
    if (status == STRIA_OK) {
        if (other) status = stria_dynamic_compare(one, other, &is_same, error_get());
        stria_graph_release(one);
    }
    return is_unfit(status) ? 0 : status == STRIA_OK ? is_same : -(double)status;
}

/* Results as handles in n[]; what the caller does not get is released. */
static double results_put(stria_tensor **y, int n)
{
    double *handles = stria_abi_get_scratch()->n, failure = 0;
    int     put = 0;

    for (int k = 0; k < n; k++) {
        if (failure < 0) {
            stria_tensor_release(y[k]);
            continue;
        }
        const double handle = stria_abi_put_tensor(y[k]);
        if (handle < 0)
            failure = handle;
        else
            handles[put++] = handle;
    }
    while (failure < 0 && put > 0) stria_abi_dispose(handles[--put]);
    return failure < 0 ? failure : 1 + n;
}

/* What of a run may be on the stack. */
#define FEW 16

/* Whether a run is refused since gradients, or the memory of held tensors, are others than they were, or the calls of this size: it is to be recorded
 * again. */
static bool has_others_now(stria_status status)
{
    if (is_unfit(status)) return true;
    return status == STRIA_ERR_ARGUMENT && strcmp(error_get()->op, "graph") == 0 &&
           (strcmp(error_get()->argument, "grad") == 0 || strcmp(error_get()->argument, "held") == 0);
}

/* has_others: inputs that are not as they were recorded are found by the graph, which lays elements out anew or refuses them. */
static double run(double program, int n, int n_numbers, bool has_others)
{
    stria_graph  *g = graph_get_whole(program);
    const double *handles = stria_abi_get_scratch()->n;
    stria_tensor *few[FEW], **x = few;
    double        result = 0;

    if (!g) return -STRIA_ERR_DISPOSED;
    const int n_results = g->recorded.results.n, n_in = g->recorded.inputs.n;
    if (n != n_in || n_numbers < 0 || n_numbers > STRIA_ABI_NUMBERS - n) return 0;
    if (n_in + n_results > FEW) x = stria_object_new((size_t)(n_in + n_results) * sizeof(stria_tensor *));
    if (!x) return -(double)stria_graph_refuse_memory(error_get());
    bool fits = true;
    for (int k = 0; fits && k < n; k++) {
        x[k] = stria_abi_get_tensor(handles[k], OP, "input");
        if (!x[k]) result = -STRIA_ERR_DISPOSED;
        fits = x[k] != NULL;
    }
    if (fits && (has_others || are_as_recorded(g, x))) {
        const stria_status status =
            stria_graph_run_with(g, x, n, n_numbers > 0 ? handles + n : NULL, n_numbers, x + n_in, error_get());
        if (status != STRIA_OK)
            result = !has_others && has_others_now(status) ? 0 : -(double)status;
        else
            result = results_put(x + n_in, n_results);
    }
    if (x != few) stria_object_release(x);
    return result;
}

double stria_abi_graph_run(double program, double inputs, double numbers)
{
    return run(program, stria_abi_get_int(inputs), stria_abi_get_int(numbers), false);
}

double stria_abi_graph_run_any(double program, double inputs, double numbers)
{
    return run(program, stria_abi_get_int(inputs), stria_abi_get_int(numbers), true);
}

/* ---------------------------------------------------------------- machine code */

static stria_status refuse_plugin(const char *why)
{
    return stria_error_set(
        error_get(), STRIA_ERR_UNSUPPORTED, OP, "backend", "a machine with the plug-in of MLIR", NULL,
        "there is no plug-in of MLIR, libstria_mlir, beside the addon or where STRIA_MLIR_PLUGIN says: %s", why);
}

#if defined(__EMSCRIPTEN__)
double stria_abi_graph_compile(double program)
{
    (void)program;
    return -(double)refuse_plugin("this is WebAssembly");
}
#else
double                                stria_abi_graph_compile(double program)
{
    stria_graph *g = program != 0 ? graph_get(program) : NULL;
    stria_error  why;

    if (program != 0 && !g) return -STRIA_ERR_DISPOSED;
    if (!stria_mlir_get_compiler() && stria_mlir_open(getenv("STRIA_MLIR_PLUGIN"), &why) != STRIA_OK)
        return -(double)refuse_plugin(why.message);
    return g ? -(double)stria_graph_compile(g, error_get()) : 0;
}
#endif

/* ---------------------------------------------------------------- what a program is */

/* What JavaScript counts the attributes of a function by. */
static int attribute_find(const stria_schema *schema, const stria_param *param)
{
    int found = 0;

    for (int k = 0; &schema->attributes[k] != param; k++) found += schema->attributes[k].kind != STRIA_KIND_OPTIONS;
    return found;
}

double stria_abi_graph_numbers(double program)
{
    const stria_graph *g = graph_get(program);
    double            *n = stria_abi_get_scratch()->n;

    if (!g) return -STRIA_ERR_DISPOSED;
    for (int i = 0; i < g->recorded.steps.n; i++) {
        const stria_graph_step *step = &g->recorded.steps.at[i];
        for (int k = step->first_number; k < step->first_number + step->n_numbers; k++) {
            const stria_function function = (stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0));
            n[4 * k] = function;
            n[4 * k + 1] = attribute_find(stria_schema_get(function), g->numbers.at[k].param);
            n[4 * k + 2] = g->numbers.at[k].value;
            n[4 * k + 3] = g->numbers.at[k].change;
        }
    }
    return g->numbers.n;
}

/* ---------------------------------------------------------------- files */

/* The bytes of a tensor of them, row-major on the CPU; NULL: the error is filled. */
static const char *bytes_get(double handle, const char *argument, size_t *nbytes)
{
    const stria_tensor *x = stria_abi_get_tensor(handle, OP, argument);

    if (!x) return NULL;
    if (x->dtype == STRIA_U8 && x->device.type == STRIA_DEVICE_CPU && stria_tensor_is_contiguous(x) && x->numel > 0) {
        *nbytes = (size_t)x->numel;
        return x->data;
    }
    stria_error_set(error_get(), STRIA_ERR_FORMAT, OP, argument, "bytes", "none", "%s must be bytes", argument);
    return NULL;
}

/* Values, then changes. */
static bool numbers_fit(const stria_graph *g, const double *n)
{
    for (int k = 0; k < g->numbers.n; k++) {
        const double change = n[g->numbers.n + k];
        if (!(change >= -1 && change <= INT32_MAX)) return false;
        if (g->numbers.at[k].param->kind == STRIA_KIND_INT && !(n[k] >= -0x1p53 && n[k] <= 0x1p53)) return false;
    }
    return true;
}

double stria_abi_graph_save(double program, double metadata, double numbers)
{
    const stria_graph *g = graph_get_whole(program);
    const double      *n = stria_abi_get_scratch()->n;
    size_t             n_text, nbytes;
    void              *bytes;
    stria_tensor      *y = NULL;

    if (!g) return -STRIA_ERR_DISPOSED;
    if (stria_abi_get_int(numbers) != g->numbers.n || g->numbers.n > STRIA_ABI_NUMBERS / 4 || !numbers_fit(g, n))
        return -(double)stria_error_set(error_get(), STRIA_ERR_ARGUMENT, OP, "numbers", "those of the program", NULL,
                                        "the program has %d numbers, of at most 1024, and these are not as many, or "
                                        "no whole ones where they are counted",
                                        g->numbers.n);
    const char *text = bytes_get(metadata, "metadata", &n_text);
    const char *value = text ? memchr(text, 0, n_text) : NULL;
    if (!text) return -(double)error_get()->code;
    if (!value || text[n_text - 1] != 0 || ++value == text + n_text)
        return -(double)stria_error_set(error_get(), STRIA_ERR_ARGUMENT, OP, "metadata", "a key and a value", NULL,
                                        "metadata must be a key and a value that end with 0");
    stria_generator *usual = NULL;
    stria_status     status = stria_abi_get_generator(0, OP, "generator", &usual);
    if (status == STRIA_OK)
        status = stria_graph_save_as(g, usual, n, (const char *[]){text, value}, 1, &bytes, &nbytes, error_get());
    if (status != STRIA_OK) return -(double)status;
    const int64_t shape[] = {(int64_t)nbytes};
    status = stria_tensor_new(STRIA_U8, 1, shape, &y, error_get());
    if (status == STRIA_OK) memcpy(y->data, bytes, nbytes);
    stria_bytes_release(bytes);
    return stria_abi_get_result(status, y);
}

double stria_abi_graph_load(double file, double type, double index)
{
    size_t       nbytes;
    const char  *bytes = bytes_get(file, "bytes", &nbytes);
    stria_graph *g;

    if (!bytes) return -(double)error_get()->code;
    stria_generator *usual = NULL;
    stria_status     status = stria_abi_get_generator(0, OP, "generator", &usual);
    if (status == STRIA_OK)
        status = stria_graph_load_as(bytes, nbytes, usual, stria_abi_get_device(type, index), &g, error_get());
    if (status == STRIA_OK && (g->recorded.inputs.n + g->numbers.n > STRIA_ABI_NUMBERS ||
                               g->recorded.results.n > STRIA_ABI_NUMBERS || g->numbers.n > STRIA_ABI_NUMBERS / 4)) {
        stria_graph_release(g);
        status = stria_error_set(error_get(), STRIA_ERR_FORMAT, OP, "bytes", "at most 4096 inputs and results", NULL,
                                 "the program has more than %d inputs or results, or %d numbers", STRIA_ABI_NUMBERS,
                                 STRIA_ABI_NUMBERS / 4);
    }
    return status == STRIA_OK ? stria_abi_put_object(g, &stria_abi_graphs) : -(double)status;
}

double stria_abi_graph_info(double program)
{
    const stria_graph *g = graph_get(program);
    double            *n = stria_abi_get_scratch()->n;
    if (!g) return -STRIA_ERR_DISPOSED;
    const stria_graph_info info = stria_graph_get_info(g);
    n[0] = info.n_inputs;
    n[1] = info.n_results;
    n[2] = info.n_calls;
    n[3] = info.n_steps;
    n[4] = (double)info.recorded_nbytes;
    n[5] = (double)info.nbytes;
    return 0;
}

double stria_abi_graph_explain(double program, double offset)
{
    const stria_graph *g = graph_get(program);
    void              *text;
    size_t             nbytes;

    if (!g) return -STRIA_ERR_DISPOSED;
    const stria_status status = stria_graph_explain(g, &text, &nbytes, error_get());
    if (status != STRIA_OK) return -(double)status;
    const int64_t from = stria_abi_get_int64(offset);
    const size_t  most = sizeof stria_abi_get_scratch()->n;
    if (from >= 0 && (uint64_t)from < nbytes) {
        const size_t left = nbytes - (size_t)from;
        memcpy(stria_abi_get_scratch()->n, (const char *)text + from, left < most ? left : most);
    }
    stria_bytes_release(text);
    return (double)nbytes;
}
