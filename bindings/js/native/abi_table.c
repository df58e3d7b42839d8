/* abi_table.c - the table of handles behind the flat ABI. */
#include "abi_table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/tensor.h"

/* A handle is generation * SLOTS + slot, below 2^53, so a double holds it. The first generation is large enough that
 * every handle is beyond 2^31: JavaScript engines then keep to one representation. */
#define SLOT_BITS 22
#define SLOTS ((uint32_t)1 << SLOT_BITS)
#define FIRST_GENERATION 1024u
#define LAST_GENERATION 0x7fffffffu
#define FIRST_CAPACITY 1024u
#define NO_SLOT UINT32_MAX

typedef struct slot {
    stria_tensor                *tensor; /* or */
    void                        *other;  /* both NULL: free */
    const stria_abi_object_kind *kind;   /* of other */
    uint32_t                     generation;
    uint32_t                     next_free;
} slot;

typedef struct table {
    slot              *slots; /* [capacity] */
    uint32_t           capacity, first_free;
    stria_abi_scratch *scratch;
    stria_abi_guard   *guard;
    stria_abi_sweep   *sweep;
    stria_generator   *generator; /* the default one; NULL until it is wanted */
} table;

#if defined(__EMSCRIPTEN__)
#define PER_THREAD /* only the main thread of a module calls the ABI */
#else
#define PER_THREAD _Thread_local
#endif
static PER_THREAD table handles = {.first_free = NO_SLOT};

stria_abi_scratch *stria_abi_get_scratch(void) { return handles.scratch; }

void stria_abi_open(stria_abi_scratch *scratch) { handles.scratch = scratch; }

static void slot_release(slot *s)
{
    stria_tensor_release(s->tensor);
    if (s->other) s->kind->release(s->other);
    s->tensor = NULL;
    s->other = NULL;
}

void stria_abi_close(void)
{
    stria_abi_end_walks();
    stria_abi_drop_list();
    stria_abi_graph_cancel();
    for (uint32_t k = 0; k < handles.capacity; k++) slot_release(&handles.slots[k]);
    stria_generator_release(handles.generator);
    handles.generator = NULL;
    stria_object_release(handles.slots);
    handles.slots = NULL;
    handles.capacity = 0;
    handles.first_free = NO_SLOT;
    stria_abi_end_numbers();
}

static bool table_grow(void)
{
    uint32_t capacity = handles.capacity ? 2 * handles.capacity : FIRST_CAPACITY;
    if (capacity > SLOTS) return false;
    slot *slots = stria_object_new(capacity * sizeof *slots);
    if (!slots) return false;
    if (handles.slots) memcpy(slots, handles.slots, handles.capacity * sizeof *slots);
    for (uint32_t k = handles.capacity; k < capacity; k++) {
        slots[k].generation = FIRST_GENERATION;
        slots[k].next_free = k + 1 < capacity ? k + 1 : handles.first_free;
    }
    handles.first_free = handles.capacity;
    stria_object_release(handles.slots);
    handles.slots = slots;
    handles.capacity = capacity;
    return true;
}

/* Never matches a slot that is free or was used again. */
static slot *table_find(double handle)
{
    if (!(handle >= SLOTS && handle < 0x1p53)) return NULL;
    uint64_t number = (uint64_t)handle;
    uint32_t k = (uint32_t)(number & (SLOTS - 1));
    if (k >= handles.capacity) return NULL;
    slot *found = &handles.slots[k];
    return found->generation == number >> SLOT_BITS && (found->tensor || found->other) ? found : NULL;
}

static __attribute__((noinline)) void refuse_disposed(const char *op, const char *argument, const char *expected)
{
    stria_error_set(&handles.scratch->error, STRIA_ERR_DISPOSED, op, argument, expected, "a disposed one",
                    "%s was disposed of", argument);
}

stria_tensor *stria_abi_get_tensor(double handle, const char *op, const char *argument)
{
    slot *found = table_find(handle);
    if (found && found->tensor) {
        stria_tensor *x = found->tensor;
        if (!handles.guard || x->storage->origin != STRIA_ORIGIN_EXTERNAL || handles.guard(x)) return x;
        stria_error_set(&handles.scratch->error, STRIA_ERR_DISPOSED, op, argument, "a tensor whose memory is there",
                        "a detached buffer", "%s shares a buffer that was detached", argument);
        return NULL;
    }
    refuse_disposed(op, argument, "a live tensor");
    return NULL;
}

stria_tensor *stria_abi_find_tensor(double handle)
{
    slot *found = table_find(handle);
    return found ? found->tensor : NULL;
}

void stria_abi_set_guard(stria_abi_guard *guard) { handles.guard = guard; }

void stria_abi_set_sweep(stria_abi_sweep *sweep) { handles.sweep = sweep; }

bool stria_abi_sweep_lent(void)
{
    if (handles.sweep) handles.sweep();
    return handles.sweep != NULL;
}

static void release_expression(void *x) { stria_expression_release(x); }
static void release_generator(void *x) { stria_generator_release(x); }
static void release_graph(void *x) { stria_graph_release(x); }

const stria_abi_object_kind stria_abi_expressions = {release_expression, "a live expression"};
const stria_abi_object_kind stria_abi_generators = {release_generator, "a live generator"};
const stria_abi_object_kind stria_abi_graphs = {release_graph, "a live graph"};

void *stria_abi_get_object(double handle, const stria_abi_object_kind *kind, const char *op, const char *argument)
{
    const slot *found = table_find(handle);
    if (found && found->other && found->kind == kind) return found->other;
    refuse_disposed(op, argument, kind->expected);
    return NULL;
}

stria_status stria_abi_get_generator(double handle, const char *op, const char *argument, stria_generator **out)
{
    if (handle == 0) {
        if (!handles.generator) STRIA_TRY(stria_generator_new(0, &handles.generator, &handles.scratch->error));
        *out = handles.generator;
        return STRIA_OK;
    }
    *out = stria_abi_get_object(handle, &stria_abi_generators, op, argument);
    return *out ? STRIA_OK : STRIA_ERR_DISPOSED;
}

stria_tensor *stria_abi_get_flat(double handle, double nbytes, const char *op, double *failure)
{
    stria_tensor *x = stria_abi_get_tensor(handle, op, "x");
    *failure = -(double)STRIA_ERR_DISPOSED;
    if (!x) return NULL;
    const double size = (double)stria_tensor_get_numel(x) * (double)stria_dtype_get_size(stria_tensor_get_dtype(x));
    if (stria_tensor_get_contiguous(x) && stria_tensor_get_device(x).type == STRIA_DEVICE_CPU && size == nbytes)
        return x;
    if (stria_tensor_get_device(x).type != STRIA_DEVICE_CPU) {
        const char *got = stria_device_get_name(stria_tensor_get_device(x));
        *failure = -(double)stria_error_set(&handles.scratch->error, STRIA_ERR_DEVICE, op, "x", "a tensor on the CPU",
                                            got, "x is on %s, not in the memory of the CPU", got);
        return NULL;
    }
    *failure =
        -(double)stria_error_set(&handles.scratch->error, STRIA_ERR_ARGUMENT, op, "x",
                                 "as many contiguous bytes as given", NULL, "x is not contiguous or has another size");
    return NULL;
}

/* A handle that owns one of the two, the other being NULL. */
static inline double table_put(stria_tensor *tensor, void *other, const stria_abi_object_kind *kind)
{
    if (handles.first_free == NO_SLOT && !table_grow()) {
        stria_tensor_release(tensor);
        if (other) kind->release(other);
        return -(double)stria_error_set(&handles.scratch->error, STRIA_ERR_MEMORY, "tensor", NULL, NULL, NULL,
                                        "more than %u live tensors, or no memory for their table", SLOTS);
    }
    uint32_t k = handles.first_free;
    slot    *taken = &handles.slots[k];
    handles.first_free = taken->next_free;
    taken->tensor = tensor;
    taken->other = other;
    taken->kind = kind;
    return (double)taken->generation * SLOTS + k;
}

double stria_abi_put_tensor(stria_tensor *x) { return table_put(x, NULL, NULL); }

double stria_abi_put_object(void *x, const stria_abi_object_kind *kind) { return table_put(NULL, x, kind); }

double stria_abi_dispose(double handle)
{
    slot *found = table_find(handle);
    if (!found) return -STRIA_ERR_DISPOSED;
    slot_release(found);
    if (found->generation == LAST_GENERATION) return 0; /* the slot is worn out and stays empty */
    found->generation++;
    found->next_free = handles.first_free;
    handles.first_free = (uint32_t)(found - handles.slots);
    return 0;
}

double stria_abi_get_result(stria_status status, stria_tensor *x)
{
    return status == STRIA_OK ? stria_abi_put_tensor(x) : -(double)status;
}

int stria_abi_get_sizes(int from, double count, int64_t *sizes)
{
    int n = stria_abi_get_int(count);
    if (n < 0) return n;
    if (n > STRIA_MAX_DIMS) n = STRIA_MAX_DIMS + 1;
    for (int k = 0; k < n && k < STRIA_MAX_DIMS; k++) sizes[k] = stria_abi_get_int64(handles.scratch->n[from + k]);
    return n;
}

int stria_abi_get_axes(double count, int *axes)
{
    int n = stria_abi_get_int(count);
    if (n < 0) return n;
    if (n > STRIA_MAX_DIMS) n = STRIA_MAX_DIMS + 1;
    for (int k = 0; k < n; k++) axes[k] = stria_abi_get_int(handles.scratch->n[k]);
    return n;
}
