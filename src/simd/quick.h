/* quick.h - words that loops over four vectors compute faster than one by one.
 *
 * The quick form of a word is right where no lane is far, and keeps how far in a vector: v = quick(x, &far). is_far(far) says whether
 * one was; the loop computes these vectors by the word itself then. So a test, and a branch that keeps the processor from
 * computing vectors side by side, come once for four. Both forms give the same bits.
 */
#ifndef STRIA_QUICK_H
#define STRIA_QUICK_H

#define STRIA_AT_ONCE 4

/* Words that have one, by lane type: quick, is_far. */
#define STRIA_QUICK_exp_f32 ~, vec_exp_quick_f32, vec_exp_is_far_f32

/* Of a word without: NULL. */
#define STRIA_QUICK_SECOND(a, b, ...) b
#define STRIA_QUICK_THIRD(a, b, c, ...) c
#define STRIA_QUICK_PICK(which, ...) which(__VA_ARGS__)
#define STRIA_QUICK(word, type) \
    STRIA_QUICK_PICK(STRIA_QUICK_SECOND, STRIA_CAT3(STRIA_QUICK_##word, _, type), NULL, NULL)
#define STRIA_IS_FAR(word, type) \
    STRIA_QUICK_PICK(STRIA_QUICK_THIRD, STRIA_CAT3(STRIA_QUICK_##word, _, type), NULL, NULL)

#endif
