/* overlap.c - the bounded search of overlap.h.
 *
 * The equation is NumPy's (numpy/_core/src/common/mem_overlap.c, solve_may_share_memory: "bounded Diophantine
 * equations"), whose comments give the literature: P. Ramachandran, Use of Extended Euclidean Algorithm in Solving a
 * System of Linear Diophantine Equations with Bounded Variables, ANTS-VII (2006). The search takes the largest step
 * first. The sum that the smaller steps can reach bounds its factor from both sides, and their greatest common
 * divisor leaves out most factors in between. The steps of nearly all views nest; then one or two factors are left
 * for each step.
 *
 * NumPy does not ask whether the common elements have different positions p and q. Only then does the order of
 * computing matter. Any dim may be the first in which p and q differ, so there is an equation for each dim and each
 * direction. */
#include "tensor/overlap.h"

#include "base/error.h"
#include "tensor/layout.h"

#define MAX_TERMS (2 * STRIA_MAX_DIMS + 2)
#define SEARCH_STEPS 20000 /* for one question, including the preparation of its equations, up to 128 for 64 dims */
#define UNSET UINT64_MAX

/* ---------------------------------------------------------------- sum of step[k] * x[k] = target, 0 <= x[k] <= bound[k] */

typedef enum answer { NO, YES, TOO_HARD } answer;

typedef struct term {
    uint64_t step, bound;
    uint64_t reach;   /* of all terms behind this one: the largest sum */
    uint64_t divisor; /* greatest common one of this step and those behind it */
    uint64_t modulus,
        factor; /* x is target / divisor * factor modulo this; otherwise the terms after it cannot make up the rest */
    bool is_linked;  /* one of two whose values add up to their bound at most */
    bool is_flipped; /* x counts down from the bound: the step was negative */
} term;

typedef struct equation {
    int64_t  target;
    uint64_t shift; /* to be added to the target: what the flipped terms have at x = 0 */
    int      n;
    int     *steps_left;
    term     terms[MAX_TERMS];
} equation;

static void init_equation(equation *e, int64_t target, int *steps_left)
{
    e->target = target;
    e->shift = 0;
    e->n = 0;
    e->steps_left = steps_left;
}

static void add_linked(equation *e, int64_t step, int64_t bound, bool is_linked)
{
    const uint64_t size = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;

    if (bound == 0 || size == 0) return; /* a linked one may be 0, and leaves its partner free then */
    if (step < 0) e->shift += size * (uint64_t)bound;
    for (int k = 0; k < e->n && !is_linked; k++) { /* equal steps are one with a larger bound */
        if (e->terms[k].step != size || e->terms[k].is_linked) continue;
        e->terms[k].bound += (uint64_t)bound;
        return;
    }
    e->terms[e->n++] = (term){.step = size, .bound = (uint64_t)bound, .is_linked = is_linked, .is_flipped = step < 0};
}

static void add_term(equation *e, int64_t step, int64_t bound) { add_linked(e, step, bound, false); }

/* a * inverse is 1 modulo m; a and m have no common divisor, m > 1. */
static uint64_t get_inverse(uint64_t a, uint64_t m)
{
    int64_t old = 0, now = 1, rest = (int64_t)m, next = (int64_t)(a % m);

    while (next != 0) {
        const int64_t quotient = rest / next, kept_rest = next, kept = now;
        next = rest - quotient * next;
        rest = kept_rest;
        now = old - quotient * now;
        old = kept;
    }
    return (uint64_t)(old < 0 ? old + (int64_t)m : old);
}

/* Sorts the terms, largest steps first, and notes for each what the terms after it can reach. */
static void prepare(equation *e)
{
    uint64_t reach = 0, divisor = 0;

    for (int k = 1; k < e->n; k++) {
        const term moved = e->terms[k];
        int        j = k;
        for (; j > 0 && e->terms[j - 1].step < moved.step; j--) e->terms[j] = e->terms[j - 1];
        e->terms[j] = moved;
    }
    for (int k = e->n - 1; k >= 0; k--) {
        term *t = &e->terms[k];
        t->reach = reach;
        t->divisor = stria_common_divisor(t->step, divisor);
        t->modulus = divisor / t->divisor;
        t->factor = 0;
        if (t->modulus <= 1 || t->modulus > UINT32_MAX)
            t->modulus = 1; /* any x; beyond 32 bits the products would not fit */
        else
            t->factor = get_inverse(t->step / t->divisor, t->modulus);
        reach += t->step * t->bound;
        divisor = t->divisor;
    }
}

/* The values of t for which the terms after it may make up the rest: from *low to *high in steps of the modulus. */
static bool find_values(const term *t, uint64_t target, uint64_t partner, uint64_t *low, uint64_t *high)
{
    *low = 0;
    *high = t->bound;
    if (t->is_linked && partner != UNSET) {
        if (t->is_flipped)
            *low = partner;
        else
            *high = t->bound - partner;
    }
    if (target % t->divisor != 0) return false;
    if (target > t->reach) {
        const uint64_t needed = (target - t->reach - 1) / t->step + 1;
        if (needed > *low) *low = needed;
    }
    if (target / t->step < *high) *high = target / t->step;
    if (t->modulus > 1) {
        const uint64_t wanted = target / t->divisor % t->modulus * t->factor % t->modulus;
        *low += (wanted + t->modulus - *low % t->modulus) % t->modulus;
    }
    return *low <= *high;
}

static uint64_t get_value(const term *t, uint64_t x) { return t->is_flipped ? t->bound - x : x; }

/* The last two terms, linked, for x of the first from low to high. The sum of their values is monotonic in x. */
static answer search_linked(const term *t, uint64_t target, uint64_t low, uint64_t high)
{
    const term    *last = t + 1;
    const uint64_t ends[2] = {low, high - (high - low) % t->modulus};

    for (int k = 0; k < 2; k++) {
        const uint64_t rest = (target - ends[k] * t->step) / last->step;
        if (get_value(t, ends[k]) + get_value(last, rest) <= t->bound) return YES;
    }
    return NO;
}

/* Whether the terms from k on can make up the target. partner: the value of the linked term among those before. */
static answer search(const equation *e, int k, uint64_t target, uint64_t partner)
{
    const term *t = &e->terms[k];
    uint64_t    low, high;

    if (k == e->n) return target == 0 ? YES : NO;
    if (--*e->steps_left < 0) return TOO_HARD;
    if (!find_values(t, target, partner, &low, &high)) return NO;
    if (k == e->n - 2 && t->is_linked && t[1].is_linked && t->modulus == t[1].step / t->divisor)
        return search_linked(t, target, low, high);
    for (uint64_t x = low; x <= high; x += t->modulus) {
        const uint64_t value = t->is_linked ? get_value(t, x) : partner;
        const answer   found = search(e, k + 1, target - x * t->step, value);
        if (found != NO) return found;
    }
    return NO;
}

static answer solve(equation *e)
{
    const uint64_t target = e->shift + (uint64_t)e->target;

    if (e->target < 0 && 0 - (uint64_t)e->target > e->shift) return NO;
    prepare(e);
    return search(e, 0, target, UNSET);
}

/* ---------------------------------------------------------------- two layouts */

typedef struct pair {
    int     ndim; /* of the common shape, without sizes of 1 */
    int64_t size[STRIA_MAX_DIMS], a[STRIA_MAX_DIMS], b[STRIA_MAX_DIMS];
    int64_t distance;      /* from the first element of a to that of b */
    int64_t window, extra; /* 0 if both count in elements of one size; else further steps of 1, and their start */
} pair;

/* Adds a dim, slowest last. It is merged with the dim before where both operands continue that dim. */
static void add_dim(pair *p, int64_t size, int64_t a, int64_t b)
{
    const int last = p->ndim - 1;
    int64_t   next_a, next_b;

    if (size == 1) return;
    if (last >= 0 && !__builtin_mul_overflow(p->a[last], p->size[last], &next_a) && a == next_a &&
        !__builtin_mul_overflow(p->b[last], p->size[last], &next_b) && b == next_b) {
        p->size[last] *= size;
        return;
    }
    p->size[p->ndim] = size;
    p->a[p->ndim] = a;
    p->b[p->ndim++] = b;
}

static void add_bytes(const pair *p, equation *e)
{
    e->target += p->extra;
    add_term(e, 1, p->window);
}

/* Whether an element of one and an element of the other, at any positions, share bytes. */
static answer meets(const pair *p, int *steps_left)
{
    equation e;

    init_equation(&e, p->distance, steps_left);
    add_bytes(p, &e);
    for (int d = 0; d < p->ndim; d++) {
        add_term(&e, p->a[d], p->size[d] - 1);
        add_term(&e, -p->b[d], p->size[d] - 1);
    }
    return solve(&e);
}

/* The same of elements at one position. */
static answer meets_aligned(const pair *p, int *steps_left)
{
    equation e;

    init_equation(&e, p->distance, steps_left);
    add_bytes(p, &e);
    for (int d = 0; d < p->ndim; d++) add_term(&e, p->a[d] - p->b[d], p->size[d] - 1);
    return solve(&e);
}

/* The same for elements whose positions are equal in the dims before d and differ in d, where that of a, or of b, is
 * larger. */
static answer meets_apart(const pair *p, int d, bool a_is_larger, int *steps_left)
{
    const int64_t a = p->a[d], b = p->b[d], most = p->size[d] - 2;
    equation      e;

    init_equation(&e, p->distance, steps_left);
    add_bytes(p, &e);
    for (int k = 0; k < d; k++) add_term(&e, p->a[k] - p->b[k], p->size[k] - 1);
    for (int k = d + 1; k < p->ndim; k++) {
        add_term(&e, p->a[k], p->size[k] - 1);
        add_term(&e, -p->b[k], p->size[k] - 1);
    }
    /* the positions are r and r + 1 + x, r + x <= most */
    const int64_t step = a_is_larger ? a : -b;
    e.target -= step;
    if (a == b || step == a - b) { /* r does not matter, or r + x alone does */
        add_term(&e, step, most);
    } else {
        add_linked(&e, step, most, true);
        add_linked(&e, a - b, most, true);
    }
    return solve(&e);
}

/* Whether elements at different positions share bytes; elements at equal positions may. */
static answer meets_elsewhere(const pair *p, int *steps_left)
{
    for (int d = 0; d < p->ndim; d++) {
        for (int side = 0; side < 2; side++) {
            const answer found = meets_apart(p, d, side == 0, steps_left);
            if (found != NO) return found;
        }
    }
    return NO;
}

static stria_overlap find(const pair *p)
{
    int          steps_left = SEARCH_STEPS;
    const answer aligned = meets_aligned(p, &steps_left);
    const answer elsewhere = aligned == NO ? meets(p, &steps_left) : meets_elsewhere(p, &steps_left);

    if (elsewhere == YES) return STRIA_OVERLAP_PARTIAL;
    if (elsewhere == TOO_HARD || aligned == TOO_HARD) return STRIA_OVERLAP_UNKNOWN;
    return aligned == YES ? STRIA_OVERLAP_ALIGNED : STRIA_OVERLAP_NONE;
}

/* ---------------------------------------------------------------- tensors */

/* The bytes of a tensor with elements, from the lowest address to the end of the highest element. */
static void get_range(const stria_tensor *x, uintptr_t *low, uintptr_t *high)
{
    const int64_t size = stria_tensor_get_item_size(x);

    *low = *high = (uintptr_t)x->data;
    *high += (uintptr_t)size;
    for (int d = 0; d < x->ndim; d++) {
        const uintptr_t reach = (uintptr_t)(x->shape[d] - 1) * (uintptr_t)x->strides[d] * (uintptr_t)size;
        *(x->strides[d] < 0 ? low : high) += reach;
    }
}

static bool meets_range(const stria_tensor *x, const stria_tensor *y)
{
    uintptr_t x_low, x_high, y_low, y_high;

    get_range(x, &x_low, &x_high);
    get_range(y, &y_low, &y_high);
    return x_low < y_high && y_low < x_high;
}

static bool broadcasts(const stria_tensor *in, const stria_tensor *out)
{
    const int skipped = out->ndim - in->ndim;

    for (int d = 0; d < in->ndim && skipped >= 0; d++)
        if (in->shape[d] != 1 && in->shape[d] != out->shape[skipped + d]) return false;
    return skipped >= 0;
}

/* Steps of `in` along the axes of out. Where the size is 1, the stride has no meaning. */
static int64_t get_step(const stria_tensor *in, const stria_tensor *out, int axis)
{
    const int d = axis - (out->ndim - in->ndim);

    return d < 0 || in->shape[d] == 1 ? 0 : in->strides[d];
}

static bool is_same(const stria_tensor *out, const stria_tensor *in)
{
    if (out->data != in->data || out->dtype != in->dtype) return false;
    for (int d = 0; d < out->ndim; d++)
        if (out->shape[d] > 1 && out->strides[d] != get_step(in, out, d)) return false;
    return true;
}

/* Distances in elements where both have elements of one size, else in bytes. */
static void set_units(pair *p, const stria_tensor *out, const stria_tensor *in, int64_t *a_unit, int64_t *b_unit)
{
    const int64_t a = stria_tensor_get_item_size(out), b = stria_tensor_get_item_size(in);

    p->ndim = 0;
    p->distance = (intptr_t)((uintptr_t)in->data - (uintptr_t)out->data);
    if (a == b && p->distance % a == 0) {
        p->distance /= a;
        p->window = p->extra = 0;
        *a_unit = *b_unit = 1;
        return;
    }
    p->window = a + b - 2;
    p->extra = b - 1;
    *a_unit = a;
    *b_unit = b;
}

/* Whether any elements share bytes, at any positions. */
static stria_overlap find_any(const pair *p, const stria_tensor *out, const stria_tensor *in, int64_t a, int64_t b)
{
    int      steps_left = SEARCH_STEPS;
    equation e;

    init_equation(&e, p->distance, &steps_left);
    add_bytes(p, &e);
    for (int d = 0; d < out->ndim; d++) add_term(&e, get_step(out, out, d) * a, out->shape[d] - 1);
    for (int d = 0; d < in->ndim; d++) add_term(&e, -get_step(in, in, d) * b, in->shape[d] - 1);
    switch (solve(&e)) {
    case NO: return STRIA_OVERLAP_NONE;
    case YES: return STRIA_OVERLAP_PARTIAL;
    default: return STRIA_OVERLAP_UNKNOWN;
    }
}

stria_overlap stria_overlap_find(const stria_tensor *out, const stria_tensor *in)
{
    int64_t a, b;
    pair    p;

    if (!stria_storage_meets(out->storage, in->storage)) return STRIA_OVERLAP_NONE;
    if (out->numel == 0 || in->numel == 0 || !meets_range(out, in)) return STRIA_OVERLAP_NONE;
    set_units(&p, out, in, &a, &b);
    if (!broadcasts(in, out)) return find_any(&p, out, in, a, b);
    if (is_same(out, in)) return STRIA_OVERLAP_SAME;
    for (int d = out->ndim - 1; d >= 0; d--)
        add_dim(&p, out->shape[d], get_step(out, out, d) * a, get_step(in, out, d) * b);
    return find(&p);
}

/* Whether the steps nest: each is larger than what the smaller ones reach together. True for nearly all layouts. */
static bool nests(const pair *p)
{
    uint64_t reach = 0, done = 0; /* bit d: dim d is counted */

    for (int placed = 0; placed < p->ndim; placed++) {
        int smallest = -1;
        for (int d = 0; d < p->ndim; d++)
            if (!(done >> d & 1) && (smallest < 0 || p->a[d] < p->a[smallest])) smallest = d;
        if ((uint64_t)p->a[smallest] <= reach) return false;
        reach += (uint64_t)p->a[smallest] * (uint64_t)(p->size[smallest] - 1);
        done |= (uint64_t)1 << smallest;
    }
    return true;
}

stria_overlap stria_overlap_find_itself(const stria_tensor *x)
{
    pair p;

    if (x->numel < 2) return STRIA_OVERLAP_NONE;
    p.ndim = 0;
    p.distance = p.window = p.extra = 0;
    for (int d = x->ndim - 1; d >= 0; d--) { /* which way a dim runs does not matter */
        const int64_t along = get_step(x, x, d), step = along < 0 ? -along : along;
        if (x->shape[d] > 1 && step == 0) return STRIA_OVERLAP_PARTIAL;
        add_dim(&p, x->shape[d], step, step);
    }
    if (nests(&p)) return STRIA_OVERLAP_NONE;
    const stria_overlap found = find(&p);
    return found == STRIA_OVERLAP_ALIGNED ? STRIA_OVERLAP_NONE : found;
}

stria_status stria_overlap_check_out(const char *op, const stria_tensor *out, stria_error *err)
{
    const stria_overlap found = stria_overlap_find_itself(out);
    char                shape[96], strides[96];

    if (found == STRIA_OVERLAP_NONE) return STRIA_OK;
    stria_shape_print(shape, sizeof shape, out->ndim, out->shape);
    stria_shape_print(strides, sizeof strides, out->ndim, out->strides);
    return stria_error_set(err, STRIA_ERR_OVERLAP, op, "out", "one address for each element", strides,
                           "the output, of shape %s and strides %s, %s several elements at one address; copy it first",
                           shape, strides, found == STRIA_OVERLAP_PARTIAL ? "has" : "may have");
}
