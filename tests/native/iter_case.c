/* iter_case.c - from JSON to operands, configurations and checks. */
#include "iter_case.h"

#include <string.h>

#include "case_list.h"
#include "base/error.h"
#include "iter_steps.h"
#include "oracle.h"

/* Operands larger than this get addresses that nothing may touch. */
#define REAL_MEMORY_LIMIT (INT64_C(1) << 22)
#define PHANTOM_ADDRESS ((char *)(uintptr_t)0x10000000)

stria_dtype iter_case_get_dtype(const char *word)
{
    for (int d = 0; word != NULL && d < STRIA_DTYPE_COUNT; d++) {
        if (strcmp(stria_dtype_get_name((stria_dtype)d), word) == 0) return (stria_dtype)d;
    }
    return STRIA_DTYPE_NONE;
}

static bool mentions(const json *value, const char *word)
{
    if (value == NULL) return false;
    if (value->type == JSON_STRING && strcmp(value->string, word) == 0) return true;
    for (const json *child = value->first; child != NULL; child = child->next) {
        if (mentions(child, word)) return true;
    }
    return false;
}

bool iter_case_is_foreign(const json *entry) { return mentions(entry, "c32"); }

/* ---------------------------------------------------------------- operands */

static int get_list(const json *list, int64_t *values)
{
    int n = 0;

    for (const json *v = list != NULL ? list->first : NULL; v != NULL; v = v->next) {
        values[n++] = v->integer;
    }
    return n;
}

/* Bytes from the start of the storage to the end of the last element. */
static int64_t get_extent(const json *operand)
{
    int64_t shape[STRIA_MAX_DIMS], strides[STRIA_MAX_DIMS];
    int64_t size = (int64_t)stria_dtype_get_size(iter_case_get_dtype(json_get_string(operand, "dtype", NULL)));
    int64_t last = json_get_int(operand, "offset", 0);
    int     n = get_list(json_get(operand, "shape"), shape);

    get_list(json_get(operand, "strides"), strides);
    for (int d = 0; d < n; d++) {
        if (shape[d] == 0) return json_get_int(operand, "offset", 0) * size;
        if (strides[d] > 0) last += (shape[d] - 1) * strides[d];
    }
    return (last + 1) * size;
}

static void ignore_release(void *context) { (void)context; }

static stria_storage *new_storage(iter_case *test, int64_t n_bytes, bool on_meta)
{
    if (on_meta) return stria_storage_new((size_t)n_bytes, STRIA_META);
    if (n_bytes <= REAL_MEMORY_LIMIT) {
        stria_storage *storage = stria_storage_new((size_t)n_bytes, STRIA_CPU);
        memset(storage->data, 0, (size_t)n_bytes);
        return storage;
    }
    stria_storage *storage = stria_storage_new(0, STRIA_META);
    storage->device = STRIA_CPU;
    storage->data = PHANTOM_ADDRESS;
    storage->nbytes = (size_t)n_bytes;
    storage->release = ignore_release;
    test->has_memory = false;
    return storage;
}

/* The storage named by an earlier operand, or a new one that is large enough for all that name it. */
static stria_storage *get_storage(iter_case *test, const json *operands, int index)
{
    const json *operand = json_at(operands, index);
    const char *name = json_get_string(operand, "storage", NULL);
    int64_t     n_bytes = get_extent(operand);

    for (int i = 0; name != NULL && i < operands->count; i++) {
        const json *other = json_at(operands, i);
        if (strcmp(json_get_string(other, "storage", ""), name) != 0) continue;
        if (i < index) {
            stria_storage_retain(test->operands[i]->storage);
            return test->operands[i]->storage;
        }
        if (get_extent(other) > n_bytes) n_bytes = get_extent(other);
    }
    return new_storage(test, n_bytes, strcmp(json_get_string(operand, "device", "cpu"), "cpu") != 0);
}

static stria_tensor *new_operand(iter_case *test, const json *operands, int index)
{
    const json    *operand = json_at(operands, index);
    stria_dtype    dtype = iter_case_get_dtype(json_get_string(operand, "dtype", NULL));
    stria_storage *storage = get_storage(test, operands, index);
    int            ndim = json_get(operand, "shape")->count;
    stria_tensor  *x = stria_tensor_new_handle(dtype, storage->device, ndim);

    get_list(json_get(operand, "shape"), x->shape);
    get_list(json_get(operand, "strides"), x->strides);
    x->numel = 1;
    for (int d = 0; d < ndim; d++) x->numel *= x->shape[d];
    x->storage = storage;
    x->is_wrapped_number = json_get_bool(operand, "wrapped_number", false);
    x->data = NULL;
    if (storage->data != NULL) {
        x->data = storage->data + json_get_int(operand, "offset", 0) * (int64_t)stria_dtype_get_size(dtype);
    }
    return x;
}

/* ---------------------------------------------------------------- configuration */

typedef void flag_setter(stria_iter_config *config, bool on);
static const struct {
    const char  *name;
    flag_setter *set;
} flags[] = {
    {"check_mem_overlap", stria_iter_config_set_check_mem_overlap},
    {"check_all_same_dtype", stria_iter_config_set_check_all_same_dtype},
    {"check_all_same_device", stria_iter_config_set_check_all_same_device},
    {"enforce_safe_casting_to_output", stria_iter_config_set_enforce_safe_casting_to_output},
    {"promote_inputs_to_common_dtype", stria_iter_config_set_promote_inputs_to_common_dtype},
    {"cast_common_dtype_to_outputs", stria_iter_config_set_cast_common_dtype_to_outputs},
    {"promote_integer_inputs_to_float", stria_iter_config_set_promote_integer_inputs_to_float},
    {"allow_cpu_scalars", stria_iter_config_set_allow_cpu_scalars},
    {"is_reduction", stria_iter_config_set_is_reduction},
    {"enforce_linear_iteration", stria_iter_config_set_enforce_linear_iteration},
    {"resize_outputs", stria_iter_config_set_resize_outputs},
};

static void set_flags(iter_case *test, const json *list)
{
    for (const json *pair = list != NULL ? list->first : NULL; pair != NULL; pair = pair->next) {
        bool found = false;
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
            if (strcmp(flags[i].name, json_at(pair, 0)->string) != 0) continue;
            flags[i].set(&test->config, json_at(pair, 1)->boolean);
            found = true;
        }
        CHECK(found, "%s: unknown option %s", test->id, json_at(pair, 0)->string);
    }
}

static void set_statics(iter_case *test, const json *config)
{
    const char *dtype = json_get_string(config, "static_dtype", NULL);
    const json *shape = json_get(config, "static_shape");
    const json *device = json_get(config, "static_device");
    int64_t     sizes[STRIA_MAX_DIMS], dims[STRIA_MAX_DIMS];
    int         squash[STRIA_MAX_DIMS];

    if (dtype != NULL) {
        stria_iter_config_set_static_dtype(&test->config, iter_case_get_dtype(dtype));
    }
    if (device != NULL && device->type == JSON_STRING) {
        stria_iter_config_set_static_device(&test->config, strcmp(device->string, "cpu") == 0 ? STRIA_CPU : STRIA_META);
    }
    if (shape == NULL || shape->type != JSON_ARRAY) return;
    int n_squash = get_list(json_get(config, "squash_dims"), dims);
    for (int i = 0; i < n_squash; i++) squash[i] = (int)dims[i];
    stria_iter_config_set_static_shape(&test->config, get_list(shape, sizes), sizes, squash, n_squash);
}

static void set_preset(iter_case *test, const char *name)
{
    stria_iter_config *config = &test->config;
    stria_tensor     **x = test->operands;
    int                n = test->n_operands;

    if (strcmp(name, "binary_op") == 0) {
        stria_iter_config_set_binary_op(config, x[0], x[1], x[2]);
    } else if (strcmp(name, "borrowing_binary_op") == 0) {
        stria_iter_config_set_borrowing_binary_op(config, x[0], x[1], x[2]);
    } else if (strcmp(name, "binary_float_op") == 0) {
        stria_iter_config_set_binary_float_op(config, x[0], x[1], x[2]);
    } else if (strcmp(name, "comparison_op") == 0) {
        stria_iter_config_set_comparison_op(config, x[0], x[1], x[2]);
    } else if (strcmp(name, "unary_op") == 0) {
        stria_iter_config_set_unary_op(config, x[0], x[1]);
    } else if (strcmp(name, "unary_float_op") == 0) {
        stria_iter_config_set_unary_float_op(config, x[0], x[1]);
    } else if (strcmp(name, "unary_force_boolean_op") == 0) {
        stria_iter_config_set_unary_force_boolean_op(config, x[0], x[1]);
    } else if (strcmp(name, "nullary_op") == 0) {
        stria_iter_config_set_nullary_op(config, x[0]);
    } else if (strcmp(name, "reduce_op") == 0 && test->n_outputs == 1) {
        stria_iter_config_set_reduce_op(config, x[0], x[1]);
    } else if (strcmp(name, "reduce_op") == 0) {
        stria_iter_config_set_reduce_op_pair(config, x[0], x[1], x[2]);
    } else {
        CHECK(false, "%s: unknown preset %s", test->id, name);
    }
    CHECK(config->n_operands == n || config->status != STRIA_OK, "%s: the preset took %d of %d operands", test->id,
          config->n_operands, n);
}

void iter_case_new(iter_case *test, const json *entry)
{
    const json *operands = json_get(entry, "operands"), *config = json_get(entry, "config");
    const char *preset = json_get_string(config, "preset", config == NULL ? "reduce_op" : NULL);

    memset(test, 0, sizeof *test);
    test->id = json_get_string(entry, "id", "?");
    test->has_memory = true;
    for (int i = 0; i < operands->count; i++) {
        const json *operand = json_at(operands, i);
        int64_t     same_as = json_get_int(operand, "same_as", -1);
        if (strcmp(json_get_string(operand, "role", "in"), "out") == 0) test->n_outputs++;
        if (same_as >= 0) {
            test->operands[i] = test->operands[same_as];
            test->is_alias[i] = true;
        } else if (!json_get_bool(operand, "undefined", false)) {
            test->operands[i] = new_operand(test, operands, i);
        }
        test->n_operands++;
    }
    stria_iter_config_init(&test->config);
    if (preset != NULL) {
        set_preset(test, preset);
        return;
    }
    set_flags(test, json_get(config, "flags"));
    set_statics(test, config);
    for (int i = 0; i < test->n_operands; i++) {
        if (i < test->n_outputs)
            stria_iter_config_add_output(&test->config, test->operands[i]);
        else
            stria_iter_config_add_input(&test->config, test->operands[i]);
    }
}

void iter_case_release(iter_case *test)
{
    stria_iter_config_release(&test->config);
    for (int i = 0; i < test->n_operands; i++) {
        if (!test->is_alias[i]) stria_tensor_release(test->operands[i]);
    }
}

/* ---------------------------------------------------------------- expectations */

/* What each kind of error of the format is here: the status, and a part of the message. */
static const struct {
    const char  *kind;
    stria_status status;
    const char  *part;
} errors[] = {
    {"broadcast", STRIA_ERR_SHAPE, "do not broadcast at axis"},
    {"output_shape", STRIA_ERR_SHAPE, "does not match the broadcast shape"},
    {"internal_overlap", STRIA_ERR_OVERLAP, "several elements at one address"},
    {"partial_overlap", STRIA_ERR_OVERLAP, "share part of their memory"},
    {"dtype_mismatch", STRIA_ERR_DTYPE, "but the first input is"},
    {"unsafe_cast", STRIA_ERR_DTYPE, "does not cast to an output of"},
    {"device", STRIA_ERR_DEVICE, "on "},
    {"too_many_cpu_scalars", STRIA_ERR_DEVICE, "more than one CPU scalar"},
    {"internal", STRIA_ERR_INTERNAL, ""},
    {"config_order", STRIA_ERR_CONFIG, "off before"},
    {"squash_range", STRIA_ERR_AXIS, "squash"},
    {"reduce_outputs_differ", STRIA_ERR_SHAPE, "outputs differ"},
};

static void check_error(const char *id, const char *kind, stria_status status, const stria_error *err)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (strcmp(errors[i].kind, kind) != 0) continue;
        CHECK(status == errors[i].status && strstr(err->message, errors[i].part) != NULL,
              "%s: expected error %s, got %s (%s)", id, kind, stria_status_get_name(status),
              status == STRIA_OK ? "" : err->message);
        return;
    }
    CHECK(false, "%s: unknown kind of error %s", id, kind);
}

void iter_case_check_list(const char *id, const char *what, const json *expected, int n, const int64_t *got)
{
    /* cases reach further than 32-bit addresses do: those wrap */
    const bool is_address = strcmp(what, "data") == 0;
    bool       same = expected != NULL && expected->count == n;
    int        i = 0;

    for (const json *v = same ? expected->first : NULL; v != NULL; v = v->next, i++) {
        same &= v->integer == got[i] || (is_address && (intptr_t)v->integer == (intptr_t)got[i]);
    }
    char text[128];
    CHECK(same, "%s: %s is %s", id, what, stria_shape_print(text, sizeof text, n, got));
}

static void check_word(const char *id, const char *what, const json *expected, const char *got)
{
    const char *word = expected != NULL && expected->type == JSON_STRING ? expected->string : "none";
    CHECK(strcmp(word, got) == 0, "%s: %s is %s, expected %s", id, what, got, word);
}

static void check_number(const char *id, const char *what, const json *expect, int64_t got)
{
    const json *member = json_get(expect, what);

    if (member == NULL) return;
    int64_t number = member->type == JSON_BOOL ? member->boolean : member->integer;
    CHECK(number == got, "%s: %s is %lld, expected %lld", id, what, (long long)got, (long long)number);
}

static void check_operands(const iter_case *test, const stria_iter *it, const json *expect)
{
    for (int k = 0; k < it->n_operands; k++) {
        int64_t strides[STRIA_MAX_DIMS];
        for (int d = 0; d < it->ndim; d++) strides[d] = stria_iter_get_strides(it, d)[k];
        iter_case_check_list(test->id, "strides", json_at(json_get(expect, "iter_strides"), k), it->ndim, strides);
        check_word(test->id, "dtype", json_at(json_get(expect, "operand_dtypes"), k),
                   stria_dtype_get_name(stria_iter_get_dtype(it, k)));
    }
    for (int k = 0; k < it->n_outputs; k++) {
        const stria_tensor *x = stria_iter_get_tensor(it, k);
        const stria_tensor *user = it->operands[k].original ? it->operands[k].original : x;
        const json         *output = json_at(json_get(expect, "outputs"), k);
        iter_case_check_list(test->id, "output shape", json_get(output, "shape"), x->ndim, x->shape);
        iter_case_check_list(test->id, "output strides", json_get(output, "strides"), x->ndim, x->strides);
        check_word(test->id, "user dtype", json_at(json_get(expect, "user_output_dtypes"), k),
                   stria_dtype_get_name(user->dtype));
        CHECK(json_at(json_get(expect, "will_resize"), k)->boolean == it->operands[k].will_resize &&
                  json_at(json_get(expect, "read_write"), k)->boolean == it->operands[k].read_write,
              "%s: will_resize is %d, read_write is %d", test->id, it->operands[k].will_resize,
              it->operands[k].read_write);
    }
}

static void check_iter(const iter_case *test, const stria_iter *it, const json *expect)
{
    static const char *const setups[] = {"general", "contiguous", "channels_last", "dense"};

    iter_case_check_list(test->id, "shape", json_get(expect, "iter_shape"), it->ndim, it->shape);
    check_operands(test, it, expect);
    check_word(test->id, "common dtype", json_get(expect, "common_dtype"),
               stria_dtype_get_name(stria_iter_get_common_dtype(it)));
    check_word(test->id, "setup", json_get(expect, "setup"), setups[stria_iter_get_setup(it)]);
    if (json_get(expect, "common_shape") != NULL) {
        iter_case_check_list(test->id, "common shape", json_get(expect, "common_shape"), it->common_ndim,
                             it->common_shape);
    }
    check_number(test->id, "contiguous", expect, stria_iter_is_contiguous(it));
    check_number(test->id, "trivial_1d", expect, stria_iter_is_trivial_1d(it));
    check_number(test->id, "can_use_32bit", expect, stria_iter_can_use_32bit_indexing(it));
    check_number(test->id, "numel", expect, stria_iter_get_numel(it));
    check_number(test->id, "num_reduce_dims", expect, stria_iter_get_num_reduce_dims(it));
    check_number(test->id, "num_output_elements", expect, stria_iter_get_num_output_elements(it));
}

/* Casting back gives the caller's tensors the geometry of the temporaries: exactly what is expected of it, where that is
 * said. */
static void check_cast_outputs(const iter_case *test, stria_iter *it, const json *expect)
{
    const char *kind = json_get_string(expect, "error", NULL);
    stria_error err = {0};

    const stria_status status = stria_iter_cast_outputs(it, &err);
    if (kind != NULL) {
        check_error(test->id, kind, status, &err);
        return;
    }
    CHECK(status == STRIA_OK, "%s: cast_outputs: %s", test->id, err.message);
    for (int k = 0; k < it->n_outputs; k++) {
        const stria_tensor *x = stria_iter_get_tensor(it, k);
        CHECK(it->operands[k].original == NULL && (test->operands[k] == NULL || test->operands[k] == x),
              "%s: output %d is not the caller's after cast_outputs", test->id, k);
        if (expect != NULL) {
            const json *output = json_at(expect, k);
            iter_case_check_list(test->id, "cast shape", json_get(output, "shape"), x->ndim, x->shape);
            iter_case_check_list(test->id, "cast strides", json_get(output, "strides"), x->ndim, x->strides);
            check_word(test->id, "cast dtype", json_get(output, "dtype"), stria_dtype_get_name(x->dtype));
        }
        if (it->is_reduction) continue;
        CHECK(x->ndim == it->common_ndim && memcmp(x->shape, it->common_shape, (size_t)x->ndim * sizeof(int64_t)) == 0,
              "%s: output %d has the wrong shape after cast_outputs", test->id, k);
    }
}

/* What docs/semantics.md says of the excepted cases: overlap that PyTorch finds too hard to tell is refused. */
static const char *get_expected_error(const json *entry)
{
    if (case_get_state(entry) != CASE_EXCEPTED) return json_get_string(json_get(entry, "expect"), "error", NULL);
    return strstr(json_get_string(entry, "rule", ""), "internal") ? "internal_overlap" : "partial_overlap";
}

void iter_case_check_build(const json *entry)
{
    const json *expect = json_get(entry, "expect");
    const char *kind = get_expected_error(entry);
    iter_case   test;
    stria_iter  it;
    stria_error err = {0};

    iter_case_new(&test, entry);
    stria_status status = stria_iter_build(&it, &test.config, &err);
    if (kind != NULL) {
        check_error(test.id, kind, status, &err);
    } else if (status != STRIA_OK) {
        CHECK(false, "%s: %s: %s", test.id, stria_status_get_name(status), err.message);
    } else {
        check_iter(&test, &it, expect);
        iter_steps_check(&test, &it, entry);
        if (test.has_memory && !it.is_meta && test.config.has_static_shape == false) {
            check_cast_outputs(&test, &it, json_get(entry, "cast"));
        }
    }
    if (status == STRIA_OK) stria_iter_release(&it);
    iter_case_release(&test);
}
