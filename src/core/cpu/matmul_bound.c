/* matmul_bound.c - products that differ only in where their elements lie: graphs make them. */
#include "cpu/matmul_bound.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/scratch.h"
#include "tensor/overlap.h"

struct stria_product_bound {
    const stria_tensor     *a, *b;
    stria_tensor           *y;
    stria_matmul_plan       plan;
    stria_matmul_tiling     tiling;
    stria_team              team; /* that the tiling is for; of no threads: there is none */
    stria_tensor *const    *out;
    stria_expression_bound *after; /* of the end; NULL */
    stria_matmul_take      *take;  /* in place of storing the product; NULL */
    void                   *take_context;
    bool                    is_tiled;        /* it is computed tile by tile */
    bool                    is_in_its_place; /* the product lies where the result of the end does */
    const stria_tensor     *in[];            /* of the end: y where that is read */
};

bool stria_row_is_product(stria_row row)
{
    return row == STRIA_ROW_OF_FUNCTION(STRIA_FN_matmul) || row == STRIA_ROW_OF_FUNCTION(STRIA_FN_mm) ||
           row == STRIA_ROW_OF_FUNCTION(STRIA_FN_bmm) || row == STRIA_ROW_OF_FUNCTION(STRIA_FN_mv) ||
           row == STRIA_ROW_OF_FUNCTION(STRIA_FN_dot);
}

/* Whether the only result of the end lies as y does, and where no input is read that is not the product. */
static bool has_place(const stria_product_bound *p, const stria_expression *program)
{
    const stria_tensor *out = p->out[0];

    if (program->n_out > 1 || out->dtype != p->y->dtype) return false;
    for (int k = 0; k < program->n_in; k++)
        if (p->in[k] != p->y && stria_overlap_find(out, p->in[k]) != STRIA_OVERLAP_NONE) return false;
    return true;
}

static stria_status bind_end(stria_product_bound *p, const stria_product_end *end, bool *is_bound, stria_error *err)
{
    *is_bound = true;
    if (end->program == NULL) return STRIA_OK;
    *is_bound = false;
    if (!p->plan.c.is_lane || !stria_tensor_is_contiguous(p->y) ||
        !stria_tensor_has_shape(end->out[0], p->y->ndim, p->y->shape))
        return STRIA_OK;
    for (int k = 0; k < end->program->n_in; k++)
        p->in[k] = stria_overlap_find(p->y, end->in[k]) == STRIA_OVERLAP_SAME ? p->y : end->in[k];
    STRIA_TRY(stria_expression_bind(end->program, p->in, end->out, &p->after, err));
    if (p->after == NULL || !stria_expression_bound_has_ranges(p->after)) return STRIA_OK;
    if (STRIA_MATMUL_SCRATCH_BYTES + stria_expression_bound_get_range_bytes(p->after) + 64 > STRIA_SCRATCH_BYTES)
        return STRIA_OK;
    p->is_tiled = p->plan.n > 1 && p->plan.c.step == 1;
    p->is_in_its_place = has_place(p, end->program);
    *is_bound = true;
    return STRIA_OK;
}

stria_status stria_product_bind(const stria_tensor *a, const stria_tensor *b, stria_tensor *y,
                                const stria_product_end *end, stria_product_bound **bound, stria_error *err)
{
    bool is_bound = false;

    *bound = NULL;
    if (stria_dtype_is_complex(y->dtype)) return STRIA_OK;
    const size_t         n_in = end->program != NULL ? (size_t)end->program->n_in : 0;
    stria_product_bound *p = stria_object_new(sizeof *p + n_in * sizeof *p->in);
    if (p == NULL) return stria_error_set(err, STRIA_ERR_MEMORY, "matmul", NULL, NULL, NULL, "no memory for a product");
    p->a = a;
    p->b = b;
    p->y = y;
    p->out = end->out;
    p->plan.kernels = stria_dispatch_get();
    stria_status status = p->plan.kernels == NULL ? stria_isa_get_status(err) : STRIA_OK;
    if (status == STRIA_OK) stria_matmul_plan_set(&p->plan, a, b, y);
    if (status == STRIA_OK && stria_matmul_plan_simplify(&p->plan, stria_dtype_get_compute(y->dtype)))
        status = bind_end(p, end, &is_bound, err);
    if (is_bound)
        *bound = p;
    else
        stria_product_bound_release(p);
    return status;
}

stria_status stria_product_bind_taken(const stria_tensor *a, const stria_tensor *b, stria_tensor *y,
                                      stria_matmul_take *take, void *context, stria_product_bound **bound,
                                      stria_error *err)
{
    STRIA_TRY(stria_product_bind(a, b, y, &(stria_product_end){.program = NULL}, bound, err));
    (*bound)->take = take;
    (*bound)->take_context = context;
    return STRIA_OK;
}

void stria_product_bound_release(stria_product_bound *p)
{
    if (p == NULL) return;
    stria_expression_bound_release(p->after);
    stria_object_release(p);
}

static void run_after(void *context, int64_t at, int64_t count)
{
    stria_expression_bound_run_range(context, at, count);
}

static stria_status run_tiles(stria_product_bound *p, stria_error *err)
{
    const stria_team team = stria_team_get();

    p->tiling.take = p->take;
    if (team.n_threads != p->team.n_threads) stria_matmul_tiling_choose(&p->tiling, &p->plan, team);
    p->team = team;
    p->tiling.after = p->is_tiled ? run_after : NULL;
    p->tiling.context = p->take != NULL ? p->take_context : p->after;
    return stria_matmul_tiling_run(&p->tiling, team, err);
}

static stria_status run_product(stria_product_bound *p, stria_error *err)
{
    if (p->plan.n != 1) return run_tiles(p, err);
    stria_matmul_run_vector(&p->plan);
    return STRIA_OK;
}

/* With y where the product is to lie. */
static stria_status run(stria_product_bound *p, stria_error *err)
{
    p->plan.a.data = (p->plan.is_exchanged ? p->b : p->a)->data;
    p->plan.b.data = (p->plan.is_exchanged ? p->a : p->b)->data;
    p->plan.c.data = p->y->data;
    if (p->is_tiled) stria_expression_bound_set(p->after, p->in, p->out);
    STRIA_TRY(run_product(p, err));
    if (p->after == NULL || p->is_tiled) return STRIA_OK;
    stria_expression_bound_set(p->after, p->in, p->out); /* now: it takes single values at once */
    stria_expression_bound_run_ranges(p->after);
    return STRIA_OK;
}

stria_status stria_product_run_bound(stria_product_bound *p, stria_error *err)
{
    char *const own = p->y->data;

    STRIA_TRY(stria_scratch_reserve("matmul", err));
    if (p->is_in_its_place) p->y->data = p->out[0]->data;
    const stria_status status = run(p, err);
    p->y->data = own;
    return status;
}
