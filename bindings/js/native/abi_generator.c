/* abi_generator.c - the flat ABI: random generators. */
#include "abi_table.h"

static stria_error *error_get(void) { return &stria_abi_get_scratch()->error; }

static double put(stria_status status, stria_generator *made)
{
    return status == STRIA_OK ? stria_abi_put_object(made, &stria_abi_generators) : -(double)status;
}

static stria_status find(double handle, stria_generator **found)
{
    return stria_abi_get_generator(handle, "generator", "this", found);
}

double stria_abi_generator_new(void)
{
    stria_generator   *made = NULL;
    const stria_status status = stria_generator_new(0, &made, error_get());
    return put(status, made);
}

double stria_abi_generator_fork(double generator)
{
    stria_generator *g, *made = NULL;
    stria_status     status = find(generator, &g);

    if (status == STRIA_OK) status = stria_generator_fork(g, &made, error_get());
    return put(status, made);
}

double stria_abi_generator_get(double generator)
{
    double          *n = stria_abi_get_scratch()->n;
    stria_generator *g;

    const stria_status status = find(generator, &g);
    if (status != STRIA_OK) return -(double)status;
    const stria_generator_state state = stria_generator_get_state(g);
    n[0] = (double)(uint32_t)state.seed;
    n[1] = (double)(state.seed >> 32);
    n[2] = (double)(uint32_t)state.offset;
    n[3] = (double)(state.offset >> 32);
    return 0;
}

/* Two halves, of any doubles. */
static uint64_t join(const double *n)
{
    return (uint64_t)stria_abi_get_int64(n[1]) << 32 | ((uint64_t)stria_abi_get_int64(n[0]) & UINT32_MAX);
}

double stria_abi_generator_set(double generator)
{
    const double    *n = stria_abi_get_scratch()->n;
    stria_generator *g;

    const stria_status status = find(generator, &g);
    if (status != STRIA_OK) return -(double)status;
    stria_generator_set_state(g, (stria_generator_state){join(n), join(n + 2)});
    return 0;
}
