/* fuzz_iter_bytes.c - any bytes as an iterator: options, operands over real memory or the META device, and what is done to
 * the iterator once it is built. Whatever they say, a build is refused with a message or gives an iterator whose addresses are
 * inside its operands' memory, and nothing is kept.
 *
 * Shapes and strides are cut so that every operand lies inside its memory: that much is the caller's duty. */
#include <string.h>

#include "iter.h"
#include "oracle.h"
#include "replay.h"
#include "tensor/tensor.h"

#define MAX_OPERANDS 14
#define MAX_STORAGES 3
#define STORAGE_BYTES 2048
#define MAX_LOOP 4096 /* elements that a loop is run over */

/* ---------------------------------------------------------------- bytes */

typedef struct reader {
    const uint8_t *at, *end;
} reader;

/* 0 .. n-1; 0 when the bytes are used up. */
static int take(reader *r, int n) { return r->at < r->end && n > 0 ? *r->at++ % n : 0; }

static bool take_bool(reader *r, int one_in) { return take(r, one_in) == one_in - 1; }

/* ---------------------------------------------------------------- operands */

typedef struct scene {
    reader            r;
    int               n_operands, n_outputs, base_ndim;
    int64_t           base[STRIA_MAX_DIMS];
    stria_tensor     *operands[MAX_OPERANDS];
    bool              is_alias[MAX_OPERANDS];
    bool              is_safe; /* strides reach valid memory for the whole iteration */
    stria_storage    *storages[MAX_STORAGES];
    stria_iter_config config;
} scene;

static stria_storage *get_storage(scene *s, bool on_meta)
{
    if (on_meta) return stria_storage_new(STORAGE_BYTES, STRIA_META);
    const int which = take(&s->r, MAX_STORAGES);
    if (s->storages[which] == NULL) {
        char *memory = malloc(STORAGE_BYTES);
        REQUIRE(memory != NULL);
        memset(memory, 1, STORAGE_BYTES);
        s->storages[which] = stria_storage_new_external(memory, STORAGE_BYTES, free, memory);
        REQUIRE(s->storages[which] != NULL);
    }
    stria_storage_retain(s->storages[which]);
    return s->storages[which];
}

static int take_shape(scene *s, int64_t *shape)
{
    const int ndim = take_bool(&s->r, 6) ? take(&s->r, s->base_ndim + 1) : s->base_ndim;

    for (int d = 0; d < ndim; d++) {
        shape[d] = s->base[s->base_ndim - ndim + d];
        const int change = take(&s->r, 16);
        if (change == 1) shape[d] = 1;
        if (change == 2) shape[d] = take(&s->r, 5);
    }
    return ndim;
}

/* Row-major, permuted, or anything; then cut to what the storage holds, and moved to where it fits. */
static void lay_out(scene *s, stria_tensor *x)
{
    const int64_t room = STORAGE_BYTES / (int64_t)stria_dtype_get_size(x->dtype) - 1;
    int64_t       below = 0, above = 0, step = 1;
    const int     kind = take(&s->r, 4), turn = take(&s->r, 7);

    for (int i = 0; i < x->ndim; i++) {
        const int d = kind == 1 ? (i + turn) % x->ndim : x->ndim - 1 - i;
        x->strides[d] = kind == 3 ? take(&s->r, 40) - 12 : step;
        if (kind == 2 && take_bool(&s->r, 3)) x->strides[d] = take(&s->r, 2) ? -step : 0;
        if (x->shape[d] > 1 && step < room) step *= x->shape[d];
    }
    for (int d = 0; d < x->ndim; d++) {
        int64_t reach = x->shape[d] > 0 ? (x->shape[d] - 1) * x->strides[d] : 0;
        if (above - below + (reach < 0 ? -reach : reach) > room) reach = x->strides[d] = 0;
        if (reach < 0) below += reach;
        if (reach > 0) above += reach;
    }
    const int64_t spare = room - (above - below);
    const int64_t start = -below + (spare > 0 && take_bool(&s->r, 3) ? take(&s->r, 64) % (spare + 1) : 0);
    x->numel = 1;
    for (int d = 0; d < x->ndim; d++) x->numel *= x->shape[d];
    if (x->storage->data != NULL) x->data = x->storage->data + start * (int64_t)stria_dtype_get_size(x->dtype);
}

static stria_tensor *new_operand(scene *s, stria_dtype common)
{
    int64_t           shape[STRIA_MAX_DIMS];
    const bool        on_meta = take_bool(&s->r, 12);
    const stria_dtype dtype = take_bool(&s->r, 3) ? (stria_dtype)take(&s->r, STRIA_DTYPE_COUNT) : common;
    const int         ndim = take_shape(s, shape);
    stria_storage    *storage = get_storage(s, on_meta);
    stria_tensor     *x = stria_tensor_new_handle(dtype, on_meta ? STRIA_META : STRIA_CPU, ndim);

    REQUIRE(storage != NULL && x != NULL);
    x->storage = storage;
    x->data = NULL;
    x->is_wrapped_number = ndim == 0 && take_bool(&s->r, 2);
    memcpy(x->shape, shape, (size_t)ndim * sizeof *shape);
    lay_out(s, x);
    return x;
}

static void make_operands(scene *s)
{
    const stria_dtype common = (stria_dtype)take(&s->r, STRIA_DTYPE_COUNT);

    s->n_outputs = take(&s->r, 4);
    s->n_operands = s->n_outputs + take(&s->r, take_bool(&s->r, 10) ? MAX_OPERANDS - 3 : 5);
    s->base_ndim = take(&s->r, take_bool(&s->r, 10) ? 16 : 6);
    for (int d = 0; d < s->base_ndim; d++) {
        s->base[d] = take(&s->r, 6);
        if (s->base_ndim > 6) s->base[d] = 1 + s->base[d] / 4;
    }
    for (int k = 0; k < s->n_operands; k++) {
        const int kind = take(&s->r, 8);
        if (k < s->n_outputs && kind < 3) continue; /* to be allocated */
        if (k > 0 && kind == 7 && s->operands[k - 1] != NULL) {
            const int of = take(&s->r, k);
            s->operands[k] = s->operands[of];
            s->is_alias[k] = s->operands[of] != NULL;
        } else {
            s->operands[k] = new_operand(s, common);
        }
    }
}

/* ---------------------------------------------------------------- configuration */

typedef void              flag_setter(stria_iter_config *config, bool on);
static flag_setter *const flags[] = {
    stria_iter_config_set_check_mem_overlap,
    stria_iter_config_set_check_all_same_dtype,
    stria_iter_config_set_check_all_same_device,
    stria_iter_config_set_enforce_safe_casting_to_output,
    stria_iter_config_set_promote_inputs_to_common_dtype,
    stria_iter_config_set_cast_common_dtype_to_outputs,
    stria_iter_config_set_promote_integer_inputs_to_float,
    stria_iter_config_set_allow_cpu_scalars,
    stria_iter_config_set_is_reduction,
    stria_iter_config_set_enforce_linear_iteration,
    stria_iter_config_set_resize_outputs,
    stria_iter_config_set_copy_if_overlap,
    stria_iter_config_set_multi_index,
};

static void set_flags(scene *s)
{
    for (int n = take(&s->r, 10); n > 0; n--) {
        const int which = take(&s->r, (int)(sizeof flags / sizeof flags[0]));
        flags[which](&s->config, !take_bool(&s->r, 3));
    }
}

static void set_statics(scene *s)
{
    if (take_bool(&s->r, 5)) {
        stria_iter_config_set_static_dtype(&s->config, (stria_dtype)take(&s->r, STRIA_DTYPE_COUNT));
    }
    if (take_bool(&s->r, 12)) {
        stria_iter_config_set_static_device(&s->config, take(&s->r, 2) ? STRIA_META : STRIA_CPU);
    }
    if (!take_bool(&s->r, 12)) return;
    /* the caller vouches for strides then, which these bytes cannot: nothing is run */
    int       squash[4];
    const int n = take(&s->r, 4);
    for (int i = 0; i < n; i++) squash[i] = take(&s->r, 6) - (take_bool(&s->r, 8) ? 1 : 0);
    stria_iter_config_set_static_shape(&s->config, s->base_ndim, s->base, squash, n);
    s->is_safe = false;
}

static void set_op_axes(scene *s)
{
    if (!take_bool(&s->r, 8)) return;
    const int n_axes = take(&s->r, 6);
    for (int k = 0; k < s->n_operands; k++) {
        int axes[6];
        if (take_bool(&s->r, 3)) continue;
        for (int d = 0; d < n_axes; d++) axes[d] = take(&s->r, 8) - 1;
        stria_iter_config_set_op_axes(&s->config, k, axes, n_axes);
    }
}

static void set_preset(scene *s, int preset)
{
    stria_iter_config *c = &s->config;
    stria_tensor     **x = s->operands;

    s->n_outputs = preset == 9 ? 2 : 1; /* of however many there are; those beyond are not used */
    switch (preset) {
    case 1: stria_iter_config_set_binary_op(c, x[0], x[1], x[2]); break;
    case 2: stria_iter_config_set_binary_float_op(c, x[0], x[1], x[2]); break;
    case 3: stria_iter_config_set_ternary_op(c, x[0], x[1], x[2], x[3]); break;
    case 4: stria_iter_config_set_comparison_op(c, x[0], x[1], x[2]); break;
    case 5: stria_iter_config_set_unary_op(c, x[0], x[1]); break;
    case 6: stria_iter_config_set_unary_float_op(c, x[0], x[1]); break;
    case 7: stria_iter_config_set_unary_force_boolean_op(c, x[0], x[1]); break;
    case 8: stria_iter_config_set_reduce_op(c, x[0], x[1]); break;
    case 9: stria_iter_config_set_reduce_op_pair(c, x[0], x[1], x[2]); break;
    case 10: stria_iter_config_set_nullary_op(c, x[0]); break;
    default: stria_iter_config_set_copy(c, x[0], x[1]); break;
    }
    s->n_operands = c->n_operands;
}

static void configure(scene *s)
{
    const int preset = take(&s->r, 20);

    stria_iter_config_init(&s->config);
    if (preset >= 1 && preset <= 11 && s->n_operands > 0) {
        set_preset(s, preset);
        set_flags(s);
        return;
    }
    set_flags(s);
    set_statics(s);
    for (int k = 0; k < s->n_operands; k++) {
        if (k < s->n_outputs)
            stria_iter_config_add_output(&s->config, s->operands[k]);
        else
            stria_iter_config_add_input(&s->config, s->operands[k]);
    }
    set_op_axes(s);
}

/* ---------------------------------------------------------------- what must hold */

static void check_inside(const stria_iter *it)
{
    for (int k = 0; k < it->n_operands && stria_iter_get_numel(it) > 0; k++) {
        const stria_tensor *x = stria_iter_get_tensor(it, k);
        int64_t             low = 0, high = 0;
        if (x->storage->data == NULL) continue;
        for (int d = 0; d < it->ndim; d++) {
            const int64_t reach = (it->shape[d] - 1) * stria_iter_get_strides(it, d)[k];
            if (reach < 0)
                low += reach;
            else
                high += reach;
        }
        REQUIRE(stria_iter_get_data(it, k) + low >= x->storage->data);
        REQUIRE(stria_iter_get_data(it, k) + high + stria_dtype_get_size(x->dtype) <=
                x->storage->data + x->storage->nbytes);
    }
}

static void check_queries(const stria_iter *it)
{
    int64_t numel = 1;
    int     dim;

    for (int d = 0; d < it->ndim; d++) {
        REQUIRE(it->shape[d] >= 0);
        numel *= it->shape[d];
        (void)stria_iter_is_dim_reduced(it, d);
    }
    REQUIRE(numel == stria_iter_get_numel(it));
    REQUIRE(stria_iter_get_num_reduce_dims(it) <= it->ndim || it->n_operands == 0);
    (void)stria_iter_get_num_output_elements(it);
    dim = stria_iter_get_dim_to_split(it);
    REQUIRE(dim >= -1 && dim < it->ndim);
    (void)stria_iter_can_use_32bit_indexing(it);
    (void)stria_iter_is_contiguous(it);
    for (int k = 0; k < it->n_operands; k++) {
        REQUIRE(stria_iter_get_tensor(it, k) != NULL);
        REQUIRE(stria_iter_get_dtype(it, k) == stria_iter_get_tensor(it, k)->dtype);
        if (stria_iter_is_cpu_scalar(it, k)) REQUIRE(stria_iter_is_scalar(it, k));
    }
}

/* Reads every input and writes every output, byte by byte. */
typedef struct touch {
    const stria_iter *it;
    int64_t           count;
    uint8_t           sum;
} touch;

static void touch_loop(void *context, char **data, const int64_t *strides, int64_t n0, int64_t n1)
{
    touch    *t = context;
    const int n = t->it->n_operands, n_outputs = t->it->n_outputs;

    REQUIRE(n0 > 0 && n1 > 0);
    for (int64_t j = 0; j < n1; j++) {
        for (int64_t i = 0; i < n0; i++) {
            for (int k = n - 1; k >= 0; k--) {
                char        *at = data[k] + i * strides[k] + j * strides[n + k];
                const size_t size = stria_dtype_get_size(stria_iter_get_dtype(t->it, k));
                for (size_t b = 0; b < size; b++) {
                    if (k < n_outputs)
                        at[b] = (char)t->sum;
                    else
                        t->sum = (uint8_t)(t->sum + at[b]);
                }
            }
        }
    }
    t->count += n0 * n1;
    for (int k = 0; k < n; k++) data[k] = NULL;
}

/* ---------------------------------------------------------------- what is done to it */

static void run_ranges(scene *s, const stria_iter *it)
{
    const int64_t numel = stria_iter_get_numel(it);
    touch         t = {it, 0, 0};
    int64_t       wanted = 0;

    for (int n = 1 + take(&s->r, 3); n > 0 && numel > 0; n--) {
        const int64_t begin = take(&s->r, 256) * numel / 256, end = begin + take(&s->r, 256) * (numel - begin) / 255;
        stria_iter_run_range(it, touch_loop, &t, begin, end);
        wanted += end - begin;
    }
    stria_iter_for_each(it, touch_loop, &t, 0);
    REQUIRE(t.count == wanted + numel);
}

static void run_cursor(scene *s, const stria_iter *it)
{
    const int64_t     numel = stria_iter_get_numel(it);
    const bool        external_loop = take(&s->r, 2);
    stria_iter_cursor c;
    int64_t           count = 0, index[STRIA_MAX_DIMS];

    if (stria_iter_cursor_init(&c, it, 0, numel, external_loop, NULL) != STRIA_OK) {
        REQUIRE(it->n_operands > STRIA_ITER_INLINE_OPERANDS || it->is_meta);
        return;
    }
    for (; c.count > 0; stria_iter_cursor_next(&c)) {
        REQUIRE(c.position == count);
        const stria_status status = stria_iter_cursor_get_index(&c, index, NULL);
        REQUIRE(status == STRIA_OK || !it->multi_index);
        count += c.count;
    }
    REQUIRE(count == numel);
}

/* The buffered form: contiguous elements of the dtypes asked for. */
typedef struct lane_touch {
    int64_t count;
    int     n, n_outputs;
    size_t  sizes[STRIA_ITER_INLINE_OPERANDS];
    uint8_t sum;
} lane_touch;

static void touch_lanes(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    lane_touch *t = context;

    REQUIRE(count > 0);
    for (int k = t->n - 1; k >= 0; k--) {
        const int64_t size = (int64_t)t->sizes[k];
        REQUIRE(strides[k] == size || strides[k] == 0);
        for (int64_t b = 0; b < (strides[k] == 0 ? size : size * count); b++) {
            if (k < t->n_outputs)
                data[k][b] = (char)(t->sum & 1); /* true or false, where it is bool */
            else
                t->sum = (uint8_t)(t->sum + data[k][b]);
        }
    }
    t->count += count;
}

static void run_buffered(scene *s, const stria_iter *it)
{
    stria_dtype lanes[MAX_OPERANDS];
    lane_touch  t = {0, it->n_operands, it->n_outputs, {0}, 0};
    const bool  converts = take(&s->r, 2);

    for (int k = 0; k < it->n_operands; k++) {
        lanes[k] = stria_iter_get_dtype(it, k);
        if (converts && take_bool(&s->r, 3)) lanes[k] = (stria_dtype)take(&s->r, STRIA_DTYPE_COUNT);
        if (k < STRIA_ITER_INLINE_OPERANDS) t.sizes[k] = stria_dtype_get_size(lanes[k]);
    }
    if (stria_iter_for_each_buffered(it, converts ? lanes : NULL, touch_lanes, &t, 0, NULL) == STRIA_OK) {
        REQUIRE(t.count == stria_iter_get_numel(it));
    }
}

static stria_status check_part(void *context, stria_iter *part, stria_error *err)
{
    int *left = context;

    (void)err;
    check_inside(part);
    REQUIRE(stria_iter_can_use_32bit_indexing(part));
    return --*left > 0 ? STRIA_OK : STRIA_ERR_INTERNAL;
}

static stria_status run_part(void *context, stria_iter *part, stria_error *err)
{
    touch t = {part, 0, 0};

    (void)context;
    (void)err;
    check_inside(part);
    stria_iter_run_range(part, touch_loop, &t, 0, stria_iter_get_numel(part));
    return STRIA_OK;
}

static void transform(scene *s, stria_iter *it)
{
    stria_iter lower;
    const int  dim = it->ndim > 0 ? take(&s->r, it->ndim) : -1;

    switch (take(&s->r, 4)) {
    case 0:
        if (dim < 0 || it->shape[dim] == 0) break;
        const int64_t start = take(&s->r, 64) % it->shape[dim];
        stria_iter_narrow(it, dim, start, 1 + take(&s->r, 64) % (it->shape[dim] - start));
        break;
    case 1:
        if (dim < 0 || it->shape[dim] < 2) break;
        REQUIRE(stria_iter_split(it, dim, &lower, NULL) == STRIA_OK);
        check_inside(&lower);
        check_queries(&lower);
        stria_iter_release(&lower);
        break;
    case 2: {
        int64_t index[STRIA_MAX_DIMS];
        bool    is_empty = dim < 0;
        for (int d = dim; d >= 0 && d < it->ndim; d++) is_empty |= it->shape[d] == 0;
        for (int d = dim; !is_empty && d < it->ndim; d++) index[d - dim] = take(&s->r, 64) % it->shape[d];
        if (!is_empty) stria_iter_select_all_keeping_dim(it, dim, index);
        break;
    }
    default:
        if (it->n_operands > it->n_outputs) {
            stria_iter_remove_operand(it, it->n_outputs + take(&s->r, it->n_operands - it->n_outputs));
        }
    }
}

static void use(scene *s, stria_iter *it)
{
    stria_iter copy;
    int        parts = 100;
    const bool can_run = s->is_safe && !it->is_meta && stria_iter_get_numel(it) <= MAX_LOOP;

    check_queries(it);
    REQUIRE(stria_iter_copy(it, &copy, NULL) == STRIA_OK);
    if (s->is_safe && !it->is_meta) check_inside(it);
    if (can_run) {
        run_ranges(s, &copy);
        run_cursor(s, &copy);
        run_buffered(s, &copy);
        (void)!stria_iter_parallel_reduce(&copy, touch_loop, &(touch){&copy, 0, 0}, NULL);
        (void)!stria_iter_foreach_reduced_elt(&copy, run_part, NULL, NULL);
        (void)!stria_iter_with_32bit_indexing(&copy, check_part, &parts, NULL);
        for (int n = take(&s->r, 5); n > 0; n--) {
            transform(s, &copy);
            check_queries(&copy);
            check_inside(&copy);
        }
        run_ranges(s, &copy);
    }
    stria_iter_release(&copy);
    if (can_run && take_bool(&s->r, 2)) {
        (void)!stria_iter_cast_outputs(it, NULL);
        check_queries(it);
    }
}

static int replay_one(const uint8_t *bytes, size_t n_bytes)
{
    const stria_memory_stats before = stria_memory_get_stats();
    scene                    s = {.r = {bytes, bytes + n_bytes}, .is_safe = true};
    stria_iter               it;
    stria_error              err = {0};

    make_operands(&s);
    configure(&s);
    const stria_status status = stria_iter_build(&it, &s.config, &err);
    if (status == STRIA_OK) {
        use(&s, &it);
        if (it.n_outputs > 0 && take_bool(&s.r, 3)) stria_tensor_release(stria_iter_take_output(&it, 0));
        stria_iter_release(&it);
    } else {
        REQUIRE(err.code == status && err.message[0] != 0 && err.op[0] != 0);
        REQUIRE(status != STRIA_ERR_MEMORY);
    }
    stria_iter_config_release(&s.config);
    for (int k = 0; k < MAX_OPERANDS; k++) {
        if (!s.is_alias[k]) stria_tensor_release(s.operands[k]);
    }
    for (int i = 0; i < MAX_STORAGES; i++) stria_storage_release(s.storages[i]);
    const stria_memory_stats after = stria_memory_get_stats();
    REQUIRE(after.live_tensors == before.live_tensors && after.live_storages == before.live_storages);
    return 0;
}

REPLAY_SUITE(fuzz_iter_bytes, "tests/fuzz/iter_bytes.corpus", 200000)
