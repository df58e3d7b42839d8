/* words.h - the words of rule.h: r_<row> for each row of ops.def, and of functions.def but those that make lists. Internal; include
 * rule.h.
 *
 *     stria_term r_mul(stria_term a, stria_term b);
 *     stria_term r_sum(stria_term x, const int *axes, int n_axes, bool keepdim);
 *     stria_term r_cumsum(stria_term x, int dim, stria_dtype dtype);
 *     void       r_sort(stria_term x, int dim, bool descending, bool stable, stria_term *values, stria_term *indices);
 */
#ifndef STRIA_WORDS_H
#define STRIA_WORDS_H

/* A parameter, with a comma before it. */
#define STRIA_TERM_(kind, ...) STRIA_TERM_##kind(__VA_ARGS__) STRIA_TERM__
#define STRIA_TERM__(kind, ...) STRIA_TERM_##kind(__VA_ARGS__) STRIA_TERM_
#define STRIA_TERM__END
#define STRIA_TERM___END
#define STRIA_TERM_IN(name) , stria_term name
#define STRIA_TERM_OPTIONAL(name) , stria_term name
#define STRIA_TERM_OPERAND(name) , stria_term name
#define STRIA_TERM_BASE(name) , stria_term name
#define STRIA_TERM_LIST(name) , const stria_term *name, int n_##name
#define STRIA_TERM_AXIS(name, usual) , int name
#define STRIA_TERM_AXES(name, usual) , const int *name, int n_##name
#define STRIA_TERM_SHAPE(name) , const int64_t *name, int n_##name
#define STRIA_TERM_INT_LIST(name) , const int64_t *name, int n_##name
#define STRIA_TERM_INT_OR_LIST(name) , int64_t name, const int64_t *name##_list, int n_##name##_list
#define STRIA_TERM_INTS(name, n, usual) , const int64_t *name
#define STRIA_TERM_INT(name, usual) , int64_t name
#define STRIA_TERM_NUMBER(name, usual) , double name
#define STRIA_TERM_SCALAR(name, usual) , stria_scalar name
#define STRIA_TERM_FLAG(name, usual) , bool name
#define STRIA_TERM_DTYPE(name) , stria_dtype name
#define STRIA_TERM_DEVICE(name) , stria_device name
#define STRIA_TERM_GENERATOR(name) , stria_generator *name
#define STRIA_TERM_WORD(name, usual, all) , const char *name
#define STRIA_TERM_TEXT(name) , const char *name
#define STRIA_TERM_OPTIONS(name)
#define STRIA_TERM_ARGUMENTS(name, all)
#define STRIA_TERM_OUT(name, dtype) , stria_term *name
#define STRIA_TERM_INPLACE(name, dtype) , stria_term *name
#define STRIA_TERM_VIEW(name, dtype) , stria_term *name

#define STRIA_TERM_TAIL(...) STRIA_TERM_TAIL_(__VA_ARGS__)
#define STRIA_TERM_TAIL_(first, ...) __VA_ARGS__

/* STRIA_IF_ONE(outputs)(this, that): `this` of a row with one output, else `that`. */
#define STRIA_IF_ONE(outputs) STRIA_PICK_SECOND(STRIA_PROBE_REST(STRIA_EAT outputs), STRIA_FIRST_OF_TWO, ~)
#define STRIA_EAT(...)
#define STRIA_PROBE_REST(...) STRIA_PROBE __VA_ARGS__
#define STRIA_PROBE(...) ~, STRIA_SECOND_OF_TWO, ~
#define STRIA_PICK_SECOND(...) STRIA_PICK_SECOND_(__VA_ARGS__)
#define STRIA_PICK_SECOND_(first, second, ...) second
#define STRIA_FIRST_OF_TWO(a, b) a
#define STRIA_SECOND_OF_TWO(a, b) b

#define STRIA_WORD_ARGS_1 stria_term a
#define STRIA_WORD_ARGS_2 stria_term a, stria_term b
#define STRIA_WORD_ARGS_3 stria_term a, stria_term b, stria_term c
#define STRIA_OP(set, name, arity, result, lanes, summary) stria_term r_##name(STRIA_WORD_ARGS_##arity);
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    stria_term r_##name(stria_term x, const int *axes, int n_axes, bool keepdim);
#include "table/ops.def"

#define STRIA_WORD_ONE(name, tensors, attributes, outputs) \
    stria_term r_##name(STRIA_TERM_TAIL(~STRIA_EACH(STRIA_TERM, tensors) STRIA_EACH(STRIA_TERM, attributes)));
#define STRIA_WORD_SEVERAL(name, tensors, attributes, outputs)                                        \
    void r_##name(STRIA_TERM_TAIL(~STRIA_EACH(STRIA_TERM, tensors) STRIA_EACH(STRIA_TERM, attributes) \
                                      STRIA_EACH(STRIA_TERM, outputs)));
#define STRIA_FN(name, tensors, attributes, outputs, summary) \
    STRIA_IF_ONE(outputs)(STRIA_WORD_ONE, STRIA_WORD_SEVERAL)(name, tensors, attributes, outputs)
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary)
#define STRIA_FN_UPDATE(name, tensors, attributes, outputs, summary)
#define STRIA_FN_OP(name, tensors, attributes, outputs, summary)
#include "table/functions.def"

/* RULE_FN of a plain reduction has stria_reduce_attrs. Truth values have no derivative, and stria_any_attrs is another thing. */
#define RED_BOOL(...)
#define STRIA_RED(set, name, result, identity, combine, finish, summary) \
    typedef stria_reduce_attrs stria_##name##_attrs;
#include "table/ops.def"

#endif
