/* convolution_run.c - convolutions as products of matrices: the weights times windows of x, which are packed block by block into a
 * buffer that stays in the cache (convolution.h). */
#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "cpu/convolution.h"
#include "cpu/matmul_plan.h"

/* Bytes of a block of windows; its most positions. */
#define BLOCK_BYTES 196608
#define BLOCK_POSITIONS 1024

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t round_up(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

/* n in equal parts of at most `most`, each a multiple of unit. */
static int64_t get_even_part(int64_t n, int64_t most, int64_t unit)
{
    const int64_t n_parts = (n + most - 1) / most;
    return n <= most ? n : round_up((n + n_parts - 1) / n_parts, unit);
}

typedef struct job {
    const stria_conv_plan *plan;
    int64_t                kc, block, n_blocks, pitch; /* products in a block, positions, blocks, elements of a line */
    bool                   is_apart;                   /* positions of y do not lie one behind another */
    size_t                 packed_bytes, apart_bytes;
    char                  *buffers;
} job;

static bool lies_apart(const stria_conv_plan *plan)
{
    int64_t stride = 1;

    for (int d = STRIA_CONV_DIMS - 1; d >= 0; d--) {
        if (plan->axis[d].out > 1 && plan->axis[d].y_stride != stride) return true;
        stride *= plan->axis[d].out;
    }
    return false;
}

static void plan_blocks(job *j)
{
    const stria_conv_plan *plan = j->plan;
    const int64_t          nr = plan->gemm->nr;

    j->kc = plan->k == 0 ? 1 : get_even_part(plan->k, plan->gemm->kc, 8);
    const int64_t fits = BLOCK_BYTES / (j->kc * plan->item) / nr * nr;
    const int64_t most = fits < nr ? nr : smaller(fits, BLOCK_POSITIONS);
    j->block = get_even_part(plan->positions, most, nr);
    j->n_blocks = (plan->positions + j->block - 1) / j->block;
    j->pitch = round_up(j->block, nr);
    j->is_apart = lies_apart(plan);
    j->packed_bytes = (size_t)(j->kc * j->pitch * plan->item);
    j->apart_bytes = j->is_apart ? (size_t)(round_up(plan->m * j->pitch * plan->item, 64)) : 0;
}

void stria_conv_begin(const stria_conv_plan *plan, int64_t g, char *c, int64_t c_row, int64_t n_o)
{
    static const double zero = 0; /* the same bytes as a whole number */

    for (int64_t i = 0; i < plan->m; i++) {
        const char *from = plan->bias == NULL ? (const char *)&zero : plan->bias + (g * plan->m + i) * plan->item;
        plan->gather(c + i * c_row * plan->item, from, 0, n_o);
    }
}

/* c += weights [p, p + k) times the lines of a block; few: row by row. */
static void multiply(const job *j, int64_t g, int64_t p, int64_t k, const char *packed, char *c, int64_t c_row,
                     int64_t n_o, bool accumulate)
{
    const stria_conv_plan   *plan = j->plan;
    const stria_gemm_kernel *gemm = plan->gemm;
    const int64_t            whole = n_o / gemm->nr * gemm->nr, item = plan->item;
    const char              *weights = plan->weights + (g * plan->m * plan->k + p) * item;

    if (plan->m < STRIA_CONV_FEW_ROWS) {
        for (int64_t i = 0; i < plan->m; i++)
            gemm->axpy(c + i * c_row * item, packed, j->pitch, weights + i * plan->k * item, n_o, k);
        return;
    }
    for (int64_t i = 0; i < plan->m; i += gemm->mc) {
        const int64_t         m = smaller(gemm->mc, plan->m - i);
        const stria_gemm_left left = {weights + i * plan->k * item, plan->k, 1, gemm->mr * plan->k};
        char                 *to = c + i * c_row * item;
        if (whole > 0) gemm->panel(to, c_row, left, packed, j->pitch, m, whole, k, accumulate);
        if (whole < n_o)
            gemm->panel(to + whole * item, c_row, left, packed + whole * item, j->pitch, m, n_o - whole, k, accumulate);
    }
}

/* Lines of results to where y is. */
static void store_apart(const stria_conv_plan *plan, const char *c, int64_t pitch, char *y, int64_t o, int64_t n_o)
{
    const stria_conv_axis *axis = plan->axis;
    const int64_t          item = plan->item;

    for (int64_t done = 0, n; done < n_o; done += n) {
        const int64_t at = o + done, last = at % axis[2].out, rest = at / axis[2].out;
        const int64_t b = rest % axis[1].out, a = rest / axis[1].out;
        const int64_t offset = a * axis[0].y_stride + b * axis[1].y_stride + last * axis[2].y_stride;
        n = smaller(axis[2].out - last, n_o - done);
        for (int64_t i = 0; i < plan->m; i++)
            plan->scatter(y + (i * plan->y_channel + offset) * item, axis[2].y_stride * item,
                          c + (i * pitch + done) * item, n);
    }
}

static void run_item(const job *j, int64_t number, char *buffer)
{
    const stria_conv_plan *plan = j->plan;
    const int64_t          o = number % j->n_blocks * j->block, image = number / j->n_blocks;
    const int64_t g = image % plan->groups, n = image / plan->groups, n_o = smaller(j->block, plan->positions - o);
    const char   *x = stria_conv_get_image(plan, n, g);
    char *const   y = plan->y + (n * plan->y_batch + g * plan->m * plan->y_channel) * plan->item;
    char *const   c = j->is_apart ? buffer : y + o * plan->item;
    char *const   packed = buffer + j->apart_bytes;
    const int64_t c_row = j->is_apart ? j->pitch : plan->y_channel;
    const bool    begins = plan->bias != NULL || plan->m < STRIA_CONV_FEW_ROWS || plan->k == 0;

    if (begins) stria_conv_begin(plan, g, c, c_row, n_o);
    for (int64_t p = 0; p < plan->k; p += j->kc) {
        const int64_t k = smaller(j->kc, plan->k - p);
        stria_conv_pack(plan, x, p, k, o, n_o, packed, j->pitch);
        multiply(j, g, p, k, packed, c, c_row, n_o, begins || p > 0);
    }
    if (j->is_apart) store_apart(plan, c, j->pitch, y, o, n_o);
}

static void run_range(void *context, int chunk, int64_t begin, int64_t end)
{
    const job *j = context;

    for (int64_t k = begin; k < end; k++)
        run_item(j, k, j->buffers + (size_t)chunk * (j->packed_bytes + j->apart_bytes));
}

stria_status stria_conv_run_items(int64_t n, double work, size_t nbytes, char **buffers, stria_range_fn *run,
                                  void *context, const char *name, stria_error *err)
{
    const int64_t      grain = work >= STRIA_MATMUL_GRAIN ? 1 : (int64_t)(STRIA_MATMUL_GRAIN / (work + 1)) + 1;
    const stria_chunks split = stria_chunks_build(stria_team_get(), 0, n, grain);
    size_t             total = 0;

    *buffers = stria_block_new_parts(split.n_chunks, (int64_t)nbytes, &total);
    if (*buffers == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, name, NULL, NULL, NULL, "no memory for blocks of windows");
    stria_chunks_run(&split, run, context);
    stria_block_release(*buffers, total);
    return STRIA_OK;
}

stria_status stria_conv_plan_run(const stria_conv_plan *plan, const char *name, stria_error *err)
{
    job j = {.plan = plan};

    if (stria_conv_can_shift(plan)) return stria_conv_plan_run_shifted(plan, name, err);
    plan_blocks(&j);
    const double work = (double)plan->m * (double)j.block * (double)(plan->k + 1);
    return stria_conv_run_items(plan->batch * plan->groups * j.n_blocks, work, j.packed_bytes + j.apart_bytes,
                                &j.buffers, run_range, &j, name, err);
}
