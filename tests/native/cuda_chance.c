/* cuda_chance.c - see cuda_chance.h. */
#include "cuda_chance.h"

#include <string.h>

#include "tensor/tensor.h"

int chance_pick(chance *c, int n) { return (int)(random_next(&c->random) % (uint64_t)n); }

stria_dtype chance_pick_dtype(chance *c)
{
    if (chance_pick(c, 2)) return chance_pick(c, 3) ? STRIA_F32 : chance_pick(c, 2) ? STRIA_F64 : STRIA_I64;
    return (stria_dtype)chance_pick(c, STRIA_DTYPE_COUNT);
}

int chance_pick_shape(chance *c, int64_t *shape)
{
    static const int64_t sizes[] = {1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 16, 17, 31, 33, 65, 130};
    const int            kind = chance_pick(c, 16);
    int64_t              numel = 1;
    int                  ndim = chance_pick(c, 4);

    if (kind == 0) ndim = 4 + chance_pick(c, CHANCE_DIMS - 3);
    if (kind == 1) {
        shape[0] = 1 + chance_pick(c, (int)c->room);
        return 1;
    }
    for (int d = 0; d < ndim; d++) {
        shape[d] = sizes[chance_pick(c, ndim > 3 ? 5 : 16)];
        if (chance_pick(c, 40) == 0) shape[d] = 0;
        if (shape[d] * numel > c->room) shape[d] = 1;
        if (shape[d] > 0) numel *= shape[d];
    }
    return ndim;
}

/* ---------------------------------------------------------------- elements */

static void fill_one(chance *c, stria_dtype dtype, chance_filling filling, char *at)
{
    const double unit = random_unit(&c->random);
    value        v = value_from_real(filling == FILL_POSITIVE ? 0.1 + 0.8 * unit : 6 * unit - 3);

    v.imag = 6 * random_unit(&c->random) - 3;
    if (filling == FILL_ANY) {
        random_element(&c->random, dtype, -10, 10, at);
        return;
    }
    if (filling == FILL_SMALL) v.real = chance_pick(c, 9) - 4;
    if (filling == FILL_BELOW) v.real = (double)(random_next(&c->random) % (uint64_t)(c->below > 0 ? c->below : 1));
    if (!dtype_is_float(dtype) && !dtype_is_complex(dtype)) {
        const bool is_unsigned = dtype == STRIA_U8 || dtype == STRIA_U16 || dtype == STRIA_U32 || dtype == STRIA_U64;
        v = value_from_whole((whole_int)(is_unsigned && v.real < 0 ? -v.real : v.real));
        if (dtype == STRIA_BOOL) v = value_from_whole((whole_int)(random_next(&c->random) % 2));
    }
    value_set(dtype, v, at);
}

/* Row-major memory on both. NULL: there is no place for more. */
static chance_twin *new_memory(chance *c, stria_dtype dtype, chance_filling filling, int ndim, const int64_t *shape)
{
    chance_twin *m = &c->memory[c->n_memory];
    const int    size = (int)stria_dtype_get_size(dtype);

    if (c->n_memory == CHANCE_KEPT) return NULL;
    CHECK_STATUS(stria_tensor_new(dtype, ndim, shape, &m->on[0], NULL), STRIA_OK);
    for (int64_t k = 0; k < m->on[0]->numel; k++) fill_one(c, dtype, filling, m->on[0]->data + k * size);
    if (filling == FILL_BELOW && m->on[0]->numel > 0 && dtype != STRIA_BOOL && chance_pick(c, 12) == 0)
        value_set(dtype, value_from_whole(chance_pick(c, 2) ? (whole_int)c->below : -1 - chance_pick(c, 3)),
                  m->on[0]->data + (int64_t)(random_next(&c->random) % (uint64_t)m->on[0]->numel) * size);
    m->on[1] = cuda_case_to_device(m->on[0], CUDA);
    c->n_memory++;
    return m;
}

/* ---------------------------------------------------------------- views */

/* Both become the view that `call`, which mentions x and y, makes of each. */
#define LOOK(twin, call)                                 \
    do {                                                 \
        for (int s_ = 0; s_ < 2; s_++) {                 \
            stria_tensor *x = (twin)->on[s_], *y = NULL; \
            CHECK_STATUS(call, STRIA_OK);                \
            if (y == NULL) continue;                     \
            stria_tensor_release(x);                     \
            (twin)->on[s_] = y;                          \
        }                                                \
    } while (0)

static chance_twin *keep(chance *c, const chance_twin *from)
{
    chance_twin *t = &c->kept[c->n_kept++];

    for (int s = 0; s < 2; s++) t->on[s] = stria_tensor_retain(from->on[s]);
    return t;
}

/* What of an axis is more in memory than in the view. */
typedef struct axis_lie {
    int     step, begin, after;
    bool    is_flipped, is_expanded;
    int64_t size; /* in memory */
} axis_lie;

static axis_lie pick_axis_lie(chance *c, int64_t size, int chance_in)
{
    axis_lie lie = {.step = 1, .size = size};

    if (chance_pick(c, chance_in)) return lie;
    switch (chance_pick(c, 4)) {
    case 0: lie.is_flipped = true; break;
    case 1: lie.is_expanded = size > 1; break;
    case 2: lie.step = 2 + chance_pick(c, 2); break;
    default: lie.begin = 1 + chance_pick(c, 2), lie.after = chance_pick(c, 2); break;
    }
    lie.size = lie.is_expanded ? 1 : lie.begin + size * lie.step + lie.after;
    return lie;
}

chance_twin *chance_new(chance *c, stria_dtype dtype, chance_filling filling, int ndim, const int64_t *shape)
{
    axis_lie   lies[STRIA_MAX_DIMS];
    int64_t    sizes[STRIA_MAX_DIMS];
    int        order[STRIA_MAX_DIMS];
    const int  spread = chance_pick(c, 3) ? 1000 : 2;
    const bool is_permuted = chance_pick(c, 4) == 0;

    for (int d = 0; d < ndim; d++) {
        lies[d] = pick_axis_lie(c, shape[d], spread);
        order[d] = d;
    }
    for (int d = ndim - 1; d > 0 && is_permuted; d--) {
        const int e = chance_pick(c, d + 1), kept = order[d];
        order[d] = order[e];
        order[e] = kept;
    }
    for (int d = 0; d < ndim; d++)
        sizes[order[d]] = lies[d].size; /* axis d of the view is axis order[d] of the memory */
    const chance_twin *memory = new_memory(c, dtype, filling, ndim, sizes);
    if (memory == NULL || c->n_kept == CHANCE_KEPT) return &c->kept[chance_pick(c, c->n_kept)];
    chance_twin *t = keep(c, memory);
    if (is_permuted && ndim > 0) LOOK(t, stria_permute(x, order, ndim, &y, NULL));
    for (int d = 0; d < ndim; d++) {
        const axis_lie *lie = &lies[d];
        if (lie->step != 1 || lie->begin + lie->after > 0)
            LOOK(t, stria_slice(x, d, lie->begin, lie->begin + shape[d] * lie->step, lie->step, &y, NULL));
        if (lie->is_flipped) LOOK(t, stria_flip(x, &d, 1, &y, NULL));
    }
    LOOK(t, stria_expand(x, shape, ndim, &y, NULL));
    return t;
}

chance_twin *chance_new_number(chance *c)
{
    static const double numbers[] = {0, 1, -1, 2, 0.5, -2.5, 3, 1e30, 100};
    stria_scalar        value = {.kind = (stria_scalar_kind)chance_pick(c, 3), .re = numbers[chance_pick(c, 9)]};

    if (c->n_kept == CHANCE_KEPT) return &c->kept[chance_pick(c, c->n_kept)];
    value.i = value.kind == STRIA_SCALAR_BOOL ? value.re != 0 : chance_pick(c, 9) - 4;
    chance_twin *t = &c->kept[c->n_kept++];
    for (int s = 0; s < 2; s++) CHECK_STATUS(stria_tensor_new_scalar(value, &t->on[s], NULL), STRIA_OK);
    return t;
}

chance_twin *chance_new_on_cpu(chance *c, stria_dtype dtype)
{
    if (c->n_kept == CHANCE_KEPT) return &c->kept[chance_pick(c, c->n_kept)];
    chance_twin *t = &c->kept[c->n_kept++];
    CHECK_STATUS(stria_tensor_new(dtype, 0, NULL, &t->on[0], NULL), STRIA_OK);
    fill_one(c, dtype, FILL_ANY, t->on[0]->data);
    t->on[1] = stria_tensor_retain(t->on[0]);
    return t;
}

chance_twin *chance_look(chance *c)
{
    const chance_twin *of = &c->kept[chance_pick(c, c->n_kept)];
    const int          ndim = of->on[0]->ndim, d = ndim > 0 ? chance_pick(c, ndim) : 0;
    const int64_t      flat = -1, size = ndim > 0 ? of->on[0]->shape[d] : 0;
    const int64_t      begin = size > 0 ? chance_pick(c, (int)size) : 0;

    if (c->n_kept == CHANCE_KEPT || of->on[0]->is_wrapped_number || ndim == 0) return (chance_twin *)(uintptr_t)of;
    chance_twin *t = keep(c, of);
    switch (chance_pick(c, 7)) {
    case 0: LOOK(t, stria_slice(x, d, begin, STRIA_INT_NONE, 1, &y, NULL)); break;
    case 1: LOOK(t, stria_slice(x, d, STRIA_INT_NONE, STRIA_INT_NONE, size > 1 ? -2 : 1, &y, NULL)); break;
    case 2: LOOK(t, stria_transpose(x, 0, d, &y, NULL)); break;
    case 3: LOOK(t, stria_flip(x, &d, 1, &y, NULL)); break;
    case 4: LOOK(t, stria_slice(x, d, 0, size - 1, 1, &y, NULL)); break;
    case 5:
        if (size > 0) LOOK(t, stria_select(x, d, begin, &y, NULL));
        break;
    default:
        if (stria_tensor_get_contiguous(t->on[0])) LOOK(t, stria_view(x, &flat, 1, &y, NULL));
        break;
    }
    return t;
}

void chance_end(chance *c)
{
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < c->n_kept; k++) stria_tensor_release(c->kept[k].on[s]);
        for (int k = 0; k < c->n_memory; k++) stria_tensor_release(c->memory[k].on[s]);
    }
    c->n_kept = c->n_memory = 0;
}
