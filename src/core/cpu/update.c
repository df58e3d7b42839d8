/* update.c - steps of optimisers and clipping of gradients: each tensor in one pass, all of a list together on all threads. The formulas
 * are in simd/update_template.h. */
#include "cpu/update.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/parallel.h"
#include "call/backend.h"
#include "cpu/update_lists.h"
#include "tensor/layout.h"
#include "tensor/shape.h"

/* ---------------------------------------------------------------- refusals */

/* Members of each list. */
static int count_members(const stria_call *call)
{
    return stria_call_count_members(call, stria_schema_get(stria_call_get_function(call)));
}

static bool has_list(const stria_call *call, int which)
{
    const int n = count_members(call);
    return n > 0 && (which + 1) * n <= call->n_list && call->list[which * n] != NULL;
}

static stria_status check_member(const stria_call *call, const stria_param *param, int k, const stria_tensor *x,
                                 const stria_param *first_param, const stria_tensor *first, stria_error *err)
{
    char name[48], other[48], expected[96], got[96];

    if (x->dtype == first->dtype && stria_tensor_has_shape(x, first->ndim, first->shape)) return STRIA_OK;
    snprintf(name, sizeof name, "%s[%d]", param->name, k);
    snprintf(other, sizeof other, "%s[%d]", first_param->name, k);
    if (x->dtype != first->dtype) {
        const char *expected_dtype = stria_dtype_get_name(first->dtype), *got_dtype = stria_dtype_get_name(x->dtype);
        return stria_error_set(err, STRIA_ERR_DTYPE, stria_call_get_name(call), name, expected_dtype, got_dtype,
                               "%s is %s, but %s is %s", name, got_dtype, other, expected_dtype);
    }
    stria_shape_print(expected, sizeof expected, first->ndim, first->shape);
    stria_shape_print(got, sizeof got, x->ndim, x->shape);
    return stria_error_set(err, STRIA_ERR_SHAPE, stria_call_get_name(call), name, expected, got,
                           "%s has shape %s, but %s has %s", name, got, other, expected);
}

static stria_status refuse_member(const stria_call *call, const stria_param *param, int k, stria_error *err)
{
    char name[48];

    snprintf(name, sizeof name, "%s[%d]", param->name, k);
    return stria_infer_refuse_dtype(call, name, call->list[k]->dtype, "a real float", err);
}

/* Members of the first list are real floats; those of the others have their dtypes and shapes. */
static stria_status check_members(const stria_call *call, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    const int           n_single = stria_schema_count_single(schema), n = count_members(call);
    const stria_param  *params = &schema->tensors[n_single];

    for (int k = 0; k < n; k++) {
        const stria_tensor *first = call->list[k];
        if (stria_dtype_get_category(first->dtype) != STRIA_CATEGORY_F) return refuse_member(call, params, k, err);
        for (int j = 1; j < schema->n_tensors - n_single; j++)
            if (call->list[j * n + k] != NULL)
                STRIA_TRY(check_member(call, &params[j], k, call->list[j * n + k], &params[0], first, err));
    }
    return STRIA_OK;
}

static stria_status check_not_negative(const stria_call *call, const char *argument, double x, stria_error *err)
{
    return x >= 0 ? STRIA_OK : stria_infer_refuse_number(call, argument, "a number >= 0", x, err);
}

static stria_status check_share(const stria_call *call, const char *argument, double x, stria_error *err)
{
    return x >= 0 && x < 1 ? STRIA_OK : stria_infer_refuse_number(call, argument, "in [0, 1)", x, err);
}

static stria_status check_step(const stria_call *call, int64_t step, stria_error *err)
{
    return step >= 1 ? STRIA_OK : stria_infer_refuse_number(call, "step", "a whole number >= 1", (double)step, err);
}

/* A momentum has momenta. */
static stria_status check_momenta(const stria_call *call, int which, double momentum, stria_error *err)
{
    const char *name = stria_call_get_name(call);

    STRIA_TRY(check_not_negative(call, "momentum", momentum, err));
    if (momentum == 0 || has_list(call, which) || count_members(call) == 0) return STRIA_OK;
    return stria_error_set(err, STRIA_ERR_ARGUMENT, name, "momenta", "a list of tensors", "none",
                           "momentum is %g, so momenta must be given", momentum);
}

stria_status stria_infer_sgd(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_sgd_attrs *attrs = call->attrs;

    (void)meta;
    STRIA_TRY(check_not_negative(call, "lr", attrs->lr, err));
    STRIA_TRY(check_momenta(call, 2, attrs->momentum, err));
    STRIA_TRY(check_not_negative(call, "weight_decay", attrs->weight_decay, err));
    if (isnan(attrs->dampening)) return stria_infer_refuse_number(call, "dampening", "a number", attrs->dampening, err);
    if (attrs->nesterov && (attrs->momentum == 0 || attrs->dampening != 0))
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "sgd", "nesterov", "a momentum and no dampening", NULL,
                               "nesterov needs a momentum above 0 and a dampening of 0, not %g and %g", attrs->momentum,
                               attrs->dampening);
    return check_members(call, err);
}

/* adam and adamw have the same attributes. */
static stria_status check_adam(const stria_call *call, int64_t step, double lr, double beta1, double beta2, double eps,
                               double weight_decay, stria_error *err)
{
    STRIA_TRY(check_step(call, step, err));
    STRIA_TRY(check_not_negative(call, "lr", lr, err));
    STRIA_TRY(check_share(call, "beta1", beta1, err));
    STRIA_TRY(check_share(call, "beta2", beta2, err));
    STRIA_TRY(check_not_negative(call, "eps", eps, err));
    STRIA_TRY(check_not_negative(call, "weight_decay", weight_decay, err));
    return check_members(call, err);
}

stria_status stria_infer_adam(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_adam_attrs *a = call->attrs;

    (void)meta;
    return check_adam(call, a->step, a->lr, a->beta1, a->beta2, a->eps, a->weight_decay, err);
}

stria_status stria_infer_adamw(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_adamw_attrs *a = call->attrs;

    (void)meta;
    return check_adam(call, a->step, a->lr, a->beta1, a->beta2, a->eps, a->weight_decay, err);
}

stria_status stria_infer_rmsprop(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_rmsprop_attrs *attrs = call->attrs;

    (void)meta;
    STRIA_TRY(check_not_negative(call, "lr", attrs->lr, err));
    STRIA_TRY(check_not_negative(call, "alpha", attrs->alpha, err));
    STRIA_TRY(check_not_negative(call, "eps", attrs->eps, err));
    STRIA_TRY(check_not_negative(call, "weight_decay", attrs->weight_decay, err));
    STRIA_TRY(check_momenta(call, 3, attrs->momentum, err));
    return check_members(call, err);
}

stria_status stria_infer_adagrad(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_adagrad_attrs *attrs = call->attrs;

    (void)meta;
    STRIA_TRY(check_step(call, attrs->step, err));
    STRIA_TRY(check_not_negative(call, "lr", attrs->lr, err));
    STRIA_TRY(check_not_negative(call, "lr_decay", attrs->lr_decay, err));
    STRIA_TRY(check_not_negative(call, "weight_decay", attrs->weight_decay, err));
    STRIA_TRY(check_not_negative(call, "eps", attrs->eps, err));
    return check_members(call, err);
}

stria_status stria_infer_clip_grads_with_norm(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_clip_grads_with_norm_attrs *attrs = call->attrs;
    const stria_tensor                     *norm = call->in[0];
    char                                    shape[96];

    (void)meta;
    if (stria_dtype_get_category(norm->dtype) != STRIA_CATEGORY_F)
        return stria_infer_refuse_dtype(call, "total_norm", norm->dtype, "a real float", err);
    if (norm->numel != 1) {
        stria_shape_print(shape, sizeof shape, norm->ndim, norm->shape);
        return stria_error_set(err, STRIA_ERR_SHAPE, "clip_grads_with_norm", "total_norm", "one element", shape,
                               "total_norm has shape %s, but must have one element", shape);
    }
    STRIA_TRY(check_not_negative(call, "max_norm", attrs->max_norm, err));
    return check_members(call, err);
}

stria_status stria_infer_clip_grad_value(const stria_call *call, stria_call_meta *meta, stria_error *err)
{
    const stria_clip_grad_value_attrs *attrs = call->attrs;

    (void)meta;
    STRIA_TRY(check_not_negative(call, "clip_value", attrs->clip_value, err));
    return check_members(call, err);
}

/* ---------------------------------------------------------------- all tensors, one after another */

/* Elements that are converted or gathered together. */
#define BLOCK 256

/* The loop of a row for f32 and f64. */
static stria_update_loop *find_loop(const stria_kernels *kernels, stria_update_family family, stria_dtype lane)
{
    const stria_update_kernels *k = &kernels->lane[lane]->update;
    stria_update_loop *const    loops[] = {k->sgd, k->adam, k->rmsprop, k->adagrad, k->scale, k->clip};

    return loops[family];
}

static stria_update_loop *get_loop(const stria_update *u, stria_dtype lane)
{
    return find_loop(stria_dispatch_get(), u->family, lane);
}

bool stria_update_is_flat(const stria_update *u, int k)
{
    const stria_tensor *first = u->list[k];

    if (!stria_tensor_is_contiguous(first) && !stria_layout_is_dense(first->ndim, first->shape, first->strides))
        return false;
    for (int j = 1; j < u->n_lists; j++) {
        const stria_tensor *x = u->list[j * u->n + k];
        if (x == NULL) continue;
        for (int d = 0; d < x->ndim; d++)
            if (x->strides[d] != first->strides[d] && x->shape[d] > 1) return false;
    }
    return true;
}

/* A walk over the elements of a tensor in row-major order, in runs along its last axis. */
typedef struct walk {
    const stria_tensor *x;
    int64_t             size, width, stride; /* bytes of an element, length of a run, stride along it in bytes */
} walk;

static char *find_element(const walk *w, int64_t row)
{
    char *at = w->x->data;

    for (int d = w->x->ndim - 2; d >= 0; d--) {
        at += row % w->x->shape[d] * w->x->strides[d] * w->size;
        row /= w->x->shape[d];
    }
    return at;
}

/* Elements begin .. begin + count from memory to lanes or back. */
static void move_block(const walk *w, stria_cast_loop *cast, bool is_load, char *lanes, int64_t lane_size,
                       int64_t begin, int64_t count)
{
    while (count > 0) {
        const int64_t column = begin % w->width, n = w->width - column < count ? w->width - column : count;
        char         *at = find_element(w, begin / w->width) + column * w->stride;
        if (is_load)
            cast(lanes, lane_size, at, w->stride, n);
        else
            cast(at, w->stride, lanes, lane_size, n);
        lanes += n * lane_size;
        begin += n;
        count -= n;
    }
}

static walk start_walk(const stria_tensor *x)
{
    const int64_t size = stria_tensor_get_item_size(x);

    if (stria_tensor_is_contiguous(x) && x->ndim != 1) { /* one run; find_element is asked for row 0 alone */
        return (walk){x, size, x->numel, size};
    }
    return x->ndim == 0 ? (walk){x, size, 1, size}
                        : (walk){x, size, x->shape[x->ndim - 1], x->strides[x->ndim - 1] * size};
}

/* Elements begin .. end of members k, by way of blocks. */
static void run_blocks(const stria_update *u, int k, stria_dtype lane, int64_t begin, int64_t end)
{
    _Alignas(64) char    blocks[STRIA_UPDATE_LISTS][BLOCK * sizeof(double)];
    char                *data[STRIA_UPDATE_LISTS];
    walk                 walks[STRIA_UPDATE_LISTS];
    const int64_t        lane_size = stria_dtype_sizes[lane];
    const stria_dtype    memory = u->list[k]->dtype;
    stria_update_loop   *loop = get_loop(u, lane);
    const stria_kernels *kernels = stria_dispatch_get();

    for (int j = 0; j < STRIA_UPDATE_LISTS; j++) {
        data[j] = blocks[j];
        if (u->step.has[j]) walks[j] = start_walk(u->list[j * u->n + k]);
    }
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t count = end - at < BLOCK ? end - at : BLOCK;
        for (int j = 0; j < STRIA_UPDATE_LISTS; j++)
            if (u->step.has[j])
                move_block(&walks[j], kernels->cast[memory][lane], true, blocks[j], lane_size, at, count);
        loop(data, &u->step, count);
        for (int j = 0; j < STRIA_UPDATE_LISTS; j++)
            if (u->step.has[j] && j != 1)
                move_block(&walks[j], kernels->cast[lane][memory], false, blocks[j], lane_size, at, count);
    }
}

static void run_tensor(const stria_update *u, int k, int64_t begin, int64_t end)
{
    const stria_dtype lane = stria_dtype_get_compute(u->list[k]->dtype);
    const int64_t     size = stria_tensor_get_item_size(u->list[k]);
    char             *data[STRIA_UPDATE_LISTS] = {NULL};

    if (u->list[k]->dtype != lane || !stria_update_is_flat(u, k)) {
        run_blocks(u, k, lane, begin, end);
        return;
    }
    for (int j = 0; j < u->n_lists; j++)
        if (u->step.has[j]) data[j] = u->list[j * u->n + k]->data + begin * size;
    get_loop(u, lane)(data, &u->step, end - begin);
}

/* Elements begin .. end of all tensors, counted through. */
static void run_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const stria_update *u = context;
    int64_t             first = 0; /* element of tensor k */

    (void)chunk;
    for (int k = 0; k < u->n && first < end; k++) {
        const int64_t numel = u->list[k]->numel;
        const int64_t from = begin > first ? begin - first : 0, to = end - first < numel ? end - first : numel;
        if (from < to) run_tensor(u, k, from, to);
        first += numel;
    }
}

/* Momenta that are multiplied by 0 are neither read nor written. */
static bool are_momenta(stria_update_family family, int which)
{
    return (family == STRIA_UPDATE_SGD && which == 2) || (family == STRIA_UPDATE_RMSPROP && which == 3);
}

static void set_lists(const stria_call *call, stria_update_family family, stria_update_step *step)
{
    for (int j = 0; j < STRIA_UPDATE_LISTS; j++)
        step->has[j] = has_list(call, j) && !(are_momenta(family, j) && step->first == 0);
}

/* Where the tensors are: norm is there, too, or NULL. */
static stria_status run_lists(const stria_call *call, stria_update u, stria_error *err)
{
    int64_t numel = 0;

    u.list = call->list;
    u.n = count_members(call);
    if (u.n == 0) return STRIA_OK;
    u.n_lists = call->n_list / u.n;
    set_lists(call, u.family, &u.step);
    if (u.list[0]->device.type != STRIA_DEVICE_CPU) return stria_backend_get(u.list[0]->device)->update(call, &u, err);
    for (int k = 0; k < u.n; k++) numel += u.list[k]->numel;
    stria_parallel_for(stria_team_get(), 0, numel, STRIA_GRAIN, run_range, &u);
    return STRIA_OK;
}

static stria_status run(const stria_call *call, stria_update_family family, stria_update_step step, stria_error *err)
{
    return run_lists(call, (stria_update){.family = family, .step = step}, err);
}

/* ---------------------------------------------------------------- rows */

static stria_update_step get_sgd_step(const stria_call *call)
{
    const stria_sgd_attrs *a = call->attrs;

    return (stria_update_step){.rate = a->lr,
                               .weight_decay = a->weight_decay,
                               .first = a->momentum,
                               .first_rest = 1 - a->dampening,
                               .maximize = a->maximize,
                               .nesterov = a->nesterov,
                               .is_first = a->is_first_step};
}

/* x^n by squares, the same on every machine, as pow is not. */
static double get_power(double x, int64_t n)
{
    double power = 1;

    for (; n > 0; n /= 2, x *= x)
        if (n % 2 != 0) power *= x;
    return power;
}

/* What adam and adamw have in common. rate = lr / (1 - beta1^step), root = 1 / sqrt(1 - beta2^step). */
static stria_update_step get_means_step(int64_t step, double lr, double beta1, double beta2, double eps, bool maximize)
{
    return (stria_update_step){.rate = lr / (1 - get_power(beta1, step)),
                               .keep = 1,
                               .first = beta1,
                               .first_rest = 1 - beta1,
                               .second = beta2,
                               .second_rest = 1 - beta2,
                               .root = 1 / sqrt(1 - get_power(beta2, step)),
                               .eps = eps,
                               .maximize = maximize};
}

static stria_update_step get_adam_step(const stria_call *call)
{
    const stria_adam_attrs *a = call->attrs;
    stria_update_step       step = get_means_step(a->step, a->lr, a->beta1, a->beta2, a->eps, a->maximize);

    step.weight_decay = a->weight_decay;
    return step;
}

static stria_update_step get_adamw_step(const stria_call *call)
{
    const stria_adamw_attrs *a = call->attrs;
    stria_update_step        step = get_means_step(a->step, a->lr, a->beta1, a->beta2, a->eps, a->maximize);

    step.keep = 1 - a->lr * a->weight_decay;
    return step;
}

static stria_update_step get_rmsprop_step(const stria_call *call)
{
    const stria_rmsprop_attrs *a = call->attrs;

    return (stria_update_step){.rate = a->lr,
                               .weight_decay = a->weight_decay,
                               .first = a->momentum,
                               .second = a->alpha,
                               .second_rest = 1 - a->alpha,
                               .eps = a->eps,
                               .maximize = a->maximize};
}

static stria_update_step get_adagrad_step(const stria_call *call)
{
    const stria_adagrad_attrs *a = call->attrs;

    return (stria_update_step){.rate = a->lr / (1 + (double)(a->step - 1) * a->lr_decay),
                               .weight_decay = a->weight_decay,
                               .eps = a->eps,
                               .maximize = a->maximize};
}

/* Steps of optimisers: what their attributes are as numbers of the formula. */
static const struct {
    stria_function      fn;
    stria_update_family family;
    stria_infer_fn     *infer;
    stria_update_step (*get_step)(const stria_call *call);
} optimisers[] = {{STRIA_FN_sgd, STRIA_UPDATE_SGD, stria_infer_sgd, get_sgd_step},
                  {STRIA_FN_adam, STRIA_UPDATE_ADAM, stria_infer_adam, get_adam_step},
                  {STRIA_FN_adamw, STRIA_UPDATE_ADAM, stria_infer_adamw, get_adamw_step},
                  {STRIA_FN_rmsprop, STRIA_UPDATE_RMSPROP, stria_infer_rmsprop, get_rmsprop_step},
                  {STRIA_FN_adagrad, STRIA_UPDATE_ADAGRAD, stria_infer_adagrad, get_adagrad_step}};
enum { N_OPTIMISERS = sizeof optimisers / sizeof *optimisers };

/* Its number; N_OPTIMISERS: the row is another one. */
static int find_optimiser(stria_row row)
{
    int k = 0;

    while (k < N_OPTIMISERS && row != STRIA_ROW_OF_FUNCTION(optimisers[k].fn)) k++;
    return k;
}

static stria_status run_optimiser(const stria_call *call, stria_error *err)
{
    const int k = find_optimiser(call->row);
    return run(call, optimisers[k].family, optimisers[k].get_step(call), err);
}

#define OPTIMISER(name)                                                                                  \
    stria_status stria_cpu_##name(const stria_call *call, const stria_call_meta *meta, stria_tensor **y, \
                                  stria_error *err)                                                      \
    {                                                                                                    \
        (void)meta, (void)y;                                                                             \
        return run_optimiser(call, err);                                                                 \
    }
OPTIMISER(sgd)
OPTIMISER(adam)
OPTIMISER(adamw)
OPTIMISER(rmsprop)
OPTIMISER(adagrad)
#undef OPTIMISER

stria_status stria_cpu_clip_grads_with_norm(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                            stria_error *err)
{
    const stria_clip_grads_with_norm_attrs *a = call->attrs;
    const stria_tensor                     *norm = call->in[0];
    stria_update                            u = {.family = STRIA_UPDATE_SCALE, .max_norm = a->max_norm};
    double                                  total;

    (void)meta, (void)y;
    if (norm->device.type != STRIA_DEVICE_CPU) {
        u.norm = norm;
        return run_lists(call, u, err);
    }
    stria_dispatch_get()->cast[norm->dtype][STRIA_F64]((char *)&total, sizeof total, norm->data, 0, 1);
    u.step.rate = a->max_norm / (total + 1e-6);
    return u.step.rate >= 1 ? STRIA_OK : run_lists(call, u, err);
}

stria_status stria_cpu_clip_grad_value(const stria_call *call, const stria_call_meta *meta, stria_tensor **y,
                                       stria_error *err)
{
    (void)meta, (void)y;
    return run(call, STRIA_UPDATE_CLIP,
               (stria_update_step){.rate = ((const stria_clip_grad_value_attrs *)call->attrs)->clip_value}, err);
}

/* ---------------------------------------------------------------- parts */

bool stria_row_is_update(stria_row row) { return find_optimiser(row) < N_OPTIMISERS; }

stria_status stria_update_begin(const stria_call *call, stria_update_part *part, stria_error *err)
{
    const int           k = find_optimiser(call->row);
    const stria_tensor *x = call->list[0];
    stria_call_meta     meta = {.out = NULL}; /* these rows have no outputs */

    STRIA_TRY(optimisers[k].infer(call, &meta, err));
    *part = (stria_update_part){.loop = find_loop(stria_dispatch_get(), optimisers[k].family, x->dtype),
                                .step = optimisers[k].get_step(call),
                                .size = stria_tensor_get_item_size(x)};
    set_lists(call, optimisers[k].family, &part->step);
    for (int j = 0; j < call->n_list; j++)
        if (call->list[j] != NULL) part->data[j] = call->list[j]->data;
    return STRIA_OK;
}

void stria_update_run(const stria_update_part *part, int64_t at, int64_t count, const char *gradients)
{
    char *data[STRIA_UPDATE_LISTS] = {NULL};

    for (int j = 0; j < STRIA_UPDATE_LISTS; j++)
        if (part->step.has[j]) data[j] = part->data[j] + at * part->size;
    data[1] = (char *)(uintptr_t)gradients; /* only read */
    part->loop(data, &part->step, count);
}
