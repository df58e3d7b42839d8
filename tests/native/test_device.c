/* A device of the program's own: memory that nobody may touch but its table. Its pages are closed; the table opens them while it
 * computes, by the CPU's rows. A file of the core that reached around the table would end this process. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "call/backend.h"
#include "iter/iter_internal.h"
#include "oracle.h"
#include "stria_graph.h"
#include "suite.h"
#include "tensor/device.h"

#if defined(__unix__) && !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#include <unistd.h>

#define DEVICE STRIA_DEVICE(STRIA_DEVICE_CUSTOM, 0)
#define OTHER STRIA_DEVICE(STRIA_DEVICE_CUSTOM, 3)
#define MAX_ALLOCATIONS 256

static struct {
    void        *data;
    size_t       nbytes;
    stria_device device;
} allocations[MAX_ALLOCATIONS];
static int n_live, n_calls, n_open;

/* ---------------------------------------------------------------- its memory */

static size_t whole_pages(size_t nbytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (nbytes + page - 1) / page * page;
}

static void *allocate(stria_device device, size_t nbytes, void **context)
{
    void *data = mmap(NULL, whole_pages(nbytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (int k = 0; data != MAP_FAILED && k < MAX_ALLOCATIONS; k++) {
        if (allocations[k].data != NULL) continue;
        allocations[k].data = data;
        allocations[k].nbytes = whole_pages(nbytes);
        allocations[k].device = device;
        n_live++;
        *context = &allocations[k];
        return data;
    }
    return NULL;
}

static void release(stria_device device, void *data, size_t nbytes, void *context)
{
    for (int k = 0; k < MAX_ALLOCATIONS; k++) {
        if (allocations[k].data != data) continue;
        CHECK(allocations[k].nbytes == whole_pages(nbytes), "released with another size");
        CHECK(stria_device_equals(allocations[k].device, device), "released on another device");
        CHECK(context == &allocations[k], "released with another context");
        munmap(data, allocations[k].nbytes);
        allocations[k].data = NULL;
        n_live--;
        return;
    }
    CHECK(false, "released what was not allocated");
}

static const stria_device_memory memory = {.allocate = allocate, .release = release};

static void set_open(bool open)
{
    n_open += open ? 1 : -1;
    if (n_open != open) return; /* within another call of the table */
    for (int k = 0; k < MAX_ALLOCATIONS; k++)
        if (allocations[k].data != NULL)
            mprotect(allocations[k].data, allocations[k].nbytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

/* ---------------------------------------------------------------- its table */

/* The same elements as a tensor of the CPU; what is on the CPU is retained. */
static stria_tensor *open_view(const stria_tensor *x)
{
    stria_tensor *view = NULL;

    if (x == NULL || x->device.type != STRIA_DEVICE_CUSTOM) return stria_tensor_retain((stria_tensor *)(uintptr_t)x);
    static char nothing[16];
    CHECK_STATUS(stria_tensor_new_external(x->dtype, x->ndim, x->shape, x->strides, x->data ? x->data : nothing, NULL,
                                           NULL, &view, NULL),
                 STRIA_OK);
    return view;
}

/* The call with every tensor of it opened; outputs as given ones. */
static stria_status run_on_cpu(const stria_call *call, int n_in, stria_tensor **out, int n_out, stria_error *err)
{
    stria_tensor *in[8] = {NULL}, *y[STRIA_MAX_OUTPUTS] = {NULL}, *list[8] = {NULL};
    stria_call    opened = *call;
    stria_status  status;

    n_calls++;
    set_open(true);
    for (int k = 0; k < n_in; k++) in[k] = open_view(call->in[k]);
    for (int k = 0; k < call->n_list && k < 8; k++) list[k] = open_view(call->list[k]);
    for (int k = 0; k < n_out; k++) y[k] = open_view(out[k]);
    opened.in = (const stria_tensor *const *)in;
    opened.list = (const stria_tensor *const *)list;
    opened.out = y;
    status = stria_call_run(&opened, err);
    for (int k = 0; k < n_in; k++) stria_tensor_release(in[k]);
    for (int k = 0; k < call->n_list && k < 8; k++) stria_tensor_release(list[k]);
    /* a shape that depended on elements: the result was made on the CPU */
    for (int k = 0; k < n_out; k++) {
        if (out[k] == NULL && status == STRIA_OK) {
            set_open(false);
            status = stria_tensor_new_on(DEVICE, y[k]->dtype, y[k]->ndim, y[k]->shape, NULL, &out[k], err);
            set_open(true);
            if (status == STRIA_OK && y[k]->numel > 0)
                memcpy(out[k]->data, y[k]->data, (size_t)y[k]->numel * stria_dtype_get_size(y[k]->dtype));
        }
        stria_tensor_release(y[k]);
    }
    set_open(false);
    return status;
}

static stria_status get_status(stria_error *err)
{
    (void)err;
    return STRIA_OK;
}

static stria_status element(const stria_call *call, const stria_meta *meta, stria_error *err)
{
    stria_tensor *out;
    stria_iter    iter;
    stria_status  status;

    STRIA_TRY(stria_iter_build_element(&iter, call, meta, err));
    out = call->out[0] != NULL ? stria_tensor_retain(call->out[0]) : stria_iter_take_output(&iter, 0);
    stria_iter_release(&iter);
    status = run_on_cpu(call, call->n_in, &out, 1, err);
    if (call->out[0] == NULL && status == STRIA_OK)
        call->out[0] = out;
    else
        stria_tensor_release(out);
    return status;
}

static stria_status reduce(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    (void)meta;
    return run_on_cpu(call, 1, y, 1, err);
}

static stria_status run_row(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    stria_any_attrs     attrs;
    stria_call          moved = *call;

    (void)meta;
    memcpy(&attrs, call->attrs, schema->attrs_size);
    for (int k = 0; k < schema->n_attributes; k++)
        if (schema->attributes[k].kind == STRIA_KIND_DEVICE)
            *(stria_device *)(void *)((char *)&attrs + schema->attributes[k].offset) = STRIA_CPU;
    moved.attrs = &attrs;
    return run_on_cpu(&moved, stria_schema_count_single(schema), y, schema->n_outputs, err);
}

static stria_status expression(const stria_call *call, stria_error *err)
{
    return run_on_cpu(call, call->n_in, call->out, 1, err);
}

static stria_status copy(stria_tensor *out, const stria_tensor *x, stria_error *err)
{
    n_calls++;
    set_open(true);
    stria_tensor      *to = open_view(out), *from = open_view(x);
    const stria_status status = stria_tensor_set(to, from, err);
    stria_tensor_release(to);
    stria_tensor_release(from);
    set_open(false);
    return status;
}

static const stria_backend backend = {.get_status = get_status,
                                      .element = element,
                                      .reduce = reduce,
                                      .copy = copy,
                                      .impl = {
#define STRIA_FN_VIEW(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN(name, tensors, attributes, outputs, summary) run_row,
#include "table/functions.def"
                                      }};

/* ---------------------------------------------------------------- tests */

static stria_tensor *to_device(const stria_tensor *x)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_tensor_new_on(DEVICE, x->dtype, x->ndim, x->shape, NULL, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(y, x, NULL), STRIA_OK);
    return y;
}

static stria_tensor *to_cpu(const stria_tensor *x)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_tensor_new(x->dtype, x->ndim, x->shape, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_set(y, x, NULL), STRIA_OK);
    return y;
}

/* What came back from the device has the bytes of what the CPU computed. Both are released. */
static void check_same(const char *what, stria_tensor *device, stria_tensor *cpu)
{
    CHECK(device != NULL && cpu != NULL, "%s: no result", what);
    if (device == NULL || cpu == NULL) return;
    CHECK(stria_device_equals(device->device, DEVICE), "%s: the result is on %s", what,
          stria_device_get_name(device->device));
    CHECK(stria_tensor_has_shape(device, cpu->ndim, cpu->shape) && device->dtype == cpu->dtype, "%s: shape, dtype",
          what);
    stria_tensor *back = to_cpu(device), *packed = to_cpu(cpu);
    CHECK(memcmp(back->data, packed->data, (size_t)cpu->numel * stria_dtype_get_size(cpu->dtype)) == 0,
          "%s: other bytes than on the CPU", what);
    stria_tensor_release(back);
    stria_tensor_release(packed);
    stria_tensor_release(device);
    stria_tensor_release(cpu);
}

typedef struct operands {
    stria_tensor *x, *y, *mask, *counts, *value;
} operands;

static operands make_operands(void)
{
    static const float   x[] = {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, -5, 8}, y[] = {1, 2, 3, 4};
    static const uint8_t mask[] = {1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1};
    static const int64_t counts[] = {1, 0, 3, 1};
    static const int64_t shape[] = {3, 4};
    operands             o = {0};

    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, shape, x, sizeof x, &o.x, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, shape + 1, y, sizeof y, &o.y, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_BOOL, 2, shape, mask, sizeof mask, &o.mask, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_I64, 1, shape + 1, counts, sizeof counts, &o.counts, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_scalar((stria_scalar){STRIA_SCALAR_FLOAT, 0, 7.5, 0}, &o.value, NULL), STRIA_OK);
    return o;
}

static operands move_operands(const operands *o)
{
    return (operands){to_device(o->x), to_device(o->y), to_device(o->mask), to_device(o->counts),
                      stria_tensor_retain(o->value)};
}

static void release_operands(operands *o)
{
    stria_tensor_release(o->x), stria_tensor_release(o->y), stria_tensor_release(o->mask);
    stria_tensor_release(o->counts), stria_tensor_release(o->value);
}

/* Each family once, on the device and on the CPU; the result of one call. */
typedef stria_status call_fn(const operands *o, stria_tensor **out, stria_error *err);

static stria_status call_add(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_add(o->x, o->y, out, err);
}
static stria_status call_add_number(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_add(o->x, o->value, out, err);
}
static stria_status call_less(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_lt(o->x, o->y, out, err);
}
static stria_status call_sum(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_sum(o->x, (const int[]){0}, 1, false, out, err);
}
static stria_status call_mean(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_mean(o->x, NULL, 0, true, out, err);
}
static stria_status call_matmul(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_matmul(o->x, o->y, out, err);
}
static stria_status call_argmax(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_argmax(o->x, 1, false, out, err);
}
static stria_status call_var(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_var(o->x, NULL, 0, 1, false, out, err);
}
static stria_status call_norm(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_norm(o->x, 2, NULL, 0, false, STRIA_DTYPE_NONE, out, err);
}
static stria_status call_cumsum(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_cumsum(o->x, 0, STRIA_F64, out, err);
}
static stria_status call_softmax(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_softmax(o->x, -1, STRIA_DTYPE_NONE, out, err);
}
static stria_status call_layer_norm(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_layer_norm(o->x, o->y, NULL, o->y->shape, 1, 1e-5, out, err);
}
static stria_status call_masked_select(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_masked_select(o->x, o->mask, out, err);
}
static stria_status call_masked_fill(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_masked_fill(o->x, o->mask, o->value, out, err);
}
static stria_status call_bincount(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_bincount(o->counts, o->y, 0, out, err);
}
static stria_status call_copy(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_tensor_copy(o->x, STRIA_I16, out, err);
}
static stria_status call_fill(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_fill(o->x, (stria_scalar){STRIA_SCALAR_INT, 3, 0, 0}, out, err);
}
static stria_status call_copy_source(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_copy(o->x, o->y, out, err);
}
/* created where x is */
static stria_status call_full(const operands *o, stria_tensor **out, stria_error *err)
{
    const stria_scalar value = {STRIA_SCALAR_FLOAT, 0, 2.5, 0};
    return stria_full(o->x->shape, o->x->ndim, value, STRIA_DTYPE_NONE, o->x->device, out, err);
}
static stria_status call_zeros_like(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_zeros_like(o->x, STRIA_I16, STRIA_DEVICE_NONE, out, err);
}
static stria_status call_eye(const operands *o, stria_tensor **out, stria_error *err)
{
    return stria_eye(3, 4, STRIA_DTYPE_NONE, o->x->device, out, err);
}
/* a view of a view, made contiguous, and reshaped by a copy */
static stria_status call_views(const operands *o, stria_tensor **out, stria_error *err)
{
    stria_tensor *turned = NULL, *part = NULL;

    STRIA_TRY(stria_transpose(o->x, 0, 1, &turned, err));
    STRIA_TRY(stria_slice(turned, 0, 0, STRIA_INT_NONE, 2, &part, err));
    const stria_status status = stria_reshape(part, (const int64_t[]){6}, 1, out, err);
    stria_tensor_release(turned), stria_tensor_release(part);
    return status;
}

static const struct {
    const char *name;
    call_fn    *call;
} calls[] = {{"add", call_add},
             {"add a number", call_add_number},
             {"lt", call_less},
             {"sum", call_sum},
             {"mean", call_mean},
             {"matmul", call_matmul},
             {"argmax", call_argmax},
             {"var", call_var},
             {"norm", call_norm},
             {"cumsum", call_cumsum},
             {"softmax", call_softmax},
             {"layer_norm", call_layer_norm},
             {"masked_select", call_masked_select},
             {"masked_fill", call_masked_fill},
             {"bincount", call_bincount},
             {"to", call_copy},
             {"copy", call_copy_source},
             {"fill", call_fill},
             {"full", call_full},
             {"zeros_like", call_zeros_like},
             {"eye", call_eye},
             {"views", call_views}};

static void test_calls(void)
{
    operands cpu = make_operands(), device = move_operands(&cpu);

    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        stria_tensor *a = NULL, *b = NULL;
        stria_error   err = {0};
        const int     before = n_calls;
        CHECK(calls[k].call(&device, &a, &err) == STRIA_OK, "%s: %s", calls[k].name, err.message);
        CHECK(n_calls > before, "%s did not pass the table", calls[k].name);
        CHECK_STATUS(calls[k].call(&cpu, &b, NULL), STRIA_OK);
        check_same(calls[k].name, a, b);
    }
    release_operands(&device);
    release_operands(&cpu);
}

/* out=, in place, resized, of another dtype, overlapping. */
static void test_given(void)
{
    operands      cpu = make_operands(), device = move_operands(&cpu);
    stria_tensor *small = NULL, *small_cpu = NULL;
    const int64_t one = 1;

    const stria_tensor *const in[] = {device.x, device.y}, *const in_cpu[] = {cpu.x, cpu.y};
    CHECK_STATUS(stria_apply_out(STRIA_OP_mul, in, 2, device.x, NULL), STRIA_OK);
    CHECK_STATUS(stria_apply_out(STRIA_OP_mul, in_cpu, 2, cpu.x, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum_out(device.x, 1, STRIA_DTYPE_NONE, device.x, NULL), STRIA_OK);
    CHECK_STATUS(stria_cumsum_out(cpu.x, 1, STRIA_DTYPE_NONE, cpu.x, NULL), STRIA_OK);
    check_same("in place", stria_tensor_retain(device.x), stria_tensor_retain(cpu.x));

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 1, &one, &small_cpu, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_on(DEVICE, STRIA_F64, 1, &one, NULL, &small, NULL), STRIA_OK);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, device.x, (const int[]){1}, 1, false, STRIA_DTYPE_NONE, small, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, cpu.x, (const int[]){1}, 1, false, STRIA_DTYPE_NONE, small_cpu, NULL),
                 STRIA_OK);
    check_same("resized", stria_tensor_retain(small), stria_tensor_retain(small_cpu));
    CHECK_STATUS(stria_softmax_out(device.x, 0, STRIA_DTYPE_NONE, device.x, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_select_out(device.x, device.mask, small, NULL), STRIA_OK);
    CHECK_STATUS(stria_softmax_out(cpu.x, 0, STRIA_DTYPE_NONE, cpu.x, NULL), STRIA_OK);
    CHECK_STATUS(stria_masked_select_out(cpu.x, cpu.mask, small_cpu, NULL), STRIA_OK);
    check_same("of another dtype", small, small_cpu);
    release_operands(&device);
    release_operands(&cpu);
}

static void check_refused(stria_status status, stria_status wanted, const stria_error *err, const char *op,
                          const char *words)
{
    CHECK(status == wanted && strcmp(err->op, op) == 0 && strstr(err->message, words), "%s: op %s: %s",
          stria_status_get_name(status), err->op, err->message);
}

static void test_refusals(void)
{
    static stria_backend lacking;
    operands             cpu = make_operands(), device = move_operands(&cpu);
    stria_tensor        *y = NULL;
    stria_error          err = {0};

    check_refused(stria_matmul(device.x, cpu.y, &y, &err), STRIA_ERR_DEVICE, &err, "matmul",
                  "b is on cpu but a is on custom:0");
    check_refused(stria_add(device.x, cpu.x, &y, &err), STRIA_ERR_DEVICE, &err, "add", "custom");
    check_refused(stria_sum(NULL, NULL, 0, false, &y, &err), STRIA_ERR_ARGUMENT, &err, "sum", "NULL");
    check_refused(stria_reduce_out(STRIA_RED_sum, device.x, NULL, 0, false, STRIA_DTYPE_NONE, cpu.y, &err),
                  STRIA_ERR_DEVICE, &err, "sum", "cpu");
    lacking = backend;
    lacking.impl[STRIA_FN_var] = NULL;
    stria_backend_set(STRIA_DEVICE_CUSTOM, &lacking);
    check_refused(stria_var(device.x, NULL, 0, 1, false, &y, &err), STRIA_ERR_UNSUPPORTED, &err, "var",
                  "there is no var on custom:0");
    stria_backend_set(STRIA_DEVICE_CUSTOM, NULL);
    check_refused(stria_add(device.x, device.y, &y, &err), STRIA_ERR_UNSUPPORTED, &err, "add",
                  "there is no add on custom:0");
    check_refused(stria_sum(device.x, NULL, 0, false, &y, &err), STRIA_ERR_UNSUPPORTED, &err, "sum",
                  "there is no sum on custom:0");
    check_refused(stria_argmax(device.x, 0, false, &y, &err), STRIA_ERR_UNSUPPORTED, &err, "argmax",
                  "there is no argmax on custom:0");
    check_refused(stria_tensor_set(cpu.x, device.x, &err), STRIA_ERR_UNSUPPORTED, &err, "copy", "custom");
    check_refused(
        stria_tensor_new_on(STRIA_DEVICE(STRIA_DEVICE_CUDA, 15), STRIA_F32, 1, (const int64_t[]){3}, NULL, &y, &err),
        STRIA_ERR_UNSUPPORTED, &err, "tensor", "there is no device cuda:15");
    CHECK(y == NULL, "a result of a refused call");
    stria_backend_set(STRIA_DEVICE_CUSTOM, &backend);
    release_operands(&device);
    release_operands(&cpu);
}

/* Two devices of one type are two devices. */
static void test_indices(void)
{
    operands             cpu = make_operands(), device = move_operands(&cpu);
    stria_tensor        *far = NULL, *y = NULL;
    stria_error          err = {0};
    static const int16_t wrong[][2] = {{STRIA_DEVICE_CPU, 1},     {STRIA_DEVICE_META, 1},  {STRIA_DEVICE_CUSTOM, 16},
                                       {STRIA_DEVICE_CUSTOM, -1}, {STRIA_DEVICE_COUNT, 0}, {-1, 0}};

    CHECK_STATUS(stria_tensor_new_on(OTHER, STRIA_F32, 2, cpu.x->shape, NULL, &far, NULL), STRIA_OK);
    CHECK(far->device.index == 3 && far->storage->device.index == 3, "the index of the device");
    check_refused(stria_add(device.x, far, &y, &err), STRIA_ERR_DEVICE, &err, "add",
                  "b is on custom:3 but the other operands are on custom:0");
    CHECK(strcmp(err.argument, "b") == 0 && strcmp(err.expected, "custom:0") == 0 && strcmp(err.got, "custom:3") == 0,
          "add: %s, %s, %s", err.argument, err.expected, err.got);
    check_refused(stria_cat((const stria_tensor *const[]){device.x, far}, 2, 0, &y, &err), STRIA_ERR_DEVICE, &err,
                  "cat", "tensors[1] is on custom:3 but tensors[0] is on custom:0");
    const stria_tensor *const in[] = {device.x, device.y};
    check_refused(stria_apply_out(STRIA_OP_mul, in, 2, far, &err), STRIA_ERR_DEVICE, &err, "mul",
                  "out is on custom:3 but the other operands are on custom:0");
    check_refused(stria_reduce_out(STRIA_RED_sum, device.x, NULL, 0, false, STRIA_DTYPE_NONE, far, &err),
                  STRIA_ERR_DEVICE, &err, "sum", "custom:3");
    check_refused(stria_cumsum_out(device.x, 0, STRIA_DTYPE_NONE, far, &err), STRIA_ERR_DEVICE, &err, "cumsum",
                  "out is on custom:3 but the operands are on custom:0");
    CHECK(y == NULL, "a result of a refused call");

    CHECK_STATUS(stria_tensor_set(far, device.x, NULL), STRIA_OK); /* the table reaches both */
    CHECK_STATUS(stria_cumsum(far, 0, STRIA_DTYPE_NONE, &y, NULL), STRIA_OK);
    CHECK(y != NULL && stria_device_equals(y->device, OTHER), "a result stays on its device");
    stria_tensor_release(y);
    y = NULL;
    CHECK_STATUS(stria_empty(cpu.x->shape, 2, STRIA_F32, STRIA_META, &y, NULL), STRIA_OK);
    check_refused(stria_tensor_set(far, y, &err), STRIA_ERR_DEVICE, &err, "copy",
                  "x is on meta but out is on custom:3");
    check_refused(stria_tensor_set(y, far, &err), STRIA_ERR_DEVICE, &err, "copy",
                  "x is on custom:3 but out is on meta");
    stria_tensor_release(y);
    y = NULL;

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const stria_device none = STRIA_DEVICE(wrong[k][0], wrong[k][1]);
        check_refused(stria_tensor_new_on(none, STRIA_F32, 0, NULL, NULL, &y, &err), STRIA_ERR_ARGUMENT, &err, "tensor",
                      "device is no device");
        CHECK(y == NULL && strcmp(stria_device_get_name(none), "none") == 0, "device %d", (int)k);
    }
    CHECK(strcmp(stria_device_get_name(STRIA_CPU), "cpu") == 0 &&
              strcmp(stria_device_get_name(STRIA_META), "meta") == 0,
          "names without an index");
    stria_tensor_release(far);
    release_operands(&device);
    release_operands(&cpu);
}

static void test_expression(void)
{
    static const stria_instruction code[] = {{STRIA_OP_add, {0, 1, 0}}};
    operands                       cpu = make_operands(), device = move_operands(&cpu);
    stria_expression              *e = NULL;
    stria_tensor                  *y = NULL;
    stria_error                    err = {0};

    CHECK_STATUS(stria_expression_new(2, NULL, 0, code, 1, &e, NULL), STRIA_OK);
    const stria_tensor *const in[] = {device.x, device.y};
    const stria_tensor *const mixed[] = {cpu.x, device.y};
    check_refused(stria_expression_apply(e, mixed, 2, &y, &err), STRIA_ERR_UNSUPPORTED, &err, "expression",
                  "there is no expression on custom:0");
    check_refused(stria_expression_apply(e, in, 2, &y, &err), STRIA_ERR_UNSUPPORTED, &err, "expression",
                  "there is no expression on custom:0");
    /* a device that has them */
    stria_backend with = backend;
    stria_tensor *on_cpu = NULL;
    with.expression = expression;
    stria_backend_set(STRIA_DEVICE_CUSTOM, &with);
    const stria_tensor *const in_cpu[] = {cpu.x, cpu.y};
    CHECK_STATUS(stria_expression_apply(e, in, 2, &y, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, in_cpu, 2, &on_cpu, NULL), STRIA_OK);
    check_same("expression", y, on_cpu);
    stria_backend_set(STRIA_DEVICE_CUSTOM, &backend);
    stria_expression_release(e);
    release_operands(&device);
    release_operands(&cpu);
}

/* ---------------------------------------------------------------- what the door does besides */

static void test_versions(void)
{
    operands       o = make_operands();
    const unsigned before = atomic_load(&o.x->storage->version);
    stria_tensor  *y = NULL;

    CHECK_STATUS(stria_add(o.x, o.y, &y, NULL), STRIA_OK);
    CHECK(atomic_load(&o.x->storage->version) == before, "reading counts as a write");
    CHECK_STATUS(stria_tensor_set(o.x, y, NULL), STRIA_OK);
    CHECK(atomic_load(&o.x->storage->version) == before + 1, "a copy is not counted");
    CHECK_STATUS(stria_masked_fill_out(o.x, o.mask, o.value, o.x, NULL), STRIA_OK);
    CHECK_STATUS(stria_reduce_out(STRIA_RED_sum, y, (const int[]){0}, 1, false, STRIA_DTYPE_NONE, o.y, NULL), STRIA_OK);
    CHECK(atomic_load(&o.x->storage->version) >= before + 2, "writes that are not counted");
    CHECK(atomic_load(&o.y->storage->version) >= 1, "a reduction into a tensor is not counted");
    stria_tensor_release(y);
    release_operands(&o);
}

typedef struct record {
    int       n, taken_row;
    stria_row rows[8];
} record;

static stria_status on_call(void *context, const stria_call *call, bool *is_taken, stria_error *err)
{
    record       *r = context;
    stria_tensor *y = NULL;

    if (r->n < 8) r->rows[r->n++] = call->row;
    if (call->row != r->taken_row) return STRIA_OK;
    *is_taken = true;
    STRIA_TRY(stria_neg(call->in[0], &y, err)); /* is not recorded */
    call->out[0] = y;
    return STRIA_OK;
}

static void test_recorder(void)
{
    operands      o = make_operands();
    record        r = {.taken_row = STRIA_ROW_OF_FUNCTION(STRIA_FN_softmax)};
    stria_tensor *y[4] = {NULL}, *negative = NULL;

    stria_call_set_recorder(on_call, &r);
    CHECK_STATUS(stria_add(o.x, o.y, &y[0], NULL), STRIA_OK);
    CHECK_STATUS(stria_sum(o.x, NULL, 0, false, &y[1], NULL), STRIA_OK);
    CHECK_STATUS(stria_softmax(o.x, 0, STRIA_DTYPE_NONE, &y[2], NULL), STRIA_OK);
    stria_call_set_recorder(NULL, NULL);
    CHECK_STATUS(stria_add(o.x, o.y, &y[3], NULL), STRIA_OK);
    CHECK(r.n == 3 && r.rows[0] == STRIA_ROW_OF_OP(STRIA_OP_add) &&
              r.rows[1] == STRIA_ROW_OF_REDUCTION(STRIA_RED_sum) &&
              r.rows[2] == STRIA_ROW_OF_FUNCTION(STRIA_FN_softmax),
          "%d calls were recorded", r.n);
    CHECK_STATUS(stria_neg(o.x, &negative, NULL), STRIA_OK);
    CHECK(memcmp(y[2]->data, negative->data, 48) == 0, "what a recorder takes is not run");
    for (int k = 0; k < 4; k++) stria_tensor_release(y[k]);
    stria_tensor_release(negative);
    release_operands(&o);
}

/* Graphs record the CPU's tensors. */
static void test_recording(void)
{
    operands         cpu = make_operands(), device = move_operands(&cpu);
    stria_tensor    *y = NULL;
    stria_recording *r;
    stria_error      err = {0};

    CHECK_STATUS(stria_recording_begin(&r, NULL), STRIA_OK);
    check_refused(stria_neg(device.x, &y, &err), STRIA_ERR_DEVICE, &err, "neg", "tensors on custom:0 are not recorded");
    CHECK(y == NULL, "no result");
    stria_recording_cancel(r);
    release_operands(&device);
    release_operands(&cpu);
}

SUITE(test_device)
{
    check_isa("test_device");
    stria_device_set_memory(STRIA_DEVICE_CUSTOM, &memory);
    stria_backend_set(STRIA_DEVICE_CUSTOM, &backend);
    test_calls();
    test_given();
    test_refusals();
    test_indices();
    test_expression();
    test_versions();
    test_recorder();
    test_recording();
    CHECK(n_live == 0, "%d allocations of the device are left", n_live);
    stria_backend_set(STRIA_DEVICE_CUSTOM, NULL);
    return check_finish("test_device");
}
#else
SUITE(test_device)
{
    printf("test_device: SKIPPED (no pages to close here)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
}
#endif
