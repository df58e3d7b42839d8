/* cuda_near.c - see cuda_near.h. */
#include "cuda_near.h"

#include <math.h>
#include <string.h>

#include "tensor/tensor.h"

bool cuda_near_is_summing(stria_row row)
{
    return cuda_scene_is_named(
        stria_row_get_name(row),
        "sum prod mean var std norm logsumexp cumsum cumprod logcumsumexp sum_to_size softmax log_softmax "
        "layer_norm rms_norm softmax_backward log_softmax_backward layer_norm_backward rms_norm_backward "
        "matmul mm bmm mv dot convolution convolution_weight");
}

/* The same call in f64 on the CPU, of the inputs, or of their sizes; false: it is refused. */
static bool run_wide(cuda_scene *s, bool of_sizes, row_call *wide)
{
    stria_tensor *in[SCENE_IN] = {NULL};
    bool          is_ok = true;

    for (int k = 0; k < s->n_in && is_ok; k++) {
        stria_tensor *x = s->in[k]->on[0], *y = NULL;
        const bool    is_float =
            dtype_is_float(x->dtype) || (cuda_near_is_summing(s->call.call.row) && x->dtype != STRIA_BOOL);
        if (x->is_wrapped_number || (!is_float && !dtype_is_complex(x->dtype))) {
            in[k] = stria_tensor_retain(x);
            continue;
        }
        if (of_sizes) is_ok = stria_abs(x, &y, NULL) == STRIA_OK;
        if (is_ok && (!of_sizes || y->dtype != STRIA_F64))
            is_ok =
                stria_tensor_copy(of_sizes ? y : x, dtype_is_complex(x->dtype) && !of_sizes ? STRIA_C128 : STRIA_F64,
                                  &in[k], NULL) == STRIA_OK;
        else if (is_ok)
            in[k] = stria_tensor_retain(y);
        stria_tensor_release(y);
    }
    cuda_scene_place(s, 0, in);
    *wide = s->call;
    wide->call.in = wide->in;
    wide->call.attrs = &wide->attrs;
    wide->call.out = wide->out;
    wide->call.out_list = &wide->made;
    memset(wide->out, 0, sizeof wide->out);
    wide->made = (stria_tensor_list){NULL, 0};
    if (is_ok) is_ok = stria_call_run(&wide->call, NULL) == STRIA_OK;
    for (int k = 0; k < s->n_in; k++) stria_tensor_release(in[k]);
    return is_ok;
}

/* ---------------------------------------------------------------- numbers */

static double get_eps(stria_dtype dtype)
{
    switch (dtype) {
    case STRIA_F16: return 0x1p-10;
    case STRIA_BF16: return 0x1p-7;
    case STRIA_F32:
    case STRIA_C64: return 0x1p-23;
    case STRIA_F64:
    case STRIA_C128: return 0x1p-52;
    default: return 0x1p-23; /* of integers come numbers of f32 */
    }
}

/* Packed, on the CPU, in f64 or c128. */
static stria_tensor *widen(const stria_tensor *x)
{
    stria_tensor *y = NULL;

    CHECK_STATUS(stria_tensor_new(dtype_is_complex(x->dtype) ? STRIA_C128 : STRIA_F64, x->ndim, x->shape, &y, NULL),
                 STRIA_OK);
    CHECK_STATUS(stria_tensor_set(y, x, NULL), STRIA_OK);
    return y;
}

static double get_largest(const stria_tensor *x)
{
    const double *v = (const double *)(const void *)x->data;
    double        most = 0;

    for (int64_t k = 0; k < x->numel * (x->dtype == STRIA_C128 ? 2 : 1); k++)
        if (isfinite(v[k])) most = fmax(most, fabs(v[k]));
    return most;
}

/* Numbers of a summing row: near those of f64, by the size of what was added. */
static bool are_near(const cuda_scene *s, const stria_tensor *got, const stria_tensor *here, const stria_tensor *wide,
                     const stria_tensor *sizes, double inputs, char *text, size_t size)
{
    stria_tensor *a = widen(got), *b = widen(wide != NULL ? wide : here), *h = widen(here),
                 *z = sizes != NULL ? widen(sizes) : NULL;
    const bool fits = a->dtype == b->dtype && z != NULL && z->numel == a->numel;
    double     eps_in = get_eps(got->dtype);
    for (int k = 0; k < s->n_in; k++)
        if (!s->in[k]->on[0]->is_wrapped_number) eps_in = fmax(eps_in, get_eps(s->in[k]->on[0]->dtype));
    if (cuda_scene_is_named(stria_row_get_name(s->call.call.row), "nansum nanmean"))
        eps_in = fmax(eps_in, get_eps(STRIA_F32)); /* as dtype may ask for */
    const double  eps = eps_in, largest = fmax(get_largest(b), get_largest(h));
    const double *av = (const double *)(const void *)a->data, *bv = (const double *)(const void *)b->data,
                 *hv = (const double *)(const void *)h->data, *zv = z ? (const double *)(const void *)z->data : NULL;
    const int  parts = a->dtype == STRIA_C128 ? 2 : 1;
    const bool is_norm = cuda_scene_is_named(stria_row_get_name(s->call.call.row), "layer_norm rms_norm");
    /* whose usual eps is that of the dtype, another one in f64 */
    const bool has_own_eps = cuda_scene_is_named(stria_row_get_name(s->call.call.row), "rms_norm rms_norm_backward");
    const bool is_product = cuda_scene_is_named(stria_row_get_name(s->call.call.row), "prod cumprod");
    /* every factor rounds */
    const int64_t n_factors = cuda_scene_is_named(stria_row_get_name(s->call.call.row), "prod") && a->numel > 0
                                  ? s->in[0]->on[0]->numel * parts / a->numel / parts
                                  : s->in[0]->on[0]->numel;
    const double  rounds = is_product ? fmax(16, (double)n_factors / 2) : 16;
    bool          is_ok = true;

    for (int64_t k = 0; k < a->numel * parts && is_ok && a->numel == b->numel; k++) {
        const double size_here = fits ? zv[k / (sizes->dtype == STRIA_C128 ? 1 : parts)] : largest + inputs;
        const double limit = rounds * eps * fabs(bv[k]) + 64 * eps_in * size_here + 1e-7 * (got->dtype == STRIA_F16);
        if (isnan(av[k]) && (isnan(bv[k]) || isnan(hv[k]))) continue;
        if (av[k] == bv[k] || av[k] == hv[k] || fabs(av[k] - bv[k]) <= limit) continue;
        if (has_own_eps && fabs(av[k] - hv[k]) <= limit) continue;
        if (is_norm && isnan(bv[k]) && (s->out[0] != NULL || inputs > 1e150)) continue; /* squares beyond f64 */
        if (parts == 2 && !isfinite(av[k]) && (!isfinite(hv[k]) || !isfinite(hv[k ^ 1])))
            continue;                                                       /* infinite in a direction or another */
        if (is_product && (!isfinite(bv[k]) || !isfinite(hv[k]))) continue; /* 0 times infinity, in some order */
        if (inputs > 1e18 || !isfinite(size_here) || largest > 1e30 || (got->dtype == STRIA_F16 && largest > 3e4)) {
            continue; /* it may overflow on the way, or cancel */
        }
        is_ok = false;
        snprintf(text, size, "number %d is %.17g, in f64 %.17g, on the CPU %.17g, size %g", (int)k, av[k], bv[k], hv[k],
                 size_here);
    }
    stria_tensor_release(a);
    stria_tensor_release(b);
    stria_tensor_release(h);
    stria_tensor_release(z);
    return is_ok;
}

double cuda_near_get_inputs(const cuda_scene *s)
{
    double inputs = 0;

    for (int k = 0; k < s->n_in; k++) {
        stria_tensor *x = widen(s->in[k]->on[0]);
        inputs = fmax(inputs, get_largest(x));
        stria_tensor_release(x);
    }
    return inputs;
}

bool cuda_near(cuda_scene *s, int k, const stria_tensor *there, const stria_tensor *here, double inputs, char *text,
               size_t size)
{
    const char *name = stria_row_get_name(s->call.call.row);
    const bool  adds = cuda_scene_is_named(name, "sum prod mean cumsum cumprod sum_to_size matmul mm bmm mv dot");
    row_call    wide, sizes;
    bool        is_new = true; /* the inputs are as they were */
    for (int n = 0; n < STRIA_MAX_OUTPUTS; n++) is_new = is_new && s->out[n] == NULL;
    const bool has_wide = is_new && run_wide(s, false, &wide);
    const bool has_sizes = has_wide && adds && run_wide(s, true, &sizes);
    const bool is_near = are_near(s, there, here, has_wide ? row_call_get_output(&wide, k) : NULL,
                                  has_sizes ? row_call_get_output(&sizes, k) : NULL, inputs, text, size);

    if (has_wide) row_call_release(&wide);
    if (has_sizes) row_call_release(&sizes);
    return is_near;
}
