/* backend.h - what a device does: one table for each type of device. Internal. */
#ifndef STRIA_BACKEND_H
#define STRIA_BACKEND_H

#include "call/call.h"
#include "call/meta.h"

/* An element-wise op. call->out[0] is the caller's tensor, or NULL for a new one, which then lies there: the memory order of a new
 * one follows from the inputs, so the device makes it (stria_iter_build_element). Nothing is written before the last refusal. */
typedef stria_status stria_element_fn(const stria_call *call, const stria_meta *meta, stria_error *err);

/* A call of an expression: the same. Inputs are there, as many as the program takes. */
typedef stria_status stria_expression_fn(const stria_call *call, stria_error *err);
stria_expression_fn  stria_cpu_expression; /* on META and CUDA, too */
int                  stria_expression_count_inputs(const stria_expression *expression);

struct stria_update;
struct stria_random_numbers;
struct stria_index_plan;
struct stria_scattering;
/* What drivers of src/core/cpu leave to the device, of rows whose `impl` they are there, too (cpu/update_lists.h, cpu/random_numbers.h: n groups
 * into a row-major y with elements; cpu/index_plan.h: `index` is what the plan reads, the other words are for stria_index_refuse;
 * cpu/scatter.h, of one index). NULL where `impl` has none of these rows. */
typedef stria_status stria_update_fn(const stria_call *call, const struct stria_update *update, stria_error *err);
typedef stria_status stria_random_fn(const struct stria_random_numbers *numbers, int64_t n, stria_tensor *y,
                                     stria_error *err);
typedef stria_status stria_gather_fn(const stria_call *call, const struct stria_index_plan *plan, stria_tensor *y,
                                     const char *argument, const stria_tensor *index, const char *what,
                                     stria_error *err);
typedef stria_status stria_scatter_plan_fn(const struct stria_scattering *scatter, stria_tensor *y, stria_error *err);

/* All elements that an expression would make combined into a new 0-dim tensor, without memory for them; `made` is of their dtype and shape.
 * *y stays NULL where the device has no such way for these inputs: nothing was done. */
typedef stria_status stria_fold_expression_fn(const stria_expression *e, const stria_tensor *const *in,
                                              const stria_tensor *made, stria_reduction reduction, stria_tensor **y,
                                              stria_error *err);

struct stria_lowered_call;
/* What an expression computes, of a device that runs stria_cpu_expression (cpu/expression.h). *is_run false: nothing was done, the ops of the
 * expression run one after another. */
typedef stria_status stria_lowered_fn(const struct stria_lowered_call *call, bool *is_run, stria_error *err);

typedef struct stria_backend {
    stria_status (*get_status)(stria_error *err); /* OK, or why nothing can be computed there; not asked of META */
    stria_element_fn         *element;
    stria_impl_fn            *reduce;          /* of every plain reduction; meta->axes are those that are combined */
    stria_expression_fn      *expression;      /* NULL: the device lacks them */
    stria_fold_expression_fn *fold_expression; /* or NULL */
    stria_impl_fn            *impl[STRIA_FN_COUNT]; /* NULL: the device lacks the row */
    /* out = x, which broadcasts to its shape, converted; both are on devices of the type, or one of them is on the CPU. */
    stria_status (*copy)(stria_tensor *out, const stria_tensor *x, stria_error *err);
    stria_update_fn                    *update;
    stria_random_fn                    *random;
    stria_gather_fn                    *gather;
    stria_scatter_plan_fn              *scatter;
    stria_lowered_fn                   *lowered;
    const struct stria_backend_capture *capture; /* of graphs (call/capture.h); NULL: their steps are made one by one */
} stria_backend;

extern const stria_backend stria_backend_cpu, stria_backend_meta;
#if !defined(__EMSCRIPTEN__)
extern const stria_backend stria_backend_cuda;
#endif

extern const stria_backend *stria_backends[STRIA_DEVICE_COUNT];

/* NULL: there is none for this type of device. */
static inline const stria_backend *stria_backend_get(stria_device device)
{
    return (unsigned)device.type < STRIA_DEVICE_COUNT ? stria_backends[device.type] : NULL;
}

/* ERR_UNSUPPORTED: "name: there is no name on <device>". Always fails. */
stria_status stria_backend_refuse(const char *name, const char *argument, stria_device device, stria_error *err);

/* What the library moves on its own account, to bring a result to where it belongs: no call, so that no recorder sees it, and no
 * version goes up.
 *
 * out = x as of stria_tensor_set, by the backend of the one that is not on the CPU. */
stria_status stria_backend_copy(stria_tensor *out, const stria_tensor *x, stria_error *err);
/* The same into a new tensor, in the memory order of x. */
stria_status stria_backend_new_copy(const stria_tensor *x, stria_dtype dtype, stria_tensor **out, stria_error *err);
/* Every element of y becomes value, converted as of stria_tensor_copy. */
stria_status               stria_backend_fill(stria_tensor *y, stria_scalar value, stria_error *err);
static inline stria_scalar stria_scalar_get(double value) { return (stria_scalar){STRIA_SCALAR_FLOAT, 0, value, 0}; }

/* Sets the table of a type of device beyond the CPU and META; NULL: there is none. It must outlive every tensor on it. Not for
 * use beside running calls. */
void stria_backend_set(stria_device_type type, const stria_backend *backend);

#endif
