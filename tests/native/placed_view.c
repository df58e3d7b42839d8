/* placed_view.c - random views as numbers (placed_view.h). */
#include "placed_view.h"

#include <string.h>

#include "base/error.h"
#include "tensor/tensor.h"

random_state view_random;

int64_t view_pick(int64_t n) { return (int64_t)(random_next(&view_random) % (uint64_t)n); }
bool    view_chance(int percent) { return view_pick(100) < percent; }

/* ---------------------------------------------------------------- memory */

const stria_dtype view_dtypes[VIEW_DTYPES] = {STRIA_BOOL, STRIA_U8,  STRIA_I16,  STRIA_U16, STRIA_I32,
                                              STRIA_I64,  STRIA_F16, STRIA_BF16, STRIA_F32, STRIA_F64};

_Alignas(64) char view_worked[VIEW_LARGEST * 8], view_wanted[VIEW_LARGEST * 8];
static _Alignas(64) char pristine[VIEW_DTYPES][VIEW_LARGEST * 8];

void view_fill_memory(void)
{
    for (int k = 0; k < VIEW_DTYPES; k++) {
        const stria_dtype dtype = view_dtypes[k];
        for (int64_t i = 0; i < VIEW_LARGEST; i++) {
            const whole_int whole = dtype == STRIA_BOOL ? view_pick(2) : view_pick(101) - (dtype == STRIA_U8 ? 0 : 50);
            value_set(dtype, value_convert(value_from_whole(whole), dtype),
                      pristine[k] + i * (int64_t)stria_dtype_get_size(dtype));
        }
    }
}

char *view_get_pristine(stria_dtype dtype)
{
    for (int k = 0; k < VIEW_DTYPES; k++)
        if (view_dtypes[k] == dtype) return pristine[k];
    return NULL;
}

/* ---------------------------------------------------------------- views */

int64_t view_get_numel(const view *v)
{
    int64_t numel = 1;
    for (int d = 0; d < v->ndim; d++) numel *= v->shape[d];
    return numel;
}

static void slice(view *v, int d, int64_t start, int64_t step, int64_t count)
{
    v->offset += start * v->strides[d];
    v->strides[d] *= step;
    v->shape[d] = count;
}

void view_flip(view *v, int d) { slice(v, d, v->shape[d] - 1, -1, v->shape[d]); }

void view_swap(view *v, int d, int e)
{
    const int64_t size = v->shape[d], stride = v->strides[d];
    v->shape[d] = v->shape[e];
    v->strides[d] = v->strides[e];
    v->shape[e] = size;
    v->strides[e] = stride;
}

void view_drop(view *v, int d)
{
    for (v->ndim--; d < v->ndim; d++) {
        v->shape[d] = v->shape[d + 1];
        v->strides[d] = v->strides[d + 1];
    }
}

/* Axes d < e become the last one. */
static void take_diagonal(view *v, int d, int e)
{
    const int64_t size = v->shape[d] < v->shape[e] ? v->shape[d] : v->shape[e];
    const int64_t stride = v->strides[d] + v->strides[e];

    view_drop(v, e);
    view_drop(v, d);
    v->shape[v->ndim] = size;
    v->strides[v->ndim++] = stride;
}

void view_random_step(view *v)
{
    const int d = v->ndim > 0 ? (int)view_pick(v->ndim) : 0, e = v->ndim > 0 ? (int)view_pick(v->ndim) : 0;
    if (v->ndim == 0) return;
    const int64_t size = v->shape[d], step = 1 + view_pick(3), start = view_pick(size < 4 ? size : 4);

    switch (view_pick(6)) {
    case 0:
    case 1: slice(v, d, start, step, (size - start + step - 1) / step); break;
    case 2: slice(v, d, start, 1, size - start - view_pick(size - start < 4 ? size - start : 4)); break;
    case 3: view_flip(v, d); break;
    case 4: view_swap(v, d, e); break;
    default:
        if (v->ndim > 1 && view_chance(40) && d != e) take_diagonal(v, d < e ? d : e, d < e ? e : d);
    }
}

view view_new_whole(stria_dtype dtype)
{
    static const int64_t sizes[] = {63,  64,  65,  100, 127, 128,  129,  200,  255,  256,
                                    257, 511, 512, 513, 700, 1023, 1024, 1025, 4096, 4097};
    const int64_t        limit = view_pick(3000) == 0 ? VIEW_LARGEST : VIEW_USUAL;
    view                 v = {.dtype = dtype, .ndim = 1 + (int)view_pick(3)};
    int64_t              numel = v.shape[0] = limit == VIEW_LARGEST ? 40000 + view_pick(110000) : sizes[view_pick(20)];

    for (int d = 1; d < v.ndim; d++) {
        const int64_t other = view_chance(25) ? sizes[view_pick(20)] : 1 + view_pick(9);
        v.shape[d] = numel * other <= limit ? other : limit / numel;
        numel *= v.shape[d];
    }
    if (v.ndim > 1 && view_chance(50)) view_swap(&v, 0, 1 + (int)view_pick(v.ndim - 1));
    for (int d = v.ndim - 1, step = 1; d >= 0; d--) {
        v.strides[d] = step;
        step *= (int)v.shape[d];
    }
    return v;
}

void view_lay_anyhow(view *v, int64_t room)
{
    int64_t low = 0, high = 0;

    for (int d = 0; d < v->ndim; d++) {
        const int64_t widest = v->shape[d] > 1 ? (room - 1 - (high - low)) / (v->shape[d] - 1) : 0;
        v->strides[d] = view_pick((widest < 5 ? widest : 5) + 1) * (view_chance(30) ? -1 : 1);
        *(v->strides[d] < 0 ? &low : &high) += (v->shape[d] - 1) * v->strides[d];
    }
    v->offset = -low + view_pick(room - (high - low));
}

void view_lay_apart(view *v, int64_t room)
{
    int64_t step = 1, left = view_get_numel(v) > 0 ? room / view_get_numel(v) : 1, done = 0;

    while (done < ((int64_t)1 << v->ndim) - 1) {
        const int d = (int)view_pick(v->ndim);
        if (done >> d & 1) continue;
        done |= (int64_t)1 << d;
        if (left > 1 && view_chance(30)) {
            const int64_t gap = 1 + view_pick(left < 4 ? left : 4);
            step *= gap;
            left /= gap;
        }
        v->strides[d] = step;
        step *= v->shape[d];
    }
    v->offset = view_pick(room - step + 1);
    for (int d = 0; d < v->ndim; d++)
        if (view_chance(15)) view_flip(v, d);
}

view view_new_relative(const view *of, const view *out, int64_t room)
{
    view      v = *out;
    const int d = v.ndim > 0 ? (int)view_pick(v.ndim) : 0, e = v.ndim > 0 ? (int)view_pick(v.ndim) : 0;

    if (v.ndim == 0) return v;
    switch (view_pick(9)) {
    case 0: break;
    case 1: slice(&v, d, view_pick(v.shape[d]), 1, 1); break; /* broadcast */
    case 2:
        slice(&v, 0, view_pick(v.shape[0]), 1, 1);
        view_drop(&v, 0);
        break;
    case 3: view_flip(&v, d); break;
    case 4: view_swap(&v, d, e); break;
    case 5:
        if (d != e && v.ndim > 1) take_diagonal(&v, d < e ? d : e, d < e ? e : d);
        break;
    case 6: view_lay_anyhow(&v, room); break;
    case 7: /* shifted by some elements of the whole */
        v = *out;
        for (int k = 0; k < v.ndim; k++)
            if (v.shape[k] > 1) slice(&v, k, view_pick(2), 1, v.shape[k] - 1);
        break;
    default:
        v = *of;
        for (int steps = (int)view_pick(3); steps > 0; steps--) view_random_step(&v);
    }
    return v;
}

void view_crop(view *out, view *in, int n_in)
{
    for (int k = 0; k < n_in; k++)
        while (in[k].ndim > out->ndim) view_drop(&in[k], 0);
    for (int d = 1; d <= out->ndim; d++) {
        int64_t *size = &out->shape[out->ndim - d];
        for (int k = 0; k < n_in; k++) {
            const int64_t own = d <= in[k].ndim ? in[k].shape[in[k].ndim - d] : 1;
            if (own != 1 && own < *size) *size = own;
        }
        for (int k = 0; k < n_in; k++)
            if (d <= in[k].ndim && in[k].shape[in[k].ndim - d] > *size) in[k].shape[in[k].ndim - d] = *size;
    }
}

stria_tensor *view_new_tensor(const view *v, char *memory)
{
    static const int64_t one = 1;
    const int64_t        numel = VIEW_LARGEST * 8 / (int64_t)stria_dtype_get_size(v->dtype);
    stria_tensor        *base = NULL, *x = NULL;

    CHECK_STATUS(stria_tensor_new_external(v->dtype, 1, &numel, &one, memory, NULL, NULL, &base, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_view(base, v->ndim, v->shape, v->strides, v->offset, &x, NULL), STRIA_OK);
    stria_tensor_release(base);
    return x;
}

const char *view_describe(const view *v)
{
    static char text[4][200];
    static int  turn;
    char        shape[64], strides[64];

    turn = (turn + 1) % 4;
    stria_shape_print(shape, sizeof shape, v->ndim, v->shape);
    stria_shape_print(strides, sizeof strides, v->ndim, v->strides);
    snprintf(text[turn], sizeof text[turn], "%s %s/%s at %lld", stria_dtype_get_name(v->dtype), shape, strides,
             (long long)v->offset);
    return text[turn];
}

/* ---------------------------------------------------------------- how they lie to one another, by lists of places */

/* Of the element of the output there, its position plus 1; by units of the smaller of two element sizes. */
static int32_t place_of[VIEW_LARGEST * 8];

typedef bool place_fn(int64_t position, int64_t at, int64_t n_units, void *result);

/* Calls fn with the place of every element of v, broadcast to a shape, until that returns false. */
static void walk(const view *v, int ndim, const int64_t *shape, int64_t unit, place_fn *fn, void *result)
{
    const int64_t n_units = (int64_t)stria_dtype_get_size(v->dtype) / unit;
    int64_t       index[VIEW_DIMS] = {0}, position = 0;

    do {
        int64_t at = v->offset;
        for (int d = 0; d < v->ndim; d++)
            if (v->shape[d] > 1) at += index[ndim - v->ndim + d] * v->strides[d];
        if (!fn(position++, at * n_units, n_units, result)) return;
    } while (index_next(ndim, shape, index));
}

static bool mark(int64_t position, int64_t at, int64_t n_units, void *result)
{
    for (int64_t k = at; k < at + n_units; k++) {
        if (place_of[k] != 0) *(bool *)result = true;
        place_of[k] = (int32_t)position + 1;
    }
    return true;
}

static bool unmark(int64_t position, int64_t at, int64_t n_units, void *result)
{
    (void)position;
    (void)result;
    memset(place_of + at, 0, (size_t)n_units * sizeof *place_of);
    return true;
}

static bool compare(int64_t position, int64_t at, int64_t n_units, void *result)
{
    relation *found = result;

    for (int64_t k = at; k < at + n_units && *found != PARTIAL; k++)
        if (place_of[k] != 0) *found = place_of[k] == (int32_t)position + 1 ? AT_EQUAL : PARTIAL;
    return *found != PARTIAL;
}

bool view_repeats(const view *out)
{
    bool found = false;

    walk(out, out->ndim, out->shape, (int64_t)stria_dtype_get_size(out->dtype), mark, &found);
    walk(out, out->ndim, out->shape, (int64_t)stria_dtype_get_size(out->dtype), unmark, NULL);
    return found;
}

relation view_relate(const view *out, const view *in, bool by_position)
{
    const int64_t a = (int64_t)stria_dtype_get_size(out->dtype), b = (int64_t)stria_dtype_get_size(in->dtype);
    relation      found = APART;
    bool          twice = false;

    walk(out, out->ndim, out->shape, a < b ? a : b, mark, &twice);
    walk(in, by_position ? out->ndim : in->ndim, by_position ? out->shape : in->shape, a < b ? a : b, compare, &found);
    walk(out, out->ndim, out->shape, a < b ? a : b, unmark, NULL);
    return found == AT_EQUAL && !by_position ? PARTIAL : found;
}
