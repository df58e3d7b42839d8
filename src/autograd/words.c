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
#define STRIA_RED(set, name, result, identity, combine, finish, summary)                           \
    stria_term r_##name(stria_term x, const int *axes, int n_axes, bool keepdim)                   \
    {                                                                                              \
        stria_rule_run *run = stria_word_begin();                                                  \
        stria_tensor   *y = NULL;                                                                  \
        if (!stria_word_prepare(run, &x, false) || !stria_word_calls(run, -1)) return run->answer; \
        const stria_status status = stria_##name(x.x, axes, n_axes, keepdim, &y, run->err);        \
        return stria_word_end(run, status, y);                                                     \
    }
#include "table/ops.def"

/* ---------------------------------------------------------------- rows of functions.def */

#define READY_(kind, ...) READY_##kind(__VA_ARGS__) READY__
#define READY__(kind, ...) READY_##kind(__VA_ARGS__) READY_
#define READY__END
#define READY___END
#define READY_IN(name) &&stria_word_prepare(run, &name, false)
#define READY_OPERAND(name) &&stria_word_prepare(run, &name, false)
#define READY_BASE(name) &&stria_word_prepare(run, &name, false)
#define READY_OPTIONAL(name) &&stria_word_prepare(run, &name, true)
#define READY_LIST(name) &&stria_word_prepare_list(run, name, n_##name, &list)

#define GIVE_(kind, ...) GIVE_##kind(__VA_ARGS__) GIVE__
#define GIVE__(kind, ...) GIVE_##kind(__VA_ARGS__) GIVE_
#define GIVE__END
#define GIVE___END
#define GIVE_IN(name) name.x,
#define GIVE_OPERAND(name) name.x,
#define GIVE_BASE(name) (stria_tensor *)(uintptr_t)name.x,
#define GIVE_OPTIONAL(name) name.x,
#define GIVE_LIST(name) list, n_##name,
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
        stria_rule_run      *run = stria_word_begin();                                                        \
        const stria_tensor **list = NULL;                                                                     \
        stria_tensor        *made = NULL;                                                                     \
        (void)list;                                                                                           \
        if (!(true STRIA_EACH(READY, tensors) && stria_word_calls(run, STRIA_FN_##name))) return run->answer; \
        const stria_status status =                                                                           \
            stria_##name(STRIA_EACH(GIVE, tensors) STRIA_EACH(GIVE, attributes) & made, run->err);            \
        return stria_word_end(run, status, made);                                                             \
    }
#define WORD_SEVERAL(name, tensors, attributes, outputs)                                                              \
    void r_##name(STRIA_TERM_TAIL(~STRIA_EACH(STRIA_TERM, tensors) STRIA_EACH(STRIA_TERM, attributes)                 \
                                      STRIA_EACH(STRIA_TERM, outputs)))                                               \
    {                                                                                                                 \
        stria_rule_run *run = stria_word_begin();                                                                     \
        STRIA_EACH(MADE, outputs)                                                                                     \
        if (!(true STRIA_EACH(READY, tensors) && stria_word_calls(run, STRIA_FN_##name))) {                           \
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
