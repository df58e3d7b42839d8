/* test_code.c - code made for expressions (src/wasm): every row that has one, on every lane type, and random expressions give the
 * bits of the steps and of one op after another; modules are small, few of them are kept, and a host that refuses them is no
 * error. Where nothing runs WebAssembly, expressions are encoded only. */
#include <string.h>

#include "cpu/expression.h"
#include "oracle.h"
#include "table/rows.h"
#include "wasm/encode.h"
#ifdef __EMSCRIPTEN__
#include <emscripten.h>

#include "wasm/code.h"
#define RUNS true
#else
#define RUNS false
#endif

#define MOST 67 /* elements */

static const stria_dtype lanes[] = {STRIA_F32, STRIA_F64, STRIA_I32, STRIA_BOOL};

static int64_t n_encoded, n_refused, largest;

/* From here on, expressions have code at once where they can, or none. */
static void use_code(bool on)
{
#ifdef __EMSCRIPTEN__
    stria_code_set_price(0);
    stria_code_set(on ? stria_code_try : NULL);
#else
    (void)on;
#endif
}

static int get_n_compiled(void)
{
#ifdef __EMSCRIPTEN__
    return stria_code_get_counts().compiled;
#else
    return 0;
#endif
}

/* Whether there is a module for inputs like these. */
static bool encode(const stria_expression *e, const stria_tensor *const *in)
{
    static stria_module module;
    stria_lowering     *l = NULL;

    if (stria_lowering_new(e, in, NULL, &l, NULL) != STRIA_OK) return false;
    const bool made = stria_module_encode(l, false, &module);
    stria_lowering_release(l);
    *(made ? &n_encoded : &n_refused) += 1;
    if (!made) return false;
    CHECK(module.nbytes < STRIA_CODE_BYTES && module.nbytes > 40 && (module.lanes == 2 || module.lanes == 4),
          "%d bytes, %d lanes", module.nbytes, module.lanes);
    if (module.nbytes > largest) largest = module.nbytes;
    return true;
}

/* ---------------------------------------------------------------- operands */

/* Elements `first` .. of a tensor of its own: special ones, and others. */
static stria_tensor *make_part(random_state *random, stria_dtype dtype, int64_t first, int64_t count)
{
    const int64_t n = first + count;
    stria_tensor *all = NULL, *part = NULL;

    CHECK_STATUS(stria_tensor_new(dtype, 1, &n, &all, NULL), STRIA_OK);
    char *at = stria_tensor_get_data(all);
    for (int64_t k = 0; k < n; k++, at += stria_dtype_get_size(dtype)) {
        if (random_next(random) % 3 == 0)
            special_element(dtype, random_next(random), at);
        else
            random_element(random, dtype, -4, 4, at);
    }
    CHECK_STATUS(stria_narrow(all, 0, first, count, &part, NULL), STRIA_OK);
    stria_tensor_release(all);
    return part;
}

static void check_same(const stria_tensor *got, const stria_tensor *expected, const char *what, const char *name,
                       int64_t number)
{
    const stria_dtype dtype = stria_tensor_get_dtype(expected);
    const int64_t     n = stria_tensor_get_numel(expected), size = (int64_t)stria_dtype_get_size(dtype);
    const char       *a = got->data, *b = expected->data;
    int64_t           wrong = 0, first = -1;
    char              text[2][64];

    CHECK(stria_tensor_get_dtype(got) == dtype && stria_tensor_get_numel(got) == n, "%s %s: dtype or size", name, what);
    for (int64_t k = 0; k < n; k++) {
        if (value_same(dtype, a + k * size, b + k * size)) continue;
        if (wrong++ == 0) first = k;
    }
    CHECK(wrong == 0, "%s %s %lld: %lld of %lld %s wrong, [%lld] is %s and not %s", name, what, (long long)number,
          (long long)wrong, (long long)n, stria_dtype_get_name(dtype), (long long)first,
          value_print(dtype, a + (first < 0 ? 0 : first) * size, text[0], sizeof text[0]),
          value_print(dtype, b + (first < 0 ? 0 : first) * size, text[1], sizeof text[1]));
}

/* The expression with code, without, and in place. */
static void check_expression(stria_expression *e, stria_tensor *const *operands, int n_in, const stria_tensor *expected,
                             const char *name, int64_t number)
{
    const stria_tensor *const *in = (const stria_tensor *const *)operands;
    const stria_dtype          dtype = stria_tensor_get_dtype(expected);
    stria_tensor              *y = NULL;

    for (int on = 1; on >= 0; on--) {
        use_code(on);
        CHECK_STATUS(stria_expression_apply(e, in, n_in, &y, NULL), STRIA_OK);
        check_same(y, expected, on ? "code" : "steps", name, number);
        stria_tensor_release(y);
    }
    use_code(true);
    for (int k = 0; k < n_in; k++) {
        if (stria_tensor_get_dtype(in[k]) != dtype || stria_tensor_get_numel(in[k]) != stria_tensor_get_numel(expected))
            continue;
        CHECK_STATUS(stria_expression_apply_out(e, in, n_in, operands[k], NULL), STRIA_OK);
        check_same(operands[k], expected, "in place", name, number);
        return;
    }
}

/* ---------------------------------------------------------------- rows */

/* What follows the row, so that there are two steps. */
static stria_op get_second(stria_op op)
{
    return stria_op_infos[op].result == STRIA_RESULT_BOOL ? STRIA_OP_logical_not : STRIA_OP_add;
}

static bool is_open(stria_op op) /* they read the sign of a NaN */
{
    return op == STRIA_OP_signbit || op == STRIA_OP_copysign;
}

static void test_lengths(stria_expression *e, stria_op op, stria_dtype dtype, random_state *random)
{
    const int   arity = stria_op_infos[op].arity;
    const char *name = stria_op_infos[op].name;

    for (int64_t n = 0; n <= MOST && !is_open(op); n++) {
        stria_tensor *in[STRIA_MAX_INPUTS] = {NULL}, *first = NULL, *expected = NULL;
        const int     single = (int)(random_next(random) % 6); /* an input of one element, or none */
        for (int k = 0; k < arity; k++) {
            const bool is_mask = stria_op_infos[op].result == STRIA_RESULT_SELECT && k == 0;
            in[k] = make_part(random, is_mask ? STRIA_BOOL : dtype, (int64_t)(random_next(random) % 5),
                              k == single && arity > 1 ? 1 : n);
        }
        use_code(false);
        CHECK_STATUS(stria_apply(op, (const stria_tensor *const *)in, arity, &first, NULL), STRIA_OK);
        CHECK_STATUS(stria_apply(get_second(op), (const stria_tensor *[]){first, first},
                                 stria_op_infos[get_second(op)].arity, &expected, NULL),
                     STRIA_OK);
        check_expression(e, in, arity, expected, name, n);
        for (int k = 0; k < arity; k++) stria_tensor_release(in[k]);
        stria_tensor_release(first);
        stria_tensor_release(expected);
    }
}

static void test_row(stria_op op, stria_dtype dtype, random_state *random)
{
    const int               arity = stria_op_infos[op].arity;
    const stria_instruction code[] = {{op, {0, 1, 2}}, {get_second(op), {arity, arity}}};
    const int64_t           one = 1;
    stria_tensor           *in[STRIA_MAX_INPUTS] = {NULL};
    stria_expression       *e = NULL;

    for (int k = 0; k < arity; k++)
        CHECK_STATUS(stria_tensor_new(stria_op_infos[op].result == STRIA_RESULT_SELECT && k == 0 ? STRIA_BOOL : dtype,
                                      1, &one, &in[k], NULL),
                     STRIA_OK);
    CHECK_STATUS(stria_expression_new(arity, NULL, 0, code, 2, &e, NULL), STRIA_OK);
    if (encode(e, (const stria_tensor *const *)in)) {
        const int before = get_n_compiled();
        test_lengths(e, op, dtype, random);
        CHECK(!RUNS || is_open(op) || get_n_compiled() > before, "%s: no code", stria_op_infos[op].name);
    }
    stria_expression_release(e);
    for (int k = 0; k < arity; k++) stria_tensor_release(in[k]);
}

/* ---------------------------------------------------------------- random expressions */

#define MOST_CODE 12

static void test_random(uint64_t seed)
{
    random_state random = {seed};
    const int    n_in = 1 + (int)(random_next(&random) % 4), n_code = 2 + (int)(random_next(&random) % (MOST_CODE - 1));
    const int64_t     n = (int64_t)(random_next(&random) % (seed % 16 ? 70 : 100000));
    stria_tensor     *value[4 + 1 + MOST_CODE] = {NULL};
    stria_instruction code[MOST_CODE];
    stria_scalar      constant = {.kind = STRIA_SCALAR_FLOAT, .re = random_unit(&random)};
    stria_expression *e = NULL;
    stria_status      status = STRIA_OK;

    for (int k = 0; k < n_in; k++) {
        const uint64_t some = random_next(&random) % 8;
        value[k] = make_part(&random, lanes[some > 3 ? 0 : some], (int64_t)(random_next(&random) % 5),
                             random_next(&random) % 5 || k == 0 ? n : 1);
    }
    CHECK_STATUS(stria_tensor_new_scalar(constant, &value[n_in], NULL), STRIA_OK);
    use_code(false);
    for (int i = 0; i < n_code; i++) { /* what is well typed, of rows that are short */
        do {
            const int n_values = n_in + 1 + i;
            code[i].op = (stria_op)(random_next(&random) % STRIA_OP_COUNT);
            for (int k = 0; k < 3; k++)
                code[i].in[k] = k == 0 && random_next(&random) % 2 ? n_values - 1
                                                                   : (int)(random_next(&random) % (uint64_t)n_values);
            const stria_tensor *in[3] = {value[code[i].in[0]], value[code[i].in[1]], value[code[i].in[2]]};
            if (random_next(&random) % 6 == 0 && code[i].in[0] != n_in) { /* no constant */
                const stria_dtype to = lanes[random_next(&random) % 4];
                code[i].op = STRIA_CONVERT(to);
                status = stria_tensor_copy(in[0], to, &value[n_values], NULL);
                continue;
            }
            status = is_open(code[i].op)
                         ? STRIA_ERR_DTYPE
                         : stria_apply(code[i].op, in, stria_op_infos[code[i].op].arity, &value[n_values], NULL);
        } while (status != STRIA_OK);
    }
    CHECK_STATUS(stria_expression_new(n_in, &constant, 1, code, n_code, &e, NULL), STRIA_OK);
    encode(e, (const stria_tensor *const *)value);
    check_expression(e, value, n_in, value[n_in + n_code], "random expression", (int64_t)seed);
    stria_expression_release(e);
    for (int k = 0; k < n_in + 1 + n_code; k++) stria_tensor_release(value[k]);
}

/* ---------------------------------------------------------------- the host */

#ifdef __EMSCRIPTEN__

/* a * 2^-20 number + a, an expression of its own for each number, on these. */
static void apply_numbered(int number, stria_tensor *a, stria_tensor **y)
{
    const stria_instruction code[] = {{STRIA_OP_mul, {0, 1}}, {STRIA_OP_add, {2, 0}}};
    const stria_scalar      constant = {.kind = STRIA_SCALAR_FLOAT, .re = number * 0x1p-20};
    stria_expression       *e = NULL;

    CHECK_STATUS(stria_expression_new(1, &constant, 1, code, 2, &e, NULL), STRIA_OK);
    CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){a}, 1, y, NULL), STRIA_OK);
    stria_expression_release(e);
}

static void test_numbered(int n, const char *what)
{
    random_state  random = {9};
    stria_tensor *a = make_part(&random, STRIA_F32, 1, 50);
    int           wrong = 0;

    for (int number = 0; number < n; number++) {
        stria_tensor *y[2] = {NULL};
        for (int on = 0; on < 2; on++) {
            use_code(on);
            apply_numbered(number, a, &y[on]);
        }
        for (int k = 0; k < 50; k++) wrong += !value_same(STRIA_F32, y[0]->data + 4 * k, y[1]->data + 4 * k);
        for (int on = 0; on < 2; on++) stria_tensor_release(y[on]);
    }
    CHECK(wrong == 0, "%s: %d wrong", what, wrong);
    stria_tensor_release(a);
}

/* Many expressions take few places of the table. */
static void test_many(void)
{
    const int before = get_n_compiled(), length = EM_ASM_INT(return wasmTable.length);

    test_numbered(10000, "many expressions");
    CHECK(get_n_compiled() == before + 10000, "%d functions were made", get_n_compiled() - before);
    CHECK(EM_ASM_INT(return wasmTable.length) <= length + STRIA_CODE_PLACES, "%d places of the table",
          EM_ASM_INT(return wasmTable.length) - length);
}

/* Expressions that take turns at a place do not make it anew each time. */
static void test_price(void)
{
    const stria_instruction code[] = {{STRIA_OP_mul, {0, 0}}, {STRIA_OP_add, {1, 0}}};
    random_state            random = {3};
    stria_tensor           *a = make_part(&random, STRIA_F32, 0, 999), *y = NULL;
    stria_expression       *e = NULL;
    int                     before = get_n_compiled();

    use_code(true);
    stria_code_set_price(1000000);
    CHECK_STATUS(stria_expression_new(1, NULL, 0, code, 2, &e, NULL), STRIA_OK);
    for (int call = 1; call <= 2000; call++) {
        CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){a}, 1, &y, NULL), STRIA_OK);
        stria_tensor_release(y);
        if (call == 499) CHECK(get_n_compiled() == before, "code before it pays");
    }
    CHECK(get_n_compiled() == before + 1, "%d functions for one expression", get_n_compiled() - before);
    stria_expression_release(e);
    stria_tensor_release(a);
}

/* Code goes on in memory that has grown. */
static void test_growth(void)
{
    const stria_instruction code[] = {{STRIA_OP_mul, {0, 0}}, {STRIA_OP_add, {1, 0}}};
    const int64_t           n = 30 << 20;
    stria_tensor           *a = NULL, *y = NULL;
    stria_expression       *e = NULL;
    int64_t                 wrong = 0;

    use_code(true);
    CHECK_STATUS(stria_expression_new(1, NULL, 0, code, 2, &e, NULL), STRIA_OK);
    for (int round = 0; round < 2; round++) {
        const int64_t count = round == 0 ? 10 : n;
        const int     before = EM_ASM_INT(return wasmMemory.buffer.byteLength / 65536);
        CHECK_STATUS(stria_tensor_new(STRIA_F32, 1, &count, &a, NULL), STRIA_OK);
        for (int64_t k = 0; k < count; k++) ((float *)(void *)a->data)[k] = 3;
        CHECK_STATUS(stria_expression_apply(e, (const stria_tensor *[]){a}, 1, &y, NULL), STRIA_OK);
        for (int64_t k = 0; k < count; k++) wrong += ((float *)(void *)y->data)[k] != 12;
        CHECK(round == 0 || EM_ASM_INT(return wasmMemory.buffer.byteLength / 65536) > before, "memory has grown");
        stria_tensor_release(a);
        stria_tensor_release(y);
    }
    CHECK(wrong == 0, "%lld wrong in grown memory", (long long)wrong);
    stria_expression_release(e);
}

/* A page's policy: 'wasm-unsafe-eval' is missing. The last test: a thread asks once. */
static void test_refused(void)
{
    const stria_code_counts before = stria_code_get_counts();

    EM_ASM(WebAssembly.Module = function() { throw new WebAssembly.CompileError("refused by a policy"); });
    test_numbered(100, "a host that refuses");
    CHECK(stria_code_get_counts().refused == before.refused + 1, "asked once");
    CHECK(stria_code_get_counts().compiled == before.compiled, "nothing was made");
}

static void test_host(void)
{
    test_many();
    test_price();
    test_growth();
    test_refused();
}

#else
static void test_host(void) {}
#endif

static void test_rows(void)
{
    random_state random = {7};

    for (int op = 0; op < STRIA_OP_COUNT; op++)
        for (int d = 0; d < 4; d++) test_row((stria_op)op, lanes[d], &random);
    printf("  rows: %lld modules, %lld without; at most %lld bytes\n", (long long)n_encoded, (long long)n_refused,
           (long long)largest);
    CHECK(n_encoded > 150, "%lld rows have modules", (long long)n_encoded);
    n_encoded = n_refused = 0;
}

SUITE(test_code)
{
    const int64_t n_random = check_get_count(2000);

    check_isa("test_code");
    if (check_has_values()) test_rows();
    for (int64_t seed = 1; seed <= n_random; seed++) {
        CHECK_STATUS(stria_threads_set(1 + (int)(seed % 3), NULL), STRIA_OK);
        test_random((uint64_t)seed);
    }
    printf("  random expressions: %lld modules, %lld without\n", (long long)n_encoded, (long long)n_refused);
    CHECK(n_encoded > n_random / 4, "%lld random expressions have modules", (long long)n_encoded);
    test_host();
    use_code(false);
    CHECK(stria_memory_get_stats().live_tensors == 0, "tensors left");
    return check_finish("test_code");
}
