/* fuzz_cuda.c - random calls of every row, on the CPU and on a CUDA device with the same tensors: the same status and the same words, the same
 * shapes and strides, the same bits, or, of rows that add up floats, numbers that are as near to those of f64 as docs/cuda.md says. Into new and
 * given tensors, in place, over views of the inputs; what lies around an output stays as it was.
 *
 * In the environment: STRIA_FUZZ_CUDA rounds (200, 60 with a sanitizer), STRIA_FUZZ_SEED (1), STRIA_FUZZ_FIRST (0); STRIA_FUZZ_TELL=1 tells each call. */
#include <string.h>

#include "cuda_near.h"
#include "sanitized.h"
#include "tensor/tensor.h"

#if defined(__EMSCRIPTEN__)
SUITE(fuzz_cuda)
{
    printf("fuzz_cuda: SKIPPED (no plug-ins in this build)\n0 passed, 0 failed, 1 skipped\n");
    return 77;
}
#else
#include "call/backend.h"

enum { CALLS = 12, MOST_ELEMENTS = 1 << 17 };

static int64_t n_calls, n_computed, n_lacking;
static bool    tells;

/* ---------------------------------------------------------------- comparing */

static bool is_loose(stria_row row)
{
    return cuda_near_is_summing(row) ||
           (row >= STRIA_ROW_OF_FUNCTION(0) && stria_backend_cuda.impl[row - STRIA_ROW_OF_FUNCTION(0)] == NULL);
}

static bool are_same(const stria_tensor *there, const stria_tensor *here, char *text, size_t size)
{
    stria_tensor *a = cuda_case_to_cpu(there), *b = cuda_case_to_cpu(here);
    const int64_t item = stria_tensor_get_item_size(b);
    int64_t       first = -1, differ = 0;
    char          one[64], other[64];

    for (int64_t k = 0; k < b->numel; k++) {
        if (value_same(b->dtype, a->data + k * item, b->data + k * item)) continue;
        if (differ++ == 0) first = k;
    }
    if (first >= 0)
        snprintf(text, size, "%d of %d differ, element %d is %s, not %s", (int)differ, (int)b->numel, (int)first,
                 value_print(a->dtype, a->data + first * item, one, sizeof one),
                 value_print(b->dtype, b->data + first * item, other, sizeof other));
    stria_tensor_release(a);
    stria_tensor_release(b);
    return differ == 0;
}

static bool lie_alike(const stria_tensor *a, const stria_tensor *b)
{
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] > 1 && a->strides[d] != b->strides[d]) return false;
    return true;
}

/* The row k gave `there` on the device and `here` on the CPU. */
static void check_output(cuda_scene *s, int k, stria_tensor *there, const stria_tensor *here, double inputs)
{
    char text[300] = "";

    bool has_host = false; /* a number, of which broadcast_tensors gives a view */
    for (int n = 0; n < s->n_in; n++) has_host |= s->in[n]->on[1]->device.type == STRIA_DEVICE_CPU;
    CHECK(there->device.type == STRIA_DEVICE_CUDA || has_host, "%s: a result on %s", cuda_scene_describe(s),
          stria_device_get_name(there->device));
    const bool fits = there->dtype == here->dtype && stria_tensor_has_shape(there, here->ndim, here->shape);
    CHECK(fits, "%s: output %d of another shape or dtype, %s", cuda_scene_describe(s), k,
          stria_dtype_get_name(there->dtype));
    if (!fits) return;
    CHECK(here->numel == 0 || lie_alike(there, here), "%s: output %d lies in another way", cuda_scene_describe(s), k);
    if (here->numel > MOST_ELEMENTS) return; /* an expanded one */
    if (are_same(there, here, text, sizeof text)) return;
    const bool is_float = dtype_is_float(here->dtype) || dtype_is_complex(here->dtype);
    if (!is_float || !is_loose(s->call.call.row)) {
        CHECK(false, "%s: output %d: %s", cuda_scene_describe(s), k, text);
        return;
    }
    const bool is_near = cuda_near(s, k, there, here, inputs, text, sizeof text);
    CHECK(is_near, "%s: output %d: %s", cuda_scene_describe(s), k, text);
    CHECK_STATUS(stria_tensor_set(there, here, NULL), STRIA_OK);
}

/* What views look at is the same on both; what differs is made the same. */
static void check_memory(cuda_scene *s)
{
    char text[300];

    for (int k = 0; k < s->c->n_memory; k++) {
        chance_twin *m = &s->c->memory[k];
        if (m->on[0]->numel == 0 || are_same(m->on[1], m->on[0], text, sizeof text)) continue;
        CHECK(false, "%s: memory %d: %s", cuda_scene_describe(s), k, text);
        CHECK_STATUS(stria_tensor_set(m->on[1], m->on[0], NULL), STRIA_OK);
    }
}

/* "cuda:0" in the message becomes "cpu". */
static const char *at_home(const char *message, char *text, size_t size)
{
    size_t n = 0;

    for (; *message != 0 && n + 4 < size; message++) {
        if (strncmp(message, "cuda:0", 6) == 0) {
            memcpy(text + n, "cpu", 3);
            n += 3;
            message += 5;
        } else {
            text[n++] = *message;
        }
    }
    text[n] = 0;
    return text;
}

static void check_status_of(cuda_scene *s, stria_status here, stria_status there, const stria_error *err_here,
                            const stria_error *err_there)
{
    char              text[400], home[400];
    bool              lacks = there == STRIA_ERR_UNSUPPORTED && here != STRIA_ERR_UNSUPPORTED;
    const char *const unasked[] = {"the shape of the result depends on"};

    /* elements that a composite asks for on the CPU alone; tensors of the CPU beside a given one of the device */
    for (int k = 0; k < 1; k++)
        lacks |= strstr(err_here->message, unasked[k]) || strstr(err_there->message, unasked[k]);
    lacks |= there == STRIA_ERR_DEVICE || here == STRIA_ERR_MEMORY || there == STRIA_ERR_MEMORY;

    n_lacking += lacks;
    if (lacks) return;
    CHECK(here == there, "%s: status %d '%s', on the CPU %d '%s'", cuda_scene_describe(s), (int)there,
          err_there->message, (int)here, err_here->message);
    if (here == STRIA_OK || here != there) return;
    if (strstr(err_here->message, "no memory") != NULL) return;
    if (strcmp(err_here->op, "multinomial") == 0) return; /* of several bad rows another one is named first */
    CHECK(strcmp(at_home(err_there->message, text, sizeof text), at_home(err_here->message, home, sizeof home)) == 0 &&
              strcmp(err_here->op, err_there->op) == 0 && strcmp(err_here->argument, err_there->argument) == 0,
          "%s: '%s' (%s), on the CPU '%s' (%s)", cuda_scene_describe(s), err_there->message, err_there->argument,
          err_here->message, err_here->argument);
}

/* ---------------------------------------------------------------- one call */

static void run_both(cuda_scene *s)
{
    stria_tensor         *out[2][STRIA_MAX_OUTPUTS] = {{NULL}};
    stria_tensor_list     made[2] = {{NULL, 0}, {NULL, 0}};
    stria_error           err[2] = {{0}, {0}};
    stria_status          status[2];
    stria_generator_state state[2];
    const stria_schema   *schema = s->call.schema;
    const double          inputs = is_loose(s->call.call.row) ? cuda_near_get_inputs(s) : 0;

    for (int side = 0; side < 2; side++) {
        cuda_scene_place(s, side, NULL);
        for (int k = 0; k < STRIA_MAX_OUTPUTS; k++) s->call.out[k] = s->out[k] != NULL ? s->out[k]->on[side] : NULL;
        status[side] = stria_call_run(&s->call.call, &err[side]);
        state[side] = stria_generator_get_state(NULL);
        memcpy(out[side], s->call.out, sizeof out[side]);
        made[side] = s->call.made;
        memset(s->call.out, 0, sizeof s->call.out);
        s->call.made = (stria_tensor_list){NULL, 0};
    }
    n_calls++;
    check_status_of(s, status[0], status[1], &err[0], &err[1]);
    const bool ok = status[0] == STRIA_OK && status[1] == STRIA_OK;
    if (ok) {
        n_computed++;
        CHECK(state[0].offset == state[1].offset, "%s: the generator is at %d, not %d", cuda_scene_describe(s),
              (int)state[1].offset, (int)state[0].offset);
        CHECK(made[0].n == made[1].n, "%s: %d tensors, not %d", cuda_scene_describe(s), made[1].n, made[0].n);
        for (int k = 0; k < made[0].n && k < made[1].n; k++) check_output(s, k, made[1].at[k], made[0].at[k], inputs);
        for (int k = 0; schema == NULL ? k < 1 : k < schema->n_outputs && !stria_schema_makes_list(schema); k++)
            check_output(s, k, out[1][k], out[0][k], inputs);
    }
    if (status[0] == STRIA_OK && status[1] != STRIA_OK) /* what the CPU has written is there, too */
        for (int k = 0; k < s->c->n_memory; k++)
            CHECK_STATUS(stria_tensor_set(s->c->memory[k].on[1], s->c->memory[k].on[0], NULL), STRIA_OK);
    check_memory(s);
    s->is_spoilt = (status[0] == STRIA_OK) != (status[1] == STRIA_OK);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < STRIA_MAX_OUTPUTS; k++)
            if (s->out[k] == NULL) stria_tensor_release(out[side][k]);
        stria_tensor_list_release(&made[side]);
    }
}

/* ---------------------------------------------------------------- rounds */

static void settle(cuda_scene *s)
{
    if (s->call.call.row == STRIA_ROW_OF_FUNCTION(STRIA_FN_topk)) s->call.attrs.any.topk.sorted = true;
}

static bool is_left_out(stria_row row)
{
    return row == STRIA_ROW_OF_FUNCTION(STRIA_FN_empty_like) || row == STRIA_ROW_OF_FUNCTION(STRIA_FN_empty) ||
           row == STRIA_ROW_OF_FUNCTION(STRIA_FN_empty_strided) || row == STRIA_ROW_OF_FUNCTION(STRIA_FN_view_dtype);
}

static void run_round(int64_t seed, int64_t round)
{
    static chance     c;
    static cuda_scene s;

    c.random = (random_state){(uint64_t)(seed * 1000003 + round)};
    c.random.state = random_next(&c.random);
    c.room = 1500;
    s.c = &c;
    s.round = round;
    for (int k = 0; k < CALLS; k++) {
        stria_row row = chance_pick(&c, STRIA_ROW_OF_FUNCTION(STRIA_FN_COUNT));
        /* rows that have a kernel of their own come more often than composites */
        if (row >= STRIA_ROW_OF_FUNCTION(0) && stria_backend_cuda.impl[row - STRIA_ROW_OF_FUNCTION(0)] == NULL &&
            chance_pick(&c, 2))
            row = STRIA_ROW_OF_FUNCTION(0) - 1 - chance_pick(&c, STRIA_RED_COUNT);
        if (is_left_out(row)) continue;
        if (c.n_kept > CHANCE_KEPT - 24) chance_end(&c);
        s.number = k;
        cuda_scene_begin(&s, row);
        settle(&s);
        cuda_scene_pick_outputs(&s);
        if (tells) printf("%s\n", cuda_scene_describe(&s)), fflush(stdout);
        run_both(&s);
        if (s.is_spoilt) chance_end(&c);
    }
    chance_end(&c);
}

SUITE(fuzz_cuda)
{
    stria_memory_stats before = {0}, after = {0};

    check_isa("fuzz_cuda");
    if (!cuda_case_begin("fuzz_cuda")) return 77;
    const int64_t rounds = check_get_setting("STRIA_FUZZ_CUDA", IS_SANITIZED ? 60 : 200),
                  seed = check_get_setting("STRIA_FUZZ_SEED", 1), first = check_get_setting("STRIA_FUZZ_FIRST", 0);
    tells = check_get_setting("STRIA_FUZZ_TELL", 0) != 0;
    const int64_t tensors = stria_memory_get_stats().live_tensors;
    CHECK_STATUS(stria_device_memory_get_stats(CUDA, &before, NULL), STRIA_OK);
    stria_memory_set_limit(1 << 26);
    CHECK_STATUS(stria_device_memory_set_limit(CUDA, 1 << 26, NULL), STRIA_OK);
    for (int64_t k = 0; k < rounds; k++) run_round(seed, first + k);
    stria_memory_set_limit(0);
    CHECK_STATUS(stria_device_memory_set_limit(CUDA, 0, NULL), STRIA_OK);
    CHECK_STATUS(stria_device_memory_get_stats(CUDA, &after, NULL), STRIA_OK);
    CHECK(stria_memory_get_stats().live_tensors == tensors, "tensors are left over");
    CHECK(after.live_bytes == before.live_bytes && after.live_storages == before.live_storages,
          "%lld bytes are left over", (long long)(after.live_bytes - before.live_bytes));
    printf("fuzz_cuda: %lld calls, %lld computed, %lld lacking\n", (long long)n_calls, (long long)n_computed,
           (long long)n_lacking);
    CHECK(n_computed * 2 > n_calls, "few calls are computed");
    return cuda_case_finish("fuzz_cuda");
}
#endif
