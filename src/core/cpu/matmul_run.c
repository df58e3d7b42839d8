/* matmul_run.c - matrix products in tiles (matmul_plan.h).
 *
 *   simplify     exchange the sides, so that rows of c are contiguous; merge dims of the batch; a batch that shares b
 *                becomes one tall matrix
 *   plan_tiles   tiles of c, one or more per thread; what has to be packed; buffers
 *   run_tile     for a block of kc products: pack b, for a block of mc rows: pack a, for a panel of nr columns: the loop
 *
 * a need not be packed for the loop, which takes it at any strides; packing saves cache lines and TLB entries. b is
 * packed where its rows are not contiguous or far apart. Either is converted to lanes on the way. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cpu/matmul_plan.h"
#include "base/parallel.h"
#include "base/scratch.h"

/* Most columns of a tile whose b is packed as a whole, in bytes; most elements of c that are computed apart. */
#define B_ROW_BYTES 8192
#define APART_ROWS 512
#define APART_COLUMNS 512
/* A side of at most so many bytes is read where it lies; rows of a, in tiles, that reuse b too little to pack it. */
#define IN_PLACE_BYTES 32768
#define FEW_TILES 2
static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static size_t  align_bytes(int64_t n) { return ((size_t)n + 63) / 64 * 64; }

/* n in equal parts of at most `most`: the size of a part, a multiple of `unit`. */
static int64_t get_even_part(int64_t n, int64_t most, int64_t unit)
{
    return n <= most ? n : round_up(divide_up(n, divide_up(n, most)), unit);
}

/* ---------------------------------------------------------------- simplify */

int64_t stria_matmul_get_offset(const stria_matmul_plan *plan, const stria_matmul_side *s, int64_t matrix)
{
    int64_t offset = 0;
    for (int d = plan->n_batch - 1; d >= 0; d--) {
        offset += matrix % plan->batch[d] * s->batch[d];
        matrix /= plan->batch[d];
    }
    return offset * s->size;
}

static void exchange_sides(stria_matmul_plan *plan)
{
    const stria_matmul_side a = plan->a;
    const int64_t           m = plan->m, along = plan->c.along;
    plan->a = plan->b;
    plan->b = a;
    plan->m = plan->n;
    plan->n = m;
    plan->c.along = plan->c.step;
    plan->c.step = along;
    plan->is_exchanged = !plan->is_exchanged;
}

/* Dims of size 1 vanish; neighbours that are one dim in all three sides become one. */
static void merge_batch(stria_matmul_plan *plan)
{
    stria_matmul_side *sides[] = {&plan->a, &plan->b, &plan->c};
    int                n = 0;
    plan->n_matrices = 1;
    for (int d = 0; d < plan->n_batch; d++) {
        const int64_t size = plan->batch[d];
        bool          merges = n > 0;
        plan->n_matrices *= size;
        if (size == 1) continue;
        for (int k = 0; k < 3; k++) merges = merges && sides[k]->batch[n - 1] == size * sides[k]->batch[d];
        if (!merges) n++;
        plan->batch[n - 1] = merges ? plan->batch[n - 1] * size : size;
        for (int k = 0; k < 3; k++) sides[k]->batch[n - 1] = sides[k]->batch[d];
    }
    plan->n_batch = n;
}

/* Matrices that share b and lie below one another are one tall matrix. */
static void fold_batch(stria_matmul_plan *plan)
{
    while (plan->n_batch > 0) {
        const int     d = plan->n_batch - 1;
        const int64_t size = plan->batch[d];
        const bool    fits = plan->m == 1 ||
                          (plan->a.batch[d] == plan->m * plan->a.along && plan->c.batch[d] == plan->m * plan->c.along);
        if (plan->b.batch[d] != 0 || !fits) return;
        if (plan->m == 1) {
            plan->a.along = plan->a.batch[d];
            plan->c.along = plan->c.batch[d];
        }
        plan->m *= size;
        plan->n_matrices /= size;
        plan->n_batch--;
    }
}

static void set_side(stria_matmul_side *s, stria_dtype lane)
{
    s->size = (int64_t)stria_dtype_get_size(s->dtype);
    s->is_lane = s->dtype == lane || (lane == STRIA_U32 && s->dtype == STRIA_I32) ||
                 (lane == STRIA_U64 && s->dtype == STRIA_I64);
}

static void set_lane(stria_matmul_plan *plan, stria_dtype compute)
{
    const stria_gemm_kernels *gemm = plan->kernels->gemm;
    if (compute == STRIA_F32)
        plan->kernel = &gemm->f32, plan->lane = STRIA_F32;
    else if (compute == STRIA_F64)
        plan->kernel = &gemm->f64, plan->lane = STRIA_F64;
    else if (stria_dtype_get_size(compute) < 8)
        plan->kernel = &gemm->u32, plan->lane = STRIA_U32;
    else
        plan->kernel = &gemm->u64, plan->lane = STRIA_U64;
    plan->lane_size = (int64_t)stria_dtype_get_size(plan->lane);
    set_side(&plan->a, plan->lane);
    set_side(&plan->b, plan->lane);
    set_side(&plan->c, plan->lane);
}

static void simplify(stria_matmul_plan *plan)
{
    merge_batch(plan);
    fold_batch(plan);
    if (plan->n_batch > 0 && plan->a.batch[plan->n_batch - 1] == 0) { /* the same for matrices side by side */
        exchange_sides(plan);
        fold_batch(plan);
    }
    if (plan->n != 1 && (plan->m == 1 || (plan->c.step != 1 && plan->c.along == 1))) exchange_sides(plan);
}

/* ---------------------------------------------------------------- one tile of c */

typedef struct tile {
    char   *a, *b, *c; /* first elements; c: of lanes, c_row apart */
    int64_t c_row, m, n;
    char   *a_buffer, *b_buffer, *strip;
} tile;

/* Products [p, p + k) of all columns and of m rows from i on, which are in `left` already. b is packed at the first rows;
 * if there are no others, panel by panel into one place, where it stays in L1. What
 * is read where it lies takes one call, however wide: with few rows and products, calls cost more than they compute. */
static void run_rows(const stria_matmul_tiling *t, const tile *x, stria_gemm_left left, int64_t i, int64_t m, int64_t p,
                     int64_t k)
{
    const stria_matmul_plan *plan = t->plan;
    const int64_t            nr = plan->kernel->nr, lanes = plan->kernel->lanes, size = plan->lane_size;
    const bool               is_reused = x->m > t->mc;
    const int64_t            in_place = t->packs_b ? 0 : x->n % lanes == 0 ? x->n : x->n / nr * nr;
    if (in_place > 0)
        plan->kernel->panel(x->c + i * x->c_row * size, x->c_row, left, x->b + p * plan->b.step * plan->b.size,
                            plan->b.step, m, in_place, k, p > 0);
    for (int64_t j = in_place; j < x->n; j += nr) {
        const int64_t n = smaller(nr, x->n - j);
        char         *c = x->c + (i * x->c_row + j) * size;
        char         *b = x->b + (j * plan->b.along + p * plan->b.step) * plan->b.size;
        char         *packed = x->b_buffer + (is_reused && t->packs_b ? j * k * size : 0);
        if (i == 0 || !(is_reused && t->packs_b)) stria_matmul_pack_panel(plan, b, packed, x->strip, n, k);
        plan->kernel->panel(c, x->c_row, left, packed, nr, m, n, k, p > 0);
    }
}

/* Rows [i, i + m) of a tile are what they are going to be, and in a cache still. */
static void finish_rows(const stria_matmul_tiling *t, const tile *x, int64_t i, int64_t m)
{
    const int64_t at = (x->c - t->plan->c.data) / t->plan->lane_size + i * x->c_row;

    if (x->n == x->c_row) {
        t->after(t->context, at, m * x->n);
        return;
    }
    for (int64_t k = 0; k < m; k++) t->after(t->context, at + k * x->c_row, x->n);
}

static void run_tile(const stria_matmul_tiling *t, const tile *x)
{
    const stria_matmul_plan *plan = t->plan;
    const stria_matmul_side *a = &plan->a;
    int64_t                  p = 0;
    do { /* once for k = 0, too */
        const int64_t k = smaller(t->kc, plan->k - p);
        for (int64_t i = 0; i < x->m; i += t->mc) {
            const int64_t   m = smaller(t->mc, x->m - i);
            char           *src = x->a + (i * a->along + p * a->step) * a->size;
            stria_gemm_left left = {src, a->along, a->step, plan->kernel->mr * a->along};
            if (t->packs_a) left = stria_matmul_pack_block(plan, src, x->a_buffer, t->a_row, m, k);
            run_rows(t, x, left, i, m, p, k);
            if (t->after != NULL && p + k == plan->k) finish_rows(t, x, i, m);
        }
        p += k;
    } while (p < plan->k);
}

/* From lanes to where c is. */
static void store_apart(const stria_matmul_plan *plan, char *c, const char *lanes, int64_t row, int64_t m, int64_t n)
{
    const stria_matmul_side *s = &plan->c;
    stria_cast_loop         *cast = plan->kernels->cast[plan->lane][s->dtype];
    for (int64_t i = 0; i < m; i++)
        cast(c + i * s->along * s->size, s->step * s->size, lanes + i * row * plan->lane_size, plan->lane_size, n);
}

/* The rows of a tile that begins so many bytes behind c. */
static void take_apart(const stria_matmul_tiling *t, int64_t offset, const tile *x)
{
    const int64_t at = offset / t->plan->lane_size;

    for (int64_t i = 0; i < x->m; i++)
        t->take(t->context, at + i * t->plan->c.along, x->n, x->c + i * x->c_row * t->plan->lane_size);
}

static void run_item(const stria_matmul_tiling *t, int64_t item, char *buffer)
{
    const stria_matmul_plan *plan = t->plan;
    const int64_t            j = item % t->n_tiles_n * t->tile_n, i = item / t->n_tiles_n % t->n_tiles_m * t->tile_m;
    const int64_t            matrix = item / t->n_tiles_n / t->n_tiles_m;
    const int64_t            offset =
        stria_matmul_get_offset(plan, &plan->c, matrix) + (i * plan->c.along + j * plan->c.step) * plan->c.size;
    char *const c = plan->c.data + offset;
    tile        x = {
               .a = plan->a.data + stria_matmul_get_offset(plan, &plan->a, matrix) + i * plan->a.along * plan->a.size,
               .b = plan->b.data + stria_matmul_get_offset(plan, &plan->b, matrix) + j * plan->b.along * plan->b.size,
               .c = c,
               .c_row = plan->c.along,
               .m = smaller(t->tile_m, plan->m - i),
               .n = smaller(t->tile_n, plan->n - j),
               .a_buffer = buffer,
               .b_buffer = buffer + t->a_bytes,
               .strip = buffer + t->a_bytes + t->b_bytes,
    };
    if (t->is_apart) {
        x.c = buffer + t->a_bytes + t->b_bytes;
        x.strip = x.c + t->c_bytes;
        x.c_row = round_up(t->tile_n, plan->kernel->nr);
    }
    run_tile(t, &x);
    if (t->take != NULL)
        take_apart(t, offset, &x);
    else if (t->is_apart)
        store_apart(plan, c, x.c, x.c_row, x.m, x.n);
}

/* ---------------------------------------------------------------- all tiles */

/* How many tiles each matrix is cut into so that every thread has work, none of it too small. */
static int64_t choose_n_tiles(const stria_matmul_plan *plan, stria_team team)
{
    const double  work = (double)plan->m * (double)plan->n * (double)plan->k; /* of one matrix */
    const int64_t n_threads = team.n_threads;
    if (n_threads == 1 || plan->n_matrices >= 4 * n_threads || plan->n_matrices % n_threads == 0) return 1;
    if (work / (double)n_threads >= STRIA_MATMUL_GRAIN) return n_threads;
    return 1 + (int64_t)(work / STRIA_MATMUL_GRAIN);
}

/* Most rows and columns of a tile that is taken. */
static void set_taken(const stria_matmul_plan *plan, int64_t *most_m, int64_t *most_n)
{
    const bool is_square = stria_matmul_takes_squares(plan->n * plan->k * plan->lane_size);

    *most_m = is_square ? STRIA_MATMUL_TAKEN_SIDE : smaller(FEW_TILES * plan->kernel->mr, STRIA_MATMUL_TAKEN_ROWS);
    *most_n = is_square ? STRIA_MATMUL_TAKEN_SIDE : smaller(B_ROW_BYTES / plan->lane_size, STRIA_MATMUL_TAKEN_COLUMNS);
}

/* Cuts c into at least n tiles of the cheapest shape: what a tile costs is its products, and its columns of b and rows of a
 * to pack, which is about as long as 8 and 5 products each. */
static void choose_tiles(stria_matmul_tiling *t, int64_t n)
{
    const stria_matmul_plan *plan = t->plan;
    const int64_t            mr = plan->kernel->mr, nr = plan->kernel->nr;
    int64_t                  most_m = APART_ROWS, most_n = t->is_apart ? APART_COLUMNS : B_ROW_BYTES / plan->lane_size;
    double                   best = -1;
    if (t->take != NULL) set_taken(plan, &most_m, &most_n);
    for (int64_t across = 1; across <= n; across++) {
        const int64_t rows = round_up(divide_up(plan->m, divide_up(n, across)), mr);
        const int64_t columns = round_up(divide_up(plan->n, across), nr);
        const double  cost = (double)rows * (double)columns + 8.0 * (double)columns + 5.0 * (double)rows;
        if (best >= 0 && cost >= best) continue;
        best = cost;
        t->tile_m = smaller(rows, plan->m);
        t->tile_n = smaller(columns, plan->n);
    }
    t->tile_n = get_even_part(t->tile_n, most_n, nr);
    if (t->is_apart) t->tile_m = get_even_part(t->tile_m, most_m, mr);
    t->n_tiles_m = divide_up(plan->m, t->tile_m);
    t->n_tiles_n = divide_up(plan->n, t->tile_n);
}

void stria_matmul_tiling_choose(stria_matmul_tiling *t, const stria_matmul_plan *plan, stria_team team)
{
    const stria_gemm_kernel *kernel = plan->kernel;
    const stria_matmul_side *a = &plan->a, *b = &plan->b, *c = &plan->c;
    const int64_t            size = plan->lane_size;
    const double             a_size = (double)plan->m * (double)plan->k * (double)size;
    const double             b_size = (double)plan->n * (double)plan->k * (double)size;

    t->plan = plan;
    t->is_apart = t->take != NULL || !c->is_lane || (plan->n > 1 && c->step != 1);
    choose_tiles(t, choose_n_tiles(plan, team));
    t->kc = get_even_part(plan->k, kernel->kc, 8);
    t->mc = get_even_part(t->tile_m, kernel->mc, kernel->mr);
    t->a_row = round_up(t->kc, 16) + 16;
    const bool a_is_dense = stria_matmul_magnitude(a->step) == 1 || stria_matmul_magnitude(a->along) == 1;
    t->packs_a = !a->is_lane || !(t->tile_n <= FEW_TILES * kernel->nr || (a_is_dense && a_size <= IN_PLACE_BYTES));
    t->packs_b = !b->is_lane || b->along != 1 || !(t->tile_m <= FEW_TILES * kernel->mr || b_size <= IN_PLACE_BYTES);

    t->a_bytes = t->packs_a ? align_bytes(round_up(t->mc, kernel->mr) * t->a_row * size) : 0;
    t->b_bytes =
        align_bytes((t->packs_b && t->tile_m > t->mc ? round_up(t->tile_n, kernel->nr) : kernel->nr) * t->kc * size);
    t->c_bytes = t->is_apart ? align_bytes(t->tile_m * round_up(t->tile_n, kernel->nr) * size) : 0;
}

static size_t get_buffer_bytes(const stria_matmul_tiling *t)
{
    const size_t strip = t->plan->b.is_lane ? 0 : align_bytes(t->plan->kernel->nr * t->kc * t->plan->lane_size);
    return t->a_bytes + t->b_bytes + t->c_bytes + strip;
}

static void run_items(void *context, int chunk, int64_t begin, int64_t end)
{
    const stria_matmul_tiling *t = context;
    char                      *buffer = t->buffers + (size_t)chunk * get_buffer_bytes(t);
    for (int64_t item = begin; item < end; item++) run_item(t, item, buffer);
}

stria_status stria_matmul_tiling_run(stria_matmul_tiling *t, stria_team team, stria_error *err)
{
    const int64_t      n_items = t->plan->n_matrices * t->n_tiles_m * t->n_tiles_n;
    const double       work = (double)t->tile_m * (double)t->tile_n * (double)(t->plan->k + 1);
    const int64_t      grain = work >= STRIA_MATMUL_GRAIN ? 1 : (int64_t)(STRIA_MATMUL_GRAIN / work) + 1;
    const stria_chunks split = stria_chunks_build(team, 0, n_items, grain);
    const size_t       nbytes = get_buffer_bytes(t) * (size_t)split.n_chunks;
    if (nbytes > (size_t)INT64_MAX / 2 || nbytes / (size_t)split.n_chunks != get_buffer_bytes(t))
        return stria_error_set(err, STRIA_ERR_MEMORY, "matmul", NULL, NULL, NULL, "the buffers are too large");
    t->buffers = nbytes <= STRIA_MATMUL_SCRATCH_BYTES ? stria_scratch_take(nbytes) : stria_block_new(nbytes);
    if (!t->buffers)
        return stria_error_set(err, STRIA_ERR_MEMORY, "matmul", NULL, NULL, NULL, "no memory for buffers of %zu bytes",
                               nbytes);
    stria_chunks_run(&split, run_items, t);
    if (nbytes <= STRIA_MATMUL_SCRATCH_BYTES)
        stria_scratch_give(t->buffers);
    else
        stria_block_release(t->buffers, nbytes);
    return STRIA_OK;
}

bool stria_matmul_plan_simplify(stria_matmul_plan *plan, stria_dtype compute)
{
    for (int d = 0; d < plan->n_batch; d++)
        if (plan->batch[d] == 0) return false;
    if (plan->m == 0 || plan->n == 0) return false;
    set_lane(plan, compute);
    simplify(plan);
    return true;
}

stria_status stria_matmul_plan_run(stria_matmul_plan *plan, stria_dtype compute, stria_error *err)
{
    stria_matmul_tiling t;
    const stria_team    team = stria_team_get();

    if (!stria_matmul_plan_simplify(plan, compute)) return STRIA_OK;
    STRIA_TRY(stria_scratch_reserve("matmul", err));
    if (plan->n == 1) {
        stria_matmul_run_vector(plan);
        return STRIA_OK;
    }
    t.after = NULL;
    t.take = NULL;
    stria_matmul_tiling_choose(&t, plan, team);
    return stria_matmul_tiling_run(&t, team, err);
}
