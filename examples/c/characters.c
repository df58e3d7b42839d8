/* characters.c - a network learns which character comes next in a poem, then goes on from its beginning by itself.
 *
 * The last 16 characters, each as 12 numbers, a layer of 96, a score for each character. The poem is from Lewis Carroll's "Through the
 * Looking-Glass" (1871), in the public domain.
 */
#include <string.h>

#include "learn.h"

static const char poem[] = "'Twas brillig, and the slithy toves\n"
                           "Did gyre and gimble in the wabe:\n"
                           "All mimsy were the borogoves,\n"
                           "And the mome raths outgrabe.\n"
                           "\n"
                           "\"Beware the Jabberwock, my son!\n"
                           "The jaws that bite, the claws that catch!\n"
                           "Beware the Jubjub bird, and shun\n"
                           "The frumious Bandersnatch!\"\n";

enum { SEEN = 16, NUMBERS = 12, HIDDEN = 96, CODES = 128, LENGTH = sizeof poem - 1, STEPS = 250 };

/* Scores of the next character, for each row of x [n, SEEN]. */
static stria_tensor *predict(const learner *l, const stria_tensor *x)
{
    const int64_t shape[] = {-1, (int64_t)SEEN * NUMBERS};

    TRY(stria_embedding(l->params[0], x, STRIA_INT_NONE, NEW, &error));
    TRY(stria_reshape(LAST, shape, 2, NEW, &error));
    TRY(stria_linear(LAST, l->params[1], l->params[2], NEW, &error));
    TRY(stria_tanh(LAST, NEW, &error));
    TRY(stria_linear(LAST, l->params[3], l->params[4], NEW, &error));
    return LAST;
}

/* Goes on from the first characters of the poem. */
static void write_on(const learner *l, char *text, int n)
{
    const bool    was = stria_grad_mode_set(false);
    const int64_t shape[] = {1, SEEN};

    for (int k = SEEN; k < n; k++) {
        int64_t codes[SEEN];
        for (int i = 0; i < SEEN; i++) codes[i] = text[k - SEEN + i];
        TRY(stria_tensor_new_copy_of(STRIA_I64, 2, shape, codes, sizeof codes, NEW, &error));
        const stria_tensor *scores = predict(l, LAST);
        TRY(stria_argmax(scores, STRIA_AXIS_NONE, false, NEW, &error));
        text[k] = (char)*(const int64_t *)stria_tensor_get_const_data(LAST);
        release_made();
    }
    stria_grad_mode_set(was);
}

int main(void)
{
    const int64_t    n = LENGTH, stride = 1, shape[] = {LENGTH - SEEN, SEEN};
    int64_t          codes[LENGTH];
    char             text[LENGTH + 1] = {0};
    stria_generator *random = NULL;
    stria_tensor    *all = NULL, *x = NULL, *y = NULL;
    learner          l = {.n = 0};
    double           loss = 0;

    for (int k = 0; k < LENGTH; k++) codes[k] = poem[k];
    TRY(stria_tensor_new_copy_of(STRIA_I64, 1, &n, codes, sizeof codes, &all, &error));
    TRY(stria_unfold(all, 0, SEEN, stride, NEW, &error)); /* every 16 characters after another, a view */
    TRY(stria_slice(LAST, 0, 0, shape[0], 1, &x, &error));
    TRY(stria_slice(all, 0, SEEN, LENGTH, 1, &y, &error));
    release_made();

    TRY(stria_generator_new(1, &random, &error));
    add_parameter(&l, CODES, NUMBERS, 0.5, random);
    add_parameter(&l, HIDDEN, SEEN * NUMBERS, 0.1, random);
    add_parameter(&l, 0, HIDDEN, 0, random);
    add_parameter(&l, CODES, HIDDEN, 0.1, random);
    add_parameter(&l, 0, CODES, 0, random);
    for (int step = 0; step < STEPS; step++) {
        stria_tensor *scores = predict(&l, x);
        TRY(stria_cross_entropy(scores, y, NULL, "mean", -100, 0, NEW, &error));
        loss = learn(&l, LAST, 0.01, 0);
        release_made();
    }
    memcpy(text, poem, SEEN);
    write_on(&l, text, LENGTH);
    printf("loss %.4f\n%s", loss, text);
    end_learner(&l);
    stria_tensor_release(all);
    stria_tensor_release(x);
    stria_tensor_release(y);
    stria_generator_release(random);
    return expect(loss < 0.05 && strcmp(text, poem) == 0, "the poem by heart");
}
