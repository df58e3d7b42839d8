/* call.c - the door: the steps of call.h. */
#include "call/call.h"

#include <math.h>
#include <stdatomic.h>

#include "base/error.h"
#include "call/backend.h"
#include "call/call_internal.h"
#include "call/compose.h"
#include "tensor/device.h"

/* NULL: a composite. */
static stria_infer_fn *const infers[] = {
#define STRIA_FN_COMPOSE(name, tensors, attributes, outputs, summary) NULL,
#define STRIA_FN(name, tensors, attributes, outputs, summary) stria_infer_##name,
#include "table/functions.def"
};

stria_infer_fn *stria_call_get_infer(stria_function function) { return infers[function]; }

/* ---------------------------------------------------------------- the rows of functions.def */

static bool has_elements(const stria_schema *schema, const stria_call_meta *meta, stria_tensor *const *y)
{
    for (int k = 0; k < schema->n_outputs; k++)
        if (meta->out[k].order == STRIA_ORDER_UNKNOWN || y[k]->numel > 0) return true;
    return false;
}

stria_status stria_call_find_impl(const stria_call *call, const stria_schema *schema, stria_device device,
                                  stria_impl_fn **impl, stria_error *err)
{
    const stria_backend *backend = stria_backend_get(device);

    *impl = NULL;
    if (device.type == STRIA_DEVICE_META) return STRIA_OK;
    if (backend == NULL || backend->impl[stria_call_get_function(call)] == NULL)
        return stria_backend_refuse(schema->name, schema->n_tensors > 0 ? schema->tensors[0].name : "device", device,
                                    err);
    *impl = backend->impl[stria_call_get_function(call)];
    return backend->get_status(err);
}

/* The same, of a row with outputs; NULL also where nothing is to be computed. */
static stria_status choose_impl(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                stria_impl_fn **impl, stria_error *err)
{
    const bool depends_on_elements = meta->out[0].order == STRIA_ORDER_UNKNOWN;

    *impl = NULL;
    if (meta->out[0].order == STRIA_ORDER_VIEW || meta->out[0].order == STRIA_ORDER_SAME) return STRIA_OK;
    if (meta->device.type == STRIA_DEVICE_META && depends_on_elements) {
        const char *name = stria_device_get_name(meta->device);
        return stria_error_set(err, STRIA_ERR_DEVICE, schema->name, schema->tensors[0].name, "cpu", name,
                               "the shape of the result depends on elements, and tensors on %s have none", name);
    }
    return stria_call_find_impl(call, schema, meta->device, impl, err);
}

static stria_status compute(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                            stria_impl_fn *impl, stria_tensor **y, stria_error *err)
{
    STRIA_TRY(stria_call_begin_outputs(call, schema, meta, y, err));
    return impl != NULL && has_elements(schema, meta, y) ? impl(call, meta, y, err) : STRIA_OK;
}

/* From what is known about the outputs to the outputs. */
static stria_status run_outputs(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                stria_impl_fn *impl, stria_error *err)
{
    stria_tensor      *y[STRIA_MAX_OUTPUTS] = {NULL};
    const stria_status status = compute(call, schema, meta, impl, y, err);

    return stria_call_end_outputs(call, schema, status, y, err);
}

/* One new output, as most calls have it. */
static stria_status run_one_new(const stria_call *call, const stria_schema *schema, const stria_call_meta *meta,
                                stria_error *err)
{
    stria_tensor  *y = NULL;
    stria_impl_fn *impl = NULL;

    if (meta->out[0].order != STRIA_ORDER_VIEW) STRIA_TRY(choose_impl(call, schema, meta, &impl, err));
    stria_status status = stria_call_new_output(call, meta, 0, &y, err);
    if (status == STRIA_OK && impl != NULL && has_elements(schema, meta, &y)) status = impl(call, meta, &y, err);
    if (status == STRIA_OK) {
        call->out[0] = y;
        return STRIA_OK;
    }
    stria_tensor_release(y);
    return stria_error_set_op(err, status, schema->name);
}

static stria_status run_function(const stria_call *call, stria_error *err)
{
    const stria_function function = stria_call_get_function(call);
    const stria_schema  *schema = stria_schema_get(function);
    stria_output_meta    outs[STRIA_MAX_OUTPUTS];
    stria_call_meta      meta = {.out = outs};
    stria_impl_fn       *impl;

    STRIA_TRY(stria_call_check_schema(call, schema, err));
    if (infers[function] == NULL) return stria_compose_run(call, schema, err);
    if (function == STRIA_FN_copy && call->out[0] == call->in[0]) return stria_call_copy_in_place(call, err);
    if (stria_schema_is_update(schema)) return stria_call_run_update(call, schema, infers[function], err);
    meta.out[0].converts = false;
    for (int k = 1; k < schema->n_outputs; k++) meta.out[k].converts = false;
    STRIA_TRY(infers[function](call, &meta, err));
    if (schema->n_tensors == 1 && schema->tensors[0].kind <= STRIA_KIND_BASE && call->in[0] != NULL)
        meta.device = stria_call_get_device(call, schema, call->in[0]->device); /* the usual case of what follows */
    else if (!meta.has_device)
        STRIA_TRY(stria_call_infer_device(call, schema, &meta, err));
    if (schema->n_outputs == 1 && call->out[0] == NULL) return run_one_new(call, schema, &meta, err);
    STRIA_TRY(stria_call_check_outs(call, schema, &meta, err));
    STRIA_TRY(choose_impl(call, schema, &meta, &impl, err));
    return run_outputs(call, schema, &meta, impl, err);
}

/* ---------------------------------------------------------------- the rows of ops.def */

static inline stria_status choose_backend(const char *name, stria_device device, const stria_backend **backend,
                                          stria_error *err)
{
    *backend = stria_backend_get(device);
    if (__builtin_expect(*backend != NULL, true)) return STRIA_OK;
    return stria_backend_refuse(name, NULL, device, err);
}

static inline __attribute__((always_inline)) stria_status run_element(const stria_call *call, stria_error *err)
{
    const stria_op       op = (stria_op)call->row;
    stria_tensor        *out = call->out[0];
    const stria_backend *backend;
    stria_meta           meta;

    STRIA_TRY(stria_meta_infer(op, call->in, call->n_in, out, &meta, err)); /* every refusal of shapes and dtypes */
    STRIA_TRY(choose_backend(stria_op_infos[op].name, meta.device, &backend, err));
    STRIA_TRY(backend->element(call, &meta, err));
    if (out != NULL) stria_tensor_touch(out);
    return STRIA_OK;
}

/* As of a function. */
static void describe_reduction(const stria_call *call, const stria_reduce_meta *found, stria_reduction_schema *as,
                               stria_call_meta *meta)
{
    as->x = (stria_param){.name = "x", .kind = STRIA_KIND_IN};
    as->y = (stria_param){.name = "out", .kind = STRIA_KIND_OUT};
    as->schema = (stria_schema){
        .name = stria_call_get_name(call), .tensors = &as->x, .outputs = &as->y, .n_tensors = 1, .n_outputs = 1};
    meta->device = found->device;
    meta->axes = found->reduced;
    meta->compute = found->compute;
    meta->out[0].dtype = found->result;
    meta->out[0].order = STRIA_ORDER_ROW_MAJOR;
    meta->out[0].converts = false;
    meta->out[0].ndim = found->ndim;
    for (int d = 0; d < found->ndim; d++) meta->out[0].shape[d] = found->shape[d];
}

/* Into the caller's tensor, as functions do it. */
static __attribute__((noinline)) stria_status reduce_into_given(const stria_call *call, const stria_reduce_meta *found,
                                                                stria_impl_fn *impl, stria_error *err)
{
    stria_reduction_schema as;
    stria_output_meta      outs[1];
    stria_call_meta        meta = {.out = outs};

    describe_reduction(call, found, &as, &meta);
    STRIA_TRY(stria_call_check_outs(call, &as.schema, &meta, err));
    return run_outputs(call, &as.schema, &meta, impl, err);
}

static inline __attribute__((always_inline)) stria_status infer_reduction(const stria_call  *call,
                                                                          stria_reduce_meta *found, stria_error *err)
{
    const stria_reduce_attrs *attrs = call->attrs;

    return stria_meta_infer_reduce((stria_reduction)(call->row - STRIA_ROW_OF_REDUCTION(0)), call->in[0],
                                   attrs->axes.at, attrs->axes.n, attrs->keepdim, attrs->dtype, call->out[0], found,
                                   err);
}

stria_status stria_call_infer_reduction(const stria_call *call, stria_reduction_schema *as, stria_call_meta *meta,
                                        stria_impl_fn **impl, stria_error *err)
{
    const stria_backend *backend;
    stria_reduce_meta    found;

    STRIA_TRY(infer_reduction(call, &found, err));
    STRIA_TRY(choose_backend(stria_call_get_name(call), found.device, &backend, err));
    *impl = backend->reduce;
    describe_reduction(call, &found, as, meta);
    return STRIA_OK;
}

static inline __attribute__((always_inline)) stria_status run_reduction(const stria_call *call, stria_error *err)
{
    const stria_backend *backend;
    stria_reduce_meta    found;
    stria_call_meta      meta;
    stria_tensor        *y = NULL;
    stria_status         status;

    STRIA_TRY(infer_reduction(call, &found, err)); /* refuses a row that there is not */
    const char *name = stria_reduction_infos[call->row - STRIA_ROW_OF_REDUCTION(0)].name;
    STRIA_TRY(choose_backend(name, found.device, &backend, err));
    if (call->out[0] != NULL) return reduce_into_given(call, &found, backend->reduce, err);
    if (found.device.type == STRIA_DEVICE_CPU)
        status = stria_tensor_new(found.result, found.ndim, found.shape, &y, err);
    else
        status = stria_tensor_new_on(found.device, found.result, found.ndim, found.shape, NULL, &y, err);
    meta.out = NULL; /* y says it */
    meta.device = found.device;
    meta.axes = found.reduced;
    meta.compute = found.compute;
    if (status == STRIA_OK && backend->reduce != NULL && y->numel > 0) status = backend->reduce(call, &meta, &y, err);
    if (status == STRIA_OK) {
        call->out[0] = y;
        return STRIA_OK;
    }
    stria_tensor_release(y);
    return stria_error_set_op(err, status, name);
}

/* ---------------------------------------------------------------- recorders and gradients */

static _Thread_local struct {
    stria_recorder_fn          *fn;
    stria_recorder_mark_fn     *mark;
    stria_recorder_overlaps_fn *overlaps;
    void                       *context;
    bool                        is_running; /* what it calls is not recorded */
    bool                        is_inside;  /* of a call of the program */
} recorder;
/* Recorders of all threads, and gradients: a call looks further only where there are any. */
static atomic_int                      n_watchers;
static stria_gradient_fn *_Atomic      gradients;
static stria_gradient_sees_fn *_Atomic gradients_see;

void stria_call_set_recorder(stria_recorder_fn *fn, void *context)
{
    if ((fn != NULL) != (recorder.fn != NULL)) atomic_fetch_add(&n_watchers, fn != NULL ? 1 : -1);
    recorder.fn = fn;
    recorder.mark = NULL;
    recorder.overlaps = NULL;
    recorder.context = context;
}

void stria_call_set_recorder_mark(stria_recorder_mark_fn *mark, stria_recorder_overlaps_fn *overlaps)
{
    recorder.mark = mark;
    recorder.overlaps = overlaps;
}

bool stria_call_overlaps_recorded(const stria_tensor *a, const stria_tensor *b)
{
    return recorder.overlaps != NULL && recorder.overlaps(recorder.context, a, b);
}

void stria_call_set_gradients(stria_gradient_fn *fn, stria_gradient_sees_fn *sees)
{
    stria_gradient_fn *none = NULL;

    atomic_store(&gradients_see, sees); /* first: who finds fn asks this one */
    if (atomic_compare_exchange_strong(&gradients, &none, fn)) atomic_fetch_add(&n_watchers, 1);
}

bool stria_call_is_seen(const stria_call *call)
{
    if (recorder.fn != NULL) return true;
    if (atomic_load_explicit(&gradients, memory_order_acquire) == NULL) return false;
    return atomic_load_explicit(&gradients_see, memory_order_relaxed)(call);
}

bool stria_call_is_composite(const stria_call *call)
{
    return call->row >= STRIA_ROW_OF_FUNCTION(0) && call->row < STRIA_ROW_EXPRESSION &&
           infers[stria_call_get_function(call)] == NULL;
}

static stria_family_fn *get_family(stria_row row)
{
    if (row < STRIA_OP_COUNT) return run_element;
    if (row < STRIA_ROW_OF_FUNCTION(0)) return run_reduction;
    return row == STRIA_ROW_EXPRESSION ? stria_call_run_expression : run_function;
}

/* Composites that look at elements for what they refuse (compose/random.c): recorded as they are, so that replays refuse it, too. */
static bool is_recorded_whole(const stria_call *call)
{
    if (call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_normal)) return true;
    return call->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_bernoulli) && call->attrs != NULL &&
           isnan(((const stria_bernoulli_attrs *)call->attrs)->p);
}

static bool is_view_into_given(const stria_call *call)
{
    static const bool makes_views[] = {
#define STRIA_FN_VIEW(name, tensors, attributes, outputs, summary) true,
#define STRIA_FN(name, tensors, attributes, outputs, summary) false,
#include "table/functions.def"
    };

    return call->row >= STRIA_ROW_OF_FUNCTION(0) && call->row < STRIA_ROW_EXPRESSION &&
           makes_views[stria_call_get_function(call)] && call->out[0] != NULL;
}

/* What the row calls to do its work is not recorded; the calls that a composite is made of are. */
static stria_status run_recorded(const stria_call *call, stria_error *err)
{
    stria_family_fn *family = get_family(call->row);
    bool             is_taken = false;

    if (recorder.is_running || (stria_call_is_composite(call) && !is_recorded_whole(call))) return family(call, err);
    if (is_view_into_given(call)) return stria_compose_view(call, err);
    recorder.is_running = true;
    stria_status status = recorder.fn(recorder.context, call, &is_taken, err);
    if (status == STRIA_OK && !is_taken) status = family(call, err);
    recorder.is_running = false;
    return status;
}

bool stria_call_is_recorded(void) { return recorder.fn != NULL && !recorder.is_running; }

stria_status stria_call_record_copy(stria_tensor *out, const stria_tensor *y, stria_error *err)
{
    const stria_tensor *in[] = {out, y};
    const stria_call    call = {STRIA_ROW_OF_FUNCTION(STRIA_FN_copy), 0, in, NULL, 0, NULL, &out, NULL};

    return run_recorded(&call, err);
}

/* Where somebody records, or gradients are in use. */
static __attribute__((noinline)) stria_status run_watched(const stria_call *call, stria_family_fn *family,
                                                          stria_error *err)
{
    stria_gradient_fn *fn = atomic_load_explicit(&gradients, memory_order_acquire);

    if (recorder.fn != NULL) family = run_recorded;
    stria_recorder_mark_fn *const mark = recorder.mark;
    if (mark == NULL || recorder.is_inside || recorder.is_running)
        return fn != NULL ? fn(call, family, err) : family(call, err);
    mark(recorder.context, false);
    recorder.is_inside = true;
    const stria_status status = fn != NULL ? fn(call, family, err) : family(call, err);
    recorder.is_inside = false;
    if (status != STRIA_OK && recorder.mark == mark) mark(recorder.context, true); /* another one knows nothing of it */
    return status;
}

/* ---------------------------------------------------------------- the door */

const char *stria_row_get_name(stria_row row)
{
    if (row < STRIA_OP_COUNT) return stria_op_infos[row].name;
    if (row < STRIA_ROW_OF_FUNCTION(0)) return stria_reduction_infos[row - STRIA_OP_COUNT].name;
    if (row == STRIA_ROW_EXPRESSION) return STRIA_EXPRESSION_NAME;
    return stria_schema_get((stria_function)(row - STRIA_ROW_OF_FUNCTION(0)))->name;
}

/* The door of one family, of the rows first .. first + n - 1, which the compiler puts in its place. A call of a row that there is
 * not is refused by the family; no recorder sees it. */
static inline __attribute__((always_inline)) stria_status run(const stria_call *call, stria_row first, int n,
                                                              stria_family_fn *family, stria_error *err)
{
    const bool is_watched = __builtin_expect(atomic_load_explicit(&n_watchers, memory_order_relaxed) > 0, false);

    if (is_watched && call->row >= first && call->row < first + n) return run_watched(call, family, err);
    return family(call, err);
}

#define OPS STRIA_ROW_OF_OP(0), STRIA_OP_COUNT
#define REDUCTIONS STRIA_ROW_OF_REDUCTION(0), STRIA_RED_COUNT
#define FUNCTIONS STRIA_ROW_OF_FUNCTION(0), STRIA_FN_COUNT

stria_status stria_call_run(const stria_call *call, stria_error *err)
{
    if (call->row < STRIA_OP_COUNT) return run(call, OPS, run_element, err);
    if (call->row < STRIA_ROW_OF_FUNCTION(0)) return run(call, REDUCTIONS, run_reduction, err);
    return call->row == STRIA_ROW_EXPRESSION ? run(call, STRIA_ROW_EXPRESSION, 1, stria_call_run_expression, err)
                                             : run(call, FUNCTIONS, run_function, err);
}

/* clamp.c has more to do. */
static inline bool has_limits(stria_op op, const stria_tensor *const *in, int n_in)
{
    return __builtin_expect(stria_op_has_limits(op), false) && n_in == 3 && in != NULL;
}

stria_status stria_apply(stria_op op, const stria_tensor *const *in, int n_in, stria_tensor **out, stria_error *err)
{
    stria_tensor    *y = NULL;
    const stria_call call = {STRIA_ROW_OF_OP(op), n_in, in, NULL, 0, NULL, &y, NULL};

    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "apply", "out", "a place for the result", "NULL",
                               "out is NULL");
    *out = NULL;
    if (has_limits(op, in, n_in))
        STRIA_TRY(stria_clamp_run(&call, err));
    else
        STRIA_TRY(run(&call, OPS, run_element, err));
    *out = y;
    return STRIA_OK;
}

stria_status stria_apply_out(stria_op op, const stria_tensor *const *in, int n_in, stria_tensor *out, stria_error *err)
{
    const stria_call call = {STRIA_ROW_OF_OP(op), n_in, in, NULL, 0, NULL, &out, NULL};

    if (!out) return stria_error_set(err, STRIA_ERR_ARGUMENT, "apply", "out", "a tensor", "NULL", "out is NULL");
    if (has_limits(op, in, n_in)) return stria_clamp_run(&call, err);
    return run(&call, OPS, run_element, err);
}

stria_status stria_reduce(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes, bool keepdim,
                          stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    const stria_reduce_attrs attrs = {{axes, n_axes}, keepdim, dtype};
    stria_tensor            *y = NULL;
    const stria_call         call = {STRIA_ROW_OF_REDUCTION(op), 1, &x, NULL, 0, &attrs, &y, NULL};

    if (!out)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "reduce", "out", "a place for the result", "NULL",
                               "out is NULL");
    *out = NULL;
    STRIA_TRY(run(&call, REDUCTIONS, run_reduction, err));
    *out = y;
    return STRIA_OK;
}

stria_status stria_reduce_out(stria_reduction op, const stria_tensor *x, const int *axes, int n_axes, bool keepdim,
                              stria_dtype dtype, stria_tensor *out, stria_error *err)
{
    const stria_reduce_attrs attrs = {{axes, n_axes}, keepdim, dtype};
    const stria_call         call = {STRIA_ROW_OF_REDUCTION(op), 1, &x, NULL, 0, &attrs, &out, NULL};

    if (!out) return stria_error_set(err, STRIA_ERR_ARGUMENT, "reduce", "out", "a tensor", "NULL", "out is NULL");
    return run(&call, REDUCTIONS, run_reduction, err);
}
