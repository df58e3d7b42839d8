/* test_hash.c - the same bits everywhere: one 64-bit hash per row and dtype of results over several sizes and
 * layouts, which every instruction set, thread count and target must reproduce.
 *
 *     test_hash                 compares with tests/data/hashes.txt
 *     test_hash --check FILE    compares with FILE
 *     test_hash --write FILE    writes FILE
 *
 * Every computation is done with 1, 2 and 7 threads; with STRIA_HASH_THREADS of them alone, if that is set, where all are slow. Of rows, one
 * of STRIA_HASH_PART is computed, by its name and dtype: the one that STRIA_HASH_TURN, from 0 on, says.
 * NaNs count as one NaN. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hash.h"

/* ---------------------------------------------------------------- hashing */

/* FNV-1a over 64-bit words instead of bytes, with a final mix. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x100000001b3u;
    return hash ^ (hash >> 29);
}

/* n elements of a type, NaNs as one. */
#define HASH_ROW(type, is_nan, nan)                                  \
    for (int64_t k = 0; k < n; k++, at += step) {                    \
        type bits;                                                   \
        memcpy(&bits, at, sizeof bits);                              \
        hash = mix(hash, (uint64_t)((is_nan) ? (type)(nan) : bits)); \
    }                                                                \
    return hash
static uint64_t hash_row(uint64_t hash, stria_dtype dtype, const char *at, int64_t step, int64_t n)
{
    if (dtype_is_complex(dtype)) {
        const stria_dtype part = dtype == STRIA_C64 ? STRIA_F32 : STRIA_F64;
        const int64_t     size = (int64_t)stria_dtype_get_size(part);
        for (int64_t k = 0; k < n; k++) hash = hash_row(hash, part, at + k * step, size, 2);
        return hash;
    }
    switch (dtype) {
    case STRIA_F16: HASH_ROW(uint16_t, (bits & 0x7fff) > 0x7c00, 0x7e00);
    case STRIA_BF16: HASH_ROW(uint16_t, (bits & 0x7fff) > 0x7f80, 0x7fc0);
    case STRIA_F32: HASH_ROW(uint32_t, (bits & 0x7fffffff) > 0x7f800000, 0x7fc00000);
    case STRIA_F64: HASH_ROW(uint64_t, bits << 1 >> 1 > 0x7ff0000000000000u, 0x7ff8000000000000u);
    default: break;
    }
    switch (stria_dtype_get_size(dtype)) {
    case 1: HASH_ROW(uint8_t, 0, 0);
    case 2: HASH_ROW(uint16_t, 0, 0);
    case 4: HASH_ROW(uint32_t, 0, 0);
    default: HASH_ROW(uint64_t, 0, 0);
    }
}

uint64_t hash_tensor(uint64_t hash, const stria_tensor *y)
{
    const int         ndim = stria_tensor_get_ndim(y);
    const stria_dtype dtype = stria_tensor_get_dtype(y);
    int64_t           index[STRIA_MAX_DIMS] = {0};
    hash = mix(hash, (uint64_t)dtype);
    for (int k = 0; k < ndim; k++) hash = mix(hash, (uint64_t)stria_tensor_get_shape(y)[k]);
    if (stria_tensor_get_numel(y) == 0) return hash;
    const int64_t row = ndim ? stria_tensor_get_shape(y)[ndim - 1] : 1;
    const int64_t step = ndim ? stria_tensor_get_strides(y)[ndim - 1] * (int64_t)stria_dtype_get_size(dtype) : 0;
    do {
        const char *at = tensor_at(y, index);
        hash = hash_row(hash, dtype, at, step, row);
    } while (index_next(ndim - 1, stria_tensor_get_shape(y), index));
    return hash;
}

/* ---------------------------------------------------------------- the table of hashes */

enum { MAX_LINES = 4000 };
static struct line {
    char     name[48];
    uint64_t hash; /* or LEFT_OUT */
} lines[MAX_LINES];
static int n_lines;

void hash_add_line(const char *name, stria_dtype a, stria_dtype b, uint64_t hash)
{
    struct line *line = &lines[n_lines++];
    if (n_lines >= MAX_LINES) exit(2);
    if (b == STRIA_DTYPE_NONE)
        snprintf(line->name, sizeof line->name, "%s.%s", name, stria_dtype_get_name(a));
    else
        snprintf(line->name, sizeof line->name, "%s.%s.%s", name, stria_dtype_get_name(a), stria_dtype_get_name(b));
    line->hash = hash;
}

/* ---------------------------------------------------------------- computations */

static int     threads[] = {1, 2, 7}, n_counts = 3;
static int64_t part = 1, turn = 0;
enum { LEFT_OUT = 1 };

/* By name and dtype, so that lines are computed as a whole or not at all. */
static bool is_left_out(const char *name, stria_dtype dtype)
{
    uint64_t hash = mix(HASH_BEGIN, (uint64_t)dtype);
    while (*name) hash = mix(hash, (uint64_t)*name++);
    return hash % (uint64_t)part != (uint64_t)turn;
}

uint64_t hash_threads(hash_runner *run, const void *call, uint64_t hash, const char *name, stria_dtype dtype)
{
    stria_tensor *first = NULL;
    uint64_t      result = 0;

    if (is_left_out(name, dtype)) return LEFT_OUT;
    for (int t = 0; t < n_counts; t++) {
        CHECK_STATUS(stria_threads_set(threads[t], NULL), STRIA_OK);
        stria_tensor *y = run(call);
        if (t == 0) {
            result = y ? hash_tensor(hash, y) : 0;
            first = y;
            continue;
        }
        /* New tensors have no holes. Bits that differ may be NaNs, which the hash takes as one. */
        const size_t nbytes =
            y ? (size_t)stria_tensor_get_numel(y) * stria_dtype_get_size(stria_tensor_get_dtype(y)) : 0;
        const bool same = first && y && nbytes > 0 &&
                          memcmp(stria_tensor_get_strides(first), stria_tensor_get_strides(y),
                                 (size_t)stria_tensor_get_ndim(y) * sizeof(int64_t)) == 0 &&
                          memcmp(stria_tensor_get_data(first), stria_tensor_get_data(y), nbytes) == 0;
        CHECK(same || (y && hash_tensor(hash, y) == result), "%s.%s: %d threads change the bits", name,
              stria_dtype_get_name(dtype), threads[t]);
        stria_tensor_release(y);
    }
    stria_tensor_release(first);
    return result;
}

const hash_shape hash_shapes[HASH_SHAPES] = {
    {1, {67}, {LAYOUT_CONTIGUOUS, LAYOUT_CONTIGUOUS, LAYOUT_CONTIGUOUS}},
    {2, {9, 31}, {LAYOUT_TRANSPOSED, LAYOUT_STEPPED, LAYOUT_COLUMN}},
    {3, {4, 7, 5}, {LAYOUT_FLIPPED, LAYOUT_ROW, LAYOUT_OFFSET}},
    {1, {80021}, {LAYOUT_CONTIGUOUS, LAYOUT_CONTIGUOUS, LAYOUT_CONTIGUOUS}},
    {2, {260, 301}, {LAYOUT_CONTIGUOUS, LAYOUT_TRANSPOSED, LAYOUT_ROW}},
};

stria_tensor *hash_run_op(const void *data)
{
    const hash_op_call *call = data;
    stria_tensor       *y = NULL;
    CHECK_STATUS(stria_apply(call->number, call->in, oracle_ops[call->number].arity, &y, NULL), STRIA_OK);
    return y;
}

static uint64_t hash_op(stria_op number, stria_dtype dtype, const hash_shape *s, uint64_t hash)
{
    const oracle_op    *op = &oracle_ops[number];
    random_state        random = {(uint64_t)(1 + number) * 1000 + (uint64_t)dtype};
    stria_tensor       *in[STRIA_MAX_INPUTS] = {NULL};
    const stria_tensor *view[STRIA_MAX_INPUTS];
    const hash_op_call  call = {number, view};

    if (is_left_out(op->name, dtype)) return LEFT_OUT;
    for (int k = 0; k < op->arity; k++) {
        const stria_dtype d = op->rule == ORACLE_SELECT && k == 0 ? STRIA_BOOL : dtype;
        view[k] = in[k] = tensor_random(&random, d, s->layouts[k], s->ndim, s->sizes, op->low, op->high);
    }
    hash = hash_threads(hash_run_op, &call, hash, op->name, dtype);
    for (int k = 0; k < op->arity; k++) stria_tensor_release(in[k]);
    return hash;
}

static void hash_ops(void)
{
    for (int op = 0; op < STRIA_OP_COUNT; op++) {
        for (int d = 0; d <= STRIA_F64; d++) {
            const oracle_op  *row = &oracle_ops[op];
            const bool        to_float = row->rule == ORACLE_FLOAT && !dtype_is_float((stria_dtype)d);
            const stria_dtype compute = to_float ? STRIA_F32 : oracle_compute((stria_dtype)d);
            uint64_t          hash = HASH_BEGIN;
            if (!oracle_op_has(row, compute)) continue;
            for (int s = 0; s < HASH_SHAPES; s++) hash = hash_op((stria_op)op, (stria_dtype)d, &hash_shapes[s], hash);
            if (dtype_is_float((stria_dtype)d) && row->rule != ORACLE_SELECT)
                hash = hash_dense((stria_op)op, (stria_dtype)d, hash);
            hash_add_line(row->name, (stria_dtype)d, STRIA_DTYPE_NONE, hash);
        }
    }
}

/* Floats for sums and products: finite, and products that neither vanish nor overflow. */
static void make_tame(random_state *random, stria_tensor *x, bool for_prod)
{
    const stria_dtype dtype = stria_tensor_get_dtype(x);
    int64_t           index[STRIA_MAX_DIMS] = {0};
    if (!dtype_is_float(dtype)) return;
    do {
        const double u = random_unit(random) - 0.5;
        value_set(dtype, value_from_real(for_prod ? 1 + u / 64 : u), tensor_at(x, index));
    } while (index_next(stria_tensor_get_ndim(x), stria_tensor_get_shape(x), index));
}

struct reduction_call {
    stria_reduction     number;
    const stria_tensor *x;
    int                 axes[3], n_axes;
};

static stria_tensor *run_reduction(const void *data)
{
    const struct reduction_call *call = data;
    stria_tensor                *y = NULL;
    CHECK_STATUS(stria_reduce(call->number, call->x, call->axes, call->n_axes, false, STRIA_DTYPE_NONE, &y, NULL),
                 STRIA_OK);
    return y;
}

static uint64_t hash_reduction(stria_reduction number, stria_dtype dtype, const hash_shape *s, uint64_t hash)
{
    if (is_left_out(oracle_reductions[number].name, dtype)) return LEFT_OUT;
    random_state  random = {(uint64_t)(1 + number) * 77777 + (uint64_t)dtype};
    stria_tensor *x = tensor_random(&random, dtype, s->layouts[s->ndim > 1], s->ndim, s->sizes, -3, 3);
    if (number == STRIA_RED_sum || number == STRIA_RED_prod || number == STRIA_RED_mean)
        make_tame(&random, x, number == STRIA_RED_prod);
    for (unsigned reduced = 1; reduced < 1u << s->ndim; reduced++) {
        struct reduction_call call = {number, x, {0}, 0};
        for (int k = 0; k < stria_tensor_get_ndim(x); k++)
            if (reduced >> k & 1) call.axes[call.n_axes++] = k;
        hash = hash_threads(run_reduction, &call, hash, oracle_reductions[number].name, dtype);
    }
    stria_tensor_release(x);
    return hash;
}

static void hash_reductions(void)
{
    for (int op = 0; op < STRIA_RED_COUNT; op++) {
        for (int d = 0; d <= STRIA_F64; d++) {
            uint64_t hash = HASH_BEGIN;
            if (strcmp(oracle_reductions[op].rule, "FLOAT") == 0 && !dtype_is_float((stria_dtype)d)) continue;
            for (int s = 0; s < HASH_SHAPES; s++)
                hash = hash_reduction((stria_reduction)op, (stria_dtype)d, &hash_shapes[s], hash);
            hash_add_line(oracle_reductions[op].name, (stria_dtype)d, STRIA_DTYPE_NONE, hash);
        }
    }
}

static void hash_casts(void)
{
    static const int64_t sizes[] = {2, 4099};
    for (int from = 0; from < STRIA_DTYPE_COUNT; from++) {
        for (int to = 0; to < STRIA_DTYPE_COUNT; to++) {
            random_state  random = {(uint64_t)from * 100 + 5};
            stria_tensor *x = tensor_random(&random, (stria_dtype)from, LAYOUT_TRANSPOSED, 2, sizes, -300, 70000),
                         *y = NULL;
            CHECK_STATUS(stria_tensor_copy(x, (stria_dtype)to, &y, NULL), STRIA_OK);
            if (y) hash_add_line("cast", (stria_dtype)from, (stria_dtype)to, hash_tensor(HASH_BEGIN, y));
            stria_tensor_release(y);
            stria_tensor_release(x);
        }
    }
}

/* ---------------------------------------------------------------- orders */

/* Several chunks of every driver, the last one cut short, the last block too. */
enum { ORDER_ROWS = 8, ORDER_COUNT = 2 * 65536 + 5 * 4096 + 77 };
/* Five whole chunks, as two alone give the same sum in either order. */
enum { CHUNK_ROWS = 4, CHUNK_COUNT = 5 * 65536 + 4096 + 77 };

/* Elements that nearly cancel: what a sum leaves is its roundings, so that every order of its blocks and chunks gives other
 * bits, in f16 too. Products stay near one. */
static stria_tensor *order_input(int64_t n_rows, int64_t n, stria_dtype dtype, bool for_products, bool transposed)
{
    const int64_t shape[] = {n_rows, n};
    random_state  random = {2718};
    stria_tensor *wide = NULL, *x = NULL, *turned = NULL, *y = NULL;

    CHECK_STATUS(stria_tensor_new(STRIA_F64, 2, shape, &wide, NULL), STRIA_OK);
    double *at = stria_tensor_get_data(wide);
    for (int64_t row = 0; row < n_rows; row++, at += n)
        for (int64_t k = 0; k < n; k++) {
            const double u = random_unit(&random) - 0.5, scaled = ldexp(u, (int)(random_next(&random) % 20));
            at[k] = for_products ? 1 + u / 64 : k < n / 2 ? scaled : -at[k - n / 2];
        }
    CHECK_STATUS(stria_tensor_copy(wide, dtype, &x, NULL), STRIA_OK);
    stria_tensor_release(wide);
    if (!transposed) return x;
    CHECK_STATUS(stria_transpose(x, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_contiguous(turned, &y, NULL), STRIA_OK);
    stria_tensor_release(x);
    stria_tensor_release(turned);
    CHECK_STATUS(stria_transpose(y, 0, 1, &x, NULL), STRIA_OK);
    stria_tensor_release(y);
    return x;
}

/* One of the two results. */
static stria_status sort(const stria_tensor *x, int axis, bool wants_indices, stria_tensor **y)
{
    stria_tensor *values = NULL, *indices = NULL;

    const stria_status status = stria_sort(x, axis, wants_indices, true, &values, &indices, NULL);
    stria_tensor_release(wants_indices ? values : indices);
    *y = wants_indices ? indices : values;
    return status;
}

static stria_status find_topk(const stria_tensor *x, int dim, stria_tensor **y)
{
    stria_tensor *values = NULL;

    const stria_status status = stria_topk(x, 5, dim, true, true, &values, y, NULL);
    stria_tensor_release(values);
    return status;
}

static stria_status find_unique(const stria_tensor *x, stria_tensor **y)
{
    stria_tensor *values = NULL, *counts = NULL;

    const stria_status status = stria_unique(x, true, true, true, STRIA_AXIS_NONE, &values, y, &counts, NULL);
    stria_tensor_release(values);
    stria_tensor_release(counts);
    return status;
}

static stria_status get_norm_backward(const stria_tensor *x, const int64_t *count, stria_tensor **y)
{
    stria_tensor      *of_weight = NULL, *of_bias = NULL;
    const stria_status status = stria_layer_norm_backward(x, x, NULL, count, 1, 1e-5, y, &of_weight, &of_bias, NULL);
    stria_tensor_release(of_weight);
    stria_tensor_release(of_bias);
    return status;
}

/* Each along axis 1, of a copy in rows and of one in columns. */
#define ORDERS(ORDER)                                                                   \
    ORDER(sum, 0, 8, stria_sum(x, &axis, 1, false, &y, NULL))                           \
    ORDER(mean, 0, 8, stria_mean(x, &axis, 1, false, &y, NULL))                         \
    ORDER(prod, 1, 8, stria_prod(x, &axis, 1, false, &y, NULL))                         \
    ORDER(var, 0, 8, stria_var(x, &axis, 1, 1, false, &y, NULL))                        \
    ORDER(norm_1, 0, 8, stria_norm(x, 1, &axis, 1, false, STRIA_DTYPE_NONE, &y, NULL))  \
    ORDER(norm_2, 0, 8, stria_norm(x, 2, &axis, 1, false, STRIA_DTYPE_NONE, &y, NULL))  \
    ORDER(cumsum, 0, 2, stria_cumsum(x, axis, STRIA_DTYPE_NONE, &y, NULL))              \
    ORDER(cumprod, 1, 2, stria_cumprod(x, axis, STRIA_DTYPE_NONE, &y, NULL))            \
    ORDER(softmax, 1, 2, stria_softmax(x, axis, STRIA_DTYPE_NONE, &y, NULL))            \
    ORDER(layer_norm, 0, 2, stria_layer_norm(x, NULL, NULL, &count, 1, 1e-5, &y, NULL)) \
    ORDER(softmax_backward, 0, 2, stria_softmax_backward(x, x, axis, &y, NULL))         \
    ORDER(log_softmax_backward, 1, 2, stria_log_softmax_backward(x, x, axis, &y, NULL)) \
    ORDER(layer_norm_backward, 0, 2, get_norm_backward(x, &count, &y))                  \
    ORDER(logsumexp, 0, 8, stria_logsumexp(x, &axis, 1, false, &y, NULL))               \
    ORDER(logcumsumexp, 0, 2, stria_logcumsumexp(x, axis, &y, NULL))                    \
    ORDER(sort, 0, 2, sort(x, axis, false, &y))                                         \
    ORDER(sort_indices, 0, 2, sort(x, axis, true, &y))                                  \
    ORDER(topk_indices, 0, 8, find_topk(x, axis, &y))                                   \
    ORDER(unique_inverse, 0, 2, find_unique(x, &y))

#define ORDER(name, of_products, rows, call)                 \
    static stria_tensor *order_##name(const stria_tensor *x) \
    {                                                        \
        stria_tensor *y = NULL;                              \
        CHECK_STATUS(call, STRIA_OK);                        \
        return y;                                            \
    }
static const int     axis = 1;
static const int64_t count = ORDER_COUNT;
ORDERS(ORDER)
#undef ORDER

static const struct {
    const char *name;
    int         of_products; /* whose inputs are near one */
    int         rows;        /* fewer where a result has as many elements as x: hashing them takes the time */
    stria_tensor *(*run)(const stria_tensor *x);
} orders[] = {
#define ORDER(name, of_products, rows, call) {"order." #name, of_products, rows, order_##name},
    ORDERS(ORDER)
#undef ORDER
};

/* Of these the first are of many chunks, too: sum, mean, prod, var. */
enum { N_ORDERS = sizeof orders / sizeof *orders, N_CHUNKED = 4 };

struct order_call {
    int                 order;
    const stria_tensor *x;
};

static stria_tensor *run_order(const void *data)
{
    const struct order_call *call = data;
    return orders[call->order].run(call->x);
}

static uint64_t hash_order(int o, int n_rows, stria_tensor *all, uint64_t hash)
{
    stria_tensor *x = NULL;

    CHECK_STATUS(stria_slice(all, 0, 0, n_rows, 1, &x, NULL), STRIA_OK);
    const struct order_call call = {o, x};
    hash = hash_threads(run_order, &call, hash, orders[o].name, stria_tensor_get_dtype(all));
    stria_tensor_release(x);
    return hash;
}

static void hash_orders(void)
{
    for (int d = STRIA_F16; d <= STRIA_F64; d++) {
        uint64_t hashes[N_ORDERS];
        for (int o = 0; o < N_ORDERS; o++) hashes[o] = HASH_BEGIN;
        for (int variant = 0; variant < 4; variant++) {
            stria_tensor *x = order_input(ORDER_ROWS, ORDER_COUNT, (stria_dtype)d, variant & 1, variant & 2);
            for (int o = 0; o < N_ORDERS; o++)
                if (orders[o].of_products == (variant & 1)) hashes[o] = hash_order(o, orders[o].rows, x, hashes[o]);
            stria_tensor_release(x);
        }
        for (int o = 0; o < N_ORDERS; o++) hash_add_line(orders[o].name, (stria_dtype)d, STRIA_DTYPE_NONE, hashes[o]);
    }
}

static void hash_chunks(void)
{
    for (int d = STRIA_F32; d <= STRIA_F64; d++) {
        uint64_t hashes[N_CHUNKED] = {0};
        for (int variant = 0; variant < 4; variant++) {
            stria_tensor *x = order_input(CHUNK_ROWS, CHUNK_COUNT, (stria_dtype)d, variant & 1, variant & 2);
            for (int o = 0; o < N_CHUNKED; o++)
                if (orders[o].of_products == (variant & 1)) hashes[o] = hash_order(o, CHUNK_ROWS, x, hashes[o]);
            stria_tensor_release(x);
        }
        for (int o = 0; o < N_CHUNKED; o++) {
            char name[32];
            snprintf(name, sizeof name, "chunks%s", strchr(orders[o].name, '.'));
            hash_add_line(name, (stria_dtype)d, STRIA_DTYPE_NONE, hashes[o]);
        }
    }
}

/* ---------------------------------------------------------------- the file */

static int write_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return perror(path), 1;
    fputs("# Hashes of results, written by test_hash --write. A change here is a change of results: say why.\n", file);
    for (int k = 0; k < n_lines; k++) fprintf(file, "%s %016llx\n", lines[k].name, (unsigned long long)lines[k].hash);
    return fclose(file) == 0 ? 0 : 1;
}

static void check_file(const char *path)
{
    char               text[256], name[64];
    unsigned long long hash;
    int                found = 0;
    FILE              *file = fopen(path, "r");
    CHECK(file != NULL, "%s cannot be read", path);
    if (!file) return;
    while (fgets(text, sizeof text, file)) {
        if (text[0] == '#' || sscanf(text, "%63s %llx", name, &hash) != 2) continue;
        CHECK(found < n_lines && strcmp(lines[found].name, name) == 0, "line %s of the file is not computed", name);
        if (found >= n_lines) break;
        CHECK(lines[found].hash == hash || (part > 1 && lines[found].hash == LEFT_OUT),
              "%s: other bits than on the machine that wrote the file", name);
        found++;
    }
    CHECK(found == n_lines, "the file has %d rows, %d were computed; write it anew after a new row", found, n_lines);
    fclose(file);
}

SUITE(test_hash)
{
    const bool is_write = argc == 3 && strcmp(argv[1], "--write") == 0;
    uint64_t   total = HASH_BEGIN;
    int        n_left_out = 0;

    const char *only = getenv("STRIA_HASH_THREADS");

    check_isa("test_hash");
    if (only && !check_is_full()) threads[0] = atoi(only), n_counts = 1;
    if (!check_is_full()) part = check_get_setting("STRIA_HASH_PART", 1);
    if (part < 1) part = 1;
    turn = check_get_setting("STRIA_HASH_TURN", (int64_t)(time(NULL) / 86400) % part); /* another one each day */
    if (check_is_full()) turn = 0;
    CHECK(turn >= 0 && turn < part, "turn %d of %d", (int)turn, (int)part);
    hash_ops();
    hash_reductions();
    hash_casts();
    hash_orders();
    hash_chunks();
    hash_functions();
    hash_complex();
    hash_indexing();
    hash_random();
    hash_training();
    hash_pooling();
    for (int k = 0; k < n_lines; k++) total = mix(total, lines[k].hash), n_left_out += lines[k].hash == LEFT_OUT;
    printf("test_hash: %s: %d rows, %d left out (turn %d of %d), total %016llx\n", stria_isa_get_name(), n_lines,
           n_left_out, (int)turn, (int)part, (unsigned long long)total);
    if (is_write) return write_file(argv[2]) || check_finish("test_hash");
    check_file(argc == 3 && strcmp(argv[1], "--check") == 0 ? argv[2] : "tests/data/hashes.txt");
    return check_finish("test_hash");
}
