/* iter_describe_json.c - the words of a description, and the description as JSON. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "iter/iter_internal.h"

/* ---------------------------------------------------------------- words and sentences */

typedef struct phrase {
    const char *name, *text;
} phrase;

static const phrase setups[] = {
    [STRIA_ITER_GENERAL] = {"general", "axes are ordered by memory, then merged"},
    [STRIA_ITER_CONTIGUOUS] = {"contiguous", "all operands are row-major without gaps: one run of memory"},
    [STRIA_ITER_CHANNELS_LAST] = {"channels_last", "all operands are channels-last: one run of memory"},
    [STRIA_ITER_DENSE] = {"dense", "all operands are without gaps in one and the same order: one run of memory"}};

static const phrase origins[] = {
    [STRIA_ITER_GIVEN] = {"given", "the caller's tensor as it is"},
    [STRIA_ITER_ALLOCATED] = {"allocated", "a new tensor, laid out in the order of the iteration"},
    [STRIA_ITER_RESIZED] = {"resized", "the caller's tensor, given the shape of the result"},
    [STRIA_ITER_CONVERTED] = {"converted", "a temporary in the common dtype"},
    [STRIA_ITER_COPIED] = {"copied", "a copy, because the input shares memory with an output"}};

static const phrase paths[] = {
    [STRIA_ITER_PATH_TAKEN] = {"taken", "the set-up that was taken"},
    [STRIA_ITER_PATH_NOT_NEEDED] = {"not_needed", "an earlier set-up was taken"},
    [STRIA_ITER_PATH_REDUCTION] = {"reduction", "reductions order their axes"},
    [STRIA_ITER_PATH_STATIC_SHAPE] = {"static_shape", "the shape was given, not found"},
    [STRIA_ITER_PATH_SHAPES_DIFFER] = {"shapes_differ", "the operand has another shape than the iteration"},
    [STRIA_ITER_PATH_MULTI_INDEX] = {"multi_index", "indices were asked for, so every axis stays apart"},
    [STRIA_ITER_PATH_LINEAR] = {"linear", "row-major order was asked for"},
    [STRIA_ITER_PATH_NOT_FOUR_DIMS] = {"not_four_dims", "channels-last is a layout of four axes"},
    [STRIA_ITER_PATH_OTHER_LAYOUT] = {"other_layout", "the operand is laid out in another way"},
    [STRIA_ITER_PATH_REVERSED] = {"reversed", "the operand runs backwards"},
    [STRIA_ITER_PATH_STRIDES_DIFFER] = {"strides_differ", "the operand has other strides than the first one"},
    [STRIA_ITER_PATH_NO_OPERAND] = {"no_operand", "no operand was given that has a layout"}};

static const phrase orders[] = {
    [STRIA_ITER_ORDER_LAST] = {"last", "the slowest axis"},
    [STRIA_ITER_ORDER_STRIDE] = {"stride", "the operand takes smaller steps here than in the next axis"},
    [STRIA_ITER_ORDER_SIZE] = {"size", "the operand takes equal steps in both, and this axis is the shorter one"},
    [STRIA_ITER_ORDER_REDUCED] = {"reduced", "the output is reduced over this axis and not over the next"},
    [STRIA_ITER_ORDER_ROW_MAJOR] = {"row_major", "no operand tells them apart, so they stay in row-major order"},
    [STRIA_ITER_ORDER_LINEAR] = {"linear", "row-major order was asked for"},
    [STRIA_ITER_ORDER_ALIKE] = {"alike", "all operands lie in this order"},
    [STRIA_ITER_ORDER_SORT] = {"sort", "the sort left them so when it moved other axes"}};

static const phrase merges[] = {
    [STRIA_ITER_MERGE_FIRST] = {"first", "the fastest axis"},
    [STRIA_ITER_MERGE_FITS] = {"fits", "every operand goes on where the faster axis ends"},
    [STRIA_ITER_MERGE_SIZE_ONE] = {"size_one", "an axis of size 1 takes no steps"},
    [STRIA_ITER_MERGE_ALIKE] = {"alike", "all operands lie alike, so everything is one run"},
    [STRIA_ITER_MERGE_STRIDE] = {"stride", "the operand does not go on where the faster axis ends"},
    [STRIA_ITER_MERGE_MULTI_INDEX] = {"multi_index", "indices were asked for, so every axis stays apart"},
    [STRIA_ITER_MERGE_META] = {"meta", "there is no memory to walk"}};

static const phrase forms[] = {[STRIA_ITER_FORM_CONTIGUOUS] = {"contiguous", "elements side by side"},
                               [STRIA_ITER_FORM_VALUE] = {"value", "one element throughout"},
                               [STRIA_ITER_FORM_STRIDED] = {"strided", "elements a fixed step apart"},
                               [STRIA_ITER_FORM_REVERSED] = {"reversed", "elements a fixed step apart, backwards"}};

static const phrase strategies[] = {
    [STRIA_ITER_REDUCE_SERIAL] = {"serial", "one thread does it all"},
    [STRIA_ITER_REDUCE_TWO_PASS] = {"two_pass", "each thread reduces a part, then the parts are combined"},
    [STRIA_ITER_REDUCE_SPLIT_DIM] = {"split_dim", "each thread computes other results"}};

static const phrase unknown = {"unknown", "unknown"};

#define LOOK_UP(table, value) look_up(table, sizeof(table) / sizeof *(table), (size_t)(value))
static const phrase *look_up(const phrase *table, size_t n, size_t value)
{
    return value < n ? &table[value] : &unknown;
}

const char *stria_iter_setup_get_name(stria_iter_setup setup) { return LOOK_UP(setups, setup)->name; }
const char *stria_iter_setup_get_text(stria_iter_setup setup) { return LOOK_UP(setups, setup)->text; }
const char *stria_iter_origin_get_name(stria_iter_origin origin) { return LOOK_UP(origins, origin)->name; }
const char *stria_iter_origin_get_text(stria_iter_origin origin) { return LOOK_UP(origins, origin)->text; }
const char *stria_iter_path_get_name(stria_iter_path path) { return LOOK_UP(paths, path)->name; }
const char *stria_iter_path_get_text(stria_iter_path path) { return LOOK_UP(paths, path)->text; }
const char *stria_iter_order_get_name(stria_iter_order order) { return LOOK_UP(orders, order)->name; }
const char *stria_iter_order_get_text(stria_iter_order order) { return LOOK_UP(orders, order)->text; }
const char *stria_iter_merge_get_name(stria_iter_merge merge) { return LOOK_UP(merges, merge)->name; }
const char *stria_iter_merge_get_text(stria_iter_merge merge) { return LOOK_UP(merges, merge)->text; }
const char *stria_iter_form_get_name(stria_iter_form form) { return LOOK_UP(forms, form)->name; }
const char *stria_iter_form_get_text(stria_iter_form form) { return LOOK_UP(forms, form)->text; }

/* ---------------------------------------------------------------- printing */

typedef struct printer {
    char  *text;
    size_t size, length; /* length: of the whole text so far, also of what did not fit */
} printer;

static __attribute__((format(printf, 2, 3))) void put(printer *p, const char *format, ...)
{
    const bool fits = p->length < p->size;
    va_list    arguments;

    va_start(arguments, format);
    int n = vsnprintf(fits ? p->text + p->length : NULL, fits ? p->size - p->length : 0, format, arguments);
    va_end(arguments);
    if (n > 0) p->length += (size_t)n;
}

static const char *separator(int k) { return k > 0 ? "," : ""; }

static void put_bool(printer *p, const char *key, bool value) { put(p, ",\"%s\":%s", key, value ? "true" : "false"); }

static void put_phrase(printer *p, const char *key, const phrase *value)
{
    put(p, ",\"%s\":\"%s\",\"%s_text\":\"%s\"", key, value->name, key, value->text);
}

static void put_list(printer *p, const char *key, int n, const int64_t *values)
{
    put(p, ",\"%s\":[", key);
    for (int k = 0; k < n; k++) put(p, "%s%lld", separator(k), (long long)values[k]);
    put(p, "]");
}

static void put_path(printer *p, const char *key, const stria_iter_description_path *path)
{
    put(p, "\"%s\":{\"operand\":%d", key, path->operand);
    put_phrase(p, "verdict", LOOK_UP(paths, path->verdict));
    put(p, "}");
}

static void put_operand(printer *p, const stria_iter_description_operand *operand)
{
    put(p, "{\"dtype\":\"%s\",\"given_dtype\":\"%s\",\"device\":\"%s\"", stria_dtype_get_name(operand->dtype),
        stria_dtype_get_name(operand->given_dtype), stria_device_get_name(operand->device));
    put_phrase(p, "origin", LOOK_UP(origins, operand->origin));
    put_phrase(p, "form", LOOK_UP(forms, operand->form));
    put_bool(p, "is_output", operand->is_output);
    put_bool(p, "is_in_place", operand->is_in_place);
    put_bool(p, "is_wrapped_number", operand->is_wrapped_number);
    put_bool(p, "has_op_axes", operand->has_op_axes);
    put(p, "}");
}

static void put_axis(printer *p, const stria_iter_description_axis *axis, int n_listed)
{
    put(p, "{\"axis\":%d,\"dim\":%d,\"size\":%lld", axis->axis, axis->dim, (long long)axis->size);
    put_phrase(p, "order", LOOK_UP(orders, axis->order));
    put(p, ",\"order_operand\":%d", axis->order_operand);
    put_phrase(p, "merge", LOOK_UP(merges, axis->merge));
    put(p, ",\"merge_operand\":%d,\"merge_wanted\":%lld,\"merge_found\":%lld", axis->merge_operand,
        (long long)axis->merge_wanted, (long long)axis->merge_found);
    put_list(p, "strides", n_listed, axis->strides);
    put(p, "}");
}

static void put_head(printer *p, const stria_iter_description *d)
{
    put(p, "{\"n_operands\":%d,\"n_outputs\":%d,\"numel\":%lld", d->n_operands, d->n_outputs, (long long)d->numel);
    put_list(p, "shape", d->n_axes, d->shape);
    put(p, ",\"common_dtype\":\"%s\",\"common_device\":\"%s\"", stria_dtype_get_name(d->common_dtype),
        stria_device_get_name(d->common_device));
    put_phrase(p, "setup", LOOK_UP(setups, d->setup));
    put_bool(p, "is_reduction", d->is_reduction);
    put_bool(p, "is_linear", d->is_linear);
    put_bool(p, "has_static_shape", d->has_static_shape);
    put_bool(p, "multi_index", d->multi_index);
    put_bool(p, "accumulate", d->accumulate);
    put_bool(p, "final_output", d->final_output);
    put_bool(p, "is_part", d->is_part);
    put_bool(p, "is_contiguous", d->is_contiguous);
    put_bool(p, "fits_32bit", d->fits_32bit);
    put(p, ",\"n_reduced_dims\":%d,\"dim_to_split\":%d,\"paths\":{", d->n_reduced_dims, d->dim_to_split);
    put_path(p, "contiguous", &d->contiguous);
    put(p, ",");
    put_path(p, "channels_last", &d->channels_last);
    put(p, ",");
    put_path(p, "dense", &d->dense);
    put(p, "}");
}

static void put_threads(printer *p, const stria_iter_description_threads *t)
{
    put(p, ",\"threads\":{\"n_threads\":%d,\"n_chunks\":%d,\"dim\":%d,\"grain\":%lld", t->n_threads, t->n_chunks,
        t->dim, (long long)t->grain);
    put(p, ",\"chunk_size\":%lld,\"round\":%lld", (long long)t->chunk_size, (long long)t->round);
    put_phrase(p, "strategy", LOOK_UP(strategies, t->strategy));
    put(p, "}");
}

size_t stria_iter_print_description(const stria_iter_description *description, char *text, size_t size)
{
    const stria_iter_description *d = description;
    printer                       p = {text, size, 0};

    put_head(&p, d);
    put_threads(&p, &d->threads);
    put(&p, ",\"operands\":[");
    for (int k = 0; k < d->n_listed; k++) {
        put(&p, "%s", separator(k));
        put_operand(&p, &d->operands[k]);
    }
    put(&p, "],\"axes\":[");
    for (int r = 0; r < d->n_axes; r++) {
        put(&p, "%s", separator(r));
        put_axis(&p, &d->axes[r], d->n_listed);
    }
    put(&p, "],\"dims\":[");
    for (int k = 0; k < d->n_dims; k++) {
        put(&p, "%s{\"size\":%lld", separator(k), (long long)d->dims[k].size);
        put_list(&p, "strides", d->n_listed, d->dims[k].strides);
        put(&p, "}");
    }
    put(&p, "]}");
    return p.length;
}

stria_status stria_iter_describe_json(const stria_iter *it, char *text, size_t size, size_t *needed, stria_error *err)
{
    stria_iter_description description;

    if (it == NULL) {
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "describe", "it", "an iterator", "NULL", "it is NULL");
    }
    if (text == NULL && size > 0) {
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "describe", "text", "memory", "NULL",
                               "text is NULL but its size is not 0");
    }
    stria_iter_describe(it, &description);
    const size_t length = stria_iter_print_description(&description, text, size);
    if (needed != NULL) *needed = length;
    return STRIA_OK;
}
