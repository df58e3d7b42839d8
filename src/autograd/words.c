/* words.c - the words of rule.h: each calls its row. */
#include "autograd/run.h"

/* ---------------------------------------------------------------- rows of ops.def */

#define LIST_1 a
#define LIST_2 a, b
#define LIST_3 a, b, c
#define STRIA_OP(set, name, arity, result, lanes, summary) \
    stria_term r_##name(STRIA_WORD_ARGS_##arity)           \
    {                                                      \
        const stria_term in[] = {LIST_##arity};            \
        return stria_word_op(STRIA_OP_##name, in, arity);  \
    }
#define STRIA_RED(set, name, result, identity, combine, finish, summary)                                \
    stria_term r_##name(stria_term x, const int *axes, int n_axes, bool keepdim)                        \
    {                                                                                                   \
        stria_rule_run     *run = stria_word_begin();                                                   \
        const stria_tensor *t_x = stria_word_take(run, x);                                              \
        if (!stria_word_calls(run, -1)) return run->answer;                                             \
        return stria_word_end_one(run, stria_##name(t_x, axes, n_axes, keepdim, &run->made, run->err)); \
    }
#include "table/ops.def"
#undef LIST_1
#undef LIST_2
#undef LIST_3

/* ---------------------------------------------------------------- rows of functions.def */

/* Tensors of terms. */
#define TAKE_(kind, ...) TAKE_##kind(__VA_ARGS__) TAKE__
#define TAKE__(kind, ...) TAKE_##kind(__VA_ARGS__) TAKE_
#define TAKE__END
#define TAKE___END
#define TAKE_IN(name) const stria_tensor *t_##name = stria_word_take(run, name);
#define TAKE_OPERAND(name) TAKE_IN(name)
#define TAKE_BASE(name) TAKE_IN(name)
#define TAKE_OPTIONAL(name) const stria_tensor *t_##name = stria_word_take_optional(run, name);
#define TAKE_LIST(name) const stria_tensor *const *t_##name = stria_word_take_list(run, name, n_##name);

#define GIVE_(kind, ...) GIVE_##kind(__VA_ARGS__) GIVE__
#define GIVE__(kind, ...) GIVE_##kind(__VA_ARGS__) GIVE_
#define GIVE__END
#define GIVE___END
#define GIVE_IN(name) t_##name,
#define GIVE_OPERAND(name) t_##name,
#define GIVE_BASE(name) (stria_tensor *)(uintptr_t)t_##name,
#define GIVE_OPTIONAL(name) t_##name,
#define GIVE_LIST(name) t_##name, n_##name,
#define GIVE_AXIS(name, usual) name,
#define GIVE_AXES(name, usual) name, n_##name,
#define GIVE_SHAPE(name) name, n_##name,
#define GIVE_INT_LIST(name) name, n_##name,
#define GIVE_INT_OR_LIST(name) name, name##_list, n_##name##_list,
#define GIVE_INTS(name, n, usual) name,
#define GIVE_INT(name, usual) name,
#define GIVE_NUMBER(name, usual) name,
#define GIVE_SCALAR(name, usual) name,
#define GIVE_FLAG(name, usual) name,
#define GIVE_DTYPE(name) name,
#define GIVE_DEVICE(name) name,
#define GIVE_GENERATOR(name) name,
#define GIVE_WORD(name, usual, all) name,
#define GIVE_TEXT(name) name,
#define GIVE_OPTIONS(name)
#define GIVE_ARGUMENTS(name, all)

/* Outputs of a word with several: a tensor for each, and the terms that they become. */
#define MADE_(kind, ...) MADE_##kind(__VA_ARGS__) MADE__
#define MADE__(kind, ...) MADE_##kind(__VA_ARGS__) MADE_
#define MADE__END
#define MADE___END
#define MADE_OUT(name, dtype) stria_tensor *new_##name = NULL;
#define PLACE_(kind, ...) PLACE_##kind(__VA_ARGS__) PLACE__
#define PLACE__(kind, ...) PLACE_##kind(__VA_ARGS__) PLACE_
#define PLACE__END
#define PLACE___END
#define PLACE_OUT(name, dtype) &new_##name,
#define KEEP_(kind, ...) KEEP_##kind(__VA_ARGS__) KEEP__
#define KEEP__(kind, ...) KEEP_##kind(__VA_ARGS__) KEEP_
#define KEEP__END
#define KEEP___END
#define KEEP_OUT(name, dtype) *name = stria_word_end(run, status, new_##name);
#define SKIP_(kind, ...) SKIP_##kind(__VA_ARGS__) SKIP__
#define SKIP__(kind, ...) SKIP_##kind(__VA_ARGS__) SKIP_
#define SKIP__END
#define SKIP___END
#define SKIP_OUT(name, dtype) *name = run->answer;

#define WORD_ONE(name, tensors, attributes, outputs)                                                          \
    stria_term r_##name(STRIA_TERM_TAIL(~STRIA_EACH(STRIA_TERM, tensors) STRIA_EACH(STRIA_TERM, attributes))) \
    {                                                                                                         \
        stria_rule_run *run = stria_word_begin();                                                             \
        STRIA_EACH(TAKE, tensors)                                                                             \
        if (!stria_word_calls(run, STRIA_FN_##name)) return run->answer;                                      \
        return stria_word_end_one(                                                                            \
            run, stria_##name(STRIA_EACH(GIVE, tensors) STRIA_EACH(GIVE, attributes) & run->made, run->err)); \
    }
#define WORD_SEVERAL(name, tensors, attributes, outputs)                                                              \
    void r_##name(STRIA_TERM_TAIL(~STRIA_EACH(STRIA_TERM, tensors) STRIA_EACH(STRIA_TERM, attributes)                 \
                                      STRIA_EACH(STRIA_TERM, outputs)))                                               \
    {                                                                                                                 \
        stria_rule_run *run = stria_word_begin();                                                                     \
        STRIA_EACH(TAKE, tensors)                                                                                     \
        STRIA_EACH(MADE, outputs)                                                                                     \
        if (!stria_word_calls(run, STRIA_FN_##name)) {                                                                \
            STRIA_EACH(SKIP, outputs)                                                                                 \
            return;                                                                                                   \
        }                                                                                                             \
        const stria_status status =                                                                                   \
            stria_##name(STRIA_EACH(GIVE, tensors) STRIA_EACH(GIVE, attributes) STRIA_EACH(PLACE, outputs) run->err); \
        STRIA_EACH(KEEP, outputs)                                                                                     \
    }
#define STRIA_FN(name, tensors, attributes, outputs, summary) \
    STRIA_IF_ONE(outputs)(WORD_ONE, WORD_SEVERAL)(name, tensors, attributes, outputs)
#define STRIA_FN_LIST(name, tensors, attributes, outputs, summary)
#define STRIA_FN_UPDATE(name, tensors, attributes, outputs, summary)
#define STRIA_FN_OP(name, tensors, attributes, outputs, summary)
#include "table/functions.def"
#undef WORD_ONE
#undef WORD_SEVERAL
