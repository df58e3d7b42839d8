/* generator.c - random generators: a seed, and how much of its stream was taken. Nothing is locked, so that a fork finds no lock held. */
#include "base/generator.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

struct stria_generator {
    _Atomic uint64_t seed, offset;
    atomic_int       refcount;
};

static stria_generator default_generator = {0, 0, 1};

static _Thread_local stria_draw_scope *innermost;

/* What stands before g on this thread. */
static stria_draw_scope *find_scope(const stria_generator *g)
{
    return g == NULL || g == &default_generator ? innermost : NULL;
}

static stria_generator *find(const stria_generator *g)
{
    return g != NULL ? (stria_generator *)(uintptr_t)g : &default_generator;
}

stria_generator *stria_generator_get_default(void) { return &default_generator; }

stria_status stria_generator_new(uint64_t seed, stria_generator **out, stria_error *err)
{
    if (out == NULL)
        return stria_error_set(err, STRIA_ERR_ARGUMENT, "generator", "out", "a place for the generator", "NULL",
                               "out is NULL");
    *out = stria_object_new(sizeof **out);
    if (*out == NULL)
        return stria_error_set(err, STRIA_ERR_MEMORY, "generator", NULL, NULL, NULL, "no memory for a generator");
    atomic_init(&(*out)->seed, seed);
    atomic_init(&(*out)->offset, 0);
    atomic_init(&(*out)->refcount, 1);
    return STRIA_OK;
}

stria_generator *stria_generator_retain(stria_generator *g)
{
    if (g != NULL && g != &default_generator) atomic_fetch_add_explicit(&g->refcount, 1, memory_order_relaxed);
    return g;
}

void stria_generator_release(stria_generator *g)
{
    if (g == NULL || g == &default_generator) return;
    if (atomic_fetch_sub_explicit(&g->refcount, 1, memory_order_acq_rel) == 1) stria_object_release(g);
}

/* The next place of what is drawn again; NULL: there is none. */
static const stria_drawn *find_next(const stria_draw_scope *scope)
{
    return scope->k < scope->again->n ? &scope->again->at[scope->k] : NULL;
}

stria_generator_state stria_generator_get_state(const stria_generator *g)
{
    const stria_generator *found = find(g);

    for (const stria_draw_scope *scope = find_scope(g); scope != NULL; scope = scope->outer) {
        const stria_drawn *next = scope->again != NULL ? find_next(scope) : NULL;
        if (next != NULL) return (stria_generator_state){next->from.seed, next->from.offset + scope->used};
    }
    return (stria_generator_state){atomic_load(&found->seed), atomic_load(&found->offset)};
}

void stria_generator_set_state(stria_generator *g, stria_generator_state state)
{
    for (const stria_draw_scope *scope = find_scope(g); scope != NULL; scope = scope->outer)
        if (scope->again != NULL) return; /* what follows is known */
    atomic_store(&find(g)->seed, state.seed);
    atomic_store(&find(g)->offset, state.offset);
}

void stria_generator_set_seed(stria_generator *g, uint64_t seed)
{
    stria_generator_set_state(g, (stria_generator_state){seed, 0});
}

/* ---------------------------------------------------------------- taking */

/* One place more; what goes on where the last one ended is one with it. */
static void note(stria_draws *draws, stria_generator_state from, uint64_t n)
{
    stria_drawn *last = draws->n > 0 ? &draws->at[draws->n - 1] : NULL;

    if (last != NULL && last->from.seed == from.seed && last->from.offset + last->n == from.offset) {
        last->n += n;
        return;
    }
    if (draws->n == draws->room) {
        const size_t room = draws->room > 0 ? 2 * draws->room : 4;
        stria_drawn *at = stria_object_new(room * sizeof *at);
        if (at == NULL) {
            draws->is_lost = true;
            return;
        }
        if (draws->n > 0) memcpy(at, draws->at, draws->n * sizeof *at);
        stria_object_release(draws->at);
        draws->at = at;
        draws->room = room;
    }
    draws->at[draws->n++] = (stria_drawn){from, n};
}

/* False: the notes have no n groups in one stream here. */
static bool take_again(stria_draw_scope *scope, uint64_t n, stria_generator_state *state)
{
    const stria_drawn *next = find_next(scope);

    if (next == NULL || next->n - scope->used < n) return false;
    *state = (stria_generator_state){next->from.seed, next->from.offset + scope->used};
    scope->used += n;
    if (scope->used == next->n) {
        scope->used = 0;
        scope->k++;
    }
    return true;
}

stria_generator_state stria_generator_take(stria_generator *g, uint64_t n)
{
    stria_generator      *found = find(g);
    stria_draw_scope     *first = find_scope(g), *scope = first;
    stria_generator_state state;

    while (scope != NULL && !(scope->again != NULL && take_again(scope, n, &state))) scope = scope->outer;
    if (scope == NULL) {
        state.seed = atomic_load(&found->seed);
        state.offset = atomic_fetch_add(&found->offset, n);
    }
    for (; first != scope; first = first->outer)
        if (first->notes != NULL) note(first->notes, state, n);
    return state;
}

void stria_draws_begin(stria_draw_scope *scope, stria_draws *notes, const stria_draws *again)
{
    *scope = (stria_draw_scope){.outer = innermost, .notes = notes, .again = again};
    innermost = scope;
}

void stria_draws_end(const stria_draw_scope *scope) { innermost = scope->outer; }

void stria_draws_release(stria_draws *draws)
{
    stria_object_release(draws->at);
    *draws = (stria_draws){NULL, 0, 0, false};
}
