/* expression.h - an expression, and what it becomes for inputs of given dtypes. Internal.
 *
 * A lowering depends on the dtypes of the inputs, on which of them are 0-dim or numbers, and on their devices; not on shapes,
 * strides or contents. An expression keeps a few of them (expression.c). */
#ifndef STRIA_EXPRESSION_H
#define STRIA_EXPRESSION_H

#include <stdatomic.h>

#include "call/call.h"
#include "cpu/exec.h"
#include "cpu/nontemporal.h"
#include "table/rows.h"
#include "tensor/tensor.h"

/* ---------------------------------------------------------------- instructions */

/* What a conversion converts to; of an op STRIA_DTYPE_NONE. */
static inline stria_dtype stria_instruction_get_dtype(const stria_instruction *i)
{
    return i->op >= STRIA_OP_COUNT ? (stria_dtype)(i->op - STRIA_OP_COUNT) : STRIA_DTYPE_NONE;
}
static inline int stria_instruction_get_arity(const stria_instruction *i)
{
    return i->op >= STRIA_OP_COUNT ? 1 : stria_op_infos[i->op].arity;
}
/* "mul", "to.f32" (expression.c) */
const char *stria_instruction_get_name(const stria_instruction *i);

/* ---------------------------------------------------------------- lowerings */

/* Where a step finds or leaves elements. */
typedef enum stria_place_kind { STRIA_PLACE_OPERAND, STRIA_PLACE_CONSTANT, STRIA_PLACE_SLOT } stria_place_kind;
typedef struct stria_place {
    stria_place_kind kind;
    int              index; /* of the operand; of the constant of the step; of the slot */
    int64_t          size;  /* in a slot: bytes of an element */
} stria_place;

typedef struct stria_step {
    stria_loop      *loop; /* or */
    stria_cast_loop *cast;
    stria_op         op; /* of the loop */
    int              n_in;
    stria_place      in[STRIA_MAX_INPUTS], out;
    stria_dtype      compute;                       /* the lane type of the loop; what the cast converts from */
    stria_dtype      dtype;                         /* of the result */
    _Alignas(8) char constant[STRIA_MAX_INPUTS][8]; /* inputs that are constants, in the dtype of the loop */
} stria_step;

/* A word of a chain before it is known where its data is: what runs on elements, and on a single one. */
typedef struct stria_link {
    stria_chain_code *run, *run_one;
    int               step; /* data: input number `input` of this step, or its result if -1; of no step if -1 */
    int               input;
} stria_link;

/* Steps that run together. */
typedef struct stria_part {
    const stria_chain_kernels *chain; /* NULL: step by step */
    int64_t                    least; /* elements that a chain takes at once */
    int                        first_step, n_steps, first_link, n_links;
} stria_part;

/* The results come first, one but where a row of complex.def asks for two; then the inputs that they depend on, in their order. */
typedef struct stria_lowered_operand {
    int         input;
    stria_dtype lane; /* dtype that the steps take or leave it in */
} stria_lowered_operand;

typedef struct stria_lowering {
    const stria_kernels         *kernels;
    stria_dtype                  result; /* of a new output */
    stria_device                 device;
    bool                         is_truth;        /* the result is bool, and may be written to any dtype */
    bool                         has_dead_code;   /* instructions that the result does not depend on */
    bool                         converts_result; /* on its way to memory, which must be of its dtype */
    int                          n_out, n_operands, n_steps, n_parts, n_links, n_slots;
    const uint16_t              *key; /* [n_in] as of stria_lowering_get_key */
    const stria_lowered_operand *operands;
    const stria_step            *steps;
    const stria_part            *parts;
    const stria_link            *links;
    void *_Atomic                code; /* the host's, in one block (stria_code_run) */
} stria_lowering;

/* A host that makes code at run time: runs all steps on `count` elements, each operand contiguous or one value where its stride is 0. False:
 * there is no such code, nothing was done. NULL, as at the beginning: no host does. To be set before the first call. */
typedef bool stria_code_run(stria_lowering *lowering, char *const *data, const int64_t *strides, int64_t count);
void         stria_code_set(stria_code_run *run);
bool         stria_code_is_set(void);

/* What a lowering needs to know of an input. */
static inline uint16_t stria_lowering_get_key(const stria_tensor *x)
{
    const bool is_negative =
        x->is_wrapped_number && x->dtype == STRIA_I64 && x->device.type == STRIA_DEVICE_CPU &&
        *(const int64_t *)(const void *)x->data < 0; /* pow refuses it as an exponent of integers */

    return (uint16_t)((unsigned)x->dtype | (unsigned)x->device.type << 8 | (unsigned)(x->ndim == 0) << 12 |
                      (unsigned)x->is_wrapped_number << 13 | (unsigned)is_negative << 14);
}

/* ---------------------------------------------------------------- expressions */

#define STRIA_EXPRESSION_CACHE 8

/* A place of the cache. `pins` counts the calls that look at it or use it; a large negative number is added while it is being
 * filled. Nobody ever waits for it, so that a fork may come at any time. */
typedef union stria_cached_lowering {
    struct {
        atomic_uint     hash; /* 0: empty */
        atomic_int      pins;
        atomic_uint     used; /* the tick of the last use; a larger one is later */
        stria_lowering *lowering;
    };
    char line[64];
} stria_cached_lowering;

#define STRIA_EXPRESSION_MAX_OUTPUTS 4

/* number_dtype: of constants, as 0-dim tensors; NONE: they are numbers. out: the values that are results, each that of an instruction of
 * its own. Expressions of programs have numbers, and one result, that of the last instruction. */
struct stria_expression {
    atomic_int               refcount;
    int                      n_in, n_constants, n_code;
    const stria_scalar      *constants; /* [n_constants] */
    const stria_instruction *code;      /* [n_code] */
    stria_dtype              number_dtype;
    bool                     has_complex; /* a constant is complex, or what a conversion gives */
    int                      n_out, out[STRIA_EXPRESSION_MAX_OUTPUTS];
    atomic_uint              tick;
    atomic_uint              latest; /* place of the last use */
    stria_cached_lowering    cache[STRIA_EXPRESSION_CACHE];
};

/* The lowering for inputs like these, to be released; every refusal of dtypes, shapes and devices happens here, in the words of
 * the first op that refuses. out may be NULL. (expression_lower.c) */
stria_status stria_lowering_new(const stria_expression *e, const stria_tensor *const *in, const stria_tensor *out,
                                stria_lowering **lowering, stria_error *err);
void         stria_lowering_release(stria_lowering *lowering); /* NULL is allowed */
/* The same refusals without a result. */
stria_status stria_expression_infer(const stria_expression *e, const stria_tensor *const *in, const stria_tensor *out,
                                    stria_error *err);

/* Whether an input, a constant or what a conversion gives is complex. Then there is no lowering: ops run one after another, with the same refusals. *out where given
 * is NULL. (expression_apart.c) */
bool         stria_expression_has_complex(const stria_expression *e, const stria_tensor *const *in);
stria_status stria_expression_run_apart(const stria_expression *e, const stria_tensor *const *in, stria_tensor *given,
                                        stria_tensor **out, stria_error *err);
/* The same into all results, which are of the shape of the result and share no memory with inputs, but that a single one may lie over some. */
stria_status stria_expression_run_apart_into(const stria_expression *e, const stria_tensor *const *in,
                                             stria_tensor *const *out, stria_error *err);

/* ---------------------------------------------------------------- other devices */

/* A call of which every refusal has been made. The iterator's operands are those of the lowering; 0-dim inputs may be on the CPU. */
typedef struct stria_lowered_call {
    const stria_expression    *e;
    stria_lowering            *lowering; /* its code may change */
    const stria_iter          *iter;
    const stria_tensor *const *in;  /* [n_in] */
    stria_tensor *const       *out; /* [n_out] */
} stria_lowered_call;

/* By the table of the device; where that has nothing for it, op by op. (expression_apart.c) */
stria_status stria_expression_run_lowered(const stria_lowered_call *call, stria_error *err);
/* The device of the inputs. ERR_DEVICE: they are on several, 0-dim ones on the CPU aside. */
stria_status stria_expression_find_device(const stria_expression *e, const stria_tensor *const *in,
                                          stria_device *device, stria_error *err);

/* ---------------------------------------------------------------- calls */

/* Operands of one call; [n_operands] each. */
typedef struct stria_expression_call {
    const stria_lowering *lowering;
    const stria_iter     *iter; /* or NULL: each operand is contiguous or one value, and */
    char *const          *data;
    const int64_t        *strides; /* bytes; [2 * n_operands], the second half 0 */
    const stria_dtype    *memory;  /* dtypes in memory */
    bool                  converts;
    int64_t               numel;
    uintptr_t             large, large_end; /* memory of a result that is stored past the caches; both 0: none */
} stria_expression_call;

/* Whether the caches could not hold a result of this dtype (nontemporal.h). */
static inline bool stria_expression_is_large(const stria_expression_call *call, stria_dtype dtype)
{
    return call->numel * (int64_t)stria_dtype_sizes[dtype] >= STRIA_NONTEMPORAL_BYTES;
}
/* It is stored past them: it has no gaps, and no input is read there. */
static inline void stria_expression_set_large(stria_expression_call *call, const char *data, stria_dtype dtype)
{
    call->large = (uintptr_t)data;
    call->large_end = call->large + (uintptr_t)(call->numel * (int64_t)stria_dtype_sizes[dtype]);
}

/* Where a call keeps intermediate results: in the thread's scratch, or in memory of its own where that is too small. */
typedef struct stria_expression_work {
    int64_t block; /* elements that pass through all steps together */
    size_t  nbytes;
    void   *memory; /* for one chunk; NULL: scratch */
} stria_expression_work;

/* Makes sure of it for calls of at most so many elements, before anything is written: running does not fail. ERR_MEMORY.
 * (expression_run.c) */
stria_status stria_expression_reserve(const stria_lowering *lowering, int64_t most_elements,
                                      stria_expression_work *work, stria_error *err);
void         stria_expression_give(const stria_expression_work *work);
void         stria_expression_run(const stria_expression_call *call, const stria_expression_work *work);

/* A call that is made often: what it depends on beside elements is found once. The tensors keep their shapes and strides, and share no memory
 * but that a single result may lie exactly over inputs; elements may lie elsewhere each time. (expression_bound.c) */
typedef struct stria_expression_bound stria_expression_bound;
/* out: [n_out of e], of the shape of the result. *bound NULL: it must be called as any other. */
stria_status stria_expression_bind(const stria_expression *e, const stria_tensor *const *in, stria_tensor *const *out,
                                   stria_expression_bound **bound, stria_error *err);
stria_status stria_expression_run_bound(stria_expression_bound *bound, const stria_tensor *const *in,
                                        stria_tensor *const *out, stria_error *err);
void         stria_expression_bound_release(stria_expression_bound *bound); /* NULL is allowed */
/* The same in parts, where operands are contiguous, one value, or repeat themselves: where elements are in this run; then elements
 * [at, at + count) of the result in row-major order, on any thread, which has reserved scratch memory and has this much of it; or all of them. */
bool   stria_expression_bound_has_ranges(const stria_expression_bound *bound);
size_t stria_expression_bound_get_range_bytes(const stria_expression_bound *bound);
void stria_expression_bound_set(stria_expression_bound *bound, const stria_tensor *const *in, stria_tensor *const *out);
void stria_expression_bound_run_range(const stria_expression_bound *bound, int64_t at, int64_t count);
void stria_expression_bound_run_ranges(stria_expression_bound *bound);
/* The same of a range, but that elements of that result go to dst. */
void stria_expression_bound_run_range_to(const stria_expression_bound *bound, int result, char *dst, int64_t at,
                                         int64_t count);

/* A call of stria_reduce_made, of what a result would be: its elements are made on the way. It has been set. (fold_expression.c) */
stria_status stria_expression_bound_reduce(const stria_expression_bound *bound, int result, const stria_call *call,
                                           stria_error *err);

/* The steps on `count` elements that are contiguous, or one value where the stride is 0; in memory of so many bytes for blocks of
 * `block` elements. [n_operands] */
size_t stria_expression_get_block_bytes(const stria_lowering *lowering, int64_t block);
void   stria_expression_run_block(const stria_lowering *lowering, int64_t block, char *memory, char *const *data,
                                  const int64_t *strides, int64_t count);

#endif
