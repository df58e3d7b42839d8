/* stria_functions.h - the part of stria.h that comes from functions.def: two prototypes for each row,
 *
 *     stria_status stria_<name>    (tensors, attributes, stria_tensor **output .., stria_error *err)   new tensors
 *     stria_status stria_<name>_out(tensors, attributes, stria_tensor *output .., stria_error *err)    into existing ones
 *
 * and of an FN_LIST one alone:
 *
 *     stria_status stria_<name>    (tensors, attributes, stria_tensor_list *output, stria_error *err)
 *
 * and of an FN_UPDATE, which makes nothing:
 *
 *     stria_status stria_<name>    (tensors, attributes, stria_error *err)
 *
 * Include stria.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STRIA_FUNCTIONS_H
#define STRIA_FUNCTIONS_H

/* STRIA_EACH(READER, (KIND, a) (OTHER, b, c)) is READER_KIND(a) READER_OTHER(b, c). A reader needs two lines beside its kinds:
 *     #define READER_(kind, ...) READER_##kind(__VA_ARGS__) READER__
 *     #define READER__(kind, ...) READER_##kind(__VA_ARGS__) READER_
 * and empty macros READER__END and READER___END. */
#define STRIA_EACH(reader, list) STRIA_END_EACH(reader##_ list)
#define STRIA_END_EACH(...) STRIA_END_LAST(__VA_ARGS__)
#define STRIA_END_LAST(...) __VA_ARGS__##_END

/* A parameter in a prototype. */
#define STRIA_PARAM_(kind, ...) STRIA_PARAM_##kind(__VA_ARGS__) STRIA_PARAM__
#define STRIA_PARAM__(kind, ...) STRIA_PARAM_##kind(__VA_ARGS__) STRIA_PARAM_
#define STRIA_PARAM__END
#define STRIA_PARAM___END
#define STRIA_PARAM_IN(name) const stria_tensor *name,
#define STRIA_PARAM_OPTIONAL(name) const stria_tensor *name,
#define STRIA_PARAM_OPERAND(name) const stria_tensor *name,
#define STRIA_PARAM_BASE(name) stria_tensor *name,
#define STRIA_PARAM_LIST(name) const stria_tensor *const *name, int n_##name,
#define STRIA_PARAM_UPDATED(name) stria_tensor *const *name, int n_##name,
#define STRIA_PARAM_UPDATED_OR_NONE(name) stria_tensor *const *name, int n_##name,
#define STRIA_PARAM_AXIS(name, usual) int name,
#define STRIA_PARAM_AXES(name, usual) const int *name, int n_##name,
#define STRIA_PARAM_SHAPE(name) const int64_t *name, int n_##name,
#define STRIA_PARAM_INT_LIST(name) const int64_t *name, int n_##name,
#define STRIA_PARAM_INT_OR_LIST(name) int64_t name, const int64_t *name##_list, int n_##name##_list,
#define STRIA_PARAM_INTS(name, n, usual) const int64_t *name,
#define STRIA_PARAM_INT(name, usual) int64_t name,
#define STRIA_PARAM_NUMBER(name, usual) double name,
#define STRIA_PARAM_SCALAR(name, usual) stria_scalar name,
#define STRIA_PARAM_FLAG(name, usual) bool name,
#define STRIA_PARAM_DTYPE(name) stria_dtype name,
#define STRIA_PARAM_DEVICE(name) stria_device name,
#define STRIA_PARAM_GENERATOR(name) stria_generator *name,
#define STRIA_PARAM_WORD(name, usual, all) const char *name,
#define STRIA_PARAM_TEXT(name) const char *name,
#define STRIA_PARAM_OPTIONS(name)
#define STRIA_PARAM_ARGUMENTS(name, all)
#define STRIA_PARAM_OUT(name, dtype) stria_tensor **name,
#define STRIA_PARAM_INPLACE(name, dtype) stria_tensor **name,
#define STRIA_PARAM_VIEW(name, dtype) stria_tensor **name,
#define STRIA_PARAM_TENSORS(name, dtype) stria_tensor_list *name,

/* An output in the prototype of stria_<name>_out. */
#define STRIA_GIVEN_(kind, ...) STRIA_GIVEN_##kind(__VA_ARGS__) STRIA_GIVEN__
#define STRIA_GIVEN__(kind, ...) STRIA_GIVEN_##kind(__VA_ARGS__) STRIA_GIVEN_
#define STRIA_GIVEN__END
#define STRIA_GIVEN___END
#define STRIA_GIVEN_OUT(name, dtype) stria_tensor *name,
#define STRIA_GIVEN_INPLACE(name, dtype) stria_tensor *name,
#define STRIA_GIVEN_VIEW(name, dtype) stria_tensor *name,

#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary)                                    \
    STRIA_API STRIA_MUST_CHECK stria_status stria_##name(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH( \
        STRIA_PARAM, attributes) STRIA_EACH(STRIA_PARAM, outputs) stria_error *err);
#define STRIA_FN_UPDATE(name, tensors, attributes, outputs, summary)                      \
    STRIA_API STRIA_MUST_CHECK stria_status stria_##name(STRIA_EACH(STRIA_PARAM, tensors) \
                                                             STRIA_EACH(STRIA_PARAM, attributes) stria_error *err);
#define STRIA_FN(name, tensors, attributes, outputs, summary)                                               \
    STRIA_API STRIA_MUST_CHECK stria_status stria_##name(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH(       \
        STRIA_PARAM, attributes) STRIA_EACH(STRIA_PARAM, outputs) stria_error *err);                        \
    STRIA_API STRIA_MUST_CHECK stria_status stria_##name##_out(STRIA_EACH(STRIA_PARAM, tensors) STRIA_EACH( \
        STRIA_PARAM, attributes) STRIA_EACH(STRIA_GIVEN, outputs) stria_error *err);
#include "table/functions.def"

#endif /* STRIA_FUNCTIONS_H */
