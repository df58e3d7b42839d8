/* capturing.c - runs that watch, capture and launch (capturing.h). */
#include "compile/capturing.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "call/backend.h"

enum {
    MOST_WATCHED = 8,       /* runs */
    MANY_MOVES = 2,         /* of a small input, before it has a place of its own */
    MANY_BUSY = 4,          /* runs whose small results all captures still have, before these have */
    MOST_WAIT = 1 << 10,    /* runs from a capture that was of no use to the next one */
    COPIED_BYTES = 1 << 16, /* most of a place that is copied from or to */
    ALIGNMENT = 256         /* of inputs that are: kernels may look at it */
};

typedef enum phase { WATCHES, CAPTURES, IS_OFF } phase;

/* What is known of a place of the frame. */
typedef struct known_place {
    const char   *last;     /* of an input: where the run before had it */
    int           n_moves;  /* of an input */
    bool          is_small; /* it may have: */
    stria_tensor *own;      /* a place of its own, owned; or NULL */
} known_place;

typedef struct number_bits {
    uint64_t bits[2];
} number_bits;

struct stria_graph_capturing {
    const stria_backend_capture *table;
    stria_kept_list              list;
    phase                        phase;
    int                          n_watched, n_busy, wait, n_places;
    int64_t                      n_runs, next; /* run that may capture */
    size_t                       memory_nbytes;
    stria_captured_parts        *parts; /* once it captures */
    known_place                 *places;
    number_bits                 *numbers; /* [buffers]: of those that are numbers */
    bool                        *can;     /* [steps] */
    /* of this run */
    bool           is_again; /* inputs are where the run before had them */
    stria_capture *chosen;   /* or NULL; owned */
    bool           is_new, has_failed;
};

/* ---------------------------------------------------------------- frames */

static bool is_small_place(const stria_graph_frame *f, const stria_run_place *p)
{
    const stria_buffer *b = &f->graph->planned.buffers.at[p->buffer];

    if (p->nbytes == 0 || p->nbytes > COPIED_BYTES) return false;
    return p->input < 0 ||
           (!b->is_written && !b->is_result && !p->must_begin && stria_graph_view_is_row_major(p->view));
}

stria_graph_capturing *stria_graph_capturing_new(const stria_graph_frame *f)
{
    const stria_graph_form *g = &f->graph->planned;
    const stria_backend    *backend = stria_backend_get(f->graph->device);
    const size_t            n_places = (size_t)f->n_places, n_buffers = (size_t)g->buffers.n;
    stria_graph_capturing  *c;

    if (backend == NULL || backend->capture == NULL || g->blocks.n > 0 || !backend->capture->is_on()) return NULL;
    c = stria_object_new(sizeof *c + n_places * sizeof *c->places + n_buffers * sizeof *c->numbers +
                         (size_t)g->steps.n * sizeof *c->can);
    if (c == NULL) return NULL;
    c->places = (known_place *)(void *)(c + 1);
    c->numbers = (number_bits *)(void *)(c->places + n_places);
    c->can = (bool *)(void *)(c->numbers + n_buffers);
    c->table = backend->capture;
    c->n_places = f->n_places;
    for (int n = 0; n < f->n_places; n++) c->places[n].is_small = is_small_place(f, &f->places[n]);
    c->table->list_begin(&c->list, f->graph->device);
    return c;
}

void stria_graph_capturing_release(stria_graph_capturing *c)
{
    if (c == NULL) return;
    c->table->list_end(&c->list);
    for (int n = 0; n < c->n_places; n++) stria_tensor_release(c->places[n].own);
    stria_object_release(c->parts);
    stria_object_release(c);
}

bool stria_graph_capturing_captures(const stria_graph_capturing *c) { return c != NULL && c->phase == CAPTURES; }

static bool is_any(const stria_kept *kept, void *context)
{
    (void)kept, (void)context;
    return true;
}

static void end_all(stria_graph_capturing *c)
{
    for (stria_kept *kept; (kept = c->table->take(&c->list, is_any, NULL)) != NULL;) kept->release(kept);
}

/* The next capture comes later than after the last one that was of no use. */
static void wait_longer(stria_graph_capturing *c)
{
    c->wait = c->wait < MOST_WAIT ? 2 * c->wait + 1 : MOST_WAIT;
    c->next = c->n_runs + c->wait;
}

/* ---------------------------------------------------------------- the beginning of a run */

/* A small input that moves again and again is copied to one place. */
static void give_place(stria_graph_frame *f, known_place *at, const stria_run_place *p)
{
    stria_tensor **x = &f->inputs[p->input];

    if (at->n_moves < MANY_MOVES || !at->is_small || (uintptr_t)(*x)->data % ALIGNMENT != 0) return;
    if (at->own == NULL && stria_tensor_new_on(f->graph->device, p->view->dtype, p->view->ndim, p->view->sizes, NULL,
                                               &at->own, NULL) != STRIA_OK)
        at->own = NULL;
    if (at->own != NULL && stria_backend_copy(at->own, *x, NULL) == STRIA_OK) *x = at->own;
}

static void note_inputs(stria_graph_frame *f, stria_graph_capturing *c)
{
    c->is_again = true;
    for (int n = 0; n < f->n_places; n++) {
        const stria_run_place *p = &f->places[n];
        known_place           *at = &c->places[n];
        if (p->input < 0) continue;
        const bool has_moved = f->inputs[p->input]->data != at->last;
        at->n_moves += has_moved && at->last != NULL && at->n_moves < MANY_MOVES;
        at->last = f->inputs[p->input]->data;
        if (c->phase != CAPTURES || !c->parts->is_named[n]) continue;
        give_place(f, at, p);
        c->is_again &= !has_moved || f->inputs[p->input] == at->own;
    }
}

/* Whether the numbers that launches have as arguments are what they were; they are noted. */
static bool note_numbers(const stria_graph_frame *f, stria_graph_capturing *c)
{
    const stria_graph_form *g = &f->graph->planned;
    bool                    is_same = true;

    for (int k = 0; k < g->buffers.n; k++) {
        const stria_tensor *x = g->buffers.at[k].tensor;
        number_bits         now = {{0}};
        if (g->buffers.at[k].kind != STRIA_BUFFER_NUMBER) continue;
        memcpy(&now, x->data, (size_t)stria_tensor_get_item_size(x));
        is_same &= memcmp(&now, &c->numbers[k], sizeof now) == 0;
        c->numbers[k] = now;
    }
    return is_same;
}

/* Nobody but the capture has the memory of a result. */
static bool is_free(const stria_storage *s)
{
    return atomic_load_explicit(&s->refcount, memory_order_acquire) == 1 &&
           atomic_load_explicit(&s->n_borrows, memory_order_acquire) == 0;
}

typedef struct question {
    const stria_graph_frame *f;
    bool                     is_busy; /* a capture of these inputs has results that somebody else has, too */
} question;

/* Whether the run can be a launch of the capture: all that it names lies there. */
static bool is_capture_of(const stria_kept *kept, void *context)
{
    const stria_capture         *capture = (const stria_capture *)(const void *)kept;
    question                    *q = context;
    const stria_graph_capturing *c = q->f->capturing;
    bool                         is_busy = false;

    for (int n = 0; n < c->n_places; n++) {
        const stria_run_place *p = &q->f->places[n];
        const stria_tensor    *own = c->places[n].own;
        if (!c->parts->is_named[n]) continue;
        if (p->input >= 0 && q->f->inputs[p->input]->data != capture->data[n]) return false;
        if (p->input < 0 && own != NULL && capture->data[n] != own->data) return false;
        is_busy |= p->input < 0 && own == NULL && !is_free(capture->results[n]);
    }
    q->is_busy |= is_busy;
    return !is_busy;
}

/* Callers keep small results: they get copies from now on. */
static void give_result_places(const stria_graph_frame *f, stria_graph_capturing *c)
{
    for (int n = 0; n < c->n_places; n++) {
        const stria_run_place *p = &f->places[n];
        const int64_t          nbytes = (int64_t)p->nbytes;
        stria_tensor         **own = &c->places[n].own;
        if (p->input >= 0 || *own != NULL || !c->places[n].is_small || !c->parts->is_named[n]) continue;
        if (stria_tensor_new_on(f->graph->device, STRIA_U8, 1, &nbytes, NULL, own, NULL) != STRIA_OK) *own = NULL;
    }
}

void stria_graph_capturing_begin(stria_graph_frame *f)
{
    stria_graph_capturing *c = f->capturing;
    question               q = {f, false};

    if (c == NULL || c->phase == IS_OFF) return;
    c->n_runs++;
    note_inputs(f, c);
    if (!note_numbers(f, c)) end_all(c);
    if (c->phase != CAPTURES || !f->has_constants) return;
    c->chosen = (stria_capture *)(void *)c->table->take(&c->list, is_capture_of, &q);
    if (c->chosen != NULL || !q.is_busy || ++c->n_busy < MANY_BUSY) return;
    c->n_busy = 0;
    give_result_places(f, c);
}

/* ---------------------------------------------------------------- results */

stria_tensor *stria_graph_capturing_new_result(const stria_graph_frame *f, int n)
{
    const stria_run_place *p = &f->places[n];
    const stria_capture   *chosen = f->capturing != NULL ? f->capturing->chosen : NULL;

    if (chosen == NULL || chosen->results[n] == NULL) return stria_run_place_new_memory(f->graph, p);
    stria_storage *s = chosen->results[n]; /* is as new */
    atomic_store_explicit(&s->has_untracked, false, memory_order_relaxed);
    atomic_store_explicit(&s->is_held, false, memory_order_relaxed);
    atomic_store_explicit(&s->writer, STRIA_WRITER_UNKNOWN, memory_order_relaxed);
    return stria_graph_view_new_handle(p->view, f->graph->device, s);
}

const stria_storage *stria_graph_capturing_get_place(const stria_graph_frame *f, int n)
{
    const stria_tensor *own = f->capturing != NULL ? f->capturing->places[n].own : NULL;
    return own != NULL ? own->storage : f->results[f->places[n].buffer]->storage;
}

/* From a place of the run to the caller's. */
static stria_status copy_result(const stria_graph_frame *f, int n, stria_error *err)
{
    const int64_t          sizes[] = {(int64_t)f->places[n].nbytes, 1};
    const stria_graph_view all = {.dtype = STRIA_U8, .ndim = 1, .sizes = (int64_t *)(uintptr_t)sizes}; /* only read */
    stria_tensor *y = stria_graph_view_new_handle(&all, f->graph->device, f->results[f->places[n].buffer]->storage);

    if (y == NULL) return stria_graph_refuse_run(f->graph, err);
    const stria_status status = stria_backend_copy(y, f->capturing->places[n].own, err);
    stria_tensor_release(y);
    return status;
}

/* What becomes of the capture that the run had. */
static void put_back(stria_graph_capturing *c, bool is_good)
{
    stria_capture *capture = c->chosen;

    c->chosen = NULL;
    if (!is_good) {
        stria_capture_release(capture);
        wait_longer(c);
        return;
    }
    capture->is_launched |= !c->is_new;
    if (capture->is_launched) c->wait = c->n_busy = 0;
    stria_capture *last = (stria_capture *)(void *)c->table->put(&c->list, &capture->kept, STRIA_MOST_CAPTURES);
    if (last != NULL && !last->is_launched) wait_longer(c);
    stria_capture_release(last);
}

stria_status stria_graph_capturing_end(const stria_graph_frame *f, stria_status status, stria_error *err)
{
    stria_graph_capturing *c = f->capturing;

    if (c == NULL) return status;
    for (int n = 0; n < c->n_places && status == STRIA_OK; n++)
        if (f->places[n].input < 0 && c->places[n].own != NULL) status = copy_result(f, n, err);
    if (c->chosen != NULL) put_back(c, status == STRIA_OK && !c->has_failed);
    c->is_new = c->has_failed = false;
    return status;
}

/* ---------------------------------------------------------------- steps */

static bool can_be_watched(const stria_graph_step *step)
{
    return !step->is_constant && step->n_numbers == 0 && !stria_graph_step_draws(step);
}

/* Makes a step, and looks whether it can be captured. */
static stria_status watch(const stria_graph_frame *f, int i, bool *is_settled, stria_error *err)
{
    stria_graph_capturing *c = f->capturing;
    stria_watched          seen = {.is_settled = true};
    const bool can = can_be_watched(&f->graph->planned.steps.at[i]), is_watched = can && c->table->watch_begin();
    const stria_status status = stria_graph_frame_run_step(f, i, err);

    if (is_watched) c->table->watch_end(&seen);
    c->can[i] = is_watched && seen.can_be_captured;
    *is_settled &= seen.is_settled && is_watched == can;
    if (c->can[i] && seen.memory_nbytes > c->memory_nbytes) c->memory_nbytes = seen.memory_nbytes;
    return status;
}

static stria_status watch_all(const stria_graph_frame *f, stria_error *err)
{
    stria_graph_capturing *c = f->capturing;
    const int              n_steps = f->graph->planned.steps.n;
    bool                   is_settled = true;

    c->memory_nbytes = 0;
    for (int i = 0; i < n_steps; i++) STRIA_TRY(watch(f, i, &is_settled, err));
    if (!is_settled) {
        if (++c->n_watched == MOST_WATCHED) c->phase = IS_OFF;
        return STRIA_OK;
    }
    c->parts = stria_captured_parts_new(f, c->can);
    c->phase = c->parts != NULL && c->parts->n > 0 ? CAPTURES : IS_OFF;
    if (c->phase == CAPTURES)
        atomic_store_explicit(&((stria_graph *)(uintptr_t)f->graph)->n_captured, c->parts->n_steps,
                              memory_order_relaxed);
    return STRIA_OK;
}

/* Memory of another capture, or new. False: there is none. */
static bool set_memory(stria_graph_capturing *c, stria_capture *capture, stria_device device)
{
    stria_capture *other = (stria_capture *)(void *)c->table->take(&c->list, is_any, NULL);

    if (other != NULL) {
        capture->memory = other->memory;
        if (other->memory != NULL) stria_storage_retain(other->memory);
        (void)c->table->put(&c->list, &other->kept, STRIA_MOST_CAPTURES); /* where it was: there are not more */
    }
    if (capture->memory == NULL && c->memory_nbytes > 0) capture->memory = stria_storage_new(c->memory_nbytes, device);
    return capture->memory != NULL || c->memory_nbytes == 0;
}

/* A capture of the places of this run; its parts are captured on the way. NULL: no memory. */
static stria_capture *begin_capture(const stria_graph_frame *f, stria_graph_capturing *c)
{
    stria_capture *capture = stria_capture_new(c->table, c->n_places, c->parts->n);

    if (capture == NULL || !set_memory(c, capture, f->graph->device)) {
        stria_capture_release(capture);
        wait_longer(c);
        return NULL;
    }
    for (int n = 0; n < c->n_places; n++) {
        const stria_run_place *p = &f->places[n];
        capture->data[n] = p->storage->data;
        if (p->input >= 0 || c->places[n].own != NULL || !c->parts->is_named[n]) continue;
        capture->results[n] = f->results[p->buffer]->storage;
        stria_storage_retain(capture->results[n]);
    }
    c->is_new = true;
    return capture;
}

static stria_status run_plainly(const stria_graph_frame *f, const stria_captured_part *p, stria_error *err)
{
    for (int i = p->first; i < p->first + p->n_steps; i++) STRIA_TRY(stria_graph_frame_run_step(f, i, err));
    return STRIA_OK;
}

/* Nothing of it has run, whatever comes. */
static bool capture_part(const stria_graph_frame *f, const stria_captured_part *p, stria_captured **captured)
{
    stria_graph_capturing *c = f->capturing;

    if (c->table->begin(f->graph->device, c->chosen->memory, NULL) != STRIA_OK) return false;
    const bool is_captured = run_plainly(f, p, NULL) == STRIA_OK;
    const bool is_ended = c->table->end(is_captured ? captured : NULL, NULL) == STRIA_OK;
    if (is_captured && is_ended)
        atomic_fetch_add_explicit(&((stria_graph *)(uintptr_t)f->graph)->n_captures, 1, memory_order_relaxed);
    return is_captured && is_ended;
}

/* Part number k: launched; where that cannot be, and nothing of it was, its steps are made. */
static stria_status run_part(const stria_graph_frame *f, int k, stria_error *err)
{
    stria_graph_capturing     *c = f->capturing;
    const stria_captured_part *p = &c->parts->at[k];
    stria_captured           **captured = &c->chosen->parts[k];
    bool                       is_launched = false;
    stria_status               status = STRIA_OK;

    if (c->is_new && !c->has_failed) c->has_failed = !capture_part(f, p, captured);
    if (*captured != NULL)
        status = c->table->launch(*captured, c->chosen->memory, p->uses, p->n_uses, &is_launched, err);
    if (!is_launched) c->has_failed = true;
    if (status == STRIA_ERR_DEVICE) return status;
    if (!is_launched) return run_plainly(f, p, err);
    for (int n = 0; n < p->n_touched && !c->is_new; n++) stria_tensor_touch(p->touched[n]);
    atomic_fetch_add_explicit(&((stria_graph *)(uintptr_t)f->graph)->n_launches, 1, memory_order_relaxed);
    return status;
}

stria_status stria_graph_capturing_run_steps(const stria_graph_frame *f, stria_error *err)
{
    stria_graph_capturing *c = f->capturing;
    const int              n_steps = f->graph->planned.steps.n;

    if (c->phase == WATCHES && f->has_constants) return watch_all(f, err);
    if (c->phase == CAPTURES && c->chosen == NULL && f->has_constants && c->is_again && c->n_runs >= c->next)
        c->chosen = begin_capture(f, c);
    for (int i = 0, k = 0; i < n_steps;) {
        const bool begins_part = c->chosen != NULL && k < c->parts->n && c->parts->at[k].first == i;
        if (begins_part)
            STRIA_TRY(run_part(f, k, err));
        else
            STRIA_TRY(stria_graph_frame_run_step(f, i, err));
        i += begins_part ? c->parts->at[k++].n_steps : 1;
    }
    return STRIA_OK;
}
