/* test_oom.c - for every public path, the n-th allocation is made to fail, for every n: the call must report ERR_MEMORY,
 * give no output, keep nothing, and work when tried again. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oom.h"

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})

/* What the paths work on. */
static stria_tensor *small, *row, *large, *turned, *halves, *wide, *whole, *line, *counted;
static float         memory[64];
static char          path[512];
static void         *file;
static size_t        file_nbytes;

static stria_status new_small(stria_tensor **out, stria_error *err)
{
    return stria_tensor_new(STRIA_F32, 2, SHAPE(2, 3), out, err);
}

static stria_status new_large(stria_tensor **out, stria_error *err)
{
    return stria_tensor_new(STRIA_F32, 2, SHAPE(300, 300), out, err);
}

static stria_status new_wide(stria_tensor **out, stria_error *err)
{
    return stria_tensor_new(STRIA_F32, 8, SHAPE(1, 2, 1, 2, 1, 2, 1, 2), out, err);
}

static stria_status new_meta(stria_tensor **out, stria_error *err)
{
    return stria_empty(SHAPE(7), 1, STRIA_F32, STRIA_META, out, err);
}

static stria_status new_strided(stria_tensor **out, stria_error *err)
{
    return stria_tensor_new_strided(STRIA_F32, 2, SHAPE(2, 3), SHAPE(1, 2), out, err);
}

static stria_status new_scalar(stria_tensor **out, stria_error *err)
{
    return stria_tensor_new_scalar((stria_scalar){.kind = STRIA_SCALAR_FLOAT, .re = 1}, out, err);
}

static stria_status new_full(stria_tensor **out, stria_error *err)
{
    return stria_full(SHAPE(9000), 1, (stria_scalar){.kind = STRIA_SCALAR_INT, .i = 3}, STRIA_U8, STRIA_CPU, out, err);
}

static stria_status new_copy_of(stria_tensor **out, stria_error *err)
{
    return stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(64), memory, sizeof memory, out, err);
}

static int  n_released;
static void count_release(void *context) { ++*(int *)context; }

static stria_status new_external(stria_tensor **out, stria_error *err)
{
    const int          before = n_released;
    const stria_status status = stria_tensor_new_external(STRIA_F32, 7, SHAPE(1, 2, 2, 2, 2, 2, 2), NULL, memory,
                                                          count_release, &n_released, out, err);
    CHECK(n_released == before, "external memory was released though the call failed");
    return status;
}

static stria_status view_slice(stria_tensor **out, stria_error *err)
{
    return stria_slice(small, 1, INT64_MIN, INT64_MIN, -1, out, err);
}

static stria_status view_wide(stria_tensor **out, stria_error *err) { return stria_transpose(wide, 1, 7, out, err); }

static stria_status view_many(stria_tensor **out, stria_error *err)
{
    return stria_expand(small, SHAPE(1, 1, 1, 1, 1, 1, 4, -1, -1), 9, out, err);
}

static stria_status copy_turned(stria_tensor **out, stria_error *err)
{
    return stria_tensor_copy(turned, STRIA_F64, out, err);
}

static stria_status copy_wide(stria_tensor **out, stria_error *err)
{
    return stria_tensor_copy(wide, STRIA_I32, out, err);
}

static stria_status contiguous(stria_tensor **out, stria_error *err) { return stria_contiguous(turned, out, err); }

static stria_status reshape_copy(stria_tensor **out, stria_error *err)
{
    return stria_reshape(turned, SHAPE(-1), 1, out, err);
}

static stria_status reshape_view(stria_tensor **out, stria_error *err)
{
    return stria_reshape(large, SHAPE(3, 100, 3, 10, 1, 10, 1), 7, out, err);
}

static stria_status add_direct(stria_tensor **out, stria_error *err) { return stria_add(small, small, out, err); }
static stria_status add_broadcast(stria_tensor **out, stria_error *err) { return stria_add(large, row, out, err); }
static stria_status add_turned(stria_tensor **out, stria_error *err) { return stria_add(turned, large, out, err); }
static stria_status add_mixed(stria_tensor **out, stria_error *err) { return stria_mul(halves, large, out, err); }
static stria_status add_wide(stria_tensor **out, stria_error *err) { return stria_add(wide, wide, out, err); }
static stria_status sqrt_whole(stria_tensor **out, stria_error *err) { return stria_sqrt(whole, out, err); }
static stria_status less(stria_tensor **out, stria_error *err) { return stria_lt(turned, large, out, err); }

static stria_status add_out_grown(stria_tensor **out, stria_error *err)
{
    const stria_tensor *in[] = {large, row};
    (void)out;
    return stria_apply_out(STRIA_OP_add, in, 2, target, err);
}

static stria_status add_out_wide(stria_tensor **out, stria_error *err)
{
    const stria_tensor *in[] = {wide, wide};
    (void)out;
    return stria_apply_out(STRIA_OP_add, in, 2, target, err);
}

static stria_status sum_all(stria_tensor **out, stria_error *err) { return stria_sum(large, NULL, 0, false, out, err); }
static stria_status sum_rows(stria_tensor **out, stria_error *err)
{
    return stria_sum(large, AXES(1), 1, true, out, err);
}
static stria_status sum_columns(stria_tensor **out, stria_error *err)
{
    return stria_sum(large, AXES(0), 1, false, out, err);
}
static stria_status sum_turned(stria_tensor **out, stria_error *err)
{
    return stria_mean(turned, AXES(0), 1, false, out, err);
}
static stria_status amax_mixed(stria_tensor **out, stria_error *err)
{
    return stria_amax(halves, AXES(-1), 1, false, out, err);
}
static stria_status sum_wide(stria_tensor **out, stria_error *err)
{
    return stria_sum(wide, AXES(1, 3), 2, true, out, err);
}

static stria_status sum_out(stria_tensor **out, stria_error *err)
{
    (void)out;
    return stria_reduce_out(STRIA_RED_sum, large, AXES(1), 1, false, STRIA_DTYPE_NONE, target, err);
}

static stria_status matmul_small(stria_tensor **out, stria_error *err) { return stria_matmul(row, turned, out, err); }
static stria_status matmul_large(stria_tensor **out, stria_error *err) { return stria_matmul(large, turned, out, err); }
static stria_status matmul_mixed(stria_tensor **out, stria_error *err) { return stria_matmul(halves, large, out, err); }
static stria_status matmul_out(stria_tensor **out, stria_error *err)
{
    (void)out;
    return stria_matmul_out(turned, large, target, err);
}

/* Passes over the chunks of one long row; keys; a table for each thread; what an input is brought into. */
static stria_status scan_long(stria_tensor **out, stria_error *err)
{
    return stria_cumsum(line, 0, STRIA_DTYPE_NONE, out, err);
}

static stria_status sort_rows(stria_tensor **out, stria_error *err)
{
    stria_tensor      *places = NULL;
    const stria_status status = stria_sort(large, -1, false, false, out, &places, err);

    CHECK((places != NULL) == (status == STRIA_OK), "the second output after %s", stria_status_get_name(status));
    stria_tensor_release(places);
    return status;
}

static stria_status argsort_rows(stria_tensor **out, stria_error *err)
{
    return stria_argsort(large, -1, false, false, out, err);
}

/* Windows of `small` over `large`: few results for each, or many. */
static stria_status convolve(const int64_t *shape, int channels, stria_tensor **out, stria_error *err)
{
    stria_tensor *x = NULL, *weight = NULL, *y = NULL;
    stria_status  status = stria_view(large, shape, 3, &x, err);

    if (status == STRIA_OK) status = stria_expand(small, SHAPE(channels, shape[0], 2, 3), 4, &weight, err);
    if (status == STRIA_OK) status = stria_conv2d(x, weight, NULL, NULL, SHAPE(1, 1), NULL, 1, &y, err);
    stria_tensor_release(x);
    stria_tensor_release(weight);
    *out = y;
    return status;
}
static stria_status convolve_few(stria_tensor **out, stria_error *err)
{
    return convolve(SHAPE(1, 300, 300), 1, out, err);
}
static stria_status convolve_many(stria_tensor **out, stria_error *err)
{
    return convolve(SHAPE(9, 100, 100), 8, out, err);
}

static stria_status topk_rows(stria_tensor **out, stria_error *err)
{
    stria_tensor      *places = NULL;
    const stria_status status = stria_topk(large, 5, -1, true, true, out, &places, err);

    CHECK((places != NULL) == (status == STRIA_OK), "the second output after %s", stria_status_get_name(status));
    stria_tensor_release(places);
    return status;
}

static stria_status find_unique(int dim, stria_tensor **out, stria_error *err)
{
    stria_tensor      *inverse = NULL, *counts = NULL;
    const stria_status status = stria_unique(large, true, true, true, dim, out, &inverse, &counts, err);

    CHECK((inverse != NULL) == (status == STRIA_OK) && (counts != NULL) == (status == STRIA_OK), "outputs after %s",
          stria_status_get_name(status));
    stria_tensor_release(inverse);
    stria_tensor_release(counts);
    return status;
}

static stria_status unique_elements(stria_tensor **out, stria_error *err)
{
    return find_unique(STRIA_AXIS_NONE, out, err);
}

static stria_status unique_rows(stria_tensor **out, stria_error *err) { return find_unique(0, out, err); }

static stria_status count_bins(stria_tensor **out, stria_error *err)
{
    return stria_bincount(counted, NULL, 0, out, err);
}

static stria_status weigh_bins(stria_tensor **out, stria_error *err) { return stria_bincount(whole, row, 0, out, err); }

static stria_status norm_rows(stria_tensor **out, stria_error *err)
{
    return stria_layer_norm(halves, row, row, SHAPE(300), 1, 1e-5, out, err);
}

/* The second call of an expression finds what the first has compiled. */
static stria_status expression_twice(stria_tensor **out, stria_error *err)
{
    const stria_instruction steps[] = {{STRIA_OP_add, {0, 1}}};
    const stria_tensor     *in[] = {large, wide};
    stria_expression       *e = NULL;
    stria_tensor           *first = NULL;
    stria_status            status = stria_expression_new(2, NULL, 0, steps, 1, &e, err);

    if (status == STRIA_OK) status = stria_expression_apply(e, in, 2, &first, err);
    if (status == STRIA_OK) status = stria_expression_apply(e, in, 2, out, err);
    stria_tensor_release(first);
    stria_expression_release(e);
    return status;
}

static stria_status npy_get(stria_tensor **out, stria_error *err) { return stria_npy_get(file, file_nbytes, out, err); }
static stria_status npy_get_file(stria_tensor **out, stria_error *err) { return stria_npy_get_file(path, out, err); }

static stria_status npy_set_file(stria_tensor **out, stria_error *err)
{
    (void)out;
    return stria_npy_set_file(path, turned, err);
}

static stria_status npy_copy(stria_tensor **out, stria_error *err)
{
    void              *bytes = &err;
    size_t             nbytes = 1;
    const stria_status status = stria_npy_copy(turned, &bytes, &nbytes, err);
    (void)out;
    CHECK((bytes != NULL) == (status == STRIA_OK) && (nbytes > 0) == (status == STRIA_OK), "bytes after %s",
          stria_status_get_name(status));
    stria_bytes_release(bytes);
    return status;
}

#define PATH(name)  \
    {               \
#name, name \
    }
static const struct {
    const char *name;
    oom_path   *run;
} paths[] = {
    PATH(new_small),    PATH(new_large),        PATH(new_wide),      PATH(new_meta),      PATH(new_strided),
    PATH(new_scalar),   PATH(new_full),         PATH(new_copy_of),   PATH(new_external),  PATH(view_slice),
    PATH(view_wide),    PATH(view_many),        PATH(copy_turned),   PATH(copy_wide),     PATH(contiguous),
    PATH(reshape_copy), PATH(reshape_view),     PATH(add_direct),    PATH(add_broadcast), PATH(add_turned),
    PATH(add_mixed),    PATH(add_wide),         PATH(sqrt_whole),    PATH(less),          PATH(add_out_grown),
    PATH(add_out_wide), PATH(sum_all),          PATH(sum_rows),      PATH(sum_columns),   PATH(sum_turned),
    PATH(amax_mixed),   PATH(sum_wide),         PATH(sum_out),       PATH(npy_get),       PATH(npy_get_file),
    PATH(npy_set_file), PATH(npy_copy),         PATH(matmul_small),  PATH(matmul_large),  PATH(matmul_mixed),
    PATH(matmul_out),   PATH(scan_long),        PATH(sort_rows),     PATH(count_bins),    PATH(weigh_bins),
    PATH(norm_rows),    PATH(expression_twice), PATH(argsort_rows),  PATH(topk_rows),     PATH(unique_elements),
    PATH(unique_rows),  PATH(convolve_few),     PATH(convolve_many),
};
#undef PATH

SUITE(test_oom)
{
    const char *folder = getenv("TMPDIR");
    float       ones[90000];

    check_isa("test_oom");
    for (int k = 0; k < 90000; k++) ones[k] = 1;
    snprintf(path, sizeof path, "%s/test_oom_%ld.npy", folder ? folder : "/tmp", (long)getpid());
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, SHAPE(2, 3), ones, 24, &small, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 1, SHAPE(300), ones, 1200, &row, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_new_copy_of(STRIA_F32, 2, SHAPE(300, 300), ones, sizeof ones, &large, NULL), STRIA_OK);
    CHECK_STATUS(stria_transpose(large, 0, 1, &turned, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(large, STRIA_F16, &halves, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(row, STRIA_I64, &whole, NULL), STRIA_OK);
    CHECK_STATUS(stria_view(small, SHAPE(1, 2, 1, 3, 1, 1, 1, 1), 8, &wide, NULL), STRIA_OK);
    CHECK_STATUS(stria_view(large, SHAPE(90000), 1, &line, NULL), STRIA_OK);
    CHECK_STATUS(stria_tensor_copy(line, STRIA_I64, &counted, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_copy(turned, &file, &file_nbytes, NULL), STRIA_OK);
    CHECK_STATUS(stria_npy_set_file(path, large, NULL), STRIA_OK);
    if (check_failures == 0)
        for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) oom_check_path(paths[k].name, paths[k].run);
    remove(path);
    stria_bytes_release(file);
    stria_tensor_release(small);
    stria_tensor_release(row);
    stria_tensor_release(large);
    stria_tensor_release(turned);
    stria_tensor_release(halves);
    stria_tensor_release(whole);
    stria_tensor_release(wide);
    stria_tensor_release(line);
    stria_tensor_release(counted);
    CHECK(stria_memory_get_stats().live_storages == 0 && stria_memory_get_stats().live_bytes == 0, "memory is left");
    return check_finish("test_oom");
}
