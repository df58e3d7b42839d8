/* test_oom_iter.c - failing allocations in the iterator: its own memory beyond the inline sizes, temporaries, copies and
 * parts of it, reductions on several threads; and in every form of reductions, expressions and copies of many dims. */
#include <string.h>

#include "iter.h"
#include "oom.h"
#include "base/parallel.h"
#include "tensor/tensor.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})
#define N_MANY 12 /* operands, more than the inline ones */
#define N_DEEP 14 /* dims that do not merge, more than the inline ones */

static stria_tensor *many[N_MANY], *deep, *crossed, *grown, *doubles, *integers, *halves, *huge, *flat;
static int64_t       deep_shape[N_DEEP];

/* ---------------------------------------------------------------- loops */

static void add_f32(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    for (int64_t j = 0; j < n1; j++) {
        for (int64_t i = 0; i < n0; i++) {
            *(float *)(void *)(data[0] + i * strides[0] + j * strides[2]) +=
                *(float *)(void *)(data[1] + i * strides[1] + j * strides[3]);
        }
    }
}

static void skip(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    (void)context;
    (void)data;
    (void)strides;
    (void)n0;
    (void)n1;
}

static void skip_lanes(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    (void)context;
    (void)strides;
    memset(data[0], 0, (size_t)count * 4);
}

static stria_status accept(void *context, stria_iter *part, stria_error *err)
{
    (void)context;
    (void)part;
    (void)err;
    return STRIA_OK;
}

/* ---------------------------------------------------------------- building, running, taking the output */

/* Builds what `config` says, runs it somehow, and gives the first output; ends the config. */
static stria_status finish(stria_iter_config *config, stria_tensor **out, stria_error *err)
{
    stria_iter   it, copy;
    stria_status status = stria_iter_build(&it, config, err);

    stria_iter_config_release(config);
    if (status != STRIA_OK) return status;
    status = stria_iter_copy(&it, &copy, err);
    if (status == STRIA_OK) {
        if (stria_iter_get_common_device(&copy).type != STRIA_DEVICE_META) stria_iter_for_each(&copy, skip, NULL, 0);
        stria_iter_release(&copy);
        status = stria_iter_cast_outputs(&it, err);
    }
    if (status == STRIA_OK && out != NULL) *out = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    return status;
}

static stria_status build_many(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_add_output(&config, NULL);
    for (int k = 0; k < N_MANY; k++) stria_iter_config_add_input(&config, many[k]);
    return finish(&config, out, err);
}

static stria_status build_deep(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_binary_op(&config, NULL, deep, crossed);
    return finish(&config, out, err);
}

/* Both inputs are converted, and so is the output, which is resized besides. */
static stria_status build_converting(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;

    (void)out;
    stria_iter_config_init(&config);
    stria_iter_config_set_binary_float_op(&config, target, doubles, integers);
    stria_status status = finish(&config, NULL, err);
    return status;
}

static stria_status build_comparison(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_comparison_op(&config, NULL, doubles, halves);
    return finish(&config, out, err);
}

static stria_status build_copy_if_overlap(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;
    stria_tensor     *turned;

    (void)out;
    stria_status status = stria_transpose(doubles, 0, 1, &turned, err);
    if (status != STRIA_OK) return status;
    stria_iter_config_init(&config);
    stria_iter_config_set_copy_if_overlap(&config, true);
    stria_iter_config_set_unary_op(&config, doubles, turned);
    status = finish(&config, NULL, err);
    stria_tensor_release(turned);
    return status;
}

static stria_status build_meta(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;

    stria_iter_config_init(&config);
    stria_iter_config_set_check_all_same_dtype(&config, false);
    stria_iter_config_set_static_dtype(&config, STRIA_F64);
    stria_iter_config_add_output(&config, NULL);
    stria_iter_config_add_input(&config, huge);
    return finish(&config, out, err);
}

static stria_status buffered(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;
    stria_iter        it;

    stria_iter_config_init(&config);
    stria_iter_config_set_elementwise(&config, STRIA_F32);
    stria_iter_config_add_output(&config, NULL);
    stria_iter_config_add_input(&config, deep);
    stria_iter_config_add_input(&config, crossed);
    stria_status status = stria_iter_build(&it, &config, err);
    if (status != STRIA_OK) return status;
    status = stria_iter_for_each_buffered(&it, NULL, skip_lanes, NULL, 0, err);
    if (status == STRIA_OK) *out = stria_iter_take_output(&it, 0);
    stria_iter_release(&it);
    return status;
}

/* ---------------------------------------------------------------- parts */

/* 2^35 elements that are a few in memory; more operands than fit inline, so that every part is a block. */
static stria_status split_32bit(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;
    stria_iter        it;

    (void)out;
    stria_iter_config_init(&config);
    for (int k = 0; k < N_MANY; k++) stria_iter_config_add_input(&config, flat);
    stria_status status = stria_iter_build(&it, &config, err);
    stria_iter_config_release(&config);
    if (status != STRIA_OK) return status;
    status = stria_iter_with_32bit_indexing(&it, accept, NULL, err);
    stria_iter_release(&it);
    return status;
}

static stria_status split(stria_tensor **out, stria_error *err)
{
    stria_iter_config config;
    stria_iter        it, lower;

    stria_iter_config_init(&config);
    stria_iter_config_set_binary_op(&config, NULL, deep, crossed);
    stria_status status = stria_iter_build(&it, &config, err);
    if (status != STRIA_OK) return status;
    status = stria_iter_split(&it, stria_iter_get_dim_to_split(&it), &lower, err);
    if (status == STRIA_OK) {
        stria_iter_release(&lower);
        *out = stria_iter_take_output(&it, 0);
    }
    stria_iter_release(&it);
    return status;
}

/* ---------------------------------------------------------------- reductions over an iterator, on several threads */

/* Over the axes given by bits of [reduced], of `grown`, whose 14 dims do not merge: parts of it need memory of their own. */
static stria_status reduce_grown(uint64_t reduced, bool by_parts, stria_tensor **out, stria_error *err)
{
    int64_t           kept[N_DEEP];
    stria_iter_config config;
    stria_iter        it;
    stria_tensor     *y = NULL, *view = NULL;

    for (int d = 0; d < N_DEEP; d++) kept[d] = (reduced >> d) & 1 ? 1 : stria_tensor_get_shape(grown)[d];
    stria_status status = stria_tensor_new(STRIA_F32, N_DEEP, kept, &y, err);
    if (status != STRIA_OK) return status;
    memset(stria_tensor_get_data(y), 0, (size_t)stria_tensor_get_numel(y) * 4);
    status = stria_iter_view_reduced(y, N_DEEP, reduced, true, &view, err);
    if (status == STRIA_OK) {
        stria_iter_config_init(&config);
        stria_iter_config_set_reduce_op(&config, view, grown);
        status = stria_iter_build(&it, &config, err);
    }
    if (status == STRIA_OK) {
        status = by_parts ? stria_iter_foreach_reduced_elt(&it, accept, NULL, err)
                          : stria_iter_parallel_reduce(&it, add_f32, NULL, err);
        stria_iter_release(&it);
    }
    stria_tensor_release(view);
    if (status != STRIA_OK) {
        stria_tensor_release(y);
        return status;
    }
    *out = y;
    return STRIA_OK;
}

static stria_status reduce_in_two_passes(stria_tensor **out, stria_error *err)
{
    return reduce_grown((1u << N_DEEP) - 1, false, out, err);
}
static stria_status reduce_by_dim(stria_tensor **out, stria_error *err)
{
    return reduce_grown(0x1555, false, out, err);
}
static stria_status reduce_by_parts(stria_tensor **out, stria_error *err)
{
    return reduce_grown(0x3ff5, true, out, err);
}

/* ---------------------------------------------------------------- the library's reductions */

static stria_status reduce(stria_reduction op, const stria_tensor *x, int n_axes, const int *axes, bool keepdim,
                           stria_dtype dtype, stria_tensor **out, stria_error *err)
{
    return stria_reduce(op, x, axes, n_axes, keepdim, dtype, out, err);
}

static stria_status prod_deep(stria_tensor **out, stria_error *err)
{
    return reduce(STRIA_RED_prod, crossed, 3, AXES(0, 5, -1), true, STRIA_DTYPE_NONE, out, err);
}
static stria_status any_deep(stria_tensor **out, stria_error *err)
{
    return reduce(STRIA_RED_any, crossed, 2, AXES(1, 4), false, STRIA_DTYPE_NONE, out, err);
}
static stria_status sum_as_f64(stria_tensor **out, stria_error *err)
{
    return reduce(STRIA_RED_sum, grown, 0, NULL, false, STRIA_F64, out, err);
}
static stria_status mean_halves(stria_tensor **out, stria_error *err)
{
    return reduce(STRIA_RED_mean, halves, 1, AXES(0), false, STRIA_DTYPE_NONE, out, err);
}
static stria_status amin_grown(stria_tensor **out, stria_error *err)
{
    return reduce(STRIA_RED_amin, grown, 2, AXES(0, 13), true, STRIA_DTYPE_NONE, out, err);
}

/* The result is made apart, as it shares memory with the input; and elsewhere, as the shape differs. */
static stria_status sum_into_input(stria_tensor **out, stria_error *err)
{
    stria_tensor *first = NULL;

    (void)out;
    stria_status status = stria_slice(doubles, 0, 0, 1, 1, &first, err);
    if (status != STRIA_OK) return status;
    status = stria_reduce_out(STRIA_RED_sum, doubles, AXES(0), 1, true, STRIA_DTYPE_NONE, first, err);
    stria_tensor_release(first);
    return status;
}
static stria_status all_into_target(stria_tensor **out, stria_error *err)
{
    (void)out;
    return stria_reduce_out(STRIA_RED_all, grown, AXES(3), 1, false, STRIA_DTYPE_NONE, target, err);
}
static stria_status sum_in_parallel(stria_tensor **out, stria_error *err)
{
    return reduce(STRIA_RED_sum, grown, 4, AXES(0, 2, 4, 6), false, STRIA_DTYPE_NONE, out, err);
}

/* ---------------------------------------------------------------- ops, copies, expressions */

static stria_status add_deep(stria_tensor **out, stria_error *err) { return stria_add(deep, crossed, out, err); }

static stria_status where_converting(stria_tensor **out, stria_error *err)
{
    stria_tensor *mask = NULL;

    stria_status status = stria_gt(doubles, halves, &mask, err);
    if (status != STRIA_OK) return status;
    status = stria_where(mask, doubles, integers, out, err);
    stria_tensor_release(mask);
    return status;
}

static stria_status add_in_place(stria_tensor **out, stria_error *err)
{
    const stria_tensor *in[] = {crossed, deep};

    (void)out;
    return stria_apply_out(STRIA_OP_add, in, 2, crossed, err);
}

static stria_status set_deep(stria_tensor **out, stria_error *err)
{
    (void)out;
    return stria_tensor_set(crossed, deep, err);
}

static stria_status copy_deep(stria_tensor **out, stria_error *err)
{
    return stria_tensor_copy(crossed, STRIA_F16, out, err);
}

static stria_status swish(const stria_tensor *x, stria_tensor *given, stria_tensor **out, stria_error *err)
{
    static const stria_scalar      constants[] = {{.kind = STRIA_SCALAR_FLOAT, .re = 1.5}};
    static const stria_instruction code[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_sigmoid, {2}}, {STRIA_OP_mul, {0, 3}}};
    stria_expression              *e;

    stria_status status = stria_expression_new(1, constants, 1, code, 3, &e, err);
    if (status == STRIA_OK)
        status = given != NULL ? stria_expression_apply_out(e, &x, 1, given, err)
                               : stria_expression_apply(e, &x, 1, out, err);
    stria_expression_release(e);
    return status;
}
static stria_status expression_deep(stria_tensor **out, stria_error *err) { return swish(crossed, NULL, out, err); }
static stria_status expression_out(stria_tensor **out, stria_error *err)
{
    (void)out;
    return swish(halves, target, NULL, err);
}
/* Of many inputs: operands and the memory for values in between are on the heap, whether or not an iterator is needed. */
static stria_status sum_of_many(const stria_tensor *first, const stria_tensor *others, stria_tensor **out,
                                stria_error *err)
{
    stria_instruction   code[10];
    const stria_tensor *in[11] = {first};
    stria_expression   *e;

    for (int k = 0; k < 10; k++) {
        code[k] = (stria_instruction){STRIA_OP_add, {k == 0 ? 0 : 10 + k, k + 1}};
        in[k + 1] = others;
    }
    stria_status status = stria_expression_new(11, NULL, 0, code, 10, &e, err);
    if (status == STRIA_OK) status = stria_expression_apply(e, in, 11, out, err);
    stria_expression_release(e);
    return status;
}
static stria_status expression_many(stria_tensor **out, stria_error *err)
{
    return sum_of_many(doubles, halves, out, err);
}
static stria_status expression_many_deep(stria_tensor **out, stria_error *err)
{
    return sum_of_many(crossed, deep, out, err);
}

/* ---------------------------------------------------------------- all of it */

#define PATH(name)  \
    {               \
#name, name \
    }
static const struct {
    const char *name;
    oom_path   *run;
} paths[] = {
    PATH(build_many),
    PATH(build_deep),
    PATH(build_converting),
    PATH(build_comparison),
    PATH(build_meta),
    PATH(split_32bit),
    PATH(split),
    PATH(build_copy_if_overlap),
    PATH(buffered),
    PATH(reduce_by_dim),
    PATH(reduce_by_parts),
    PATH(reduce_in_two_passes),
    PATH(prod_deep),
    PATH(any_deep),
    PATH(sum_as_f64),
    PATH(mean_halves),
    PATH(amin_grown),
    PATH(sum_into_input),
    PATH(all_into_target),
    PATH(sum_in_parallel),
    PATH(add_deep),
    PATH(where_converting),
    PATH(add_in_place),
    PATH(set_deep),
    PATH(copy_deep),
    PATH(expression_deep),
    PATH(expression_out),
    PATH(expression_many),
    PATH(expression_many_deep),
};
#undef PATH

/* Neighbours exchanged, so that no two dims merge. */
static stria_tensor *new_crossed(const int64_t *shape)
{
    stria_tensor *x = NULL, *view = NULL;
    int           axes[N_DEEP];
    int64_t       base[N_DEEP];

    for (int d = 0; d < N_DEEP; d++) base[d ^ 1] = shape[d];
    for (int d = 0; d < N_DEEP; d++) axes[d] = d ^ 1;
    CHECK_STATUS(
        stria_full(base, N_DEEP, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 1}, STRIA_F32, STRIA_CPU, &x, NULL),
        STRIA_OK);
    CHECK_STATUS(stria_permute(x, axes, N_DEEP, &view, NULL), STRIA_OK);
    stria_tensor_release(x);
    return view;
}

static void make_operands(void)
{
    const stria_scalar one = {.kind = STRIA_SCALAR_INT, .i = 1};
    int64_t            shape[N_DEEP];
    stria_tensor      *x = NULL;

    for (int k = 0; k < N_MANY; k++) {
        CHECK_STATUS(stria_full(SHAPE(3, k % 2 ? 5 : 1), 2, one, STRIA_F32, STRIA_CPU, &many[k], NULL), STRIA_OK);
    }
    for (int d = 0; d < N_DEEP; d++) deep_shape[d] = 2;
    CHECK_STATUS(stria_full(deep_shape, N_DEEP, one, STRIA_F32, STRIA_CPU, &deep, NULL), STRIA_OK);
    crossed = new_crossed(deep_shape);
    for (int d = 0; d < N_DEEP; d++) shape[d] = d == 1 || d == 6 ? 4 : 2;
    grown = new_crossed(shape); /* 2^16 elements: several threads */
    CHECK_STATUS(stria_full(SHAPE(30, 30), 2, one, STRIA_F64, STRIA_CPU, &doubles, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(SHAPE(30, 30), 2, one, STRIA_I16, STRIA_CPU, &integers, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(SHAPE(30, 30), 2, one, STRIA_F16, STRIA_CPU, &halves, NULL), STRIA_OK);
    CHECK_STATUS(stria_empty(SHAPE(1 << 20, 1 << 20), 2, STRIA_F32, STRIA_META, &huge, NULL), STRIA_OK);
    CHECK_STATUS(stria_full(SHAPE(1), 1, one, STRIA_F32, STRIA_CPU, &x, NULL), STRIA_OK);
    CHECK_STATUS(stria_expand(x, SHAPE(INT64_C(1) << 35), 1, &flat, NULL), STRIA_OK);
    stria_tensor_release(x);
}

SUITE(test_oom_iter)
{
    check_isa("test_oom_iter");
    make_operands();
    CHECK_STATUS(stria_threads_set(4, NULL), STRIA_OK);
    if (check_failures == 0)
        for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) oom_check_path(paths[k].name, paths[k].run);
    for (int k = 0; k < N_MANY; k++) stria_tensor_release(many[k]);
    stria_tensor *const rest[] = {deep, crossed, grown, doubles, integers, halves, huge, flat};
    for (size_t k = 0; k < sizeof rest / sizeof rest[0]; k++) stria_tensor_release(rest[k]);
    CHECK(stria_memory_get_stats().live_storages == 0 && stria_memory_get_stats().live_bytes == 0, "memory is left");
    return check_finish("test_oom_iter");
}
