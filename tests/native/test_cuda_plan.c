/* test_cuda_plan.c - index arithmetic and launch geometry of the CUDA kernels, on the host: the cases of
 * tests/data/cases.json, and the offset calculator against plain division. */
#include <stdio.h>
#include <string.h>

#include "cuda_plan.h"
#include "dims.h"
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
        stria_cuda_offsets_get(&offsets, i, got);
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
    json_free(file);
    return check_finish("test_cuda_plan");
}
