/* abi_gradient.c - the flat ABI: gradients. Hooks and functions of the host have numbers; a walk stops for them. */
#include <string.h>

#include "abi_table.h"
#include "autograd/walk.h"
#include "base/alloc.h"
#include "base/error.h"

#if defined(__EMSCRIPTEN__)
#define PER_THREAD /* only the main thread of a module calls the ABI */
#else
#define PER_THREAD _Thread_local
#endif

static stria_error *error_get(void) { return &stria_abi_get_scratch()->error; }
static double      *numbers_get(void) { return stria_abi_get_scratch()->n; }

/* ---------------------------------------------------------------- tensors */

double stria_abi_grad_state(double a)
{
    const stria_tensor *x = stria_abi_get_tensor(a, "grad", "x");
    if (!x) return -STRIA_ERR_DISPOSED;
    return stria_tensor_get_requires_grad(x) + 2 * stria_tensor_get_is_leaf(x) +
           4 * (stria_tensor_get_grad(x) != NULL) +
           8 * atomic_load_explicit(&x->storage->is_held, memory_order_relaxed);
}

double stria_abi_grad_require(double a, double requires_grad)
{
    stria_tensor *x = stria_abi_get_tensor(a, "requires_grad", "x");
    if (!x) return -STRIA_ERR_DISPOSED;
    return -(double)stria_tensor_set_requires_grad(x, requires_grad != 0, error_get());
}

double stria_abi_grad_get(double a, double known)
{
    const stria_tensor *x = stria_abi_get_tensor(a, "grad", "x");
    if (!x) return -STRIA_ERR_DISPOSED;
    stria_tensor *grad = stria_tensor_get_grad(x);
    if (!grad || (known != 0 && stria_abi_find_tensor(known) == grad)) return grad ? known : 0;
    return stria_abi_put_tensor(stria_tensor_retain(grad));
}

double stria_abi_grad_set(double a, double gradient)
{
    stria_tensor *x = stria_abi_get_tensor(a, "grad", "x"), *grad = NULL;
    if (!x) return -STRIA_ERR_DISPOSED;
    if (gradient != 0 && !(grad = stria_abi_get_tensor(gradient, "grad", "grad"))) return -STRIA_ERR_DISPOSED;
    return -(double)stria_tensor_set_grad(x, grad, error_get());
}

double stria_abi_grad_retain(double a)
{
    stria_tensor *x = stria_abi_get_tensor(a, "retain_grad", "x");
    return x ? -(double)stria_tensor_retain_grad(x, error_get()) : -STRIA_ERR_DISPOSED;
}

double stria_abi_grad_detach(double a)
{
    stria_tensor *x = stria_abi_get_tensor(a, "detach_", "x");
    return x ? -(double)stria_tensor_detach(x, error_get()) : -STRIA_ERR_DISPOSED;
}

double stria_abi_grad_mode(double mode)
{
    const int number = stria_abi_get_int(mode);
    if (number < -1) return stria_gradient_is_wanted();
    return number < 0 ? (double)stria_grad_mode_get() : (double)stria_gradient_set_state((stria_grad_state)number);
}

/* ---------------------------------------------------------------- numbers of the host */

static PER_THREAD uint32_t last_number;
static PER_THREAD struct {
    uint32_t *at;
    uint32_t  n, room;
} ended;

static void *number_to_context(uint32_t number) { return (void *)(uintptr_t)number; }

/* The host hears of it when it asks; without memory for the list it keeps what it has. */
static void number_end(void *context)
{
    if (ended.n == ended.room) {
        const uint32_t room = ended.room ? 2 * ended.room : 64;
        uint32_t      *at = stria_object_new(room * sizeof *at);
        if (!at) return;
        if (ended.n) memcpy(at, ended.at, ended.n * sizeof *at);
        stria_object_release(ended.at);
        ended.at = at;
        ended.room = room;
    }
    ended.at[ended.n++] = (uint32_t)(uintptr_t)context;
}

double stria_abi_grad_ended(void)
{
    double  *n = numbers_get();
    uint32_t count = 0;
    while (ended.n > 0 && count < STRIA_ABI_NUMBERS) n[count++] = ended.at[--ended.n];
    return count;
}

double stria_abi_grad_hook(double a)
{
    stria_tensor *x = stria_abi_get_tensor(a, "register_hook", "x");
    uint64_t      id;
    if (!x) return -STRIA_ERR_DISPOSED;
    const stria_status status =
        stria_gradient_register_hook(x, NULL, number_to_context(last_number + 1), number_end, &id, error_get());
    if (status != STRIA_OK) return -(double)status;
    numbers_get()[0] = (double)id;
    return ++last_number;
}

double stria_abi_grad_unhook(double id)
{
    stria_tensor_remove_hook((uint64_t)stria_abi_get_int64(id));
    return 0;
}

/* ---------------------------------------------------------------- walks */

/* A walk of the host; hooks may begin another one meanwhile. */
typedef struct own_walk {
    stria_walk           *walk;
    int                   n_inputs;
    stria_walk_event_kind waits_for;
    struct own_walk      *outer;
} own_walk;
static PER_THREAD own_walk *walks;

static stria_status refuse(const char *words)
{
    return stria_error_set(error_get(), STRIA_ERR_ARGUMENT, "backward", NULL, NULL, NULL, "%s", words);
}

/* Handles n[from ..]; 0 where it is allowed is NULL. */
static stria_status tensors_get(int from, int n, const char *argument, bool may_miss, stria_tensor **x)
{
    for (int k = 0; k < n; k++) {
        const double handle = numbers_get()[from + k];
        x[k] = NULL;
        if (handle == 0 && may_miss) continue;
        x[k] = stria_abi_get_tensor(handle, "backward", argument);
        if (!x[k]) return STRIA_ERR_DISPOSED;
    }
    return STRIA_OK;
}

static stria_status walk_begin(own_walk *own, stria_tensor **x, int n_outputs, int n_inputs, int flags, bool adds)
{
    stria_status status = tensors_get(0, n_outputs, "output", false, x);
    if (status == STRIA_OK) status = tensors_get(n_outputs, n_outputs, "gradient", true, x + n_outputs);
    if (status == STRIA_OK) status = tensors_get(2 * n_outputs, n_inputs, "input", false, x + 2 * n_outputs);
    if (status == STRIA_OK)
        status = stria_walk_new(x, n_outputs, x + n_outputs, x + 2 * n_outputs, n_inputs, flags, adds, &own->walk,
                                error_get());
    return status;
}

double stria_abi_walk_new(double outputs, double inputs, double flags, double adds)
{
    const int n_outputs = stria_abi_get_int(outputs), n_inputs = stria_abi_get_int(inputs);
    if (n_outputs < 1 || n_inputs < 0 || n_outputs > STRIA_ABI_NUMBERS / 2 ||
        2 * n_outputs + n_inputs > STRIA_ABI_NUMBERS)
        return -(double)refuse("there are too many outputs and inputs, or no output");
    stria_abi_sweep_lent();
    own_walk      *own = stria_object_new(sizeof *own);
    stria_tensor **x = stria_object_new((size_t)(2 * n_outputs + n_inputs) * sizeof(stria_tensor *));
    stria_status   status = own && x ? STRIA_OK : STRIA_ERR_MEMORY;
    if (status == STRIA_OK) status = walk_begin(own, x, n_outputs, n_inputs, stria_abi_get_int(flags), adds != 0);
    stria_object_release(x);
    if (status != STRIA_OK) {
        stria_object_release(own);
        return -(double)status;
    }
    own->n_inputs = n_inputs;
    own->waits_for = STRIA_WALK_DONE;
    own->outer = walks;
    walks = own;
    return 0;
}

/* Handles for tensors that are borrowed; on failure none is left. */
static stria_status handles_put(int from, int n, stria_tensor *const *x)
{
    for (int k = 0; k < n; k++) {
        const double handle = stria_abi_put_tensor(stria_tensor_retain(x[k]));
        if (handle < 0) {
            while (k-- > 0) stria_abi_dispose(numbers_get()[from + k]);
            return (stria_status)-handle;
        }
        numbers_get()[from + k] = handle;
    }
    return STRIA_OK;
}

static stria_status replay_put(const stria_walk *walk)
{
    const int n = stria_walk_count_inputs(walk);
    if (n > STRIA_ABI_NUMBERS - 2) return refuse("a checkpoint has too many inputs");
    numbers_get()[1] = n;
    for (int k = 0; k < n; k++) {
        stria_tensor      *x = stria_walk_get_input(walk, k);
        const stria_status status = handles_put(2 + k, 1, &x);
        if (status == STRIA_OK) continue;
        while (k-- > 0) stria_abi_dispose(numbers_get()[2 + k]);
        return status;
    }
    return STRIA_OK;
}

double stria_abi_walk_next(void)
{
    stria_walk_event event;
    if (!walks) return -(double)refuse("no walk has begun");
    stria_abi_sweep_lent(); /* a hook may have given memory away */
    stria_status status = stria_walk_next(walks->walk, &event, error_get());
    if (status != STRIA_OK) return -(double)status;
    walks->waits_for = event.kind;
    if (event.kind == STRIA_WALK_DONE) return 0;
    status = event.kind == STRIA_WALK_HOOK ? handles_put(1, 1, &event.gradient) : replay_put(walks->walk);
    numbers_get()[0] = event.id;
    if (status != STRIA_OK) return -(double)status;
    return event.kind == STRIA_WALK_HOOK ? 1 : 2;
}

double stria_abi_walk_answer(double count)
{
    const int                   n = stria_abi_get_int(count);
    const stria_walk_event_kind kind = walks ? walks->waits_for : STRIA_WALK_DONE;
    if (kind == STRIA_WALK_DONE || n < 0 || n > STRIA_ABI_NUMBERS || (kind == STRIA_WALK_HOOK && n > 1))
        return -(double)refuse("the walk waits for no such answer");
    walks->waits_for = STRIA_WALK_DONE;
    stria_tensor **x = stria_object_new((size_t)(n + 1) * sizeof(stria_tensor *));
    stria_status   status = x ? tensors_get(0, n, "gradient", true, x) : STRIA_ERR_MEMORY;
    if (status == STRIA_OK && kind == STRIA_WALK_HOOK)
        status = stria_walk_answer_hook(walks->walk, stria_tensor_retain(x[0]), error_get());
    else if (status == STRIA_OK)
        status = stria_walk_answer_replay(walks->walk, x, n, error_get());
    stria_object_release(x);
    return -(double)status;
}

double stria_abi_walk_take(double input)
{
    const int k = stria_abi_get_int(input);
    if (!walks || k < 0 || k >= walks->n_inputs) return -(double)refuse("the walk has no such input");
    stria_tensor *x = stria_walk_take(walks->walk, k);
    return x ? stria_abi_put_tensor(x) : 0;
}

double stria_abi_walk_end(void)
{
    own_walk *own = walks;
    if (!own) return -(double)refuse("no walk has begun");
    walks = own->outer;
    stria_walk_release(own->walk);
    stria_object_release(own);
    return 0;
}

void stria_abi_end_walks(void)
{
    while (walks) stria_abi_walk_end();
}

void stria_abi_end_numbers(void)
{
    stria_object_release(ended.at);
    ended.at = NULL;
    ended.n = ended.room = 0;
}

/* ---------------------------------------------------------------- checkpoints */

enum { WAS_OFF = 1, WAS_WATCHING = 2, HAD_MET = 4, WAS_REPEATED = 8 };

double stria_abi_replay_begin(void)
{
    const stria_gradient_state was = stria_replay_begin();
    return was.is_off * WAS_OFF + was.is_watching * WAS_WATCHING + was.has_met * HAD_MET +
           was.is_repeated * WAS_REPEATED;
}

static double replay_attach(int n_inputs, int n_outputs, stria_tensor **x)
{
    const stria_replay replay = {
        .context = number_to_context(last_number + 1), .release = number_end, .id = last_number + 1};
    stria_status status = tensors_get(0, n_inputs, "input", false, x);
    if (status == STRIA_OK) status = tensors_get(n_inputs, n_outputs, "output", false, x + n_inputs);
    if (status != STRIA_OK) return -(double)status;
    for (int k = 0; k < n_outputs; k++) stria_tensor_retain(x[n_inputs + k]);
    last_number++;
    status = stria_replay_attach(&replay, x, n_inputs, x + n_inputs, n_outputs, error_get());
    if (status == STRIA_OK) status = handles_put(0, n_outputs, x + n_inputs);
    for (int k = 0; k < n_outputs; k++) stria_tensor_release(x[n_inputs + k]);
    return status == STRIA_OK ? replay.id : -(double)status;
}

double stria_abi_replay_end(double state, double inputs, double outputs)
{
    const int                  bits = stria_abi_get_int(state), n_inputs = stria_abi_get_int(inputs);
    const int                  n_outputs = stria_abi_get_int(outputs);
    const stria_gradient_state was = {.is_off = (bits & WAS_OFF) != 0,
                                      .is_watching = (bits & WAS_WATCHING) != 0,
                                      .has_met = (bits & HAD_MET) != 0,
                                      .is_repeated = (bits & WAS_REPEATED) != 0};
    if (!stria_replay_end(&was) || n_inputs < 0) return 0;
    if (n_outputs < 1 || n_inputs > STRIA_ABI_NUMBERS || n_outputs > STRIA_ABI_NUMBERS - n_inputs)
        return -(double)refuse("a checkpoint has no outputs, or too many");
    stria_tensor **x = stria_object_new((size_t)(n_inputs + n_outputs) * sizeof(stria_tensor *));
    if (!x) return -STRIA_ERR_MEMORY;
    const double number = replay_attach(n_inputs, n_outputs, x);
    stria_object_release(x);
    return number;
}
