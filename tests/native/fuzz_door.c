/* fuzz_door.c - random calls of random rows of functions.def, most of them wrong in some way, into new and given tensors that alias
 * inputs, lie on META, are borrowed or expanded: a refusal names the row and changes nothing, a success is counted as a write, and
 * nothing is left over. What the results are is for the other suites. */
#include <stdlib.h>
#include <string.h>

#include "call/call.h"
#include "oracle.h"

#define ROUNDS 4000
#define CALLS 6
#define POOL 8
#define MOST_DIMS 4
#define MOST_LISTED (4 * STRIA_MAX_LISTS)

static random_state random_numbers;

static int pick(int n) { return (int)(random_next(&random_numbers) % (uint64_t)n); }

/* ---------------------------------------------------------------- tensors */

static stria_tensor *pool[POOL];

/* Never fails: a view that there is not becomes a 0-dim tensor. */
static stria_tensor *new_tensor(int n_before)
{
    const stria_dtype dtype = pick(2) ? STRIA_F32 : pick(3) ? STRIA_I64 : (stria_dtype)pick(STRIA_DTYPE_COUNT);
    const int64_t     flat = -1;
    const int         axis = 0;
    int               ndim = pick(MOST_DIMS);
    int64_t           shape[MOST_DIMS];
    stria_tensor     *x = NULL, *y = NULL;

    for (int d = 0; d < ndim; d++) shape[d] = pick(8) ? 1 + pick(4) : 0;
    if (n_before > 0 && pick(2)) {
        stria_tensor *base = pool[pick(n_before)];
        if (pick(3) == 0) return stria_tensor_retain(base);
        if (pick(2) && stria_view(base, &flat, 1, &y, NULL) == STRIA_OK) return y;
        ndim = base->ndim;
        memcpy(shape, base->shape, (size_t)ndim * sizeof *shape);
    }
    if (pick(9) == 0)
        CHECK_STATUS(stria_empty(shape, ndim, dtype, STRIA_META, &x, NULL), STRIA_OK);
    else
        CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &x, NULL), STRIA_OK);
    if (x->storage->nbytes > 0) memset(x->data, pick(2), x->storage->nbytes);
    if (ndim == 0 || pick(2)) return x;
    if (shape[0] == 1) shape[0] = 5;
    const stria_status status = pick(3) == 0 ? stria_transpose(x, 0, -1, &y, NULL)
                                : pick(2)    ? stria_flip(x, &axis, 1, &y, NULL)
                                             : stria_expand(x, shape, ndim, &y, NULL);
    CHECK_STATUS(status, STRIA_OK);
    stria_tensor_release(x);
    return y;
}

/* ---------------------------------------------------------------- attributes */

static int     axes[2];
static int64_t sizes[MOST_DIMS];

static int64_t pick_int(void)
{
    static const int64_t rare[] = {STRIA_INT_NONE, INT64_MAX, INT64_MIN + 1};

    return pick(8) ? pick(7) - 3 : rare[pick(3)];
}

static char text[12];

/* Of the characters of equations, and sometimes another. */
static const char *pick_text(void)
{
    const int n = pick((int)sizeof text);

    for (int k = 0; k < n; k++) text[k] = pick(40) ? "aabbij.,,->"[pick(11)] : (char)(1 + pick(127));
    text[n] = 0;
    return pick(30) ? text : NULL;
}

static void fill_attribute(const stria_param *param, void *field)
{
    switch ((stria_param_kind)param->kind) {
    case STRIA_KIND_AXIS: *(int *)field = pick(9) ? pick(5) - 2 : STRIA_AXIS_NONE; break;
    case STRIA_KIND_WORD: *(int *)field = pick(9) ? pick(2) : -1; break;
    case STRIA_KIND_INT: *(int64_t *)field = strcmp(param->name, "minlength") ? pick_int() : pick(5) - 1; break;
    case STRIA_KIND_INTS:
        for (int k = 0; k < param->n; k++) ((int64_t *)field)[k] = pick(5) - 1;
        break;
    case STRIA_KIND_TEXT: *(const char **)field = pick_text(); break;
    case STRIA_KIND_NUMBER: *(double *)field = pick(4) - 1; break;
    case STRIA_KIND_FLAG: *(bool *)field = pick(2); break;
    case STRIA_KIND_DTYPE:
        *(stria_dtype *)field = pick(3) ? STRIA_DTYPE_NONE : (stria_dtype)pick(STRIA_DTYPE_COUNT + 1);
        break;
    case STRIA_KIND_DEVICE:
        *(stria_device *)field = pick(3)   ? STRIA_CPU
                                 : pick(3) ? STRIA_DEVICE_NONE
                                           : STRIA_DEVICE((int16_t)(pick(4) - 1), (int16_t)pick(2));
        break;
    case STRIA_KIND_GENERATOR: *(stria_generator **)field = pick(2) ? NULL : stria_generator_get_default(); break;
    case STRIA_KIND_SCALAR: *(stria_scalar *)field = (stria_scalar){STRIA_SCALAR_INT, pick(3), 0, 0}; break;
    case STRIA_KIND_AXES:
        for (int k = 0; k < 2; k++) axes[k] = pick(4) - 2;
        *(stria_axes *)field = (stria_axes){pick(4) ? axes : NULL, pick(30) ? pick(3) : -1};
        break;
    case STRIA_KIND_INT_OR_LIST:
        for (int k = 0; k < MOST_DIMS; k++) sizes[k] = pick(6) - 1;
        *(stria_int_or_list *)field = (stria_int_or_list){pick_int(), pick(2) ? sizes : NULL, pick(30) ? pick(4) : -1};
        break;
    case STRIA_KIND_INT_LIST:
    case STRIA_KIND_SHAPE:
        for (int k = 0; k < MOST_DIMS; k++) sizes[k] = pick(6) - 1;
        *(stria_sizes *)field =
            (stria_sizes){pick(20) ? sizes : NULL, pick(30) ? pick(MOST_DIMS + 1) : STRIA_MAX_INTS + 1};
        break;
    default: break;
    }
}

/* ---------------------------------------------------------------- given tensors */

typedef struct snapshot {
    stria_tensor *x, copy;
    int64_t       shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS];
    unsigned      version;
    char         *bytes; /* of its storage */
} snapshot;

static void take_snapshot(snapshot *s, stria_tensor *x)
{
    s->x = x;
    s->copy = *x;
    s->version = x->storage->version;
    memcpy(s->shape, x->shape, (size_t)x->ndim * 8);
    memcpy(s->strides, x->strides, (size_t)x->ndim * 8);
    s->bytes = malloc(x->storage->nbytes + 1);
    if (x->storage->nbytes > 0) memcpy(s->bytes, x->storage->data, x->storage->nbytes);
}

static bool is_unchanged(const snapshot *s)
{
    const stria_tensor *x = s->x;

    return x->ndim == s->copy.ndim && x->data == s->copy.data && x->storage == s->copy.storage &&
           x->dtype == s->copy.dtype && memcmp(x->shape, s->shape, (size_t)x->ndim * 8) == 0 &&
           memcmp(x->strides, s->strides, (size_t)x->ndim * 8) == 0 &&
           (x->storage->nbytes == 0 || memcmp(x->storage->data, s->bytes, x->storage->nbytes) == 0);
}

/* ---------------------------------------------------------------- a call */

/* A refused update has written nothing; a success is counted for every tensor that is written to. */
static void check_update(const stria_call *call, const stria_schema *schema, stria_status status,
                         const unsigned *before)
{
    const int n_single = stria_schema_count_single(schema), n_lists = schema->n_tensors - n_single;

    for (int k = 0; k < call->n_list; k++) {
        const int which = call->n_list % n_lists == 0 ? k / (call->n_list / n_lists) : 0;
        if (call->list[k] == NULL) continue;
        if (status != STRIA_OK)
            CHECK(call->list[k]->storage->version == before[k], "%s: counted, though refused", schema->name);
        else if (stria_param_is_updated(&schema->tensors[n_single + which]))
            CHECK(call->list[k]->storage->version != before[k], "%s: a write that is not counted", schema->name);
    }
}

static void check_call(const stria_call *call, const stria_schema *schema, snapshot *given)
{
    stria_error err = {0};
    unsigned    before[MOST_LISTED];

    for (int k = 0; k < call->n_list; k++) before[k] = call->list[k] != NULL ? call->list[k]->storage->version : 0;
    const stria_status status = stria_call_run(call, &err);

    if (status != STRIA_OK)
        CHECK(err.code == status && strcmp(err.op, schema->name) == 0 && err.message[0] != 0, "%s: %s, '%s'",
              schema->name, err.op, err.message);
    if (stria_schema_makes_list(schema)) {
        CHECK(status == STRIA_OK || (call->out_list->n == 0 && call->out_list->at == NULL), "%s: a list is left",
              schema->name);
        for (int k = 0; k < call->out_list->n; k++)
            CHECK(call->out_list->at[k] != NULL, "%s: tensor %d", schema->name, k);
        stria_tensor_list_release(call->out_list);
        return;
    }
    if (stria_schema_is_update(schema)) {
        check_update(call, schema, status, before);
        return;
    }
    for (int k = 0; k < schema->n_outputs; k++) {
        stria_tensor *y = call->out[k];
        if (given[k].x != NULL) {
            CHECK(y == given[k].x, "%s: a given tensor was replaced", schema->name);
            CHECK(status == STRIA_OK || is_unchanged(&given[k]), "%s: changed, though %s", schema->name, err.message);
            CHECK(status != STRIA_OK || y->storage != given[k].copy.storage || y->storage->version != given[k].version,
                  "%s: a write that is not counted", schema->name);
            free(given[k].bytes);
        } else {
            CHECK((y != NULL) == (status == STRIA_OK), "%s: %s", schema->name, y ? "an output" : "no output");
            stria_tensor_release(y);
        }
    }
}

static void run_call(int n_pool)
{
    const stria_function function = (stria_function)pick(STRIA_FN_COUNT);
    const stria_schema  *schema = stria_schema_get(function);
    const stria_tensor  *in[STRIA_MAX_TENSORS + 1] = {NULL}, *list[MOST_LISTED] = {NULL};
    stria_tensor        *out[STRIA_MAX_OUTPUTS] = {NULL};
    stria_any_attrs      attrs;
    stria_tensor_list    made = {NULL, 0};
    stria_call           call = {STRIA_ROW_OF_FUNCTION(function), 0, in, list, 0, &attrs, out, &made};
    snapshot             given[STRIA_MAX_OUTPUTS];

    memset(&attrs, 0, sizeof attrs);
    for (int k = 0; k < stria_schema_count_single(schema); k++)
        if (pick(schema->tensors[k].kind == STRIA_KIND_OPTIONAL ? 2 : 40)) in[k] = pool[pick(n_pool)];
    if (stria_schema_has_list(schema)) call.n_list = pick(5);
    if (stria_schema_is_update(schema) && pick(10))
        call.n_list *= schema->n_tensors - stria_schema_count_single(schema);
    for (int k = 0; k < call.n_list; k++) list[k] = pick(40) ? pool[pick(n_pool)] : NULL;
    for (int k = 0; k < schema->n_attributes; k++)
        fill_attribute(&schema->attributes[k], (char *)&attrs + schema->attributes[k].offset);
    for (int k = 0; k < schema->n_outputs; k++) {
        given[k].x = NULL;
        if (pick(2) == 0 || stria_schema_makes_list(schema)) continue;
        out[k] = pool[pick(n_pool)];
        take_snapshot(&given[k], out[k]);
    }
    check_call(&call, schema, given);
}

SUITE(fuzz_door)
{
    const int64_t before = stria_memory_get_stats().live_tensors;

    check_isa("fuzz_door");
    random_numbers = (random_state){1};
    stria_memory_set_limit(1 << 26); /* the largest element counts are more than that */
    for (int round = 0; round < ROUNDS; round++) {
        stria_tensor *held = NULL;
        for (int k = 0; k < POOL; k++) pool[k] = new_tensor(k);
        const stria_status status = pick(4) ? STRIA_OK : stria_tensor_borrow(pool[pick(POOL)], &held, NULL);
        (void)status;
        for (int k = 0; k < CALLS; k++) run_call(POOL);
        if (held != NULL) stria_tensor_give_back(held, true);
        for (int k = 0; k < POOL; k++) stria_tensor_release(pool[k]);
    }
    stria_memory_set_limit(0);
    CHECK(stria_memory_get_stats().live_tensors == before, "tensors are left over");
    return check_finish("fuzz_door");
}
