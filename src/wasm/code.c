/* code.c - compiles the modules of encode.c when they pay, and calls them. */
#include "wasm/code.h"

#include <emscripten.h>
#include <string.h>

#include "base/alloc.h"
#include "wasm/encode.h"

#if defined(__EMSCRIPTEN_SHARED_MEMORY__)
#define IS_SHARED true
#else
#define IS_SHARED false
#endif
/* Groups of a call: engines replace code by better code between calls. */
#define GROUPS_AT_ONCE 4096
#define GROUP_BYTES 32

/* The number of a function in this thread's table: a new one, or `number` again; 0 where the host does not compile. */
EM_JS(int, stria_code_compile, (const void *bytes, int nbytes, int number), {
    try {
        const at = bytes >>> 0;
        const module = new WebAssembly.Module(new Uint8Array(wasmMemory.buffer).slice(at, at + nbytes));
        const code = new WebAssembly.Instance(module, {"m" : {"m" : wasmMemory}}).exports["f"];
        const table = wasmExports["__indirect_function_table"];
        if (!number) number = table.grow(1);
        table.set(number, code);
        return number;
    } catch {
        return 0;
    }
});

typedef void code_function(const stria_code_operand *operands, int n_groups);

/* What a lowering keeps. lanes 0: there are no bytes for it. */
typedef struct code {
    uint32_t id; /* never used again; from 1 on */
    int      lanes, nbytes;
    uint8_t  bytes[];
} code;

typedef struct place {
    uint32_t id; /* of the code there; 0: none */
    int      number;
    int64_t  work; /* that others did without */
} place;

static _Thread_local place places[STRIA_CODE_PLACES];
static _Thread_local bool  is_refused;
static atomic_uint         ids;
static atomic_int          n_encoded, n_compiled, n_refused;
static int64_t             price = STRIA_CODE_PRICE;

void stria_code_set_price(int64_t new_price) { price = new_price; }

stria_code_counts stria_code_get_counts(void)
{
    return (stria_code_counts){atomic_load(&n_encoded), atomic_load(&n_compiled), atomic_load(&n_refused)};
}

/* The bytes of a lowering; NULL: no memory. */
static code *get_code(stria_lowering *l)
{
    void *c = atomic_load_explicit(&l->code, memory_order_acquire);

    if (c != NULL) return c;
    stria_module *module = stria_object_new(sizeof *module);
    if (module == NULL) return NULL;
    const bool made = stria_module_encode(l, IS_SHARED, module);
    code      *own = stria_object_new(sizeof *own + (made ? (size_t)module->nbytes : 0));
    if (own != NULL && made) {
        own->lanes = module->lanes;
        own->nbytes = module->nbytes;
        memcpy(own->bytes, module->bytes, (size_t)module->nbytes);
        atomic_fetch_add(&n_encoded, 1);
    }
    stria_object_release(module);
    if (own == NULL) return NULL;
    own->id = atomic_fetch_add(&ids, 1) + 1;
    if (atomic_compare_exchange_strong(&l->code, &c, own)) return own;
    stria_object_release(own); /* another thread was first */
    return c;
}

/* This thread's function for a code, or NULL. `work`: of this call. */
static code_function *find(stria_lowering *l, int64_t work, int *lanes)
{
    const code *c = atomic_load_explicit(&l->code, memory_order_acquire);

    if (is_refused) return NULL;
    if (c == NULL) { /* a place by its address, until it has a number */
        place *p = &places[(uintptr_t)l / 64 % STRIA_CODE_PLACES];
        p->work += work;
        if (p->work < price || (c = get_code(l)) == NULL) return NULL;
        p->work = 0;
        work = price;
    }
    if (c->lanes == 0) return NULL;
    place *p = &places[c->id % STRIA_CODE_PLACES];
    *lanes = c->lanes;
    if (p->id != c->id) {
        p->work += work;
        if (p->work < price) return NULL;
        p->work = 0;
        const int number = stria_code_compile(c->bytes, c->nbytes, p->number);
        is_refused = number == 0;
        atomic_fetch_add(is_refused ? &n_refused : &n_compiled, 1);
        if (is_refused) return NULL;
        p->number = number;
        p->id = c->id;
    }
    return (code_function *)(intptr_t)p->number;
}

/* ---------------------------------------------------------------- a call */

typedef struct call {
    const stria_lowering *l;
    code_function        *run;
    int                   lanes;
    char *const          *data;
    const int64_t        *strides;
    stria_code_operand    operand[STRIA_CODE_OPERANDS];
    _Alignas(16) char group[STRIA_CODE_OPERANDS][GROUP_BYTES];
} call;

static int64_t get_size(const call *c, int k) { return (int64_t)stria_dtype_sizes[c->l->operands[k].lane]; }

/* A group of one value. */
static void repeat(call *c, int k)
{
    const int64_t size = get_size(c, k);

    for (int i = 0; i < c->lanes; i++) memcpy(c->group[k] + i * size, c->data[k], (size_t)size);
    c->operand[k] = (stria_code_operand){(uint32_t)(uintptr_t)c->group[k], 0};
}

static void run_groups(call *c, int64_t n_groups)
{
    while (n_groups > 0) {
        const int n = n_groups < GROUPS_AT_ONCE ? (int)n_groups : GROUPS_AT_ONCE;
        c->run(c->operand, n);
        for (int k = 0; k < c->l->n_operands; k++) c->operand[k].at += (uint32_t)n * c->operand[k].step;
        n_groups -= n;
    }
}

/* Elements from `begin` on, fewer than a group, in a group of their own. */
static void run_rest(call *c, int64_t begin, int64_t count)
{
    for (int k = 0; k < c->l->n_operands; k++) {
        if (c->strides[k] == 0) continue;
        const int64_t size = get_size(c, k);
        if (k >= c->l->n_out) memcpy(c->group[k], c->data[k] + begin * size, (size_t)((count - begin) * size));
        c->operand[k] = (stria_code_operand){(uint32_t)(uintptr_t)c->group[k], 0};
    }
    c->run(c->operand, 1);
    for (int k = 0; k < c->l->n_out; k++)
        memcpy(c->data[k] + begin * get_size(c, k), c->group[k], (size_t)((count - begin) * get_size(c, k)));
}

bool stria_code_try(stria_lowering *l, char *const *data, const int64_t *strides, int64_t count)
{
    call c;

    if (l->n_steps < 2) return false; /* a loop is as good */
    c.run = find(l, (count + 1) * l->n_steps, &c.lanes);
    if (c.run == NULL) return false;
    c.l = l;
    c.data = data;
    c.strides = strides;
    for (int k = 0; k < l->n_operands; k++) {
        if (strides[k] == 0)
            repeat(&c, k);
        else
            c.operand[k] = (stria_code_operand){(uint32_t)(uintptr_t)data[k], (uint32_t)(c.lanes * get_size(&c, k))};
    }
    const int64_t n_groups = count / c.lanes;
    run_groups(&c, n_groups);
    if (n_groups * c.lanes < count) run_rest(&c, n_groups * c.lanes, count);
    return true;
}
