/* functions.c - stria_<name> and stria_<name>_out of every row of functions.def: the arguments become a call (call.h). */
#include "base/error.h"
#include "call/call.h"

/* An entry of the tensors of a call; those of a list have none. */
#define INPUT_(kind, ...) INPUT_##kind(__VA_ARGS__) INPUT__
#define INPUT__(kind, ...) INPUT_##kind(__VA_ARGS__) INPUT_
#define INPUT__END
#define INPUT___END
#define INPUT_IN(name) name,
#define INPUT_OPTIONAL(name) name,
#define INPUT_OPERAND(name) name,
#define INPUT_BASE(name) name,
#define INPUT_LIST(name)
#define INPUT_UPDATED(name)
#define INPUT_UPDATED_OR_NONE(name)

/* The list of a call. */
#define ITEMS_(kind, ...) ITEMS_##kind(__VA_ARGS__) ITEMS__
#define ITEMS__(kind, ...) ITEMS_##kind(__VA_ARGS__) ITEMS_
#define ITEMS__END
#define ITEMS___END
#define ITEMS_IN(name)
#define ITEMS_OPTIONAL(name)
#define ITEMS_OPERAND(name)
#define ITEMS_BASE(name)
#define ITEMS_LIST(name) call.list = name, call.n_list = n_##name;

/* A list of several. */
#define LISTED_(kind, ...) LISTED_##kind(__VA_ARGS__) LISTED__
#define LISTED__(kind, ...) LISTED_##kind(__VA_ARGS__) LISTED_
#define LISTED__END
#define LISTED___END
#define LISTED_IN(name)
#define LISTED_LIST(name) {name, n_##name},
#define LISTED_UPDATED(name) {(const stria_tensor *const *)name, n_##name},
#define LISTED_UPDATED_OR_NONE(name) LISTED_UPDATED(name)

/* INTS that callers must give, or may leave out: the row finds this in place of them. */
static const int64_t REQUIRED = STRIA_INT_NONE, OPEN = STRIA_INT_NONE;

/* A field of the record of attributes. */
#define VALUE_(kind, ...) VALUE_##kind(__VA_ARGS__) VALUE__
#define VALUE__(kind, ...) VALUE_##kind(__VA_ARGS__) VALUE_
#define VALUE__END
#define VALUE___END
#define VALUE_AXIS(name, usual) attrs.name = name;
#define VALUE_AXES(name, usual) attrs.name = (stria_axes){name, n_##name};
#define VALUE_SHAPE(name) attrs.name = (stria_sizes){name, n_##name};
#define VALUE_INT_LIST(name) attrs.name = (stria_sizes){name, n_##name};
#define VALUE_INT_OR_LIST(name) attrs.name = (stria_int_or_list){name, name##_list, n_##name##_list};
#define VALUE_INTS(name, n, usual) \
    for (int k = 0; k < n; k++) attrs.name[k] = name != NULL ? name[k] : usual;
#define VALUE_INT(name, usual) attrs.name = name;
#define VALUE_NUMBER(name, usual) attrs.name = name;
#define VALUE_SCALAR(name, usual) attrs.name = name;
#define VALUE_FLAG(name, usual) attrs.name = name;
#define VALUE_DTYPE(name) attrs.name = name;
#define VALUE_DEVICE(name) attrs.name = name;
#define VALUE_GENERATOR(name) attrs.name = name;
#define VALUE_WORD(name, usual, all) attrs.name = stria_words_find(all, name);
#define VALUE_TEXT(name) attrs.name = name;
#define VALUE_OPTIONS(name)
#define VALUE_ARGUMENTS(name, all)

/* Places of new outputs, and given outputs. */
#define PLACE_(kind, ...) PLACE_##kind(__VA_ARGS__) PLACE__
#define PLACE__(kind, ...) PLACE_##kind(__VA_ARGS__) PLACE_
#define PLACE__END
#define PLACE___END
#define PLACE_OUT(name, dtype) name,
#define PLACE_INPLACE(name, dtype) name,
#define PLACE_VIEW(name, dtype) name,
#define PLACE_TENSORS(name, dtype) name

/* Runs a call for new outputs, which go to the places. */
static stria_status run_new(const stria_call *call, stria_tensor **const *places, int n, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));
    stria_status        status;

    for (int k = 0; k < n; k++) {
        if (places[k] != NULL) *places[k] = NULL;
        call->out[k] = NULL;
    }
    for (int k = 0; k < n; k++)
        if (places[k] == NULL)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, schema->outputs[k].name,
                                   "a place for the result", "NULL", "%s is NULL", schema->outputs[k].name);
    status = stria_call_run(call, err);
    for (int k = 0; k < n && status == STRIA_OK; k++) *places[k] = call->out[k];
    return status;
}

static stria_status run_given(const stria_call *call, int n, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));

    for (int k = 0; k < n; k++)
        if (call->out[k] == NULL)
            return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, schema->outputs[k].name, "a tensor", "NULL",
                                   "%s is NULL", schema->outputs[k].name);
    return stria_call_run(call, err);
}

static stria_status run_list(const stria_call *call, stria_error *err)
{
    const stria_schema *schema = stria_schema_get(stria_call_get_function(call));

    if (call->out_list == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, schema->name, schema->outputs[0].name,
                               "a place for the results", "NULL", "%s is NULL", schema->outputs[0].name);
    *call->out_list = (stria_tensor_list){NULL, 0};
    return stria_call_run(call, err);
}

#define N(list) (int)(sizeof(list) / sizeof *(list))
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary)                                                 \
    stria_status stria_##name(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(STRIA_PARAM, attributes)                 \
                                  STRIA_EACH(STRIA_PARAM, outputs) stria_error *err)                               \
    {                                                                                                              \
        const stria_tensor  *in[] = {STRIA_EACH(INPUT, tensors) NULL};                                             \
        stria_tensor_list   *place = STRIA_EACH(PLACE, outputs);                                                   \
        stria_##name##_attrs attrs;                                                                                \
        stria_call           call = {STRIA_ROW_OF_FUNCTION(STRIA_FN_##name), 0, in, NULL, 0, &attrs, NULL, place}; \
        attrs.none = 0;                                                                                            \
        STRIA_EACH(VALUE, attributes) STRIA_EACH(ITEMS, tensors) return run_list(&call, err);                      \
    }
#define STRIA_FN_UPDATE(name, tensors, attributes, outputs, summary)                                                 \
    stria_status stria_##name(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(STRIA_PARAM, attributes) stria_error *err) \
    {                                                                                                                \
        const stria_tensor    *in[] = {STRIA_EACH(INPUT, tensors) NULL};                                             \
        const stria_call_lists lists[] = {STRIA_EACH(LISTED, tensors)};                                              \
        stria_##name##_attrs   attrs;                                                                                \
        stria_call             call = {STRIA_ROW_OF_FUNCTION(STRIA_FN_##name), 0, in, NULL, 0, &attrs, NULL, NULL};  \
        attrs.none = 0;                                                                                              \
        STRIA_EACH(VALUE, attributes) return stria_call_run_lists(&call, lists, err);                                \
    }
#define STRIA_FN(name, tensors, attributes, outputs, summary)                                                    \
    stria_status stria_##name(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(STRIA_PARAM, attributes)               \
                                  STRIA_EACH(STRIA_PARAM, outputs) stria_error *err)                             \
    {                                                                                                            \
        const stria_tensor  *in[] = {STRIA_EACH(INPUT, tensors) NULL};                                           \
        stria_tensor       **places[] = {STRIA_EACH(PLACE, outputs)}, *out[N(places)];                           \
        stria_##name##_attrs attrs;                                                                              \
        stria_call           call = {STRIA_ROW_OF_FUNCTION(STRIA_FN_##name), 0, in, NULL, 0, &attrs, out, NULL}; \
        attrs.none = 0;                                                                                          \
        STRIA_EACH(VALUE, attributes) STRIA_EACH(ITEMS, tensors) return run_new(&call, places, N(places), err);  \
    }                                                                                                            \
    stria_status stria_##name##_out(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(STRIA_PARAM, attributes)         \
                                        STRIA_EACH(STRIA_GIVEN, outputs) stria_error *err)                       \
    {                                                                                                            \
        const stria_tensor  *in[] = {STRIA_EACH(INPUT, tensors) NULL};                                           \
        stria_tensor        *out[] = {STRIA_EACH(PLACE, outputs)};                                               \
        stria_##name##_attrs attrs;                                                                              \
        stria_call           call = {STRIA_ROW_OF_FUNCTION(STRIA_FN_##name), 0, in, NULL, 0, &attrs, out, NULL}; \
        attrs.none = 0;                                                                                          \
        STRIA_EACH(VALUE, attributes) STRIA_EACH(ITEMS, tensors) return run_given(&call, N(out), err);           \
    }
#include "table/functions.def"
