/* fuzz_overlap.c - ops whose output and inputs are random views of one memory, at sizes around and above every block size:
 * element-wise ops, copies, conversions, expressions, reductions, functions and matrix products; new views of the output
 * itself, in place and beside it. The same views of two memories, one for the inputs and one for the output, say what comes
 * out; a list of places says whether elements are shared at different positions, where alone ERR_OVERLAP may come.
 *
 * In the environment: STRIA_FUZZ_OVERLAP cases (8000), STRIA_FUZZ_SEED (1), STRIA_FUZZ_FIRST (0), the number of the first one:
 * a case depends on seed and number alone, and these are printed where one fails. */
#include <stdlib.h>
#include <string.h>

#include "placed_view.h"
#include "tensor/tensor.h"

#define MAX_INPUTS 3

static int64_t case_number;

/* ---------------------------------------------------------------- one case */

typedef struct scene {
    const char *name;
    view        out, in[MAX_INPUTS];
    bool        is_other[MAX_INPUTS]; /* lies in another memory: shares nothing */
    int         n_in;
    int64_t     nbytes; /* of the memory that is used */
} scene;

typedef stria_status run_fn(const scene *s, const stria_tensor *const *in, stria_tensor *out, stria_error *err);

static struct {
    int64_t apart, at_equal, refused, computed, repeated, read_first;
} counts;

static const char *describe_scene(const scene *s)
{
    static char text[900];
    int         used = snprintf(text, sizeof text, "case %lld, %s into %s of", (long long)case_number, s->name,
                                view_describe(&s->out));

    for (int k = 0; k < s->n_in; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s%s", k ? "," : "", view_describe(&s->in[k]),
                         s->is_other[k] ? " elsewhere" : "");
    return text;
}

static stria_status run_in(const scene *s, run_fn *run, char *inputs, char *output, bool is_same_handle,
                           stria_error *err)
{
    stria_tensor       *out = view_new_tensor(&s->out, output), *made[MAX_INPUTS] = {NULL};
    const stria_tensor *in[MAX_INPUTS];

    for (int k = 0; k < s->n_in; k++) {
        made[k] = view_new_tensor(&s->in[k], s->is_other[k] ? view_get_pristine(s->in[k].dtype) : inputs);
        in[k] = k == 0 && is_same_handle && inputs == output ? out : made[k];
    }
    const stria_status status = run(s, in, out, err);
    for (int k = 0; k < s->n_in; k++) stria_tensor_release(made[k]);
    stria_tensor_release(out);
    return status;
}

static void set_up(scene *s)
{
    int64_t end = 0;

    for (int k = -1; k < s->n_in; k++) {
        const view *v = k < 0 ? &s->out : &s->in[k];
        int64_t     last = v->offset;
        for (int d = 0; d < v->ndim; d++)
            if (v->strides[d] > 0) last += (v->shape[d] - 1) * v->strides[d];
        last = (last + 1) * (int64_t)stria_dtype_get_size(v->dtype);
        if (last > end && (k < 0 || !s->is_other[k])) end = last;
    }
    s->nbytes = end + 64 < VIEW_LARGEST * 8 ? end + 64 : VIEW_LARGEST * 8;
    memcpy(view_worked, view_get_pristine(s->out.dtype), (size_t)s->nbytes);
    memcpy(view_wanted, view_get_pristine(s->out.dtype), (size_t)s->nbytes);
}

static stria_status run_copy(const scene *s, const stria_tensor *const *in, stria_tensor *out, stria_error *err);

/* What has no positions in common reads first what it writes over. */
static void check_case(scene *s, run_fn *run, run_fn *expect, bool is_elementwise, bool is_same_handle)
{
    relation    worst = APART;
    const bool  is_repeated = view_repeats(&s->out);
    stria_error err = {0};

    for (int k = 0; k < s->n_in && !is_repeated; k++) {
        const relation with = s->is_other[k] ? APART : view_relate(&s->out, &s->in[k], is_elementwise);
        if (with > worst) worst = with;
    }
    set_up(s);
    const stria_status status = run_in(s, run, view_worked, view_worked, is_same_handle, &err);
    const bool         fills = run == run_copy && view_get_numel(&s->in[0]) == 1; /* an expanded tensor, too */
    const bool         may_refuse = is_repeated || (is_elementwise && worst == PARTIAL);
    CHECK(status == STRIA_ERR_OVERLAP ? may_refuse : status == STRIA_OK && (fills || !is_repeated), "%s: %s: %s",
          describe_scene(s), stria_status_get_name(status), status == STRIA_OK ? "" : err.message);
    if (status == STRIA_OK && (fills || !is_repeated))
        CHECK_STATUS(run_in(s, expect, view_get_pristine(s->out.dtype), view_wanted, false, NULL), STRIA_OK);
    CHECK(memcmp(view_worked, view_wanted, (size_t)s->nbytes) == 0, "%s: not as with memory of its own",
          describe_scene(s));
    counts.repeated += is_repeated;
    if (is_repeated) return;
    counts.apart += worst == APART;
    counts.at_equal += worst == AT_EQUAL;
    counts.refused += status != STRIA_OK;
    counts.computed += status == STRIA_OK && is_elementwise && worst == PARTIAL;
    counts.read_first += !is_elementwise && worst == PARTIAL;
}

/* ---------------------------------------------------------------- element-wise */

static stria_op chosen_op;

static stria_status run_op(const scene *s, const stria_tensor *const *in, stria_tensor *out, stria_error *err)
{
    return stria_apply_out(chosen_op, in, s->n_in, out, err);
}

static stria_status run_copy(const scene *s, const stria_tensor *const *in, stria_tensor *out, stria_error *err)
{
    (void)s;
    return stria_tensor_set(out, in[0], err);
}

/* a * b + a */
static stria_status run_expression(const scene *s, const stria_tensor *const *in, stria_tensor *out, stria_error *err)
{
    static const stria_instruction code[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_add, {2, 0}}};
    stria_expression              *expression;

    (void)s;
    stria_status status = stria_expression_new(2, NULL, 0, code, 2, &expression, err);
    if (status == STRIA_OK) status = stria_expression_apply_out(expression, in, 2, out, err);
    stria_expression_release(expression);
    return status;
}

static run_fn *choose_elementwise(scene *s)
{
    static const stria_op binary[] = {STRIA_OP_add, STRIA_OP_mul, STRIA_OP_maximum, STRIA_OP_le};
    const stria_dtype     dtype = s->out.dtype;

    switch (view_pick(6)) {
    case 0:
        s->n_in = 1;
        chosen_op = dtype == STRIA_BOOL ? STRIA_OP_logical_not : STRIA_OP_neg;
        s->name = "unary";
        return run_op;
    case 1:
        s->n_in = 1;
        s->name = "copy";
        return run_copy;
    case 2:
        s->n_in = 2;
        s->name = "expression";
        return run_expression;
    case 3:
        s->n_in = 3;
        s->name = "where";
        chosen_op = STRIA_OP_where;
        return run_op;
    default:
        s->n_in = 2;
        s->name = "binary";
        chosen_op = binary[view_pick(4)];
    }
    return run_op;
}

static void test_elementwise(void)
{
    const stria_dtype dtype = view_dtypes[view_pick(VIEW_DTYPES)];
    view              whole = view_new_whole(dtype);
    scene             s = {.out = whole};
    run_fn           *run;

    for (int steps = (int)view_pick(3); steps > 0; steps--) view_random_step(&whole);
    s.out = whole;
    for (int steps = (int)view_pick(3); steps > 0; steps--) view_random_step(&s.out);
    if (s.out.ndim > 0 && s.out.shape[0] > 1 && view_chance(1)) s.out.strides[0] = 0;
    run = choose_elementwise(&s);
    const int64_t room = view_get_numel(&whole) > VIEW_USUAL ? VIEW_LARGEST : 4 * VIEW_USUAL;
    for (int k = 0; k < s.n_in; k++) {
        const bool is_condition = chosen_op == STRIA_OP_where && s.n_in == 3 && k == 0;
        s.is_other[k] = (is_condition && dtype != STRIA_BOOL) || (s.n_in > 1 && view_chance(25));
        s.in[k] = view_new_relative(&whole, &s.out, room);
        if (is_condition) s.in[k].dtype = STRIA_BOOL;
    }
    view_crop(&s.out, s.in, s.n_in);
    const bool is_same_handle = run == run_op && s.n_in == 2 && view_chance(30);
    if (is_same_handle) {
        s.in[0] = s.out;
        s.is_other[0] = false;
    }
    check_case(&s, run, run, true, is_same_handle);
}

/* Two views of one memory as numbers of two view_dtypes. */
static void test_conversion(void)
{
    static const stria_dtype whole[] = {STRIA_U8, STRIA_I16, STRIA_U16, STRIA_I32, STRIA_I64};
    scene                    s = {.name = "conversion", .out = view_new_whole(whole[view_pick(5)]), .n_in = 1};

    for (int steps = (int)view_pick(4); steps > 0; steps--) view_random_step(&s.out);
    s.in[0] = s.out;
    s.in[0].dtype = whole[view_pick(5)];
    if (view_chance(70)) view_lay_anyhow(&s.in[0], 2 * VIEW_USUAL);
    if (view_get_numel(&s.out) > VIEW_USUAL) return;
    check_case(&s, run_copy, run_copy, true, false);
}

/* ---------------------------------------------------------------- reductions, functions, matrix products */

typedef enum reader {
    READ_SUM,
    READ_EXTREME,
    READ_ANY,
    READ_ARG,
    READ_SCAN,
    READ_SOFTMAX,
    READ_MOMENT,
    READ_NORM,
    READ_LAYER_NORM,
    READ_SELECT,
    READ_FILL,
    READ_PRODUCT,
    N_READERS
} reader;

static reader chosen;
static int    axis;
static bool   keepdim, is_apart; /* is_apart: expect what a result of its own, then copied, gives */

/* Into out, or, where that is NULL, into a new *result. */
static stria_status read(const stria_tensor *const *in, stria_tensor *out, stria_tensor **result, stria_error *err)
{
    const stria_dtype     none = STRIA_DTYPE_NONE, own = in[0]->dtype;
    const stria_reduction reduction = chosen == READ_SUM       ? STRIA_RED_sum
                                      : chosen == READ_EXTREME ? STRIA_RED_amax
                                                               : STRIA_RED_any;

#define EITHER(name, ...) (out ? stria_##name##_out(__VA_ARGS__, out, err) : stria_##name(__VA_ARGS__, result, err))
    switch (chosen) {
    case READ_SUM:
    case READ_EXTREME:
    case READ_ANY: return EITHER(reduce, reduction, in[0], &axis, 1, keepdim, chosen == READ_SUM ? own : none);
    case READ_ARG: return EITHER(argmax, in[0], axis, keepdim);
    case READ_SCAN: return EITHER(cumsum, in[0], axis, own);
    case READ_SOFTMAX: return EITHER(softmax, in[0], axis, none);
    case READ_MOMENT: return EITHER(var, in[0], &axis, 1, 1, keepdim);
    case READ_NORM: return EITHER(norm, in[0], 2, &axis, 1, keepdim, none);
    case READ_LAYER_NORM: return EITHER(layer_norm, in[0], NULL, NULL, in[0]->shape + in[0]->ndim - 1, 1, 1e-5);
    case READ_SELECT: return EITHER(masked_select, in[0], in[1]);
    case READ_FILL: return EITHER(masked_fill, in[0], in[1], in[2]);
    default: return EITHER(matmul, in[0], in[1]);
    }
#undef EITHER
}

static stria_status run_reader(const scene *s, const stria_tensor *const *in, stria_tensor *out, stria_error *err)
{
    (void)s;
    return read(in, out, NULL, err);
}

static stria_status expect_reader(const scene *s, const stria_tensor *const *in, stria_tensor *out, stria_error *err)
{
    stria_tensor *result = NULL;

    (void)s;
    if (!is_apart) return read(in, out, NULL, err);
    stria_status status = read(in, NULL, &result, err);
    if (status == STRIA_OK) status = stria_tensor_set(out, result, err);
    stria_tensor_release(result);
    return status;
}

static stria_dtype choose_reader(void)
{
    static const stria_dtype floats[] = {STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64};

    chosen = (reader)view_pick(N_READERS);
    switch (chosen) {
    case READ_ANY: return STRIA_BOOL;
    case READ_ARG: return STRIA_I64;
    case READ_SOFTMAX:
    case READ_MOMENT:
    case READ_NORM:
    case READ_LAYER_NORM: return floats[view_pick(4)];
    case READ_SELECT:
    case READ_FILL: return view_dtypes[view_pick(VIEW_DTYPES)];
    default: return view_dtypes[1 + view_pick(VIEW_DTYPES - 1)];
    }
}

/* The other inputs of a scene whose first one is there. */
static void add_inputs(scene *s)
{
    s->n_in = chosen == READ_SELECT || chosen == READ_PRODUCT ? 2 : chosen == READ_FILL ? 3 : 1;
    if (s->n_in == 1) return;
    s->in[1] = s->in[0];
    if (chosen == READ_PRODUCT) {
        for (int d = 0; d < s->in[0].ndim; d++) {
            const int64_t most = d + 2 < s->in[0].ndim ? 2 : view_chance(30) ? 250 : 40;
            if (s->in[0].shape[d] > most) s->in[0].shape[d] = most;
        }
        s->in[1] = s->in[0];
        view_swap(&s->in[1], s->in[1].ndim - 1, s->in[1].ndim > 1 ? s->in[1].ndim - 2 : 0);
        if (view_chance(50)) s->is_other[view_pick(2)] = true;
        return;
    }
    s->in[1].dtype = STRIA_BOOL;
    s->is_other[1] = s->in[0].dtype != STRIA_BOOL;
    if (view_chance(30)) view_flip(&s->in[1], (int)view_pick(s->in[1].ndim));
    s->in[2] = s->in[0];
    while (s->in[2].ndim > 0) view_drop(&s->in[2], 0);
}

/* The place of a result in the memory of the inputs. */
static bool place_result(scene *s, const view *whole)
{
    stria_tensor       *made[MAX_INPUTS] = {NULL}, *result = NULL;
    const stria_tensor *in[MAX_INPUTS];
    const int64_t       room = view_get_numel(whole) > 0 ? view_get_numel(whole) : 1;

    for (int k = 0; k < s->n_in; k++) in[k] = made[k] = view_new_tensor(&s->in[k], view_get_pristine(s->in[k].dtype));
    CHECK_STATUS(read(in, NULL, &result, NULL), STRIA_OK);
    for (int k = 0; k < s->n_in; k++) stria_tensor_release(made[k]);
    s->out = (view){.dtype = s->in[0].dtype, .ndim = result->ndim};
    memcpy(s->out.shape, result->shape, (size_t)result->ndim * sizeof *result->shape);
    const bool is_like_input = result->ndim == s->in[0].ndim &&
                               memcmp(s->out.shape, s->in[0].shape, (size_t)result->ndim * sizeof(int64_t)) == 0;
    CHECK(result->dtype == s->out.dtype, "%s: a result of another dtype", describe_scene(s));
    const int64_t numel = result->numel;
    stria_tensor_release(result);
    if (numel == 0) return false;
    view_lay_apart(&s->out, room > numel ? room : numel);
    if (is_like_input && view_chance(60)) s->out = s->in[0];
    return true;
}

static void test_readers(void)
{
    const stria_dtype dtype = choose_reader();
    view              whole = view_new_whole(dtype);
    scene             s = {.name = "reader"};

    s.in[0] = whole;
    for (int steps = (int)view_pick(4); steps > 0; steps--) view_random_step(&s.in[0]);
    axis = (int)view_pick(s.in[0].ndim);
    keepdim = view_chance(50);
    add_inputs(&s);
    if (!place_result(&s, &whole) || view_repeats(&s.out)) return;
    is_apart = false;
    for (int k = 0; k < s.n_in; k++) {
        const bool is_same = k == 0 && memcmp(&s.in[0], &s.out, sizeof s.out) == 0;
        const bool maps =
            chosen == READ_SCAN || chosen == READ_SOFTMAX || chosen == READ_LAYER_NORM || chosen == READ_FILL;
        is_apart |= !s.is_other[k] && !(is_same && maps) && view_relate(&s.out, &s.in[k], false) == PARTIAL;
    }
    check_case(&s, run_reader, expect_reader, false, false);
}

SUITE(fuzz_overlap)
{
    const int64_t count = check_get_setting("STRIA_FUZZ_OVERLAP", 8000), seed = check_get_setting("STRIA_FUZZ_SEED", 1);
    const int64_t first = check_get_setting("STRIA_FUZZ_FIRST", 0);
    const int     before = stria_threads_get();

    view_random.state = 1;
    view_fill_memory();
    CHECK_STATUS(stria_threads_set(3, NULL), STRIA_OK);
    for (case_number = first; case_number < first + count; case_number++) {
        view_random.state = ((uint64_t)seed << 40) + (uint64_t)case_number;
        const int64_t kind = view_pick(10);
        if (kind < 6)
            test_elementwise();
        else if (kind < 7)
            test_conversion();
        else
            test_readers();
    }
    CHECK_STATUS(stria_threads_set(before, NULL), STRIA_OK);
    printf(
        "  %lld cases of seed %lld: %lld share nothing, %lld equal positions only; %lld refused, %lld computed apart\n"
        "  all the same; %lld read first; %lld outputs with several elements at one address\n",
        (long long)count, (long long)seed, (long long)counts.apart, (long long)counts.at_equal,
        (long long)counts.refused, (long long)counts.computed, (long long)counts.read_first,
        (long long)counts.repeated);
    /* the search for what is shared ends early for hardly any */
    CHECK(counts.computed <= count / 1000, "%lld cases were not decided", (long long)counts.computed);
    CHECK(stria_memory_get_stats().live_tensors == 0, "tensors left");
    return check_finish("fuzz_overlap");
}
