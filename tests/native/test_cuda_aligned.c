/* test_cuda_aligned.c - reductions and functions of rows on a CUDA device read elements that lie side by side by accesses of 16 bytes where they are
 * aligned: results have the same bits wherever the first element lies and however far rows are apart, and every element counts once. */
#include "cuda_lie.h"

/* How rows of 3 dims are moved: elements before the first one, and between rows. */
static const lie packed = {"", 0, 0, 0, 0};
static const lie moved[] = {{"", 0, 0, 1, 0}, {"", 0, 0, 2, 0}, {"", 0, 0, 4, 0}, {"", 0, 0, 3, 1}, {"", 0, 0, 0, 8}};
enum { N_MOVED = (int)(sizeof moved / sizeof *moved) };

typedef struct given {
    const stria_tensor *x, *w, *b;
    const int          *axes;
    int                 n_axes;
} given;

typedef stria_status call_fn(const given *g, stria_tensor **y);

static stria_status call_sum(const given *g, stria_tensor **y)
{
    return stria_sum(g->x, g->axes, g->n_axes, false, y, NULL);
}
static stria_status call_mean(const given *g, stria_tensor **y)
{
    return stria_mean(g->x, g->axes, g->n_axes, false, y, NULL);
}
static stria_status call_amax(const given *g, stria_tensor **y)
{
    return stria_amax(g->x, g->axes, g->n_axes, false, y, NULL);
}
static stria_status call_all(const given *g, stria_tensor **y)
{
    return stria_all(g->x, g->axes, g->n_axes, false, y, NULL);
}
static stria_status call_var(const given *g, stria_tensor **y)
{
    return stria_var(g->x, g->axes, g->n_axes, 1, false, y, NULL);
}
static stria_status call_norm(const given *g, stria_tensor **y)
{
    return stria_norm(g->x, 2, g->axes, g->n_axes, false, STRIA_DTYPE_NONE, y, NULL);
}
static stria_status call_logsumexp(const given *g, stria_tensor **y)
{
    return stria_logsumexp(g->x, g->axes, g->n_axes, false, y, NULL);
}
static stria_status call_argmin(const given *g, stria_tensor **y) { return stria_argmin(g->x, -1, false, y, NULL); }
static stria_status call_softmax(const given *g, stria_tensor **y)
{
    return stria_softmax(g->x, -1, STRIA_DTYPE_NONE, y, NULL);
}
static stria_status call_log_softmax(const given *g, stria_tensor **y)
{
    return stria_log_softmax(g->x, -1, STRIA_DTYPE_NONE, y, NULL);
}
static stria_status call_layer_norm(const given *g, stria_tensor **y)
{
    return stria_layer_norm(g->x, g->w, g->b, &stria_tensor_get_shape(g->x)[2], 1, 1e-5, y, NULL);
}
static stria_status call_rms_norm(const given *g, stria_tensor **y)
{
    return stria_rms_norm(g->x, g->w, &stria_tensor_get_shape(g->x)[2], 1, 1e-5, y, NULL);
}

/* is_exact: integers have the CPU's bits; is_float: there is only one of floats. */
static const struct {
    const char *name;
    call_fn    *call;
    bool        is_exact, is_float, is_row;
} calls[] = {{"sum", call_sum, true, false, false},
             {"mean", call_mean, false, true, false},
             {"amax", call_amax, true, false, false},
             {"all", call_all, true, false, false},
             {"argmin", call_argmin, true, false, true},
             {"var", call_var, false, true, false},
             {"norm", call_norm, false, true, false},
             {"logsumexp", call_logsumexp, false, true, false},
             {"softmax", call_softmax, false, true, true},
             {"log_softmax", call_log_softmax, false, true, true},
             {"layer_norm", call_layer_norm, false, true, true},
             {"rms_norm", call_rms_norm, false, true, true}};
enum { N_CALLS = (int)(sizeof calls / sizeof *calls) };

/* The results of x, packed, and of y, the same elements that lie in another way. */
static void check_call(int k, const twins *x, const twins *y, const twins *w, const twins *v, const int *axes,
                       int n_axes, const char *what)
{
    const given at_x = {x->there, w->there, w->there, axes, n_axes},
                at_y = {y->there, v->there, v->there, axes, n_axes};
    stria_tensor *a = NULL, *b = NULL, *c = NULL;

    CHECK_STATUS(calls[k].call(&at_x, &a), STRIA_OK);
    CHECK_STATUS(calls[k].call(&at_y, &b), STRIA_OK);
    if (a != NULL && b != NULL) {
        stria_tensor *here = cuda_case_to_cpu(a);
        cuda_case_check_same(what, b, here);
        stria_tensor_release(here);
    }
    if (calls[k].is_exact && (k > 0 || !dtype_is_float(x->here->dtype))) {
        const given here = {x->here, w->here, w->here, axes, n_axes};
        CHECK_STATUS(calls[k].call(&here, &c), STRIA_OK);
        if (a != NULL && c != NULL) cuda_case_check_same(what, a, c);
    }
    stria_tensor_release(a), stria_tensor_release(b), stria_tensor_release(c);
}

static void check_shape(stria_dtype dtype, const int64_t *shape, unsigned set)
{
    int  axes[3], n_axes = 0;
    char what[120];

    for (int d = 0; d < 3; d++)
        if (set >> d & 1u) axes[n_axes++] = d;
    const twins x = twins_new_any(dtype, 3, shape, VIEW_PACKED, 3), w = lie_new(dtype, 1, &shape[2], &packed, 7),
                v = lie_new(dtype, 1, &shape[2], &moved[0], 8);
    CHECK_STATUS(stria_tensor_set(v.there, w.there, NULL), STRIA_OK);
    for (int m = 0; m < N_MOVED; m++) {
        const twins y = lie_new(dtype, 3, shape, &moved[m], 6);
        CHECK_STATUS(stria_tensor_set(y.there, x.there, NULL), STRIA_OK);
        for (int k = 0; k < N_CALLS; k++) {
            const bool is_long = shape[2] > 10000, is_rows = set == 4;
            if ((calls[k].is_float && !dtype_is_float(dtype)) || (calls[k].is_row && !is_rows)) continue;
            if ((is_long && k > 1) || !cuda_case_is_drawn()) continue;
            snprintf(what, sizeof what, "%s of %s [%d, %d, %d], axes %x, moved in way %d", calls[k].name,
                     stria_dtype_get_name(dtype), (int)shape[0], (int)shape[1], (int)shape[2], set, m);
            check_call(k, &x, &y, &w, &v, axes, n_axes, what);
        }
        twins_release(y);
    }
    twins_release(x), twins_release(w), twins_release(v);
}

SUITE(test_cuda_aligned)
{
    static const stria_dtype dtypes[] = {STRIA_F32, STRIA_F64, STRIA_F16, STRIA_BF16, STRIA_U8, STRIA_I16, STRIA_I64};
    static const struct {
        int64_t  shape[3];
        unsigned set;
    } cases[] = {{{1, 1, 1}, 4},    {{1, 2, 3}, 4},    {{2, 3, 16}, 4}, {{1, 3, 17}, 4}, {{2, 2, 127}, 4},
                 {{1, 2, 1100}, 4}, {{1, 1, 5003}, 4}, {{3, 2, 64}, 5}, {{3, 5, 32}, 6}, {{1, 1, 70003}, 4}};

    check_isa("test_cuda_aligned");
    if (!cuda_case_begin("test_cuda_aligned")) return 77;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            check_shape(dtypes[d], cases[k].shape, cases[k].set);
    return check_finish("test_cuda_aligned");
}
