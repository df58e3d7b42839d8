/* convolution_weight.c - the gradient of the weights of a convolution as products of matrices (convolution.h).
 *
 *     weights[i][p] = sum over images n and positions o of gradient[n][i][o] window[n][p][o]
 *
 * A task makes some rows p and columns i of the transpose of it: blocks of windows on the left, as they are packed, and of gradients on the right,
 * transposed. Images and positions come in their order, whatever the number of threads. */
#include "cpu/convolution.h"
#include "cpu/matmul_plan.h"

/* Most p, i and o of a block. */
#define BLOCK_P 120
#define BLOCK_I 128
#define BLOCK_O 384

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

typedef struct job {
    const stria_conv_plan *plan;
    const char            *gradient;
    char                  *weights, *buffers;
    int64_t                n_p, n_i, pitch,
        row; /* blocks of p and i; elements of a line of windows, of a row of gradients and results */
    size_t windows, turned, nbytes; /* bytes of windows, of gradients, of all buffers of a task */
} job;

/* c [n_p][n_i] += what one block of positions of an image adds. */
static void add_block(const job *j, const char *x, const char *gradient, int64_t p, int64_t n_p, int64_t n_i, int64_t o,
                      bool accumulate, char *buffer)
{
    const stria_conv_plan   *plan = j->plan;
    const stria_gemm_kernel *gemm = plan->gemm;
    const int64_t n_o = smaller(BLOCK_O, plan->positions - o), item = plan->item, line = plan->positions * item;
    char *const turned = buffer + j->windows, *const c = turned + j->turned;

    stria_conv_pack(plan, x, p, n_p, o, n_o, buffer, j->pitch);
    if (n_i == 1) { /* the rows of windows times a vector */
        if (!accumulate) plan->gather(c, (const char *)&(const double){0}, 0, n_p);
        gemm->dot(c, buffer, j->pitch, gradient + o * item, n_p, n_o);
        return;
    }
    const stria_gemm_left left = {buffer, j->pitch, 1, gemm->mr * j->pitch};
    plan->transpose(turned, j->row * item, gradient + o * item, line, n_i, n_o);
    const int64_t whole = n_i / gemm->nr * gemm->nr;
    if (whole > 0) gemm->panel(c, j->row, left, turned, j->row, n_p, whole, n_o, accumulate);
    if (whole < n_i)
        gemm->panel(c + whole * item, j->row, left, turned + whole * item, j->row, n_p, n_i - whole, n_o, accumulate);
}

static void run_task(const job *j, int64_t number, char *buffer)
{
    const stria_conv_plan *plan = j->plan;
    const int64_t          g = number / j->n_p / j->n_i, i = number / j->n_p % j->n_i * BLOCK_I;
    const int64_t          p = number % j->n_p * BLOCK_P, item = plan->item;
    const int64_t          n_p = smaller(BLOCK_P, plan->k - p), n_i = smaller(BLOCK_I, plan->m - i);
    const char            *c = buffer + j->windows + j->turned;

    for (int64_t n = 0; n < plan->batch; n++) {
        const int64_t channel = (n * plan->groups + g) * plan->m + i;
        for (int64_t o = 0; o < plan->positions; o += BLOCK_O)
            add_block(j, stria_conv_get_image(plan, n, g), j->gradient + channel * plan->positions * item, p, n_p, n_i,
                      o, n > 0 || o > 0, buffer);
    }
    char *const to = j->weights + ((g * plan->m + i) * plan->k + p) * item;
    if (n_i == 1)
        plan->gather(to, c, item, n_p);
    else
        plan->transpose(to, plan->k * item, c, j->row * item, n_p, n_i);
}

static void run_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const job *j = context;

    for (int64_t k = begin; k < end; k++) run_task(j, k, j->buffers + (size_t)chunk * j->nbytes);
}

stria_status stria_conv_plan_run_weights(const stria_conv_plan *plan, const char *gradient, char *weights,
                                         const char *name, stria_error *err)
{
    job           j = {.plan = plan, .gradient = gradient, .weights = weights};
    const int64_t nr = plan->gemm->nr;

    j.n_p = divide_up(plan->k, BLOCK_P);
    j.n_i = divide_up(plan->m, BLOCK_I);
    j.pitch = smaller(BLOCK_O, plan->positions);
    j.row = divide_up(smaller(BLOCK_I, plan->m), nr) * nr;
    j.windows = (size_t)(divide_up(BLOCK_P * j.pitch * plan->item, 64) * 64);
    j.turned = (size_t)(divide_up(j.pitch * j.row * plan->item, 64) * 64);
    j.nbytes = j.windows + j.turned + (size_t)(BLOCK_P * j.row * plan->item);
    const double work = (double)smaller(BLOCK_P, plan->k) * (double)smaller(BLOCK_I, plan->m) * (double)plan->batch *
                        (double)plan->positions;
    return stria_conv_run_items(plan->groups * j.n_p * j.n_i, work, j.nbytes, &j.buffers, run_range, &j, name, err);
}
