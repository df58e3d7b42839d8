/* digits.c - a network learns handwritten digits of 8 x 8 pixels, and is tried on those that it has not seen.
 *
 *     digits [examples/data/digits.npy]
 *
 * 64 pixels, a layer of 512, 10 classes; AdamW, at a rate that falls, in batches of 32. A fifth of the 1797 digits is held out.
 */
#include "learn.h"

enum { PIXELS = 64, HIDDEN = 512, CLASSES = 10, BATCH = 32, HELD_OUT = 360, EPOCHS = 30 };

/* Scores of the classes for each row of x. */
static stria_tensor *classify(const learner *l, const stria_tensor *x)
{
    TRY(stria_linear(x, l->params[0], l->params[1], NEW, &error));
    TRY(stria_relu(LAST, NEW, &error));
    TRY(stria_linear(LAST, l->params[2], l->params[3], NEW, &error));
    return LAST;
}

/* Rows `from` to `to` of the places, as pixels in [0, 1] and as numbers of classes. */
static void take(stria_tensor *data, stria_tensor *places, int64_t from, int64_t to, stria_tensor **x, stria_tensor **y)
{
    const int64_t sixteenth = 16;
    stria_tensor *rows;

    TRY(stria_slice(places, 0, from, to, 1, NEW, &error));
    TRY(stria_index_select(data, LAST, 0, NEW, &error));
    rows = LAST;
    TRY(stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_INT, .i = sixteenth}, NEW, &error));
    stria_tensor *number = LAST;
    TRY(stria_slice(rows, 1, 0, PIXELS, 1, NEW, &error));
    TRY(stria_div(LAST, number, NEW, &error)); /* of whole numbers: f32 */
    *x = LAST;
    TRY(stria_select(rows, 1, PIXELS, NEW, &error));
    TRY(stria_to(LAST, STRIA_I64, NEW, &error));
    *y = LAST;
}

/* Share of rows whose highest score is that of their class. */
static double get_share(const learner *l, const stria_tensor *x, const stria_tensor *y)
{
    const bool          was = stria_grad_mode_set(false);
    const stria_tensor *scores = classify(l, x);

    TRY(stria_argmax(scores, 1, false, NEW, &error));
    TRY(stria_eq(LAST, y, NEW, &error));
    TRY(stria_to(LAST, STRIA_F32, NEW, &error));
    TRY(stria_mean(LAST, NULL, 0, false, NEW, &error));
    stria_grad_mode_set(was);
    return (double)*(const float *)stria_tensor_get_const_data(LAST);
}

int main(int argc, char **argv)
{
    stria_generator *random = NULL;
    stria_tensor    *data = NULL, *places = NULL, *order = NULL, *x, *y;
    learner          l = {.n = 0};
    double           share;

    TRY(stria_npy_get_file(argc > 1 ? argv[1] : "examples/data/digits.npy", &data, &error));
    const int64_t n = stria_tensor_get_shape(data)[0] - HELD_OUT;
    TRY(stria_generator_new(3, &random, &error));
    TRY(stria_randperm(n + HELD_OUT, STRIA_I64, STRIA_CPU, random, &places, &error));
    add_parameter(&l, HIDDEN, PIXELS, 0.3, random);
    add_parameter(&l, 0, HIDDEN, 0, random);
    add_parameter(&l, CLASSES, HIDDEN, 0.1, random);
    add_parameter(&l, 0, CLASSES, 0, random);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        double loss = 0;
        TRY(stria_randperm(n, STRIA_I64, STRIA_CPU, random, &order, &error)); /* another order each time */
        for (int64_t from = 0; from < n; from += BATCH) {
            TRY(stria_slice(order, 0, from, from + BATCH, 1, NEW, &error));
            TRY(stria_index_select(places, LAST, 0, NEW, &error));
            take(data, LAST, 0, BATCH, &x, &y);
            stria_tensor *scores = classify(&l, x);
            TRY(stria_cross_entropy(scores, y, NULL, "mean", -100, 0, NEW, &error));
            loss = learn(&l, LAST, 1e-3 * (1 - (double)epoch / EPOCHS), 0.01);
            release_made();
        }
        stria_tensor_release(order);
        if (epoch % 10 == 9) printf("epoch %d: loss %.4f\n", epoch + 1, loss);
    }
    take(data, places, n, n + HELD_OUT, &x, &y);
    share = get_share(&l, x, y);
    printf("%.1f %% of %d digits that it has not seen\n", 100 * share, HELD_OUT);
    release_made();
    end_learner(&l);
    stria_tensor_release(data);
    stria_tensor_release(places);
    stria_generator_release(random);
    return expect(share > 0.97, "more than 97 %");
}
