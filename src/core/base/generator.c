/* generator.c - random generators: a seed, and how much of its stream was taken. Nothing is locked, so that a fork finds no lock held. */
#include "base/generator.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"

struct stria_generator {
    _Atomic uint64_t seed, offset;
    atomic_int       refcount;
};

static stria_generator default_generator = {0, 0, 1};

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

stria_generator_state stria_generator_get_state(const stria_generator *g)
{
    stria_generator *found = find(g);
    return (stria_generator_state){atomic_load(&found->seed), atomic_load(&found->offset)};
}

void stria_generator_set_state(stria_generator *g, stria_generator_state state)
{
    atomic_store(&find(g)->seed, state.seed);
    atomic_store(&find(g)->offset, state.offset);
}

void stria_generator_set_seed(stria_generator *g, uint64_t seed)
{
    stria_generator_set_state(g, (stria_generator_state){seed, 0});
}

stria_generator_state stria_generator_take(stria_generator *g, uint64_t n)
{
    stria_generator *found = find(g);
    const uint64_t   seed = atomic_load(&found->seed);
    return (stria_generator_state){seed, atomic_fetch_add(&found->offset, n)};
}
