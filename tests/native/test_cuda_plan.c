/* test_cuda_plan.c - index arithmetic and launch geometry of the CUDA kernels, on the host: the cases of
 * tests/data/cases.json, and the offset calculator against plain division. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_plan.h"
#include "dims.h"
#include "fold_runs.h"
#include "group_forms.h"
#include "iter.h"
#include "iter_case.h"
#include "json.h"
#include "oracle.h"

static void check_divider(const json *c)
{
    const stria_cuda_divider d = stria_cuda_divider_new((uint32_t)json_get_int(c, "divisor", 1));
    const json              *expect = json_get(c, "expect"), *samples = json_get(c, "samples");
    const char              *id = json_get_string(c, "id", "?");
    CHECK(d.multiplier == (uint32_t)json_get_int(expect, "multiplier", -1), "%s: multiplier %u", id, d.multiplier);
    CHECK(d.shift == (uint32_t)json_get_int(expect, "shift", -1), "%s: shift %u", id, d.shift);
    for (int k = 0; k < samples->count; k++) {
        const json    *s = json_at(samples, k);
        const uint32_t n = (uint32_t)json_at(s, 0)->integer, q = stria_cuda_divide(d, n);
        CHECK(q == (uint32_t)json_at(s, 1)->integer, "%s: %u / %u gave %u", id, n, d.divisor, q);
        CHECK(n - q * d.divisor == (uint32_t)json_at(s, 2)->integer, "%s: remainder of %u", id, n);
    }
}

static void check_grid(const json *c)
{
    const int64_t got = stria_cuda_grid_get(json_get_int(c, "numel", 0), (int)json_get_int(c, "elements_per_thread", 0),
                                            (int)json_get_int(c, "threads", 0));
    CHECK(got == json_get_int(c, "expect", -1), "%s: %d blocks", json_get_string(c, "id", "?"), (int)got);
}

static void check_width(const json *c)
{
    const int got =
        stria_cuda_vector_width_get((uint64_t)json_get_int(c, "address", 0), (int)json_get_int(c, "element_size", 1));
    CHECK(got == json_get_int(c, "expect", -1), "%s: width %d", json_get_string(c, "id", "?"), got);
}

static void check_reduce(const json *c)
{
    const json             *device = json_get(c, "device"), *expect = json_get(c, "expect");
    const char             *id = json_get_string(c, "id", "?");
    stria_cuda_reduce_input in;
    stria_cuda_reduce_plan  p;
    iter_case               test;
    stria_iter              it;
    int64_t                 shape[STRIA_MAX_DIMS], stride[STRIA_MAX_DIMS];

    iter_case_new(&test, c);
    stria_iter_config_set_is_reduction(&test.config, true);
    stria_iter_config_set_check_mem_overlap(&test.config, false);
    stria_iter_config_set_resize_outputs(&test.config, false);
    CHECK_STATUS(stria_iter_build(&it, &test.config, NULL), STRIA_OK);
    memset(&in, 0, sizeof in);
    in.ndim = stria_iter_get_ndim(&it);
    in.n_reduced = stria_iter_get_num_reduce_dims(&it);
    for (int d = 0; d < in.ndim; d++) {
        shape[d] = stria_iter_get_shape(&it)[d];
        stride[d] = stria_iter_get_strides(&it, d)[1];
    }
    in.shape = shape;
    in.stride_bytes = stride;
    in.numel = stria_iter_get_numel(&it);
    in.n_outputs = stria_iter_get_num_output_elements(&it);
    in.input_size = (int)stria_dtype_get_size(stria_iter_get_dtype(&it, 1));
    in.accumulator_size = (int)json_get_int(c, "accumulator_size", 4);
    in.input_address = (uint64_t)json_get_int(c, "input_address", 0);
    in.values_in_flight = (int)json_get_int(c, "vt0", 4);
    in.max_threads = (int)json_get_int(c, "max_threads", 512);
    in.warp = (int)json_get_int(device, "warp", 32);
    in.sms = (int)json_get_int(device, "sms", 108);
    in.threads_per_sm = (int)json_get_int(device, "threads_per_sm", 2048);
    p = stria_cuda_reduce_plan_get(&in);

    CHECK(p.step_input == json_get_int(expect, "step_input", -1), "%s: step_input %d", id, (int)p.step_input);
    CHECK(p.step_output == json_get_int(expect, "step_output", -1), "%s: step_output %d", id, (int)p.step_output);
    CHECK(p.ctas == json_get_int(expect, "ctas", -1), "%s: ctas %d", id, (int)p.ctas);
    CHECK(p.vectorize_input == json_get_bool(expect, "vectorize_input", false), "%s: vectorize_input", id);
    CHECK(p.output_vec == json_get_int(expect, "output_vec", -1), "%s: output_vec %d", id, p.output_vec);
    CHECK(p.values_per_thread == json_get_int(expect, "values_per_thread", -1), "%s: values_per_thread %d", id,
          (int)p.values_per_thread);
    CHECK(p.shared_bytes == json_get_int(expect, "shared_bytes", -1), "%s: shared_bytes %d", id, (int)p.shared_bytes);
    iter_case_check_list(id, "input_mult", json_get(expect, "input_mult"), 3, p.input_mult);
    iter_case_check_list(id, "output_mult", json_get(expect, "output_mult"), 2, p.output_mult);
    iter_case_check_list(id, "block", json_get(expect, "block"), 2, p.block);
    iter_case_check_list(id, "grid", json_get(expect, "grid"), 2, p.grid);
    stria_iter_release(&it);
    iter_case_release(&test);
}

static void check_offsets(void)
{
    const int64_t      shape[] = {7, 1, 5, 3}, strides[] = {4, -8, 0, 4, 28, 0, 140, 56};
    const int64_t      too_far[] = {1 << 20, 1 << 12};
    const int64_t      wide[] = {4, 1 << 22};
    stria_cuda_offsets offsets;
    int32_t            got[STRIA_CUDA_MAX_OPERANDS];

    CHECK(stria_cuda_offsets_init(&offsets, 4, 2, shape, strides), "a small iteration was refused");
    for (uint32_t i = 0; i < 105; i++) {
        int32_t  want[2] = {0, 0};
        uint32_t rest = i;
        for (int d = 0; d < 4; d++) {
            for (int k = 0; k < 2; k++) want[k] += (int32_t)((int64_t)(rest % shape[d]) * strides[2 * d + k]);
            rest /= (uint32_t)shape[d];
        }
        stria_cuda_offsets_get(&offsets, 2, i, got);
        CHECK(got[0] == want[0] && got[1] == want[1], "offsets of element %u", i);
    }
    CHECK(!stria_cuda_offsets_init(&offsets, 2, 1, too_far, wide), "2^32 elements were accepted");
    CHECK(!stria_cuda_offsets_init(&offsets, STRIA_CUDA_MAX_DIMS + 1, 1, shape, strides), "26 dims were accepted");
}

/* Of more elements than 65,535 blocks of 256 threads take 256 of each, threads take more. */
static void check_large_reduction(void)
{
    const int64_t                 shape[] = {INT64_C(1) << 36}, stride[] = {4};
    const stria_cuda_reduce_input in = {.ndim = 1,
                                        .n_reduced = 1,
                                        .shape = shape,
                                        .stride_bytes = stride,
                                        .numel = shape[0],
                                        .n_outputs = 1,
                                        .input_size = 4,
                                        .accumulator_size = 8,
                                        .values_in_flight = 1,
                                        .max_threads = 256,
                                        .warp = 32,
                                        .sms = 128,
                                        .threads_per_sm = 2048};
    const stria_cuda_reduce_plan  p = stria_cuda_reduce_plan_get(&in);

    CHECK(p.grid[1] == 65535 && p.ctas == 65535, "a grid of %d blocks in y", (int)p.grid[1]);
    CHECK(p.step_input == 65535 * p.block[0] * p.block[1] && p.step_input * p.values_per_thread >= shape[0],
          "%d values of a thread", (int)p.values_per_thread);
}

/* Position k of dims of these sizes, by plain division. */
static void get_position(int ndim, const int64_t *shape, const int64_t *a, const int64_t *b, int64_t k, int64_t *at)
{
    at[0] = at[1] = 0;
    for (int d = 0; d < ndim; d++) {
        at[0] += k % shape[d] * a[d];
        at[1] += k % shape[d] * b[d];
        k /= shape[d];
    }
}

/* Offsets beyond 2^31 bytes and below 0 are among them. A number of positions is looked at, the first and the last ones too. */
static void check_positions(int ndim, const int64_t *shape)
{
    const int64_t   a[] = {4, -28, 0, INT64_C(1) << 23, 8}, b[] = {0, -(INT64_C(1) << 20), 5, 12, 1};
    int64_t         at[2], want[2], total = 1;
    stria_cuda_dims dims;

    for (int d = 0; d < ndim; d++) total *= shape[d];
    CHECK(stria_cuda_dims_init(&dims, ndim, shape, a, b), "dims of %lld positions were refused", (long long)total);
    const int64_t step = total / 997 + 1;
    for (int64_t k = 0; k < total; k += k < 5000 || k >= total - 10 ? 1
                                        : k + step < total - 10     ? step
                                                                    : total - 10 - k) {
        get_position(ndim, shape, a, b, k, want);
        stria_cuda_dims_get(&dims, k, &at[0], &at[1]);
        CHECK(at[0] == want[0] && at[1] == want[1], "offsets of position %lld of %lld", (long long)k, (long long)total);
    }
}

/* Positions of dims: of one dim any number, of several dims below and beyond 2^31, one dim of which may be that alone. */
static void check_dims(void)
{
    const int64_t shape[] = {7, 3, 1, 65537, 1500}, one[] = {INT64_C(1) << 40}, most[] = {INT32_MAX, 1};
    const int64_t wide[] = {7, 3, 1, 65537, 15000}, two[] = {1 << 16, 1 << 15}, beyond[] = {3, (INT64_C(1) << 33) + 1};
    const int64_t endless[] = {INT64_C(1) << 32, INT64_C(1) << 31};
    int64_t       ones[STRIA_CUDA_MAX_DIMS + 1];

    check_positions(5, shape);
    check_positions(1, one);
    check_positions(2, most);
    check_positions(5, wide);
    check_positions(2, two);
    check_positions(2, beyond);
    stria_cuda_dims dims;
    for (int d = 0; d <= STRIA_CUDA_MAX_DIMS; d++) ones[d] = 1;
    CHECK(!stria_cuda_dims_init(&dims, 2, endless, ones, NULL), "2^63 positions were accepted");
    CHECK(!stria_cuda_dims_init(&dims, STRIA_CUDA_MAX_DIMS + 1, ones, ones, NULL), "too many dims were accepted");
}

/* ---------------------------------------------------------------- forms of element-wise kernels */

enum { MOST_DIMS = 4, MOST_OPERANDS = 3 };

typedef struct form_case {
    const char     *name;
    stria_cuda_form form;
    int             dim[2];
    uint32_t        turned;
    int             ndim, n_operands, alike;
    int64_t         shape[MOST_DIMS], strides[MOST_DIMS][MOST_OPERANDS];
    int             size[MOST_OPERANDS];
    uint64_t        address[MOST_OPERANDS];
} form_case;

#define OF_4 \
    {4, 4, 4}, { 256, 256, 256 }

static const form_case form_cases[] = {
    {"one element", STRIA_CUDA_FORM_FLAT, {0, 0}, 0, 0, 2, 4, {0}, {{0}}, OF_4},
    {"run", STRIA_CUDA_FORM_FLAT, {0, 0}, 0, 1, 3, 4, {77}, {{4, 4, 0}}, OF_4},
    {"run backwards", STRIA_CUDA_FORM_APART, {0, 0}, 0, 1, 3, 4, {77}, {{4, -4, 0}}, OF_4},
    {"out is a step", STRIA_CUDA_FORM_APART, {0, 0}, 0, 1, 2, 4, {77}, {{8, 4}}, OF_4},
    {"mixed run", STRIA_CUDA_FORM_VECTORS, {0, 0}, 0, 1, 2, 0, {77}, {{4, 2}}, {4, 2}, {16, 8}},
    {"mixed run, 8 not 4", STRIA_CUDA_FORM_APART, {0, 0}, 0, 1, 2, 0, {77}, {{4, 2}}, {4, 2}, {16, 12}},
    {"mixed run, out", STRIA_CUDA_FORM_APART, {0, 0}, 0, 1, 2, 0, {77}, {{4, 2}}, {4, 2}, {24, 16}},
    {"doubles need 16", STRIA_CUDA_FORM_VECTORS, {0, 0}, 0, 1, 2, 0, {77}, {{8, 1}}, {8, 1}, {16, 4}},
    {"one of other size", STRIA_CUDA_FORM_VECTORS, {0, 0}, 0, 1, 2, 0, {77}, {{4, 0}}, {4, 8}, {16, 8}},
    {"out is one", STRIA_CUDA_FORM_APART, {0, 0}, 0, 1, 2, 0, {77}, {{0, 4}}, {4, 4}, {16, 16}},
    {"rows", STRIA_CUDA_FORM_ROWS, {0, 0}, 0, 2, 3, 4, {8, 5}, {{4, 4, 0}, {32, 0, 4}}, OF_4},
    {"rows of 6", STRIA_CUDA_FORM_APART, {0, 0}, 0, 2, 3, 4, {6, 5}, {{4, 4, 0}, {32, 0, 4}}, OF_4},
    {"rows 8 apart", STRIA_CUDA_FORM_APART, {0, 0}, 0, 2, 3, 4, {8, 5}, {{4, 4, 0}, {40, 0, 4}}, OF_4},
    {"rows backwards", STRIA_CUDA_FORM_ROWS, {0, 0}, 0, 2, 2, 4, {8, 5}, {{4, 4}, {32, -48}}, OF_4},
    {"rows, bytes by four", STRIA_CUDA_FORM_VECTORS, {0, 0}, 0, 2, 2, 16, {24, 5}, {{1, 1}, {24, 0}}, {1, 1}, {16, 4}},
    {"across", STRIA_CUDA_FORM_TILES, {0, 1}, 2, 2, 2, 4, {40, 50}, {{4, 200}, {160, 4}}, OF_4},
    {"both across", STRIA_CUDA_FORM_TILES, {0, 1}, 6, 2, 3, 4, {40, 50}, {{4, 200, 200}, {160, 4, 4}}, OF_4},
    {"one of two across", STRIA_CUDA_FORM_TILES, {0, 1}, 4, 2, 3, 4, {40, 50}, {{4, 4, 200}, {160, 160, 4}}, OF_4},
    {"a column and across", STRIA_CUDA_FORM_TILES, {0, 1}, 4, 2, 3, 4, {40, 50}, {{4, 0, 200}, {160, 4, 4}}, OF_4},
    {"across, backwards", STRIA_CUDA_FORM_TILES, {0, 1}, 2, 2, 2, 4, {40, 50}, {{-4, -200}, {160, -4}}, OF_4},
    {"steps across", STRIA_CUDA_FORM_TILES, {0, 1}, 2, 2, 2, 4, {40, 50}, {{8, 400}, {320, 8}}, OF_4},
    {"no sector is shared", STRIA_CUDA_FORM_APART, {0, 0}, 0, 2, 2, 4, {40, 50}, {{4, 1600}, {160, 32}}, OF_4},
    {"sectors are shared", STRIA_CUDA_FORM_APART, {0, 0}, 0, 2, 2, 4, {40, 50}, {{4, 28}, {160, 4}}, OF_4},
    {"bytes share few", STRIA_CUDA_FORM_TILES, {0, 1}, 2, 2, 2, 16, {40, 17}, {{1, 17}, {40, 1}}, {1, 1}, {256, 256}},
    {"bytes share many", STRIA_CUDA_FORM_APART, {0, 0}, 0, 2, 2, 16, {40, 17}, {{1, 7}, {40, 1}}, {1, 1}, {256, 256}},
    {"far, for all rows", STRIA_CUDA_FORM_APART, {0, 0}, 0, 2, 2, 4, {40, 50}, {{4, 200}, {160, 0}}, OF_4},
    {"too short", STRIA_CUDA_FORM_APART, {0, 0}, 0, 2, 2, 4, {15, 50}, {{4, 200}, {60, 4}}, OF_4},
    {"too few", STRIA_CUDA_FORM_APART, {0, 0}, 0, 2, 2, 4, {50, 15}, {{4, 60}, {200, 4}}, OF_4},
    {"the last dim", STRIA_CUDA_FORM_TILES, {0, 2}, 2, 3, 2, 4, {40, 3, 50}, {{4, 600}, {160, 200}, {480, 4}}, OF_4},
    {"out across", STRIA_CUDA_FORM_TILES, {1, 0}, 2, 2, 2, 4, {40, 50}, {{200, 4}, {4, 160}}, OF_4},
    {"what more do",
     STRIA_CUDA_FORM_TILES,
     {0, 2},
     6,
     3,
     3,
     4,
     {40, 20, 50},
     {{4, 4000, 4000}, {160, 200, 200}, {3200, 4, 4}},
     OF_4},
    {"each its own",
     STRIA_CUDA_FORM_TILES,
     {0, 1},
     2,
     3,
     3,
     4,
     {40, 20, 50},
     {{4, 4000, 4000}, {160, 4, 200}, {3200, 80, 4}},
     OF_4},
    {"16 bytes", STRIA_CUDA_FORM_TILES, {0, 1}, 2, 2, 2, 1, {40, 50}, {{16, 800}, {640, 16}}, {16, 16}, {256, 256}},
    {"bytes", STRIA_CUDA_FORM_TILES, {0, 1}, 2, 2, 2, 16, {40, 50}, {{1, 50}, {40, 1}}, {1, 1}, {256, 256}},
    {"a value",
     STRIA_CUDA_FORM_TILES,
     {0, 1},
     4,
     2,
     3,
     4,
     {40, 50},
     {{4, 0, 200}, {160, 0, 4}},
     {4, 0, 4},
     {256, 0, 256}},
};

static stria_cuda_form_input get_input(const form_case *c, int64_t *strides)
{
    stria_cuda_form_input in = {
        .ndim = c->ndim, .n_operands = c->n_operands, .alike = c->alike, .shape = c->shape, .strides = strides};

    for (int k = 0; k < c->n_operands; k++) {
        in.size[k] = c->size[k];
        in.address[k] = c->address[k];
        for (int d = 0; d < c->ndim; d++) strides[d * c->n_operands + k] = c->strides[d][k];
    }
    return in;
}

/* Tiles of `edge` have every element once, and lie where the strides say. */
static void check_tiles(const form_case *c, const stria_cuda_form_input *in, const stria_cuda_turn *turn, int edge)
{
    int64_t          total = 1;
    char            *seen;
    stria_cuda_tiles tiles;

    for (int d = 0; d < c->ndim; d++) total *= c->shape[d];
    CHECK(stria_cuda_tiles_init(&tiles, in, turn, edge), "%s: tiles were refused", c->name);
    CHECK(tiles.turned == turn->turned, "%s: operands %x", c->name, tiles.turned);
    seen = calloc((size_t)total, 1);
    for (uint32_t n = 0; n < tiles.n; n++) {
        int32_t  begin[2], at[MOST_OPERANDS];
        uint32_t rest = n / tiles.first.size[0].divisor / tiles.first.size[1].divisor;
        stria_cuda_tiles_begin(&tiles, n, edge, begin);
        stria_cuda_offsets_get(&tiles.first, c->n_operands, n, at);
        for (int i = 0; i < edge && begin[0] + i < tiles.size[0]; i++)
            for (int j = 0; j < edge && begin[1] + j < tiles.size[1]; j++) {
                int64_t index[MOST_DIMS] = {0}, place = 0, left = rest;
                for (int d = 0; d < c->ndim; d++) {
                    if (d == turn->dim[0] || d == turn->dim[1]) continue;
                    index[d] = left % c->shape[d], left /= c->shape[d];
                }
                index[turn->dim[0]] = begin[0] + i, index[turn->dim[1]] = begin[1] + j;
                for (int d = c->ndim - 1; d >= 0; d--) place = place * c->shape[d] + index[d];
                CHECK(seen[place]++ == 0, "%s: element %d comes again", c->name, (int)place);
                for (int k = 0; k < c->n_operands; k++) {
                    int64_t want = 0;
                    for (int d = 0; d < c->ndim; d++) want += index[d] * c->strides[d][k];
                    const int64_t got = at[k] + i * (int64_t)tiles.stride[0][k] + j * (int64_t)tiles.stride[1][k];
                    CHECK(got == want, "%s: operand %d of element %d at %d", c->name, k, (int)place, (int)got);
                }
            }
    }
    for (int64_t k = 0; k < total; k++) CHECK(seen[k] == 1, "%s: element %d is in no tile", c->name, (int)k);
    free(seen);
}

static void check_forms(void)
{
    int n[STRIA_CUDA_FORM_COUNT] = {0};

    for (size_t i = 0; i < sizeof form_cases / sizeof *form_cases; i++) {
        const form_case            *c = &form_cases[i];
        int64_t                     strides[MOST_DIMS * MOST_OPERANDS];
        const stria_cuda_form_input in = get_input(c, strides);
        stria_cuda_turn             turn = {{-1, -1}, 0};
        const stria_cuda_form       form = stria_cuda_form_get(&in, &turn);
        CHECK(form == c->form, "%s: form %d, not %d", c->name, (int)form, (int)c->form);
        n[form]++;
        if (form != STRIA_CUDA_FORM_TILES || c->form != form) continue;
        CHECK(turn.dim[0] == c->dim[0] && turn.dim[1] == c->dim[1] && turn.turned == c->turned,
              "%s: tiles of dims %d, %d, operands %x", c->name, turn.dim[0], turn.dim[1], turn.turned);
        check_tiles(c, &in, &turn, 32);
        check_tiles(c, &in, &turn, 64);
    }
    for (int form = 0; form < STRIA_CUDA_FORM_COUNT; form++) CHECK(n[form] > 0, "no case of form %d", form);
}

/* As many as one launch takes, and more: 32-bit offsets are refused. */
static void check_large_forms(void)
{
    const form_case most = {"2^31 - 1 bytes", STRIA_CUDA_FORM_TILES,     {0, 1}, 2, 2, 2, 4,
                            {8191, 65536},    {{4, 262144}, {32764, 4}}, OF_4};
    form_case       large = most;
    int64_t         strides[MOST_DIMS * MOST_OPERANDS], n;
    stria_cuda_turn turn;
    int32_t         at[2], begin[2];

    stria_cuda_form_input in = get_input(&most, strides);
    stria_cuda_tiles      tiles;
    stria_cuda_offsets    offsets;
    CHECK(stria_cuda_form_get(&in, &turn) == STRIA_CUDA_FORM_TILES, "%s: another form", most.name);
    CHECK(stria_cuda_tiles_init(&tiles, &in, &turn, 32) && tiles.n == 256 * 2048, "%u tiles", tiles.n);
    stria_cuda_tiles_begin(&tiles, tiles.n - 1, 32, begin);
    stria_cuda_offsets_get(&tiles.first, 2, tiles.n - 1, at);
    CHECK(begin[0] == 8160 && begin[1] == 65504, "the last tile begins at %d, %d", begin[0], begin[1]);
    CHECK(at[0] == 8160 * 4 + 65504 * 32764 && at[1] == 8160 * 262144 + 65504 * 4, "the last tile lies at %d, %d",
          at[0], at[1]);
    large.shape[0] = 8193, large.strides[1][0] = 32772;
    in = get_input(&large, strides);
    CHECK(!stria_cuda_tiles_init(&tiles, &in, &turn, 32), "offsets of 2^31 bytes were accepted in tiles");
    CHECK(!stria_cuda_vectors_init(&offsets, &n, &in, 4), "offsets of 2^31 bytes were accepted in vectors");
}

static void check_vectors(void)
{
    const form_case c = {
        "vectors", STRIA_CUDA_FORM_ROWS, {0, 0}, 0, 3, 3, 4, {12, 5, 3}, {{4, 4, 0}, {64, 48, 4}, {-640, 0, 32}}, OF_4};
    int64_t            strides[MOST_DIMS * MOST_OPERANDS], n;
    stria_cuda_offsets offsets;
    int32_t            at[3];

    const stria_cuda_form_input in = get_input(&c, strides);
    CHECK(stria_cuda_vectors_init(&offsets, &n, &in, 4) && n == 45, "%d vectors", (int)n);
    for (uint32_t v = 0; v < 45; v++) {
        const int32_t i = (int32_t)(v % 3 * 4), j = (int32_t)(v / 3 % 5), k = (int32_t)(v / 15);
        stria_cuda_offsets_get(&offsets, 3, v, at);
        CHECK(at[0] == i * 4 + j * 64 - k * 640 && at[1] == i * 4 + j * 48 && at[2] == j * 4 + k * 32, "vector %u", v);
    }
}

/* ---------------------------------------------------------------- runs of reductions */

static void check_runs(void)
{
    static const struct {
        const char *name;
        int64_t     shape[2], stride[2];
        int32_t     n_reduced, run;
        bool        has_runs;
        int64_t     n;
    } cases[] = {{"a row", {1000, 0}, {4, 0}, 1, 4, true, 250},
                 {"an odd row", {1003, 0}, {4, 0}, 1, 4, true, 251},
                 {"a short row", {3, 0}, {4, 0}, 1, 4, false, 0},
                 {"one run", {4, 0}, {4, 0}, 1, 4, true, 1},
                 {"a column", {1000, 0}, {400, 0}, 1, 4, false, 0},
                 {"a row backwards", {1000, 0}, {-4, 0}, 1, 4, false, 0},
                 {"one element again and again", {1000, 0}, {0, 0}, 1, 4, false, 0},
                 {"rows", {100, 7}, {4, 800}, 2, 4, true, 175},
                 {"odd rows", {101, 7}, {4, 808}, 2, 4, false, 0},
                 {"of unknown memory", {1000, 0}, {4, 0}, 1, 1, false, 0}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        stria_cuda_fold_walk walk = {.in_size = 4, .n_reduced = cases[k].n_reduced, .count = 1};
        for (int d = 0; d < walk.n_reduced; d++) {
            walk.reduced_shape[d] = cases[k].shape[d], walk.reduced_in[d] = cases[k].stride[d];
            walk.count *= walk.reduced_shape[d];
        }
        const bool has_runs = stria_cuda_fold_has_runs(&walk, cases[k].run);
        CHECK(has_runs == cases[k].has_runs, "%s: runs %d", cases[k].name, has_runs);
        if (!has_runs) continue;
        const stria_cuda_fold_walk runs = stria_cuda_fold_get_runs(&walk, cases[k].run);
        CHECK(runs.count == cases[k].n && runs.in_size == 16 && runs.reduced_in[0] == 16, "%s: %d runs", cases[k].name,
              (int)runs.count);
        CHECK(walk.n_reduced == 1 || (runs.reduced_in[1] == walk.reduced_in[1] && runs.reduced_shape[1] == 7),
              "%s: another second dim", cases[k].name);
    }
}

/* ---------------------------------------------------------------- forms of groups */

static void check_fours(void)
{
    static char memory[64];
    static const struct {
        const char *name;
        int         ndim;
        int64_t     shape[2], strides[2][3];
        int32_t     size[3];
        int         shift[3]; /* of an address that is aligned; -1: the call carries the operand */
        bool        has_fours;
        uint32_t    ones;
    } cases[] = {{"run", 1, {77, 0}, {{4, 4, 4}}, {4, 4, 4}, {0, 16, 32}, true, 0},
                 {"of sizes 8, 2, 1", 1, {77, 0}, {{8, 2, 1}}, {8, 2, 1}, {16, 8, 4}, true, 0},
                 {"a half that is not aligned", 1, {77, 0}, {{8, 2, 1}}, {8, 2, 1}, {16, 4, 4}, false, 0},
                 {"a result that is not", 1, {77, 0}, {{8, 2, 1}}, {8, 2, 1}, {8, 8, 4}, false, 0},
                 {"one and a value", 1, {77, 0}, {{4, 0, 0}}, {4, 4, 4}, {0, 4, -1}, true, 2},
                 {"a result in one place", 1, {77, 0}, {{0, 4, 4}}, {4, 4, 4}, {0, 0, 0}, false, 0},
                 {"backwards", 1, {77, 0}, {{4, -4, 4}}, {4, 4, 4}, {0, 0, 0}, false, 0},
                 {"rows", 2, {12, 5}, {{4, 4, 0}, {48, 0, 4}}, {4, 4, 4}, {0, 0, 4}, true, 4},
                 {"rows of 10", 2, {10, 5}, {{4, 4, 0}, {48, 0, 4}}, {4, 4, 4}, {0, 0, 4}, false, 0},
                 {"rows 40 apart", 2, {12, 5}, {{4, 4, 0}, {48, 40, 4}}, {4, 4, 4}, {0, 0, 4}, false, 0},
                 {"one element", 0, {0, 0}, {{0}}, {4, 4, 4}, {0, 0, 0}, false, 0}};
    char *const base = memory + (16 - (uintptr_t)memory % 16);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stria_cuda_group_call call = {.n_operands = 3, .n_results = 1, .ndim = cases[i].ndim};
        uint32_t              ones = 99;
        for (int k = 0; k < 3; k++) {
            call.size[k] = cases[i].size[k];
            call.data[k] = cases[i].shift[k] < 0 ? NULL : base + cases[i].shift[k];
            for (int d = 0; d < call.ndim; d++) call.strides[d][k] = cases[i].strides[d][k];
        }
        for (int d = 0; d < call.ndim; d++) call.shape[d] = cases[i].shape[d];
        const bool has_fours = stria_cuda_group_has_fours(&call, &ones);
        CHECK(has_fours == cases[i].has_fours, "%s: fours %d", cases[i].name, has_fours);
        CHECK(!has_fours || ones == cases[i].ones, "%s: ones %x", cases[i].name, ones);
    }
}

/* Blocks of squares have every element once, those of a warp in eight columns of four rows. */
static void check_squares_of(const int64_t *shape, int ndim, int64_t n_blocks)
{
    int64_t            total = 1;
    stria_cuda_squares squares;

    for (int d = 0; d < ndim; d++) total *= shape[d];
    char         *seen = calloc((size_t)total, 1);
    const int64_t n = stria_cuda_squares_init(&squares, ndim, shape);
    CHECK(n == n_blocks, "%d blocks", (int)n);
    for (uint32_t block = 0; block < n; block++)
        for (uint32_t thread = 0; thread < STRIA_CUDA_THREADS; thread++)
            for (int k = 0; k < STRIA_CUDA_FOUR; k++) {
                uint32_t   i, first;
                const bool is_there = stria_cuda_squares_find(&squares, block, thread, k, &i);
                stria_cuda_squares_find(&squares, block, thread / 32 * 32, k, &first);
                if (!is_there) continue;
                CHECK(i < total && seen[i]++ == 0, "element %u comes again", i);
                CHECK(i - first == thread % 8 + thread % 32 / 8 * (uint32_t)shape[0], "thread %u has element %u",
                      thread, i);
            }
    for (int64_t k = 0; k < total; k++) CHECK(seen[k] == 1, "element %d is in no square", (int)k);
    free(seen);
}

static void check_squares(void)
{
    static const int64_t even[] = {64, 32}, odd[] = {33, 17}, deep[] = {45, 70, 3, 2};
    int                  order[4];
    stria_cuda_squares   squares;
    const int64_t        large[] = {65536, 32767};

    check_squares_of(even, 2, 4);
    check_squares_of(odd, 2, 4);
    check_squares_of(deep, 4, 60);
    CHECK(stria_cuda_squares_init(&squares, 2, large) == 2048 * 2048, "the squares of 2^31 - 65536 elements");
    uint32_t last;
    CHECK(stria_cuda_squares_find(&squares, 2048 * 2048 - 1, 119, 3, &last) && last == 65536u * 32767 - 1,
          "the last element is %u", last);
    CHECK(!stria_cuda_squares_find(&squares, 2048 * 2048 - 1, 127, 3, &last), "there is one behind the last");
    stria_cuda_squares_order(&(stria_cuda_turn){{2, 0}, 1}, 4, order);
    CHECK(order[0] == 2 && order[1] == 0 && order[2] == 1 && order[3] == 3, "the order of dims");
}

/* Groups of more operands than other calls have; bytes of 4, but of what is carried. */
static void check_group_squares(void)
{
    static char           memory[16];
    stria_cuda_group_call call = {.n_operands = 6, .n_results = 2, .ndim = 3, .shape = {20, 3, 40}};
    static const int64_t  packed[] = {4, 80, 240}, across[] = {160, 3200, 4};
    int                   order[STRIA_CUDA_MAX_DIMS] = {0};

    for (int k = 0; k < 6; k++) {
        call.size[k] = 4;
        call.data[k] = k == 3 ? NULL : memory;
        for (int d = 0; d < 3; d++) call.strides[d][k] = k == 3 ? 0 : packed[d];
    }
    CHECK(!stria_cuda_group_has_squares(&call, order), "squares of packed operands");
    for (int d = 0; d < 3; d++) call.strides[d][5] = across[d];
    CHECK(stria_cuda_group_has_squares(&call, order), "no squares");
    CHECK(order[0] == 0 && order[1] == 2 && order[2] == 1, "order %d, %d, %d", order[0], order[1], order[2]);
    call.shape[2] = 15;
    CHECK(!stria_cuda_group_has_squares(&call, order), "squares of 15 rows");
}

SUITE(test_cuda_plan)
{
    json *file = json_parse_file("tests/data/cases.json");
    int   n = 0;

    CHECK(file != NULL, "tests/data/cases.json cannot be read");
    for (const json *c = file ? json_get(file, "cases")->first : NULL; c; c = c->next) {
        const char *kind = json_get_string(c, "kind", "");
        n += strncmp(kind, "cuda_", 5) == 0 || strcmp(kind, "magic_division") == 0;
        if (strcmp(kind, "magic_division") == 0) check_divider(c);
        if (strcmp(kind, "cuda_grid") == 0) check_grid(c);
        if (strcmp(kind, "cuda_vec_width") == 0) check_width(c);
        if (strcmp(kind, "cuda_reduce_config") == 0) check_reduce(c);
    }
    CHECK(n == 35, "%d cases, expected 35", n);
    check_offsets();
    check_large_reduction();
    check_dims();
    check_forms();
    check_large_forms();
    check_vectors();
    check_runs();
    check_fours();
    check_squares();
    check_group_squares();
    json_free(file);
    return check_finish("test_cuda_plan");
}
