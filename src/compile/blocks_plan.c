/* blocks_plan.c - which steps run block by block (blocks.h).
 *
 * A step joins those before it if it has leading dims in common with them that it treats alike, if a block of these fits into the cache, and if
 * it is sound: what one of the steps writes to, all of them look at by slices, each of which lies in a part of memory of its own.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "compile/blocks.h"
#include "cpu/fold.h"

/* The first of the steps looks at so many bytes at least: others are done soon, and there may be many of them. */
enum { MOST_STEPS = 32, LEAST_BYTES = STRIA_BLOCK_BYTES / 8 };

/* What is not sure yet where steps may still come that make it so. */
static const char too_small[] = "all of it fits into the cache";

/* A buffer as the steps that are looked at see it. */
typedef struct use {
    int     round; /* of the search in which the rest was set */
    bool    is_written;
    int64_t begin, end; /* bytes that slice 0 looks at */
    int64_t unit;       /* from one slice to the next; 0: tensors differ in that, or are not sliced */
} use;

typedef struct search {
    stria_graph_form *g;
    use              *uses; /* [buffers] */
    int               round;
} search;

static const stria_graph_view *get_out(const stria_graph_form *g, const stria_graph_step *step)
{
    return &g->views.at[step->views[step->n_in + step->n_list]];
}

/* ---------------------------------------------------------------- rows */

typedef enum way { WAY_NONE, WAY_ELEMENTS, WAY_ROWS, WAY_FOLD } way;

/* How a row treats the dims before its axes. */
static way get_way(const stria_graph_step *step)
{
    if (stria_graph_step_is_element_wise(step)) return WAY_ELEMENTS;
    if (step->row < STRIA_ROW_OF_FUNCTION(0)) return WAY_FOLD;
    switch ((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0))) {
    case STRIA_FN_softmax:
    case STRIA_FN_log_softmax:
    case STRIA_FN_softmax_backward:
    case STRIA_FN_log_softmax_backward:
    case STRIA_FN_layer_norm:
    case STRIA_FN_rms_norm:
    case STRIA_FN_to: return WAY_ROWS;
    case STRIA_FN_argmax:
    case STRIA_FN_argmin:
    case STRIA_FN_var:
    case STRIA_FN_std:
    case STRIA_FN_norm:
    case STRIA_FN_logsumexp: return WAY_FOLD;
    default: return WAY_NONE;
    }
}

/* The first of the axes, of ndim. */
static int find_first_axis(const int *axes, int n, int ndim)
{
    int first = n > 0 ? ndim : 0;

    for (int k = 0; k < n; k++) {
        const int axis = axes[k] < 0 ? axes[k] + ndim : axes[k];
        if (axis < first) first = axis < 0 ? 0 : axis;
    }
    return first;
}

/* Leading dims whose slices a step computes apart from each other. */
static int count_outer(const stria_graph_form *g, const stria_graph_step *step)
{
    const int ndim = stria_graph_step_is_element_wise(step) ? get_out(g, step)->ndim : g->views.at[step->views[0]].ndim;

    if (stria_graph_step_is_element_wise(step)) return ndim;
    if (step->row < STRIA_ROW_OF_FUNCTION(0)) {
        const stria_axes *axes = &((const stria_reduce_attrs *)step->attrs)->axes;
        return find_first_axis(axes->at, axes->at != NULL ? axes->n : 0, ndim);
    }
    const stria_schema *schema = stria_schema_get((stria_function)(step->row - STRIA_ROW_OF_FUNCTION(0)));
    for (int k = 0; k < schema->n_attributes; k++) {
        const void       *field = (const char *)step->attrs + schema->attributes[k].offset;
        const stria_axes *axes = field;
        switch (schema->attributes[k].kind) {
        case STRIA_KIND_AXIS: return find_first_axis(field, 1, ndim);
        case STRIA_KIND_AXES: return find_first_axis(axes->at, axes->at != NULL ? axes->n : 0, ndim);
        case STRIA_KIND_SHAPE: return ndim - ((const stria_sizes *)field)->n;
        default: break;
        }
    }
    return ndim;
}

/* Why a step does not run in blocks, whatever stands around it; NULL: it may. */
static const char *refuse(const stria_graph_form *g, const stria_graph_step *step)
{
    const way how = get_way(step);

    if (how == WAY_NONE) return "it is no element-wise step, reduction or function of rows";
    if (step->is_constant || step->n_numbers > 0 || step->n_list > 0) return "it is made once, or has numbers";
    if (count_outer(g, step) == 0) return "it has no leading dims of its own";
    for (int k = 0; k < stria_graph_step_count(step); k++) {
        if (step->views[k] < 0) continue;
        const stria_graph_view *v = &g->views.at[step->views[k]];
        if (stria_dtype_is_complex(v->dtype) || stria_graph_view_count(v, 0) == 0) return "it is complex, or empty";
        if (how == WAY_FOLD && !stria_graph_view_is_row_major(v)) return "what it reduces is not row-major";
    }
    return NULL;
}

/* ---------------------------------------------------------------- slices */

static int get_shift(const stria_graph_form *g, const stria_graph_blocks *b, const stria_graph_step *step, int k)
{
    if (stria_graph_step_is_element_wise(step)) return get_out(g, step)->ndim - g->views.at[step->views[k]].ndim;
    const bool is_parameter = k > 0 && k < step->n_in &&
                              (step->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_layer_norm) ||
                               step->row == STRIA_ROW_OF_FUNCTION(STRIA_FN_rms_norm));
    return is_parameter ? b->n_outer : 0;
}

stria_graph_slice stria_graph_blocks_get_slice(const stria_graph_form *g, const stria_graph_blocks *b,
                                               const stria_graph_step *step, int k)
{
    const stria_graph_view *v = &g->views.at[step->views[k]];
    stria_graph_slice       s = {.shift = get_shift(g, b, step, k), .is_collapsed = true, .size = 1};
    bool                    has_begun = false, is_there = false;
    int64_t                 expected = 0;

    for (int d = b->n_outer - 1; d >= 0; d--) {
        const int64_t size = d >= s.shift ? v->sizes[d - s.shift] : 1;
        const int64_t stride = size > 1 ? v->sizes[v->ndim + d - s.shift] : 0;
        s.is_sliced |= size > 1;
        if (d < b->flat || b->sizes[d] == 1) continue;
        if (!has_begun) s.stride = expected = stride, is_there = size > 1, has_begun = true;
        s.is_collapsed &= stride == expected && (size > 1) == is_there;
        s.size *= size;
        expected = stride * size;
    }
    return s;
}

/* Bytes from one slice to the next of a tensor that has all of the leading dims, side by side; 0: it has not. */
static int64_t get_unit(const stria_graph_form *g, const stria_graph_blocks *b, const stria_graph_step *step, int k)
{
    const stria_graph_view *v = &g->views.at[step->views[k]];
    int64_t                 unit = 0, expected = 0;

    if (get_shift(g, b, step, k) != 0) return 0;
    for (int d = b->n_outer - 1; d >= 0; d--) {
        if (b->sizes[d] == 1) continue;
        const int64_t stride = v->sizes[v->ndim + d];
        if (unit == 0) unit = expected = stride;
        if (v->sizes[d] != b->sizes[d] || stride != expected || stride <= 0) return 0;
        expected = stride * b->sizes[d];
    }
    return unit * stria_dtype_sizes[v->dtype];
}

/* ---------------------------------------------------------------- blocks */

/* The buffer of tensor k of a step; NULL: there is none, or it is a number. */
static use *find_use(const search *s, const stria_graph_step *step, int k)
{
    const int buffer = step->views[k] < 0 ? -1 : s->g->views.at[step->views[k]].buffer;
    return buffer < 0 || s->g->buffers.at[buffer].kind == STRIA_BUFFER_NUMBER ? NULL : &s->uses[buffer];
}

/* Bytes of a slice of all that the steps look at, and of what they look at as a whole. *is_shared: two of them look at the same. */
static void count_bytes(search *s, const stria_graph_blocks *b, int64_t *slice, int64_t *whole, bool *is_shared)
{
    *slice = *whole = 0;
    s->round++;
    for (int i = b->first; i < b->first + b->n_steps; i++) {
        const stria_graph_step *step = &s->g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step); k++) {
            use *u = find_use(s, step, k);
            if (u == NULL) continue;
            const stria_graph_view *v = &s->g->views.at[step->views[k]];
            const stria_graph_slice slice_of = stria_graph_blocks_get_slice(s->g, b, step, k);
            const int               inner = b->n_outer > slice_of.shift ? b->n_outer - slice_of.shift : 0;
            if (u->round == s->round) {
                *is_shared |= slice_of.is_sliced;
                continue;
            }
            u->round = s->round;
            *(slice_of.is_sliced ? slice : whole) += stria_graph_view_count(v, inner) * stria_dtype_sizes[v->dtype];
        }
    }
}

/* Fewest slices of a block for which every reduction takes the way that it takes for all of them. */
static int64_t count_fewest(const stria_graph_form *g, const stria_graph_blocks *b)
{
    int64_t fewest = 1;

    for (int i = b->first; i < b->first + b->n_steps; i++) {
        const stria_graph_step *step = &g->steps.at[i];
        if (get_way(step) != WAY_FOLD) continue;
        const stria_graph_view *x = &g->views.at[step->views[0]];
        const int64_t           count = stria_graph_view_count(x, 0) / stria_graph_view_count(get_out(g, step), 0);
        int64_t                 kept = 1;
        if (count > STRIA_FOLD_SHORT) continue;
        for (int d = b->n_outer; d < count_outer(g, step); d++) kept *= x->sizes[d];
        if ((STRIA_FOLD_MIN_COLUMNS + kept - 1) / kept > fewest) fewest = (STRIA_FOLD_MIN_COLUMNS + kept - 1) / kept;
    }
    return fewest;
}

static bool is_collapsed(const search *s, const stria_graph_blocks *b)
{
    for (int i = b->first; i < b->first + b->n_steps; i++) {
        const stria_graph_step *step = &s->g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step); k++)
            if (step->views[k] >= 0 && !stria_graph_blocks_get_slice(s->g, b, step, k).is_collapsed) return false;
    }
    return true;
}

/* How many slices are a block, of how many of the leading dims `most`. */
static const char *cut(search *s, stria_graph_blocks *b, int most)
{
    int64_t slice = 0, whole = 0, fewest = 1;
    bool    fits = false, is_shared = false;

    for (int n = 1; n <= most && !fits; n++) {
        b->n_outer = n;
        b->flat = n - 1;
        count_bytes(s, b, &slice, &whole, &is_shared);
        fewest = count_fewest(s->g, b);
        fits = whole <= STRIA_BLOCK_BYTES && slice <= (STRIA_BLOCK_BYTES - whole) / fewest;
    }
    if (!fits) return "a slice is too large for the cache";
    for (int d = 0; d < b->n_outer; d++) { /* as many dims as can be */
        b->flat = d;
        if (is_collapsed(s, b)) break;
    }
    b->extent = b->n_blocks = 1;
    for (int d = 0; d < b->n_outer; d++) *(d < b->flat ? &b->n_blocks : &b->extent) *= b->sizes[d];
    const int64_t most_slices = slice > 0 ? (STRIA_BLOCK_BYTES - whole) / slice : b->extent;
    b->n_ranges = (b->extent + most_slices - 1) / most_slices;
    if (b->n_ranges > b->extent / fewest) b->n_ranges = b->extent / fewest;
    if (b->n_ranges < 1) return "blocks would be of too few slices";
    b->n_blocks *= b->n_ranges;
    return b->n_blocks < 2 || !is_shared ? too_small : NULL;
}

/* Bytes [*begin, *end) that slice 0 of a view looks at. */
static void get_bytes(const stria_graph_view *v, int first_dim, int64_t *begin, int64_t *end)
{
    const int64_t size = stria_dtype_sizes[v->dtype];

    *begin = v->offset;
    *end = v->offset + size;
    for (int d = first_dim; d < v->ndim; d++)
        *(v->sizes[v->ndim + d] < 0 ? begin : end) += (v->sizes[d] - 1) * v->sizes[v->ndim + d] * size;
}

/* What is looked at of each buffer that is written to. */
static void note_uses(search *s, const stria_graph_blocks *b)
{
    s->round++;
    for (int i = b->first; i < b->first + b->n_steps; i++) {
        const stria_graph_step *step = &s->g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step); k++) {
            use    *u = find_use(s, step, k);
            int64_t begin, end;
            if (u == NULL) continue;
            get_bytes(&s->g->views.at[step->views[k]], b->n_outer, &begin, &end);
            const int64_t unit = get_unit(s->g, b, step, k);
            if (u->round != s->round) *u = (use){s->round, false, begin, end, unit};
            if (u->unit != unit) u->unit = 0;
            u->is_written |= stria_graph_step_writes(step, k);
            if (begin < u->begin) u->begin = begin;
            if (end > u->end) u->end = end;
        }
    }
}

/* Whether slices of what is written to are apart, and nobody looks at them in another way. */
static bool is_sound(search *s, const stria_graph_blocks *b)
{
    note_uses(s, b);
    for (int i = b->first; i < b->first + b->n_steps; i++) {
        const stria_graph_step *step = &s->g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step); k++) {
            const use *u = find_use(s, step, k);
            if (u != NULL && u->is_written && (u->unit == 0 || u->end - u->begin > u->unit)) return false;
        }
    }
    return true;
}

/* What the steps would be as blocks. Returns why they are not. */
static const char *find_end(search *s, stria_graph_blocks *b)
{
    const stria_graph_step *last = &s->g->steps.at[b->first + b->n_steps - 1];
    const char             *why = refuse(s->g, last);
    int                     most;

    if (why != NULL) return why;
    b->sizes = get_out(s->g, &s->g->steps.at[b->first])->sizes;
    most = count_outer(s->g, &s->g->steps.at[b->first]);
    for (int i = b->first + 1; i < b->first + b->n_steps; i++) {
        const stria_graph_step *step = &s->g->steps.at[i];
        if (count_outer(s->g, step) < most) most = count_outer(s->g, step);
        for (int d = 0; d < most; d++)
            if (get_out(s->g, step)->sizes[d] != b->sizes[d]) most = d;
    }
    if (most == 0) return "it has other leading dims";
    why = cut(s, b, most);
    if (why != NULL) return why;
    return is_sound(s, b) ? NULL : "it looks in another way at what is written";
}

/* ---------------------------------------------------------------- the form */

static void note_local(const search *s, const stria_graph_blocks *b)
{
    const int last = b->first + b->n_steps - 1;

    for (int i = b->first; i <= last; i++) {
        const stria_graph_step *step = &s->g->steps.at[i];
        for (int k = 0; k < stria_graph_step_count(step); k++) {
            const use *u = find_use(s, step, k);
            if (u == NULL || !u->is_written) continue;
            stria_buffer *buffer = &s->g->buffers.at[u - s->uses];
            buffer->is_local = buffer->kind == STRIA_BUFFER_MADE && !buffer->is_result && !buffer->is_constant &&
                               buffer->first >= b->first && buffer->last <= last && u->begin >= 0 && u->end <= u->unit;
            buffer->local_nbytes = u->unit * stria_graph_blocks_get_most(b);
        }
    }
}

/* Bytes of what a step looks at. */
static int64_t count_all_bytes(const stria_graph_form *g, const stria_graph_step *step)
{
    int64_t n = 0;

    for (int k = 0; k < stria_graph_step_count(step); k++) {
        if (step->views[k] < 0) continue;
        const stria_graph_view *v = &g->views.at[step->views[k]];
        n += stria_graph_view_count(v, 0) * stria_dtype_sizes[v->dtype];
    }
    return n;
}

/* The longest run of steps from `first` on; n_steps 0: none. */
static stria_graph_blocks find_longest(search *s, int first)
{
    stria_graph_blocks found = {.n_steps = 0}, b = {.first = first};
    const char        *end = refuse(s->g, &s->g->steps.at[first]);

    if (count_all_bytes(s->g, &s->g->steps.at[first]) < LEAST_BYTES) return found;
    for (int n = 2; end == NULL || end == too_small; n++) {
        if (first + n > s->g->steps.n) {
            end = NULL;
            break;
        }
        b.n_steps = n;
        end = n <= MOST_STEPS ? find_end(s, &b) : "there are too many steps";
        if (end == NULL) found = b;
    }
    found.end = end;
    return found;
}

static stria_status find_all(search *s, stria_error *err)
{
    for (int i = 0; i < s->g->steps.n;) {
        stria_graph_blocks b = find_longest(s, i);
        if (b.n_steps == 0) STRIA_TRY(stria_graph_find_fold(s->g, i, &b, err));
        if (b.n_steps == 0) b = stria_graph_find_update(s->g, i);
        if (b.n_steps == 0) {
            i++;
            continue;
        }
        if (!STRIA_GROW(s->g->blocks)) return stria_graph_refuse_memory(err);
        if (b.is_fold || b.is_update) {
            stria_buffer *made = &s->g->buffers.at[s->g->views.at[s->g->steps.at[i + 1].views[b.is_update]].buffer];
            made->is_local = true; /* no thread has a block of it */
        } else {
            note_uses(s, &b);
            note_local(s, &b);
            for (int k = b.first; k < b.first + b.n_steps; k++)
                STRIA_TRY(stria_graph_step_to_expression(s->g, &s->g->steps.at[k], err));
        }
        s->g->blocks.at[s->g->blocks.n++] = b;
        i += b.n_steps;
    }
    return STRIA_OK;
}

stria_status stria_graph_find_blocks(stria_graph_form *planned, stria_error *err)
{
    search s = {.g = planned, .uses = stria_object_new((size_t)planned->buffers.n * sizeof *s.uses + 1)};

    if (s.uses == NULL) return stria_graph_refuse_memory(err);
    const stria_status status = find_all(&s, err);
    stria_object_release(s.uses);
    return status;
}
