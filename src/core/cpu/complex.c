/* complex.c - element-wise ops of complex numbers: the parts of a block of elements are separated in the first-level cache, the steps of
 * the row (complex_program.c) run over them, and the parts of the result are interleaved again. */
#include "cpu/complex.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "cpu/exec.h"
#include "cpu/flat_call.h"
#include "iter.h"
#include "iter/iter_internal.h"

#define MOST_BLOCK 512
#define LEAST_BLOCK 64
#define PLANES (2 + 2 * STRIA_MAX_INPUTS)
#define LINE_BYTES 64
/* Of planes and of what the steps need, in the thread's scratch beside the blocks of exec.c. */
#define BLOCK_BYTES (STRIA_SCRATCH_BYTES - STRIA_EXEC_SCRATCH_BYTES - 64)

typedef struct complex_run {
    const stria_kernels  *kernels;
    const stria_lowering *lowering;
    stria_complex_loop   *quick;   /* of most elements; or NULL */
    bool                  inverts; /* quick divides 1 by the input */
    int64_t               size;    /* bytes of a part */
    int                   shift, n_in;
    bool                  is_pair[1 + STRIA_MAX_INPUTS];
    int64_t               block, pitch;
    size_t                nbytes; /* of planes and work */
} complex_run;

static int64_t get_pitch(int64_t block, int64_t size) { return block * size + LINE_BYTES; }

/* The rows are fixed, and test_complex runs each: a small block fits always. */
static void choose_block(complex_run *r)
{
    for (r->block = MOST_BLOCK; r->block >= LEAST_BLOCK; r->block /= 2) {
        r->pitch = get_pitch(r->block, r->size);
        r->nbytes = (size_t)(PLANES * r->pitch) + stria_expression_get_block_bytes(r->lowering, r->block);
        if (r->nbytes <= BLOCK_BYTES) return;
    }
}

/* The parts of n elements side by side: planes pitch apart; and back. */
static void separate(const complex_run *r, char *planes, const char *src, int64_t n)
{
    r->kernels->transpose[r->shift](planes, r->pitch, src, 2 * r->size, n, 2);
}
static void interleave(const complex_run *r, char *dst, const char *planes, int64_t n)
{
    r->kernels->transpose[r->shift](dst, 2 * r->size, planes, r->pitch, 2, n);
}

/* Elements begin .. begin + n - 1 of a run. at, step: of the operands of the lowering. */
static void run_block(const complex_run *r, char *memory, char *const *data, const int64_t *strides, int64_t begin,
                      int64_t n)
{
    char   *at[PLANES], *plane = memory;
    int64_t step[PLANES];
    int     m = 0;

    for (int k = 0; k <= r->n_in; k++) {
        char *const from = data[k] + begin * strides[k];
        const bool  is_one = k > 0 && strides[k] == 0;
        if (!r->is_pair[k] || is_one) {
            at[m] = from;
            step[m++] = strides[k];
            if (r->is_pair[k]) {
                at[m] = from + r->size;
                step[m++] = 0;
            }
            continue;
        }
        if (k > 0) separate(r, plane, from, n);
        for (int part = 0; part < 2; part++, plane += r->pitch) {
            at[m] = plane;
            step[m++] = r->size;
        }
    }
    stria_expression_run_block(r->lowering, r->block, memory + PLANES * r->pitch, at, step, n);
    if (r->is_pair[0]) interleave(r, data[0] + begin * strides[0], memory, n);
}

/* Elements from `begin` on by the kernel; returns where it stopped. */
static int64_t run_quick(const complex_run *r, char *const *data, const int64_t *strides, int64_t begin, int64_t count)
{
    static const float  narrow_one[2] = {1, 0};
    static const double one[2] = {1, 0};
    char               *at[1 + STRIA_MAX_INPUTS];

    for (int k = 0; k <= r->n_in; k++) at[k] = data[k] + begin * strides[k];
    if (r->inverts) {
        const int64_t step[] = {strides[0], 0, strides[1]};
        at[2] = at[1];
        at[1] = r->size == 4 ? (char *)(uintptr_t)narrow_one : (char *)(uintptr_t)one; /* only read */
        return begin + r->quick(at, step, count - begin);
    }
    return begin + r->quick(at, strides, count - begin);
}

/* A stria_loop1d over elements of the lane dtypes. Where the kernel stops, the steps do a few elements, or more where it stops at once. */
static void run(void *context, char *const *data, const int64_t *strides, int64_t count)
{
    const complex_run *r = context;
    char              *memory = stria_scratch_take(r->nbytes);
    int64_t            most = r->quick != NULL ? LEAST_BLOCK : r->block;

    for (int64_t begin = 0, n; begin < count; begin += n) {
        if (r->quick != NULL) {
            const int64_t end = run_quick(r, data, strides, begin, count);
            most = end > begin || most == r->block ? LEAST_BLOCK : 2 * most;
            begin = end;
        }
        n = count - begin < most ? count - begin : most;
        if (n > 0) run_block(r, memory, data, strides, begin, n);
    }
    stria_scratch_give(memory);
}

/* ---------------------------------------------------------------- the short cut
 *
 * Inputs that are contiguous in the shape of the result, or single values, need no iterator. */

typedef struct direct_call {
    stria_flat_call    flat; /* strides of elements, or with loop of parts */
    const complex_run *run;
    stria_loop        *loop; /* in place of run: of parts that are elements side by side */
    int                n;
} direct_call;

static bool is_direct(stria_flat_call *flat, const stria_kernels *kernels, const stria_call *call,
                      const stria_meta *meta)
{
    if (!stria_flat_call_fits(call, meta)) return false;
    for (int k = 0; k < call->n_in; k++)
        if (!stria_flat_call_add(flat, kernels, meta, call->in[k], k)) return false;
    return true;
}

/* Sums, and products with a real number, are those of the parts, which need not be separated. */
static bool is_by_part(const stria_call *call, const stria_meta *meta, const stria_flat_call *flat)
{
    const stria_op op = (stria_op)call->row;
    const int64_t  size = stria_dtype_sizes[meta->compute];
    const bool     is_first = flat->stride[1] == size, is_second = call->n_in > 1 && flat->stride[2] == size;

    if (op == STRIA_OP_neg) return is_first;
    if (op == STRIA_OP_add || op == STRIA_OP_sub) return is_first && is_second;
    return (op == STRIA_OP_mul || op == STRIA_OP_div) && is_first && flat->stride[2] == 0 &&
           meta->input[1] != meta->compute;
}

static void run_range(void *context, int thread, int64_t begin, int64_t end)
{
    const direct_call *d = context;
    char              *data[1 + STRIA_MAX_INPUTS];

    (void)thread;
    for (int k = 0; k < d->n; k++) data[k] = d->flat.data[k] + begin * d->flat.stride[k];
    if (d->loop != NULL)
        d->loop(data, d->flat.stride, end - begin);
    else
        run((void *)(uintptr_t)d->run, data, d->flat.stride, end - begin);
}

static void run_direct(direct_call *d, const stria_call *call, const stria_meta *meta, const stria_kernels *kernels)
{
    int64_t count = call->out[0]->numel;

    d->n = 1 + call->n_in;
    d->loop = NULL;
    if (is_by_part(call, meta, &d->flat)) {
        d->loop = kernels->lane[stria_dtype_get_part(meta->compute)]->loop[call->row];
        for (int k = 0; k < d->n; k++) d->flat.stride[k] /= 2;
        count *= 2;
    }
    stria_parallel_for(stria_team_get(), 0, count, STRIA_GRAIN, run_range, d);
}

/* ---------------------------------------------------------------- the general path */

static stria_status iterate(const stria_call *call, const stria_meta *meta, const complex_run *r, stria_error *err)
{
    stria_iter  iter;
    stria_exec  exec;
    stria_dtype memory[1 + STRIA_MAX_INPUTS], lane[1 + STRIA_MAX_INPUTS];

    STRIA_TRY(stria_iter_build_element(&iter, call, meta, err));
    if (stria_iter_get_numel(&iter) > 0) {
        for (int k = 0; k <= call->n_in; k++) {
            memory[k] = stria_iter_get_dtype(&iter, k);
            lane[k] = k == 0 ? meta->loop_out : meta->input[k - 1];
        }
        stria_exec_init(&exec, r->kernels, 1 + call->n_in, 1, memory, lane);
        exec.loop = run;
        exec.context = (void *)(uintptr_t)r;
        stria_iter_walk(&iter, stria_exec_loop2d, &exec, STRIA_GRAIN);
    }
    if (call->out[0] == NULL) call->out[0] = stria_iter_take_output(&iter, 0);
    stria_iter_release(&iter);
    return STRIA_OK;
}

static stria_complex_loop *get_quick(const stria_complex_kernels *kernels, stria_op op)
{
    return op == STRIA_OP_mul                                ? kernels->mul
           : op == STRIA_OP_div || op == STRIA_OP_reciprocal ? kernels->div
           : op == STRIA_OP_abs                              ? kernels->abs
           : op == STRIA_OP_exp                              ? kernels->exp
                                                             : NULL;
}

stria_op stria_complex_choose_op(const stria_call *call)
{
    double power = 0;

    if (call->row != STRIA_OP_pow) return (stria_op)call->row;
    const stria_tensor *b = call->in[1];
    if (!b->is_wrapped_number || stria_dtype_is_complex(b->dtype)) return STRIA_OP_pow;
    stria_dispatch_get()->cast[b->dtype][STRIA_F64]((char *)&power, 0, b->data, 0, 1);
    return power == 2     ? STRIA_OP_square
           : power == 0.5 ? STRIA_OP_sqrt
           : power == -1  ? STRIA_OP_reciprocal
                          : STRIA_OP_pow;
}

stria_status stria_cpu_complex(const stria_call *call, const stria_meta *meta, stria_error *err)
{
    const stria_kernels *kernels = stria_dispatch_get();
    const stria_op       op = stria_complex_choose_op(call);
    const stria_dtype    part = stria_dtype_get_part(meta->compute);
    const char          *name = stria_op_infos[op].name;
    complex_run          r = {.kernels = kernels, .size = stria_dtype_sizes[part], .n_in = stria_op_infos[op].arity};
    direct_call          d = {.run = &r};
    unsigned             reals = 0;

    r.shift = r.size == 8 ? 3 : 2;
    r.inverts = op == STRIA_OP_reciprocal;
    r.is_pair[0] = stria_dtype_is_complex(meta->loop_out);
    for (int k = 0; k < r.n_in; k++) {
        r.is_pair[1 + k] = stria_dtype_is_complex(meta->input[k]);
        if (!r.is_pair[1 + k]) reals |= 1u << k;
    }
    r.quick = reals == 0 ? get_quick(&kernels->lane[part]->complex, op) : NULL;
    STRIA_TRY(stria_complex_get_lowering(op, reals, part, &r.lowering, err));
    choose_block(&r);
    STRIA_TRY(stria_scratch_reserve(name, err));
    if (!is_direct(&d.flat, kernels, call, meta)) return iterate(call, meta, &r, err);
    STRIA_TRY(stria_flat_call_begin(&d.flat, call, meta, name, err));
    run_direct(&d, call, meta, kernels);
    return STRIA_OK;
}
