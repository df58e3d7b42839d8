/* stria_jobs.c - the C side of the benchmark: the clock, and jobs that call stria. Loaded beside libstria, with which it is linked.
 *
 * Rows of functions.def are called by the struct of their arguments (functions.h), which run.py fills. The few other functions of
 * stria.h that rows name are called by their address. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "peer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "functions.h"
#include "iter.h"
#include "stria.h"

enum { MAX_ARGUMENTS = 10 };

/* Seconds of `count` runs. */
BENCH_API double bench_time(const bench_job *job, int64_t count)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int64_t k = 0; k < count; k++) job->run(job->context);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* ---------------------------------------------------------------- calls by address */

/* Integers and pointers travel in one sequence of registers and 8-byte stack slots, on x86-64 (System V) and on 64-bit Arm
 * (Linux): so one type serves for every function whose arguments are those. */
typedef int64_t any_function(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

typedef struct stria_call {
    any_function *function;
    int64_t       arguments[MAX_ARGUMENTS];
    stria_tensor *made; /* by the last run, where the function makes a tensor */
    int           status;
    stria_error   error;
    /* or a row of functions.def */
    const bench_function *row;
    char                 *row_arguments;
    bool                  is_given; /* its outputs are the caller's */
} stria_call;

typedef struct stria_job {
    int        n_calls;
    stria_call calls[];
} stria_job;

static bool is_output(const bench_field *field)
{
    return strcmp(field->kind, "OUT") == 0 || strcmp(field->kind, "INPLACE") == 0 || strcmp(field->kind, "VIEW") == 0;
}

/* The first output is c->made, too. */
static void release_made(stria_call *c)
{
    for (int64_t k = 0; c->row && k < c->row->n_fields; k++) {
        stria_tensor **at = (stria_tensor **)(void *)(c->row_arguments + c->row->fields[k].offset);
        if (!is_output(&c->row->fields[k])) continue;
        stria_tensor_release(*at);
        *at = NULL;
    }
    c->made = NULL;
}

static void run_row(stria_call *c)
{
    if (c->is_given) {
        c->status = (int)c->row->fill(c->row_arguments, &c->error);
        return;
    }
    release_made(c);
    c->status = (int)c->row->make(c->row_arguments, &c->error);
    for (int64_t k = c->row->n_fields - 1; k >= 0; k--)
        if (is_output(&c->row->fields[k]))
            c->made = *(stria_tensor **)(void *)(c->row_arguments + c->row->fields[k].offset);
}

static void run_calls(void *context)
{
    stria_job *job = context;
    for (int k = 0; k < job->n_calls; k++) {
        stria_call *c = &job->calls[k];
        if (c->row) {
            run_row(c);
            if (c->status != STRIA_OK) return;
            continue;
        }
        stria_tensor_release(c->made);
        c->made = NULL;
        const int64_t *a = c->arguments;
        c->status = (int)c->function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
        if (c->status != STRIA_OK) return;
    }
}

static void release_calls(void *context)
{
    stria_job *job = context;
    for (int k = 0; k < job->n_calls; k++) {
        stria_call *c = &job->calls[k];
        if (!c->row) stria_tensor_release(c->made);
        if (c->row && !c->is_given) release_made(c);
        free(c->row_arguments);
    }
    free(job);
}

/* An empty chain of n calls, all to be set with bench_stria_set_call; 0 if there is no memory. */
BENCH_API int bench_stria_new_job(int n_calls, bench_job *job)
{
    stria_job *made = calloc(1, sizeof *made + (size_t)n_calls * sizeof *made->calls);
    if (!made) return 0;
    made->n_calls = n_calls;
    *job = (bench_job){.run = run_calls, .release = release_calls, .context = made};
    return 1;
}

/* Call k. The argument at made_at becomes the address of the tensor made, that at err_at the address of an error; -1: none. */
BENCH_API void bench_stria_set_call(bench_job *job, int k, void *function, const int64_t *arguments, int n_arguments,
                                    int made_at, int err_at)
{
    stria_call *c = &((stria_job *)job->context)->calls[k];
    memcpy(&c->function, &function, sizeof function);
    memcpy(c->arguments, arguments, (size_t)n_arguments * sizeof *arguments);
    if (made_at >= 0) c->arguments[made_at] = (int64_t)(intptr_t)&c->made;
    if (err_at >= 0) c->arguments[err_at] = (int64_t)(intptr_t)&c->error;
}

/* Call k is a row of functions.def with these arguments, which are copied; its outputs are among them, or made by each run. 0 if there
 * is no memory. */
BENCH_API int bench_stria_set_row(bench_job *job, int k, const bench_function *row, const void *arguments, int is_given)
{
    stria_call *c = &((stria_job *)job->context)->calls[k];
    c->row_arguments = malloc((size_t)row->size);
    if (!c->row_arguments) return 0;
    memcpy(c->row_arguments, arguments, (size_t)row->size);
    c->row = row;
    c->is_given = is_given != 0;
    return 1;
}

/* The message of the first call that failed in the last run, or NULL. */
BENCH_API const char *bench_stria_get_failure(const bench_job *job)
{
    const stria_job *made = job->context;
    for (int k = 0; k < made->n_calls; k++)
        if (made->calls[k].status != STRIA_OK) return made->calls[k].error.message;
    return NULL;
}

/* The tensor that the last call made; borrowed, until the next run. */
BENCH_API stria_tensor *bench_stria_get_made(const bench_job *job)
{
    const stria_job *made = job->context;
    return made->calls[made->n_calls - 1].made;
}

/* ---------------------------------------------------------------- the iterator's build */

typedef struct build_job {
    stria_tensor *out;
    stria_tensor *in[2];
} build_job;

static void run_build(void *context)
{
    const build_job  *job = context;
    stria_iter_config config;
    stria_iter        it;
    stria_iter_config_init(&config);
    stria_iter_config_set_borrowing_binary_op(&config, job->out, job->in[0], job->in[1]);
    if (stria_iter_build(&it, &config, NULL) != STRIA_OK) abort(); /* the benchmark's own inputs */
    stria_iter_release(&it);
}

/* Configures, builds and ends the iterator of a binary op; runs no loop. */
BENCH_API int bench_stria_new_build_job(stria_tensor *out, stria_tensor *a, stria_tensor *b, bench_job *job)
{
    build_job *made = malloc(sizeof *made);
    if (!made) return 0;
    *made = (build_job){out, {a, b}};
    *job = (bench_job){.run = run_build, .release = free, .context = made};
    return 1;
}
