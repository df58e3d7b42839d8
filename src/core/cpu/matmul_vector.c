/* matmul_vector.c - the product of a matrix and a vector, for each matrix of a batch (matmul_plan.h, n = 1): bound by
 * memory, so a is read once, in the order in which it lies.
 *
 *   rows      a contiguous along p: each element of c is a dot product
 *   columns   else: c is a sum of columns of a, each times an element of b
 *
 * What is not lanes as it is, or has other strides, is converted run by run into buffers. An element of c is
 * the sum of its runs of RUN products, in order. */
#include <string.h>

#include "cpu/matmul_plan.h"
#include "base/parallel.h"
#include "base/scratch.h"

/* Products of one call of a loop; rows of a at a time. */
#define RUN 1024
#define GROUP 8
/* Elements of c that are added up at a time: by rows, by columns, by columns that are converted first. */
#define MAX_ROWS 256
#define MAX_COLUMNS 2048
#define COLUMNS 512
/* Scratch memory of a chunk. */
#define SUM_BYTES (MAX_COLUMNS * 8)
#define X_BYTES (RUN * 8)
#define BUFFERS_BYTES ((size_t)SUM_BYTES + X_BYTES + GROUP * RUN * 8)
_Static_assert(RUN >= COLUMNS && MAX_COLUMNS >= MAX_ROWS, "both orders fit the buffers");

typedef struct vector_job {
    const stria_matmul_plan *plan;
    int64_t                  block, n_blocks; /* elements of c in an item, items of a matrix */
    bool                     by_rows;
} vector_job;

/* Where one item works. */
typedef struct vector_item {
    const char *a, *x; /* first elements */
    char       *sum;   /* lanes [m] */
    int64_t     m;
    char       *x_buffer, *a_buffer; /* a run of x, and of each row or column of a GROUP */
} vector_item;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* n elements as contiguous lanes: where they are, or converted into the buffer. */
static const char *get_run(const stria_matmul_plan *plan, const stria_matmul_side *s, const char *src, int64_t stride,
                           int64_t n, char *buffer)
{
    if (s->is_lane && stride == 1) return src;
    plan->kernels->cast[s->dtype][plan->lane](buffer, plan->lane_size, src, stride * s->size, n);
    return buffer;
}

static void run_by_rows(const stria_matmul_plan *plan, const vector_item *item)
{
    char *const x_buffer = item->x_buffer, *const a_buffer = item->a_buffer;
    const stria_matmul_side *a = &plan->a;
    const int64_t            size = plan->lane_size;
    const bool               is_direct = a->is_lane && a->step == 1;
    for (int64_t p = 0; p < plan->k; p += RUN) {
        const int64_t k = smaller(RUN, plan->k - p);
        const char   *from = item->a + p * a->step * a->size;
        const char   *x = get_run(plan, &plan->b, item->x + p * plan->b.step * plan->b.size, plan->b.step, k, x_buffer);
        if (is_direct) {
            plan->kernel->dot(item->sum, from, a->along, x, item->m, k);
            continue;
        }
        for (int64_t i = 0; i < item->m; i += GROUP) {
            const int64_t m = smaller(GROUP, item->m - i);
            for (int64_t q = 0; q < m; q++)
                get_run(plan, a, from + (i + q) * a->along * a->size, a->step, k, a_buffer + q * RUN * size);
            plan->kernel->dot(item->sum + i * size, a_buffer, RUN, x, m, k);
        }
    }
}

static void run_by_columns(const stria_matmul_plan *plan, const vector_item *item)
{
    char *const x_buffer = item->x_buffer, *const a_buffer = item->a_buffer;
    const stria_matmul_side *a = &plan->a;
    const int64_t            size = plan->lane_size;
    const bool               is_direct = a->is_lane && a->along == 1;
    for (int64_t p = 0; p < plan->k; p += RUN) {
        const int64_t k = smaller(RUN, plan->k - p);
        const char   *from = item->a + p * a->step * a->size;
        const char   *x = get_run(plan, &plan->b, item->x + p * plan->b.step * plan->b.size, plan->b.step, k, x_buffer);
        if (is_direct) {
            plan->kernel->axpy(item->sum, from, a->step, x, item->m, k);
            continue;
        }
        for (int64_t j = 0; j < item->m; j += COLUMNS)
            for (int64_t i = 0; i < k; i += GROUP) {
                const int64_t m = smaller(COLUMNS, item->m - j), n = smaller(GROUP, k - i);
                const char   *at = from + (i * a->step + j * a->along) * a->size;
                for (int64_t q = 0; q < n; q++)
                    get_run(plan, a, at + q * a->step * a->size, a->along, m, a_buffer + q * COLUMNS * size);
                plan->kernel->axpy(item->sum + j * size, a_buffer, COLUMNS, x + i * size, m, n);
            }
    }
}

static void run_items(void *context, int thread, int64_t begin, int64_t end)
{
    char *const              buffers = stria_scratch_take(BUFFERS_BYTES);
    const vector_job        *job = context;
    const stria_matmul_plan *plan = job->plan;
    const stria_matmul_side *a = &plan->a, *b = &plan->b, *c = &plan->c;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t matrix = k / job->n_blocks, i = k % job->n_blocks * job->block;
        vector_item   item = {
              .a = a->data + stria_matmul_get_offset(plan, a, matrix) + i * a->along * a->size,
              .x = b->data + stria_matmul_get_offset(plan, b, matrix),
              .sum = buffers,
              .m = smaller(job->block, plan->m - i),
              .x_buffer = buffers + SUM_BYTES,
              .a_buffer = buffers + SUM_BYTES + X_BYTES,
        };
        memset(item.sum, 0, (size_t)(item.m * plan->lane_size));
        if (job->by_rows)
            run_by_rows(plan, &item);
        else
            run_by_columns(plan, &item);
        plan->kernels->cast[plan->lane][c->dtype](c->data + stria_matmul_get_offset(plan, c, matrix) +
                                                      i * c->along * c->size,
                                                  c->along * c->size, item.sum, plan->lane_size, item.m);
    }
    stria_scratch_give(buffers);
}

/* A part of c for each thread, in whole vectors, neither tiny nor too large to stay in L1. */
static int64_t choose_columns(int64_t m, stria_team team)
{
    const int64_t share = (m / team.n_threads / 64 + 1) * 64;
    return share < 128 ? 128 : smaller(share, MAX_COLUMNS);
}

void stria_matmul_run_vector(const stria_matmul_plan *plan)
{
    vector_job       job = {.plan = plan};
    const stria_team team = stria_team_get();
    const int64_t    step = stria_matmul_magnitude(plan->a.step), along = stria_matmul_magnitude(plan->a.along);
    job.by_rows = plan->m == 1 || step == 1 || step <= along;
    if (job.by_rows) { /* about as much work as a thread needs, in whole groups */
        const int64_t rows = STRIA_MATMUL_GRAIN / 4 / (plan->k + 1) / GROUP * GROUP;
        job.block = rows < GROUP ? GROUP : smaller(rows, MAX_ROWS);
    } else {
        job.block = choose_columns(plan->m, team);
    }
    job.n_blocks = plan->m / job.block + (plan->m % job.block != 0);
    const double  work = (double)smaller(job.block, plan->m) * (double)(plan->k + 1);
    const int64_t grain = work >= STRIA_MATMUL_GRAIN ? 1 : (int64_t)(STRIA_MATMUL_GRAIN / work) + 1;
    stria_parallel_for(team, 0, plan->n_matrices * job.n_blocks, grain, run_items, &job);
}
