/* chain_template.h - the words of chains for one float lane type; contract in kernels.h (stria_chain_kernels).
 *
 * Threaded code (Bell, Threaded Code, Communications of the ACM 16, 1973): a word does its op to CHAIN_VECTORS vectors, which
 * are its arguments and so stay in registers, and calls the next word as the last thing it does, which compilers make a jump. So
 * nothing but operands passes through memory.
 *
 * Parameters: those of lane_types.h. The words are those of vec_words.h, FN pastes the lane word; lanes_<op> are there.
 */
#define CHAIN_VECTORS 8
#define CHAIN_BYTES (CHAIN_VECTORS * V_LANES * (int64_t)sizeof(v_ctype))
#define CHAIN_STATE                                                                                              \
    const stria_chain_word *w, int64_t at, v_vec a0, v_vec a1, v_vec a2, v_vec a3, v_vec a4, v_vec a5, v_vec a6, \
        v_vec a7
#define CHAIN_NEXT(w, at, a) \
    ((FN(chain_code) *)(w)->run)(w, at, (a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5], (a)[6], (a)[7])
typedef void FN(chain_code)(CHAIN_STATE);
_Static_assert(CHAIN_BYTES <= STRIA_CHAIN_BYTES, "a group fits where the callers of chains keep one");

V_LOOP v_ctype *FN(chain_at)(const stria_chain_word *w, int64_t at) { return (v_ctype *)(w->data + (at & w->moving)); }

/* Each vector by `lanes`, or four by `quick` where there is one; far: the same as lanes, of a function of its own, so that others are kept in registers. */
V_LOOP void FN(chain_each)(v_vec *x, v_vec (*lanes)(v_vec), v_vec (*far)(v_vec), v_vec (*quick)(v_vec, v_vec *),
                           int (*is_far)(v_vec))
{
    if (!quick) {
        for (int k = 0; k < CHAIN_VECTORS; k++) x[k] = lanes(x[k]);
        return;
    }
    for (int first = 0; first < CHAIN_VECTORS; first += STRIA_AT_ONCE) {
        v_vec y[STRIA_AT_ONCE], farthest = v_set(0);
        V_FOUR_TIMES
        for (int k = 0; k < STRIA_AT_ONCE; k++) y[k] = quick(x[first + k], &farthest);
        if (__builtin_expect(is_far(farthest), 0)) {
            V_FOUR_TIMES
            for (int k = 0; k < STRIA_AT_ONCE; k++) y[k] = far(x[first + k]);
        }
        V_FOUR_TIMES
        for (int k = 0; k < STRIA_AT_ONCE; k++) x[first + k] = y[k];
    }
}

/* A word: EACH is done for each k, with x[k] a vector; and with p the operand of the word. */
#define CHAIN_WORD(name, EACH)                                     \
    static void FN(chain_##name)(CHAIN_STATE)                      \
    {                                                              \
        v_vec x[CHAIN_VECTORS] = {a0, a1, a2, a3, a4, a5, a6, a7}; \
        for (int k = 0; k < CHAIN_VECTORS; k++) EACH;              \
        CHAIN_NEXT(w + 1, at, x);                                  \
    }
#define CHAIN_WORD_ON(name, EACH)                                           \
    static void FN(chain_##name)(CHAIN_STATE)                               \
    {                                                                       \
        v_vec          x[CHAIN_VECTORS] = {a0, a1, a2, a3, a4, a5, a6, a7}; \
        v_ctype *const p = FN(chain_at)(w, at);                             \
        for (int k = 0; k < CHAIN_VECTORS; k++) EACH;                       \
        CHAIN_NEXT(w + 1, at, x);                                           \
    }
/* Several streams at once are more than some processors foresee: without this, operands beyond the second-level cache take
 * several times as long. */
#define CHAIN_MEMORY (__builtin_prefetch((const char *)(p + k * V_LANES) + 4 * CHAIN_BYTES), v_load(p + k * V_LANES))
#define CHAIN_ONE v_set(*p)

CHAIN_WORD_ON(load, x[k] = CHAIN_MEMORY)
CHAIN_WORD_ON(load_one, x[k] = CHAIN_ONE)
CHAIN_WORD_ON(store, v_store(p + k * V_LANES, x[k]))
#if defined(VEC_STORE_NONTEMPORAL)
CHAIN_WORD_ON(store_nontemporal, VEC_STORE_NONTEMPORAL(p + k * V_LANES, x[k]))
static void FN(chain_fence)(void) { VEC_FENCE; }
#endif

static void FN(chain_end)(CHAIN_STATE)
{
    (void)w, (void)at, (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7;
}

static int64_t FN(chain_run)(const stria_chain_word *words, int64_t count, bool may_repeat)
{
    const int64_t end = count * (int64_t)sizeof(v_ctype) - CHAIN_BYTES;
    v_vec         nothing[CHAIN_VECTORS];
    int64_t       at = 0;

    for (int k = 0; k < CHAIN_VECTORS; k++) nothing[k] = v_set(0);
    for (; at <= end; at += CHAIN_BYTES) CHAIN_NEXT(words, at, nothing);
    if (!may_repeat || at == 0 || at - end > CHAIN_BYTES - CHAIN_BYTES / 4) return at / (int64_t)sizeof(v_ctype);
    CHAIN_NEXT(words, end, nothing);
    return count;
}

/* Rows of one or two inputs whose result is of the lane type have words, the others and those with numbers none. */
#define CHAIN_WORDS_1(name)                                                                              \
    static __attribute__((noinline, cold)) v_vec FN(far_##name)(v_vec x) { return FN(lanes_##name)(x); } \
    static void                                  FN(chain_##name)(CHAIN_STATE)                           \
    {                                                                                                    \
        v_vec x[CHAIN_VECTORS] = {a0, a1, a2, a3, a4, a5, a6, a7};                                       \
        FN(chain_each)                                                                                   \
        (x, FN(lanes_##name), FN(far_##name), STRIA_QUICK(name, STRIA_T), STRIA_IS_FAR(name, STRIA_T));  \
        CHAIN_NEXT(w + 1, at, x);                                                                        \
    }
#define CHAIN_WORDS_2(name)                                                  \
    CHAIN_WORD_ON(name##_left, x[k] = FN(lanes_##name)(x[k], CHAIN_MEMORY))  \
    CHAIN_WORD_ON(name##_right, x[k] = FN(lanes_##name)(CHAIN_MEMORY, x[k])) \
    CHAIN_WORD_ON(name##_left_one, x[k] = FN(lanes_##name)(x[k], CHAIN_ONE)) \
    CHAIN_WORD_ON(name##_right_one, x[k] = FN(lanes_##name)(CHAIN_ONE, x[k]))
#define CHAIN_WORDS_COMMON_1 CHAIN_WORDS_1
#define CHAIN_WORDS_COMMON_2 CHAIN_WORDS_2
#define CHAIN_WORDS_COMMON_3(name)
#define CHAIN_WORDS_FLOAT_1 CHAIN_WORDS_1
#define CHAIN_WORDS_FLOAT_2 CHAIN_WORDS_2
#define CHAIN_WORDS_FLOAT_3(name)
#define CHAIN_WORDS_BOOL_1(name)
#define CHAIN_WORDS_BOOL_2(name)
#define CHAIN_WORDS_SELECT_3(name)
#include "op_sets.h"
#define OP_WITH(...)
#define STRIA_OP(set, name, arity, result, lanes, summary) CHAIN_WORDS_##result##_##arity(name)
#include "table/ops.def"

#define CHAIN_CODE(name) (stria_chain_code *)FN(chain_##name)
#define CHAIN_ENTRY_1(name) [STRIA_OP_##name] = {CHAIN_CODE(name), NULL, NULL, NULL},
#define CHAIN_ENTRY_2(name)                                                                              \
    [STRIA_OP_##name] = {CHAIN_CODE(name##_left), CHAIN_CODE(name##_right), CHAIN_CODE(name##_left_one), \
                         CHAIN_CODE(name##_right_one)},
#define CHAIN_ENTRY_COMMON_1 CHAIN_ENTRY_1
#define CHAIN_ENTRY_COMMON_2 CHAIN_ENTRY_2
#define CHAIN_ENTRY_COMMON_3(name)
#define CHAIN_ENTRY_FLOAT_1 CHAIN_ENTRY_1
#define CHAIN_ENTRY_FLOAT_2 CHAIN_ENTRY_2
#define CHAIN_ENTRY_FLOAT_3(name)
#define CHAIN_ENTRY_BOOL_1(name)
#define CHAIN_ENTRY_BOOL_2(name)
#define CHAIN_ENTRY_SELECT_3(name)
static const stria_chain_kernels FN(chain_kernels) = {
    .nbytes = CHAIN_BYTES,
    .run = FN(chain_run),
    .load = CHAIN_CODE(load),
    .load_one = CHAIN_CODE(load_one),
    .store = CHAIN_CODE(store),
    .end = CHAIN_CODE(end),
#if defined(VEC_STORE_NONTEMPORAL)
    .store_nontemporal = CHAIN_CODE(store_nontemporal),
    .fence = FN(chain_fence),
#endif
    .op =
        {
#include "op_sets.h"
#define OP_WITH(...)
#define STRIA_OP(set, name, arity, result, lanes, summary) CHAIN_ENTRY_##result##_##arity(name)
#include "table/ops.def"
        },
};

#undef CHAIN_VECTORS
#undef CHAIN_BYTES
#undef CHAIN_STATE
#undef CHAIN_NEXT
#undef CHAIN_WORD
#undef CHAIN_WORD_ON
#undef CHAIN_MEMORY
#undef CHAIN_ONE
#undef CHAIN_CODE
#undef CHAIN_WORDS_1
#undef CHAIN_WORDS_2
#undef CHAIN_WORDS_COMMON_1
#undef CHAIN_WORDS_COMMON_2
#undef CHAIN_WORDS_COMMON_3
#undef CHAIN_WORDS_FLOAT_1
#undef CHAIN_WORDS_FLOAT_2
#undef CHAIN_WORDS_FLOAT_3
#undef CHAIN_WORDS_BOOL_1
#undef CHAIN_WORDS_BOOL_2
#undef CHAIN_WORDS_SELECT_3
#undef CHAIN_ENTRY_1
#undef CHAIN_ENTRY_2
#undef CHAIN_ENTRY_COMMON_1
#undef CHAIN_ENTRY_COMMON_2
#undef CHAIN_ENTRY_COMMON_3
#undef CHAIN_ENTRY_FLOAT_1
#undef CHAIN_ENTRY_FLOAT_2
#undef CHAIN_ENTRY_FLOAT_3
#undef CHAIN_ENTRY_BOOL_1
#undef CHAIN_ENTRY_BOOL_2
#undef CHAIN_ENTRY_SELECT_3
